"""Sweeps of any size: every combination, piece by piece, to a file or for the best of them, in little memory."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._catalog import as_system
from ._errors import ArgumentError
from ._hardware import HardwareAxes, variants
from ._inputs import Numbers, Texts, many, text, whole
from ._field_table import Columns, asked_of, fields_for
from ._keywords import takes
from ._plan import PIECE, WHOLE, FrameworkList, Networks, Plan, Systems, extra_of
from ._parts import PartsFolder, is_folder, rows_of_part, write_part
from ._progress import Meter, Progress
from ._rows_file import RowsFile, form_of, render, version
from ._run import Input, Samples, asked
from ._study import Axes, Given, flat
from ._sweep import Sweep, asked_rows
from ._table import Table

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from ._options import AnyRunAxes



class Grid:
    """Every combination of a sweep, not yet predicted. Rows are in the order of `perfmodel.sweep`, and have its bits.

    >>> g = grid("resnet50", "dgx1-v100", gpus=[1, 2, 4, 8], batch=[32, 64])
    >>> len(g), g.top(1, sort="-throughput")[0].run.batch
    (8, 64.0)
    """

    def __init__(self, networks: Any, systems: Any, frameworks: Any, task: str, keywords: dict[str, Any],
                 global_batch: bool, paths: list[str]):  # fmt: skip
        self._made = networks, systems, frameworks, task, keywords, global_batch, paths
        self._paths = paths

    def __reduce__(self) -> tuple[Any, ...]:
        """What it is made of: whoever reads it makes the plan again."""
        return Grid, self._made

    @cached_property
    def plan(self) -> Plan:
        """What the rows are predicted with."""
        networks, systems, frameworks, task, *_ = self._made
        return Plan(networks, systems, frameworks, task)

    @cached_property
    def _axes(self) -> dict[str, list[float]]:
        return self.plan._asked_axes(self._made[4])

    @cached_property
    def _flat(self) -> Axes:
        return flat(self._axes)

    @property
    def _given(self) -> Given:
        return list(self._made[4]), float(self._made[5])

    def __len__(self) -> int:
        return prod(len(values) for values in self._axes.values())

    def part(self, first: int, last: int, columns: Iterable[str] | None = None) -> Sweep:
        """Rows first .. last - 1, predicted."""
        if not 0 <= whole(first, "first") < whole(last, "last") <= len(self):
            raise ArgumentError(f"rows {first} to {last} are not among the {len(self):,} of the grid")
        return Sweep._of_space(self.plan, (self._flat, range(first, last)), self._given, columns, self._paths)

    def rows(self, places: Sequence[int]) -> Sweep:
        """The rows of these places, predicted, in their order."""
        if len(places) == 0:
            raise ArgumentError("no row of the grid meets the conditions with a known value")
        runs = self.plan._completed(asked_rows(self.plan, self._flat, places), self._given)
        return Sweep(self.plan, runs, self.plan.predict(runs), paths=self._paths, _given=self._given)

    def _named(self, columns: Iterable[str] | None) -> list[str] | None:
        """Columns by name, also those that "main" stands for."""
        return None if columns is None else [column.name for column in self.part(0, 1, columns).columns]

    def _columns(self, first: int, last: int, columns: Iterable[str]) -> Columns | None:
        """Rows as these columns alone; None if a column is more than fields of runs and predictions."""
        names = list(dict.fromkeys(columns))
        needed = fields_for(self.plan, names, self._paths)
        if not needed:
            return None
        found = self.plan._columns(self._flat, first, last, self._given, needed, extra_of(names))
        return Columns(self.plan, names, found, self._paths)

    # ---- Files ----

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        where: Texts = (),
        columns: Iterable[str] | None = None,
        executor: Executor | None = None,
        progress: Progress = None,
        resume: bool = False,
    ) -> int:
        """Writes the rows to a file that ends in .csv, .parquet or .arrow, piece by piece, and returns how many rows
        of the grid were evaluated. Parquet and Arrow need pyarrow.

        A path that ends in "/", or is a folder, takes a Parquet file for each piece, written by whoever evaluated it:
        the fastest with an executor. Most programs read such a folder as one table.

        After Ctrl-C the file or folder holds what is done, readable, and a note beside it (`.unfinished`) says how far
        it is.

        Args:
            where: conditions that rows must meet, as `Table.select` takes them: "memory<=80GB".
            columns: names of the columns, all by default, "main" as in `perfmodel.sweep`; few are written several
                times as fast.
            executor: any executor of `concurrent.futures` shares the work out. Pieces come back in order, and the file
                is that of one core. A piece whose worker died is evaluated here. Workers must see the folder that
                parts are written to.
            progress: True shows rows, rate and remaining time on a terminal or in a notebook; or a function, called
                with the rows that are done and all.
            resume: continue an unfinished file of the same grid.
        """
        ending, wanted = "" if is_folder(path) else form_of(path), self._named(columns)
        conditions = _conditions(where)
        _met(self, 0, 1, conditions, wanted)  # what is wrong with them is said before a file is touched
        if not ending:
            return self._write_parts(path, conditions, wanted, executor, progress, resume)
        file, whole = RowsFile(path, self._question(conditions, wanted), resume), False
        try:
            meter = Meter(progress, len(self), file.done)
            work = conditions, wanted, ending, executor is not None
            pieces = self._pieces(_rendered, work, executor, file.done, WHOLE if wanted is None else PIECE)
            _behind(lambda piece: file.add(piece[1], piece[0]), pieces, meter)
            whole = True
        finally:
            file.close(whole)
        return file.done

    def _write_parts(self, path: str | os.PathLike[str], conditions: list[str], columns: list[str] | None,
                     executor: Executor | None, progress: Progress, resume: bool) -> int:  # fmt: skip
        """The same to a folder, of which each piece is a file."""
        piece = WHOLE if columns is None else PIECE
        rows, meter = rows_of_part(len(self), piece), Meter(progress, len(self))
        folder = PartsFolder(path, self._question(conditions, columns, rows), resume)
        for last, _ in self._pieces(_parted, (conditions, columns, piece, folder.place), executor, 0, rows):
            meter(last)
        folder.finish()
        return len(self)

    def _question(self, conditions: list[str], columns: list[str] | None, rows: int = 0) -> str:
        """A short text that is another one for every other file, and for parts of another number of rows."""
        ids = [network.id for network in self.plan.networks], self.plan._system_ids, repr(self._made[2])
        said = json.dumps([*ids, self._axes, self._given, self._paths, conditions, columns, rows, version()])
        return hashlib.sha256(said.encode("utf-8")).hexdigest()

    def tables(
        self,
        *,
        where: Texts = (),
        columns: Iterable[str] | None = None,
        rows: int = WHOLE,
        progress: Progress = None,
    ) -> Iterator[Table]:
        """The rows as tables of at most `rows` each, one after the other: for what takes them a piece at a time."""
        wanted, meter = self._named(columns), Meter(progress, len(self))
        conditions = _conditions(where)
        for first in range(0, len(self), _at_least_one(rows, "rows")):
            last = min(first + rows, len(self))
            yield _met(self, first, last, conditions, wanted)[0]
            meter(last)

    # ---- The best ----

    def top(
        self, count: int, *, sort: str, where: Texts = (), executor: Executor | None = None,
        progress: Progress = None,
    ) -> Sweep:  # fmt: skip
        """The first `count` rows by a column, greatest first with "-" before it: those that `select(*where, sort=sort)`
        of the whole sweep begins with. Unknown ones are none of them."""
        most = _at_least_one(count, "count")
        kept = self._best(_first, (_conditions(where), [text(sort, "sort")], most), executor, progress)
        order = np.lexsort((kept[:, 0], kept[:, 1]))[:most]
        return self.rows([int(place) for place in kept[order, 0]])

    def front(
        self, *by: str, where: Texts = (), executor: Executor | None = None, progress: Progress = None
    ) -> Sweep:
        """The Pareto front: rows than which no other is better in one of the columns and as good in the others. Less
        is better, more with "-" before the name: `front("-throughput", "memory")`."""
        if len(by) < 2:
            raise ArgumentError("a front needs at least two columns")
        asked = _conditions(where), [text(name, "by") for name in by], 0
        kept = self._best(_not_beaten, asked, executor, progress)
        return self.rows([int(place) for place in np.sort(kept[:, 0])])

    def _best(
        self, keep: Callable[[Any, int], Any], arguments: tuple[list[str], list[str], int], executor: Executor | None,
        progress: Progress,
    ) -> Any:  # fmt: skip
        """Places and values of rows that no piece has better ones than."""
        meter, kept = Meter(progress, len(self)), np.empty((0, 1 + len(arguments[1])))
        for last, found in self._pieces(_values, (*arguments, keep), executor, 0, PIECE):
            kept = keep(np.concatenate([kept, found]), arguments[2])
            meter(last)
        return kept

    # ---- Pieces ----

    def _pieces(
        self, work: Callable[..., Any], arguments: tuple[Any, ...], executor: Executor | None, done: int, rows: int
    ) -> Iterator[tuple[int, Any]]:
        """What `work` makes of each piece, in order, and where the piece ends."""
        ends = [(first, min(first + rows, len(self))) for first in range(done, len(self), rows)]
        if executor is None:
            for first, last in ends:
                yield last, work(self, first, last, *arguments)
            return
        under_way: deque[tuple[int, int, Any]] = deque()
        packed = pickle.dumps(self)
        most = 2 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1) + 1
        try:
            for first, last in ends:
                under_way.append((first, last, _sent(executor, packed, work, first, last, *arguments)))
                if len(under_way) >= most:
                    yield self._taken(under_way.popleft(), work, arguments)
            while under_way:
                yield self._taken(under_way.popleft(), work, arguments)
        finally:
            for _, _, future in under_way:
                if future is not None:
                    future.cancel()

    def _taken(
        self, piece: tuple[int, int, Any], work: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> tuple[int, Any]:
        """A piece's result; if its worker failed or died, it is evaluated here, where an error is the user's to see."""
        first, last, future = piece
        try:
            if future is not None:
                return last, future.result()
        except Exception:  # noqa: BLE001 (executors have exceptions of their own)
            pass
        return last, work(self, first, last, *arguments)

    def __repr__(self) -> str:
        return f"<Grid of {len(self):,} rows: {repr(self.plan)[1:-1]}>"


def _behind(put: Callable[[tuple[int, Any]], None], pieces: Iterable[tuple[int, Any]], meter: Meter) -> None:
    """Puts each piece somewhere in a thread of its own, while the next one is evaluated."""
    with ThreadPoolExecutor(1) as writer:
        before = None
        for piece in pieces:
            if before is not None:
                before.result()
            before = writer.submit(put, piece)
            meter(piece[0])
        if before is not None:
            before.result()


def _conditions(where: Texts) -> list[str]:
    return [text(word, "condition") for word in many(where)] if where is not None else []


def _at_least_one(value: Any, what: str) -> int:
    if (count := whole(value, what)) < 1:
        raise ArgumentError(f"{what} {count} is below 1")
    return count


def _sent(executor: Executor, *arguments: Any) -> Any:
    """A future, or None of an executor that takes no more."""
    try:
        return executor.submit(_of_packed, *arguments)
    except RuntimeError:
        return None


def _of_packed(packed: bytes, work: Callable[..., Any], *arguments: Any) -> Any:
    """A piece of a grid that was sent. Its plan is made once in each worker: it takes as long as some thousand rows."""
    return work(_unpacked(packed), *arguments)


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> Grid:
    found: Grid = pickle.loads(packed)
    return found


def _met(
    grid: Grid, first: int, last: int, where: list[str], columns: list[str] | None
) -> tuple[Table, Any]:
    """The rows of a piece that meet all conditions, and their places in the grid."""
    if not where:
        return grid.part(first, last, columns), np.arange(first, last, dtype=np.float64)
    of = None if columns is None else grid._columns(first, last, [*columns, *map(asked_of, where)])
    if of is not None and columns is not None:
        rows = of.meet(where)
        return of.taken(rows, columns), first + rows.astype(np.float64)
    table = grid.part(first, last)._whole()
    places = first + np.frombuffer(_core.table_meet(table, where), dtype=np.float64)
    if columns is not None:
        _core.table_keep(table, columns)
    return Table(table), places


def _rendered(
    grid: Grid, first: int, last: int, where: list[str], columns: list[str] | None, ending: str, to_send: bool
) -> Any:
    return render(_met(grid, first, last, where, columns)[0], ending, to_send)


def _parted(
    grid: Grid, first: int, last: int, where: list[str], columns: list[str] | None, piece: int, folder: str
) -> None:
    """Rows first .. last - 1 as a part of a folder, in pieces that fit into memory."""
    pieces = ((start, min(start + piece, last)) for start in range(first, last, piece))
    write_part(folder, first, (_met(grid, *ends, where, columns)[0] for ends in pieces))


def _values(
    grid: Grid, first: int, last: int, where: list[str], by: list[str], count: int, keep: Callable[[Any, int], Any]
) -> Any:
    """Places of a piece's rows and their values, of which less is better; only those worth keeping."""
    names = [name.removeprefix("-") for name in by]
    found, places = _met(grid, first, last, where, names)
    for name in names:
        if found[name].dtype == object:
            raise ArgumentError(f"{name} is text; sorting needs numbers")
    columns = [np.asarray(found[name], dtype=np.float64) * (-1 if word.startswith("-") else 1)
               for name, word in zip(names, by)]  # fmt: skip
    rows = np.column_stack([places, *columns])
    return keep(rows[np.isfinite(rows).all(axis=1)], count)


