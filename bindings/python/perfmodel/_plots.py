"""Plots: scaling curves, rooflines and fronts of serving; timelines are beside. matplotlib is imported only when
one is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from . import _core, _front, _records
from ._catalog import as_gpu, as_network, as_system
from ._draw import axes, calm, colour, key, marker, number_axis, title
from ._errors import ArgumentError
from ._framework import Framework
from ._inputs import Number, Quantity, few, instance, many, whole
from ._keywords import takes
from ._network import Network
from ._plan import Networks, Systems
from ._serving_goal import size_serving
from ._sweep import Sweep, sweep
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack

    from ._options import ServingRunOptions

TERA = 1e12
ABOVE = 1.01  # times the roof, from which it is no rounding


# ---- Scaling ----


def plot_scaling(
    networks: Networks,
    systems: Systems,
    *,
    gpus: Iterable[int] | None = None,
    batch: Number | None = None,
    global_batch: Number | None = None,
    precision: str | None = None,
    framework: Framework | str | None = None,
    overlap: str | None = None,
    measured: Mapping[str, Mapping[int, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Throughput over the number of GPUs, a line per network and system, with its ideal (as many times one GPU) dotted.

    `gpus` are powers of two up to all of each system by default; what else is not given is completed, as
    `perfmodel.predict` does. `measured` gives published or own rates of networks to set beside the lines of a single
    system: {"resnet50": {8: 1513}}.
    """
    nodes = [as_system(item) for item in many(systems)]
    nets = [as_network(item) for item in many(networks)]
    if not nets or not nodes:
        raise ArgumentError("scaling needs at least one network and one system")
    if measured and len(nodes) > 1:
        raise ArgumentError("measured rates need a single system")
    wanted = None if gpus is None else sorted(whole(count, "gpus") for count in few(gpus, "gpus"))
    counts = [_powers(node.gpus) if wanted is None else wanted for node in nodes]
    ax = axes(ax)
    unknown = []
    for i, (net, (node, own)) in enumerate(product(nets, zip(nodes, counts))):
        rows = sweep(
            net, node, gpus=own, batch=batch, global_batch=global_batch, precision=precision, framework=framework,
            overlap=overlap,
        )
        label = _label(net, node, len(nets) > 1, len(nodes) > 1)
        if not np.isfinite(rows["throughput"]).any():
            unknown.append(f"{label}: {str(rows['status'][0]).replace('_', ' ')}")
            continue
        _draw_scaling(ax, rows, label, i, instance(measured or {}, Mapping, "measured").get(net.id, {}))
        per = _share(rows, global_batch)
    if len(unknown) == len(nets) * len(nodes):
        raise ArgumentError(f"no prediction for {'; '.join(unknown)}")
    where = nodes[0].name or nodes[0].id if len(nodes) == 1 else f"{len(nodes)} systems"
    what = f" of {nets[0].name or nets[0].id}" if len(nets) == 1 and len(nodes) > 1 else ""
    _scaling_frame(ax, f"training{what} on {where}", sorted(set().union(*counts)), per if i == 0 else "")
    if unknown:
        ax.text(0.02, 0.98, "no prediction for\n" + "\n".join(unknown), transform=ax.transAxes, va="top", fontsize=8)
    return ax


def _label(net: Network, node: System, networks: bool, systems: bool) -> str:
    """What tells a line from the others."""
    words = [net.name or net.id] if networks or not systems else []
    return ", ".join(words + [node.name or node.id] * systems)


def _powers(limit: int) -> list[int]:
    """1, 2, 4, ... and the limit itself."""
    return sorted({2**i for i in range(limit.bit_length()) if 2**i <= limit} | {limit})


def _draw_scaling(ax: Axes, rows: Sweep, label: str, index: int, measured: Mapping[int, float]) -> None:
    own, dot = colour(index), marker(index)
    counts, rates = rows["gpus"], rows["throughput"]
    ax.plot(counts, rates, color=own, marker=dot, label=label, zorder=3)
    if np.isfinite(rates[0]):
        ax.plot(counts, rates[0] / counts[0] * counts, color=own, linestyle=":", linewidth=1, alpha=0.8)
    if np.isfinite(rows["throughput_p10"]).any():
        ax.fill_between(counts, rows["throughput_p10"], rows["throughput_p90"], color=own, alpha=0.15, linewidth=0)
    if measured:
        ax.plot(
            list(measured), list(measured.values()), color=own, marker=dot, markerfacecolor="white",
            markersize=8, linestyle="none", label=f"{label}, measured", zorder=4,
        )  # fmt: skip


