"""Input paths: the records that a path from storage to the GPUs is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core, _record, _records
from ._catalog import default
from ._draw import bars, title
from ._errors import ArgumentError, NotFoundError
from ._inputs import instance
from ._record import R, Records
from ._reported import Reported

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._study import Given

InputPath = tuple[
    _records.Dataset,
    _records.Storage,
    _records.StorageAccess,
    _records.Decoder,
    _records.Loader,
    _records.Machine,
    _records.PredictionInterval,
    _records.InputRun,
]
PathArrays = tuple[Records, Records, Records, Records, Records, Records, Records, Records]


@dataclass(frozen=True, eq=False, repr=False)
class InputPipeline(Reported, _records.InputRates):
    """Rates of every stage in samples per second of one node, the slowest, and what it means for GPUs and storage.

    >>> from perfmodel import input_pipeline
    >>> path = input_pipeline("ilsvrc2012-x10", "c4140", storage="isilon-f800", rate=2940)
    >>> path.bottleneck, path.nodes_gateway, path.max_nodes
    ('gpu', 63.0, 32.0)
    """

    setup: InputPath = field(repr=False, compare=False, kw_only=True)
    """The records that it was made from: dataset, storage, storage access, decoder, loader, machine, interval, and
    what was asked."""

    assumed: str = field(default="", kw_only=True)
    """Defaults that were assumed of the run whose GPUs read the input."""

    _readers: tuple[_core.study, Records, Given] | None = field(default=None, repr=False, compare=False, kw_only=True)
    _kept: object = field(default=None, repr=False, compare=False, kw_only=True)  # what the study is made of

    @property
    def run(self) -> _records.InputRun:
        """What was asked."""
        return self.setup[-1]

    def plot(self, *others: Any, ax: Axes | None = None) -> Axes:
        """What every stage on the way to the GPUs delivers, the slowest in another colour. Needs matplotlib."""
        if others:
            raise ArgumentError("one input path is drawn at a time")
        stages = [(label, value) for label, _, value, _ in self._block("input_stages") if value == value]
        names, rates = [name for name, _ in stages], [rate for _, rate in stages]
        ax = bars(ax, names, rates, "samples/s", "rate of a node", marked=rates.index(min(rates)))
        ax.set_xscale("log")
        title(ax, "Which stage of the input is slowest?", self._of())
        return ax

    def _report(self) -> _core.report:
        path = path_arrays([self.setup])
        if self._readers is None:
            return _core.input_report(*path, [], bytearray(), [], 0.0)
        study, run, given = self._readers
        return _core.input_report(*path, [study], run, *given)


def find(kind: type[R], name: str, value: R | str) -> R:
    """A record, or that of a name of the catalogue."""
    return default()._read(kind, name, value) if isinstance(value, str) else instance(value, kind, name)


def access_of(storage: str) -> _records.StorageAccess:
    """What one read takes, or nothing if it was not measured."""
    if storage not in default().ids("storage_accesses"):
        return _records.StorageAccess()
    return default()._read(_records.StorageAccess, "storage_access", storage)


def decoder_of(cpu: str) -> _records.Decoder:
    """That of a CPU ("2 x Intel Xeon ..."), or of Skylake."""
    try:
        return default()._read(_records.Decoder, "decoder", cpu.split(" x ")[-1])
    except (NotFoundError, ArgumentError):
        return default()._read(_records.Decoder, "decoder", "skylake")


def interval() -> _records.PredictionInterval:
    """How far input paths are off, by what they rest on."""
    return default()._read(_records.PredictionInterval, "prediction_interval", "input")


def path_arrays(paths: Sequence[InputPath]) -> PathArrays:
    """The records of input paths, kind by kind, an item for each path."""

    def column(place: int, kind: str) -> Records:
        return _record.side_by_side(kind, [path[place] for path in paths])

    return (
        column(0, "dataset"),
        column(1, "storage"),
        column(2, "storage_access"),
        column(3, "decoder"),
        column(4, "loader"),
        column(5, "machine"),
        column(6, "prediction_interval"),
        column(7, "input_run"),
    )
