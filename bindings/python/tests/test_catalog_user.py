"""A user's own catalogue adds to the shipped one, or replaces entries."""

from __future__ import annotations

from pathlib import Path

import perfmodel as pm
import pytest

MINE = """<?xml version="1.0" encoding="UTF-8"?>
<perfmodel version="1">
  <gpu id="my-gpu" name="My GPU">
    <architecture>volta</architecture>
    <sms>10</sms>
    <fp32_lanes>64</fp32_lanes>
    <clock>1 GHz</clock>
    <peak_fp32>1.28 TFLOP/s</peak_fp32>
    <memory>4 GB</memory>
    <memory_bandwidth>100 GB/s</memory_bandwidth>
  </gpu>
  <network id="my-net" name="My net">
    <param name="width" default="16"/>
    <input shape="3,32,32"/>
    <conv2d name="conv" out_channels="width" kernel="3" padding="1" bias="no"/>
    <relu name="relu"/>
  </network>
</perfmodel>
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.xml"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_own_entries(mine: Path) -> None:
    catalog = pm.Catalog(mine)
    assert catalog.gpu("My GPU").memory_bandwidth == 1e11
    assert catalog.network("my-net").parameters == 16 * 27
    assert catalog.network("my-net", width=4).parameters == 4 * 27
    assert catalog.network("resnet50").parameters == 25_557_032
    times = catalog.network("my-net").times(catalog.gpu("my-gpu"), batch=8)
    assert (times["time"] > 0).all()


def test_the_shared_catalogue_stays_as_it_is(mine: Path) -> None:
    pm.Catalog(mine)
    with pytest.raises(pm.NotFoundError):
        pm.network("my-net")


def test_a_folder_of_files(mine: Path) -> None:
    assert "my-net" in pm.Catalog(mine.parent).ids("networks")


def test_replacing_a_shipped_entry_is_noted(mine: Path) -> None:
    mine.write_text(MINE.replace('id="my-gpu"', 'id="m40"'), encoding="utf-8")
    catalog = pm.Catalog(str(mine))
    assert catalog.gpu("m40").sms == 10
    assert any("m40" in note for note in catalog.notes)
    assert pm.Catalog().notes == []


def test_objects_outlive_their_catalogue(mine: Path) -> None:
    net, node = pm.Catalog(mine).network("my-net"), pm.Catalog(mine).system("dgx1-v100")
    assert pm.predict(net, node, gpus=8).throughput > 0
