"""Files that are there whole or not at all, unless what is there must stay the same file: the rule of the command. What
this process has read is not written over, as only that file may hold it; what it wrote itself may be."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable
from pathlib import Path

from ._errors import ArgumentError, FileError, FormatError
from ._inputs import path_text
from ._text import cut

Mark = tuple[int, int, int]

_read: set[str] = set()  # files and folders, without links
_written: dict[str, Mark] = {}  # as they were left
MOST_BYTES = 64 << 20
_numbers = itertools.count()
NAME_MOST = 50  # letters of a name that go into that of the file beside it: a name has 255 bytes


def reading(path: str | os.PathLike[str]) -> str:
    """The text of the path of a file, or of a folder of them, that is about to be read."""
    name = path_text(path)
    _read.add(os.path.realpath(name))
    return name


def content(path: str | os.PathLike[str]) -> bytes:
    """What a file holds. FileError if it cannot be read, FormatError if it is larger than descriptions of models."""
    try:
        with open(reading(path), "rb") as file:
            found = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileError(f"{cut(path_text(path), 300)}: {error.strerror or error}") from error
    if len(found) > MOST_BYTES:
        raise FormatError(f"{cut(path_text(path), 300)}: it has more than {MOST_BYTES} bytes")
    return found


def keep(path: str | os.PathLike[str]) -> str:
    """The place of a result, without links. ArgumentError if it would be written over a file that was read."""
    target = os.path.realpath(path_text(path))
    if os.path.isfile(target) and _written.get(target) != _mark(target) and _is_read(target):
        raise ArgumentError(f'"{path_text(path)}" is a file that is read: give the result another name')
    return target


def _mark(path: str) -> Mark:
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def _is_read(target: str) -> bool:
    """By its name, by another one of its names, or as an entry of a folder."""
    if target in _read or (target.endswith(".xml") and os.path.dirname(target) in _read):
        return True
    return os.stat(target).st_nlink > 1 and any(os.path.samefile(target, file) for file in list(_read)
                                                if os.path.exists(file))  # fmt: skip


def wrote(target: str) -> None:
    """A file is whole: until somebody else changes it, it may be written again."""
    if os.path.isfile(target):
        _written[target] = _mark(target)


def replace(data: bytes, path: str | os.PathLike[str]) -> None:
    """Writes beside the target and moves it there; a device or a pipe takes it as it is."""
    target = Path(keep(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        _write_in_place(data, target)
    else:
        put(path, lambda beside: beside.write_bytes(data))


def put(path: str | os.PathLike[str], write: Callable[[Path], object]) -> None:
    """Has a file written beside the target and moves it there, with the owner and rights of what is there; where that
    has several names, or an owner whom it cannot be given to, its bytes are written in place."""
    target = Path(keep(path))
    if target.is_dir():
        raise IsADirectoryError(f"{path_text(path)} is a folder")
    old = target.stat() if target.exists() else None
    beside = target.with_name(f".{target.name[:NAME_MOST]}.{os.getpid()}-{next(_numbers)}.part")
    try:
        write(beside)
        if old is None or (old.st_nlink == 1 and _take_after(old, beside)):
            os.replace(beside, target)
        else:
            _write_in_place(beside.read_bytes(), target)
        wrote(str(target))
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
