"""Sizing backwards: from a rate or a deadline to the machines; what a step owes to each number; which upgrade pays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan, nan
from typing import Any, SupportsIndex

import numpy as np

from . import _core, _record, _records
from ._catalog import as_gpu, as_network, as_system, default
from ._errors import ArgumentError
from ._framework import Framework, as_framework
from ._input import InputPipeline, _access, _decoder, _find
from ._inputs import Number, Quantity, doubles, many, number, quantity, text, whole
from ._kernel import choice, device
from ._network import Network
from ._plan import FrameworkList, Numbers, Plan, Samples, Systems, Texts
from ._quantity import format_quantity
from ._record import Records
from ._run import Input, base_run, count
from ._system import System
from ._table import Table

Prices = Mapping[str, Number]


class Sizing(Table):
    """What reaches a target, best first, then what misses it, nearest first; rows have the fields of
    `perfmodel.fields("size_choice")`.

    >>> s = size("resnet50", ["dgx1-v100", "dgx1-p100"], epochs=90, within="6 h", precision="fp16", batch=128)
    >>> s.best.system, s.best.nodes
    ('dgx1-v100', 1)
    """

    def __init__(self, question: Any, choices: Records, keep: tuple[Any, ...]):
        self._question = question
        self._keep = keep  # what the question's handles refer to
        self.records = choices
        """The rows as a structured array of dtype `perfmodel.dtype("size_choice")`."""
        super().__init__(_core.size_table(choices))

    @property
    def choices(self) -> list[_records.SizeChoice]:
        """The rows as objects."""
        return [_choice_of(row) for row in self.records]

    @property
    def best(self) -> _records.SizeChoice:
        """The best; if nothing reaches the target, what comes nearest, with `status` "unreachable"."""
        return _choice_of(self.records[0])

    @property
    def reached(self) -> bool:
        """Whether anything reaches the target."""
        return bool(self.records[0]["rank"] > 0)

    def next_cheaper(self) -> _records.SizeChoice | None:
        """Of all counts of all choices that take less than the best, the fastest; it misses by 1 - `reached`. None if
        nothing takes less."""
        found = _record.array("size_choice", _core.size_choices(*[*self._question, "next"]))
        return _choice_of(found[0]) if found.size else None

    def front(self) -> Table:
        """The counts for which nothing is both faster and less, from least to fastest: the Pareto front."""
        return Table(_core.size_table(_record.array("size_choice", _core.size_choices(*[*self._question, "front"]))))

    def __str__(self) -> str:
        best = self.best
        time = "" if isnan(best.time) else f", {format_quantity(best.time, 's')}"
        verdict = "reaches" if self.reached else "misses"
        return f"{best.nodes} x {best.system}: {best.throughput:,.0f} samples/s{time}, {verdict} the target"


def size(
    network: Network | str,
    systems: Systems,
    *,
    rate: Quantity | None = None,
    epochs: Number | None = None,
    within: Quantity | None = None,
    dataset: Samples = "ilsvrc2012",
    batch: Numbers = 32,
    global_batch: Number | None = None,
    precision: Texts = "fp32",
    framework: FrameworkList = "generic",
    gpus: SupportsIndex = 0,
    minimize: str = "nodes",
    prices: Prices | None = None,
    pue: Number = 1.0,
    storage: _records.Storage | str | None = None,
    units: SupportsIndex = 1,
    loader: _records.Loader | str = "tensorflow",
    cache: Quantity | None = None,
    nodes_most: SupportsIndex = 1024,
    switch_ports: SupportsIndex = 32,
    oversubscription: Number = 1.0,
    overlap: str = "framework",
    kernel_model: str = "calibrated",
    parallel: str = "framework",
    optimizer: str = "momentum",
    accumulation: SupportsIndex = 1,
) -> Sizing:
    """The least nodes (or cost, power, rack units) of each choice for a rate, or for epochs within a time.

    Every system, framework, precision and batch is a choice. All node counts from 1 up are evaluated, one by one, until
    the target is reached.

    Args:
        rate: samples per second that are wanted ("20000 samples/s"); or
        epochs, within: epochs, and the time for them ("6 h").
        dataset: what an epoch is: a dataset, its name or its number of samples.
        batch: samples per GPU and step; or global_batch: samples of an update over all GPUs.
        gpus: GPUs used in each node; 0: all.
        minimize: "nodes", "cost", "power" or "rack-units".
        prices: price of one node by system, all in one currency of yours.
        pue: power of the site over that of the machines.
        storage: what feeds the nodes, in `units` of it, read by `loader`, with `cache` bytes of every node for pages;
            otherwise input never limits.
        nodes_most: most nodes that are tried.
        switch_ports, oversubscription: of the switches between the nodes.

    The other arguments are those of `perfmodel.predict`. What the catalogue does not know (the power of some machines) is
    NaN. Raises NotFoundError for an unknown name, ArgumentError.
    """
    net = as_network(network)
    plan = Plan(net, systems, framework)
    runs = plan.runs(
        batch=None if global_batch is not None else batch,
        precision=precision,
        overlap=overlap,
        kernel_model=kernel_model,
        parallel=parallel,
        optimizer=optimizer,
        accumulation=accumulation,
    )
    runs["gpus"] = whole(gpus, "gpus")
    known = default().dataset(dataset) if isinstance(dataset, str) else dataset
    goal = _goal(rate, epochs, within, known, global_batch, minimize, nodes_most, pue, switch_ports, oversubscription)
    chosen = [plan.systems[index] for index in runs["system_index"]]
    inputs = _inputs_of(chosen, known, storage, units, loader, cache)
    question: Any = (
        plan._handle,
        goal,
        runs,
        doubles(_price(prices, plan.systems, system) for system in chosen),
        doubles(_usable(system.gpu) for system in chosen),
        net._handle,
        _record.write("memory_profile", default().memory_profile("pytorch")),
        _record.write("optimizer", default().optimizer("momentum")),
        *inputs,
    )
    return Sizing(question, _record.array("size_choice", _core.size_choices(*[*question, "least"])), (plan, net))


def _choice_of(row: np.void) -> _records.SizeChoice:
    return _records.SizeChoice(**_record.values("size_choice", row))


def _goal(
    rate: Quantity | None,
    epochs: Number | None,
    within: Quantity | None,
    dataset: _records.Dataset | Number | None,
    global_batch: Number | None,
    minimize: str,
    nodes_most: SupportsIndex,
    pue: Number,
    switch_ports: SupportsIndex,
    oversubscription: Number,
) -> Records:
    goal = _record.array("size_goal", _core.size_goal_default())
    row = goal[0]
    if rate is not None:
        row["rate"] = quantity(rate, "1/s", "rate")
    if within is not None:
        row["within"] = quantity(within, "s", "within")
    if epochs is not None:
        row["epochs"] = number(epochs, "epochs")
    if global_batch is not None:
        row["global_batch"] = number(global_batch, "global_batch")
    if isinstance(dataset, _records.Dataset):
        row["samples"], row["sample_size"] = dataset.samples, dataset.sample_size
    elif dataset is not None:
        row["samples"] = number(dataset, "dataset")
    row["minimize"] = choice("size_goal", "minimize", minimize)
    row["nodes_most"], row["switch_ports"] = whole(nodes_most, "nodes_most"), whole(switch_ports, "switch_ports")
    row["pue"], row["oversubscription"] = number(pue, "pue"), number(oversubscription, "oversubscription")
    return goal


def _price(prices: Prices | None, systems: list[System], system: System) -> float:
    """The price of a system under any of its names; every name must be one of the systems'."""
    found = nan
    for name, value in (prices or {}).items():
        id = name if name in [item.id for item in systems] else default().resolve("systems", text(name, "price"))
        if id == system.id:
            found = number(value, "price")
    return found


