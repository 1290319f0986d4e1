"""Rearrangement: the same elements in another shape, order or number."""

from __future__ import annotations

from collections.abc import Sequence

from ._graph import Constant, Graph, Operand, Shape, Value, View, Weight, elements, sample, with_view
from ._operands import Axes, as_value, folded, sharing


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
    return g.add("learned_token", [layer], shape, count=learned // features, **sharing(g.take(*weights)))


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
