#!/bin/sh
# A plan for a spreadsheet: VGG-16 and ResNet-50 on a DGX-1 and on the same GPUs behind PCIe, and which of the two is
# faster at eight GPUs.
#
#     sh plan.sh                      PERFMODEL=/path/to/perfmodel sh plan.sh
set -eu
perfmodel=${PERFMODEL:-perfmodel}

"$perfmodel" sweep resnet50,vgg16 dgx1-v100,smc4028gr-v100 --gpus 1,2,4,8 --batch 64 --precision fp16 \
  --format csv -o scaling.csv

# The columns are found by their names, so that a new column breaks nothing.
awk -F, '
  { sub(/\r$/, "") }
  NR == 1 { for (i = 1; i <= NF; i++) { name = $i; sub(/ \[.*/, "", name); column[name] = i }; next }
  $column["gpus"] == 8 { printf "%-10s %-16s %8.0f images/s\n", $column["network"], $column["system"], $column["throughput"] }
' scaling.csv
