"""Operands of frameworks as values that flow through layers, weights and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ._graph import Constant, Graph, Operand, Shape, Value, Weight, elements

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
    if operand.rows is not None and shape == operand.shape and operand.parameters == operand.rows * shape[-1]:
        indices = g.input(f"{name}.indices", shape[:-1] or (1,))
        return embedding(g, indices, operand, operand.rows, shape[-1])
    g.near(f"the learned tensor {name} is an input, and a bias on it")
    count = operand.parameters
    value = g.input(name, (count,))
    layer = g.add("bias", [g.at(value)], (count,), axis=0, **sharing(g.take(operand)))
    return Value(layer.layer, shape) if count == elements(shape) else g.copy(layer, shape)


def is_whole(weight: Weight) -> bool:
    """Whether a layer that has a tensor of this shape has as many parameters as are behind it: rows that are looked up
    in a table, and what was put together or stretched, have others."""
    return weight.parameters == elements(weight.shape)


def sharing(shared: bool) -> dict[str, bool]:
    return {"shared": True} if shared else {}


def as_weight(operand: Learned) -> Weight | None:
    return operand if isinstance(operand, Weight) else None


def embedding(g: Graph, indices: Operand, weight: Operand, rows: int, features: int) -> Value:
    """Rows of a learned table."""
    value = as_value(g, indices)
    shape = (*value.shape, features)
    if not isinstance(weight, Weight):
        g.near("rows of a fixed table are taken as learned and shared")
        return g.add("embedding", [g.at(value)], shape, entries=rows, features=features, shared=True)
    return g.add("embedding", [g.at(value)], shape, entries=rows, features=features, **sharing(g.take(weight)))
