"""Arithmetic on small constants of a graph: the shapes that exporters compute from shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .onnx_file import DTYPES

Array = npt.NDArray[Any]
MOST_ELEMENTS = 1 << 16


def _cast(a: Mapping[str, Any], x: Array) -> Array:
    return x.astype(DTYPES.get(int(a["to"]), "<f4"))


def _slice(a: Mapping[str, Any], x: Array, *rest: Array) -> Array:
    starts, ends, axes, steps = slice_arguments(a, x.ndim, rest)
    part = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        part[axis] = slice(start, end if step > 0 or end > -(1 << 30) else None, step)
    return x[tuple(part)]


def slice_arguments(a: Mapping[str, Any], rank: int, rest: Sequence[Any]) -> tuple[list[int], ...]:
    """Starts, ends, axes, steps; they were attributes once, and are inputs since version 10."""
    given = [None if x is None else [int(v) for v in np.ravel(x)] for x in rest]
    starts = given[0] if given and given[0] is not None else list(a.get("starts", []))
    ends = given[1] if len(given) > 1 and given[1] is not None else list(a.get("ends", []))
    axes = given[2] if len(given) > 2 and given[2] is not None else list(a.get("axes", range(len(starts))))
    steps = given[3] if len(given) > 3 and given[3] is not None else [1] * len(starts)
    return starts, ends, [axis % rank for axis in axes], steps


def _axes(a: Mapping[str, Any], rest: Sequence[Array]) -> list[int] | None:
    if rest:
        return [int(v) for v in np.ravel(rest[0])]
    return list(a["axes"]) if "axes" in a else None


def _unsqueeze(a: Mapping[str, Any], x: Array, *rest: Array) -> Array:
    axes = _axes(a, rest) or []
    rank = x.ndim + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        x = np.expand_dims(x, axis)
    return x


def _squeeze(a: Mapping[str, Any], x: Array, *rest: Array) -> Array:
    axes = _axes(a, rest)
    return x.squeeze() if axes is None else x.squeeze(tuple(axes))


def _reshape(a: Mapping[str, Any], x: Array, shape: Array) -> Array:
    sizes = [x.shape[i] if size == 0 and not a.get("allowzero") else int(size) for i, size in enumerate(shape)]
    return x.reshape(sizes)


def _fill(a: Mapping[str, Any], shape: Array) -> Array:
    value = a["value"].data() if "value" in a else np.zeros(1, dtype=np.float32)
    return np.full([int(size) for size in shape], value.reshape(-1)[0])


def _range(a: Mapping[str, Any], start: Array, limit: Array, delta: Array) -> Array:
    return np.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


def _divide(a: Mapping[str, Any], x: Array, y: Array) -> Array:
    """Towards zero for whole numbers."""
    if np.issubdtype(x.dtype, np.integer):
        return np.asarray(np.trunc(x / y)).astype(x.dtype)
    return np.asarray(x / y)


def _reduce(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(a: Mapping[str, Any], x: Array, *rest: Array) -> Array:
        axes = _axes(a, rest)
        return np.asarray(function(x, axis=tuple(axes) if axes else None, keepdims=bool(a.get("keepdims", 1))))

    return reduce


def _scatter(a: Mapping[str, Any], x: Array, indices: Array, updates: Array) -> Array:
    x = x.copy()
    x[tuple(np.moveaxis(indices, -1, 0))] = updates
    return x


def _split(a: Mapping[str, Any], x: Array, *rest: Array) -> list[Array]:
    sizes = [int(v) for v in rest[0]] if rest else list(a.get("split", []))
    axis = int(a.get("axis", 0))
    if not sizes:
        return list(np.array_split(x, int(a.get("num_outputs", 1)), axis))
    return list(np.split(x, np.cumsum(sizes)[:-1], axis))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def plain(a: Mapping[str, Any], *inputs: Any) -> Any:
        return function(*inputs)

    return plain


FOLD: dict[str, Callable[..., Any]] = {
    "Identity": lambda a, x: x,
    "Cast": _cast,
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Reshape": _reshape,
    "ConstantOfShape": _fill,
    "Range": _range,
    "Div": _divide,
    "Gather": lambda a, x, i: np.take(x, i, axis=int(a.get("axis", 0))),
    "Concat": lambda a, *x: np.concatenate(x, axis=int(a["axis"])),
    "Transpose": lambda a, x: x.transpose(a.get("perm")),
    "Expand": lambda a, x, shape: x * np.ones([int(v) for v in shape], dtype=x.dtype),
    "Tile": lambda a, x, times: np.tile(x, [int(v) for v in times]),
    "Split": _split,
    "ScatterND": _scatter,
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "Size": lambda a, x: np.array(x.size, dtype=np.int64),
    "Where": _plain(np.where),
    "Add": _plain(np.add), "Sub": _plain(np.subtract), "Mul": _plain(np.multiply), "Mod": _plain(np.mod),
    "Pow": _plain(np.power), "Sqrt": _plain(np.sqrt), "Neg": _plain(np.negative), "Abs": _plain(np.abs),
    "Floor": _plain(np.floor), "Ceil": _plain(np.ceil), "Round": _plain(np.round), "Not": _plain(np.logical_not),
    "And": _plain(np.logical_and), "Or": _plain(np.logical_or), "Equal": _plain(np.equal), "Less": _plain(np.less),
    "Greater": _plain(np.greater), "LessOrEqual": _plain(np.less_equal), "GreaterOrEqual": _plain(np.greater_equal),
    "Reciprocal": _plain(np.reciprocal), "Exp": _plain(np.exp), "Log": _plain(np.log), "Sign": _plain(np.sign),
    "Max": lambda a, *x: np.maximum.reduce(list(x)),
    "Min": lambda a, *x: np.minimum.reduce(list(x)),
    "Relu": lambda a, x: np.maximum(x, 0),
}  # fmt: skip


BROADCAST = frozenset(name for name, function in FOLD.items() if function.__name__ == "plain") | {"Max", "Min"}


def fold(type: str, attributes: Mapping[str, Any], inputs: Sequence[Array | None]) -> list[Array] | None:
    """What an operator makes of small constants; None if it is not one of these."""
    function = FOLD.get(type)
    given = list(inputs)
    while given and given[-1] is None:
        given.pop()
    if function is None or any(x is None for x in given) or sum(x.size for x in given if x is not None) > MOST_ELEMENTS:
        return None
    try:
        with np.errstate(all="ignore"):
            if _elements(type, attributes, given) > MOST_ELEMENTS:
                return None
            made = function(attributes, *given)
    except (ValueError, IndexError, TypeError, KeyError, ArithmeticError, MemoryError):
        return None
    return [np.asarray(x) for x in made] if isinstance(made, list) else [np.asarray(made)]


def _elements(type: str, attributes: Mapping[str, Any], given: Sequence[Any]) -> float:
    """How many an operator would make, of those that make more than they are given."""
    if type in ("ConstantOfShape", "Expand"):
        return float(max(_product(given[-1]), *(x.size for x in given[:-1]), 1))
    if type == "Tile":
        return float(given[0].size) * _product(given[1])
    if type == "Range":
        start, limit, delta = (float(x.item()) for x in given)
        return float(abs((limit - start) / delta))
    if type == "Gather":
        return float(given[0].size / max(given[0].shape[int(attributes.get("axis", 0))], 1) * given[1].size)
    if type == "Split":
        return float(attributes.get("num_outputs", 1))
    return float(np.prod(np.broadcast_shapes(*(x.shape for x in given)), dtype=np.float64)) if type in BROADCAST else 0


def _product(sizes: Array | None) -> float:
    return float(np.prod(sizes.astype(np.float64))) if sizes is not None and sizes.size else 1.0
