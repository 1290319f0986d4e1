"""Names that programs obey: no spreadsheet, browser, terminal or viewer is given them as they are; readers of data get
them back."""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import random
import subprocess
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

import perfmodel as pm

FORMULAS = "=+-@\t\r\n＝＋－＠"
PIECES = ["=", "+", "-", "@", "'", '"', '""', ",", ";", "\t", "\r", "\n", "\r\n", " ", "<script>", "</title>", "<!--",
          "-->", "&amp;", "&",
          "\x1b[2J", "\x07", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "é", "漢", "😀", "＝", "＠",
          "\\", "]]>",
          "cmd|' /C calc'!A1", "HYPERLINK(1)", "1e5", "nan", "x", "%s", "{}", "\ufeff"]  # fmt: skip
MARKS = ["\u061c", *map(chr, range(0x200E, 0x2010)), *map(chr, range(0x2028, 0x202F)), *map(chr, range(0x2066, 0x206A))]


def names(count: int) -> list[str]:
    """Different ones of at most 60 bytes, the same each time."""
    draw, found = random.Random(15), set()
    while len(found) < count:
        text = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 6)))
        if len(text.encode()) <= 60:
            found.add(text)
    return sorted(found)


@pytest.fixture(scope="module")
def network() -> tuple[pm.Network, list[str]]:
    net, taken = pm.Network("hostile", "<b>\u202e=1+1"), []
    net.input(3, 8, 8)
    for name in names(1000):
        net.add("relu", name=name)
        taken.append(name)
    return net, taken


def is_guarded(cell: str) -> bool:
    return not cell.startswith(tuple(FORMULAS))


def without_guard(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


def test_csv_comes_back_and_runs_nothing(network: tuple[pm.Network, list[str]]) -> None:
    net, taken = network
    rows = list(csv.DictReader(io.StringIO(net.layers().to_csv(), newline="")))
    assert all(is_guarded(row["name"]) for row in rows)
    assert [without_guard(row["name"]) for row in rows] == taken
    assert all(float(row["parameters"]) == 0 for row in rows), "numbers have no guard"


def test_pandas_reads_the_same(network: tuple[pm.Network, list[str]]) -> None:
    pandas = pytest.importorskip("pandas")
    net, taken = network
    frame = pandas.read_csv(io.StringIO(net.layers().to_csv(), newline=""), keep_default_na=False, dtype={"name": str})
    assert [without_guard(name) for name in frame["name"]] == taken


def test_json_comes_back(network: tuple[pm.Network, list[str]]) -> None:
    net, taken = network
    assert [row["name"] for row in json.loads(net.layers().to_json())] == taken


def test_text_and_html_are_harmless(network: tuple[pm.Network, list[str]]) -> None:
    net, _ = network
    table = net.layers()

    class Tags(HTMLParser):
        found: set[str] = set()

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.found.add(tag)

    for text in (str(table), table._repr_html_(), net._repr_html_(), pm.predict(net, "dgx1-v100")._repr_html_(),
                 pm.predict(net, "dgx1-v100").explain()):  # fmt: skip
        assert not [c for c in text if unicodedata.category(c) == "Cc" and c != "\n"]
        assert not [c for c in text if c in MARKS]
    Tags().feed(table._repr_html_() + net._repr_html_())
    assert Tags.found <= {"table", "thead", "tbody", "tfoot", "tr", "th", "td", "b", "p", "div", "span", "details",
                          "summary", "pre", "caption", "style", "small", "br"}


def test_a_trace_comes_back(network: tuple[pm.Network, list[str]]) -> None:
    """Without C0 controls, which viewers do not show."""
    net, taken = network
    events = json.loads(pm.predict(net, "dgx1-v100").trace())["traceEvents"]
    assert {"".join(c for c in name if c >= " ") for name in taken} <= {event["name"] for event in events}


EVIL = "\x9b31m\u202eX\u2066\u061c"
OWN = f"""<perfmodel version="1">
<network id="nn" name="N{EVIL}"><input shape="8"/><relu/></network>
<system id="ss" name="S{EVIL}" note="n{EVIL}"><gpu>v100-sxm2-16gb</gpu><gpus>2</gpus><topology>t{EVIL}</topology>
<graph><vertex kind="cpu" names="cpu0"/><link type="pcie3-x16" from="cpu0" to="gpu0 gpu1"/></graph></system>
</perfmodel>"""
PRINTED = [["list", "systems"], ["list", "networks"], ["show", "system", "ss"], ["show", "network", "nn"],
           ["layers", "nn"], ["predict", "nn", "ss"], ["memory", "nn", "ss"], ["topology", "ss"],
           ["export", "nn"]]  # fmt: skip


@pytest.mark.skipif("PERFMODEL_COMMAND" not in os.environ, reason="PERFMODEL_COMMAND is not set")
@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.parametrize("words", PRINTED, ids=" ".join)
def test_the_command_prints_no_name_that_a_terminal_obeys(words: list[str], form: str, tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(OWN, encoding="utf-8")
    done = subprocess.run([os.environ["PERFMODEL_COMMAND"], *words, "--catalog", "own.xml", "--format", form],
                          cwd=tmp_path, capture_output=True, check=False)  # fmt: skip
    for text in (done.stdout.decode(), done.stderr.decode()):
        assert not [c for c in text if unicodedata.category(c) == "Cc" and c not in "\r\n\t"]
        assert not [c for c in text if c in MARKS]


def test_what_python_prints_of_objects(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(OWN, encoding="utf-8")
    own = pm.Catalog(tmp_path / "own.xml")
    built = pm.Network(f"b{EVIL}\x1b[0m")
    built.input(8)
    built.add("relu")
    for item in (own.system("ss"), own.network("nn"), built, pm.Plan(built, own.system("ss"))):
        assert repr(item).isprintable() and str(item).isprintable(), item


def test_xml_has_no_control_and_gives_it_back() -> None:
    net = pm.Network("own", f"N{EVIL}\t\n<&>")
    net.input(8)
    net.add("relu")
    xml = net.to_xml()
    assert not [c for c in xml if unicodedata.category(c) == "Cc" and c != "\n" or c in MARKS]
    assert copy.copy(net).name == net.name
