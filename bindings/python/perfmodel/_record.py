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
    if isinstance(records, np.ndarray) and not _as_in_c(records, wanted) and _packed(records.dtype) == _packed(wanted):
        packed, records = records, np.empty(records.shape, dtype=wanted)
        for name in wanted.names or ():
            records[name] = packed[name]
    if not isinstance(records, np.ndarray) or records.dtype != wanted:
        got = getattr(records, "dtype", type(records).__name__)
        raise TypeError(f'{what} must be an array of dtype perfmodel.dtype("{type_name}"), not {got}')
    return np.ascontiguousarray(records)


class _Names(dict[int, Any]):
    """What the values of a choice are to Python."""

    def __missing__(self, raw: int) -> str:
        return str(raw)


def _names(f: Field) -> _Names:
    return _Names({0: False, 1: True} if f.yes_no else enumerate(f.choices))


@cache
def _layout(type_name: str) -> tuple[struct.Struct, list[str], list[tuple[int, _Names]], list[int]]:
    """How to unpack a record, the names of its fields, and the places of choices and of texts."""
    codes = {"text": f"{_core.TEXT_MAX}s", "int": "i", "choice": "i", "real": "d"}
    form, end, table = "=", 0, fields(type_name)
    for f in table:
        form += f"{f.offset - end}x{codes[f.kind]}" if f.offset > end else codes[f.kind]
        end = f.offset + struct.calcsize(f"={codes[f.kind]}")
    choices = [(i, _names(f)) for i, f in enumerate(table) if f.kind == "choice"]
    return struct.Struct(form), [f.name for f in table], choices, [i for i, f in enumerate(table) if f.kind == "text"]


def values(type_name: str, record: Any) -> dict[str, Any]:
    """All values by name: of a record, or of the first of an array of them or of bytes from the core."""
    layout, names, choices, texts = _layout(type_name)
    items = list(layout.unpack_from(record))
    for i, known in choices:
        items[i] = known[items[i]]
    for i in texts:
        items[i] = items[i].partition(b"\0")[0].decode("utf-8", "replace")
    return dict(zip(names, items))


@cache
def _places_layout(type_name: str) -> struct.Struct:
    table = {f.name: f.offset for f in fields(type_name)}
    form, end = "=", 0
    for name in [name for name in table if name.endswith("_index")]:
        form, end = f"{form}{table[name] - end}xi", table[name] + 4
    return struct.Struct(form)


def places(type_name: str, run: Any) -> tuple[int, int, int]:
    """The places of network, system and software of a run."""
    network, system, software = _places_layout(type_name).unpack_from(run)
    return network, system, software


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
            raise ValueError(f'{f.name} "{item}" is not one of {", ".join(f.choices)}')
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


def side_by_side(type_name: str, records: list[Any]) -> Records:
    """Dataclasses as an array of as many records."""
    result = np.empty(len(records), dtype=dtype(type_name))
    for i, record in enumerate(records):
        result[i] = write(type_name, record)[0]
    return result


def as_dict(record: Any) -> dict[str, Any]:
    """A dataclass as a dict of its fields."""
    return dataclasses.asdict(record)
