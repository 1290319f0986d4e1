"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ._inputs import path_text


def replace(data: bytes, path: str | os.PathLike[str]) -> None:
    """Writes beside the target and moves it there."""
    target = Path(os.path.realpath(path_text(path)))
    if target.is_dir():
        raise IsADirectoryError(f"{path_text(path)} is a folder")
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(data)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
