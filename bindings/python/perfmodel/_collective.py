"""Collectives: the cost of reductions, broadcasts and exchanges between GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, Union

import numpy as np

from . import _core, _display, _topology
from ._background import of_node
from ._catalog import as_system
from ._draw import Line, axes, draw_bandwidths, title
from ._inputs import Doubles, Quantity, doubles, many, quantity, text, whole, wholes
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T", bound="Collectives | Loads")
Gpus = Union[SupportsIndex, Iterable[SupportsIndex], None]


@dataclass(frozen=True)
class Cycle:
    """One ring through all GPUs of a group."""

    order: tuple[int, ...]
    """GPUs in the order of the ring."""
    weight: float
    """Directed rings over it, in links."""


@dataclass(frozen=True, repr=False)
class Rings:
    """The rings that collectives use on some GPUs of a system."""

    directed_rings: float
    """Directed rings over NVLink or xGMI; 0 if such links do not join the GPUs."""
    bandwidth: float
    """Bus bandwidth of all of them [B/s]."""
    cycles: tuple[Cycle, ...]
    """The rings one by one; over PCIe, the one that is there."""

    def _title(self) -> str:
        rate = _core.quantity_format(self.bandwidth, "B/s")
        gpus = len(self.cycles[0].order) if self.cycles else 1
        if self.directed_rings == 0:
            return f"Rings of {gpus} GPUs: none over GPU links, one over PCIe, {rate} of bus bandwidth"
        return f"Rings of {gpus} GPUs: {self.directed_rings:g} directed, {rate} of bus bandwidth"

    def __repr__(self) -> str:
        lines = [f"  {' '.join(map(str, cycle.order))}  weight {cycle.weight:g}" for cycle in self.cycles]
        return "\n".join([f"<{self._title()}", *lines]) + ">"

    def _repr_html_(self) -> str:
        known = [(" ".join(map(str, cycle.order)), f"weight {cycle.weight:g}",
                  "order and links") for cycle in self.cycles]
        return _display.html(self._title(), known)


class Collectives(Table):
    """Times and bandwidths of a collective, a row for each size."""

    _of = ""

    def plot(self, *others: Any, ax: Axes | None = None) -> Axes:
        """Plots bus bandwidth over size with its 80 % interval, optionally with other collectives or systems. Needs
        matplotlib."""
        every = [self, *others]
        if any(not isinstance(item, Collectives) for item in every):
            raise TypeError("collectives can only be drawn with collectives")
        ax = axes(ax)
        draw_bandwidths(ax, [item._line() for item in every])
        title(ax, "What bus bandwidth does a collective reach?", self._of if not others else "")
        return ax

    def _line(self) -> Line:
        size, time, rate = self["bytes"], self["time"], self["bus_bandwidth"]
        return Line(self._of, size, rate, rate * time / self["time_p90"], rate * time / self["time_p10"])


class Loads(Table):
    """The traffic of a collective on every link of a machine."""

    _of = ""

    def _picture(self, ax: Axes | None) -> Axes:
        """The links, each as wide as it is busy."""
        return _topology.draw(ax, self, "Which links does the collective use?", self._of, self["busy"])


def _group(node: System, gpus: Gpus) -> tuple[Doubles, int]:
    """Numbers of GPUs, or none and how many of the first."""
    if gpus is None:
        return doubles([]), node.gpus
    if isinstance(gpus, Iterable):
        listed = wholes(gpus, "a GPU")
        return listed, len(listed)
    return doubles([]), whole(gpus, "gpus")


def _arguments(
    system: System | str,
    name: str,
    sizes: Any,
    gpus: Gpus,
    nodes: SupportsIndex,
    thread_gpus: SupportsIndex,
    algorithm: str,
    protocol: str,
) -> tuple[Any, ...]:
    node = as_system(system)
    listed, count = _group(node, gpus)
    buffers = doubles(quantity(size, "B", "bytes") for size in many(sizes))
    threads = whole(thread_gpus, "thread_gpus")
    return (
        *(node._handle, text(name, "collective"), buffers, listed, count),
        *(whole(nodes, "nodes"), threads, text(algorithm, "algorithm"), text(protocol, "protocol")),
    )


def collective(
    system: System | str,
    name: str,
    bytes: Quantity | Iterable[Quantity],
    *,
    gpus: Gpus = None,
    nodes: SupportsIndex = 1,
    algorithm: str = "auto",
    protocol: str = "auto",
    thread_gpus: SupportsIndex = 1,
) -> Collectives:
    """Time and bandwidths of a collective, one row for each size.

    `name` is all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all, send_receive, gather or scatter;
    `bytes` counts the whole buffer; `gpus` is a number (the first ones of each node) or a list of them, all by default;
    `thread_gpus` is how many of them one host thread drives. "auto" is what a collective library takes by itself.

    >>> times = collective("dgx1-v100", "all_reduce", [1e6, "1 GB"], gpus=8)
    >>> bool(times["bus_bandwidth"][1] > 130e9)
    True
    """
    asked = _arguments(system, name, bytes, gpus, nodes, thread_gpus, algorithm, protocol)
    return _told(Collectives(_evaluated(_core.collective_times, asked)), system, name, asked)


def collective_loads(
    system: System | str,
    name: str,
    bytes: Quantity,
    *,
    gpus: Gpus = None,
    nodes: SupportsIndex = 1,
    algorithm: str = "auto",
    protocol: str = "auto",
    thread_gpus: SupportsIndex = 1,
) -> Loads:
    """The traffic of a collective of one size on every link."""
    asked = _arguments(system, name, bytes, gpus, nodes, thread_gpus, algorithm, protocol)
    return _told(Loads(_evaluated(_core.collective_loads, asked)), system, name, asked)


def _evaluated(call: Any, asked: tuple[Any, ...]) -> Any:
    """What the core makes of the arguments; Ctrl-C is answered meanwhile."""
    *_, count, _nodes, _threads, _algorithm, _protocol = asked
    return of_node(count, call, *asked)


def _told(table: T, system: System | str, name: str, asked: tuple[Any, ...]) -> T:
    """With what was asked, in words for a picture."""
    *_, listed, count, nodes, _threads, _algorithm, _protocol = asked
    on = f" on {nodes} nodes" if nodes > 1 else ""
    table._of = f"{name.replace('_', '-')} of {count} GPUs{on}, {as_system(system).name}"
    return table


def rings(system: System | str, gpus: Gpus = None) -> Rings:
    """The rings of GPUs of a system: the first N, or a list (default: all).

    >>> rings("dgx1-v100", [0, 1, 2, 3]).directed_rings
    4.0
    """
    node = as_system(system)
    listed, count = _group(node, gpus)
    values = np.frombuffer(of_node(count, _core.system_rings, node._handle, listed, count), dtype=np.float64)
    size = int(values[2])
    table = values[3:].reshape(-1, size + 1)
    cycles = tuple(Cycle(tuple(int(gpu) for gpu in row[1:]), float(row[0])) for row in table)
    return Rings(float(values[0]), float(values[1]), cycles)
