"""What users pass, turned into what the core takes: text, whole numbers, numbers, quantities, lists of them."""

from __future__ import annotations

import numbers
import operator
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import ArgumentError, NotFoundError
from ._fields import field

MOST_VALUES = 1 << 20
MOST_IN_ATTRIBUTE = 1000
MOST_OF_PATH = 4096  # what Linux takes, PATH_MAX
BYTES = bytes, bytearray, memoryview
_PUNCTUATION = str.maketrans("", "", " -_./")

Number = Union[float, "np.integer[Any]", "np.floating[Any]"]
Quantity = Union[Number, str]
Wholes = Union[SupportsIndex, Iterable[SupportsIndex], None]
Numbers = Union[Number, Iterable[Number], None]
Quantities = Union[Quantity, Iterable[Quantity], None]
Texts = Union[str, Iterable[str], None]
Adapters = Union[str, int, Mapping[str, Any]]
Switches = Union[bool, Iterable[bool], None]
AttributeValue = Union[str, bool, Number, Sequence[int]]
Doubles = npt.NDArray[np.float64]


def currency_of(*prices: Any) -> str:
    """The currency of prices as people write them, "2.5 USD" or "2.5 USD/h", alone or by name; "" if none names one.
    Raises ArgumentError if they are of two."""
    single = [price for given in prices for price in (given.values() if isinstance(given, Mapping) else [given])]
    words = [re.search("[A-Za-z]{2,}", price) for price in single if isinstance(price, str)]
    found = sorted({word.group() for word in words if word is not None})
    if len(found) > 1:
        raise ArgumentError(f"prices in {found[0]} and in {found[1]} cannot be compared")
    return found[0] if found else ""


def text(value: object, what: str) -> str:
    """A name."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ArgumentError(f"{what} contains half a character (a surrogate) and cannot be written")
        return value
    raise TypeError(f"{what} must be text, not {type(value).__name__}")


def path_text(value: str | os.PathLike[str]) -> str:
    """A path, as str or pathlib.Path."""
    path = text(os.fspath(value), "path")
    if len(path) > MOST_OF_PATH:  # errors of the system would repeat it
        raise ArgumentError(f"path has {len(path):,} letters, more than {MOST_OF_PATH:,}")
    return path


def number(value: object, what: str) -> float:
    """An int, float or NumPy scalar as a float."""
    if type(value) is not float and type(value) is not int:  # the usual, and soon said
        if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{what} must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"{what} is out of range, a number of more than 308 digits") from None


def floats(value: Any, what: str) -> Doubles:
    """An array of numbers; NumPy would read text and bytes as some."""
    try:
        found = np.asarray(value)
        if isinstance(value, BYTES) or found.dtype.kind in "SU":
            raise TypeError
        return found.astype(np.float64, copy=False)
    except TypeError:
        raise TypeError(f"{what} must be a number or several, not {type(value).__name__}") from None
    except (ValueError, OverflowError):
        raise ArgumentError(f"{what} must be a number or several, none of more than 308 digits") from None
    except MemoryError:
        raise ArgumentError(f"{what} has more values than the memory holds") from None


def brief(value: int) -> str:
    """A whole number, or how long it is."""
    return str(value) if abs(value) < 10**20 else f"of {value.bit_length():,} bits"


def instance(value: Any, of: type[Any], what: str) -> Any:
    """What must be of a type."""
    if isinstance(value, of):
        return value
    raise TypeError(f"{what} must be of {of.__name__}, not {type(value).__name__}")


def whole(value: SupportsIndex, what: str) -> int:
    """A whole number; 8.0 is one, 8.5 is not."""
    if type(value) is int:
        return _bounded(value, what)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be a whole number, not bool")
    if isinstance(value, (float, np.floating)):
        if not float(value).is_integer():
            raise ArgumentError(f"{what} {value} is not a whole number")
        return int(value)
    try:
        return _bounded(operator.index(value), what)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {type(value).__name__}") from None


def _bounded(value: int, what: str) -> int:
    """No count of the core has more than 64 bits."""
    if -(2**63) <= value < 2**63:
        return value
    raise ArgumentError(f"{what} {brief(value)} is out of range")


def quantity(value: Quantity, unit: str, what: str) -> float:
    """A number in SI units, or text with its unit ("100 MB")."""
    if isinstance(value, str):
        return _core.quantity_parse(text(value, what), unit)
    return number(value, what)


def choice(type_name: str, field_name: str, name: str) -> int:
    """The value of a record's choice by name; case and punctuation do not matter."""
    choices = field(type_name, field_name).choices
    if text(name, field_name) in choices:
        return choices.index(name)
    usual = _core.alias_of(field_name, name) or name
    for i, known in enumerate(choices):
        if _bare(known) == _bare(usual):
            return i
    raise NotFoundError(f'unknown {field_name} "{name}"; known are {", ".join(choices)}')


