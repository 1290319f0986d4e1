"""The import report: how operators of a model were handled."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass, field


@dataclass(eq=False)
class Report:
    """How each operator of the model was imported, by its name in the framework.

    Attributes:
        source: what was imported, as "torch ResNet".
        mapped: operators with exact counts, and how often they occur.
        approximated: operators that something near stands for: their MAC and parameters are right, FLOP and bytes near.
        unknown: operators without counts.
        notes: what else is worth knowing, one line each.
        flop: arithmetic of all layers; flop_approximated: that of the layers that stand for something near.
        unknown_elements: numbers that the unknown operators write, per sample.
    """

    source: str
    mapped: Counter[str] = field(default_factory=Counter)
    approximated: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    flop: float = 0.0
    flop_approximated: float = 0.0
    unknown_elements: float = 0.0

    @property
    def coverage(self) -> float:
        """Share of the arithmetic that is counted; 1 without unknown operators.

        What an unknown operator computes is not known: it is taken as 1 FLOP for each number that it writes, so with
        unknown operators this is the most that the share can be.
        """
        whole = self.flop + self.unknown_elements
        return self.flop / whole if whole > 0 else 1.0

    @property
    def coverage_text(self) -> str:
        """The coverage in words: "all of it", "at most 99.9 % of FLOP"."""
        if not self.unknown:
            return "all operators"
        return f"{self.unknown.total()} unknown operators not counted, at most {100 * self.coverage:.4g} % of FLOP"

    def _groups(self) -> list[tuple[str, Counter[str]]]:
        return [("mapped", self.mapped), ("approximated", self.approximated), ("unknown", self.unknown)]

    def __repr__(self) -> str:
        counts = ", ".join(f"{counter.total()} {title}" for title, counter in self._groups())
        return f"<Report of {self.source}: {counts}; coverage: {self.coverage_text}>"

    def __str__(self) -> str:
        lines = [f"{self.source}: coverage: {self.coverage_text}"]
        for title, counter in self._groups():
            names = ", ".join(f"{name} {count}" for name, count in counter.most_common())
            lines.append(f"  {title + ':':<14}{names or 'none'}")
        if self.flop > 0 and self.approximated:
            lines.append(f"  approximated are {100 * self.flop_approximated / self.flop:.2g} % of FLOP")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{html.escape(name)}</td><td>{title}</td><td>{count}</td></tr>"
            for title, counter in reversed(self._groups())
            for name, count in counter.most_common()
        ]
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<p><b>{html.escape(self.source)}</b>: coverage: {html.escape(self.coverage_text)}</p>"
            f"<table><thead><tr><th>operator</th><th>taken over</th><th>times</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table><ul>{notes}</ul>"
        )
