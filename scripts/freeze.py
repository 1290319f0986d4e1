#!/usr/bin/env python3
"""Freezes what a build predicts, and compares another build with it.

freeze.py write COMMAND FOLDER [--data FOLDER]   runs the perfmodel COMMAND over a sample and writes what it says
freeze.py compare COMMAND FOLDER [--frozen-catalog]   runs the same with another build and compares every number

`write` draws the sample from what the command lists; `compare` runs what was written, so that a later catalogue does
not change the sample. A number is the same if it agrees to 1e-12 of itself, a text if it is equal. A number that is the small
difference of large ones need agree to 1e-12 of these only (DIFFERENCE_OF).
With --frozen-catalog the entries of the frozen catalogue take the place of those that the command has inside, and errors of
validation are not compared: its rows have grown since.
Exit status: 0 if what differs is exactly what exceptions.txt names, 1 if not, 2 if the question was wrong.
"""

import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import functools
import gzip
import io
import itertools
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

# Names that changed since the results were frozen, one a line: what is on the left is in the frozen results.
# Words of the command line, by command. What is empty now is taken from a list: one name that is refused would take the
# answers of the others with it.
WORDS: dict[tuple[str, str], str] = {
    ("predict", "--parallel"): "--parallelism",
    ("sweep", "--parallel"): "--parallelism",
    ("validate", "seeds"): "statements",
    ("kernel", "--columns"): "--row-size",
    ("sweep", "tensorrt"): "",
}

# What a line that names no framework was answered for, by command; of inference and of training.
FRAMEWORKS = {"predict": "generic", "sweep": "generic", "size": "generic", "sensitivity": "generic", "infer": "tensorrt"}
INFERENCE = {"size": "--latency", "sensitivity": "--inference"}

# Columns, with their unit.
COLUMNS: dict[str, str] = {
    "parallel": "parallelism",
    "waiting_time [s]": "straggler_wait_time [s]",
    "usable [B]": "usable_memory [B]",
    "backward_data_time [s]": "dgrad_time [s]",
    "backward_weight_time [s]": "wgrad_time [s]",
    "utilization": "mfu",
    "host_wait_time [s]": "launch_overhead_time [s]",
    "host_time [s]": "launch_time [s]",
    "host_share": "launch_overhead_share",
    "memory_share": "memory_bandwidth_share",
    "input_share": "input_wait_share",
    "limit": "bottleneck",
    "utilisation": "gpu_busy",
    "starvation": "input_wait_share",
    "accumulation": "gradient_accumulation_steps",
    "input_in_turn": "no_prefetch",
    "input_limit": "input_bottleneck",
}

# Texts in the columns, by column.
TEXTS: dict[tuple[str, str], str] = {
    **{(column, old): new for column in ("bottleneck", "limit", "bound") for old, new in (
        ("waiting", "straggler-wait"), ("memory", "memory-bandwidth"), ("host", "launch-overhead"))},
    ("set", "seeds"): "statements",
    ("verdict", "marginal"): "tight",
    ("optimizer", "rmsprop-operations"): "rmsprop-unfused",
    ("optimizer", "adamw-operations"): "adamw-unfused",
    ("optimizer", "lamb-operations"): "lamb-unfused",
}

# Words within the names of groups of rows.
PARTS = {"-backward-data ": "-dgrad ", "-backward-weight ": "-wgrad "}

NETWORK = re.compile(r'<network id="([^"]+)"')

TOLERANCE = 1e-12
DIGITS = 14  # rounds by 5e-14 at most, far within the tolerance, and takes a fifth less room than 17

# What follows from other frozen columns has fewer digits: it shall be there and be right, but decides nothing.
FEW_DIGITS = 8
FEW_TOLERANCE = 2e-7  # two numbers that are equal may round apart by one of the last digit
FOLLOWS = {
    "throughput_p10 [1/s]", "throughput_p90 [1/s]", "scaling_efficiency", "strong_scaling_efficiency",
    "bus_bandwidth [B/s]", "memory_share", "utilization", "flop_rate [FLOP/s]", "bandwidth [B/s]",
    "algorithm_bandwidth [B/s]", "achieved [FLOP/s]", "intensity [FLOP/B]", "time_p10 [s]", "time_p90 [s]",
}

