"""Convolutional networks that came before residual ones, and what is like them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def alexnet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(True), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(True), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(True),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(True),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(True), nn.MaxPool2d(3, 2),
        nn.AdaptiveAvgPool2d((6, 6)), nn.Flatten(),
        nn.Dropout(), nn.Linear(9216, 4096), nn.ReLU(True),
        nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(True), nn.Linear(4096, 1000),
    )  # fmt: skip


def vgg(counts: tuple[int, ...], norm: bool = False) -> nn.Module:
    layers: list[nn.Module] = []
    channels = 3
    for width, count in zip((64, 128, 256, 512, 512), counts):
        for _ in range(count):
            layers += [nn.Conv2d(channels, width, 3, padding=1)]
            layers += [nn.BatchNorm2d(width)] if norm else []
            layers += [nn.ReLU(True)]
            channels = width
        layers += [nn.MaxPool2d(2, 2)]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(7), nn.Flatten(), nn.Linear(25088, 4096), nn.ReLU(True), nn.Dropout(),
        nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(), nn.Linear(4096, 1000),
    )  # fmt: skip


def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip


class Conv(nn.Sequential):
    """Convolution, batch norm, ReLU."""

    def __init__(self, i: int, o: int, kernel: int | tuple[int, int] = 1, stride: int = 1, padding: object = 0):
        super().__init__(nn.Conv2d(i, o, kernel, stride, padding, bias=False), nn.BatchNorm2d(o), nn.ReLU(True))


class Branches(nn.Module):
    """Paths side by side, their outputs one behind the other."""

    def __init__(self, *paths: nn.Module):
        super().__init__()
        self.paths = nn.ModuleList(paths)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([path(x) for path in self.paths], 1)


def inception(i: int, a: int, b: tuple[int, int], c: tuple[int, int], d: int) -> nn.Module:
    return Branches(
        Conv(i, a),
        nn.Sequential(Conv(i, b[0]), Conv(b[0], b[1], 3, 1, 1)),
        nn.Sequential(Conv(i, c[0]), Conv(c[0], c[1], 3, 1, 1)),
        nn.Sequential(nn.MaxPool2d(3, 1, 1), Conv(i, d)),
    )


def googlenet() -> nn.Module:
    pool = nn.MaxPool2d(3, 2, ceil_mode=True)
    return nn.Sequential(
        Conv(3, 64, 7, 2, 3), pool, Conv(64, 64), Conv(64, 192, 3, 1, 1), pool,
        inception(192, 64, (96, 128), (16, 32), 32), inception(256, 128, (128, 192), (32, 96), 64), pool,
        inception(480, 192, (96, 208), (16, 48), 64), inception(512, 160, (112, 224), (24, 64), 64),
        inception(512, 128, (128, 256), (24, 64), 64), inception(512, 112, (144, 288), (32, 64), 64),
        inception(528, 256, (160, 320), (32, 128), 128), nn.MaxPool2d(2, 2, ceil_mode=True),
        inception(832, 256, (160, 320), (32, 128), 128), inception(832, 384, (192, 384), (48, 128), 128),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1024, 1000),
    )  # fmt: skip


class InceptionPool(nn.Module):
    def __init__(self, i: int, o: int):
        super().__init__()
        self.conv = Conv(i, o)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(F.avg_pool2d(x, 3, 1, 1))


def v3_a(i: int, pooled: int) -> nn.Module:
    return Branches(
        Conv(i, 64),
        nn.Sequential(Conv(i, 48), Conv(48, 64, 5, 1, 2)),
        nn.Sequential(Conv(i, 64), Conv(64, 96, 3, 1, 1), Conv(96, 96, 3, 1, 1)),
        InceptionPool(i, pooled),
    )


def v3_c(i: int, c: int) -> nn.Module:
    row: dict[str, Any] = {"kernel": (1, 7), "padding": (0, 3)}
    column: dict[str, Any] = {"kernel": (7, 1), "padding": (3, 0)}
    return Branches(
        Conv(i, 192),
        nn.Sequential(Conv(i, c), Conv(c, c, **row), Conv(c, 192, **column)),
        nn.Sequential(Conv(i, c), Conv(c, c, **column), Conv(c, c, **row), Conv(c, c, **column),
                      Conv(c, 192, **row)),
        InceptionPool(i, 192),
    )  # fmt: skip


def v3_e(i: int) -> nn.Module:
    def fork() -> nn.Module:
        return Branches(Conv(384, 384, (1, 3), 1, (0, 1)), Conv(384, 384, (3, 1), 1, (1, 0)))

    return Branches(
        Conv(i, 320),
        nn.Sequential(Conv(i, 384), fork()),
        nn.Sequential(Conv(i, 448), Conv(448, 384, 3, 1, 1), fork()),
        InceptionPool(i, 192),
    )


def inception_v3() -> nn.Module:
    b = Branches(
        Conv(288, 384, 3, 2),
        nn.Sequential(Conv(288, 64), Conv(64, 96, 3, 1, 1), Conv(96, 96, 3, 2)),
        nn.MaxPool2d(3, 2),
    )
    d = Branches(
        nn.Sequential(Conv(768, 192), Conv(192, 320, 3, 2)),
        nn.Sequential(Conv(768, 192), Conv(192, 192, (1, 7), 1, (0, 3)), Conv(192, 192, (7, 1), 1, (3, 0)),
                      Conv(192, 192, 3, 2)),
        nn.MaxPool2d(3, 2),
    )  # fmt: skip
    return nn.Sequential(
        Conv(3, 32, 3, 2), Conv(32, 32, 3), Conv(32, 64, 3, 1, 1), nn.MaxPool2d(3, 2),
        Conv(64, 80), Conv(80, 192, 3), nn.MaxPool2d(3, 2),
        v3_a(192, 32), v3_a(256, 64), v3_a(288, 64), b,
        v3_c(768, 128), v3_c(768, 160), v3_c(768, 160), v3_c(768, 192), d, v3_e(1280), v3_e(2048),
        nn.AdaptiveAvgPool2d(1), nn.Dropout(), nn.Flatten(), nn.Linear(2048, 1000),
    )  # fmt: skip


class Fire(nn.Module):
    def __init__(self, i: int, squeeze: int, expand: int):
        super().__init__()
        self.squeeze = nn.Conv2d(i, squeeze, 1)
        self.one, self.three = nn.Conv2d(squeeze, expand, 1), nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], dim=1)


def squeezenet(version: str) -> nn.Module:
    pool = nn.MaxPool2d(3, 2, ceil_mode=True)
    first = nn.Conv2d(3, 96, 7, 2) if version == "1.0" else nn.Conv2d(3, 64, 3, 2)
    fires = [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256)]
    pooled = {3, 7} if version == "1.0" else {2, 4}
    layers: list[nn.Module] = [first, nn.ReLU(True), pool]
    channels = first.out_channels
    for number, (squeeze, expand) in enumerate(fires, 1):
        layers.append(Fire(channels, squeeze, expand))
        channels = 2 * expand
        layers += [pool] if number in pooled else []
    head = [nn.Dropout(), nn.Conv2d(512, 1000, 1), nn.ReLU(True), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, *head)


class UNet(nn.Module):
    """With unpadded convolutions, and cuts where the way down joins the way up."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        widths = [width * 2**i for i in range(5)]
        self.down = nn.ModuleList(self.double(i, o) for i, o in zip([1, *widths], widths))
        self.turn = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in reversed(widths[:4]))
        self.up = nn.ModuleList(self.double(2 * w, w) for w in reversed(widths[:4]))
        self.classes = nn.Conv2d(width, 2, 1)

    @staticmethod
    def double(i: int, o: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(i, o, 3), nn.ReLU(), nn.Conv2d(o, o, 3), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        kept: list[Tensor] = []
        for i, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for turn, up, other in zip(self.turn, self.up, reversed(kept[:4])):
            x = turn(x)
            cut = (other.shape[-1] - x.shape[-1]) // 2
            other = other[..., cut : cut + x.shape[-2], cut : cut + x.shape[-1]]
            x = up(torch.cat([other, x], dim=1))
        return self.classes(x)


class DenseLayer(nn.Module):
    def __init__(self, i: int, growth: int):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(i), nn.Conv2d(i, 4 * growth, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * growth), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv1(F.relu(self.norm1(x)))
        return torch.cat([x, self.conv2(F.relu(self.norm2(y)))], 1)


def densenet(blocks: tuple[int, ...], growth: int = 32, channels: int = 64) -> nn.Module:
    layers: list[nn.Module] = [*Conv(3, channels, 7, 2, 3), nn.MaxPool2d(3, 2, 1)]
    for i, count in enumerate(blocks):
        for _ in range(count):
            layers.append(DenseLayer(channels, growth))
            channels += growth
        if i < 3:
            narrow = nn.Conv2d(channels, channels // 2, 1, bias=False)
            layers += [nn.BatchNorm2d(channels), nn.ReLU(True), narrow, nn.AvgPool2d(2)]
            channels //= 2
    head = [nn.BatchNorm2d(channels), nn.ReLU(True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]
    return nn.Sequential(*layers, *head)


NETWORKS = {
    "alexnet": alexnet,
    "vgg11": lambda: vgg((1, 1, 2, 2, 2)),
    "vgg16": lambda: vgg((2, 2, 3, 3, 3)),
    "vgg19": lambda: vgg((2, 2, 4, 4, 4)),
    "vgg16-bn": lambda: vgg((2, 2, 3, 3, 3), norm=True),
    "lenet-5": lenet,
    "googlenet": googlenet,
    "inception-v3": inception_v3,
    "squeezenet1-0": lambda: squeezenet("1.0"),
    "squeezenet1-1": lambda: squeezenet("1.1"),
    "u-net": UNet,
    "densenet121": lambda: densenet((6, 12, 24, 16)),
    "densenet169": lambda: densenet((6, 12, 32, 32)),
}
INPUTS = {"lenet-5": [((1, 32, 32), "float")], "inception-v3": [((3, 299, 299), "float")],
          "u-net": [((1, 572, 572), "float")]}  # fmt: skip
