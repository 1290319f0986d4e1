"""Packages that some tests need: where PERFMODEL_ALL is set, their absence is said aloud but is no failure."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest


def package(name: str) -> Any:
    """The package, or the module is skipped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            pytest.skip(f"{name} is not installed; pip install {name}", allow_module_level=True)
