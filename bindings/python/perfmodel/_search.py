"""The best parallel plan for a network: every plan, predicted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import count
from math import nan
from typing import TYPE_CHECKING, Any, SupportsIndex

from . import _core, _record, _records
from ._background import interruptible
from ._catalog import default
from ._errors import DoesNotFitError
from ._excel import Item, write as write_workbook
from ._fields import fields, given
from ._front import over_nodes, plans
from ._framework import Framework
from ._inputs import Number, Quantity, attributes, currency_of, number, text, whole
from ._keywords import axes_of, check, takes, value_of
from ._network import Network
from ._plan import FrameworkList, Plan, Systems
from ._prediction import Prediction
from ._record import Records
from ._reported import Explained, ReportedTable, run_items
from ._study import Axes, Given, flat
from ._sweep import Sweep
from ._system import System
from ._table import Table
from ._text import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Picture
    from typing_extensions import Unpack

    from ._options import RunAxes, RunOptions

RANGE = 4096  # plans that a thread takes at a time: a few milliseconds
THREADS_MOST = 64
ASKED = 0.1  # seconds between two calls of `progress`

FREE = (
    "tensor_parallel",
    "sequence_parallel",
    "context_parallel",
    "pipeline_parallel",
    "virtual_pipeline",
    "expert_parallel",
    "micro_batch",
    "zero",
    "recompute",
)
Progress = Callable[[int, int], object]


class Plans(Sweep):
    """Plans and their predictions: a Table whose rows are Prediction objects; the column `plan` has each in short
    form."""

    def __init__(self, plan: Plan, runs: Records, given: Given, table: _core.table):
        self.plan, self.runs, self.predictions, self._given = plan, runs, plan.predict(runs), given
        self._space, self._paths, self._found = None, [], {}
        Table.__init__(self, table)

    _parts, _head, _absent, _whole = Table._parts, Table._head, Table._absent, Table._whole


class Search(Explained):
    """The result of a search.

    >>> found = search("gpt3-13b", "dgx-a100-80gb", gpus=64, global_batch=512, precision="bf16", optimizer="adam")
    >>> found.best.throughput_p10 == max(plan.throughput_p10 for plan in found.plans)
    True
    """

    def __init__(
        self, plan: Plan, handle: _core.search, result: _core.search_result, global_batch: float, given: Given
    ):
        self._plan, self._handle, self._result, self._global_batch = plan, handle, result, global_batch
        self._given = given

    @property
    def count(self) -> int:
        """Number of plans."""
        return int(_core.search_result_count(self._result, 0))

    @property
    def fitting(self) -> int:
        """Number of plans that fit in memory."""
        return int(_core.search_result_count(self._result, 1))

    @cached_property
    def plans(self) -> Plans:
        """The best plans, the best first: by the lower end of the 80 % interval of their rate, or by `minimize`;
        unknown ones last."""
        return self._kept("plans")

    @cached_property
    def fastest(self) -> Plans:
        """The fastest plans, the fastest first."""
        return self._kept("fastest")

    @cached_property
    def front(self) -> Plans:
        """The plans than which no other is faster with as little memory and as few GPUs."""
        return self._kept("front")

    @cached_property
    def best(self) -> Prediction:
        """The first of `plans`: its prediction, with its run."""
        best: Prediction = self.plans[0]
        return best

    @cached_property
    def why(self) -> Table:
        """For each choice the best plan with another value: its slowdown, its extra memory, and what causes them."""
        return Table(self._table("why"))

    @cached_property
    def choices(self) -> Table:
        """The best plan with every value of each choice."""
        return Table(self._table("choices"))

    @property
    def options(self) -> dict[str, Any]:
        """The best plan as `predict` takes it: `predict(network, found.best.system, **found.options)`."""
        options = self._settings()
        run = self.best.run
        if self._plan._named > 0:
            options["framework"] = self._plan.framework(run.framework_index, run.system_index) or "none"
        return options

    def plot(self, *, ax: Picture | None = None) -> Picture:
        """Throughput of the best plans over the memory that they need, with the Pareto front of both. Needs
        matplotlib."""
        best = {"memory": float(self.plans["memory"][0]), "throughput": float(self.plans["throughput"][0])}
        return plans({"front": self.front, "best plans": self.plans, "fastest": self.fastest}, best, self._of(), ax)

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """A workbook: the best plans, the front, and the best plan with every value of each choice. Needs openpyxl.
        Written whole or not at all."""
        tables = [("plans", self.plans), ("front", self.front), ("choices", self.choices)]
        write_workbook(path, tables, run_items(self.best.run), [self._of()])

    def to_settings(self, format: str) -> str:
        """The best plan as that program is told it: "megatron", "torchtitan" or "deepspeed"."""
        settings = {name: value for name, value in self._settings().items() if name not in ("gpus", "nodes")}
        return _core.settings_write(text(format, "format"), attributes(settings))

    def _kept(self, which: str) -> Plans:
        runs = _record.array("run", _core.search_runs(self._handle, self._result, which))
        return Plans(self._plan, runs, self._given, self._table(which))

    def _table(self, which: str) -> _core.table:
        return _core.search_table(self._plan._study, self._result, which, *self._given)

    def _settings(self) -> dict[str, Any]:
        """What of the best run its plan decides, and what is not its default."""
        best, usual = self.best.run, _record.read(_records.Run, "run", _core.asked_runs("training", *flat({})))
        options: dict[str, Any] = {}
        for f in given("run"):
            value = getattr(best, f.name)
            if f.name != "batch" and value == value and (f.asked or value != getattr(usual, f.name)):
                options[f.name] = _plain(value)
        return {**options, "global_batch": _plain(_core.search_global_batch(self._handle))}

    def _report(self) -> _core.report:
        return _core.search_report(self._plan._study, self._result, *self._given, self._global_batch)

    def __repr__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        shown: str = _core.report_format(self._report(), "html", 0)
        return shown


class _Work:
    """All plans of a search, evaluated on all cores; any number of threads finds the same."""

    def __init__(self, search: _core.search, top: int, minimize: str):
        self.search, self.total = search, int(_core.search_count(search))
        self.threads = max(1, min(os.cpu_count() or 1, THREADS_MOST, -(-self.total // RANGE)))
        self.results = [_core.search_result_new(search, top, minimize) for _ in range(self.threads)]
        self.starts = count(0, RANGE)
        self.done: list[int] = []
        self.stopped = False
        self.failed: list[BaseException] = []

    def evaluate(self, result: _core.search_result) -> None:
        try:
            for start in self.starts:
                if start >= self.total or self.stopped:
                    return
                stop = min(start + RANGE, self.total)
                _core.search_evaluate(self.search, start, stop, result)
                self.done.append(stop - start)
        except BaseException as error:  # raised where it is waited for
            self.stopped = True
            self.failed.append(error)

    def wait(self, threads: list[threading.Thread], progress: Progress | None) -> None:
        for thread in threads:
            while thread.is_alive():
                thread.join(ASKED)
                if progress is not None and thread.is_alive():
                    progress(sum(self.done), self.total)
        if progress is not None and not self.failed:
            progress(sum(self.done), self.total)

    def run(self, progress: Progress | None) -> _core.search_result:
        threads = [threading.Thread(target=self.evaluate, args=(result,), daemon=True) for result in self.results]
        try:
            for thread in threads:
                thread.start()
            self.wait(threads, progress)
        finally:
            self.stopped = True  # of a wait that was interrupted, what is left is dropped
        if self.failed:
            raise self.failed[0]
        for other in self.results[1:]:
            _core.search_result_add(self.results[0], other)
        return self.results[0]


def _plain(value: Any) -> Any:
    """Whole numbers as such."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@takes("run", many=True, but=("batch", "epoch_samples"), free=FREE)