def _bare(name: str) -> str:
    return name[:200].lower().translate(_PUNCTUATION)


OPTION, SET_TO = 4, 5  # columns of settings


def adapters(value: Adapters) -> dict[str, Any]:
    """Fields of a run, of adapters as people write them: "rank=16,targets=q+v", 16, or words by name, of which lists
    are joined: dict(rank=16, targets=["q_proj", "v_proj"], layers=range(24, 32))."""
    if isinstance(value, Mapping):
        words = ",".join(f"{name}={_word(item)}" for name, item in value.items() if item is not None)
    else:
        words = text(value, "lora") if isinstance(value, str) else str(whole(value, "lora"))
    table = _core.settings_of_text("lora", words)
    names, values = (_core.table_texts(table, column) for column in (OPTION, SET_TO))
    return {name: float(value) if value.replace(".", "").isdigit() else value for name, value in zip(names, values)
            if name}


def _word(value: Any) -> str:
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value.start}-{value.stop - 1}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "+".join(item if isinstance(item, str) else str(whole(item, "lora")) for item in few(value, "lora"))
    return str(value)


def many(value: Any) -> list[Any]:
    """One value or several, as a list; text is one value, and so are bytes, which Python would take for numbers."""
    if isinstance(value, (str, *BYTES, Mapping)) or not isinstance(value, Iterable):
        return [value]
    items = list(islice(value, MOST_VALUES + 1))
    if len(items) > MOST_VALUES:
        raise ArgumentError(f"there are more than {MOST_VALUES:,} values in one argument")
    return items


def few(value: Iterable[Any], what: str) -> list[Any]:
    """The values of what never has as many as a thousand."""
    items = list(islice(value, MOST_IN_ATTRIBUTE + 1))
    if len(items) > MOST_IN_ATTRIBUTE:
        raise ArgumentError(f"{what} has more than {MOST_IN_ATTRIBUTE} values")
    return items


def doubles(values: Iterable[float]) -> Doubles:
    """A C-contiguous array of doubles."""
    return np.ascontiguousarray(list(values), dtype=np.float64)


def wholes(value: object, what: str) -> Doubles:
    """One whole number or several, as doubles (exact)."""
    return doubles(whole(item, what) for item in many(value))


def attribute(value: AttributeValue, what: str) -> str:
    """A layer attribute or network parameter as the text of the network language."""
    if isinstance(value, str):
        return text(value, what)
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(whole(value, what))
    if isinstance(value, numbers.Real):
        return repr(number(value, what))
    if isinstance(value, Iterable) and not isinstance(value, (*BYTES, Mapping)):
        return ",".join(str(whole(item, what)) for item in few(value, what))
    raise TypeError(f"{what} must be text, a number, a switch or a few whole numbers, not {type(value).__name__}")


def attributes(values: Mapping[str, AttributeValue]) -> dict[str, str]:
    """Attributes by name, as text."""
    return {text(name, "attribute name"): attribute(value, name) for name, value in values.items()}
