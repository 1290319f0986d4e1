"""Decoder-only families: how the settings of each describe a decoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .huggingface_body import Body, models
from .huggingface_config import Config
from .huggingface_decoder import Decoder, Experts, Latent, Norm, build_decoder

LAYER_NORM = Norm("layer_norm")
EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")


def family(*names: str) -> Callable[[Callable[[Config], Decoder]], Callable[[Config], Decoder]]:
    """A function that describes the decoder of these model types."""

    def register(describe: Callable[[Config], Decoder]) -> Callable[[Config], Decoder]:
        def build(b: Body, c: Config, seq: int | None, image: int | None) -> None:
            build_decoder(b, c, describe(c), seq)

        models(*names)(build)
        return describe

    return register


# ---- What most have in common.


def _common(c: Config, kv_heads: int | None = None, head_features: int | None = None) -> dict[str, Any]:
    """Sizes under the names of Llama; `kv_heads` and `head_features` if the configuration states none."""
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    stated = c.get("head_dim") is not None
    size = head_features if head_features and not stated else c.part_of_heads(hidden, heads, "head_dim")
    return {
        "hidden": hidden, "layers": c.layers("num_hidden_layers"), "heads": heads,
        "kv_heads": c.count("num_key_value_heads", otherwise=kv_heads or heads), "head_features": size,
        "ffn": c.count("intermediate_size"), "vocabulary": c.count("vocab_size"),
        "activation": _activation(c, "silu"), "dropped": {"attention": c.rate("attention_dropout")},
    }  # fmt: skip


def _activation(c: Config, otherwise: str) -> str:
    return str(c.get("hidden_activation", c.get("hidden_act", otherwise)))


def _rotary(c: Config, otherwise: float) -> float:
    """The part of a head's features that positions turn."""
    turned = c.child("rope_parameters").get("partial_rotary_factor")
    if turned is None:
        return c.number("partial_rotary_factor", "rotary_pct", otherwise=otherwise, most=1)
    return c.child("rope_parameters").number("partial_rotary_factor", otherwise=otherwise, most=1)


def _windows(c: Config, layers: int, sliding: Callable[[int], bool] = lambda i: False) -> tuple[int, ...]:
    """Keys that a query of each layer sees at most; `sliding`: whether a layer sees fewer, if it is not stated."""
    stated = c.words("layer_types")
    if stated is None:
        window = c.count("sliding_window", otherwise=0, least=0)
        return tuple(window if sliding(i) else 0 for i in range(layers))
    names = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
    return tuple(c.count(names[kind], otherwise=0, least=0) if kind in names else 0 for kind in stated)


def _everywhere(c: Config, common: dict[str, Any], number: int, chosen: int, bias: bool = False) -> Experts:
    """Experts in all layers, of the width of the feed-forward network."""
    number, chosen = c.count(*EXPERTS, otherwise=number), c.count("num_experts_per_tok", otherwise=chosen)
    layers = frozenset(range(common["layers"]))
    return Experts(layers, number, chosen, common["ffn"], bias=bias, router_bias=bias)


# ---- Llama and its kin: RMS norms, rotated positions, grouped heads, a gated feed-forward network or experts.


@family("llama", "granite")
def _llama(c: Config) -> Decoder:
    bias = c.switch("attention_bias", False)
    return Decoder(**_common(c), qkv_bias=bias, output_bias=bias, ffn_bias=c.switch("mlp_bias", False))


@family("mistral")
def _mistral(c: Config) -> Decoder:
    common = _common(c, kv_heads=8)
    return Decoder(**common, windows=_windows(c, common["layers"], lambda i: True))


@family("mixtral")
def _mixtral(c: Config) -> Decoder:
    common = _common(c, kv_heads=8)
    windows = _windows(c, common["layers"], lambda i: True)
    return Decoder(**common, windows=windows, experts=_everywhere(c, common, 8, 2))


@family("qwen2")
def _qwen2(c: Config) -> Decoder:
    common = _common(c)
    return Decoder(**common, qkv_bias=True, windows=_qwen_windows(c, common["layers"]))


