"""Counts for people: by layer, by kind, as a tree; the laws that hold between them; notebooks and Arrow."""

from __future__ import annotations

import math
import os
import subprocess

import numpy as np
import perfmodel as pm
import pytest

ADDED_UP = [
    "parameters", "mac", "flop", "training_flop", "mac_bnl", "bytes_in", "bytes_out", "bytes_parameters", "saved",
    "parameters_share", "mac_share",
]  # fmt: skip


@pytest.mark.parametrize("name", ["resnet50", "bert-base", "densenet121", "mixtral-8x7b", "u-net"])
def test_every_view_adds_up(name: str) -> None:
    net = pm.network(name)
    total = net.layers(total=True)[-1]
    titles = {column.name: column.title for column in net.layers().columns}
    for view in (net.layers(), net.kinds(), net.tree(depth=1)):
        for column in ADDED_UP:
            wanted = total[titles[column]]
            assert math.isclose(math.fsum(view[column]), wanted, rel_tol=1e-12), (
                name,
                column,
            )
    assert total["parameters"] == net.totals.parameters and total["flop [FLOP]"] == net.totals.flop
    assert total["training_flop [FLOP]"] == net.totals.training_flop
    assert total["parameters_share"] == total["mac_share"] == 1


def parents(names: list[str]) -> dict[str, list[str]]:
    """The rows of a tree by the row above them."""
    below: dict[str, list[str]] = {}
    for name in names:
        above = [other for other in names if name.startswith(other + ".")]
        below.setdefault(max(above, key=len, default=""), []).append(name)
    return below


def test_rows_of_a_tree_add_up_to_the_row_above_them() -> None:
    tree = pm.network("vit-b-16").tree(depth=9)
    names = tree["name"].tolist()
    assert "encoder.layers.0.self_attention.qkv" in names
    for column in ("parameters", "flop", "layers", "saved"):
        value = dict(zip(names, tree[column]))
        for above, rows in parents(names).items():
            if above:
                assert value[above] == sum(value[row] for row in rows), (above, column)


def test_a_tree_is_as_deep_as_asked() -> None:
    net = pm.network("resnet50")
    for depth in (1, 2, 3, 4):
        names = net.tree(depth=depth)["name"].tolist()
        assert max(name.count(".") for name in names) == depth - 1
    assert net.tree(depth=4)["name"].tolist() == net.tree(depth=100)["name"].tolist()
    with pytest.raises(pm.ArgumentError, match="depth 0"):
        net.tree(depth=0)


def test_a_batch_multiplies_all_but_the_parameters() -> None:
    net = pm.network("resnet50")
    for one, many in (
        (net.kinds(), net.kinds(batch=32)),
        (net.tree(), net.tree(batch=32)),
    ):
        for column in (
            "mac",
            "flop",
            "training_flop",
            "bytes_in",
            "bytes_out",
            "saved",
            "mac_bnl",
        ):
            assert (many[column] == 32 * one[column]).all(), column
        assert (many["parameters"] == one["parameters"]).all()
        assert np.array_equal(many["gamma"], 32 * one["gamma"], equal_nan=True)


def test_kinds_are_each_there_once_and_sorted() -> None:
    kinds = pm.network("resnet50").kinds()
    assert kinds["kind"][0] == "conv2d" and len(set(kinds["kind"])) == len(kinds)
    assert (np.diff(kinds["flop"]) <= 0).all()
    assert sum(kinds["layers"]) == pm.network("resnet50").totals.layers


def test_parts_are_found_wherever_their_layers_are() -> None:
    net = pm.Network("n")
    net.input(8)
    for name in ("a.x", "b", "a.y", "a", "c..d", ".e", "a.x.z"):
        net.add("linear", name=name, out_features=8, bias=False)
    tree = net.tree(depth=9)
    assert tree["name"].tolist() == ["a", "a.x", "a.x.z", "a.y", "b", "c", "c..d", ".e"]
    assert tree["layers"].tolist() == [4, 2, 1, 1, 1, 1, 1, 1]
    kinds = [row["name"] for row in tree if row["kind"] == "linear"]
    assert kinds == ["a.x.z", "a.y", "b", "c..d", ".e"]


def test_what_is_saved_is_what_memory_says() -> None:
    net = pm.network("resnet50")
    for framework in ("pytorch", "tensorflow-1"):
        memory = pm.memory(net, "v100", batch=32, framework=framework)
        assert sum(net.kinds(batch=32, framework=framework)["saved"]) == memory.activations
    assert np.isnan(net.layers(precision="int8")["saved"]).all()


def test_total_is_left_out_unless_asked_for() -> None:
    net = pm.network("alexnet")
    assert len(net.layers()) == net.totals.layers and len(net.layers(total=True)) == net.totals.layers + 1
    assert net.kinds(total=True)["kind"][-1] == "total" and "total" not in net.kinds()["kind"]


