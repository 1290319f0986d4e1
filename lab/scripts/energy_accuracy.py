"""The tables of docs/accuracy.md on power and energy: published rows by source, GPU and kind; and the same of a GPU
whose own constants are left out."""
import re
import tempfile
from pathlib import Path

import page_parts
import perfmodel as pm

QUANTITIES = {"gpu_power": "power of a board", "power": "power of a node at the wall",
              "energy_per_sample": "energy of an image", "slowdown": "time under a limit",
              "energy_factor": "energy under a limit"}


# Of the GPUs with constants of their own: architecture, the one whose constants it takes when they are left out, and a
# GPU of that, which says what its FP32 cores draw for their peak.
OWN = {"v100-pcie-32gb": ("volta", "turing", "quadro-rtx-6000"),
       "quadro-rtx-6000": ("turing", "volta", "v100-pcie-32gb"),
       "h100-sxm5": ("hopper", "blackwell", "b200-sxm6"), "b200-sxm6": ("blackwell", "hopper", "h100-sxm5")}
CONSTANTS = page_parts.ROOT / "data" / "calibration" / "kernels.xml"


def per_cent(value):
    return f"{value:.1f} %" if value == value else "-"


def lines():
    """Energy of a token has the errors of power, as its time is known."""
    table = pm.validate("energy")
    yield "| source | GPU | rows of | measured | rows | law | limit x time | constant share | in the interval |"
    yield "|---|---|---|---|--:|--:|--:|--:|--:|"
    for i, group in enumerate(table["group"]):
        source, gpu, kind, quantity = group.split()
        if quantity not in QUANTITIES:
            continue
        numbers = " | ".join(per_cent(table[name][i]) for name in ("mape", "limit", "constant"))
        covered = table["covered"][i]
        held = f"{covered:.0f} %" if covered == covered else "-"
        yield f"| {source} | {gpu} | {kind} | {QUANTITIES[quantity]} | {table['rows'][i]} | {numbers} | {held} |"


def block_of(text, architecture):
    """Where the constants of an architecture are."""
    start = text.index(f'<kernel_calibration id="{architecture}"')
    return start, text.index("</kernel_calibration>", start)


def value_of(block, name):
    return re.search(rf"<{name}\b(?!_)[^>]*>([^<]*)<", block)[1]


def without(gpu):
    """Every constant, but those of what this GPU's boards draw are another's."""
    architecture, other, like = OWN[gpu]
    text = CONSTANTS.read_text()
    start, end = block_of(text, architecture)
    block, taken = text[start:end], text[slice(*block_of(text, other))]
    names = ["idle_power"] + [name for name in ("simt_power", "tensor_power", "tensor_flop_energy")
                              if re.search(rf"<{name} fitted_to", block)]
    for name in names:
        block = re.sub(rf"<{name}\b(?!_)[^>]*>[^<]*<", f'<{name} origin="rule">{value_of(taken, name)}<', block)
    block = re.sub(r"\s*<(simt|tensor)_power_basis[^>]*>[^<]*</\w+>", "", block)
    facts = pm.gpu(like)
    if "simt_power" in names:  # as much for the peak as the other
        share = float(value_of(taken, "simt_power")) - float(value_of(taken, "idle_power"))
        draw = share * facts.power / facts.peak_fp32
        block += f'  <simt_rule_draw origin="rule">{1e12 * draw:.4g} pJ/FLOP</simt_rule_draw>\n  '
    return text[:start] + block + text[end:]


def left_out_lines():
    """Each GPU by itself; limits keep their law, as both GPUs that have rows of limits decide it."""
    yield "| GPU left out | takes the constants of | rows of | measured | rows | law | own constants | limit x time |"
    yield "|---|---|---|---|--:|--:|--:|--:|"
    own = pm.validate("energy")
    with tempfile.TemporaryDirectory() as folder:
        for gpu in OWN:
            path = Path(folder) / "without.xml"
            path.write_text(without(gpu))
            table = pm.validate("energy", catalog=pm.Catalog(str(path)))
            for i, group in enumerate(table["group"]):
                source, of, kind, quantity = group.split()
                if of == gpu and quantity in QUANTITIES and not kind.startswith("limit"):
                    numbers = " | ".join(map(per_cent, (table["mape"][i], own["mape"][i], own["limit"][i])))
                    yield (f"| {gpu} | {OWN[gpu][1]} | {source} {kind} | {QUANTITIES[quantity]} | {table['rows'][i]} | "
                           f"{numbers} |")


def write(command, check):
    del command
    parts = {"energy": "\n".join(lines()), "energy-left-out": "\n".join(left_out_lines())}
    page_parts.update(page_parts.ROOT / "docs" / "accuracy.md", parts, check)
