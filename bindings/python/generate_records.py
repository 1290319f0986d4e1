"""Writes perfmodel/_records.py, the dataclasses of all record types, from the field table of the built core.

    python bindings/python/generate_records.py            (with the built package on PYTHONPATH)

Checked in, so that editors and type checkers see the fields; a test compares it with the core.
"""

from __future__ import annotations

import sys
from pathlib import Path

from perfmodel import _core
from perfmodel._record import Field, fields

HEAD = '''"""Records of the library, one dataclass per type.

Written by generate_records.py from the library's field table. Units are SI. A number that nobody
gave is NaN, a count 0, a text "".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from ._base import Record
'''
CLASS_NAMES = {"network": "NetworkTotals", "calibration": "LinkCalibration", "machine": "Machine"}


def class_name(type_name: str) -> str:
    """ "layer_time" -> "LayerTime"."""
    return CLASS_NAMES.get(type_name, type_name.title().replace("_", ""))


def declaration(field: Field) -> str:
    """One field with its meaning."""
    if field.yes_no:
        kind = "bool = False"
    elif field.kind == "choice":
        kind = f'str = "{field.choices[0]}"'
    else:
        kind = {"text": 'str = ""', "int": "int = 0", "real": "float = nan"}[field.kind]
    unit = f" [{field.unit}]" if field.unit not in ("", "1") else ""
    choices = f": {', '.join(field.choices)}" if field.kind == "choice" and not field.yes_no else ""
    doc = wrapped(f"{field.doc}{unit}{choices}")
    return f'    {field.name}: {kind}\n    """{doc}"""\n'


def wrapped(doc: str, width: int = 105) -> str:
    """Breaks a long docstring at blanks."""
    lines = [""]
    for word in doc.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def declared(type_name: str) -> str:
    """The dataclass of one record type."""
    doc = _core.record_doc(type_name)
    body = "".join(declaration(field) for field in fields(type_name))
    head = f"@dataclass(frozen=True, eq=False)\nclass {class_name(type_name)}(Record):"
    return f'\n\n{head}\n    """{doc[0].upper()}{doc[1:]}."""\n\n{body}'


def module() -> str:
    """The whole file."""
    return HEAD + "".join(declared(name) for name in _core.record_types())


if __name__ == "__main__":
    target = Path(__file__).parent / "perfmodel" / "_records.py"
    target.write_text(module(), encoding="utf-8")
    sys.stdout.write(f"{target}\n")
