"""ONNX models: the graph alone, its shapes found on the way; weights are never read."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import ArgumentError, Error, FormatError, ShapeError
from .._inputs import whole
from .._network import Network
from ._graph import SLIPS, Constant, Graph, Operand, Scope, Shape, Source, Unmapped, Value, Weight, elements
from ._operators import folded
from .._report import Report
from .onnx_constants import MOST_ELEMENTS, fold
from .onnx_file import SMALL_INTEGERS, FunctionInfo, GraphInfo, ModelInfo, NodeInfo, TensorInfo, read_model
from .onnx_operators import HANDLERS

MOST_NESTING = 64
Dimensions = Mapping[str, "int | Sequence[int]"]


def from_onnx(
    source: str | os.PathLike[str] | bytes,
    dims: Dimensions | None = None,
    *,
    batch_axis: int | None = 0,
    allow_unknown: bool = False,
    id: str = "",
    name: str = "",
) -> Network:
    """The network of an ONNX file, or of its bytes. The package onnx is not needed.

    Only the graph is read: data in other files is never looked for, and may be missing.

    Args:
        dims: sizes of the dimensions that the model leaves open, by their names: {"sequence": 128}; or the shape of an
            input by its name: {"x": (1, 3, 48, 192)}, which dimensions without a name need. The batch need not be
            among them.
        batch_axis: the dimension of the inputs that is the batch; None if they have none. A network has counts of one
            sample, so a batch of another size is taken as 1.
        allow_unknown: leave unknown operators out instead of raising NotModelledError; `network.report` then tells how
            much is covered.

    Returns: a network, its `report` attribute telling what became of the operators.
    """
    model = read_model(source)
    title = "model" if isinstance(source, bytes) else Path(os.fspath(source)).stem
    report = Report(f"ONNX {title}")
    graph = Graph(Network(id or title, name or id or title), report, allow_unknown)
    sizes, shapes = _parted(dims or {})
    reader = Reader(graph, model, sizes, batch_axis, shapes)
    try:
        reader.run()
        return graph.finish()
    except Error:
        raise
    except (*SLIPS, RecursionError, MemoryError) as error:  # a graph that no exporter makes
        place = f" (in {graph.scope.path})" if graph.scope.path else ""
        raise FormatError(f"{title}: not a model that can be read{place}: {type(error).__name__}: {error}") from error


def _parted(dims: Dimensions) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Sizes by the names of dimensions, and shapes by those of inputs."""
    sizes, shapes = {}, {}
    for name, value in dims.items():
        if isinstance(value, Sequence) and not isinstance(value, str):
            shapes[name] = tuple(whole(size, f"dims of {name}") for size in value)
        else:
            sizes[name] = whole(value, f"dims of {name}")
    return sizes, {name: tuple(int(size) for size in shape) for name, shape in shapes.items()}


UNNAMED = ("", "?")  # what exporters call an open dimension without a name


