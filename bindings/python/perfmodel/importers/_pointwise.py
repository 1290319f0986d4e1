"""Element by element: sums and products, activations, softmax, reductions."""

from __future__ import annotations

from collections.abc import Sequence

from ._graph import Graph, Operand, Shape, Value, View, Weight, elements, sample, with_view
from ._operands import Axes, Learned, as_value, as_weight, folded, sharing
from ._rearranged import expand, permute


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
        shared = sharing(g.take(weight, whole=True))
        return g.add("positional_embedding", [g.at(value, whole)], shape, positions=rows, **shared)
    if weight.rows is not None or (weight.computed and weight.parameters != elements(weight.shape)):
        table = expand(g, as_value(g, weight), weight.shape)
        assert isinstance(table, Value)
        return g.add(kind, _aligned(g, [value, table], shape), shape)
    kind = "bias" if sum_ else "scale"
    padded = ((1,) * (len(shape) - len(weight.shape)) + weight.shape)[len(shape) - len(whole) :]
    axes = [axis for axis, size in enumerate(padded) if size > 1]
    if len(axes) == 1 and padded[axes[0]] == whole[axes[0]]:
        return g.add(kind, [g.at(value, whole)], shape, axis=axes[0], **sharing(g.take(weight)))
    count = elements(weight.shape)
    parts = (count, elements(shape) // count)
    return g.add(kind, [g.at(value, parts)], shape, axis=0, **sharing(g.take(weight)))


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
    weight = as_weight(slope)
    if weight is None:
        return activation(g, "leaky_relu", operand)
    many = elements(weight.shape) > 1
    return g.add("prelu", [g.at(operand)], operand.shape, channels=many, **sharing(g.take(weight)))


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
