"""Files that are there whole or not at all, unless what is there must stay the same file: the rule of the command."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from ._errors import ArgumentError
from ._inputs import path_text


def keep(read: Iterable[str], path: str | os.PathLike[str] | None) -> None:
    """ArgumentError if an answer would be written over a file that it was read from, which only has what it holds."""
    if path is None or not os.path.exists(path):
        return
    for file in read:
        if os.path.exists(file) and os.path.samefile(file, path):
            raise ArgumentError(f'"{path_text(path)}" is a file that is read: give the result another name')


def replace(data: bytes, path: str | os.PathLike[str]) -> None:
    """Writes beside the target and moves it there; a device or a pipe takes it as it is."""
    target = Path(os.path.realpath(path_text(path)))
    if target.exists() and not target.is_file() and not target.is_dir():
        _write_in_place(data, target)
    else:
        put(path, lambda beside: beside.write_bytes(data))


def put(path: str | os.PathLike[str], write: Callable[[Path], object]) -> None:
    """Has a file written beside the target and moves it there, with the owner and rights of what is there; where that
    has several names, or an owner whom it cannot be given to, its bytes are written in place."""
    target = Path(os.path.realpath(path_text(path)))
    if target.is_dir():
        raise IsADirectoryError(f"{path_text(path)} is a folder")
    old = target.stat() if target.exists() else None
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        write(beside)
        if old is None or (old.st_nlink == 1 and _take_after(old, beside)):
            os.replace(beside, target)
        else:
            _write_in_place(beside.read_bytes(), target)
    except OSError as error:  # of the file that was asked for, not of the one beside it
        raise OSError(error.errno, error.strerror or str(error), path_text(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def _write_in_place(data: bytes, target: Path) -> None:
    """A device or a pipe has no length."""
    with open(target, "r+b" if target.is_file() else "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
        if target.is_file():
            file.truncate()


def _take_after(old: os.stat_result, beside: Path) -> bool:
    """Owner, group and rights; whether that is possible."""
    new = beside.stat()
    try:
        if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(stat.S_IMODE(old.st_mode))
    except PermissionError:
        return False
    return True
