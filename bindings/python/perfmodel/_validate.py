"""Published measurements beside predictions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol, Union

from . import _core, _sweep_picture
from ._background import interruptible
from ._catalog import Catalog, default
from ._draw import parity, title
from ._errors import ArgumentError
from ._files import reading
from ._inputs import instance, text
from ._table import Table

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class WritesCsv(Protocol):
    """What turns itself into CSV text, as a DataFrame does."""

    def to_csv(self) -> Any: ...


Rows = Union["pandas.DataFrame", WritesCsv, str, "os.PathLike[str]"]


class Validation(Table):
    """Measured beside predicted: a row for each group of measurements, or for each of them.

    >>> v = validate("storage")
    >>> [column.name for column in v.columns]
    ['set', 'group', 'rows', 'mape', 'median', 'p90', 'bias']
    """

    def _picture(self, ax: Axes | None) -> Axes:
        """Of rows: predicted over measured, each unit in a colour. Of groups: their errors."""
        if "measured" not in {column.name for column in self.columns}:
            return _sweep_picture.draw(self, ["mape"], "group", ["group"], ax, "How far are predictions off?",
                                       "mean absolute error by group")
        units = list(dict.fromkeys(self["unit"]))
        own = {unit: self["unit"] == unit for unit in units}
        found = [(unit, self["measured"][rows], self["predicted"][rows]) for unit, rows in own.items()]
        ax = parity(ax, found, units[0] if len(units) == 1 else "")
        title(ax, "How far are predictions from measurements?", f"{len(self)} rows")
        return ax

    @property
    def notes(self) -> list[str]:
        """What there is to say besides: rows without a prediction and why, claims that do not hold."""
        return _core.table_notes(self._handle)


def validation_sets() -> list[str]:
    """The sets that `validate` knows."""
    return _core.validation_sets()


def validate(
    set: str = "statements",
    *,
    rows: bool = False,
    data: Rows | None = None,
    only: str = "",
    system: str = "",
    catalog: Catalog | None = None,
) -> Validation:
    """Predictions beside published measurements: the same numbers as `perfmodel validate`.

    Args:
        set: "statements" (what the source documents state), "training", "inference", "kernels", "collectives",
            "storage", "energy" (power and energy; also large-models, plans, memory, operators, serving).
        rows: a row for each measurement (id, group, measured, predicted, unit, error [%]; of statements and storage
            also holds, kind, constants, note, of training and inference low, high, calibration, network, machine,
            framework, gpus, nodes, batch, readings, of collectives system, machine, use, regime, collective, algorithm,
            protocol, gpus, nodes, bytes [B]) instead of each group of them (set, group, rows, mape [%], median [%],
            p90 [%], bias [%], of kernels also roofline mape [%], of training and inference settings, covered [%]:
            repeats of a run are one setting, errors are of its medians, and `covered` is the share within the 80 %
            interval). Collectives are in three groups each: of all, of their use (fit, held-out, document), of their
            machine.
        data: rows of your own in the layout of the set's table: a DataFrame, or the path of a CSV file, plain or gzip;
            or the path of what nccl-tests, PyTorch's profiler, Nsight Systems or a power log wrote
            (docs/calibration.md).
        only: training, inference: only rows of these, "gpu=NAME", "machine=NAME" or "source=NAME", separated by commas.
        system: the system or GPU of such a file, if that does not say it.
        catalog: where names are looked up; the shipped one by default.

    An error is (predicted - measured) / measured: of a rate, above 0 the prediction is too fast, of a time too slow.
    """
    table, path = "", ""
    if isinstance(data, (str, os.PathLike)):
        path = reading(data)
    elif data is not None:
        table = _csv(data)
    names = default() if catalog is None else instance(catalog, Catalog, "catalog")
    arguments = text(set, "set"), table, path, float(bool(rows)), text(only, "only"), text(system, "system")
    return Validation(interruptible(_core.validate_table, names._handle, *arguments))


def _csv(data: Any) -> str:
    """The CSV text of a DataFrame (pandas, polars) or of a table of ours."""
    if hasattr(data, "write_csv"):
        return str(data.write_csv())
    if isinstance(data, Table):
        return data.format("csv")
    if hasattr(data, "to_csv"):
        return str(data.to_csv(index=False))
    raise ArgumentError(f"data is a DataFrame or the path of a CSV file, not {type(data).__name__}")
