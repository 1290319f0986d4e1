/* Published rates of training as rows of a fit. */
#ifndef PM_LAB_CALIBRATE_TRAINING_ROWS_H
#define PM_LAB_CALIBRATE_TRAINING_ROWS_H

#include "lab/calibrate/calibration.h"
#include "lab/validate/rate.h"
#include "lab/validate/tally.h"

typedef struct pm__training_row {
  pm_run asked;
  int run, framework, system, network; /* of the bench; run: -1 before pm__training_rows_sort */
  double rate;                         /* measured, in samples/s as they are predicted */
  double batch, ranks;
  int source; /* its number */
  int stage;  /* of the fit that it takes part in */
  pm_fit_use use;
  char group[PM_TEXT_MAX];
} pm__training_row;

typedef struct pm__training_rows {
  pm__rate_reader reader;
  pm__training_row *items;
  size_t count, capacity;
  size_t fitted, runs; /* rows of the fit stand first, and their runs on the bench */
  char **sources;
  size_t source_count, source_capacity;
  pm__tally left_out, unread; /* reasons */
} pm__training_rows;

/* Reads what can be predicted. */
int pm__training_rows_read(pm__training_rows *rows, const pm_catalog *catalog, const pm_calibration_options *options,
                           pm_error *error);
/* Puts the rows of the fit first, and gives every row its run. */
int pm__training_rows_sort(pm__training_rows *rows, pm_error *error);
void pm__training_rows_free(pm__training_rows *rows);

#endif
