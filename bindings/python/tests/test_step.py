"""The training step: frameworks, parallelism, input, timelines from Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest


def test_frameworks_are_records_whose_constants_can_be_changed() -> None:
    generic = pm.framework("generic")
    assert generic.profile.evidence == "uncalibrated" and generic.id == "generic"
    slow = generic.replace(kernel_time=1e-3)
    assert slow.profile.kernel_time == 1e-3 and generic.profile.kernel_time < 1e-3
    assert pm.predict("resnet50", "dgx1-v100", framework=slow).launch_time > 0.1
    with pytest.raises(TypeError, match="no constant"):
        generic.replace(speed=1)
    assert pm.framework("tf1-nchw@cudnn6").cudnn.id == "cudnn6"
    with pytest.raises(pm.NotFoundError):
        pm.framework("tf1-nchw@cudnn1")


def test_calibration_and_interval_are_visible() -> None:
    p = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=128, framework="pt-nchw")
    assert p.calibration == "calibrated" and p.framework == "pt-nchw"
    assert p.throughput_p10 < p.throughput < p.throughput_p90
    assert "pt-nchw" in p.explain() and "Calibrated: constants fitted to rows of this GPU" in p.explain()
    assert "Kernels: matrix multiplications calibrated" in p.explain()
    assert "no measured training" in pm.predict("resnet50", "dgx1-v100", framework="generic").explain()


def test_the_default_is_the_newest_fitted_release_that_runs_on_the_gpu() -> None:
    rows = pm.sweep("resnet50", ["k80", "dgx1-p100", "dgx-h100", "b200"], precision="fp32", columns=["framework"])
    assert [pm.framework(name).profile.evidence for name in rows["framework"][:3]] == ["fitted"] * 3
    assert rows["framework"][0] == "pytorch-1.13" and rows["framework"][1] == rows["framework"][2]
    assert rows["framework"][3] == "pytorch-2.9"  # the first whose libraries know Blackwell
    alone = pm.predict("resnet50", "b200", framework="pytorch-2.9", precision="fp32")
    last = rows.predictions[3]
    assert alone.throughput == last["throughput"] and alone.throughput_p10 == last["throughput_p10"]


def test_what_was_assumed_is_said() -> None:
    p = pm.predict("resnet50", "dgx-h100", batch=256, precision="fp16")
    assert p.assumed == "8 GPUs, momentum, pytorch-2.4"
    assert p.explain().splitlines()[2] == f"assumed: {p.assumed}" and p.to_dict()["assumed"] == p.assumed
    assert f"assumed: {p.assumed}" in repr(p) and f"assumed: {p.assumed}" in p._repr_html_()
    words = pm.predict("gpt2", "dgx-h100")
    assert words.assumed == "8 GPUs, bf16, adamw, micro-batch 1, pytorch-2.4 with fused attention"
    all_given = {"gpus": 8, "batch": 1, "precision": "bf16", "optimizer": "adamw", "micro_batch": 1}
    whole = pm.predict("gpt2", "dgx-h100", framework="none", **all_given)
    assert whole.assumed == "fused attention" and pm.predict(
        "resnet50", "dgx-h100", gpus=8, batch=1, precision="fp32", optimizer="sgd", framework="none"
    ).assumed == ""


def test_channels_last_is_a_hint() -> None:
    p = pm.predict("resnet50", "dgx-h100", batch=256, precision="fp16")
    other = pm.predict("resnet50", "dgx-h100", batch=256, precision="fp16", framework=f"{p.framework}-nhwc")
    hint = f"With tensors in channels_last, this run would reach {other.throughput:.0f} samples/s."
    assert hint in p.explain().splitlines()
    assert "With tensors in channels_last" not in other.explain()
    assert "channels_last" not in pm.predict("bert-base", "dgx-h100", precision="fp16").explain()


def test_fp32_says_what_the_framework_does_by_default() -> None:
    given = {"batch": 64, "precision": "fp32"}
    p = pm.predict("resnet50", "a100-sxm4-80gb", **given)
    other = pm.predict("resnet50", "a100-sxm4-80gb", batch=64, precision="tf32-conv")
    hint = f"with precision tf32-conv, this run would reach {other.throughput:.4g} samples/s."
    assert hint in " ".join(p.explain().split())
    for words in (other, pm.predict("resnet50", "v100-sxm2-16gb", **given),
                  pm.predict("resnet50", "a100-sxm4-80gb", framework="none", **given)):
        assert "TF32" not in words.explain()


def test_libraries_older_than_the_gpu_warn_and_widen() -> None:
    with pytest.warns(UserWarning, match="mxnet17 does not run on NVIDIA H100 SXM5"):
        old = pm.predict("resnet50", "dgx-h100", precision="fp16", framework="mxnet17")
    own = pm.predict("resnet50", "dgx1-p100", framework="mxnet17")
    assert (
        old.throughput_p90 / old.throughput > own.throughput_p90 / own.throughput
        and old.calibration == "not-calibrated"
    )
    with pytest.warns(UserWarning, match="does not run on"):
        call = pm.infer("resnet50", "h100", precision="fp16", framework="mxnet17")
    own_call = pm.infer("resnet50", "k80", framework="mxnet17")
    assert call.throughput_p90 / call.throughput > own_call.throughput_p90 / own_call.throughput
    assert call.calibration == "not-calibrated"
    ideal = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=128, framework="none")
    assert ideal.calibration == "calibrated" and np.isnan(ideal.throughput_p10) and ideal.launch_time == 0


@pytest.mark.parametrize(
    "parallelism", ["all-reduce", "single-process", "parameter-server", "async", "tensor-parallel", "pipeline-parallel",
                    "hybrid"]
)
def test_every_parallelism(parallelism: str) -> None:
    one = pm.predict("vgg16", "dgx1-v100", gpus=1, framework="keras")
    p = pm.predict("vgg16", "dgx1-v100", gpus=4, framework="keras", parallelism=parallelism)
    assert 0 < p.throughput < 4.4 * one.throughput
    assert p.communication_time > 0 and p.staleness == (3 if parallelism == "async" else 0)


def test_a_sweep_of_frameworks_has_the_points_of_predictions() -> None:
    names = ["pt-nchw", "mxnet-ngc", "keras"]
    rows = pm.sweep("resnet50", "dgx1-v100", gpus=[1, 8], framework=names)
    assert rows["framework"].tolist() == [name for name in names for _ in (1, 8)]
    for row in rows:
        alone = pm.predict("resnet50", "dgx1-v100", gpus=row.run.gpus, framework=row.framework)
        assert (row.step_time, row.throughput_p90) == (alone.step_time, alone.throughput_p90)


def test_optimisers_and_accumulation() -> None:
    p = pm.predict("resnet50", "dgx1-v100", optimizer="adam", gradient_accumulation_steps=4, framework="pt-nchw")
    assert p.update_time > pm.predict("resnet50", "dgx1-v100", framework="pt-nchw").update_time
    with pytest.raises(pm.NotFoundError, match="optimizer"):
        pm.predict("resnet50", "dgx1-v100", optimizer="frobs")


def test_input_limits_a_step() -> None:
    path = pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="nvme")
    free = pm.predict("alexnet", "dgx1-v100", gpus=8, batch=256, framework="pt-nchw")
    fed = pm.predict("alexnet", "dgx1-v100", gpus=8, batch=256, framework="pt-nchw", input=path)
    assert fed.throughput == pytest.approx(min(free.throughput, path.input))
    assert pm.predict("alexnet", "dgx1-v100", gpus=8, input=100.0).bottleneck == "input"


def test_a_timeline_adds_up(tmp_path: Path) -> None:
    p = pm.predict("resnet50", "ts4", gpus=8, batch=64, framework="pt-nchw")
    events = json.loads(p.trace(tmp_path / "step.json"))["traceEvents"]
    assert json.loads((tmp_path / "step.json").read_text())["traceEvents"] == events
    bars = [event for event in events if event["ph"] == "X"]
    kernels = sum(event["dur"] for event in bars if event["tid"] == 1) * 1e-6
    assert kernels == pytest.approx(p.compute_time, rel=1e-6)
    assert max(event["ts"] + event["dur"] for event in bars) * 1e-6 == pytest.approx(p.step_time, rel=1e-6)
    buckets = sum(event["dur"] for event in bars if event["tid"] == 3) * 1e-6
    assert buckets == pytest.approx(p.communication_time, rel=1e-6)
    names = {event["name"] for event in bars}
    assert {"conv1", "fc, wgrad", "bucket 1", "update"} <= names
