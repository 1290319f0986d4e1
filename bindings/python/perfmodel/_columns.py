"""What pictures and workbooks take of a table: its columns, whoever has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class ColumnInfo:
    """What a column holds."""

    name: str
    unit: str
    doc: str
    kind: str

    @property
    def title(self) -> str:
        """The name with its unit, as in the CSV: "step_time [s]"."""
        return self.name if self.unit in ("", "1") else f"{self.name} [{self.unit}]"


class Columns(Protocol):
    """`table["step_time"]` is a column, `len(table)` the number of rows."""

    @property
    def columns(self) -> list[ColumnInfo]: ...

    def __getitem__(self, key: str, /) -> Any: ...

    def __len__(self) -> int: ...
