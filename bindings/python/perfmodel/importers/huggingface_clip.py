"""CLIP: a text and an image tower, whose last rows are compared."""

from __future__ import annotations

from .huggingface_body import Body, models, tokens
from .huggingface_config import Config
from .huggingface_images import classifier, image_input


@models("clip")
def _clip(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    text, vision = c.child("text_config"), c.child("vision_config")
    wide = c.count("projection_dim", otherwise=512)
    if c.head("Model") == "ForImageClassification":
        _vision(b, vision, image)
        rows = b.last
        _first(b)
        b.add("mean", "patches.mean", rows, axis=0)
        classifier(b, c)
        return
    _text(b, text, seq)
    b.add("slice", "text_model.last", axis=0, end=1)
    words = b.linear("text_projection", wide, bias=False)
    _vision(b, vision, image)
    _first(b)
    b.linear("visual_projection", wide, bias=False)
    b.add("permute", "image_embeds", order=(1, 0))
    b.add("matmul", "logits_per_text", words, b.last)
    b.add("scale", "logit_scale", axis=0)


@models("clip_text_model")
def _clip_text(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    _text(b, c, seq)
    if _projects(c):
        b.add("slice", "text_model.last", axis=0, end=1)
        b.linear("text_projection", c.count("projection_dim", otherwise=512), bias=False)


@models("clip_vision_model")
def _clip_vision(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    _vision(b, c, image)
    _first(b)
    if _projects(c):
        b.linear("visual_projection", c.count("projection_dim", otherwise=512), bias=False)


def _projects(c: Config) -> bool:
    return any(name.endswith("WithProjection") for name in c.words("architectures") or ())


def _first(b: Body) -> None:
    """The row of the whole image."""
    b.add("slice", "vision_model.first", axis=0, end=1)
    b.add("layer_norm", "vision_model.post_layernorm")


def _text(b: Body, c: Config, seq: int | None) -> None:
    hidden, positions = c.count("hidden_size", otherwise=512), c.count("max_position_embeddings", otherwise=77)
    b.input("input_ids", tokens(b, c, seq, "max_position_embeddings"))
    words = c.count("vocab_size", otherwise=49408)
    b.add("embedding", "text_model.embeddings.token_embedding", entries=words, features=hidden)
    b.add("positional_embedding", "text_model.embeddings.position_embedding", positions=positions)
    _layers(b, c, "text_model", 8, 2048, True)
    b.add("layer_norm", "text_model.final_layer_norm")


def _vision(b: Body, c: Config, image: int | None) -> None:
    hidden, patch = c.count("hidden_size", otherwise=768), c.count("patch_size", otherwise=32)
    image_input(b, c, image)
    name = "vision_model.embeddings.patch_embedding"
    b.add("conv2d", name, out_channels=hidden, kernel=patch, stride=patch, bias=False)
    _, rows, columns = b.network.shape(b.last)
    b.add("reshape", "vision_model.embeddings.flatten", shape=(hidden, rows * columns))
    b.add("permute", "vision_model.embeddings.tokens", order=(1, 0))
    b.add("learned_token", "vision_model.embeddings.class_embedding")
    b.add("positional_embedding", "vision_model.embeddings.position_embedding", positions=rows * columns + 1)
    b.add("layer_norm", "vision_model.pre_layrnorm")
    _layers(b, c, "vision_model", 12, 3072, False)


def _layers(b: Body, c: Config, tower: str, heads: int, ffn: int, causal: bool) -> None:
    hidden = b.network.shape(b.last)[1]
    heads, ffn = c.count("num_attention_heads", otherwise=heads), c.count("intermediate_size", otherwise=ffn)
    c.part_of_heads(hidden, heads)
    for i in range(c.layers("num_hidden_layers", otherwise=12)):
        name, x = f"{tower}.encoder.layers.{i}", b.last
        y = b.add("layer_norm", f"{name}.layer_norm1")
        q, k, v = (b.linear(f"{name}.self_attn.{part}_proj", hidden, y) for part in "qkv")
        b.attention(f"{name}.self_attn", q, k, v, heads=heads, causal=causal, dropout=c.rate("attention_dropout"))
        b.linear(f"{name}.self_attn.out_proj", hidden)
        x = b.add("add", f"{name}.self_attn.sum", x, b.last)
        b.add("layer_norm", f"{name}.layer_norm2")
        b.linear(f"{name}.mlp.fc1", ffn)
        b.activation(f"{name}.mlp.act", str(c.get("hidden_act", "quick_gelu")))
        b.linear(f"{name}.mlp.fc2", hidden)
        b.add("add", f"{name}.mlp.sum", x, b.last)
