"""Input paths: the records that a path from storage to the GPUs is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import _display, _record, _records
from ._catalog import default
from ._errors import ArgumentError, NotFoundError
from ._record import R, Records

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
class InputPipeline(_records.InputRates):
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
    """What was not given of the run whose GPUs read, and is taken to be."""

    @property
    def run(self) -> _records.InputRun:
        """What was asked."""
        return self.setup[-1]

    def __repr__(self) -> str:
        dataset, storage, *_, machine, _interval, _run = self.setup
        way = f"{dataset.id} from {storage.id} to {machine.id}"
        outcome = f"{self.throughput:,.0f} samples/s, bottleneck {self.bottleneck}"
        return _display.closed(f"InputPipeline {way}: {outcome}", self.assumed)

    def _repr_html_(self) -> str:
        return _display.html(repr(self)[1:-1], _display.facts("input_rates", self, without=("status",)))


def find(kind: type[R], name: str, value: R | str) -> R:
    """A record, or that of a name of the catalogue."""
    return default()._read(kind, name, value) if isinstance(value, str) else value


def access_of(storage: str) -> _records.StorageAccess:
    """What one read takes, or nothing if nobody measured it."""
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
