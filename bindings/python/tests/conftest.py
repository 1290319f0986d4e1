"""Things that several test files use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import perfmodel as pm
import pytest

# What the command has Python do is for the one that runs the tests.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def bits(records: np.ndarray) -> bytes:
    """All fields of all records, byte for byte, without the gaps between fields."""
    return b"".join(np.ascontiguousarray(records[name]).tobytes() for name in records.dtype.names)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def resnet50() -> pm.Network:
    return pm.network("resnet50")


@pytest.fixture(scope="session")
def dgx1() -> pm.System:
    return pm.system("dgx1-v100")


@pytest.fixture(scope="session")
def sweep() -> pm.Sweep:
    """A sweep with good and bad points: 6 GPUs do not fill whole nodes of an AC922, and no Volta has bf16."""
    return pm.sweep(
        ["resnet50", "vgg16"],
        ["dgx1-v100", "ac922"],
        gpus=[1, 2, 4, 6],
        batch=[16, 64, 77],
        precision=["fp32", "fp16", "bf16"],
        overlap="backward",
    )
