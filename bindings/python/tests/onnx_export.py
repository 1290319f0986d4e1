"""ONNX models of modules on the meta device: what torch exports, its weights said to be in a file that is nowhere."""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from typing import Any

import torch


def export(module: torch.nn.Module, inputs: list[torch.Tensor], **options: Any) -> bytes:
    """The bytes of the model file. Of a 7-billion-parameter model they are a few megabytes."""
    import onnx_ir

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        warnings.simplefilter("ignore")
        program = torch.onnx.export(module, tuple(inputs), dynamo=True, optimize=False, verbose=False, **options)
    offset = 0
    for value in program.model.graph.initializers.values():
        tensor = value.const_value
        if isinstance(getattr(tensor, "raw", None), torch.Tensor) and tensor.raw.device.type == "meta":
            value.const_value = onnx_ir.ExternalTensor(
                "nowhere.bin", offset, tensor.nbytes, tensor.dtype, shape=tensor.shape, name=value.name
            )
            offset += tensor.nbytes
    data: bytes = onnx_ir.to_proto(program.model).SerializeToString()
    return data
