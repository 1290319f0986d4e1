"""One prediction, with its run, in words and numbers."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _display, _fields, _record, _records
from ._errors import NotFoundError
from ._framework import Framework
from ._inputs import Number
from ._keywords import takes
from ._network import Network
from ._plan import Plan, plan_of
from ._run import Input, Samples, asked
from ._study import Given
from ._system import System
from ._table import Table, written
from ._text import escape

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunOptions


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(_records.Prediction):
    """What is predicted for one run; SI units."""

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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """The run is read when it is first asked for: many only want the prediction."""
            if name != "run" or "_whole" not in self.__dict__:
                return super().__getattr__(name)
            run = self.__dict__["run"] = _record.made(_records.Run, _record.values("run", self.__dict__.pop("_whole")))
            return run

    @cached_property
    def assumed(self) -> str:
        """What was not given, and is taken to be; "" if nothing was."""
        if self._plan is None or self._given is None:
            return ""
        return self._plan._assumed_of(_record.write("run", self.run), self._given)[0]

    def to_dict(self) -> dict[str, Any]:
        """Network, system, the run's and the prediction's fields by name, and what was assumed."""
        ids = {"network": self.network, "system": self.system, "framework": self.framework}
        run = {name: item for name, item in _record.as_dict(self.run).items() if not name.endswith("_index")}
        result = {f.name: getattr(self, f.name) for f in dataclasses.fields(_records.Prediction)}
        return {**ids, **run, **result, "assumed": self.assumed}

    def trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """The timeline of one step, JSON that ui.perfetto.dev opens: layer by layer, or of a run that shares out the network
        the passes of every stage; also written to `path`.
        """
        if self._plan is None:
            raise ValueError("only what perfmodel predicted has a timeline")
        text = _core.prediction_trace(self._plan._handle, _record.write("run", self.run))
        if path is not None:
            written(text, path)
        return text

    def stages(self) -> Table:
        """What every stage of the pipeline computes, waits for and keeps: a row for each, one where there is no pipeline."""
        if self._plan is None:
            raise ValueError("only what perfmodel predicted has stages")
        return Table(_core.prediction_stages(self._plan._handle, _record.write("run", self.run)))

    def explain(self) -> str:
        """Where the time of a step goes, what limits it, and what the numbers rest on."""
        if self.status != "ok":
            reason = _choice_doc("prediction", "status", self.status)
            return "\n".join([self._setting(), *self._assumption(), f"no prediction: {reason}", *self._memory()]) + "\n"
        lines = [self._setting(), *self._assumption(), self._outcome(), ""]
        lines += [
            f"{name:<36}{_core.quantity_format(time, 's'):>12}{_share(part):>9}" for name, time, part in self._parts()
        ]
        lines += ["", *self._communication(), *self._rates(), *self._memory(), ""]
        lines += [f"bottleneck: {_choice_doc('prediction', 'bottleneck', self.bottleneck)}"]
        lines += [f"calibration: {self.calibration}: {_choice_doc('prediction', 'calibration', self.calibration)}"]
        lines += self._rows()
        lines += [f"framework {self.framework}: {self._framework_basis()}", *self._other_layout()]
        return "\n".join(lines) + "\n"

    def _rows(self) -> list[str]:
        """Rows behind the kernels of the GPU."""
        if self._plan is None or self.run.kernel_model == "roofline":
            return []
        return [f"kernels: {self._plan.systems[self.run.system_index].calibration(self.run.precision)}"]

    def _framework_basis(self) -> str:
        """What the constants of the framework rest on: to what they were fitted, on how many rows, when."""
        used = self._framework()
        return "kernels and collectives only" if used is None else used.basis

    def _framework(self) -> Framework | None:
        run = self.run
        return None if self._plan is None else self._plan.framework(run.framework_index, run.system_index)

    def _setting(self) -> str:
        run = self.run
        nodes = f" on each of {run.nodes} nodes" if run.nodes != 1 else ""
        overlap = f", overlap {run.overlap}" if run.overlap == "backward" else ""
        gpus = "1 GPU" if run.gpus == 1 else f"{run.gpus} GPUs"
        batch = f"batch {run.batch:g} per {self._rank()}"
        return f"{self.network} on {self.system}: {gpus}{nodes}, {batch}, {run.precision}{overlap}"

    def _assumption(self) -> list[str]:
        return [f"assumed: {self.assumed}"] if self.assumed else []

    def _rank(self) -> str:
        return "data-parallel rank" if self.data_parallel not in (0, self.run.gpus * self.run.nodes) else "GPU"

    def _other_layout(self) -> list[str]:
        """What the framework would give in channels_last, where that makes a difference."""
        used = self._framework()
        if used is None or self._plan is None:
            return []
        network = next(item for item in self._plan.networks if item.id == self.network)
        run = dataclasses.replace(self.run, network_index=0, system_index=0, framework_index=0)
        try:
            other = Plan(network, self._plan.systems[self.run.system_index], f"{used.id}-nhwc")
        except NotFoundError:
            return []
        rate = float(other._predict_given(_record.write("run", run))["throughput"])
        different = abs(rate / self.throughput - 1) >= 0.005
        return [f"With tensors in channels_last, this run would reach {_rate(rate)} samples/s."] if different else []

    def _outcome(self) -> str:
        interval = ""
        if not np.isnan(self.throughput_p10):
            interval = f" ({_rate(self.throughput_p10)} to {_rate(self.throughput_p90)}, 80 % prediction interval)"
        tokens = "" if np.isnan(self.tokens_per_second) else f", {_rate(self.tokens_per_second)} tokens/s"
        return f"{_rate(self.throughput)} samples/s{interval}{tokens}, {_core.quantity_format(self.step_time, 's')} per step"

    def _parts(self) -> list[tuple[str, float, float]]:
        """The parts that add up to the step, and the step: name, time, share."""
        parts = [
            ("forward", self.forward_time),
            ("dgrad", self.dgrad_time),
            ("wgrad", self.wgrad_time),
            ("recomputation", self.recompute_time),
            ("update", self.update_time),
            ("CPU launch overhead", self.launch_overhead_time),
            ("exposed communication", self.exposed_communication_time),
            ("pipeline bubble", self.bubble_time),
            ("offloading", self.offload_time),
            ("straggler wait", self.straggler_wait_time),
            ("input wait", self.input_wait_time),
            ("step", self.step_time),
        ]
        return [(name, time, time / self.step_time) for name, time in parts if time != 0 or name == "step"]

    def _communication(self) -> list[str]:
        if np.isnan(self.bus_bandwidth):
            return []
        what = "all-reduce of " + _core.quantity_format(self.gradient_size, "B") if self.gradient_size > 0 else "exchange"
        lines = [
            f"{what} takes "
            f"{_core.quantity_format(self.communication_time, 's')}; bus bandwidth of the ring "
            f"{_core.quantity_format(self.bus_bandwidth, 'B/s')}"
        ]
        if np.isnan(self.scaling_efficiency):
            return lines
        return [
            *lines,
            f"scaling efficiency {_share(self.scaling_efficiency)} weak, "
            f"{_share(self.strong_scaling_efficiency)} strong",
        ]

    def _memory(self) -> list[str]:
        if np.isnan(self.memory) or np.isnan(self.gpu_memory):
            return []
        largest = f"the largest batch that fits is {self.largest_batch:g}" if self.largest_batch >= 1 else "no batch fits"
        return [
            f"memory of each GPU: {_core.quantity_format(self.memory, 'B')} of "
            f"{_core.quantity_format(self.gpu_memory, 'B')}, {self.verdict.replace('-', ' ')}; {largest}"
        ] + ([] if self.host_memory == 0 else [f"memory of each host: {_core.quantity_format(self.host_memory, 'B')}"])

    def _rates(self) -> list[str]:
        lines = [
            f"MFU {_share(self.mfu)}: {_core.quantity_format(self.flop_rate, 'FLOP/s')} per GPU of its matrix peak",
            f"step: {_share(self.compute_share)} compute bound, {_share(self.memory_bandwidth_share)} memory-bandwidth "
            f"bound, {_share(self.communication_share)} communication",
        ]
        if not np.isnan(self.epoch_time):
            lines.append(
                f"epoch of {self.run.epoch_samples:,.0f} samples: {_core.quantity_format(self.epoch_time, 's')}, "
                f"{self.gpu_hours:,.4g} GPU-hours"
            )
        return lines

    def __repr__(self) -> str:
        if self.status != "ok":
            return _display.closed(f"Prediction {self._setting()}: no prediction, {self.status}", self.assumed)
        outcome = f"{self._outcome()}, bottleneck {self.bottleneck}"
        return _display.closed(f"Prediction {self._setting()}: {outcome}", self.assumed)

    def _repr_html_(self) -> str:
        if self.status != "ok":
            return f"<pre>{escape(self.explain())}</pre>"
        rows = "".join(
            f'<tr><td style="text-align:left">{escape(name)}</td>'
            f"<td>{escape(_core.quantity_format(time, 's'))}</td><td>{_share(part)}</td></tr>"
            for name, time, part in self._parts()
        )
        memory = "".join(f"<small>{escape(line)}</small><br>" for line in [*self._rates(), *self._memory()])
        return (
            f"<b>{escape(self._setting())}</b><br>{''.join(f'{escape(line)}<br>' for line in self._assumption())}"
            f"{escape(self._outcome())}, bottleneck {escape(self.bottleneck)}"
            f"<table><thead><tr><th>part</th><th>time</th><th>share</th></tr></thead><tbody>{rows}</tbody></table>"
            f"{memory}<small>calibration: {escape(self.calibration)}</small>"
        )


def _rate(value: float) -> str:
    """Samples per second in four digits or whole ones, never with an exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _choice_doc(type_name: str, field_name: str, name: str) -> str:
    info = _fields.field(type_name, field_name)
    return info.choice_docs[info.choices.index(name)]


