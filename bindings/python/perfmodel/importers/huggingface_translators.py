"""Encoders and decoders: T5, BART, Whisper."""

from __future__ import annotations

from .huggingface_body import Body, models, tokens
from .huggingface_config import Config

# ---- T5: RMS norms, biases of the scores by relative position.


@models("t5", "mt5")
def _t5(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """An encoder and a decoder; the biases by relative position of a stack are those of its first layer."""
    hidden, vocabulary = c.count("d_model"), c.count("vocab_size")
    length, rate = tokens(b, c, seq, "n_positions"), c.rate("dropout_rate", otherwise=0.1)
    b.input("input_ids", length)
    b.add("embedding", "shared", entries=vocabulary, features=hidden)
    b.dropout("encoder.dropout", rate)
    for i in range(c.layers("num_layers")):
        _t5_attention(b, c, f"encoder.{i}.self", b.last, i, rate, causal=False)
        _t5_feed_forward(b, c, f"encoder.{i}.ff", rate)
    encoded = b.add("rms_norm", "encoder.final_layer_norm")
    b.input("decoder_input_ids", length)
    b.add("embedding", "decoder.embed_tokens", entries=vocabulary, features=hidden, shared=True)
    b.dropout("decoder.dropout", rate)
    for i in range(c.layers("num_decoder_layers", "num_layers")):
        _t5_attention(b, c, f"decoder.{i}.self", b.last, i, rate, causal=True)
        _t5_attention(b, c, f"decoder.{i}.cross", encoded, -1, rate, causal=False)
        _t5_feed_forward(b, c, f"decoder.{i}.ff", rate)
    b.add("rms_norm", "decoder.final_layer_norm")
    if c.head("ForConditionalGeneration") != "Model":
        b.linear("lm_head", vocabulary, bias=False, shared=c.switch("tie_word_embeddings", c.kind == "t5"))


def _t5_attention(b: Body, c: Config, name: str, source: int, number: int, rate: float, causal: bool) -> None:
    """`number` is that of a layer with biases, -1 of one without."""
    heads, x = c.count("num_heads"), b.last
    inner = heads * c.count("d_kv")
    y = b.add("rms_norm", f"{name}.layer_norm", x)
    source = y if source == x else source
    q = b.linear(f"{name}.q", inner, y, bias=False)
    k, v = (b.linear(f"{name}.{part}", inner, source, bias=False) for part in "kv")
    rows = c.count("relative_attention_num_buckets", otherwise=32) if number >= 0 else 0
    b.attention(name, q, k, v, heads=heads, bias_rows=rows, shared=number > 0, causal=causal, dropout=rate)
    b.linear(f"{name}.o", c.count("d_model"), bias=False)
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)


def _t5_feed_forward(b: Body, c: Config, name: str, rate: float) -> None:
    x, inner = b.last, c.count("d_ff")
    function = str(c.get("feed_forward_proj", "relu" if c.kind == "t5" else "gated-gelu"))
    y = b.add("rms_norm", f"{name}.layer_norm")
    if function.startswith("gated-"):
        b.linear(f"{name}.wi_0", inner, y, bias=False)
        gate = b.activation(f"{name}.act", function[len("gated-") :])
        up = b.linear(f"{name}.wi_1", inner, y, bias=False)
        b.add("multiply", f"{name}.gated", gate, up)
    else:
        b.linear(f"{name}.wi", inner, y, bias=False)
        b.activation(f"{name}.act", function)
    b.dropout(f"{name}.inner_dropout", rate)
    b.linear(f"{name}.wo", c.count("d_model"), bias=False)
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)


# ---- BART: learned positions, the norm behind each sum. Whisper: sound, the norm before each part.


