"""Input pipeline: the same numbers as the library's own, and what cannot be answered."""

from __future__ import annotations

import pytest

import perfmodel as pm


def test_node_limits_of_the_dell_guide() -> None:
    path = pm.input_pipeline("ilsvrc2012-x10", "c4140", storage="isilon-f800", rate=0.3e9 / 113044.09413573718)
    assert (path.nodes_gateway, path.nodes_storage, path.nodes_ports, path.max_nodes) == (70, 50, 32, 32)


def test_decoding_limits_and_the_gpus_wait() -> None:
    path = pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="dgx1-raid0", rate="12383 images/s", cache="100 GiB")
    assert path.bottleneck == "decode"
    assert path.gpu_busy + path.input_wait_share == pytest.approx(1)
    assert 0 < path.hits_least == path.hits < path.hits_most < path.cached < 1


def test_the_interval_is_as_wide_as_the_word_says() -> None:
    def decoding(cpu: str, loader: str) -> pm.InputPipeline:
        return pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="dgx1-raid0", cpu=cpu, loader=loader, workers=4)

    widths = []
    for cpu, loader, word in (("zen4", "dali", "calibrated"), ("skylake", "dali", "extrapolated")):
        path = decoding(cpu, loader)
        assert path.calibration == word
        assert path.throughput_p10 < path.throughput < path.throughput_p90
        widths.append(path.throughput_p90 / path.throughput_p10)
    assert widths[0] < widths[1]
    assert pm.input_pipeline("ilsvrc2012", "dgx1-v100", storage="dgx1-raid0",
                             decode="none").calibration == "not-calibrated"


def test_cpus_with_rows_of_their_own_are_calibrated() -> None:
    catalog = pm.Catalog()
    for cpu in catalog.ids("decoders"):
        facts = {row["field"]: row for row in catalog.show("decoder", cpu)}
        fitted = "fitted" in facts["scale"]["note"] or cpu == "reference"
        assert (facts["calibration"]["value"] == "calibrated") == fitted, cpu


def test_no_prefetch_is_slower() -> None:
    queue, turns = (
        pm.input_pipeline("ilsvrc2012", "p3dn", storage="p3dn-nvme", loader="pytorch", rate=8400, prefetch=k)
        for k in (2, 0)
    )
    assert turns.throughput < queue.throughput


def test_cores_that_nobody_knows() -> None:
    with pytest.raises(pm.NotModelledError, match='the cores of system "mi300x-node" are unknown; give workers'):
        pm.input_pipeline("ilsvrc2012", "mi300x-node", storage="nvme")
    few, many = (pm.input_pipeline("ilsvrc2012", "mi300x-node", storage="nvme", workers=n).decode for n in (8, 64))
    assert many > few
    assert pm.input_pipeline("ilsvrc2012", "mi300x-node", storage="nvme", decode="gpu", loader="dali").decode > many


def test_errors() -> None:
    for wrong in ({"storage": "nope"}, {"samples": "tape"}, {"loader": "nope"}):
        with pytest.raises(pm.NotFoundError):
            pm.input_pipeline("ilsvrc2012", "p3dn", **{"storage": "p3dn-nvme", **wrong})
    for wrong in ({"nodes": 0}, {"rate": -1}, {"units": 2}):
        with pytest.raises(pm.Error):
            pm.input_pipeline("ilsvrc2012", "p3dn", storage="p3dn-nvme", **wrong)
