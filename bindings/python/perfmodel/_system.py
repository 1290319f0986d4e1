"""Systems: machines with their link graph."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _display, _record, _records, _shipped, _topology
from ._background import of_node
from ._inputs import Doubles, Quantity, doubles, quantity, text, whole
from ._table import Table
from ._text import printable


if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Ring(_records.Ring):
    """The ring that a group of GPUs uses for its all-reduce."""

    def all_reduce_time(self, size: Quantity | Iterable[Quantity]) -> Any:
        """Time [s] of an all-reduce of `size` bytes (or "100 MB"); an array for several sizes."""
        if isinstance(size, Iterable) and not isinstance(size, str):
            return self._times([quantity(item, "B", "size") for item in size])
        return float(self._times([quantity(size, "B", "size")])[0])

    def _times(self, sizes: list[float]) -> Doubles:
        times = _core.all_reduce_times(_record.write("ring", self), doubles(sizes))
        return np.frombuffer(times, dtype=np.float64)


class Svg(str):
    """A drawing."""

    def _repr_svg_(self) -> str:
        return str(self)


class System:
    """A machine with its GPUs and the links between them."""

    def __init__(self, handle: _core.system, made: tuple[Any, ...] | None = None):
        self._handle = handle
        self._made = made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made by what the system was made by: a function and its arguments."""
        if self._made is None:
            raise TypeError("only a system made by the package can be pickled")
        return self._made

    @cached_property
    def machine(self) -> _records.Machine:
        """What is on the machine's datasheet."""
        return _record.read(_records.Machine, "machine", _core.system_machine(self._handle))

    @cached_property
    def gpu(self) -> _records.Gpu:
        """Its GPU."""
        return _record.read(_records.Gpu, "gpu", _core.system_gpu(self._handle))

    @property
    def id(self) -> str:
        """Short stable name."""
        return self.machine.id

    @property
    def name(self) -> str:
        """Full name."""
        return self.machine.name

    @property
    def gpus(self) -> int:
        """Number of GPUs."""
        return self.machine.gpus

    def links(self) -> Table:
        """The link graph: one row per pair of ends."""
        return Table(_core.system_edges(self._handle))

    def ring(self, gpus: int | None = None, nodes: int = 1) -> Ring:
        """The ring of the first `gpus` GPUs (all of them by default) of each of `nodes` nodes. Cost: milliseconds."""
        count = self.gpus if gpus is None else whole(gpus, "gpus")
        made = of_node(count, _core.system_ring, self._handle, count, whole(nodes, "nodes"))
        return _record.read(Ring, "ring", made)

    def calibration(self, precision: str = "fp32") -> str:
        """What the kernels of its GPU rest on, by class of operators: measured rows of which GPUs, or rules."""
        gpu = _record.write("gpu", self.gpu)
        return _core.catalog_explain_calibration(_shipped.handle(), gpu, text(precision, "precision"))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The links between GPUs, switches, adapters and CPUs, each type in its colour. Needs matplotlib."""
        return _topology.draw(ax, self.links(), "What joins the GPUs?", self._title())

    def matrix(self) -> str:
        """The link matrix, as nvidia-smi topo -m prints it."""
        return self._drawing("matrix")

    def copies(self) -> str:
        """Copies between all pairs of GPUs, as CUDA's p2pBandwidthLatencyTest prints them."""
        return self._drawing("copies")

    def dot(self) -> str:
        """The link graph in the language of Graphviz."""
        return self._drawing("dot")

    def svg(self) -> Svg:
        """The link graph as a drawing, which notebooks show."""
        return Svg(self._drawing("svg"))

    def _drawing(self, form: str) -> str:
        return of_node(self.gpus, _core.system_drawing, self._handle, form)

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _title(self) -> str:
        return printable(f"System {self.id}: {self.name}, {self.gpus} x {self.gpu.name or self.gpu.id}")

    def _repr_html_(self) -> str:
        """The datasheet, and the links between the GPUs."""
        from ._text import escape

        links = f"<details><summary>links</summary><pre>{escape(self.matrix())}</pre></details>"
        return _display.html(self._title(), _display.facts("machine", self.machine), links)


def as_gpu(value: Any) -> _records.Gpu:
    """A GPU, a system's GPU, or a name of the shipped catalogue."""
    if isinstance(value, System):
        return value.gpu
    return value if isinstance(value, _records.Gpu) else _shipped.record(_records.Gpu, "gpu", text(value, "gpu"))
