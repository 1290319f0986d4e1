"""Drawing: what all pictures have in common, and the few shapes that they are made of. matplotlib is imported when the
first is drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind readers tell apart, on paper too: the lightest comes last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "//", "..", "xx")  # of parts beyond the colours
WIDTH = 66  # letters of a line of a title
PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"))
WORDS = {"gpus": "GPUs", "gpu": "GPU", "tpot": "TPOT", "ttft": "TTFT", "mfu": "MFU", "hfu": "HFU", "flop": "FLOP",
         "mape": "mean absolute error"}
TIMES = ((86400.0, "d"), (3600.0, "h"), (1.0, "s"))  # each from two of it on


class Line(NamedTuple):
    """A line of a picture, with the interval around it where that is known."""

    label: str
    x: Any
    y: Any
    low: Any = None
    high: Any = None


def axes(ax: Axes | None, size: tuple[float, float] = (7.2, 4.6)) -> Axes:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def colour(index: int) -> str:
    """Of the line or part of that place."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """Of the same line: where colours come again, they come with another one."""
    return MARKERS[(index + index // len(COLOURS)) % len(MARKERS)]


def calm(ax: Axes) -> None:
    """A light grid behind the data, no box around them."""
    ax.grid(True, which="major", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def key(ax: Axes, **more: Any) -> None:
    """The key, beside the picture, where no line runs through it."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False, "fontsize": 9}
    ax.legend(**{**place, **more})


def title(ax: Axes, question: str, of: str = "") -> None:
    """The question that the picture answers, and below it of what."""
    lines = [line for text in (question, *of.split("\n")) if text for line in textwrap.wrap(text, WIDTH)]
    ax.set_title("\n".join(lines), fontsize=10, loc="left")


