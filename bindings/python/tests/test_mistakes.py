"""What people write from habit is understood, or answered with the line that helps."""

from __future__ import annotations

from collections.abc import Callable

import perfmodel as pm
import pytest


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda: pm.predict("resnet50", "dgx1-v100", batch_size=8),
            "predict() got an unexpected keyword argument 'batch_size'; did you mean 'batch'?",
        ),
        (
            lambda: pm.predict("resnet50", "dgx1-v100", num_gpus=8),
            "predict() got an unexpected keyword argument 'num_gpus'; did you mean 'gpus'?",
        ),
        (
            lambda: pm.predict("resnet50", "dgx1-v100", n_gpus=8),
            "predict() got an unexpected keyword argument 'n_gpus'; did you mean 'gpus'?",
        ),
        (
            lambda: pm.predict("resnet50", "dgx1-v100", precison="fp16"),
            "predict() got an unexpected keyword argument 'precison'; did you mean 'precision'?",
        ),
        (
            lambda: pm.predict("dgx1-v100", "resnet50"),
            '"dgx1-v100" is a system, but a network is required here; the network comes first, then the system',
        ),
        (lambda: pm.system("resnet50"), '"resnet50" is a network, but a system is required here'),
        (
            lambda: pm.network("my.onnx"),
            "\"my.onnx\" is a file that Python reads: python3 -c 'import perfmodel; "
            'perfmodel.from_onnx("my.onnx").to_xml("mine.xml")\', then --catalog mine.xml',
        ),
        (
            lambda: pm.framework("flax"),
            'framework "flax" is not modelled; the nearest is "jax-0.5" (JAX 0.5), and "generic" stands for any',
        ),
        (lambda: pm.quantity("6", "s"), '"6" has no unit; write "6 h", "6 s" or "6 ms"'),
        (lambda: pm.quantity("80 gb", "B"), '"80 gb" may be bytes or bits; write "80 GB" or "80 Gbit"'),
        (lambda: pm.quantity("25 gb/s", "B/s"), '"25 gb/s" may be bytes or bits; write "25 GB/s" or "25 Gbit/s"'),
    ],
)
def test_lines_that_help(call: Callable[[], object], line: str) -> None:
    with pytest.raises((pm.Error, TypeError)) as caught:
        call()
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("usual", "name"),
    [("float16", "fp16"), ("half", "fp16"), ("amp", "fp16"), ("bfloat16", "bf16"), ("float32", "fp32"),
     ("Float64", "fp64")],
)
def test_usual_precisions(usual: str, name: str) -> None:
    assert pm.predict("resnet50", "a100-sxm4-80gb", precision=usual, ignore_memory=True).run.precision == name


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("6 hours", "s", 21600),
        ("6h", "s", 21600),
        ("80GB", "B", 80e9),
        ("80 GIB", "B", None),
        ("25 gbps", "B/s", 25e9 / 8),
        ("400 Gb/s", "B/s", 50e9),
        ("25 GBps", "B/s", 25e9),
        ("312 TFLOPS", "FLOP/s", 312e12),
    ],
)
def test_usual_units(text: str, unit: str, value: float | None) -> None:
    if value is None:
        with pytest.raises(pm.UnitError):
            pm.quantity(text, unit)
    else:
        assert pm.quantity(text, unit) == value


@pytest.mark.parametrize(
    ("shape", "advice"),
    [
        ((32, 3, 224, 224), "without the batch, channels first: (3, 224, 224)"),
        ((224, 224, 3), "without the batch, channels first: (3, 224, 224)"),
        ((224, 224), "without the batch, channels first, such as (3, 224, 224)"),
    ],
)
def test_wrong_shape(shape: tuple[int, ...], advice: str) -> None:
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.Linear(8 * 222 * 222, 10))
    with pytest.raises(pm.ShapeError) as caught:
        pm.from_torch(module, shape)
    assert str(caught.value).endswith(advice)


def test_tokens_are_no_shape() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(pm.ShapeError, match=r"give torch.zeros\(1, 128, dtype=torch.long\)"):
        pm.from_torch(torch.nn.Sequential(torch.nn.Embedding(100, 8)), (128,))
