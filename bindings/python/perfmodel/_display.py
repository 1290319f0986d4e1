"""Formatted records: known values with units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _core
from ._fields import Field, fields

WIDTH = 100
LINES = 4

Fact = tuple[str, str, str]
"""Name, value with its unit, meaning."""


def _is_known(f: Field, value: Any) -> bool:
    """Whether somebody gave it: a number that is unknown, a text that is empty or a switch that is off says nothing."""
    return bool(value == value and value != "" and value is not False and not (f.kind == "int" and value == 0))


def _shown(f: Field, value: Any) -> str:
    if f.yes_no:
        return "yes" if value else "no"
    return str(value) if f.kind in ("text", "choice") else _core.quantity_format(float(value), f.unit)


def facts(type_name: str, record: Any, without: Iterable[str] = ()) -> list[Fact]:
    """What is known of a record."""
    left_out = {"id", "name", *without}
    listed = [(f,
               getattr(record,
                       f.name)) for f in fields(type_name) if f.name not in left_out and not f.name.endswith("_index")]
    return [(f.name, _shown(f, value), f.doc) for f, value in listed if _is_known(f, value)]


def title(record: Any) -> str:
    """Its class, id and name."""
    who = ": ".join(text for text in (getattr(record, "id", ""), getattr(record, "name", "")) if text)
    return f"{type(record).__name__} {who}".rstrip()


def closed(head: str, assumed: str) -> str:
    """What is known in one line, with what was assumed."""
    return f"<{head}; assumed: {assumed}>" if assumed else f"<{head}>"


def text(head: str, known: list[Fact]) -> str:
    """The head, and below it as much of what is known as a few lines hold."""
    import textwrap

    body = ", ".join(f"{name} {value}" for name, value, _ in known)
    if len(head) + len(body) + 4 <= WIDTH:
        return f"<{head}; {body}>" if body else f"<{head}>"
    lines = textwrap.wrap(body, WIDTH - 3, max_lines=LINES, placeholder=" ...", break_long_words=False)
    return "\n".join([f"<{head}", *(f"  {line}" for line in lines)]) + ">"


def html(head: str, known: list[Fact], rest: str = "") -> str:
    """All that is known as a table, the meaning of each field as its tip."""
    from ._text import escape

    rows = "".join(
        f'<tr title="{escape(doc)}"><td style="text-align:left">{escape(name)}</td>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value, doc in known
    )
    return f"<b>{escape(head)}</b><table><tbody>{rows}</tbody></table>{rest}"
