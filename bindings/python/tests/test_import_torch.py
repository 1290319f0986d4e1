"""PyTorch modules: counts, and what counters are known to get wrong."""

from __future__ import annotations

from typing import Any

import perfmodel as pm
import pytest
from needs import package

torch: Any = package("torch")
import architectures  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

ZOO = pm.Catalog().ids("networks")
IDS = [id for id in architectures.ARCHITECTURES if id in ZOO]


def parameters(module: Any) -> int:
    return sum(tensor.numel() for tensor in module.parameters())


def kinds(net: pm.Network) -> list[str]:
    return [str(kind) for kind in net.layers()["kind"]]


# ---- The same networks as in the catalogue.


def test_there_are_enough_architectures() -> None:
    assert len(IDS) >= 40


@pytest.mark.parametrize("id", IDS)
def test_counts_are_those_of_the_catalogue(id: str) -> None:
    module = architectures.build(id)
    net, zoo = pm.from_torch(module, architectures.inputs(id), id=id), pm.network(id)
    assert (net.parameters, net.macs) == (zoo.parameters, zoo.macs)
    assert net.parameters == parameters(module)
    assert net.report is not None and not net.report.approximated and not net.report.unknown
    assert net.report.coverage == 1.0 and net.report.flop_approximated == 0.0


@pytest.mark.parametrize("id", ["resnet50", "vgg16", "mobilenet-v2", "inception-v3", "densenet121", "bert-base"])
def test_arithmetic_is_that_of_the_catalogue_but_for_the_loss(id: str) -> None:
    zoo = pm.network(id)
    rows = zoo.layers()
    loss = sum(float(row["flop [FLOP]"]) for row in rows if row["kind"] in ("softmax_loss", "cross_entropy"))
    net = pm.from_torch(architectures.build(id), architectures.inputs(id))
    assert net.flop == pytest.approx(zoo.flop - loss, rel=2e-4)


# ---- Known bugs of counters.


def test_vit_counts_its_attention() -> None:
    """Hooks on modules miss the products inside attention: 16.86 instead of 17.56 GMAC."""
    net = pm.from_torch(architectures.build("vit-b-16"), (3, 224, 224))
    assert net.macs == 17_563_828_224
    assert round(net.macs / 1e9, 2) == 17.56


def test_linear_counts_every_row_of_a_3d_input() -> None:
    assert pm.from_torch(nn.Linear(8, 16), (5, 7, 8)).macs == 5 * 7 * 8 * 16


def test_shared_and_nested_modules_are_counted_once() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = nn.Linear(8, 8)
            self.again = self.one
            self.nested = nn.Sequential(self.one, nn.Sequential(nn.Identity(), self.one))

        def forward(self, x: Any) -> Any:
            return self.again(self.nested(x))

    net = pm.from_torch(Net(), (8,))
    assert (net.parameters, net.macs) == (8 * 8 + 8, 3 * 8 * 8)


def test_tied_weights_are_counted_once() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.out = nn.Embedding(100, 8), nn.Linear(8, 100)
            self.out.weight = self.words.weight

        def forward(self, ids: Any) -> Any:
            return self.out(self.words(ids))

    net = pm.from_torch(Net(), torch.zeros(1, 5, dtype=torch.long))
    assert (net.parameters, net.macs) == (100 * 8 + 100, 5 * 8 * 100)


