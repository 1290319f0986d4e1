"""Workbooks: typed cells, units in headers, frozen panes, inputs, formulas that give the answers' own numbers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import perfmodel as pm
import pytest

openpyxl = pytest.importorskip("openpyxl")
from openpyxl.utils import get_column_letter  # noqa: E402

COMMAND = os.environ.get("PERFMODEL_COMMAND")
SOFFICE = shutil.which("soffice")
PRICES = {"dgx1-v100": 149000, "dgx-a100": 199000}
PLAN = ["size", "resnet50", "--system", "dgx1-v100,dgx-a100", "--epochs", "90", "--within", "6 h", "--price",
        "dgx1-v100=149000 USD,dgx-a100=199000 USD", "-q"]  # fmt: skip


def sized(**more: Any) -> pm.Sizing:
    return pm.size("resnet50", ["dgx1-v100", "dgx-a100"], epochs=90, within="6 h", **more)


ANSWERS: dict[str, Callable[[], Any]] = {
    "sizing": lambda: sized(prices=PRICES),
    "served": lambda: pm.size_serving("llama3-8b", "hgx-h100", rate=20, gpu_hour_prices=2.5),
    "deadline": lambda: pm.size_training(
        "llama3-8b", "dgx-h100", tokens="1e9", within="1 d", global_batch=64, price=3e5, gpu_hour_price=2.5
    ),
    "sweep": lambda: pm.sweep(
        "llama3-8b", "hgx-h100", gpus=8, tensor_parallel=[4, 8], global_batch=64, tokens="1e9",
        gpu_hour_price="2.5 USD", energy_price="0.1 EUR/kWh", carbon="400 g/kWh",
    ),
    "collective": lambda: pm.collective("dgx1-v100", "all_reduce", [1e6, 1e8]),
    "validation": lambda: pm.validate("storage", rows=True),
    "prediction": lambda: pm.predict("resnet50", "dgx1-v100", gpus=8),
    "inference": lambda: pm.infer("resnet50", "t4", batch=8),
    "serving": lambda: pm.serve("llama3-8b", "hgx-h100", gpus=1, concurrency=8),
    "memory": lambda: pm.memory("resnet50", "v100", batch=64),
    "search": lambda: pm.search("llama3-8b", "dgx-h100", gpus=16, global_batch=64, precision="bf16"),
    "list": lambda: pm.list("gpus"),
}  # fmt: skip


def book_of(answer: Any, folder: Path) -> Any:
    answer.to_excel(folder / "x.xlsx")
    assert os.listdir(folder) == ["x.xlsx"]
    return openpyxl.load_workbook(folder / "x.xlsx")


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_is_a_workbook(name: str, tmp_path: Path) -> None:
    book = book_of(ANSWERS[name](), tmp_path)
    assert book.sheetnames[-1] == "inputs"
    for sheet in book:
        assert sheet.freeze_panes is not None or sheet.title.startswith("chart of")


def computed(sheet: Any, cell: Any, book: Any) -> Any:
    """A formula's number, by Python: these have names of cells, + - * / and IF alone."""
    if cell.data_type != "f":
        return cell.value
    text = cell.value[1:]
    if text.startswith("IF(COUNT"):
        places, _, rest = text.removeprefix("IF(COUNT(").partition(")=")
        known = [computed(sheet, at(sheet, place, book), book) for place in places.split(",")]
        if not all(isinstance(value, (int, float)) for value in known):
            return None
        text = rest.partition(",")[2].removesuffix(',"")')
    elif text.startswith("IF("):
        return computed(sheet, at(sheet, text.rpartition(",")[2].rstrip(")"), book), book)
    for place in sorted(set(places_of(text)), key=len, reverse=True):
        text = text.replace(place, repr(float(computed(sheet, at(sheet, place, book), book))))
    return eval(text)


def places_of(text: str) -> list[str]:
    import re

    return re.findall(r"inputs!\$B\$\d+|\b[A-Z]{1,3}\d+\b", text)


def at(sheet: Any, place: str, book: Any) -> Any:
    name = place.removeprefix("inputs!").replace("$", "")
    return (book["inputs"] if place.startswith("inputs!") else sheet)[name]


