"""Norms."""

from __future__ import annotations

from ._graph import Graph, Operand, Value, View, elements, with_view
from ._operands import Learned, as_weight, folded, sharing
from ._pointwise import pointwise
from ._rearranged import reshape


def batch_norm(g: Graph, x: Operand, weight: Learned, bias: Learned) -> Operand:
    """Batch norm over channels, the dimension behind the batch. Of weights, it is a part of what makes them."""
    affine = [w for w in (as_weight(weight), as_weight(bias)) if w is not None]
    if not isinstance(x, Value):
        return folded([x, *affine], x.shape)
    shape = x.shape
    if shape[0] == 1 or len(shape) == 1:
        layer = g.at(x)
    else:
        order = (1, 0, *range(2, len(shape)))
        layer = g.at(with_view(x, View(tuple(shape[axis] for axis in order), order)))
    return g.add("batch_norm", [layer], shape, affine=bool(affine), **sharing(g.take(*affine)))


def layer_norm(g: Graph, x: Operand, dims: int, weight: Learned, bias: Learned, kind: str = "layer_norm") -> Operand:
    """Layer norm or RMS norm over the last `dims` dimensions."""
    if not isinstance(x, Value):
        return folded([x], x.shape)
    scale, shift = as_weight(weight), as_weight(bias)
    attributes: dict[str, float | bool] = {} if dims == 1 else {"dims": dims}
    if scale is None:
        attributes["affine"] = False
    elif shift is None and kind == "layer_norm":
        attributes["bias"] = False
    layer = g.rows(x) if dims == 1 else g.at(x)
    return g.add(kind, [layer], x.shape, **attributes, **sharing(g.take(scale, shift)))


def group_norm(g: Graph, x: Operand, groups: int, weight: Learned, bias: Learned) -> Operand:
    """Group norm; with one channel in a group, instance norm."""
    if not isinstance(x, Value):
        return folded([x], x.shape)
    images, channels = x.shape[:2]
    learned = [w for w in (as_weight(weight), as_weight(bias)) if w is not None]
    if images > 1:
        g.near()
    layer = g.at(x, (channels, elements(x.shape) // channels) if images > 1 else None)
    if len(learned) == 1:
        plain = g.add("group_norm", [layer], x.shape, groups=groups, affine=False)
        each = reshape(learned[0], (channels, *([1] * (len(x.shape) - 2))))
        return pointwise(g, "multiply" if as_weight(weight) is not None else "add", [plain, each], x.shape)
    shared = sharing(g.take(*learned))
    if groups == channels and 3 <= len(x.shape) <= 5:
        return g.add("instance_norm", [layer], x.shape, affine=bool(learned), **shared)
    return g.add("group_norm", [layer], x.shape, groups=groups, affine=bool(learned), **shared)
