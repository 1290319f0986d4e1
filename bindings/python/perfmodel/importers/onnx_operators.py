"""What the operators of ONNX mean. A handler gets the reader, the node and its inputs; None is an input left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _operators as ops
from ._graph import Constant, Operand, Shape, Unmapped, Value, View, Weight, elements, with_view
from .onnx_constants import slice_arguments

Handler = Callable[..., Any]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def _broadcast(*operands: Any) -> Shape:
    return tuple(int(n) for n in np.broadcast_shapes(*(x.shape for x in operands if x is not None)))


# ---- Element by element.

BINARY = {"Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Sum": "add"}
POINTWISE = {
    1: "Pow Max Min Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor Not Where Exp Log Sqrt Erf Sin Cos Tan "
    "Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Abs Neg Reciprocal Floor Ceil Round Sign Mod Trilu CumSum IsNaN IsInf "
    "BitwiseAnd BitwiseOr BitwiseNot BitwiseXor BitShift QuantizeLinear DynamicQuantizeLinear Mean",
    2: "Clip Softsign ThresholdedRelu Shrink",
}
ACTIVATIONS = {
    "Relu": "relu", "LeakyRelu": "leaky_relu", "Elu": "elu", "Celu": "elu", "Selu": "elu", "Gelu": "gelu",
    "FastGelu": "gelu", "QuickGelu": "silu", "Mish": "mish", "Sigmoid": "sigmoid", "Tanh": "tanh", "Swish": "silu",
    "HardSwish": "hardswish", "HardSigmoid": "hardsigmoid", "Softplus": "softplus",
}  # fmt: skip


def _fixed(r: Any, kind: str, operand: Any, shape: Shape) -> Any:
    """A weight that is rather a constant: a table that is multiplied, or a mask that is added; not trained.

    Trained factors have one dimension; trained summands one, or all of a sample, as tables of positions."""
    if not isinstance(operand, Weight) or operand.computed or operand.rows is not None:
        return operand
    wide = [size for size in operand.shape if size > 1]
    if len(wide) <= 1:
        return operand
    name = next((source.name for source in operand.sources), "")
    made_up = name.split("/")[-1].startswith(("val_", "onnx::", "_", "const", "Constant"))
    whole = tuple(size for size in shape if size > 1) == tuple(wide)
    if kind in ("multiply", "divide") or (made_up and not whole) or name.endswith("mask"):
        r.graph.report.notes.append(f"{name} is taken as a constant") if not made_up else None
        return Constant(operand.shape)
    return operand


def _binary(kind: str) -> Handler:
    def handler(r: Any, node: Any, *inputs: Any) -> Any:
        given = [x for x in inputs if x is not None]
        shape = _broadcast(*given)
        if any(isinstance(x, Value) for x in given):
            given = [_fixed(r, kind, x, shape) for x in given]
        return ops.pointwise(r.graph, kind, given, shape)

    return handler


def _pointwise(flop: int) -> Handler:
    def handler(r: Any, node: Any, *inputs: Any) -> Any:
        given = [x for x in inputs if x is not None]
        first = node.type in ("Trilu", "CumSum", "Clip", "QuantizeLinear", "DynamicQuantizeLinear")
        shape = given[0].shape if first else _broadcast(*given)
        given = [x if isinstance(x, Value) else Constant(x.shape) for x in given] if _any(given) else given
        return ops.pointwise(r.graph, "pointwise", given, shape, **({"flop": flop} if flop != 1 else {}))

    return handler


def _any(given: Sequence[Any]) -> bool:
    return any(isinstance(x, Value) for x in given)


def _activation(kind: str) -> Handler:
    def handler(r: Any, node: Any, x: Any, *rest: Any) -> Any:
        if rest and isinstance(rest[0], Weight):
            x = ops.pointwise(r.graph, "add", [x, rest[0]], x.shape)
        return ops.activation(r.graph, kind, x)

    return handler


for _name, _kind in BINARY.items():
    HANDLERS[_name] = _binary(_kind)
for _flop, _names in POINTWISE.items():
    for _name in _names.split():
        HANDLERS[_name] = _pointwise(_flop)
for _name, _kind in ACTIVATIONS.items():
    HANDLERS[_name] = _activation(_kind)


@handles("Clip")
def _clip(r: Any, node: Any, x: Any, low: Any = None, high: Any = None) -> Any:
    bounds = [node.attributes.get("min"), node.attributes.get("max")]
    for i, bound in enumerate((low, high)):
        data = r.data(bound) if bound is not None else None
        bounds[i] = float(np.ravel(data)[0]) if data is not None else bounds[i]
    if bounds == [0, 6]:
        return ops.activation(r.graph, "relu6", x)
    return ops.pointwise(r.graph, "pointwise", [x], x.shape, flop=2)


@handles("PRelu")
def _prelu(r: Any, node: Any, x: Any, slope: Any) -> Any:
    return ops.prelu(r.graph, x, slope)


@handles("BiasGelu")
def _bias_gelu(r: Any, node: Any, x: Any, bias: Any) -> Any:
    return ops.activation(r.graph, "gelu", ops.pointwise(r.graph, "add", [x, bias], x.shape))


@handles("Softmax", "LogSoftmax", "Hardmax")
def _softmax(r: Any, node: Any, x: Any) -> Any:
    return ops.softmax(r.graph, x, int(node.attributes.get("axis", -1 if r.opset >= 13 else 1)))


@handles("Dropout")
def _dropout(r: Any, node: Any, x: Any, ratio: Any = None, training: Any = None) -> Any:
    rate = node.attributes.get("ratio", 0.5)
    data = r.data(ratio) if ratio is not None else None
    rate = float(np.ravel(data)[0]) if data is not None else rate
    if not isinstance(x, Value) or rate == 0:
        return [x, Constant(x.shape)]
    return [ops.activation(r.graph, "dropout", x, rate=rate), Constant(x.shape)]


@handles("DequantizeLinear")
def _dequantize(r: Any, node: Any, x: Any, *_: Any) -> Any:
    if isinstance(x, Value):
        return ops.pointwise(r.graph, "pointwise", [x], x.shape, flop=2)
    return x


# ---- Rearrangement.


@handles("Identity", "Cast", "CastLike", "Detach")
def _same(r: Any, node: Any, x: Any, *_: Any) -> Any:
    return x


@handles("Reshape")
def _reshape(r: Any, node: Any, x: Any, shape: Any = None) -> Any:
    sizes = list(node.attributes["shape"]) if shape is None else r.numbers(shape, "shapes")
    return ops.reshape(x, r.reshaped(x, sizes, bool(node.attributes.get("allowzero"))))


@handles("Flatten")
def _flatten(r: Any, node: Any, x: Any) -> Any:
    axis = node.attributes.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    return ops.reshape(x, (elements(x.shape[:axis]), elements(x.shape[axis:])))


@handles("Squeeze")
def _squeeze(r: Any, node: Any, x: Any, axes: Any = None) -> Any:
    given = r.numbers(axes, "axes") if axes is not None else node.attributes.get("axes")
    rank = len(x.shape)
    gone = {a % rank for a in given} if given is not None else {i for i, n in enumerate(x.shape) if n == 1}
    return ops.reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in gone))


@handles("Unsqueeze")
def _unsqueeze(r: Any, node: Any, x: Any, axes: Any = None) -> Any:
    given = r.numbers(axes, "axes") if axes is not None else list(node.attributes["axes"])
    shape = list(x.shape)
    rank = len(shape) + len(given)
    for axis in sorted(a % rank for a in given):
        shape.insert(axis, 1)
    return ops.reshape(x, tuple(shape))


@handles("Transpose")
def _transpose(r: Any, node: Any, x: Any) -> Any:
    return ops.permute(x, node.attributes.get("perm") or list(range(len(x.shape)))[::-1])


@handles("Expand")
def _expand(r: Any, node: Any, x: Any, shape: Any) -> Any:
    sizes = r.numbers(shape, "shapes")
    if r.batch > 1 and sizes and sizes[0] == r.batch:
        sizes[0] = 1
    return ops.expand(r.graph, x, tuple(int(n) for n in np.broadcast_shapes(x.shape, tuple(sizes))))


@handles("Tile")
def _tile(r: Any, node: Any, x: Any, repeats: Any) -> Any:
    times = r.numbers(repeats, "repeats")
    shape = tuple(n * t for n, t in zip(x.shape, times))
    if not isinstance(x, Value):
        return ops.folded([x], shape)
    for axis, count in enumerate(times):
        x = ops.repeat(r.graph, x, axis, count)
    return x


@handles("Concat")
def _concat(r: Any, node: Any, *inputs: Any) -> Any:
    given = [x for x in inputs if x is not None]
    axis = node.attributes["axis"] % len(given[0].shape)
    shape = list(given[0].shape)
    shape[axis] = sum(x.shape[axis] for x in given)
    return ops.concat(r.graph, given, axis, tuple(shape))


@handles("Split")
def _split(r: Any, node: Any, x: Any, split: Any = None) -> Any:
    axis = node.attributes.get("axis", 0) % len(x.shape)
    count = node.attributes.get("num_outputs", len(node.outputs))
    sizes = r.numbers(split, "sizes") if split is not None else node.attributes.get("split")
    if not sizes:
        each = math.ceil(x.shape[axis] / count)
        sizes = [min(each, x.shape[axis] - i * each) for i in range(count)]
    parts, start = [], 0
    for size in sizes:
        parts.append(ops.cut(r.graph, x, axis, start, start + size))
        start += size
    return parts


@handles("SplitToSequence")
def _split_to_sequence(r: Any, node: Any, x: Any, split: Any = None) -> Any:
    """A sequence is a list."""
    axis = node.attributes.get("axis", 0) % len(x.shape)
    sizes = r.numbers(split, "sizes") if split is not None else [1]
    size = x.shape[axis]
    if split is None or not split.shape:
        each = sizes[0]
        sizes = [min(each, size - start) for start in range(0, size, each)]
    parts, start = [], 0
    for each in sizes:
        part = ops.cut(r.graph, x, axis, start, start + each)
        if split is None and not node.attributes.get("keepdims", 1):
            part = ops.reshape(part, (*x.shape[:axis], *x.shape[axis + 1 :]))
        parts.append(part)
        start += each
    return [parts]


@handles("SequenceConstruct")
def _sequence(r: Any, node: Any, *inputs: Any) -> Any:
    return [list(inputs)]


@handles("SequenceAt")
def _sequence_at(r: Any, node: Any, parts: Any, position: Any) -> Any:
    return [parts[r.numbers(position, "positions")[0]]]


@handles("ConcatFromSequence")
def _concat_from_sequence(r: Any, node: Any, parts: Any) -> Any:
    if node.attributes.get("new_axis", 0):
        raise Unmapped("a sequence joined along a new axis")
    return _concat(r, node, *parts)


@handles("Slice")
def _slice(r: Any, node: Any, x: Any, *rest: Any) -> Any:
    given = [None if v is None else r.numbers(v, "bounds") for v in rest]
    for start, end, axis, step in zip(*slice_arguments(node.attributes, len(x.shape), given)):
        first, behind, step = slice(start, end if end > -(1 << 60) else None, step).indices(x.shape[axis])
        if step < 0:
            size = len(range(first, behind, step))
            shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
            x = r.graph.copy(x, shape) if isinstance(x, Value) else ops.folded([x], shape)
        else:
            x = ops.cut(r.graph, x, axis, first, max(first, behind), step)
    return x


@handles("Gather")
def _gather(r: Any, node: Any, x: Any, indices: Any) -> Any:
    axis = node.attributes.get("axis", 0) % len(x.shape)
    if not isinstance(x, Value):
        if axis == 0:
            return ops.look_up(r.graph, indices, x)
        if isinstance(indices, Value):
            raise Unmapped("a table lookup along a dimension other than the first")
        return ops.folded([x], (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    data = indices.data if isinstance(indices, Constant) else None
    if data is not None and _is_run(data):
        first = int(np.ravel(data)[0]) % x.shape[axis]
        return ops.reshape(ops.cut(r.graph, x, axis, first, first + int(data.size)), shape)
    return _copied(r, x, shape)


def _is_run(data: Any) -> bool:
    flat = np.ravel(data)
    return bool(flat.size) and bool(np.all(np.diff(flat) == 1))


def _copied(r: Any, x: Any, shape: Shape) -> Any:
    if not isinstance(x, Value):
        return ops.folded([x], shape)
    if elements(x.shape) != elements(shape):
        r.graph.near()
    return r.graph.copy(x, shape)


@handles("GatherElements")
def _gather_elements(r: Any, node: Any, x: Any, indices: Any) -> Any:
    return _copied(r, x, indices.shape)


@handles("GatherND")
def _gather_nd(r: Any, node: Any, x: Any, indices: Any) -> Any:
    batch = node.attributes.get("batch_dims", 0)
    return _copied(r, x, (*indices.shape[:-1], *x.shape[batch + indices.shape[-1] :]))


@handles("ScatterND", "ScatterElements", "Scatter", "ReverseSequence")
def _scatter(r: Any, node: Any, x: Any, indices: Any, updates: Any = None) -> Any:
    value = next((v for v in (x, updates) if isinstance(v, Value)), x)
    return _copied(r, value, x.shape)


@handles("DepthToSpace", "SpaceToDepth")
def _blocks(r: Any, node: Any, x: Any) -> Any:
    b, (n, c, h, w) = node.attributes["blocksize"], x.shape
    shape = (n, c // b**2, h * b, w * b) if node.type == "DepthToSpace" else (n, c * b**2, h // b, w // b)
    return _copied(r, x, shape)


@handles("Pad")
def _pad(r: Any, node: Any, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    given = r.numbers(pads, "paddings") if pads is not None else list(node.attributes.get("pads", ()))
    chosen = r.numbers(axes, "axes") if axes is not None else range(len(x.shape))
    before, behind = [0] * len(x.shape), [0] * len(x.shape)
    for i, axis in enumerate(chosen):
        before[axis], behind[axis] = given[i], given[i + len(given) // 2]
    return ops.pad(r.graph, x, before, behind)


@handles("Resize", "Upsample")
def _resize(r: Any, node: Any, x: Any, *rest: Any) -> Any:
    scales, sizes = (rest[0], None) if node.type == "Upsample" or r.opset == 10 else (*rest[1:], None, None)[:2]
    if sizes is not None:
        shape = tuple(r.numbers(sizes, "sizes"))
    else:
        factors = r.data(scales)
        if factors is None:
            raise Unmapped("a scale that is computed")
        shape = tuple(int(math.floor(n * float(f))) for n, f in zip(x.shape, np.ravel(factors)))
    shape = (*x.shape[:2], *shape[2:])
    mode = {"linear": "linear", "cubic": "cubic"}.get(node.attributes.get("mode", "nearest"), "nearest")
    return ops.interpolate(r.graph, x, shape, mode)


@handles("TopK")
def _top(r: Any, node: Any, x: Any, k: Any) -> Any:
    axis = node.attributes.get("axis", -1) % len(x.shape)
    shape = (*x.shape[:axis], r.numbers(k, "counts")[0], *x.shape[axis + 1 :])
    r.graph.near()
    return [_copied(r, x, shape), _copied(r, x, shape)]


@handles("ConstantOfShape", "Range", "EyeLike", "OneHot", "RandomNormalLike", "RandomUniformLike", "Bernoulli")
def _constant(r: Any, node: Any, x: Any, *rest: Any) -> Any:
    if node.type == "ConstantOfShape":
        return Constant(tuple(r.numbers(x, "shapes")))
    if node.type in ("Range", "OneHot"):
        raise Unmapped("a range or code that depends on the input")
    return Constant(x.shape)


# ---- Reductions.

REDUCTIONS = (
    "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
    "ReduceSumSquare ArgMax ArgMin"
)


@handles(*REDUCTIONS.split())
def _reduce(r: Any, node: Any, x: Any, axes: Any = None) -> Any:
    given = r.numbers(axes, "axes") if axes is not None else node.attributes.get("axes")
    if node.type.startswith("Arg"):
        given = [node.attributes.get("axis", 0)]
    if not given and node.attributes.get("noop_with_empty_axes"):
        return x
    rank = len(x.shape)
    gone = {axis % rank for axis in given} if given else set(range(rank))
    keep = node.attributes.get("keepdims", 1)
    shape = tuple(1 if i in gone else n for i, n in enumerate(x.shape) if keep or i not in gone)
    return ops.reduce(r.graph, x, sorted(gone), shape, node.type == "ReduceMean")


# ---- Products.


@handles("MatMul", "FusedMatMul", "MatMulInteger", "TransposeMatMul")
def _matmul(r: Any, node: Any, a: Any, b: Any, *_: Any) -> Any:
    a = ops.swap(a, -1, -2) if node.attributes.get("transA") else a
    b = ops.swap(b, -1, -2) if node.attributes.get("transB") else b
    return ops.matmul(r.graph, a, b, _product_shape(a.shape, b.shape))


def _product_shape(a: Shape, b: Shape) -> Shape:
    leading = tuple(int(n) for n in np.broadcast_shapes(a[:-2], b[:-2]))
    return (*leading, *(a[-2:-1] if len(a) > 1 else ()), *(b[-1:] if len(b) > 1 else ()))


@handles("Gemm", "FusedGemm")
def _gemm(r: Any, node: Any, a: Any, b: Any, c: Any = None) -> Any:
    a = ops.swap(a, 0, 1) if node.attributes.get("transA") else a
    b = ops.swap(b, 0, 1) if node.attributes.get("transB") else b
    shape = (a.shape[0], b.shape[1])
    if isinstance(a, Value) and isinstance(b, Weight):
        return ops.linear(r.graph, a, b, c, shape)
    product = ops.matmul(r.graph, a, b, shape)
    return product if c is None else ops.pointwise(r.graph, "add", [product, c], shape)


@handles("Einsum")
def _einsum(r: Any, node: Any, *inputs: Any) -> Any:
    """Two operands: batch labels, free labels of each, and those that are summed, as one product."""
    equation = node.attributes["equation"].replace(" ", "")
    left, _, out = equation.partition("->")
    terms = left.split(",")
    if len(inputs) != 2 or "." in equation or any(len(set(term)) != len(term) for term in terms) or not out:
        raise Unmapped(equation)
    (ta, tb), (a, b) = terms, inputs
    sizes = {**dict(zip(ta, a.shape)), **dict(zip(tb, b.shape))}
    both = [label for label in ta if label in tb and label in out]
    summed = [label for label in ta if label in tb and label not in out]
    free_a = [label for label in ta if label not in tb]
    free_b = [label for label in tb if label not in ta]
    if any(label not in out for label in free_a + free_b):
        raise Unmapped(equation)

    def arranged(x: Operand, term: str, rows: list[str], columns: list[str]) -> Operand:
        x = ops.permute(x, [term.index(label) for label in both + rows + columns])
        count = [math.prod(sizes[label] for label in labels) for labels in (both, rows, columns)]
        return ops.reshape(x, tuple(count) if both else tuple(count[1:]))

    x, y = arranged(a, ta, free_a, summed), arranged(b, tb, summed, free_b)
    product = ops.matmul(r.graph, x, y, _product_shape(x.shape, y.shape))
    labels = both + free_a + free_b
    product = ops.reshape(product, tuple(sizes[label] for label in labels))
    return ops.permute(product, [labels.index(label) for label in out])


@handles("Attention")
def _attention(r: Any, node: Any, q: Any, k: Any, v: Any, mask: Any = None, *_: Any) -> Any:
    """Since version 23: batch x heads x tokens x features, or batch x tokens x (heads features) with the heads told."""
    if node.domain == "com.microsoft":
        return _packed_attention(r, node, q, k, v)
    heads, kv_heads = node.attributes.get("q_num_heads"), node.attributes.get("kv_num_heads")
    flat = len(q.shape) == 3
    if flat:
        q, k, v = (_heads(x, n) for x, n in ((q, heads), (k, kv_heads), (v, kv_heads)))
    made = ops.attention(
        r.graph, q, k, v, (*q.shape[:-1], v.shape[-1]), causal=bool(node.attributes.get("is_causal")), mask=mask
    )
    return _joined(made) if flat else made


def _heads(x: Operand, heads: int) -> Operand:
    *leading, tokens, features = x.shape
    return ops.swap(ops.reshape(x, (*leading, tokens, heads, features // heads)), -2, -3)


def _joined(x: Operand) -> Operand:
    *leading, heads, tokens, features = x.shape
    return ops.reshape(ops.swap(x, -2, -3), (*leading, tokens, heads * features))


def _packed_attention(r: Any, node: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Of ONNX Runtime: with the product that makes queries, keys and values."""
    heads, width = node.attributes["num_heads"], weight.shape[1]
    made = ops.linear(r.graph, x, weight, bias, (*x.shape[:-1], width))
    sizes = node.attributes.get("qkv_hidden_sizes") or [width // 3] * 3
    parts, start = [], 0
    for size in sizes:
        parts.append(_heads(ops.cut(r.graph, made, -1, start, start + size), heads))
        start += size
    q, k, v = parts
    causal = bool(node.attributes.get("unidirectional"))
    return _joined(ops.attention(r.graph, q, k, v, (*q.shape[:-1], v.shape[-1]), causal=causal))


@handles("MultiHeadAttention", "GroupQueryAttention")
def _multi_head(r: Any, node: Any, q: Any, k: Any = None, v: Any = None, bias: Any = None, *_: Any) -> Any:
    heads = node.attributes["num_heads"]
    kv_heads = node.attributes.get("kv_num_heads", heads)
    if k is None or v is None or len(q.shape) != 3 or len(k.shape) != 3:
        raise Unmapped("packed queries, keys and values")
    if isinstance(bias, Weight):
        raise Unmapped("biases inside attention")
    q, k, v = _heads(q, heads), _heads(k, kv_heads), _heads(v, kv_heads)
    causal = bool(node.attributes.get("unidirectional", node.type == "GroupQueryAttention"))
    return _joined(ops.attention(r.graph, q, k, v, (*q.shape[:-1], v.shape[-1]), causal=causal))


# ---- Windows.


def _window(r: Any, node: Any, x: Any, kernel: Sequence[int]) -> tuple[Any, ...]:
    """Stride, dilation, padding in front and behind."""
    axes, a = len(kernel), node.attributes
    stride, dilation = list(a.get("strides") or [1] * axes), list(a.get("dilations") or [1] * axes)
    pads = list(a.get("pads") or [0] * (2 * axes))
    before, behind = pads[:axes], pads[axes:]
    auto = a.get("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        for i, size in enumerate(x.shape[-axes:]):
            room = max((math.ceil(size / stride[i]) - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 - size, 0)
            before[i], behind[i] = room // 2, room - room // 2
            if auto == "SAME_LOWER":
                before[i], behind[i] = behind[i], before[i]
    elif auto == "VALID":
        before, behind = [0] * axes, [0] * axes
    return stride, dilation, before, behind


def _sizes(x: Any, kernel: Sequence[int], window: tuple[Any, ...], ceil: bool = False) -> list[int]:
    stride, dilation, before, behind = window
    made = []
    for i, size in enumerate(x.shape[-len(kernel) :]):
        room = size + before[i] + behind[i] - dilation[i] * (kernel[i] - 1) - 1
        steps = math.ceil(room / stride[i]) if ceil else room // stride[i]
        if ceil and steps * stride[i] >= size + before[i]:
            steps -= 1
        made.append(steps + 1)
    return made


@handles("Conv", "FusedConv")
def _conv(r: Any, node: Any, x: Any, weight: Any, bias: Any = None, *_: Any) -> Any:
    kernel = weight.shape[2:]
    window = _window(r, node, x, kernel)
    stride, dilation, before, behind = window
    shape = (x.shape[0], weight.shape[0], *_sizes(x, kernel, window))
    return ops.convolution(
        r.graph, x, weight, bias, shape, stride, before, behind, dilation, node.attributes.get("group", 1)
    )


@handles("ConvTranspose")
def _conv_transpose(r: Any, node: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    kernel, a = weight.shape[2:], node.attributes
    axes, groups = len(kernel), a.get("group", 1)
    stride, dilation, before, behind = _window(r, node, x, kernel)
    extra = list(a.get("output_padding") or [0] * axes)
    wanted = list(a.get("output_shape") or [])[-axes:]
    full = [
        (n - 1) * s + d * (k - 1) + 1 + e for n, s, d, k, e in zip(x.shape[-axes:], stride, dilation, kernel, extra)
    ]
    if not wanted and a.get("auto_pad", "NOTSET").startswith("SAME"):
        wanted = [n * s for n, s in zip(x.shape[-axes:], stride)]
    if wanted:
        before = [max(f - w, 0) // 2 for f, w in zip(full, wanted)]
        behind = [max(f - w, 0) - b for f, w, b in zip(full, wanted, before)]
    space = [f - b - e for f, b, e in zip(full, before, behind)]
    shape = (x.shape[0], weight.shape[1] * groups, *space)
    return ops.convolution(r.graph, x, weight, bias, shape, stride, before, behind, dilation, groups, True, extra)


@handles("MaxPool", "AveragePool", "LpPool")
def _pool(r: Any, node: Any, x: Any) -> Any:
    kernel = list(node.attributes["kernel_shape"])
    window = _window(r, node, x, kernel)
    stride, dilation, before, behind = window
    ceil = bool(node.attributes.get("ceil_mode"))
    shape = (*x.shape[: -len(kernel)], *_sizes(x, kernel, window, ceil))
    if any(d > 1 for d in dilation):
        r.graph.near()
        kernel = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    kind = "avg_pool" if node.type == "AveragePool" else "max_pool"
    if kind == "avg_pool" and list(x.shape[-len(kernel) :]) == kernel and not any(before + behind):
        return ops.adaptive_pool(r.graph, x, shape, len(kernel))
    return ops.pool(r.graph, kind, x, shape, kernel, stride, before, behind, ceil)


@handles("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(r: Any, node: Any, x: Any) -> Any:
    axes = len(x.shape) - 2
    shape = (*x.shape[:2], *([1] * axes))
    return ops.adaptive_pool(r.graph, x, shape, axes, node.type == "GlobalMaxPool")


# ---- Norms.


@handles("BatchNormalization")
def _batch_norm(r: Any, node: Any, x: Any, scale: Any, bias: Any, *_: Any) -> Any:
    return ops.batch_norm(r.graph, x, scale, bias)


@handles("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization")
def _layer_norm(r: Any, node: Any, x: Any, scale: Any = None, bias: Any = None) -> Any:
    axis = node.attributes.get("axis", -1)
    dims = len(x.shape) - axis if axis >= 0 else -axis
    kind = "layer_norm" if node.type == "LayerNormalization" else "rms_norm"
    return ops.layer_norm(r.graph, x, dims, scale, bias, kind)


@handles("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def _skip_layer_norm(r: Any, node: Any, x: Any, skip: Any, scale: Any, *rest: Any) -> Any:
    kind = "layer_norm" if node.type == "SkipLayerNormalization" else "rms_norm"
    shift, bias = (rest + (None, None))[:2] if kind == "layer_norm" else (None, (rest + (None,))[0])
    total = ops.pointwise(r.graph, "add", [x, skip], x.shape)
    total = total if bias is None else ops.pointwise(r.graph, "add", [total, bias], x.shape)
    return [ops.layer_norm(r.graph, total, 1, scale, shift, kind), Constant(()), Constant(()), total]


@handles("GroupNormalization", "GroupNorm")
def _group_norm(r: Any, node: Any, x: Any, scale: Any, bias: Any) -> Any:
    return ops.group_norm(r.graph, x, node.attributes.get("num_groups", node.attributes.get("groups")), scale, bias)


@handles("InstanceNormalization")
def _instance_norm(r: Any, node: Any, x: Any, scale: Any, bias: Any) -> Any:
    return ops.group_norm(r.graph, x, x.shape[1], scale, bias)


@handles("LRN")
def _lrn(r: Any, node: Any, x: Any) -> Any:
    return ops.local_response_norm(r.graph, x, node.attributes["size"])


@handles("LpNormalization")
def _lp_norm(r: Any, node: Any, x: Any) -> Any:
    return ops.pointwise(r.graph, "pointwise", [x], x.shape, flop=3)


@handles("MeanVarianceNormalization")
def _mean_variance(r: Any, node: Any, x: Any) -> Any:
    return ops.group_norm(r.graph, x, x.shape[1], None, None)


# ---- Recurrent layers.


@handles("LSTM", "GRU", "RNN")
def _recurrent(r: Any, node: Any, x: Any, w: Any, recurrence: Any, bias: Any = None, *_: Any) -> Any:
    """X is tokens x batch x features, or with layout 1 batch x tokens; Y tokens x directions x batch x hidden."""
    hidden, batch_first = node.attributes["hidden_size"], node.attributes.get("layout", 0) == 1
    directions = w.shape[0]
    tokens, batch = (x.shape[1], x.shape[0]) if batch_first else x.shape[:2]
    shape = (batch, tokens, directions, hidden) if batch_first else (tokens, directions, batch, hidden)
    weights = [v for v in (w, recurrence, bias) if isinstance(v, Weight)]
    made = ops.recurrent(
        r.graph,
        node.type.lower(),
        x,
        weights,
        shape,
        tokens * batch,
        hidden,
        1,
        directions == 2,
        0 if bias is None else 2,
    )
    flat = with_view(made, View((tokens * batch, directions * hidden)))
    last = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    if not any(node.outputs[1:]):
        return made
    state = ops.reshape(ops.cut(r.graph, flat, 0, tokens * batch - batch, tokens * batch), last)
    return [made, state, state]


@handles("SoftmaxCrossEntropyLoss")
def _loss(r: Any, node: Any, x: Any, *_: Any) -> Any:
    made = r.graph.add("softmax_loss", [r.graph.at(x)], x.shape)
    return ops.reshape(ops.cut(r.graph, ops.reshape(made, (elements(x.shape),)), 0, 0, 1), ())
