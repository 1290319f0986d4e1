"""Errors of each kind of run, of rows that are fitted and of rows that are left out in turn, and what each mechanism is
worth: the same rows by constants files in which it is missing (lab/ablations.csv).

    lab/scripts/errors.py PERFMODEL [FILE]...     (perfmodel calibrate --all --part errors: 8 minutes of the processor)

Constants are not fitted again without a mechanism, so its worth is what it does to the constants as they are. A row is
counted if its prediction changes by more than a thousandth. Far off is a factor of more than 1.5."""
import collections
import concurrent.futures
import copy
import csv
import os
import pathlib
import statistics
import sys
import tempfile
import xml.etree.ElementTree as ET

import left_out
from entries import ROOT, arguments

SETS = ("training", "inference", "plans", "large-models")
CHANGED, FAR = 1e-3, 1.5


def ratio(row):
    return float(row["predicted"]) / float(row["measured"])


def summary(ratios):
    """Rows, mean and median error in %, share that is far off in %."""
    errors = [100 * abs(r - 1) for r in ratios]
    far = sum(max(r, 1 / r) > FAR for r in ratios)
    return len(errors), statistics.fmean(errors), statistics.median(errors), 100 * far / len(errors)


# ---- Kinds of run ----


def kind(name, row):
    """Of training and inference the first word of a group; of plans what was measured, of dense models or of experts,
    and whether the row is in doubt."""
    words = row["group"].replace(",", "").split()
    if name in SETS[:2]:
        return f"{name}: {words[0]}"
    experts = "moe" if "moe" in words else "dense"
    measured = words[0] if words[0] != experts else "step_time"
    return f"{name}: {measured}, {experts}" + (", doubted" if words[-1].startswith("doub") else "")


def by_kind(rows_of):
    kinds = collections.defaultdict(list)
    for name, rows in rows_of.items():
        for row in rows:
            kinds[kind(name, row)].append(ratio(row))
    return {what: summary(ratios) for what, ratios in kinds.items()}


def left_out_rows(command):
    """By set the rows of training and inference, predicted without their GPU or without their source."""
    found = left_out.each(command, SETS[:2], lambda *part: left_out.left_out(command, *part))
    return {name: [row for rows in found for row in rows.get(name, [])] for name in SETS[:2]}


def print_kinds(fitted, without):
    title = ("rows", "mean", "median", "far")
    print(f"{'errors [%] of':<52}" + "".join(f"{word:>8}" for word in title) +
          "".join(f"{word:>8}" for word in title) + "\n" + f"{'':<52}{'all rows':>32}{'GPU or source left out':>32}")
    for what in fitted:
        cells = [*fitted[what], *without.get(what, ())]
        print(f"{what:<52}" + "".join(f"{cell:8.0f}" if i % 4 == 0 else f"{cell:8.1f}"
                                           for i, cell in enumerate(cells)))


# ---- Mechanisms ----


def neutral(entry, field, value):
    """The entry with a value that switches the mechanism off; without it if there is none."""
    changed = copy.deepcopy(entry)
    for old in changed.findall(field):
        changed.remove(old)
    if value:
        ET.SubElement(changed, field).text = value
    return changed


def catalogue_without(command, mechanism):
    """The entries that have the mechanism, without it."""
    path = next((file for file in command[1:] if file.endswith(mechanism["file"])), ROOT / "data" / mechanism["file"])
    tag, *ids = mechanism["entry"].split()
    field, value = mechanism["field"], mechanism["value"]
    root = ET.Element("perfmodel", version="1")
    root.extend(neutral(entry, field, value) for entry in ET.parse(path).getroot()
                if entry.tag == tag and (entry.get("id") in ids if ids else entry.find(field) is not None))
    return ET.tostring(root, encoding="unicode")


def without(command, mechanism):
    """By set, the rows that the program predicts without the mechanism."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(catalogue_without(command, mechanism))
        file.flush()
        return left_out.run(command, mechanism["sets"], "--catalog", file.name)


def worth(mechanism, rows_of, changed):
    """Of the rows that change: how many, and their mean error and share far off with the mechanism and without."""
    pairs = [(ratio(before[row["id"]]), ratio(row)) for name, rows in changed.items()
             for before in [{old["id"]: old for old in rows_of[name]}]
             for row in rows if row["id"] in before]
    moved = [pair for pair in pairs if abs(pair[1] / pair[0] - 1) > CHANGED]
    if not moved:
        raise SystemExit(f'{sys.argv[0]}: no row changes without "{mechanism["mechanism"]}" (lab/ablations.csv)')
    (rows, mean, _, far), (_, other, _, other_far) = (summary(side) for side in zip(*moved))
    return rows, mean, other, far, other_far


def mechanisms():
    with open(pathlib.Path(ROOT, "lab", "ablations.csv"), newline="") as file:
        return list(csv.DictReader(file))


def sets_of(found):
    return sorted({name for mechanism in found for name in mechanism["sets"].split(",")})


def worths(command, found, rows_of):
    """Each mechanism, and what it is worth; as they are done, in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        changed = pool.map(lambda mechanism: without(command, mechanism), found)
        for mechanism, rows in zip(found, changed):
            yield mechanism, worth(mechanism, rows_of, rows)


def print_worths(command, found, rows_of):
    print(f"\n{'without':<22}{'':<62}{'rows':>6}{'mean [%]':>18}{'far off [%]':>18}")
    for i, (mechanism, (rows, mean, other, far, other_far)) in enumerate(worths(command, found, rows_of), 1):
        print(f"{mechanism['kind']:<22}{mechanism['mechanism']:<62}{rows:>6}{mean:>8.1f} ->{other:>7.1f}"
              f"{far:>8.1f} ->{other_far:>7.1f}")
        print(f"errors: mechanism {i} of {len(found)}", file=sys.stderr)


def main():
    command, found = arguments(__doc__).command, mechanisms()
    rows_of = left_out.run(command, ",".join({*SETS, *sets_of(found)}))
    print_kinds(by_kind({name: rows_of[name] for name in SETS}), by_kind(left_out_rows(command)))
    print_worths(command, found, rows_of)


if __name__ == "__main__":
    main()