class Reader:
    """What is known of every value while the graph is read."""

    def __init__(
        self,
        graph: Graph,
        model: ModelInfo,
        dims: dict[str, int],
        batch_axis: int | None,
        shapes: Mapping[str, Shape] | None = None,
    ):
        self.graph = graph
        self.opset = model.opset
        self.model = model
        self.known: dict[str, Any] = {}
        self.tensors = dict(model.graph.tensors)
        self.dims = dims
        self.shapes = dict(shapes or {})
        self.batch_axis = batch_axis
        self.batch = 1
        self._depth = 0

    # ---- Inputs.

    def run(self) -> None:
        found = {name: value for name, value in self.model.graph.inputs.items() if name not in self.tensors}
        given = {name: (kind, self._shaped(name, shape)) for name, (kind, shape) in found.items()}
        for name in self.shapes:
            if name not in given:
                raise ArgumentError(f'the model has no input "{name}"; it has {", ".join(given) or "none"}')
        self._find_batch(given)
        self._check_dims(given)
        for name, (_, shape) in given.items():
            self.known[name] = self.graph.input(name, self._bound(name, shape))
        self.nodes(self.model.graph.nodes)

    def _shaped(self, name: str, shape: Sequence[int | str] | None) -> Sequence[int | str] | None:
        """The shape of an input, as it was given for the sizes that the file leaves open; below 1 is open too."""
        stated = [size if isinstance(size, str) or size > 0 else "" for size in shape] if shape is not None else None
        asked = self.shapes.get(name)
        if asked is None:
            return stated
        if stated is None:
            return asked
        fits = len(asked) == len(stated) and all(isinstance(s, str) or s == a for s, a in zip(stated, asked))
        if not fits:
            has = ", ".join(str(size) or "?" for size in stated)
            given = ", ".join(str(size) for size in asked)
            raise ArgumentError(f'input "{name}" has the shape ({has}), which ({given}) does not fit')
        return [a if isinstance(s, str) else s for s, a in zip(stated, asked)]

    def _find_batch(self, given: Mapping[str, Any]) -> None:
        """The first dimension of all inputs, if it is the same, becomes 1: by its name, or its size."""
        if self.batch_axis is None:
            return
        sizes = {shape[self.batch_axis] for _, shape in given.values() if shape and len(shape) > self.batch_axis}
        for size in sizes:
            if isinstance(size, str) and size in UNNAMED:
                continue
            if isinstance(size, str) and (len(sizes) == 1 or size.lower() in ("batch", "batch_size", "n", "b")):
                self.dims[size] = 1
            elif isinstance(size, int) and len(sizes) == 1:
                self.batch = max(size, 1)

    def _check_dims(self, given: Mapping[str, Any]) -> None:
        axis = -1 if self.batch_axis is None else self.batch_axis
        for name, (_, shape) in given.items():
            unnamed = [i for i, size in enumerate(shape or []) if size in UNNAMED and i != axis]
            if unnamed and not any(shape[i] in self.dims for i in unnamed):
                sizes = ", ".join("1" if i == axis else "128" if i in unnamed else str(size)
                                  for i, size in enumerate(shape or []))  # fmt: skip
                raise ArgumentError(
                    f'input "{name}" has open dimensions without a name; give its shape: dims={{"{name}": ({sizes})}}'
                )
        open_ = {size: name for name, (_, shape) in given.items() for i, size in enumerate(shape or [])
                 if isinstance(size, str) and not (size in UNNAMED and i == axis)}  # fmt: skip
        unused = [size for size in self.dims if size not in open_]
        if unused and any(size not in ("batch", "batch_size", "N") for size in unused):
            known = ", ".join(size for size in open_ if size) or "none"
            raise ArgumentError(f'the model has no open dimension "{unused[0]}"; it has {known}')
        missing = [size for size in open_ if size not in self.dims]
        if missing:
            size = missing[0]
            raise ArgumentError(
                f'input "{open_[size]}" has the open dimension "{size}"; give it a size: dims={{"{size}": 128}}'
            )

    def _bound(self, name: str, shape: Sequence[int | str] | None) -> Shape:
        if shape is None:
            raise FormatError(f'input "{name}" has no shape')
        axis = self.batch_axis
        sizes = [
            1 if size in UNNAMED and i == axis else self.dims[size] if isinstance(size, str) else size
            for i, size in enumerate(shape)
        ]
        if axis is not None and len(sizes) > axis and (sizes[axis] == self.batch or isinstance(shape[axis], str)):
            sizes[axis] = 1
        if any(size < 1 for size in sizes):
            raise ShapeError(f'input "{name}" has the shape {"x".join(str(size) for size in sizes)}')
        return tuple(sizes)

    # ---- Operators.

    def nodes(self, nodes: Sequence[NodeInfo]) -> None:
        for node in nodes:
            self.node(node)

    def node(self, node: NodeInfo) -> None:
        function = self.model.functions.get((node.domain, node.type))
        if function is not None:
            self._inline(node, function)
            return
        if node.type == "If" and self._branch(node):
            return
        inputs = [self.operand(name) for name in node.inputs]
        if node.type == "Shape" and inputs[0] is not None:
            sizes = np.array(inputs[0].shape, dtype=np.int64)
            part = sizes[node.attributes.get("start", 0) : node.attributes.get("end", len(sizes))]
            self._know(node, [Constant(part.shape, part)])
            return
        if node.type == "Constant":
            self._know(node, [self._constant(node)])
            return
        self._know(node, self._folded(node, inputs) or self._mapped(node, inputs))

    def _constant(self, node: NodeInfo) -> Operand:
        tensor = node.attributes.get("value")
        if isinstance(tensor, TensorInfo):
            return self._of_tensor(replace(tensor, name=node.outputs[0]), constant=True)
        value = next((v for k, v in node.attributes.items() if k.startswith("value_")), 0)
        data = np.array(value) if not isinstance(value, str) else None
        return Constant(data.shape if data is not None else (), data)

    def _folded(self, node: NodeInfo, inputs: list[Any]) -> list[Operand] | None:
        present = [x for x in inputs if x is not None]
        if not all(isinstance(x, Constant) for x in present):
            return None
        data = [None if x is None else x.data for x in inputs]
        if any(x is not None and x.data is None for x in inputs):
            return None
        made = fold(node.type, node.attributes, data)
        return None if made is None else [Constant(x.shape, x if x.size <= MOST_ELEMENTS else None) for x in made]

    def _mapped(self, node: NodeInfo, inputs: list[Any]) -> list[Any]:
        handler = HANDLERS.get(node.type) if node.domain in ("", "ai.onnx", "com.microsoft", "ai.onnx.ml") else None
        label = node.type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.type}"
        self.graph.scope = self._scope(node, inputs)
        made: list[Any] = []

        def do() -> None:
            assert handler is not None
            answer = handler(self, node, *inputs)
            made.extend(answer if isinstance(answer, list) else [answer])

        try:
            if handler is None:
                raise Unmapped(label)
            self.graph.run(label, do)
        except Unmapped as error:
            return self._unknown(node, label, inputs, str(error))
        if len(made) < len([name for name in node.outputs if name]):  # outputs that no handler makes
            made.extend(self._unknown(node, label, inputs, label)[len(made) :])
        return made

    def _unknown(self, node: NodeInfo, label: str, inputs: list[Any], reason: str) -> list[Any]:
        present = [x for x in inputs if isinstance(x, (Value, Weight, Constant))]
        made: list[Any] = []
        for name in node.outputs:
            shape = self._stated(name)
            if shape is None and present:
                shape = present[0].shape
                self.graph.report.notes.append(f"the output of {label} is taken to have the shape of its input")
            if all(not isinstance(x, Value) for x in present):
                made.append(folded(present, shape or ()))
            else:
                made.append(self.graph.unknown(label, present, shape or (), reason))
        return made

    def _stated(self, name: str) -> Shape | None:
        """The shape that the file tells, if it does."""
        _, shape = self.model.graph.values.get(name, (0, None))
        if shape is None:
            return None
        sizes = [self.dims.get(size, 0) if isinstance(size, str) else size for size in shape]
        if sizes and sizes[0] == self.batch:
            sizes[0] = 1
        return tuple(sizes) if all(size > 0 for size in sizes) else None

    def _know(self, node: NodeInfo, made: Sequence[Any]) -> None:
        for name, operand in zip(node.outputs, made):
            if name:
                self.known[name] = operand

    def _scope(self, node: NodeInfo, inputs: Sequence[Any]) -> Scope:
        """The module that has the weight, or the operator's own name."""
        for x in inputs[1:]:
            if isinstance(x, Weight) and len(x.sources) == 1:
                source = next(iter(x.sources)).name
                if "." in source and "::" not in source:
                    return Scope(source.rsplit(".", 1)[0], True)
        return Scope((node.name or node.type).strip("/").replace("/", "."), True)

    # ---- Graphs inside graphs.

    def _inline(self, node: NodeInfo, function: FunctionInfo) -> None:
        """A function of the model: its operators, under names of their own."""
        self._depth += 1
        if self._depth > MOST_NESTING:
            raise FormatError(f"functions of the model are nested more than {MOST_NESTING} deep")
        prefix = f"{node.outputs[0] if node.outputs else node.name}/"
        names = dict(zip(function.inputs, node.inputs))
        names.update(zip(function.outputs, node.outputs))
        attributes = {**function.attributes, **node.attributes}

        def own(name: str) -> str:
            return name and names.get(name, prefix + name)

        for inner in function.nodes:
            given = {k: attributes[v] for k, v in inner.references.items() if v in attributes}
            self.node(
                NodeInfo(
                    inner.type,
                    inner.domain,
                    f"{node.name}/{inner.name or inner.type}",
                    [own(x) for x in inner.inputs],
                    [own(x) for x in inner.outputs],
                    {**inner.attributes, **given},
                )  # fmt: skip
            )
        self._depth -= 1

    def _branch(self, node: NodeInfo) -> bool:
        """The branch of an If whose condition is known."""
        condition = self.operand(node.inputs[0])
        if not isinstance(condition, Constant) or condition.data is None:
            return False
        chosen = node.attributes.get("then_branch" if bool(np.ravel(condition.data)[0]) else "else_branch")
        if not isinstance(chosen, GraphInfo):
            return False
        self._depth += 1
        if self._depth > MOST_NESTING:
            raise FormatError(f"branches of the model are nested more than {MOST_NESTING} deep")
        self.tensors.update(chosen.tensors)
        self.nodes(chosen.nodes)
        self._know(node, [self.operand(name) for name in chosen.outputs])
        self._depth -= 1
        return True

    # ---- Values.

    def operand(self, name: str) -> Any:
        """What is known of a value; None for an input that is left out."""
        if not name:
            return None
        if name not in self.known:
            if name not in self.tensors:
                raise FormatError(f'nothing makes the value "{name}"')
            self.known[name] = self._of_tensor(self.tensors[name])
        return self.known[name]

    def _of_tensor(self, tensor: TensorInfo, constant: bool = False) -> Operand:
        """Floating-point tensors of more than one number are weights until an operator says otherwise."""
        trained = (tensor.is_floating or tensor.type in SMALL_INTEGERS) and tensor.elements > 1
        if trained and not (constant and tensor.elements <= 16):
            return Weight(tensor.shape, frozenset([Source(tensor.name, tensor.elements)]))
        return Constant(tensor.shape, tensor.data() if tensor.elements <= MOST_ELEMENTS else None)

    def numbers(self, operand: Any, what: str) -> list[int]:
        """The whole numbers of a constant that the graph depends on."""
        data = self.data(operand)
        if data is None:
            raise Unmapped(f"{what} that are computed from the input")
        return [int(value) for value in np.ravel(data)]

    def data(self, operand: Any) -> Any:
        """The numbers of a constant, also of one that looks like a weight."""
        if isinstance(operand, Weight) and len(operand.sources) == 1:
            tensor = self.tensors.get(next(iter(operand.sources)).name)
            return tensor.data() if tensor is not None and tensor.elements <= MOST_ELEMENTS else None
        return operand.data if isinstance(operand, Constant) else None

    def reshaped(self, operand: Operand, shape: Sequence[int], keep_zero: bool = False) -> Shape:
        """The shape that Reshape asks for, of a batch of 1 if it asks for that of the file."""
        sizes = [operand.shape[i] if size == 0 and not keep_zero else size for i, size in enumerate(shape)]
        count = elements(operand.shape)
        known = math.prod(size for size in sizes if size != -1)
        if self.batch > 1 and sizes and sizes[0] != -1 and sizes[0] % self.batch == 0:
            if (-1 not in sizes and known == count * self.batch) or (-1 in sizes and sizes[0] == self.batch):
                sizes[0] //= self.batch
                known //= self.batch
        if -1 in sizes and known > 0 and count % known == 0:
            sizes[sizes.index(-1)] = count // known
        if elements(tuple(sizes)) != count:
            given = "x".join(str(size) for size in operand.shape)
            raise ShapeError(f"Reshape cannot make {'x'.join(str(size) for size in shape)} of {given}")
        return tuple(sizes)
