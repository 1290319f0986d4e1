/* Errors of a calibration of training: by group, one GPU and several, kept out, left out; and how wide a band they make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lab/calibrate/training_fit.h"

static const char STAGE[] = "training";
static const double MIDDLE = 0.8;             /* share of the rows that a band covers */
static const double WIDTH = 1.2815515655446004; /* of it, in standard deviations */

typedef bool chosen(const pm__training_fit *fit, size_t row, const void *what);

static double per_cent(double logarithm)
{
  return (exp(logarithm) - 1) * 100;
}

/* Sums up the chosen rows, with the constants of all or, of kept-out rows, of the others. */
static int add(pm__training_fit *fit, const char *group, pm_fit_use use, chosen *choose, const void *what, double *room,
               pm_error *error)
{
  size_t n = 0;
  bool apart = use == PM_FIT_USE_KEPT_SOURCE || use == PM_FIT_USE_KEPT_NETWORK;
  for (size_t i = 0; i < fit->rows.count; i++) {
    const pm__training_row *row = &fit->rows.items[i];
    if (!choose(fit, i, what)) continue;
    double value = apart && row->use == PM_FIT_USE_FITTED ? fit->kept_out[i] : pm__training_error(fit, row);
    if (!isnan(value)) room[n++] = per_cent(value);
  }
  return pm__calibration_error(fit->out, STAGE, group, use, room, n, error);
}

static bool is_fitted(const pm__training_fit *fit, size_t i, const void *several)
{
  const pm__training_row *row = &fit->rows.items[i];
  return row->use == PM_FIT_USE_FITTED && (several == NULL || (row->ranks > 1) == *(const bool *)several);
}

static bool is_in_group(const pm__training_fit *fit, size_t i, const void *group)
{
  const pm__training_row *row = &fit->rows.items[i];
  return row->use == PM_FIT_USE_FITTED && strcmp(row->group, (const char *)group) == 0;
}

static bool is_left_out(const pm__training_fit *fit, size_t i, const void *unused)
{
  (void)unused;
  return fit->rows.items[i].use == PM_FIT_USE_LEFT_OUT;
}

static bool is_of_fold(const pm__training_fit *fit, size_t i, const void *fold)
{
  const pm__training_row *row = &fit->rows.items[i];
  bool counts = row->use == PM_FIT_USE_KEPT_SOURCE || (row->use == PM_FIT_USE_FITTED && !isnan(fit->kept_out[i]));
  return counts && pm__training_fold(fit, row) == *(const int *)fold;
}

static int add_groups(pm__training_fit *fit, double *room, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < fit->rows.count && status == PM_OK; i++) {
    const char *group = fit->rows.items[i].group;
    size_t first = 0;
    while (!is_in_group(fit, first, group) && first < i) first++;
    if (first == i && is_fitted(fit, i, NULL))
      status = add(fit, group, PM_FIT_USE_FITTED, is_in_group, group, room, error);
  }
  return status;
}

static int add_folds(pm__training_fit *fit, double *room, pm_error *error)
{
  int status = PM_OK;
  bool sources = fit->rows.source_count > 1;
  for (size_t i = 0; i < fit->rows.count && status == PM_OK; i++) {
    const pm__training_row *row = &fit->rows.items[i];
    int fold = pm__training_fold(fit, row);
    size_t first = 0;
    while (!is_of_fold(fit, first, &fold) && first < i) first++;
    const char *name = sources ? fit->rows.sources[row->source]
                               : pm__bench_network_id(fit->rows.reader.bench, row->network);
    if (first == i && is_of_fold(fit, i, &fold))
      status = add(fit, name, sources ? PM_FIT_USE_KEPT_SOURCE : PM_FIT_USE_KEPT_NETWORK, is_of_fold, &fold, room, error);
  }
  return status;
}

/* ---- The band ---- */

/* Standard deviation of the normal distribution whose middle is as wide as that of the chosen rows kept out; of those of a
** fold, or of the others. NAN without rows. */
static double deviation(const pm__training_fit *fit, int fold, bool others, double *room)
{
  size_t n = 0;
  for (size_t i = 0; i < fit->rows.count; i++) {
    bool own = pm__training_fold(fit, &fit->rows.items[i]) == fold;
    if (!isnan(fit->kept_out[i]) && (fold < 0 || own != others)) room[n++] = fabs(fit->kept_out[i]);
  }
  if (n == 0) return (double)NAN;
  return pm__quantile(room, n, MIDDLE) / WIDTH;
}

/* Share of the rows kept out that the band of the other folds covers. */
static double covered(const pm__training_fit *fit, double *room)
{
  size_t all = 0, inside = 0;
  for (size_t i = 0; i < fit->rows.count; i++) {
    if (isnan(fit->kept_out[i])) continue;
    all++;
    inside += fabs(fit->kept_out[i]) <= WIDTH * deviation(fit, pm__training_fold(fit, &fit->rows.items[i]), true, room);
  }
  return (double)inside / (double)all;
}

static int add_band(pm__training_fit *fit, double *room, pm_error *error)
{
  double width = deviation(fit, -1, false, room);
  if (isnan(width)) return PM_OK;
  const char *what = fit->rows.source_count > 1 ? "source" : "network";
  pm__string_format(&fit->out->notes, "band: standard deviation %.3f of rows whose %s is kept out; that of the other %ss "
                    "covers %.0f %% of a %s's rows\n", width, what, what, 100 * covered(fit, room), what);
  if (!fit->all) return PM_OK;
  pm_fitted_constant *c = pm__calibration_constant(fit->out, "training", "fitted", error);
  if (c == NULL) return PM_NO_MEMORY;
  pm__text_set(c->stage, sizeof c->stage, "band");
  c->value = pm__four_digits(width);
  c->state = PM_FIT_STATE_FITTED;
  for (size_t i = 0; i < fit->rows.count; i++) c->rows += !isnan(fit->kept_out[i]);
  return PM_OK;
}

int pm__training_sum_up(pm__training_fit *fit, pm_error *error)
{
  static const bool yes = true, no = false;
  double *room = (double *)malloc((fit->rows.count + 1) * sizeof *room);
  if (room == NULL) return pm__no_memory(error);
  int status = add(fit, "all", PM_FIT_USE_FITTED, is_fitted, NULL, room, error);
  if (status == PM_OK) status = add(fit, "one GPU", PM_FIT_USE_FITTED, is_fitted, &no, room, error);
  if (status == PM_OK) status = add(fit, "several GPUs", PM_FIT_USE_FITTED, is_fitted, &yes, room, error);
  if (status == PM_OK) status = add(fit, "all", PM_FIT_USE_LEFT_OUT, is_left_out, NULL, room, error);
  if (status == PM_OK) status = add_folds(fit, room, error);
  if (status == PM_OK) status = add_groups(fit, room, error);
  if (status == PM_OK) status = add_band(fit, room, error);
  free(room);
  pm__string *notes = &fit->out->notes;
  if (fit->rows.left_out.count > 0) pm__string_add(notes, "predicted, but left out of the fit:\n");
  pm__tally_write(&fit->rows.left_out, notes);
  if (fit->rows.unread.count > 0) pm__string_add(notes, "not predicted:\n");
  pm__tally_write(&fit->rows.unread, notes);
  return status;
}
