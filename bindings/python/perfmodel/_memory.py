"""Memory of one GPU: what a run keeps, whether it fits, the largest batch, what would help."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from . import _core, _record, _records
from ._errors import ArgumentError
from ._fields import given
from ._framework import Framework
from ._inference import InferencePlan, Profile, Target, inference_plan_of
from ._inputs import Number, Quantity
from ._keywords import check, takes
from ._network import Network
from ._plan import Plan, plan_of
from ._record import Records
from ._reported import Reported
from ._run import asked
from ._study import Given
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Memory(Reported, _records.MemoryUse):
    """Memory of one GPU, part by part, and whether it fits. The parts add up to `total`; all are in bytes. Of a network
    that is distributed over GPUs it is that of the heaviest rank; `largest_batch` is of micro-batches.

    >>> m = memory("resnet50", "v100", batch=64)
    >>> m.verdict, m.total < m.usable
    ('fits', True)
    """

    network: str = ""
    """Id of the network."""
    system: str = ""
    """Id of the system, or of the GPU."""
    framework: str = "none"
    """Id of the framework, or of the inference profile."""
    run: Union[_records.Run, _records.InferenceRun] = field(default_factory=_records.Run, repr=False)
    """The whole run, or call of inference."""
    assumed: str = field(default="", repr=False)
    """What was not given of it, and is taken to be."""
    _asked: tuple[Plan | InferencePlan, Records] | None = field(default=None, repr=False)
    _given: Given | None = field(default=None, repr=False)

    def stages(self) -> Table:
        """What every stage of the pipeline keeps, one where there is none; this memory is that of the heaviest."""
        plan, run = self._of_training("stages")
        return Table(_core.prediction_stages(plan._handle, run))

    def layers(self) -> Table:
        """What every layer keeps for a micro-batch; the column `saved` adds up to `activations`."""
        assert self._asked is not None
        plan, run = self._asked
        kept = _core.prediction_layers if isinstance(plan, Plan) else _core.inference_layers
        return Table(kept(plan._study, run))

    def advice(self) -> Table:
        """Single changes of the run that take less memory, largest saving first."""
        plan, run = self._of_training("advice")
        return Table(_core.prediction_advice(plan._handle, run))

    def _of_training(self, what: str) -> tuple[Plan, Records]:
        assert self._asked is not None
        plan, run = self._asked
        if not isinstance(plan, Plan):
            raise ArgumentError(f"{what} are of training, and this is a call of inference")
        return plan, run

    def _report(self) -> _core.report | None:
        if self._asked is None or self._given is None:
            return None
        plan, run = self._asked
        report = _core.study_memory_report if isinstance(plan, Plan) else _core.study_inference_memory_report
        with plan._lock:
            return report(plan._study, run, *self._given)


@takes("run", but=("epoch_samples", "input_rate", "no_prefetch", "ignore_memory"))
def memory(
    network: Network | str,
    system: Target,
    *,
    inference: bool = False,
    framework: Framework | Profile | None = None,
    global_batch: Number | None = None,
    usable: Quantity | None = None,
    **run: Unpack[RunOptions],
) -> Memory:
    """Memory of one GPU at the peak of a step, whether it fits, and the largest micro-batch that does: that of
    `perfmodel.predict` for the same run, whose rules complete what is not given.

    Args:
        network: a network, or a name of the catalogue.
        system: a system or a GPU, or the name of one.
        inference: a call of inference instead of a step; options are then those of `perfmodel.infer`.
        framework: what runs it, as `perfmodel.predict` and `perfmodel.infer` take it.
        global_batch: samples per step over all GPUs, instead of `batch`.
        usable: another name of `usable_memory`.

    Raises:
        NotFoundError for an unknown name, ArgumentError, TooManyGpusError, NotModelledError (training in int8).
    """
    options: dict[str, Any] = {**run, "usable_memory": usable} if usable is not None else dict(run)
    if inference:
        if global_batch is not None:
            raise ArgumentError("global_batch is of training")
        return _of_call(network, system, framework, options)
    plan = plan_of(network, system, framework)  # type: ignore[arg-type]
    keywords = asked("memory", options, global_batch=global_batch)
    runs, known = plan._complete(keywords, global_batch is not None, one=True)
    runs = runs.copy()
    runs["ignore_memory"] = 1  # it is asked for, whether or not it fits
    whole = _record.values("run", runs)
    return _answer(
        plan,
        runs,
        _core.prediction_memory(plan._handle, runs),
        framework=plan._framework_id(whole["framework_index"], whole["system_index"]),
        run=_record.made(_records.Run, whole),
        assumed=plan._assumed_of(runs, known)[0],
        _given=known,
    )


def _of_call(network: Network | str, system: Target, framework: Any, options: dict[str, Any]) -> Memory:
    for name in check("run", options, "memory"):
        if name not in [f.name for f in given("inference_run")]:
            raise ArgumentError(f"{name} has no effect in inference")
    plan = inference_plan_of(network, system, framework)
    runs, known = plan._complete(check("inference_run", options, "memory"), one=True)
    whole = _record.values("inference_run", runs)
    return _answer(
        plan,
        runs,
        _core.inference_memory(plan._handle, runs),
        framework=plan.profile(whole["profile_index"], whole["system_index"]).id,
        run=_record.made(_records.InferenceRun, whole),
        assumed=plan._assumed_of(runs, known)[0],
        _given=known,
    )


def _answer(plan: Plan | InferencePlan, runs: Records, use: bytearray, **members: Any) -> Memory:
    whole = _record.values("memory_use", use)
    ids = {"network": plan.networks[0].id, "system": plan._system_ids[0]}
    return _record.made(Memory, {**whole, **ids, **members, "_asked": (plan, runs)})
