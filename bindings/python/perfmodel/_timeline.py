"""Timelines: one step of a prediction as a picture."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._draw import COLOURS, axes, calm, key, title
from ._inputs import Quantity, quantity
from ._prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Event = dict[str, Any]

MICRO = 1e6  # times of a trace are in microseconds
LANES = ("GPU", "host", "gradients", "waiting")
PASSES = {
    "forward": COLOURS[0],
    "backward": COLOURS[1],
    "dgrad": COLOURS[1],
    "wgrad": COLOURS[4],
    "communication": COLOURS[3],
    "update": COLOURS[2],
}
DIGIT = 0.007  # of the width: what a digit of the number of a micro-batch needs
SEAM = 0.3  # points: an edge of a bar's own colour, for none between bars without white ones
EDGE = 0.003  # of the width: what a bar needs for a white edge


def plot_timeline(prediction: Prediction, *, until: Quantity | None = None, ax: Axes | None = None) -> Axes:
    """One step of a prediction over time, or its beginning, `until` so many seconds. Of a run that splits the
    network: the passes of every stage over its micro-batches (with their numbers where there is room, later chunks of
    layers lighter), exchange of gradients, update, and in grey what it waits. Else the kernels of a GPU, the host's
    launches, buckets of gradients, waiting. The last row is what a board draws, where that is known, the mean of the
    stages; over the step that adds up to the predicted energy. `prediction.trace("step.json")` has the same for
    ui.perfetto.dev.
    """
    if not hasattr(prediction, "trace"):
        raise TypeError(f"a timeline needs a prediction, not {type(prediction).__name__}")
    trace = json.loads(prediction.trace())["traceEvents"]
    bars = [event for event in trace if event["ph"] == "X"]
    end = max(event["ts"] + event["dur"] for event in bars) / MICRO
    end = end if until is None else min(end, quantity(until, "s", "until"))
    power = [(event["ts"], event["args"]["W"]) for event in trace if event["ph"] == "C"]
    if any("cat" in event for event in bars):
        shown = [event for event in bars if event["ts"] < end * MICRO]
        lanes = [event for event in trace if event["ph"] == "M"]
        return _draw_stages(prediction, lanes, shown, power, end * MICRO, ax)
    return _draw_step(prediction, bars, power, end, axes(ax))


Power = list[tuple[float, float]]


def _draw_power(ax: Axes, power: Power, lane: int, scale: float) -> str:
    """What a board draws, in a row of its own from 0 to the most; what the row is called."""
    most = max(watts for _, watts in power)
    times, heights = [time * scale for time, _ in power], [-lane - 0.4 + 0.8 * watts / most for _, watts in power]
    ax.fill_between(times, -lane - 0.4, heights, step="post", color="0.45", linewidth=0)
    return f"power, 0 to {most:.0f} W"


# ---- One GPU ----


def _draw_step(prediction: Prediction, bars: Iterable[Event], power: Power, end: float, ax: Axes) -> Axes:
    for event in bars:
        lane, name = event["tid"] - 1, event["name"]
        kind = 2 if name == "update" else int(name.endswith((", dgrad", ", wgrad")))
        bar = [(event["ts"] / 1e3, event["dur"] / 1e3)]
        ax.broken_barh(bar, (-lane - 0.35, 0.7), color=COLOURS[kind if lane == 0 else 2 + lane], linewidth=0)
    lanes = [*LANES, _draw_power(ax, power, len(LANES), 1e-3)] if power else LANES
    ax.set_yticks([-lane for lane in range(len(lanes))], lanes)
    ax.set_ylim(0.5 - len(lanes), 0.5)
    ax.set_xlim(0, end * 1e3)
    ax.set_xlabel("time [ms]")
    title(ax, "What happens in one step?", f"{prediction.network} on {prediction.system}, {prediction.framework}")
    for i, label in enumerate(("forward", "backward", "update", "launches", "exchange", "waiting")):
        if i < 3 or any(event["tid"] == i - 1 for event in bars):
            ax.plot([], [], color=COLOURS[i], linewidth=6, label=label)
    calm(ax)
    key(ax)
    return ax


# ---- Stages ----


def _draw_stages(
    prediction: Prediction, lanes: list[Event], bars: list[Event], power: Power, end: float, ax: Axes | None
) -> Axes:
    ax = axes(ax, (9, 1.7 + 0.42 * (len(lanes) + bool(power))))
    unit, scale = ("s", 1e-6) if end >= 1e6 else ("ms", 1e-3)
    for lane in lanes:
        ax.broken_barh([(0, end * scale)], (-lane["tid"] - 0.4, 0.8), color="0.9", linewidth=0)
    _draw_passes(ax, bars, end, scale)
    names = [lane["args"]["name"] for lane in lanes]
    names += [_draw_power(ax, power, len(lanes), scale)] if power else []
    ax.set_yticks([-row for row in range(len(names))], names)
    ax.set_ylim(-len(names) + 0.4, 0.6)
    ax.set_xlim(0, end * scale)
    ax.set_xlabel(f"time [{unit}]")
    title(ax, "What does each stage do in one step?", _of(prediction))
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    _legend(ax, prediction, _seen(bars, end * len(lanes)))
    return ax


def _seen(bars: list[Event], area: float) -> set[str]:
    """Categories that take enough of the picture to be seen."""
    kinds = {event["cat"] for event in bars}
    return {kind for kind in kinds if sum(event["dur"] for event in bars if event["cat"] == kind) > 0.001 * area}


def _draw_passes(ax: Axes, bars: list[Event], end: float, scale: float) -> None:
    chunks = 1 + max(event.get("args", {}).get("chunk", 0) for event in bars)
    passes = [event for event in bars if "args" in event]
    digits = len(str(max(event["args"]["micro_batch"] for event in passes)))
    narrow = {event["cat"] for event in passes if event["dur"] < DIGIT * (1 + digits) * end}
    edge = 0.4 if min(event["dur"] for event in passes) > EDGE * end else 0
    groups: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    for event in bars:
        if event["cat"] not in PASSES:
            continue
        part = event.get("args", {"chunk": 0, "micro_batch": None})
        start, width = event["ts"] * scale, event["dur"] * scale
        groups.setdefault((event["cat"], event["tid"], part["chunk"]), []).append((start, width))
        if part["micro_batch"] is not None and event["cat"] not in narrow:
            ax.text(
                start + width / 2, -event["tid"], str(part["micro_batch"]), color="white", fontsize=7, ha="center",
                va="center", clip_on=True,
            )  # fmt: skip
    for (kind, lane, chunk), spans in groups.items():
        colour = _lighter(PASSES[kind], 0.55 * chunk / chunks)
        ax.broken_barh(spans, (-lane - 0.4, 0.8), facecolor=colour, edgecolor="white" if edge else colour,
                       linewidth=edge or SEAM, snap=False)


def _lighter(colour: str, by: float) -> tuple[float, ...]:
    return tuple(1 - (1 - int(colour[i : i + 2], 16) / 255) * (1 - by) for i in (1, 3, 5))


def _of(prediction: Prediction) -> str:
    run = prediction.run
    chunks = f" of {run.virtual_pipeline} chunks" if run.virtual_pipeline > 1 else ""
    schedule = "interleaved" if run.virtual_pipeline > 1 else run.pipeline_schedule
    stages = f"{prediction.pipeline_stages} stages{chunks}" if prediction.pipeline_stages > 1 else "1 stage"
    order = f", {schedule}" if prediction.pipeline_stages > 1 else ""
    batches = f"{prediction.micro_batches:.0f} micro-batch{'es' * (prediction.micro_batches != 1)}"
    return f"{prediction.network} on {prediction.system}: {stages}, {batches}{order}"


def _legend(ax: Axes, prediction: Prediction, kinds: set[str]) -> None:
    names = {"communication": "exposed data exchange"}
    for kind, colour in PASSES.items():
        if kind in kinds:
            ax.plot([], [], color=colour, linewidth=6, label=names.get(kind, kind))
    ax.plot([], [], color="0.9", linewidth=6, label=f"waiting (bubble {100 * prediction.bubble_share:.1f} % of the "
            f"step)")
    height = ax.get_window_extent().height / ax.figure.dpi  # in inches; the legend is half an inch below
    ax.legend(
        frameon=False, fontsize=9, ncols=7, loc="upper center", bbox_to_anchor=(0.5, -0.5 / height),
        handlelength=1, columnspacing=1.2,
    )  # fmt: skip
