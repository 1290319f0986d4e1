"""Text from elsewhere, as others may see it."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    """With a question mark for controls, marks of direction, and what else has no form of its own."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in keep else "?" for c in text)


def cut(text: str, most: int = 2000) -> str:
    """The beginning of a text that is too long to read."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def escape(text: str) -> str:
    """For HTML, lines kept."""
    import html

    return html.escape(printable(text, "\n"))
