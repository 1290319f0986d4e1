"""Measured beside predicted: the command's numbers, rows of your own, and what is not compared."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

import perfmodel as pm

HEADER = "model,framework,gpu,gpus,nodes,batch_per_gpu,precision,throughput,unit,note\n"
ROW = "ResNet-50,PyTorch,V100,1,1,64,fp32,300,images/s,\n"


def test_the_sets() -> None:
    assert pm.validation_sets() == ["statements", "training", "training-checks", "inference", "large-models", "plans",
                                    "memory", "kernels", "operators", "collectives", "serving", "energy", "storage"]


OF_SETTINGS = ("training", "training-checks", "inference", "large-models", "plans", "memory")
FURTHER = {name: ["settings", "covered [%]"] for name in OF_SETTINGS}
FURTHER["kernels"] = ["roofline mape [%]"]
FURTHER["collectives"] = FURTHER["serving"] = ["covered [%]"]
FURTHER["energy"] = ["limit [%]", "constant [%]", "covered [%]"]
for chosen in ("large-models", "plans"):
    FURTHER[chosen] = [*FURTHER[chosen], "regret [%]", "rank_correlation"]


def test_every_set_has_the_same_columns() -> None:
    for name in pm.validation_sets():
        table = pm.validate(name)
        titles = [column.title for column in table.columns]
        assert titles[:7] == ["set", "group", "rows", "mape [%]", "median [%]", "p90 [%]", "bias [%]"]
        assert titles[7:] == FURTHER.get(name, [])
        assert len(table) > 0 and table["rows"].sum() > 0
        rows = pm.validate(name, rows=True)
        assert [column.title for column in rows.columns][:6] == [
            "id", "group", "measured", "predicted", "unit", "error [%]"
        ]


def test_regret_is_of_groups_of_plans() -> None:
    table = pm.validate("large-models")
    of_plans = [" plans: " in group for group in table["group"]]
    assert sum(of_plans) > 10
    for chosen, rows, regret, rho, mape in zip(of_plans, *(table[c] for c in ("rows", "regret", "rank_correlation",
                                                                              "mape"))):
        assert (regret == regret) == chosen == (mape != mape)
        assert not chosen or (rows >= 2 and regret >= 0 and (rho != rho or -1 <= rho <= 1))
        # the plan that is picked of two is the better one exactly if their order is right
        assert not chosen or rows != 2 or rho != rho or (regret == 0) == (rho > 0)


def test_documents_are_whole_and_say_what_holds() -> None:
    rows = pm.validate(rows=True)
    assert len(rows) == 271 and len(set(rows["id"])) == 271
    assert set(rows["holds"]) == {"", "yes", "no"}
    assert any("claims and bounds hold" in note for note in pm.validate().notes)


def test_rows_of_ones_own(tmp_path: Path) -> None:
    plain, packed = tmp_path / "rows.csv", tmp_path / "rows.csv.gz"
    plain.write_text(HEADER + ROW)
    packed.write_bytes(gzip.compress((HEADER + ROW).encode()))
    first, second = (pm.validate("training", rows=True, data=path) for path in (plain, str(packed)))
    assert first.to_dict() == second.to_dict()
    assert first["error"][0] == pytest.approx((first["predicted"][0] / 300 - 1) * 100)


def test_hosts_limit_what_they_prepare(tmp_path: Path) -> None:
    header = (
        "model,framework,gpu,gpu_memory_GB,system,gpus,nodes,batch_per_gpu,precision,throughput,unit,source_repo,note\n"
    )
    row = "{},TensorFlow 2,V100,32,NVIDIA DGX-1,{},1,{},fp16-mixed,4000,images/s,"
    row += "NVIDIA/DeepLearningExamples,EfficientNet-B0\n"
    path = tmp_path / "rows.csv"
    path.write_text(header + "".join(row.format("EfficientNet-B0", gpus, batch) for gpus in (1, 8) for batch in (256,
        512))
                    + row.format("ResNet-50", 8, 256))
    table = pm.validate("training", rows=True, data=path)
    one, _, small, large, other = table["predicted"]
    assert small == large < 8 * one  # cores do not know of batches, and are slower when all are busy
    assert other > 1.5 * large
    assert ["efficientnet-tf-loader" in readings for readings in table["readings"]] == [True] * 4 + [False]


PLANS = ("network,framework,system,gpus,nodes,batch,precision,optimizer,tensor_parallel,pipeline_parallel,"
         "pipeline_schedule,zero,offload,micro_batch,quantity,rank,value,use,check,sparsity\n")
SHAPE = "gpt seq=2048 layers=32 hidden=4096 heads=32 vocabulary=51200"


def plan(quantity: str, **cells: object) -> str:
    """A packed row; what is not given of the run is completed."""
    row = dict(network=SHAPE, framework="megatron-v2", system="dgx-a100-80gb", gpus=8, nodes=8, batch=16,
               precision="bf16", optimizer="adam", quantity=quantity, value=3) | cells
    return ",".join(str(row.get(name, "")) for name in PLANS.strip().split(",")) + "\n"


def test_packed_rows_are_runs(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    degrees = dict(tensor_parallel=4, pipeline_parallel=4)
    rows = [plan("step_time", micro_batch=2, **degrees), plan("throughput", micro_batch="1 2 4 8", **degrees),
            plan("step_time", zero=2, offload="gradients", gpus=8, nodes=1, batch=8, micro_batch=2)]
    path.write_text(PLANS + "".join(rows))
    table = pm.validate("large-models", rows=True, data=path)
    kept = dict(gpus=8, nodes=8, batch=16, precision="bf16", optimizer="adam", framework="megatron-v2",
                ignore_memory=True)
    network = pm.network("gpt", seq=2048, layers=32, hidden=4096, heads=32, vocabulary=51200, flash=1)
    runs = {size: pm.predict(network, "dgx-a100-80gb", micro_batch=size, **degrees, **kept) for size in (1, 2, 4, 8)}
    offloaded = pm.predict(network, "dgx-a100-80gb", **kept | dict(nodes=1, batch=8, micro_batch=2, zero=2,
                                                                   offload="gradients"))
    assert list(table["unit"]) == ["ms", "samples/s", "ms"]
    assert table["predicted"][0] == pytest.approx(runs[2].step_time * 1e3)
    assert table["predicted"][1] == pytest.approx(max(p.throughput for p in runs.values()))
    assert table["predicted"][2] == pytest.approx(offloaded.step_time * 1e3)


def test_packed_rows_are_completed_as_predictions_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("network,system,quantity,value\ngpt2 flash=1,dgx-a100-80gb,step_time,0.1\n")
    table = pm.validate("large-models", rows=True, data=path)
    run = pm.predict(pm.network("gpt2", flash=1), "dgx-a100-80gb")
    assert table["predicted"][0] == pytest.approx(run.step_time * 1e3)
    assert (table["gpus"][0], table["batch"][0]) == (8, 1)


def test_memory_is_of_a_quantity_and_a_rank(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    degrees = dict(pipeline_parallel=4, micro_batch=1)
    names = ("static_memory", "allocator_peak", "reserved", "device_total")
    ranks = ("first", 1, "last", "fullest")
    path.write_text(PLANS + "".join(plan(name, rank=rank, **degrees) for rank in ranks for name in names))
    table = pm.validate("large-models", rows=True, data=path)
    network = pm.network("gpt", seq=2048, layers=32, hidden=4096, heads=32, vocabulary=51200, flash=1)
    stages = pm.predict(network, "dgx-a100-80gb", gpus=8, nodes=8, batch=16, precision="bf16", optimizer="adam",
                        framework="megatron-v2", ignore_memory=True, **degrees).stages()
    predicted = dict(zip(((rank, name) for rank in ranks for name in names), table["predicted"]))
    parts = ("weights", "gradients", "optimizer", "activations", "live_gradients", "input", "workspace",
             "communication")
    for rank, stage in zip(ranks, (0, 1, 3, list(stages["memory"]).index(max(stages["memory"])))):
        tensors = sum(stages[part][stage] for part in parts)
        assert predicted[rank, "allocator_peak"] == pytest.approx(tensors / 1e9)
        assert predicted[rank, "reserved"] == pytest.approx((tensors + stages["allocator"][stage]) / 1e9)
        assert predicted[rank, "device_total"] == pytest.approx(stages["memory"][stage] / 1e9)
        assert predicted[rank, "static_memory"] < predicted[rank, "allocator_peak"]
    assert predicted["first", "allocator_peak"] > predicted[1, "allocator_peak"]


def test_packed_rows_that_cannot_be_predicted_say_why(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    bad = {"unknown quantity \"memory\"": plan("memory"), "no latency": plan("latency"),
           "no \"sparsity\", which the row gives": plan("step_time", sparsity=2), "rank 3 of a run that has 1":
           plan("allocator_peak", rank=3), "rank \"middle\"": plan("allocator_peak", rank="middle"),
           "left out: no batch": plan("step_time", use="skip", check="no batch"), "use \"often\"":
           plan("step_time", use="often"), "zb-5p": plan("step_time", pipeline_schedule="zb-5p"),
           "value \"0\"": plan("step_time", value=0)}
    path.write_text(PLANS + "".join(bad.values()) + plan("step_time"))
    table = pm.validate("large-models", rows=True, data=path)
    notes = "\n".join(table.notes)
    assert sum(value == value for value in table["predicted"]) == 1
    for reason in bad:
        assert reason in notes


def test_the_order_of_packed_rows_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [plan(name, tensor_parallel=degree, value=value) for value, (name, degree) in
            enumerate(((name, degree) for name in ("step_time", "allocator_peak") for degree in (1, 2, 4)), 1)]
    results = []
    for order in (rows, rows[::-1]):
        path.write_text(PLANS + "".join(order))
        table = pm.validate("large-models", rows=True, data=path)
        results.append(sorted(zip(table["measured"], table["predicted"])))
    assert results[0] == results[1]


def test_kernels_and_collectives_of_ones_own(tmp_path: Path) -> None:
    kernels, collectives = tmp_path / "kernels.csv", tmp_path / "collectives.csv"
    kernels.write_text("kernel,M,N,K,precision,gpu,time_us\ngemm,512,512,512,fp32,V100,90\n")
    collectives.write_text("system,gpus,nodes,collective,message_bytes,time_us\nDGX-2,16,1,all_reduce,1e6,100\n")
    table = pm.validate("kernels", data=kernels)
    assert table["set"][0] == "own" and 0 < table["mape"][0] < table["roofline mape"][0]
    table = pm.validate("collectives", rows=True, data=collectives)
    assert table["machine"][0] == "dgx2" and table["regime"][0] == "64 KB-16 MB"
    assert table["error"][0] == pytest.approx((table["predicted"][0] / 1e-4 - 1) * 100)


def test_a_dataframe() -> None:
    pandas = pytest.importorskip("pandas")
    values = ["ResNet-50", "PyTorch", "V100", 1, 1, 64, "fp32", 300, "images/s", None]
    frame = pandas.DataFrame([values], columns=HEADER.strip().split(","))
    table = pm.validate("training", rows=True, data=frame)
    assert len(table) == 1 and not math.isnan(table["error"][0])


def test_what_is_not_compared_is_said() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"model": ["NoSuchNet"], "throughput": [1], "unit": ["images/s"]})
    table = pm.validate("training", data=frame)
    assert len(table) == 0
    assert "NoSuchNet" in table.notes[1]


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(pm.NotFoundError):
        pm.validate("nothing")
    with pytest.raises(pm.FileError):
        pm.validate("training", data=tmp_path / "missing.csv")
    bad = tmp_path / "bad.csv"
    bad.write_text("model,unit\nx,y\n")
    with pytest.raises(pm.Error, match="throughput"):
        pm.validate("training", data=bad)
    with pytest.raises(pm.ArgumentError):
        pm.validate("training", data=3)  # type: ignore[arg-type]


def test_only_rows_of_a_gpu() -> None:
    rows = pm.validate("training", rows=True, only="gpu=rtx-3090")
    assert len(rows) > 50 and all("rtx-3090" in machine for machine in rows["machine"])
    with pytest.raises(pm.Error, match="no row of .* is of gpu=k20"):
        pm.validate("training", only="gpu=k20")


def test_intervals_of_serving_hold_what_they_say():
    groups, rows = pm.validate("serving"), pm.validate("serving", rows=True)
    counts = zip(groups["group"], groups["rows"])
    name = next(group for group, count in counts if group.startswith("tpot closed") and count > 50)
    of = [covered for group, covered in zip(rows["group"], rows["covered"]) if group == name]
    assert set(of) <= {0, 100}
    assert abs(sum(of) / len(of) - dict(zip(groups["group"], groups["covered"]))[name]) < 0.06
    known = [covered for covered in rows["covered"] if covered == covered]
    assert 72 <= sum(known) / len(known) <= 92