# Small differences of large numbers, in which these cancel and their last digits are left: they are compared with what
# they were taken from, a column of the row or a number. A percentage is a share already, and a bias may cancel.
DIFFERENCE_OF: dict[str, str | float] = {
    "host_wait_time [s]": "step_time [s]", "exposed_communication_time [s]": "step_time [s]",
    "waiting_time [s]": "step_time [s]", "change": 1.0, "elasticity": 1.0,
    "mape [%]": 1.0, "median [%]": 1.0, "p90 [%]": 1.0, "bias [%]": 1.0, "roofline mape [%]": 1.0,
}

# The columns that say which row it is. All others hold results.
KEYS = {
    "training": ["network", "system", "framework", "gpus", "nodes", "batch", "precision"],
    "inference": ["network", "system", "profile", "batch", "precision"],
    "memory": ["network", "gpu", "framework", "optimizer", "batch", "precision"],
    "collective": ["collective", "gpus", "nodes", "bytes [B]"],
    "sensitivity": ["resource"],
    "upgrade": ["name"],
    "size": ["system", "framework", "batch", "precision", "nodes"],
    "kernel": [],
    "layers": ["name"],
    "validate": ["set", "group"],
}

# Columns that repeat the question, or are sums and quotients of those kept, would only take room.
LEFT_OUT = {
    "training": {
        "overlap", "kernel_model", "epoch_samples", "parallelism", "optimizer", "accumulation", "input_rate [1/s]",
        "input_in_turn", "compute_time [s]", "communication_share", "host_share", "straggler_wait_share",
        "input_share", "gpu_busy", "flop_rate [FLOP/s]", "utilization",
    },
}

TRAINING_OPTIMIZERS = "momentum sgd adam lamb rmsprop-operations adam-unfused adamw-operations lamb-operations none"
PARALLELISM = "all-reduce data-parallel parameter-server async model-channels model-layers hybrid"
COLLECTIVES = "all_reduce reduce_scatter all_gather broadcast reduce all_to_all send_receive gather scatter"
ALGORITHMS = "ring tree nvls nvls-tree pairs collnet halving-doubling hierarchical parameter-server data-parallel"
SETS = "seeds training inference kernels collectives storage"
KERNELS = """
gemm --m 1024 --n 2048 --k 512
gemm --m 4096 --n 128 --k 1024 --count 12 --tn
conv --channels 64 --size 56 --batch 32
conv --channels 64 --size 56 --batch 32 --kernel 1 --out-channels 256 --pass backward-data
conv --channels 3 --out-channels 64 --size 224 --kernel 7 --stride 2 --batch 16 --pass backward-weight
conv --channels 96 --size 28x14 --groups 96 --batch 8
pooling --channels 64 --size 112 --batch 32
elementwise --elements 10000000
batch-norm --elements 10000000
layer-norm --rows 4096 --columns 1024
softmax --rows 8192 --columns 4096
reduction --rows 8192 --columns 1024
embedding --rows 4096 --columns 768
attention --heads 16 --tokens 512 --head-size 64 --batch 8
attention --heads 16 --tokens 512 --head-size 64 --batch 8 --pass backward
attention --heads 16 --tokens 512 --head-size 64 --batch 8 --unfused
lstm --hidden 512 --batch 32 --steps 25
lstm --hidden 512 --batch 32 --steps 25 --persistent --pass backward-weight
gru --hidden 1024 --batch 64 --steps 50 --pass backward-data
rnn --hidden 1760 --batch 16 --steps 50
optimizer --parameters 25600000 --optimizer adam
optimizer --parameters 25600000 --optimizer lamb
copy --bytes 64MiB
copy --bytes 1MiB --pageable
"""


