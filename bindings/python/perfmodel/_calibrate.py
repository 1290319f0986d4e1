"""Constants of the model from measurements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from . import _core
from ._catalog import Catalog, default
from ._errors import ArgumentError
from ._inputs import path_text, text
from ._table import Table
from ._validate import Rows, _csv


class Calibration:
    """Constants of kernels, fitted to measurements.

    >>> c = calibrate(architectures="volta")
    >>> str(c.constants["constant"][1]), bool(0.8 <= c.constants["value"][1] <= 1.2)
    ('simt_efficiency', True)
    """

    def __init__(self, handle: _core.kernel_fit, catalog: Catalog):
        self._handle = handle
        self._catalog = catalog

    @cached_property
    def constants(self) -> Table:
        """A row for each constant: value and unit, its standard error as a share of it (`uncertainty`), whether the
        measurements determine it (`state`), where the search started, its bounds, and the constant that it can be
        exchanged with most."""
        return Table(_core.calibration_constants(self._handle))

    @cached_property
    def errors(self) -> Table:
        """A row for each stage, GPU and use of the rows: fitted, kept-out-shape, kept-out-gpu or older-library, with
        the errors of the predictions in per cent."""
        return Table(_core.calibration_errors(self._handle))

    def xml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The constants as a file for `Catalog`; written to `path` if there is one."""
        out = _core.kernel_fit_xml(self._handle, self._catalog._handle)
        if path is not None:
            Path(path_text(path)).write_text(out, encoding="utf-8")
        return out

    def __repr__(self) -> str:
        return f"<Calibration of {len(self.constants)} constants>"


def calibrate(
    data: Rows | None = None,
    *,
    architectures: str | Iterable[str] = (),
    keep_out: str | Iterable[str] = (),
    kept_shapes: float = 0.2,
    catalog: Catalog | None = None,
) -> Calibration:
    """Fits the constants of kernels to measured times by bounded least squares: as `perfmodel calibrate`.

    Args:
        data: measurements in the layout of docs/calibration.md (kernel, op, pass, precision, gpu, time_us and sizes): a
            DataFrame, or the path of a CSV file, plain or gzip. The shipped ones if there is none.
        architectures: ids of the architectures whose own constants are fitted, one or several; none: all, and what they
            share.
        keep_out: ids of GPUs whose rows are only predicted.
        kept_shapes: share of the shapes that is only predicted, from 0 to 1, chosen by a hash of the sizes.
        catalog: where names are looked up, and what is not fitted; the shipped one by default.
    """
    table, path = "", ""
    if isinstance(data, (str, os.PathLike)):
        path = path_text(data)
    elif data is not None:
        table = _csv(data)
    if not 0 <= float(kept_shapes) < 1:
        raise ArgumentError(f"kept_shapes {kept_shapes} is not from 0 to below 1")
    names = catalog if catalog is not None else default()
    handle = _core.calibrate_kernels(
        names._handle, table, path, _ids(architectures, "architectures"), _ids(keep_out, "keep_out"), float(kept_shapes)
    )
    return Calibration(handle, names)


def _ids(names: str | Iterable[str], what: str) -> str:
    return text(names, what) if isinstance(names, str) else ",".join(text(name, what) for name in names)
