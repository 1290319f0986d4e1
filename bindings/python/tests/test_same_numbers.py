"""The command, Python and Lua give the same numbers bit for bit, over all networks and systems."""

from __future__ import annotations

import csv
import functools
import io
import os
import shutil
import subprocess
from pathlib import Path

import perfmodel as pm
import pytest

NETWORKS = pm.Catalog().ids("networks")
SYSTEMS = pm.Catalog().ids("systems")
# A seventh of all pairs: every network and every system, each with others where collectives overlap.
PARTS = 7
GPUS = [1, 3, 8]
BATCHES = [1, 77]
PRECISIONS = ["fp32", "fp16"]

LUA = """
local pm = require "perfmodel"
local function words(text, convert)
  local list = {}
  for word in text:gmatch("[^,]+") do list[#list + 1] = convert and convert(word) or word end
  return list
end
local function numbers(text) return words(text, tonumber) end
io.write(pm.sweep{network = words(arg[1]), system = words(arg[2]), gpus = numbers(arg[3]), batch = numbers(arg[4]),
                  precision = words(arg[5]), overlap = arg[6], ignore_memory = true}:csv())
"""


def joined(values: list[object]) -> str:
    return ",".join(map(str, values))


def output(arguments: list[str]) -> str:
    return subprocess.run(arguments, check=True, capture_output=True).stdout.decode("utf-8")


def needed(name: str, found: str | None, variable: str) -> str:
    """A program that the comparison needs; PERFMODEL_ALL=1 makes its absence a failure."""
    if found is None:
        missing = pytest.fail if os.environ.get("PERFMODEL_ALL") else pytest.skip
        missing(f"{name} is not there; {variable}")
    return found


def pairs(overlap: str) -> list[tuple[list[str], list[str]]]:
    """Networks and systems, part by part."""
    shift = 3 * (overlap == "backward")
    return [(NETWORKS[part::PARTS], SYSTEMS[(part + shift) % PARTS :: PARTS]) for part in range(PARTS)]


@functools.cache
def from_python(overlap: str) -> list[str]:
    return [
        pm.sweep(networks, systems, gpus=GPUS, batch=BATCHES, precision=PRECISIONS, overlap=overlap, ignore_memory=True)
        .to_csv() or ""
        for networks, systems in pairs(overlap)
    ]  # fmt: skip


def from_command(overlap: str) -> list[str]:
    command = os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel")
    command = needed("the perfmodel command", command, "set PERFMODEL_COMMAND")
    arguments = ["--gpus", joined(GPUS), "--batch", joined(BATCHES), "--precision", joined(PRECISIONS)]
    arguments += ["--overlap", overlap, "--ignore-memory", "--format", "csv"]
    return [output([command, "sweep", joined(n), joined(s), *arguments]) for n, s in pairs(overlap)]


def from_lua(overlap: str, folder: Path) -> list[str]:
    lua = needed("Lua", shutil.which(os.environ.get("PERFMODEL_LUA", "lua5.4")), "set PERFMODEL_LUA")
    if subprocess.run([lua, "-e", 'require "perfmodel"'], capture_output=True).returncode != 0:
        needed("the Lua module", None, "set LUA_PATH and LUA_CPATH")
    script = folder / "sweep.lua"
    script.write_text(LUA, encoding="utf-8")
    arguments = [joined(GPUS), joined(BATCHES), joined(PRECISIONS), overlap]
    return [output([lua, str(script), joined(n), joined(s), *arguments]) for n, s in pairs(overlap)]


def test_enough_points_are_compared() -> None:
    rows = [row for part in from_python("none") for row in csv.DictReader(io.StringIO(part, newline=""))]
    assert sum(row["status"] == "ok" for row in rows) >= 200
    assert {row["network"] for row in rows if row["status"] == "ok"} == set(NETWORKS)
    assert {row["system"] for row in rows if row["status"] == "ok"} == set(SYSTEMS)


@pytest.mark.parametrize("overlap", ["none", "backward"])
def test_command_and_python(overlap: str) -> None:
    assert from_command(overlap) == from_python(overlap)


@pytest.mark.parametrize("overlap", ["none", "backward"])
def test_lua_and_python(overlap: str, tmp_path: Path) -> None:
    assert from_lua(overlap, tmp_path) == from_python(overlap)


def test_one_prediction_of_the_command_and_python() -> None:
    command = needed("the perfmodel command", os.environ.get("PERFMODEL_COMMAND") or shutil.which("perfmodel"), "")
    arguments = ["resnet50", "dgx1-v100", "--gpus", "8", "--batch", "64", "--precision", "fp16", "--format", "csv"]
    text = output([command, "predict", *arguments])
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    p = pm.predict("resnet50", "dgx1-v100", gpus=8, batch=64, precision="fp16")
    assert float(row["step_time [s]"]) == p.step_time
    assert float(row["throughput [1/s]"]) == p.throughput
