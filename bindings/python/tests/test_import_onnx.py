"""ONNX models: counts equal to those of the PyTorch import and of the catalogue; files that hold no weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import perfmodel as pm
import pytest
from needs import package
from work import Lines

onnx: Any = package("onnx")
from onnx import TensorProto, helper  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name: str, shape: list[int | str], kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def tensor(name: str, *shape: int, kind: int = FLOAT) -> Any:
    """A weight whose numbers are in a file that is nowhere."""
    made = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    made.external_data.add(key="location", value="nowhere.bin")
    return made


def numbers(name: str, *values: int) -> Any:
    return helper.make_tensor(name, INT64, [len(values)], values)


def model(nodes: list[Any], inputs: list[Any], outputs: list[str], tensors: list[Any] = [], **options: Any) -> bytes:
    graph = helper.make_graph(nodes, "graph", inputs, [value(name, []) for name in outputs], tensors)
    data: bytes = helper.make_model(graph, **options).SerializeToString()
    return data


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    return helper.make_node(kind, inputs.split(" "), outputs.split(" "), **attributes)


def kinds(net: pm.Network) -> list[str]:
    return [str(kind) for kind in net.layers()["kind"]]


# ---- One operator at a time.


def test_a_convolution_with_an_open_batch() -> None:
    data = model(
        [node("Conv", "x w b", "y", pads=[1, 1, 1, 1], strides=[2, 2]), node("Relu", "y", "z")],
        [value("x", ["batch", 3, 8, 8])], ["z"], [tensor("w", 16, 3, 3, 3), tensor("b", 16)],
    )  # fmt: skip
    nets = [pm.from_onnx(data), pm.from_onnx(data, {"batch": 1}), pm.from_onnx(data, dims={"batch": 32})]
    assert {(net.parameters, net.macs) for net in nets} == {(16 * 27 + 16, 16 * 16 * 27)}


def test_a_batch_that_is_written_into_the_file() -> None:
    data = model(
        [node("Reshape", "x shape", "y"), node("MatMul", "y w", "z")],
        [value("x", [8, 4, 4])], ["z"], [numbers("shape", 8, 16), tensor("w", 16, 10)],
    )  # fmt: skip
    assert pm.from_onnx(data).macs == 160
    assert pm.from_onnx(data, batch_axis=None).macs == 8 * 160


def test_shapes_that_are_computed() -> None:
    """Shape, Gather, Concat, Reshape: as exporters write a view."""
    nodes = [
        node("Shape", "x", "s"), node("Gather", "s zero", "n", axis=0), node("Unsqueeze", "n zero1", "n1"),
        node("Concat", "n1 rest", "shape", axis=0), node("Reshape", "x shape", "y"), node("MatMul", "y w", "z"),
    ]  # fmt: skip
    tensors = [
        helper.make_tensor("zero", INT64, [], [0]),
        numbers("zero1", 0),
        numbers("rest", -1),
        tensor("w", 192, 10),
    ]
    data = model(nodes, [value("x", ["N", 3, 8, 8])], ["z"], tensors)
    assert pm.from_onnx(data).macs == 1920


@pytest.mark.parametrize("heads", [4, 8])
def test_attention_written_out(heads: int) -> None:
    nodes = [
        node("Reshape", "x split", "a"), node("Transpose", "a", "q", perm=[0, 2, 1, 3]),
        node("Transpose", "a", "k", perm=[0, 2, 3, 1]), node("MatMul", "q k", "s"), node("Softmax", "s", "p"),
        node("MatMul", "p q", "o"),
    ]  # fmt: skip
    data = model(nodes, [value("x", [1, "seq", 64])], ["o"], [numbers("split", 0, 0, heads, 64 // heads)])
    assert pm.from_onnx(data, {"seq": 10}).macs == 2 * 10 * 10 * 64


def test_einsum_is_a_product() -> None:
    data = model([node("Einsum", "a b", "c", equation="bhid,bhjd->bhij")],
                 [value("a", [1, 4, 10, 8]), value("b", [1, 4, 12, 8])], ["c"])  # fmt: skip
    assert pm.from_onnx(data).macs == 4 * 10 * 12 * 8


@pytest.mark.parametrize("kind, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers(kind: str, gates: int) -> None:
    tensors = [tensor("w", 2, gates * 16, 8), tensor("r", 2, gates * 16, 16), tensor("b", 2, 2 * gates * 16)]
    nodes = [node(kind, "x w r b", "y", hidden_size=16, direction="bidirectional")]
    net = pm.from_onnx(model(nodes, [value("x", [5, 1, 8])], ["y"], tensors), batch_axis=1)
    assert (net.parameters, net.macs) == (2 * gates * 16 * (8 + 16 + 2), 2 * 5 * gates * 16 * 24)


def test_a_shared_weight_is_counted_once() -> None:
    nodes = [node("MatMul", "x w", "y"), node("MatMul", "y w", "z")]
    net = pm.from_onnx(model(nodes, [value("x", ["b", 8])], ["z"], [tensor("w", 8, 8)]))
    assert (net.parameters, net.macs) == (64, 128)


def test_learned_and_fixed_summands() -> None:
    """A bias and a table of positions are trained; a mask over the scores is not."""
    nodes = [node("Add", "x b", "y"), node("Add", "y places", "z"), node("Mul", "z val_1", "u")]
    tensors = [tensor("b", 8), tensor("places", 1, 5, 8), tensor("val_1", 5, 8)]
    net = pm.from_onnx(model(nodes, [value("x", ["b", 5, 8])], ["u"], tensors))
    assert kinds(net) == ["bias", "positional_embedding", "multiply"] and net.parameters == 8 + 40


def test_functions_of_the_model() -> None:
    body = [helper.make_node("Gemm", ["x", "w"], ["y"], transB=1), helper.make_node("Relu", ["y"], ["z"])]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("mine", 1)]
    function = helper.make_function("mine", "Dense", ["x", "w"], ["z"], body, opsets[:1])
    nodes = [helper.make_node("Dense", ["a", "w1"], ["b"], domain="mine"),
             helper.make_node("Dense", ["b", "w2"], ["c"], domain="mine")]  # fmt: skip
    data = model(nodes, [value("a", ["n", 8])], ["c"], [tensor("w1", 16, 8), tensor("w2", 4, 16)],
                 functions=[function], opset_imports=opsets)  # fmt: skip
    assert pm.from_onnx(data).macs == 128 + 64


# ---- Weights are never read.


def test_two_gigabytes_beside_the_file_are_not_read(tmp_path: Path) -> None:
    tensors = [tensor(f"w{i}", 8192, 8192) for i in range(8)]
    nodes = [node("MatMul", f"x{i} w{i}", f"x{i + 1}") for i in range(8)]
    path = tmp_path / "large.onnx"
    path.write_bytes(model(nodes, [value("x0", ["batch", 8192])], ["x8"], tensors))
    net = pm.from_onnx(path)
    assert net.parameters == 8 * 8192**2 and 4 * net.parameters >= 2 * 2**30
    assert net.id == "large" and path.stat().st_size < 10000


def test_weights_inside_the_file_are_not_copied(tmp_path: Path) -> None:
    import tracemalloc

    weight = helper.make_tensor("w", FLOAT, [4096, 4096], np.zeros(4096 * 4096, dtype="<f4").tobytes(), raw=True)
    path = tmp_path / "inside.onnx"
    path.write_bytes(model([node("MatMul", "x w", "y")], [value("x", ["n", 4096])], ["y"], [weight]))
    tracemalloc.start()
    net = pm.from_onnx(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert net.parameters == 4096 * 4096 and most < 2**20


def test_importing_does_not_need_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__
    data = model([node("MatMul", "x w", "y")], [value("x", ["n", 8])], ["y"], [tensor("w", 8, 4)])

    def refuse(name: str, *rest: Any, **options: Any) -> Any:
        assert name.split(".")[0] not in ("onnx", "google")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert pm.from_onnx(data).macs == 32


# ---- Errors.


def test_open_dimensions_are_asked_for() -> None:
    data = model([node("MatMul", "x w", "y")], [value("x", ["batch", "seq", 8])], ["y"], [tensor("w", 8, 8)])
    with pytest.raises(pm.ArgumentError, match='input "x" has the open dimension "seq"; give it a size: dims='):
        pm.from_onnx(data)
    with pytest.raises(pm.ArgumentError, match='no open dimension "sequence"; it has batch, seq'):
        pm.from_onnx(data, {"sequence": 5})
    assert pm.from_onnx(data, {"seq": 5}).macs == 5 * 64


def test_unknown_operators() -> None:
    nodes = [node("MatMul", "x w", "y"), node("Det", "y", "z"), helper.make_node("Odd", ["z"], ["u"], domain="other")]
    data = model(nodes, [value("x", ["n", 8, 8])], ["u"], [tensor("w", 8, 8)])
    with pytest.raises(pm.NotModelledError, match=r"unknown operators: Det \(1x.*other.Odd \(1x"):
        pm.from_onnx(data)
    net = pm.from_onnx(data, allow_unknown=True)
    assert net.report is not None and net.report.unknown.total() == 2 and net.report.coverage < 1
    assert net.macs == 512


@pytest.mark.parametrize("data", [b"", b"\x00", b"no model at all", b"\x3a\xff\xff\xff\xff\x0f", bytes(range(256))])
def test_what_is_no_model(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(data)
    for source in (data, path):
        with pytest.raises(pm.FormatError, match="not an ONNX model"):
            pm.from_onnx(source)
    with pytest.raises(pm.FileError, match="No such file"):
        pm.from_onnx(tmp_path / "none.onnx")


def test_any_damage_is_an_error_or_still_a_model() -> None:
    nodes = [node("Conv", "x w", "y"), node("Reshape", "y s", "z")]
    data = model(nodes, [value("x", ["n", 3, 8, 8])], ["z"], [tensor("w", 4, 3, 3, 3), numbers("s", 1, -1)])
    for i in range(len(data)):
        for damaged in (data[:i], data[:i] + bytes([data[i] ^ 0x55]) + data[i + 1 :]):
            try:
                pm.from_onnx(damaged, allow_unknown=True)
            except pm.Error:
                pass


def lines_of_depth(layers: int) -> int:
    nodes = [node("Relu", f"x{i}", f"x{i + 1}") for i in range(layers)]
    data = model(nodes, [value("x0", ["n", 8])], [f"x{layers}"])
    with Lines(10_000_000) as lines:
        assert pm.from_onnx(data).totals.layers == layers
    return lines.count


def test_work_grows_with_the_depth_of_a_model() -> None:
    assert lines_of_depth(5000) < 2.1 * lines_of_depth(2500)


# ---- Dimensions without a name, and operators with several outputs.


def test_dimensions_without_a_name_need_the_shape_of_the_input() -> None:
    """As PaddleOCR's classifier: the batch and both sides are open, and none has a name."""
    data = model([node("Conv", "x w", "y", kernel_shape=[3, 3])], [value("x", ["", 3, "", ""])], ["y"],
                 [tensor("w", 8, 3, 3, 3)])  # fmt: skip
    with pytest.raises(pm.ArgumentError, match=r'input "x" has open dimensions without a name; give its shape: '
                                               r'dims={"x": \(1, 3, 128, 128\)}'):  # fmt: skip
        pm.from_onnx(data)
    net = pm.from_onnx(data, dims={"x": (1, 3, 48, 192)})
    assert net.totals.input == "3x48x192" and net.macs == 8 * 27 * 46 * 190
    with pytest.raises(pm.ArgumentError, match=r"shape \(\?, 3, \?, \?\), which \(1, 4, 48, 192\) does not fit"):
        pm.from_onnx(data, dims={"x": (1, 4, 48, 192)})
    with pytest.raises(pm.ArgumentError, match='the model has no input "z"; it has x'):
        pm.from_onnx(data, dims={"z": (1, 3, 48, 192)})


