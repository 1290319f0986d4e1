"""A table as a picture: one or two of its columns over another, a line for each value of what else varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import Columns
from ._draw import Line, axes, bars, calm, colour, key, lines, marker, named, scale, spread, title, worded
from ._errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES_MOST = 24
BARS_MOST = 40
TRIED = ("status", "bottleneck", "verdict", "assumed", "plan")  # texts that are found, not asked


def draw(
    table: Columns, y: Sequence[str], x: str | None, vary: Sequence[str], ax: Axes | None, question: str = "",
    of: str = "",
) -> Axes:  # fmt: skip
    """Columns `y`, the second on the right, over `x`, which is by default the one of `vary` with most values that are
    numbers; without any, a bar for each row."""
    if len(table) == 0:
        raise ArgumentError("a table without rows cannot be drawn")
    if not y:
        raise ArgumentError("a picture needs at least one column")
    known = [name for name in y if np.isfinite(_numbers(table, name)).any()]
    if not known:
        raise ArgumentError(f"{' and '.join(y)}: unknown in every row{_why(table)}")
    differ = [name for name in vary if _differs(table[name])]
    over = x if x is not None else _most_values(table, differ)
    by = _telling(table, [name for name in differ if name != over and name not in y])
    asked = f"How do{'es' * (len(known) == 1)} {' and '.join(worded(name) for name in known)} change with"
    if over is None or table[over].dtype == object:
        names = _telling(table, differ) or list(vary)[:1]
        return _draw_bars(table, known[0], names, ax, question or _which(known[0]), of)
    ax = axes(ax)
    _draw_lines(ax, table, known[0], over, by)
    if len(known) > 1:
        _draw_second(ax, table, known[1], over, by)
    title(ax, question or f"{asked} {worded(over)}?", of)
    return ax


def _which(name: str) -> str:
    return f"Which has the {'most' if name.endswith('s') else 'highest'} {worded(name)}?"


def _why(table: Columns) -> str:
    try:
        return f", {table['status'][0]}"
    except KeyError:
        return ""


def _numbers(table: Columns, name: str) -> Any:
    column = table[name]
    if column.dtype == object:
        raise ArgumentError(f"{name} is text; a picture needs numbers")
    return np.asarray(column, dtype=float)


def _differs(column: Any) -> bool:
    return len({"unknown" if value != value else value for value in column.tolist()}) > 1


def _most_values(table: Columns, names: Sequence[str]) -> str | None:
    numbers = [name for name in names if table[name].dtype != object and table[name].dtype != bool]
    return max(numbers, key=lambda name: len(np.unique(table[name])), default=None)


def _telling(table: Columns, names: Sequence[str]) -> list[str]:
    """Those of the columns that tell apart rows which the ones before them do not."""
    found: list[str] = []
    for name in names:
        if len(_kinds(table, [*found, name])) > len(_kinds(table, found)):
            found.append(name)
    return found


def _kinds(table: Columns, names: Sequence[str]) -> set[tuple[Any, ...]]:
    return set(zip(*(table[name].tolist() for name in names))) or {()}


def _unit(table: Columns, name: str) -> str:
    return next(column.unit for column in table.columns if name in (column.name, column.title))


def _groups(table: Columns, by: Sequence[str]) -> dict[str, list[int]]:
    """Places of the rows of each line, by what tells it from the others."""
    columns = [table[name] for name in by]
    found: dict[str, list[int]] = {}
    for i in range(len(table)):
        words = [_said(name, column[i]) for name, column in zip(by, columns)]
        found.setdefault(", ".join(words), []).append(i)
    if len(found) > LINES_MOST:
        raise ArgumentError(f"{len(found)} lines are too many for a picture; select rows first, or give x")
    return found


def _said(name: str, value: Any) -> str:
    return str(value) if isinstance(value, str) else f"{worded(name)} {value:g}"


def _lines(table: Columns, y: str, x: str, by: Sequence[str]) -> tuple[list[Line], str, str]:
    """Lines in the order of x, with the units of x and y."""
    across, up = _numbers(table, x), _numbers(table, y)
    low, high = _bounds(table, y)
    wide, x_unit = scale(float(np.nanmax(np.where(np.isfinite(across), across, np.nan))), _unit(table, x))
    tall, y_unit = scale(float(np.nanmax(up)), _unit(table, y))
    found = []
    for label, places in _groups(table, by).items():
        order = sorted((i for i in places if np.isfinite(up[i])), key=lambda i: across[i])
        if order:
            found.append(Line(label, across[order] / wide, up[order] / tall, low[order] / tall, high[order] / tall))
    return found, x_unit, y_unit


def _bounds(table: Columns, y: str) -> tuple[Any, Any]:
    names = {column.name for column in table.columns}
    unknown = np.full(len(table), np.nan)
    low, high = (_numbers(table, f"{y}{end}") if f"{y}{end}" in names else unknown for end in ("_p10", "_p90"))
    return low, high


def _draw_lines(ax: Axes, table: Columns, y: str, x: str, by: Sequence[str]) -> None:
    found, x_unit, y_unit = _lines(table, y, x, by)
    lines(ax, found)
    spread(ax, "x", np.concatenate([line.x for line in found]))
    spread(ax, "y", np.concatenate([line.y for line in found]))
    ax.set_xlabel(named(x, x_unit))
    ax.set_ylabel(named(y, _rate(y_unit, y)))
    calm(ax)
    if ax.get_yscale() == "linear":
        ax.set_ylim(bottom=0)
    if any(np.isfinite(line.low).any() for line in found):
        ax.fill_between([], [], [], color="0.5", alpha=0.25, linewidth=0, label="80 % interval")
    if len(found) > 1 or any(np.isfinite(line.low).any() for line in found):
        key(ax)


def _rate(unit: str, name: str) -> str:
    """What a rate is of."""
    of = "samples/s" if name == "throughput" else "tokens/s"
    return of if unit == "1/s" and name != "request_rate" else "requests/s" if unit == "1/s" else unit


def _draw_second(ax: Axes, table: Columns, y: str, x: str, by: Sequence[str]) -> None:
    """On the right, dashed, in the same colours."""
    found, _, unit = _lines(table, y, x, by)
    right = ax.twinx()
    for i, line in enumerate(found):
        right.plot(line.x, line.y, color=colour(i), linestyle="--", marker=marker(i), markersize=4,
                   markerfacecolor="white")  # fmt: skip
    right.set_ylabel(f"{named(y, unit)}, dashed")
    right.spines["top"].set_visible(False)
    spread(right, "y", np.concatenate([line.y for line in found]))
    if right.get_yscale() == "linear":
        right.set_ylim(bottom=0)
    if ax.get_legend() is not None:
        key(ax, bbox_to_anchor=(1.13, 1.0))


def _draw_bars(table: Columns, y: str, by: Sequence[str], ax: Axes | None, question: str, of: str) -> Axes:
    values = _numbers(table, y)
    if len(table) > BARS_MOST:
        raise ArgumentError(f"{len(table)} bars are too many for a picture; select rows first, or give x")
    names = [", ".join(_said(name, table[name][i]) for name in by) or f"row {i + 1}" for i in range(len(table))]
    first = [name.split(", ")[0] for name in names]
    shades = [list(dict.fromkeys(first)).index(name) for name in first] if len(by) > 1 else []
    ax = bars(ax, names, values, _rate(_unit(table, y), y), y, interval=_bounds(table, y), shades=shades)
    title(ax, question, of)
    if np.isfinite(_bounds(table, y)[1]).any():
        key(ax)
    return ax


def of_table(table: Columns, y: str | None, x: str | None, ax: Axes | None) -> Axes:
    """Of any table: the first numbers that differ, over the first that come before them."""
    columns = table.columns
    differ = [c.name for c in columns if c.name not in TRIED and _differs(table[c.name])]
    numbers = [name for name in differ if table[name].dtype != object and table[name].dtype != bool]
    texts = [name for name in differ if name not in numbers]
    over = [*texts, *numbers] if y is None or len(numbers) < 2 else numbers
    first = x if x is not None else next(iter(over), None)
    shown = y if y is not None else next((name for name in numbers if name != first), None)
    if shown is None:
        raise ArgumentError("fewer than two columns of this table vary; give y and x")
    return draw(table, [shown], first, [] if first is None else [first], ax)


__all__ = ["draw", "of_table"]
