/*
** Packed rows of energy: one measured quantity of one run (data/measured/README.md). Columns are the fields of a run of
** training by name, and
**
**     kind                 what a row is summed up with: training, limit-busy, serving, node-training, log, ...
**     system               the system, or a GPU
**     flop, rate           FLOP of a sample or token, and their measured rate over all GPUs
**     busy                 share of the time in which kernels run; empty: all of it
**     full_power           mean draw of a board in the same run under its own limit [W]
**     cooling              of a node: air, liquid
**     quantity, value      gpu_power [W], power of nodes at the wall [W], energy_per_sample, energy_per_token [J],
**                          slowdown and energy_factor of a power limit
**     id, source, words, use, check, framework   as of packed rows
**
**     tpot                 of task serving with a network: measured time per token [s]
**
** A row of training with a network is predicted from it, time included; of any other the time is known, and the law of
** power alone is compared. A row of serving with a network takes from the model of serving how long kernels run.
*/
#ifndef PM_LAB_VALIDATION_ENERGY_ROWS_H
#define PM_LAB_VALIDATION_ENERGY_ROWS_H

#include "perfmodel-lab.h"
#include "base/csv.h"
#include "validation/comparison.h"
#include "validation/predictor.h"

typedef enum pm__lab_energy_quantity {
  PM__ENERGY_GPU_POWER,
  PM__ENERGY_POWER,
  PM__ENERGY_PER_SAMPLE,
  PM__ENERGY_PER_TOKEN,
  PM__ENERGY_SLOWDOWN,
  PM__ENERGY_FACTOR,
  PM__ENERGY_QUANTITIES
} pm__lab_energy_quantity;

typedef struct pm__lab_energy_row {
  size_t line;
  int system, run;      /* of the predictor; run -1: the time is known */
  pm__lab_energy_quantity quantity;
  double gpus, nodes, rate, cooling_liquid;
  pm_board_load load;
  double limit;         /* W: what the board may draw in this run */
  double measured, predicted, low, high; /* low, high: the 80 % interval, or NAN */
  double design;        /* what the limit, drawn all the time, would make of it */
  bool check;           /* compared, and no constant is fitted to it */
  const char *kind, *source, *id;
} pm__lab_energy_row;

typedef struct pm__lab_energy_plans pm__lab_energy_plans; /* of rows of serving */

typedef struct pm__lab_energy_rows {
  const pm_catalog *catalog;
  const pm__csv *table;
  pm__lab_predictor *predictor;
  pm__lab_energy_plans *plans;
  pm__lab_energy_row *items;
  size_t count;
  pm__lab_reasons reasons;
} pm__lab_energy_rows;

/* Reads all rows, and predicts them; those that cannot be are counted by reason. */
int pm__lab_energy_rows_read(pm__lab_energy_rows *rows, const pm_catalog *catalog, const pm__csv *table,
                             pm_error *error);
void pm__lab_energy_rows_free(pm__lab_energy_rows *rows);

/* Predicts one whose time is known with these constants. */
int pm__lab_energy_row_predict(const pm__lab_energy_rows *rows, pm__lab_energy_row *row,
                               const pm_kernel_calibration *constants, pm_error *error);

const pm_gpu *pm__lab_energy_row_gpu(const pm__lab_energy_rows *rows, const pm__lab_energy_row *row);

const char *pm__lab_energy_unit(pm__lab_energy_quantity quantity);

#endif
