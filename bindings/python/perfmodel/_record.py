"""Records on their way to and from the core: NumPy dtypes, values of fields."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable
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


class _Choices(dict[int, str]):
    """Names of a choice by number; of one that is none, the number."""

    def __missing__(self, raw: int) -> str:
        return str(raw)


class _Switches(dict[int, bool]):
    """What 0 and other numbers mean."""

    def __missing__(self, raw: int) -> bool:
        return bool(raw)


def _text(raw: bytes) -> str:
    return raw.partition(b"\0")[0].decode("utf-8", "replace")


def _reader(f: Field) -> Callable[[Any], Any] | None:
    """What makes a field's value as Python sees it of what stands in the record; None: it is that already."""
    if f.kind == "text":
        return _text
    if f.yes_no:
        return _Switches().__getitem__
    if f.kind == "choice":
        return _Choices(enumerate(f.choices)).__getitem__
    return None


@cache
def _layout(type_name: str) -> tuple[struct.Struct, list[str], list[tuple[int, Callable[[Any], Any]]]]:
    """How to unpack a record, the names of its fields, and what is left to do with some of them, by position."""
    codes = {"text": f"{_core.TEXT_MAX}s", "int": "i", "choice": "i", "real": "d"}
    form, end = "=", 0
    for f in fields(type_name):
        form += f"{f.offset - end}x{codes[f.kind]}" if f.offset > end else codes[f.kind]
        end = f.offset + struct.calcsize(f"={codes[f.kind]}")
    readers = [(i, _reader(f)) for i, f in enumerate(fields(type_name))]
    return struct.Struct(form), [f.name for f in fields(type_name)], [(i, read) for i, read in readers if read is not None]


def values(type_name: str, record: Any) -> dict[str, Any]:
    """All values by name: of a record, or of the first of an array of them or of bytes from the core."""
    layout, names, readers = _layout(type_name)
    items = list(layout.unpack_from(record))
    for i, read in readers:
        items[i] = read(items[i])
    return dict(zip(names, items))


def made(cls: type[R], members: dict[str, Any]) -> R:
    """An object of a frozen dataclass of all its members, without the checks of its constructor."""
    result = object.__new__(cls)
    object.__setattr__(result, "__dict__", members)
    return result


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
    return made(cls, values(type_name, data))


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
