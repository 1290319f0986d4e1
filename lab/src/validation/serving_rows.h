/*
** Packed rows of serving: one measured quantity of one run in the terms of the catalogue (data/measured/README.md).
** Columns are the fields of serving_run by name, and network, system, framework (the engine), quantity, value, source,
** use, check, id; of benchmarks that ask for the largest rate within limits, these and the name of the scenario. Runs
** of one network on one system with one engine share a plan.
*/
#ifndef PM_LAB_VALIDATION_SERVING_ROWS_H
#define PM_LAB_VALIDATION_SERVING_ROWS_H

#include "perfmodel-lab.h"
#include "base/csv.h"
#include "validation/comparison.h"

typedef struct pm__lab_serving_plan {
  char network[PM_TEXT_MAX * 2], system[PM_TEXT_MAX], engine[PM_TEXT_MAX];
  pm_plan *plan;
  pm_engine_profile profile; /* that the plan has now */
} pm__lab_serving_plan;

typedef struct pm__lab_serving_row {
  size_t line;
  int plan; /* -1: it cannot be predicted */
  pm_serving_run run;
  const pm_field *quantity; /* of the answer */
  double measured, predicted;
  double limit_ttft, limit_tpot; /* s, at the percentile of the run; NAN: the rate is given */
  const char *source, *id, *scenario;
  bool checked; /* nothing is fitted to it */
  char gpu[PM_TEXT_MAX];
  bool experts; /* the network has some */
} pm__lab_serving_row;

typedef struct pm__lab_serving_rows pm__lab_serving_rows;

/* Reads all rows; those that cannot be predicted are counted by reason. NULL with an error. */
pm__lab_serving_rows *pm__lab_serving_rows_new(const pm_catalog *catalog, const pm__csv *table, pm_error *error);
void pm__lab_serving_rows_free(pm__lab_serving_rows *rows);

pm__lab_serving_row *pm__lab_serving_rows_items(pm__lab_serving_rows *rows, size_t *count);
pm__lab_serving_plan *pm__lab_serving_rows_plan(pm__lab_serving_rows *rows, int plan);


/* Why rows were left out. */
pm__lab_reasons *pm__lab_serving_rows_reasons(pm__lab_serving_rows *rows);

/* Predicts a row with the engine that its plan has. */
void pm__lab_serving_row_predict(const pm__lab_serving_rows *rows, pm__lab_serving_row *row);

/* 100 or 0: whether what was measured lies within the 80 % interval of the prediction; NAN: it has none. */
double pm__lab_serving_row_covered(const pm__lab_serving_rows *rows, const pm__lab_serving_row *row);

#endif
