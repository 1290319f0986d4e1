"""ONNX files, read without the package onnx: the wire format of protocol buffers, of which the graph alone is unpacked.

The file is mapped, not loaded. Tensors are views of it: no weight is copied or even read, and data in other files is
never looked for.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .._errors import FileError, FormatError
from .._files import reading

Raw = Union[int, memoryview]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FLOAT, STRING = 1, 8
DTYPES: dict[int, str] = {
    1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2",
    11: "<f8", 12: "<u4", 13: "<u8",
}  # fmt: skip
FLOATING = frozenset([1, 10, 11, 16, 17, 18, 19, 20, 23])
SMALL_INTEGERS = frozenset([2, 3, 21, 22])  # of quantised weights


class Broken(Exception):
    """No protocol buffer."""


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(view) and shift < 70:
        byte = view[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise Broken


def fields(view: memoryview) -> Iterator[tuple[int, Raw]]:
    """Field numbers and values: whole numbers, or views of bytes."""
    at = 0
    while at < len(view):
        key, at = _varint(view, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = _varint(view, at)
            yield number, value
            continue
        if wire == BYTES:
            size, at = _varint(view, at)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise Broken
        if at + size > len(view):
            raise Broken
        yield number, view[at : at + size]
        at += size


def _bytes(raw: Raw) -> memoryview:
    if isinstance(raw, int):
        raise Broken
    return raw


def _number(raw: Raw) -> int:
    """A whole number, negative ones among them."""
    if not isinstance(raw, int):
        raise Broken
    raw &= (1 << 64) - 1
    return raw - (1 << 64) if raw >= 1 << 63 else raw


def _text(raw: Raw) -> str:
    return bytes(_bytes(raw)).decode("utf-8", "replace")


def _numbers(raw: Raw) -> list[int]:
    """One number of a repeated field, or all of them packed."""
    if isinstance(raw, int):
        return [_number(raw)]
    numbers, at = [], 0
    while at < len(raw):
        value, at = _varint(raw, at)
        numbers.append(_number(value))
    return numbers


def _floats(raw: Raw) -> list[float]:
    view = _bytes(raw)
    return [value for (value,) in struct.iter_unpack("<f", view[: len(view) // 4 * 4])]


@dataclass
class TensorInfo:
    """A tensor of the file: what it is, and where its numbers are if they are in the file."""

    name: str = ""
    shape: tuple[int, ...] = ()
    type: int = FLOAT
    external: bool = False
    raw: memoryview | None = None
    typed: list[Raw] = field(default_factory=list)
    floats: list[Raw] = field(default_factory=list)

    @property
    def elements(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def is_floating(self) -> bool:
        return self.type in FLOATING

    def data(self) -> npt.NDArray[Any] | None:
        """A copy of the numbers; None if they are elsewhere or of a type without arithmetic."""
        if self.external or self.type not in DTYPES:
            return None
        dtype = np.dtype(DTYPES[self.type])
        if self.raw is not None and len(self.raw) % dtype.itemsize != 0:
            raise FormatError(f'tensor "{self.name}" has {len(self.raw)} bytes, which are no whole numbers of its type')
        if self.raw is not None:
            numbers = np.frombuffer(self.raw, dtype=dtype).copy()
        elif self.floats:
            numbers = np.array([value for raw in self.floats for value in _floats(raw)], dtype=dtype)
        else:
            numbers = np.array([value for raw in self.typed for value in _numbers(raw)]).astype(dtype)
        return numbers.reshape(self.shape) if numbers.size == self.elements else None


@dataclass
class NodeInfo:
    """An operator of the graph."""

    type: str = ""
    domain: str = ""
    name: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)


@dataclass
class GraphInfo:
    """A graph: inputs and known values with their shapes, of numbers and names."""

    name: str = ""
    nodes: list[NodeInfo] = field(default_factory=list)
    tensors: dict[str, TensorInfo] = field(default_factory=dict)
    inputs: dict[str, tuple[int, list[int | str] | None]] = field(default_factory=dict)
    values: dict[str, tuple[int, list[int | str] | None]] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)


@dataclass
class FunctionInfo:
    """A function of the model."""

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    nodes: list[NodeInfo] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class ModelInfo:
    """What a file holds."""

    graph: GraphInfo = field(default_factory=GraphInfo)
    functions: dict[tuple[str, str], FunctionInfo] = field(default_factory=dict)
    opset: int = 0
    producer: str = ""


def read_model(source: str | os.PathLike[str] | bytes) -> ModelInfo:
    """The model of a file, or of its bytes. Errors: FileError, FormatError."""
    what = "these bytes" if isinstance(source, bytes) else os.fspath(source)
    try:
        view = memoryview(source) if isinstance(source, bytes) else _mapped(source)
        model = _model(view)
    except (Broken, IndexError, struct.error) as error:
        raise FormatError(f"{what}: not an ONNX model") from error
    except RecursionError:
        raise FormatError(f"{what}: graphs are nested too deep") from None
    if not model.graph.nodes:
        raise FormatError(f"{what}: not an ONNX model: it has no graph")
    return model


def _mapped(path: str | os.PathLike[str]) -> memoryview:
    try:
        with open(reading(path), "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise FormatError(f"{os.fspath(path)}: not an ONNX model: the file is empty")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror or error}") from error


def _model(view: memoryview) -> ModelInfo:
    model = ModelInfo()
    for number, raw in fields(view):
        if number == 2:
            model.producer = _text(raw)
        elif number == 7:
            model.graph = _graph(_bytes(raw))
        elif number == 8:
            domain, version = _opset(_bytes(raw))
            model.opset = version if domain in ("", "ai.onnx") else model.opset
        elif number == 25:
            key, function = _function(_bytes(raw))
            model.functions[key] = function
    return model


def _opset(view: memoryview) -> tuple[str, int]:
    domain, version = "", 0
    for number, raw in fields(view):
        if number == 1:
            domain = _text(raw)
        elif number == 2:
            version = _number(raw)
    return domain, version


def _function(view: memoryview) -> tuple[tuple[str, str], FunctionInfo]:
    function, name, domain = FunctionInfo(), "", ""
    for number, raw in fields(view):
        if number == 1:
            name = _text(raw)
        elif number == 4:
            function.inputs.append(_text(raw))
        elif number == 5:
            function.outputs.append(_text(raw))
        elif number == 7:
            function.nodes.append(_node(_bytes(raw)))
        elif number == 10:
            domain = _text(raw)
        elif number == 11:
            key, value, _ = _attribute(_bytes(raw))
            function.attributes[key] = value
    return (domain, name), function


def _graph(view: memoryview) -> GraphInfo:
    graph = GraphInfo()
    for number, raw in fields(view):
        if number == 1:
            graph.nodes.append(_node(_bytes(raw)))
        elif number == 2:
            graph.name = _text(raw)
        elif number == 5:
            tensor = _tensor(_bytes(raw))
            graph.tensors[tensor.name] = tensor
        elif number in (11, 12, 13):
            name, kind, shape = _value(_bytes(raw))
            if number == 11:
                graph.inputs[name] = (kind, shape)
            elif number == 12:
                graph.outputs.append(name)
            graph.values[name] = (kind, shape)
    return graph


def _node(view: memoryview) -> NodeInfo:
    node = NodeInfo()
    for number, raw in fields(view):
        if number == 1:
            node.inputs.append(_text(raw))
        elif number == 2:
            node.outputs.append(_text(raw))
        elif number == 3:
            node.name = _text(raw)
        elif number == 4:
            node.type = _text(raw)
        elif number == 5:
            name, value, reference = _attribute(_bytes(raw))
            if reference:
                node.references[name] = reference
            else:
                node.attributes[name] = value
        elif number == 7:
            node.domain = _text(raw)
    return node


def _attribute(view: memoryview) -> tuple[str, Any, str]:
    name, reference, kind = "", "", 0
    one: dict[int, Any] = {}
    ints: list[int] = []
    floats: list[float] = []
    strings: list[str] = []
    for number, raw in fields(view):
        if number == 1:
            name = _text(raw)
        elif number == 2:
            one[1] = _floats(raw)[0]
        elif number == 3:
            one[2] = _number(raw)
        elif number == 4:
            one[3] = _text(raw)
        elif number == 5:
            one[4] = _tensor(_bytes(raw))
        elif number == 6:
            one[5] = _graph(_bytes(raw))
        elif number == 7:
            floats += _floats(raw)
        elif number == 8:
            ints += _numbers(raw)
        elif number == 9:
            strings.append(_text(raw))
        elif number == 20:
            kind = _number(raw)
        elif number == 21:
            reference = _text(raw)
    several: dict[int, Any] = {6: floats, 7: ints, 8: strings}
    zeros: dict[int, Any] = {1: 0.0, 2: 0, 3: ""}
    if kind in several:
        return name, several[kind], reference
    value = one.get(kind, zeros.get(kind)) if kind else next(iter(one.values()), ints or floats or strings)
    return name, value, reference


def _tensor(view: memoryview) -> TensorInfo:
    tensor = TensorInfo()
    shape: list[int] = []
    for number, raw in fields(view):
        if number == 1:
            shape += _numbers(raw)
        elif number == 2:
            tensor.type = _number(raw)
        elif number == 4:
            tensor.floats.append(raw)
        elif number in (5, 7, 11):
            tensor.typed.append(raw)
        elif number == 8:
            tensor.name = _text(raw)
        elif number == 9:
            tensor.raw = _bytes(raw)
        elif number == 13:
            tensor.external = True
        elif number == 14:
            tensor.external = tensor.external or _number(raw) == 1
    tensor.shape = tuple(shape)
    return tensor


def _value(view: memoryview) -> tuple[str, int, list[int | str] | None]:
    name, kind, shape = "", 0, None
    for number, raw in fields(view):
        if number == 1:
            name = _text(raw)
        elif number == 2:
            for inner, part in fields(_bytes(raw)):
                if inner == 1:
                    kind, shape = _tensor_type(_bytes(part))
    return name, kind, shape


def _tensor_type(view: memoryview) -> tuple[int, list[int | str] | None]:
    kind, shape = 0, None
    for number, raw in fields(view):
        if number == 1:
            kind = _number(raw)
        elif number == 2:
            shape = [_dimension(_bytes(part)) for inner, part in fields(_bytes(raw)) if inner == 1]
    return kind, shape


def _dimension(view: memoryview) -> int | str:
    for number, raw in fields(view):
        if number == 1:
            return _number(raw)
        if number == 2:
            return _text(raw)
    return ""
