"""Progress of long work: a line on a terminal, a line in a notebook, or a user's function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any, Union

Progress = Union[bool, Callable[[int, int], object], None]
OFTEN = 0.2  # seconds between two lines


class Meter:
    """Says "3,200,000 of 10,000,000 rows, 1,200,000/s, 6 s left" a few times a second. True: on a terminal or in a
    notebook; a function is called with what is done and all."""

    def __init__(self, wanted: Progress, total: int, done: int = 0):
        self._own = wanted if callable(wanted) else None
        self._show = _place() if wanted is True else None
        self._total, self._first, self._start, self._last = total, done, monotonic(), -OFTEN

    def __call__(self, done: int) -> None:
        if self._own is not None:
            self._own(done, self._total)
        now = monotonic()
        if self._show is not None and (now - self._last >= OFTEN or done >= self._total):
            self._last = now
            self._show(self.line(done, now - self._start), done >= self._total)

    def line(self, done: int, seconds: float) -> str:
        """What is shown after so many seconds."""
        rate = (done - self._first) / seconds if seconds > 0 else 0.0
        left = f", {_time((self._total - done) / rate)} left" if 0 < rate and done < self._total else ""
        return f"{done:,} of {self._total:,} rows, {rate:,.0f}/s{left}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _place() -> Callable[[str, bool], None] | None:
    """Where a line is shown: in the notebook that runs, else on standard error if that is a terminal."""
    if (shell := sys.modules.get("IPython")) is not None and hasattr(shell.get_ipython(), "kernel"):
        display: Any = sys.modules["IPython"].display.display
        handle = display({"text/plain": ""}, raw=True, display_id=True)
        return lambda line, last: handle.update({"text/plain": line}, raw=True)
    return _on_terminal if sys.stderr.isatty() else None


def _on_terminal(line: str, last: bool) -> None:
    sys.stderr.write(f"\r{line:<72}" + ("\n" if last else ""))
    sys.stderr.flush()
