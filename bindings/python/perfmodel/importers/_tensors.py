"""Tensors of torch in what a call takes and gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor; torch is imported only where one may be."""
    import torch

    return isinstance(value, torch.Tensor)


def tensors_in(value: Any) -> Iterator[Any]:
    """All tensors in nested tuples, lists and dicts."""
    if is_tensor(value):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