def test_negative_sizes_are_open_too() -> None:
    data = model([node("Conv", "x w", "y", kernel_shape=[1, 1])], [value("x", [-1, 3, -1, 64])], ["y"],
                 [tensor("w", 8, 3, 1, 1)])  # fmt: skip
    assert pm.from_onnx(data, dims={"x": (1, 3, 32, 64)}).macs == 24 * 32 * 64


def test_the_command_says_what_to_set(tmp_path: Path) -> None:
    """Shapes and unknown operators as the command takes them."""
    from test_import_keras import ask

    (tmp_path / "open.onnx").write_bytes(model(
        [node("Conv", "x w", "y"), node("Det", "y", "z")], [value("x", [None, 3, None, None])], ["z"],  # type: ignore
        [tensor("w", 16, 3, 3, 3)]))  # fmt: skip
    asked = ["layers", str(tmp_path / "open.onnx"), "-q"]
    first = ask(*asked)
    assert first.returncode == 2 and "--set x=1x3x" in first.stderr
    second = ask(*asked, "--set", "x=1x3x10x10")
    assert second.returncode == 1 and "--set allow_unknown=yes leaves them out" in second.stderr
    third = ask(*asked, "--set", "x=1x3x10x10", "--set", "allow_unknown=yes")
    assert third.returncode == 0 and "unknown.Det" in third.stdout


def test_quantised_operators_are_unknown_and_no_error_of_the_file() -> None:
    """As onnxruntime quantises: three outputs of one operator, which an unknown one reads."""
    nodes = [node("DynamicQuantizeLinear", "x", "q scale zero"),
             node("MatMulInteger", "q w zero", "product"), node("Cast", "product", "real", to=FLOAT),
             node("Mul", "real scale", "y")]  # fmt: skip
    data = model(nodes, [value("x", ["batch", 16])], ["y"], [tensor("w", 16, 8, kind=TensorProto.INT8)])
    net = pm.from_onnx(data, allow_unknown=True)
    assert net.macs == 128 or net.report is not None and net.report.unknown
