/* Published runs of collectives as rows of a fit. */
#ifndef PM_LAB_CALIBRATION_COLLECTIVE_FIT_H
#define PM_LAB_CALIBRATION_COLLECTIVE_FIT_H

#include "calibration/calibration.h"
#include "validation/collective_runs.h"
#include "validation/comparison.h"
#include "validation/predictor.h"

enum { PM__FIT_CONSTANTS = 160 };

/* ---- Rows ---- */

/* A machine with runs, and the constants under trial of its GPUs' architecture. */
typedef struct pm__lab_fit_machine {
  const pm_system *built;
  pm_collective_fit fit;
  bool fitted;      /* has rows of the fit */
  bool feels[PM__FIT_CONSTANTS]; /* which constants are in `fit` */
  bool moved;       /* the constants are others than at the last prediction */
} pm__lab_fit_machine;

/* Runs of one group of GPUs by one collective. */
typedef struct pm__lab_fit_group {
  int machine;
  pm_group *made;
  pm__lab_members members;
  pm_call call;
  size_t first, count; /* its rows */
} pm__lab_fit_group;

typedef struct pm__lab_collective_row {
  double bytes, measured, predicted;
  double weight; /* less for those of a long sweep */
  int machine;
  pm__lab_regime regime;
  pm_fit_use use;
  char collective[PM_TEXT_MAX];
} pm__lab_collective_row;

typedef struct pm__lab_collective_rows {
  pm__lab_runs runs;
  pm__lab_machines *machines_known;
  pm__lab_predictor *predictor;
  pm__lab_fit_machine *machines;
  pm__lab_fit_group *groups;
  pm__lab_collective_row *items;
  size_t machine_count, machine_capacity, group_count, group_capacity, count, capacity;
  pm__lab_reasons unread;
} pm__lab_collective_rows;

int pm__lab_collective_rows_read(pm__lab_collective_rows *rows, const pm_catalog *catalog, const pm__csv *table,
                          const pm_calibration_options *options, pm_error *error);
void pm__lab_collective_rows_free(pm__lab_collective_rows *rows);

/* ---- Constants ---- */

/* A constant of a record, and what it is before any row: its start, known within a factor. One that each entry has for
** itself is, before any row of the entry, that of its parent, within a factor of its own (0: all have one). */
typedef struct pm__lab_fit_kind {
  const char *type, *name;
  double start, factor, own, lower, upper;
} pm__lab_fit_kind;

typedef struct pm__lab_fit_constant {
  const pm__lab_fit_kind *kind;
  const char *entry; /* id; "" for what all have in common */
  int parent;        /* the constant that it is like, or -1 */
  double start;      /* over the parent's, or by itself */
  const pm_field *field; /* of the architecture's record; NULL: it is a link's, or stands in no record */
  int trend;         /* the constant by which each generation differs from the one before, or -1 */
  double steps;      /* generations after the parent's */
  double *link;      /* where it is among those of links; NULL: it is of none */
} pm__lab_fit_constant;

typedef struct pm__lab_collective_fit {
  const pm_catalog *catalog;
  pm_calibration *out;
  pm__lab_collective_rows rows;
  pm__lab_fit_constant constants[PM__FIT_CONSTANTS];
  size_t count;
  pm_link_calibration links[PM__FIT_CONSTANTS]; /* constants of links under trial */
  size_t link_count;
  bool predicted, links_moved; /* whether rows were, and links have other constants than then */
  bool own;         /* rows of the user: before any row, a constant is what the catalogue has */
  int fold;         /* the machine that is left out, or -1 */
  double *left_out; /* log(predicted / measured) of each row, by constants without its machine */
  size_t *active, active_count;
} pm__lab_collective_fit;

/* Lists the constants that rows of these machines can feel. */
int pm__lab_fit_constants(pm__lab_collective_fit *fit, pm_error *error);

/* Puts values in the systems and wirings, and predicts all rows. */
void pm__lab_fit_predict(pm__lab_collective_fit *fit, const double *values);

/* Distance of a value from what it is before any row, in units of its factor. */
double pm__lab_fit_surprise(const pm__lab_collective_fit *fit, const double *values, size_t constant);

/* ---- Results ---- */

/* Errors, the prediction interval and the constants. */
int pm__lab_fit_report(pm__lab_collective_fit *fit, const pm_fit_parameter *found, pm_error *error);

#endif
