"""BERT and its kin: encoders with learned positions and the norm behind each sum."""

from __future__ import annotations

from dataclasses import dataclass

from .huggingface_body import Body, models
from .huggingface_config import Config

OFFSET_BY_PADDING = ("roberta", "camembert", "xlm-roberta")  # two positions more than tokens


@dataclass(frozen=True)
class Encoder:
    """Sizes and rates of an encoder."""

    kind: str
    hidden: int
    heads: int
    layers: int
    ffn: int
    wide: int  # features of the embeddings
    rate: float
    attention_rate: float
    activation: str


def _describe(c: Config) -> Encoder:
    hidden = c.count("hidden_size", "dim")
    narrow = c.kind in ("electra", "albert", "deberta-v2")
    otherwise = "gelu_new" if c.kind == "albert" else "gelu"
    rate = 0.0 if c.kind == "albert" else 0.1
    heads = c.count("num_attention_heads", "n_heads")
    c.part_of_heads(hidden, heads)
    return Encoder(
        c.kind, hidden, heads, c.layers("num_hidden_layers", "n_layers"), c.count("intermediate_size", "hidden_dim"),
        c.count("embedding_size", otherwise=128 if c.kind != "deberta-v2" else hidden) if narrow else hidden,
        c.rate("hidden_dropout_prob", "dropout", otherwise=rate),
        c.rate("attention_probs_dropout_prob", "attention_dropout", otherwise=rate),
        str(c.get("hidden_act", c.get("activation", otherwise))),
    )  # fmt: skip


def embeddings(b: Body, c: Config, e: Encoder, seq: int | None, positions: bool = True, types: int = 2) -> int:
    """Words, positions and types added up, normalised; returns how many tokens there are."""
    most = c.count("max_position_embeddings")
    offset = 2 if e.kind in OFFSET_BY_PADDING else 0
    if seq is None:
        b.note(f"{most - offset} tokens: all positions of the model")
    tokens = c.count("seq", otherwise=most - offset) if seq is None else Config({"seq": seq}, e.kind).count("seq")
    b.input("input_ids", tokens)
    b.add("embedding", "embeddings.word_embeddings", entries=c.count("vocab_size"), features=e.wide)
    if positions:
        b.add("positional_embedding", "embeddings.position_embeddings", positions=most)
    types = c.count("type_vocab_size", otherwise=types, least=0)
    if types > 0:
        words = b.last
        given = b.input("token_type_ids", tokens)
        b.add("embedding", "embeddings.token_type_embeddings", given, entries=types, features=e.wide)
        b.add("add", "embeddings.sum", words, b.last)
    return tokens


def _normed_embeddings(b: Body, c: Config, e: Encoder, seq: int | None) -> None:
    embeddings(b, c, e, seq, types=0 if e.kind == "distilbert" else 2)
    b.add("layer_norm", "embeddings.LayerNorm")
    b.dropout("embeddings.dropout", e.rate)
    if e.wide != e.hidden:
        b.linear("embeddings_project", e.hidden)


def layer(b: Body, e: Encoder, name: str, shared: bool = False) -> None:
    more = {"shared": True} if shared else {}
    x = b.last
    q, k, v = (b.linear(f"{name}.attention.{part}", e.hidden, x, shared=shared) for part in ("query", "key", "value"))
    b.attention(f"{name}.attention", q, k, v, heads=e.heads, dropout=e.attention_rate)
    b.linear(f"{name}.attention.output", e.hidden, shared=shared)
    b.dropout(f"{name}.attention.dropout", e.rate)
    b.add("add", f"{name}.attention.sum", x, b.last)
    b.add("layer_norm", f"{name}.attention.LayerNorm", **more)
    feed_forward(b, e, name, shared)


def feed_forward(b: Body, e: Encoder, name: str, shared: bool = False) -> None:
    more = {"shared": True} if shared else {}
    x = b.last
    b.linear(f"{name}.intermediate", e.ffn, shared=shared)
    b.activation(f"{name}.activation", e.activation)
    b.linear(f"{name}.output", e.hidden, shared=shared)
    b.dropout(f"{name}.dropout", e.rate)
    b.add("add", f"{name}.sum", x, b.last)
    b.add("layer_norm", f"{name}.LayerNorm", **more)


