"""Inference: latency and throughput of the forward pass, and the largest batch within a latency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import nan
from typing import TYPE_CHECKING, Union

from . import _core, _record, _records, _shipped
from ._catalog import as_network, as_system
from ._errors import ArgumentError
from ._inputs import Quantity, many, quantity, text
from ._keywords import check, takes
from ._network import Network
from ._record import Records
from ._reported import Reported
from ._study import Given, Study, all_given
from ._system import System
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import InferenceRunAxes, InferenceRunOptions

Target = Union[System, _records.Gpu, str]
Profile = Union[_records.InferenceProfile, str]


@dataclass(frozen=True, eq=False, repr=False)
class Inference(Reported, _records.Inference):
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
    """What was predicted: the whole call; with a latency limit, the batch that was found."""
    _plan: InferencePlan | None = field(default=None, repr=False, compare=False)
    _given: Given | None = field(default=None, repr=False, compare=False)
    _latency: float = field(default=nan, repr=False, compare=False)

    @cached_property
    def assumed(self) -> str:
        """What was not given, and is taken to be; "" if nothing was."""
        if self._plan is None or self._given is None:
            return ""
        return self._plan._assumed_of(_record.write("inference_run", self.run), self._given)[0]

    @property
    def batch(self) -> float:
        """Samples of the call."""
        return self.run.batch

    def _report(self) -> _core.report | None:
        return None if self._plan is None else self._plan._report_of(self.run, self._given, self._latency)


class InferencePlan(Study):
    """What can be computed once for networks, systems (or GPUs) and frameworks. `runs` are structured arrays of dtype
    `perfmodel.dtype("inference_run")`, results of dtype `perfmodel.dtype("inference")`; a run that cannot be predicted
    has its status and NaN, and the others go on.
    """

    _run, _result, _software = "inference_run", "inference", "profile_index"
    _calls = (_core.asked_calls, _core.study_complete_calls, _core.study_infer, _core.study_assumed_calls)

    def __init__(
        self,
        networks: Network | str | Iterable[Network | str],
        systems: Target | Iterable[Target],
        frameworks: Profile | Iterable[Profile] | None = None,
    ):
        nets, nodes = [as_network(item) for item in many(networks)], [as_system(item) for item in many(systems)]
        chosen = [] if frameworks is None else [_chosen(item) for item in many(frameworks)]
        handle = _core.inference_study_new(
            _shipped.handle(),
            [network._handle for network in nets],
            [system._handle for system in nodes],
            [item if isinstance(item, str) else "" for item in chosen],
            _record.side_by_side("inference_profile", [item for item in chosen if not isinstance(item, str)]),
        )
        super().__init__(nets, nodes, len(chosen), handle, (nets, nodes, chosen or None))

    def profile(self, index: int, system: int = 0) -> _records.InferenceProfile:
        """How software runs it on one of the systems, by its place in runs."""
        found = _core.study_software(self._study, index, system, "inference_profile")
        if found is None:
            raise IndexError(f"the plan has no inference profile {index} on system {system}")
        return _record.read(_records.InferenceProfile, "inference_profile", found)

    @takes("inference_run", many=True)
    def runs(self, **run: Unpack[InferenceRunAxes]) -> Records:
        """Every combination of the axes for all networks, systems and frameworks; batch varies fastest, then gpus,
        nodes, precision, the other options, framework, system, network. What is not given is completed."""
        return self._complete(check("inference_run", run, "runs"))[0]

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
        return self._table(runs, predictions, all_given("inference_run"))

    def _table(self, runs: Records, predictions: Records, given: Given) -> Table:
        asked = _record.checked("inference_run", runs, "runs").reshape(-1)
        predicted = _record.checked("inference", predictions, "predictions").reshape(-1)
        with self._lock:
            return Table(_core.study_inference_table(self._study, asked, predicted, *given))

    def _report_of(self, run: _records.InferenceRun, given: Given | None, latency: float) -> _core.report:
        """What there is to say of a completed call."""
        known = given if given is not None else all_given("inference_run")
        with self._lock:
            return _core.study_inference_report(self._study, _record.write("inference_run", run), *known, latency)

    def __repr__(self) -> str:
        ids = ", ".join(network.id for network in self.networks)
        return f"<InferencePlan of {ids} on {', '.join(self._system_ids)}>"


@takes("inference_run")
def infer(
    network: Network | str,
    system: Target,
    *,
    framework: Profile | None = None,
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
    keywords = check("inference_run", {**run, "usable_memory": usable} if usable is not None else run, "infer")
    if "batch" in keywords and latency is not None:
        raise ArgumentError("batch and latency are both given; give one")
    plan = inference_plan_of(network, system, framework)
    limit = nan if latency is None else quantity(latency, "s", "latency")
    call, (at, on, by), result = plan._ask(keywords, limit)
    members = _record.values("inference", result)
    members["network"], members["system"] = plan._network_id(at), plan._system_ids[on]
    members["profile"] = plan.profile(by, on).id
    members["run"] = _record.made(_records.InferenceRun, _record.values("inference_run", call))
    members["_plan"], members["_given"], members["_latency"] = plan, (list(keywords), 0.0), limit
    return _record.made(Inference, members)


@takes("inference_run", many=True)
def infer_sweep(
    networks: Network | str | Iterable[Network | str],
    systems: Target | Iterable[Target],
    *,
    framework: Profile | Iterable[Profile] | None = None,
    columns: Iterable[str] | None = None,
    **run: Unpack[InferenceRunAxes],
) -> Table:
    """Predicts inference for every combination of networks, systems (or GPUs), frameworks and values of the options, as a
    table, with these `columns` or all. A combination that cannot be predicted is a row with its `status` and unknown
    numbers.
    """
    plan = InferencePlan(networks, systems, framework)
    runs, given = plan._complete(check("inference_run", run, "infer_sweep"))
    table = plan._table(runs, plan.predict(runs), given)
    if columns is not None:
        _core.table_keep(table._handle, [text(name, "column") for name in columns])
    return table


def _chosen(value: Profile) -> Profile:
    if isinstance(value, (str, _records.InferenceProfile)):
        return value
    raise TypeError(f"framework must be a framework's name or an inference profile, not {type(value).__name__}")


@lru_cache(maxsize=64)
def _plan_of(network: Network, system: System, framework: str | None, version: int) -> InferencePlan:
    return InferencePlan(network, system, framework)


def inference_plan_of(network: Network | str, system: Target, framework: Profile | None) -> InferencePlan:
    """A plan of one network on one system by one profile; plans of the last few are kept, but not of records."""
    net, node = as_network(network), as_system(system)
    if framework is None or isinstance(framework, str):
        return _plan_of(net, node, framework, net._version)
    return InferencePlan(net, node, framework)