def search(
    network: Network | str,
    systems: Systems,
    *,
    global_batch: Number | None = None,
    top: SupportsIndex = 10,
    framework: FrameworkList = None,
    minimize: str | None = None,
    progress: Progress | None = None,
    **run: Unpack[RunAxes],
) -> Search:
    """Predicts every parallel plan of a network on GPUs for a global batch, and finds the best: tensor, sequence,
    context, expert and pipeline parallelism with virtual stages, micro-batch, ZeRO stage, recomputation.

    A value that is given is kept, of several each is tried: `gpus=[128, 256]` searches for both, `tensor_parallel=[4,
    8]` tries no others. The schedule is 1f1b, interleaved with virtual stages, unless others are given. Counts of GPUs,
    precision and optimizer are those of `perfmodel.predict` where they are not given; without a framework, each plan
    runs in that of its kind: data parallelism in PyTorch, ZeRO 3 in its FSDP, the others in Megatron-LM.

    Args:
        global_batch: samples of a step over all GPUs; of language models 4 Mi tokens by default.
        top: how many of the best plans are kept, and of the fastest.
        minimize: "energy" or "carbon" of the site for a sample, "energy-cost", or "cost" of the GPU-hours, instead of
            the surest rate; each needs its price or intensity as an option of the run.
        progress: is called with the number of plans that are done and of all, ten times a second and at the end.

    Raises DoesNotFitError if no plan fits into memory, NotFoundError if none shares the network out, ArgumentError.
    """
    for name in ("batch", "epoch_samples"):
        if name in run:
            raise TypeError(f"search() got an unexpected keyword argument {cut(name, 80)!r}")
    plan = Plan(network, systems, framework)
    batch = nan if global_batch is None else number(global_batch, "global_batch")
    axes = _axes(plan, run, "search")
    handle = interruptible(_core.search_new, plan._study, *axes, batch)
    plan._begin("search_new", (*axes, batch))
    work = _Work(handle, whole(top, "top"), "nodes" if minimize is None else text(minimize, "minimize"))
    fixed = [*axes[0], "batch", "micro_batch"]  # the last two are decided by plans
    found = Search(plan, work.search, work.run(progress), batch, (fixed, 1.0))
    if found.fitting == 0:
        raise DoesNotFitError(f"none of {found.count:,} plans fits in memory: more GPUs, or larger ones, would help")
    return found


