#!/usr/bin/env python3
"""Writes what timm's networks count into the table that the tests hold the catalogue to.

    timm_counts.py tests/unit/timm.csv            needs the packages timm (1.0.22) and torchvision
    timm_counts.py --check tests/unit/timm.csv    changes nothing; fails if the installed package counts otherwise

Each row names a network as timm calls it (`model`), how the catalogue does where that is another (`network`), and an
image. Parameters are those of the module; MAC are PyTorch's own count (FlopCounterMode) over 2 of the second image of a
batch: MaxViT looks its biases up by products, once for all. A row whose model ends in "/deploy" is of the network
with its branches joined, as timm's --reparam does.
"""

import csv
import sys
from pathlib import Path

import torch
import torchvision_on_cpu  # noqa: F401
import timm
from timm.utils.model import reparameterize_model
from torch.utils.flop_counter import FlopCounterMode

SIZED = ("beit", "coatnet", "eva", "maxvit", "mixer", "swin", "vit")  # built for one size of image


def build(name: str, image: int) -> torch.nn.Module:
    model, _, deploy = name.partition("/")
    size = {"img_size": image} if any(word in model for word in SIZED) else {}
    with torch.device("cpu" if deploy or "regnet" in model else "meta"):  # these two look at their weights
        module = timm.create_model(model, **size).eval()
    return (reparameterize_model(module) if deploy else module).to("meta")


def flop(module: torch.nn.Module, images: int, size: int) -> int:
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(torch.empty(images, 3, size, size, device="meta"))
    return counter.get_total_flops()


def count(name: str, image: int) -> tuple[int, int]:
    module = build(name, image)
    mac = (flop(module, 2, image) - flop(module, 1, image)) // 2
    return sum(tensor.numel() for tensor in module.parameters()), mac


def check(rows: list[dict[str, str]], counted: list[dict[str, str]]) -> int:
    for row, now in zip(rows, counted):
        if row != now:
            print(f"{row['model']} at {row['image']}: {row['parameters']}, {row['mac']} in the table, "
                  f"{now['parameters']}, {now['mac']} counted")
    print(f"{sum(row == now for row, now in zip(rows, counted))} networks as timm {timm.__version__} counts them")
    return int(rows != counted)


def main() -> int:
    path = Path(sys.argv[-1])
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counted = []
    for row in rows:
        parameters, mac = count(row["model"], int(row["image"]))
        counted.append({**row, "parameters": str(parameters), "mac": str(mac)})
    if sys.argv[1] == "--check":
        return check(rows, counted)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(counted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
