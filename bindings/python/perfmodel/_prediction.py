"""One prediction, with its run, in words and numbers."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from . import _core, _fields, _record, _records
from ._catalog import as_samples
from ._errors import ArgumentError
from ._framework import Framework
from ._inputs import Number, choice, number
from ._network import Network
from ._plan import Plan, Samples, plan_of
from ._record import Records
from ._run import Input, base_run, count
from ._system import System


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
    """what was predicted"""
    _plan: Plan | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Network, system, the run's and the prediction's fields by name."""
        ids = {"network": self.network, "system": self.system, "framework": self.framework}
        run = {name: item for name, item in _record.as_dict(self.run).items() if not name.endswith("_index")}
        result = {f.name: getattr(self, f.name) for f in dataclasses.fields(_records.Prediction)}
        return {**ids, **run, **result}

    def trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """The timeline of one step, layer by layer: JSON that ui.perfetto.dev opens; also written to `path`."""
        if self._plan is None:
            raise ValueError("only what perfmodel predicted has a timeline")
        text = _core.prediction_trace(self._plan._handle, _record.write("run", self.run))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def explain(self) -> str:
        """Where the time of a step goes, what limits it, and what the numbers rest on."""
        if self.status != "ok":
            return f"{self._setting()}\nno prediction: {_choice_doc('prediction', 'status', self.status)}\n"
        lines = [self._setting(), self._outcome(), ""]
        lines += [
            f"{name:<36}{_core.quantity_format(time, 's'):>12}{_share(part):>9}" for name, time, part in self._parts()
        ]
        lines += ["", *self._communication(), *self._rates(), ""]
        lines += [f"limited by: {_choice_doc('prediction', 'bottleneck', self.bottleneck)}"]
        lines += [f"basis: {_choice_doc('prediction', 'basis', self.basis)}"]
        lines += [f"framework {self.framework}: {self._framework_basis()}"]
        return "\n".join(lines) + "\n"

    def _framework_basis(self) -> str:
        """What the constants of the framework rest on: to what they were fitted, on how many rows, when."""
        index = self.run.framework_index
        if index < 0 or self._plan is None:
            return _choice_doc("prediction", "evidence", self.evidence)
        return self._plan.frameworks[index].basis

    def _setting(self) -> str:
        run = self.run
        nodes = f" on each of {run.nodes} nodes" if run.nodes != 1 else ""
        overlap = f", overlap {run.overlap}" if run.overlap == "backward" else ""
        gpus = "1 GPU" if run.gpus == 1 else f"{run.gpus} GPUs"
        return f"{self.network} on {self.system}: {gpus}{nodes}, batch {run.batch:g} per GPU, {run.precision}{overlap}"

    def _outcome(self) -> str:
        band = ""
        if not np.isnan(self.throughput_p10):
            band = f" ({_rate(self.throughput_p10)} to {_rate(self.throughput_p90)} in eight of ten)"
        return f"{_rate(self.throughput)} samples/s{band}, {_core.quantity_format(self.step_time, 's')} per step"

    def _parts(self) -> list[tuple[str, float, float]]:
        """The parts that add up to the step, and the step: name, time, share."""
        parts = [
            ("forward", self.forward_time),
            ("backward, gradients of activations", self.backward_data_time),
            ("backward, gradients of parameters", self.backward_weight_time),
            ("update of parameters", self.update_time),
            ("host", self.host_wait_time),
            ("exposed communication", self.exposed_communication_time),
            ("waiting for each other", self.waiting_time),
            ("waiting for input", self.input_wait_time),
            ("step", self.step_time),
        ]
        return [(name, time, time / self.step_time) for name, time in parts if time != 0 or name == "step"]

    def _communication(self) -> list[str]:
        if np.isnan(self.bus_bandwidth):
            return []
        return [
            f"all-reduce of {_core.quantity_format(self.gradient_size, 'B')} takes "
            f"{_core.quantity_format(self.communication_time, 's')}; bus bandwidth of the ring "
            f"{_core.quantity_format(self.bus_bandwidth, 'B/s')}",
            f"scaling efficiency {_share(self.scaling_efficiency)} weak, "
            f"{_share(self.strong_scaling_efficiency)} strong",
        ]

    def _rates(self) -> list[str]:
        lines = [
            f"each GPU does {_core.quantity_format(self.flop_rate, 'FLOP/s')}, "
            f"{_share(self.utilization)} of its matrix peak",
            f"step: {_share(self.compute_share)} limited by arithmetic, {_share(self.memory_share)} by memory "
            f"bandwidth, {_share(self.communication_share)} communication",
        ]
        if not np.isnan(self.epoch_time):
            lines.append(
                f"epoch of {self.run.epoch_samples:,.0f} samples: {_core.quantity_format(self.epoch_time, 's')}"
            )
        return lines

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<Prediction {self._setting()}: no prediction, {self.status}>"
        return f"<Prediction {self._setting()}: {self._outcome()}, limited by {self.bottleneck}>"

    def _repr_html_(self) -> str:
        if self.status != "ok":
            return f"<pre>{escape(self.explain())}</pre>"
        rows = "".join(
            f'<tr><td style="text-align:left">{escape(name)}</td>'
            f"<td>{escape(_core.quantity_format(time, 's'))}</td><td>{_share(part)}</td></tr>"
            for name, time, part in self._parts()
        )
        return (
            f"<b>{escape(self._setting())}</b><br>{escape(self._outcome())}, limited by {escape(self.bottleneck)}"
            f"<table><thead><tr><th>part</th><th>time</th><th>share</th></tr></thead><tbody>{rows}</tbody></table>"
            f"<small>basis: {escape(_choice_doc('prediction', 'basis', self.basis))}</small>"
        )


