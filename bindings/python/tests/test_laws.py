"""Laws that hold for every prediction, whatever the numbers."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import perfmodel as pm
import pytest
from conftest import bits

NETWORKS = pm.Catalog().ids("networks")
GPUS = ["k80", "m40", "p100-sxm2", "v100-sxm2-16gb", "v100-pcie", "rtx-2080-ti"]


def good(sweep: pm.Sweep) -> np.ndarray:
    rows = sweep.predictions[sweep.predictions["status"] == 0]
    assert len(rows) > 50
    return rows


def test_parts_sum_to_the_whole(sweep: pm.Sweep) -> None:
    p = good(sweep)
    compute = p["forward_time"] + p["dgrad_time"] + p["wgrad_time"] + p["update_time"]
    np.testing.assert_allclose(compute, p["compute_time"], rtol=1e-12)
    waits = ("launch_overhead", "exposed_communication", "straggler_wait", "input_wait")
    np.testing.assert_allclose(p["compute_time"] + sum(p[f"{name}_time"] for name in waits), p["step_time"], rtol=1e-12)
    shares = ("compute", "memory_bandwidth", "communication", "launch_overhead", "straggler_wait", "input_wait")
    np.testing.assert_allclose(sum(p[f"{name}_share"] for name in shares), 1, rtol=1e-12)


def test_throughput_is_samples_over_time(sweep: pm.Sweep) -> None:
    ok = sweep.predictions["status"] == 0
    runs, p = sweep.runs[ok], sweep.predictions[ok]
    np.testing.assert_allclose(
        p["throughput"] * p["step_time"], runs["batch"] * runs["gpus"] * runs["nodes"], rtol=1e-12
    )


def test_bad_points_are_unknown_and_say_why(sweep: pm.Sweep) -> None:
    bad = sweep.predictions["status"] != 0
    assert 0 < bad.sum() < len(sweep)
    assert np.isnan(sweep.predictions["throughput"][bad]).all()
    statuses = set(sweep["status"][bad])
    assert statuses == {"too_many_gpus", "no_precision"}


def test_efficiencies_are_at_most_one(sweep: pm.Sweep) -> None:
    p = good(sweep)
    assert (p["scaling_efficiency"] <= 1 + 1e-12).all()
    assert (p["strong_scaling_efficiency"] <= p["scaling_efficiency"] + 1e-12).all()
    # Winograd convolutions do up to 4 times fewer multiplications than the arithmetic that is counted.
    assert (p["mfu"] > 0).all() and (p["mfu"] <= 4).all()


def test_batch_equals_scalar_bit_for_bit(sweep: pm.Sweep) -> None:
    one_by_one = [sweep.plan.predict(sweep.runs[i : i + 1]) for i in range(len(sweep))]
    assert bits(np.concatenate(one_by_one)) == bits(sweep.predictions)


def test_order_of_runs_does_not_matter(sweep: pm.Sweep) -> None:
    order = np.random.default_rng(1).permutation(len(sweep))
    shuffled = sweep.plan.predict(sweep.runs[order])
    assert bits(shuffled) == bits(sweep.predictions[order])


def test_threads_share_a_plan(sweep: pm.Sweep) -> None:
    runs = np.tile(sweep.runs, 50)
    alone = bits(sweep.plan.predict(runs))
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: bits(sweep.plan.predict(runs)), range(8)))
    assert set(together) == {alone}


def test_scalar_call_equals_sweep(sweep: pm.Sweep, resnet50: pm.Network, dgx1: pm.System) -> None:
    p = pm.predict(resnet50, dgx1, gpus=4, batch=77, precision="fp16", overlap="backward")
    row = next(
        q for q in sweep
        if (q.network, q.system, q.run.gpus, q.run.batch, q.run.precision) == ("resnet50", "dgx1-v100", 4, 77, "fp16")
    )  # fmt: skip
    assert p == row


def test_overlap_never_slows_a_step(resnet50: pm.Network, dgx1: pm.System) -> None:
    grid = dict(gpus=[1, 2, 4, 8], batch=[1, 8, 64], precision=["fp32", "fp16"])
    for framework in ("none", "pt-nchw"):
        apart, hidden = (
            pm.sweep(resnet50, dgx1, framework=framework, overlap=overlap, **grid) for overlap in ("none", "backward")
        )
        assert (hidden["step_time"] <= apart["step_time"]).all()
        assert (hidden["step_time"] < apart["step_time"]).any()


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("gpu", GPUS)
def test_a_better_gpu_is_never_slower(network: str, gpu: str) -> None:
    net, chip = pm.network(network), pm.gpu(gpu)
    times = net.times(chip, 32)["time"]
    rate = net.times(dataclasses.replace(chip, peak_fp32=1.02 * chip.peak_fp32), 32)["time"]
    memory = net.times(dataclasses.replace(chip, memory_bandwidth=1.25 * chip.memory_bandwidth), 32)["time"]
    assert (rate <= times).all()  # a network that waits for memory alone gains nothing
    assert (memory <= times).all()
    assert memory.sum() < times.sum()


def fused(name: str) -> pm.Network:
    """A network with fused attention, as kernels alone run it where the network leaves that open."""
    try:
        return pm.network(name, flash=True)
    except pm.NotFoundError:  # no parameter decides it
        if "attention" in pm.predict(name, "dgx1-v100", framework="none", ignore_memory=True).assumed:
            pytest.skip("the network that runs is not one of the catalogue")
        return pm.network(name)


@pytest.mark.parametrize("network", NETWORKS)
def test_layer_times_add_up_to_the_prediction(network: str, dgx1: pm.System) -> None:
    one = {"gpus": 1, "batch": 48, "micro_batch": 48, "precision": "fp16", "optimizer": "momentum"}
    p = pm.predict(network, dgx1, framework="none", ignore_memory=True, **one)
    times = fused(network).times(dgx1.gpu, 48, "fp16")
    for name in ("forward_time", "dgrad_time", "wgrad_time", "update_time"):
        assert times[name].sum() == pytest.approx(getattr(p, name), rel=1e-12), name
    assert times["time"].sum() == pytest.approx(p.compute_time, rel=1e-12)


@pytest.mark.parametrize("network", NETWORKS)
def test_layers_sum_to_the_totals_and_grow_with_the_batch(network: str) -> None:
    net = pm.network(network)
    one, many = net.layers(), net.layers(batch=32)
    assert one["parameters"].sum() == net.parameters
    assert one["mac"].sum() == net.macs
    fractions = (one["flop"] % 1 != 0).any()  # pairs of a window may be no whole number; the total is one
    assert int(one["flop"].sum()) == pytest.approx(net.flop, abs=1 if fractions else 0)
    assert (many["mac"] == 32 * one["mac"]).all()
    assert (many["parameters"] == one["parameters"]).all()
    assert (net.layers(precision="fp16")["bytes_out"] * 2 == one["bytes_out"]).all()


def test_ring_all_reduce_is_the_formula(dgx1: pm.System) -> None:
    for n in (2, 4, 8):
        ring = dgx1.ring(n)
        for size in (0.0, 1e3, 102e6):
            wanted = ring.base_latency + 2 * (n - 1) * ring.hop_latency + 2 * (n - 1) / n * size / ring.bandwidth
            assert ring.all_reduce_time(size) == pytest.approx(wanted, rel=1e-12)
    assert dgx1.ring(1).all_reduce_time(1e9) == 0


def test_all_reduce_of_several_sizes_equals_one_by_one(dgx1: pm.System) -> None:
    ring = dgx1.ring(8)
    times = ring.all_reduce_time([1e6, "100 MB", np.float64(5)])
    assert times.tolist() == [ring.all_reduce_time(1e6), ring.all_reduce_time(1e8), ring.all_reduce_time(5)]
    assert (np.diff(ring.all_reduce_time(np.linspace(0, 1e9, 50))) > 0).all()


def test_gemm_is_vectorised() -> None:
    sizes = np.array([[128, 256], [512, 4096]])
    times = pm.gemm(sizes, 1024, 512, gpu="a100-sxm4-80gb", precision="bf16")
    assert times.shape == sizes.shape
    for place, size in np.ndenumerate(sizes):
        one = pm.gemm(int(size), 1024, 512, gpu="a100-sxm4-80gb", precision="bf16")
        assert bits(one.reshape(1)) == bits(times[place].reshape(1))
    assert (times["time"] >= times["roofline_time"]).all()
    plain = pm.gemm(sizes, 1024, 512, gpu="a100-sxm4-80gb", precision="bf16", kernel_model="roofline")
    assert (plain["time"] == plain["roofline_time"]).all()
    with pytest.raises(pm.NotFoundError):
        pm.gemm(1, 1, 1, gpu="m40", kernel_model="x")


def test_gemm_along_the_contraction_waits_on_pascal() -> None:
    for gpu, slower in (("p100-pcie", True), ("v100-pcie", False)):
        plain, along = (pm.gemm(4096, 1024, 30720, gpu=gpu, tn=tn)["time"] for tn in (False, True))
        assert (along > plain) == slower and along >= plain


def test_kernel_is_vectorised_over_any_field() -> None:
    batches = np.array([8, 32, 128])
    conv = dict(channels=256, height=14, width=14, kernel_height=3, padding_height=1, gpu="v100", precision="fp16")
    for passed in ("forward", "dgrad", "wgrad"):
        times = pm.kernel(f"conv-{passed}", n=batches, **conv)
        assert times.shape == batches.shape and (np.diff(times["time"]) > 0).all()
        assert bits(times[1:2]) == bits(pm.kernel(f"conv-{passed}", n=32, **conv).reshape(1))
    product = pm.kernel("gemm", m=512, n=512, k=512, gpu="v100")
    assert bits(product.reshape(1)) == bits(pm.gemm(512, 512, 512, gpu="v100").reshape(1))
    pinned, pageable = (pm.kernel("copy", m=1e8, pageable=way, gpu="v100")["time"] for way in (False, True))
    assert pageable > pinned
    with pytest.raises(pm.NotFoundError):
        pm.kernel("softmax", rows=3, gpu="v100")
    with pytest.raises(pm.NotFoundError):
        pm.kernel("waffle", m=3, gpu="v100")
