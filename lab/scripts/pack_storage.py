#!/usr/bin/env python3
"""Writes data/measured/storage.csv: what is known of storage and decoding, each row with the formula to compare it
with.

The rows of data/measured/input_pipeline.csv, and the arithmetic of the Dell guide. The layout is that of
statements.csv.
"""
import csv
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "data" / "measured"
COLUMNS = ["id", "document", "subject", "value", "unit", "kind", "run", "formula", "remark"]

# Decoding time over that of the fastest library, as the loaders of the catalogue have it.
LIBRARIES = {"simplejpeg": 1, "turbojpeg": 1.06, "torchvision": 1.03, "opencv": 1.02, "pillow": 1.25}

# MLPerf Storage: bytes of a sample, samples of a batch, seconds that an emulated accelerator sleeps, least share in per
# cent.
MLPERF = {
    ("resnet50", "h100"): (114660, 400, 0.224, 90),
    ("resnet50", "a100"): (114660, 400, 0.435, 90),
    ("unet3d", "h100"): (146600628, 7, 0.323, 90),
    ("unet3d", "a100"): (146600628, 7, 0.636, 90),
    ("cosmoflow", "h100"): (2828486, 1, 0.0035, 70),
    ("cosmoflow", "a100"): (2828486, 1, 0.00551, 70),
}
SLACK = 3  # per cent: the bandwidth is the mean over a run, its beginning and end included
MIB = 1048576

# The guide's own figures: images/s, Mb/s measured and expected; and nodes that the Isilon feeds at 300 MB/s each.
DELL = "dataset=ilsvrc2012-x10, system=c4140-v100-sxm2, storage=isilon-f800, decode=none, "
DISKS = [("AlexNet", 7095, 6370, 6414), ("ResNet-50", 2940, 2680, 2658), ("VGG-16", 1590, 1440, 1437)]
NODE = "gpu_rate=2653.83"  # 300 MB/s of 113,044 B
NODES = [("gateway", "input_nodes_gateway", 70, ""), ("chassis", "input_nodes_storage", 50, ""),
         ("switch", "input_nodes_ports", 32, ""), ("least", "input_max_nodes", 32, "what can be built")]


def dell():
    for network, rate, measured, expected in DISKS:
        run = f"{DELL}gpu_rate={rate}"
        formula = "input_storage_rate * 8 / 1e6"
        what = f"{network}, {rate} images/s"
        yield f"dell-disk-{network}", "dell2018 disks", what, measured, "Mb/s", "value", run, formula, ""
        yield (f"dell-disk-{network}-expected", "dell2018 disks", f"{network}, expected by the guide", expected, "Mb/s",
               "value", run, formula, "")
    for name, formula, value, remark in NODES:
        yield f"dell-nodes-{name}", "dell2018 nodes", name, value, "nodes", "value", DELL + NODE, formula, remark
    yield ("dell-nodes-bound", "dell2018 nodes", "the least of them is what can be built", "", "claim", "claim",
           DELL + NODE, "input_max_nodes <= min(input_nodes_gateway, input_nodes_storage, input_nodes_ports)", "")


def decode(row):
    cpu = row["device"].split(" (")[0]
    run = f"system=dgx1-v100, cpu={cpu}, loader=mxnet, loader.library={LIBRARIES[row['library']]}, workers=1"
    return "value", row["value"], run, "input_decode", ""


def loader(row):
    cpu = row["device"].split(" (")[0]
    run = (f"system=dgx1-v100, cpu={cpu}, loader=pytorch, loader.library={LIBRARIES[row['library']]}, "
           f"loader.augment_time=0, sample_out=562500, gpus=1, workers={row['count']}")
    return "value", row["value"], run, "input_decode", "the bandwidth of handing over was fitted to these rows"


def mlperf(row):
    size, batch, time, least = MLPERF[row["dataset"], row["accelerators"]]
    run = (f"system=dgx1-v100, dataset.sample_size={size}, storage=nvme, access=none, decode=none, "
           f"loader.augment_time=0, "
           f"storage.operations=unlimited, storage.bandwidth={float(row['value']) * MIB:.0f}, "
           f"gpu_rate={float(row['count']) * batch / time:.6g}")
    return (
        "claim",
        "",
        run,
        f"input_gpu_busy >= {(least - SLACK) / 100}",
        "accelerators that sleep, at the bandwidth measured",
    )


def fio(row):
    size = {"16k": 16384, "1m": MIB, "1g": 1024 * MIB}[row["dataset"]]
    run = (f"system=dgx1-v100, dataset.sample_size={size}, storage=samsung-980-pro, decode=none, "
           f"loader.augment_time=0, format=files, "
           f"reads={row['count']}")
    fitted = "" if size == MIB else "fitted to this row"
    return "value" if not fitted else "shown", row["value"], run, f"input_throughput * {size / MIB}", fitted


def dali(row):
    files = "individual" in row["dataset"]
    run = (f"system=dgx1-v100, storage=nvme, decode=none, loader.augment_time=0, reads=1, "
           f"{'format=files' if files else 'format=packed, chunk=4194304'}")
    return "shown" if files else "value", row["value"], run, "input_throughput", "fitted to this row" if files else ""


KINDS = {"decode": decode, "loader": loader, "mlperf": mlperf, "fio": fio, "dali": dali}


def pipeline():
    with open(FOLDER / "input_pipeline.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, 1):
        subject = ", ".join(text for text in (row["device"], row["library"], row["dataset"],
                                              row["accelerators"]) if text)
        known = row["kind"] not in ("decode", "loader") or row["library"] in LIBRARIES
        if known:
            kind, value, run, formula, remark = KINDS[row["kind"]](row)
        else:
            kind, value, run, formula, remark = "unmodelled", row["value"], "", "", "no factor for this library"
        unit = "claim" if row["kind"] == "mlperf" else row["unit"]
        yield f"{row['kind']}-{number}", row["kind"], subject, value, unit, kind, run, formula, remark


def main():
    with open(FOLDER / "storage.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(dell())
        writer.writerows(pipeline())


if __name__ == "__main__":
    main()
