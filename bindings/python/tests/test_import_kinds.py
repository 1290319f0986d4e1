"""Every kind of layer that an importer may add exists, and those that none adds are known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import perfmodel as pm
import perfmodel.importers

TREES = {
    path.name: ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(Path(perfmodel.importers.__file__).parent.glob("*.py"))
}

# No operator of a framework is one of these by itself: importers take their parts, one by one, and depthwise
# convolutions as convolutions with groups. A new kind belongs in a table of the importers, or here.
NEVER_IMPORTED = {
    "additive_attention",
    "depthwise_conv2d",
    "dora",
    "dot_attention",
    "dot_interaction",
    "operator",
    "squeeze_excitation",
}


def texts(node: ast.expr) -> set[str]:
    """What an expression may be, as far as it is written down; an axis count in an f-string is 1, 2 or 3."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return texts(node.body) | texts(node.orelse)
    if not isinstance(node, ast.JoinedStr):
        return set()
    found = {""}
    for part in node.values:
        more = texts(part) if isinstance(part, ast.Constant) else {"1", "2", "3"}
        found = {begin + end for begin in found for end in more}
    return found


def places_of_kinds() -> dict[str, set[int]]:
    """Functions with a parameter `kind`, and which one it is."""
    places: dict[str, set[int]] = {}
    for tree in TREES.values():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            names = [argument.arg for argument in node.args.posonlyargs + node.args.args if argument.arg != "self"]
            if "kind" in names:
                places.setdefault(node.name, set()).add(names.index("kind"))
    return places


def given() -> Iterator[tuple[str, int, str]]:
    """Kinds that are written where a function takes one: file, line, kind."""
    places = places_of_kinds()
    for file, tree in TREES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for place in places.get(function, ()):
                for kind in texts(node.args[place]) if place < len(node.args) else ():
                    yield file, node.lineno, kind


def tabled() -> Iterator[tuple[str, int, str]]:
    """Kinds in tables: dicts that are walked with a variable `_kind`, or are named after activations or kinds."""
    for file, tree in TREES.items():
        for node in ast.walk(tree):
            table: ast.AST | None = None
            if isinstance(node, ast.For) and "_kind" in ast.unparse(node.target):
                table = node.iter
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and target.id in ("ACTIVATIONS", "BINARY", "kinds"):
                    table = node.value
            for each in ast.walk(table) if table is not None else ():
                if isinstance(each, ast.Dict):
                    for value in each.values:
                        for kind in texts(value):
                            yield file, value.lineno, kind


def test_kinds_exist() -> None:
    known = set(pm.layer_kinds())
    found = [*given(), *tabled()]
    assert len({kind for _, _, kind in found}) > 45
    assert [each for each in found if each[2] not in known] == []


def test_every_kind_can_be_imported_or_is_named_here() -> None:
    found = {kind for _, _, kind in [*given(), *tabled()]}
    for tree in TREES.values():  # and those that are passed on in variables
        found |= {text for node in ast.walk(tree) if isinstance(node, ast.expr) for text in texts(node)}
    for file in (Path(__file__).parents[3] / "libperfmodel" / "src" / "models").glob("*.c"):  # the library's own reader
        found |= set(re.findall(r'"(\w+)"', file.read_text(encoding="utf-8")))
    assert set(pm.layer_kinds()) - found == NEVER_IMPORTED
