"""Pictures: every answer is drawn; what is drawn is the answer; a question, units and a key beside the lines."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import perfmodel as pm
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

COMMAND = os.environ.get("PERFMODEL_COMMAND")
SIZES = [2.0**power for power in range(12, 31, 2)]
PARALLEL: dict[str, Any] = dict(gpus=8, tensor_parallel=2, pipeline_parallel=2, global_batch=64)

ANSWERS: dict[str, Callable[[], Any]] = {
    "prediction": lambda: pm.predict("llama3-8b", "hgx-h100", **PARALLEL),
    "inference": lambda: pm.infer("resnet50", "t4", batch=8),
    "serving": lambda: pm.serve("llama3-8b", "hgx-h100", gpus=1, concurrency=8),
    "memory": lambda: pm.memory("llama3-8b", "hgx-h100", gpus=8, zero=3),
    "input": lambda: pm.input_pipeline("ilsvrc2012-x10", "c4140", storage="isilon-f800", rate=2940),
    "comparison": lambda: pm.compare("resnet50", ["dgx1-v100", "dgx-a100"], precision="fp16", batch=128),
    "sensitivity": lambda: pm.sensitivity("resnet50", "dgx1-v100"),
    "upgrades": lambda: pm.upgrades("resnet50", "dgx1-v100", ["dgx-a100", "dgx2"]),
    "size": lambda: pm.size("resnet50", ["dgx1-v100", "dgx-a100"], rate=20000),
    "epochs": lambda: pm.size("resnet50", "dgx1-v100", epochs=90, within="6 h"),
    "served": lambda: pm.size_serving("llama3-8b", ["hgx-h100", "hgx-h200"], rate=20),
    "search": lambda: pm.search("llama3-8b", "dgx-h100", gpus=16, global_batch=64, precision="bf16"),
    "deadline": lambda: pm.size_training("llama3-8b", "dgx-h100", tokens="1e9", within="1 d", global_batch=64),
    "parity": lambda: pm.validate("storage", rows=True),
    "errors": lambda: pm.validate("storage"),
    "collective": lambda: pm.collective("dgx1-v100", "all_reduce", SIZES, gpus=8),
    "loads": lambda: pm.collective_loads("dgx1-v100", "all_reduce", 1e9, gpus=8),
    "topology": lambda: pm.system("dgx2"),
    "sweep": lambda: pm.sweep("resnet50", ["dgx1-v100", "dgx-a100"], batch=[32, 64], gpus=[1, 2, 4, 8]),
    "calls": lambda: pm.sweep("resnet50", ["t4", "v100"], task="inference", batch=[1, 8, 64]),
    "requests": lambda: pm.sweep("llama3-8b", "hgx-h100", task="serving", concurrency=[1, 8, 64]),
    "bars": lambda: pm.sweep(["resnet50", "vgg16"], ["dgx1-v100", "dgx-a100"]),
    "power": lambda: pm.sweep("resnet50", "dgx1-v100", power_limit=[150, 200, 250, 300]),
    "layers": lambda: pm.network("alexnet").layers(),
}


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def is_apart(ax: Any) -> bool:
    """Whether the key is beside the picture."""
    ax.figure.canvas.draw()
    box, data = ax.get_legend().get_window_extent(), ax.get_window_extent()
    return bool(box.x0 >= data.x1 or box.y1 <= data.y0)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_is_drawn(name: str) -> None:
    ax = ANSWERS[name]().plot()
    assert ax.get_title(loc="left").split("\n")[0].endswith("?"), "a picture says what it answers"
    if ax.axison:
        assert ax.get_xlabel() and ax.get_ylabel() or len(ax.get_yticklabels()) > 0
    assert ax.get_legend() is None or is_apart(ax)
    ax.figure.savefig(os.devnull, format="svg")


def test_colours_are_told_apart() -> None:
    """By their lightness where they are printed grey: neighbours of the first four differ, whoever looks."""
    from perfmodel._draw import COLOURS

    def light(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    values = [light(colour) for colour in COLOURS]
    assert len(set(COLOURS)) == 8 and all(abs(a - b) > 0.03 for a, b in zip(values[:4], values[1:5]))


def test_parts_add_up_to_the_whole() -> None:
    p = pm.predict("llama3-8b", "hgx-h100", **PARALLEL)
    bars = p.plot().patches
    *parts, whole = [bar.get_width() for bar in bars]
    assert sum(parts) == pytest.approx(p.step_time) and whole == pytest.approx(p.step_time)
    for before, bar in zip(bars, bars[1:-1]):
        assert bar.get_x() == pytest.approx(before.get_x() + before.get_width())


def test_memory_is_beside_what_it_may_take() -> None:
    one, other = (pm.memory("llama3-8b", system, gpus=8, zero=3) for system in ("hgx-h100", "dgx-a100"))
    ax = one.plot(other)
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx((one.total + other.total) / 1e9)
    limits = {line.get_xdata()[0] for line in ax.lines}
    assert limits == {one.usable / 1e9, other.usable / 1e9}
    with pytest.raises(TypeError, match="with others of its kind"):
        one.plot(pm.infer("resnet50", "t4"))


def test_a_comparison_ends_where_the_second_run_is() -> None:
    found = pm.compare("resnet50", ["dgx1-v100", "dgx-a100"], precision="fp16", batch=128)
    bars = found.plot().patches
    first, second = found.runs["step_time"] * 1e3
    assert (bars[0].get_width(), bars[-1].get_width()) == (pytest.approx(first), pytest.approx(second))
    last = bars[-2]
    assert last.get_x() + last.get_width() == pytest.approx(second)


def test_lines_of_a_sweep_are_its_columns() -> None:
    swept = pm.sweep("resnet50", ["dgx1-v100", "dgx-a100"], gpus=[1, 2, 4, 8])
    ax = swept.plot()
    for line, system in zip(ax.lines, ("dgx1-v100", "dgx-a100")):
        own = swept["system"] == system
        assert line.get_label() == system
        assert np.array_equal(line.get_xdata(), swept["gpus"][own])
        assert np.array_equal(line.get_ydata(), swept["throughput"][own])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == swept["throughput_p90"][swept["system"] == "dgx1-v100"].max()


def test_two_columns_have_an_axis_each() -> None:
    swept = pm.sweep("resnet50", "t4", task="inference", batch=[1, 8, 64])
    ax = swept.plot()
    right = next(other for other in ax.figure.axes if other is not ax)
    assert np.allclose(right.lines[0].get_ydata() / swept["latency"], 1e3) and "ms" in right.get_ylabel()
    with pytest.raises(pm.ArgumentError, match="text"):
        swept.plot("bottleneck")
    with pytest.raises(KeyError, match="no column"):
        swept.plot("latecny")


def test_what_cannot_be_predicted_says_why() -> None:
    with pytest.raises(pm.ArgumentError, match="too_large|does_not_fit|unknown in every row"):
        pm.sweep("llama3-70b", "dgx1-v100", batch=[1, 2]).plot()


def test_dots_of_validation_are_its_rows() -> None:
    v = pm.validate("storage", rows=True)
    ax = v.plot()
    dots = np.concatenate([np.ma.filled(c.get_offsets(), np.nan) for c in ax.collections[1:]])
    known = np.isfinite(v["predicted"]) & np.isfinite(v["measured"])
    assert known.sum() >= 50
    dots = dots[np.isfinite(dots[:, 1])]
    assert sorted(map(tuple, dots)) == sorted(zip(v["measured"][known], v["predicted"][known]))


def test_links_are_as_wide_as_they_are_busy() -> None:
    loads = pm.collective_loads("dgx1-v100", "all_reduce", 1e9, gpus=8)
    links = loads.plot().lines[: len(loads)]
    widths = np.array([line.get_linewidth() for line in links])
    assert (np.argsort(widths, kind="stable") == np.argsort(loads["busy"], kind="stable")).all()
    assert [line.get_linestyle() == ":" for line in links] == [busy == 0 for busy in loads["busy"]]


def test_a_collective_has_its_interval() -> None:
    one, other = (pm.collective(system, "all_reduce", SIZES, gpus=8) for system in ("dgx1-v100", "dgx-a100"))
    ax = one.plot(other)
    assert np.allclose(ax.lines[0].get_ydata() * 1e9, one["bus_bandwidth"])
    assert len(ax.collections) >= 2 and "B/s" in ax.get_ylabel()


def test_the_same_picture_is_the_same_bytes() -> None:
    from perfmodel._draw import picture

    for form in ("svg", "png", "pdf"):
        assert picture(ANSWERS["memory"]().plot(), form) == picture(ANSWERS["memory"]().plot(), form)


# ---- Pages ----


def test_a_report_needs_nothing_else(tmp_path: Path) -> None:
    p = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64)
    page = pm.report(p, tmp_path / "answer.html")
    assert (tmp_path / "answer.html").read_text() == page
    for word in ("Answer", "Pictures", "What would help", "How sure it is", "Assumptions and inputs", "80 %"):
        assert word in page
    assert page.count("<svg") == 3 and "<script" not in page
    outside = [part.split('"')[1] for part in page.split("href=")[1:]]
    assert all(link.startswith("#") for link in outside), "a page loads nothing"
    assert "src=" not in page
    assert pm.quantity and f"{p.throughput:.0f} samples/s" in page and p.assumed.split(",")[0] in page


@pytest.mark.parametrize("name", ["inference", "serving", "memory", "size", "search", "sweep", "collective"])
def test_answers_have_reports(name: str) -> None:
    page = pm.report(ANSWERS[name]())
    assert page.startswith("<!DOCTYPE html>") and "<svg" in page and page.count("<section>") >= 2


def test_names_in_reports_are_harmless() -> None:
    net = pm.Network("n", name="<script>alert(1)</script>")
    net.input(3, 32, 32)
    net.add("conv2d", out_channels=8, kernel=3)
    net.add("flatten")
    net.add("linear", out_features=10)
    assert "<script>" not in pm.report(pm.infer(net, "t4", batch=8))
    with pytest.raises(TypeError, match="a report needs a prediction"):
        pm.report("resnet50")


# ---- The command ----


def drawn(*words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    command = [COMMAND] if COMMAND else [sys.executable, "-m", "perfmodel"]
    return subprocess.run([*command, *words], capture_output=True, timeout=600, **more)


@pytest.mark.parametrize(
    "words",
    [
        "scaling resnet50 dgx1-v100,dgx-a100 --batch 64 --precision fp16",
        "predict llama3-8b hgx-h100 --gpus 8 --tp 2 --pp 2 --global-batch=64",
        "infer resnet50 t4,v100 --batch 1,8,64",
        "memory resnet50 v100,t4 --batch 64",
        "collective dgx1-v100 all_reduce",
        "topology dgx1-v100",
        "roofline resnet50 t4 --batch 32",
        "timeline resnet50 dgx1-v100 --gpus 8",
        "size resnet50 --system dgx1-v100,dgx-a100 --rate 20000",
    ],
)
def test_the_command_draws(words: str, tmp_path: Path) -> None:
    done = drawn("plot", *words.split(), "-o", str(tmp_path / "x.svg"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"<svg" in (tmp_path / "x.svg").read_bytes()
    assert os.listdir(tmp_path) == ["x.svg"]


def test_the_command_draws_what_python_draws(tmp_path: Path) -> None:
    from perfmodel._draw import picture

    assert drawn("plot", "memory", "resnet50", "v100", "--batch", "64").stdout == picture(
        pm.memory("resnet50", "v100", batch=64).plot(), "svg"
    )
    drawn("report", "memory", "resnet50", "v100", "--batch", "64", "-o", str(tmp_path / "x.html"))
    assert (tmp_path / "x.html").read_text() == pm.report(pm.memory("resnet50", "v100", batch=64))


@pytest.mark.parametrize(
    "words, status, reason",
    [
        ("plot sclaing", 2, "unknown kind"),
        ("plot memory resnet50", 2, "memory takes NETWORK SYSTEM"),
        ("plot memory resnet50 v100 --bacth 64", 2, "did you mean 'batch'"),
        ("plot memory resnet5 v100", 2, "unknown network"),
        ("plot memory resnet50 v100 -o x.gif", 2, ".svg, .png, .pdf"),
        ("plot memory resnet50 v100 -o /", 2, "pictures end in"),
        ("plot memory resnet50 v100 -o /nowhere/x.svg", 4, "No such file"),
        ("plot predict llama3-70b t4 --gpus 1", 1, "needs"),
        ("plot memory resnet50 v100 --catalog missing.xml", 3, "missing.xml"),
        ("report scaling resnet50 dgx1-v100", 2, "perfmodel plot scaling"),
        ("plot memory resnet50 v100 --format csv", 2, "no effect"),
    ],
)
def test_the_command_says_what_is_wrong(words: str, status: int, reason: str, tmp_path: Path) -> None:
    done = drawn(*words.split(), cwd=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == status and reason in said and said.count("\n") == 1 and said.startswith("perfmodel: ")
    assert done.stdout == b"" and not os.listdir(tmp_path)


def test_own_files_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "mine.xml").write_text(pm.export("systems", "dgx1-v100").replace('id="dgx1-v100"', 'id="mine"'))
    done = drawn("plot", "topology", "mine", "--catalog", str(tmp_path / "mine.xml"))
    assert (done.returncode, done.stderr) == (0, b"") and b"<svg" in done.stdout


@pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")
def test_without_python_one_line_says_what_to_install() -> None:
    for environment in ({"PATH": "/nowhere"}, {"PATH": "/usr/bin:/bin"}):
        done = drawn("plot", "memory", "resnet50", "v100", env=environment)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1
        assert b"pip install \"perfmodel[plot" in done.stderr
