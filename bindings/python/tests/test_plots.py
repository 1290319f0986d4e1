"""Plots: drawn without a screen; the data in them are the tables'."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import perfmodel as pm
import pytest
from perfmodel._draw import colour, marker

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402


def test_serving():
    figure, ax = pyplot.subplots()
    assert pm.plot_serving("llama3-8b", ["hgx-h100", "hgx-h200"], isl=512, layouts="tensor", ax=ax) is ax
    front = pm.size_serving("llama3-8b", "hgx-h100", isl=512, front=True)
    assert list(ax.lines[0].get_xdata()) == list(front["user_rate"])
    assert list(ax.lines[0].get_ydata()) == list(front["gpu_rate"])
    assert len(ax.lines) == 2 and any("TP" in text.get_text() for text in ax.texts)


def test_scaling(dgx1: pm.System) -> None:
    ax = pm.plot_scaling(["resnet50", "vgg16"], dgx1, batch=64, precision="fp16", measured={"resnet50": {8: 5000.0}})
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "ideal" in labels and any("measured" in label for label in labels)
    line = ax.lines[0]
    wanted = pm.sweep("resnet50", dgx1, gpus=[1, 2, 4, 8], batch=64, precision="fp16")["throughput"]
    assert np.array_equal(line.get_xdata(), [1, 2, 4, 8]) and np.array_equal(line.get_ydata(), wanted)
    assert "samples/s" in ax.get_ylabel()
    ax.figure.savefig("/dev/null", format="png")


def test_scaling_of_several_systems(dgx1: pm.System) -> None:
    ax = pm.plot_scaling("resnet50", [dgx1, "dgx2", "dgx-a100"], batch=64, precision="fp16")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(labels) == 5 and any("DGX-2" in label for label in labels)
    lines = [line for line in ax.lines if line.get_label() in labels and len(line.get_xdata()) > 1]
    assert [int(line.get_xdata()[-1]) for line in lines] == [8, 16, 8]
    with pytest.raises(pm.ArgumentError, match="single system"):
        pm.plot_scaling("resnet50", [dgx1, "dgx2"], measured={"resnet50": {8: 5000.0}})


def test_scaling_takes_axes(dgx1: pm.System) -> None:
    figure, ax = pyplot.subplots()
    assert pm.plot_scaling("alexnet", dgx1, gpus=[1, 8], global_batch=64, ax=ax) is ax
    with pytest.raises(pm.ArgumentError, match="no precision"):
        pm.plot_scaling("alexnet", dgx1, precision="bf16")


def test_roofline(resnet50: pm.Network, dgx1: pm.System) -> None:
    ax = pm.plot_roofline(resnet50, dgx1, batch=64, precision="fp16")
    times = resnet50.times(dgx1.gpu, 64, "fp16")
    dots = np.concatenate([collection.get_offsets() for collection in ax.collections])
    work = times["flop"] > 0
    assert len(dots) == work.sum()
    assert sorted(dots[:, 1]) == sorted(times["achieved"][work] / 1e12)
    assert "FLOP/B" in ax.get_xlabel() and "TFLOP/s" in ax.get_ylabel()
    assert any("ridge" in text.get_text() for text in ax.texts)
    low, high = ax.get_xlim()
    assert low < dots[:, 0].min() and dots[:, 0].max() < high
    ax.figure.savefig("/dev/null", format="png")


def test_roofline_draws_the_ceilings_that_are_known() -> None:
    times = pm.network("resnet50").times("t4", 32, "fp32")
    assert (times["l2_bandwidth"] > times["memory_bandwidth"]).all()
    assert (times["power_rate"] < np.nanmax(times["peak"])).all()
    ax = pm.plot_roofline("resnet50", "t4", 32, "fp32")
    labels = [line.get_label() for line in ax.get_lines()]
    assert any(label.startswith("L2 ") for label in labels) and any("power" in label for label in labels)
    plain = pm.network("resnet50").times("t4", 32, "fp32", kernel_model="roofline")
    assert np.isnan(plain["l2_bandwidth"]).all() and np.isnan(plain["power_rate"]).all()


def test_roofline_takes_names_and_axes() -> None:
    figure, ax = pyplot.subplots()
    assert pm.plot_roofline("alexnet", "m40", ax=ax) is ax


def test_timeline_has_its_lanes(dgx1: pm.System) -> None:
    ax = pm.plot_timeline(pm.predict("alexnet", dgx1, gpus=8))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[:4] == ["GPU", "host", "gradients", "waiting"]
    assert len(labels) == 5 and labels[4].startswith("power, 0 to ")
    assert len(ax.collections) > 50
    net = pm.Network("nothing")
    net.input(3)
    net.add("flatten")
    with pytest.raises(pm.ArgumentError, match="nothing"):
        pm.plot_roofline(net, "m40")


def test_matplotlib_and_pandas_are_imported_only_when_needed() -> None:
    code = (
        "import sys, perfmodel as pm; pm.sweep('resnet50', 'dgx1-v100').to_csv(); "
        "assert not {'matplotlib', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_clear_message_without_them() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['pandas'] = None\n"
        "import perfmodel as pm\n"
        "for call in (lambda: pm.plot_roofline('alexnet', 'm40'), lambda: pm.list('gpus').to_pandas()):\n"
        "    try: call()\n"
        "    except ImportError as error: assert 'pip install' in str(error), error\n"
        "    else: raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scaling_draws_what_has_a_prediction(dgx1: pm.System) -> None:
    ax = pm.plot_scaling(["resnet50", "gpt2"], dgx1, gpus=[1, 8], batch=32, precision="fp16")
    assert "ResNet-50" in ax.get_legend_handles_labels()[1]
    assert any("does not fit" in text.get_text() for text in ax.texts)


def test_lines_with_the_same_colour_have_other_markers() -> None:
    looks = {(colour(i), marker(i)) for i in range(24)}
    assert len(looks) == 24


def test_bars_have_their_intervals_and_say_what_has_none(resnet50: pm.Network) -> None:
    rows = pm.sweep([resnet50, "gpt2"], ["dgx1-v100", "dgx-a100"], gpus=8, batch=32, precision="fp16")
    ax = rows.plot()
    assert [text.get_text() for text in ax.texts].count("no prediction") == 1
    assert ax.get_legend_handles_labels()[1] == ["80 % interval"]
