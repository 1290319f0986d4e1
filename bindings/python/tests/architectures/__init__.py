"""Well-known networks in plain torch.nn, written down from their papers and built on the meta device.

`ARCHITECTURES[id]` makes the network that the catalogue calls so, `INPUTS[id]` tells its inputs: shapes of one sample,
or names of integer inputs with their shapes. Importing this package needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from . import classic, mobile, residual, sequences, transformers_

ARCHITECTURES: dict[str, Callable[[], nn.Module]] = {
    **classic.NETWORKS,
    **residual.NETWORKS,
    **mobile.NETWORKS,
    **transformers_.NETWORKS,
    **sequences.NETWORKS,
}


def build(id: str) -> nn.Module:
    """The network with its tensors on the meta device, in evaluation mode."""
    with torch.device("meta"):
        return ARCHITECTURES[id]().eval()


def inputs(id: str) -> list[torch.Tensor]:
    """Example inputs on the meta device, with a batch of 1."""
    return [torch.empty((1, *shape), dtype=kind, device="meta") for shape, kind in _inputs(id)]


def _inputs(id: str) -> list[tuple[tuple[int, ...], Any]]:
    for module in (classic, residual, mobile, transformers_, sequences):
        given: dict[str, Any] = getattr(module, "INPUTS", {})
        if id in given:
            return [(shape, torch.long if kind == "long" else torch.float32) for shape, kind in given[id]]
    return [((3, 224, 224), torch.float32)]
