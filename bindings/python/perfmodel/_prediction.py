"""One prediction, with its run, in words and numbers."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _core, _record, _records
from ._background import interruptible
from ._catalog import dataset_name
from ._framework import Framework
from ._inputs import Number, currency_of
from ._keywords import takes
from ._network import Network
from ._plan import Plan, plan_of
from ._reported import Predicted
from ._run import Input, Samples, asked
from ._study import Given
from ._system import System
from ._table import Table, written

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Predicted, _records.Prediction):
    """The prediction of one run; SI units."""

    network: str = ""
    """id of the network"""
    system: str = ""
    """id of the system"""
    framework: str = "none"
    """id of the framework; "none": kernels and collectives only"""
    run: _records.Run = field(default_factory=_records.Run)
    """what was predicted: the whole run"""
    _plan: Plan | None = field(default=None, repr=False, compare=False)
    _given: Given | None = field(default=None, repr=False, compare=False)
    _dataset: str = field(default="", repr=False, compare=False)
    _currency: str = field(default="", repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """The run is read when it is first asked for: many only want the prediction."""
            if name != "run" or "_whole" not in self.__dict__:
                return super().__getattr__(name)
            run = self.__dict__["run"] = _record.made(_records.Run, _record.values("run", self.__dict__.pop("_whole")))
            return run

    @cached_property
    def assumed(self) -> str:
        """Defaults that were assumed; "" if none were."""
        if self._plan is None or self._given is None:
            return ""
        return self._plan._assumed_of(_record.write("run", self.run), self._given)[0]

    def to_dict(self) -> dict[str, Any]:
        """Network, system, the fields of run and prediction by name, and the assumptions."""
        ids = {"network": self.network, "system": self.system, "framework": self.framework}
        run = {name: item for name, item in _record.as_dict(self.run).items() if not name.endswith("_index")}
        result = {f.name: getattr(self, f.name) for f in dataclasses.fields(_records.Prediction)}
        return {**ids, **run, **result, "assumed": self.assumed}

    def trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """The timeline of one step, JSON that ui.perfetto.dev opens: layer by layer, or of a run that splits the
        network the passes of every stage; also written to `path`.
        """
        if self._plan is None:
            raise ValueError("only predictions of perfmodel have a timeline")
        text = interruptible(_core.prediction_trace, self._plan._handle, _record.write("run", self.run))
        if path is not None:
            written(text, path)
        return text

    def stages(self) -> Table:
        """Computation, waiting and memory of every pipeline stage: a row per stage, one row without a pipeline."""
        if self._plan is None:
            raise ValueError("only predictions of perfmodel have stages")
        return Table(_core.prediction_stages(self._plan._handle, _record.write("run", self.run)))

    def _numbers(self) -> list[tuple[str, Table]]:
        if self._plan is None or self._given is None:
            return []
        run, answer = _record.write("run", self.run), _record.write("prediction", self)
        return [("numbers", Table(_core.study_table(self._plan._study, run, answer, *self._given, [])))]

    def _report(self, field: str = "") -> _core.report | None:
        if self._plan is None:
            return None
        return self._plan._report_of(self.run, self._given, field, self._dataset, currency=self._currency)


def prediction(
    plan: Plan, run: bytes | bytearray, places: tuple[int, int, int], result: Any, given: Given, dataset: str = "",
    currency: str = "",
) -> Prediction:
    """A completed run and what is predicted of it, as an object; `dataset` is the name of what an epoch is of,
    `currency` that of prices."""
    network, system, framework = places
    members = _record.values("prediction", result)
    members["network"], members["system"] = plan._network_id(network), plan._system_ids[system]
    members["framework"] = plan._software_id(framework, system)
    members["_whole"], members["_plan"], members["_given"], members["_dataset"] = run, plan, given, dataset
    members["_currency"] = currency
    return _record.made(Prediction, members)


@takes("run")
def predict(
    network: Network | str,
    system: System | str,
    *,
    framework: Framework | str | None = None,
    global_batch: Number | None = None,
    input: Input = None,
    dataset: Samples = None,
    **run: Unpack[RunOptions],
) -> Prediction:
    """Predicts the training of a network on a system (objects, or names of the catalogue). Missing options get
    defaults, listed in `assumed` of the result.

    Args:
        framework: what runs it ("pytorch-2.4-nhwc", "pytorch@2024-06", "tf1-nchw@cudnn6", a Framework); by default
            PyTorch, its FSDP with zero=3, Megatron-LM with tensor, pipeline, context or expert parallelism, each in the
            newest release that was fitted and runs on the GPU; "none": kernels and collectives only.
        global_batch: samples per step over all GPUs, instead of `batch`.
        input: what it reads from: an `input_pipeline`, or samples per second that a node's input path brings.
        dataset: a dataset or its number of samples, for `epoch_time`.

    Raises:
        NotFoundError for an unknown name, TooManyGpusError (also if GPUs do not fill whole nodes), PrecisionError,
        ArgumentError (batch 0), UnreachableError (a global batch that does not divide over the ranks), DoesNotFitError
        for what needs more memory than the GPU has (with `ignore_memory` it is predicted all the same).
    """
    plan = plan_of(network, system, framework)
    keywords = asked("predict", run, plan._task, global_batch=global_batch, input=input, dataset=dataset)
    given = list(keywords), float(global_batch is not None)
    return prediction(plan, *plan._ask(keywords, given[1]), given, dataset_name(dataset),
                      currency_of(run.get("gpu_hour_price")))
