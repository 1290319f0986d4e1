#!/usr/bin/env python3
"""Makes data/measured/large_models.csv.gz of a table of published training of large models with their plans.

    python3 lab/scripts/pack_large_models.py transformer_parallel.csv.gz

All rows, in their order; columns that nothing reads are dropped.
"""
import csv
import gzip
import io
import sys
from pathlib import Path

COLUMNS = ["model", "framework", "framework_version", "gpu", "gpu_memory_GB", "system", "gpus", "nodes", "global_batch",
           "precision", "optimizer", "seq_len", "throughput", "unit", "source_repo", "source_path",
           "source_commit_or_date", "note", "hidden", "layers", "heads", "kv_heads", "head_dim", "ffn", "gated",
           "vocab",
           "experts", "top_k", "expert_ffn", "shared_ffn", "dense_layers", "attention", "tensor_parallel",
           "sequence_parallel", "pipeline_parallel", "virtual_pipeline_stages", "schedule", "context_parallel",
           "expert_parallel", "zero_stage", "micro_batch", "activation_recompute", "step_time_s", "memory_GB",
           "memory_what"]
TARGET = Path(__file__).resolve().parents[2] / "data" / "measured" / "large_models.csv.gz"


def main():
    with gzip.open(sys.argv[1], "rt", newline="") as table:
        rows = list(csv.DictReader(table))
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    TARGET.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(len(rows), "rows", TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
