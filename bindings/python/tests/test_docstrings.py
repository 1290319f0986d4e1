"""Examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import perfmodel as pm
import pytest

MODULES = ["perfmodel"] + [f"perfmodel.{module.name}" for module in pkgutil.iter_modules(pm.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), extraglobs={"pm": pm})
    assert result.failed == 0


def test_every_public_name_is_documented() -> None:
    for name in pm.__all__:
        assert getattr(pm, name).__doc__, name


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))) >= 10
