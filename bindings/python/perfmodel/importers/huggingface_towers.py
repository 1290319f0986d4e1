"""DINOv2 and SigLIP, image towers with patches as tokens; ModernBERT, words with the norm before each part."""

from __future__ import annotations

from .huggingface_body import Body, models, tokens
from .huggingface_config import Config
from .huggingface_images import classifier, image_input


def _patches(b: Body, c: Config, image: int | None, patch: int) -> int:
    """Tokens of an image; returns how many there are."""
    hidden = c.count("hidden_size")
    image_input(b, c, image)
    b.add("conv2d", "embeddings.patch_embeddings", out_channels=hidden, kernel=patch, stride=patch)
    _, rows, columns = b.network.shape(b.last)
    b.add("reshape", "embeddings.flatten", shape=(hidden, rows * columns))
    b.add("permute", "embeddings.tokens", order=(1, 0))
    return rows * columns


def _part(b: Body, name: str, x: int, scaled: bool) -> None:
    """The end of a part: a learned factor of each feature, and the sum."""
    if scaled:
        b.add("scale", f"{name}.layer_scale", axis=1)
    b.add("add", f"{name}.sum", x, b.last)


def _layer(b: Body, c: Config, name: str, ffn: int, act: str, scaled: bool = False, bias: bool = True) -> None:
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    c.part_of_heads(hidden, heads)
    x = b.last
    y = b.add("layer_norm", f"{name}.norm1")
    q, k, v = (b.linear(f"{name}.attention.{part}_proj", hidden, y, bias=bias) for part in "qkv")
    rate = c.rate("attention_dropout", "attention_probs_dropout_prob")
    b.attention(f"{name}.attention", q, k, v, heads=heads, dropout=rate)
    b.linear(f"{name}.attention.o_proj", hidden)
    _part(b, f"{name}.attention", x, scaled)
    x = b.last
    b.add("layer_norm", f"{name}.norm2")
    b.linear(f"{name}.mlp.fc1", ffn)
    b.activation(f"{name}.mlp.act", act)
    b.linear(f"{name}.mlp.fc2", hidden)
    _part(b, f"{name}.mlp", x, scaled)


@models("dinov2")
def _dinov2(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """A learned factor behind each part; the token that stands for hidden patches is a parameter too."""
    if c.switch("use_swiglu_ffn", False):
        b.note("the gated feed-forward network (use_swiglu_ffn) is read as a plain one")
    hidden = c.count("hidden_size")
    count = _patches(b, c, image, c.count("patch_size", otherwise=14))
    if c.switch("use_mask_token", True):
        b.add("bias", "embeddings.mask_token", axis=1)
    b.add("learned_token", "embeddings.cls_token")
    b.add("positional_embedding", "embeddings.position_embeddings", positions=count + 1)
    ffn = int(hidden * c.number("mlp_ratio", otherwise=4.0))
    for i in range(c.layers("num_hidden_layers")):
        _layer(b, c, f"encoder.layer.{i}", ffn, str(c.get("hidden_act", "gelu")), True, c.switch("qkv_bias", True))
    b.add("layer_norm", "layernorm")
    if c.head("Model") == "Model":
        return
    rows = b.last
    first = b.add("slice", "first", rows, axis=0, end=1)
    b.add("slice", "patches", rows, axis=0, start=1)
    b.add("mean", "patches.mean", axis=0)
    b.add("reshape", "patches.row", shape=(1, hidden))
    b.add("concat", "features", first, b.last, axis=1)
    classifier(b, c)


@models("siglip_vision_model")
def _siglip(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """The row of the image is what a learned token attends to."""
    hidden, act = c.count("hidden_size", otherwise=768), str(c.get("hidden_act", "gelu_pytorch_tanh"))
    ffn, heads = c.count("intermediate_size"), c.count("num_attention_heads")
    count = _patches(b, c, image, c.count("patch_size", otherwise=16))
    b.add("positional_embedding", "embeddings.position_embedding", positions=count)
    for i in range(c.layers("num_hidden_layers")):
        _layer(b, c, f"encoder.layers.{i}", ffn, act)
    x = b.add("layer_norm", "post_layernorm")
    if not c.switch("vision_use_head", True):
        return
    b.add("learned_token", "head.probe", x)
    probe = b.add("slice", "head.probe.row", axis=0, end=1)
    q = b.linear("head.attention.q_proj", hidden, probe)
    k, v = (b.linear(f"head.attention.{part}_proj", hidden, x) for part in "kv")
    b.attention("head.attention", q, k, v, heads=heads)
    x = b.linear("head.attention.out_proj", hidden)
    b.add("layer_norm", "head.layernorm")
    b.linear("head.mlp.fc1", ffn)
    b.activation("head.mlp.act", act)
    b.linear("head.mlp.fc2", hidden)
    b.add("add", "head.sum", x, b.last)


@models("modernbert")
def _modernbert(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """Two of three layers see a window on both sides, which counts as all tokens here."""
    hidden, heads, bias = c.count("hidden_size"), c.count("num_attention_heads"), c.switch("norm_bias", False)
    plain, mlp_bias = c.switch("attention_bias", False), c.switch("mlp_bias", False)
    c.part_of_heads(hidden, heads)

    def norm(name: str) -> int:
        return b.add("layer_norm", name, **({} if bias else {"bias": False}))

    b.input("input_ids", tokens(b, c, seq, "max_position_embeddings"))
    b.add("embedding", "embeddings.tok_embeddings", entries=c.count("vocab_size"), features=hidden)
    norm("embeddings.norm")
    for i in range(c.layers("num_hidden_layers")):
        name, x = f"layers.{i}", b.last
        y = norm(f"{name}.attn_norm") if i > 0 else x
        q, k, v = (b.linear(f"{name}.attn.{part}", hidden, y, bias=plain) for part in "qkv")
        q, k = b.rotate(f"{name}.attn.q_rotary", 1, q), b.rotate(f"{name}.attn.k_rotary", 1, k)
        b.attention(f"{name}.attn", q, k, v, heads=heads, dropout=c.rate("attention_dropout"))
        b.near("attention")
        b.linear(f"{name}.attn.Wo", hidden, bias=plain)
        x = b.add("add", f"{name}.attn.sum", x, b.last)
        y = norm(f"{name}.mlp_norm")
        gate = b.linear(f"{name}.mlp.gate", c.count("intermediate_size"), y, bias=mlp_bias)
        gate = b.activation(f"{name}.mlp.act", str(c.get("hidden_activation", "gelu")))
        up = b.linear(f"{name}.mlp.up", c.count("intermediate_size"), y, bias=mlp_bias)
        b.add("multiply", f"{name}.mlp.gated", gate, up)
        b.linear(f"{name}.mlp.Wo", hidden, bias=mlp_bias)
        b.add("add", f"{name}.mlp.sum", x, b.last)
    b.note("windows on both sides (local_attention) count as attention to all tokens")
    norm("final_norm")
    if c.head("Model") == "ForMaskedLM":
        b.linear("head.dense", hidden, bias=c.switch("classifier_bias", False))
        b.add("gelu", "head.act")
        norm("head.norm")
        b.linear("decoder", c.count("vocab_size"), bias=False, shared=c.switch("tie_word_embeddings", True))
        if c.switch("decoder_bias", True):
            b.add("bias", "decoder.bias", axis=1)
    elif c.head("Model") != "Model":
        b.note(f"the head of {c.head('Model')} is left out")