def _usable(gpu: _records.Gpu) -> float:
    known = default().usable_memory(gpu.id)
    return gpu.memory if isnan(known) else known


INPUT_KINDS = ("dataset", "storage", "storage_access", "decoder", "loader", "machine", "input_run")


def _inputs_of(
    systems: list[System],
    dataset: _records.Dataset | Number | None,
    storage: _records.Storage | str | None,
    units: SupportsIndex,
    loader: _records.Loader | str,
    cache: Quantity | None,
) -> Any:
    """The input path of each choice: seven arrays, empty without a storage."""
    if storage is None:
        return [np.zeros(0, dtype=_record.dtype(kind)) for kind in INPUT_KINDS]
    if not isinstance(dataset, _records.Dataset):
        raise ArgumentError("a storage holds a dataset: give one, not a number of samples")
    stored = _find(_records.Storage, "storage", storage)
    reads = _find(_records.Loader, "loader", loader)
    run = _record.array("input_run", _core.input_run_default())
    run[0]["units"] = whole(units, "units")
    if cache is not None:
        run[0]["cache"], run[0]["first_epoch"] = quantity(cache, "B", "cache"), False
    rows: list[list[Records]] = [[] for _ in INPUT_KINDS]
    for system in systems:
        machine = system.machine
        parts = (dataset, stored, _access(stored.id), _decoder(machine.cpu), reads, machine)
        for place, kind, record in zip(rows, INPUT_KINDS, parts):
            place.append(_record.write(kind, record))
        rows[-1].append(run)
    return [_joined(kind, place) for kind, place in zip(INPUT_KINDS, rows)]


