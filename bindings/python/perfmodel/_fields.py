"""The library's field tables: the fields of every record type. Needs nothing but the core."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import nan

from . import _core

PROPERTIES = 11  # texts per field that the core gives
CLASS_NAMES = {"network": "NetworkTotals", "calibration": "LinkCalibration"}


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
    otherwise: str = ""
    """What it is where it is not given, as text; "": unknown, or the first choice."""
    option: str = ""
    """The command's name for it; "": users never give it."""
    needs: str = ""
    """What a run must have for it to have an effect: "pipeline", ...; "": nothing."""
    asked: str = ""
    """What users give and its default, where it follows from the rest of the run; "": `doc` and `otherwise`."""

    @property
    def yes_no(self) -> bool:
        """Whether it is a switch, which Python sees as a bool."""
        return self.choices == ("no", "yes")

    @property
    def default(self) -> str | int | float | bool:
        """What a record has without a value; its type is that of all values."""
        if self.yes_no:
            return False
        if self.kind == "choice":
            return self.choices[0]
        if self.kind == "real":
            return nan
        return "" if self.kind == "text" else 0

    @property
    def meaning(self) -> str:
        """What it is, with its unit and choices."""
        return self._described(self.doc)

    @property
    def question(self) -> str:
        """What users give, with its unit and choices."""
        return self._described(self.asked or self.doc)

    def _described(self, doc: str) -> str:
        unit = f" [{self.unit}]" if self.unit not in ("", "1") else ""
        choices = f": {', '.join(self.choices)}" if self.kind == "choice" and not self.yes_no else ""
        return f"{doc}{unit}{choices}"


@cache
def fields(type_name: str) -> tuple[Field, ...]:
    """The fields of a record type ("gpu", "run", "prediction", ...), with units and meanings."""
    texts = _core.record_fields(type_name)
    rows = [texts[i : i + PROPERTIES] for i in range(0, len(texts), PROPERTIES)]
    return tuple(
        Field(name, unit, doc, kind, int(offset), tuple(names.split("\n")) if names else (), tuple(docs.split("\n")),
              *more)
        for name, unit, doc, kind, offset, names, docs, *more in rows
    )


@cache
def field(type_name: str, name: str) -> Field:
    """One field of a record type by name."""
    return next(f for f in fields(type_name) if f.name == name)


def class_name(type_name: str) -> str:
    """ "layer_time" -> "LayerTime"."""
    return CLASS_NAMES.get(type_name, type_name.title().replace("_", ""))


def class_doc(type_name: str) -> str:
    """What a record of the type is."""
    doc = _core.record_doc(type_name)
    return f"{doc[0].upper()}{doc[1:]}."


def given(type_name: str) -> list[Field]:
    """The fields that users give, in the record's order."""
    return [f for f in fields(type_name) if f.option]


def is_plain(f: Field) -> bool:
    """Whether a number is no text either: "300B" tokens are, a batch is not."""
    return f.unit == "1" and "batch" in f.name


def annotation(f: Field, many: bool) -> str:
    """The type of a keyword: the name that `_inputs` has for it."""
    if f.yes_no:
        return "Switches" if many else "bool"
    if f.kind == "choice":
        return "Texts" if many else "str"
    if f.kind == "int":
        return "Wholes" if many else "SupportsIndex"
    if many:
        return "Numbers" if is_plain(f) else "Quantities"
    return "Number | None" if is_plain(f) else "Quantity | None"
