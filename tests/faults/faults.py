#!/usr/bin/env python3
"""Input and output that fail: every command below is repeated with its first read failing, then its second, and so on,
likewise every other call that a file or folder takes. Either nothing is different, or there is one line that says what
failed, the right exit code, the file that would have been written is as it was, and nothing is left beside it.

    tests/faults/faults.py --command BUILD/tools/perfmodel --calls BUILD/tests/faults/failing_calls.so
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DONE, INPUT, OUTPUT = 0, 3, 4
OLD = "what was there before\n"
LINK = (
    '<perfmodel version="1"><link id="{0}" name="{0}"><kind>pcie</kind>'
    '<bandwidth note="measured">9 GB/s</bandwidth></link></perfmodel>\n'
)
ROWS = "model,gpu,batch_per_gpu,precision,throughput,unit\nresnet18,V100,64,fp32,1000,images/s\n"

# Whoever reads or writes goes on after a part, and after a signal.
HARMLESS = {(call, why) for call in ("read", "write") for why in ("EINTR", "short")}
FAULTS = {
    "open": ("EACCES", "EMFILE", "EIO"), "fstat": ("EIO",), "read": ("EIO", "EINTR", "short"),
    "close": ("EIO", "EINTR"),
    "opendir": ("EACCES", "EMFILE"), "readdir": ("EIO",), "stat": ("EIO", "EACCES"), "access": ("EIO",),
    "realpath": ("EIO",),
    "mkstemp": ("ENOSPC", "EACCES"), "write": ("EIO", "ENOSPC", "EPIPE", "EINTR", "short"), "fchmod": ("EIO",),
    "fsync": ("EIO", "ENOSPC"), "rename": ("EIO", "ENOSPC"),
}  # fmt: skip
READS, WRITES = {"open", "fstat", "read", "opendir", "readdir"}, {"mkstemp", "write", "fchmod", "fsync", "rename"}

COMMANDS = (
    "show link own --catalog folder/own.xml -q",
    "show link own --catalog folder -q",
    "validate --set training --data rows.csv --rows -q",
    "import nccl.xml -q",
    "size resnet18 --epochs 1 --within 6h --system dgx1-v100 --price prices -q --format csv",
    "layers resnet152",
    "list gpus -o old.csv",
    "list gpus -o fresh.csv",
    "list gpus -o link.csv",
    "list gpus -o /dev/null",
)


@dataclass(frozen=True)
class Outcome:
    code: int
    output: str
    message: str
    files: dict[str, tuple[str, int]]


def prepare(folder: Path) -> None:
    (folder / "folder").mkdir()
    for name in ("own", "other"):
        (folder / "folder" / f"{name}.xml").write_text(LINK.format(name))
    (folder / "nccl.xml").write_text((ROOT / "tests/import/nccl.xml").read_text())
    (folder / "rows.csv").write_text(ROWS)
    (folder / "prices").write_text("# of a list\ndgx1-v100, 149000 USD\n")
    for name in ("old.csv", "real.csv"):
        (folder / name).write_text(OLD)
        (folder / name).chmod(0o600)
    (folder / "link.csv").symlink_to("real.csv")


def run(command: list[str], calls: Path, fault: str) -> tuple[Outcome, bool]:
    """What the command gave with this fault, and whether there was such a call."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (work := folder / "work").mkdir()
        prepare(work)
        environment = {**os.environ, "LD_PRELOAD": str(calls), "PM_FAULT": fault, "PM_FAULT_DONE": str(folder / "done")}
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
        files = {str(f.relative_to(work)): (f.read_text(), f.stat().st_mode) for f in work.rglob("*") if f.is_file()}
        return Outcome(done.returncode, done.stdout, done.stderr, files), (folder / "done").exists()


def expected_codes(call: str, why: str, arguments: str) -> set[int]:
    if (call, why) in HARMLESS or (why == "EPIPE" and " -o " not in arguments):
        return {DONE}
    if call in WRITES or (call == "open" and "/dev/null" in arguments):
        return {OUTPUT}
    if call == "fstat" and " -o " in arguments:
        return {INPUT, OUTPUT}  # of a file that is read, or of the new one that takes over the owner of the old
    if call in READS:
        return {INPUT}
    return {DONE, OUTPUT}  # what only asks may be able to do without the answer


def wrong(got: Outcome, normal: Outcome, before: Outcome, call: str, why: str, arguments: str) -> str:
    """What is wrong with it, or nothing."""
    if got.code not in expected_codes(call, why, arguments):
        return f"exit code {got.code}"
    if got.code == DONE:
        same = normal.output.startswith(got.output) if why == "EPIPE" else got.output == normal.output
        return (
            ""
            if same and got.message == normal.message and got.files == normal.files
            else "another result, and no error"
        )
    lines = got.message.splitlines()
    if len(lines) != 1 or not lines[0].startswith("perfmodel: "):
        return f"{len(lines)} lines of error"
    return "" if got.files == before.files and got.output == "" else "something is half written, or left behind"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", type=Path, required=True)
    parser.add_argument("--calls", type=Path, required=True)
    options = parser.parse_args()
    count = mistakes = 0
    calls = options.calls.resolve()
    before, _ = run(["true"], calls, "none 0 EIO")
    for arguments in COMMANDS:
        command = [str(options.command.resolve()), *arguments.split()]
        normal, _ = run(command, calls, "none 0 EIO")
        assert normal.code == DONE, normal.message
        for call, reasons in FAULTS.items():
            for why in reasons:
                which, met = 0, True
                while met:
                    which += 1
                    got, met = run(command, calls, f"{call} {which} {why}")
                    problem = wrong(got, normal, before, call, why, arguments) if met else ""
                    count, mistakes = count + met, mistakes + bool(problem)
                    if problem:
                        print(f"{arguments}: {call} {which} with {why}: {problem}: {got.message.strip()}")
    print(f"{count} failed calls, {mistakes} not answered as they must be")
    return int(mistakes > 0 or count < len(COMMANDS))


if __name__ == "__main__":
    sys.exit(main())
