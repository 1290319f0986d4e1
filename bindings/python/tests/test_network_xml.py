"""Networks written as XML and read back have the same counts."""

from __future__ import annotations

from pathlib import Path

import perfmodel as pm
import pytest

NETWORKS = pm.Catalog().ids("networks")


def read_back(net: pm.Network, folder: Path) -> pm.Network:
    path = folder / "written.xml"
    net.to_xml(path)
    return pm.Catalog(path).network(net.id)


@pytest.mark.parametrize("id", NETWORKS)
def test_the_whole_zoo(id: str, tmp_path: Path) -> None:
    """Every column of every layer, names among them."""
    net = pm.network(id)
    back = read_back(net, tmp_path)
    assert back.layers().to_csv() == net.layers().to_csv()
    assert back.totals == net.totals
    assert back.to_xml() == net.to_xml()


def test_names_that_xml_cannot_hold(tmp_path: Path) -> None:
    net = pm.Network("odd", 'A "name" <with> & marks')
    x = net.input(3, 8, 8, name="the image")
    a = net.add("conv2d", inputs=x, name="{a} <b> &", out_channels=4, kernel=3)
    b = net.add("conv2d", inputs=x, name="{a} <b> &", out_channels=4, kernel=3)
    net.add("add", inputs=[a, b, a], name="a" * 79)
    net.add("relu", name="a" * 79)
    back = read_back(net, tmp_path)
    assert back.name == net.name and back.macs == net.macs
    assert [str(name) for name in back.layers()["name"]] == ["_a__<b>_&", "_a__<b>_&_2", "a" * 79, "a" * 77 + "_2"]


def test_attributes_of_all_sorts(tmp_path: Path) -> None:
    net = pm.Network("sorts")
    net.input(4, 9, 9)
    net.add("conv2d", out_channels=8, kernel=(1, 3), stride=(2, 1), padding=1, padding_end=0, groups=2, bias=False)
    net.add("dropout", rate=0.1)
    net.add("interpolate", scale="1.5,2", mode="linear")
    net.add("slice", axis=1, start=1, end=-1)
    net.add("slice", axis=2, step=2)
    net.add("pad", padding=(1, 2), padding_end=0)
    net.add("reshape", shape=(-1, 8))
    net.add("layer_norm", bias=False)
    back = read_back(net, tmp_path)
    assert back.layers().to_csv() == net.layers().to_csv()


def test_errors(tmp_path: Path) -> None:
    empty = pm.Network("empty")
    with pytest.raises(pm.ArgumentError, match="a network without layers cannot be written"):
        empty.to_xml()
    with pytest.raises(IsADirectoryError):
        pm.network("lenet-5").to_xml(tmp_path)
    with pytest.raises(pm.NotFoundError, match="there is no layer 99"):
        pm.network("lenet-5").shape(99)
    assert pm.network("lenet-5").shape(1) == (6, 28, 28)