@models("bert", "roberta", "distilbert", "camembert", "xlm-roberta", "electra")
def _bert(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    e = _describe(c)
    _normed_embeddings(b, c, e, seq)
    for i in range(e.layers):
        layer(b, e, f"encoder.layer.{i}")
    _head(b, c, e)


@models("albert")
def _albert(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    """The layers of a group are the same ones again and again."""
    e, seen = _describe(c), set()
    groups, inner = c.count("num_hidden_groups", otherwise=1), c.count("inner_group_num", otherwise=1)
    embeddings(b, c, e, seq)
    b.add("layer_norm", "embeddings.LayerNorm")
    b.dropout("embeddings.dropout", e.rate)
    b.linear("encoder.embedding_hidden_mapping_in", e.hidden)
    for i in range(e.layers):
        for j in range(inner):
            own = (i * groups // e.layers, j)
            layer(b, e, f"encoder.{i}.{j}", own in seen)
            seen.add(own)
    _head(b, c, e)


# ---- DeBERTa: scores of words with positions, and of positions with words, are added to those of words.


@models("deberta-v2")
def _deberta(b: Body, c: Config, seq: int | None, image: int | None) -> None:
    e, relative = _describe(c), c.switch("relative_attention", False)
    tokens = embeddings(b, c, e, seq, c.switch("position_biased_input", True), 0)
    if e.wide != e.hidden:
        b.linear("embeddings.embed_proj", e.hidden, bias=False)
    x = b.add("layer_norm", "embeddings.LayerNorm")
    b.dropout("embeddings.dropout", e.rate)
    distances = _distances(b, c, e) if relative else -1
    b.last = x
    for i in range(e.layers):
        name = f"encoder.layer.{i}"
        _disentangled(b, c, e, name, tokens, distances)
        feed_forward(b, e, name)
        if i == 0 and c.count("conv_kernel_size", otherwise=0, least=0) > 0:
            _convolved(b, c, e, x)
    _head(b, c, e)


def _distances(b: Body, c: Config, e: Encoder) -> int:
    """Rows for all distances in both directions."""
    buckets = c.count("position_buckets", otherwise=-1, least=-1)
    stated = c.count("max_relative_positions", otherwise=-1, least=-1)
    reach = buckets if buckets > 0 else stated if stated > 0 else c.count("max_position_embeddings")
    b.input("relative_positions", 2 * reach)
    made = b.add("embedding", "encoder.rel_embeddings", entries=2 * reach, features=e.hidden)
    if "layer_norm" in str(c.get("norm_rel_ebd", "none")).lower().split("|"):
        made = b.add("layer_norm", "encoder.LayerNorm")
    return made


def _heads(b: Body, e: Encoder, name: str, x: int, transposed: bool) -> int:
    """Tokens x features as heads x tokens x features, or heads x features x tokens."""
    rows = b.network.shape(x)[0]
    b.add("reshape", f"{name}.split", x, shape=(rows, e.heads, e.hidden // e.heads))
    return b.add("permute", f"{name}.heads", order=(1, 2, 0) if transposed else (1, 0, 2))


def _disentangled(b: Body, c: Config, e: Encoder, name: str, tokens: int, distances: int) -> None:
    x, part = b.last, f"{name}.attention"
    sides = {side: b.linear(f"{part}.{side}", e.hidden, x) for side in ("query", "key", "value")}
    if distances < 0:
        b.attention(part, *sides.values(), heads=e.heads, dropout=e.attention_rate)
    else:
        _scored(b, c, e, part, sides, tokens, distances)
    b.linear(f"{part}.output", e.hidden)
    b.dropout(f"{part}.dropout", e.rate)
    b.add("add", f"{part}.sum", x, b.last)
    b.add("layer_norm", f"{part}.LayerNorm")


def _scored(b: Body, c: Config, e: Encoder, part: str, sides: dict[str, int], tokens: int, distances: int) -> None:
    q, k = _heads(b, e, f"{part}.q", sides["query"], False), _heads(b, e, f"{part}.k", sides["key"], True)
    scores = [b.add("matmul", f"{part}.scores", q, k)]
    stated, shared = c.get("pos_att_type", ""), c.switch("share_att_key", False)
    types = stated.split("|") if isinstance(stated, str) else c.words("pos_att_type") or ()
    for kind, side, own in (("c2p", "key", "query"), ("p2c", "query", "key")):
        if kind not in types:
            continue
        b.linear(f"{part}.{kind}.{side}", e.hidden, distances, shared=shared)
        there = _heads(b, e, f"{part}.{kind}.there", b.last, True)
        here = _heads(b, e, f"{part}.{kind}.here", sides[own], False)
        b.add("matmul", f"{part}.{kind}", here, there)
        scores.append(_gathered(b, f"{part}.{kind}.gathered", tokens))
    if len(scores) > 1:
        b.add("add", f"{part}.scores.sum", *scores)
    b.add("softmax", f"{part}.softmax", axis=-1)
    weights = b.dropout(f"{part}.probs.dropout", e.attention_rate)
    b.add("matmul", f"{part}.context", weights, _heads(b, e, f"{part}.v", sides["value"], False))
    b.add("permute", f"{part}.joined", order=(1, 0, 2))
    b.add("reshape", f"{part}.rows", shape=(tokens, e.hidden))


def _gathered(b: Body, name: str, tokens: int) -> int:
    """The scores of each pair's distance, out of those of all distances."""
    reach = b.network.shape(b.last)[2]
    if reach < tokens:
        b.add("concat", f"{name}.wide", *[b.last] * -(-tokens // reach), axis=2)
    if b.network.shape(b.last)[2] > tokens:
        b.add("slice", f"{name}.part", axis=2, end=tokens)
    made = b.add("pointwise", name, flop=0, keeps="nothing")
    b.near("pointwise")
    return made


def _convolved(b: Body, c: Config, e: Encoder, first: int) -> None:
    """Behind the first layer: a convolution of the embeddings is added to what that made."""
    x, kernel = b.last, c.count("conv_kernel_size")
    b.add("permute", "encoder.conv.first", first, order=(1, 0))
    groups = c.count("conv_groups", otherwise=1)
    b.add("conv1d", "encoder.conv", out_channels=e.hidden, kernel=kernel, padding=(kernel - 1) // 2, groups=groups)
    b.add("permute", "encoder.conv.last", order=(1, 0))
    b.dropout("encoder.conv.dropout", e.rate)
    b.activation("encoder.conv.act", str(c.get("conv_act", "tanh")))
    b.add("add", "encoder.conv.sum", x, b.last)
    b.add("layer_norm", "encoder.conv.LayerNorm")


# ---- Heads.


def _head(b: Body, c: Config, e: Encoder) -> None:
    head, x = c.head("Model"), b.last
    pools = e.kind in ("bert", "albert", *OFFSET_BY_PADDING)
    pooled = ("ForSequenceClassification", "ForMultipleChoice", "ForPreTraining")
    if head == "Model" and pools or e.kind in ("bert", "albert", "deberta-v2") and head in pooled:
        b.add("slice", "pooler.first", x, axis=0, end=1)
        b.linear("pooler.dense", e.hidden)
        b.add("gelu" if e.kind == "deberta-v2" else "tanh", "pooler.activation")
    if head in ("ForMaskedLM", "ForPreTraining"):
        _words(b, c, e, x, head)
    elif head in ("ForSequenceClassification", "ForMultipleChoice"):
        _classes(b, c, e, x, head)
    elif head in ("ForTokenClassification", "ForQuestionAnswering"):
        b.linear("classifier", 2 if head == "ForQuestionAnswering" else c.labels, x)
    elif head != "Model":
        b.note(f"the head of {head} is left out")


def _words(b: Body, c: Config, e: Encoder, x: int, head: str) -> None:
    """Words from the hidden states; ELECTRA's second head says instead which were replaced."""
    if head == "ForPreTraining" and e.kind == "electra":
        b.linear("discriminator_predictions.dense", e.hidden, x)
        b.activation("discriminator_predictions.activation", e.activation)
        b.linear("discriminator_predictions.dense_prediction", 1)
        return
    if head == "ForPreTraining":
        b.linear("cls.seq_relationship", 2)
    b.linear("cls.transform", e.wide if e.kind in ("electra", "albert") else e.hidden, x)
    b.add("gelu", "cls.gelu")
    b.add("layer_norm", "cls.LayerNorm")
    b.linear("cls.decoder", c.count("vocab_size"), bias=False, shared=c.switch("tie_word_embeddings", True))
    b.add("bias", "cls.bias", axis=1)


def _classes(b: Body, c: Config, e: Encoder, x: int, head: str) -> None:
    if e.kind not in ("bert", "albert", "deberta-v2"):
        b.add("slice", "classifier.first", x, axis=0, end=1)
        b.linear("classifier.dense", e.hidden)
        b.add("relu" if e.kind == "distilbert" else "tanh", "classifier.activation")
    b.linear("classifier", 1 if head == "ForMultipleChoice" else c.labels)
