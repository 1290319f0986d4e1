"""How much Python does, counted in lines: the same on a machine that is busy."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType


class Lines:
    """Counts the lines that run inside; more than `most` are an error, so that nothing runs for ever.

    with Lines(1_000_000) as lines:
        work()
    print(lines.count)
    """

    def __init__(self, most: int) -> None:
        self.count, self.most = 0, most

    def __enter__(self) -> Lines:
        self.before = sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.settrace(self.before)
        assert self.count <= self.most, str(error)  # whatever became of the error on its way

    def trace(self, frame: FrameType, event: str, argument: object) -> object:
        if event == "line":
            self.count += 1
            if self.count > self.most:
                raise RuntimeError(f"more than {self.most} lines, at {frame.f_code.co_filename}:{frame.f_lineno}")
        return self.trace
