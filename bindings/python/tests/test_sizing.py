"""Sizing, sensitivities and upgrades from Python."""

import dataclasses
import math

import numpy as np
import pytest

import perfmodel as pm


def test_least_is_enough_and_one_less_is_not():
    sizing = pm.size("resnet50", ["dgx1-v100", "dgx1-p100"], epochs=90, within="1 h", precision="fp16", batch=64)
    assert sizing.reached and len(sizing) == 2 and "reaches the target" in sizing.explain("summary")
    for choice in sizing.choices:
        for nodes in (choice.nodes - 1, choice.nodes):
            if nodes == 0:
                continue
            p = pm.predict("resnet50", choice.system, gpus=8, nodes=nodes, batch=64, precision="fp16",
                           dataset="ilsvrc2012")
            assert (90 * p.epoch_time <= 3600) == (nodes == choice.nodes)


def test_price_power_storage_and_front():
    sizing = pm.size(
        "resnet50",
        ["dgx1-v100", "dgx1-p100", "c4140-v100-sxm2"],
        rate="20000 samples/s",
        precision=["fp32", "fp16"],
        batch=[64, 128],
        minimize="cost",
        prices={"DGX-1": 149000, "dgx1-p100": 100000},
        pue=1.4,
        storage="isilon-f800",
        units=4,
    )
    assert len(sizing) == 12
    best, cheaper = sizing.best, sizing.next_cheaper()
    assert best.rank == 1 and best.cost == best.nodes * best.price and best.design_power > best.gpu_design_power
    assert best.storage_nodes >= 1 and best.storage_rate > 1e9
    assert cheaper is not None and cheaper.cost < best.cost and cheaper.reached < 1
    unknown = [choice for choice in sizing.choices if choice.system == "c4140-v100-sxm2"]
    assert unknown and all(math.isnan(choice.cost) and choice.power_basis == "parts" for choice in unknown)
    assert best.power_basis == "published"
    front = sizing.front()
    cost, rate = np.asarray(front["cost"]), np.asarray(front["throughput"])
    assert np.all(np.diff(cost) > 0) and np.all(np.diff(rate) > 0)


def test_a_price_is_known_by_any_name():
    by_id, by_alias = (
        pm.size("resnet50", "dgx1-v100", epochs=90, within="6 h", prices={name: 149000}).best.cost
        for name in ("dgx1-v100", "DGX-1V")
    )
    assert by_id == by_alias > 0


def test_what_cannot_be_reached():
    sizing = pm.size("resnet50", "dgx1-v100", epochs=90, within="1 min", global_batch=1024, precision="fp16")
    assert not sizing.reached and sizing.best.status == "unreachable" and sizing.best.reached < 1


@pytest.mark.parametrize(
    "arguments",
    [{}, {"rate": 1, "within": "1 h", "epochs": 1}, {"rate": -1}, {"rate": 1, "pue": 0.5}, {"rate": 1, "max_nodes": 0}],
)
def test_errors(arguments):
    with pytest.raises(pm.ArgumentError):
        pm.size("resnet50", "dgx1-v100", **arguments)


def test_unknown_names():
    for arguments in ({"minimize": "joy"}, {"prices": {"nosuch": 1}}, {"storage": "nosuch"}):
        with pytest.raises(pm.NotFoundError):
            pm.size("resnet50", "dgx1-v100", rate=1, **arguments)


def test_inference():
    served = pm.size(
        "resnet50", ["t4", "dgx1-v100"], task="inference", rate="20000 1/s", latency="10 ms",
        precision=["fp16", "int8"], prices={"t4": 2500, "dgx1-v100": 149000}, minimize="cost",
    )
    best, one = served.best, pm.infer("resnet50", served.best.system, latency="10 ms", precision=served.best.precision)
    assert len(served) == 4 and served.reached and isinstance(served, pm.Choices)
    assert best.batch == one.batch and best.latency == one.latency <= 10e-3
    assert best.throughput >= 20000 > one.throughput * (best.gpus - best.gpus // best.nodes)
    assert best.cost == best.nodes * best.price == min(choice.cost for choice in served.choices)
    assert not pm.size("resnet50", "t4", task="inference", rate=1, latency="10 us").reached
    with pytest.raises(pm.ArgumentError):
        pm.size("resnet50", "t4", task="inference", rate=-1)


def test_sensitivities():
    rows = list(pm.sensitivity("resnet50", "dgx1-v100", gpus=8, batch=64, precision="fp16"))
    rates = [row["elasticity"] for row in rows if row["rate"]]
    assert all(value <= 1e-9 for value in rates) and -1.1 < sum(rates) < -0.5
    stored = pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="nl-sas-nfs").setup[1]
    slow = pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage=dataclasses.replace(stored, bandwidth=100e6))
    fed = {row["resource"]: row["elasticity"] for row in pm.sensitivity("resnet50", "dgx1-v100", gpus=8, input=slow)}
    assert fed["storage"] < -0.5 < fed["clock"]


