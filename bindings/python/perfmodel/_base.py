"""Common parts of all records."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from . import _display


class Record:
    """Records are equal if all their fields are; unknown (NaN) equals unknown."""

    __slots__ = ()
    _type: ClassVar[str] = ""
    """The library's name of the record type."""

    def _key(self) -> tuple[Any, ...]:
        compared = (field for field in dataclasses.fields(self) if field.compare)  # type: ignore[arg-type]
        values = (getattr(self, field.name) for field in compared)
        return tuple("unknown" if value != value else value for value in values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)) or not isinstance(self, type(other)):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return _display.text(_display.title(self), _display.facts(self._type, self))

    def _repr_html_(self) -> str:
        return _display.html(_display.title(self), _display.facts(self._type, self))
