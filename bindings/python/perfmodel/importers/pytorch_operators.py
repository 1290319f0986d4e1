"""What functions of torch and ATen operators mean. By their names without underscores at the ends.

A handler gets the tracer, the result as torch computed it, and the arguments of the call; it returns what the result
is, or a list for several results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _operators as ops
from ._graph import Constant, Operand, Shape, Unmapped, Value, View, Weight, elements, with_view
from ._tensors import tensors_in

Handler = Callable[..., Any]
HANDLERS: dict[str, Handler] = {}

# Results that depend on shapes only, or on chance.
CONSTANT = frozenset(
    "zeros_like ones_like empty_like full_like rand_like randn_like new_zeros new_ones new_empty new_full new_tensor "
    "bernoulli uniform normal fill zero arange empty_strided empty_permuted new_empty_strided sym_size".split()
)
# Nothing comes of them.
IGNORED = frozenset("size stride dim numel is_contiguous storage_offset get shape requires_grad set_data".split())


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def _shape(tensor: Any) -> Shape:
    return tuple(int(size) for size in tensor.shape)


def _many(value: Any, count: int) -> tuple[int, ...]:
    """A number, or as many as there are dimensions."""
    if isinstance(value, (tuple, list)) or hasattr(value, "__iter__"):
        numbers = tuple(int(number) for number in value)
        return numbers * count if len(numbers) == 1 else numbers
    return (int(value),) * count


# ---- Views and copies.


@handles(
    *"view reshape view_as reshape_as flatten unflatten squeeze unsqueeze contiguous clone detach to to_copy type "
    "float half bfloat16 double long int alias unsafe_view ravel lift_fresh lift_fresh_copy requires_grad type_as "
    "view_copy identity positive resolve_conj resolve_neg".split()
)
def _view(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
    return ops.reshape(t.operand(x), _shape(out))


@handles("permute")
def _permute(t: Any, out: Any, x: Any, *dims: Any, **kwargs: Any) -> Any:
    order = kwargs["dims"] if "dims" in kwargs else dims[0] if not isinstance(dims[0], int) else dims
    return ops.permute(t.operand(x), [int(axis) for axis in order])


@handles("transpose", "swapaxes", "swapdims")
def _transpose(t: Any, out: Any, x: Any, dim0: int = 0, dim1: int = 1, **_: Any) -> Any:
    return ops.swap(t.operand(x), dim0, dim1)


@handles("t", "numpy_T", "mT")
def _t(t: Any, out: Any, x: Any) -> Any:
    return ops.swap(t.operand(x), 0, -1) if x.ndim == 2 else t.operand(x)


@handles("expand", "expand_as", "broadcast_to")
def _expand(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
    return ops.expand(t.graph, t.operand(x), _shape(out))


@handles("repeat")
def _repeat(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
    operand = t.operand(x)
    if not isinstance(operand, Value):
        return ops.folded([operand], _shape(out))
    shape = _shape(out)
    value = with_view(operand, View((1,) * (len(shape) - len(operand.shape)) + operand.shape))
    for axis, size in enumerate(shape):
        value = ops.repeat(t.graph, value, axis, size // value.shape[axis])
    return value


@handles(
    *"repeat_interleave gather index_select take_along_dim take index unfold im2col col2im fold as_strided unfold_copy "
    "masked_select histc bincount topk sort argsort diagonal roll flip scatter scatter_add index_put unsafe_index "
    "index_add index_copy slice_scatter select_scatter masked_scatter grid_sampler_2d pixel_shuffle pixel_unshuffle "
    "channel_shuffle".split()
)
def _copied(t: Any, out: Any, x: Any, *rest: Any, **kwargs: Any) -> Any:
    """Elements at other places; no arithmetic. Those with as many elements are exact."""
    outputs = [tensor for tensor in (out if isinstance(out, (tuple, list)) else [out])]
    given = [t.operand(x)] + [o for o in _operands(t, rest, kwargs) if isinstance(o, Value)]
    value = next((o for o in given if isinstance(o, Value)), given[0])
    if isinstance(value, Value) and elements(value.shape) != outputs[0].numel():
        t.graph.near()
    return [_copy(t, value, given, _shape(tensor)) for tensor in outputs]


def _copy(t: Any, value: Operand, given: Sequence[Operand], shape: Shape) -> Any:
    return t.graph.copy(value, shape) if isinstance(value, Value) else ops.folded(given, shape)


def _operands(t: Any, args: Any, kwargs: Any) -> list[Any]:
    return [t.operand(tensor) for tensor in tensors_in((args, kwargs))]


@handles("copy")
def _copy_over(t: Any, out: Any, target: Any, source: Any, *_: Any, **__: Any) -> Any:
    return ops.expand(t.graph, t.operand(source), _shape(out))


# ---- Parts.


@handles("slice")
def _slice(t: Any, out: Any, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    first, behind, _ = slice(start, end, None).indices(x.shape[dim])
    return ops.cut(t.graph, t.operand(x), dim, first, max(first, behind), step)


@handles("select")
def _select(t: Any, out: Any, x: Any, dim: int, index: int) -> Any:
    index = int(index) % x.shape[dim]
    return ops.reshape(ops.cut(t.graph, t.operand(x), dim, index, index + 1), _shape(out))


@handles("narrow")
def _narrow(t: Any, out: Any, x: Any, dim: int, start: int, length: int) -> Any:
    return ops.cut(t.graph, t.operand(x), dim, int(start), int(start) + length)


@handles("split", "chunk", "split_with_sizes", "tensor_split", "unsafe_split", "unsafe_chunk", "split_copy")
def _split(t: Any, out: Any, x: Any, *args: Any, dim: int | None = None, **_: Any) -> Any:
    dim = dim if dim is not None else args[1] if len(args) > 1 else 0
    parts, start = [], 0
    for tensor in out:
        end = start + tensor.shape[dim]
        parts.append(ops.cut(t.graph, t.operand(x), dim, start, end))
        start = end
    return parts


@handles("unbind")
def _unbind(t: Any, out: Any, x: Any, dim: int = 0) -> Any:
    operand = t.operand(x)
    return [ops.reshape(ops.cut(t.graph, operand, dim, i, i + 1), _shape(tensor)) for i, tensor in enumerate(out)]


@handles("cat", "concat", "concatenate")
def _cat(t: Any, out: Any, tensors: Any, dim: int = 0, **_: Any) -> Any:
    given = [tensor for tensor in tensors if tensor.ndim == out.ndim]
    return ops.concat(t.graph, [t.operand(tensor) for tensor in given], dim, _shape(out))


@handles("stack")
def _stack(t: Any, out: Any, tensors: Any, dim: int = 0, **_: Any) -> Any:
    dim %= out.ndim
    one = (*out.shape[:dim], 1, *out.shape[dim + 1 :])
    return ops.concat(t.graph, [ops.reshape(t.operand(tensor), one) for tensor in tensors], dim, _shape(out))


@handles("constant_pad_nd", "pad", "reflection_pad1d", "reflection_pad2d", "replication_pad2d", "replication_pad1d")
def _pad(t: Any, out: Any, x: Any, pad: Sequence[int], *_: Any, **__: Any) -> Any:
    before, behind = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pad) // 2):
        before[x.ndim - 1 - i], behind[x.ndim - 1 - i] = int(pad[2 * i]), int(pad[2 * i + 1])
    return ops.pad(t.graph, t.operand(x), before, behind)


# ---- Element by element.

BINARY = {
    "add": "add", "radd": "add", "sub": "subtract", "subtract": "subtract", "rsub": "subtract", "mul": "multiply",
    "multiply": "multiply", "rmul": "multiply", "div": "divide", "divide": "divide", "true_divide": "divide",
    "truediv": "divide", "rtruediv": "divide", "rdiv": "divide",
}  # fmt: skip
POINTWISE = {
    1: "pow rpow maximum minimum eq ne lt le gt ge logical_and logical_or logical_not logical_xor "
    "bitwise_and bitwise_or bitwise_not bitwise_xor and or xor invert where masked_fill clamp_min clamp_max exp exp2 "
    "expm1 log log2 log10 log1p sqrt erf erfc sin cos tan asin acos atan atan2 sinh cosh abs absolute neg negative "
    "reciprocal floor ceil round trunc frac sign sgn square fmod remainder mod floor_divide floordiv floor_div "
    "threshold cumsum cumprod tril triu isnan isinf isfinite nan_to_num lshift rshift logit "
    "heaviside hardshrink softshrink erfinv",
    2: "clamp clip rsqrt addcmul addcdiv hardtanh lerp softsign hypot logaddexp",
}
ACTIVATIONS = {
    "relu": "relu", "relu6": "relu6", "leaky_relu": "leaky_relu", "rrelu": "leaky_relu", "elu": "elu", "celu": "elu",
    "selu": "elu", "gelu": "gelu", "silu": "silu", "mish": "mish", "sigmoid": "sigmoid", "tanh": "tanh",
    "hardswish": "hardswish", "hardsigmoid": "hardsigmoid", "softplus": "softplus", "logsigmoid": "softplus",
    "log_sigmoid": "softplus",
}  # fmt: skip


def _binary(kind: str) -> Handler:
    def handler(t: Any, out: Any, *args: Any, **kwargs: Any) -> Any:
        given = list(args[:2]) + [kwargs[name] for name in ("other", "input", "exponent") if name in kwargs]
        return ops.pointwise(t.graph, kind, [t.operand(x) for x in given[:2]], _shape(out))

    return handler


def _pointwise(flop: int) -> Handler:
    def handler(t: Any, out: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.pointwise(t.graph, "pointwise", _operands(t, args, kwargs), _shape(out), **_flop(flop))

    return handler


def _flop(flop: int) -> dict[str, float]:
    return {"flop": flop} if flop != 1 else {}


def _activation(kind: str) -> Handler:
    def handler(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
        return ops.activation(t.graph, kind, t.operand(x))

    return handler


for _name, _kind in BINARY.items():
    HANDLERS[_name] = _binary(_kind)
for _flops, _names in POINTWISE.items():
    for _name in _names.split():
        HANDLERS[_name] = _pointwise(_flops)
for _name, _kind in ACTIVATIONS.items():
    HANDLERS[_name] = _activation(_kind)


@handles("hardtanh")
def _hardtanh(t: Any, out: Any, x: Any, min_val: float = -1.0, max_val: float = 1.0, *_: Any, **__: Any) -> Any:
    kind = "relu6" if (min_val, max_val) == (0, 6) else "pointwise"
    return ops.pointwise(t.graph, kind, [t.operand(x)], _shape(out), **({} if kind == "relu6" else {"flop": 2}))


@handles("prelu", "prelu_kernel")
def _prelu(t: Any, out: Any, x: Any, weight: Any) -> Any:
    return ops.prelu(t.graph, t.operand(x), t.operand(weight))


@handles("softmax", "log_softmax", "safe_softmax", "softmin")
def _softmax(t: Any, out: Any, x: Any, dim: Any = -1, *_: Any, **__: Any) -> Any:
    return ops.softmax(t.graph, t.operand(x), -1 if dim is None else int(dim))


@handles("glu")
def _glu(t: Any, out: Any, x: Any, dim: int = -1) -> Any:
    half, operand = out.shape[dim], t.operand(x)
    gate = ops.activation(t.graph, "sigmoid", ops.cut(t.graph, operand, dim, half, 2 * half))
    return ops.pointwise(t.graph, "multiply", [ops.cut(t.graph, operand, dim, 0, half), gate], _shape(out))


@handles("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
def _dropout(t: Any, out: Any, x: Any, p: float = 0.5, training: bool = True, *_: Any, **kwargs: Any) -> Any:
    operand = t.operand(x)
    if not training or kwargs.get("train") is False or p == 0 or not isinstance(operand, Value):
        return operand
    return ops.activation(t.graph, "dropout", operand, rate=p)


HANDLERS["native_dropout"] = _dropout


# ---- Reductions.


@handles("mean")
def _mean(t: Any, out: Any, x: Any, dim: Any = None, *_: Any, **__: Any) -> Any:
    axes = () if dim is None or not _is_axes(dim) else _many(dim, 1)
    return ops.reduce(t.graph, t.operand(x), axes, _shape(out), True)


def _is_axes(dim: Any) -> bool:
    return isinstance(dim, int) and not isinstance(dim, bool) or isinstance(dim, (tuple, list))


@handles(
    *"sum amax amin max min argmax argmin var std var_mean std_mean norm prod logsumexp any all nansum count_nonzero "
    "linalg_vector_norm vector_norm median".split()
)
def _reduced(t: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Other reductions: a mean stands for them."""
    if args and hasattr(args[0], "shape"):
        return ops.pointwise(t.graph, "pointwise", [t.operand(x), t.operand(args[0])], _shape(out))
    outputs = list(out) if isinstance(out, (tuple, list)) else [out]
    dim = kwargs.get("dim", next((a for a in args if _is_axes(a)), None))
    if dim is not None and not isinstance(dim, int) and len(args) > 1 and not _is_axes(args[0]):
        dim = args[1]
    axes = _many(dim, 1) if dim is not None and _is_axes(dim) else ()
    made = ops.reduce(t.graph, t.operand(x), axes, _shape(outputs[0]), False)
    return [made] * len(outputs)


