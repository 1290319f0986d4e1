"""The same bytes in every locale, of every face: decimal commas, other digits, other letters for upper case."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LOCALES = ("de_DE", "fr_FR", "tr_TR", "fa_IR", "ar_SA")
ARGUMENTS = ("predict", "resnet50", "dgx1-v100", "--gpus", "8", "--format", "csv", "--columns", "all")
PYTHON = """
import locale, sys
if len(sys.argv) > 1:
    assert locale.setlocale(locale.LC_ALL, sys.argv[1]) and (locale.localeconv()["decimal_point"] or "?")
import perfmodel as pm
sys.stdout.buffer.write((pm.predict("resnet50", "dgx1-v100", gpus=8).to_csv() if hasattr(pm.Prediction, "to_csv") else
    pm.sweep("RESNET50", "DGX1-V100", gpus=8, batch=[8, 16]).to_csv() + pm.sweep("resnet50", "dgx1-v100").to_json()
    + str(pm.list("links")) + repr(pm.with_number("dgx1-v100", "gpu.memory_bandwidth", "1.25 TB/s"))).encode())
"""
LUA = """
if arg[1] then assert(os.setlocale(arg[1]), "no such locale") end
local pm = require "perfmodel"
local swept = pm.sweep{network = "RESNET50", system = "DGX1-V100", gpus = 8, batch = {8, 16}}
io.write(swept:csv(), tostring(pm.list("links")))
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales").exists():
        pytest.skip("locales cannot be made here")
    folder = tmp_path_factory.mktemp("locales")
    for name in LOCALES:
        subprocess.run(["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")], capture_output=True)
        assert (folder / f"{name}.UTF-8" / "LC_NUMERIC").exists()
    return folder


def output(command: list[str], places: Path, name: str | None) -> bytes:
    environment = {**os.environ, "LOCPATH": str(places), "LC_ALL": name or "C.UTF-8", "PYTHONUTF8": "1"}
    done = subprocess.run([*command, *([name] if name else [])], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("name", LOCALES)
@pytest.mark.parametrize("face", ["python", "lua", "command"])
def test_the_same_bytes(face: str, name: str, places: Path, tmp_path: Path) -> None:
    if face == "command":
        if "PERFMODEL_COMMAND" not in os.environ:
            pytest.skip("PERFMODEL_COMMAND is not set")
        command = ["sh", "-c", 'exec "$0" ' + " ".join(ARGUMENTS), os.environ["PERFMODEL_COMMAND"]]
    elif face == "lua":
        lua = shutil.which("lua5.4") or shutil.which("lua")
        if lua is None or "LUA_PATH" not in os.environ:
            pytest.skip("no Lua, or no module for it")
        (tmp_path / "locale.lua").write_text(LUA)
        command = [lua, str(tmp_path / "locale.lua")]
    else:
        command = [sys.executable, "-c", PYTHON]
    plain = output(command, places, None)
    assert plain and output(command, places, f"{name}.UTF-8") == plain
