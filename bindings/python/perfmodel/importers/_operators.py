"""What operators of frameworks mean in kinds of layers: shared by all importers that read a graph of operators.

Each function takes operands as frameworks have them (`_graph`), adds layers, and returns the result. With weights and
constants alone, nothing depends on the input: the result is a weight or a constant again, and no layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ._graph import Constant, Graph, Operand, Shape, Unmapped, Value, View, Weight, elements, sample, with_view

Axes = Sequence[int]
Learned = Optional[Operand]


def folded(operands: Sequence[Operand], shape: Shape) -> Weight | Constant:
    """What weights and constants alone make."""
    sources = frozenset(source for operand in operands if isinstance(operand, Weight) for source in operand.sources)
    return Weight(shape, sources, computed=True) if sources else Constant(shape)


def as_value(g: Graph, operand: Operand, shape: Shape | None = None) -> Value:
    """The operand as something that flows through layers: weights and constants become inputs."""
    if isinstance(operand, Value):
        return operand
    shape = operand.shape if shape is None else shape
    name = (
        next((source.name for source in sorted(operand.sources, key=lambda s: s.name)), "")
        if isinstance(operand, Weight)
        else ""
    )
    if not isinstance(operand, Weight):
        return g.input(name or "constant", shape)
    if operand.rows is not None and shape == operand.shape:
        indices = g.input(f"{name}.indices", shape[:-1] or (1,))
        return embedding(g, indices, operand, operand.rows, shape[-1])
    g.near(f"the learned tensor {name} is an input, and a bias on it")
    count = operand.parameters
    value = g.input(name, (count,))
    layer = g.add("bias", [g.at(value)], (count,), axis=0, **_shared(g.take(operand)))
    return Value(layer.layer, shape) if count == elements(shape) else g.copy(layer, shape)


def _shared(shared: bool) -> dict[str, bool]:
    return {"shared": True} if shared else {}


def _learned(operand: Learned) -> Weight | None:
    return operand if isinstance(operand, Weight) else None


# ---- Rearrangement.


def reshape(operand: Operand, shape: Shape) -> Operand:
    """The same elements in another shape."""
    if isinstance(operand, Value):
        return with_view(operand, View(shape))
    if isinstance(operand, Weight):
        same_rows = operand.rows is not None and sample(operand.shape) == sample(shape)
        return Weight(shape, operand.sources, operand.rows if same_rows else None, operand.computed)
    return Constant(shape, operand.data.reshape(shape) if operand.data is not None else None)


def permute(operand: Operand, order: Axes) -> Operand:
    """The dimensions in another order."""
    order = [axis % len(operand.shape) for axis in order] if operand.shape else []
    shape = tuple(operand.shape[axis] for axis in order)
    if isinstance(operand, Value):
        return with_view(operand, View(shape, tuple(order)))
    if isinstance(operand, Weight):
        return Weight(shape, operand.sources, computed=operand.computed)
    return Constant(shape, operand.data.transpose(order) if operand.data is not None else None)


def swap(operand: Operand, one: int, other: int) -> Operand:
    """Two dimensions change places."""
    order = list(range(len(operand.shape)))
    if not order:
        return operand
    order[one], order[other] = order[other], order[one]
    return permute(operand, order)


def expand(g: Graph, operand: Operand, shape: Shape) -> Operand:
    """Dimensions of size 1 repeated; those before the first are new."""
    if not isinstance(operand, Value):
        return (
            Weight(shape, operand.sources, computed=operand.computed)
            if isinstance(operand, Weight)
            else Constant(shape)
        )
    value = with_view(operand, View((1,) * (len(shape) - len(operand.shape)) + operand.shape))
    for axis, (have, want) in enumerate(zip(value.shape, shape)):
        if have == 1 and want > 1:
            value = repeat(g, value, axis, want)
    return value


def repeat(g: Graph, value: Value, axis: int, times: int) -> Value:
    """The value several times, one behind the other, along an axis."""
    if times == 1:
        return value
    shape = value.shape
    grown = (*shape[:axis], shape[axis] * times, *shape[axis + 1 :])
    outer, inner = elements(shape[:axis]), elements(shape[axis:])
    layer = g.at(value, (outer, inner) if outer > 1 else (inner,))
    return Value(g.repeated(layer, (outer, inner) if outer > 1 else (inner,), 1 if outer > 1 else 0, times), grown)


def cut(g: Graph, operand: Operand, axis: int, start: int, end: int, step: int = 1) -> Operand:
    """A part along one axis."""
    axis %= len(operand.shape)
    size = len(range(start, end, step))
    shape = (*operand.shape[:axis], size, *operand.shape[axis + 1 :])
    if isinstance(operand, Weight):
        return Weight(shape, operand.sources, computed=operand.computed)
    if isinstance(operand, Constant):
        part = tuple(slice(start, end, step) if i == axis else slice(None) for i in range(len(shape)))
        return Constant(shape, operand.data[part] if operand.data is not None else None)
    if shape == operand.shape:
        return operand
    return _cut_below(g, operand, axis, start, end, step)


def _cut_below(g: Graph, value: Value, axis: int, start: int, end: int, step: int) -> Value:
    """A change of order that comes last is done after the cut, so that it may vanish."""
    last = value.views[-1] if value.views else None
    if last is not None and last.order is not None:
        inner = Value(value.layer, value.base, value.views[:-1])
        part = _cut_below(g, inner, last.order[axis], start, end, step)
        return with_view(part, View(tuple(part.shape[i] for i in last.order), last.order))
    size = len(range(start, end, step))
    shape = (*value.shape[:axis], size, *value.shape[axis + 1 :])
    per_sample = sample(value.shape)
    at = axis - (len(value.shape) - len(per_sample))
    if axis == len(value.shape) - 1:
        layer = g.rows(value)
        dimension = len(g.network.shape(layer)) - 1
    else:
        layer, dimension = (g.at(value), at) if len(per_sample) <= 6 else _three_parts(g, value, axis)
    attributes = {"axis": dimension, "start": start, "end": end, **({"step": step} if step > 1 else {})}
    return g.add("slice", [layer], shape, **attributes)


def _three_parts(g: Graph, value: Value, axis: int) -> tuple[int, int]:
    shape = value.shape
    parts = (elements(shape[:axis]), shape[axis], elements(shape[axis + 1 :]))
    return g.at(value, parts), 1


def concat(g: Graph, operands: Sequence[Operand], axis: int, shape: Shape) -> Operand:
    """One behind the other along an axis; learned tokens in front of or behind a value are a kind of their own."""
    values = [operand for operand in operands if isinstance(operand, Value)]
    axis %= len(shape)
    if not values:
        return folded(operands, shape)
    operands = [operand for operand in operands if elements(operand.shape) > 0]
    if len(operands) == 1:
        return operands[0]
    weights = [operand for operand in operands if isinstance(operand, Weight)]
    if len(values) == 1 and len(values) + len(weights) == len(operands):
        return _with_tokens(g, values[0], weights, shape)
    joined = [as_value(g, operand) for operand in operands]
    outer = elements(shape[:axis])
    if outer == 1:
        layers = [g.at(value, (value.shape[axis], *shape[axis + 1 :])) for value in joined]
        return g.add("concat", layers, shape, axis=0)
    if len(sample(shape)) <= 6:
        layers = [g.at(value) for value in joined]
        return g.add("concat", layers, shape, axis=axis - (len(shape) - len(sample(shape))))
    return g.add("concat", [_three_parts(g, value, axis)[0] for value in joined], shape, axis=1)


def _with_tokens(g: Graph, value: Value, weights: Sequence[Weight], shape: Shape) -> Value:
    features = shape[-1]
    learned = sum(elements(weight.shape) for weight in weights)
    if learned % features != 0 or elements(value.shape) % features != 0:
        features = 1
    layer = g.at(value, (elements(value.shape) // features, features))
    return g.add("learned_token", [layer], shape, count=learned // features, **_shared(g.take(*weights)))


def pad(g: Graph, operand: Operand, before: Axes, behind: Axes) -> Operand:
    """More elements around it, for each dimension; negative numbers cut."""
    shape = tuple(size + b + e for size, b, e in zip(operand.shape, before, behind))
    if not isinstance(operand, Value):
        return folded([operand], shape)
    value = operand
    for axis, (b, e) in enumerate(zip(before, behind)):
        if b < 0 or e < 0:
            size = value.shape[axis]
            part = cut(g, value, axis, max(-b, 0), size - max(-e, 0))
            assert isinstance(part, Value)
            value = part
    before, behind = [max(b, 0) for b in before], [max(e, 0) for e in behind]
    if not any(before) and not any(behind):
        return value
    per_sample = sample(value.shape)
    skip = len(value.shape) - len(per_sample)
    if len(per_sample) > 6 or any(before[:skip]) or any(behind[:skip]):
        per_sample, skip = value.shape, 0
    return g.add("pad", [g.at(value, per_sample)], shape, padding=before[skip:], padding_end=behind[skip:])


# ---- Element by element.


def _aligned(g: Graph, values: Sequence[Value], shape: Shape) -> list[int]:
    """Layers of as many dimensions as the result, as the kinds that broadcast want them."""
    plain = [g.plain(value) for value in values] if all(value.shape == shape for value in values) else []
    if plain and all(g.network.shape(layer) == g.network.shape(plain[0]) for layer in plain):
        return plain
    whole = sample(shape)
    aligned = []
    for value in values:
        padded = (1,) * (len(shape) - len(value.shape)) + value.shape
        aligned.append(g.at(value, padded[len(padded) - len(whole) :] if shape else (1,)))
    return aligned


def pointwise(g: Graph, kind: str, operands: Sequence[Operand], shape: Shape, **attributes: float | str) -> Operand:
    """A function of elements. Learned operands of sums and products are parameters; of others they are inputs."""
    values = [operand for operand in operands if isinstance(operand, Value)]
    weights = [operand for operand in operands if isinstance(operand, Weight)]
    if not values:
        return folded(operands, shape)
    if weights and kind in ("add", "subtract", "multiply", "divide"):
        return _with_weights(g, kind, values, weights, shape)
    values += [as_value(g, weight) for weight in weights]
    order = _common_order(values, shape)
    if order is not None:
        inner = [permute(value, _inverse(order)) for value in values]
        made = pointwise(g, kind, inner, tuple(shape[i] for i in _inverse(order)), **attributes)
        return permute(made, order)
    if len(values) == 1 and values[0].shape != shape:
        grown = expand(g, values[0], shape)
        assert isinstance(grown, Value)
        values = [grown]
    return g.add(kind, _aligned(g, values, shape), shape, **attributes)


def _common_order(values: Sequence[Value], shape: Shape) -> tuple[int, ...] | None:
    """The order in which all values are seen, if it is the same: elements need not move for functions of them."""
    orders = {value.views[-1].order if value.views and value.shape == shape else None for value in values}
    return orders.pop() if len(orders) == 1 else None


def _inverse(order: Sequence[int]) -> list[int]:
    return sorted(range(len(order)), key=lambda i: order[i])


def _with_weights(g: Graph, kind: str, values: list[Value], weights: list[Weight], shape: Shape) -> Operand:
    value = values[0]
    if len(values) > 1:
        joined = pointwise(g, kind, values, shape)
        assert isinstance(joined, Value)
        value = joined
    for weight in weights:
        if elements(value.shape) != elements(shape) or elements(weight.shape) > elements(value.shape):
            joined = pointwise(g, kind, [value, as_value(g, weight)], shape)
            assert isinstance(joined, Value)
            value = joined
        else:
            value = _learned_operand(g, kind, value, weight, shape)
    return value


def _learned_operand(g: Graph, kind: str, value: Value, weight: Weight, shape: Shape) -> Value:
    """A sum or product with a learned tensor that is broadcast over the value."""
    sum_ = kind in ("add", "subtract")
    whole = sample(shape)
    total = sum(source.elements for source in weight.sources)
    rows = total // shape[-1] if shape and total % shape[-1] == 0 else 0
    if sum_ and len(whole) == 2 and sample(weight.shape) == whole and rows >= whole[0]:
        shared = _shared(g.take(weight, whole=True))
        return g.add("positional_embedding", [g.at(value, whole)], shape, positions=rows, **shared)
    if weight.rows is not None or (weight.computed and weight.parameters != elements(weight.shape)):
        table = expand(g, as_value(g, weight), weight.shape)
        assert isinstance(table, Value)
        return g.add(kind, _aligned(g, [value, table], shape), shape)
    kind = "bias" if sum_ else "scale"
    padded = ((1,) * (len(shape) - len(weight.shape)) + weight.shape)[len(shape) - len(whole) :]
    axes = [axis for axis, size in enumerate(padded) if size > 1]
    if len(axes) == 1 and padded[axes[0]] == whole[axes[0]]:
        return g.add(kind, [g.at(value, whole)], shape, axis=axes[0], **_shared(g.take(weight)))
    count = elements(weight.shape)
    parts = (count, elements(shape) // count)
    return g.add(kind, [g.at(value, parts)], shape, axis=0, **_shared(g.take(weight)))


def activation(g: Graph, kind: str, operand: Operand, **attributes: float | str | bool) -> Operand:
    """A function of one tensor that keeps its shape."""
    if not isinstance(operand, Value):
        return folded([operand], operand.shape)
    order = _common_order([operand], operand.shape)
    if order is not None:
        return permute(activation(g, kind, permute(operand, _inverse(order)), **attributes), order)
    return g.add(kind, [g.plain(operand)], operand.shape, **attributes)


def local_response_norm(g: Graph, operand: Operand, size: int) -> Operand:
    """Local response normalisation of an image."""
    if not isinstance(operand, Value):
        return folded([operand], operand.shape)
    return g.add("lrn", [g.at(operand)], operand.shape, size=size)


def prelu(g: Graph, operand: Operand, slope: Learned) -> Operand:
    """PReLU; with one slope or one for each channel."""
    if not isinstance(operand, Value):
        return folded([operand], operand.shape)
    weight = _learned(slope)
    if weight is None:
        return activation(g, "leaky_relu", operand)
    many = elements(weight.shape) > 1
    return g.add("prelu", [g.at(operand)], operand.shape, channels=many, **_shared(g.take(weight)))


def softmax(g: Graph, operand: Operand, axis: int) -> Operand:
    """Softmax along an axis."""
    if not isinstance(operand, Value):
        return folded([operand], operand.shape)
    shape = operand.shape
    axis %= max(len(shape), 1)
    if axis == len(shape) - 1:
        return g.add("softmax", [g.rows(operand)], shape)
    skip = len(shape) - len(sample(shape))
    if axis < skip or len(sample(shape)) > 6:
        layer = g.at(operand, (elements(shape[:axis]), shape[axis], elements(shape[axis + 1 :])))
        return g.add("softmax", [layer], shape, axis=1)
    return g.add("softmax", [g.at(operand)], shape, axis=axis - skip)


def reduce(g: Graph, operand: Operand, axes: Axes, shape: Shape, exact: bool) -> Operand:
    """A mean over some axes, or another reduction, for which one stands."""
    if not isinstance(operand, Value):
        return folded([operand], shape)
    if not exact:
        g.near()
    rank = len(operand.shape)
    reduced = sorted({axis % rank for axis in axes}) if axes else list(range(rank))
    if rank in (3, 4, 5) and operand.shape[0] == 1 and reduced == list(range(2, rank)) and exact:
        return g.add("global_avg_pool", [g.at(operand)], shape)
    kept = [axis for axis in reduced if operand.shape[axis] > 1]
    if not kept:
        return with_view(operand, View(shape))
    skip = rank - len(sample(operand.shape))
    if min(kept) < skip or len(sample(operand.shape)) > 6:
        layer = g.at(operand, tuple(size for size in operand.shape if size > 1))
        kept = [sum(size > 1 for size in operand.shape[:axis]) for axis in kept]
        return g.add("mean", [layer], shape, axis=kept)
    return g.add("mean", [g.at(operand)], shape, axis=[axis - skip for axis in kept])


# ---- Products.


def linear(g: Graph, x: Operand, weight: Operand, bias: Learned, shape: Shape) -> Operand:
    """x W with W over the last dimension of x, plus a bias."""
    if not isinstance(weight, Weight):
        if isinstance(weight, Constant):
            g.near("a fixed matrix is taken as a linear layer without parameters")
            weight = Weight(weight.shape, frozenset())
        else:
            raise Unmapped("a linear layer whose weights are computed")
    value = as_value(g, x)
    layer = g.rows(value)
    bias = None if _zero(bias) else bias
    shared, together = _take_both(g, weight, _learned(bias))
    out = g.add("linear", [layer], shape, out_features=shape[-1], bias=together, **_shared(shared))
    return out if together or bias is None else pointwise(g, "add", [out, bias], shape)


def _zero(bias: Learned) -> bool:
    """Whether a bias is left out, as exporters write it: zeros."""
    return isinstance(bias, Constant) and bias.data is not None and not bias.data.any()


def _take_both(g: Graph, weight: Weight, bias: Weight | None) -> tuple[bool, bool]:
    """Whether a layer shares its matrix, and whether it has the bias: only if both are shared, or neither is."""
    shared = g.is_counted(weight) or not weight.sources
    together = bias is not None and g.is_counted(bias) == shared and bool(weight.sources)
    g.take(weight)
    if together:
        g.take(bias)
    return shared, together


def _transposed(value: Value) -> tuple[Value, bool]:
    """A value whose last view swaps the last two dimensions, without that view."""
    last = value.views[-1] if value.views else None
    if last is None or last.order is None:
        return value, False
    rank = len(last.order)
    if last.order != (*range(rank - 2), rank - 1, rank - 2):
        return value, False
    return Value(value.layer, value.base, value.views[:-1]), True


def matmul(g: Graph, a: Operand, b: Operand, shape: Shape) -> Operand:
    """The product of two tensors, as numpy.matmul has it; one may be learned."""
    if not isinstance(a, Value) and not isinstance(b, Value):
        if isinstance(a, Weight) or isinstance(b, Weight):
            g.near("products of learned tensors alone are not counted: they do not depend on the input")
        return folded([a, b], shape)
    if isinstance(a, Value) and not isinstance(b, Value):
        return _weighted(g, a, b, shape)
    if isinstance(b, Value) and not isinstance(a, Value):
        vector = len(b.shape) == 1
        turned = b if vector else swap(b, -1, -2)
        flipped = a if len(a.shape) == 1 else swap(a, -1, -2)
        assert not isinstance(flipped, Value)
        out_shape = shape if vector or len(a.shape) == 1 else (*shape[:-2], shape[-1], shape[-2])
        assert isinstance(turned, Value)
        out = _weighted(g, turned, flipped, out_shape)
        return out if out_shape == shape else swap(out, -1, -2)
    assert isinstance(a, Value) and isinstance(b, Value)
    return _product(g, a, b, shape)


def _weighted(g: Graph, x: Value, weight: Weight | Constant, shape: Shape) -> Operand:
    """x times a learned matrix, or one for each of several."""
    batches = elements(weight.shape[:-2])
    if len(weight.shape) <= 2 or batches == 1:
        if len(weight.shape) == 1:
            out = linear(g, x, weight, None, (*shape, 1))
            return reshape(out, shape)
        return linear(g, x, weight, None, shape)
    if not isinstance(weight, Weight):
        return _product(g, x, as_value(g, weight), shape)
    k, n = weight.shape[-2:]
    rows = elements(shape) // (batches * n)
    if elements(x.shape) != batches * k * rows:
        return _product(g, x, as_value(g, weight), shape)
    layer = g.unordered(x, (batches * k, rows))
    shared = _shared(g.take(weight))
    return g.add("conv1d", [layer], shape, out_channels=batches * n, kernel=1, groups=batches, bias=False, **shared)


def _product(g: Graph, a: Value, b: Value, shape: Shape) -> Operand:
    if len(a.shape) == 1:
        a = with_view(a, View((1, *a.shape)))
    if len(b.shape) == 1:
        b = with_view(b, View((*b.shape, 1)))
    a, transpose_a = _transposed(a)
    b, transpose_b = _transposed(b)
    rank = max(len(a.shape), len(b.shape), 2)
    skip = 1 if rank > 2 and all(len(x.shape) < rank or x.shape[0] == 1 for x in (a, b)) else 0
    layers = []
    for x in (a, b):
        padded = (1,) * (rank - len(x.shape)) + x.shape
        layers.append(g.at(x, _few(padded[skip:], x is a)))
    switches = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return g.add("matmul", layers, shape, **{name: True for name, on in switches.items() if on})


def _few(shape: Shape, _first: bool) -> Shape:
    """At most six dimensions: leading ones of size 1 go."""
    while len(shape) > 6 and shape[0] == 1:
        shape = shape[1:]
    return shape


def attention(
    g: Graph,
    q: Operand,
    k: Operand,
    v: Operand,
    shape: Shape,
    causal: bool = False,
    dropout: float = 0.0,
    mask: Operand | None = None,
) -> Operand:
    """Scaled dot-product attention of tensors whose last dimensions are heads, tokens, features of a head.

    A mask that is made of trained tensors is a table of biases by relative position.
    """
    values = [as_value(g, x) for x in (q, k, v)]
    if any(len(x.shape) < 3 for x in values):
        values = [with_view(x, View((1, *x.shape))) for x in values]
        if len(values[0].shape) < 3:
            raise Unmapped("attention without heads")
    heads, kv_heads = values[0].shape[-3], values[1].shape[-3]
    attributes: dict[str, float | bool] = {"heads": heads}
    if isinstance(mask, Weight) and mask.parameters % heads == 0:
        attributes["bias_rows"] = mask.parameters // heads
        attributes.update(_shared(g.take(mask)))
    else:
        attributes["flash"] = True
    if kv_heads != heads:
        attributes["kv_heads"] = kv_heads
    if causal:
        attributes["causal"] = True
    if dropout > 0:
        attributes["dropout"] = dropout
    layers = [_tokens(g, x) for x in values]
    rank = len(shape)
    if rank < 3:
        return g.add("attention", layers, shape, **attributes)
    joined = (*shape[:-3], shape[-2], shape[-3], shape[-1])
    made = g.add("attention", layers, (*joined[:-2], joined[-2] * joined[-1]), **attributes)
    order = (*range(rank - 3), rank - 2, rank - 3, rank - 1)
    return with_view(with_view(made, View(joined)), View(shape, order))


def _tokens(g: Graph, value: Value) -> int:
    """tokens x (heads x features), whatever the order: attention reads its operands where they lie."""
    *leading, heads, tokens, features = value.shape
    batches = elements(tuple(leading))
    shape = (tokens, heads * features) if batches == 1 else (batches, tokens, heads * features)
    return g.unordered(value, shape)


# ---- Windows.


def convolution(
    g: Graph,
    x: Operand,
    weight: Operand,
    bias: Learned,
    shape: Shape,
    stride: Axes,
    padding: Axes,
    padding_end: Axes,
    dilation: Axes,
    groups: int,
    transposed: bool = False,
    output_padding: Axes = (),
) -> Operand:
    """Convolution in one to three dimensions; the weight is out x in/groups x kernel, or, transposed, in x out/groups x
    kernel."""
    if not isinstance(weight, Weight):
        raise Unmapped("a convolution whose weights are computed or fixed")
    value, kernel, axes = as_value(g, x), weight.shape[2:], len(weight.shape) - 2
    if len(value.shape) == axes + 1:
        value = with_view(value, View((1, *value.shape)))
    images = value.shape[0]
    windows = {"kernel": kernel, "stride": tuple(stride), "padding": tuple(padding), "dilation": tuple(dilation)}
    if tuple(padding_end) != tuple(padding):
        windows["padding_end"] = tuple(padding_end)
    if transposed and any(output_padding):
        windows["output_padding"] = tuple(output_padding)
    out_channels = weight.shape[1] * groups if transposed else weight.shape[0]
    layer, axes = g.at(value, tuple(value.shape[1:])) if images == 1 else -1, axes
    if images > 1:
        layer, axes, windows = _many_images(g, value, axes, windows)
    bias = None if _zero(bias) else bias
    shared, together = _take_both(g, weight, _learned(bias))
    attributes = {name: tuple(numbers) for name, numbers in windows.items() if any(n != _usual(name) for n in numbers)}
    made = g.add(
        f"conv_transpose{axes}d" if transposed else f"conv{axes}d",
        [layer],
        shape,
        out_channels=out_channels,
        bias=together,
        **attributes,
        **({"groups": groups} if groups != 1 else {}),
        **_shared(shared),
    )
    if bias is None or together:
        return made
    return pointwise(g, "add", [made, reshape(bias, (out_channels, *([1] * (len(shape) - 2))))], shape)


def _usual(name: str) -> int:
    return {"stride": 1, "dilation": 1, "padding": 0, "output_padding": 0}.get(name, -1)


def _many_images(
    g: Graph, value: Value, axes: int, windows: dict[str, tuple[int, ...]]
) -> tuple[int, int, dict[str, tuple[int, ...]]]:
    """Several images in one sample: one more dimension, in which the window is 1."""
    if axes > 2:
        raise Unmapped("a convolution of several volumes in one sample")
    images, channels, *space = value.shape
    layer = g.at(with_view(value, View((channels, images, *space), (1, 0, *range(2, len(value.shape))))))
    more = {name: (1 if name in ("kernel", "stride", "dilation") else 0, *numbers) for name, numbers in windows.items()}
    return layer, axes + 1, more


def pool(
    g: Graph,
    kind: str,
    x: Operand,
    shape: Shape,
    kernel: Axes,
    stride: Axes,
    padding: Axes,
    padding_end: Axes,
    ceil: bool = False,
) -> Operand:
    """Maximum or average of windows."""
    if not isinstance(x, Value):
        return folded([x], shape)
    axes = len(kernel)
    space = x.shape[len(x.shape) - axes :]
    value_shape = (elements(x.shape[:-axes]), *space)
    attributes: dict[str, AttributeTuple] = {"kernel": tuple(kernel), "stride": tuple(stride)}
    if any(padding) or any(padding_end):
        attributes["padding"] = tuple(padding)
        if tuple(padding_end) != tuple(padding):
            attributes["padding_end"] = tuple(padding_end)
    if ceil:
        attributes["ceil"] = True
    return g.add(kind, [g.at(x, value_shape)], shape, **attributes)


AttributeTuple = tuple[int, ...] | bool


def adaptive_pool(g: Graph, x: Operand, shape: Shape, axes: int, maximum: bool = False) -> Operand:
    """Average or maximum of windows that make a given size."""
    if not isinstance(x, Value):
        return folded([x], shape)
    size, given = shape[len(shape) - axes :], x.shape[len(x.shape) - axes :]
    value_shape = (elements(x.shape[:-axes]), *given)
    if maximum:
        if all(have % want == 0 for have, want in zip(given, size)):
            kernel = [have // want for have, want in zip(given, size)]
            return pool(g, "max_pool", x, shape, kernel, kernel, [0] * axes, [0] * axes)
        g.near("an adaptive maximum is taken as an adaptive average")
    if all(want == 1 for want in size):
        return g.add("global_avg_pool", [g.at(x, value_shape)], shape)
    return g.add("adaptive_avg_pool", [g.at(x, value_shape)], shape, size=size)


def interpolate(g: Graph, x: Operand, shape: Shape, mode: str) -> Operand:
    """Another size of an image."""
    if not isinstance(x, Value):
        return folded([x], shape)
    axes = len(shape) - 2
    value_shape = (elements(x.shape[:2]), *x.shape[2:])
    return g.add("interpolate", [g.at(x, value_shape)], shape, size=shape[2 : 2 + axes], mode=mode)


# ---- Norms.


def batch_norm(g: Graph, x: Operand, weight: Learned, bias: Learned) -> Operand:
    """Batch norm over channels, the dimension behind the batch."""
    if not isinstance(x, Value):
        return folded([x], x.shape)
    shape = x.shape
    affine = [w for w in (_learned(weight), _learned(bias)) if w is not None]
    if shape[0] == 1 or len(shape) == 1:
        layer = g.at(x)
    else:
        order = (1, 0, *range(2, len(shape)))
        layer = g.at(with_view(x, View(tuple(shape[axis] for axis in order), order)))
    return g.add("batch_norm", [layer], shape, affine=bool(affine), **_shared(g.take(*affine)))


def layer_norm(g: Graph, x: Operand, dims: int, weight: Learned, bias: Learned, kind: str = "layer_norm") -> Operand:
    """Layer norm or RMS norm over the last `dims` dimensions."""
    if not isinstance(x, Value):
        return folded([x], x.shape)
    scale, shift = _learned(weight), _learned(bias)
    attributes: dict[str, float | bool] = {} if dims == 1 else {"dims": dims}
    if scale is None:
        attributes["affine"] = False
    elif shift is None and kind == "layer_norm":
        attributes["bias"] = False
    layer = g.rows(x) if dims == 1 else g.at(x)
    return g.add(kind, [layer], x.shape, **attributes, **_shared(g.take(scale, shift)))


def group_norm(g: Graph, x: Operand, groups: int, weight: Learned, bias: Learned) -> Operand:
    """Group norm; with one channel in a group, instance norm."""
    if not isinstance(x, Value):
        return folded([x], x.shape)
    images, channels = x.shape[:2]
    learned = [w for w in (_learned(weight), _learned(bias)) if w is not None]
    if images > 1:
        g.near()
    layer = g.at(x, (channels, elements(x.shape) // channels) if images > 1 else None)
    shared = _shared(g.take(*learned))
    if groups == channels and 3 <= len(x.shape) <= 5:
        return g.add("instance_norm", [layer], x.shape, affine=bool(learned), **shared)
    return g.add("group_norm", [layer], x.shape, groups=groups, affine=bool(learned), **shared)


# ---- Tables and recurrent layers.


def embedding(g: Graph, indices: Operand, weight: Operand, rows: int, features: int) -> Value:
    """Rows of a learned table."""
    value = as_value(g, indices)
    shape = (*value.shape, features)
    if not isinstance(weight, Weight):
        g.near("rows of a fixed table are taken as learned and shared")
        return g.add("embedding", [g.at(value)], shape, entries=rows, features=features, shared=True)
    return g.add("embedding", [g.at(value)], shape, entries=rows, features=features, **_shared(g.take(weight)))


def look_up(g: Graph, indices: Operand, weight: Operand) -> Operand:
    """Rows of a table at computed or fixed indices."""
    rows, features = weight.shape[0], elements(weight.shape[1:])
    shape = (*indices.shape, *weight.shape[1:])
    if isinstance(weight, Value):
        g.near()
        return g.copy(weight, shape)
    if isinstance(indices, Value):
        made = embedding(g, indices, weight, rows, features)
        return reshape(made, shape)
    if isinstance(weight, Weight):
        return Weight(shape, weight.sources, rows if len(weight.shape) == 2 else None)
    return Constant(shape)


def recurrent(
    g: Graph,
    kind: str,
    x: Operand,
    weights: Sequence[Weight],
    shape: Shape,
    tokens: int,
    hidden: int,
    layers: int,
    bidirectional: bool,
    bias_vectors: int,
    projection: int = 0,
) -> Value:
    """A stack of recurrent layers over tokens."""
    value = as_value(g, x)
    features = value.shape[-1]
    attributes: dict[str, float | bool] = {"hidden": hidden}
    if layers > 1:
        attributes["layers"] = layers
    if bidirectional:
        attributes["bidirectional"] = True
    if bias_vectors == 0:
        attributes["bias"] = False
    elif bias_vectors == 1:
        attributes["bias_vectors"] = 1
    if projection:
        attributes["projection"] = projection
    layer = g.at(value, (tokens, features))
    return g.add(kind, [layer], shape, **attributes, **_shared(g.take(*weights)))
