"""What the layers of Keras mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _operators as ops
from ._graph import Constant, Graph, Scope, Shape, Source, Unmapped, Value, View, Weight, elements, with_view

Handler = Callable[..., Any]
HANDLERS: dict[str, Handler] = {}
MOST = 2**31


@dataclass
class Layer:
    """A layer that is called: its settings, and what it is given by name."""

    graph: Graph
    name: str
    kind: str
    config: Any
    options: dict[str, Any]

    def get(self, name: str, otherwise: Any = None) -> Any:
        value = self.config.get(name)
        return otherwise if value is None else value

    def weight(self, name: str, *shape: int) -> Weight:
        """A trained tensor of the layer; the same one at every call."""
        return Weight(shape, frozenset([Source(f"{self.name}.{name}", elements(shape))]))

    def bias(self, *shape: int) -> Weight | None:
        return self.weight("bias", *shape) if self.get("use_bias", True) else None

    def first(self, rank: int) -> bool:
        """Whether channels come first."""
        return str(self.get("data_format", "channels_last")) == "channels_first" and rank > 2


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def _whole(value: Any) -> int:
    """A whole number as JSON has it: 8 or 8.0, neither 8.5 nor true, and none beyond any layer."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1 or abs(value) > MOST:
        raise ValueError(f"{value!r} is not a valid whole number for a layer")
    return int(value)


def _many(value: Any, count: int) -> list[int]:
    return [_whole(v) for v in value] if isinstance(value, (list, tuple)) else [_whole(value)] * count


# ---- Channels last and first.


def _channels_first(x: Value, already: bool) -> Value:
    rank = len(x.shape)
    if already or rank < 3:
        return x
    turned = ops.permute(x, (0, rank - 1, *range(1, rank - 1)))
    assert isinstance(turned, Value)
    return turned


def _back(x: Any, already: bool) -> Any:
    rank = len(x.shape)
    return x if already or rank < 3 else ops.permute(x, (0, *range(2, rank), 1))


# ---- Activations.

ACTIVATIONS = {
    "relu": "relu", "relu6": "relu6", "leaky_relu": "leaky_relu", "elu": "elu", "selu": "elu", "celu": "elu",
    "gelu": "gelu", "silu": "silu", "swish": "silu", "mish": "mish", "sigmoid": "sigmoid", "tanh": "tanh",
    "hard_swish": "hardswish", "hard_silu": "hardswish", "hard_sigmoid": "hardsigmoid", "softplus": "softplus",
}  # fmt: skip
POINTWISE = {"exponential": 1, "softsign": 2, "log_sigmoid": 4, "hard_tanh": 2, "tanh_shrink": 2, "squareplus": 5}


def _activated(layer: Layer, x: Any, activation: Any) -> Any:
    """The activation of a layer, which is told by name or by its own description."""
    if isinstance(activation, dict):
        activation = (activation.get("config") or {}).get("name") or activation.get("class_name")
    name = str(activation or "linear").split(".")[-1].split(">")[-1]
    graph = layer.graph
    if graph.scope.path == layer.name and name != "linear" and layer.kind not in ("Activation", *HEADLESS):
        graph.scope = Scope(f"{layer.name}.{name}", True)
    if name == "linear":
        return x
    if name in ("softmax", "log_softmax"):
        return ops.softmax(graph, x, -1)
    if name in ACTIVATIONS:
        return ops.activation(graph, ACTIVATIONS[name], x)
    if name in POINTWISE:
        return ops.pointwise(graph, "pointwise", [x], x.shape, flop=POINTWISE[name])
    raise Unmapped(f"the activation {name}")


HEADLESS = ("ReLU", "LeakyReLU", "ELU", "Softmax", "PReLU", "ThresholdedReLU")


@handles("Activation")
def _activation(layer: Layer, x: Value) -> Any:
    return _activated(layer, x, layer.get("activation"))


@handles("ReLU")
def _relu(layer: Layer, x: Value) -> Any:
    slope = layer.get("negative_slope", 0) or 0
    kind = "relu6" if layer.get("max_value") == 6 else "leaky_relu" if float(_item(slope)) != 0 else "relu"
    return ops.activation(layer.graph, kind, x)


