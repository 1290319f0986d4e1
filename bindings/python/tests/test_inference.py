"""Inference from Python: scalar, sweep, latency limit, errors."""

import math

import numpy as np
import pytest

import perfmodel as pm


def test_one_answer():
    p = pm.infer("resnet50", "t4", batch=8, precision="int8", framework="tensorrt")
    assert p.status == "ok" and p.batch == 8 and p.profile == "tensorrt" and p.system == "gpu:t4"
    assert math.isclose(p.throughput * p.latency, 8)
    assert "samples/s" in repr(p) and p.verdict == "fits"


def test_replicas_share_nothing():
    one = pm.infer("resnet50", "dgx1-v100", batch=8, gpus=1)
    all_ = pm.infer("resnet50", "dgx1-v100", batch=8, gpus=8, nodes=3)
    assert all_.latency == one.latency
    assert math.isclose(all_.throughput, 24 * one.throughput)
    assert (one.total_gpus, all_.total_gpus, pm.infer("resnet50", "dgx1-v100").total_gpus) == (1, 24, 8)


def test_latency_limit():
    p = pm.infer("resnet50", "t4", precision="int8", latency="5 ms", framework="tensorrt")
    assert p.latency <= 5e-3 < pm.infer("resnet50", "t4", precision="int8", batch=p.batch + 1).latency
    with pytest.raises(pm.UnreachableError, match="one sample takes"):
        pm.infer("resnet50", "t4", latency="1 us")
    with pytest.raises(pm.ArgumentError):
        pm.infer("resnet50", "t4", batch=1, latency=1)


def test_sweep_is_the_scalar():
    table = pm.sweep(["resnet50", "vgg16"], ["t4", "dgx1-p100"], task="inference", batch=[1, 8],
                     precision=["fp16", "int8"], framework=["tensorrt", "pytorch"])
    rows = list(table)
    assert len(rows) == 32
    for row in rows:
        if row["system"] == "dgx1-p100" and row["precision"] == "int8":
            assert row["status"] == "no_precision"
            continue
        one = pm.infer(row["network"], row["system"], batch=row["batch"], precision=row["precision"],
                       framework=row["profile"])
        assert one.latency == row["latency [s]"]


def test_batch_varies_fastest():
    runs = pm.Plan("resnet50", ["t4", "v100"], task="inference").runs(batch=[1, 2], precision=["fp32", "fp16"])
    assert runs["batch"].tolist() == [1, 2] * 4
    assert (
        runs["precision"].tolist()
        == [runs["precision"][0]] * 2 + [runs["precision"][2]] * 2 + runs["precision"][:4].tolist()
    )
    assert runs["precision"][0] != runs["precision"][2] and runs["system_index"].tolist() == [0] * 4 + [1] * 4


def test_plan_and_own_profile():
    profile = pm.InferenceProfile(id="mine", name="Mine", origin="rule", fusion="graph", launch=1e-6, step_time=0.0)
    plan = pm.Plan("resnet50", "v100", [profile, "tensorrt"], "inference")
    runs = plan.runs(batch=[1, 2, 4])
    result = plan.predict(runs)
    assert result.shape == (6,) and np.all(result["latency"] > 0)
    assert len(pm.Sweep(plan, runs, result)) == 6
    with pytest.raises(pm.PrecisionError):
        pm.infer("resnet50", "p100-sxm2", precision="int8")
    with pytest.raises(pm.NotFoundError):
        pm.infer("resnet50", "nosuch")
    with pytest.raises(pm.NotFoundError):
        pm.infer("resnet50", "t4", precision="int7")