# --- The command -----------------------------------------------------------------------------------------------------

class Command:
    """A perfmodel command, with what has to be said to it so that it answers what was frozen."""

    def __init__(self, path: str, catalog: Path | None = None):
        self.path = path
        # --catalog reads a folder without those in it. The root comes first: it has the sources of the others.
        folders = sorted({file.parent for file in catalog.rglob("*.xml")}) if catalog else []
        self.folders = [folder for folder in folders if folder.name != "networks"]
        self.networks = {file: set(NETWORK.findall(file.read_text())) for folder in folders
                         for file in sorted(folder.glob("*.xml")) if folder.name == "networks"}

    @functools.cache
    def knows(self, command: str, option: str) -> bool:
        done = subprocess.run([self.path, command, "--help"], capture_output=True, text=True, check=False)
        return option in done.stdout

    def words(self, line: str) -> list[str]:
        """The words of a frozen line in today's names. A run too large for its GPU shall be predicted all the same."""
        old = shlex.split(line)
        words = [",".join(filter(None, (WORDS.get((old[0], part), part) for part in word.split(",")))) for word in old]
        return words + framework_words(words) + (["--ignore-memory"] if self.knows(words[0], "--ignore-memory") else [])

    def catalog(self, line: str) -> list[str]:
        """Options for the frozen catalogue. Networks take long to read: only the files with those of the line are,
        unless it is about all that was measured."""
        named = set(re.split(r"[\s,]", line))
        files = [file for file, networks in self.networks.items() if networks & named or line.startswith("validate")]
        return [word for path in [*self.folders, *files] for word in ("--catalog", str(path))]

    def rows(self, line: str) -> list[dict]:
        """The rows that the command prints; if it refuses, one row that says with which exit status."""
        words = [self.path, *self.words(line), "--format", "csv", "--quiet", *self.catalog(line)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        return rows or [{"exit": str(done.returncode)}]

    def names(self, kind: str) -> list[str]:
        return [next(iter(row.values())) for row in self.rows(f"list {kind}")]


def framework_words(words: list[str]) -> list[str]:
    """The framework that a line left to the command: what that is has changed since."""
    if words[0] not in FRAMEWORKS or "--framework" in words:
        return []
    return ["--framework", "tensorrt" if INFERENCE.get(words[0]) in words else FRAMEWORKS[words[0]]]


def run_all(command: Command, runs: list[str]) -> list[list[dict]]:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(command.rows, runs))


# --- The sample ------------------------------------------------------------------------------------------------------

class Sample:
    """Runs that together use every name that the catalogue lists.

    Names are dealt like cards: each run takes the next few of every kind. As the kinds differ in size, the runs meet
    ever other combinations, and no random numbers are needed.
    """

    def __init__(self, command: Command):
        kinds = ("networks systems frameworks gpus inference_profiles memory_profiles optimizers precisions "
                 "library_eras calibrations").split()
        names = {kind: command.names(kind) for kind in kinds}
        names["frameworks"] = [*names["frameworks"], "none"]
        self.names = names
        self.decks = {kind: itertools.cycle(cards) for kind, cards in names.items()}

    def deal(self, kind: str, count: int = 1) -> str:
        return ",".join(next(self.decks[kind]) for _ in range(count))

    def lines(self) -> list[tuple[str, str]]:
        parts = [training, inference, memory, collective, sensitivity, upgrade, size, kernel, layers, validate]
        return [(part.__name__, line) for part in parts for line in part(self)]


def sweep(networks: str, systems: str, frameworks: str, options: str) -> list[str]:
    """A sweep. Framework none stands by itself in a command, so that a list with it becomes two."""
    some = [name for name in frameworks.split(",") if name != "none"]
    lists = ([",".join(some)] if some else []) + (["none"] if "none" in frameworks.split(",") else [])
    return [f"sweep {networks} {systems} --framework {names} {options}" for names in lists]


