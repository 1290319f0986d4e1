"""Fronts: what a machine gives over what its user waits, pays or needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._draw import COLOURS, axes, calm, colour, key, marker, named, scale, spread, title
from ._errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._table import Table


APART = 0.24  # of the width: what the words beside a point take


def layout(row: Mapping[str, Any]) -> str:
    """In few letters: "fp8 TP4 EP2", with pools "3xTP1+1xTP4"."""
    degrees = {"TP": row["tp"], "PP": row["pp"], "DP": row["attention_dp"], "EP": row["ep"]}
    decode = " ".join(f"{name}{degree}" for name, degree in degrees.items() if degree > 1 or name == "TP")
    if row["prefill_workers"]:
        decode = f"{row['prefill_workers']}xTP{row['prefill_tp']}+{row['decode_workers']}x{decode}"
    return f"{row['precision']} {decode}"


def served(ax: Axes, rows: Table, name: str, index: int, joined: bool = True) -> None:
    """Tokens/s of a GPU over those of a user; layouts beside points that are apart."""
    users, chips = rows["user_rate"], rows["gpu_rate"]
    ax.plot(users, chips, color=colour(index), marker=marker(index), label=name, zorder=3,
            linestyle="-" if joined else "none")  # fmt: skip
    wide, tall = float(max(users)), float(max(chips))
    taken: list[tuple[float, float]] = [text.xy for text in ax.texts if hasattr(text, "xy")]
    for row, user, chip in zip(rows, users, chips):
        near = (abs(user - x) / wide < APART and abs(chip - y) / tall < APART / 4 for x, y in taken)
        if not any(near):  # they would cover each other
            taken.append((user, chip))
            ax.annotate(layout(row), (user, chip), xytext=(4, 4), textcoords="offset points", fontsize=7,
                        color=colour(index))  # fmt: skip


def served_frame(ax: Axes, question: str, of: str) -> None:
    """Axes, title and key of a picture of fronts of serving."""
    title(ax, question, of)
    ax.set_xlabel("tokens/s of a user")
    ax.set_ylabel("output tokens/s of a GPU")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    calm(ax)
    key(ax)


def of_served(rows: Table, of: str, ax: Axes | None) -> Axes:
    """Of one question, system by system."""
    if len(rows) == 0:
        raise ArgumentError("no layout was found: nothing to draw")
    ax = axes(ax)
    for i, name in enumerate(dict.fromkeys(rows["system"])):
        served(ax, rows.select(f"system={name}", sort="user_rate"), name, i, joined=False)
    served_frame(ax, "Which layout serves the most tokens, and how fast for each user?", of)
    return ax


def plans(found: Mapping[str, Table], best: Mapping[str, float], of: str, ax: Axes | None) -> Axes:
    """Throughput of plans over the memory of a GPU that they need, kind by kind, the best one ringed."""
    ax = axes(ax)
    size, unit = scale(max(float(np.nanmax(rows["memory"])) for rows in found.values()), "B")
    for i, (name, rows) in enumerate(found.items()):
        order = np.argsort(rows["memory"], kind="stable")
        ax.plot(rows["memory"][order] / size, rows["throughput"][order], color=colour(i), label=name,
                marker=marker(i), linestyle="-" if name == "front" else "none",
                zorder=3 - i)  # fmt: skip
    ax.plot(best["memory"] / size, best["throughput"], marker="o", markersize=13, markerfacecolor="none",
            color="black", linestyle="none", label="best", zorder=4)  # fmt: skip
    ax.set_xlabel(named("memory of a GPU", unit))
    ax.set_ylabel("throughput [samples/s]")
    ax.set_ylim(bottom=0)
    title(ax, "Which plan is fastest for the memory that it needs?", of)
    calm(ax)
    key(ax)
    return ax


def over_nodes(rows: Table, y: str, what: str, unit: str, goal: float | None, question: str, of: str,
               ax: Axes | None) -> Axes:  # fmt: skip
    """A column over the number of nodes, system by system, with its interval and the goal."""
    ax, values = axes(ax), np.asarray(rows[y], dtype=float)
    names = {column.name for column in rows.columns}
    size, shown = scale(float(np.nanmax([*values, goal or 0])), unit)
    for i, name in enumerate(dict.fromkeys(rows["system"])):
        own = [place for place in np.argsort(rows["nodes"], kind="stable") if rows["system"][place] == name]
        nodes = rows["nodes"][own]
        ax.plot(nodes, values[own] / size, color=colour(i), marker=marker(i), label=name, zorder=3)
        if f"{y}_p10" in names:
            low, high = rows[f"{y}_p10"][own] / size, rows[f"{y}_p90"][own] / size
            ax.errorbar(nodes, values[own] / size, [values[own] / size - low, high - values[own] / size], fmt="none",
                        ecolor=colour(i), capsize=3, alpha=0.7)  # fmt: skip
    if goal is not None and np.isfinite(goal):
        ax.axhline(goal / size, color=COLOURS[6], linestyle="--", linewidth=1.2, label="target")
    spread(ax, "x", rows["nodes"])
    ax.set_ylim(bottom=0)
    ax.set_xlabel("nodes")
    ax.set_ylabel(named(what, shown))
    title(ax, question, of)
    calm(ax)
    key(ax)
    return ax
