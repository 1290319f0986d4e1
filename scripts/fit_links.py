#!/usr/bin/env python3
"""Fits the link efficiencies of data/calibration/links.xml to published runs of collective benchmarks.

    python3 scripts/fit_links.py collectives.csv[.gz]

The table has the columns system, gpus, nodes, collective, message_bytes, busbw_GBps, nccl_version, source, note.

Rule, the same for every link type: take the all-reduce rows named below, the largest message of each run and none below
64 MiB; take off the latency that the model adds (base + steps x hop, from the same calibration file's latencies); what
remains is the payload of the ring. The efficiency is the median over the runs of payload / (rings x links x line rate).
Rows that restate one of the catalogue's five documents are never used, so those statements stay a test.
"""
import csv
import gzip
import statistics
import sys

MIB = 1 << 20
BASE, NVLINK_HOP, PCIE_HOP, NETWORK_HOP = 8.4e-6, 3.4e-6, 5.7e-6, 14e-6

TARTAN = "Tartan microbenchmark/scale_up_cl/%s/bandwidth.txt"

# link type: line rate [B/s] of what a group shares, hop [s], and the runs:
# (system begins with, source contains, {GPUs: directed rings, or links where there is one ring})
FITS = {
    "nvlink1": (20e9, NVLINK_HOP, [
        ("DGX-1 P100 NVLink", TARTAN % "nccl-v2", {2: 1, 3: 2, 4: 3, 6: 2, 7: 3, 8: 4})]),
    "nvlink2": (25e9, NVLINK_HOP, [
        ("V100-SXM2 8-GPU hybrid cube-mesh", "OCI BM.GPU3.8", {8: 6}),
        ("V100-SXM2 8-GPU hybrid cube-mesh", "public GitHub file", {8: 6})]),
    "nvlink2-nvswitch": (25e9, NVLINK_HOP, [
        ("DGX-2 V100 NVSwitch", "public GitHub file", {12: 6})]),
    # Two links join the sockets; groups of 5 and more GPUs of a DGX-1 have no NVLink ring (NCCL 1: no multi-ring).
    "qpi-broadwell": (19.2e9, PCIE_HOP, [
        ("DGX-1 P100 NCCL1", TARTAN % "nccl-v1", {5: 2, 6: 2, 7: 2, 8: 2}),
        ("DGX-1 P100 NVLink", TARTAN % "nccl-v2", {5: 2})]),
    # Ports of 4 x 25.78125 Gbit/s with remote direct memory access. Left out: OCI BM.GPU4.8 (238 GB/s is above the 200
    # of its ports, so it is a tree, not a ring) and SummitDev (broadcasts above one port's rate, so more than one).
    "infiniband-edr": (12.5e9, NETWORK_HOP, [
        ("DGX-1 V100 (2x100G RoCE)", "NVIDIA/deepops", {16: 2}),
        ("A100-80 (OCI BM.GPU.B4.8 16x100G RoCE)", "oci-hpc-oke", {16: 16})]),
}


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        return [row for row in csv.DictReader(file) if row["collective"] == "all_reduce"]


def plateau(rows, system, source, gpus):
    """The row of the largest message of one run."""
    run = [row for row in rows if row["system"].startswith(system) and source in row["source"]
           and int(row["gpus"]) == gpus and float(row["message_bytes"] or 0) >= 64 * MIB]
    if not run:
        sys.exit(f"no row of {system!r}, {source!r}, {gpus} GPUs")
    return max(run, key=lambda row: float(row["message_bytes"]))


def payload(row, hop):
    """Bus bandwidth [B/s] without the latency that the model adds by itself."""
    ranks, nodes, size = int(row["gpus"]), int(row["nodes"]), float(row["message_bytes"])
    volume = 2 * (ranks - 1) / ranks * size
    between = 2 * (nodes - 1)
    inside = NVLINK_HOP if nodes > 1 else hop
    latency = BASE + (2 * (ranks - 1) - between) * inside + between * hop
    return volume / (volume / (float(row["busbw_GBps"]) * 1e9) - latency)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = read(sys.argv[1])
    for link, (rate, hop, runs) in FITS.items():
        values = []
        for system, source, groups in runs:
            for gpus, rings in groups.items():
                row = plateau(rows, system, source, gpus)
                value = payload(row, hop) / (rings * rate)
                values.append(value)
                print(f"  {link:17s} {value:.4f}  {row['busbw_GBps']:>8s} GB/s  {gpus:2d} GPUs x{rings:2d}  "
                      f"{float(row['message_bytes']) / MIB:6.0f} MiB  {row['system']} ({row['source']})")
        print(f"{link}: {statistics.median(values):.3f}   runs {len(values)}, "
              f"from {min(values):.3f} to {max(values):.3f}\n")


if __name__ == "__main__":
    main()