def training(sample: Sample) -> list[str]:
    parts = [systems_in_turn, networks_in_turn, frameworks_in_turn, ways_in_turn, optimizers_in_turn,
             rooflines, eras, odd_options]
    return [line for part in parts for line in part(sample)]


def systems_in_turn(sample: Sample) -> list[str]:
    """Every system with a few networks, frameworks and precisions; in one node, and in several."""
    lines = []
    for system in sample.names["systems"]:
        precisions = ",".join(dict.fromkeys(["fp32", "fp16", sample.deal("precisions")]))
        lines += sweep(sample.deal("networks", 5), system, sample.deal("frameworks", 3),
                       f"--precision {precisions} --batch 4,64 --gpus 1,4")
        lines += sweep(sample.deal("networks", 2), system, sample.deal("frameworks", 2),
                       "--precision fp16 --batch 32 --gpus 1,8 --nodes 2,4,16")
    return lines


def networks_in_turn(sample: Sample) -> list[str]:
    networks = ",".join(sample.names["networks"])
    return [
        f"sweep {networks} dgx1-v100 --framework pt-nchw,generic --precision fp32,fp16 --batch 8,128 --gpus 8",
        f"sweep {networks} dgx-a100 --framework pt-nhwc,tf1-xla --precision tf32,bf16 --batch 32 --gpus 8 --nodes 2",
        f"sweep {networks} dgx1-p100 --framework none --precision fp32,fp16 --batch 32 --gpus 1,8",
        f"sweep {networks} dgx-h100 --framework generic --precision fp8,fp64,int8,fp16-storage --batch 16 --gpus 2",
    ]


def frameworks_in_turn(sample: Sample) -> list[str]:
    systems, frameworks = (",".join(sample.names[kind]) for kind in ("systems", "frameworks"))
    return [
        *sweep("resnet50", systems, frameworks, "--precision fp16 --batch 64 --gpus 4"),
        *sweep("bert-base", systems, frameworks, "--precision fp32 --batch 16 --gpus 1 --nodes 2"),
    ]


def ways_in_turn(sample: Sample) -> list[str]:
    """Every way to share the work, with every way to hide what it says."""
    lines = []
    for way, overlap in itertools.product(PARALLELISM.split(), ("none", "backward", "framework")):
        # These two are known for few frameworks; the rest is refused.
        some = "mxnet17,tf1-nchw,tf1-nhwc" if way in ("parameter-server", "async") else "mxnet17,pt-nchw"
        lines += sweep("alexnet,vgg16,resnet50,bert-base,gnmt", "dgx1-v100,dgx1-p100,p3",
                       f"{some},{sample.deal('frameworks', 2)}",
                       f"--parallelism {way} --overlap {overlap} --gpus 4 --nodes 1,2 --batch 64")
    return lines


def optimizers_in_turn(sample: Sample) -> list[str]:
    lines = []
    for optimizer, batches in itertools.product(TRAINING_OPTIMIZERS.split(), (1, 4)):
        lines += sweep(sample.deal("networks", 6), sample.deal("systems", 2), sample.deal("frameworks", 3),
                       f"--optimizer {optimizer} --accumulation {batches} --precision fp32,fp16 --gpus 1,4")
    return lines


def rooflines(sample: Sample) -> list[str]:
    networks = ",".join(sample.names["networks"])
    lines = [f"sweep {networks} dgx1-v100,dgx-h100 --framework none --kernels roofline --precision fp16 --gpus 8"]
    for system in ("dgx2", "mi300x-node", "p2-xlarge"):
        lines += sweep(sample.deal("networks", 12), system, sample.deal("frameworks", 4),
                       "--kernels roofline --precision fp32,fp16")
    return lines


def eras(sample: Sample) -> list[str]:
    frameworks = ",".join(f"{name}@{era}" for era in sample.names["library_eras"] for name in ("tf1-nchw", "pt-nhwc"))
    return [f"sweep resnet50,mobilenet-v2,gnmt dgx1-v100,dgx1-p100,dgx-a100 --framework {frameworks} "
            "--precision fp32,fp16 --gpus 1"]


