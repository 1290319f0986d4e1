"""Long calls of the core, interruptible by Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")

ANSWERED = 0.2
"""Seconds after which a Ctrl-C is seen that came between Python's last look and the wait, which does not end it."""

MANY_GPUS = 128
"""In a node of fewer the core is done in less than a thread takes to begin, or in a few milliseconds."""


def interruptible(call: Callable[..., Made], *args: Any) -> Made:
    """What the call returns or raises. It runs in a thread of its own, for which the main thread waits: after Ctrl-C
    nobody does, and what it then makes is dropped. Its arguments must be for reading alone.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(*args)  # signals reach the main thread only
    made: list[Made] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            made.append(call(*args))
        except BaseException as error:  # raised where it is waited for
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(ANSWERED)
    if failed:
        raise failed[0]
    return made[0]


MANY_ROWS = 5000
"""A table of fewer rows is written, or selected from, in less than a tenth of a second."""


def of_rows(rows: float, call: Callable[..., Made], *args: Any) -> Made:
    """The same of a call that takes long if a table has many rows."""
    return interruptible(call, *args) if rows > MANY_ROWS else call(*args)


def of_node(gpus: int, call: Callable[..., Made], *args: Any) -> Made:
    """The same of a call that takes long if a node has many GPUs."""
    return interruptible(call, *args) if gpus > MANY_GPUS else call(*args)


def new_lock() -> threading.Lock:
    """A lock, or MemoryError."""
    try:
        return threading.Lock()
    except RuntimeError:  # which is how Python says that there is no memory for it
        raise MemoryError from None
