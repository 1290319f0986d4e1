"""The links of a machine as a picture, with what they carry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._draw import COLOURS, amount, axes, key, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]
GPU, SWITCH = "gpu", "nvs"
SHADES = {"gpu": COLOURS[2], "nvs": "0.35", "cpu": COLOURS[4], "nic": COLOURS[3]}
OUTWARDS = 0.62  # from one ring of the picture to the next
FEW = 24  # ends that a picture of the usual size has room for
LABEL = 0.5  # room along a ring for a name
THIN, THICK = 1.2, 7.0  # points, of a link that carries nothing and of one that is always busy


def draw(
    ax: Axes | None, links: Iterable[Mapping[str, Any]], question: str, of: str, busy: Iterable[float] | None = None
) -> Axes:
    """Rows of ends `a` and `b`, type `link` and `count`: GPUs in a circle, their switches within, all else outside.
    With shares of the time that they are busy, links are as wide as these."""
    rows = list(links)
    places = _places([(row["a"], row["b"]) for row in rows])
    larger = max(1.0, (len(places) / FEW) ** 0.5)
    ax = axes(ax, (2.2 + 5.8 * larger, 6.2 * larger))
    kinds = {kind: COLOURS[i % len(COLOURS)] for i, kind in enumerate(dict.fromkeys(row["link"] for row in rows))}
    shares = [None] * len(rows) if busy is None else list(busy)
    for row, share in zip(rows, shares):
        _draw_link(ax, places[row["a"]], places[row["b"]], kinds[row["link"]], row["count"], share)
    for name, place in places.items():
        _draw_end(ax, name, place)
    _draw_key(ax, rows, kinds, shares)
    title(ax, question, of)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axis("off")
    ax.margins(0.08)
    return ax


def _kind(name: str) -> str:
    return name.rstrip("0123456789.:")


def _places(ends: list[tuple[str, str]]) -> dict[str, Place]:
    """GPUs on a circle; what only joins GPUs within it; the others further out, near what they are joined to."""
    beside: dict[str, list[str]] = defaultdict(list)
    for a, b in ends:
        beside[a].append(b)
        beside[b].append(a)
    gpus = sorted((name for name in beside if _kind(name) == GPU), key=lambda name: int(name[len(GPU):]))
    inner = [name for name in beside if _kind(name) == SWITCH]
    within = max(0.45, len(inner) * LABEL / (2 * np.pi)) if len(inner) > 1 else 0.0
    radius = max(1.0, len(gpus) / 9, within + LABEL)
    places = {**_circle(inner, within), **_circle(gpus, radius)}
    _place_outside(places, beside, radius)
    return places


def _circle(names: list[str], radius: float) -> dict[str, Place]:
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / max(len(names), 1)
    return {name: (radius * float(np.cos(at)), radius * float(np.sin(at))) for name, at in zip(names, angles)}


def _place_outside(places: dict[str, Place], beside: dict[str, list[str]], radius: float) -> None:
    """Ring by ring: what is joined to something that has its place."""
    while missing := [name for name in beside if name not in places]:
        radius += OUTWARDS
        near = {name: [places[other] for other in beside[name] if other in places] for name in missing}
        wanted = {name: float(np.angle(sum(complex(*at) for at in around)))
                  for name, around in near.items() if around}  # fmt: skip
        alone = not wanted
        if alone:
            wanted = {missing[0]: 0.0}
        for name, angle in _apart(wanted, LABEL / radius).items():
            places[name] = (radius * float(np.cos(angle)), radius * float(np.sin(angle)))
        radius += OUTWARDS if alone else 0  # what is joined to it stands beside it, with a link that can be seen


def _apart(wanted: dict[str, float], least: float) -> dict[str, float]:
    """Angles at least so far from each other, in their order."""
    order, found, last = sorted(wanted, key=lambda name: (wanted[name], name)), {}, -np.inf
    for name in order:
        last = found[name] = max(wanted[name], last + least)
    return found


def _draw_link(ax: Axes, a: Place, b: Place, shade: str, count: int, share: float | None) -> None:
    width = THIN * np.sqrt(count) if share is None else THIN + (THICK - THIN) * min(max(share, 0.0), 1.0)
    unused = share is not None and not share > 0
    ax.plot(*zip(a, b), color=shade, linewidth=width, linestyle=":" if unused else "-", solid_capstyle="round",
            alpha=0.85, zorder=1)  # fmt: skip


def _draw_end(ax: Axes, name: str, place: Place) -> None:
    box = {"boxstyle": "round,pad=0.28", "facecolor": "white", "edgecolor": SHADES.get(_kind(name), "0.5")}
    ax.text(*place, name, ha="center", va="center", fontsize=8, bbox={**box, "linewidth": 1.5}, zorder=3)
    ax.plot(*place, alpha=0)  # so that the picture has room for it


def _draw_key(ax: Axes, rows: list[Mapping[str, Any]], kinds: Mapping[str, str], shares: list[Any]) -> None:
    for kind, shade in kinds.items():
        own = [i for i, row in enumerate(rows) if row["link"] == kind]
        ax.plot([], [], color=shade, linewidth=3, label=f"{kind}{_said(rows, shares, own)}")
    if any(share is not None for share in shares):
        ax.plot([], [], color="0.5", linestyle=":", linewidth=THIN, label="not used")
    key(ax)


def _said(rows: list[Mapping[str, Any]], shares: list[Any], own: list[int]) -> str:
    """What there is to say of the links of a type: their bandwidth, or what the busiest carries."""
    if all(shares[i] is None for i in own):
        least = min(own, key=lambda i: rows[i]["count"])
        rate = rows[least].get("payload [B/s]", float("nan"))
        return f", {amount(rate / rows[least]['count'], 'B/s')} each" if rate == rate else ""
    busiest = max(own, key=lambda i: shares[i])
    if not shares[busiest] > 0:
        return ""
    load = amount(max(rows[busiest]["forward [B]"], rows[busiest]["backward [B]"]), "B")
    return f", up to {load} a direction,\nbusy {100 * shares[busiest]:.0f} % of the time"
