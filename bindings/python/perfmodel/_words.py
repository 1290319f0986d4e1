"""The words of a command line, and the options of an experiment file, as keywords of the package's functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from ._catalog import Catalog, default
from ._errors import ArgumentError
from ._fields import given as fields_given


def read(words: list[str]) -> tuple[list[str], dict[str, Any], str]:
    """Arguments, options as keywords, and the file of -o ("-": standard output)."""
    arguments: list[str] = []
    options: dict[str, Any] = {}
    file, words = "-", [part for word in words for part in _parted(word)]
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        given = words.pop(0) if words and not words[0].startswith("--") and words[0] != "-o" else None
        if word in ("-q", "--quiet"):
            warnings.simplefilter("ignore")
            arguments.extend([] if given is None else [given])
        elif word in ("-o", "--output"):
            if given is None:
                raise ArgumentError("-o needs a file")
            file = given
        elif not word.startswith("--"):
            raise ArgumentError(f'unknown option "{word}"')
        else:
            keep(options, keyword(word[2:]), given)
    return arguments, options, file


def keep(options: dict[str, Any], name: str, given: str | None) -> None:
    """One more option; of those that may be repeated, with what there was."""
    if name in ("axis", "set") and given is not None:
        path, sign, items = given.partition("=")
        if not sign or not items:
            raise ArgumentError(f'--{name} "{given}" is not {"PATH=VALUE,..." if name == "axis" else "NAME=VALUE"}')
        kept = options.setdefault("axes" if name == "axis" else "sets", {})
        kept[path] = items.split(",") if name == "axis" else items
    elif name == "trainable" and given is not None:
        options.setdefault("sets", {})["trainable"] = given
    elif name in ("where", "columns") and given is not None:
        options[name] = [*options.get(name, []), *(word.strip() for word in given.split(","))]
    elif name == "catalog" and given is not None:
        options[name] = [*options.get(name, []), given]
    else:
        options[name] = True if given is None else value(given)


def _parted(word: str) -> list[str]:
    """"--batch=64" as two words."""
    return word.split("=", 1) if word.startswith("--") and "=" in word else [word]


@cache
def _named() -> dict[str, str]:
    """Fields by what the command calls their options."""
    types = ("serving_run", "inference_run", "run")
    return {f.option.replace("_", "-"): f.name for record in types for f in fields_given(record)}


def keyword(option: str) -> str:
    return _named().get(option, option.replace("-", "_"))


def value(text: str) -> Any:
    """A number, a list, prices by name, or the text itself."""
    items = [_plain(item.strip()) for item in text.split(",")]
    if all(isinstance(item, str) and "=" in item for item in items):
        return {name: _plain(price) for name, price in (item.split("=", 1) for item in items)}
    return items[0] if len(items) == 1 else items


def _plain(text: str) -> Any:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


# ---- Files of the user's own, and parameters of networks ----


def with_own(known: dict[str, Any]) -> dict[str, Any]:
    """Networks and systems as files of the user's own have them, with the parameters that are set."""
    paths, sets = known.pop("catalog", []), known.pop("sets", {})
    if not paths and not sets:
        return known
    catalog = Catalog(*paths) if paths else default()

    def network(name: str) -> Any:
        return catalog.network(name, **sets)

    read = {"network": network, "networks": network, "system": catalog.system, "systems": catalog.system,
            "gpu": catalog.system}  # fmt: skip
    return {name: _read_all(read[name], item) if name in read else item for name, item in known.items()}


def _read_all(read: Callable[[str], Any], item: Any) -> Any:
    return [read(one) for one in item] if isinstance(item, list) else read(item)


__all__ = ["keep", "keyword", "read", "value", "with_own"]
