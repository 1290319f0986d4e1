#!/usr/bin/env python3
"""Statements of the source documents against their gates: documents.py PERFMODEL.

Means of the absolute errors with and without the constants that rest on the documents, the rows of slow buses by
themselves, every row that is far off with its reason, every claim that does not hold by name.
"""
import re
import sys
import tempfile

from judge import errors, judge, mean, p90, run

COMPUTE = ("the gap to NVLink is 129 ms at batch 64 and 46 ms at batch 8 for the same gradients: "
           "the server computed more slowly")
KNOWN = {
    "servers with PCIe alone, worst": (27.0, COMPUTE),
}

# Claims and bounds that do not hold, and why.
BROKEN = {
    "M001-008": COMPUTE,
    "M002-040": "FP16 is 1.99 times as fast as FP32 on eight GPUs, not more than twice",
}

# ResNet-50 and BERT on eight GPUs behind PCIe as shares of a DGX-2, and two nodes joined at 1 GB/s: what overlap is
# worth
# shows where the bus is slow. row: formula with `overlap` as a setting, and what was measured.
RTX = "100 * rate(system=ts4, batch={}, overlap={}) / rate"
OVERLAP = {
    "M002-066": ("network=resnet50, batch=256, gpus=8, workers=4, loader=pytorch-simd", RTX, 64, 61.75),
    "M002-082": ("network=bert-swag, batch=64, gpus=8", RTX, 16, 56.25),
    "M002-086": ("network=bert-squad, batch=32, gpus=8", RTX, 8, 48.22),
    "M002-023": ("network=resnet50, batch={}, gpus=8, system=p3dn", "100 * rate(nodes=2, overlap={1}) / (2 * rate)",
                 256,
                 100),
}
OVERLAP_GATE = 25
PCIE_SERVERS = ("M000-005", "M000-006", "M000-007", "M001-002", "M001-003", "M001-005", "M001-006", "M003-019",
                "M003-020", "M003-021", "M003-022", "M003-023", "M003-024")


def overlap_errors(command, overlap):
    """Errors of the rows that decide it, with communication overlapped so."""
    lines = ["id,document,value,unit,kind,run,formula"]
    for row, (settings, formula, batch, measured) in OVERLAP.items():
        settings = "system=dgx2, framework=pt-nchw, " + settings.format(batch)
        lines.append(f'{row},own,{measured},%,value,"{settings}","{formula.format(batch, overlap)}"')
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        rows, _ = run(command, "statements", "--rows", "-q", "--data", file.name)
    return dict(zip((row["id"] for row in rows), errors(rows)))


def figures(command, rows, notes):
    numbers = {row["id"]: row for row in rows if row["error [%]"]}
    found = errors(rows)
    count, others = re.search(r"without the constants[^:]*: (\d+) rows, mean ([\d.]+)", notes).groups()
    yield "numbers, mean", len(found), mean(found), 9
    yield "numbers, 90th percentile", len(found), p90(found), 20
    yield "without constants that rest on the documents, mean", int(count), float(others), 12
    for document, left, error in re.findall(r"(\S+), without the constants that rest on it: (\d+) rows, mean ([\d.]+)",
                                            notes):
        yield f"{document}, by constants of the others, mean", int(left), float(error), 15
    yield "servers with PCIe alone, mean", len(PCIE_SERVERS), mean(errors(numbers[name] for name in PCIE_SERVERS)), 12
    yield "servers with PCIe alone, worst", len(PCIE_SERVERS), max(errors(numbers[name] for name in PCIE_SERVERS)), 25
    hidden, shown = (overlap_errors(command, how) for how in ("backward", "none"))
    for row in OVERLAP:
        yield f"overlap behind a slow bus, {row}", 1, hidden[row], OVERLAP_GATE
        yield f"overlap behind a slow bus, {row}, over that without", 1, hidden[row] - shown[row], 0


def names(what, found, known):
    """Those that are not known, and those that are and need not be."""
    bad = 0
    for name in sorted(set(found) | set(known)):
        state = "" if name in found and name in known else "is new  FAILED" if name in found else "is no more  FAILED"
        bad += state != ""
        print(f"{what} {name} {state or known[name]}")
    return bad


def main():
    rows, notes = run(sys.argv[1], "statements", "--rows")
    bad = judge(list(figures(sys.argv[1], rows, notes)), KNOWN)
    bad += names("does not hold:", [row["id"] for row in rows if row["holds"] == "no"], BROKEN)
    claims = sum(row["holds"] != "" for row in rows)
    print(f"{claims} claims and bounds")
    bad += claims < 49
    for row in rows:
        if row["error [%]"] and abs(float(row["error [%]"])) > 20:
            bad += row["note"] == ""
            print(f"above 20 %: {row['id']} {float(row['error [%]']):+.1f} % "
                  f"{row['note'] or 'without a remark  FAILED'}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