def odd_options(_: Sample) -> list[str]:
    start = "sweep resnet50,vgg16 dgx1-v100,dgx2 --precision fp16 --gpus 1,8"
    return [
        f"{start} --set image=299 --batch 16,64",
        f"{start} --global-batch 256,1024 --nodes 1,2",
        f"{start} --input-rate 3000 --framework tf1-nchw",
        f"{start} --input-rate 3000 --in-turn --framework tf1-nchw",
        f"{start} --dataset ilsvrc2012 --framework mxnet-ngc",
    ]


def inference(sample: Sample) -> list[str]:
    lines = []
    profiles = itertools.cycle([*sample.names["inference_profiles"], "generic"])
    for number, profile in zip(range(330), profiles):
        precisions = ["fp32,fp16,int8", f"fp32,bf16,{sample.deal('precisions')}"][number % 2]
        precisions = ",".join(dict.fromkeys(precisions.split(",")))
        lines.append(f"infer {sample.deal('networks')} {sample.deal('gpus')} --framework {profile} "
                     f"--batch 1,8,128 --precision {precisions}" + (" --kernels roofline" if number % 11 == 0 else ""))
    for profile in sample.names["inference_profiles"]:
        lines.append(f"infer resnet50 {sample.deal('systems')} --framework {profile} --latency '20 ms' "
                     "--precision fp32,fp16 --gpus 1 --nodes 2")
    return lines