def attention(heads: int, kv_heads: int) -> pm.Network:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q = nn.Linear(64, 64)
            self.kv = nn.Linear(64, 2 * 64 // heads * kv_heads)

        def forward(self, x: Any) -> Any:
            q = self.q(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            k, v = (y.unflatten(-1, (kv_heads, -1)).transpose(1, 2) for y in self.kv(x).chunk(2, -1))
            return F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).flatten(2)

    return pm.from_torch(Net(), (10, 64))


def test_the_number_of_heads_changes_nothing() -> None:
    assert attention(4, 4).macs == attention(8, 8).macs == 10 * 64 * 64 * 3 + 2 * 10 * 10 * 64
    modules = [nn.MultiheadAttention(64, heads, batch_first=True) for heads in (4, 8)]
    inputs = {name: torch.empty(1, 10, 64) for name in ("query", "key", "value")}
    assert len({pm.from_torch(module, inputs).macs for module in modules}) == 1


def test_grouped_queries_are_smaller() -> None:
    full, grouped = attention(8, 8), attention(8, 2)
    assert grouped.parameters < full.parameters and grouped.macs < full.macs
    assert full.macs - grouped.macs == 10 * 64 * 64 * 2 * 6 // 8
    assert "attention" in kinds(grouped)


@pytest.mark.parametrize(
    "product",
    [
        lambda a, b: torch.matmul(a, b.transpose(-1, -2)),
        lambda a, b: a @ b.mT,
        lambda a, b: torch.bmm(a, b.transpose(1, 2)),
        lambda a, b: torch.einsum("bik,bjk->bij", a, b),
        lambda a, b: torch.baddbmm(torch.zeros(1, 5, 5), a, b.transpose(1, 2)),
        lambda a, b: F.linear(a, b[0]),
    ],
)
def test_products_of_computed_tensors_are_not_forgotten(product: Any) -> None:
    class Net(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return product(a, b)

    assert pm.from_torch(Net(), [(5, 6), (5, 6)]).macs == 5 * 5 * 6


def test_scaled_dot_product_attention_is_not_forgotten() -> None:
    class Net(nn.Module):
        def forward(self, q: Any, k: Any, v: Any) -> Any:
            return F.scaled_dot_product_attention(q, k, v)

    assert pm.from_torch(Net(), [(4, 10, 16)] * 3).macs == 2 * 4 * 10 * 10 * 16


def test_cross_attention_has_a_length_of_its_own() -> None:
    module = nn.MultiheadAttention(64, 4, batch_first=True)
    memory = torch.empty(1, 7, 64)
    net = pm.from_torch(module, {"query": torch.empty(1, 10, 64), "key": memory, "value": memory})
    assert net.parameters == parameters(module)
    assert net.macs == 64 * 64 * (10 + 2 * 7 + 10) + 2 * 10 * 7 * 64


def test_parameters_used_by_functions_are_counted() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.matrix, self.gain = nn.Parameter(torch.empty(6, 8)), nn.Parameter(torch.empty(8))
            self.places = nn.Parameter(torch.empty(1, 5, 8))
            self.token = nn.Parameter(torch.empty(1, 1, 8))

        def forward(self, x: Any) -> Any:
            x = (x @ self.matrix) * self.gain + self.places
            return torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)

    net = pm.from_torch(Net(), (5, 6))
    assert (net.parameters, net.macs) == (48 + 8 + 40 + 8, 5 * 6 * 8)
    assert kinds(net) == ["linear", "scale", "positional_embedding", "learned_token"]


# ---- Recurrent layers, convolutions.


@pytest.mark.parametrize("kind, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
@pytest.mark.parametrize("layers, both", [(1, False), (2, True)])
def test_recurrent_layers(kind: str, gates: int, layers: int, both: bool) -> None:
    module = getattr(nn, kind)(8, 16, layers, bidirectional=both, batch_first=True)
    net, copies = pm.from_torch(module, (5, 8)), 2 if both else 1
    weights = copies * gates * 16 * sum((8 if i == 0 else copies * 16) + 16 for i in range(layers))
    assert (net.parameters, net.macs) == (parameters(module), 5 * weights)


def test_a_projected_lstm() -> None:
    module = nn.LSTM(8, 16, proj_size=4, batch_first=True)
    assert pm.from_torch(module, (5, 8)).parameters == parameters(module)


@pytest.mark.parametrize(
    "module, shape, macs",
    [
        (nn.Conv1d(4, 8, 3, padding="same"), (4, 10), 10 * 8 * 4 * 3),
        (nn.Conv2d(4, 8, (1, 7), padding=(0, 3), groups=4), (4, 5, 6), 5 * 6 * 8 * 7),
        (nn.Conv3d(4, 8, 3), (4, 5, 5, 5), 27 * 8 * 4 * 27),
        (nn.ConvTranspose2d(4, 8, 2, 2), (4, 5, 5), 25 * 4 * 8 * 4),
        (nn.Conv2d(4, 4, 3, dilation=2, stride=2), (4, 9, 9), 9 * 16 * 9),
    ],
)
def test_convolutions(module: Any, shape: tuple[int, ...], macs: int) -> None:
    net = pm.from_torch(module, shape)
    assert (net.parameters, net.macs) == (parameters(module), macs)


def test_images_of_a_sequence_share_a_convolution() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)

        def forward(self, x: Any) -> Any:
            return self.norm(self.conv(x.flatten(0, 1))).unflatten(0, (x.shape[0], -1))

    net = pm.from_torch(Net(), (4, 3, 6, 6))
    assert (net.parameters, net.macs) == (3 * 8 * 9 + 8 + 16, 4 * 16 * 8 * 27)


def test_layers_have_the_names_of_modules() -> None:
    net = pm.from_torch(architectures.build("resnet18"), (3, 224, 224))
    names = [str(name) for name in net.layers()["name"]]
    assert names[0] == "0" and "4.conv1" in names and "4.relu" in names and len(set(names)) == len(names)


# ---- Inputs, modes, errors.


def test_the_batch_of_examples_does_not_matter() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(8 * 36, 10))
    nets = [pm.from_torch(module, torch.empty(batch, 3, 8, 8)) for batch in (1, 4)]
    nets.append(pm.from_torch(module, (3, 8, 8)))
    assert len({(net.parameters, net.macs, net.flop) for net in nets}) == 1


