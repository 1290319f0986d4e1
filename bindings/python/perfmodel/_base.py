"""What all records have in common, and names of earlier releases."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

from . import _display


def current_names(values: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The values with names that they had in an earlier release replaced by those of today, with a warning."""
    former = [name for name in values if name in renamed]
    if not former:
        return dict(values)
    for name in former:
        warnings.warn(f"{name} is called {renamed[name]} now", DeprecationWarning, stacklevel=3)
    return {**{name: values[name] for name in values if name not in renamed}, **{renamed[name]: values[name] for name in former}}


def renamed(**names: str) -> Callable[[Function], Function]:
    """For a function whose keywords had other names in an earlier release: former name = name."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **values: Any) -> Any:
            return function(*args, **current_names(values, names))

        return cast("Function", call)

    return decorate


class RecordType(type):
    """Makes records; keywords may have names of an earlier release, which type checkers do not see."""

    if not TYPE_CHECKING:

        def __call__(cls, *args, **values):
            return super().__call__(*args, **current_names(values, cls._renamed))


class Record(metaclass=RecordType):
    """Records are equal when all their fields are, where unknown (NaN) equals unknown."""

    __slots__ = ()
    _renamed: ClassVar[Mapping[str, str]] = {}
    """What fields are called now, by their names of an earlier release."""
    _type: ClassVar[str] = ""
    """The library's name of the record type."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name not in self._renamed:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            (now,) = current_names({name: None}, self._renamed)
            return getattr(self, now)

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
