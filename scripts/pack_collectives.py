#!/usr/bin/env python3
"""Makes data/measured/collectives.csv.gz of a table of published runs.

    python3 scripts/pack_collectives.py collectives.csv[.gz] [all.csv]

Adds three columns to the table as it was collected: the catalogue's machine, the GPUs of each node that were used (empty:
the first ones), and what the row is used for: `fit` (constants may be fitted to it), `held-out` (never), `document` (a
statement of one of the catalogue's documents, never fitted). Rows whose wiring the source does not describe keep an
empty machine and are not predicted.

Rows whose source cannot be named (NOT_SHIPPED) are left out of the shipped table. With a second file, all rows go there;
scripts/fit_collectives.py reads it.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "data" / "measured" / "collectives.csv.gz"

# system as the table has it: machine, GPUs, use
MACHINES = {
    "A100-40 (2x200G IB, SHARP)": ("abci-a", "", "held-out"),
    "H100 (AWS p5, 32x100G EFA)": ("p5", "", "fit"),
    "H100 2 nodes x4 GPU x4 NIC, CROSS_NIC=0": ("dgx-h100", "", "held-out"),
    "SummitDev P8+P100 (1 GPU/node, EDR)": ("summitdev", "", "fit"),
    "2x A100 NVLink pair (NV12)": ("dgx-a100", "", "held-out"),
    "4xV100-SXM2 on PCIe path across sockets": ("dgx1-v100", "0 1 6 7", "held-out"),
    "8x RTX 2080 Ti PCIe (2 sockets)": ("ts4", "", "held-out"),
    "A100-40 (OCI BM.GPU4.8 16x100G RoCE)": ("oci-bm-gpu4", "", "fit"),
    "A100-80 (OCI BM.GPU.B4.8 16x100G RoCE)": ("oci-bm-gpu-b4", "", "fit"),
    "A100-SXM4 NVSwitch": ("dgx-a100", "", "held-out"),
    "A100-SXM4-40GB NVSwitch": ("dgx-a100", "", "held-out"),
    "A100-SXM4-40GB NVSwitch (Azure ND A100 v4)": ("azure-nda100v4", "", "fit"),
    "A100-SXM4-40GB NVSwitch (OCI BM.GPU4.8)": ("oci-bm-gpu4", "", "held-out"),
    "DGX-1 P100 NCCL1 (single ring)": ("dgx1-p100", "", "fit"),
    "DGX-1 P100 NVLink": ("dgx1-p100", "", "fit"),
    "DGX-1 V100": ("dgx1-v100", "", "document"),
    "DGX-1 V100 (2x100G RoCE)": ("dgx1-v100-roce2", "", "fit"),
    "DGX-2 V100 NVSwitch": ("dgx2", "", "fit"),
    "Dell C4140 4xV100-SXM2": ("c4140-v100-sxm2", "", "document"),
    "H100-SXM5 NVSwitch": ("dgx-h100", "", "held-out"),
    "H100-SXM5 NVSwitch (AWS p5.48xlarge)": ("p5", "", "fit"),
    "IBM AC922": ("ac922", "", "document"),
    "MI300X 8-GPU xGMI mesh": ("mi300x-node", "", "fit"),
    "PCIe server (previous gen)": ("smc4028gr-m40", "", "document"),
    "V100-SXM2 8-GPU hybrid cube-mesh": ("oci-bm-gpu3", "", "fit"),
}
DOCUMENTS = "seed "


def use_of(row, use):
    """Statements of the documents are never fitted, on whatever machine."""
    return "document" if row["source"].startswith(DOCUMENTS) else use


# Files that the collection knows by a number only, where they were found; and those that were not.
FILES = {"21031070799": "github.com/wohlbier/nccl-tests README.md", "13079330356": "github.com/aistabci/abci-docs, NVIDIA SHARP",
         "32915233660": "github.com/hisohara/ai-scripts training/01_rccl-smoketest/README.md",
         "13970356668": "github.com/oracle-quickstart, nccl-tests of BM.GPU4.8",
         "5426557276": "Oracle Cloud Infrastructure tutorial, nccl-tests",
         "41793431922": "a blog of 2019", "34568999262": "notes on a machine with 8 x RTX 2080 Ti",
         "57383841940": "notes on a machine with 4 x V100"}
NOT_SHIPPED = ("a blog", "notes on")

# How the collection cites the five documents of the catalogue, and how the catalogue does.
CITES = {"seed 000/001": "dgx1-v100, dgx1-p100", "seed 000": "dgx1-v100", "seed 001": "dgx1-p100",
         "seed 002": "bnl2019", "seed 003": "dell2018"}


def source_of(text):
    for number, name in FILES.items():
        if number in text:
            return name
    for short, name in CITES.items():
        if text.startswith(short):
            return name + text[len(short):]
    return text


def table_of(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    opener = gzip.open if sys.argv[1].endswith(".gz") else open
    with opener(sys.argv[1], "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["machine"], row["gpu_list"], use = MACHINES.get(row["system"], ("", "", "held-out"))
        row["use"] = use_of(row, use)
        row["source"] = source_of(row["source"])
    shipped = [row for row in rows if not row["source"].startswith(NOT_SHIPPED)]
    if len(sys.argv) == 3:
        Path(sys.argv[2]).write_text(table_of(rows))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with open(TARGET, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(table_of(shipped).encode())
    print(f"{TARGET}: {len(shipped)} of {len(rows)} rows")


if __name__ == "__main__":
    main()
