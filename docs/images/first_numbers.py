#!/usr/bin/env python3
"""Draws the picture of the README: scaling and roofline of ResNet-50 on a DGX-1. Needs the installed package."""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import perfmodel as pm


def main(folder: pathlib.Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6))
    pm.plot_scaling(["resnet50", "vgg16", "alexnet"], "dgx1-v100", batch=64, precision="fp16", ax=left)
    pm.plot_roofline("resnet50", "v100-sxm2-16gb", batch=64, precision="fp16", ax=right)
    figure.tight_layout()
    figure.savefig(folder / "first-numbers.png", dpi=110)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
