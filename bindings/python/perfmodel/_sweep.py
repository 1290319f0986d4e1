"""Sweeps: a grid of runs and its predictions, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _record, _sweep_picture
from ._catalog import as_system
from ._field_table import FieldTable, Numbers, fields_for
from ._fields import fields
from ._hardware import HardwareAxes, variants
from ._inputs import Numbers as Values
from ._inputs import many, text
from ._keywords import takes
from ._plan import CHUNK, FrameworkList, Networks, Plan, Systems, extra_of
from ._prediction import prediction
from ._record import Records, checked, places
from ._run import Input, Samples, asked
from ._study import Axes as SpaceAxes
from ._study import Given, all_given, flat
from ._table import SHOWN_ROWS, Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import AnyRunAxes

USUAL = {
    "training": ("throughput",),
    "inference": ("throughput", "latency"),
    "serving": ("output_rate", "tpot"),
}
"""What a sweep of a task is about."""


Space = tuple[SpaceAxes, range]
"""Axes, and places among their combinations."""


class Sweep(FieldTable):
    """Predictions of a grid of runs: a Table whose rows are Prediction objects, of inference dicts.

    `runs` and `predictions` are the same as structured arrays. What was assumed of each run is the column `assumed`, or
    a line above the table where it is the same for all.
    """

    def __init__(
        self,
        plan: Plan,
        runs: Records,
        predictions: Records,
        *,
        paths: Sequence[str] = (),
        columns: Iterable[str] | None = None,
        _given: Given | None = None,
    ):
        if not isinstance(plan, Plan):
            raise TypeError(f"plan must be a plan, not {type(plan).__name__}")
        self.runs = checked(plan._task.run, runs, "runs").reshape(-1)
        self.predictions = checked(plan._task.answer, predictions, "predictions").reshape(-1)
        self._begin(plan, all_given(plan._task.run) if _given is None else _given, paths, columns, None)

    def _begin(self, plan: Plan, given: Given, paths: Sequence[str], columns: Iterable[str] | None,
               space: Space | None) -> None:  # fmt: skip
        self.plan, self._given, self._space = plan, given, space
        self._paths = [text(path, "path") for path in paths]
        self._columns = None if columns is None else [text(name, "column") for name in many(columns)]
        self._found: Numbers = {}
        super().__init__(self._part(0, 0))
        if self._columns is not None:
            self._columns = [column.name for column in self.columns]  # what "main" stands for

    @classmethod
    def _of_space(cls, plan: Plan, space: Space, given: Given, columns: Iterable[str] | None, paths: Sequence[str]
                 ) -> Sweep:  # fmt: skip
        """Rows of every combination of some axes. Where the columns that are wanted are fields, these alone are kept,
        and runs and predictions are made when somebody asks for them."""
        made = cls.__new__(cls)
        made._begin(plan, given, paths, columns, space)
        needed = None if made._columns is None else fields_for(plan, made._columns, made._paths)
        if needed:
            axes, rows = space
            made._found = plan._columns(axes, rows.start, rows.stop, given, needed, extra_of(made._columns))
        return made

    @cached_property
    def runs(self) -> Records:
        """The runs as a structured array."""
        return self._records(range(len(self)))[0]

    @cached_property
    def predictions(self) -> Records:
        """What is predicted of them, likewise."""
        return self.plan.predict(self.runs, columns=self._columns)

    def plot(
        self, y: str | Sequence[str] | None = None, x: str | None = None, *, ax: Axes | None = None
    ) -> Axes:
        """A column over the number that was varied, a line for each value of what else was, with the 80 % interval
        where there is one. Two columns have an axis each.

        Args:
            y: name of a column or of two ("throughput", "latency"); by default throughput, of inference with the
                latency, of serving the rate of output and the time per token.
            x: name of the column to go by; by default the number that has most values. A bar for each row if none
                varies.
            ax: where to draw; a new picture by default.
        """
        wanted = USUAL[self.plan.task] if y is None else (y,) if isinstance(y, str) else [text(name, "y") for name in y]
        over = None if x is None else text(x, "x")
        software = {"framework_index": "framework", "profile_index": "profile", "engine_index": "engine"}
        known = {column.name for column in self.columns}
        vary = ["network", "system", software[self.plan._task.software], *(f.name for f in fields(self.plan._task.run))]
        return _sweep_picture.draw(self, wanted, over, [name for name in [*vary, *self._paths] if name in known], ax,
                                   of=self._same(vary[:3]))

    def _same(self, names: Sequence[str]) -> str:
        """What all rows have in common."""
        found = [set(self[name].tolist()) for name in names if name in {column.name for column in self.columns}]
        return ", ".join(str(*values) for values in found if len(values) == 1)

    # ---- Columns ----

    def _numbers(self, name: str) -> Column:
        if name in self._found:
            return self._found[name]
        records = self.runs if name in (self.runs.dtype.names or ()) else self.predictions
        values: Column = records[name]
        return values

    def _records(self, rows: Sequence[int]) -> tuple[Records, Records]:
        """Runs and predictions of some rows."""
        if self._space is None or "runs" in self.__dict__:
            part = slice(rows.start, rows.stop) if isinstance(rows, range) else rows
            return self.runs[part], self.predictions[part]
        axes, places = self._space
        wanted = [places[i] for i in rows] or [places.start]  # a plan needs a run
        runs = self.plan._completed(asked_rows(self.plan, axes, wanted), self._given)[: len(rows)]
        return runs, self.plan.predict(runs, columns=self._columns)

    def _part(self, start: int, stop: int) -> _core.table:
        return self._rows_table(range(start, min(stop, len(self))))

    def _rows_table(self, rows: Sequence[int]) -> _core.table:
        runs, predictions = self._records(rows)
        with self.plan._lock:
            table = _core.study_table(self.plan._study, runs, predictions, *self._given, self._paths)
        if self._columns is not None:
            _core.table_keep(table, self._columns)
        return table

    def _parts(self) -> Iterator[_core.table]:
        for start in range(0, max(len(self), 1), CHUNK):
            part = slice(start, min(start + CHUNK, len(self)))
            yield self._table_of(self._columns or (), part) if self._found else self._part(part.start, part.stop)

    def _whole(self) -> _core.table:
        return self._table_of(self._columns or ()) if self._found else self._part(0, len(self))

    def _head(self) -> _core.table:
        if self._absent() == 0:
            return self._part(0, SHOWN_ROWS)
        return self._rows_table([*range(SHOWN_ROWS - 1), len(self) - 1])

    def _absent(self) -> int:
        return max(len(self) - SHOWN_ROWS, 0)

    def __len__(self) -> int:
        return len(self._space[1]) if self._space is not None else int(self.runs.size)

    def __iter__(self) -> Iterator[Any]:
        return (self._row(i) for i in range(len(self))) if self.plan.task == "training" else super().__iter__()

    def _row(self, row: int) -> Any:
        if self.plan.task != "training":
            return super()._row(row)
        runs, predictions = self._records([row])
        run = runs[0].tobytes()
        return prediction(self.plan, run, places("run", run), predictions[0], self._given)


def asked_rows(plan: Plan, axes: SpaceAxes, rows: Sequence[int]) -> Records:
    """Runs of every combination of the axes, at these places, as they are asked for."""
    first, name = rows[0] if len(rows) > 0 else 0, plan._task.run
    whole = list(rows) == [*range(first, first + len(rows))]
    parts = [(first, first + len(rows))] if whole else [(row, row + 1) for row in rows]
    data = [_record.array(name, _core.asked_part(plan.task, *axes, float(a), float(b))) for a, b in parts]
    return data[0] if len(data) == 1 else checked(name, np.concatenate(data), "runs")


@takes("run", many=True)
def sweep(
    networks: Networks,
    systems: Systems,
    *,
    task: str = "training",
    framework: FrameworkList = None,
    global_batch: Values = None,
    input: Input = None,
    dataset: Samples = None,
    axes: HardwareAxes | None = None,
    columns: Iterable[str] | None = None,
    **run: Unpack[AnyRunAxes],
) -> Sweep:
    """Predicts every combination: one or several networks, systems, frameworks, and values of any option of the run.

    A combination that cannot be predicted (more GPUs than the system has, more memory than its GPU has) is a row with
    its `status` and unknown numbers. See `Plan.runs` for the order and the defaults.

    Args:
        task: "training"; "inference": calls of the options that `perfmodel.infer` takes, on systems or GPUs; or
            "serving": runs of the options that `perfmodel.serve` takes, with engines as frameworks.
        axes: numbers of the hardware by path, each one value or a list, as `perfmodel.with_number` takes them:
            {"gpu.memory_bandwidth": ["x1", "x1.1"]}; they vary between framework and system, and each is a column.
        columns: names of the columns that the table is to have, in this order; all of them by default. "main" stands
            for several: network, system, framework, what was asked, and the main results.

    >>> len(sweep("resnet50", "dgx1-v100", batch=[32, 64], axes={"gpu.memory_bandwidth": ["x1", "x1.1"]}))
    4
    """
    chosen = many(systems)
    if axes:
        chosen = [variant for item in chosen for variant in variants(as_system(item), axes)]
    plan = Plan(networks, chosen, framework, task)
    keywords = asked("sweep", run, plan._task, global_batch=global_batch, input=input, dataset=dataset)
    if columns is not None:
        known = plan._asked_axes(keywords)
        space = flat(known), range(prod(map(len, known.values())))
        given = list(keywords), float(global_batch is not None)
        return Sweep._of_space(plan, space, given, columns, list(axes or {}))
    runs, completed = plan._complete(keywords, global_batch is not None)
    return Sweep(plan, runs, plan.predict(runs), paths=list(axes or {}), _given=completed)