def _rate(value: float) -> str:
    """Samples per second in four digits or whole ones, never with an exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _choice_doc(type_name: str, field_name: str, name: str) -> str:
    info = _fields.field(type_name, field_name)
    return info.choice_docs[info.choices.index(name)]


def prediction(plan: Plan, run: np.void, result: np.void) -> Prediction:
    """One row of a plan's arrays as an object."""
    return Prediction(
        **_record.values("prediction", result),
        network=plan._network_ids[run["network_index"]],
        system=plan._system_ids[run["system_index"]],
        framework=plan._framework_ids[run["framework_index"]] if run["framework_index"] >= 0 else "none",
        run=_records.Run(**_record.values("run", run)),
        _plan=plan,
    )


def predict(
    network: Network | str,
    system: System | str,
    *,
    gpus: SupportsIndex = 1,
    batch: Number | None = None,
    precision: str = "fp32",
    nodes: SupportsIndex = 1,
    global_batch: Number | None = None,
    framework: Framework | str | None = "generic",
    overlap: str = "framework",
    kernel_model: str = "calibrated",
    parallel: str = "framework",
    optimizer: str = "momentum",
    accumulation: SupportsIndex = 1,
    input: Input = None,
    dataset: Samples = None,
) -> Prediction:
    """Predicts the training of a network on a system (objects, or names of the catalogue).

    Args:
        gpus: GPUs used in each node.
        batch: samples per GPU and step (32 by default); or `global_batch`, samples per step over all GPUs.
        precision: "fp32", "fp16" (mixed), "bf16", ...
        nodes: nodes used.
        framework: what runs it ("pt-nchw", "tf1-nchw@cudnn6", a Framework); "none": kernels and collectives only.
        overlap: "none", "backward" (communication hides behind the backward pass), or as the framework does.
        kernel_model: "calibrated" where the architecture has constants, or "roofline".
        parallel: how GPUs share the work ("all-reduce", "data-parallel", "parameter-server", "async", "model-channels",
            "model-layers", "hybrid"), or as the framework does.
        optimizer: "momentum", "sgd", "adam", "lamb", or "none": forward and backward only.
        accumulation: batches whose gradients are added up before each update.
        input: what feeds it: an `input_pipeline`, or samples per second that a node's input path brings.
        dataset: a dataset or its number of samples, for `epoch_time`.

    Raises:
        NotFoundError for an unknown name, TooManyGpusError, PrecisionError, ArgumentError (batch 0, a global batch
        that does not divide over the GPUs).
    """
    plan = plan_of(network, system, framework)
    run = base_run(
        overlap=overlap,
        kernel_model=kernel_model,
        parallel=parallel,
        optimizer=optimizer,
        accumulation=accumulation,
        input=input,
        epoch_samples=as_samples(dataset),
    )
    row = run[0]
    row["framework_index"] = len(plan.frameworks) - 1
    row["gpus"], row["nodes"] = count(gpus, "gpus"), count(nodes, "nodes")
    row["precision"] = choice("run", "precision", precision)
    if global_batch is not None:
        parts = int(row["gpus"]) * int(row["nodes"]) * int(row["accumulation"])
        row["batch"] = _per_gpu(batch, number(global_batch, "global_batch"), parts)
    elif batch is not None:
        row["batch"] = number(batch, "batch")
    result = plan.predict(run)
    if result[0]["status"] != 0:
        plan.check(run)
    return prediction(plan, run[0], result[0])


def _per_gpu(batch: Number | None, global_batch: float, ranks: int) -> float:
    if batch is not None:
        raise ArgumentError("batch and global_batch are both given; give one")
    if not np.isfinite(global_batch) or global_batch % ranks != 0:
        raise ArgumentError(f"global batch {global_batch:g} does not divide over {ranks} GPUs")
    return global_batch / ranks
