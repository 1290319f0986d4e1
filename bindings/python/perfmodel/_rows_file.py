"""Files that rows are added to, piece by piece: CSV, Parquet, Arrow. What is done is kept when work stops, with a note
beside it of how far it came, and work goes on from there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._errors import ArgumentError
from ._files import keep, put, wrote

if TYPE_CHECKING:
    import pyarrow

    from ._table import Table

NOTE = ".unfinished"


class State(NamedTuple):
    """How far a file is: the question, rows of the grid that were evaluated, bytes that these take (CSV)."""

    question: str
    done: int
    size: int


def form_of(path: str | os.PathLike[str]) -> str:
    """The form that the ending names."""
    ending = Path(path).suffix.lower()
    if ending not in FORMS:
        raise ArgumentError(f'"{os.fspath(path)}": rows are written to {", ".join(FORMS)}, or to a folder: "rows/"')
    return ending


def render(table: Table, ending: str, to_send: bool = False) -> Any:
    """The rows of a piece as their file takes them: text, or a table of Arrow; one to send as bytes, as pickles of
    tables take three times as long."""
    if ending == ".csv":
        return table.format("csv").encode("utf-8")
    pyarrow, coded = arrow(), table._coded()
    if not to_send:
        return coded
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, coded.schema, options=pyarrow.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_table(coded)
    return sink.getvalue().to_pybytes()


def arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install 'perfmodel[arrow]'") from None
    return pyarrow


def decoded(table: pyarrow.Table) -> pyarrow.Table:
    """A table without dictionaries."""
    import pyarrow

    fields = [f.with_type(f.type.value_type) if pyarrow.types.is_dictionary(f.type) else f for f in table.schema]
    return table.cast(pyarrow.schema(fields, table.schema.metadata))


class _Csv:
    def __init__(self, path: Path, state: State | None):
        self._file = open(path, "r+b" if state is not None else "wb")
        self._size = 0 if state is None else state.size
        if state is not None:
            self._file.truncate(state.size)
            self._file.seek(state.size)

    def add(self, data: bytes) -> int:
        """Without its header, unless it is the first; returns the bytes of all."""
        self._size += self._file.write(data if self._size == 0 else data.split(b"\r\n", 1)[1])
        self._file.flush()
        return self._size

    def close(self) -> None:
        self._file.close()


class _Arrow:
    """Parquet or an Arrow file: what there was is copied, as such files end with their contents."""

    def __init__(self, path: Path, state: State | None, open_for: Callable[[Path, Any], Any], read: Callable[[Path],
                 Iterator[Any]]):  # fmt: skip
        self._path, self._open = path, open_for
        self._writer: Any = None
        if state is not None:
            before = path.with_name(f".{path.name}.before")
            shutil.copyfile(path, before)  # so that the file stays the same, with its owner and names
            for part in read(before):
                self._put(part)
            before.unlink()

    def add(self, data: Any) -> int:
        self._put(arrow().ipc.open_stream(data).read_all() if isinstance(data, bytes) else data)
        return 0

    def _put(self, part: Any) -> None:
        rows = decoded(part)
        if self._writer is None:
            self._writer = self._open(self._path, rows.schema)
        self._writer.write_table(rows)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _parquet(path: Path, state: State | None) -> _Arrow:
    arrow()
    import pyarrow.parquet as parquet

    def read(before: Path) -> Iterator[Any]:
        with parquet.ParquetFile(before) as old:
            for group in range(old.num_row_groups):
                yield old.read_row_group(group)

    def open_for(place: Path, schema: Any) -> Any:
        few = [field.name for field in schema if str(field.type) != "double"]  # different values, worth a dictionary
        return parquet.ParquetWriter(place, schema, compression="zstd", use_dictionary=few)

    return _Arrow(path, state, open_for, read)


def _feather(path: Path, state: State | None) -> _Arrow:
    pyarrow = arrow()

    def read(before: Path) -> Iterator[Any]:
        with pyarrow.memory_map(str(before)) as source, pyarrow.ipc.open_file(source) as old:
            for batch in range(old.num_record_batches):
                yield pyarrow.Table.from_batches([old.get_batch(batch)])

    return _Arrow(path, state, pyarrow.ipc.new_file, read)


FORMS: dict[str, Callable[[Path, State | None], Any]] = {
    ".csv": _Csv,
    ".parquet": _parquet,
    ".arrow": _feather,
}


def write_whole(tables: Iterable[Table], path: str | os.PathLike[str]) -> None:
    """All rows of some tables in a file of one of these forms, whole or not at all."""
    ending = form_of(path)

    def write(beside: Path) -> None:
        file = FORMS[ending](beside, None)
        try:
            for table in tables:
                file.add(render(table, ending))
        finally:
            file.close()

    put(path, write)


class RowsFile:
    """A file under way. Closed before its end it holds what is done, and says so in a note beside it."""

    def __init__(self, path: str | os.PathLike[str], question: str, resume: bool):
        self._path, self._question = Path(keep(path)), question
        self._note = Path(f"{os.fspath(path)}{NOTE}")
        state = self._state() if resume else None
        self.done = 0 if state is None else state.done
        """Rows of the grid that the file has, or that met no condition."""
        self._file, self._size = FORMS[form_of(path)](self._path, state), 0 if state is None else state.size

    def _state(self) -> State | None:
        """How far an unfinished file is; None: there is none, and all is to do."""
        if not self._note.exists() or not self._path.exists():
            if self._path.exists():
                raise ArgumentError(f"{self._path} is complete: there is nothing to resume")
            return None
        state = State(**json.loads(self._note.read_text(encoding="utf-8")))
        if state.question != self._question:
            raise ArgumentError(f"{self._path} is an unfinished file of another sweep; remove it, or write to another "
                                f"file")
        return state

    def add(self, data: Any, done: int) -> None:
        """The rows up to `done`."""
        self._size, self.done = self._file.add(data), done
        if isinstance(self._file, _Csv):
            self._write_note()

    def _write_note(self) -> None:
        self._note.write_text(json.dumps(State(self._question, self.done, self._size)._asdict()), encoding="utf-8")

    def close(self, whole: bool) -> None:
        """Ends the file; if it is not whole, with a note of how far it is. What nobody could go on from is removed."""
        try:
            self._file.close()
        except OSError:
            if not isinstance(self._file, _Csv):
                self.done = 0
            whole = False
            raise
        finally:
            self._end(whole)

    def _end(self, whole: bool) -> None:
        if whole:
            wrote(str(self._path))
            self._note.unlink(missing_ok=True)
        elif self.done > 0:
            self._write_note()
        elif self._path.is_file():
            self._path.unlink()


def version() -> str:
    """The version that made the numbers: files of another version are not resumed."""
    found: str = _core.version_get()
    return found


__all__ = ["NOTE", "RowsFile", "arrow", "form_of", "render", "version", "write_whole"]
