"""Products: linear layers, matrix multiplications, attention."""

from __future__ import annotations

from ._graph import Constant, Graph, Operand, Shape, Unmapped, Value, View, Weight, elements, with_view
from ._operands import Learned, as_value, as_weight, folded, is_whole, sharing
from ._rearranged import reshape, swap
from ._pointwise import pointwise


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
    bias = None if is_zero(bias) else bias
    shared, together = take_both(g, weight, as_weight(bias))
    out = g.add("linear", [layer], shape, out_features=shape[-1], bias=together, **sharing(shared))
    return out if together or bias is None else pointwise(g, "add", [out, bias], shape)


def is_zero(bias: Learned) -> bool:
    """Whether a bias is left out, as exporters write it: zeros."""
    return isinstance(bias, Constant) and bias.data is not None and not bias.data.any()


def take_both(g: Graph, weight: Weight, bias: Weight | None) -> tuple[bool, bool]:
    """Whether a layer shares its matrix, and whether it has the bias: only if both are shared, or neither is."""
    shared = g.is_counted(weight) or not weight.sources
    together = bias is not None and is_whole(bias) and g.is_counted(bias) == shared and bool(weight.sources)
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
    if isinstance(weight, Weight) and not is_whole(weight):
        return _product(g, x, as_value(g, weight), shape)
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
    shared = sharing(g.take(weight))
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
        attributes.update(sharing(g.take(mask)))
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
