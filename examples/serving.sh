#!/bin/sh
# A plan for a spreadsheet: Llama 3 70B in FP8 on two machines, by layout and number of clients, and the fastest layout
# of each machine whose tokens still come within 40 ms.
#
#     sh serving.sh                   PERFMODEL=/path/to/perfmodel sh serving.sh
set -eu
perfmodel=${PERFMODEL:-perfmodel}

"$perfmodel" sweep llama3-70b hgx-h100,dgx-h200 --serve --gpus 8 --tp 2,4,8 --precision fp8 --isl 2048 --osl 256 \
  --concurrency 8,16,32,64,128,256 --format csv -o serving.csv

# The columns are found by their names, so that a new column breaks nothing.
awk -F, '
  { sub(/\r$/, "") }
  NR == 1 { for (i = 1; i <= NF; i++) { name = $i; sub(/ \[.*/, "", name); column[name] = i }; next }
  { machine = $column["system"]; rate = $column["output_rate"] }
  $column["status"] == "ok" && $column["tpot"] <= 0.040 && rate > best[machine] {
    best[machine] = rate
    text[machine] = sprintf("TP %d, %d clients", $column["tensor_parallel"], $column["concurrency"])
  }
  END { for (machine in best) printf "%-10s %6.0f tokens/s: %s\n", machine, best[machine], text[machine] }
' serving.csv | sort
