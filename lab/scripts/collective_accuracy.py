"""The part of docs/collectives.md on errors: all rows fitted, and each machine left out in turn."""
import re

import page_parts
import perfmodel as pm

SIZES = ("<64 KB", "64 KB-16 MB", ">=16 MB")
LEAST = 10  # rows of a machine that has a line of its own


def cells(found, use, name):
    """Median and 90th percentile of each size, and the rows of all."""
    errors = [found.get((use, f"{name} {size}"), (0, 0, 0)) for size in SIZES]
    written = [f"{median:.2g} / {most:.2g}" if rows else "" for rows, median, most in errors]
    return written, sum(rows for rows, *_ in errors)


def lines(calibration):
    table = calibration.errors
    found = {(table["use"][i], table["group"][i]): (int(table["rows"][i]), table["median"][i], table["p90"][i])
             for i in range(len(table))}
    yield "| machine | rows | < 64 KB | 64 KB to 16 MB | 16 MB and more |\n|---|---|---|---|---|"
    for use, title in (("fitted", "all, fitted"), ("left-out-machine", "**all, each machine left out in turn**")):
        errors, rows = cells(found, use, "all")
        yield f"| {title} | {rows:,} | {' | '.join(errors)} |"
    for machine in dict.fromkeys(group.split(" ", 1)[0] for use, group in found if use == "left-out-machine"):
        errors, rows = cells(found, "left-out-machine", machine)
        if machine != "all" and rows >= LEAST:
            yield f"| {pm.system(machine).name} (`{machine}`) | {rows} | {' | '.join(errors)} |"


def interval(calibration):
    """What the interval made from the other machines covers, by size."""
    shares = [match[1] for note in calibration.notes if (match := re.match(r"interval, .* covers (\d+) %", note))]
    return (f"The interval from the other machines covers {shares[0]} % of a machine's rows below 64 KB, {shares[1]} % "
            f"up "
            f"to 16 MB\nand {shares[2]} % above; on machines whose rows were fitted, coverage is higher.")


def write(command, check):
    calibration = page_parts.calibration("collectives")
    parts = {"errors": "\n".join(lines(calibration)), "interval": interval(calibration)}
    page_parts.update(page_parts.ROOT / "docs" / "collectives.md", parts, check)
