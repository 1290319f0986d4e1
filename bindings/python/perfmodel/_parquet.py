"""Parquet files that are put together from pieces: each is a whole file in memory, encoded wherever there is time. Its
pages are appended as they are; the footer, which says where everything lies, is written at the end.

A footer is a record of Thrift's compact protocol (https://github.com/apache/parquet-format): fields by number, each
with a type. What is not a place in the file passes through as it came.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"PAR1"
TAIL = 8  # the length of the footer in four bytes, and the magic word

# Types of the compact protocol.
YES, NO, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12

# Fields of parquet.thrift: FileMetaData, RowGroup, ColumnChunk, ColumnMetaData.
NUM_ROWS, ROW_GROUPS = 3, 4
COLUMNS, GROUP_OFFSET, ORDINAL = 1, 5, 7
META_DATA, CHUNK_OFFSETS = 3, (2, 4, 6)
PAGE_OFFSETS = (9, 10, 11, 14)

Struct = dict[int, tuple[int, Any]]
"""Fields by number: type and value. A list is (type of its items, items). A struct may be bytes, as it is written."""


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _list(self) -> tuple[int, list[Any]]:
        head = self._bytes(1)[0]
        count = head >> 4 if head >> 4 < 15 else self._varint()
        return head & 15, [self._value(head & 15, True) for _ in range(count)]

    def _value(self, kind: int, item: bool = False) -> Any:
        if kind in (YES, NO):
            return self._bytes(1)[0] == YES if item else kind == YES
        if kind in (I16, I32, I64):
            return self._integer()
        if kind in (LIST, SET):
            return self._list()
        if kind == STRUCT:
            return self.struct()
        return self._bytes({BYTE: 1, DOUBLE: 8}.get(kind) or self._varint())

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while (head := self._bytes(1)[0]) != 0:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = head & 15, self._value(head & 15)
        return fields


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _integer(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else ~(value << 1))


def _list(kind: int, items: list[bytes]) -> bytes:
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return head + b"".join(items)


def _value(kind: int, value: Any, item: bool = False) -> bytes:
    if kind in (YES, NO):
        return bytes([YES if value else NO]) if item else b""
    if kind in (I16, I32, I64):
        return _integer(value)
    if kind in (LIST, SET):
        return _list(value[0], [_value(value[0], one, True) for one in value[1]])
    if kind == STRUCT and not isinstance(value, bytes):
        return _struct(value)
    plain: bytes = value
    return plain if kind in (BYTE, DOUBLE, STRUCT) else _varint(len(plain)) + plain


def _struct(fields: Struct) -> bytes:
    made, before = bytearray(), 0
    for number, (kind, value) in fields.items():
        step = number - before
        made += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _integer(number)
        made += _value(kind, value)
        before = number
    return bytes(made) + b"\0"


def _move(fields: Struct, numbers: tuple[int, ...], by: int) -> None:
    """Places in the file; 0 is none."""
    for number in numbers:
        if number in fields and fields[number][1] > 0:
            fields[number] = fields[number][0], fields[number][1] + by


def _moved(group: Struct, by: int, ordinal: int) -> Struct:
    """A row group whose pages lie elsewhere."""
    _move(group, (GROUP_OFFSET,), by)
    for chunk in group[COLUMNS][1][1]:
        _move(chunk, CHUNK_OFFSETS, by)
        _move(chunk[META_DATA][1], PAGE_OFFSETS, by)
    if ORDINAL in group:
        group[ORDINAL] = I16, ordinal
    return group


def encoded(table: Any) -> bytes:
    """The rows as a whole file."""
    import pyarrow
    import pyarrow.parquet

    few = [field.name for field in table.schema if str(field.type) != "double"]  # different values, worth a dictionary
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd", use_dictionary=few)
    made: bytes = sink.getvalue().to_pybytes()
    return made


class Appended:
    """A file that pieces are appended to."""

    def __init__(self, path: Path, resume: bool):
        self._file: BinaryIO = open(path, "r+b" if resume else "wb")
        self._footer: Struct = {}
        self._groups: list[bytes] = []
        if resume:
            self._go_on()
        else:
            self._file.write(MAGIC)

    def _go_on(self) -> None:
        """Where the footer was, pages go on."""
        self._file.seek(-TAIL, os.SEEK_END)
        length = int.from_bytes(self._file.read(4), "little")
        begin = self._file.seek(-length - TAIL, os.SEEK_END)
        self._footer = _Reader(self._file.read(length)).struct()
        self._groups = [_struct(group) for group in self._footer[ROW_GROUPS][1][1]]
        self._file.seek(begin)
        self._file.truncate()

    def add(self, piece: bytes) -> None:
        """The pages of a piece, which is a whole file."""
        end = len(piece) - TAIL - int.from_bytes(piece[-TAIL:-4], "little")
        footer = _Reader(piece[end:-TAIL]).struct()
        rows = footer[NUM_ROWS][1]
        if self._footer and rows == 0:
            return
        by = self._file.tell() - len(MAGIC)
        self._file.write(piece[len(MAGIC) : end])
        for group in footer[ROW_GROUPS][1][1]:
            self._groups.append(_struct(_moved(group, by, len(self._groups))))
        before = self._footer[NUM_ROWS][1] if self._footer else 0
        self._footer = {**footer, NUM_ROWS: (I64, before + rows)}

    def close(self) -> None:
        """With the footer, without which nobody can read it."""
        if self._footer:
            footer = _struct({**self._footer, ROW_GROUPS: (LIST, (STRUCT, self._groups))})
            self._file.write(footer + len(footer).to_bytes(4, "little") + MAGIC)
        self._file.close()
