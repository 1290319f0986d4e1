"""Sizing backwards: from a rate or a deadline to the machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from . import _core, _record, _records
from ._catalog import default
from ._front import over_nodes
from ._errors import ArgumentError
from ._excel import Item
from ._input_path import InputPath, PathArrays, access_of, decoder_of, find, interval, path_arrays
from ._inputs import Doubles, Number, Quantity, doubles, instance, number, quantity, text, whole
from ._network import Network
from ._keywords import NOT_SIZED, OF_TRAINING, check, takes, value_of
from ._plan import FrameworkList, Plan, Systems
from ._record import Records
from ._reported import ReportedTable, run_items
from ._run import Samples
from ._study import Given
from ._system import System
from ._table import Table
from ._text import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import RunAxes

Prices = Mapping[str, Number]


class _Question(NamedTuple):
    """What the core is asked, more than once."""

    plan: Plan
    goal: Records
    runs: Records
    prices: Doubles
    inputs: PathArrays
    given: Given
    dataset: str

    def ask(self, what: str) -> Records:
        plan, task = self.plan._handle, self.plan.task
        data = _core.size_choices(plan, task, self.goal, self.runs, self.prices, *self.inputs, what)
        return _record.array("size_choice", data)

    def counts(self) -> Choices:
        """The counts that take least for what they give, and the best of each choice."""
        rows = np.concatenate([self.ask("front"), self.ask("least")])
        return Choices(_record.checked("size_choice", rows, "choices"), [""] * len(self.runs))

    def report(self, choices: Records) -> _core.report:
        study, plan, task = self.plan._study, self.plan._handle, self.plan.task
        with self.plan._lock:
            return _core.size_report(study, plan, task, self.goal, self.runs, self.prices, *self.inputs, *self.given,
                                     choices, self.dataset)


class Choices(Table):
    """What reaches a target, best first, then what misses it, nearest first; rows have the fields of
    `perfmodel.fields("size_choice")`."""

    def __init__(self, choices: Records, assumed: list[str]):
        self.records = choices
        """The rows as a structured array of dtype `perfmodel.dtype("size_choice")`."""
        super().__init__(_core.size_table(choices, [assumed[i] for i in choices["choice"]]))

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


class Sizing(ReportedTable, Choices):
    """Choices for a rate, or for epochs within a time.

    >>> s = size("resnet50", ["dgx1-v100", "dgx1-p100"], epochs=90, within="6 h", precision="fp16", batch=128)
    >>> s.best.system, s.best.nodes
    ('dgx1-v100', 1)
    >>> s = size("resnet50", ["t4", "v100"], task="inference", rate=20000, latency="10 ms", precision="int8")
    >>> s.best.latency <= 0.01, s.best.throughput >= 20000
    (True, True)
    """

    def __init__(self, question: _Question, assumed: list[str]):
        if not isinstance(question, _Question):
            raise TypeError(f"a sizing is made by perfmodel.size, not from {type(question).__name__}")
        self._question, self._assumed = question, assumed
        super().__init__(question.ask("least"), assumed)

    def _inputs(self) -> list[Item]:
        return run_items(_record.read(_records.SizeGoal, "size_goal", bytearray(self._question.goal.tobytes())))

    def _report(self) -> _core.report:
        return self._question.report(self.records)

    def _picture(self, ax: Axes | None) -> Axes:
        """What each count of nodes on the way to the target gives: throughput, or with epochs the time for them."""
        goal = self._question.goal[0]
        timed = goal["within"] == goal["within"]
        y, unit, target = ("time", "s", goal["within"]) if timed else ("throughput", "samples/s", goal["rate"])
        reached = [f"{row['nodes']} x {row['system']}" for row in self if row["rank"] > 0]
        of = f"{self._of()}\n{'reached by ' + ', '.join(reached) if reached else 'nothing reaches it'}"
        rows, question = self._question.counts(), "How many nodes reach the target?"
        return over_nodes(rows, y, y, unit, float(target), question, of, ax)

    def next_cheaper(self) -> _records.SizeChoice | None:
        """Of all counts of all choices that take less than the best, the fastest; it misses by 1 - `reached`. None if
        nothing takes less."""
        found = self._question.ask("next")
        return _choice_of(found[0]) if found.size else None

    def front(self) -> Table:
        """The counts for which nothing is both faster and less, from least to fastest: the Pareto front."""
        return Choices(self._question.ask("front"), self._assumed)


@takes("run", many=True, but=("nodes", *NOT_SIZED))
def size(  # type: ignore[misc]
    network: Network | str,
    systems: Systems,
    *,
    task: str = "training",
    rate: Quantity | None = None,
    latency: Quantity | None = None,
    epochs: Number | None = None,
    within: Quantity | None = None,
    dataset: Samples = None,
    global_batch: Number | None = None,
    framework: FrameworkList = None,
    minimize: str | None = None,
    prices: Prices | None = None,
    pue: Number | None = None,
    storage: _records.Storage | str | None = None,
    units: SupportsIndex = 1,
    loader: _records.Loader | str = "tensorflow",
    cache: Quantity | None = None,
    max_nodes: SupportsIndex | None = None,
    switch_ports: SupportsIndex | None = None,
    oversubscription: Number | None = None,
    **run: Unpack[RunAxes],
) -> Sizing:
    """The least nodes (or cost, power, energy, ...) of each choice for a rate, or for epochs within a time; of the task
    "inference" for a rate.

    Every system, framework and value of an option of the run is a choice; `gpus`, used in each node, are all by
    default. All node counts from 1 up are evaluated, one by one, until the target is reached. In inference every GPU,
    of a system or by itself, is a replica, and replicas share nothing.

    Args:
        rate: samples per second that are wanted ("20000 samples/s"); or
        task: "training" or "inference".
        latency: longest that a call of inference may take ("10 ms"): each choice has the largest batch within it
            instead of `batch`. Queueing, and copies from and to the host, are not in it.
        epochs, within: epochs, and the time for them ("6 h").
        dataset: what an epoch is: a dataset, its name or its number of samples; ilsvrc2012 by default.
        global_batch: samples of an update over all GPUs, instead of `batch`.
        minimize: "nodes", "cost", "power" (by design), "rack-units", or of the predicted draw "energy", "carbon" or
            "energy-cost" for a sample.
        prices: price of one node by system, all in your own currency.
        pue: power of the site over that of the machines.
        storage: what the nodes read from, in `units` of it, read by `loader`, with `cache` bytes of every node for
            pages; otherwise input never limits.
        max_nodes: most nodes that are tried.
        switch_ports, oversubscription: of the switches between the nodes.
            Defaults of these are those of `perfmodel.fields("size_goal")`.

    The other arguments are those of `perfmodel.predict`. With `power_budget` ("1 MW") no choice has more nodes than it
    feeds by their design power; without a target the answer is what fits, the fastest first. What the catalogue does
    not know (the power of some machines) is NaN. Raises NotFoundError for an unknown name, ArgumentError.
    """
    plan = Plan(network, systems, framework, task)
    for name in ("nodes", *NOT_SIZED):
        if name in run:
            more = "; size_training is of tokens and samples" if name in OF_TRAINING else ""
            raise TypeError(f"size() got an unexpected keyword argument {cut(name, 80)!r}{more}")
    training = {"epochs": epochs, "within": within, "dataset": dataset, "global_batch": global_batch}
    for name in [name for name, value in {**training,
                                          "storage": storage}.items() if value is not None and plan._task.replicas]:
        raise ArgumentError(f"{name} has no effect in {task}")
    for name, value in {"global_batch": global_batch, "latency": latency}.items():
        if value is not None and run.get("batch") is not None:
            raise ArgumentError(f"batch and {name} are both given; give one")
    runs, assumed, given = _choices(plan, check(plan._task.run, run, "size"), global_batch is not None)
    named = "ilsvrc2012" if dataset is None else dataset
    known = default().dataset(named) if isinstance(named, str) else named
    trained = None if plan._task.replicas else known
    asked: dict[str, Any] = dict(rate=rate, latency=latency, epochs=epochs, within=within, pue=pue)
    asked |= dict(global_batch=global_batch, minimize=minimize, max_nodes=max_nodes)
    asked |= dict(switch_ports=switch_ports, oversubscription=oversubscription)
    goal = _goal(asked, trained)
    chosen = [plan.systems[index] for index in runs["system_index"]]
    owed = doubles(_price(prices, plan.systems, system) for system in chosen)
    paths = path_arrays(_paths(chosen, trained, storage, units, loader, cache))
    epochs_of = known.name if isinstance(known, _records.Dataset) else ""
    return Sizing(_Question(plan, goal, runs, owed, paths, given, epochs_of), assumed)


def _choices(plan: Plan, keywords: dict[str, Any], global_batch: bool) -> tuple[Records, list[str], Given]:
    """Every choice as a run on one node, with what was assumed of it and what was given: nodes are found, so GPUs are
    per node."""
    runs, (names, _) = plan._complete({**keywords, "nodes": 1})
    given = ([*names, "batch"] if global_batch else names, float(global_batch))
    return runs, plan._assumed_of(runs, given), given


def _choice_of(row: np.void) -> _records.SizeChoice:
    return _records.SizeChoice(**_record.values("size_choice", row))


def _goal(asked: dict[str, Any], dataset: _records.Dataset | Number | None) -> Records:
    """The defaults of the library, and what is asked."""
    goal = _record.array("size_goal", _core.size_goal_default())
    for name, value in asked.items():
        if value is not None:
            goal[0][name] = value_of("size_goal", name, value)
    if isinstance(dataset, _records.Dataset):
        goal[0]["samples"], goal[0]["sample_size"] = dataset.samples, dataset.sample_size
    elif dataset is not None:
        goal[0]["samples"] = number(dataset, "dataset")
    return goal


def _price(prices: Prices | None, systems: list[System], system: System) -> float:
    """The price of a system under any of its names; every name must be one of the systems'."""
    found = nan
    for name, value in instance(prices or {}, Mapping, "prices").items():
        id = name if name in [item.id for item in systems] else default().resolve("systems", text(name, "price"))
        if id == system.id:
            found = number(value, "price")
    return found


def _paths(
    systems: list[System],
    dataset: _records.Dataset | Number | None,
    storage: _records.Storage | str | None,
    units: SupportsIndex,
    loader: _records.Loader | str,
    cache: Quantity | None,
) -> list[InputPath]:
    """The input path of each choice; none without a storage."""
    if storage is None:
        return []
    if not isinstance(dataset, _records.Dataset):
        raise ArgumentError("a storage holds a dataset: give one, not a number of samples")
    stored = find(_records.Storage, "storage", storage)
    reads = find(_records.Loader, "loader", loader)
    run = _record.read(_records.InputRun, "input_run", _core.input_run_default())
    run = replace(run, units=whole(units, "units"))
    if cache is not None:
        run = replace(run, cache=quantity(cache, "B", "cache"), first_epoch=False)
    access = access_of(stored.id)
    machines = [system.machine for system in systems]
    off = interval()
    return [(dataset, stored, access, decoder_of(machine.cpu), reads, machine, off, run) for machine in machines]


__all__ = ["Choices", "Sizing", "size"]
