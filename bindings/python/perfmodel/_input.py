"""Input pipeline: what storage, network, page cache, decoding and copies bring to the GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from . import _core, _record, _records
from ._catalog import as_system
from ._errors import ArgumentError
from ._framework import Framework
from ._input_path import InputPipeline, access_of, decoder_of, find, interval, path_arrays
from ._inputs import Number, Quantity, choice, number, quantity, whole
from ._keywords import NO_STEP, axes_of, check, takes
from ._network import Network
from ._prediction import predict
from ._study import flat
from ._system import System

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunOptions


@takes("run", but=("input_rate", "no_prefetch", *NO_STEP))
def input_pipeline(  # type: ignore[misc]
    dataset: _records.Dataset | str,
    system: System | str,
    *,
    storage: _records.Storage | str,
    rate: Quantity | None = None,
    network: Network | str | None = None,
    framework: Framework | str | None = None,
    global_batch: Number | None = None,
    units: SupportsIndex = 1,
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
    **run: Unpack[RunOptions],
) -> InputPipeline:
    """Samples per second of every stage of the input path, and the slowest.

    Args:
        dataset: a data set, or a name of the catalogue.
        system: a system, or a name of the catalogue; its CPU decodes.
        storage: where samples are stored, or a name of the catalogue.
        rate: samples per second that the GPUs of one node would take; or
        network: predict that rate for this network, as `perfmodel.predict` does with the same `framework`,
            `global_batch` and options of the run. Without a network, only gpus and nodes may be given.
        units: units of the storage, such as chassis.
        workers: threads that decode, reads: reads in flight; 0: one per core, as workers.
        prefetch: batches prefetched; 0: the stages work in turn.
        cpu: how fast cores decode; otherwise the system's CPU, or "skylake" if that is not measured.
        samples: "packed" or "files"; decode: "cpu", "gpu" or "none".
        cache: memory of a node for cached pages ("100 GiB"), in steady state; without it the first epoch.
        policy: "lru", "random", "keep" or "sequential".
        input_variation: squared coefficient of variation of a batch's preparation time; gpu_variation: of a step's.

    Raises:
        NotFoundError for an unknown name, ArgumentError, NotModelledError; with a network what `perfmodel.predict`
        raises.
    """
    node = as_system(system)
    asked = _record.array("input_run", _core.input_run_default())
    row = asked[0]
    for name, value in {"units": units, "workers": workers, "reads": reads, "prefetch": prefetch}.items():
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
    if network is None:
        if framework is not None or global_batch is not None:
            raise ArgumentError("framework and global_batch belong to a network: give one")
        row["gpus"], row["nodes"] = _counts(node, check("run", run, "input_pipeline"))
        assumed, readers, kept = "", None, None
    else:
        if rate is not None:
            raise ArgumentError("rate and network are both given; give one")
        trained = predict(network, node, framework=framework, global_batch=global_batch, **run)
        row["gpus"], row["nodes"], assumed = trained.run.gpus, trained.run.nodes, trained.assumed
        row["gpu_rate"] = trained.throughput / trained.run.nodes
        assert trained._plan is not None and trained._given is not None
        kept = trained._plan
        readers = kept._study, _record.write("run", trained.run), trained._given
    stored = find(_records.Storage, "storage", storage)
    path = (
        find(_records.Dataset, "dataset", dataset),
        stored,
        access_of(stored.id),
        decoder_of(node.machine.cpu) if cpu is None else find(_records.Decoder, "decoder", cpu),
        find(_records.Loader, "loader", loader),
        node.machine,
        interval(),
        _records.InputRun(**_record.values("input_run", row)),
    )
    rates = _record.array("input_rates", _core.input_rates(*path_arrays([path])))
    return InputPipeline(**_record.values("input_rates", rates[0]), setup=path, assumed=assumed,
                         _readers=readers, _kept=kept)


def _counts(system: System, keywords: dict[str, Any]) -> tuple[int, int]:
    """GPUs and nodes by the rules of every run."""
    for name in keywords:
        if name not in ("gpus", "nodes"):
            raise ArgumentError(f"{name} belongs to a network: give one")
    given = list(keywords), 0.0
    asked = _core.asked_runs("training", *flat(axes_of("run", keywords)))
    run = _record.values("run", _core.complete_counts(system._handle, asked, *given))
    return run["gpus"], run["nodes"]
