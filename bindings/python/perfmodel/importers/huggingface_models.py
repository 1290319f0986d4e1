"""The architectures behind the model types of Hugging Face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._errors import ArgumentError
from .._inputs import AttributeValue
from .._network import Network
from .._report import Report


class Config:
    """Settings by name; some have other names in older configurations."""

    def __init__(self, settings: Mapping[str, Any]):
        self._settings = settings

    def get(self, name: str, otherwise: Any = None) -> Any:
        value = self._settings.get(name)
        return otherwise if value is None else value

    def count(self, *names: str) -> int:
        """A whole number that must be there, under one of the names."""
        for name in names:
            if self._settings.get(name) is not None:
                return int(self._settings[name])
        raise KeyError(names[0])

    @property
    def labels(self) -> int:
        if self.get("num_labels") is not None:
            return int(self.get("num_labels"))
        return len(self.get("id2label") or {}) or 2

    def head(self, otherwise: str) -> str:
        """What follows the body: "Model", "ForCausalLM", ... as the name of the architecture ends."""
        names = self.get("architectures") or []
        if not names:
            return otherwise
        for ending in ("ForPreTraining", "LMHeadModel", "DoubleHeadsModel"):
            if names[0].endswith(ending):
                return ending
        place = names[0].rfind("For")
        return str(names[0][place:]) if place > 0 else "Model"


class Body:
    """The network as it grows; `last` is the layer added last."""

    def __init__(self, network: Network, report: Report, flash: bool):
        self.network, self.report, self.flash = network, report, flash
        self.last = -1

    def input(self, name: str, *shape: int) -> int:
        self.last = self.network.input(*shape, name=name)
        return self.last

    def add(self, kind: str, name: str, *inputs: int, **attributes: AttributeValue) -> int:
        """A layer on the given ones, or on the last."""
        self.last = self.network.add(kind, inputs=inputs or [self.last], name=name, **attributes)
        self.report.mapped[kind] += 1
        return self.last

    def linear(self, name: str, features: int, *inputs: int, bias: bool = True, shared: bool = False) -> int:
        more = {"shared": True} if shared else {}
        return self.add("linear", name, *inputs, out_features=features, bias=bias, **more)

    def dropout(self, name: str, rate: float) -> int:
        return self.add("dropout", name, rate=rate) if rate > 0 else self.last

    def attention(self, name: str, q: int, k: int, v: int, heads: int, **attributes: AttributeValue) -> int:
        if self.flash and "bias_rows" not in attributes:
            attributes["flash"] = True
        return self.add("attention", name, q, k, v, heads=heads, **attributes)

    def activation(self, name: str, function: str) -> int:
        kinds = {
            "gelu": "gelu", "gelu_new": "gelu", "gelu_fast": "gelu", "gelu_pytorch_tanh": "gelu", "gelu_python": "gelu",
            "quick_gelu": "gelu", "relu": "relu", "silu": "silu", "swish": "silu", "tanh": "tanh", "mish": "mish",
        }  # fmt: skip
        if function not in kinds:
            raise ArgumentError(f'unknown activation "{function}"; known are {", ".join(kinds)}')
        return self.add(kinds[function], name)

    def note(self, text: str) -> None:
        self.report.notes.append(text)

    def finish(self) -> None:
        self.report.flop = self.network.totals.flop
        self.network.report = self.report


Build = Callable[[Body, Config, "int | None", "int | None"], None]
MODELS: dict[str, Build] = {}


def models(*names: str) -> Callable[[Build], Build]:
    def register(build: Build) -> Build:
        for name in names:
            MODELS[name] = build
        return build

    return register


def _tokens(b: Body, c: Config, seq: int | None, *names: str) -> int:
    """Tokens of a sample."""
    most = next((int(c.get(name)) for name in names if c.get(name) is not None), 512)
    if seq is None:
        b.note(f"{most} tokens: all positions of the model")
        return most
    if seq < 1:
        raise ArgumentError(f"seq {seq} is not at least 1")
    return int(seq)


def _dropouts(values: Sequence[float]) -> dict[str, AttributeValue]:
    rate = next((float(value) for value in values), 0.0)
    return {"dropout": rate} if rate > 0 else {}


# ---- BERT and its kin.


@models("bert", "roberta", "distilbert", "camembert", "xlm-roberta", "electra")
def _bert(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    kind = str(c.get("model_type"))
    hidden, heads = c.count("hidden_size", "dim"), c.count("num_attention_heads", "n_heads")
    layers, inner = c.count("num_hidden_layers", "n_layers"), c.count("intermediate_size", "hidden_dim")
    rate = float(c.get("hidden_dropout_prob", c.get("dropout", 0.1)))
    positions = c.count("max_position_embeddings")
    offset = 2 if kind in ("roberta", "camembert", "xlm-roberta") else 0
    tokens = positions - offset if seq is None else _tokens(b, c, seq, "max_position_embeddings")
    wide = int(c.get("embedding_size", hidden)) if kind == "electra" else hidden
    b.input("input_ids", tokens)
    b.add("embedding", "embeddings.word_embeddings", entries=c.count("vocab_size"), features=wide)
    b.add("positional_embedding", "embeddings.position_embeddings", positions=positions)
    if kind != "distilbert" and int(c.get("type_vocab_size", 2)) > 0:
        words = b.last
        types = b.input("token_type_ids", tokens)
        b.add(
            "embedding",
            "embeddings.token_type_embeddings",
            types,
            entries=int(c.get("type_vocab_size", 2)),
            features=wide,
        )
        b.add("add", "embeddings.sum", words, b.last)
    b.add("layer_norm", "embeddings.LayerNorm")
    b.dropout("embeddings.dropout", rate)
    if wide != hidden:
        b.linear("embeddings_project", hidden)
    for i in range(layers):
        _bert_layer(b, f"encoder.layer.{i}", hidden, heads, inner, rate, c)
    _bert_head(b, c, kind, hidden, wide)


def _bert_layer(b: Body, name: str, hidden: int, heads: int, inner: int, rate: float, c: Config) -> None:
    x = b.last
    q, k, v = (b.linear(f"{name}.attention.{part}", hidden, x) for part in ("query", "key", "value"))
    dropped = c.get("attention_probs_dropout_prob", c.get("attention_dropout", 0.1))
    b.attention(f"{name}.attention", q, k, v, heads, **_dropouts([dropped]))
    b.linear(f"{name}.attention.output", hidden)
    b.dropout(f"{name}.attention.dropout", rate)
    b.add("add", f"{name}.attention.sum", x, b.last)
    x = b.add("layer_norm", f"{name}.attention.LayerNorm")
    b.linear(f"{name}.intermediate", inner)
    b.activation(f"{name}.activation", str(c.get("hidden_act", c.get("activation", "gelu"))))
    b.linear(f"{name}.output", hidden)
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)
    b.add("layer_norm", f"{name}.LayerNorm")


def _bert_head(b: Body, c: Config, kind: str, hidden: int, wide: int) -> None:
    head, x = c.head("Model"), b.last
    pools = kind in ("bert", "roberta", "camembert", "xlm-roberta")
    if (
        head == "Model"
        and pools
        or kind == "bert"
        and head in ("ForSequenceClassification", "ForMultipleChoice", "ForPreTraining")
    ):
        b.add("slice", "pooler.first", x, axis=0, end=1)
        b.linear("pooler.dense", hidden)
        b.add("tanh", "pooler.tanh")
    if head in ("ForMaskedLM", "ForPreTraining") and kind != "electra":
        if head == "ForPreTraining":
            b.linear("cls.seq_relationship", 2)
        b.linear("cls.transform", hidden, x)
        b.add("gelu", "cls.gelu")
        b.add("layer_norm", "cls.LayerNorm")
        b.linear("cls.decoder", c.count("vocab_size"), bias=False, shared=bool(c.get("tie_word_embeddings", True)))
        b.add("bias", "cls.bias", axis=1)
    elif head in ("ForSequenceClassification", "ForMultipleChoice"):
        if kind != "bert":
            b.add("slice", "classifier.first", x, axis=0, end=1)
            b.linear("classifier.dense", hidden)
            b.add("relu" if kind == "distilbert" else "tanh", "classifier.activation")
        b.linear("classifier", 1 if head == "ForMultipleChoice" else c.labels)
    elif head in ("ForTokenClassification", "ForQuestionAnswering"):
        b.linear("classifier", 2 if head == "ForQuestionAnswering" else c.labels, x)
    elif head != "Model":
        b.note(f"the head of {head} is left out")


# ---- Decoders.


def _language_head(b: Body, c: Config, tied: bool, name: str = "lm_head", features: int | None = None) -> None:
    head, x = c.head("ForCausalLM"), b.last
    if head in ("ForCausalLM", "LMHeadModel", "DoubleHeadsModel"):
        b.linear(name, c.count("vocab_size"), x, bias=False, shared=bool(c.get("tie_word_embeddings", tied)))
    elif head in ("ForSequenceClassification", "ForTokenClassification"):
        b.linear("score", c.labels, x, bias=head == "ForTokenClassification")
    elif head == "ForQuestionAnswering":
        b.linear("qa_outputs", 2, x)
    elif head != "Model":
        b.note(f"the head of {head} is left out")


@models("gpt2")
def _gpt2(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    hidden, heads, layers = c.count("n_embd"), c.count("n_head"), c.count("n_layer")
    inner = int(c.get("n_inner", 4 * hidden))
    tokens = _tokens(b, c, seq, "n_positions", "n_ctx")
    b.input("input_ids", tokens)
    b.add("embedding", "wte", entries=c.count("vocab_size"), features=hidden)
    b.add("positional_embedding", "wpe", positions=c.count("n_positions", "n_ctx"))
    b.dropout("drop", float(c.get("embd_pdrop", 0.1)))
    for i in range(layers):
        name, x = f"h.{i}", b.last
        b.add("layer_norm", f"{name}.ln_1", x)
        joined = b.linear(f"{name}.attn.c_attn", 3 * hidden)
        parts = [
            b.add("slice", f"{name}.attn.{part}", joined, axis=-1, start=n * hidden, end=(n + 1) * hidden)
            for n, part in enumerate(("query", "key", "value"))
        ]
        b.attention(
            f"{name}.attn", parts[0], parts[1], parts[2], heads, causal=True, **_dropouts([c.get("attn_pdrop", 0.1)])
        )
        b.linear(f"{name}.attn.c_proj", hidden)
        b.dropout(f"{name}.attn.dropout", float(c.get("resid_pdrop", 0.1)))
        x = b.add("add", f"{name}.attn.sum", x, b.last)
        b.add("layer_norm", f"{name}.ln_2")
        b.linear(f"{name}.mlp.c_fc", inner)
        b.activation(f"{name}.mlp.act", str(c.get("activation_function", "gelu_new")))
        b.linear(f"{name}.mlp.c_proj", hidden)
        b.dropout(f"{name}.mlp.dropout", float(c.get("resid_pdrop", 0.1)))
        b.add("add", f"{name}.mlp.sum", x, b.last)
    b.add("layer_norm", "ln_f")
    _language_head(b, c, True)


@models("gpt_neox")
def _gpt_neox(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """Attention and feed-forward side by side, rotated positions on a part of each head."""
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    bias, rotated = bool(c.get("attention_bias", True)), float(c.get("rotary_pct", 0.25))
    b.input("input_ids", _tokens(b, c, seq, "max_position_embeddings"))
    b.add("embedding", "embed_in", entries=c.count("vocab_size"), features=hidden)
    for i in range(c.count("num_hidden_layers")):
        name, x = f"layers.{i}", b.last
        b.add("layer_norm", f"{name}.input_layernorm", x)
        joined = b.linear(f"{name}.attention.query_key_value", 3 * hidden, bias=bias)
        parts = [
            b.add("slice", f"{name}.attention.{part}", joined, axis=-1, start=n * hidden, end=(n + 1) * hidden)
            for n, part in enumerate(("query", "key", "value"))
        ]
        for n, part in enumerate(("query", "key")):
            parts[n] = b.add(
                "pointwise", f"{name}.attention.{part}_rotary", parts[n], flop=3 * rotated, keeps="nothing"
            )
        dropped = _dropouts([c.get("attention_dropout", 0.0)])
        b.attention(f"{name}.attention", parts[0], parts[1], parts[2], heads, causal=True, **dropped)
        attended = b.linear(f"{name}.attention.dense", hidden, bias=bias)
        side = bool(c.get("use_parallel_residual", True))
        middle = x if side else b.add("add", f"{name}.attention.sum", x, attended)
        b.add("layer_norm", f"{name}.post_attention_layernorm", middle)
        b.linear(f"{name}.mlp.dense_h_to_4h", c.count("intermediate_size"))
        b.activation(f"{name}.mlp.act", str(c.get("hidden_act", "gelu")))
        made = b.linear(f"{name}.mlp.dense_4h_to_h", hidden)
        b.add("add", f"{name}.sum", *([x, attended, made] if side else [middle, made]))
    b.add("layer_norm", "final_layer_norm")
    _language_head(b, c, False, "embed_out")


@models("opt")
def _opt(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    before, wide = bool(c.get("do_layer_norm_before", True)), int(c.get("word_embed_proj_dim", hidden))
    bias, affine = bool(c.get("enable_bias", True)), bool(c.get("layer_norm_elementwise_affine", True))
    positions, rate = c.count("max_position_embeddings"), float(c.get("dropout", 0.1))

    def norm(name: str) -> int:
        return b.add("layer_norm", name, **({} if affine else {"affine": False}))

    b.input("input_ids", _tokens(b, c, seq, "max_position_embeddings"))
    b.add("embedding", "embed_tokens", entries=c.count("vocab_size"), features=wide)
    if wide != hidden:
        b.linear("project_in", hidden, bias=False)
    b.add("positional_embedding", "embed_positions", positions=positions + 2)
    for i in range(c.count("num_hidden_layers")):
        name, x = f"layers.{i}", b.last
        y = norm(f"{name}.self_attn_layer_norm") if before else x
        q, k, v = (b.linear(f"{name}.self_attn.{part}_proj", hidden, y, bias=bias) for part in "qkv")
        b.attention(f"{name}.self_attn", q, k, v, heads, causal=True, **_dropouts([c.get("attention_dropout", 0.0)]))
        b.linear(f"{name}.self_attn.out_proj", hidden, bias=bias)
        b.dropout(f"{name}.self_attn.dropout", rate)
        x = b.add("add", f"{name}.self_attn.sum", x, b.last)
        if not before:
            x = norm(f"{name}.self_attn_layer_norm")
        else:
            norm(f"{name}.final_layer_norm")
        b.linear(f"{name}.fc1", c.count("ffn_dim"), bias=bias)
        b.activation(f"{name}.activation", str(c.get("activation_function", "relu")))
        b.linear(f"{name}.fc2", hidden, bias=bias)
        b.dropout(f"{name}.dropout", rate)
        b.add("add", f"{name}.sum", x, b.last)
        if not before:
            norm(f"{name}.final_layer_norm")
    if before and not c.get("_remove_final_layer_norm", False):
        norm("final_layer_norm")
    if wide != hidden:
        b.linear("project_out", wide, bias=False)
    _language_head(b, c, True)


@models("llama", "mistral", "mixtral", "qwen2")
def _llama(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """RMS norms, rotated positions, grouped-query attention, a gated feed-forward network or experts."""
    kind = str(c.get("model_type"))
    hidden, heads = c.count("hidden_size"), c.count("num_attention_heads")
    kv_heads = int(c.get("num_key_value_heads", 8 if kind in ("mistral", "mixtral") else heads))
    size = int(c.get("head_dim", hidden // heads))
    biased = kind == "qwen2" or bool(c.get("attention_bias", False))
    grouped: dict[str, AttributeValue] = {"kv_heads": kv_heads} if kv_heads != heads else {}
    b.input("input_ids", _tokens(b, c, seq, "max_position_embeddings"))
    b.add("embedding", "embed_tokens", entries=c.count("vocab_size"), features=hidden)
    for i in range(c.count("num_hidden_layers")):
        name, x = f"layers.{i}", b.last
        y = b.add("rms_norm", f"{name}.input_layernorm", x)
        q = b.linear(f"{name}.self_attn.q_proj", heads * size, y, bias=biased)
        q = b.add("pointwise", f"{name}.self_attn.q_rotary", q, flop=3, keeps="nothing")
        k = b.linear(f"{name}.self_attn.k_proj", kv_heads * size, y, bias=biased)
        k = b.add("pointwise", f"{name}.self_attn.k_rotary", k, flop=3, keeps="nothing")
        v = b.linear(f"{name}.self_attn.v_proj", kv_heads * size, y, bias=biased)
        dropped = _dropouts([c.get("attention_dropout", 0.0)])
        b.attention(f"{name}.self_attn", q, k, v, heads, causal=True, **grouped, **dropped)
        b.linear(f"{name}.self_attn.o_proj", hidden, bias=biased and kind != "qwen2")
        x = b.add("add", f"{name}.self_attn.sum", x, b.last)
        b.add("rms_norm", f"{name}.post_attention_layernorm")
        _feed_forward(b, c, name, hidden, kind == "mixtral")
        b.add("add", f"{name}.sum", x, b.last)
    b.add("rms_norm", "norm")
    if c.get("sliding_window") and kind in ("mistral", "mixtral"):
        b.note("a sliding window hides nothing here: all tokens before a token count")
    _language_head(b, c, False)


def _feed_forward(b: Body, c: Config, name: str, hidden: int, experts: bool) -> None:
    inner = c.count("intermediate_size")
    if experts:
        chosen, number = int(c.get("num_experts_per_tok", 2)), int(c.get("num_local_experts", 8))
        b.add("mixture_of_experts", f"{name}.moe", experts=number, top_k=chosen, hidden=inner, gated=True)
        return
    y, biased = b.last, bool(c.get("mlp_bias", False))
    gate = b.linear(f"{name}.mlp.gate_proj", inner, y, bias=biased)
    up = b.linear(f"{name}.mlp.up_proj", inner, y, bias=biased)
    b.add("swiglu", f"{name}.mlp.swiglu", gate, up)
    b.linear(f"{name}.mlp.down_proj", hidden, bias=biased)


# ---- T5.


@models("t5")
def _t5(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """An encoder and a decoder; the biases by relative position of a stack are those of its first layer."""
    hidden, vocabulary = c.count("d_model"), c.count("vocab_size")
    tokens, rate = _tokens(b, c, seq, "n_positions"), float(c.get("dropout_rate", 0.1))
    b.input("input_ids", tokens)
    b.add("embedding", "shared", entries=vocabulary, features=hidden)
    b.dropout("encoder.dropout", rate)
    for i in range(c.count("num_layers")):
        _t5_attention(b, c, f"encoder.{i}.self", b.last, i, rate, causal=False)
        _t5_feed_forward(b, c, f"encoder.{i}.ff", rate)
    encoded = b.add("rms_norm", "encoder.final_layer_norm")
    b.input("decoder_input_ids", tokens)
    b.add("embedding", "decoder.embed_tokens", entries=vocabulary, features=hidden, shared=True)
    b.dropout("decoder.dropout", rate)
    for i in range(int(c.get("num_decoder_layers", c.count("num_layers")))):
        _t5_attention(b, c, f"decoder.{i}.self", b.last, i, rate, causal=True)
        _t5_attention(b, c, f"decoder.{i}.cross", encoded, -1, rate, causal=False)
        _t5_feed_forward(b, c, f"decoder.{i}.ff", rate)
    b.add("rms_norm", "decoder.final_layer_norm")
    if c.head("ForConditionalGeneration") != "Model":
        b.linear("lm_head", vocabulary, bias=False, shared=bool(c.get("tie_word_embeddings", True)))


def _t5_attention(b: Body, c: Config, name: str, source: int, number: int, rate: float, causal: bool) -> None:
    """`number` is that of a layer with biases, -1 of one without."""
    heads, x = c.count("num_heads"), b.last
    inner = heads * c.count("d_kv")
    y = b.add("rms_norm", f"{name}.layer_norm", x)
    source = y if source == x else source
    q = b.linear(f"{name}.q", inner, y, bias=False)
    k, v = (b.linear(f"{name}.{part}", inner, source, bias=False) for part in "kv")
    attributes: dict[str, AttributeValue] = _dropouts([rate])
    if number >= 0:
        attributes["bias_rows"] = int(c.get("relative_attention_num_buckets", 32))
    if number > 0:
        attributes["shared"] = True
    if causal:
        attributes["causal"] = True
    b.attention(name, q, k, v, heads, **attributes)
    b.linear(f"{name}.o", c.count("d_model"), bias=False)
    b.dropout(f"{name}.dropout", rate)
    b.add("add", f"{name}.sum", x, b.last)


def _t5_feed_forward(b: Body, c: Config, name: str, rate: float) -> None:
    x, inner = b.last, c.count("d_ff")
    function = str(c.get("feed_forward_proj", "relu"))
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


# ---- Images.


def _image(b: Body, c: Config, image: int | None) -> None:
    size = image if image is not None else c.get("image_size", 224)
    height, width = (size, size) if isinstance(size, int) else (int(size[0]), int(size[1]))
    b.input("pixel_values", int(c.get("num_channels", 3)), height, width)


def _classifier(b: Body, c: Config, features: int | None = None) -> None:
    if c.head("ForImageClassification") == "ForImageClassification" and c.labels > 0:
        b.linear("classifier", c.labels)
    elif c.head("Model") not in ("Model", "ForImageClassification"):
        b.note(f"the head of {c.head('Model')} is left out")


@models("vit", "deit")
def _vit(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    hidden, heads, patch = c.count("hidden_size"), c.count("num_attention_heads"), int(c.get("patch_size", 16))
    rate, bias = float(c.get("hidden_dropout_prob", 0.0)), bool(c.get("qkv_bias", True))
    _image(b, c, image)
    b.add("conv2d", "embeddings.patch_embeddings", out_channels=hidden, kernel=patch, stride=patch)
    _, rows, columns = b.network.shape(b.last)
    b.add("reshape", "embeddings.flatten", shape=(hidden, rows * columns))
    b.add("permute", "embeddings.tokens", order=(1, 0))
    extra = 2 if c.get("model_type") == "deit" else 1
    b.add("learned_token", "embeddings.cls_token", **({"count": extra} if extra > 1 else {}))
    b.add("positional_embedding", "embeddings.position_embeddings", positions=rows * columns + extra)
    b.dropout("embeddings.dropout", rate)
    for i in range(c.count("num_hidden_layers")):
        name, x = f"encoder.layer.{i}", b.last
        y = b.add("layer_norm", f"{name}.layernorm_before", x)
        q, k, v = (b.linear(f"{name}.attention.{part}", hidden, y, bias=bias) for part in ("query", "key", "value"))
        dropped = _dropouts([c.get("attention_probs_dropout_prob", 0.0)])
        b.attention(f"{name}.attention", q, k, v, heads, **dropped)
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
    _classifier(b, c)


@models("convnext")
def _convnext(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    widths, depths, patch = (
        c.get("hidden_sizes", [96, 192, 384, 768]),
        c.get("depths", [3, 3, 9, 3]),
        c.get("patch_size", 4),
    )
    _image(b, c, image)
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
    _classifier(b, c)


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
    if float(c.get("layer_scale_init_value", 1e-6)) > 0:
        b.add("scale", f"{name}.layer_scale_parameter", axis=2)
    b.add("permute", f"{name}.first", order=(2, 0, 1))
    b.add("add", f"{name}.sum", x, b.last)


@models("resnet")
def _resnet(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    widths, depths = c.get("hidden_sizes", [256, 512, 1024, 2048]), c.get("depths", [3, 4, 6, 3])
    _image(b, c, image)
    _convolved(b, "embedder", int(c.get("embedding_size", 64)), 7, 2)
    b.activation("embedder.activation", str(c.get("hidden_act", "relu")))
    b.add("max_pool", "embedder.pooler", kernel=3, stride=2, padding=1)
    for stage, (width, depth) in enumerate(zip(widths, depths)):
        for i in range(depth):
            first = i == 0 and (stage > 0 or bool(c.get("downsample_in_first_stage", False)))
            _resnet_layer(b, c, f"encoder.stages.{stage}.layers.{i}", width, 2 if first else 1)
    b.add("global_avg_pool", "pooler")
    b.add("flatten", "flatten")
    _classifier(b, c)


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
        early = bool(c.get("downsample_in_bottleneck", False))
        steps = [(width // 4, 1, stride if early else 1), (width // 4, 3, 1 if early else stride), (width, 1, 1)]
    b.last = x
    for i, (wide, kernel, step) in enumerate(steps):
        _convolved(b, f"{name}.layer.{i}", wide, kernel, step)
        if i + 1 < len(steps):
            b.activation(f"{name}.layer.{i}.activation", act)
    b.add("add", f"{name}.sum", short, b.last)
    b.activation(f"{name}.activation", act)
