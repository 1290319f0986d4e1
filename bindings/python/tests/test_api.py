"""The package as its users see it."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest
from conftest import bits

# torchvision's own counts
PARAMETERS = {
    "alexnet": 61_100_840,
    "vgg16": 138_357_544,
    "vgg19": 143_667_240,
    "resnet18": 11_689_512,
    "resnet34": 21_797_672,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnet152": 60_192_808,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_exact_integers(name: str) -> None:
    net = pm.network(name)
    assert net.parameters == PARAMETERS[name]
    assert isinstance(net.parameters, int) and isinstance(net.macs, int) and isinstance(net.flop, int)


def test_macs_of_resnet50(resnet50: pm.Network) -> None:
    assert resnet50.macs == 4_089_184_256
    assert resnet50.flop > 2 * resnet50.macs


def test_a_network_built_in_code_is_the_sum_of_its_layers() -> None:
    net = pm.Network("tiny")
    image = net.input(3, 224, 224)
    first = net.add("conv2d", out_channels=64, kernel=7, stride=2, padding=(3, 3))
    assert (image, first) == (0, 1)
    net.add("relu", name="act")
    assert net.parameters == 64 * 3 * 7 * 7 + 64
    assert net.macs == 64 * 3 * 7 * 7 * 112 * 112
    assert net.layers()["output"].tolist() == ["64x112x112", "64x112x112"]
    assert net.id == "tiny" and "2 layers" in repr(net)


def test_layers_with_several_inputs() -> None:
    net = pm.Network("join")
    x = net.input(8, 4, 4)
    y = net.add("conv2d", out_channels=8, kernel=1, bias=False)
    net.add("add", inputs=[x, y])
    assert net.parameters == 64
    assert net.layers()["output"][-1] == "8x4x4"


def test_layer_kinds_say_what_they_take() -> None:
    kinds = pm.layer_kinds()
    assert {"conv2d", "linear", "batch_norm", "relu"} <= set(kinds)
    assert {"out_channels", "kernel", "stride=1"} <= set(kinds["conv2d"].split())
    assert kinds["relu"] == ""


def test_a_failed_layer_leaves_the_network_as_it_was() -> None:
    net = pm.Network("tiny")
    net.input(3, 8, 8)
    with pytest.raises(pm.Error):
        net.add("conv2d", out_channels=4, kernel=99)
    net.add("conv2d", out_channels=4, kernel=1)
    assert net.totals.layers == 1


def test_a_plan_follows_a_network_that_grows(dgx1: pm.System) -> None:
    net = pm.Network("grows")
    net.input(3, 64, 64)
    net.add("conv2d", out_channels=64, kernel=3)
    before = pm.predict(net, dgx1).step_time
    net.add("conv2d", out_channels=64, kernel=3)
    assert pm.predict(net, dgx1).step_time > before


def test_sets_change_a_network() -> None:
    net = pm.network("resnet50", classes=10)
    assert net.parameters == PARAMETERS["resnet50"] - 990 * 2049
    with pytest.raises(pm.Error, match="colour"):
        pm.network("resnet50", colour=3)


def test_names_in_any_spelling() -> None:
    assert pm.network("ResNet-50").id == "resnet50"
    assert pm.system("DGX_1 V100").id == "dgx1-v100"
    assert pm.Catalog().resolve("networks", "VGG 16") == "vgg16"


def test_predict_takes_names_or_objects(resnet50: pm.Network, dgx1: pm.System) -> None:
    by_object = pm.predict(resnet50, dgx1, gpus=8, batch=64, precision="fp16")
    assert pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64, precision="FP16") == by_object
    assert by_object.network == "resnet50" and by_object.system == "dgx1-v100"
    assert by_object.run.gpus == 8 and by_object.run.batch == 64 and by_object.run.precision == "fp16"
    assert by_object.bottleneck in ("compute", "memory-bandwidth", "communication")
    assert by_object.status == "ok" and by_object.throughput > 0


def test_numbers_of_many_types(resnet50: pm.Network, dgx1: pm.System) -> None:
    wanted = pm.predict(resnet50, dgx1, gpus=4, batch=64)
    for gpus in (np.int64(4), np.int8(4), 4.0, np.float32(4)):
        for batch in (64.0, np.float32(64), np.int16(64)):
            assert pm.predict(resnet50, dgx1, gpus=gpus, batch=batch) == wanted


def test_global_batch_is_divided(resnet50: pm.Network, dgx1: pm.System) -> None:
    assert pm.predict(resnet50, dgx1, gpus=8, global_batch=512) == pm.predict(resnet50, dgx1, gpus=8, batch=64)
    with pytest.raises(pm.UnreachableError, match="100 does not divide over 8"):
        pm.predict(resnet50, dgx1, gpus=8, global_batch=100)
    rows = pm.sweep(resnet50, dgx1, gpus=[1, 2, 8], global_batch=12)
    assert rows["status"].tolist() == ["ok", "ok", "bad_argument"]
    with pytest.raises(pm.ArgumentError, match="give one"):
        pm.sweep(resnet50, dgx1, batch=1, global_batch=1)


def test_epoch_time_needs_a_dataset(resnet50: pm.Network, dgx1: pm.System) -> None:
    assert math.isnan(pm.predict(resnet50, dgx1).epoch_time)
    samples = pm.dataset(pm.Catalog().ids("datasets")[0]).samples
    p = pm.predict(resnet50, dgx1, gpus=1, batch=100, dataset=pm.Catalog().ids("datasets")[0])
    assert p.epoch_time == pytest.approx(math.ceil(samples / 100) * p.step_time, rel=1e-12)
    assert pm.predict(resnet50, dgx1, gpus=1, batch=100, dataset=samples).epoch_time == p.epoch_time


def test_prediction_in_words(resnet50: pm.Network, dgx1: pm.System) -> None:
    p = pm.predict(resnet50, dgx1, gpus=8, batch=64, precision="fp16", dataset=1_281_167)
    assert len(repr(p)) < 250 and "\n" not in repr(p)
    assert "8 GPUs" in repr(p) and p.bottleneck in repr(p)
    text = p.explain()
    for part in ("forward", "update", "communication", "51.11 MB per GPU", "\nKernels: ", "epoch"):
        assert part in text
    rows = p.lines()
    parts = [row["share"] for row in rows if row["block"] == "time"]
    assert sum(parts) == pytest.approx(1) and len(parts) >= 7
    with pytest.raises(pm.NotFoundError, match="text, html, markdown or summary"):
        p.explain("step_time", "pdf")
    with pytest.raises(pm.NotFoundError, match='has no field "pdf"'):
        p.explain("pdf")
    with pytest.raises(ValueError, match="only predictions of perfmodel"):
        pm.Prediction().explain()


def test_prediction_as_dict(resnet50: pm.Network, dgx1: pm.System) -> None:
    d = pm.predict(resnet50, dgx1, gpus=2).to_dict()
    assert d["network"] == "resnet50" and d["system"] == "dgx1-v100" and d["gpus"] == 2
    assert {f.name for f in pm.fields("prediction")} <= set(d)


def test_systems(dgx1: pm.System) -> None:
    assert dgx1.gpus == 8 and dgx1.gpu.sms == 80
    links = dgx1.links()
    assert (links["bandwidth"] > 0).all()
    assert set(links["a"]) | set(links["b"]) >= {f"gpu{i}" for i in range(8)}
    assert "DGX-1" in repr(dgx1)


def test_catalogue_lists_and_shows() -> None:
    catalog = pm.Catalog()
    assert {"gpus", "systems", "networks"} <= set(catalog.kinds)
    assert len(pm.list("gpus")) == len(catalog.ids("gpus"))
    shown = pm.show("gpu", "v100-sxm2-16gb")
    assert "memory_bandwidth" in shown["field"].tolist()
    assert catalog.gpu("V100-SXM2-16GB").memory_bandwidth == 9e11
    assert catalog.source(catalog.ids("sources")[0]).name
    assert catalog.link(catalog.ids("links")[0]).bandwidth > 0


def test_quantities() -> None:
    assert pm.quantity("100 Gbit/s", "B/s") == 1.25e10
    assert pm.quantity("16 GiB", "B") == 2**34
    assert pm.format_quantity(9e11, "B/s") == "900 GB/s"


def test_default_catalogue_is_shared() -> None:
    from perfmodel._catalog import default

    assert default() is default()


def test_grid_order_and_defaults() -> None:
    runs = pm.Plan(["resnet50", "vgg16"], "dgx1-v100").runs(gpus=[1, 2], batch=[8, 16])
    assert runs["network_index"].tolist() == [0] * 4 + [1] * 4
    assert runs["gpus"].tolist() == [1, 1, 2, 2] * 2
    assert runs["batch"].tolist() == [8, 16] * 4
    one = pm.Plan("resnet50", "dgx1-v100").runs()
    assert one[["gpus", "nodes", "batch"]].tolist() == [(8, 1, 32.0)]


def test_predict_into_an_array_that_is_there(sweep: pm.Sweep) -> None:
    out = np.zeros(len(sweep), dtype=pm.dtype("prediction"))
    assert sweep.plan.predict(sweep.runs, out=out) is out
    assert bits(out) == bits(sweep.predictions)
    grid = sweep.runs.reshape(2, -1)
    assert sweep.plan.predict(grid).shape == grid.shape


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    pm.show_versions()
    assert f"perfmodel   {pm.__version__}" in capsys.readouterr().out


def test_version_is_that_of_the_header() -> None:
    header = Path(__file__).parents[3] / "libperfmodel/include/perfmodel.h"
    assert f'#define PM_VERSION "{pm.__version__}"' in header.read_text(encoding="utf-8")


def test_a_gpu_is_a_machine_with_one_of_it() -> None:
    for name in ("t4", "Tesla T4", "gpu:t4"):
        machine = pm.system(name)
        assert machine.id == "gpu:t4" and machine.gpus == 1 and machine.gpu.id == "t4"
    assert pm.predict("resnet50", "t4", batch=16).throughput > 0
    assert pm.system("GB200").id == "gb200-nvl72" and pm.system("gpu:GB200").gpus == 1
    assert "gpu:t4" not in pm.Catalog().ids("systems")
    with pytest.raises(pm.NotFoundError, match="t5"):
        pm.system("gpu:t5")


def test_gpu_records_are_dense_and_name_their_clocks() -> None:
    h100 = pm.gpu("NVIDIA H100 80GB HBM3")
    assert h100.tensor_clock < h100.clock and h100.peak_fp64_tensor > h100.peak_fp64
    assert h100.memory_bus * h100.memory_rate == pytest.approx(h100.memory_bandwidth, rel=0.03)
    assert pm.gpu("RTX 3090").peak_fp16_tensor < 100e12  # with FP32 accumulation


def test_modules_are_imported_when_they_are_asked_for() -> None:
    script = "import perfmodel, sys; print(*sorted(name for name in sys.modules if name.startswith('perfmodel.')))"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert loaded == ["perfmodel._core", "perfmodel._libcore", "perfmodel._public"]
    assert all(getattr(pm, name) is not None for name in pm.__all__) and set(pm.__all__) <= set(dir(pm))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pm.nothing  # type: ignore[attr-defined]
