"""The network of a Hugging Face model as it grows, and what models have in common."""

from __future__ import annotations

from collections.abc import Callable

from .._errors import ArgumentError
from .._inputs import AttributeValue
from .._network import Network
from .._report import Report
from .huggingface_config import Config

ACTIVATIONS = {
    "gelu": "gelu", "gelu_new": "gelu", "gelu_fast": "gelu", "gelu_pytorch_tanh": "gelu", "gelu_python": "gelu",
    "quick_gelu": "gelu", "relu": "relu", "relu2": "squared_relu", "silu": "silu", "swish": "silu", "tanh": "tanh",
    "mish": "mish", "sigmoid": "sigmoid",
}  # fmt: skip


class Body:
    """`last` is the layer added last."""

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

    def near(self, layer: str) -> None:
        """The layer added last only comes near to what it stands for."""
        self.report.mapped[layer] -= 1
        self.report.approximated[layer] += 1

    def linear(self, name: str, features: int, *inputs: int, bias: bool = True, shared: bool = False) -> int:
        more = {"shared": True} if shared else {}
        return self.add("linear", name, *inputs, out_features=features, bias=bias, **more)

    def dropout(self, name: str, rate: float) -> int:
        return self.add("dropout", name, rate=rate) if rate > 0 else self.last

    def rotate(self, name: str, share: float, *inputs: int) -> int:
        """Features turned by their positions: 3 FLOP for each that is."""
        if share <= 0:
            return inputs[0] if inputs else self.last
        return self.add("pointwise", name, *inputs, flop=3 * share, keeps="nothing")

    def attention(self, name: str, q: int, k: int, v: int, *more: int, **attributes: AttributeValue) -> int:
        """Attributes that are what they are without being stated are left out."""
        stated = {key: value for key, value in attributes.items() if value}
        if stated.get("kv_heads") == stated["heads"]:
            del stated["kv_heads"]
        if "bias_rows" not in stated:
            stated["flash"] = self.flash
        return self.add("attention", name, q, k, v, *more, **stated)

    def activation(self, name: str, function: str) -> int:
        if function not in ACTIVATIONS:
            raise ArgumentError(f'unknown activation "{function}"; known are {", ".join(ACTIVATIONS)}')
        return self.add(ACTIVATIONS[function], name)

    def note(self, text: str) -> None:
        if text not in self.report.notes:
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


def tokens(b: Body, c: Config, seq: int | None, *names: str) -> int:
    """Tokens of a sample."""
    if seq is not None:
        if seq < 1:
            raise ArgumentError(f"seq {seq} is not at least 1")
        return int(seq)
    named = next((name for name in names if c.get(name) is not None), None)
    most = c.count(named) if named else 512
    b.note(f"{most} tokens: all positions of the model" if named else f"{most} tokens: the model has no last position")
    return most


def language_head(b: Body, c: Config, tied: bool, bias: bool = False, features: int | None = None) -> None:
    """What follows a decoder; the words' embedding again, if it is tied to it."""
    head, x = c.head("ForCausalLM"), b.last
    if head in ("ForCausalLM", "LMHeadModel", "DoubleHeadsModel"):
        shared = c.switch("tie_word_embeddings", tied)
        b.linear("lm_head", c.count("vocab_size"), x, bias=False, shared=shared)
        if bias:
            b.add("bias", "lm_head.bias", axis=1)
    elif head in ("ForSequenceClassification", "ForTokenClassification"):
        b.linear("score", c.labels, x, bias=head == "ForTokenClassification")
    elif head == "ForQuestionAnswering":
        b.linear("qa_outputs", 2, x)
    elif head != "Model":
        b.note(f"the head of {head} is left out")
