"""Translators: recurrent ones with additive attention, and the transformer with an encoder and a decoder."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Additive(nn.Module):
    """Scores from a small network."""

    def __init__(self, queries: int, keys: int, hidden: int):
        super().__init__()
        self.query, self.key = nn.Linear(queries, hidden, bias=False), nn.Linear(keys, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        sums = torch.tanh(self.query(queries).unsqueeze(2) + self.key(keys).unsqueeze(1))
        return self.score(sums).squeeze(-1).softmax(-1) @ keys


class Sockeye(nn.Module):
    def __init__(self, size: int = 512, vocabulary: int = 30000):
        super().__init__()
        self.source, self.target = nn.Embedding(vocabulary, size), nn.Embedding(vocabulary, size)
        self.encoder = nn.LSTM(size, size // 2, bidirectional=True, batch_first=True)
        self.decoder = nn.LSTM(size, size, batch_first=True)
        self.attention = Additive(size, size, size)
        self.combine, self.output = nn.Linear(2 * size, size), nn.Linear(size, vocabulary)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        encoded, _ = self.encoder(self.source(source))
        decoded, _ = self.decoder(self.target(target))
        joined = torch.cat([decoded, self.attention(decoded, encoded)], dim=-1)
        return self.output(torch.tanh(self.combine(joined)))


class Gnmt(nn.Module):
    def __init__(self, size: int = 1024, vocabulary: int = 32320):
        super().__init__()
        self.words = nn.Embedding(vocabulary, size)
        self.first = nn.LSTM(size, size, bidirectional=True, batch_first=True)
        widths = (2 * size, size, size)
        self.encoder = nn.ModuleList(nn.LSTM(width, size, batch_first=True) for width in widths)
        self.start = nn.LSTM(size, size, batch_first=True)
        self.attention = Additive(size, size, size)
        self.decoder = nn.ModuleList(nn.LSTM(2 * size, size, batch_first=True) for _ in range(3))
        self.output, self.dropout = nn.Linear(size, vocabulary), nn.Dropout(0.2)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x, _ = self.first(self.dropout(self.words(source)))
        for i, layer in enumerate(self.encoder):
            y, _ = layer(self.dropout(x))
            x = y if i == 0 else x + y
        y, _ = self.start(self.dropout(self.words(target)))
        context = self.attention(y, x)
        for layer in self.decoder:
            y, _ = layer(torch.cat([self.dropout(y), context], dim=-1))
        return self.output(y)


class Attention(nn.Module):
    def __init__(self, size: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(size, size, bias=False) for _ in range(4))

    def forward(self, x: Tensor, y: Tensor, causal: bool = False) -> Tensor:
        q, k, v = (
            p(z).unflatten(-1, (self.heads, -1)).transpose(1, 2) for p, z in ((self.q, x), (self.k, y), (self.v, y))
        )
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, size: int, heads: int, crosses: bool):
        super().__init__()
        self.own = Attention(size, heads)
        self.cross = Attention(size, heads) if crosses else None
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if crosses else 2))

    def forward(self, x: Tensor, encoded: Tensor | None = None) -> Tensor:
        x = self.norms[0](x + self.own(x, x, causal=encoded is not None))
        if self.cross is not None and encoded is not None:
            x = self.norms[2](x + self.cross(x, encoded))
        return self.norms[1](x + self.down(F.relu(self.up(x))))


class Transformer(nn.Module):
    """One table of words for both languages and for the last layer."""

    def __init__(self, size: int, heads: int, vocabulary: int = 37000):
        super().__init__()
        self.words = nn.Embedding(vocabulary, size)
        self.encoder = nn.ModuleList(Layer(size, heads, False) for _ in range(6))
        self.decoder = nn.ModuleList(Layer(size, heads, True) for _ in range(6))

    def place(self, ids: Tensor) -> Tensor:
        x = self.words(ids)
        angles = torch.arange(x.shape[1], device=x.device)[:, None] * torch.ones(x.shape[2], device=x.device)
        return x * x.shape[-1] ** 0.5 + angles.sin()

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x = self.place(source)
        for layer in self.encoder:
            x = layer(x)
        y = self.place(target)
        for layer in self.decoder:
            y = layer(y, x)
        return F.linear(y, self.words.weight)


NETWORKS = {
    "seq2seq": Sockeye,
    "gnmt": Gnmt,
    "transformer-base": lambda: Transformer(512, 8),
    "transformer-big": lambda: Transformer(1024, 16),
}
INPUTS = {
    "seq2seq": [((30,), "long"), ((30,), "long")],
    "gnmt": [((50,), "long"), ((50,), "long")],
    "transformer-base": [((128,), "long"), ((128,), "long")],
    "transformer-big": [((128,), "long"), ((128,), "long")],
}
