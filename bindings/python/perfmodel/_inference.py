"""Inference: latency and throughput of the forward pass, and the largest batch within a latency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import isnan
from typing import SupportsIndex, Union

import numpy as np

from . import _core, _record, _records
from ._catalog import as_network, default
from ._errors import ArgumentError
from ._inputs import Number, Quantity, choice, many, number, quantity, text, whole
from ._network import Network
from ._quantity import format_quantity
from ._record import Records
from ._system import System
from ._table import Table

Target = Union[System, _records.Gpu, str]
Profile = Union[_records.InferenceProfile, str]


@dataclass(frozen=True, eq=False, repr=False)
class Inference(_records.Inference):
    """What is predicted of one call; SI units.

    >>> p = infer("resnet50", "t4", batch=8, precision="int8")
    >>> p.status, p.latency < 0.01
    ('ok', True)
    """

    network: str = ""
    """Id of the network."""
    system: str = ""
    """Id of the system, or of the GPU."""
    profile: str = ""
    """Id of the framework or engine."""
    run: _records.InferenceRun = field(default_factory=_records.InferenceRun)
    """What was asked; with a latency limit, the batch that was found."""

    @property
    def batch(self) -> float:
        """Samples of the call."""
        return self.run.batch

    def __repr__(self) -> str:
        setting = f"{self.network} on {self.system}, {self.profile}, batch {self.run.batch:g}, {self.run.precision}"
        if self.status != "ok":
            return f"<Inference {setting}: no prediction, {self.status}>"
        rate, time = f"{self.throughput:,.0f} samples/s", format_quantity(self.latency, "s")
        return f"<Inference {setting}: {rate}, {time}, limited by {self.limit}>"


class InferencePlan:
    """What can be computed once for networks, systems (or GPUs) and frameworks. `runs` are structured arrays of dtype
    `perfmodel.dtype("inference_run")`, results of dtype `perfmodel.dtype("inference")`; a run that cannot be predicted
    has its status and NaN, and the others go on.
    """

    def __init__(
        self,
        networks: Network | str | Iterable[Network | str],
        systems: Target | Iterable[Target],
        frameworks: Profile | Iterable[Profile] = "tensorrt",
    ):
        self.networks = [as_network(item) for item in many(networks)]
        self.systems = [_system(item) for item in many(systems)]
        profiles = [_profile(item) for item in many(frameworks)]
        self._usable = [_usable(item.gpu) for item in self.systems]
        self.profiles = np.concatenate([_record.write("inference_profile", item) for item in profiles]).astype(
            _record.dtype("inference_profile")
        )
        """How they run it, as a structured array of dtype `perfmodel.dtype("inference_profile")`."""
        self._handle = _core.inference_plan_new(
            [item._handle for item in self.networks],
            [item._handle for item in self.systems],
            self.profiles,
            _record.write("memory_profile", default().memory_profile("pytorch")),
        )
        self._ids = (
            [item.id for item in self.networks],
            [item.id for item in self.systems],
            [item.id for item in profiles],
        )

    def runs(
        self,
        *,
        batch: Number | Iterable[Number] = 1,
        precision: str | Iterable[str] = "fp32",
        gpus: SupportsIndex = 1,
        nodes: SupportsIndex = 1,
        kernel_model: str = "calibrated",
    ) -> Records:
        """Every combination of batches and precisions for all networks, systems and frameworks; batch varies fastest,
        then precision, framework, system, network."""
        batches = [number(item, "batch") for item in many(batch)]
        precisions = [choice("inference_run", "precision", item) for item in many(precision)]
        networks, systems, profiles = (range(len(ids)) for ids in self._ids)
        points = list(product(networks, systems, profiles, precisions, batches))
        if not points:
            raise ArgumentError("an axis of the sweep is empty")
        usual = _record.array("inference_run", _core.inference_run_default())
        runs = np.empty(len(points), dtype=usual.dtype)
        runs[:] = usual[0]
        names = ("network_index", "system_index", "profile_index", "precision", "batch")
        for name, values in zip(names, zip(*points)):
            runs[name] = values
        runs["gpus"], runs["nodes"] = whole(gpus, "gpus"), whole(nodes, "nodes")
        runs["kernel_model"] = choice("inference_run", "kernel_model", kernel_model)
        runs["usable_memory"] = np.asarray(self._usable)[runs["system_index"]]
        return runs

    def predict(self, runs: Records) -> Records:
        """Predictions of the runs."""
        runs = _record.checked("inference_run", runs, "runs")
        return _record.array("inference", _core.infer(self._handle, runs.reshape(-1))).reshape(runs.shape)

    def within(self, run: Records, latency: Quantity) -> Records:
        """The run with the largest batch whose latency is at most `latency`, and that fits. Raises UnreachableError if
        one sample takes longer."""
        limit = quantity(latency, "s", "latency")
        asked = _record.checked("inference_run", run, "run").reshape(-1)
        return _record.array("inference_run", _core.infer_within(self._handle, asked, limit))

    def check(self, run: Records) -> None:
        """Raises the error that says why this one run cannot be predicted."""
        _core.infer_check(self._handle, _record.checked("inference_run", run, "run").reshape(-1))

    def table(self, runs: Records, predictions: Records) -> Table:
        """Runs and predictions as a table."""
        return Table(
            _core.inference_table(
                self._handle,
                _record.checked("inference_run", runs, "runs").reshape(-1),
                _record.checked("inference", predictions, "predictions").reshape(-1),
            )
        )

    def _answer(self, run: np.void, result: np.void) -> Inference:
        places = (run["network_index"], run["system_index"], run["profile_index"])
        network, system, profile = (ids[place] for ids, place in zip(self._ids, places))
        return Inference(
            **_record.values("inference", result),
            network=network,
            system=system,
            profile=profile,
            run=_records.InferenceRun(**_record.values("inference_run", run)),
        )

    def __repr__(self) -> str:
        networks, systems, profiles = (", ".join(ids) for ids in self._ids)
        return f"<InferencePlan of {networks} on {systems} by {profiles}>"


def infer(
    network: Network | str,
    system: Target,
    *,
    batch: Number | None = None,
    precision: str = "fp32",
    framework: Profile = "tensorrt",
    latency: Quantity | None = None,
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    usable: Quantity | None = None,
    kernel_model: str = "calibrated",
) -> Inference:
    """Predicts the forward pass of a trained network on a GPU or a system (objects, or names of the catalogue).

    Args:
        batch: samples of one call (1 by default); or
        latency: a limit ("10 ms"): the largest batch within it, in `run.batch`.
        precision: "fp32", "fp16", "int8", ...
        framework: what runs it: "tensorrt", "pytorch", ..., see `perfmodel.list("inference_profiles")`; or a record.
        gpus: GPUs of each node, each with the whole network; nodes: nodes.
        usable: memory that a GPU has for it ("15 GB"); otherwise what its driver reports.
        kernel_model: "calibrated" where the architecture has constants, or "roofline".

    The latency is of a batch that is on the GPU already: queueing, and copies from and to the host, are not in it.

    Raises:
        NotFoundError for an unknown name, PrecisionError, TooManyGpusError, ArgumentError; UnreachableError if not even
        one sample is within the latency.
    """
    if batch is not None and latency is not None:
        raise ArgumentError("batch and latency are both given; give one")
    plan = _plan(network, system, framework)
    run = plan.runs(
        batch=1 if batch is None else batch, precision=precision, gpus=gpus, nodes=nodes, kernel_model=kernel_model
    )
    if usable is not None:
        run["usable_memory"] = quantity(usable, "B", "usable")
    if latency is not None:
        run = plan.within(run, latency)
    result = plan.predict(run)
    if result[0]["status"] != 0:
        plan.check(run)
    return plan._answer(run[0], result[0])


def infer_sweep(
    networks: Network | str | Iterable[Network | str],
    systems: Target | Iterable[Target],
    *,
    batch: Number | Iterable[Number] = 1,
    precision: str | Iterable[str] = "fp32",
    framework: Profile | Iterable[Profile] = "tensorrt",
    gpus: SupportsIndex = 1,
    nodes: SupportsIndex = 1,
    kernel_model: str = "calibrated",
) -> Table:
    """Predicts inference for every combination of networks, systems (or GPUs), frameworks, precisions and batches, as a
    table. A combination that cannot be predicted is a row with its `status` and unknown numbers.
    """
    plan = InferencePlan(networks, systems, framework)
    runs = plan.runs(batch=batch, precision=precision, gpus=gpus, nodes=nodes, kernel_model=kernel_model)
    return plan.table(runs, plan.predict(runs))


def _system(value: Target) -> System:
    """A system; or a machine with one GPU, by its name or record."""
    if isinstance(value, System):
        return value
    return default().system(f"gpu:{value.id}" if isinstance(value, _records.Gpu) else text(value, "system"))


def _profile(value: Profile) -> _records.InferenceProfile:
    return default().inference_profile(value) if isinstance(value, str) else value


def _usable(gpu: _records.Gpu) -> float:
    known = default().usable_memory(gpu.id)
    return gpu.memory if isnan(known) else known


@lru_cache(maxsize=64)
def _kept(network: Network, system: str, framework: str, version: int) -> InferencePlan:
    return InferencePlan(network, system, framework)


def _plan(network: Network | str, system: Target, framework: Profile) -> InferencePlan:
    """Plans of names are kept."""
    net = as_network(network)
    if isinstance(system, str) and isinstance(framework, str):
        return _kept(net, system, framework, net._version)
    return InferencePlan(net, system, framework)
