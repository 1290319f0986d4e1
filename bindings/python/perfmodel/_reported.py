"""Answers that the library has a report of: text, HTML and Markdown are its own."""

from __future__ import annotations

from . import _core
from ._base import Record
from ._inputs import text
from ._table import Table


class Explained:
    """What all answers with a report have in common."""

    def _report(self) -> _core.report | None:
        """The report; None of an answer that this package did not make."""
        raise NotImplementedError

    def _known_report(self) -> _core.report:
        report = self._report()
        if report is None:
            raise ValueError("only what perfmodel predicted has a report")
        return report

    def explain(self, rendering: str = "text") -> str:
        """The whole answer for people, as the command prints it: what was assumed, the result with its interval, where
        the time or the memory goes, what limits it, and what the numbers rest on.

        Args:
            rendering: "text", "markdown", "html", or "summary" for one line.
        """
        shown: str = _core.report_format(self._known_report(), text(rendering, "rendering"), 0)
        return shown

    def lines(self) -> Table:
        """The same for programs: block, label, text, value, share, unit and note of every line."""
        return Table(_core.report_lines(self._known_report()))


class Reported(Explained, Record):
    """A record with a report: a prediction, an inference, a memory, an input pipeline."""

    def __repr__(self) -> str:
        if (report := self._report()) is None:
            return super().__repr__()
        return f"<{type(self).__name__} {_core.report_format(report, 'summary', 0)}>"

    def _repr_html_(self) -> str:
        report = self._report()
        return super()._repr_html_() if report is None else _core.report_format(report, "html", 0)


class ReportedTable(Explained, Table):
    """A table with a report, which is what people are shown: sizes, sensitivities, upgrades, a deadline."""

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        shown: str = _core.report_format(self._known_report(), "html", 0)
        return shown