def number_axis(axis: Any, steps: tuple[int, ...]) -> None:
    """A logarithmic axis with plain numbers at these steps of every decade."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(_plain_number)
    axis.set_minor_formatter(NullFormatter())


def _plain_number(value: float, position: object = None) -> str:
    return f"{value:,.10g}"


def amount(value: float, unit: str) -> str:
    """With its unit, as reports have it: rates of samples and tokens without a prefix."""
    if unit in ("", "1"):
        return _plain_number(value)
    if unit.endswith("s/s") or unit == "%":
        digits, most = (2, 100) if unit == "%" else (4, 1000)
        return f"{value:,.0f} {unit}" if abs(value) >= most else f"{value:.{digits}g} {unit}"
    text: str = _core.quantity_format(float(value), unit)
    return text


def scale(most: float, unit: str) -> tuple[float, str]:
    """What to divide numbers up to `most` by, and the unit that they then have. Counts and shares stay as they are."""
    if unit not in ("s", "B", "B/s", "J", "W", "FLOP", "FLOP/s") or not 0 < most < np.inf:
        return 1.0, "" if unit == "1" else unit
    if unit == "s" and most >= 1:
        return next(pair for pair in TIMES if most >= 2 * pair[0] or pair[1] == "s")
    size, prefix = next((pair for pair in PREFIXES if most >= pair[0]), PREFIXES[-1])
    return size, prefix + unit


def worded(name: str) -> str:
    """The name of a column as it is said."""
    return " ".join(WORDS.get(word, word) for word in name.split("_"))


def named(name: str, unit: str) -> str:
    """What an axis is of: "step time [ms]"."""
    words = worded(name)
    return f"{words} [{unit}]" if unit else words


# ---- Parts of a whole ----


def waterfall(ax: Axes | None, names: Sequence[str], values: Sequence[float], unit: str, what: str) -> Axes:
    """One part after the other, and their sum."""
    ends = np.cumsum(values)
    starts = np.append(ends - np.asarray(values), 0.0)
    return steps(ax, [*names, "total"], starts, np.append(values, ends[-1]), unit, what, whole={len(names)})


def steps(
    ax: Axes | None, names: Sequence[str], starts: Any, lengths: Any, unit: str, what: str, whole: set[int]
) -> Axes:
    """Bars from where the one before ended; those of `whole` start at nothing, what shortens is green."""
    ax = axes(ax, (7.2, 1.4 + 0.32 * len(names)))
    size, shown = scale(float(np.max(np.abs(np.asarray(starts) + np.maximum(lengths, 0)))), unit)
    most = float(np.max(np.asarray(starts) + np.maximum(lengths, 0))) / size
    for i, (start, length) in enumerate(zip(starts, lengths)):
        shade = "0.35" if i in whole else COLOURS[0] if length >= 0 else COLOURS[2]
        ax.barh(-i, length / size, left=start / size, color=shade, height=0.7, zorder=2)
        ax.annotate(amount(length, unit), (max(start, start + length) / size, -i), xytext=(4, 0), va="center",
                    textcoords="offset points", fontsize=8)  # fmt: skip
    ax.set_yticks([-i for i in range(len(names))], names)
    ax.set_xlim(0, 1.17 * most)
    ax.set_xlabel(named(what, shown))
    calm(ax)
    ax.grid(False, axis="y")
    return ax


def stacks(ax: Axes | None, wholes: Sequence[tuple[str, Mapping[str, float]]], unit: str, what: str,
           limits: Sequence[tuple[str, float]] = ()) -> Axes:  # fmt: skip
    """One bar for each whole, of the same parts in the same colours; limits are lines across."""
    parts = list(dict.fromkeys(name for _, whole in wholes for name in whole))
    ax = axes(ax, (7.6, max(1.6 + 0.6 * len(wholes), 1.2 + 0.2 * (len(parts) + len(limits)))))
    sums = [sum(whole.values()) for _, whole in wholes]
    size, shown = scale(max([*sums, *(limit for _, limit in limits)]), unit)
    before = np.zeros(len(wholes))
    for i, part in enumerate(parts):
        lengths = np.array([whole.get(part, 0.0) for _, whole in wholes]) / size
        ax.barh(-np.arange(len(wholes)), lengths, left=before, color=colour(i), height=0.62, label=part, zorder=2,
                hatch=HATCHES[i // len(COLOURS) % len(HATCHES)], edgecolor="white", linewidth=0.5)  # fmt: skip
        before += lengths
    for i, total in enumerate(sums):
        ax.annotate(amount(total, unit), (before[i], -i), xytext=(4, 0), textcoords="offset points", va="center",
                    fontsize=8, zorder=5, bbox={"facecolor": "white", "linewidth": 0, "pad": 0.8})  # fmt: skip
    _draw_limits(ax, limits, size, unit)
    ax.set_ylim(-len(wholes) + 0.3, 0.7)
    ax.set_yticks(-np.arange(len(wholes)), ["\n".join(textwrap.wrap(name, 28)) for name, _ in wholes])
    ax.set_xlim(0, 1.15 * max([*before, *(limit / size for _, limit in limits)]))
    ax.set_xlabel(named(what, shown))
    calm(ax)
    ax.grid(False, axis="y")
    key(ax)
    return ax


def _draw_limits(ax: Axes, limits: Sequence[tuple[str, float]], size: float, unit: str) -> None:
    styles = ("--", ":", "-.")
    for i, (name, limit) in enumerate(dict.fromkeys(limits)):
        ax.axvline(limit / size, color="0.2", linestyle=styles[i % len(styles)], linewidth=1.3, zorder=3,
                   label=f"{name} {amount(limit, unit)}")  # fmt: skip


# ---- Lines and dots ----


def lines(ax: Axes, found: Sequence[Line], first: int = 0, **style: Any) -> None:
    """Lines with their intervals, in colours and markers that tell them apart."""
    for i, line in enumerate(found, first):
        ax.plot(line.x, line.y, color=colour(i), marker=marker(i), markersize=4.5, label=line.label,
                **{"zorder": 3, **style})  # fmt: skip
        if line.low is not None and np.isfinite(line.low).any():
            ax.fill_between(line.x, line.low, line.high, color=colour(i), alpha=0.15, linewidth=0, zorder=1)


def spread(ax: Axes, axis: str, values: Any) -> None:
    """A logarithmic axis where numbers span more than a decade and a half; few are written at their place."""
    values = np.asarray(values, dtype=float)
    known = np.unique(values[np.isfinite(values)])
    way = ax.xaxis if axis == "x" else ax.yaxis
    if known.size and known[0] > 0 and known[-1] / known[0] > 30:
        (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
        number_axis(way, steps=(1, 2, 5) if known[-1] / known[0] < 1000 else (1,))
    if axis == "x" and 0 < known.size <= 9 and (known == np.round(known)).all():
        from matplotlib.ticker import NullLocator

        ax.set_xticks(known, [_plain_number(value) for value in known])
        way.set_minor_locator(NullLocator())


def bars(
    ax: Axes | None, names: Sequence[str], values: Any, unit: str, what: str, marked: int | None = None,
    signed: bool = False, interval: tuple[Any, Any] | None = None, shades: Sequence[int] = (),
) -> Axes:  # fmt: skip
    """A bar for each name, the marked one in another colour; below nothing to the left. `interval`: the ends of a line
    on each bar; `shades`: the number of its colour."""
    ax = axes(ax, (7.2, 1.4 + 0.32 * len(names)))
    values = np.asarray(values, dtype=float)
    size, shown = scale(float(np.nanmax(np.abs(values), initial=0.0)), unit)
    own = [colour(shade) for shade in shades] or [COLOURS[int(i == marked or v < 0)] for i, v in enumerate(values)]
    places = -np.arange(len(names))
    ax.barh(places, values / size, color=own, height=0.7, zorder=2)
    ends = values
    if interval is not None and np.isfinite(interval[1]).any():
        ax.hlines(places, interval[0] / size, interval[1] / size, color="0.25", linewidth=1.2, zorder=3)
        ax.plot([], [], color="0.25", linewidth=1.2, label="80 % interval")
        ends = np.fmax(values, interval[1])
    for i, (value, end) in enumerate(zip(values, ends)):
        text = "no prediction" if np.isnan(value) else amount(value, unit)
        ax.annotate(f"+{text}" if signed and value > 0 else text, (0.0 if np.isnan(end) else end / size, -i),
                    xytext=(-4 if value < 0 else 4, 0), textcoords="offset points", va="center",
                    ha="right" if value < 0 else "left", fontsize=8)  # fmt: skip
    ax.axvline(0, color="0.25", linewidth=0.8)
    ax.set_yticks(-np.arange(len(names)), names)
    ax.margins(x=0.18)
    ax.set_ylim(-len(names) + 0.4, 0.6)
    if shown == "" and np.nanmax(np.abs(values), initial=0.0) >= 1e5:
        ax.xaxis.set_major_formatter(lambda value, place: amount(value, "FLOP").removesuffix("FLOP").rstrip())
    ax.set_xlabel(named(what, shown))
    calm(ax)
    ax.grid(False, axis="y")
    return ax


def parity(ax: Axes | None, found: Sequence[tuple[str, Any, Any]], unit: str) -> Axes:
    """Predicted over measured, group by group, where a dot on the line is right; around it the half and the double."""
    ax = axes(ax, (6.8, 5.0))
    shown = [(name, np.asarray(x, dtype=float), np.asarray(y, dtype=float)) for name, x, y in found]
    every = np.concatenate([np.append(x, y) for _, x, y in shown])
    every = every[np.isfinite(every) & (every > 0)]
    if every.size == 0:
        raise ArgumentError("no row is both measured and predicted")
    ends = np.array([every.min() / 1.5, every.max() * 1.5])
    ax.plot(ends, ends, color="0.25", linewidth=1, zorder=1, label="predicted = measured")
    ax.fill_between(ends, ends / 2, 2 * ends, color="0.93", linewidth=0, zorder=0, label="half to double")
    for i, (name, x, y) in enumerate(shown):
        ax.scatter(x, y, s=14, color=colour(i), marker=marker(i), alpha=0.7, linewidth=0, label=name)
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel=named("measured", unit),
           ylabel=named("predicted", unit), aspect="equal")  # fmt: skip
    calm(ax)
    key(ax)
    return ax


def draw_bandwidths(ax: Axes, found: Sequence[Line]) -> None:
    """Rates over sizes, both with their prefixes."""
    most = max(float(np.nanmax(line.y)) for line in found)
    tall, unit = scale(most, "B/s")
    lines(ax, [Line(line.label, line.x, *(values / tall for values in line[2:])) for line in found])
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(numticks=5))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(lambda value, place: amount(value, "B"))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("size of the buffer")
    ax.set_ylabel(named("bus bandwidth", unit))
    ax.fill_between([], [], [], color="0.5", alpha=0.25, linewidth=0, label="80 % interval")
    calm(ax)
    key(ax)


# ---- Files ----


def picture(ax: Axes, form: str) -> bytes:
    """The figure as svg, png or pdf; the same picture is the same bytes."""
    import io

    import matplotlib

    out = io.BytesIO()
    without = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    with matplotlib.rc_context({"svg.hashsalt": "perfmodel"}):
        figure: Any = ax.figure
        figure.savefig(out, format=form, metadata=without, dpi=150)
    return out.getvalue()
