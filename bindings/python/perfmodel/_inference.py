"""Inference: latency and throughput of one call of the forward pass, and the largest batch within a latency."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

from . import _core, _record, _records
from ._errors import ArgumentError
from ._inputs import Quantity, quantity
from ._keywords import check, takes
from ._network import Network
from ._plan import Plan, Software, Target, plan_of
from ._reported import Predicted
from ._study import Given
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import InferenceRunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Inference(Predicted, _records.Inference):
    """What is predicted of one call; SI units.

    >>> p = infer("resnet50", "t4", batch=8, precision="int8")
    >>> p.status, p.latency < 0.01
    ('ok', True)
    """

    _parts = ("time", "Where does the time of a call go?")

    network: str = ""
    """Id of the network."""
    system: str = ""
    """Id of the system, or of the GPU."""
    profile: str = ""
    """Id of the framework or engine."""
    run: _records.InferenceRun = field(default_factory=_records.InferenceRun)
    """What was predicted: the whole call; with a latency limit, the batch that was found."""
    _plan: Plan | None = field(default=None, repr=False, compare=False)
    _given: Given | None = field(default=None, repr=False, compare=False)
    _latency: float = field(default=nan, repr=False, compare=False)

    @cached_property
    def assumed(self) -> str:
        """Defaults that were assumed; "" if none were."""
        if self._plan is None or self._given is None:
            return ""
        return self._plan._assumed_of(_record.write("inference_run", self.run), self._given)[0]

    @property
    def batch(self) -> float:
        """Samples of the call."""
        return self.run.batch

    def _numbers(self) -> list[tuple[str, Table]]:
        if self._plan is None or self._given is None:
            return []
        run, answer = _record.write("inference_run", self.run), _record.write("inference", self)
        return [("numbers", Table(_core.study_table(self._plan._study, run, answer, *self._given, [])))]

    def _report(self, field: str = "") -> _core.report | None:
        if self._plan is None:
            return None
        return self._plan._report_of(self.run, self._given, field, latency=self._latency)


@takes("inference_run")
def infer(
    network: Network | str,
    system: Target,
    *,
    framework: Software | None = None,
    latency: Quantity | None = None,
    usable: Quantity | None = None,
    **run: Unpack[InferenceRunOptions],
) -> Inference:
    """Predicts the forward pass of a trained network on a GPU or a system (objects, or names of the catalogue).

    Args:
        framework: what runs it: "tensorrt", "pytorch-2.4-compile", ..., see `perfmodel.list("inference_profiles")`; or
            a record. By default PyTorch, the newest release that was fitted and runs on the GPU.
        latency: a limit ("10 ms"): the largest batch within it, in `run.batch`, instead of `batch`.
        usable: another name of `usable_memory`.

    The latency is of a batch that is on the GPU already: queueing, and copies from and to the host, are not in it.

    Raises:
        NotFoundError for an unknown name, PrecisionError, TooManyGpusError, ArgumentError; DoesNotFitError for what
        needs more memory than the GPU has; UnreachableError if not even one sample is within the latency.
    """
    keywords = check("inference_run", {**run, "usable_memory": usable} if usable is not None else run, "infer")
    if "batch" in keywords and latency is not None:
        raise ArgumentError("batch and latency are both given; give one")
    plan = plan_of(network, system, framework, "inference")
    limit = nan if latency is None else quantity(latency, "s", "latency")
    call, (at, on, by), result = plan._ask(keywords, latency=limit)
    members = _record.values("inference", result)
    members["network"], members["system"] = plan._network_id(at), plan._system_ids[on]
    members["profile"] = plan._software_id(by, on)
    members["run"] = _record.made(_records.InferenceRun, _record.values("inference_run", call))
    members["_plan"], members["_given"], members["_latency"] = plan, (list(keywords), 0.0), limit
    return _record.made(Inference, members)
