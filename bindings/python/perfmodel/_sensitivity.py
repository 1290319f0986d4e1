"""Sensitivities: how the step time depends on each number of the hardware; which upgrade pays; systems with a part
exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._background import of_node
from ._catalog import as_system
from ._draw import bars, title
from ._errors import ArgumentError
from ._hardware import with_gpu, with_link, with_number
from ._input_path import InputPipeline, PathArrays, path_arrays
from ._inputs import Doubles, Number, doubles, many, number, text
from ._keywords import NO_STEP, takes
from ._network import Network
from ._plan import Plan, Software, Target, plan_of
from ._record import Records
from ._reported import ReportedTable
from ._run import Input, asked
from ._sizing import Prices
from ._study import Given
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import RunOptions


DRAWN = {
    "sensitivity": ("resource", "change", "change of the time", "Which number of the hardware is worth improving?"),
    "upgrade": ("name", "gain", "gain of throughput", "Which upgrade pays?"),
}
"""By kind of rows: names, column, what it is, and the question that it answers."""


class Answers(ReportedTable):
    """Rows of one question, and what was assumed of it."""

    def __init__(self, kind: str, rows: bytearray, asked: tuple[Plan, Records, Given]):
        self._kind, self._rows, self._asked = kind, rows, asked
        super().__init__(_core.rows_table(kind, rows))
        plan, runs, given = asked
        self.assumed = plan._assumed_of(runs[:1], given)[0]
        """Defaults that were assumed; "" if none were."""

    def _picture(self, ax: Axes | None) -> Axes:
        """How much each number of the hardware, or each upgrade, changes; what changes most first."""
        name, column, what, question = DRAWN[self._kind]
        order = np.argsort(-np.abs(np.nan_to_num(self[column])), kind="stable")
        ax = bars(ax, [str(self[name][i]) for i in order], 100 * self[column][order], "%", what, signed=True)
        title(ax, question, f"{self._of()}\n{self.assumed}")
        return ax

    def _report(self) -> _core.report:
        plan, runs, given = self._asked
        return _core.rows_report(plan._study, runs, *given, self._kind, self._rows)


@takes("run", but=NO_STEP)
def sensitivity(
    network: Network | str,
    system: Target,
    *,
    task: str = "training",
    by: Number = 0.1,
    framework: Software | None = None,
    global_batch: Number | None = None,
    input: Input = None,
    **run: Unpack[RunOptions],
) -> Table:
    """How the step time depends on each number of the hardware: each is raised by the share `by` alone, and the step
    predicted again. Columns: `resource`, whether it is a `rate`, `step_time`, `change`, `elasticity`, `throughput`,
    `bottleneck`; of a served model also `ttft`, `ttft_change` and `throughput_change`.

    The other arguments are those of `perfmodel.predict`, of the task "inference" those of `perfmodel.infer`, and
    `step_time` is then the latency; of "serving" those of `perfmodel.serve`, and it is the TPOT. With an
    `input_pipeline` as `input`, storage is a number too.

    >>> owed = sensitivity("resnet50", "t4", task="inference", batch=64, precision="int8")
    >>> list(owed["resource"][:2])
    ['clock', 'memory-bandwidth']
    """
    plan = plan_of(network, system, framework, task)
    keywords = asked("sensitivity", run, plan._task, global_batch=global_batch, input=input)
    runs, given = _completed_on([plan], keywords, global_batch is not None)
    rows = raised(plan, plan.systems[0], runs, input, number(by, "by"))
    return Answers("sensitivity", rows, (plan, runs, given))


def raised(plan: Plan, system: System, run: Records | bytearray, input: Input, share: float) -> bytearray:
    """Records of the sensitivity of a completed run to each number of the hardware, raised by a share."""

    def rows() -> bytearray:
        with plan._lock:
            return _core.sensitivity_rows(plan._study, system._handle, run, *_path_of(input), share)

    return of_node(system.gpus, rows)


@takes("run", but=NO_STEP)
def upgrades(
    network: Network | str,
    system: Target,
    choices: Mapping[str, System | str] | Iterable[System | str],
    *,
    task: str = "training",
    prices: Prices | None = None,
    framework: Software | None = None,
    global_batch: Number | None = None,
    input: Input = None,
    **run: Unpack[RunOptions],
) -> Table:
    """Which upgrade pays: the same run on other systems (by name, or as a dict of systems of your own by any name; see
    `with_gpu`, `with_link`), most gain first. `prices` of the changes by those names give the gain for each unit of
    price. Of the task "inference" it is a call, and GPUs by themselves are systems too ("t4").
    """
    names, others, owed = _changes(choices, prices)
    plans = [plan_of(network, item, framework, task) for item in (system, *others)]
    keywords = asked("upgrades", run, plans[0]._task, global_batch=global_batch, input=input)
    runs, given = _completed_on(plans, keywords, global_batch is not None)
    studies, nodes = [plan._study for plan in plans], [plan.systems[0]._handle for plan in plans]
    rows = _core.upgrade_rows(studies, nodes, runs, *_path_of(input), names, owed)
    return Answers("upgrade", rows, (plans[0], runs, given))


def _completed_on(plans: list[Plan], keywords: dict[str, Any], global_batch: bool) -> tuple[Records, Given]:
    """The same question on each of the systems: runs, and what was given. A run that cannot be completed on another
    system is a row with the reason."""
    first, given = plans[0]._complete(keywords, global_batch, one=True)
    runs = [first, *(plan._complete(keywords, global_batch)[0] for plan in plans[1:])]
    return np.concatenate(runs).astype(first.dtype), given


def _changes(
    choices: Mapping[str, System | str] | Iterable[System | str], prices: Prices | None
) -> tuple[list[str], list[System], Doubles]:
    """Names, systems and prices of what could be instead."""
    named = choices if isinstance(choices, Mapping) else {getattr(item, "id", item): item for item in many(choices)}
    for name in prices or {}:
        if name not in named:
            raise ArgumentError(f'a price is given for "{name}", which is none of the upgrades')
    names = [text(name, "upgrade") for name in named]
    others = [as_system(item) for item in named.values()]
    return names, others, doubles(number((prices or {}).get(name, nan), "price") for name in named)


def _path_of(value: Input) -> PathArrays:
    """The records of an input pipeline, or none."""
    return path_arrays([value.setup] if isinstance(value, InputPipeline) else [])


__all__ = ["sensitivity", "upgrades", "with_gpu", "with_link", "with_number"]
