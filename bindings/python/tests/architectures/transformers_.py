"""Transformers: ViT, BERT, GPT-2, Llama."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ViTLayer(nn.Module):
    """With torch's own attention module."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        y, _ = self.attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, width: int, layers: int, heads: int, patch: int):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.empty(1, 1, width))
        self.positions = nn.Parameter(torch.empty(1, (224 // patch) ** 2 + 1, width))
        self.layers = nn.Sequential(*[ViTLayer(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.norm(self.layers(x))[:, 0])


class BertLayer(nn.Module):
    """Attention written out: products, mask, softmax."""

    def __init__(self, hidden: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.dropout = nn.Dropout(0.1)

    def split(self, x: Tensor) -> Tensor:
        batch, tokens, hidden = x.shape
        return x.view(batch, tokens, self.heads, hidden // self.heads).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self.split(project(x)) for project in (self.query, self.key, self.value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / (q.shape[-1] ** 0.5)
        context = torch.matmul(self.dropout(scores.softmax(-1)), v)
        context = context.permute(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.output(context)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    def __init__(self, hidden: int = 768, layers: int = 12, heads: int = 12, vocabulary: int = 30522):
        super().__init__()
        self.words, self.places, self.segments = (nn.Embedding(n, hidden) for n in (vocabulary, 512, 2))
        self.norm, self.dropout = nn.LayerNorm(hidden), nn.Dropout(0.1)
        self.layers = nn.ModuleList(BertLayer(hidden, heads) for _ in range(layers))
        self.pooler = nn.Linear(hidden, hidden)

    def forward(self, ids: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        segments = torch.zeros(1, ids.shape[1], dtype=torch.long, device=ids.device)
        x = self.words(ids) + self.segments(segments) + self.places(places)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x)
        return torch.tanh(self.pooler(x[:, 0]))


class GptLayer(nn.Module):
    """One product for queries, keys and values, and fused attention."""

    def __init__(self, hidden: int, heads: int):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.proj = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, hidden = x.shape
        parts = self.qkv(self.ln_1(x)).split(hidden, dim=2)
        q, k, v = (p.view(batch, tokens, self.heads, -1).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(batch, tokens, hidden))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """The words' embedding is also the last layer's matrix."""

    def __init__(self, hidden: int, layers: int, heads: int):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(50257, hidden), nn.Embedding(1024, hidden)
        self.layers = nn.ModuleList(GptLayer(hidden, heads) for _ in range(layers))
        self.ln_f, self.head = nn.LayerNorm(hidden), nn.Linear(hidden, 50257, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, ids: Tensor) -> Tensor:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.ln_f(x))


def rotate(x: Tensor) -> Tensor:
    """Turns pairs of features by their positions; angles do not depend on the input."""
    angle = torch.outer(
        torch.arange(x.shape[-2], device=x.device), torch.arange(x.shape[-1] // 2, device=x.device) * 0.1
    )
    angle = torch.cat([angle, angle], dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()


class LlamaLayer(nn.Module):
    def __init__(self, hidden: int, heads: int, kv_heads: int, intermediate: int):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, hidden // heads
        self.norm1, self.norm2 = nn.RMSNorm(hidden), nn.RMSNorm(hidden)
        self.q, self.o = nn.Linear(hidden, hidden, bias=False), nn.Linear(hidden, hidden, bias=False)
        self.k, self.v = (nn.Linear(hidden, kv_heads * self.size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(hidden, intermediate, bias=False) for _ in range(2))
        self.down = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        batch, tokens, hidden = x.shape
        q = self.q(y).view(batch, tokens, self.heads, self.size).transpose(1, 2)
        k, v = (p(y).view(batch, tokens, self.kv_heads, self.size).transpose(1, 2) for p in (self.k, self.v))
        y = F.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, hidden))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, vocabulary: int, hidden: int, layers: int, heads: int, kv_heads: int, intermediate: int):
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList(LlamaLayer(hidden, heads, kv_heads, intermediate) for _ in range(layers))
        self.norm, self.head = nn.RMSNorm(hidden), nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


NETWORKS = {
    "vit-b-16": lambda: ViT(768, 12, 12, 16),
    "vit-b-32": lambda: ViT(768, 12, 12, 32),
    "vit-l-16": lambda: ViT(1024, 24, 16, 16),
    "bert-base": Bert,
    "bert-large": lambda: Bert(1024, 24, 16),
    "gpt2": lambda: Gpt(768, 12, 12),
    "gpt2-medium": lambda: Gpt(1024, 24, 16),
    "llama2-7b": lambda: Llama(32000, 4096, 32, 32, 32, 11008),
    "llama3-8b": lambda: Llama(128256, 4096, 32, 32, 8, 14336),
}
INPUTS = {
    "bert-base": [((128,), "long")],
    "bert-large": [((128,), "long")],
    "gpt2": [((1024,), "long")],
    "gpt2-medium": [((1024,), "long")],
    "llama2-7b": [((4096,), "long")],
    "llama3-8b": [((8192,), "long")],
}