def prediction(
    plan: Plan, run: bytes | bytearray, places: tuple[int, int, int], result: Any, given: Given
) -> Prediction:
    """A completed run and what is predicted of it, as an object."""
    network, system, framework = places
    members = _record.values("prediction", result)
    members["network"], members["system"] = plan._network_id(network), plan._system_ids[system]
    members["framework"] = plan._framework_id(framework, system)
    members["_whole"], members["_plan"], members["_given"] = run, plan, given
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
    """Predicts the training of a network on a system (objects, or names of the catalogue). What is not given is
    completed; `assumed` of the result says how.

    Args:
        framework: what runs it ("pytorch-2.4-nhwc", "pytorch@2024-06", "tf1-nchw@cudnn6", a Framework); by default
            PyTorch, its FSDP with zero=3, Megatron-LM with tensor, pipeline, context or expert parallelism, each in the
            newest release that was fitted and runs on the GPU; "none": kernels and collectives only.
        global_batch: samples per step over all GPUs, instead of `batch`.
        input: what it reads from: an `input_pipeline`, or samples per second that a node's input path brings.
        dataset: a dataset or its number of samples, for `epoch_time`.

    Raises:
        NotFoundError for an unknown name, TooManyGpusError (also for GPUs that fill no whole nodes), PrecisionError,
        ArgumentError (batch 0), UnreachableError (a global batch that does not divide over the ranks), DoesNotFitError
        for what needs more memory than the GPU has (with `ignore_memory` it is predicted all the same).
    """
    plan = plan_of(network, system, framework)
    keywords = asked("predict", run, global_batch=global_batch, input=input, dataset=dataset)
    given = list(keywords), float(global_batch is not None)
    return prediction(plan, *plan._ask(keywords, given[1]), given)