def _qwen_windows(c: Config, layers: int) -> tuple[int, ...]:
    if not c.switch("use_sliding_window", False):
        return ()
    first = c.count("max_window_layers", otherwise=28, least=0)
    return _windows(c, layers, lambda i: i >= first)


@family("qwen3")
def _qwen3(c: Config) -> Decoder:
    common, bias = _common(c, head_features=128), c.switch("attention_bias", False)
    windows = _qwen_windows(c, common["layers"])
    return Decoder(**common, qkv_bias=bias, output_bias=bias, qk_norm="heads", windows=windows)


def _qwen_experts(c: Config, layers: int, number: int) -> Experts:
    step, dense = c.count("decoder_sparse_step", otherwise=1), c.counts("mlp_only_layers", ())
    sparse = frozenset(i for i in range(layers) if i not in dense and (i + 1) % step == 0)
    shared = c.count("shared_expert_intermediate_size", otherwise=0, least=0)
    return Experts(sparse, c.count(*EXPERTS, otherwise=number),
                   c.count("num_experts_per_tok"), c.count("moe_intermediate_size"), shared, shared > 0)  # fmt: skip


@family("qwen2_moe")
def _qwen2_moe(c: Config) -> Decoder:
    common = _common(c, kv_heads=16)
    return Decoder(**common, qkv_bias=c.switch("qkv_bias", True), windows=_qwen_windows(c, common["layers"]),
                   experts=_qwen_experts(c, common["layers"], 60))  # fmt: skip


@family("qwen3_moe")
def _qwen3_moe(c: Config) -> Decoder:
    common, bias = _common(c, kv_heads=4), c.switch("attention_bias", False)
    return Decoder(**common, qkv_bias=bias, output_bias=bias, qk_norm="heads",
                   windows=_qwen_windows(c, common["layers"]),
                   experts=_qwen_experts(c, common["layers"], 128))  # fmt: skip


@family("gpt_oss")
def _gpt_oss(c: Config) -> Decoder:
    common, bias = _common(c, kv_heads=8, head_features=64), c.switch("attention_bias", True)
    experts = _everywhere(c, common, 128, 4, bias=True)
    return Decoder(**common, qkv_bias=bias, output_bias=bias, sinks=True, experts=experts,
                   windows=_windows(c, common["layers"], lambda i: i % 2 == 0))  # fmt: skip


@family("minimax")
def _minimax(c: Config) -> Decoder:
    """Every second layer has linear attention."""
    common = _common(c, kv_heads=8)
    kinds = c.words("layer_types")
    linear = frozenset(
        i for i in range(common["layers"]) if (kinds[i] == "linear_attention" if kinds else (i + 1) % 2 == 1)
    )
    return Decoder(**common, experts=_everywhere(c, common, 8, 2),
                   linear_layers=linear, linear_block=c.count("block_size", otherwise=256))  # fmt: skip


@family("llama4_text")
def _llama4(c: Config) -> Decoder:
    common, bias = _common(c, kv_heads=8, head_features=128), c.switch("attention_bias", False)
    layers, step = common["layers"], c.count("interleave_moe_layer_step", otherwise=1)
    sparse = frozenset(c.counts("moe_layers", tuple(range(step - 1, layers, step))))
    ffn = common.pop("ffn")
    experts = Experts(sparse, c.count("num_local_experts", otherwise=16), c.count("num_experts_per_tok", otherwise=1),
                      ffn, shared_ffn=ffn)  # fmt: skip
    every = c.count("no_rope_layer_interval", otherwise=4)
    turned = c.counts("no_rope_layers", tuple(int((i + 1) % every != 0) for i in range(layers)))
    return Decoder(**common, ffn=c.count("intermediate_size_mlp", otherwise=16384), qkv_bias=bias, output_bias=bias,
                   qk_norm="plain" if c.switch("use_qk_norm", True) else "", experts=experts,
                   unturned=frozenset(i for i, turn in enumerate(turned) if not turn),
                   windows=_windows(c, layers))  # fmt: skip


