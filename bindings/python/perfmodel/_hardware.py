"""Systems with a part exchanged, or with another number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Union

from . import _core, _records
from ._catalog import as_system, default
from ._errors import ArgumentError
from ._inputs import Quantity, instance, many, number, text
from ._kernel import device
from ._system import System, as_gpu

HardwareAxes = Mapping[str, Union[Quantity, Iterable[Quantity]]]


def with_gpu(system: System | str, gpu: _records.Gpu | str) -> System:
    """The system with another GPU in it, on the same links."""
    record, constants = device(as_gpu(gpu), "calibrated")
    system, gpu = as_system(system), as_gpu(gpu)
    return System(_core.system_with_gpu(system._handle, record, constants), (with_gpu, (system, gpu)))


def with_link(system: System | str, link: str, *, replaces: str | None = None) -> System:
    """The system with another type of link: instead of all of the type `replaces`, or as its network."""
    old = "" if replaces is None else text(replaces, "replaces")
    system = as_system(system)
    made = _core.system_with_link(default()._handle, system._handle, old, text(link, "link"))
    return System(made, (_with_link, (system, link, replaces)))


def _with_link(system: System, link: str, replaces: str | None) -> System:
    return with_link(system, link, replaces=replaces)


def with_number(system: System | str, path: str, value: Quantity) -> System:
    """The system with another number of its hardware, by path: "gpu.FIELD", "kernels.FIELD", "network.FIELD",
    "link.TYPE.FIELD" or "calibration.TYPE.FIELD". The value is a number in SI units, text with its unit, or a factor as
    "x1.1". "gpu.clock" takes the rates of arithmetic with it.

    >>> faster = with_number("dgx1-v100", "gpu.memory_bandwidth", "x2")
    >>> faster.gpu.memory_bandwidth
    1800000000000.0
    """
    system = as_system(system)
    made = _core.system_with_number(system._handle, text(path, "path"), _value(path, value))
    return System(made, (with_number, (system, path, value)))


def _value(path: str, value: Quantity) -> str:
    if isinstance(value, str):
        return text(value, path)
    unit = _core.hardware_unit(path)
    return f"{number(value, path)!r}{'' if unit in ('', '1') else f' {unit}'}"


def variants(system: System, axes: HardwareAxes) -> list[System]:
    """The system with every combination of numbers of its hardware, the last axis fastest."""
    made = []
    given = instance(axes, Mapping, "axes").items()
    for point in product(*([(path, value) for value in many(values)] for path, values in given)):
        variant = system
        for path, value in point:
            variant = with_number(variant, path, value)
        made.append(variant)
    if not made:
        raise ArgumentError("an axis of the sweep is empty")
    return made


__all__ = ["HardwareAxes", "variants", "with_gpu", "with_link", "with_number"]
