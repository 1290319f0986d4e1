"""Spreadsheets: tables as workbooks with live formulas for costs, times and energies. openpyxl is imported on first
use."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._columns import Columns
from ._errors import ArgumentError
from ._files import replace
from ._text import printable

ROWS_MOST = 1_048_575  # of a sheet, below its header
CHART_ROWS = 200
NEAR = 1e-9  # how far a formula's number may be from the answer's
PRICES = ("price", "gpu_hour_price", "energy_price", "carbon")
"""Columns that are the user's own: each is a cell of the inputs, to which the rows refer."""

FORMULAS = {
    "cost": "{nodes}*{price}",
    "gpu_hours": "{gpus}*{time}/3600",
    "energy": "{power}*{time}",
    "gpu_hour_cost": "{gpu_hours}*{gpu_hour_price}",
    "hour_cost": "{paid_gpus}*{price}",
    "output_cost": "{hour_cost}/({request_rate}*{osl}*3600)*1000000",
    "token_cost": "{hour_cost}/({request_rate}*({isl}+{osl})*3600)*1000000",
    "training_gpu_hours": "{total_gpus}*{training_time}/3600",
    "training_cost": "{training_gpu_hours}*{gpu_hour_price}",
    "training_energy": "{power}*{pue}*{training_time}",
    "training_design_energy": "{design_power}*{pue}*{training_time}",
    "training_carbon": "{training_energy}/3600000*{carbon}",
    "training_energy_cost": "{training_energy}/3600000*{energy_price}",
    "carbon_per_sample": "{site_energy_per_sample}/3600000*{carbon}",
    "energy_cost_per_sample": "{site_energy_per_sample}/3600000*{energy_price}",
    "compute_time": "{forward_time}+{dgrad_time}+{wgrad_time}+{update_time}",
}
"""What spreadsheets compute again, of columns and inputs. A cell has its formula only where that gives the answer's own
number, or where a missing price is missing."""


class Item(NamedTuple):
    """An input: name, value, unit, meaning."""

    name: str
    value: Any
    unit: str
    doc: str


