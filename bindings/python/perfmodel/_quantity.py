"""Quantities as text."""

from __future__ import annotations

from . import _core
from ._inputs import Number, number, text


def quantity(value: str, unit: str) -> float:
    """Reads a quantity into SI units: quantity("100 Gbit/s", "B/s") is 1.25e10. Raises UnitError, BadValueError."""
    return _core.quantity_parse(text(value, "quantity"), text(unit, "unit"))


def format_quantity(value: Number, unit: str) -> str:
    """Formats an SI number with a prefix: format_quantity(9e11, "B/s") is "900 GB/s"."""
    return _core.quantity_format(number(value, "value"), text(unit, "unit"))