def test_the_command_writes_the_same_bytes() -> None:
    command = os.environ.get("PERFMODEL_COMMAND")
    if not command:
        pytest.skip("PERFMODEL_COMMAND does not say where the command is")
    net = pm.network("resnet50")
    for by, table in (
        ("layer", net.layers(total=True)),
        ("kind", net.kinds(total=True)),
        ("tree", net.tree(total=True)),
    ):
        printed = subprocess.run(
            [command, "layers", "resnet50", "--by", by, "--format", "csv"],
            capture_output=True,
        )
        assert printed.stdout.decode("utf-8") == table.to_csv()


def test_a_network_shows_its_tree_escaped() -> None:
    net = pm.Network("n", "<b>&")
    net.input(8)
    net.add("linear", name="<i>.one", out_features=8)
    html = net._repr_html_()
    assert "<i>" not in html and "&lt;b&gt;&amp;" in html and "&lt;i&gt;" in html
    assert "  one" in html and "100.0 %" in html and "72 parameters" in html
    assert "pre" in html  # or a browser would drop the indent


# ---- Arrow ---------------------------------------------------------------------------------------------------------


def arrow_table(table: pm.Table) -> object:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: Arrow data is not read back")
    read = pyarrow.table(table)
    read.validate(full=True)
    return read


def test_arrow_holds_the_same_values(sweep: pm.Sweep) -> None:
    for table in (
        sweep,
        pm.network("resnet50").layers(batch=3),
        pm.network("alexnet").tree(total=True),
    ):
        read = arrow_table(table)
        assert read.column_names == [column.title for column in table.columns]
        for column in table.columns:
            values = read[column.title].to_pylist()
            wanted = [None if value != value else value for value in table[column.name].tolist()]
            assert values == wanted, column.name


def test_arrow_types_and_meanings(sweep: pm.Sweep) -> None:
    read = arrow_table(sweep)
    kinds = {"text": "string", "choice": "string", "int": "int64", "real": "double"}
    for column in sweep.columns:
        field = read.schema.field(column.title)
        assert str(field.type) in (kinds[column.kind], "bool")
        assert field.metadata == {
            b"name": column.name.encode(),
            b"unit": column.unit.encode(),
            b"doc": column.doc.encode(),
        }


def test_arrow_takes_any_text_and_no_rows() -> None:
    net = pm.Network("n")
    net.input(3)
    net.add("relu", name='größe, "7" 層')
    assert arrow_table(net.layers())["name"].to_pylist() == ['größe, "7" 層']
    empty = pm.Network("empty")
    empty.input(3)
    assert arrow_table(empty.layers()).num_rows == 0


def test_a_sweep_in_pieces_is_one_stream(sweep: pm.Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    from perfmodel import _sweep

    whole = arrow_table(sweep)
    monkeypatch.setattr(_sweep, "CHUNK", 7)
    pieces = arrow_table(sweep)
    assert pieces.equals(whole) and pieces[0].num_chunks > 1


def test_arrow_outlives_its_table_and_may_go_unread() -> None:
    stream = pm.network("alexnet").layers().__arrow_c_stream__()
    assert "arrow_array_stream" in repr(stream)
    del stream
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    reader = pyarrow.RecordBatchReader.from_stream(pm.network("alexnet").layers())
    batch = next(iter(reader))
    del reader
    assert batch.num_rows == len(pm.network("alexnet").layers()) and batch.column(0).to_pylist()[0] == "features.0"
    assert pm.network("alexnet").layers().to_arrow().num_rows == batch.num_rows


def test_polars_reads_a_table() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    layers = pm.network("resnet50").layers()
    frame = polars.DataFrame(layers)
    assert frame["parameters"].sum() == pm.network("resnet50").parameters
    assert frame["gamma"].null_count() == int(np.isnan(layers["gamma"]).sum())


def test_to_arrow_without_pyarrow_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        pm.network("alexnet").layers().to_arrow()


def operator(share: float, flop: float, matrix: bool) -> pm.Network:
    net = pm.Network("mine")
    net.input(256, 256)
    net.add("operator", name="own", flop=flop, share=share, matrix=matrix)
    return net


@pytest.mark.parametrize(("flop", "matrix"), [(1e5, False), (1e8, False), (1e9, True)])
def test_operator_takes_what_its_user_says(flop: float, matrix: bool) -> None:
    """Its time is the roofline of the data sheet over the share that it reaches, also where no software is assumed."""
    gpu = pm.gpu("v100-sxm2-16gb")
    peak = gpu.peak_fp16_tensor if matrix else gpu.peak_fp32
    ideal = 64 * max(flop / peak, 2 * 2 * 256 * 256 / gpu.memory_bandwidth)
    own = [
        pm.predict(operator(share, flop, matrix), gpu.id, batch=64, precision="fp16", framework="none").forward_time
        for share in (0.5, 0.25)
    ]
    assert own[1] - own[0] == pytest.approx(2 * ideal, rel=1e-9)
    assert operator(1, flop, matrix).flop == flop
