"""Residual networks."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class Gate(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, channels: int, reduced: int):
        super().__init__()
        self.down, self.up = nn.Conv2d(channels, reduced, 1), nn.Conv2d(reduced, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))).sigmoid()


class Basic(nn.Module):
    expansion = 1

    def __init__(self, i: int, width: int, stride: int, **_: int):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        self.short = shortcut(i, width, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        y += self.short(x)
        return F.relu_(y)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, i: int, width: int, stride: int, groups: int = 1, base: int = 64, v1: int = 0, gate: int = 0):
        super().__init__()
        o, inner = 4 * width, width * base // 64 * groups
        first, second = (stride, 1) if v1 else (1, stride)
        self.conv1, self.bn1 = nn.Conv2d(i, inner, 1, first, bias=False), nn.BatchNorm2d(inner)
        self.conv2 = nn.Conv2d(inner, inner, 3, second, 1, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = nn.Conv2d(inner, o, 1, bias=False), nn.BatchNorm2d(o)
        self.gate = Gate(o, o // 16) if gate else nn.Identity()
        self.short = shortcut(i, o, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.gate(self.bn3(self.conv3(y))) + self.short(x))


def shortcut(i: int, o: int, stride: int) -> nn.Module:
    if i == o and stride == 1:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))


def resnet(block: type[Basic] | type[Bottleneck], counts: tuple[int, ...], **options: int) -> nn.Module:
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
                               nn.MaxPool2d(3, 2, 1)]  # fmt: skip
    channels = 64
    for stage, count in enumerate(counts):
        for i in range(count):
            layers.append(block(channels, 64 << stage, 2 if stage and i == 0 else 1, **options))
            channels = block.expansion * (64 << stage)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


class RegBlock(nn.Module):
    """ResNet's bottleneck with one width, grouped, and in the Y family with a gate before the last convolution."""

    def __init__(self, i: int, o: int, stride: int, group: int, gated: bool):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())
        wide = nn.Conv2d(o, o, 3, stride, 1, groups=o // group, bias=False)
        self.b = nn.Sequential(wide, nn.BatchNorm2d(o), nn.ReLU())
        self.gate = Gate(o, round(0.25 * i)) if gated else nn.Identity()
        self.c = nn.Sequential(nn.Conv2d(o, o, 1, bias=False), nn.BatchNorm2d(o))
        self.short = shortcut(i, o, stride)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.short(x) + self.c(self.gate(self.b(self.a(x)))))


def regnet(depths: tuple[int, ...], widths: tuple[int, ...], group: int, gated: bool) -> nn.Module:
    layers: list[nn.Module] = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU()]
    channels = 32
    for depth, width in zip(depths, widths):
        for i in range(depth):
            layers.append(RegBlock(channels, width, 2 if i == 0 else 1, group, gated))
            channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


NETWORKS = {
    "resnet18": lambda: resnet(Basic, (2, 2, 2, 2)),
    "resnet34": lambda: resnet(Basic, (3, 4, 6, 3)),
    "resnet50": lambda: resnet(Bottleneck, (3, 4, 6, 3)),
    "resnet101": lambda: resnet(Bottleneck, (3, 4, 23, 3)),
    "resnet152": lambda: resnet(Bottleneck, (3, 8, 36, 3)),
    "resnet50-v1": lambda: resnet(Bottleneck, (3, 4, 6, 3), v1=1),
    "resnext50-32x4d": lambda: resnet(Bottleneck, (3, 4, 6, 3), groups=32, base=4),
    "resnext101-32x8d": lambda: resnet(Bottleneck, (3, 4, 23, 3), groups=32, base=8),
    "wide-resnet50-2": lambda: resnet(Bottleneck, (3, 4, 6, 3), base=128),
    "se-resnext101-32x4d": lambda: resnet(Bottleneck, (3, 4, 23, 3), groups=32, base=4, gate=1),
    "regnet-x-400mf": lambda: regnet((1, 2, 7, 12), (32, 64, 160, 400), 16, False),
    "regnet-y-400mf": lambda: regnet((1, 3, 6, 6), (48, 104, 208, 440), 8, True),
}
