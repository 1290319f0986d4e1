"""Collectives from Python: the same numbers as the command, whole and in parts."""

import json
import os
import subprocess

import numpy as np
import perfmodel as pm
import pytest

COMMAND = os.environ.get("PERFMODEL_COMMAND", "")


def test_vectorised_equals_one_by_one():
    sizes = np.logspace(3, 9, 25)
    table = pm.collective("dgx1-v100", "all_reduce", bytes=sizes, gpus=8, nodes=2)
    assert len(table) == 25
    for size, time in zip(sizes, table["time"]):
        assert pm.collective("dgx1-v100", "all_reduce", size, gpus=8, nodes=2)["time"][0] == time
    assert np.all(np.diff(table["time"]) >= 0)
    np.testing.assert_array_equal(table["algorithm_bandwidth"], sizes / table["time"])


def test_subsets_algorithms_and_units():
    quad = pm.collective("dgx1-v100", "all_reduce", "1 GB", gpus=[0, 1, 2, 3])
    apart = pm.collective("dgx1-v100", "all_reduce", 1e9, gpus=[0, 1, 6, 7])
    assert quad["bus_bandwidth"][0] > 8 * apart["bus_bandwidth"][0]
    slow = pm.collective("dgx1-v100", "all_reduce", 1e9, gpus=8, algorithm="parameter-server")
    fast = pm.collective("dgx1-v100", "all_reduce", 1e9, gpus=8)
    assert slow["time"][0] > 5 * fast["time"][0]


def test_rings_of_the_document():
    rings = pm.rings("dgx1-v100")
    assert rings.directed_rings == 6
    assert sum(cycle.weight for cycle in rings.cycles) == 6
    assert all(sorted(cycle.order) == [0, 1, 2, 3, 4, 5, 6, 7] for cycle in rings.cycles)
    assert pm.rings("dgx1-p100", 4).directed_rings == 3
    assert pm.rings("dgx1-v100", [0, 7]).directed_rings == 0


def test_loads_and_drawings():
    loads = pm.collective_loads("dgx1-v100", "all_reduce", 1e9, gpus=8)
    assert np.nanmax(loads["busy"]) <= 1
    system = pm.system("dgx1-v100")
    assert system.matrix().splitlines()[1].startswith("GPU0\t X \tNV1")
    assert system.svg()._repr_svg_().startswith("<svg")
    assert system.dot().startswith("graph")
    assert "P2P=Enabled" in system.copies()


@pytest.mark.parametrize(
    "call",
    [
        lambda: pm.collective("dgx1-v100", "all_reduce", -1),
        lambda: pm.collective("dgx1-v100", "all_reduce", float("nan")),
        lambda: pm.collective("dgx1-v100", "nothing", 1),
        lambda: pm.collective("dgx1-v100", "all_reduce", 1, gpus=9),
        lambda: pm.collective("dgx1-v100", "all_reduce", 1, gpus=[0, 0]),
        lambda: pm.collective("ts4", "all_reduce", 1, gpus=8, nodes=2),
        lambda: pm.collective("dgx1-v100", "all_reduce", 1, algorithm="magic"),
        lambda: pm.rings("dgx1-v100", 0),
    ],
)
def test_wrong_questions_raise(call):
    with pytest.raises(pm.Error):
        call()


@pytest.mark.skipif(not COMMAND, reason="PERFMODEL_COMMAND is not set")
def test_the_command_says_the_same():
    out = subprocess.run(
        [COMMAND, "collective", "dgx2", "broadcast", "--gpus", "12", "--bytes", "4096,1e9", "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    table = pm.collective("dgx2", "broadcast", [4096, 1e9], gpus=12)
    assert [row["time"] for row in json.loads(out)] == list(table["time"])