def _share(rows: Sweep, global_batch: Number | None) -> str:
    """Batch and precision in words."""
    per = f"global batch {global_batch}" if global_batch is not None else f"batch {rows['batch'][0]:g} per GPU"
    return f", {per}, {rows['precision'][0]}"


def _scaling_frame(ax: Axes, of: str, counts: list[int], asked: str) -> None:
    ax.plot([], [], color="0.4", linestyle=":", linewidth=1, label="ideal")
    ax.fill_between([], [], [], color="0.5", alpha=0.25, linewidth=0, label="80 % interval")
    title(ax, "How does training scale with GPUs?", f"{of}{asked}")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(counts, [str(count) for count in counts])
    ax.set_xlabel("GPUs")
    ax.set_ylabel("throughput [samples/s]")
    number_axis(ax.yaxis, steps=(1, 2, 5))
    calm(ax)
    key(ax)


# ---- The front of a served model ----


@takes("serving_run", but=("gpus", "nodes", "concurrency", "arrivals"))
def plot_serving(
    network: Network | str,
    systems: Systems,
    *,
    ttft: Quantity | None = None,
    tpot: Quantity | None = None,
    engine: str | None = None,
    layouts: str = "all",
    max_gpus: SupportsIndex = 32,
    max_workers: SupportsIndex = 8,
    ax: Axes | None = None,
    **run: Unpack[ServingRunOptions],
) -> Axes:
    """Tokens/s/GPU over tokens/s/user, a line per system: the front of all layouts at any load within the limits, as
    `perfmodel.size_serving(..., front=True)` finds it. Layouts stand beside points that are apart.
    """
    ax = axes(ax)
    served, chosen = as_network(network), [as_system(item) for item in many(systems)]
    if not chosen:
        raise ArgumentError("a front needs at least one system")
    for i, node in enumerate(chosen):
        rows = size_serving(
            served, node, ttft=ttft, tpot=tpot, engine=engine, layouts=layouts, front=True, max_gpus=max_gpus,
            max_workers=max_workers, **run,
        )  # fmt: skip
        _front.served(ax, rows, node.name or node.id, i)
    question = "How many tokens/s has a user, and how many does a GPU make?"
    _front.served_frame(ax, question, f"{served.name or served.id}, {rows['assumed'][0]}")
    return ax


# ---- Roofline ----


def plot_roofline(
    network: Network | str,
    gpu: _records.Gpu | System | str,
    batch: Number = 32,
    precision: str = "fp32",
    ax: Axes | None = None,
) -> Axes:
    """The forward kernels of a network under the roofline of a GPU: one dot per layer at its arithmetic intensity and
    predicted rate, its area the layer's share of the forward time, its colour the kind of layer.

    The roofs are the arithmetic peaks that the layers run under; the slope is the device memory bandwidth, the dashed
    one that of the L2, and the dashed roof what the power of the board can hold, where the constants of the
    architecture say so. The data are those of `Network.times`.
    """
    net, chip = as_network(network), as_gpu(gpu)
    times = net.times(chip, batch, precision)
    work = times["flop"] > 0
    if not work.any():
        raise ArgumentError(f"{net.id} has no layer with arithmetic")
    ax = axes(ax)
    low, high = _intensity_range(times["intensity"][work], times["peak"][work] / chip.memory_bandwidth)
    _draw_roofs(ax, chip, times["peak"][work], low, high)
    _draw_limits(ax, times, work, low, high)
    _draw_layers(ax, times, work)
    fewer = bool((times["achieved"][work] > ABOVE * times["peak"][work]).any())
    _roofline_frame(ax, net, chip, batch, precision, int((~work).sum()), fewer)
    return ax


def _intensity_range(intensity: Any, ridges: Any) -> tuple[float, float]:
    """A little more than the dots and the ridge points take."""
    low, high = min(intensity.min(), ridges.min()), max(intensity.max(), ridges.max())
    return float(low / 2), float(high * 2)


