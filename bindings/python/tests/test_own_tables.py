"""Tables of measurements in the words of their authors: titles, separators, numbers, units, versions of software."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import perfmodel as pm
import pytest

COMMAND = os.environ.get("PERFMODEL_COMMAND", "")
HEADING = "model,throughput,unit,gpu,gpus,batch_per_gpu,precision,framework,framework_version"
ROW = "resnet50,1325,images/s,v100-sxm2-16gb,1,128,mixed,PyTorch,2.9.1"


def rates(tmp_path: Path, text: str, **more: str) -> list[tuple[float, float]]:
    """Measured and predicted rates of a table of training."""
    (tmp_path / "own.csv").write_bytes(text.encode())
    table = pm.validate("training", data=tmp_path / "own.csv", rows=True, **more)
    return list(zip(table["measured"], table["predicted"], strict=True))


@pytest.mark.parametrize("text", [
    "Model,Throughput,Unit,GPU,# GPUs,Batch size,Precision,Framework,Version\n" + ROW,
    "model,img/s,gpu,gpus,bs,dtype,framework,PyTorch version\nresnet50,1325,v100-sxm2-16gb,1,128,mixed precision,"
    "PyTorch,2.9.1+cu130",
    "model,throughput (img/sec),gpu,gpus,batch,precision,framework,version\nresnet50,1.325k,v100-sxm2-16gb,1,128,mixed,"
    "pytorch,v2.9.1",
    HEADING.replace(",", ";") + "\n" + ROW.replace(",", ";").replace("1325", "1325,0"),
    HEADING.replace(",", "\t") + "\r\n" + ROW.replace(",", "\t") + "\r\n",
    "| " + HEADING.replace(",", " | ") + " |\n" + 9 * "|---" + "|\n| " + ROW.replace(",", " | ") + " |\n",
    HEADING + "\n" + ROW.replace("1325", "1 325"),
    HEADING + "\n" + ROW.replace("1325", "1\u00a0325"),
    HEADING + "\n" + ROW.replace("1325", "1'325"),
    HEADING + "\n" + ROW.replace("1325", "~1325 \u00b1 12"),
    HEADING + "\n" + ROW.replace("1325,images/s", "1.325,kimg/s"),
    HEADING + "\n" + ROW.replace("1325,images/s", "79500,images/min"),
    HEADING.replace(",unit", "") + "\n" + ROW.replace("1325,images/s", "1325 img/s"),
    HEADING.replace("throughput,unit", "step time (ms)") + "\n" + ROW.replace("1325,images/s", repr(128e3 / 1325)),
    HEADING + "\n" + ROW.replace("1325,images/s", f"{1325 / 128!r},it/s"),
    HEADING.replace(",", ";") + "\n" + ROW.replace(",", ";").replace("1325", "1.325,0"),
    "# of May\n\n" + HEADING + "\n\n" + ROW + "\n\n",
    "sep=;\n" + HEADING.replace(",", ";") + "\n" + ROW.replace(",", ";"),
    "Results:\n\n| " + HEADING.replace(",", " | ") + " |\n" + 9 * "|---" + "|\n| " + ROW.replace(",", " | ") + " |\n",
    "\ufeff" + HEADING + "\n" + ROW.replace("1325", '"1,325"').replace("images/s", "images/second"),
])
def test_one_row_in_many_spellings(tmp_path: Path, text: str) -> None:
    assert rates(tmp_path, text)[0] == pytest.approx(rates(tmp_path, HEADING + "\n" + ROW + "\n")[0], rel=1e-8)


def test_tokens_are_samples_where_their_length_is_given(tmp_path: Path) -> None:
    text = "model,gpu,gpus,batch,seq,precision,throughput,unit\nllama3-8b,h100-sxm5,8,1,8192,bf16,{}\n"
    tokens = rates(tmp_path, text.format("8192,tokens/s/gpu"))
    assert tokens == rates(tmp_path, text.format("1,samples/s/GPU")) and tokens[0][0] == 1


def test_rows_keep_their_line(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("# of May\n\n" + HEADING + "\n\n" + ROW + "\n")
    assert list(pm.validate("training", data=tmp_path / "own.csv", rows=True)["id"]) == ["line 5"]


def test_versions_in_plain_words(tmp_path: Path) -> None:
    tagged = HEADING + "\n" + ROW.replace("2.9.1", "pt291-cu128").replace(",PyTorch,", ",PyTorch timm,")
    assert rates(tmp_path, tagged) == rates(tmp_path, HEADING + "\n" + ROW)
    assert rates(tmp_path, HEADING + "\n" + ROW.replace("2.9.1", "1.10.0")) != rates(tmp_path, HEADING + "\n" + ROW)


@pytest.mark.parametrize(("text", "message"), [
    ("model;throughput;unit;gpu\nresnet50;1,325;images/s;t4\n", "may be a thousand times as much"),
    ("model;throughput;unit;gpu\nresnet50;1.325;images/s;t4\n", "write it without the dot"),
    ("model,batch,bs,throughput,unit\nresnet50,1,2,3,images/s\n", 'columns "batch" and "bs" both mean batch_per_gpu'),
    ('{"num_accelerators": 8,\n "start": 1}\n', "no table .CSV. of the set training"),
    ("[2026-03-01 10:00:01] step 10/ 500 | elapsed\n", "no table .CSV. of the set training"),
    ("|||\n|||\n", "no table .CSV. of the set training"),
    ("epoch,step,loss\n0,10,2.3\n", "measurements of another program that are read: a trace"),
])
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(pm.Error, match=message):
        rates(tmp_path, text)


def test_the_machine_of_a_table_that_names_none(tmp_path: Path) -> None:
    text = "model,batch_size,img/s,precision\nresnet50,128,1325,mixed\n"
    assert rates(tmp_path, text, system="v100-sxm2-16gb")[0][0] == 1325


@pytest.mark.parametrize(("framework", "release"), [
    ("PyTorch 2.1", "2.1"), ("PyTorch v2.1.2", "2.1.2"), ("torch==2.1.0", "2.1"), ("2.1.0a0+cu121", "2.1"),
    ("2.9.1+cu130", "2.9"), ("NGC 23.09", "NGC 23.09"), ("nvcr.io/nvidia/pytorch:23.09-py3", "NGC 23.09"),
    ("PyTorch 2.1 + CUDA 12.1", "2.1"), ("PT 1.13", "1.13"), ("PyTorch2.4", "2.4"),
])
def test_a_release_behind_the_name_of_the_framework(tmp_path: Path, framework: str, release: str) -> None:
    named = HEADING.replace(",framework_version", "") + "\n" + ROW.replace("PyTorch,2.9.1", framework) + "\n"
    beside = HEADING + "\n" + ROW.replace("2.9.1", release) + "\n"
    assert rates(tmp_path, named) == rates(tmp_path, beside)
    empty = HEADING + "\n" + ROW.replace("PyTorch,2.9.1", framework + ",") + "\n"
    assert rates(tmp_path, empty) == rates(tmp_path, beside)
    assert rates(tmp_path, beside) != rates(tmp_path, HEADING + "\n" + ROW.replace("2.9.1", "") + "\n")


def test_what_is_no_release_of_pytorch(tmp_path: Path) -> None:
    def predicted(framework: str, version: str = "") -> float:
        return rates(tmp_path, HEADING + "\n" + ROW.replace("PyTorch,2.9.1", f"{framework},{version}") + "\n")[0][1]

    assert predicted("PyTorch Lightning 2.1") == predicted("PyTorch")
    assert predicted("pytorch-2.1-nhwc") != predicted("PyTorch 2.1")  # the id of a profile
    assert predicted("torch", "2.9.1") == predicted("PyTorch", "2.9.1") != predicted("Torch7")
    assert predicted("PyTorch 2.12") == predicted("PyTorch 2.9") != predicted("PyTorch 2.1.2")
    with pytest.raises(pm.Error, match='own.csv:2: "PyTorch 2.9" is not version "2.1"'):
        predicted("PyTorch 2.9", "2.1")


@pytest.mark.parametrize(("framework", "version", "profile"), [
    ("TensorFlow 2.4", "", "tensorflow-2.4"), ("TensorFlow", "2.4.1", "tensorflow-2.4"),
    ("TensorFlow", "v2.13.0", "tensorflow-2.4"), ("TensorFlow 2.3", "", "tf1-nhwc"), ("TF2", "", "tf1-nhwc"),
    ("TensorFlow", "1.15.2", "tf1-nchw"), ("TensorFlow", "NGC 20.06", "tf1-nhwc"),
])
def test_releases_of_tensorflow(tmp_path: Path, framework: str, version: str, profile: str) -> None:
    row = ROW.replace("PyTorch,2.9.1", f"{framework},{version}")
    (tmp_path / "own.csv").write_text(HEADING + "\n" + row + "\n")
    table = pm.validate("training", data=tmp_path / "own.csv", rows=True)
    assert table["framework"][0].partition("@")[0] == profile


@pytest.mark.parametrize(("titles", "cells"), [
    ("throughput_img_s", "10600"), ("images_per_second", "10600"), ("Avg. throughput [img/s]", "10600"),
    ("FPS", "10600"), ("samples_per_second_per_gpu", "1325"), ("throughput per GPU,unit", "1325,images/s"),
    ("step_time_us", str(128e6 / 1325)), ("time/iter (ms)", str(128e3 / 1325)), ("avg latency (ms)", str(128e3 / 1325)),
    ("it/s", str(1325 / 128)),
])
def test_titles_of_rates(tmp_path: Path, titles: str, cells: str) -> None:
    for gpu, gpus, number in (("v100-sxm2-16gb", ",gpus", ",8"), ("8x V100-SXM2-16GB", "", ""),
                              ("V100-SXM2-16GB x8", "", "")):
        text = f"model,gpu{gpus},batch,precision,{titles}\nresnet50,{gpu}{number},128,mixed,{cells}\n"
        (tmp_path / "own.csv").write_text(text)
        table = pm.validate("training", data=tmp_path / "own.csv", rows=True)
        each = "/GPU" in table["unit"][0]
        whole = HEADING + "\n" + ROW.replace("1325", "10600").replace(",1,128", ",8,128").replace("PyTorch,2.9.1", ",")
        measured, predicted = rates(tmp_path, whole)[0]
        assert table["measured"][0] == pytest.approx(measured / (8 if each else 1))
        assert table["predicted"][0] == pytest.approx(predicted / (8 if each else 1))


def test_counts_and_rates_that_are_missing_or_differ(tmp_path: Path) -> None:
    with pytest.raises(pm.Error, match='"8x A100" is not 4 GPUs'):
        rates(tmp_path, "model,gpu,gpus,batch,precision,img/s\nresnet50,8x A100,4,128,mixed,1325\n")
    with pytest.raises(pm.Error, match='nor another of a rate, as "img/s"'):
        rates(tmp_path, "model,gpu,batch,precision,MFU\nresnet50,a100,128,mixed,40\n")


def test_many_rows_cost_what_rows_cost(tmp_path: Path) -> None:
    def seconds(rows: int) -> float:
        (tmp_path / "own.csv").write_text(HEADING + "\n" + (ROW + "\n") * rows)
        start = time.process_time()
        pm.validate("training", data=tmp_path / "own.csv")
        return time.process_time() - start

    few = min(seconds(1000) for _ in range(3))
    assert seconds(8000) < 16 * few + 0.5


@pytest.mark.skipif(not COMMAND, reason="PERFMODEL_COMMAND is not set")
@pytest.mark.parametrize(("framework", "message"), [
    ("PyTorch,nightly", '1 row: "PyTorch" of no release that is known; "pt-nchw" stands for it'),
    ("FooFrame,1", '1 row: "FooFrame" is no framework that is known; "generic" stands for it'),
    (",", '1 row: no framework is named; "generic" stands for any'), ("PyTorch,2.9.1", ""),
])
def test_what_stands_for_unknown_software_is_said(tmp_path: Path, framework: str, message: str) -> None:
    (tmp_path / "own.csv").write_text(HEADING + "\n" + ROW.replace("PyTorch,2.9.1", framework) + "\n")
    run = subprocess.run([COMMAND, "validate", "--set", "training", "--data", str(tmp_path / "own.csv")],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert message in run.stderr and ("stands for" in run.stderr) == (message != "")


def test_a_batch_is_whole(tmp_path: Path) -> None:
    assert rates(tmp_path, HEADING + "\n" + ROW.replace(",128,", ",12.5,") + "\n") == []
