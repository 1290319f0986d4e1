"""Models that no exporter makes: an error of the package or a network, in little time and memory."""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Callable

import pytest

import perfmodel as pm
from work import Lines

LINES = 4_000_000  # of Python; what is quadratic takes a hundred times as many


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def part(number: int, value: int | str | bytes) -> bytes:
    """A field of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(kind: str, inputs: list[str], outputs: list[str], *attributes: bytes) -> bytes:
    body = b"".join([part(1, x) for x in inputs] + [part(2, x) for x in outputs]) + part(4, kind)
    return part(1, body + b"".join(part(5, a) for a in attributes))


def tensor(name: str, shape: tuple[int, ...], kind: int, raw: bytes) -> bytes:
    return b"".join(part(1, size) for size in shape) + part(2, kind) + part(8, name) + part(9, raw)


def number(value: int, name: str) -> bytes:
    return part(5, tensor(name, (), 7, value.to_bytes(8, "little", signed=True)))


def value(name: str, *shape: int) -> bytes:
    sizes = b"".join(part(1, part(1, size)) for size in shape)
    return part(1, name) + part(2, part(1, part(1, 1) + part(2, sizes)))


def model(*graph: bytes, shape: tuple[int, ...] = (1, 8)) -> bytes:
    return part(7, b"".join(graph) + part(11, value("x", *shape))) + part(8, part(2, 17))


def whole(name: str, number_: int) -> bytes:
    return part(1, name) + part(3, number_) + part(20, 2)


def nested(depth: int) -> bytes:
    graph = node("Relu", ["x"], ["y"])
    for _ in range(depth):
        graph = node("If", ["c"], ["y"], part(1, "then_branch") + part(6, graph) + part(20, 5))
    return model(graph)


ALLOWED: dict[str, Callable[[], bytes]] = {
    "range": lambda: model(
        number(0, "a"), number(400_000_000, "b"), number(1, "c"), node("Range", ["a", "b", "c"], ["r"]),
            node("Relu", ["x"], ["y"])
    ),
    "range of nothing": lambda: model(
        number(0, "a"), number(4, "b"), number(0, "c"), node("Range", ["a", "b", "c"], ["r"]),
            node("Relu", ["x"], ["y"])
    ),
    "fill": lambda: model(
        part(5, tensor("s", (2,), 7, (1 << 31).to_bytes(8, "little") * 2)), node("ConstantOfShape", ["s"], ["r"]),
            node("Relu", ["x"], ["y"])
    ),
    "outer sum": lambda: model(
        part(5, tensor("s", (30000, 1), 7, bytes(240000))), part(5, tensor("t", (1, 30000), 7, bytes(240000))),
        node("Add", ["s", "t"], ["r"]), node("Relu", ["x"], ["y"])
    ),
    "gather of everything": lambda: model(
        part(5, tensor("s", (1, 30000), 7, bytes(240000))), part(5, tensor("t", (30000,), 7, bytes(240000))),
        node("Gather", ["s", "t"], ["r"]), node("Relu", ["x"], ["y"])
    ),
    "chain": lambda: model(*(node("Relu", ["x" if i == 0 else f"v{i}"], [f"v{i + 1}"]) for i in range(5_000))),
    "split": lambda: model(node("Split", ["x"], [f"o{i}" for i in range(10_000)], whole("axis", 1)), shape=(1, 10_000)),
    "short data": lambda: model(part(5, tensor("s", (4,), 7, b"123")), node("Reshape", ["x", "s"], ["y"])),
    "large dimension": lambda: model(node("Relu", ["x"], ["y"]), shape=(1, 10**12)),
    "huge dimension": lambda: model(node("Relu", ["x"], ["y"]), shape=(1, (1 << 63) - 1)),
    "huge dimensions": lambda: model(node("Flatten", ["x"], ["y"]), shape=(1, 1 << 40, 1 << 40, 1 << 40)),
    "nested": lambda: nested(60),
    "nested far": lambda: nested(3000),
    "rank": lambda: model(node("Transpose", ["x"], ["y"]), shape=(1,) * 5000),
    "bad attribute": lambda: model(node("Conv", ["x", "x"], ["y"],
                                        part(1, "strides") + part(8, b"\x00") + part(20, 7))),
    "no inputs": lambda: model(node("Shape", [], ["y"])),
    "no outputs": lambda: model(node("Constant", [], [])),
    "own input": lambda: model(node("Relu", ["y"], ["y"])),
    "names": lambda: model(node("Relu", ["x"], ["\ud7ff" * 100])),
}


@pytest.mark.parametrize("what", ALLOWED)
def test_onnx(what: str) -> None:
    data = ALLOWED[what]()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with Lines(LINES):
            network = pm.from_onnx(data)
    except pm.Error as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert network.flop >= 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 300_000, "KiB more than before"


def test_every_cut_of_a_model_is_answered() -> None:
    data = model(number(4, "s"), node("Relu", ["x"], ["v"]), node("Reshape", ["v", "s"], ["y"]))
    for size in range(len(data)):
        for changed in (data[:size], data[:size] + b"\xff" + data[size + 1 :],
                        data[:size] + b"\x00" + data[size + 1 :]):
            try:
                pm.from_onnx(changed)
            except pm.Error:
                pass


def small_model() -> bytes:
    """A convolutional network with most of what files have: weights, attributes, shapes that are computed."""
    weights = part(5, tensor("w", (4, 1, 3, 3), 1, bytes(144))) + part(5, tensor("m", (16, 6), 1, bytes(384)))
    pads = part(1, "pads") + b"".join(part(8, 1) for _ in range(4)) + part(20, 7)
    strides = part(1, "strides") + part(8, 2) + part(8, 2) + part(20, 7)
    return model(
        weights, number(1, "one"), number(16, "size"),
        node("Conv", ["x", "w"], ["a"], pads, strides), node("Relu", ["a"], ["b"]), node("Add", ["a", "b"], ["c"]),
        node("Flatten", ["c"], ["d"], whole("axis", 1)), node("Gemm", ["d", "m"], ["e"], whole("transB", 0)),
        node("Softmax", ["e"], ["f"], whole("axis", -1)), node("Concat", ["one", "size"], ["s"], whole("axis", 0)),
        node("Split", ["f"], ["g", "h"], whole("axis", 1)), node("Add", ["g", "h"], ["y"]),
        shape=(1, 1, 4, 4),
    )  # fmt: skip


def changed(data: bytes, draw: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(out))
        match draw.randrange(5):
            case 0:
                out[at] = draw.randrange(256)
            case 1:
                out[at] ^= 1 << draw.randrange(8)
            case 2:
                del out[at : at + draw.randint(1, 8)]
            case 3:
                out[at:at] = out[draw.randrange(len(out)) :][: draw.randint(1, 32)]
            case 4:
                out[at : at + 1] = draw.choice([b"\xff" * 9 + b"\x01", b"\x80\x80\x80\x80\x08", b"\x00", b"\x7f"])
        out = out or bytearray(b"\x00")
    return bytes(out)


def test_changed_models_are_answered() -> None:
    """The same changes each time; PERFMODEL_FUZZ has another number of them, for a longer search."""
    data, good, tried = small_model(), 0, int(os.environ.get("PERFMODEL_FUZZ", "1500"))
    for seed in range(tried):
        try:
            with Lines(LINES):
                network = pm.from_onnx(changed(data, random.Random(seed)))
            good += network.flop >= 0
        except pm.Error as error:
            assert str(error) and "\n" not in str(error), seed
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    assert good > tried / 50, "too few are models still"