@models("bart", "mbart")
def _bart(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """Both sides look words up in one table; their positions start at 2. mBART normalises before each part instead of
    behind the sums, and once more at the end of each side."""
    vocabulary, rate = c.count("vocab_size"), c.rate("dropout", otherwise=0.1)
    length = tokens(b, c, seq, "max_position_embeddings")

    def embedded(side: str, shared: bool) -> None:
        more = {"shared": True} if shared else {}
        b.input("input_ids" if side == "encoder" else "decoder_input_ids", length)
        b.add("embedding", f"{side}.embed_tokens", entries=vocabulary, features=c.count("d_model"), **more)
        b.add("positional_embedding", f"{side}.embed_positions", positions=c.count("max_position_embeddings") + 2)
        b.add("layer_norm", f"{side}.layernorm_embedding")
        b.dropout(f"{side}.dropout", rate)

    embedded("encoder", False)
    _encode(b, c, rate)
    encoded = b.add("layer_norm", "encoder.layer_norm") if c.kind == "mbart" else b.last
    embedded("decoder", True)
    _decode(b, c, rate, encoded)
    if c.kind == "mbart":
        b.add("layer_norm", "decoder.layer_norm")
    head = c.head("ForConditionalGeneration")
    if head == "ForConditionalGeneration":
        b.linear("lm_head", vocabulary, bias=False, shared=c.switch("tie_word_embeddings", True))
    elif head != "Model":
        b.note(f"the head of {head} is left out")


@models("whisper")
def _whisper(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """Two convolutions halve the frames of a spectrum; `seq` is that of the decoder."""
    hidden, rate = c.count("d_model"), c.rate("dropout")
    frames = c.count("max_source_positions", otherwise=1500)
    b.input("input_features", c.count("num_mel_bins", otherwise=80), 2 * frames)
    for i, stride in ((1, 1), (2, 2)):
        b.add("conv1d", f"encoder.conv{i}", out_channels=hidden, kernel=3, stride=stride, padding=1)
        b.add("gelu", f"encoder.conv{i}.gelu")
    b.add("permute", "encoder.frames", order=(1, 0))
    b.add("positional_embedding", "encoder.embed_positions", positions=frames)
    b.dropout("encoder.dropout", rate)
    _encode(b, c, rate)
    encoded = b.add("layer_norm", "encoder.layer_norm")
    b.input("decoder_input_ids", tokens(b, c, seq, "max_target_positions"))
    b.add("embedding", "decoder.embed_tokens", entries=c.count("vocab_size"), features=hidden)
    b.add("positional_embedding", "decoder.embed_positions", positions=c.count("max_target_positions", otherwise=448))
    b.dropout("decoder.dropout", rate)
    _decode(b, c, rate, encoded)
    b.add("layer_norm", "decoder.layer_norm")
    if c.head("ForConditionalGeneration") == "ForConditionalGeneration":
        b.linear("proj_out", c.count("vocab_size"), bias=False, shared=c.switch("tie_word_embeddings", True))


def _encode(b: Body, c: Config, rate: float) -> None:
    for i in range(c.layers("encoder_layers", "num_hidden_layers")):
        name = f"encoder.layers.{i}"
        _attend(b, c, f"{name}.self_attn", "encoder", rate)
        _widen(b, c, name, "encoder", rate)


def _decode(b: Body, c: Config, rate: float, encoded: int) -> None:
    for i in range(c.layers("decoder_layers", "num_hidden_layers")):
        name = f"decoder.layers.{i}"
        _attend(b, c, f"{name}.self_attn", "decoder", rate)
        _attend(b, c, f"{name}.encoder_attn", "decoder", rate, encoded)
        _widen(b, c, name, "decoder", rate)


def _attend(b: Body, c: Config, name: str, side: str, rate: float, encoded: int = -1) -> None:
    """Attention within a side, or of the decoder to what is `encoded`; Whisper's keys have no bias."""
    hidden, heads, sound = c.count("d_model"), c.count(f"{side}_attention_heads"), c.kind == "whisper"
    before = c.kind != "bart"
    c.part_of_heads(hidden, heads)
    x = b.last
    y = b.add("layer_norm", f"{name}_layer_norm") if before else x
    source = encoded if encoded >= 0 else y
    q, k, v = (
        b.linear(f"{name}.{part}_proj", hidden, y if part == "q" else source, bias=not sound or part != "k")
        for part in "qkv"
    )
    causal = side == "decoder" and encoded < 0
    b.attention(name, q, k, v, heads=heads, causal=causal, dropout=c.rate("attention_dropout"))
    b.linear(f"{name}.out_proj", hidden)
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)
    if not before:
        b.add("layer_norm", f"{name}_layer_norm")


def _widen(b: Body, c: Config, name: str, side: str, rate: float) -> None:
    x, before = b.last, c.kind != "bart"
    if before:
        b.add("layer_norm", f"{name}.final_layer_norm")
    b.linear(f"{name}.fc1", c.count(f"{side}_ffn_dim"))
    b.activation(f"{name}.act", str(c.get("activation_function", "gelu")))
    b.dropout(f"{name}.act.dropout", c.rate("activation_dropout"))
    b.linear(f"{name}.fc2", c.count("d_model"))
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)
    if not before:
        b.add("layer_norm", f"{name}.final_layer_norm")
