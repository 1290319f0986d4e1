"""Modules of the package import one another one way: no circles, neither at the top of a module nor inside a function
nor for type checkers alone."""

from __future__ import annotations

import ast
from pathlib import Path

import perfmodel as pm

FOLDER = Path(pm.__file__).parent


def module_name(path: Path) -> str:
    parts = path.relative_to(FOLDER).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, names: set[str]) -> set[str]:
    """The modules of the package that a file imports, wherever in it."""
    package = path.relative_to(FOLDER).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
        start = ".".join(part for part in base if part)
        for alias in node.names:
            longer = f"{start}.{alias.name}".lstrip(".")
            found.add(longer if longer in names else start)
    return found & names


def test_no_circles() -> None:
    files = {module_name(path): path for path in FOLDER.rglob("*.py") if path.name != "_core.py"}
    names = set(files) - {""}
    arrows = {name: imported(files[name], names) - {name} for name in names}
    assert sum(map(len, arrows.values())) > 100
    while arrows:
        free = [name for name, targets in arrows.items() if not targets & set(arrows)]
        assert free, f"a circle among {sorted(arrows)}"
        for name in free:
            del arrows[name]
