"""Networks: layers, shapes, exact counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex

import numpy as np

from . import _core, _record, _records, _shipped
from ._background import new_lock, of_rows
from ._inputs import AttributeValue, Number, attributes, doubles, many, number, text, whole, wholes
from ._kernel import device
from ._quantity import format_quantity
from ._report import Report
from ._table import Table, written
from ._text import escape, printable


class Network:
    """A network, from the catalogue (`perfmodel.network`) or built layer by layer:

    >>> net = Network("tiny")
    >>> image = net.input(3, 224, 224)
    >>> x = net.add("conv2d", out_channels=64, kernel=7, stride=2, padding=3)
    >>> y = net.add("relu")

    A layer takes the output of the layer added before it, unless `inputs` names others by their numbers.

    Attributes:
        report: of an imported network, what became of its operators; None otherwise.
    """

    report: Report | None = None

    def __init__(self, id: str, name: str = "", *, _handle: _core.network | None = None):
        self._handle = _handle if _handle is not None else _core.network_new(text(id, "id"), text(name, "name") or id)
        self._lock = new_lock()  # of what may take long, and of adding layers
        self._last: int | None = None
        self._version = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made of the network's XML."""
        return _read_again, (self.id, self._of_all(_core.network_format_xml), self.report, self._last)

    def input(self, *shape: SupportsIndex, name: str = "") -> int:
        """Adds an input of that shape, per sample and without the batch. Returns its number."""
        sizes = doubles(whole(size, "dimension") for size in shape)
        return self._added(self._locked(_core.network_add_input, text(name, "name"), sizes))

    def add(
        self,
        kind: str,
        *,
        inputs: int | Iterable[int] | None = None,
        name: str = "",
        **attributes_: AttributeValue,
    ) -> int:
        """Adds a layer of a kind (`perfmodel.layer_kinds()`) with its attributes. Returns its number.

        Raises ShapeError if shapes do not fit, BadValueError or NotFoundError for attributes; the network is then as
        it was.
        """
        taken = self._before() if inputs is None else many(inputs)
        numbers = wholes(taken, "input layer")
        names = text(kind, "kind"), text(name, "name")
        return self._added(self._locked(_core.network_add, *names, numbers, attributes(attributes_)))

    def _locked(self, call: Callable[..., Any], *args: Any) -> Any:
        """The core without the interpreter's lock reads what another thread may add to."""
        with self._lock:
            return call(self._handle, *args)

    def _of_all(self, call: Callable[..., Any], *args: Any) -> Any:
        """The same of what takes long if there are many layers."""
        return of_rows(self.totals.layers, self._locked, call, *args)

    def _before(self) -> list[int]:
        return [] if self._last is None else [self._last]

    def _added(self, number: int) -> int:
        self._last = number
        self._version += 1
        return number

    def shape(self, layer: SupportsIndex) -> tuple[int, ...]:
        """The output shape of a layer or input, by its number."""
        sizes = np.frombuffer(_core.network_shape(self._handle, whole(layer, "layer")), dtype=np.float64)
        return tuple(int(size) for size in sizes)

    def to_xml(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The network as a file of the catalogue: returned, or written to a file whole or not at all.

        `Catalog(path).network(id)` reads it back with the same counts. It is a flat list of layers.
        """
        return written(self._of_all(_core.network_format_xml), path)

    @property
    def totals(self) -> _records.NetworkTotals:
        """Counts of the whole network, per sample."""
        return _record.read(_records.NetworkTotals, "network", self._locked(_core.network_totals))

    @property
    def id(self) -> str:
        """Short stable name."""
        return self.totals.id

    @property
    def name(self) -> str:
        """Full name."""
        return self.totals.name

    @property
    def parameters(self) -> int:
        """Trainable parameters."""
        return int(self.totals.parameters)

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one forward pass per sample; 1 MAC = 2 FLOP."""
        return int(self.totals.mac)

    @property
    def flop(self) -> int:
        """Arithmetic of one forward pass per sample, element-wise included."""
        return int(self.totals.flop)

    def layers(
        self,
        batch: Number = 1,
        precision: str = "fp32",
        *,
        framework: _records.MemoryProfile | str = "pytorch",
        total: bool = False,
    ) -> Table:
        """Shape, parameters, MAC, FLOP, shares, gamma and bytes of every layer for a batch.

        Args:
            batch: batch of the counts.
            precision: precision of the bytes.
            framework: a memory profile, or its name: what is `saved` for the backward pass, each tensor with the first
                layer that needs it.
            total: whether the last row is the total.
        """
        return self._counts("layer", 1, batch, precision, framework, total)

    def kinds(
        self,
        batch: Number = 1,
        precision: str = "fp32",
        *,
        framework: _records.MemoryProfile | str = "pytorch",
        total: bool = False,
    ) -> Table:
        """The same counts by kind of layer, most FLOP first."""
        return self._counts("kind", 1, batch, precision, framework, total)

    def tree(
        self,
        depth: SupportsIndex = 2,
        batch: Number = 1,
        precision: str = "fp32",
        *,
        framework: _records.MemoryProfile | str = "pytorch",
        total: bool = False,
    ) -> Table:
        """The same counts by parts of the network, by the dots in the names of its layers, so many levels deep.

        The rows of one level add up to the row above them.
        """
        return self._counts("tree", whole(depth, "depth"), batch, precision, framework, total)

    def _counts(
        self,
        view: str,
        depth: int,
        batch: Number,
        precision: str,
        framework: _records.MemoryProfile | str,
        total: bool,
    ) -> Table:
        profile = framework
        if isinstance(profile, str):
            profile = _shipped.record(_records.MemoryProfile, "memory_profile", profile)
        record = _record.write("memory_profile", profile)
        size, stored = number(batch, "batch"), text(precision, "precision")
        return Table(self._of_all(_core.network_table, view, depth, record, size, stored, float(bool(total))))

    def times(
        self, gpu: _records.Gpu | str, batch: Number = 32, precision: str = "fp32", *, kernel_model: str = "calibrated"
    ) -> Table:
        """Time, algorithm, bound and roofline position of every layer on one GPU (a record, or a name).

        `kernel_model` "roofline" is the plain roofline, which a GPU without constants has in any case.
        """
        record, constants = device(gpu, kernel_model)
        sizes = number(batch, "batch"), text(precision, "precision")
        return Table(self._of_all(_core.network_times, record, constants, *sizes))

    def __repr__(self) -> str:
        totals = self.totals
        return (
            f"<Network {printable(totals.id)}: {totals.layers} layers, {int(totals.parameters):,} parameters, "
            f"{int(totals.mac):,} MAC per sample{self._coverage()}>"
        )

    def _repr_html_(self) -> str:
        totals = self.totals
        counts = f"{totals.layers:,} layers, {int(totals.parameters):,} parameters"
        per_sample = f"{format_quantity(totals.mac, 'MAC')} and {format_quantity(totals.flop, 'FLOP')} per sample"
        title = f"<b>{escape(totals.name)}</b>: {counts}, {per_sample}{escape(self._coverage())}"
        return f"<p>{title}</p>{self.tree(total=True)._repr_html_()}"

    def _coverage(self) -> str:
        """The parts that an import left out."""
        return f"; {self.report.coverage_text}" if self.report is not None and self.report.unknown else ""


def _read_again(id: str, xml: str, report: Report | None, last: int | None) -> Network:
    catalog = _core.catalog_new()
    _core.catalog_load_text(catalog, xml, "network")
    network = Network("", _handle=_core.catalog_new_network(catalog, id, {}))
    network.report, network._last = report, last
    return network


def layer_kinds() -> dict[str, str]:
    """Kinds of layers that `Network.add` knows, each with its attributes; one without a value must be given.

    >>> layer_kinds()["dropout"]
    'rate=0.5'
    """
    return dict(zip(_core.layer_kinds(), _core.layer_attributes()))