def memory(sample: Sample) -> list[str]:
    lines = []
    for number in range(900):
        sharing = f"--dp {[1, 8, 64][number // 2 % 3]} --zero {number // 6 % 4}"
        again = ["none", "selective", "full"][number // 24 % 3]
        precision = ["fp32", "fp16", "bf16", sample.deal("precisions")][number % 4]
        lines.append(f"memory {sample.deal('networks')} {sample.deal('gpus')} --batch {[1, 32, 256][number % 3]} "
                     f"--framework {sample.deal('memory_profiles')} --optimizer {sample.deal('optimizers')} "
                     f"--precision {precision} {sharing} --recompute {again}"
                     + (" --inference" if number % 13 == 0 else ""))
    return lines


def collective(sample: Sample) -> list[str]:
    sizes = "--bytes 4096,1MiB,1GB"
    lines = [f"collective {system} {name} --nodes {nodes} {sizes}"
             for (number, system), (place, name) in itertools.product(enumerate(sample.names["systems"]),
                                                                      enumerate(COLLECTIVES.split()))
             for nodes in ((1, 2) if place == 0 else ([1, 2, 4][(number + place) % 3],))]
    lines += [f"collective {system} all_reduce --algorithm {name} --nodes {nodes} {sizes}"
              for system in ("dgx1-v100", "dgx1-p100", "dgx2", "dgx-h100", "dgx-a100") for name in ALGORITHMS.split()
              for nodes in (1, 2)]
    options = [f"--protocol {name}" for name in ("ll", "ll128", "simple")] + [
        "--era nccl-2.0", "--era nccl-1", "--in-network", "--thread-gpus 8", "--gpus 0,1,2"]
    return lines + [f"collective {system} all_reduce {option} {sizes}" + (" --nodes 4" if "work" in option else "")
                    for system in ("dgx1-v100", "dgx-h100", "ac922") for option in options]


def sensitivity(sample: Sample) -> list[str]:
    lines = [f"sensitivity {sample.deal('networks')} {system} --framework {framework} --precision fp16 --nodes {nodes}"
             for framework in sample.names["frameworks"] for nodes, system in ((1, "dgx1-v100"), (2, "dgx-a100"))]
    return lines + [
        "sensitivity resnet50 c4140-v100-pcie --gpus 4 --nodes 2 --batch 8 --storage isilon-f800 --raise '20 %'",
        "sensitivity resnet50 p3 --inference --batch 8 --framework tensorrt --raise '-10 %'",
    ]


def upgrade(_: Sample) -> list[str]:
    changes = "system=dgx1-v100@149000 USD,gpu=v100-sxm2,nvlink1=nvlink2,network=infiniband-hdr@20000 USD"
    return [f"sensitivity {network} dgx1-p100 --gpus 8 --nodes 4 --batch 64 --upgrade '{changes}'"
            for network in ("resnet50", "vgg16", "bert-base")]


def size(_: Sample) -> list[str]:
    some = "--system dgx1-v100,c4140-v100-sxm2,dgx-a100 --precision fp32,fp16"
    prices = "--price 'dgx1-v100=149000 USD,dgx1-p100=129000 USD' --price-date 2018-05 --minimize cost"
    return [
        f"size resnet50 --epochs 90 --within '6 h' {some} --batch 64,128",
        f"size bert-base --target-rate '2000 1/s' {some} --framework pt-nchw,tf1-xla --minimize power --pue 1.4",
        f"size vgg16 --target-rate '5000 1/s' --system dgx1-v100,dgx1-p100 {prices}",
        "size resnet50 --epochs 90 --within '2 h' --system dgx1-v100,dgx1-p100 --precision fp16 --front",
        "size resnet50 --epochs 90 --within '1 min' --system dgx1-v100 --precision fp16 --global-batch 1024",
        "size resnet50 --target-rate '20000 1/s' --latency '10 ms' --system t4,v100,dgx1-v100 --precision fp16,int8",
    ]


def kernel(sample: Sample) -> list[str]:
    """Every family on a dozen GPUs, so that all are dealt in the end. Copies take no precision."""
    lines = []
    for number, (family, _) in enumerate(itertools.product(KERNELS.strip().splitlines(), range(12))):
        precision = ["fp32", "fp16", sample.deal("precisions")][number % 3]
        option = "" if family.startswith("copy") else f" --precision {precision}"
        model = " --kernels roofline" if number % 7 == 0 else ""
        lines.append(f"kernel {family} --gpu {sample.deal('gpus')}{option}{model}")
    return lines


def layers(_: Sample) -> list[str]:
    return [*(f"layers {network} --batch 8 --precision fp16" for network in ("resnet50", "bert-base", "gnmt", "dlrm")),
            *(f"layers {network} --by kind" for network in ("vgg16", "mixtral-8x7b", "ssd300", "jasper-10x5")),
            *(f"layers {network} --by tree --framework mxnet" for network in ("inception-v4", "swin-t", "nnu-net-3d"))]


def validate(_: Sample) -> list[str]:
    return [f"validate --set {name}" for name in SETS.split()]


# --- Writing ---------------------------------------------------------------------------------------------------------

def rounded(column: str, text: str) -> str:
    """A number with the digits that count; a text as it is."""
    try:
        return f"{float(text):.{FEW_DIGITS if column in FOLLOWS else DIGITS}g}"
    except ValueError:
        return text


def write_packed(path: Path, content: bytes) -> None:
    """The same content gives the same file: no name and no time go into it."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(content)


def kept(name: str, run: int, row: dict) -> dict:
    return {"run": str(run), **{key: rounded(key, value) for key, value in row.items()
                                if key not in LEFT_OUT.get(name, ())}}


def write_set(folder: Path, name: str, rows: list[dict]) -> None:
    text = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_packed(folder / f"{name}.csv.gz", text.getvalue().encode())


def write(command: Command, folder: Path) -> None:
    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    lines = Sample(command).lines()
    write_packed(results / "runs.txt.gz", "".join(f"{name}\t{line}\n" for name, line in lines).encode())
    answers = run_all(command, [line for _, line in lines])
    sets = collections.defaultdict(list)
    for run, ((name, _), rows) in enumerate(zip(lines, answers)):
        sets[name] += [kept(name, run, row) for row in rows]
    for name, rows in sets.items():
        write_set(results, name, rows)
        print(f"{name}: {len(rows)} rows")


def write_catalog(data: Path, path: Path) -> None:
    """The entries of the catalogue; measurements are left out: predictions do not read them."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for file in sorted(data.rglob("*.xml")):
            if file.relative_to(data).parts[0] != "measured":
                member = tarfile.TarInfo(file.relative_to(data).as_posix())
                member.size = file.stat().st_size
                archive.addfile(member, io.BytesIO(file.read_bytes()))
    write_packed(path, text.getvalue())


# --- Comparing -------------------------------------------------------------------------------------------------------

Difference = collections.namedtuple("Difference", "run row column old new relative")


class Exceptions:
    """Differences that are meant: lines of set, filter, column and reason, with tabs between."""

    def __init__(self, path: Path):
        lines = path.read_text().splitlines() if path.exists() else []
        self.rules = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
        wrong = [rule for rule in self.rules if len(rule) != 4]
        if wrong:
            sys.exit(f"freeze: {path}: not set, filter, column, reason with tabs between: {wrong[0]}")
        self.used = [0] * len(self.rules)

    def name(self, kind: str, difference: Difference, line: str) -> bool:
        """True if a rule names this difference; every rule that does so counts as used."""
        found = False
        for number, (name, pattern, column, _) in enumerate(self.rules):
            if name == kind and is_one_of(difference.column, column) and matches(pattern, difference.row, line):
                self.used[number] += 1
                found = True
        return found


def is_one_of(text: str, patterns: str) -> bool:
    """Patterns have | between; each may have * in it."""
    return any(fnmatch.fnmatchcase(text, pattern.replace("[", "[[]")) for pattern in patterns.split("|"))


def matches(pattern: str, row: dict, line: str) -> bool:
    """A filter is * or column=patterns with & between, columns named as frozen, texts as today; `command` is the
    frozen command line."""
    if pattern == "*":
        return True
    pairs = (pair.split("=", 1) for pair in pattern.split("&"))
    return all(is_one_of({**row, "command": line}.get(column, ""), values) for column, values in pairs)


def least_scale(column: str, row: dict) -> float:
    """The least that a number is compared with: that of which it is a small difference."""
    of = DIFFERENCE_OF.get(column, 0.0)
    return number(row.get(of)) if isinstance(of, str) else of


def number(text: str | None) -> float:
    """The number that a cell holds; 0 if it holds none."""
    try:
        return float(text or 0)
    except ValueError:
        return 0.0


def relative(old: str, new: str, least: float) -> float:
    """How far two cells are apart, relative to the larger number or to `least`."""
    if old == new:
        return 0.0
    try:
        one, other = float(old), float(new)
    except ValueError:
        return float("inf")
    most = max(abs(one), abs(other), least)
    return abs(one - other) / most if most < float("inf") else float("inf")


def is_same(column: str, distance: float) -> bool:
    return distance <= (FEW_TOLERANCE if column in FOLLOWS else TOLERANCE)  # not so for NaN


def keyed(name: str, rows: list[dict], rename: dict) -> dict:
    """The rows by what they answer; rows of the same key are told apart by their order."""
    seen: collections.Counter = collections.Counter()
    table = {}
    for row in rows:
        key = tuple(rounded(column, row.get(rename.get(column, column)) or "") for column in KEYS[name])
        table[(*key, seen[key])] = row
        seen[key] += 1
    return table


def translated(row: dict) -> dict:
    now = {column: TEXTS.get((column, value), value) for column, value in row.items()}
    for old, new in PARTS.items() if "group" in now else ():
        now["group"] = now["group"].replace(old, new)
    return now


def compare_row(run: int, old: dict, new: dict) -> list[tuple[Difference, bool]]:
    """Every cell that was frozen, with its distance. Columns that are new are no concern."""
    cells = []
    for column, value in old.items():
        now = new.get(COLUMNS.get(column, column), new.get(column))  # not every set has renamed it
        if now is None and value == "":
            continue  # a column of other runs of the set
        text = "(no such column)" if now is None else rounded(column, now)
        distance = float("inf") if now is None else relative(value, text, least_scale(column, old))
        cells.append((Difference(run, old, column, value, text, distance), is_same(column, distance)))
    return cells


def compare_run(name: str, run: int, old: list[dict], new: list[dict]) -> list[tuple[Difference, bool]]:
    before, after = keyed(name, [translated(row) for row in old], {}), keyed(name, new, COLUMNS)
    cells = []
    for key, row in before.items():
        if key in after:
            cells += compare_row(run, row, after[key])
        else:
            cells.append((Difference(run, row, "row", "there", "(no such row)", float("inf")), False))
    cells += [(Difference(run, row, "row", "(no such row)", "there", float("inf")), False)
              for key, row in after.items() if key not in before]
    return cells


def frozen(results: Path, name: str) -> dict[int, list[dict]]:
    """The rows of a set by run. A refusal has no columns but its exit status."""
    runs = collections.defaultdict(list)
    with gzip.open(results / f"{name}.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            run = int(row.pop("run"))
            status = row.pop("exit", "")
            runs[run].append({"exit": status} if status else row)
    return runs


def report(name: str, runs: dict, cells: list, lines: list, exceptions: Exceptions) -> int:
    """Prints the line of a set and its first differences; returns how many differences nobody named."""
    bad = [cell for cell, same in cells if not same]
    unnamed = [cell for cell in bad if not exceptions.name(name, cell, lines[cell.run][1])]
    numbers = [cell.relative for cell, _ in cells if cell.relative < float("inf")]
    rows = len({(cell.run, id(cell.row)) for cell in bad})
    print(f"{name}: {len(runs)} runs, {sum(map(len, runs.values()))} rows, largest relative difference "
          f"{max(numbers, default=0.0):.2g}, {rows} rows differ, {len(unnamed)} differences without an exception")
    for cell in unnamed[:10]:
        key = " ".join(f"{column}={cell.row.get(column, '')}" for column in KEYS[name])
        print(f"  {cell.column}: {cell.old} -> {cell.new} ({cell.relative:.3g})  {key}\n    {lines[cell.run][1]}")
    return len(unnamed)


def compare(command: Command, folder: Path, passed_over: set[str]) -> int:
    results = folder / "results"
    with gzip.open(results / "runs.txt.gz", "rt") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    asked = [i for i, (name, _) in enumerate(lines) if name not in passed_over]
    answers = dict(zip(asked, run_all(command, [lines[i][1] for i in asked])))
    exceptions = Exceptions(folder / "exceptions.txt")
    unnamed = 0
    for name in dict.fromkeys(lines[i][0] for i in asked):
        runs = frozen(results, name)
        cells = [cell for run, rows in runs.items() for cell in compare_run(name, run, rows, answers[run])]
        unnamed += report(name, runs, cells, lines, exceptions)
    idle = [rule for rule, used in zip(exceptions.rules, exceptions.used) if not used]
    for rule in idle:
        print(f"exception without a difference: {' | '.join(rule)}")
    print("same" if unnamed == 0 else f"{unnamed} differences without an exception")
    return unnamed + len(idle)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("command", help="the perfmodel command of a build")
    parser.add_argument("folder", type=Path, help="such as tests/compat/0.1.0")
    parser.add_argument("--data", type=Path, help="write: also freeze the catalogue in this folder")
    parser.add_argument("--frozen-catalog", action="store_true", help="compare: with the entries that were frozen")
    given = parser.parse_args()
    if given.what == "compare":
        with tempfile.TemporaryDirectory() as scratch:
            if given.frozen_catalog:
                tarfile.open(given.folder / "catalog.tar.gz").extractall(scratch, filter="data")
            command = Command(given.command, Path(scratch))  # an empty folder if nothing was unpacked
            return 1 if compare(command, given.folder, {"validate"} if given.frozen_catalog else set()) else 0
    write(Command(given.command), given.folder)
    if given.data:
        write_catalog(given.data, given.folder / "catalog.tar.gz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