def _first(rows: Any, count: int) -> Any:
    """The least `count`, of equal ones the first."""
    return rows[np.lexsort((rows[:, 0], rows[:, 1]))[:count]]


def _not_beaten(rows: Any, count: int) -> Any:
    """Those that no other is as good as everywhere and better than somewhere; of equal ones all."""
    rows = rows[np.lexsort(rows[:, :0:-1].T)]
    kept = np.empty((0, rows.shape[1]))
    for row in rows:  # in order of the first column: only those before can be better
        below = (kept[:, 1:] <= row[1:]).all(axis=1) & (kept[:, 1:] < row[1:]).any(axis=1)
        if not below.any():
            kept = np.vstack([kept, row])
    return kept


@takes("run", many=True)
def grid(
    networks: Networks,
    systems: Systems,
    *,
    task: str = "training",
    framework: FrameworkList = None,
    global_batch: Numbers = None,
    input: Input = None,
    dataset: Samples = None,
    axes: HardwareAxes | None = None,
    **run: Unpack[AnyRunAxes],
) -> Grid:
    """The combinations of `perfmodel.sweep`, whose arguments these are, for files and questions that need not hold
    them all: `write`, `top`, `front`, `tables`. Nothing is predicted yet.

    >>> grid("resnet50", "dgx1-v100", gpus=[1, 8], batch=range(1, 101))
    <Grid of 200 rows: Plan of resnet50 on dgx1-v100>
    """
    chosen = many(systems)
    if axes:
        chosen = [variant for item in chosen for variant in variants(as_system(item), axes)]
    plan = Plan(networks, chosen, framework, task)
    keywords = asked("grid", run, plan._task, global_batch=global_batch, input=input, dataset=dataset)
    made = Grid(list(plan.networks), list(plan.systems), framework, task, keywords, global_batch is not None,
                [text(path, "path") for path in axes or {}])  # fmt: skip
    made.__dict__["plan"] = plan
    return made


__all__ = ["Grid", "grid"]
