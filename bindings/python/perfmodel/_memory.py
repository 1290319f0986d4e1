"""Memory of one GPU: what a run keeps, whether it fits, the largest batch, what would help."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from . import _core, _record, _records
from ._errors import ArgumentError
from ._fields import class_name, given
from ._inputs import Number, Quantity
from ._keywords import NO_STEP, takes
from ._network import Network
from ._plan import Plan, Software, Target, plan_of
from ._record import Records
from ._reported import Reported
from ._run import asked
from ._study import Given
from ._table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AnyRunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Memory(Reported, _records.MemoryUse):
    """Memory of one GPU, part by part, and whether it fits. The parts add up to `total`; all are in bytes. Of a network
    that is distributed over GPUs it is that of the heaviest rank; `largest_batch` is of micro-batches.

    >>> m = memory("resnet50", "v100", batch=64)
    >>> m.verdict, m.total < m.usable
    ('fits', True)
    """

    _parts = ("memory_parts", "What fills the memory of a GPU?")

    network: str = ""
    """Id of the network."""
    system: str = ""
    """Id of the system, or of the GPU."""
    framework: str = "none"
    """Id of the framework, of the inference profile or of the engine."""
    run: Union[_records.Run, _records.InferenceRun, _records.ServingRun] = field(
        default_factory=_records.Run, repr=False
    )
    """The whole run, or call of inference, or run of serving."""
    assumed: str = field(default="", repr=False)
    """Defaults that were assumed of it."""
    _asked: tuple[Plan, Records] | None = field(default=None, repr=False)
    _given: Given | None = field(default=None, repr=False)

    def stages(self) -> Table:
        """What every stage of the pipeline keeps, one where there is none; this memory is that of the heaviest."""
        plan, run = self._of_training("stages")
        return Table(_core.prediction_stages(plan._handle, run))

    def layers(self) -> Table:
        """What every layer keeps for a micro-batch; the column `saved` adds up to `activations`."""
        assert self._asked is not None
        plan, run = self._asked
        return Table(_core.run_layers(plan._study, run))

    def advice(self) -> Table:
        """Single changes of the run that take less memory, largest saving first."""
        plan, run = self._of_training("advice")
        return Table(_core.prediction_advice(plan._handle, run))

    def _of_training(self, what: str) -> tuple[Plan, Records]:
        assert self._asked is not None
        plan, run = self._asked
        if plan.task != "training":
            raise ArgumentError(f"{what} are only for training, but this is a {plan._task.unit} of {plan.task}")
        return plan, run

    def _limits(self) -> list[tuple[str, float]]:
        return [("usable", self.usable)]

    def _report(self) -> _core.report | None:
        if self._asked is None or self._given is None:
            return None
        plan, run = self._asked
        with plan._lock:
            return _core.study_memory_report(plan._study, run, *self._given)


@takes("run", but=("input_rate", "no_prefetch", "ignore_memory", *NO_STEP))
def memory(
    network: Network | str,
    system: Target,
    *,
    task: str = "training",
    framework: Software | None = None,
    global_batch: Number | None = None,
    usable: Quantity | None = None,
    **run: Unpack[AnyRunOptions],
) -> Memory:
    """Memory of one GPU at the peak of a step, whether it fits, and the largest micro-batch that does: that of
    `perfmodel.predict` for the same run, whose rules complete what is not given.

    Args:
        network: a network, or a name of the catalogue.
        system: a system or a GPU, or the name of one.
        task: "training"; "inference": a call instead of a step; options are then those of `perfmodel.infer`; or
            "serving": weights, the engine's reserve and the cache, with the options of `perfmodel.serve`.
        framework: what runs it, as `perfmodel.predict` and `perfmodel.infer` take it.
        global_batch: samples per step over all GPUs, instead of `batch`.
        usable: another name of `usable_memory`.

    Raises:
        NotFoundError for an unknown name, ArgumentError, TooManyGpusError, NotModelledError (training in int8).
    """
    options: dict[str, Any] = {**run, "usable_memory": usable} if usable is not None else dict(run)
    plan = plan_of(network, system, framework, task)
    own, training = [f.name for f in given(plan._task.run)], [f.name for f in given("run")]
    for name, value in options.items():
        if name not in own and name in training and value is not None:
            raise ArgumentError(f"{name} has no effect in {task}")
    keywords = asked("memory", options, plan._task, global_batch=global_batch)
    runs, known = plan._complete(keywords, global_batch is not None, one=True)
    runs = runs.copy()
    runs["ignore_memory"] = 1  # it is asked for, whether or not it fits
    whole = _record.values(plan._task.run, runs)
    members = _record.values("memory_use", _core.run_memory(plan._handle, task, runs))
    members["network"], members["system"] = plan.networks[0].id, plan._system_ids[0]
    members["framework"] = plan._software_id(whole[plan._task.software], whole["system_index"])
    members["run"] = _record.made(getattr(_records, class_name(plan._task.run)), whole)
    members["assumed"] = plan._assumed_of(runs, known)[0]
    members["_asked"], members["_given"] = (plan, runs), known
    return _record.made(Memory, members)
