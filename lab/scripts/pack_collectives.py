#!/usr/bin/env python3
"""Makes data/measured/collectives.csv.gz of a table of published runs.

    python3 lab/scripts/pack_collectives.py collectives.csv.gz collectives_profiles.csv.gz serving_kernels.csv.gz
    [all.csv]

Adds three columns to the table as it was collected: the catalogue's machine, the GPUs of each node that were used
(empty: the first ones), and what the row is used for: `fit` (constants may be fitted to it), `held-out` (never; its
errors have gates), `check` (never; machines that came later, without a gate), `document` (a statement of one of the
catalogue's documents, never fitted). Rows whose wiring the source does not describe keep an empty machine and are not
predicted.

Of the profiles of the Vidur simulator large messages are taken, as a test: they are times of PyTorch's calls. None
between nodes, whose network is not named, nor small ones, which hold the start of an eager call of 30 to 60 us (2023;
64 MB take ten times that) or the wait of one GPU's kernel for its peers (2024). Of the kernels of serving engines the
runs of nccl-tests on boards with NVLink switches are taken, FP16; where the host is a PCIe server (L40S) its wiring is
not named.

Rows whose source cannot be named (NOT_SHIPPED) are left out of the shipped table. With a further file, all rows go
there, for perfmodel calibrate --set collectives --data.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "collectives.csv.gz"

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
    "A100-80 (AWS p4de, 4x100G EFA)": ("p4de", "", "fit"),
    "A100 NVSwitch server (2023, memory unnamed)": ("hgx-a100", "", "held-out"),
    "AWS p3dn 2 nodes (1x100G EFA)": ("p3dn-efa", "", "fit"),
    "B200 HGX (GCP A4 RoCE 8x400G)": ("gcp-a4", "", "fit"),
    "B200 SXM": ("hgx-b200", "", "fit"),
    "DGX A100 80 GB (network unnamed)": ("dgx-a100-80gb", "", "held-out"),
    "DGX H100 (8x400G IB)": ("dgx-h100", "", "fit"),
    "H100 (GCP A3 Mega TCPXO 8x200G)": ("gcp-a3-mega", "", "fit"),
    "H200 SXM": ("hgx-h200", "", "fit"),
    "V100-SXM2 8-GPU server (hybrid cube mesh by its rates)": ("dgx1-v100", "", "held-out"),
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
    "MI300X 2 nodes (8x400G)": ("mi300x-node", "", "check"),
    "H100 HGX (Nebius, 8x400G IB)": ("dgx-h100", "", "check"),
    "GB200 NVL72": ("gb200-nvl72", "", "check"),
    "PCIe server (previous gen)": ("smc4028gr-m40", "", "document"),
    "V100-SXM2 8-GPU hybrid cube-mesh": ("oci-bm-gpu3", "", "fit"),
}
DOCUMENTS = "seed "


def use_of(row, use):
    """Statements of the documents are never fitted, on whatever machine."""
    return "document" if row["source"].startswith(DOCUMENTS) else use


# Files that the collection knows by a number only, where they were found; and those that were not.
FILES = {"21031070799": "github.com/wohlbier/nccl-tests README.md",
         "13079330356": "github.com/aistabci/abci-docs, NVIDIA SHARP",
         "32915233660": "github.com/hisohara/ai-scripts training/01_rccl-smoketest/README.md",
         "13970356668": "github.com/oracle-quickstart, nccl-tests of BM.GPU4.8",
         "5426557276": "Oracle Cloud Infrastructure tutorial, nccl-tests",
         "1792689764": "github.com/awsdocs/aws-deep-learning-amis doc_source/tutorial-efa-using.md",
         "26662597992": "nccl-tests log of two DGX H100, public GitHub file",
         "41793431922": "a blog of 2019", "34568999262": "notes on a machine with 8 x RTX 2080 Ti",
         "57383841940": "notes on a machine with 4 x V100"}
NOT_SHIPPED = ("a blog", "notes on")

# What the text beside a run says of it, where the collected row does not: words of the source: column, value.
SAID = {"roce-perf-k8s.md": {"protocol_or_algo": "Ring", "nccl_version": "2.5.6"},  # "NCCL ring test"
        "tutorial-efa-using.md": {"protocol_or_algo": "Ring"},  # NCCL_TREE_THRESHOLD=0
        "two DGX H100": {"note": "-g 8; in place and out of place differ by up to 30 %, mid sizes left out"}}
LEAST_PROFILE = {"2023": 64e6, "2024": 16e6}  # bytes, by the year of the profile: see above
OPERATIONS = {"nccl_all_reduce": "all_reduce", "nccl_all_gather": "all_gather", "nccl_reduce_scatter": "reduce_scatter",
              "nccl_alltoall": "all_to_all"}

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


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        yield from csv.DictReader(file)


def profiles(path):
    """The name of the collective "sendrecv" stands for one GPU that sends and one that receives."""
    for row in read(path):
        year = next(year for year in LEAST_PROFILE if f"({year}" in row["source"])
        if row["nodes"] == "1" and float(row["message_bytes"]) >= LEAST_PROFILE[year]:
            yield {**row, "note": f"one GPU/process; {row['note']}"}


def serving(path):
    """nccl-tests with a thread for each GPU, as the source's collect_nccl.py calls it."""
    for row in read(path):
        if row["op"] in OPERATIONS and row["dtype"] == "half" and row["gpu"] in MACHINES:
            yield {"system": row["gpu"], "gpus": row["gpus"], "nodes": "1", "collective": OPERATIONS[row["op"]],
                   "message_bytes": row["message_bytes"], "time_us": row["time_us"], "algbw_GBps": "", "busbw_GBps": "",
                   "nccl_version": row["library"].removeprefix("nccl "), "protocol_or_algo": "",
                   "source": row["source"],
                   "note": "one GPU/process or thread"}


def told(row):
    row["machine"], row["gpu_list"], use = MACHINES.get(row["system"], ("", "", "held-out"))
    row["use"] = use_of(row, use)
    row["source"] = source_of(row["source"])
    if row["system"] == "GB200 NVL72":
        row["nodes"] = "1"  # 18 trays of one NVLink domain
    if row["system"].startswith("V100-SXM2 8-GPU server") and row["gpus"] == "2":
        row["gpu_list"] = "0 3"  # a pair with two links: README of the collection, and twice the rate of one
    for words, cells in SAID.items():
        if words in row["source"]:
            row.update(cells)
    return row


def table_of(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    rows = [told(row) for row in [*read(sys.argv[1]), *profiles(sys.argv[2]), *serving(sys.argv[3])]]
    shipped = [row for row in rows if not row["source"].startswith(NOT_SHIPPED)]
    if len(sys.argv) == 5:
        Path(sys.argv[4]).write_text(table_of(rows))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with open(TARGET, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(table_of(shipped).encode())
    print(f"{TARGET}: {len(shipped)} of {len(rows)} rows")


if __name__ == "__main__":
    main()