# ---- Products.


@handles("linear")
def _linear(t: Any, out: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    matrix = t.operand(weight)
    if isinstance(matrix, Value) or isinstance(matrix, Weight) and not ops.is_whole(matrix):
        product = ops.matmul(t.graph, t.operand(x), ops.swap(matrix, 0, 1), _shape(out))
        return product if bias is None else ops.pointwise(t.graph, "add", [product, t.operand(bias)], _shape(out))
    return ops.linear(t.graph, t.operand(x), matrix, t.operand(bias), _shape(out))


@handles("matmul", "mm", "bmm", "mv", "dot", "vdot", "linalg_matmul")
def _matmul(t: Any, out: Any, a: Any, b: Any, **_: Any) -> Any:
    return ops.matmul(t.graph, t.operand(a), t.operand(b), _shape(out))


@handles("grouped_mm")
def _grouped(t: Any, out: Any, x: Any, weights: Any, *_: Any, **__: Any) -> Any:
    """Rows of x by one of several matrices each; how many go to which depends on the input, so they go evenly."""
    operand, matrices = t.operand(x), t.operand(weights)
    if len(weights.shape) != 3 or not isinstance(matrices, Weight) or len(x.shape) != 2:
        raise Unmapped("a product of groups")
    count, rows = weights.shape[0], out.shape[0]
    if rows % count:
        raise Unmapped(f"{rows} rows for {count} matrices")
    value = ops.as_value(t.graph, operand)
    return ops.matmul(t.graph, ops.reshape(value, (count, rows // count, x.shape[1])), matrices, _shape(out))


@handles("rmatmul")
def _rmatmul(t: Any, out: Any, b: Any, a: Any) -> Any:
    return ops.matmul(t.graph, t.operand(a), t.operand(b), _shape(out))


@handles("addmm", "baddbmm", "addmv")
def _addmm(t: Any, out: Any, bias: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1, **_: Any) -> Any:
    x, y, c = t.operand(a), t.operand(b), t.operand(bias)
    if isinstance(x, Value) and isinstance(y, Weight) and len(y.shape) == 2 and len(c.shape) == 1:
        return ops.linear(t.graph, x, y, c, _shape(out))
    product = ops.matmul(t.graph, x, y, _shape(out))
    return product if beta == 0 else ops.pointwise(t.graph, "add", [product, c], _shape(out))


@handles(
    "scaled_dot_product_attention",
    "scaled_dot_product_flash_attention",
    "scaled_dot_product_flash_attention_for_cpu",
    "scaled_dot_product_efficient_attention",
    "scaled_dot_product_fused_attention_overrideable",
)
def _attention(t: Any, out: Any, q: Any, k: Any, v: Any, *args: Any, **kwargs: Any) -> Any:
    first = out[0] if isinstance(out, (tuple, list)) else out
    causal = kwargs.get("is_causal", args[2] if len(args) > 2 else False)
    dropout = kwargs.get("dropout_p", args[1] if len(args) > 1 else 0.0)
    mask = t.operand(kwargs.get("attn_mask", kwargs.get("attn_bias", args[0] if args else None)))
    query, key, value = (t.operand(x) for x in (q, k, v))
    return ops.attention(
        t.graph, query, key, value, _shape(first), causal=bool(causal), dropout=_number(dropout), mask=mask
    )


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


@handles("multi_head_attention_forward")
def _multi_head_attention(
    t: Any, out: Any, query: Any, key: Any, value: Any, features: int, heads: int, in_weight: Any, in_bias: Any,
    bias_k: Any, bias_v: Any, zero: bool, dropout: float, out_weight: Any, out_bias: Any, training: bool = True,
    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None,
    static_v: Any = None, average_attn_weights: bool = True, is_causal: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """Projections, attention and output projection of nn.MultiheadAttention; tensors are tokens x batch x features."""
    g = t.graph
    projected = _projections(t, query, key, value, features, in_weight, in_bias, (q_proj_weight, k_proj_weight,
                             v_proj_weight) if use_separate_proj_weight else None)  # fmt: skip
    split = []
    for x in projected:
        tokens, size = x.shape[0], x.shape[-1]
        batch = elements(x.shape) // (tokens * size)
        order = (1, 2, 0, 3)
        split.append(ops.permute(ops.reshape(x, (tokens, batch, heads, size // heads)), order))
    shape = (*split[0].shape[:-1], split[2].shape[-1])
    rate = dropout if training else 0.0
    context = ops.attention(g, split[0], split[1], split[2], shape, causal=is_causal, dropout=rate)
    joined = ops.reshape(ops.permute(context, (2, 0, 1, 3)), (*_shape(out[0])[:-1], shape[1] * shape[3]))
    return ops.linear(g, joined, t.operand(out_weight), t.operand(out_bias), _shape(out[0]))


def _projections(t: Any, query: Any, key: Any, value: Any, size: int, weight: Any, bias: Any, own: Any) -> list[Any]:
    g, learned = t.graph, t.operand(bias)

    def project(x: Any, matrix: Any, first: int, parts: int) -> list[Any]:
        operand, width = t.operand(x), parts * size
        part = None if learned is None else ops.cut(g, learned, 0, first * size, first * size + width)
        made = ops.linear(g, operand, matrix, part, (*operand.shape[:-1], width))
        return [ops.cut(g, made, -1, i * size, (i + 1) * size) for i in range(parts)]

    if own is not None:
        return [project(x, t.operand(w), i, 1)[0] for i, (x, w) in enumerate(zip((query, key, value), own))]
    whole = t.operand(weight)

    def rows(first: int, parts: int) -> Any:
        return ops.cut(g, whole, 0, first * size, (first + parts) * size)

    if query is key and key is value:
        return project(query, whole, 0, 3)
    if key is value:
        return project(query, rows(0, 1), 0, 1) + project(key, rows(1, 2), 1, 2)
    return [project(x, rows(i, 1), i, 1)[0] for i, x in enumerate((query, key, value))]


# ---- Convolutions and pools.


def _conv(axes: int, transposed: bool) -> Handler:
    def plain(
        t: Any, out: Any, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _convolution(t, out, x, weight, bias, stride, padding, dilation, False, 0, groups)

    def turned(
        t: Any, out: Any, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Any:  # fmt: skip
        return _convolution(t, out, x, weight, bias, stride, padding, dilation, True, output_padding, groups)

    return turned if transposed else plain


for _axes in (1, 2, 3):
    HANDLERS[f"conv{_axes}d"] = _conv(_axes, False)
    HANDLERS[f"conv_transpose{_axes}d"] = _conv(_axes, True)


@handles("convolution", "convolution_overrideable")
def _convolution(
    t: Any, out: Any, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, *_: Any,
) -> Any:  # fmt: skip
    axes = weight.ndim - 2
    dilation = _many(dilation, axes)
    if padding == "same":
        room = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
        before, behind = [r // 2 for r in room], [r - r // 2 for r in room]
    else:
        before = behind = list(_many(0 if padding == "valid" else padding, axes))
    return ops.convolution(
        t.graph, t.operand(x), t.operand(weight), t.operand(bias), _shape(out), _many(stride, axes), before, behind,
        dilation, groups, transposed, _many(output_padding, axes),
    )  # fmt: skip


def _max_pool(axes: int) -> Handler:
    def handler(
        t: Any, out: Any, x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, *_: Any, **__: Any,
    ) -> Any:  # fmt: skip
        first = out[0] if isinstance(out, (tuple, list)) else out
        kernel, spread = _many(kernel_size, axes), _many(dilation, axes)
        if any(number > 1 for number in spread):
            t.graph.near()
            kernel = tuple(d * (k - 1) + 1 for k, d in zip(kernel, spread))
        return _pool(t, "max_pool", x, first, kernel, stride or kernel_size, padding, ceil_mode)

    return handler


def _avg_pool(axes: int) -> Handler:
    def handler(
        t: Any, out: Any, x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        *_: Any, **__: Any,
    ) -> Any:  # fmt: skip
        return _pool(t, "avg_pool", x, out, _many(kernel_size, axes), stride or kernel_size, padding, ceil_mode)

    return handler


def _pool(t: Any, kind: str, x: Any, out: Any, kernel: Any, stride: Any, padding: Any, ceil: bool) -> Any:
    axes = len(kernel)
    pads = _many(padding, axes)
    return ops.pool(t.graph, kind, t.operand(x), _shape(out), kernel, _many(stride, axes), pads, pads, ceil)


def _adaptive(axes: int, maximum: bool) -> Handler:
    def handler(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
        first = out[0] if isinstance(out, (tuple, list)) else out
        return ops.adaptive_pool(t.graph, t.operand(x), _shape(first), axes, maximum)

    return handler


for _axes in (1, 2, 3):
    HANDLERS[f"max_pool{_axes}d"] = HANDLERS[f"max_pool{_axes}d_with_indices"] = _max_pool(_axes)
    HANDLERS[f"avg_pool{_axes}d"] = _avg_pool(_axes)
    HANDLERS[f"adaptive_avg_pool{_axes}d"] = _adaptive(_axes, False)
    HANDLERS[f"adaptive_max_pool{_axes}d"] = HANDLERS[f"adaptive_max_pool{_axes}d_with_indices"] = _adaptive(
        _axes, True
    )


MODES = {"nearest": "nearest", "nearest-exact": "nearest", "area": "nearest", "bicubic": "cubic"}


@handles("interpolate", "upsample")
def _interpolate(
    t: Any, out: Any, x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", *_: Any, **__: Any
) -> Any:
    return ops.interpolate(t.graph, t.operand(x), _shape(out), MODES.get(mode, "linear"))


def _upsample(mode: str) -> Handler:
    def handler(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
        return ops.interpolate(t.graph, t.operand(x), _shape(out), mode)

    return handler


for _name, _mode in {
    "upsample_nearest1d": "nearest", "upsample_nearest2d": "nearest", "upsample_nearest3d": "nearest",
    "upsample_linear1d": "linear", "upsample_bilinear2d": "linear", "upsample_bilinear2d_aa": "linear",
    "upsample_trilinear3d": "linear", "upsample_bicubic2d": "cubic", "upsample_bicubic2d_aa": "cubic",
}.items():  # fmt: skip
    HANDLERS[_name] = _upsample(_mode)


# ---- Norms.


@handles("batch_norm", "native_batch_norm", "native_batch_norm_legit", "cudnn_batch_norm",
         "native_batch_norm_legit_no_training")  # fmt: skip
def _batch_norm(t: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """F.batch_norm has the running statistics first, torch.batch_norm the weights."""
    learned = [w for w in _operands(t, args, kwargs) if isinstance(w, Weight)]
    weight, bias = (learned + [None, None])[:2]
    return ops.batch_norm(t.graph, t.operand(x), weight, bias)


@handles("layer_norm", "native_layer_norm")
def _layer_norm(t: Any, out: Any, x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, *_: Any,
                **__: Any) -> Any:  # fmt: skip
    return ops.layer_norm(t.graph, t.operand(x), len(normalized_shape), t.operand(weight), t.operand(bias))


@handles("rms_norm", "fused_rms_norm")
def _rms_norm(t: Any, out: Any, x: Any, normalized_shape: Any, weight: Any = None, *_: Any, **__: Any) -> Any:
    return ops.layer_norm(t.graph, t.operand(x), len(normalized_shape), t.operand(weight), None, "rms_norm")


@handles("group_norm")
def _group_norm(t: Any, out: Any, x: Any, num_groups: int, weight: Any = None, bias: Any = None, *_: Any,
                **__: Any) -> Any:  # fmt: skip
    return ops.group_norm(t.graph, t.operand(x), num_groups, t.operand(weight), t.operand(bias))


@handles("native_group_norm")
def _native_group_norm(t: Any, out: Any, x: Any, weight: Any, bias: Any, n: int, c: int, hw: int, group: int,
                       eps: float) -> Any:  # fmt: skip
    return ops.group_norm(t.graph, t.operand(x), group, t.operand(weight), t.operand(bias))


@handles("instance_norm")
def _instance_norm(t: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    learned = [w for w in _operands(t, args, kwargs) if isinstance(w, Weight)]
    weight, bias = (learned + [None, None])[:2]
    return ops.group_norm(t.graph, t.operand(x), x.shape[1], weight, bias)


@handles("local_response_norm")
def _lrn(t: Any, out: Any, x: Any, size: int, *_: Any, **__: Any) -> Any:
    return ops.local_response_norm(t.graph, t.operand(x), size)


# ---- Tables.


@handles("embedding")
def _embedding(t: Any, out: Any, a: Any, b: Any, *_: Any, **__: Any) -> Any:
    """F.embedding has the indices first, torch.embedding and ATen the table."""
    indices, weight = (b, a) if a.is_floating_point() else (a, b)
    return ops.reshape(ops.look_up(t.graph, t.operand(indices), t.operand(weight)), _shape(out))


@handles("embedding_bag")
def _embedding_bag(t: Any, out: Any, a: Any, b: Any, *_: Any, **__: Any) -> Any:
    first = out[0] if isinstance(out, (tuple, list)) else out
    indices, weight = (b, a) if a.is_floating_point() else (a, b)
    table = t.operand(weight)
    value = ops.as_value(t.graph, t.operand(indices))
    bags = first.shape[0]
    per_bag = elements(value.shape) // bags
    shared = {"shared": True} if isinstance(table, Weight) and t.graph.take(table) else {}
    layer = t.graph.at(value, (bags, per_bag) if bags > 1 else (per_bag,))
    return t.graph.add(
        "embedding_bag", [layer], _shape(first), entries=weight.shape[0], features=weight.shape[1], **shared
    )


# ---- Recurrent layers.


def _stack_of(kind: str) -> Handler:
    def handler(t: Any, out: Any, x: Any, *args: Any) -> Any:
        """(input, state, weights, biases?, layers, dropout, train, two directions, batch first), or packed: (data,
        lengths, state, ...)."""
        packed = hasattr(args[0], "shape") and kind == "lstm" or hasattr(args[1], "shape")
        state, params, biases, layers, dropout, train, both = (args[1:] if packed else args)[:7]
        states = list(state) if isinstance(state, (tuple, list)) else [state]
        weights = [w for w in (t.operand(p) for p in params) if isinstance(w, Weight)]
        hidden = states[-1].shape[-1]
        outputs = states[0].shape[-1]
        tokens = x.numel() // x.shape[-1]
        return ops.recurrent(
            t.graph, kind, t.operand(x), weights, _shape(out[0]), tokens, hidden, layers, both,
            2 if biases else 0, outputs if outputs != hidden else 0,
        )  # fmt: skip

    return handler


def _cell_of(kind: str) -> Handler:
    def handler(t: Any, out: Any, x: Any, state: Any, *params: Any) -> Any:
        """One token."""
        weights = [w for w in (t.operand(p) for p in params if p is not None) if isinstance(w, Weight)]
        first = out[0] if isinstance(out, (tuple, list)) else out
        biases = 2 if len(weights) > 2 else 0
        tokens = first.numel() // first.shape[-1]
        return ops.recurrent(
            t.graph, kind, t.operand(x), weights, _shape(first), tokens, first.shape[-1], 1, False, biases
        )

    return handler


for _name, _kind in {"lstm": "lstm", "gru": "gru", "rnn_tanh": "rnn", "rnn_relu": "rnn"}.items():
    HANDLERS[_name] = _stack_of(_kind)
    HANDLERS[_name + "_cell"] = _cell_of(_kind)


# ---- Losses.


@handles("cross_entropy")
def _cross_entropy(t: Any, out: Any, x: Any, *_: Any, **__: Any) -> Any:
    operand = t.operand(x)
    if not isinstance(operand, Value):
        return Constant(_shape(out))
    made = t.graph.add("softmax_loss", [t.graph.at(operand)], operand.shape)
    return ops.reshape(ops.cut(t.graph, ops.reshape(made, (elements(operand.shape),)), 0, 0, 1), _shape(out))