@pytest.mark.parametrize("name", ["sizing", "served", "deadline", "sweep", "collective", "validation", "list"])
def test_cells_are_the_numbers(name: str, tmp_path: Path) -> None:
    table = ANSWERS[name]()
    book = book_of(table, tmp_path)
    sheet = book["answer"]
    assert [cell.value for cell in sheet[1]] == [column.title for column in table.columns]
    for i, column in enumerate(table.columns, 1):
        for row, wanted in enumerate(table[column.name].tolist(), 2):
            got = computed(sheet, sheet.cell(row, i), book)
            if isinstance(wanted, float) and not np.isfinite(wanted):
                assert got in (None, "", "unlimited")
            elif isinstance(wanted, float):
                assert got == pytest.approx(wanted, rel=1e-9)
            else:
                assert got == (wanted or None if wanted == "" else wanted)


def formulas(sheet: Any) -> set[str]:
    heads = [str(cell.value).split(" [")[0] for cell in sheet[1]]
    return {heads[cell.column - 1] for row in sheet.iter_rows(min_row=2) for cell in row if cell.data_type == "f"}


def test_costs_times_and_energies_compute(tmp_path: Path) -> None:
    assert formulas(book_of(sized(prices=PRICES), tmp_path)["answer"]) >= {"cost", "price", "gpu_hours", "energy"}
    served = book_of(ANSWERS["served"](), tmp_path)["answer"]
    assert formulas(served) >= {"hour_cost", "output_cost", "token_cost"}
    swept = book_of(ANSWERS["sweep"](), tmp_path)["answer"]
    assert formulas(swept) >= {"training_gpu_hours", "training_cost", "training_energy_cost", "training_carbon"}
    assert formulas(book_of(ANSWERS["deadline"](), tmp_path)["answer"]) >= {"cost", "gpu_hours", "gpu_hour_cost"}


def test_a_price_that_changes_changes_the_cost(tmp_path: Path) -> None:
    found = sized(prices=PRICES)
    book = book_of(found, tmp_path)
    names = {row[0].value: row[1] for row in book["inputs"].iter_rows(min_row=2)}
    for system in PRICES:
        names[f"price of {system}"].value *= 3
    column = [c.name for c in found.columns].index("cost") + 1
    costs = [computed(book["answer"], book["answer"].cell(row, column), book) for row in (2, 3)]
    assert costs == pytest.approx((3 * found["cost"]).tolist())


def test_a_price_that_nobody_gave_can_be_filled_in(tmp_path: Path) -> None:
    found = sized()
    book = book_of(found, tmp_path)
    column = get_column_letter([c.name for c in found.columns].index("cost") + 1)
    cell = book["answer"][f"{column}2"]
    assert computed(book["answer"], cell, book) is None
    names = {row[0].value: row[1] for row in book["inputs"].iter_rows(min_row=2)}
    names[f"price of {found['system'][0]}"].value = 1000
    assert computed(book["answer"], cell, book) == 1000 * found["nodes"][0]


def test_no_text_is_a_formula(tmp_path: Path) -> None:
    net = pm.Network("n", name="=HYPERLINK(1)")
    net.input(3, 8, 8)
    net.add("flatten")
    net.add("linear", name='=cmd|"/c calc"!A1', out_features=10)
    sheet = book_of(net.layers(), tmp_path)["answer"]
    texts = [cell for row in sheet.iter_rows() for cell in row if str(cell.value).startswith("=")]
    assert texts and all(cell.data_type == "s" for cell in texts)


def test_what_was_assumed_is_there(tmp_path: Path) -> None:
    found = sized()
    said = [str(row[0].value) for row in book_of(found, tmp_path)["inputs"].iter_rows()]
    assert any(found["assumed"][0] in line for line in said) and "within" in said


def test_without_openpyxl_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match="pip install openpyxl"):
        pm.list("gpus").to_excel(tmp_path / "x.xlsx")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        pm.list("links").to_excel(tmp_path)


# ---- The command ----


def run(*words: str) -> subprocess.CompletedProcess[str]:
    assert COMMAND is not None
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=600)


@pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")
def test_the_command_writes_the_same_cells(tmp_path: Path) -> None:
    done = run(*PLAN, "-o", str(tmp_path / "plan.xlsx"))
    assert (done.returncode, done.stderr) == (0, "")
    book, own = openpyxl.load_workbook(tmp_path / "plan.xlsx"), sized(prices=PRICES)
    (tmp_path / "plan.xlsx").unlink()
    other = book_of(own, tmp_path)
    for row, wanted in zip(book["answer"].iter_rows(), other["answer"].iter_rows()):
        for cell, same in zip(row, wanted):
            assert computed(book["answer"], cell, book) == computed(other["answer"], same, other)
    assert "perfmodel size resnet50" in book["inputs"]["B2"].value


@pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")
def test_a_kernel_is_written_with_what_was_asked(tmp_path: Path) -> None:
    words = "kernel gemm --m 4096 --n 4096 --k 512 --gpu a100-sxm4-80gb --precision bf16".split()
    done = run(*words, "-o", str(tmp_path / "kernel.xlsx"))
    assert (done.returncode, done.stderr) == (0, "")
    book = openpyxl.load_workbook(tmp_path / "kernel.xlsx")
    plain = run(*words, "--format", "json")
    row = dict(zip([cell.value for cell in book["answer"][1]], [cell.value for cell in book["answer"][2]]))
    assert row["time [s]"] == json.loads(plain.stdout)[0]["time"] and book["answer"].freeze_panes is not None
    inputs = {cells[0].value: cells[1].value for cells in book["inputs"].iter_rows(min_row=2)}
    assert (float(inputs["m"]), inputs["gpu"], inputs["argument 1"]) == (4096, "a100-sxm4-80gb", "gemm")


@pytest.mark.skipif("LUA_CPATH" not in os.environ or shutil.which("lua5.4") is None, reason="there is no Lua")
def test_lua_writes_the_same_cells(tmp_path: Path) -> None:
    asked = '{network="resnet50", system="dgx1-v100", gpus={1, 8}}'
    code = f'require("perfmodel").sweep{asked}:save("{tmp_path}/l.xlsx")'
    done = subprocess.run(["lua5.4", "-e", code], capture_output=True, text=True,
                          env={**os.environ, "PERFMODEL_PYTHON": sys.executable})  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    pm.sweep("resnet50", "dgx1-v100", gpus=[1, 8]).to_excel(tmp_path / "p.xlsx")
    lua, python = (openpyxl.load_workbook(tmp_path / name) for name in ("l.xlsx", "p.xlsx"))
    for row, wanted in zip(lua["answer"].iter_rows(), python["answer"].iter_rows(), strict=True):
        assert [computed(lua["answer"], cell, lua) for cell in row] == [
            computed(python["answer"], cell, python) for cell in wanted
        ]


@pytest.mark.skipif(not COMMAND, reason="the command of a build is not given")
def test_csv_of_other_countries() -> None:
    plain = run("list", "gpus", "--format", "csv").stdout.splitlines()
    other = run("list", "gpus", "--format", "csv", "--decimal", ",").stdout.splitlines()
    import csv

    for a, b in zip(csv.reader(plain), csv.reader(other, delimiter=";")):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert x == y or x == y.replace(",", ".")
    assert any("," in line for line in other)
    for words, reason in ((["--decimal", "x"], "neither"), (["--delimiter", "a"], "none of"),
                          (["--delimiter", ",", "--decimal", ","], "both")):  # fmt: skip
        done = run("list", "gpus", "--format", "csv", *words)
        assert done.returncode == 2 and reason in done.stderr and done.stderr.count("\n") == 1
    assert "csv" in run("list", "gpus", "--decimal", ",").stderr


@pytest.mark.skipif(not COMMAND or not SOFFICE, reason="LibreOffice is not there: scripts/test_extended.sh installs it")
def test_a_spreadsheet_program_computes_the_same(tmp_path: Path) -> None:
    """By LibreOffice: every cell, and costs after prices were doubled."""
    assert run(*PLAN, "-o", str(tmp_path / "plan.xlsx")).returncode == 0
    found = sized(prices=PRICES)
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx")
    for row in book["inputs"].iter_rows(min_row=2):
        if str(row[0].value).startswith("price of"):
            row[1].value *= 2
    book.save(tmp_path / "plan.xlsx")
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    subprocess.run([SOFFICE, home, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "again"),
                    str(tmp_path / "plan.xlsx")], check=True, capture_output=True, timeout=300)  # fmt: skip
    sheet = openpyxl.load_workbook(tmp_path / "again/plan.xlsx", data_only=True)["answer"]
    for i, column in enumerate(found.columns, 1):
        for row, wanted in enumerate(found[column.name].tolist(), 2):
            if isinstance(wanted, float) and np.isfinite(wanted):
                times = 2 if column.name in ("price", "cost") else 1
                assert sheet.cell(row, i).value == pytest.approx(times * wanted, rel=1e-9), column.name
