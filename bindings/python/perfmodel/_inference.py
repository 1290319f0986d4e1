"""Inference: latency and throughput of the forward pass, and the largest batch within a latency."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from math import isnan
from typing import TYPE_CHECKING, Union

import numpy as np

from . import _core, _display, _record, _records
from ._catalog import as_network, default
from ._errors import ArgumentError
from ._framework import DEFAULT
from ._inputs import Quantity, many, quantity, text
from ._keywords import check, takes
from ._network import Network
from ._quantity import format_quantity
from ._record import Records
from ._run import space
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import InferenceRunAxes, InferenceRunOptions

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
        tokens = "" if isnan(self.tokens_per_second) else f", {self.tokens_per_second:,.0f} tokens/s"
        return f"<Inference {setting}: {rate}{tokens}, {time}, bottleneck {self.bottleneck}>"

    def _repr_html_(self) -> str:
        return _display.html(repr(self)[1:-1], _display.facts("inference", self, without=("status",)))


class InferencePlan:
    """What can be computed once for networks, systems (or GPUs) and frameworks. `runs` are structured arrays of dtype
    `perfmodel.dtype("inference_run")`, results of dtype `perfmodel.dtype("inference")`; a run that cannot be predicted
    has its status and NaN, and the others go on.
    """

    def __init__(
        self,
        networks: Network | str | Iterable[Network | str],
        systems: Target | Iterable[Target],
        frameworks: Profile | Iterable[Profile] = DEFAULT,
    ):
        self.networks = [as_network(item) for item in many(networks)]
        self.systems = [_system(item) for item in many(systems)]
        chosen = [[_profile(item, system) for system in self.systems] for item in many(frameworks)]
        profiles = [profile for by_system in chosen for profile in by_system]
        self._usable = [_usable(item.gpu) for item in self.systems]
        self.profiles = np.concatenate([_record.write("inference_profile", item) for item in profiles]).astype(
            _record.dtype("inference_profile")
        )
        """How they run it, as a structured array of dtype `perfmodel.dtype("inference_profile")`: of each framework one for
        each system."""
        self._handle = _core.inference_plan_new(
            [item._handle for item in self.networks],
            [item._handle for item in self.systems],
            self.profiles,
            _record.write("memory_profile", default().memory_profile("pytorch")),
        )
        self._ids = (
            [item.id for item in self.networks],
            [item.id for item in self.systems],
            [by_system[0].id for by_system in chosen],
        )
        self._profile_ids = [[profile.id for profile in by_system] for by_system in chosen]

    @takes("inference_run", many=True)
    def runs(self, **run: Unpack[InferenceRunAxes]) -> Records:
        """Every combination of the axes for all networks, systems and frameworks; batch varies fastest, then gpus,
        nodes, precision, the other options, framework, system, network."""
        keywords = check("inference_run", run, "runs")
        base = _record.array("inference_run", _core.inference_run_default())
        networks, systems, profiles = (len(ids) for ids in self._ids)
        if not (networks and systems and profiles):
            raise ArgumentError("an axis of the sweep is empty")
        places = {"network_index": networks, "system_index": systems, "profile_index": profiles}
        runs = _record.array("inference_run", _core.inference_run_space(*space("inference_run", base, keywords, places)))
        unknown = np.isnan(runs["usable_memory"])
        runs["usable_memory"] = np.where(unknown, np.asarray(self._usable)[runs["system_index"]], runs["usable_memory"])
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
        network, system = self._ids[0][run["network_index"]], self._ids[1][run["system_index"]]
        profile = self._profile_ids[run["profile_index"]][run["system_index"]]
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


@takes("inference_run")
def infer(
    network: Network | str,
    system: Target,
    *,
    framework: Profile = DEFAULT,
    latency: Quantity | None = None,
    usable: Quantity | None = None,
    **run: Unpack[InferenceRunOptions],
) -> Inference:
    """Predicts the forward pass of a trained network on a GPU or a system (objects, or names of the catalogue).

    Args:
        framework: what runs it: "tensorrt", "pytorch-2.4-compile", ..., see `perfmodel.list("inference_profiles")`; or a
            record. By default PyTorch, the newest release that was fitted and runs on the GPU.
        latency: a limit ("10 ms"): the largest batch within it, in `run.batch`, in place of `batch`.
        usable: another name of `usable_memory`.

    The latency is of a batch that is on the GPU already: queueing, and copies from and to the host, are not in it.

    Raises:
        NotFoundError for an unknown name, PrecisionError, TooManyGpusError, ArgumentError; DoesNotFitError for what needs
        more memory than the GPU has; UnreachableError if not even one sample is within the latency.
    """
    if run.get("batch") is not None and latency is not None:
        raise ArgumentError("batch and latency are both given; give one")
    if usable is not None:
        run["usable_memory"] = usable
    plan = _plan(network, system, framework)
    asked = plan.runs(**run)
    if asked.size != 1:
        raise TypeError("infer() takes one value of each option; see infer_sweep()")
    if latency is not None:
        asked = plan.within(asked, latency)
    result = plan.predict(asked)
    if result[0]["status"] != 0:
        plan.check(asked)
    return plan._answer(asked[0], result[0])


@takes("inference_run", many=True)
def infer_sweep(
    networks: Network | str | Iterable[Network | str],
    systems: Target | Iterable[Target],
    *,
    framework: Profile | Iterable[Profile] = DEFAULT,
    columns: Iterable[str] | None = None,
    **run: Unpack[InferenceRunAxes],
) -> Table:
    """Predicts inference for every combination of networks, systems (or GPUs), frameworks and values of the options, as a
    table, with these `columns` or all. A combination that cannot be predicted is a row with its `status` and unknown
    numbers.
    """
    plan = InferencePlan(networks, systems, framework)
    runs = plan.runs(**run)
    table = plan.table(runs, plan.predict(runs))
    if columns is not None:
        _core.table_keep(table._handle, [text(name, "column") for name in columns])
    return table


def _system(value: Target) -> System:
    """A system; or a machine with one GPU, by its name or record."""
    if isinstance(value, System):
        return value
    return default().system(f"gpu:{value.id}" if isinstance(value, _records.Gpu) else text(value, "system"))


def _profile(value: Profile, system: System) -> _records.InferenceProfile:
    """How the system's GPU has it; with a warning where the libraries do not run on it."""
    architecture = system.gpu.architecture
    found = default().inference_profile(value, architecture) if isinstance(value, str) else value
    if not isinstance(found, _records.InferenceProfile):
        raise TypeError(f"framework must be a framework's name or an inference profile, not {type(value).__name__}")
    if found.architectures and architecture not in found.architectures.split():
        warnings.warn(_core.inference_warning(system._handle, _record.write("inference_profile", found)), stacklevel=4)
    return found


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
