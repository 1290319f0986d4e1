"""Tables: the same numbers as text, columns, rows and DataFrame."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from conftest import bits
from perfmodel import _plan, _sweep


def test_csv_reads_back_to_the_same_bits(sweep: pm.Sweep) -> None:
    text = sweep.to_csv()
    assert text is not None
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == [column.title for column in sweep.columns]
    assert "step_time [s]" in header and "throughput [1/s]" in header
    assert len(rows) == len(sweep)
    for i, column in enumerate(sweep.columns):
        cells = [row[i] for row in rows]
        if column.kind in ("int", "real"):
            values = np.array([float(cell) if cell else math.nan for cell in cells])
            assert values.tobytes() == np.asarray(sweep[column.name], dtype=float).tobytes(), column.name
        else:
            values = [{True: "yes", False: "no"}.get(value, value) for value in sweep[column.name].tolist()]
            assert cells == values, column.name


def test_csv_file_holds_the_bytes_of_the_library(sweep: pm.Sweep, tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    assert sweep.to_csv(path) is None
    assert path.read_bytes() == sweep.to_csv().encode("utf-8")
    assert b"\r\n" in path.read_bytes()
    sweep.to_csv(str(path))
    assert os.listdir(tmp_path) == ["plan.csv"]
    umask = os.umask(0o022)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_csv_to_a_bad_place_writes_nothing(sweep: pm.Sweep, tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        sweep.to_csv(tmp_path)
    with pytest.raises(OSError):
        sweep.to_csv(tmp_path / "no" / "folder.csv")
    assert os.listdir(tmp_path) == []


def test_json(sweep: pm.Sweep) -> None:
    rows = json.loads(sweep.to_json())
    assert len(rows) == len(sweep)
    assert [row["status"] for row in rows] == sweep["status"].tolist()
    key = next(key for key in rows[0] if key.startswith("step_time"))
    assert [row[key] for row in rows if row["status"] == "ok"] == [p.step_time for p in sweep if p.status == "ok"]
    assert {row[key] for row in rows if row["status"] != "ok"} == {None}


def test_a_sweep_in_pieces_is_the_same(sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    again = pm.Sweep(sweep.plan, sweep.runs, sweep.predictions, _given=sweep._given)
    monkeypatch.setattr(_sweep, "CHUNK", 7)
    monkeypatch.setattr(_plan, "CHUNK", 7)
    assert again.to_csv() == sweep.to_csv()
    assert json.loads(again.to_json()) == json.loads(sweep.to_json())
    assert again["step_time"].tobytes() == sweep["step_time"].tobytes()
    assert bits(sweep.plan.predict(sweep.runs)) == bits(sweep.predictions)


def test_columns_by_name(sweep: pm.Sweep) -> None:
    assert (sweep["step_time"] is sweep["step_time [s]"]) and sweep["gpus"].dtype == np.int64
    with pytest.raises(KeyError, match="stepp"):
        sweep["stepp"]
    with pytest.raises(ValueError):
        sweep["step_time"][0] = 1


def test_rows(sweep: pm.Sweep) -> None:
    predictions = list(sweep)
    assert len(predictions) == len(sweep) == len(sweep.runs)
    assert predictions[-1] == sweep[-1] and isinstance(sweep[0], pm.Prediction)
    with pytest.raises(IndexError):
        sweep[len(sweep)]
    layers = pm.network("alexnet").layers()
    assert [row["name"] for row in layers] == layers["name"].tolist()
    assert layers[0]["kind"] == "conv2d"


def test_rows_count_from_the_end_too() -> None:
    table = pm.list("links")
    assert str(table[-1]) == str(table[len(table) - 1]) == str(list(table)[-1])  # NaN is not itself
    with pytest.raises(IndexError):
        table[len(table)]


def test_structured_array(sweep: pm.Sweep) -> None:
    array = sweep.to_numpy()
    assert array.shape == (len(sweep),)
    assert array["step_time [s]"].tobytes() == sweep["step_time"].tobytes()


def test_dataframe(sweep: pm.Sweep) -> None:
    pytest.importorskip("pandas")
    frame = sweep.to_pandas()
    assert list(frame.columns) == [column.title for column in sweep.columns]
    assert frame["step_time [s]"].to_numpy().tobytes() == sweep["step_time"].tobytes()
    assert frame["gpus"].dtype == np.int64
    assert frame.groupby("network")["throughput [1/s]"].max().index.tolist() == ["resnet50", "vgg16"]
    layers = pm.network("resnet50").layers(batch=32).to_pandas()
    assert {"mac [MAC]", "flop [FLOP]", "bytes_in [B]", "gamma"} <= set(layers.columns)


def test_dict(sweep: pm.Sweep) -> None:
    columns = sweep.to_dict()
    assert set(columns) == {column.title for column in sweep.columns}
    assert {len(column) for column in columns.values()} == {len(sweep)}
    assert isinstance(columns["gpus"][0], int) and isinstance(columns["step_time [s]"][0], float)


def test_text(sweep: pm.Sweep) -> None:
    lines = repr(sweep).split("\n")
    assert max(map(len, lines)) <= 100
    assert any("more rows" in line for line in lines[-3:]) and len(lines) < 80
    assert "more rows" not in repr(pm.network("alexnet").layers())
    assert any(line.startswith("total") for line in repr(pm.network("resnet50").layers()).split("\n")[-2:])
    with pytest.raises(pm.NotFoundError, match="pdf"):
        sweep.format("pdf")


def test_html_is_escaped() -> None:
    net = pm.Network("<script>alert(1)</script>", "<u>&")
    net.input(3, 8, 8)
    net.add("relu", name="<i>x")
    for html in (net.layers()._repr_html_(), pm.predict(net, "dgx1-v100")._repr_html_(),
                 pm.sweep(net, "dgx1-v100")._repr_html_()):  # fmt: skip
        assert "<script>" not in html and "<i>" not in html and "<u>" not in html
    assert "&lt;i&gt;x" in net.layers()._repr_html_()
    assert "&lt;u&gt;&amp;" in pm.predict(net, "dgx1-v100")._repr_html_()


def test_html_of_long_tables_is_cut(sweep: pm.Sweep) -> None:
    html = sweep._repr_html_()
    assert html.count("<tr>") == 62 and "more rows" in html and ">step_time<" in html


def test_tokens_and_gpu_hours() -> None:
    bert = pm.predict("bert-base", "dgx1-v100", gpus=8, nodes=2, dataset=10_000)
    assert bert.tokens_per_second == 128 * bert.throughput and pm.network("bert-base").totals.tokens == 128
    assert bert.gpu_hours == pytest.approx(16 * bert.epoch_time / 3600)
    images = pm.predict("resnet50", "dgx1-v100")
    assert math.isnan(images.tokens_per_second) and math.isnan(images.gpu_hours)
    assert math.isnan(pm.network("ncf").totals.tokens)  # one user and one item are no sequence
    assert pm.network("gnmt").totals.tokens == 2 * pm.network("gnmt").shape(0)[0]  # source and target
    call = pm.infer("gpt2", "t4")
    assert call.tokens_per_second == 1024 * call.throughput
    assert "tokens/s" in repr(bert) and "GPU-hours" in bert.explain() and "tokens/s" in repr(call)


@pytest.mark.parametrize(
    "thing",
    [
        pm.system("dgx1-v100"),
        pm.system("dgx1-v100").gpu,
        pm.system("dgx1-v100").machine,
        pm.system("dgx1-v100").ring(),
        pm.rings("dgx1-v100"),
        pm.framework("pt-nchw"),
        pm.framework("pt-nchw").profile,
        pm.memory("resnet50", "v100", batch=512),
        pm.network("resnet50").totals,
        pm.predict("resnet50", "dgx1-v100").run,
        pm.infer("gpt2", "t4"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_objects_are_short(thing: object) -> None:
    shown, html = repr(thing), thing._repr_html_()  # type: ignore[attr-defined]
    assert shown.startswith(f"<{type(thing).__name__}") and len(shown) < 600 and shown.count("\n") <= 8
    assert "nan" not in shown and "nan" not in html and "object at" not in shown
    assert html.startswith("<b>") and html.count("<tr") == html.count("</tr>") > 0


def test_main_columns_come_first() -> None:
    sweep = pm.sweep("resnet50", "dgx1-v100", batch=[32, 64], optimizer="adam")
    text = repr(sweep)
    assert text.startswith("assumed: 8 GPUs, fp32, pytorch-2.4\n")
    same = "network resnet50, system dgx1-v100, framework pytorch-2.4, gpus 8, nodes 1, precision fp32, optimizer"
    assert text.partition("\n")[2].replace("\n", " ").startswith(same)
    assert text.split("\n\n")[1].split()[:2] == ["batch", "throughput"] and "status" not in text and "adam" in text
    head = [column.name for column in sweep.columns]
    assert head.index("throughput") < head.index("forward_time") < head.index("overlap")
    assert "network resnet50, system" in sweep._repr_html_() and ">forward_time<" not in sweep._repr_html_()
