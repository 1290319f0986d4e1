"""Tables and recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence

from ._graph import Constant, Graph, Operand, Shape, Value, Weight, elements
from ._operands import as_value, embedding, sharing
from ._rearranged import reshape


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
    return g.add(kind, [layer], shape, **attributes, **sharing(g.take(*weights)))
