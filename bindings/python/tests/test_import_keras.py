"""Keras models from their JSON, of Keras 2 and 3; the package is not needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import perfmodel as pm
import pytest


def sequential(*layers: tuple[str, dict[str, Any]], shape: list[int | None]) -> dict[str, Any]:
    """As Keras 2 writes it: the first layer has the shape."""
    made = [
        {"class_name": kind, "config": {"name": f"{kind.lower()}_{i}", **config}}
        for i, (kind, config) in enumerate(layers)
    ]
    made[0]["config"]["batch_input_shape"] = [None, *shape]
    config = {"name": "sequential", "layers": made}
    return {"class_name": "Sequential", "config": config, "keras_version": "2.4.0", "backend": "tensorflow"}


def kinds(net: pm.Network) -> list[str]:
    return [str(kind) for kind in net.layers()["kind"]]


CNN = sequential(
    ("Conv2D", {"filters": 32, "kernel_size": [3, 3], "padding": "same", "activation": "relu"}),
    ("Conv2D", {"filters": 32, "kernel_size": [3, 3], "padding": "same", "activation": "relu"}),
    ("MaxPooling2D", {"pool_size": [2, 2]}),
    ("Dropout", {"rate": 0.25}),
    ("Conv2D", {"filters": 64, "kernel_size": [3, 3], "padding": "same", "activation": "relu"}),
    ("Conv2D", {"filters": 64, "kernel_size": [3, 3], "padding": "same", "activation": "relu"}),
    ("MaxPooling2D", {"pool_size": [2, 2]}),
    ("Dropout", {"rate": 0.25}),
    ("Flatten", {}),
    ("Dense", {"units": 512, "activation": "relu"}),
    ("Dropout", {"rate": 0.5}),
    ("Dense", {"units": 10, "activation": "softmax"}),
    shape=[32, 32, 3],
)


def test_a_sequential_model_of_the_catalogue() -> None:
    net, zoo = pm.from_keras(CNN), pm.network("littlecnn")
    assert (net.parameters, net.macs) == (zoo.parameters, zoo.macs)
    assert net.report is not None and not net.report.approximated and not net.report.notes
    assert "permute" not in kinds(net)


def test_text_file_and_dict_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "cnn.json"
    path.write_text(json.dumps(CNN), encoding="utf-8")
    texts = [json.dumps(CNN), json.dumps(json.dumps(CNN)), str(path), path]
    assert len({repr(pm.from_keras(source)) for source in (*texts, CNN)}) == 1


COMMAND = os.environ.get("PERFMODEL_COMMAND")


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    """The command, with this Python as the first of the path."""
    command = [COMMAND] if COMMAND else [sys.executable, "-m", "perfmodel"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return subprocess.run([*command, *words], capture_output=True, text=True, env={**os.environ, "PATH": path})


def test_the_command_takes_keras_files(tmp_path: Path) -> None:
    """The same network as Python has it; what is wrong is one line."""
    file = tmp_path / "my net.keras"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("config.json", json.dumps(residual(3)))
    net, said = pm.from_keras(file), ask("layers", str(file), "--format", "csv", "-q")
    total = said.stdout.splitlines()[-1].split(",")
    assert (said.returncode, said.stderr) == (0, "") and str(net.parameters) in total and str(net.macs) in total
    assert ask("import", str(file), "--id", "mine").stdout == pm.from_keras(file, id="mine").to_xml()
    for words in (["--set", "input_shape=8xx8"], ["--set", "width=3"], ["--set", "allow_unknown=maybe"]):
        wrong = ask("layers", str(file), *words)
        assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and "perfmodel: " in wrong.stderr
    missing = ask("predict", str(tmp_path / "no.keras"), "t4")
    assert missing.returncode == 3 and "No such file" in missing.stderr


def layer(kind: str, name: str, inputs: Any, **config: Any) -> dict[str, Any]:
    return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": inputs}


def keras_2(name: str) -> list[Any]:
    return [name, 0, 0, {}]


def keras_3(name: str) -> dict[str, Any]:
    return {
        "class_name": "__keras_tensor__",
        "config": {"shape": [None], "dtype": "float32", "keras_history": [name, 0, 0]},
    }


def residual(version: int) -> dict[str, Any]:
    """A block with a sum, as the two versions write the same graph."""

    def one(name: str) -> Any:
        return [[keras_2(name)]] if version == 2 else [{"args": [keras_3(name)], "kwargs": {}}]

    def both(a: str, b: str) -> Any:
        return [[keras_2(a), keras_2(b)]] if version == 2 else [{"args": [[keras_3(a), keras_3(b)]], "kwargs": {}}]

    shape = {"batch_input_shape" if version == 2 else "batch_shape": [None, 8, 8, 16]}
    conv = {"filters": 16, "kernel_size": [3, 3], "strides": [1, 1], "padding": "same"}
    layers = [
        layer("InputLayer", "x", [], **shape),
        layer("Conv2D", "conv1", one("x"), use_bias=False, **conv),
        layer("BatchNormalization", "bn1", one("conv1"), axis=[3] if version == 2 else -1),
        layer("Activation", "relu1", one("bn1"), activation="relu"),
        layer("Conv2D", "conv2", one("relu1"), **conv),
        layer("Add", "sum", both("conv2", "x")),
        layer("Concatenate", "wide", both("sum", "x"), axis=-1),
        layer("GlobalAveragePooling2D", "pool", one("wide")),
        layer("Dense", "out", one("pool"), units=5, activation="linear"),
    ]
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [["out", 0, 0]]}
    return {"class_name": "Functional", "config": {"name": "residual", "layers": layers, **ends}}


@pytest.mark.parametrize("version", [2, 3])
def test_functional_models_of_both_versions(version: int) -> None:
    net = pm.from_keras(residual(version))
    assert net.parameters == 9 * 256 + 32 + 9 * 256 + 16 + 32 * 5 + 5
    assert net.macs == 2 * 64 * 9 * 256 + 160
    assert kinds(net) == "conv2d batch_norm relu conv2d add concat global_avg_pool reshape linear".split()


def test_a_layer_that_is_called_twice_is_counted_once() -> None:
    layers = [
        layer("InputLayer", "x", [], batch_shape=[None, 8]),
        layer("Dense", "dense", [[keras_2("x")], [["dense", 0, 0, {}]]], units=8),
    ]
    config = {"name": "m", "layers": layers, "input_layers": [["x", 0, 0]], "output_layers": [["dense", 1, 0]]}
    net = pm.from_keras({"class_name": "Model", "config": config})
    assert (net.parameters, net.macs) == (72, 128)


def test_models_inside_models() -> None:
    layers = [
        layer("InputLayer", "x", [], batch_input_shape=[None, 8, 8, 16]),
        {**residual(2), "name": "residual", "inbound_nodes": [[keras_2("x")]]},
        layer("Dense", "last", [[keras_2("residual")]], units=2),
    ]
    config = {"name": "outer", "layers": layers, "input_layers": [["x", 0, 0]], "output_layers": [["last", 0, 0]]}
    net, inner = pm.from_keras({"class_name": "Model", "config": config}), pm.from_keras(residual(2))
    assert (net.parameters, net.macs) == (inner.parameters + 12, inner.macs + 10)
    assert "residual.conv1" in net.layers()["name"]


@pytest.mark.parametrize(
    "kind, config, shape, parameters, macs",
    [
        ("Dense", {"units": 5}, [7, 4], 25, 7 * 20),
        ("Conv1D", {"filters": 6, "kernel_size": [3], "padding": "causal"}, [10, 4], 78, 10 * 72),
        (
            "Conv2D",
            {"filters": 6, "kernel_size": [3, 3], "strides": [2, 2], "padding": "same"},
            [9, 9, 4],
            222,
            25 * 216,
        ),
        ("Conv2D", {"filters": 6, "kernel_size": 3, "data_format": "channels_first"}, [4, 9, 9], 222, 49 * 216),
        ("DepthwiseConv2D", {"kernel_size": [3, 3], "depth_multiplier": 2}, [5, 5, 4], 80, 9 * 72),
        ("SeparableConv2D", {"filters": 6, "kernel_size": [3, 3]}, [5, 5, 4], 36 + 24 + 6, 9 * 36 + 9 * 24),
        ("Conv2DTranspose", {"filters": 6, "kernel_size": [2, 2], "strides": [2, 2]}, [5, 5, 4], 102, 25 * 96),
        (
            "Conv2DTranspose",
            {"filters": 6, "kernel_size": 3, "strides": 2, "padding": "same"},
            [5, 5, 4],
            222,
            25 * 216,
        ),
        ("LSTM", {"units": 16}, [5, 8], 4 * 16 * 25, 5 * 64 * 24),
        ("GRU", {"units": 16, "reset_after": True}, [5, 8], 3 * 16 * 26, 5 * 48 * 24),
        ("GRU", {"units": 16}, [5, 8], 3 * 16 * 25, 5 * 48 * 24),
        ("SimpleRNN", {"units": 16, "return_sequences": True}, [5, 8], 16 * 25, 5 * 16 * 24),
        ("Embedding", {"input_dim": 100, "output_dim": 8}, [5], 800, 0),
        ("BatchNormalization", {"scale": False}, [5, 5, 4], 4, 0),
        ("LayerNormalization", {}, [5, 4], 8, 0),
        ("MultiHeadAttention", {"num_heads": 2, "key_dim": 8}, [5, 16], 4 * 16 * 17, 5 * 4 * 256 + 2 * 25 * 16),
    ],
)
def test_layers(kind: str, config: dict[str, Any], shape: list[int], parameters: int, macs: int) -> None:
    net = pm.from_keras(sequential((kind, config), shape=list(shape)))
    assert (net.parameters, net.macs) == (parameters, macs)


def test_two_directions() -> None:
    inner = {"class_name": "LSTM", "config": {"name": "lstm", "units": 16}}
    for mode, width in (("concat", 32), ("sum", 16)):
        net = pm.from_keras(
            sequential(("Bidirectional", {"layer": inner, "merge_mode": mode}), ("Dense", {"units": 1}), shape=[5, 8])
        )
        assert net.parameters == 2 * 4 * 16 * 25 + width + 1


def test_open_sizes() -> None:
    model = sequential(("Conv2D", {"filters": 6, "kernel_size": [3, 3]}), shape=[None, None, 3])
    with pytest.raises(pm.ArgumentError, match=r"leaves sizes open \(\?, \?, 3\); give input_shape"):
        pm.from_keras(model)
    assert pm.from_keras(model, (9, 9, 3)).macs == 49 * 162


def test_unknown_layers() -> None:
    model = sequential(("Dense", {"units": 4}), ("Mine>Odd", {}), ("Dense", {"units": 2}), shape=[4])
    with pytest.raises(pm.NotModelledError, match=r"unknown operators: Mine>Odd \(1x, first in mine>odd_1\)"):
        pm.from_keras(model)
    net = pm.from_keras(model, allow_unknown=True)
    assert net.macs == 24 and net.report is not None and net.report.coverage < 1


@pytest.mark.parametrize("source", ["{}", "[]", '{"class_name": 3', '{"class_name": "Model", "config": {}}'])
def test_what_is_no_model(source: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(pm.FormatError):
        pm.from_keras(path)
    with pytest.raises(pm.FileError, match="No such file"):
        pm.from_keras(tmp_path / "none.json")


def test_keras_files_are_zips_with_a_config(tmp_path: Path) -> None:
    """Keras 3 saves a .keras file: its config.json is what to_json() writes."""
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("config.json", json.dumps(residual(3)))
        archive.writestr("model.weights.h5", b"\xd1" * 1000)
    assert repr(pm.from_keras(path)) == repr(pm.from_keras(residual(3)))


@pytest.mark.parametrize("name, data, words", [("config.json", b"no", "not the JSON of a Keras model"),
                                               ("other.json", b"{}", "not a .keras file")])  # fmt: skip
def test_zips_that_are_no_models(name: str, data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, data)
    with pytest.raises(pm.FileError, match=words):
        pm.from_keras(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(pm.FileError):
        pm.from_keras(path)
