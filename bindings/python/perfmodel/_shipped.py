"""The shipped catalogue as the core has it: what is below networks and systems asks it for records."""

from __future__ import annotations

import threading

from . import _core, _record
from ._inputs import text
from ._record import R

_handle: _core.catalog | None = None
_lock = threading.Lock()


def handle() -> _core.catalog:
    """The catalogue, made when it is first needed."""
    global _handle
    with _lock:
        if _handle is None:
            _handle = _core.catalog_new()
        return _handle


def record(cls: type[R], kind: str, name: str) -> R:
    """A record by name."""
    return _record.read(cls, kind, _core.catalog_record(handle(), kind, text(name, "name")))
