"""Answers that the library has a report of: text, HTML and Markdown are its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from . import _core, _excel
from ._base import Record
from ._draw import stacks, title, waterfall
from ._errors import ArgumentError
from ._fields import fields, given
from ._inputs import text
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RENDERINGS = ("text", "html", "markdown", "summary")


class Explained:
    """What all answers with a report have in common."""

    def _report(self) -> _core.report | None:
        """The report; None of an answer that this package did not make."""
        raise NotImplementedError

    def _known_report(self) -> _core.report:
        report = self._report()
        if report is None:
            raise ValueError("only predictions of perfmodel have a report")
        return report

    def explain(self, rendering: str = "text") -> str:
        """The full report, as printed by the command: assumptions, the result with its interval, the parts of time or
        memory, the bottleneck, and the basis of the numbers.

        Args:
            rendering: "text", "markdown", "html", or "summary" for one line.
        """
        shown: str = _core.report_format(self._known_report(), text(rendering, "rendering"), 0)
        return shown

    def lines(self) -> Table:
        """The report for programs: block, label, text, value, share, unit and note of every line."""
        return Table(_core.report_lines(self._known_report()))

    def _block(self, name: str) -> list[tuple[str, str, float, str]]:
        """Label, text, value and unit of every line of a block of the report."""
        lines = self.lines()
        columns = (lines[column] for column in ("block", "label", "text", "value", "unit"))
        return [row for block, *row in zip(*columns) if block == name]  # type: ignore[misc]

    def _of(self) -> str:
        """What it is an answer for, in the words of its report."""
        return "\n".join(text for _, text, _, _ in self._block("setting"))


class Fields(Explained):
    """Predictions, of which each field can be explained too."""

    def _report(self, field: str = "") -> _core.report | None:
        raise NotImplementedError

    def _report_of(self, field: str) -> _core.report:
        return self._report(field) or self._known_report()

    def explain(self, field: str = "", rendering: str = "text") -> str:  # type: ignore[override]
        """The full report, as printed by the command, or the explanation of one number: its meaning, its formula, the
        formula with values, the fields that add up to it, its uncertainty, and every
        input with its source.

        Args:
            field: "step_time", "mfu" or any other field; "" is the whole answer. A rendering alone is of the whole.
            rendering: "text", "markdown", "html", or "summary" for one line.

        Raises:
            NotFoundError: there is no such field or rendering.

        >>> import perfmodel as pm
        >>> print(pm.predict("gpt2", "dgx-a100", gpus=8).explain("mfu").split("\\n")[8])
          formula                    flop_rate / peak
        """
        if field in RENDERINGS:
            field, rendering = "", field
        shown: str = _core.report_format(self._report_of(text(field, "field")), text(rendering, "rendering"), 0)
        return shown

    def lines(self, field: str = "") -> Table:
        """The report for programs: block, label, text, value, share, unit and note of every line; parts add up to the
        field exactly."""
        return Table(_core.report_lines(self._report_of(text(field, "field"))))


class Reported(Explained, Record):
    """A record with a report: a memory, an input pipeline."""

    _parts: ClassVar[tuple[str, str]] = ("time", "Where does the time of a step go?")
    """The block of its report that divides a whole, and the question that this answers."""

    def plot(self, *others: Any, ax: Axes | None = None) -> Axes:
        """Plots the parts of its time or memory; with others of its kind, a stacked bar for each. Needs matplotlib."""
        block, question = self._parts
        for other in others:
            if type(other) is not type(self):
                raise TypeError(f"a {type(self).__name__} can be drawn with others of its kind, not with "
                                f"{type(other).__name__}")
        every = [self, *others]
        wholes = [_whole(item, block) for item in every]
        if others or self._limits():
            labels = _labels(every)
            ax = stacks(ax, list(zip(labels, wholes)), self._block(block)[0][3], block.partition("_")[0],
                        [limit for item in every for limit in item._limits()])  # fmt: skip
        else:
            ax = waterfall(ax, list(wholes[0]), list(wholes[0].values()), self._block(block)[0][3], "time")
        title(ax, question, "" if others else self._of())
        return ax

    def to_excel(self, path: str | os.PathLike[str]) -> None:
        """A workbook: the lines of its report, all its numbers with costs and energies as formulas, the inputs and
        assumptions. Needs openpyxl. Written whole or not at all."""
        said = getattr(self, "assumed", "")
        tables = [("answer", self.lines()), *self._numbers()]
        _excel.write(path, tables, run_items(getattr(self, "run", None)),
                     [f"assumed: {said}"] if said else [])  # fmt: skip

    def _numbers(self) -> list[tuple[str, Table]]:
        """All its numbers as a row of a table, if there is such."""
        return []

    def _limits(self) -> list[tuple[str, float]]:
        """What the whole is to stay below, by name."""
        return []

    def __repr__(self) -> str:
        if (report := self._report()) is None:
            return super().__repr__()
        return f"<{type(self).__name__} {_core.report_format(report, 'summary', 0)}>"

    def _repr_html_(self) -> str:
        report = self._report()
        return super()._repr_html_() if report is None else _core.report_format(report, "html", 0)


def _whole(item: Explained, block: str) -> dict[str, float]:
    parts = {label: value for label, _, value, _ in item._block(block)}
    if not parts:
        raise ArgumentError(f"the parts of this {type(item).__name__.lower()} are not known: nothing to draw")
    return parts


def _labels(items: list[Any]) -> list[str]:
    """Network and system; where these are the same, the run too."""
    short = [f"{item.network} on {item.system}" for item in items]
    if len(set(short)) == len(short):
        return short
    return [f"{name}, {item._block('setting')[-1][1]}" for name, item in zip(short, items)]


def run_items(run: Any) -> list[_excel.Item]:
    """What is known of a record that was asked, as inputs of a workbook."""
    name = getattr(type(run), "_type", "")
    if not name:
        return []
    shown = [(f, getattr(run, f.name)) for f in given(name) or fields(name) if not f.name.endswith("_index")]
    return [_excel.Item(f.name, "yes" if value is True else value, "" if f.unit == "1" else f.unit, f.doc)
            for f, value in shown if value == value and value != "" and value is not False]  # fmt: skip


class Predicted(Fields, Reported):
    """A record with a report of the whole and of each of its fields: a prediction of training, inference or serving."""


class ReportedTable(Explained, Table):
    """A table with a report, which is what people are shown: sizes, sensitivities, upgrades, a deadline."""

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        shown: str = _core.report_format(self._known_report(), "html", 0)
        return shown
