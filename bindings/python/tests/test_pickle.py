"""Networks, systems, plans and what they predict in pickles, copies and other processes."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import perfmodel as pm
from perfmodel import _core

OWN = """<perfmodel version="1"><link id="own" name="Own"><kind>nvlink</kind><bandwidth>10 GB/s</bandwidth></link>
<system id="own-box" name="Own box"><gpu>v100-sxm2-16gb</gpu><gpus>2</gpus>
<graph><vertex kind="cpu" names="cpu0"/><link type="pcie3-x16" from="cpu0" to="gpu0 gpu1"/></graph>
<network link="infiniband-edr"/></system></perfmodel>"""


SETTINGS = Path(__file__).resolve().parents[3] / "tests" / "settings" / "train.sh"


def throughput(network: pm.Network | str, system: pm.System | str, **run: object) -> float:
    return pm.predict(network, system, **run).throughput  # type: ignore[arg-type]


def by_hand() -> pm.Network:
    net = pm.Network("tiny", "Tiny & small")
    net.input(3, 32, 32)
    net.add("conv2d", out_channels=16, kernel=3)
    net.add("relu")
    net.add("flatten")
    net.add("linear", out_features=10)
    return net


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_they_come_back(again) -> None:  # type: ignore[no-untyped-def]
    for net in (pm.network("resnet50"), pm.network("resnet50", classes=10), by_hand(), pm.network("gpt3-175b")):
        back = again(net)
        assert (back.id, back.name, back.flop, back.parameters) == (net.id, net.name, net.flop, net.parameters)
        assert throughput(back, "dgx-a100", batch=1, framework=None, ignore_memory=True) == throughput(
            net, "dgx-a100", batch=1, framework=None, ignore_memory=True
        )
    for system in (
        pm.system("dgx1-v100"),
        pm.system("h100-sxm5*4:nvswitch"),
        pm.with_gpu("dgx1-v100", "p100-sxm2"),
        pm.with_number(pm.with_link("dgx1-v100", "infiniband-hdr"), "gpu.memory_bandwidth", "x2"),
    ):
        back = again(system)
        assert (back.machine, back.gpu) == (system.machine, system.gpu)
        assert throughput("resnet50", back, gpus=4) == throughput("resnet50", system, gpus=4)
    plan = pm.Plan(["resnet18", by_hand()], ["dgx1-v100", "dgx-a100"], ["generic", "pytorch"])
    runs = plan.runs(batch=[8, 16], gpus=[1, 2])
    assert (again(plan).predict(runs)["throughput"] == plan.predict(runs)["throughput"]).all()
    found = pm.predict("resnet50", "dgx1-v100", gpus=8)
    assert again(found) == found and again(found).trace() == found.trace()
    assert again(pm.framework("pt-nchw")) == pm.framework("pt-nchw")
    assert again(pm.gpu("v100")) == pm.gpu("v100")


def test_a_layer_follows_where_the_network_ended() -> None:
    net = pickle.loads(pickle.dumps(by_hand()))
    net.add("softmax")
    assert net.shape(5) == (10,)


def test_a_catalogue_of_ones_own(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "own.xml"
    path.write_text(OWN)
    system = pm.Catalog(path).system("own-box")
    here = os.getcwd()
    os.chdir("/")
    try:
        back = pickle.loads(pickle.dumps(system))
    finally:
        os.chdir(here)
    assert throughput("resnet18", back, gpus=2) == throughput("resnet18", system, gpus=2)


def tables() -> dict[str, pm.Table]:
    """One of every class, and what only some have: a total, choices, notes, unknown numbers, nothing at all."""
    one = pm.Plan("resnet50", "dgx1-v100")
    return {
        "layers": pm.network("alexnet").layers(),
        "links": pm.system("dgx1-v100").links(),
        "list": pm.Catalog().list("gpus"),
        "sweep": pm.sweep("resnet50", "dgx1-v100", batch=[32, 10**6], gpus=[1, 8],
                          axes={"gpu.memory_bandwidth": ["x1", "x2"]}),
        "columns": pm.sweep("resnet18", "dgx1-v100", batch=[32, 64], columns=["batch", "throughput"]),
        "empty": pm.Sweep(one, one.runs(batch=[8])[:0], one.predict(one.runs(batch=[8]))[:0]),
        "validation": pm.validate("storage"),
        "sizing": pm.size("resnet50", ["dgx1-v100"], rate=5000, precision="fp16", batch=128),
        "settings": pm.run_from(SETTINGS),
    }


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", tables())
def test_tables_come_back(name: str, again) -> None:  # type: ignore[no-untyped-def]
    table = tables()[name]
    back = again(table)
    assert type(back) is type(table) and len(back) == len(table) and back.columns == table.columns
    for format in ("table", "csv", "json"):
        assert back.format(format) == table.format(format)
    assert (repr(back), back._repr_html_()) == (repr(table), table._repr_html_())
    for column in table.columns:
        assert (
            back[column.name].tobytes() == table[column.name].tobytes()
            or (back[column.name] == table[column.name]).all()
        )


def test_classes_of_tables_keep_what_they_can() -> None:
    back = {name: pickle.loads(pickle.dumps(table)) for name, table in tables().items()}
    assert back["sweep"][0] == tables()["sweep"][0]
    assert back["validation"].notes == tables()["validation"].notes
    assert back["sizing"].best == tables()["sizing"].best
    assert back["sizing"].front().to_csv() == tables()["sizing"].front().to_csv()


def test_a_damaged_table_is_refused() -> None:
    """Every beginning of it, and every character of it replaced: an error or a table, never a crash."""
    packed = _core.table_pack(pm.validate("storage")._handle)
    for i in range(len(packed)):
        with pytest.raises(pm.Error, match="pm_table_pack"):
            _core.table_unpack(packed[:i])
        for other in "f9:-":
            try:
                pm.Table(_core.table_unpack(packed[:i] + other + packed[i + 1 :])).format("json")
            except pm.Error:
                pass


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_other_processes(method: str) -> None:
    net = by_hand()
    expected = throughput(net, "dgx1-v100", gpus=4)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        found = pool.submit(pm.predict, net, pm.system("dgx1-v100"), gpus=4)
        plain = pool.submit(throughput, net, "dgx1-v100", gpus=4)
        assert found.result(120).throughput == expected == plain.result(120)


def test_threads() -> None:
    expected = [throughput("resnet50", "dgx1-v100", gpus=n) for n in (1, 2, 4, 8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda n: throughput("resnet50", "dgx1-v100", gpus=n), (1, 2, 4, 8))) == expected
