"""Memory of one GPU, as users ask for it."""

from __future__ import annotations

import math

import perfmodel as pm
import pytest

PARTS = (
    "context weights gradients optimizer activations live_gradients allocator input workspace communication".split()
)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_parts_add_up(precision: str) -> None:
    m = pm.memory("resnet50", "v100", batch=64, precision=precision, optimizer="adam", dp=8)
    assert math.fsum(getattr(m, part) for part in PARTS) == pytest.approx(m.total, rel=1e-12)
    assert m.communication == 4 * pm.network("resnet50").parameters
    assert (m.network, m.gpu, m.verdict) == ("resnet50", "v100-sxm2-16gb", "fits")


def test_the_largest_batch_is_the_largest(resnet50: pm.Network) -> None:
    most = int(pm.memory(resnet50, "k80").largest_batch)
    assert pm.memory(resnet50, "k80", batch=most).missing == 0
    assert pm.memory(resnet50, "k80", batch=most + 1).missing > 0


def test_layers_add_up() -> None:
    m = pm.memory("bert-base", "v100", batch=8, precision="fp16")
    saved = m.layers()["saved"]
    assert saved.sum() == pytest.approx(m.activations, rel=1e-12)


def test_advice_for_what_does_not_fit() -> None:
    m = pm.memory("resnet152", "rtx-2080-ti", batch=64)
    assert m.verdict == "does-not-fit"
    assert m.missing == m.total - m.usable
    rows = {row["change"]: row for row in m.advice()}
    safe = pm.memory("resnet152", "rtx-2080-ti", batch=m.safe_batch)
    assert rows[f"batch {m.safe_batch:g}"]["total [B]"] == safe.total and safe.verdict == "fits"
    half = pm.memory("resnet152", "rtx-2080-ti", batch=64, precision="fp16")
    assert rows["mixed precision (fp16)"]["total [B]"] == half.total
    assert rows["optimizer sgd"]["saving [B]"] == 4 * pm.network("resnet152").parameters


def test_gpu_system_and_records_of_ones_own(resnet50: pm.Network, dgx1: pm.System) -> None:
    by_name = pm.memory("resnet50", "v100").total
    assert pm.memory(resnet50, dgx1).total == pm.memory(resnet50, "dgx1-v100").total == by_name
    assert pm.memory(resnet50, pm.gpu("v100")).total == by_name
    frugal = pm.Optimizer(id="frugal", state=1.0)
    assert pm.memory(resnet50, dgx1, optimizer=frugal).optimizer == resnet50.parameters
    assert pm.memory(resnet50, dgx1, usable="2 GiB").usable == 2 * 2**30


def test_inference_and_recomputation_take_less() -> None:
    everything = pm.memory("resnet50", "v100", batch=64).total
    assert pm.memory("resnet50", "v100", batch=64, inference=True).total < everything
    assert pm.memory("resnet50", "v100", batch=64, recompute="full").total < everything


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"batch": 0}, pm.ArgumentError),
        ({"batch": 1.5}, pm.ArgumentError),
        ({"dp": 0}, pm.ArgumentError),
        ({"zero": 4}, pm.ArgumentError),
        ({"precision": "int8"}, pm.NotModelledError),
        ({"precision": "fp33"}, pm.NotFoundError),
        ({"optimizer": "adm"}, pm.NotFoundError),
        ({"framework": "torsch"}, pm.NotFoundError),
        ({"recompute": "some"}, pm.NotFoundError),
    ],
)
def test_what_cannot_be_answered_raises(options: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        pm.memory("resnet50", "v100", **options)


def test_unknown_gpu() -> None:
    with pytest.raises(pm.NotFoundError, match="k80"):
        pm.memory("resnet50", "k81")
