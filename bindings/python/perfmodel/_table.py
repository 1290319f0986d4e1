"""Tables: results as columns, as text, and as what notebooks and spreadsheets like."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _core, _excel, _sweep_picture
from ._background import of_rows
from ._columns import ColumnInfo
from ._files import replace
from ._inputs import Texts, many, text, whole

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes

Column = npt.NDArray[Any]
Row = dict[str, str | int | float]

SHOWN_ROWS = 60
HEAD_LINES = 12  # that a table has besides its rows: what is the same in all, titles, notes
PAGE_WIDTH = 100


class Table:
    """Rows and columns, units in the column names.

    `table["step_time"]` is a column as a NumPy array, `table[3]` a row as a dict, `len(table)` the number of rows.
    """


    def __init__(self, handle: _core.table):
        self._handle = handle
        self._cache: dict[int, Column] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies hold the table: nothing is computed again."""
        state = {name: value for name, value in self.__dict__.items() if name not in ("_handle", "_cache", "_infos")}
        return _read_again, (type(self), _long(_core.table_pack, self._handle), state)

    def _parts(self) -> Iterator[_core.table]:
        """The table in pieces that fit together."""
        yield self._handle

    @property
    def columns(self) -> list[ColumnInfo]:
        """Name, unit and meaning of every column."""
        return list(self._infos)

    @cached_property
    def _infos(self) -> list[ColumnInfo]:
        texts = _core.table_columns(self._handle)
        return [ColumnInfo(*texts[i : i + 4]) for i in range(0, len(texts), 4)]

    def select(self, *conditions: str, sort: str = "", front: Texts = (), top: int = 0) -> Table:
        """A table of the rows that meet all conditions, sorted by a column.

        Args:
            conditions: a column, one of < <= > >= = !=, and a value with its unit: "memory>=80GB". Unknown meets none.
            sort: name of a column, descending with "-" before it; otherwise rows keep their order.
            front: names of columns: only rows than which no other is better in one of them and as good in the others.
                Less is better, more with "-" before a name: ["-throughput", "memory"].
            top: only the first so many, of those whose value of `sort` is known; 0: all.

        >>> str(pm.list("gpus").select("memory>=80GB", "architecture=hopper", sort="-memory")["id"][0])
        'gh200-144gb'
        """
        names = [text(word, "condition") for word in conditions]
        by = ",".join(text(name, "front") for name in many(front))
        return Table(_long(_core.table_select, self._whole(), names, text(sort, "sort"), by, whole(top, "top")))

    def _whole(self) -> _core.table:
        """All rows in one."""
        return self._handle

    def __len__(self) -> int:
        return int(_core.table_rows(self._handle))

    def __iter__(self) -> Iterator[Any]:
        columns = self.to_dict()
        for cells in zip(*columns.values()):
            yield dict(zip(columns, cells))

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> Any: ...
    def __getitem__(self, key: str | int) -> Any:
        if isinstance(key, str):
            return self._column(self._find(key))
        return self._row(range(len(self))[key])

    def _row(self, row: int) -> Any:
        return {column.title: self._column(i)[row : row + 1].tolist()[0] for i, column in enumerate(self.columns)}

    def _find(self, name: str) -> int:
        """The position of a column by its name, with or without unit."""
        for i, column in enumerate(self.columns):
            if name in (column.name, column.title):
                return i
        raise KeyError(f'no column "{name}"; there are {", ".join(column.name for column in self.columns)}')

    def _column(self, index: int) -> Column:
        if index not in self._cache:
            kind = self._infos[index].kind
            column = _joined([_part_column(part, index, kind) for part in self._parts()])
            column.flags.writeable = False
            self._cache[index] = column
        return self._cache[index]

    def _all(self) -> dict[str, Column]:
        """All columns by name with unit, for whoever asked to keep; each piece of the table is made once."""
        parts = [[_part_column(part, i, info.kind) for i, info in enumerate(self._infos)] for part in self._parts()]
        return {info.title: _joined(list(pieces)) for info, pieces in zip(self._infos, zip(*parts))}

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as lists."""
        return {title: column.tolist() for title, column in self._all().items()}

    def to_numpy(self) -> npt.NDArray[np.void]:
        """One structured array with a field per column."""
        columns = self._all()
        result = np.empty(len(self), dtype=[(title, column.dtype) for title, column in columns.items()])
        for title, column in columns.items():
            result[title] = column
        return result

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the same column names. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from None
        return pandas.DataFrame(self._frame(), copy=False)

    def _frame(self) -> dict[str, Any]:
        """Columns as a DataFrame takes them."""
        return dict(self._all())

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table with the same column names; unknown numbers are null. Needs pyarrow.

        Whatever reads the Arrow C stream interface (Polars, DuckDB, pandas 3) takes the table itself.
        """
        try:
            import pyarrow
        except ImportError:
            raise ImportError("to_arrow() needs pyarrow: pip install pyarrow") from None
        return pyarrow.table(self)

    def _coded(self) -> pyarrow.Table:
        """The same with texts as dictionaries where they are few, which is less to send to another process."""
        return self.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """An Arrow C stream in a capsule, as the Arrow PyCapsule interface has it: a copy of the table."""
        return _core.table_arrow(list(self._parts()))

    def format(self, format: str = "table", width: int = 0) -> str:
        """The library's own text: "table" for people (at most `width` characters wide), "csv" or "json"."""
        if format == "table":
            return "\n".join(_long(_core.table_format, part, format, width) for part in self._parts())
        parts: list[str] = [_long(_core.table_format, part, format, width) for part in self._parts()]
        if format == "csv":
            return parts[0] + "".join(part.split("\r\n", 1)[1] for part in parts[1:])
        if format == "json" and len(parts) > 1:
            return "[\n" + ",\n".join(part.strip()[1:-1].strip("\n") for part in parts) + "\n]\n"
        return "\n".join(parts)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """CSV as the library writes it (RFC 4180): returned, or written to a file whole or not at all."""
        return written(self.format("csv"), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """JSON as the library writes it, one object per row: returned, or written whole or not at all."""
        return written(self.format("json"), path)

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """A workbook: the rows with typed cells and units in the header, the inputs and what was assumed, a chart.
        Costs, GPU-hours and energies are formulas that use prices from the sheet of inputs: change a price there, and
        they follow. Needs openpyxl. Written whole or not at all; ArgumentError beyond the 1,048,575 rows of a sheet."""
        _excel.write(path, [("answer", self)], self._inputs(), self._said())

    def _inputs(self) -> list[_excel.Item]:
        """What was asked."""
        return []

    def _said(self) -> list[str]:
        """What there is to say besides: what was assumed."""
        known = getattr(self, "assumed", "") or ""
        own = {"assumed"} & {column.name for column in self.columns}
        words = dict.fromkeys([known] if known else [str(word) for name in own for word in self[name]])
        return [f"assumed: {word}" for word in words if word]

    def plot(self, y: str | None = None, x: str | None = None, *, ax: Axes | None = None) -> Axes:
        """A picture of what the table is about; of a column `y`, or `y` over column `x`: a line where `x` is numbers,
        else a bar for each row. By default of a plain table the first columns that differ from row to row. Needs
        matplotlib. ArgumentError where there is nothing to see."""
        if y is None and x is None:
            return self._picture(ax)
        up, over = (None if name is None else text(name, what) for name, what in ((y, "y"), (x, "x")))
        return _sweep_picture.of_table(self, up, over, ax)

    def _picture(self, ax: Axes | None) -> Axes:
        """What the table is about."""
        return _sweep_picture.of_table(self, None, None, ax)

    def __repr__(self) -> str:
        """The main columns of the first rows and the last one, as wide as the terminal; of fewer rows where the columns
        continue below."""
        width = shutil.get_terminal_size((PAGE_WIDTH, 24)).columns
        head = self._head()
        shown: str = _core.table_format_rows(head, "text", width, SHOWN_ROWS, self._absent())
        if shown.count("\n") > SHOWN_ROWS + HEAD_LINES:
            shown = _core.table_format_rows(head, "text", width, SHOWN_ROWS // 3, self._absent())
        return shown.rstrip("\n")

    def _head(self) -> _core.table:
        """At least the first rows and the last one."""
        return self._handle

    def _absent(self) -> int:
        """How many rows the head does not have."""
        return 0

    def _repr_html_(self) -> str:
        """The same rows and columns, the meaning of columns as tips."""
        shown: str = _core.table_format_rows(self._head(), "html", 0, SHOWN_ROWS, self._absent())
        return shown


def _read_again(kind: type[Table], packed: str, state: dict[str, Any]) -> Table:
    table = kind.__new__(kind)
    Table.__init__(table, _core.table_unpack(packed))
    table.__dict__.update(state)
    return table


def _long(call: Callable[..., Any], table: _core.table, *args: Any) -> Any:
    """What the core makes of all rows of a table."""
    return of_rows(_core.table_rows(table), call, table, *args)


def _joined(parts: list[Column]) -> Column:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _part_column(part: _core.table, index: int, kind: str) -> Column:
    if kind in ("text", "choice"):
        return _text_column(part, index, kind)
    values = np.frombuffer(_core.table_numbers(part, index), dtype=np.float64)
    if kind == "int" and bool(np.isfinite(values).all()):
        return values.astype(np.int64)
    return values


def _text_column(part: _core.table, index: int, kind: str) -> Column:
    """Few different texts are made once, and taken for each row."""
    words = _core.table_words(part, index)
    if not words:
        return np.array(_core.table_texts(part, index), dtype=object)
    switch = kind == "choice" and set(words) <= {"yes", "no"}
    places = np.frombuffer(_core.table_word_places(part, index), dtype=np.float64).astype(np.intp)
    return np.array([word == "yes" for word in words] if switch else words, dtype=bool if switch else object)[places]


def written(text: str, path: str | os.PathLike[str] | None) -> str | None:
    """Returns the text, or writes it beside the target and moves it there."""
    if path is None:
        return text
    replace(text.encode("utf-8"), path)
    return None
