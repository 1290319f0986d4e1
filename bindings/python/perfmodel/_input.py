"""Input pipeline: what storage, network, page cache, decoding and copies bring to the GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np

from . import _core, _display, _record, _records
from ._catalog import as_system, default
from ._errors import ArgumentError, NotFoundError
from ._inputs import Number, Quantity, choice, number, quantity, whole
from ._record import R, Records
from ._system import System

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

    >>> path = input_pipeline("ilsvrc2012-x10", "c4140", storage="isilon-f800", rate=2940)
    >>> path.bottleneck, path.nodes_gateway, path.max_nodes
    ('gpu', 63.0, 32.0)
    """

    setup: InputPath = field(repr=False, compare=False, kw_only=True)
    """The records that it was made from: dataset, storage, storage access, decoder, loader, machine, interval, and what was
    asked."""

    @property
    def run(self) -> _records.InputRun:
        """What was asked."""
        return self.setup[-1]

    def __repr__(self) -> str:
        dataset, storage, *_, machine, _interval, _run = self.setup
        way = f"{dataset.id} from {storage.id} to {machine.id}"
        return f"<InputPipeline {way}: {self.throughput:,.0f} samples/s, bottleneck {self.bottleneck}>"

    def _repr_html_(self) -> str:
        return _display.html(repr(self)[1:-1], _display.facts("input_rates", self, without=("status",)))


def input_pipeline(
    dataset: _records.Dataset | str,
    system: System | str,
    *,
    storage: _records.Storage | str,
    rate: Quantity | None = None,
    nodes: SupportsIndex = 1,
    units: SupportsIndex = 1,
    gpus: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    reads: SupportsIndex = 0,
    prefetch: SupportsIndex = 2,
    loader: _records.Loader | str = "tensorflow",
    cpu: _records.Decoder | str | None = None,
    samples: str = "packed",
    decode: str = "cpu",
    cache: Quantity | None = None,
    policy: str = "lru",
    chunk: Quantity = "1 MiB",
    input_variation: Number = 0.0,
    gpu_variation: Number = 0.0,
) -> InputPipeline:
    """Samples per second of every stage of the input path, and the slowest.

    Args:
        dataset: a data set, or a name of the catalogue.
        system: a system, or a name of the catalogue; its CPU decodes.
        storage: where samples are stored, or a name of the catalogue.
        rate: samples per second that the GPUs of one node would take.
        nodes: nodes that read at once; units: units of the storage, such as chassis.
        gpus: GPUs per node, workers: threads that decode, reads: reads in flight; 0: all, one per core, as workers.
        prefetch: batches prefetched; 0: the stages work in turn.
        cpu: how fast cores decode; otherwise the system's CPU, or "skylake" if that is not measured.
        samples: "packed" or "files"; decode: "cpu", "gpu" or "none".
        cache: memory of a node for cached pages ("100 GiB"), in steady state; without it the first epoch.
        policy: "lru", "random", "keep" or "sequential".
        input_variation: squared coefficient of variation of a batch's preparation time; gpu_variation: of a step's.

    Raises:
        NotFoundError for an unknown name, ArgumentError, NotModelledError.
    """
    machine = as_system(system).machine
    run = _record.array("input_run", _core.input_run_default())
    row = run[0]
    counts = {"nodes": nodes, "units": units, "gpus": gpus, "workers": workers, "reads": reads, "prefetch": prefetch}
    for name, value in counts.items():
        row[name] = whole(value, name)
    for name, chosen in {"format": samples, "decode": decode, "policy": policy}.items():
        row[name] = choice("input_run", name, chosen)
    row["chunk"] = quantity(chunk, "B", "chunk")
    row["input_variation"] = number(input_variation, "input_variation")
    row["gpu_variation"] = number(gpu_variation, "gpu_variation")
    if rate is not None:
        row["gpu_rate"] = quantity(rate, "1/s", "rate")
    if cache is not None:
        row["cache"], row["first_epoch"] = quantity(cache, "B", "cache"), False
    stored = find(_records.Storage, "storage", storage)
    path = (
        find(_records.Dataset, "dataset", dataset),
        stored,
        access_of(stored.id),
        decoder_of(machine.cpu) if cpu is None else find(_records.Decoder, "decoder", cpu),
        find(_records.Loader, "loader", loader),
        machine,
        interval(),
        _records.InputRun(**_record.values("input_run", row)),
    )
    rates = _record.array("input_rates", _core.input_rates(*path_arrays([path])))
    return InputPipeline(**_record.values("input_rates", rates[0]), setup=path)


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
        result = np.empty(len(paths), dtype=_record.dtype(kind))
        for i, path in enumerate(paths):
            result[i] = _record.write(kind, path[place])[0]
        return result

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