def test_upgrades():
    table = pm.upgrades(
        "resnet50",
        "dgx1-p100",
        {
            "v100": "dgx1-v100",
            "swapped": pm.with_gpu("dgx1-p100", "v100-sxm2"),
            "network": pm.with_link("dgx1-p100", "infiniband-hdr"),
        },
        prices={"v100": 50000},
        gpus=8,
        nodes=4,
        batch=64,
    )
    rows = list(table)
    assert len(rows) == 3 and rows[0]["gain"] > 0.3
    gains = [row["gain"] for row in rows]
    assert gains == sorted(gains, reverse=True)
    by_name = {row["name"]: row for row in rows}
    assert by_name["v100"]["gain_per_price [1/s]"] > 0
    with pytest.raises(pm.ArgumentError):
        pm.upgrades("resnet50", "dgx1-p100", ["dgx1-v100"], prices={"other": 1})


def test_calls_of_inference():
    rows = list(pm.sensitivity("resnet50", "t4", task="inference", batch=64, precision="fp16"))
    assert {row["resource"] for row in rows} >= {"clock", "memory-bandwidth", "host"}
    assert -1.1 < sum(row["elasticity"] for row in rows if row["rate"]) < -0.5
    table = pm.upgrades("resnet50", "t4", ["v100", "a100-sxm4-40gb"], task="inference", prices={"v100": 9000}, batch=64)
    assert list(table["name"])[0] == "a100-sxm4-40gb" and (table["gain"] > 0).all()
    with pytest.raises(pm.ArgumentError):
        pm.upgrades("resnet50", "t4", ["v100"], task="inference", prices={"other": 1})


def test_upgrades_have_the_software_of_their_gpus():
    asked = dict(gpus=8, batch=64, precision="fp16")
    table = pm.upgrades("resnet50", "dgx1-p100", ["dgx-h100"], **asked)
    assert table["throughput"][0] == pm.predict("resnet50", "dgx-h100", **asked).throughput
    call = pm.upgrades("resnet50", "k80", ["h100"], task="inference", batch=64)
    assert call["throughput"][0] == pm.infer("resnet50", "h100", batch=64).throughput
    named = pm.upgrades("resnet50", "dgx1-p100", ["dgx1-v100"], framework="mxnet-1.2", **asked)
    assert named["throughput"][0] == pm.predict("resnet50", "dgx1-v100", framework="mxnet-1.2", **asked).throughput


def test_the_limit_with_least_energy_is_that_of_predictions_one_by_one() -> None:
    limits, most = range(150, 301, 30), 3
    asked = dict(precision="fp16", batch=128)
    sized = pm.size("resnet50", "dgx1-v100", epochs=90, within="8 h", minimize="energy", max_nodes=most,
                    power_limit=list(limits), **asked)
    answers = {}
    for limit in limits:
        for nodes in range(1, most + 1):
            p = pm.predict("resnet50", "dgx1-v100", gpus=8, nodes=nodes, power_limit=limit, dataset="ilsvrc2012",
                           **asked)
            if 90 * p.epoch_time <= 8 * 3600:
                answers[limit, nodes] = p.site_energy_per_sample
    best = min(answers, key=answers.__getitem__)
    assert (sized.best.power_limit, sized.best.nodes) == best and sized.best.energy_per_sample == answers[best]
    assert 150 <= best[0] < 300


def test_least_energy_reaches_and_a_budget_is_kept_to() -> None:
    asked = dict(precision="fp16", batch=128, power_limit=["200 W", "300 W"], carbon="400 g/kWh")
    s = pm.size("resnet50", "dgx1-v100", epochs=90, within="10 h", minimize="energy", max_nodes=8, **asked)
    energies = [c.energy_per_sample for c in s.choices]
    assert s.reached and energies == sorted(energies) and s.best.reached >= 1
    assert [c.carbon_per_sample for c in s.choices] == pytest.approx([e / 3.6e6 * 400 for e in energies])
    full = pm.size("resnet50", ["dgx-h100", "dgx-a100"], power_budget="1 MW", precision="bf16", batch=128)
    assert full.best.nodes == full.best.budget_nodes == 1e6 // 10200 and math.isnan(full.best.reached)
    assert full.best.draw_nodes > full.best.budget_nodes and "power budget" in full.explain()
    with pytest.raises(pm.Error, match="supplies 98"):
        pm.predict("resnet50", "dgx-h100", nodes=99, power_budget="1 MW")
    with pytest.raises(pm.ArgumentError, match="there is no target"):
        pm.size("resnet50", "dgx-h100", batch=128)
