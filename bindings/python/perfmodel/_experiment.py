"""Experiments: a sweep described by a file, with conditions, best rows, columns and output."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._background import interruptible
from ._errors import ArgumentError
from ._files import reading, replace
from ._grid import Grid, grid
from ._inputs import path_text
from ._parts import is_folder
from ._progress import Progress
from ._rows_file import FORMS, write_whole
from ._table import Table, written
from ._words import keep, with_own

if TYPE_CHECKING:
    from concurrent.futures import Executor

TASKS = {"serve": "serving", "inference": "inference"}
"""Switches that are short for a task."""
LISTS = ("networks", "systems", "framework")


class Experiment:
    """A sweep and the processing of its rows. Nothing is predicted yet."""

    def __init__(self, grid: Grid, where: list[str], columns: list[str] | None, front: list[str], sort: str | None,
                 top: int | None, output: str | None):  # fmt: skip
        self.grid = grid
        """Every combination."""
        self.where, self.columns, self.output = where, columns, output
        self.front, self.sort, self.top = front, sort, top

    def run(
        self, output: str | os.PathLike[str] | None = None, *, executor: Executor | None = None,
        progress: Progress = None, resume: bool = False,
    ) -> Table | None:  # fmt: skip
        """Returns the rows that meet the conditions, their front, or the best of them, as a table. `output`, by default
        that of the experiment file, names a file to write them to. All rows to .csv, .parquet, .arrow or a folder are
        streamed: memory stays constant, no table is returned, and `executor`, `progress` and `resume` work as in
        `Grid.write`."""
        to = self.output if output is None else path_text(output)
        if to is not None and not self.front and self.sort is None and _streams(to):
            self.grid.write(to, where=self.where, columns=self.columns, executor=executor, progress=progress,
                            resume=resume)  # fmt: skip
            return None
        if resume:
            raise ArgumentError("only rows that are streamed to a file can be resumed")
        table = self._table(executor, progress)
        if to is not None:
            _write(table, to)
        return table

    def _table(self, executor: Executor | None, progress: Progress) -> Table:
        if self.front:
            best = self.grid.front(*self.front, where=self.where, executor=executor, progress=progress)
            return _kept(best.select(sort=self.sort or "", top=self.top or 0), self.columns)
        if self.sort is not None and self.top is not None:
            best = self.grid.top(self.top, sort=self.sort, where=self.where, executor=executor, progress=progress)
            return _kept(best, self.columns)
        if not self.where and self.sort is None:
            return self.grid.part(0, len(self.grid), self.columns)
        return _kept(self.grid.part(0, len(self.grid)).select(*self.where, sort=self.sort or ""), self.columns)

    def __repr__(self) -> str:
        front = f", the front of {', '.join(self.front)}" if self.front else ""
        best = f", the first {self.top} by {self.sort}" if self.top is not None else ""
        return f"<Experiment of {len(self.grid):,} rows{front}{best}{f', to {self.output}' if self.output else ''}>"


def _kept(table: Table, columns: list[str] | None) -> Table:
    whole = table.select()._handle
    if columns is not None:
        _core.table_keep(whole, columns)
    return Table(whole)


def _streams(path: str) -> bool:
    return is_folder(path) or Path(path).suffix.lower() in FORMS


def _write(table: Table, path: str) -> None:
    ending = Path(path).suffix.lower()
    if is_folder(path):
        raise ArgumentError(f'"{path}" is a folder, which takes all rows of a sweep; name a file for the best of them')
    if ending == ".xlsx":
        table.to_excel(path)
    elif ending == ".json":
        written(table.format("json"), path)
    elif ending in FORMS:
        write_whole([table], path)
    elif ending in (".txt", ""):
        replace((repr(table) + "\n").encode("utf-8"), path)
    else:
        raise ArgumentError(f'"{path}": rows are written to {", ".join(FORMS)}, .json, .xlsx, .txt')


def of_options(options: Mapping[str, Any]) -> Experiment:
    """A sweep by the keywords of a command line or of a file."""
    known = dict(options)
    for switch, task in TASKS.items():
        if known.pop(switch, False):
            known["task"] = task
    if "engine" in known:
        known["framework"] = known.pop("engine")
    if known.get("gpus") == "all":
        del known["gpus"]
    where, columns = known.pop("where", []), known.pop("columns", None)
    front, sort, top = known.pop("front", []), known.pop("sort", None), known.pop("top", None)
    output = known.pop("output", None)
    if top is not None and sort is None:
        raise ArgumentError("top needs sort, the column to sort by")
    by = front if isinstance(front, list) else [front]
    return Experiment(grid(**with_own(known)), where, None if columns == ["all"] else columns, by, sort, top, output)


def experiment(path: str | os.PathLike[str]) -> Experiment:
    """Reads an experiment file (XML): networks, systems, options of the runs, conditions, the front or the best rows,
    columns, the output. `run()` does what it says, with the rows and bits of `perfmodel run FILE` and of the same sweep
    by options. What is wrong with the file is an error with its line.

        pm.experiment("experiment.xml").run(progress=True)
    """
    file = reading(path)
    table = Table(interruptible(_core.settings_table, "experiment", file))
    options: dict[str, Any] = {}
    for option, given in zip(table["option"].tolist(), table["set_to"].tolist()):
        if option in LISTS:
            options[option] = given.split(",")
        elif option in ("sort", "output", "dataset", "task"):
            options[option] = given
        else:
            beside = str(Path(file).parent / given) if option == "catalog" else given
            keep(options, option, beside)
    return of_options(options)


__all__ = ["Experiment", "experiment", "of_options"]
