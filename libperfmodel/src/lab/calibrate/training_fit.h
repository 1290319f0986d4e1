/* A calibration of rates of training under way. */
#ifndef PM_LAB_CALIBRATE_TRAINING_FIT_H
#define PM_LAB_CALIBRATE_TRAINING_FIT_H

#include <stdint.h>
#include "lab/calibrate/training_rows.h"

/* What can be fitted: a field of an entry, and what it is before any row: its start, and the factor by which that is
** uncertain, which hold it where the rows do not. */
typedef struct pm__training_kind {
  const char *type, *name; /* of the record and the field */
  double start, factor, lower, upper;
  int stage; /* rows that feel a constant of a later stage decide nothing before it */
} pm__training_kind;

enum { PM__TRAINING_STAGES = 2 };

typedef struct pm__training_constant {
  const pm__training_kind *kind;
  const char *entry; /* id */
  double value;
  size_t rows;      /* that feel it */
  uint64_t sources; /* theirs, one bit each; the first 64 are named */
} pm__training_constant;

/* Where a constant goes in what the bench has built. */
typedef struct pm__training_place {
  double *place;
  size_t constant;
} pm__training_place;

typedef struct pm__training_fit {
  const pm_catalog *catalog;
  const pm_calibration_options *options;
  bool all; /* shipped rows, and nothing chosen */
  pm_calibration *out;
  pm__training_rows rows;
  pm__training_constant *constants;
  size_t count, capacity;
  pm__training_place *places;
  size_t place_count, place_capacity;
  int stage;           /* that is fitted now */
  size_t *active, active_count; /* the rows that it is fitted on */
  int fold;            /* what is left out now: see pm__training_fold; -1: nothing */
  double *kept_out;    /* log(predicted / measured) of each row without its fold; NAN: not */
} pm__training_fit;

/* Finds the constants that the rows of the fit feel, and where they go. */
int pm__training_constants(pm__training_fit *fit, pm_error *error);

/* Whether a constant bears on a row. */
bool pm__training_bears(const pm__training_fit *fit, const pm__training_constant *constant, const pm__training_row *row);

/* Puts values in their places. */
void pm__training_put(pm__training_fit *fit, const double *values);

/* What a row is left out with: its source, or its network where all rows have one source; a number. */
int pm__training_fold(const pm__training_fit *fit, const pm__training_row *row);

/* log(predicted / measured), NAN without a prediction. */
double pm__training_error(const pm__training_fit *fit, const pm__training_row *row);

/* Errors by group, kept out and left out; notes. */
int pm__training_sum_up(pm__training_fit *fit, pm_error *error);

void pm__training_write(const pm__training_fit *fit, pm__string *out);

#endif
