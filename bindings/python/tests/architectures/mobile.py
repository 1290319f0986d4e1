"""Networks of depthwise convolutions."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def narrow(channels: float) -> int:
    """The nearest multiple of 8, at most a tenth below."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


class Conv(nn.Sequential):
    def __init__(self, i: int, o: int, kernel: int, stride: int, groups: int, act: type[nn.Module] | None):
        conv = nn.Conv2d(i, o, kernel, stride, kernel // 2, groups=groups, bias=False)
        super().__init__(conv, nn.BatchNorm2d(o), *([act()] if act else []))


class Gate(nn.Module):
    def __init__(self, channels: int, reduced: int):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.down, self.up = nn.Conv2d(channels, reduced, 1), nn.Conv2d(reduced, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.up(F.silu(self.down(self.pool(x))))) * x


class Inverted(nn.Module):
    """Wide in the middle, with a depthwise convolution there."""

    def __init__(self, i: int, o: int, kernel: int, stride: int, wider: int, act: type[nn.Module], gated: bool):
        super().__init__()
        inner = i * wider
        parts: list[nn.Module] = [Conv(i, inner, 1, 1, 1, act)] if wider != 1 else []
        parts.append(Conv(inner, inner, kernel, stride, inner, act))
        parts += [Gate(inner, max(1, i // 4))] if gated else []
        self.parts = nn.Sequential(*parts, Conv(inner, o, 1, 1, 1, None))
        self.joins = stride == 1 and i == o

    def forward(self, x: Tensor) -> Tensor:
        return x + self.parts(x) if self.joins else self.parts(x)


def mobilenet_v2() -> nn.Module:
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    layers: list[nn.Module] = [Conv(3, 32, 3, 2, 1, nn.ReLU6)]
    channels = 32
    for wider, width, count, stride in stages:
        for n in range(count):
            layers.append(Inverted(channels, width, 3, stride if n == 0 else 1, wider, nn.ReLU6, False))
            channels = width
    head = [Conv(320, 1280, 1, 1, 1, nn.ReLU6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2)]
    return nn.Sequential(*layers, *head, nn.Linear(1280, 1000))


def efficientnet(width: float, depth: float, dropout: float) -> nn.Module:
    stages = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
              (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]  # fmt: skip
    channels = narrow(32 * width)
    layers: list[nn.Module] = [Conv(3, channels, 3, 2, 1, nn.SiLU)]
    for wider, kernel, stride, out, count in stages:
        for n in range(math.ceil(count * depth)):
            o = narrow(out * width)
            layers.append(Inverted(channels, o, kernel, stride if n == 0 else 1, wider, nn.SiLU, True))
            channels = o
    last = 4 * channels
    head = [Conv(channels, last, 1, 1, 1, nn.SiLU), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(dropout)]
    return nn.Sequential(*layers, *head, nn.Linear(last, 1000))


class ConvNextBlock(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.empty(width, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + self.scale * self.down(F.gelu(self.up(y))).permute(0, 3, 1, 2)


class ChannelNorm(nn.LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext(counts: tuple[int, ...], widths: tuple[int, ...]) -> nn.Module:
    layers: list[nn.Module] = [nn.Conv2d(3, widths[0], 4, 4), ChannelNorm(widths[0])]
    for i, (count, width) in enumerate(zip(counts, widths)):
        layers += [ConvNextBlock(width) for _ in range(count)]
        if i < 3:
            layers += [ChannelNorm(width), nn.Conv2d(width, widths[i + 1], 2, 2)]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), ChannelNorm(widths[3]), nn.Flatten(), nn.Linear(widths[3], 1000)
    )


NETWORKS = {
    "mobilenet-v2": mobilenet_v2,
    "efficientnet-b0": lambda: efficientnet(1.0, 1.0, 0.2),
    "efficientnet-b4": lambda: efficientnet(1.4, 1.8, 0.4),
    "convnext-tiny": lambda: convnext((3, 3, 9, 3), (96, 192, 384, 768)),
    "convnext-base": lambda: convnext((3, 3, 27, 3), (128, 256, 512, 1024)),
}
INPUTS = {"efficientnet-b4": [((3, 380, 380), "float")]}