def _draw_roofs(ax: Axes, chip: _records.Gpu, peaks: Any, low: float, high: float) -> None:
    roofs = sorted({float(peak) for peak in peaks})
    bandwidth = chip.memory_bandwidth
    top = roofs[-1] / bandwidth
    ax.plot([low, top], [low * bandwidth / TERA, roofs[-1] / TERA], color="0.25", linewidth=1.6, zorder=2)
    _label_slope(ax, bandwidth, low, top)
    for peak in roofs:
        ridge = peak / bandwidth
        ax.plot([ridge, high], [peak / TERA, peak / TERA], color="0.25", linewidth=1.6, zorder=2)
        ax.plot([ridge, ridge], [0, peak / TERA], color="0.6", linewidth=0.8, linestyle=":", zorder=1)
        ax.plot(ridge, peak / TERA, marker="o", markersize=5, markerfacecolor="white", color="0.25", zorder=5)
        ax.annotate(
            f"{_core.quantity_format(peak, 'FLOP/s')}, ridge at {ridge:.3g} FLOP/B", (ridge, 0), rotation=90,
            xycoords=ax.get_xaxis_transform(), xytext=(4, 6), textcoords="offset points", fontsize=8, color="0.25",
        )  # fmt: skip
    ax.set_xlim(low, high)
    ax.set_ylim(low * bandwidth / TERA, 2 * roofs[-1] / TERA)


def _draw_limits(ax: Axes, times: Any, work: Any, low: float, high: float) -> None:
    """The L2's slope and the power's roof, dashed, as far as they are known and below the highest roof."""
    l2, power, peak = (float(times[name][work].max()) for name in ("l2_bandwidth", "power_rate", "peak"))
    style: dict[str, Any] = {"color": "0.6", "linewidth": 1.2, "linestyle": "--", "zorder": 1}
    if low * l2 < peak:
        ax.plot([low, peak / l2], [low * l2 / TERA, peak / TERA], label=f"L2 {_core.quantity_format(l2, 'B/s')}",
                **style)
    if power < peak:
        label = f"power of the board {_core.quantity_format(power, 'FLOP/s')}"
        ax.plot([low, high], [power / TERA, power / TERA], label=label, **style)


def _label_slope(ax: Axes, bandwidth: float, low: float, top: float) -> None:
    """The bandwidth, written along the slope, in the dots' shadow."""
    x = low * (top / low) ** 0.5
    ax.annotate(
        _core.quantity_format(bandwidth, "B/s"), (x, x * bandwidth / TERA), xytext=(7, -7), rotation=45,
        textcoords="offset points", ha="center", va="center", fontsize=8, color="0.25", rotation_mode="anchor",
        transform_rotates_text=True,
    )  # fmt: skip


def _draw_layers(ax: Axes, times: Any, work: Any) -> None:
    kinds = times["kind"]
    share = times["forward_time"] / times["forward_time"][work].sum()
    by_time = sorted(set(kinds[work]), key=lambda kind: -float(share[work & (kinds == kind)].sum()))
    for i, kind in enumerate(by_time):
        chosen = work & (kinds == kind)
        ax.scatter(
            times["intensity"][chosen], times["achieved"][chosen] / TERA, s=20 + 2400 * share[chosen],
            color=colour(i), alpha=0.5, edgecolor="white", linewidth=0.6, zorder=3,
            label=f"{kind}  {_percent(share[chosen].sum())}",
        )  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %"


def _roofline_frame(ax: Axes, net: Network, chip: _records.Gpu, batch: Number, precision: str, left_out: int,
                    fewer: bool) -> None:  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("arithmetic intensity [FLOP/B]")
    ax.set_ylabel("rate [TFLOP/s]")
    number_axis(ax.xaxis, steps=(1,))
    number_axis(ax.yaxis, steps=(1,))
    title(ax, "What limits the kernels?",
          f"{net.name or net.id} forward, batch {batch}, {precision}, on {chip.name or chip.id}")  # fmt: skip
    calm(ax)
    heading = "share of forward time" + (f"\n(layers without arithmetic of their own: {left_out})" if left_out else "")
    heading += "\n(above the roof: Winograd, which executes\nfewer FLOP than the layer counts)" if fewer else ""
    key(ax, fontsize=8, title=heading, title_fontsize=8, alignment="left")
    legend = ax.get_legend()
    for handle in legend.legend_handles if legend is not None else ():
        if handle is not None and hasattr(handle, "set_sizes"):
            handle.set_sizes([40])
