"""Networks, systems, plans and what they predict in pickles, copies and other processes."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import perfmodel as pm

OWN = """<perfmodel version="1"><link id="own" name="Own"><kind>nvlink</kind><bandwidth>10 GB/s</bandwidth></link>
<system id="own-box" name="Own box"><gpu>v100-sxm2-16gb</gpu><gpus>2</gpus>
<graph><vertex kind="cpu" names="cpu0"/><link type="pcie3-x16" from="cpu0" to="gpu0 gpu1"/></graph>
<network link="infiniband-edr"/></system></perfmodel>"""


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


def test_what_cannot_be_pickled_says_so() -> None:
    with pytest.raises(TypeError, match="to_dict"):
        pickle.dumps(pm.network("alexnet").layers())


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
