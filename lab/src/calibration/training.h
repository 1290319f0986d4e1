/* Published rates of training as rows of a fit. */
#ifndef PM_LAB_CALIBRATION_TRAINING_H
#define PM_LAB_CALIBRATION_TRAINING_H

#include <stdint.h>
#include "calibration/calibration.h"
#include "validation/comparison.h"
#include "validation/rate.h"

/* What the source of rows is called that name none. */
#define PM__NO_SOURCE "own"

typedef struct pm__lab_training_row {
  union { pm_run training; pm_inference_run inference; } asked;
  int run, software, system, network; /* of the predictor; software: a framework, or a profile of inference; run: -1
                                      ** before pm__lab_training_rows_sort */
  double measured;                    /* in samples/s as they are predicted, or a latency [s] */
  bool latency;
  double batch, ranks;
  int source; /* its number */
  int stage;  /* of the fit that it takes part in */
  pm_fit_use use;
  char group[PM_TEXT_MAX];
} pm__lab_training_row;

/* Which rows: of training, which images decide; of language models, whose norms of rows, softmax and dropout are
** kernels of the framework, on V100; of inference; of models that are split; or of images in NHWC among the rows that
** check the others, which alone have groups of other widths than ResNeXt's; or of plans on
** B200, whose experts show what the host takes, and on MI300X, which alone show how fast its products are. */
typedef enum pm__lab_training_set {
  PM__SET_TRAINING,
  PM__SET_LANGUAGE,
  PM__SET_INFERENCE,
  PM__SET_LARGE_MODELS,
  PM__SET_GROUPED,
  PM__SET_PLANS
} pm__lab_training_set;

typedef struct pm__lab_training_rows {
  pm__lab_training_set set;
  pm__lab_rate_reader reader;
  pm__lab_training_row *items;
  size_t count, capacity;
  size_t fitted, runs; /* rows of the fit stand first, and their runs with the predictor */
  char **sources;
  size_t source_count, source_capacity;
  pm__lab_reasons left_out, unread; /* reasons */
} pm__lab_training_rows;

/* Reads what can be predicted. */
int pm__lab_training_rows_read(pm__lab_training_rows *rows, const pm_catalog *catalog,
                               const pm_calibration_options *options,
                               pm_error *error);
/* Puts the rows of the fit first, and gives every row its run. */
int pm__lab_training_rows_sort(pm__lab_training_rows *rows, pm_error *error);
/* Rows of one source that ask for the same run become one, with the median of their rates. */
int pm__lab_training_rows_merge(pm__lab_training_rows *rows, pm_error *error);
void pm__lab_training_rows_free(pm__lab_training_rows *rows);

/* Whether rows differ in how the network is split alone. */
bool pm__lab_training_is_plan(const pm__lab_training_row *a, const pm__lab_training_row *b);

/* What a row is left out with: its source, or its network where all rows have one source; a number. */
int pm__lab_training_fold(const pm__lab_training_rows *rows, const pm__lab_training_row *row);

/* log(predicted / measured), NAN without a prediction. */
double pm__lab_training_error(const pm__lab_training_rows *rows, const pm__lab_training_row *row);

/* A calibration of rates of training under way. */

/* What can be fitted: a field of an entry, and what it is before any row: its start, and the factor by which that is
** uncertain, which hold it where the rows do not. */
typedef struct pm__lab_training_kind {
  const char *type, *name; /* of the record and the field */
  double start, factor, lower, upper;
  int stage; /* rows that feel a constant of a later stage decide nothing before it */
  pm__lab_training_set set;
  const char *entries; /* whose it is, separated by commas; NULL: see is_wanted */
  const char *generation; /* how the ids of its entries begin; NULL: all others */
  bool shared;             /* the entries have one value */
} pm__lab_training_kind;

enum { PM__TRAINING_STAGES = 2 };

typedef struct pm__lab_training_constant {
  const pm__lab_training_kind *kind;
  const char *entry; /* id; if it is shared, of one of its entries */
  double value;
  size_t rows;      /* that feel it */
  bool held_out;    /* rows that are held out would: without others it is what it is before any row */
  uint64_t sources; /* theirs, one bit each; the first 64 are named */
} pm__lab_training_constant;

/* Where a constant goes in what the predictor has built. */
typedef struct pm__lab_training_place {
  double *place;
  size_t constant;
} pm__lab_training_place;

typedef struct pm__lab_training_fit {
  const pm_catalog *catalog;
  const pm_calibration_options *options;
  bool all; /* shipped rows, and nothing chosen */
  pm_calibration *out;
  pm__lab_training_rows rows;
  pm__lab_training_constant *constants;
  size_t count, capacity;
  pm__lab_training_place *places;
  size_t place_count, place_capacity;
  int stage;           /* that is fitted now */
  size_t *active, active_count; /* the rows that it is fitted on */
  int fold;            /* what is left out now: see pm__lab_training_fold; -1: nothing */
  double *errors;      /* of the active rows, at work */
  bool *borne;         /* of each row of the fit, by constant: whether it bears on the row */
  double *put;         /* the values by which the active rows are predicted now */
  bool stale;          /* they are not predicted by any yet */
  int *repredicted;    /* runs to be predicted again, at work */
  double *kept_out;    /* log(predicted / measured) of each row without its fold; NAN: not */
} pm__lab_training_fit;

/* Finds the constants that the rows of the fit feel, and where they go. */
int pm__lab_training_constants(pm__lab_training_fit *fit, pm_error *error);

/* Whether a constant is that of an entry. */
bool pm__lab_training_is_for(const pm__lab_training_constant *constant, const char *entry);

/* Whether a constant bears on a row. */
bool pm__lab_training_bears(const pm__lab_training_fit *fit, const pm__lab_training_constant *constant,
                            const pm__lab_training_row *row);

/* Puts values in their places. */
void pm__lab_training_put(pm__lab_training_fit *fit, const double *values);

/* Errors by group, held out and left out; notes. */
int pm__lab_training_sum_up(pm__lab_training_fit *fit, pm_error *error);

void pm__lab_training_write(const pm__lab_training_fit *fit, pm__string *out);

#endif