class Book:
    """A workbook under way."""

    def __init__(self) -> None:
        try:
            import openpyxl
        except ImportError:
            raise ImportError("to_excel() needs openpyxl: pip install openpyxl") from None
        self.book = openpyxl.Workbook()
        self.book.remove(self.book.active)
        self.inputs = self.book.create_sheet("inputs")
        self.places: dict[str, str] = {}
        """Cells of the inputs by name."""

    def sheet(self, name: str) -> Any:
        """A new sheet, before the inputs."""
        return self.book.create_sheet(name, len(self.book.sheetnames) - 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        out = io.BytesIO()
        self.book.active = 0
        self.book.save(out)
        replace(out.getvalue(), path)


def write(
    path: str | os.PathLike[str], tables: Sequence[tuple[str, Columns]], known: Iterable[Item], notes: Iterable[str]
) -> None:
    """One sheet for each table, and one of the inputs and what was assumed."""
    for name, table in tables:
        if len(table) > ROWS_MOST:
            raise ArgumentError(f"a sheet has room for {ROWS_MOST:,} rows, and {name} has {len(table):,}; "
                                "to_csv has no limit")  # fmt: skip
    book = Book()
    _write_inputs(book, list(known), list(notes), [table for _, table in tables])
    for name, table in tables:
        _write_table(book, book.sheet(name), table)
    book.save(path)


# ---- Inputs ----


def _write_inputs(book: Book, known: list[Item], notes: list[str], tables: list[Columns]) -> None:
    sheet = book.inputs
    _head(sheet, ("input", "value", "unit", "meaning"))
    prices = _prices(tables)
    own = {item.name.partition(" ")[0] for item in prices}
    for item in [*(item for item in known if item.name not in own), *prices]:
        row = sheet.max_row + 1
        for column, value in enumerate(item, 1):
            _put(sheet, row, column, value)
        book.places[item.name] = f"inputs!$B${row}"
        if item.name.partition(" ")[0] in PRICES:
            sheet.cell(row, 2).fill = _fill("FFF2CC")
    for note in notes:
        _put(sheet, sheet.max_row + 2 if note == notes[0] else sheet.max_row + 1, 1, note)
    _widths(sheet, (34, 18, 14, 80))


def _prices(tables: list[Columns]) -> list[Item]:
    """Each price once: of its system where these differ."""
    found: dict[str, Item] = {}
    for table in tables:
        for column in (column for column in table.columns if column.name in PRICES):
            for row, value in enumerate(table[column.name].tolist()):
                name = _price_name(table, column.name, row)
                unit = column.unit.removeprefix("1")
                found.setdefault(name, Item(name, value, unit, f"{column.doc}; change it here"))
    return list(found.values())


def _price_name(table: Columns, name: str, row: int) -> str:
    return f"{name} of {table['system'][row]}" if "system" in {column.name for column in table.columns} else name


# ---- Rows ----


def _write_table(book: Book, sheet: Any, table: Columns) -> None:
    columns, rows = table.columns, len(table)
    _head(sheet, [column.title for column in columns])
    for i, column in enumerate(columns, 1):
        sheet.cell(1, i).comment = _comment(column.doc)
    cells = {column.name: table[column.name].tolist() for column in columns}
    letters = {column.name: _letter(i) for i, column in enumerate(columns, 1)}
    shared = {name: cell for name, cell in book.places.items() if name not in cells}
    given = {cell.name: cell.value for cell in _values(book)}
    for i, column in enumerate(columns, 1):
        form = _form(cells[column.name])
        for row in range(rows):
            value = _formula(column.name, row, cells, letters, shared, given)
            if column.name in PRICES:
                cell = book.places[_price_name(table, column.name, row)]
                value = f'=IF({cell}="","",{cell})'  # what is empty would be 0
            _put(sheet, row + 2, i, cells[column.name][row] if value is None else value, value is not None, form)
    sheet.freeze_panes = sheet.cell(2, 1 + _names(columns))
    sheet.auto_filter.ref = f"A1:{_letter(len(columns))}{rows + 1}"
    _widths(sheet, [max(9, min(28, len(column.title) + 3)) for column in columns])
    _chart(book, sheet, table)


def _values(book: Book) -> list[Item]:
    return [Item(row[0].value, row[1].value, "", "") for row in book.inputs.iter_rows(min_row=2) if row[0].value]


def _names(columns: Sequence[Any]) -> int:
    """How many of the first columns say which row it is."""
    count = 0
    while count < min(len(columns), 3) and columns[count].kind == "text":
        count += 1
    return count


def _formula(name: str, row: int, cells: dict[str, list[Any]], letters: dict[str, str], shared: dict[str, str],
             given: dict[str, Any]) -> str | None:  # fmt: skip
    """The formula of a cell, if it has one that gives its number."""
    text = FORMULAS.get(name)
    if text is None:
        return None
    needed = re.findall(r"{(\w+)}", text)
    known = {other: cells[other][row] if other in cells else given.get(other) for other in needed}
    if not all(other in cells or other in shared for other in needed):
        return None
    places = {other: f"{letters[other]}{row + 2}" if other in cells else shared[other] for other in needed}
    missing = [other for other in needed if not _is_number(known[other])]
    if missing:
        open_price = _is_unknown(cells[name][row]) and all(_depends(other) for other in missing)
        known_all = f"COUNT({','.join(places.values())})={len(places)}"
        return f'=IF({known_all},{text.format(**places)},"")' if open_price else None
    value = eval(text.format(**known), {"__builtins__": {}})  # noqa: S307 (a formula of this file, of numbers)
    own = cells[name][row]
    right = _is_number(own) and abs(value - own) <= NEAR * abs(own)
    return f"={text.format(**places)}" if right else None


def _depends(name: str) -> bool:
    """Whether it is a price, or follows from one."""
    return name in PRICES or any(f"{{{price}}}" in FORMULAS.get(name, "") for price in PRICES)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))


