"""Sensitivities: what a step owes to each number of the hardware; which upgrade pays; systems with a part exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import SupportsIndex

from . import _core, _records
from ._catalog import as_gpu, as_network, as_system, default
from ._errors import ArgumentError
from ._framework import Framework, as_framework, framework_records
from ._input import InputPipeline, PathArrays, path_arrays
from ._inputs import Number, choice, doubles, many, number, text
from ._kernel import device
from ._network import Network
from ._record import Records
from ._run import Input, base_run, count
from ._sizing import Prices
from ._system import System
from ._table import Table


def sensitivity(
    network: Network | str,
    system: System | str,
    *,
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    batch: Number = 32,
    precision: str = "fp32",
    by: Number = 0.1,
    framework: Framework | str | None = "generic",
    overlap: str = "framework",
    kernel_model: str = "calibrated",
    parallel: str = "framework",
    optimizer: str = "momentum",
    accumulation: SupportsIndex = 1,
    input: Input = None,
) -> Table:
    """What a step owes to each number of the hardware: each is raised by the share `by` alone, and the step predicted
    anew. Columns: `resource`, whether it is a `rate`, `step_time`, `change`, `elasticity`, `throughput`, `limit`.

    The other arguments are those of `perfmodel.predict`; with an `input_pipeline` as `input`, storage is a number too.
    """
    run = _one_run(gpus, nodes, batch, precision, overlap, kernel_model, parallel, optimizer, accumulation, input)
    table = _core.sensitivity_table(
        as_network(network)._handle,
        as_system(system)._handle,
        run,
        *framework_records(as_framework(framework)),
        *_path_of(input),
        number(by, "by"),
    )
    return Table(table)


def upgrades(
    network: Network | str,
    system: System | str,
    choices: Mapping[str, System | str] | Iterable[System | str],
    *,
    prices: Prices | None = None,
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    batch: Number = 32,
    precision: str = "fp32",
    framework: Framework | str | None = "generic",
    overlap: str = "framework",
    kernel_model: str = "calibrated",
    parallel: str = "framework",
    optimizer: str = "momentum",
    accumulation: SupportsIndex = 1,
    input: Input = None,
) -> Table:
    """Which upgrade pays: the same run on other systems (by name, or as a dict of systems of your own by any name; see
    `with_gpu`, `with_link`), most gain first. `prices` of the changes by those names give the gain for each unit of price.
    """
    run = _one_run(gpus, nodes, batch, precision, overlap, kernel_model, parallel, optimizer, accumulation, input)
    named = choices if isinstance(choices, Mapping) else {getattr(item, "id", item): item for item in many(choices)}
    for name in prices or {}:
        if name not in named:
            raise ArgumentError(f'a price is given for "{name}", which is none of the upgrades')
    others = [as_system(item) for item in named.values()]
    table = _core.upgrade_table(
        as_network(network)._handle,
        as_system(system)._handle,
        run,
        *framework_records(as_framework(framework)),
        *_path_of(input),
        [item._handle for item in others],
        [text(name, "upgrade") for name in named],
        doubles(number((prices or {}).get(name, nan), "price") for name in named),
    )
    return Table(table)


def with_gpu(system: System | str, gpu: _records.Gpu | str) -> System:
    """The system with another GPU in it, on the same links."""
    record, constants = device(as_gpu(gpu), "calibrated")
    return System(_core.system_with_gpu(as_system(system)._handle, record, constants))


def with_link(system: System | str, link: str, *, replaces: str | None = None) -> System:
    """The system with another type of link: in place of all of the type `replaces`, or as its network."""
    old = "" if replaces is None else text(replaces, "replaces")
    return System(_core.system_with_link(default()._handle, as_system(system)._handle, old, text(link, "link")))


def _path_of(value: Input) -> PathArrays:
    """The records of an input pipeline, or none."""
    return path_arrays([value.setup] if isinstance(value, InputPipeline) else [])


def _one_run(
    gpus: SupportsIndex,
    nodes: SupportsIndex,
    batch: Number,
    precision: str,
    overlap: str,
    kernel_model: str,
    parallel: str,
    optimizer: str,
    accumulation: SupportsIndex,
    input: Input,
) -> Records:
    run = base_run(
        overlap=overlap,
        kernel_model=kernel_model,
        parallel=parallel,
        optimizer=optimizer,
        accumulation=accumulation,
        input=input,
        epoch_samples=nan,
    )
    row = run[0]
    row["gpus"], row["nodes"] = count(gpus, "gpus"), count(nodes, "nodes")
    row["batch"], row["precision"] = number(batch, "batch"), choice("run", "precision", precision)
    return run


__all__ = ["sensitivity", "upgrades", "with_gpu", "with_link"]
