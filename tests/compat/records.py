"""The fields of records, of which other lists say only which record they are: baseline/records.txt has each with all
that programs and files rely on."""

import re
from pathlib import Path

FIELD = re.compile(r"^(\w+)\.(\w+) (?:.* option (\S+))?", re.MULTILINE)
FEW = 4  # fields of a record that are listed one by one


def fields() -> dict[str, dict[str, str]]:
    """record -> field -> what the command calls it; "none": users do not give it."""
    found: dict[str, dict[str, str]] = {}
    for record, field, option in FIELD.findall(
        (Path(__file__).parent / "baseline" / "records.txt").read_text(encoding="utf-8")
    ):
        found.setdefault(record, {})[field] = option or field.replace("_", "-")
    return found


def given() -> dict[str, dict[str, str]]:
    """Those that users give."""
    return {record: {f: o for f, o in options.items() if o != "none"} for record, options in fields().items()}


def described(names: list[str], lists: dict[str, list[str]]) -> tuple[str, set[str]]:
    """"the fields of run to offload but batch", and the names that this says, where a list has most of them; else ""
    and none. Fields behind the last are not named, so that a record may grow."""
    name, best = max(lists.items(), key=lambda item: (len(set(item[1]) & set(names)), -len(item[1])), default=("", []))
    said = set(best) & set(names)
    to = max((best.index(each) for each in said), default=0)
    lacking = [each for each in best[:to] if each not in said]
    if len(said) <= FEW or len(lacking) > len(said):
        return "", set()
    return f"the fields of {name} to {best[to]}" + (f" but {' '.join(lacking)}" if lacking else ""), said


DESCRIBED = re.compile(r"(.*: the fields of (\w+)) to (\S+)(?: but (.*))?")


def is_longer(line: str, now: list[str], lists: dict[str, dict[str, str]]) -> bool:
    """Whether a line that `described` made has become another that says the same fields, and further ones behind
    them."""
    was = DESCRIBED.fullmatch(line)
    for other in filter(None, map(DESCRIBED.fullmatch, now)) if was else ():
        of = lists.get(was[2], {})
        order = list(of if was[3] in of else of.values())
        if other[1] == was[1] and was[3] in order:
            before = order[: order.index(was[3]) + 1]
            same = [each for each in (other[4] or "").split() if each in before] == (was[4] or "").split()
            return same and other[3] not in before[:-1]
    return False
