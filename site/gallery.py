"""The gallery: pictures that the product draws, each with the line that draws it."""
import pathlib
import subprocess

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MACHINES = ["dgx1-v100", "dgx2", "dgx-h100"]
TOP = """---
hide: [toc]
---
# Gallery

Pictures that the command and the package draw, each with the line that draws it.

<div class="gallery" markdown>
"""


def plots():
    """A name, the line, and the call."""
    import perfmodel as pm
    run = pm.predict("llama3-70b", "dgx-h100", gpus=64, tensor_parallel=8, pipeline_parallel=4, global_batch=32,
                     precision="bf16", optimizer="adam", recompute="full")
    return [
        ("scaling", "pm.plot_scaling(['resnet50', 'vgg16', 'alexnet'], 'dgx1-v100', batch=64, precision='fp16')",
         lambda ax: pm.plot_scaling(["resnet50", "vgg16", "alexnet"], "dgx1-v100", batch=64, precision="fp16", ax=ax)),
        ("roofline", "pm.plot_roofline('resnet50', 'v100-sxm2-16gb', batch=64, precision='fp16')",
         lambda ax: pm.plot_roofline("resnet50", "v100-sxm2-16gb", batch=64, precision="fp16", ax=ax)),
        ("serving", "pm.plot_serving('llama3-8b', ['hgx-h100', 'dgx-a100'], isl=2048, osl=256)",
         lambda ax: pm.plot_serving("llama3-8b", ["hgx-h100", "dgx-a100"], isl=2048, osl=256, ax=ax)),
        ("timeline", "pm.plot_timeline(run)    # llama3-70b on 64 H100, 4 stages",
         lambda ax: pm.plot_timeline(run, ax=ax)),
    ]


def figure(name, line):
    return (f"<figure markdown>\n![{name}](images/gallery-{name})\n"
            f"<figcaption markdown>`{line}`</figcaption>\n</figure>\n")


def write(command, folder):
    text = TOP
    for name, line, draw in plots():
        picture, axes = plt.subplots(figsize=(8, 5))
        draw(axes)
        picture.tight_layout()
        picture.savefig(folder / f"images/gallery-{name}.png", dpi=120)
        plt.close(picture)
        text += figure(f"{name}.png", line)
    for machine in MACHINES:
        subprocess.run([command, "topology", machine, "-o", folder / f"images/gallery-{machine}.svg"], check=True)
        text += figure(f"{machine}.svg", f"perfmodel topology {machine} -o {machine}.svg")
    text += "</div>\n\nMore: [the page in the browser](page.md), [how right is it](accuracy.md).\n"
    pathlib.Path(folder / "gallery.md").write_text(text)