def _axes(plan: Plan, run: RunAxes | RunOptions, function: str) -> Axes:
    """What is given, and the plan's lists."""
    return flat(plan._places() | axes_of("run", check("run", run, function)))


class Deadline(ReportedTable):
    """Of one system: counts of nodes, each with its best plan and what training with it takes, without counts that are
    no faster than a smaller one. Of several: each with its fewest nodes, the best first. Rows have the fields of
    `perfmodel.fields("training")`."""

    def __init__(self, handle: _core.table, asked: tuple[Plan, Axes, float, Records, str]):
        super().__init__(handle)
        self._asked = asked

    def _report(self) -> _core.report:
        plan, axes, batch, goals, currency = self._asked
        with plan._lock:
            return _core.training_report(plan._study, *axes, batch, goals, self._handle, currency)

    def _inputs(self) -> list[Item]:
        return run_items(_record.read(_records.TrainingGoal, "training_goal", bytearray(self._asked[3][:1].tobytes())))

    def _picture(self, ax: Picture | None) -> Picture:
        """The time that training takes over the number of nodes, with its 80 % interval and the deadline."""
        within = float(self._asked[3][0]["within"])
        of = "\n".join(text for _, text, _, _ in self._block("deadline")[:2])
        return over_nodes(self, "time", "time", "s", within, "How many nodes meet the deadline?", of, ax)

    @property
    def best(self) -> _records.Training:
        """The fewest nodes that meet the deadline; if none do, the fastest. Of several systems the best of them."""
        last = self._row(0 if len(self._asked[0].systems) > 1 else len(self) - 1)
        names = (f.name for f in fields("training"))
        return _records.Training(**dict(zip(names, last.values())))

    @property
    def reached(self) -> bool:
        """Whether any count meets the deadline."""
        return self.best.reached >= 1


