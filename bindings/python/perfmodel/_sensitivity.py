"""Sensitivities: what a step owes to each number of the hardware; which upgrade pays; systems with a part exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import SupportsIndex

from . import _core, _records
from ._catalog import as_gpu, as_network, as_system, default
from ._errors import ArgumentError
from ._framework import Framework, as_framework, framework_records
from ._inference import InferencePlan, Profile, Target
from ._input import InputPipeline, PathArrays, path_arrays
from ._inputs import Doubles, Number, choice, doubles, many, number, text
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
    names, others, owed = _changes(choices, prices)
    table = _core.upgrade_table(
        as_network(network)._handle,
        as_system(system)._handle,
        run,
        *framework_records(as_framework(framework)),
        *_path_of(input),
        others,
        names,
        owed,
    )
    return Table(table)


def sensitivity_inference(
    network: Network | str,
    system: Target,
    *,
    batch: Number = 1,
    precision: str = "fp32",
    by: Number = 0.1,
    framework: Profile = "tensorrt",
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    kernel_model: str = "calibrated",
) -> Table:
    """What a call of inference owes to each number of the hardware, as `sensitivity` says it of a step; `step_time` is the
    latency. The arguments are those of `perfmodel.infer`, and `by`.

    >>> owed = sensitivity_inference("resnet50", "t4", batch=64, precision="int8")
    >>> list(owed["resource"][:2])
    ['clock', 'memory-bandwidth']
    """
    owed = _call(network, system, batch, precision, framework, gpus, nodes, kernel_model)
    return Table(_core.call_sensitivity_table(*owed, number(by, "by")))


def upgrades_inference(
    network: Network | str,
    system: Target,
    choices: Mapping[str, System | str] | Iterable[System | str],
    *,
    prices: Prices | None = None,
    batch: Number = 1,
    precision: str = "fp32",
    framework: Profile = "tensorrt",
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    kernel_model: str = "calibrated",
) -> Table:
    """Which upgrade pays in inference: as `upgrades`, of a call. GPUs by themselves are systems too ("t4")."""
    names, others, owed = _changes(choices, prices)
    asked = _call(network, system, batch, precision, framework, gpus, nodes, kernel_model)
    return Table(_core.call_upgrade_table(*asked, others, names, owed))


def _changes(
    choices: Mapping[str, System | str] | Iterable[System | str], prices: Prices | None
) -> tuple[list[str], list[_core.system], Doubles]:
    """Names, systems and prices of what could be instead."""
    named = choices if isinstance(choices, Mapping) else {getattr(item, "id", item): item for item in many(choices)}
    for name in prices or {}:
        if name not in named:
            raise ArgumentError(f'a price is given for "{name}", which is none of the upgrades')
    names = [text(name, "upgrade") for name in named]
    others = [as_system(item)._handle for item in named.values()]
    return names, others, doubles(number((prices or {}).get(name, nan), "price") for name in named)


def _call(
    network: Network | str,
    system: Target,
    batch: Number,
    precision: str,
    framework: Profile,
    gpus: SupportsIndex,
    nodes: SupportsIndex,
    kernel_model: str,
) -> tuple[_core.network, _core.system, Records, Records]:
    """Network, system, run and profile of a call."""
    plan = InferencePlan(network, system, framework)
    run = plan.runs(batch=batch, precision=precision, gpus=gpus, nodes=nodes, kernel_model=kernel_model)
    return plan.networks[0]._handle, plan.systems[0]._handle, run, plan.profiles[:1]


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


__all__ = ["sensitivity", "sensitivity_inference", "upgrades", "upgrades_inference", "with_gpu", "with_link"]
