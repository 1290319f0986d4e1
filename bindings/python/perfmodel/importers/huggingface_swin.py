"""Swin: attention within windows of an image, shifted by half a window in every second block."""

from __future__ import annotations

from .huggingface_body import Body, models
from .huggingface_config import Config
from .huggingface_images import classifier, image_input


@models("swin")
def _swin(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    width, patch = c.count("embed_dim", otherwise=96), c.count("patch_size", otherwise=4)
    depths, heads = c.counts("depths", (2, 2, 6, 2)), c.counts("num_heads", (3, 6, 12, 24))
    image_input(b, c, image)
    b.add("conv2d", "embeddings.patch_embeddings", out_channels=width, kernel=patch, stride=patch)
    b.add("permute", "embeddings.tokens", order=(1, 2, 0))
    b.add("layer_norm", "embeddings.norm")
    if c.switch("use_absolute_embeddings", False):
        _positions(b)
    b.dropout("embeddings.dropout", c.rate("hidden_dropout_prob"))
    for stage, (depth, count) in enumerate(zip(depths, heads)):
        for i in range(depth):
            _block(b, c, f"encoder.layers.{stage}.blocks.{i}", count, i % 2 == 1)
        if stage + 1 < len(depths):
            _merge(b, f"encoder.layers.{stage}.downsample")
    b.add("layer_norm", "layernorm")
    b.add("permute", "channels", order=(2, 0, 1))
    b.add("global_avg_pool", "pooler")
    b.add("flatten", "flatten")
    classifier(b, c)


def _positions(b: Body) -> None:
    rows, columns, width = b.network.shape(b.last)
    b.add("reshape", "embeddings.rows", shape=(rows * columns, width))
    b.add("positional_embedding", "embeddings.position_embeddings", positions=rows * columns)
    b.add("reshape", "embeddings.image", shape=(rows, columns, width))


def _block(b: Body, c: Config, name: str, heads: int, odd: bool) -> None:
    x = b.last
    rows, columns, width = b.network.shape(x)
    window = c.count("window_size", otherwise=7)
    size, shift = (min(rows, columns), False) if min(rows, columns) <= window else (window, odd)
    b.add("layer_norm", f"{name}.layernorm_before", x)
    _windows(b, name, size, shift)
    y = b.last
    bias, table = c.switch("qkv_bias", True), (2 * window - 1) ** 2
    q, k, v = (b.linear(f"{name}.attention.{part}", width, y, bias=bias) for part in ("query", "key", "value"))
    rate = c.rate("attention_probs_dropout_prob")
    b.attention(f"{name}.attention", q, k, v, heads=heads, bias_rows=table, dropout=rate)
    b.linear(f"{name}.attention.output", width)
    _image(b, name, size, rows, columns, shift)
    x = b.add("add", f"{name}.attention.sum", x, b.last)
    b.add("layer_norm", f"{name}.layernorm_after")
    b.linear(f"{name}.intermediate", int(width * c.number("mlp_ratio", otherwise=4.0)))
    b.activation(f"{name}.activation", str(c.get("hidden_act", "gelu")))
    b.linear(f"{name}.output", width)
    b.dropout(f"{name}.dropout", c.rate("hidden_dropout_prob"))
    b.add("add", f"{name}.sum", x, b.last)


def _windows(b: Body, name: str, size: int, shift: bool) -> None:
    """Rows x columns as windows x tokens; an image that is not made of whole windows is padded."""
    rows, columns, width = b.network.shape(b.last)
    down, right = -(-rows // size), -(-columns // size)
    if (down * size, right * size) != (rows, columns):
        b.add("permute", f"{name}.channels", order=(2, 0, 1))
        b.add("pad", f"{name}.pad", padding=0, padding_end=(down * size - rows, right * size - columns))
        b.add("permute", f"{name}.padded", order=(1, 2, 0))
    if shift:
        b.add("pointwise", f"{name}.shift", flop=0, keeps="nothing")
    b.add("reshape", f"{name}.grid", shape=(down, size, right, size, width))
    b.add("permute", f"{name}.windows", order=(0, 2, 1, 3, 4))
    b.add("reshape", f"{name}.tokens", shape=(down * right, size * size, width))


def _image(b: Body, name: str, size: int, rows: int, columns: int, shift: bool) -> None:
    width, down, right = b.network.shape(b.last)[2], -(-rows // size), -(-columns // size)
    b.add("reshape", f"{name}.attended", shape=(down, right, size, size, width))
    b.add("permute", f"{name}.rows", order=(0, 2, 1, 3, 4))
    b.add("reshape", f"{name}.image", shape=(down * size, right * size, width))
    if shift:
        b.add("pointwise", f"{name}.unshift", flop=0, keeps="nothing")
    for axis, (given, whole) in enumerate(((rows, down * size), (columns, right * size))):
        if given != whole:
            b.add("slice", f"{name}.cut{axis}", axis=axis, end=given)


def _merge(b: Body, name: str) -> None:
    """2 x 2 tokens become one of twice the width."""
    rows, columns, width = b.network.shape(b.last)
    b.add("reshape", f"{name}.pairs", shape=(rows // 2, 2, columns // 2, 2, width))
    b.add("permute", f"{name}.squares", order=(0, 2, 1, 3, 4))
    b.add("reshape", f"{name}.merged", shape=(rows // 2, columns // 2, 4 * width))
    b.add("layer_norm", f"{name}.norm")
    b.linear(f"{name}.reduction", 2 * width, bias=False)
