"""Sweeps: a grid of runs and its predictions, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _sweep_picture
from ._catalog import as_system
from ._columns import ColumnInfo
from ._fields import fields
from ._hardware import HardwareAxes, variants
from ._inputs import Numbers, many, text
from ._keywords import takes
from ._plan import CHUNK, FrameworkList, Networks, Plan, Systems
from ._prediction import prediction
from ._record import Records, checked, places
from ._run import Input, Samples, asked
from ._study import Given, all_given
from ._table import SHOWN_ROWS, Column, Table

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import AnyRunAxes

USUAL = {
    "training": ("throughput",),
    "inference": ("throughput", "latency"),
    "serving": ("output_rate", "tpot"),
}
"""What a sweep of a task is about."""


class Sweep(Table):
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
        self.plan, task = plan, plan._task
        self._given = all_given(task.run) if _given is None else _given
        self._paths = [text(path, "path") for path in paths]
        self._columns = None if columns is None else [text(name, "column") for name in columns]
        self.runs = checked(task.run, runs, "runs").reshape(-1)
        self.predictions = checked(task.answer, predictions, "predictions").reshape(-1)
        super().__init__(self._part(0, 0))

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

    def _column(self, index: int) -> Column:
        if index not in self._cache and (found := self._direct(self._infos[index])) is not None:
            found.flags.writeable = False
            self._cache[index] = found
        return super()._column(index)

    def _all(self) -> dict[str, Column]:
        """Without a table where every column is a field: the same, and several times as fast."""
        found = {info.title: self._direct(info) for info in self._infos}
        known = {title: column for title, column in found.items() if column is not None}
        return known if len(known) == len(found) else super()._all()

    def _direct(self, info: ColumnInfo) -> Column | None:
        """A column as the records have it; None of one that they do not have."""
        if info.name in ("network", "system") or f"{info.name}_index" == self.plan._task.software:
            return self._ids(info.name)
        task = self.plan._task
        records, name = (self.runs, task.run) if info.name in (self.runs.dtype.names or ()) else (
            self.predictions, task.answer)  # fmt: skip
        found = next((f for f in fields(name) if f.name == info.name and f.kind != "text"), None)
        if found is None:
            return None
        values = records[info.name]
        if found.kind == "choice":
            names = np.array([False, True]) if found.yes_no else np.array(found.choices, dtype=object)
            return np.take(names, values)
        return values.astype(np.int64 if found.kind == "int" else np.float64)

    def to_arrow(self) -> pyarrow.Table:
        columns = {info.title: self._direct(info) for info in self._infos}
        if any(column is None for column in columns.values()):
            return super().to_arrow()
        import pyarrow

        empty = Table(self._part(0, 0)).to_arrow().schema
        arrays = [pyarrow.array(column, type=field.type, from_pandas=True)
                  for field, column in zip(empty, columns.values())]  # fmt: skip
        return pyarrow.Table.from_arrays(arrays, schema=empty)

    def _ids(self, name: str) -> Column:
        """The ids that the places of runs stand for, each found once."""
        systems = self.runs["system_index"]
        places = self.runs[self.plan._task.software if name not in ("network", "system") else f"{name}_index"]
        pairs, which = np.unique(places.astype(np.int64) << 32 | systems, return_inverse=True)
        both = [(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in pairs]
        if name == "system":
            known = [self.plan._system_ids[system] for _, system in both]
        elif name == "network":
            known = [self.plan._network_id(place) for place, _ in both]
        else:
            known = [self.plan._software_id(place, system) for place, system in both]
        return np.array(known, dtype=object)[which]

    def _part(self, start: int, stop: int) -> _core.table:
        return self._table_of(slice(start, stop))

    def _table_of(self, part: slice | list[int]) -> _core.table:
        runs, predictions = self.runs[part], self.predictions[part]
        with self.plan._lock:
            table = _core.study_table(self.plan._study, runs, predictions, *self._given, self._paths)
        if self._columns is not None:
            _core.table_keep(table, self._columns)
        return table

    def _parts(self) -> Iterator[_core.table]:
        for start in range(0, max(len(self), 1), CHUNK):
            yield self._part(start, start + CHUNK)

    def _whole(self) -> _core.table:
        return self._part(0, len(self))

    def _head(self) -> _core.table:
        if self._absent() == 0:
            return self._part(0, SHOWN_ROWS)
        return self._table_of([*range(SHOWN_ROWS - 1), len(self) - 1])

    def _absent(self) -> int:
        return max(len(self) - SHOWN_ROWS, 0)

    def __len__(self) -> int:
        return int(self.runs.size)

    def __iter__(self) -> Iterator[Any]:
        return (self._row(i) for i in range(len(self))) if self.plan.task == "training" else super().__iter__()

    def _row(self, row: int) -> Any:
        if self.plan.task != "training":
            return super()._row(row)
        run = self.runs[row].tobytes()
        return prediction(self.plan, run, places("run", run), self.predictions[row], self._given)


@takes("run", many=True)
def sweep(
    networks: Networks,
    systems: Systems,
    *,
    task: str = "training",
    framework: FrameworkList = None,
    global_batch: Numbers = None,
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
        columns: names of the columns that the table is to have, in this order; all of them by default.

    >>> len(sweep("resnet50", "dgx1-v100", batch=[32, 64], axes={"gpu.memory_bandwidth": ["x1", "x1.1"]}))
    4
    """
    chosen = many(systems)
    if axes:
        chosen = [variant for item in chosen for variant in variants(as_system(item), axes)]
    plan = Plan(networks, chosen, framework, task)
    keywords = asked("sweep", run, plan._task, global_batch=global_batch, input=input, dataset=dataset)
    runs, given = plan._complete(keywords, global_batch is not None)
    wanted = None if columns is None else [text(name, "column") for name in columns]
    return Sweep(plan, runs, plan.predict(runs, columns=wanted), paths=list(axes or {}), columns=wanted, _given=given)
