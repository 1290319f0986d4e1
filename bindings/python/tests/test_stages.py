"""Stages of a pipeline: their table, timeline and picture."""

from __future__ import annotations

import json

import numpy as np
import pytest

import perfmodel as pm

PLANS = [
    {"tensor_parallel": 8, "pipeline_parallel": 4, "sequence_parallel": True, "zero": 1},
    {"tensor_parallel": 4, "pipeline_parallel": 8, "pipeline_schedule": "gpipe", "recompute": "full"},
    {"tensor_parallel": 8, "pipeline_parallel": 4, "virtual_pipeline": 5},
    {"tensor_parallel": 8, "pipeline_parallel": 1, "zero": 3},
]


def predict(**plan: object) -> pm.Prediction:
    return pm.predict(
        "llama3-70b", "dgx-h100", gpus=8, nodes=8, global_batch=64, micro_batch=1, precision="bf16", optimizer="adam",
        framework="megatron-core-0.12", ignore_memory=True, **plan,
    )  # fmt: skip


@pytest.mark.parametrize("plan", PLANS)
def test_stages_are_the_prediction(plan: dict[str, object]) -> None:
    p = predict(**plan)
    rows = p.stages()
    assert len(rows) == p.run.pipeline_parallel == p.pipeline_stages
    assert rows["busy_time"] + rows["wait_time"] == pytest.approx(p.step_time)
    assert rows["forward_time"][p.slowest_stage] == p.forward_time
    assert rows["memory"].max() == rows["memory"][p.fullest_stage] == p.memory
    assert rows["layers"].sum() == 80


@pytest.mark.parametrize("plan", PLANS)
def test_the_timeline_ends_with_the_step(plan: dict[str, object]) -> None:
    p = predict(**plan)
    trace = json.loads(p.trace())["traceEvents"]
    lanes = [event["args"]["name"] for event in trace if event["ph"] == "M"]
    bars = [event for event in trace if event["ph"] == "X"]
    assert lanes[0] == f"stage 0 ({80 // p.pipeline_stages} layers)" and len(lanes) == p.pipeline_stages
    end = max(event["ts"] + event["dur"] for event in bars) * 1e-6
    assert end == pytest.approx(p.step_time, rel=0.02)  # the last stage is slower than the others
    busy = p.stages()["busy_time"]
    for stage in range(p.pipeline_stages):
        own = sorted((event["ts"],
                      event["dur"]) for event in bars if event["tid"] == stage and event["cat"] != "waiting")
        assert all(a[0] + a[1] <= b[0] + 0.002 for a, b in zip(own, own[1:]))  # rounded to ns
        assert sum(dur for _, dur in own) * 1e-6 == pytest.approx(busy[stage], rel=1e-6)


def drawn(p: pm.Prediction) -> tuple[float, float, float]:
    """J of the counter of power over the step, without what the timeline takes longer; its least and its most W."""
    counter = [(e["ts"] * 1e-6, e["args"]["W"]) for e in json.loads(p.trace())["traceEvents"] if e["ph"] == "C"]
    assert counter == sorted(counter, key=lambda point: point[0])
    energy = sum(watts * (after - time) for (time, watts), (after, _) in zip(counter, counter[1:]))
    end, idle = counter[-1]
    watts = [point[1] for point in counter]
    return energy - idle * (end - p.step_time), min(watts), max(watts)


@pytest.mark.parametrize("p", [
    *(predict(**plan) for plan in PLANS),
    pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64, precision="fp16"),
    pm.predict("resnet50", "rtx-3090", batch=8, precision="fp16", power_limit="200 W"),
    pm.predict("gpt2", "dgx-h100", nodes=2, batch=4, precision="bf16", gradient_accumulation_steps=20),
])  # fmt: skip
def test_the_counter_of_power_adds_up_to_the_energy(p: pm.Prediction) -> None:
    energy, least, most = drawn(p)
    assert energy == pytest.approx(p.gpu_power * p.step_time, rel=1e-5)
    limit = p.run.power_limit if p.run.power_limit == p.run.power_limit else pm.system(p.system).gpu.power
    assert 0 < least <= p.gpu_power <= most <= limit


def test_one_stage_without_a_pipeline() -> None:
    p = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64)
    rows = p.stages()
    assert rows["memory"].tolist() == [p.memory] and rows["layers"].tolist() == [16]
    assert rows["busy_time"] + rows["wait_time"] == pytest.approx(p.step_time)
    assert p.bubble_share == 0


def test_the_picture_has_a_lane_for_each_stage() -> None:
    pytest.importorskip("matplotlib").use("agg")
    p = predict(**PLANS[2])
    ax = pm.plot_timeline(p)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[:4] == [f"stage {i} (20 layers)" for i in range(4)] and names[4].startswith("power, 0 to ")
    assert "4 stages of 5 chunks, 32 micro-batches, interleaved" in " ".join(ax.get_title(loc="left").split())
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[0] == "forward" and legend[-1] == f"waiting (bubble {100 * p.bubble_share:.1f} % of the step)"
    early = pm.plot_timeline(p, until="1 s")
    assert early.get_xlim() == (0, 1) and len(early.texts) > 0 == len(ax.texts)
    widths = np.array([collection.get_paths()[0].get_extents().width for collection in ax.collections])
    assert (widths > 0).all()


def memory(**plan: object) -> pm.Memory:
    return pm.memory("llama3-70b", "dgx-h100", **{"micro_batch": 1, "framework": "megatron-core-0.12", **plan})


def test_memory_of_a_plan_is_that_of_its_heaviest_stage() -> None:
    plan = {"tensor_parallel": 8, "pipeline_parallel": 4, "sequence_parallel": True, "zero": 1}
    m = memory(**plan, gpus=64, batch=32, optimizer="adam")
    p = predict(**plan)
    rows = m.stages()
    assert m.total == rows["memory"].max() == p.memory and m.largest_batch == p.largest_batch
    assert rows["memory"].tolist() == p.stages()["memory"].tolist()
    by_rank = memory(tensor_parallel=8, batch=8, nodes=2)
    assert memory(tensor_parallel=8, global_batch=16, nodes=2).total == by_rank.total
    assert (m.run.gpus, m.run.nodes, m.run.batch, m.run.zero) == (8, 8, 32, 1)
    assert "largest micro-batch" in repr(m) and "assumed: bf16" in repr(m)


def test_memory_of_a_plan_says_what_is_wrong() -> None:
    for plan, why in (
        ({"tensor_parallell": 8}, "did you mean 'tensor_parallel'"),
        ({"tensor_parallel": 8, "task": "inference"}, "has no effect in inference"),
        ({"tensor_parallel": 3}, "8 GPUs|64 heads over 3 GPUs"),
        ({"tensor_parallel": 8, "global_batch": 7, "nodes": 2}, "does not divide"),
        ({"tensor_parallel": 4, "gpus": 12}, "12 GPUs do not fill whole nodes of 8; 8 or 16 GPUs do"),
        ({"tensor_parallel": 8, "framework": pm.MemoryProfile()}, "must be a framework"),
    ):
        with pytest.raises((TypeError, pm.Error), match=why):
            memory(**plan)
    with pytest.raises(pm.ArgumentError, match="not distributed"):
        memory(tensor_parallel=8, batch=1).layers()