# ---- DeepSeek: keys and values from one narrow row; experts beside a feed-forward network.


def _latent(c: Config) -> Latent:
    q_rank = c.count("q_lora_rank", otherwise=0, least=0)
    return Latent(q_rank, c.count("kv_lora_rank", otherwise=512), c.count("qk_nope_head_dim", otherwise=128),
                  c.count("qk_rope_head_dim", otherwise=64), c.count("v_head_dim", otherwise=128),
                  c.switch("attention_bias", False))  # fmt: skip


@family("deepseek_v2", "deepseek_v3", "kimi_k2")
def _deepseek(c: Config) -> Decoder:
    common, second = _common(c, head_features=1), c.kind == "deepseek_v2"
    dense = c.count("first_k_dense_replace", otherwise=0 if second else 3, least=0)
    ffn = c.count("moe_intermediate_size", otherwise=1407 if second else 2048)
    shared = c.count("n_shared_experts", otherwise=2 if second else 1, least=0)
    sparse, number = frozenset(range(dense, common["layers"])), c.count(*EXPERTS, otherwise=64 if second else 256)
    experts = Experts(sparse, number, c.count("num_experts_per_tok", otherwise=6 if second else 8), ffn, shared * ffn)
    return Decoder(**common, latent=_latent(c), experts=experts, ffn_bias=second and c.switch("mlp_bias", False))


# ---- Gemma, GLM, OLMo: norms in other places.


@family("gemma", "gemma2", "gemma3_text")
def _gemma(c: Config) -> Decoder:
    common = _common(c, kv_heads=16 if c.kind == "gemma" else 4, head_features=256)
    common["activation"] = _activation(c, "gelu_pytorch_tanh")
    bias = c.switch("attention_bias", False)
    every = c.count("sliding_window_pattern", "_sliding_window_pattern", otherwise=6)
    sliding = {"gemma": lambda i: False, "gemma2": lambda i: i % 2 == 0, "gemma3_text": lambda i: (i + 1) % every != 0}
    return Decoder(**common, qkv_bias=bias, output_bias=bias, tied=True,
                   norms="before" if c.kind == "gemma" else "around",
                   qk_norm="heads" if c.kind == "gemma3_text" else "",
                   windows=_windows(c, common["layers"], sliding[c.kind]))  # fmt: skip


@family("glm4")
def _glm4(c: Config) -> Decoder:
    common = _common(c, kv_heads=2, head_features=128)
    return Decoder(**common, qkv_bias=c.switch("attention_bias", False), norms="around", rotary=_rotary(c, 0.5))


@family("olmo")
def _olmo(c: Config) -> Decoder:
    bias = c.switch("attention_bias", False)
    return Decoder(**_common(c), norm=Norm("layer_norm", affine=False), qkv_bias=bias, output_bias=bias)


@family("olmo2")
def _olmo2(c: Config) -> Decoder:
    bias = c.switch("attention_bias", False)
    return Decoder(**_common(c), norms="inside", qk_norm="row", qkv_bias=bias, output_bias=bias)


# ---- Layer norms and rotated positions.


@family("cohere")
def _cohere(c: Config) -> Decoder:
    bias = c.switch("attention_bias", False)
    return Decoder(**_common(c), norm=Norm("layer_norm", bias=False), side="one", qkv_bias=bias, output_bias=bias,
                   qk_norm="each" if c.switch("use_qk_norm", False) else "", tied=True)  # fmt: skip


@family("stablelm")
def _stablelm(c: Config) -> Decoder:
    common = _common(c)
    common["dropped"]["residual"] = c.rate("hidden_dropout")
    return Decoder(**common, norm=LAYER_NORM, side="one" if c.switch("use_parallel_residual", False) else "",
                   qkv_bias=c.switch("use_qkv_bias", False), rotary=_rotary(c, 0.25),
                   qk_norm="each" if c.switch("qk_layernorm", False) else "")  # fmt: skip