def _is_unknown(value: Any) -> bool:
    return isinstance(value, float) and value != value


# ---- Cells ----


def _put(sheet: Any, row: int, column: int, value: Any, formula: bool = False, form: str = "General") -> None:
    """A typed cell: unknown is empty, unlimited a word, and no text is ever a formula."""
    if _is_unknown(value) or value is None:
        return
    cell = sheet.cell(row, column)
    if isinstance(value, float) and not np.isfinite(value):
        value = "unlimited" if value > 0 else "-unlimited"
    cell.value = printable(value)[:32767] if isinstance(value, str) else value
    if isinstance(value, str) and not formula:
        cell.data_type = "s"
    else:
        cell.number_format = form


def _form(values: Sequence[Any]) -> str:
    """How the numbers of a column are shown; the cells hold all digits."""
    known = [abs(value) for value in values if _is_number(value)]
    if not known or all(isinstance(value, int) for value in values):
        return "General"
    most = max(known)
    return "#,##0" if most >= 10_000 else "0.00" if most >= 10 else "0.0000" if most >= 0.01 else "0.00E+00"


def _head(sheet: Any, titles: Sequence[str]) -> None:
    from openpyxl.styles import Alignment, Font

    for i, title in enumerate(titles, 1):
        _put(sheet, 1, i, title)
        sheet.cell(1, i).font = Font(bold=True)
        sheet.cell(1, i).fill = _fill("DDEBF7")
        sheet.cell(1, i).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "A2"


def _fill(colour: str) -> Any:
    from openpyxl.styles import PatternFill

    return PatternFill("solid", fgColor=colour)


def _comment(text: str) -> Any:
    from openpyxl.comments import Comment

    return Comment(text, "perfmodel", height=60, width=300)


def _letter(index: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(index))


def _widths(sheet: Any, widths: Sequence[int]) -> None:
    for i, width in enumerate(widths, 1):
        sheet.column_dimensions[_letter(i)].width = width


# ---- The chart ----

DRAWN = ("cost", "hour_cost", "training_cost", "bus_bandwidth", "throughput", "gpu_rate", "output_rate", "step_time",
         "latency", "time", "total", "value", "gain", "elasticity", "difference", "mape", "parameters")  # fmt: skip


def _chart(book: Book, sheet: Any, table: Columns) -> None:
    """Bars of what the table is about, by what its rows are called; none if nothing differs."""
    from openpyxl.chart import BarChart, Reference

    names = [column.name for column in table.columns]
    shown = next((name for name in DRAWN if name in names and _is_drawn(table[name].tolist())), None)
    if shown is None or not 2 <= len(table) <= CHART_ROWS:
        return
    texts = [name for name in names if len(set(table[name].tolist())) > 1 and name != shown]
    y, x = names.index(shown) + 1, names.index(texts[0]) + 1 if texts else None
    chart = BarChart()
    chart.title, chart.legend, chart.width, chart.height = table.columns[y - 1].title, None, 24, 12
    chart.add_data(Reference(sheet, min_col=y, min_row=1, max_row=len(table) + 1), titles_from_data=True)
    if x is not None:
        chart.set_categories(Reference(sheet, min_col=x, min_row=2, max_row=len(table) + 1))
        chart.x_axis.title = table.columns[x - 1].title
    chart.y_axis.title = table.columns[y - 1].title
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.series[0].graphicalProperties.solidFill = "0072B2"
    book.sheet(f"chart of {sheet.title}").add_chart(chart, "A1")


def _is_drawn(values: Sequence[Any]) -> bool:
    return sum(_is_number(value) for value in values) >= 2


__all__ = ["Item", "write"]
