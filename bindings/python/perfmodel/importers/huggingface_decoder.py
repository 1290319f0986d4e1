"""A decoder from its description: attention and a feed-forward network, or experts, in every layer."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._inputs import AttributeValue
from .huggingface_body import Body, language_head, tokens
from .huggingface_config import Config


@dataclass(frozen=True)
class Norm:
    """Norms of rows: "rms_norm" or "layer_norm"."""

    kind: str = "rms_norm"
    bias: bool = True
    affine: bool = True

    def add(self, b: Body, name: str, *inputs: int, heads: int = 1) -> int:
        attributes: dict[str, AttributeValue] = {"heads": heads} if heads > 1 else {}
        if not self.affine:
            attributes["affine"] = False
        elif self.kind == "layer_norm" and not self.bias:
            attributes["bias"] = False
        return b.add(self.kind, name, *inputs, **attributes)


@dataclass(frozen=True)
class Experts:
    """Layers that have experts; beside them, a feed-forward network for all tokens, which may have a gate."""

    layers: frozenset[int]
    number: int
    chosen: int
    ffn: int
    shared_ffn: int = 0
    shared_gate: bool = False
    bias: bool = False
    router_bias: bool = False


@dataclass(frozen=True)
class Latent:
    """Keys and values of all heads from one narrow row; `turned` features of the keys are shared by the heads."""

    q_rank: int
    kv_rank: int
    own: int
    turned: int
    value: int
    bias: bool = False


@dataclass(frozen=True)
class Decoder:
    """A decoder-only model.

    `norms`: where norms stand: "before" a part, on its way to the sum ("inside"), both ("around"), or behind the "sum".
    `side`: attention and feed-forward network side by side, on "one" norm or on "two"; "": one after the other.
    `qk_norm`: of queries and keys: "heads" with one scale for all heads, "each" with its own, "row", "plain" without.
    `windows`: for each layer the keys that a query sees at most, 0 for all; `rotary`: the part of a head that positions
    turn.
    """

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_features: int
    ffn: int
    vocabulary: int
    norm: Norm = Norm()
    norms: str = "before"
    side: str = ""
    qk_norm: str = ""
    qkv_bias: bool = False
    output_bias: bool = False
    ffn_bias: bool = False
    head_bias: bool = False
    gated: bool = True
    activation: str = "silu"
    rotary: float = 1.0
    unturned: frozenset[int] = frozenset()
    windows: tuple[int, ...] = ()
    sinks: bool = False
    positions: int = 0
    embedding_features: int = 0
    embedding_norm: bool = False
    final_norm: bool = True
    tied: bool = False
    dropped: dict[str, float] = field(default_factory=dict)
    experts: Experts | None = None
    latent: Latent | None = None
    linear_layers: frozenset[int] = frozenset()
    linear_block: int = 0

    def rate(self, place: str) -> float:
        return self.dropped.get(place, 0.0)


POSITIONS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")


def build_decoder(b: Body, c: Config, d: Decoder, seq: int | None) -> None:
    b.input("input_ids", tokens(b, c, seq, *POSITIONS))
    wide = d.embedding_features or d.hidden
    b.add("embedding", "embed_tokens", entries=d.vocabulary, features=wide)
    if wide != d.hidden:
        b.linear("project_in", d.hidden, bias=False)
    if d.positions:
        b.add("positional_embedding", "embed_positions", positions=d.positions)
    if d.embedding_norm:
        d.norm.add(b, "embed_norm")
    b.dropout("embed_dropout", d.rate("embedding"))
    for i in range(d.layers):
        (_beside if d.side else _after)(b, d, i, f"layers.{i}")
    if d.final_norm:
        d.norm.add(b, "norm")
    if wide != d.hidden:
        b.linear("project_out", wide, bias=False)
    language_head(b, c, d.tied, d.head_bias)


def _after(b: Body, d: Decoder, i: int, name: str) -> None:
    """Attention, then the feed-forward network, each added to what it was made of."""
    for part, build in (("self_attn", _attention), ("mlp", _feed_forward)):
        x = b.last
        if d.norms in ("before", "around"):
            d.norm.add(b, f"{name}.{part}.norm")
        build(b, d, i, f"{name}.{part}")
        b.dropout(f"{name}.{part}.dropout", d.rate("residual"))
        if d.norms in ("inside", "around"):
            d.norm.add(b, f"{name}.{part}.post_norm")
        b.add("add", f"{name}.{part}.sum", x, b.last)
        if d.norms == "sum":
            d.norm.add(b, f"{name}.{part}.norm")


def _beside(b: Body, d: Decoder, i: int, name: str) -> None:
    x = b.last
    y = d.norm.add(b, f"{name}.self_attn.norm")
    attended = _attention(b, d, i, f"{name}.self_attn")
    b.last = y if d.side == "one" else d.norm.add(b, f"{name}.mlp.norm", x)
    made = _feed_forward(b, d, i, f"{name}.mlp")
    b.add("add", f"{name}.sum", x, attended, made)


# ---- Attention.


def _normed(b: Body, d: Decoder, name: str, heads: int) -> None:
    """Queries or keys."""
    if d.qk_norm == "row":
        d.norm.add(b, name)
    elif d.qk_norm == "heads":
        d.norm.add(b, name, heads=heads)
    elif d.qk_norm:
        Norm(d.norm.kind, affine=False).add(b, name, heads=heads)
    if d.qk_norm == "each":
        b.add("scale", f"{name}.scale", axis=-1)


def _attention(b: Body, d: Decoder, i: int, name: str) -> int:
    if d.latent is not None:
        return _latent_attention(b, d, d.latent, name)
    if i in d.linear_layers:
        return _linear_attention(b, d, name)
    x, sides = b.last, []
    for part, heads in (("q", d.heads), ("k", d.kv_heads), ("v", d.kv_heads)):
        made = b.linear(f"{name}.{part}_proj", heads * d.head_features, x, bias=d.qkv_bias)
        if part != "v":
            _normed(b, d, f"{name}.{part}_norm", heads)
            made = b.rotate(f"{name}.{part}_rotary", 0 if i in d.unturned else d.rotary)
        sides.append(made)
    window = d.windows[i] if i < len(d.windows) else 0
    b.attention(name, *sides, heads=d.heads, kv_heads=d.kv_heads, causal=True, window=window, sinks=d.sinks,
                dropout=d.rate("attention"))  # fmt: skip
    return b.linear(f"{name}.o_proj", d.hidden, bias=d.output_bias)


def _latent_attention(b: Body, d: Decoder, latent: Latent, name: str) -> int:
    x, features = b.last, latent.own + latent.turned
    if latent.q_rank:
        b.linear(f"{name}.q_down", latent.q_rank, x, bias=latent.bias)
        d.norm.add(b, f"{name}.q_down.norm")
    b.linear(f"{name}.q_up", d.heads * features, bias=False)
    q = b.rotate(f"{name}.q_rotary", latent.turned / features)
    down = b.linear(f"{name}.kv_down", latent.kv_rank + latent.turned, x, bias=latent.bias)
    b.add("slice", f"{name}.kv_latent", axis=-1, end=latent.kv_rank)
    narrow = d.norm.add(b, f"{name}.kv_norm")
    k = b.linear(f"{name}.k_up", d.heads * latent.own, narrow, bias=False)
    v = b.linear(f"{name}.v_up", d.heads * latent.value, narrow, bias=False)
    b.add("slice", f"{name}.k_turned", down, axis=-1, start=latent.kv_rank)
    shared = b.rotate(f"{name}.k_rotary", 1)
    b.attention(name, q, k, v, shared, heads=d.heads, causal=True, dropout=d.rate("attention"))
    return b.linear(f"{name}.o_proj", d.hidden, bias=latent.bias)


def _linear_attention(b: Body, d: Decoder, name: str) -> int:
    """Lightning attention: keys of the same block one by one, those before it summed up in a matrix of a head."""
    x, wide, sides = b.last, d.heads * d.head_features, []
    for part in "qkv":
        b.linear(f"{name}.{part}_proj", wide, x, bias=False)
        sides.append(b.activation(f"{name}.{part}_act", d.activation))
    window = d.linear_block + d.head_features
    b.attention(name, *sides, heads=d.heads, causal=True, window=window)
    b.near("attention")
    b.note(f"linear attention counts as attention to {window} keys: those of a block and a matrix of a head")
    core = d.norm.add(b, f"{name}.norm_out")
    gate = b.linear(f"{name}.output_gate", wide, x, bias=False)
    gate = b.activation(f"{name}.output_gate.act", "sigmoid")
    b.add("multiply", f"{name}.gated", gate, core)
    return b.linear(f"{name}.o_proj", d.hidden, bias=False)


# ---- What follows it.


def _feed_forward(b: Body, d: Decoder, i: int, name: str) -> int:
    if d.experts is not None and i in d.experts.layers:
        return _experts(b, d, d.experts, name)
    return _dense(b, d, name, d.ffn)


def _dense(b: Body, d: Decoder, name: str, ffn: int) -> int:
    x = b.last
    if not d.gated:
        b.linear(f"{name}.up_proj", ffn, x, bias=d.ffn_bias)
        b.activation(f"{name}.act", d.activation)
    else:
        gate = b.linear(f"{name}.gate_proj", ffn, x, bias=d.ffn_bias)
        if d.activation in ("silu", "swish"):
            b.add("swiglu", f"{name}.swiglu", gate, b.linear(f"{name}.up_proj", ffn, x, bias=d.ffn_bias))
        else:
            gate = b.activation(f"{name}.act", d.activation)
            b.add("multiply", f"{name}.gated", gate, b.linear(f"{name}.up_proj", ffn, x, bias=d.ffn_bias))
    return b.linear(f"{name}.down_proj", d.hidden, bias=d.ffn_bias)


def _experts(b: Body, d: Decoder, e: Experts, name: str) -> int:
    x = b.last
    more = {key: True for key, stated in (("bias", e.bias), ("router_bias", e.router_bias)) if stated}
    sizes = {"experts": e.number, "top_k": e.chosen, "hidden": e.ffn}
    made = b.add("mixture_of_experts", f"{name}.moe", x, **sizes, gated=True, **more)
    if not e.shared_ffn:
        return made
    b.last = x
    shared = _dense(b, d, f"{name}.shared", e.shared_ffn)
    if e.shared_gate:
        b.linear(f"{name}.shared_gate", 1, x, bias=False)
        shared = b.add("multiply", f"{name}.shared.gated", shared, b.add("sigmoid", f"{name}.shared_gate.act"))
    return b.add("add", f"{name}.joined", made, shared)
