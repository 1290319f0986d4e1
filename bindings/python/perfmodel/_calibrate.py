"""Constants of the model from measurements."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property

from . import _core
from ._background import interruptible
from ._catalog import Catalog, default
from ._errors import ArgumentError
from ._files import reading
from ._inputs import instance, number, text
from ._table import Table, written
from ._validate import Rows, _csv


class Calibration:
    """Constants of the model, fitted to measurements.

    >>> c = calibrate(architectures="volta")
    >>> str(c.constants["constant"][1]), bool(0.8 <= c.constants["value"][1] <= 1.2)
    ('simt_efficiency', True)
    """

    def __init__(self, handle: _core.calibration):
        self._handle = handle

    @cached_property
    def constants(self) -> Table:
        """A row for each constant: value and unit, its standard error as a share of it (`uncertainty`), whether the
        measurements determine it (`state`), the start of the search, its bounds, and the constant that it can be
        exchanged with most."""
        return Table(_core.calibration_constants(self._handle))

    @cached_property
    def errors(self) -> Table:
        """A row for each group and use of the rows (fitted, held out or left out), with the errors of the
        predictions in per cent: of times, above 0 too slow; of rates, above 0 too fast."""
        return Table(_core.calibration_errors(self._handle))

    @cached_property
    def notes(self) -> list[str]:
        """Notes: rows left out and why, the width of the prediction interval."""
        return _core.table_notes(_core.calibration_errors(self._handle))

    def xml(self, path: str | os.PathLike[str] | None = None) -> str:
        """The constants as a file for `Catalog`; written to `path` if there is one."""
        out = _core.calibration_get_xml(self._handle)
        if path is not None:
            written(out, path)
        return out

    def __repr__(self) -> str:
        return f"<Calibration of {len(self.constants)} constants>"


def calibrate(
    data: Rows | None = None,
    *,
    set: str = "kernels",
    architectures: str | Iterable[str] = (),
    frameworks: str | Iterable[str] = (),
    hold_out: str | Iterable[str] = (),
    hold_out_shapes: float = 0.2,
    system: str = "",
    catalog: Catalog | None = None,
) -> Calibration:
    """Fits constants of the model to measurements by bounded least squares, like `perfmodel calibrate`.

    Args:
        data: measurements in the layout that docs/calibration.md has for the set: a DataFrame, or the path of a file,
            plain or gzip; or the path of what nccl-tests, PyTorch's profiler, Nsight Systems or a power log wrote. The
            shipped ones if there is none.
        set: "kernels" (times of kernels: constants of architectures), "training" (rates: host times of frameworks and
            factors of cuDNN generations), "language" (the same rates: frameworks' own kernels in language models),
            "inference" (rates and latencies: host times of a forward pass), "large-models" (step times: stragglers,
            hops and overlap of the software that shares networks out), "plans" (step times on B200: what Megatron's
            host takes), "grouped" (rates of images in NHWC: gradients of groups of channels), "documents" (statements:
            frameworks that only the source documents ran), "collectives" (times: constants of architectures and links),
            "operators" (times: what serving engines add to kernels), "serving" (latencies and rates: engines) or
            "energy" (power: what boards draw).
        architectures: ids of the architectures whose own constants are fitted, one or several; none: all, and what they
            share. Of training rates: one, whose constants for convolutions on tensor cores are fitted.
        frameworks: training, inference: ids of the frameworks, inference profiles and cuDNN generations whose constants
            are fitted; none: all that the rows decide.
        hold_out: ids of GPUs (kernels), or sources (training), whose rows are only predicted.
        hold_out_shapes: kernels: share of the shapes that is only predicted, from 0 to 1, chosen by a hash of the
            sizes.
        system: the system or GPU of such a file, if that does not say it.
        catalog: where names are looked up, and what is not fitted; the shipped one by default.
    """
    table, path = "", ""
    if isinstance(data, (str, os.PathLike)):
        path = reading(data)
    elif data is not None:
        table = _csv(data)
    hold_out_shapes = number(hold_out_shapes, "hold_out_shapes")
    if not 0 <= hold_out_shapes < 1:
        raise ArgumentError(f"hold_out_shapes {hold_out_shapes} is not from 0 to below 1")
    entries = ",".join(filter(None, (_ids(architectures, "architectures"), _ids(frameworks, "frameworks"))))
    names = instance(catalog, Catalog, "catalog") if catalog is not None else default()
    kept = _ids(hold_out, "hold_out")
    arguments = names._handle, text(set, "set"), table, path, entries, kept, hold_out_shapes, text(system,
        "system")
    return Calibration(interruptible(_core.calibrate, *arguments))


def _ids(names: str | Iterable[str], what: str) -> str:
    return text(names, what) if isinstance(names, str) else ",".join(text(name, what) for name in names)
