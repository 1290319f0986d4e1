"""Single kernels on one GPU."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core, _record, _records, _shipped
from ._errors import NotFoundError
from ._fields import field
from ._inputs import Number, choice, floats, text
from ._record import Records
from ._system import as_gpu

Sizes = Union[Number, npt.ArrayLike]


def device(gpu: _records.Gpu | str, kernel_model: str) -> tuple[Records, Records]:
    """The GPU, and the constants of its kernels: none by the roofline, or if its architecture has none."""
    record = _record.write("gpu", as_gpu(gpu))
    roofline = choice("run", "kernel_model", kernel_model) == choice("run", "kernel_model", "roofline")
    constants = _record.array("kernel_calibration", _core.catalog_kernels(_shipped.handle(), record))
    return record, constants[:0] if roofline else constants


def gemm(
    m: Sizes,
    n: Sizes,
    k: Sizes,
    *,
    gpu: _records.Gpu | str,
    count: Sizes = 1,
    precision: str = "fp32",
    tn: bool = False,
    kernel_model: str = "calibrated",
) -> Records:
    """GEMMs m x n x k on one GPU (a record, or a name of the catalogue), without the time to start them.

    Sizes may be arrays, which are broadcast. The result is an array of their shape with the fields of
    `perfmodel.fields("kernel_time")`: time, algorithm, bound, flop, bytes, ...; algorithm and bound by number, as
    `fields` lists them. `tn`: both operands are stored along the contraction (BLAS: TN), as of a linear layer's
    forward pass; `kernel_model` is "calibrated" or "roofline".
    """
    record, constants = device(gpu, kernel_model)
    sizes = np.broadcast_arrays(*(floats(size, name) for size, name in zip((m, n, k, count), ("m", "n", "k", "count"))))
    kernels = np.zeros(sizes[0].shape, dtype=_record.dtype("kernel"))
    kernels["operation"] = choice("kernel", "operation", "gemm")
    kernels["precision"] = choice("kernel", "precision", precision)
    kernels["tn"] = tn
    for name, size in zip(("m", "n", "k", "count"), sizes):
        kernels[name] = size
    times = _core.kernel_times(record, constants, np.ascontiguousarray(kernels).reshape(-1))
    return _record.array("kernel_time", times).reshape(kernels.shape)


def host_link(record: Records) -> float:
    """Line rate [B/s] of the link between a GPU and its host; NaN if it is not known."""
    name = record["pcie"][0].decode()
    if not name:
        return float("nan")
    return float(_record.array("link", _core.catalog_record(_shipped.handle(), "link", name))["bandwidth"][0])


def kernel(
    operation: str,
    *,
    gpu: _records.Gpu | str,
    precision: str = "fp32",
    kernel_model: str = "calibrated",
    **fields: Sizes | str,
) -> Records:
    """Any kernel on one GPU, without the time to start it.

    `operation` is one of the operators, such as "conv-wgrad", "softmax", "rnn-forward", "attention",
    "embedding", "optimizer" or "copy"; the rest are fields of `perfmodel.fields("kernel")` (m, n, k, count, channels,
    height, ...), arrays of them if wanted, which are broadcast. A convolution has as many outputs as inputs, one group,
    a square window and stride 1 unless said otherwise; a copy goes over the link that the GPU's record names. The
    result is as that of `gemm`.
    """
    record, constants = device(gpu, kernel_model)
    known = _record.dtype("kernel").names or ()
    for name in fields:
        if name not in known or name in ("operation", "precision"):
            raise NotFoundError(f'a kernel has no field "{name}"; known are {", ".join(known)}')
    if "optimizer" in fields:
        fields["optimizer"] = choice("kernel", "optimizer", text(fields["optimizer"], "optimizer"))
    names = list(fields)
    values = np.broadcast_arrays(*(floats(value, name) for name, value in fields.items())) if names else []
    given: dict[str, Any] = dict(zip(names, values))
    given.setdefault("out_channels", given.get("channels", np.nan))
    given.setdefault("kernel_width", given.get("kernel_height", np.nan))
    given.setdefault("stride_width", given.get("stride_height", 1.0))
    given.setdefault("padding_width", given.get("padding_height", 0.0))
    for name, usual in (("count", 1.0), ("groups", 1.0), ("stride_height", 1.0), ("padding_height", 0.0)):
        given.setdefault(name, usual)
    if operation == "copy":
        given.setdefault("link_bandwidth", host_link(record))
    kernels = np.zeros(values[0].shape if values else (), dtype=_record.dtype("kernel"))
    kernels["operation"] = choice("kernel", "operation", operation)
    kernels["precision"] = choice("kernel", "precision", precision)
    for name, value in given.items():
        kernels[name] = value
    times = _core.kernel_times(record, constants, np.ascontiguousarray(kernels).reshape(-1))
    return _record.array("kernel_time", times).reshape(kernels.shape)


def optimizers() -> dict[str, _records.Optimizer]:
    """What each optimizer keeps, reads and writes for each parameter.

    >>> optimizers()["adam"].state
    8.0
    """
    rows = _record.array("optimizer", _core.optimizers())
    names = field("run", "optimizer").choices
    return {name: _record.read(_records.Optimizer, "optimizer", row) for name, row in zip(names, rows)}
