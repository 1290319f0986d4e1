"""Image models: ViT, ConvNeXt, ResNet."""

from __future__ import annotations

from .._inputs import AttributeValue
from .huggingface_body import Body, models
from .huggingface_config import Config


def image_input(b: Body, c: Config, image: int | None) -> None:
    size = image if image is not None else c.get("image_size", 224)
    height, width = size if isinstance(size, (list, tuple)) and len(size) == 2 else (size, size)
    given = Config({"height": height, "width": width}, c.kind)
    b.input("pixel_values", c.count("num_channels", otherwise=3), given.count("height"), given.count("width"))


def classifier(b: Body, c: Config, features: int | None = None) -> None:
    if c.head("ForImageClassification") == "ForImageClassification" and c.labels > 0:
        b.linear("classifier", c.labels)
    elif c.head("Model") not in ("Model", "ForImageClassification"):
        b.note(f"the head of {c.head('Model')} is left out")


@models("vit", "deit")
def _vit(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    hidden, heads, patch = c.count("hidden_size"), c.count("num_attention_heads"), c.count("patch_size", otherwise=16)
    rate, bias = c.rate("hidden_dropout_prob"), c.switch("qkv_bias", True)
    image_input(b, c, image)
    b.add("conv2d", "embeddings.patch_embeddings", out_channels=hidden, kernel=patch, stride=patch)
    _, rows, columns = b.network.shape(b.last)
    b.add("reshape", "embeddings.flatten", shape=(hidden, rows * columns))
    b.add("permute", "embeddings.tokens", order=(1, 0))
    extra = 2 if c.get("model_type") == "deit" else 1
    b.add("learned_token", "embeddings.cls_token", **({"count": extra} if extra > 1 else {}))
    b.add("positional_embedding", "embeddings.position_embeddings", positions=rows * columns + extra)
    b.dropout("embeddings.dropout", rate)
    for i in range(c.layers("num_hidden_layers")):
        name, x = f"encoder.layer.{i}", b.last
        y = b.add("layer_norm", f"{name}.layernorm_before", x)
        q, k, v = (b.linear(f"{name}.attention.{part}", hidden, y, bias=bias) for part in ("query", "key", "value"))
        b.attention(f"{name}.attention", q, k, v, heads=heads, dropout=c.rate("attention_probs_dropout_prob"))
        b.linear(f"{name}.attention.output", hidden)
        b.dropout(f"{name}.attention.dropout", rate)
        x = b.add("add", f"{name}.attention.sum", x, b.last)
        b.add("layer_norm", f"{name}.layernorm_after")
        b.linear(f"{name}.intermediate", c.count("intermediate_size"))
        b.activation(f"{name}.activation", str(c.get("hidden_act", "gelu")))
        b.linear(f"{name}.output", hidden)
        b.dropout(f"{name}.dropout", rate)
        b.add("add", f"{name}.sum", x, b.last)
    b.add("layer_norm", "layernorm")
    b.add("slice", "first", axis=0, end=1)
    if c.head("ForImageClassification") == "Model":
        b.linear("pooler.dense", hidden)
        b.add("tanh", "pooler.tanh")
    classifier(b, c)


@models("convnext")
def _convnext(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    widths, depths = c.counts("hidden_sizes", (96, 192, 384, 768)), c.counts("depths", (3, 3, 9, 3))
    patch = c.count("patch_size", otherwise=4)
    image_input(b, c, image)
    b.add("conv2d", "embeddings.patch_embeddings", out_channels=widths[0], kernel=patch, stride=patch)
    _channel_norm(b, "embeddings.layernorm")
    for stage, (width, depth) in enumerate(zip(widths, depths)):
        if stage > 0:
            _channel_norm(b, f"encoder.stages.{stage}.downsampling_layer.norm")
            b.add("conv2d", f"encoder.stages.{stage}.downsampling_layer", out_channels=width, kernel=2, stride=2)
        for i in range(depth):
            _convnext_layer(b, c, f"encoder.stages.{stage}.layers.{i}", width)
    b.add("global_avg_pool", "pool")
    b.add("flatten", "flatten")
    b.add("layer_norm", "layernorm")
    classifier(b, c)


def _channel_norm(b: Body, name: str) -> None:
    b.add("permute", f"{name}.last", order=(1, 2, 0))
    b.add("layer_norm", name)
    b.add("permute", f"{name}.first", order=(2, 0, 1))


def _convnext_layer(b: Body, c: Config, name: str, width: int) -> None:
    x = b.last
    b.add("conv2d", f"{name}.dwconv", out_channels=width, kernel=7, padding=3, groups=width)
    b.add("permute", f"{name}.last", order=(1, 2, 0))
    b.add("layer_norm", f"{name}.layernorm")
    b.linear(f"{name}.pwconv1", 4 * width)
    b.activation(f"{name}.act", str(c.get("hidden_act", "gelu")))
    b.linear(f"{name}.pwconv2", width)
    if c.number("layer_scale_init_value", otherwise=1e-6) > 0:
        b.add("scale", f"{name}.layer_scale_parameter", axis=2)
    b.add("permute", f"{name}.first", order=(2, 0, 1))
    b.add("add", f"{name}.sum", x, b.last)


@models("resnet")
def _resnet(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    widths, depths = c.counts("hidden_sizes", (256, 512, 1024, 2048)), c.counts("depths", (3, 4, 6, 3))
    image_input(b, c, image)
    _convolved(b, "embedder", c.count("embedding_size", otherwise=64), 7, 2)
    b.activation("embedder.activation", str(c.get("hidden_act", "relu")))
    b.add("max_pool", "embedder.pooler", kernel=3, stride=2, padding=1)
    for stage, (width, depth) in enumerate(zip(widths, depths)):
        for i in range(depth):
            first = i == 0 and (stage > 0 or c.switch("downsample_in_first_stage", False))
            _resnet_layer(b, c, f"encoder.stages.{stage}.layers.{i}", width, 2 if first else 1)
    b.add("global_avg_pool", "pooler")
    b.add("flatten", "flatten")
    classifier(b, c)


def _convolved(b: Body, name: str, width: int, kernel: int, stride: int = 1, *inputs: int) -> int:
    attributes: dict[str, AttributeValue] = {"padding": kernel // 2} if kernel > 1 else {}
    if stride > 1:
        attributes["stride"] = stride
    b.add("conv2d", f"{name}.convolution", *inputs, out_channels=width, kernel=kernel, bias=False, **attributes)
    return b.add("batch_norm", f"{name}.normalization")


def _resnet_layer(b: Body, c: Config, name: str, width: int, stride: int) -> None:
    x, act = b.last, str(c.get("hidden_act", "relu"))
    short = x
    if stride > 1 or b.network.shape(x)[0] != width:
        short = _convolved(b, f"{name}.shortcut", width, 1, stride, x)
    if str(c.get("layer_type", "bottleneck")) == "basic":
        steps = [(width, 3, stride), (width, 3, 1)]
    else:
        early = c.switch("downsample_in_bottleneck", False)
        steps = [(width // 4, 1, stride if early else 1), (width // 4, 3, 1 if early else stride), (width, 1, 1)]
    b.last = x
    for i, (wide, kernel, step) in enumerate(steps):
        _convolved(b, f"{name}.layer.{i}", wide, kernel, step)
        if i + 1 < len(steps):
            b.activation(f"{name}.layer.{i}.activation", act)
    b.add("add", f"{name}.sum", short, b.last)
    b.activation(f"{name}.activation", act)
