"""Exceptions: one class per status of the library, all of them `perfmodel.Error`."""

from __future__ import annotations

from typing import NoReturn

from ._text import cut, printable


class Error(ValueError):
    """An error, in one line with the offending value.

    Attributes:
        status: stable name of the error ("not_found", "bad_unit", ...).
        file, line: the place, for an error in a file; None otherwise.
    """

    status = "error"

    def __init__(self, text: str, *, status: str | None = None, file: str | None = None, line: int | None = None):
        super().__init__(printable(cut(str(text))))
        self.status = status if status is not None else type(self).status
        self.file = file
        self.line = line


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""

    status = "no_memory"


class ArgumentError(Error):
    """An argument is missing, negative, not finite or out of its range."""

    status = "bad_argument"


class BadValueError(Error):
    """A value cannot be read, or is implausible."""

    status = "bad_value"


class UnitError(Error):
    """A unit is missing, unknown or of another dimension."""

    status = "bad_unit"


class NotFoundError(Error, LookupError):
    """No such name in the catalogue."""

    status = "not_found"


class FileError(Error):
    """A file cannot be read."""

    status = "bad_file"


class FormatError(FileError):
    """A file is not well-formed or contains something unknown."""

    status = "bad_syntax"


class ShapeError(Error):
    """Layer shapes do not fit together."""

    status = "bad_shape"


class TooManyGpusError(Error):
    """More GPUs than the system has."""

    status = "too_many_gpus"


class PrecisionError(Error):
    """The GPU has no rate for this precision."""

    status = "no_precision"


class RouteError(Error):
    """The GPUs are not connected."""

    status = "no_route"


class NotModelledError(Error, NotImplementedError):
    """Known, but not modelled."""

    status = "not_modelled"


class UnreachableError(Error):
    """No choice reaches the target."""

    status = "unreachable"


class DoesNotFitError(Error):
    """The run needs more memory than the GPU has."""

    status = "does_not_fit"


class InternalError(Error):
    """An error in the library itself."""

    status = "internal"


_CLASSES: dict[str, type[Error]] = {
    cls.status: cls
    for cls in (
        OutOfMemoryError,
        ArgumentError,
        BadValueError,
        UnitError,
        NotFoundError,
        FileError,
        FormatError,
        ShapeError,
        TooManyGpusError,
        PrecisionError,
        RouteError,
        NotModelledError,
        UnreachableError,
        DoesNotFitError,
        InternalError,
    )
}


def raise_error(status: str, text: str, file: str, line: int) -> NoReturn:
    """Called by the core when the library reports an error."""
    cls = _CLASSES.get(status, Error)
    raise cls(text, status=status, file=file or None, line=line if line > 0 else None)