@family("starcoder2")
def _starcoder2(c: Config) -> Decoder:
    common, bias = _common(c, kv_heads=2), c.switch("use_bias", True)
    common["activation"] = _activation(c, "gelu_pytorch_tanh")
    common["dropped"].update(embedding=c.rate("embedding_dropout"), residual=c.rate("residual_dropout"))
    return Decoder(**common, norm=LAYER_NORM, qkv_bias=bias, output_bias=bias, ffn_bias=bias, gated=False, tied=True,
                   windows=_windows(c, common["layers"], lambda i: True))  # fmt: skip


@family("nemotron")
def _nemotron(c: Config) -> Decoder:
    common, bias = _common(c), c.switch("attention_bias", False)
    common["activation"] = _activation(c, "relu2")
    return Decoder(**common, norm=LAYER_NORM, qkv_bias=bias, output_bias=bias, ffn_bias=c.switch("mlp_bias", False),
                   gated=False, rotary=_rotary(c, 0.5))  # fmt: skip


@family("phi")
def _phi(c: Config) -> Decoder:
    common = _common(c)
    common["activation"] = _activation(c, "gelu_new")
    common["dropped"].update(embedding=c.rate("embd_pdrop"), residual=c.rate("resid_pdrop"))
    return Decoder(**common, norm=LAYER_NORM, side="one", qkv_bias=True, output_bias=True, ffn_bias=True,
                   head_bias=True, gated=False, rotary=_rotary(c, 0.5),
                   qk_norm="heads" if c.switch("qk_layernorm", False) else "")  # fmt: skip


@family("phi3")
def _phi3(c: Config) -> Decoder:
    common = _common(c)
    common["dropped"].update(embedding=c.rate("embd_pdrop"), residual=c.rate("resid_pdrop"))
    return Decoder(**common, rotary=_rotary(c, 1.0), windows=_windows(c, common["layers"], lambda i: True))


@family("gpt_neox")
def _gpt_neox(c: Config) -> Decoder:
    common, bias = _common(c), c.switch("attention_bias", True)
    common["activation"] = _activation(c, "gelu")
    common["dropped"].update(embedding=c.rate("hidden_dropout"), residual=c.rate("hidden_dropout"))
    return Decoder(**common, norm=LAYER_NORM, side="two" if c.switch("use_parallel_residual", True) else "",
                   qkv_bias=bias, output_bias=bias, ffn_bias=True, gated=False, rotary=_rotary(c, 0.25))  # fmt: skip


@family("falcon")
def _falcon(c: Config) -> Decoder:
    """Heads grouped in the new architecture, one key and value for all in the old, unless each head has its own."""
    hidden, heads = c.count("hidden_size", "n_embed"), c.count("num_attention_heads", "n_head")
    new, bias = c.switch("new_decoder_architecture", False), c.switch("bias", False)
    own = heads if not new and not c.switch("multi_query", True) else 1
    beside, norms = c.switch("parallel_attn", True), c.count("num_ln_in_parallel_attn", otherwise=2 if new else 1)
    side = "" if not beside and not new else "two" if norms == 2 else "one"
    grouped = c.count("num_kv_heads", otherwise=heads) if new else own
    return Decoder(
        hidden, c.layers("num_hidden_layers", "n_layer"), heads, grouped,
        c.part_of_heads(hidden, heads), c.count("ffn_hidden_size", otherwise=4 * hidden), c.count("vocab_size"),
        norm=LAYER_NORM, side=side, qkv_bias=bias, output_bias=bias, ffn_bias=bias, gated=False,
        activation=str(c.get("activation", "gelu")), rotary=0.0 if c.switch("alibi", False) else 1.0, tied=True,
        dropped={"attention": c.rate("attention_dropout"), "residual": c.rate("hidden_dropout")},
    )  # fmt: skip


# ---- GPT and its kin: an ungated feed-forward network of four times the width.


def _gpt(c: Config, names: str, **more: Any) -> Decoder:
    """`names` of hidden size, heads and layers; several of one are separated by a bar."""
    hidden_names, head_names, layer_names = (tuple(name.split("|")) for name in names.split())
    hidden, heads = c.count(*hidden_names), c.count(*head_names)
    more = {"ffn": 4 * hidden, "norm": LAYER_NORM, **more}
    return Decoder(hidden, c.layers(*layer_names), heads, heads, c.part_of_heads(hidden, heads),
                   vocabulary=c.count("vocab_size"), gated=False, **more)  # fmt: skip