def test_the_module_stays_as_it_is() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout())
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    pm.from_torch(module, (4,))
    assert module.training and not module[0]._forward_hooks and not module[0]._forward_pre_hooks
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())


def test_no_weight_is_needed() -> None:
    """A terabyte of parameters, none of them anywhere."""
    with torch.device("meta"):
        module = nn.Sequential(*[nn.Linear(65536, 65536, bias=False) for _ in range(64)])
    net = pm.from_torch(module, (65536,))
    assert net.parameters == net.macs == 64 * 65536**2


def test_dropout_counts_as_in_training() -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.25))
    assert kinds(pm.from_torch(module.eval(), (4,))) == ["linear", "dropout"]


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.norm, self.aux = nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        x = self.norm(self.body(x))
        return (x, self.aux(x)) if self.training else x


def test_training_runs_what_only_training_runs() -> None:
    assert pm.from_torch(Heads(), (4,), training=True).parameters == parameters(Heads())
    net = pm.from_torch(Heads(), (4,))
    assert net.parameters == parameters(Heads()) - 10
    assert net.report is not None and net.report.notes == [
        "10 parameters are not used in this run: aux.weight, aux.bias"
    ]


class Fourier(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.fft.rfft(x).abs().tanh()


def test_an_unknown_operator_is_an_error() -> None:
    with pytest.raises(pm.NotModelledError, match=r"unknown operators: fft_r2c \(1x\); allow_unknown=True"):
        pm.from_torch(Fourier(), (8,))


def test_unknown_operators_show_in_the_coverage() -> None:
    net = pm.from_torch(nn.Sequential(nn.Linear(8, 8), Fourier()), (8,), allow_unknown=True)
    assert net.report is not None and net.report.unknown == {"fft_r2c": 1}
    assert 0 < net.report.coverage < 1
    assert "1 unknown operators not counted" in repr(net) and "unknown.fft_r2c" in net.layers()["name"]
    assert "fft_r2c" in net.report._repr_html_() and "fft_r2c 1" in str(net.report)


def test_operators_of_other_libraries_are_not_taken_for_torchs_own() -> None:
    library = torch.library.Library("perfmodeltest", "DEF")
    library.define("linear(Tensor x) -> Tensor")
    library.impl("linear", lambda x: x.clone(), "Meta")

    class Net(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.ops.perfmodeltest.linear(x)

    with pytest.raises(pm.NotModelledError, match=r"perfmodeltest\.linear"):
        pm.from_torch(Net(), (8,))


def test_tensors_written_in_parts_keep_what_they_depend_on() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(4, 8), nn.Linear(16, 2)

        def forward(self, x: Any) -> Any:
            joined = torch.zeros(x.shape[0], 16)
            joined[:, :8] = self.one(x)
            joined[:, 8:].copy_(self.one(x))
            return self.two(joined)

    assert pm.from_torch(Net(), (4,)).macs == 2 * 32 + 32


# ---- Parameters that are put together, stretched, or not in the shape of their layer.


class Merged(nn.Module):
    """BEiT: a bias whose middle third is fixed."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24, bias=False)
        self.q, self.v = nn.Parameter(torch.zeros(8)), nn.Parameter(torch.zeros(8))

    def forward(self, x: Any) -> Any:
        bias = torch.cat((self.q, torch.zeros(8), self.v))
        return F.linear(x, self.qkv.weight, bias)


class Standardized(nn.Module):
    """NFNet: weights normalised by themselves, with a gain for each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.gain = nn.Parameter(torch.ones(6, 3, 3, 3)), nn.Parameter(torch.ones(6, 1, 1, 1))

    def forward(self, x: Any) -> Any:
        gain = (self.gain * 0.1).view(-1)
        weight = F.batch_norm(self.weight.reshape(1, 6, -1), None, None, weight=gain, training=True, momentum=0.0)
        return F.conv2d(x, weight.reshape_as(self.weight))


class Scaled(nn.Module):
    """PoolFormer v2: a group norm with a scale and no shift."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x: Any) -> Any:
        return F.group_norm(x, 1, self.weight, None)


class Relative(nn.Module):
    """SAM, MViT v2: rows of a table, one for each pair of positions, multiplied with the queries."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(2 * 5 - 1, 8))

    def forward(self, x: Any) -> Any:
        apart = torch.arange(5)[:, None] - torch.arange(5)[None, :] + 4
        return torch.einsum("btc,tkc->btk", x, self.table[apart])


class Blurred(nn.Module):
    """TResNet: a fixed filter for each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.register_buffer("filter", torch.ones(4, 1, 3, 3))

    def forward(self, x: Any) -> Any:
        return F.conv2d(self.conv(x), self.filter, stride=2, groups=4)


class Prefixed(nn.Module):
    """Rotary positions of all tokens behind the first none."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        return torch.cat((y[:, :0], y[:, 0:] * 2), dim=1)


@pytest.mark.parametrize(
    "module, shape, near",
    [(Merged, (5, 8), True), (Standardized, (3, 9, 9), False), (Scaled, (4, 6, 6), False), (Relative, (5, 8), True),
     (Blurred, (3, 9, 9), True), (Prefixed, (5, 8), False)],
)  # fmt: skip
def test_parameters_are_those_of_the_tensors(module: Any, shape: tuple[int, ...], near: bool) -> None:
    net = pm.from_torch(module(), shape)
    assert net.parameters == parameters(module())
    assert net.report is not None and not net.report.unknown and bool(net.report.approximated) == near


def test_fixed_filters_do_their_arithmetic() -> None:
    assert pm.from_torch(Blurred(), (3, 9, 9)).macs == 7 * 7 * 4 * 27 + 3 * 3 * 4 * 9
    assert pm.from_torch(Relative(), (5, 8)).macs == 5 * 5 * 8


def test_results_that_a_module_keeps_are_no_obstacle() -> None:
    """LeViT keeps biases that it computed in an evaluation, with their gradients' history."""

    class Keeps(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.cache = nn.Linear(4, 4), {}

        def forward(self, x: Any) -> Any:
            if x.device not in self.cache:
                self.cache[x.device] = [self.linear.weight * 2]
            return self.linear(x)

    module = Keeps()
    module(torch.zeros(1, 4))
    assert pm.from_torch(module, (4,)).parameters == 20


def test_errors_are_clear() -> None:
    with pytest.raises(
        pm.ShapeError, match="does not run on the meta device with inputs of 1x1x3x8x8, the batch among"
    ):
        pm.from_torch(nn.Conv2d(3, 8, 3), (1, 3, 8, 8))
    with pytest.raises(pm.ArgumentError, match=r"different batches \(2, 3\)"):
        pm.from_torch(nn.Bilinear(4, 4, 4), [torch.empty(2, 4), torch.empty(3, 4)])

    with pytest.raises(pm.ArgumentError, match="is scripted; give the original module"):
        pm.from_torch(nn.Sequential(torch.jit.script(nn.Linear(4, 4))), (4,))

    class Jumps(nn.Module):
        def forward(self, x: Any) -> Any:
            return x if x.sum().item() > 0 else -x

    with pytest.raises(pm.ShapeError, match="does not run on the meta device"):
        pm.from_torch(Jumps(), (4,))


def test_autocast_that_is_left_is_no_obstacle() -> None:
    class Leaves(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            with torch.autocast(device_type=x.device.type, enabled=False):
                return self.linear(x)

    assert pm.from_torch(Leaves(), (4,)).parameters == 20
    assert torch.autocast.__name__ == "autocast" and isinstance(torch.autocast, type)


def test_programs_of_export_are_their_modules(tmp_path: Any) -> None:
    """The object, and the file that it is saved to."""
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10)).eval()
    program = torch.export.export(module, (torch.zeros(1, 3, 8, 8),))
    live = pm.from_torch(module, (3, 8, 8))
    torch.export.save(program, tmp_path / "small.pt2")
    for source in (program, tmp_path / "small.pt2"):
        net = pm.from_torch(source)
        assert (net.parameters, net.macs) == (live.parameters, live.macs)
    (tmp_path / "no.pt2").write_bytes(b"nothing")
    with pytest.raises(pm.FileError, match="not a program of torch.export"):
        pm.from_torch(tmp_path / "no.pt2")
    with pytest.raises(TypeError, match="needs the inputs of a module"):
        pm.from_torch(module)
