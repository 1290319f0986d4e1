"""PyTorch, ONNX and the catalogue's XML agree exactly on parameters and MAC."""

from __future__ import annotations

from typing import Any

import perfmodel as pm
import pytest
from needs import package

torch: Any = package("torch")
package("onnxscript")
import architectures  # noqa: E402
from onnx_export import export  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

ZOO = pm.Catalog().ids("networks")
# Exporting takes seconds; of each family, some.
IDS = [
    id
    for id in (
        "alexnet", "vgg16", "vgg19", "lenet-5", "googlenet", "inception-v3", "squeezenet1-1", "densenet121", "resnet18",
        "resnet34", "resnet50", "resnet101", "resnet152", "resnext50-32x4d", "wide-resnet50-2", "se-resnext101-32x4d",
        "regnet-y-400mf", "mobilenet-v2", "efficientnet-b0", "convnext-tiny", "u-net", "vit-b-16", "bert-base", "gpt2",
        "llama2-7b", "transformer-base", "gnmt", "seq2seq",
    )
    if id in ZOO
]  # fmt: skip


def test_there_are_twenty() -> None:
    assert len(IDS) >= 20


@pytest.mark.parametrize("id", IDS)
def test_three_ways(id: str) -> None:
    module, inputs, zoo = architectures.build(id), architectures.inputs(id), pm.network(id)
    from_torch = pm.from_torch(module, inputs)
    from_onnx = pm.from_onnx(export(module, inputs))
    counts = [(net.parameters, net.macs) for net in (zoo, from_torch, from_onnx)]
    assert counts[0] == counts[1] == counts[2]
    assert from_onnx.report is not None and not from_onnx.report.unknown


def test_an_open_sequence_is_bound_by_its_name() -> None:
    """The same file at another length is the network at that length."""
    module, inputs = architectures.build("bert-base"), architectures.inputs("bert-base")
    seq = torch.export.Dim("seq", min=2, max=512)
    data = export(module, inputs, dynamic_shapes=({1: seq},))
    for length in (128, 384):
        net = pm.from_onnx(data, {"seq": length})
        zoo = pm.network("bert-base", seq=length)
        assert (net.parameters, net.macs) == (zoo.parameters, zoo.macs)


def test_the_other_exporter_of_torch(tmp_path: Any) -> None:
    """The one by tracing, with weights in the file, and norms kept as they are in training."""
    import io

    module = architectures.build("lenet-5").to_empty(device="cpu")
    for number, parameter in enumerate(module.parameters()):
        torch.nn.init.constant_(parameter, number)
    file = io.BytesIO()
    torch.onnx.export(module, (torch.zeros(1, 1, 32, 32),), file, dynamo=False, opset_version=17)
    net, zoo = pm.from_onnx(file.getvalue()), pm.network("lenet-5")
    assert (net.parameters, net.macs) == (zoo.parameters, zoo.macs)
