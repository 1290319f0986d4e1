"""Calls of the core that take seconds, so that Ctrl-C is answered at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


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
    thread.join()
    if failed:
        raise failed[0]
    return made[0]
