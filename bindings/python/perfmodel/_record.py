"""Records on their way to and from the core: NumPy dtypes, values of fields."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._fields import Field, fields

Records = npt.NDArray[np.void]
R = TypeVar("R")


@cache
def dtype(type_name: str) -> np.dtype[np.void]:
    """The NumPy dtype of a record type, laid out as in C."""
    formats = {"text": f"S{_core.TEXT_MAX}", "int": "i4", "choice": "i4", "real": "f8"}
    table = fields(type_name)
    return np.dtype(
        {
            "names": [f.name for f in table],
            "formats": [formats[f.kind] for f in table],
            "offsets": [f.offset for f in table],
            "itemsize": _core.record_size(type_name),
        }
    )


def array(type_name: str, data: bytearray) -> Records:
    """Records from the core as a structured array; shares the memory."""
    return np.frombuffer(data, dtype=dtype(type_name))


def none(type_name: str) -> Records:
    """No records of a type."""
    return np.zeros(0, dtype=dtype(type_name))


def _packed(of: np.dtype[Any]) -> list[tuple[str, np.dtype[Any]]]:
    """Names and types of the fields, wherever they are."""
    return [(name, of[name]) for name in of.names or ()]


def _as_in_c(records: Records, wanted: np.dtype[Any]) -> bool:
    return records.dtype.itemsize == wanted.itemsize and records.dtype == wanted


def checked(type_name: str, records: Any, what: str) -> Records:
    """A contiguous array of exactly this record type, or TypeError. NumPy packs the fields of what it puts together
    (`np.resize`, `np.concatenate`); that is laid out as in C again.
    """
    wanted = dtype(type_name)
    if isinstance(records, np.ndarray) and _packed(records.dtype) == _packed(wanted) and not _as_in_c(records, wanted):
        packed, records = records, np.empty(records.shape, dtype=wanted)
        for name in wanted.names or ():
            records[name] = packed[name]
    if not isinstance(records, np.ndarray) or records.dtype != wanted:
        got = getattr(records, "dtype", type(records).__name__)
        raise TypeError(f'{what} must be an array of dtype perfmodel.dtype("{type_name}"), not {got}')
    return np.ascontiguousarray(records)


def value(f: Field, raw: Any) -> Any:
    """A field's value as Python sees it."""
    if f.kind == "text":
        return bytes(raw).decode("utf-8", "replace")
    if f.kind == "real":
        return float(raw)
    if f.yes_no:
        return bool(raw)
    if f.kind == "choice":
        return f.choices[raw] if 0 <= raw < len(f.choices) else str(int(raw))
    return int(raw)


def values(type_name: str, record: np.void) -> dict[str, Any]:
    """All values of one record by name."""
    return {f.name: value(f, item) for f, item in zip(fields(type_name), record.item())}


def raw(f: Field, item: Any) -> Any:
    """The opposite of `value`."""
    if f.kind == "text":
        return str(item).encode("utf-8")
    if f.kind == "choice" and isinstance(item, str):
        if item not in f.choices:
            raise ValueError(f'{f.name} "{item}" is none of {", ".join(f.choices)}')
        return f.choices.index(item)
    return item


def read(cls: type[R], type_name: str, data: bytearray) -> R:
    """The first record of `data` as a dataclass."""
    return cls(**values(type_name, array(type_name, data)[0]))


def write(type_name: str, record: Any) -> Records:
    """A dataclass as an array of one record."""
    result = np.zeros(1, dtype=dtype(type_name))
    for f in fields(type_name):
        item = raw(f, getattr(record, f.name))
        if f.kind == "text" and len(item) >= result.dtype[f.name].itemsize:
            raise ValueError(f'{f.name} "{getattr(record, f.name)}" is too long')
        result[0][f.name] = item
    return result


def as_dict(record: Any) -> dict[str, Any]:
    """A dataclass as a dict of its fields."""
    return dataclasses.asdict(record)