def _joined(kind: str, parts: list[Records]) -> Records:
    result = np.empty(len(parts), dtype=_record.dtype(kind))
    for i, part in enumerate(parts):
        result[i] = part[0]
    return result


# ---- Sensitivities -----------------------------------------------------------------------------------------------------


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
    owed: list[Any] = [
        as_network(network)._handle,
        as_system(system)._handle,
        run,
        *_framework_records(framework),
        *_path_of(input),
        number(by, "by"),
    ]
    return Table(_core.sensitivity_table(*owed))


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
    owed: list[Any] = [
        as_network(network)._handle,
        as_system(system)._handle,
        run,
        *_framework_records(framework),
        *_path_of(input),
        [item._handle for item in others],
        [text(name, "upgrade") for name in named],
        doubles(number((prices or {}).get(name, nan), "price") for name in named),
    ]
    return Table(_core.upgrade_table(*owed))


def with_gpu(system: System | str, gpu: _records.Gpu | str) -> System:
    """The system with another GPU in it, on the same links."""
    record, constants = device(as_gpu(gpu), "calibrated")
    return System(_core.system_with_gpu(as_system(system)._handle, record, constants))


def with_link(system: System | str, link: str, *, replaces: str | None = None) -> System:
    """The system with another type of link: in place of all of the type `replaces`, or as its network."""
    old = "" if replaces is None else text(replaces, "replaces")
    return System(_core.system_with_link(default()._handle, as_system(system)._handle, old, text(link, "link")))


Records3 = tuple[Records, Records, Records]


def _framework_records(value: Framework | str | None) -> Records3:
    item = as_framework(value)
    kinds = ("framework", "library_era", "band")
    if item is None:
        none = [np.zeros(0, dtype=_record.dtype(kind)) for kind in kinds]
        return none[0], none[1], none[2]
    return (
        _record.write("framework", item.profile),
        _record.write("library_era", item.era),
        _record.write("band", item.band),
    )


def _path_of(value: Input) -> Any:
    """The seven records of an input pipeline, or none."""
    if not isinstance(value, InputPipeline):
        return [np.zeros(0, dtype=_record.dtype(kind)) for kind in INPUT_KINDS]
    return [_record.write(kind, record) for kind, record in zip(INPUT_KINDS, (*value.setup, value.run))]


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


__all__ = ["Sizing", "sensitivity", "size", "upgrades", "with_gpu", "with_link"]