def _item(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


@handles("LeakyReLU", "ELU", "ThresholdedReLU")
def _other_relu(layer: Layer, x: Value) -> Any:
    return ops.activation(layer.graph, "elu" if layer.kind == "ELU" else "leaky_relu", x)


@handles("PReLU")
def _prelu(layer: Layer, x: Value) -> Any:
    shared = {_whole(axis) for axis in layer.get("shared_axes", [])}
    shape = tuple(1 if i + 1 in shared else n for i, n in enumerate(x.shape[1:]))
    if elements(shape) in (1, x.shape[-1]):
        made = ops.prelu(layer.graph, _channels_first(x, False), layer.weight("alpha", *shape))
        return _back(made, False)
    negative = ops.pointwise(layer.graph, "multiply", [x, layer.weight("alpha", *shape)], x.shape)
    return ops.pointwise(layer.graph, "add", [x, negative], x.shape)


@handles("Softmax")
def _softmax(layer: Layer, x: Value) -> Any:
    return ops.softmax(layer.graph, x, _whole(layer.get("axis", -1)))


@handles("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout", "AlphaDropout")
def _dropout(layer: Layer, x: Value) -> Any:
    rate = float(layer.get("rate", 0.5))
    return ops.activation(layer.graph, "dropout", x, rate=rate) if rate > 0 else x


@handles("GaussianNoise", "Masking", "ActivityRegularization", "Identity", "RandomFlip", "RandomRotation", "RandomZoom",
         "RandomContrast", "RandomTranslation", "RandomCrop")  # fmt: skip
def _same(layer: Layer, x: Value) -> Any:
    return x


@handles("Rescaling", "Normalization")
def _rescaling(layer: Layer, x: Value) -> Any:
    return ops.pointwise(layer.graph, "pointwise", [x], x.shape, flop=2)


# ---- Dense layers and convolutions.


@handles("Dense", "EinsumDense")
def _dense(layer: Layer, x: Value) -> Any:
    if layer.kind == "EinsumDense":
        return _einsum_dense(layer, x)
    units = _whole(layer.config["units"])
    made = ops.linear(
        layer.graph, x, layer.weight("kernel", units, x.shape[-1]), layer.bias(units), (*x.shape[:-1], units)
    )
    return _activated(layer, made, layer.get("activation"))


def _einsum_dense(layer: Layer, x: Value) -> Any:
    """The last labels of the input are summed with the first of the weights, as in "abc,cd->abd"."""
    left, out = str(layer.config["equation"]).replace("...", "").split("->")
    given, learned = left.split(",")
    summed = [label for label in learned if label in given]
    made = [label for label in learned if label not in given]
    if list(given[-len(summed) :]) != summed or learned != "".join(summed + made) or out[-len(made) :] != "".join(made):
        raise Unmapped(str(layer.config["equation"]))
    inputs = elements(x.shape[-len(summed) :])
    sizes = [_whole(n) for n in layer.get("output_shape") or [] if n is not None][-len(made) :]
    shape = (*x.shape[: -len(summed)], elements(tuple(sizes)))
    flat = ops.reshape(x, (*x.shape[: -len(summed)], inputs))
    bias = layer.weight("bias", shape[-1]) if layer.get("bias_axes") else None
    made_value = ops.linear(layer.graph, flat, layer.weight("kernel", shape[-1], inputs), bias, shape)
    return _activated(layer, ops.reshape(made_value, (*x.shape[: -len(summed)], *sizes)), layer.get("activation"))


def _padding(
    layer: Layer, space: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Any:
    """Paddings in front and behind, and output sizes."""
    mode = str(layer.get("padding", "valid"))
    before, behind, sizes = [], [], []
    for n, k, s, d in zip(space, kernel, stride, dilation):
        span = d * (k - 1)
        room = max((math.ceil(n / s) - 1) * s + span + 1 - n, 0) if mode == "same" else span if mode == "causal" else 0
        before.append(room if mode == "causal" else room // 2)
        behind.append(room - before[-1])
        sizes.append((n + room - span - 1) // s + 1)
    return before, behind, sizes


def _convolved(layer: Layer, x: Value, axes: int, filters: int, groups: int, name: str, bias: Weight | None,
               inner: int) -> Any:  # fmt: skip
    """A convolution with the channels first."""
    kernel, stride = _many(layer.config["kernel_size"], axes), _many(layer.get("strides", 1), axes)
    dilation = _many(layer.get("dilation_rate", 1), axes)
    before, behind, sizes = _padding(layer, x.shape[2:], kernel, stride, dilation)
    weight = layer.weight(name, filters, inner, *kernel)
    shape = (1, filters, *sizes)
    return ops.convolution(layer.graph, x, weight, bias, shape, stride, before, behind, dilation, groups)


def _conv(axes: int) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first = layer.first(len(x.shape))
        value = _channels_first(x, first)
        filters, groups = _whole(layer.config["filters"]), _whole(layer.get("groups", 1))
        made = _convolved(layer, value, axes, filters, groups, "kernel", layer.bias(filters), value.shape[1] // groups)
        return _activated(layer, _back(made, first), layer.get("activation"))

    return handler


def _depthwise(axes: int) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first = layer.first(len(x.shape))
        value = _channels_first(x, first)
        channels = value.shape[1]
        filters = channels * _whole(layer.get("depth_multiplier", 1))
        made = _convolved(layer, value, axes, filters, channels, "kernel", layer.bias(filters), 1)
        return _activated(layer, _back(made, first), layer.get("activation"))

    return handler


def _separable(axes: int) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first, graph = layer.first(len(x.shape)), layer.graph
        value = _channels_first(x, first)
        channels, filters = value.shape[1], _whole(layer.config["filters"])
        inner = channels * _whole(layer.get("depth_multiplier", 1))
        graph.scope = Scope(f"{layer.name}.depthwise", True)
        made = _convolved(layer, value, axes, inner, channels, "depthwise_kernel", None, 1)
        graph.scope = Scope(f"{layer.name}.pointwise", True)
        ones, zeros = [1] * axes, [0] * axes
        weight = layer.weight("pointwise_kernel", filters, inner, *ones)
        shape = (1, filters, *made.shape[2:])
        made = ops.convolution(graph, made, weight, layer.bias(filters), shape, ones, zeros, zeros, ones, 1)
        return _activated(layer, _back(made, first), layer.get("activation"))

    return handler


def _transposed(axes: int) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first = layer.first(len(x.shape))
        value = _channels_first(x, first)
        filters = _whole(layer.config["filters"])
        kernel, stride = _many(layer.config["kernel_size"], axes), _many(layer.get("strides", 1), axes)
        dilation = _many(layer.get("dilation_rate", 1), axes)
        extra = _many(layer.get("output_padding", 0), axes)
        spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
        full = [(n - 1) * s + span for n, s, span in zip(value.shape[2:], stride, spans)]
        if layer.get("padding", "valid") == "same":
            wanted = [n * s for n, s in zip(value.shape[2:], stride)]
        else:
            wanted = [n * s + max(k - s, 0) for n, s, k in zip(value.shape[2:], stride, spans)]
        before = [max(f - w, 0) // 2 for f, w in zip(full, wanted)]
        behind = [max(f - w, 0) - b for f, w, b in zip(full, wanted, before)]
        extra = [max(w - f, 0) + e for f, w, e in zip(full, wanted, extra)]
        sizes = [f - b - e + o for f, b, e, o in zip(full, before, behind, extra)]
        weight = layer.weight("kernel", value.shape[1], filters, *kernel)
        made = ops.convolution(
            layer.graph, value, weight, layer.bias(filters), (1, filters, *sizes), stride, before, behind, dilation, 1,
            True, extra,
        )  # fmt: skip
        return _activated(layer, _back(made, first), layer.get("activation"))

    return handler


for _axes in (1, 2, 3):
    HANDLERS[f"Conv{_axes}D"] = HANDLERS[f"Convolution{_axes}D"] = _conv(_axes)
    HANDLERS[f"DepthwiseConv{_axes}D"] = _depthwise(_axes)
    HANDLERS[f"SeparableConv{_axes}D"] = _separable(_axes)
    HANDLERS[f"Conv{_axes}DTranspose"] = _transposed(_axes)


# ---- Pools and sizes.


def _pool(axes: int, kind: str) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first = layer.first(len(x.shape))
        value = _channels_first(x, first)
        kernel = _many(layer.get("pool_size", 2), axes)
        stride = _many(layer.get("strides", kernel), axes)
        before, behind, sizes = _padding(layer, value.shape[2:], kernel, stride, [1] * axes)
        shape = (*value.shape[:2], *sizes)
        made = ops.pool(layer.graph, kind, value, shape, kernel, stride, before, behind)
        return _back(made, first)

    return handler


def _global_pool(maximum: bool) -> Handler:
    def handler(layer: Layer, x: Value) -> Any:
        first = layer.first(len(x.shape))
        value = _channels_first(x, first)
        axes = len(value.shape) - 2
        made = ops.adaptive_pool(layer.graph, value, (*value.shape[:2], *([1] * axes)), axes, maximum)
        if layer.get("keepdims", False):
            return _back(made, first)
        return ops.reshape(made, value.shape[:2])

    return handler


for _axes in (1, 2, 3):
    HANDLERS[f"MaxPooling{_axes}D"] = HANDLERS[f"MaxPool{_axes}D"] = _pool(_axes, "max_pool")
    HANDLERS[f"AveragePooling{_axes}D"] = HANDLERS[f"AvgPool{_axes}D"] = _pool(_axes, "avg_pool")
    HANDLERS[f"GlobalAveragePooling{_axes}D"] = HANDLERS[f"GlobalAvgPool{_axes}D"] = _global_pool(False)
    HANDLERS[f"GlobalMaxPooling{_axes}D"] = HANDLERS[f"GlobalMaxPool{_axes}D"] = _global_pool(True)


def _pairs(value: Any, axes: int) -> list[list[int]]:
    """1, or (1, 2), or ((1, 2), (3, 4)): in front and behind of each axis."""
    if not isinstance(value, (list, tuple)):
        return [[_whole(value)] * 2] * axes
    if axes == 1:
        return [_many(value, 2) if len(value) == 2 else _many(value[0], 2)]
    return [_many(v, 2) for v in value]


@handles("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", "Cropping1D", "Cropping2D", "Cropping3D")
def _zero_padding(layer: Layer, x: Value) -> Any:
    first = layer.first(len(x.shape))
    value = _channels_first(x, first)
    sign = 1 if layer.kind.startswith("Zero") else -1
    pairs = _pairs(layer.get("padding" if sign > 0 else "cropping", 1), len(value.shape) - 2)
    made = ops.pad(layer.graph, value, [0, 0] + [sign * p[0] for p in pairs], [0, 0] + [sign * p[1] for p in pairs])
    return _back(made, first)


@handles("UpSampling1D", "UpSampling2D", "UpSampling3D", "Resizing")
def _upsampling(layer: Layer, x: Value) -> Any:
    first = layer.first(len(x.shape))
    value = _channels_first(x, first)
    axes = len(value.shape) - 2
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(str(layer.get("interpolation", "nearest")), "nearest")
    if layer.kind == "Resizing":
        sizes = [_whole(layer.config["height"]), _whole(layer.config["width"])]
    else:
        sizes = [n * f for n, f in zip(value.shape[2:], _many(layer.get("size", 2), axes))]
    return _back(ops.interpolate(layer.graph, value, (*value.shape[:2], *sizes), mode), first)


# ---- Rearrangement.


@handles("Flatten")
def _flatten(layer: Layer, x: Value) -> Any:
    """The order of the elements does not matter to what follows, so none is moved."""
    return Value(x.layer, (1, elements(x.shape)))


@handles("Reshape")
def _reshape(layer: Layer, x: Value) -> Any:
    sizes = [_whole(n) for n in layer.config["target_shape"]]
    known = math.prod(n for n in sizes if n > 0)
    return ops.reshape(x, (1, *(n if n > 0 else elements(x.shape) // known for n in sizes)))


@handles("Permute")
def _permute(layer: Layer, x: Value) -> Any:
    return ops.permute(x, (0, *(_whole(n) for n in layer.config["dims"])))


@handles("RepeatVector")
def _repeat_vector(layer: Layer, x: Value) -> Any:
    value = with_view(x, View((1, 1, x.shape[-1])))
    return ops.repeat(layer.graph, value, 1, _whole(layer.config["n"]))


# ---- Several inputs.


def _operands(values: Sequence[Any]) -> list[Any]:
    return [v for value in values for v in (value if isinstance(value, list) else [value])]


@handles("Add", "Subtract", "Multiply", "Maximum", "Minimum", "Average")
def _merge(layer: Layer, *values: Any) -> Any:
    given = _operands(values)
    kind = {"Add": "add", "Subtract": "subtract", "Multiply": "multiply"}.get(layer.kind, "pointwise")
    shape = _broadcast([x.shape for x in given])
    if len(shape) < 3 or any(len(x.shape) != len(shape) for x in given):
        return ops.pointwise(layer.graph, kind, given, shape)
    turned = [_channels_first(x, False) for x in given]
    made = ops.pointwise(layer.graph, kind, turned, (1, shape[-1], *shape[1:-1]))
    return _back(made, False)


@handles("LayerScale")
def _layer_scale(layer: Layer, x: Value) -> Any:
    return ops.pointwise(layer.graph, "multiply", [x, layer.weight("gamma", x.shape[-1])], x.shape)


@handles("CustomScaleLayer")
def _scaled_sum(layer: Layer, *values: Any) -> Any:
    """Of Inception-ResNet: the first input, and a part of the second."""
    first, second = _operands(values)
    part = ops.pointwise(layer.graph, "multiply", [second, Constant(())], second.shape)
    return _merge(Layer(layer.graph, f"{layer.name}.add", "Add", {}, {}), first, part)


def _broadcast(shapes: Sequence[Shape]) -> Shape:
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(sizes) for sizes in zip(*padded))


@handles("Concatenate")
def _concatenate(layer: Layer, *values: Any) -> Any:
    given = _operands(values)
    rank = len(given[0].shape)
    axis = _whole(layer.get("axis", -1)) % rank
    turned = rank > 3
    if turned:
        given = [_channels_first(x, False) for x in given]
        axis = (0, *range(2, rank), 1)[axis]
    shape = list(given[0].shape)
    shape[axis] = sum(x.shape[axis] for x in given)
    made = ops.concat(layer.graph, given, axis, tuple(shape))
    return _back(made, not turned)


@handles("Dot")
def _dot(layer: Layer, *values: Any) -> Any:
    a, b = _operands(values)
    axes = layer.get("axes", -1)
    one, other = (axes, axes) if isinstance(axes, int) else axes
    a = ops.swap(a, _whole(one), -1) if _whole(one) % len(a.shape) != len(a.shape) - 1 else a
    b = ops.swap(b, _whole(other), 1)
    return ops.matmul(layer.graph, a, b, (*a.shape[:-1], *b.shape[2:]))


# ---- Norms.


@handles("BatchNormalization", "SyncBatchNormalization")
def _batch_norm(layer: Layer, x: Value) -> Any:
    """Without one of scale and shift it is a norm without parameters, and the other."""
    rank = len(x.shape)
    axis = layer.get("axis", -1)
    axis = _whole(axis[0] if isinstance(axis, (list, tuple)) else axis) % rank
    first = axis == 1
    value = _channels_first(x, first)
    channels, graph = value.shape[1], layer.graph
    scale = layer.weight("gamma", channels) if layer.get("scale", True) else None
    shift = layer.weight("beta", channels) if layer.get("center", True) else None
    both = scale is not None and shift is not None
    made = ops.batch_norm(graph, value, scale if both else None, shift if both else None)
    if not both:
        wide = (channels, *([1] * (rank - 2)))
        for kind, weight in (("multiply", scale), ("add", shift)):
            if weight is not None:
                graph.scope = Scope(f"{layer.name}.{'scale' if kind == 'multiply' else 'shift'}", True)
                made = ops.pointwise(graph, kind, [made, ops.reshape(weight, wide)], made.shape)
    return _back(made, first)


@handles("LayerNormalization", "RMSNormalization")
def _layer_norm(layer: Layer, x: Value) -> Any:
    axis = layer.get("axis", -1)
    axes = sorted(_whole(a) % len(x.shape) for a in (axis if isinstance(axis, (list, tuple)) else [axis]))
    if axes != list(range(len(x.shape) - len(axes), len(x.shape))):
        raise Unmapped("a norm over dimensions other than the last")
    shape = tuple(x.shape[a] for a in axes)
    rms = layer.kind == "RMSNormalization" or layer.get("rms_scaling", False)
    scale = layer.weight("gamma", *shape) if layer.get("scale", True) else None
    shift = layer.weight("beta", *shape) if layer.get("center", True) and not rms else None
    return ops.layer_norm(layer.graph, x, len(axes), scale, shift, "rms_norm" if rms else "layer_norm")


@handles("GroupNormalization")
def _group_norm(layer: Layer, x: Value) -> Any:
    value = _channels_first(x, False)
    channels, groups = value.shape[1], _whole(layer.get("groups", 32))
    scale, shift = layer.weight("gamma", channels), layer.weight("beta", channels)
    return _back(ops.group_norm(layer.graph, value, channels if groups == -1 else groups, scale, shift), False)


@handles("UnitNormalization")
def _unit_norm(layer: Layer, x: Value) -> Any:
    return ops.pointwise(layer.graph, "pointwise", [x], x.shape, flop=3)


# ---- Tables and recurrent layers.


@handles("Embedding")
def _embedding(layer: Layer, x: Value) -> Any:
    rows, features = _whole(layer.config["input_dim"]), _whole(layer.config["output_dim"])
    return ops.embedding(layer.graph, x, layer.weight("embeddings", rows, features), rows, features)


def _recurrent(kind: str, gates: int) -> Handler:
    def handler(layer: Layer, x: Value, *_: Any) -> Any:
        return _run_recurrent(layer, x, kind, gates, False)

    return handler


def _run_recurrent(layer: Layer, x: Value, kind: str, gates: int, both: bool) -> Any:
    """Keras has one bias vector; its GRU two, unless it resets before the product."""
    units, tokens, features = _whole(layer.config["units"]), x.shape[1], x.shape[2]
    vectors = 0 if not layer.get("use_bias", True) else 2 if kind == "gru" and layer.get("reset_after", False) else 1
    copies = 2 if both else 1
    weights = [layer.weight("weights", copies * gates * units * (features + units + vectors))]
    outputs = copies * units
    made = ops.recurrent(layer.graph, kind, x, weights, (1, tokens, outputs), tokens, units, 1, both, vectors)
    result: Any = made
    if not layer.get("return_sequences", False):
        result = ops.reshape(ops.cut(layer.graph, made, 1, tokens - 1, tokens), (1, outputs))
    if not layer.get("return_state", False):
        return result
    state = ops.reshape(ops.cut(layer.graph, made, 1, tokens - 1, tokens), (1, outputs))
    return [result] + [state] * (2 if kind == "lstm" else 1)


RECURRENT = {"LSTM": ("lstm", 4), "CuDNNLSTM": ("lstm", 4), "GRU": ("gru", 3), "CuDNNGRU": ("gru", 3),
             "SimpleRNN": ("rnn", 1)}  # fmt: skip
for _name, (_kind, _gates) in RECURRENT.items():
    HANDLERS[_name] = _recurrent(_kind, _gates)


@handles("Bidirectional")
def _bidirectional(layer: Layer, x: Value, *_: Any) -> Any:
    inner = layer.config["layer"]
    if inner["class_name"] not in RECURRENT:
        raise Unmapped(f"two directions of {inner['class_name']}")
    kind, gates = RECURRENT[inner["class_name"]]
    part = Layer(layer.graph, layer.name, inner["class_name"], inner["config"], {})
    made = _run_recurrent(part, x, kind, gates, True)
    if layer.get("merge_mode", "concat") == "concat" or isinstance(made, list):
        return made
    half = made.shape[-1] // 2
    halves = [ops.cut(layer.graph, made, -1, i * half, (i + 1) * half) for i in range(2)]
    return ops.pointwise(layer.graph, "add", halves, halves[0].shape)


@handles("TimeDistributed")
def _time_distributed(layer: Layer, x: Value) -> Any:
    """The inner layer on every token: those that work on the last dimension take all at once."""
    inner = layer.config["layer"]
    if inner["class_name"] not in ("Dense", "Dropout", "Activation", "LayerNormalization", "BatchNormalization"):
        raise Unmapped(f"{inner['class_name']} on every token")
    part = Layer(layer.graph, layer.name, inner["class_name"], inner["config"], {})
    return HANDLERS[inner["class_name"]](part, x)


# ---- Attention.


@handles("MultiHeadAttention")
def _multi_head(layer: Layer, query: Any, value: Any = None, key: Any = None, *_: Any) -> Any:
    given = _operands([query])
    query = given[0]
    value = layer.options.get("value", value if value is not None else given[1] if len(given) > 1 else query)
    key = layer.options.get("key", key if key is not None else value)
    heads, size = _whole(layer.config["num_heads"]), _whole(layer.config["key_dim"])
    deep, g = _whole(layer.get("value_dim", size)), layer.graph
    out = layer.get("output_shape")
    features = _whole(out[-1] if isinstance(out, (list, tuple)) else out or query.shape[-1])

    def project(x: Any, name: str, width: int, inputs: int) -> Any:
        g.scope = Scope(f"{layer.name}.{name}", True)
        bias = layer.weight(f"{name}.bias", width) if layer.get("use_bias", True) else None
        return ops.linear(g, x, layer.weight(f"{name}.kernel", width, inputs), bias, (*x.shape[:-1], width))

    def split(x: Any, width: int) -> Any:
        return ops.swap(ops.reshape(x, (*x.shape[:-1], heads, width)), -2, -3)

    q = split(project(query, "query", heads * size, query.shape[-1]), size)
    k = split(project(key, "key", heads * size, key.shape[-1]), size)
    v = split(project(value, "value", heads * deep, value.shape[-1]), deep)
    g.scope = Scope(f"{layer.name}.attention", True)
    causal = bool(layer.options.get("use_causal_mask", False))
    context = ops.attention(g, q, k, v, (*q.shape[:-1], deep), causal=causal, dropout=float(layer.get("dropout", 0.0)))
    joined = ops.reshape(ops.swap(context, -2, -3), (*query.shape[:-1], heads * deep))
    return project(joined, "output", features, heads * deep)


@handles("Attention", "DotProductAttention")
def _attention(layer: Layer, *values: Any) -> Any:
    """Queries, values and, if they differ, keys; without projections."""
    query, value, *rest = _operands(values)
    key = rest[0] if rest else value
    if layer.get("use_scale", False):
        raise Unmapped("a learned scale of scores")
    q, k, v = (ops.reshape(x, (1, 1, *x.shape[1:])) for x in (query, key, value))
    made = ops.attention(layer.graph, q, k, v, (1, 1, query.shape[1], value.shape[2]))
    return ops.reshape(made, (1, query.shape[1], value.shape[2]))


# ---- Operators of TensorFlow that Keras 2 and 3 keep as layers.


@handles("TFOpLambda", "SlicingOpLambda")
def _lambda(layer: Layer, x: Any, *rest: Any) -> Any:
    function = str(layer.get("function", "")).split(".")[-1]
    other = [v for v in [*rest, *layer.options.values()] if isinstance(v, Value)]
    kind = {"add": "add", "__add__": "add", "subtract": "subtract", "multiply": "multiply", "__mul__": "multiply",
            "truediv": "divide", "divide": "divide", "__radd__": "add"}.get(function)  # fmt: skip
    if kind is None:
        if function in ACTIVATIONS:
            return ops.activation(layer.graph, ACTIVATIONS[function], x)
        raise Unmapped(f"tf.{function}")
    return ops.pointwise(layer.graph, kind, [x, *other], _broadcast([v.shape for v in (x, *other)]))
