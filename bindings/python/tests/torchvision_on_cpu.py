"""Lets torchvision, and what needs it, be imported beside the CPU build of PyTorch; import this first.

PyPI's torchvision is built for CUDA. Beside another PyTorch its operators do not load, and their shapes are still
looked for: so they are declared here. Nothing calls them when models are built and counted.
"""

import torch

if torch.version.cuda is None:
    library = torch.library.Library("torchvision", "FRAGMENT")  # lives as long as the process
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
