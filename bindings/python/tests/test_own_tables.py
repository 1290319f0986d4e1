"""Tables of measurements in the words of their authors: titles, separators, numbers, units, versions of software."""

from __future__ import annotations

from pathlib import Path

import perfmodel as pm
import pytest

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
