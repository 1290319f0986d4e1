"""The package is typed: mypy --strict passes, on it and on a user's script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import perfmodel as pm
import pytest

pytest.importorskip("mypy")

SCRIPT = """
import perfmodel as pm
net, node = pm.network("resnet50", classes=10), pm.system("dgx1-v100")
p = pm.predict(net, node, gpus=8, batch=64, precision="fp16")
rate: float = p.throughput
limit: str = p.bottleneck
count: int = net.parameters
first: pm.Prediction = pm.sweep([net, "vgg16"], node, gpus=[1, 2], batch=64)[0]
"""


def mypy(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(cache),
             *arguments]
    return subprocess.run(words, capture_output=True, text=True)


def test_package_and_script_of_a_user(tmp_path: Path) -> None:
    """One test: what the package imports takes long to read, and the script finds it in the cache."""
    result = mypy(tmp_path / "cache", "-p", "perfmodel")
    assert result.returncode == 0, result.stdout + result.stderr
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    result = mypy(tmp_path / "cache", str(script))
    assert result.returncode == 0, result.stdout + result.stderr
    script.write_text(SCRIPT + "wrong: str = p.throughput\n", encoding="utf-8")
    assert mypy(tmp_path / "cache", str(script)).returncode == 1


def test_marker_is_there() -> None:
    assert (Path(pm.__file__).parent / "py.typed").exists()