@takes("run", but=("batch", "epoch_samples", "gpus", "nodes"), free=FREE)
def size_training(  # type: ignore[misc]
    network: Network | str,
    systems: Systems,
    *,
    within: Quantity,
    tokens: Number | None = None,
    samples: Number | None = None,
    global_batch: Number | None = None,
    framework: Framework | str | None = None,
    minimize: str | None = None,
    max_nodes: SupportsIndex | None = None,
    gpu_mtbf: Quantity | None = None,
    node_mtbf: Quantity | None = None,
    checkpoint_rate: Quantity | None = None,
    checkpoint: Quantity | None = None,
    restart: Quantity | None = None,
    interval: Quantity | None = None,
    pue: Number | None = None,
    price: Number | Mapping[str, Number] | None = None,
    gpu_hour_price: Quantity | Mapping[str, Quantity] | None = None,
    **run: Unpack[RunOptions],
) -> Deadline:
    """The fewest nodes whose best plan trains on so many tokens or samples within a time, failures and checkpoints
    counted; of several systems, which of them is best.

    Args:
        within: time for them ("30 d").
        tokens, samples: what to train on, one of both ("300B").
        global_batch: samples of a step over all GPUs; of language models 4 Mi tokens by default.
        minimize: "nodes", "cost", "power", "rack-units", "energy", "carbon" or "energy-cost": what is to be least, of
            several systems.
        max_nodes: most nodes that are tried; by default as `perfmodel.fields("training_goal")` says.
        gpu_mtbf, node_mtbf: mean time between failures of one GPU ("2000 d"), and of one node beside its GPUs; by
            default nothing fails. The mean time of all is their number less.
        checkpoint_rate, checkpoint: rate at which weights and optimizer are written ("100 GB/s"), or the time that it
            takes.
        restart: time from a failure until training goes on.
        interval: training between checkpoints; by default the best (Daly).
        pue: power of the site over that of the machines.
        price, gpu_hour_price: of a node, and of a GPU for an hour, for `cost` and `gpu_hour_cost`; one of all systems,
            or by system, in your own currency.

    The other arguments are those of `perfmodel.search`, one value each. Raises DoesNotFitError if no plan fits into
    memory on any count, NotFoundError, ArgumentError.

    >>> found = size_training(
    ...     "gpt3-13b", ["dgx-a100-80gb", "dgx-h100"], tokens="300B", within="20 d", global_batch=1024, precision="bf16"
    ... )
    >>> found.reached, found.best.system, found.best.time <= 20 * 86400
    (True, 'dgx-h100', True)
    """
    for name in ("batch", "epoch_samples", "gpus", "nodes"):
        if name in run:
            raise TypeError(f"size_training() got an unexpected keyword argument {cut(name, 80)!r}")
    asked: dict[str, Any] = dict(within=within, tokens=tokens, samples=samples, gpu_mtbf=gpu_mtbf, node_mtbf=node_mtbf)
    asked |= dict(checkpoint_rate=checkpoint_rate, checkpoint=checkpoint, restart=restart, interval=interval)
    asked |= dict(pue=pue, max_nodes=max_nodes, minimize=minimize)
    plan = Plan(network, systems, framework)
    goals = _record.array("training_goal", _core.training_goal_default()).repeat(len(plan.systems))
    for i, system in enumerate(plan.systems):
        prices = dict(price=_of(price, system), gpu_hour_price=_of(gpu_hour_price, system))
        for name, value in {**asked, **prices}.items():
            if value is not None:
                goals[i][name] = value_of("training_goal", name, value)
    batch = nan if global_batch is None else number(global_batch, "global_batch")
    axes = _axes(plan, run, "size_training")  # type: ignore[arg-type]
    table = interruptible(_core.training_table, plan._study, *axes, batch, goals)
    return Deadline(table, (plan, axes, batch, goals, currency_of(gpu_hour_price, price)))


def _of(prices: Any, system: System) -> Any:
    """The price of a system: one of all, or that under any of its names."""
    if not isinstance(prices, Mapping):
        return prices
    known = {name: default().resolve("systems", name) for name in prices if name != system.id}
    return next((prices[name] for name in prices if name == system.id or known[name] == system.id), None)


__all__ = ["Deadline", "Plans", "Search", "search", "size_training"]