@family("gpt2")
def _gpt2(c: Config) -> Decoder:
    hidden = c.count("n_embd")
    dropped = {"embedding": c.rate("embd_pdrop", otherwise=0.1), "attention": c.rate("attn_pdrop", otherwise=0.1),
               "residual": c.rate("resid_pdrop", otherwise=0.1)}  # fmt: skip
    return _gpt(c, "n_embd n_head n_layer", ffn=c.count("n_inner", otherwise=4 * hidden), rotary=0.0, tied=True,
                positions=c.count("n_positions", "n_ctx"), qkv_bias=True, output_bias=True, ffn_bias=True,
                activation=str(c.get("activation_function", "gelu_new")), dropped=dropped)  # fmt: skip


@family("gptj")
def _gptj(c: Config) -> Decoder:
    hidden, heads = c.count("n_embd"), c.count("n_head")
    turned = c.count("rotary_dim", otherwise=64) / c.part_of_heads(hidden, heads)
    dropped = {"embedding": c.rate("embd_pdrop"), "attention": c.rate("attn_pdrop"), "residual": c.rate("resid_pdrop")}
    return _gpt(c, "n_embd n_head n_layer", ffn=c.count("n_inner", otherwise=4 * hidden), rotary=min(turned, 1.0),
                side="one", ffn_bias=True, head_bias=True, activation=str(c.get("activation_function", "gelu_new")),
                dropped=dropped)  # fmt: skip


@family("bloom")
def _bloom(c: Config) -> Decoder:
    dropped = {"attention": c.rate("attention_dropout"), "residual": c.rate("hidden_dropout")}
    return _gpt(c, "hidden_size|n_embed num_attention_heads|n_head num_hidden_layers|n_layer", rotary=0.0, tied=True,
                embedding_norm=True, qkv_bias=True, output_bias=True, ffn_bias=True, activation="gelu",
                dropped=dropped)  # fmt: skip


@family("mpt")
def _mpt(c: Config) -> Decoder:
    dropped = {"embedding": c.rate("emb_pdrop"), "attention": c.child("attn_config").rate("attn_pdrop"),
               "residual": c.rate("resid_pdrop")}  # fmt: skip
    ffn = c.count("expansion_ratio", otherwise=4) * c.count("d_model", "hidden_size")
    return _gpt(c, "d_model|hidden_size n_heads|num_attention_heads n_layers|num_hidden_layers", ffn=ffn, rotary=0.0,
                tied=True, norm=Norm("layer_norm", bias=False), activation="gelu", dropped=dropped)  # fmt: skip


@family("opt")
def _opt(c: Config) -> Decoder:
    common, bias = _common_opt(c), c.switch("enable_bias", True)
    before = c.switch("do_layer_norm_before", True)
    return Decoder(
        **common, norm=Norm("layer_norm", affine=c.switch("layer_norm_elementwise_affine", True)), qkv_bias=bias,
        output_bias=bias, ffn_bias=bias, gated=False, rotary=0.0, tied=True, norms="before" if before else "sum",
        positions=c.count("max_position_embeddings") + 2,
        embedding_features=c.count("word_embed_proj_dim", otherwise=0),
        final_norm=before and not c.switch("_remove_final_layer_norm", False),
    )  # fmt: skip


def _common_opt(c: Config) -> dict[str, Any]:
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    return {
        "hidden": hidden, "layers": c.layers("num_hidden_layers"), "heads": heads, "kv_heads": heads,
        "head_features": c.part_of_heads(hidden, heads), "ffn": c.count("ffn_dim"), "vocabulary": c.count("vocab_size"),
        "activation": str(c.get("activation_function", "relu")),
        "dropped": {"attention": c.rate("attention_dropout"), "residual": c.rate("dropout", otherwise=0.1)},
    }  # fmt: skip
