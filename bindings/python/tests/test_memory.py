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
    m = pm.memory("resnet50", "dgx1-v100", batch=64, precision=precision, optimizer="adam")
    assert math.fsum(getattr(m, part) for part in PARTS) == pytest.approx(m.total, rel=1e-12)
    assert m.communication == 4 * pm.network("resnet50").parameters
    assert (m.network, m.system, m.framework, m.verdict) == ("resnet50", "dgx1-v100", "pytorch-2.4", "fits")
    assert m.assumed == "8 GPUs, pytorch-2.4" and f"assumed: {m.assumed}" in repr(m) and m.assumed in m._repr_html_()


def test_the_largest_batch_is_the_largest(resnet50: pm.Network) -> None:
    most = int(pm.memory(resnet50, "k80").largest_batch)
    assert pm.memory(resnet50, "k80", batch=most).missing == 0
    assert pm.memory(resnet50, "k80", batch=most + 1).missing > 0


def test_layers_add_up() -> None:
    m = pm.memory("bert-base", "v100", batch=8, precision="fp16")
    assert m.layers()["saved"].sum() == pytest.approx(m.activations, rel=1e-12)
    micro = pm.memory("bert-base", "v100", batch=8, micro_batch=2, precision="fp16")
    assert micro.layers()["saved"].sum() == pytest.approx(micro.activations, rel=1e-12)


def test_advice_for_what_does_not_fit() -> None:
    m = pm.memory("resnet152", "rtx-2080-ti", batch=64, precision="fp32")
    assert m.verdict == "does-not-fit"
    assert m.missing == m.total - m.usable
    rows = {row["change"]: row for row in m.advice()}
    safe = pm.memory("resnet152", "rtx-2080-ti", batch=m.safe_batch)
    assert safe.verdict == "fits" and m.assumed == "momentum, pytorch-2.4"
    half = pm.memory("resnet152", "rtx-2080-ti", batch=64, precision="fp16")
    assert rows["precision fp16"]["total [B]"] == half.total
    assert rows["optimizer sgd"]["saving [B]"] == 4 * pm.network("resnet152").parameters


def test_gpus_systems_and_frameworks_of_ones_own(resnet50: pm.Network, dgx1: pm.System) -> None:
    by_name = pm.memory("resnet50", "v100").total
    assert pm.memory(resnet50, dgx1, gpus=1).total == pm.memory(resnet50, "dgx1-v100", gpus=1).total == by_name
    assert pm.memory(resnet50, pm.gpu("v100")).total == by_name
    plain = pm.framework("pytorch-2.4")
    hungry = plain.replace(context=plain.memory.context + 1e9)
    assert pm.memory(resnet50, "v100", framework=hungry).total == by_name + 1e9
    assert pm.memory(resnet50, dgx1, usable="2 GiB").usable == 2**31
    assert pm.memory(resnet50, dgx1, usable_memory=2**31).usable == 2**31


RUNS = [{}, {"batch": 4}, {"batch": 1000}, {"gpus": 2, "zero": 3}, {"precision": "fp16", "recompute": "full"}]


@pytest.mark.parametrize("run", RUNS)
def test_memory_is_that_of_the_prediction(run: dict) -> None:
    for network in ("resnet50", "gpt2"):
        m, p = pm.memory(network, "dgx1-v100", **run), pm.predict(network, "dgx1-v100", ignore_memory=True, **run)
        assert (m.total, m.usable, m.verdict, m.largest_batch) == (p.memory, p.gpu_memory, p.verdict, p.largest_batch)
        assert (m.framework, m.assumed, m.run.batch) == (p.framework, p.assumed, p.run.batch)
        calls = {name: value for name, value in run.items() if name in ("batch", "gpus", "precision")}
        call = pm.memory(network, "dgx1-v100", task="inference", **calls)
        c = pm.infer(network, "dgx1-v100", ignore_memory=True, **calls)
        assert (call.total, call.verdict, call.assumed, call.framework) == (c.memory, c.verdict, c.assumed, c.profile)
        assert math.fsum(getattr(call, part) for part in PARTS) == pytest.approx(call.total, rel=1e-12)


def test_inference_and_recomputation_take_less() -> None:
    everything = pm.memory("resnet50", "v100", batch=64).total
    call = pm.memory("resnet50", "v100", batch=64, task="inference")
    assert call.total < everything and len(call.layers()) == len(pm.memory("resnet50", "v100").layers())
    for what in (call.stages, call.advice):
        with pytest.raises(pm.ArgumentError, match="only for training"):
            what()
    assert pm.memory("resnet50", "v100", batch=64, recompute="full").total < everything


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"batch": 0}, pm.ArgumentError),
        ({"batch": 1.5}, pm.ArgumentError),
        ({"gpus": 0}, pm.ArgumentError),
        ({"task": "inference", "zero": 3}, pm.ArgumentError),
        ({"task": "inference", "global_batch": 8}, pm.ArgumentError),
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
