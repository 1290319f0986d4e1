"""A folder of Parquet files, which pandas, polars, DuckDB, Dask and Spark read as one table. Whoever evaluates rows
writes them as a part of its own, whole or not at all; a part that is there is not evaluated again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import ArgumentError
from ._files import replace
from ._rows_file import NOTE, arrow, write_whole

if TYPE_CHECKING:
    from ._table import Table

PARTS = f"part-{'[0-9]' * 15}.parquet"  # longer numbers than other programs give to their parts
MOST = 1000  # parts, so that a folder of any sweep can still be listed


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a folder of parts: it ends in a slash, or is a folder."""
    return os.fspath(path).endswith(("/", os.sep)) or os.path.isdir(path)


def rows_of_part(rows: int, piece: int) -> int:
    """A piece of the sweep, or several where there would be too many parts."""
    return piece * max(1, -(-rows // (piece * MOST)))


def write_part(folder: str, first: int, tables: Iterable[Table]) -> None:
    """The rows from `first` on, a row group for each table. Parts in the order of their names have rows in order."""
    place = Path(folder, f"part-{first:015d}.parquet")
    if not place.exists():
        write_whole(tables, place)


class PartsFolder:
    """A folder under way: a note beside it names the sweep until all parts are there, also if the process is killed."""

    def __init__(self, path: str | os.PathLike[str], question: str, resume: bool):
        arrow()
        self._path = Path(os.path.abspath(path))
        self._note = Path(f"{self._path}{NOTE}")
        self.place = str(self._path)
        """Its absolute path: workers may run in another folder."""
        self._check(resume)
        if not (resume and self._goes_on(question)):
            self._begin(question)

    def _check(self, resume: bool) -> None:
        """Removes nothing that is not a part of a sweep."""
        there = {file.name for file in self._path.iterdir()} if self._path.exists() else set()
        parts = {part.name for part in self._path.glob(PARTS)}
        if others := sorted(name for name in there - parts if not name.startswith(".")):
            raise ArgumentError(f'"{self.place}" has files of something else ({others[0]}): name a new folder')
        if resume and parts and not self._note.exists():
            raise ArgumentError(f"{self.place} is whole: there is nothing to resume")

    def _goes_on(self, question: str) -> bool:
        if not self._note.exists():
            return False
        if self._note.read_text(encoding="utf-8") != question:
            raise ArgumentError(f"{self.place} has parts of another sweep: remove it, or name another")
        return True

    def _begin(self, question: str) -> None:
        """Old parts go before the note comes, so that they are never taken for new ones."""
        self._path.mkdir(parents=True, exist_ok=True)
        for old in [*self._path.glob(PARTS), *self._path.glob(f".{PARTS}.*.part")]:
            old.unlink()
        replace(question.encode("utf-8"), self._note)

    def finish(self) -> None:
        """All parts are there. What a killed worker left beside its part is removed."""
        for torn in self._path.glob(f".{PARTS}.*.part"):
            torn.unlink()
        self._note.unlink()


__all__ = ["PartsFolder", "is_folder", "rows_of_part", "write_part"]
