"""Measured beside predicted: the command's numbers, rows of one's own, and what is not compared."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

import perfmodel as pm

HEADER = "model,framework,gpu,gpus,nodes,batch_per_gpu,precision,throughput,unit,note\n"
ROW = "ResNet-50,PyTorch,V100,1,1,64,fp32,300,images/s,\n"


def test_the_sets() -> None:
    assert pm.validation_sets() == ["statements", "training", "inference", "large-models", "kernels", "operators",
                                    "collectives", "storage"]


FURTHER = {"kernels": ["roofline mape [%]"], "collectives": ["covered [%]"]} | {name: ["settings",
    "covered [%]"] for name in ("training", "inference", "large-models")}


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


def test_large_models_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    header = (
        "model,framework,source_commit_or_date,system,gpu,gpus,nodes,global_batch,precision,seq_len,throughput,unit,"
        "hidden,layers,heads,ffn,vocab,tensor_parallel,pipeline_parallel,schedule,micro_batch,"
        "step_time_s,memory_GB\n"
    )
    shape = "GPT,Megatron-LM,2022-05,dgx-a100-80gb,A100,64,8,64,bf16,2048,{},4096,32,32,16384,51200,4,4,{},{},{},{}\n"
    path.write_text(header + shape.format(",", "1f1b", 2, 3, 20) + shape.format("50000,tokens/s", "1f1b", "", "", "")
                    + shape.format(",", "zb-5p", 2, 3, 20))
    table = pm.validate("large-models", rows=True, data=path)
    kept = dict(gpus=8, nodes=8, batch=16, precision="bf16", optimizer="adam", tensor_parallel=4, pipeline_parallel=4,
                framework="megatron-v2", ignore_memory=True)
    network = pm.network("gpt", seq=2048, layers=32, hidden=4096, heads=32, ffn=16384, vocabulary=51200, flash=1)
    runs = {size: pm.predict(network, "dgx-a100-80gb", micro_batch=size, **kept) for size in (1, 2, 4, 8)}
    assert list(table["unit"]) == ["ms", "GB", "tokens/s"]
    assert table["predicted"][0] == pytest.approx(runs[2].step_time * 1e3)
    assert table["predicted"][1] == pytest.approx(runs[2].memory / 1e9)
    assert table["predicted"][2] == pytest.approx(max(p.throughput for p in runs.values()) * 2048)
    assert any("zb-5p" in note for note in table.notes)


def test_offloading_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    header = (
        "model,framework,source_commit_or_date,system,gpu,gpus,nodes,global_batch,precision,seq_len,throughput,unit,"
        "hidden,layers,heads,ffn,vocab,zero_stage,offload,micro_batch,step_time_s\n"
    )
    row = "GPT,Megatron-LM,2022-05,dgx-a100-80gb,A100,8,1,64,bf16,2048,,,4096,32,32,16384,51200,2,{},2,9\n"
    path.write_text(header + row.format("gradients") + row.format(""))
    network = pm.network("gpt", seq=2048, layers=32, hidden=4096, heads=32, ffn=16384, vocabulary=51200, flash=1)
    kept = dict(gpus=8, batch=8, micro_batch=2, zero=2, precision="bf16", optimizer="adam", framework="megatron-v2",
                ignore_memory=True)
    runs = [pm.predict(network, "dgx-a100-80gb", offload=offload, **kept) for offload in ("gradients", "none")]
    predicted = pm.validate("large-models", rows=True, data=path)["predicted"]
    assert list(predicted) == pytest.approx([run.step_time * 1e3 for run in runs])
    assert predicted[0] > predicted[1]


def test_micro_batches_that_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    header = ("model,framework,source_repo,source_commit_or_date,system,gpu,gpus,nodes,global_batch,precision,seq_len,"
              "throughput,unit,hidden,layers,heads,ffn,vocab,tensor_parallel,pipeline_parallel,schedule,"
              "zero_stage,micro_batch,step_time_s\n")
    shape = "GPT,torchtitan,pytorch/torchtitan,2025-01,dgx-h100,H100,64,8,256,bf16,2048,,,4096,32,32,16384,51200,"
    shape += "4,4,1f1b,3,{},9\n"
    path.write_text(header + shape.format("") + shape.format(16))
    table = pm.validate("large-models", rows=True, data=path)
    assert table["predicted"][0] == table["predicted"][1]  # 64 samples of a replica, 4 stages: 4 times 16
    network = pm.network("gpt", seq=2048, layers=32, hidden=4096, heads=32, ffn=16384, vocabulary=51200, flash=1)
    run = pm.predict(network, "dgx-h100", gpus=8, nodes=8, batch=64, micro_batch=16, precision="bf16", optimizer="adam",
                     tensor_parallel=4, pipeline_parallel=4, zero=3, gradient_bytes=4, framework="pytorch-2.4-fsdp",
                     ignore_memory=True)
    assert table["predicted"][0] == pytest.approx(run.step_time * 1e3)


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
