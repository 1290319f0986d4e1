#!/bin/sh
# Published rates of ResNet-50 training in PyTorch beside their predictions: the rows of published.csv, whose columns are
# those of the shipped measurements. A table of your own runs takes its place: perfmodel validate --set training --data
set -eu
perfmodel=${PERFMODEL:-perfmodel}
data=$(dirname "$0")/published.csv

"$perfmodel" validate --set training --data "$data" --rows --format csv | tr -d '\r' | awk -F, '
  FNR == 1 { file++; next }
  file == 1 { gpu[FNR] = $3 " " $4 " GB"; gpus[FNR] = $6; batch[FNR] = $8; precision[FNR] = $9; next }
  {
    if (FNR == 2) {
      print "GPU           GPUs  batch per GPU  precision   published  predicted   error"
      print "------------  ----  -------------  ----------  ---------  ----------  -----"
    }
    split($1, id, " ") # the line of the row in the file
    row = id[1]
    printf "%-12s  %4d  %13d  %-10s  %9.0f  %10.0f  %+3.0f %%\n", gpu[row], gpus[row], batch[row], precision[row],
           $3, $4, $6
    error = $6 < 0 ? -$6 : $6
    sum += error
    if (error > most) most = error
  }
  END {
    printf "\nPredictions of images/s are %.0f %% off on average and %.0f %% at most on these %d runs,", sum / (FNR - 1), most, FNR - 1
    print "\nwhich are among those that the constants for PyTorch were fitted to."
  }' "$data" -
