"""Input pipeline: what storage, network, page cache, decoding and copies bring to the GPUs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, SupportsIndex

from . import _core, _record, _records
from ._catalog import as_system, default
from ._errors import ArgumentError, NotFoundError
from ._inputs import Number, Quantity, number, quantity, text, whole
from ._system import System


@dataclass(frozen=True, eq=False)
class InputPipeline(_records.InputRates):
    """Rates of every stage in samples per second of one node, the slowest, and what it means for GPUs and storage.

    >>> path = input_pipeline("ilsvrc2012-x10", "c4140", storage="isilon-f800", rate=2940)
    >>> path.limit, path.nodes_gateway, path.nodes_most
    ('gpu', 63.0, 32.0)
    """

    run: _records.InputRun = field(default_factory=_records.InputRun, repr=False)
    """What was asked."""
    setup: tuple[Any, ...] = field(default=(), repr=False)
    """The records of the path: dataset, storage, storage access, decoder, loader, machine."""


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
    for name, choice in {"format": samples, "decode": decode, "policy": policy}.items():
        row[name] = _choice(name, choice)
    row["chunk"] = quantity(chunk, "B", "chunk")
    row["input_variation"] = number(input_variation, "input_variation")
    row["gpu_variation"] = number(gpu_variation, "gpu_variation")
    if rate is not None:
        row["gpu_rate"] = quantity(rate, "1/s", "rate")
    if cache is not None:
        row["cache"], row["first_epoch"] = quantity(cache, "B", "cache"), False
    stored = _find(_records.Storage, "storage", storage)
    path = (
        _find(_records.Dataset, "dataset", dataset),
        stored,
        _access(stored.id),
        _decoder(machine.cpu) if cpu is None else _find(_records.Decoder, "decoder", cpu),
        _find(_records.Loader, "loader", loader),
        machine,
    )
    kinds = ("dataset", "storage", "storage_access", "decoder", "loader", "machine")
    arguments = [*(_record.write(kind, record) for kind, record in zip(kinds, path)), run]
    rates = _record.array("input_rates", _core.input_rates(*arguments))
    return InputPipeline(
        **_record.values("input_rates", rates[0]),
        run=_records.InputRun(**_record.values("input_run", run[0])),
        setup=path,
    )


def _find(kind: Any, name: str, value: Any) -> Any:
    return default()._read(kind, name, value) if isinstance(value, str) else value


def _access(storage: str) -> _records.StorageAccess:
    """What one read takes, or nothing if nobody measured it."""
    if storage not in default().ids("storage_accesses"):
        return _records.StorageAccess()
    return default()._read(_records.StorageAccess, "storage_access", storage)


def _decoder(cpu: str) -> _records.Decoder:
    """That of a CPU ("2 x Intel Xeon ..."), or of Skylake."""
    try:
        return default()._read(_records.Decoder, "decoder", cpu.split(" x ")[-1])
    except (NotFoundError, ArgumentError):
        return default()._read(_records.Decoder, "decoder", "skylake")


def _choice(field_name: str, name: str) -> int:
    choices = _record.field("input_run", field_name).choices
    if text(name, field_name) not in choices:
        raise NotFoundError(f'unknown {field_name} "{name}"; known are {", ".join(choices)}')
    return choices.index(name)
