/* Published runs of collectives as they are collected: what was run, on which machine, and how it was driven. */
#ifndef PM_LAB_VALIDATION_COLLECTIVE_RUNS_H
#define PM_LAB_VALIDATION_COLLECTIVE_RUNS_H

#include "perfmodel.h"
#include "base/csv.h"
#include "validation/machines.h"

#define PM__RUN_COLUMNS(X)                                                                                         \
  X(system) X(gpus) X(nodes) X(collective) X(message_bytes) X(algbw_GBps) X(time_us) X(nccl_version)               \
  X(protocol_or_algo) X(source) X(note) X(machine) X(gpu_list) X(use)

/* The cells of a row, "" for a column that is not there. */
typedef struct pm__lab_run_cells {
#define PM__RUN_CELL(name) const char *name;
  PM__RUN_COLUMNS(PM__RUN_CELL)
#undef PM__RUN_CELL
} pm__lab_run_cells;

/* All runs of a table: what one row does not say, another of the same source may. */
typedef struct pm__lab_runs {
  pm__lab_run_cells *items;
  size_t count;
  bool machines_said; /* there is a column of machines; an empty cell of it is a machine of unknown wiring */
} pm__lab_runs;

enum { PM__RUN_GPUS = 1024 };

/* Messages by size; copies between two GPUs are a class of their own. */
typedef enum pm__lab_regime { PM__SMALL, PM__MIDDLE, PM__LARGE, PM__COPIES, PM__REGIMES } pm__lab_regime;

/* "<64 KB", "64 KB-16 MB", ">=16 MB", "copies" */
extern const char *const pm__lab_regimes[PM__REGIMES];

typedef struct pm__lab_run {
  const pm__lab_run_cells *cells;
  char machine[PM_TEXT_MAX]; /* "" if none of the catalogue is known to be wired so */
  int32_t gpus, nodes;       /* GPUs of all nodes */
  double bytes, measured;
  bool rate;                 /* what was measured is a bandwidth [B/s], no time [s] */
  pm__lab_regime regime;
} pm__lab_run;

int pm__lab_runs_read(pm__lab_runs *runs, const pm__csv *table, pm_error *error);
void pm__lab_runs_free(pm__lab_runs *runs);

/* Reads the row at `index` as far as it can be read; the error says what is wrong, or that its machine is unknown. */
int pm__lab_run_read(const pm__lab_runs *runs, size_t index, pm__lab_machines *machines, pm__lab_run *run,
                     pm_error *error);

/* The GPUs of each node that took part, and how they were driven. */
typedef struct pm__lab_members {
  int gpus[PM__RUN_GPUS], count;
  pm_group_choice choice;
} pm__lab_members;

void pm__lab_run_members(const pm__lab_runs *runs, const pm__lab_run *run, pm__lab_members *members);

/* Their group; released with pm_group_free. NULL with an error. */
pm_group *pm__lab_run_group(const pm__lab_members *members, const pm_system *system, pm_error *error);

/* What was called. Error: no known collective. */
int pm__lab_run_call(const pm__lab_run *run, pm_call *call, pm_error *error);

#endif
