"""The table of docs/accuracy.md on power and energy: published rows by source, GPU and kind."""
import page_parts
import perfmodel as pm

QUANTITIES = {"gpu_power": "power of a board", "power": "power of a node at the wall",
              "energy_per_sample": "energy of an image", "slowdown": "time under a limit",
              "energy_factor": "energy under a limit"}


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


def write(command, check):
    del command
    page_parts.update(page_parts.ROOT / "docs" / "accuracy.md", {"energy": "\n".join(lines())}, check)
