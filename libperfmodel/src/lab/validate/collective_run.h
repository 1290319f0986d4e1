/* A published run of a collective, or a copy between two GPUs, in terms of the catalogue. */
#ifndef PM_LAB_VALIDATE_COLLECTIVE_RUN_H
#define PM_LAB_VALIDATE_COLLECTIVE_RUN_H

#include "base/csv.h"
#include "perfmodel/collective.h"
#include "lab/validate/bench.h"

#define PM__RUN_COLUMNS(X)                                                                                         \
  X(system) X(gpus) X(nodes) X(collective) X(message_bytes) X(algbw_GBps) X(time_us) X(nccl_version)               \
  X(protocol_or_algo) X(source) X(note) X(machine) X(gpu_list) X(use)

/* The cells of a row, "" for a column that is not there. */
typedef struct pm__run_cells {
#define PM__CELL(name) const char *name;
  PM__RUN_COLUMNS(PM__CELL)
#undef PM__CELL
} pm__run_cells;

/* All runs of a table: what one row does not say, another of the same source may. */
typedef struct pm__runs {
  pm__run_cells *items;
  size_t count;
  bool machines_said; /* there is a column of machines; an empty cell of it is a machine of unknown wiring */
} pm__runs;

int pm__runs_read(pm__runs *runs, const pm__csv *table, pm_error *error);

typedef struct pm__collective_run {
  char machine[PM_TEXT_MAX]; /* "" if none of the catalogue is known to be wired so */
  int32_t gpus, nodes;       /* GPUs of all nodes */
  double bytes, measured;
  bool copy, rate;           /* a copy between two GPUs; what was measured is a bandwidth [B/s], no time [s] */
  char algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX]; /* that the prediction takes */
} pm__collective_run;

/* Reads the row at `index` and predicts it; *predicted is in the unit of what was measured. The error says why there is no
** prediction, the run is then as far as it could be read. */
int pm__runs_predict(const pm__runs *runs, size_t index, const pm_catalog *catalog, pm__bench *bench,
                     pm__collective_run *out, double *predicted, pm_error *error);

#endif
