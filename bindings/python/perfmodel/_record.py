"""Records of the library as NumPy dtypes and as dataclasses, both from the library's own field table."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core

Records = npt.NDArray[np.void]
R = TypeVar("R")

PROPERTIES = 7  # texts per field that the core gives


@dataclass(frozen=True)
class Field:
    """One field of a record."""

    name: str
    unit: str
    """SI unit; "1" for a plain number, "" for text and choices."""
    doc: str
    kind: str
    """ "text", "int", "real" or "choice"."""
    offset: int
    choices: tuple[str, ...]
    """Names of a choice's values, by value."""
    choice_docs: tuple[str, ...]

    @property
    def yes_no(self) -> bool:
        """Whether it is a switch, which Python sees as a bool."""
        return self.choices == ("no", "yes")


@cache
def fields(type_name: str) -> tuple[Field, ...]:
    """The fields of a record type ("gpu", "run", "prediction", ...), with units and meanings."""
    texts = _core.record_fields(type_name)
    rows = [texts[i : i + PROPERTIES] for i in range(0, len(texts), PROPERTIES)]
    return tuple(
        Field(name, unit, doc, kind, int(offset), tuple(names.split("\n")) if names else (), tuple(docs.split("\n")))
        for name, unit, doc, kind, offset, names, docs in rows
    )


@cache
def field(type_name: str, name: str) -> Field:
    """One field of a record type by name."""
    return next(f for f in fields(type_name) if f.name == name)


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
