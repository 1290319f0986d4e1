/* Errors of a calibration of training: by group, one GPU and several, held out, left out; and how wide an interval they
** make. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/calibration.h"
#include "calibration/training.h"

static const char STAGE[] = "training";
static const double MIDDLE = 0.8;             /* share of the rows that an interval covers */
static const double WIDTH = 1.2815515655446004; /* of it, in standard deviations */

typedef bool chosen(const pm__lab_training_fit *fit, size_t row, const void *what);

static double per_cent(double logarithm)
{
  return (exp(logarithm) - 1) * 100;
}

/* Sums up the chosen rows, with the constants of all or, of kept-out rows, of the others. */
static int add(pm__lab_training_fit *fit, const char *group, pm_fit_use use, chosen *choose, const void *what,
               double *room,
               pm_error *error)
{
  size_t n = 0;
  bool apart = use == PM_FIT_USE_LEFT_OUT_SOURCE || use == PM_FIT_USE_LEFT_OUT_NETWORK;
  for (size_t i = 0; i < fit->rows.count; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    if (!choose(fit, i, what)) continue;
    double value = apart && row->use == PM_FIT_USE_FITTED ? fit->kept_out[i] : pm__lab_training_error(&fit->rows, row);
    if (!isnan(value)) room[n++] = per_cent(value);
  }
  return pm__lab_calibration_error(fit->out, STAGE, group, use, room, n, error);
}

static bool is_fitted(const pm__lab_training_fit *fit, size_t i, const void *several)
{
  const pm__lab_training_row *row = &fit->rows.items[i];
  return row->use == PM_FIT_USE_FITTED && (several == NULL || (row->ranks > 1) == *(const bool *)several);
}

static bool is_in_group(const pm__lab_training_fit *fit, size_t i, const void *group)
{
  const pm__lab_training_row *row = &fit->rows.items[i];
  return row->use == PM_FIT_USE_FITTED && strcmp(row->group, (const char *)group) == 0;
}

static bool is_left_out(const pm__lab_training_fit *fit, size_t i, const void *unused)
{
  (void)unused;
  return fit->rows.items[i].use == PM_FIT_USE_EXCLUDED;
}

static bool is_of_fold(const pm__lab_training_fit *fit, size_t i, const void *fold)
{
  const pm__lab_training_row *row = &fit->rows.items[i];
  bool counts = row->use == PM_FIT_USE_LEFT_OUT_SOURCE || (row->use == PM_FIT_USE_FITTED && !isnan(fit->kept_out[i]));
  return counts && pm__lab_training_fold(&fit->rows, row) == *(const int *)fold;
}

static int add_groups(pm__lab_training_fit *fit, double *room, pm_error *error)
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

static int add_folds(pm__lab_training_fit *fit, double *room, pm_error *error)
{
  int status = PM_OK;
  bool sources = fit->rows.source_count > 1;
  for (size_t i = 0; i < fit->rows.count && status == PM_OK; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    int fold = pm__lab_training_fold(&fit->rows, row);
    size_t first = 0;
    while (!is_of_fold(fit, first, &fold) && first < i) first++;
    const char *name = sources ? fit->rows.sources[row->source]
                               : pm__lab_predictor_network_id(fit->rows.reader.predictor, row->network);
    if (first == i && is_of_fold(fit, i, &fold))
      status = add(fit, name, sources ? PM_FIT_USE_LEFT_OUT_SOURCE : PM_FIT_USE_LEFT_OUT_NETWORK, is_of_fold, &fold,
                   room,
                   error);
  }
  return status;
}

/* ---- The prediction interval ---- */

/* Standard deviation of the normal distribution whose middle is as wide as that of the chosen held-out rows; of those
** of a fold, or of the others. NAN without rows. */
static double deviation(const pm__lab_training_fit *fit, int fold, bool others, double *room)
{
  size_t n = 0;
  for (size_t i = 0; i < fit->rows.count; i++) {
    bool own = pm__lab_training_fold(&fit->rows, &fit->rows.items[i]) == fold;
    if (!isnan(fit->kept_out[i]) && (fold < 0 || own != others)) room[n++] = fabs(fit->kept_out[i]);
  }
  if (n == 0) return (double)NAN;
  return pm__quantile(room, n, MIDDLE) / WIDTH;
}

/* Share of the held-out rows that the interval of the other folds covers. */
static double covered(const pm__lab_training_fit *fit, double *room)
{
  size_t all = 0, inside = 0;
  for (size_t i = 0; i < fit->rows.count; i++) {
    if (isnan(fit->kept_out[i])) continue;
    all++;
    inside += fabs(fit->kept_out[i]) <= WIDTH * deviation(fit, pm__lab_training_fold(&fit->rows, &fit->rows.items[i]),
                                                          true, room);
  }
  return (double)inside / (double)all;
}

static void note_deviation(pm__lab_training_fit *fit, double *room)
{
  double width = deviation(fit, -1, false, room);
  if (isnan(width)) return;
  const char *what = fit->rows.source_count > 1 ? "source" : "network";
  pm__string_format(&fit->out->notes,
                    "standard deviation %.3f of rows whose %s is left out; that of the other %ss "
                    "covers %.0f %% of a %s's rows\n", width, what, what, 100 * covered(fit, room), what);
}

int pm__lab_training_sum_up(pm__lab_training_fit *fit, pm_error *error)
{
  static const bool yes = true, no = false;
  double *room = (double *)malloc((fit->rows.count + 1) * sizeof *room);
  if (room == NULL) return pm__no_memory(error);
  int status = add(fit, "all", PM_FIT_USE_FITTED, is_fitted, NULL, room, error);
  if (status == PM_OK) status = add(fit, "one GPU", PM_FIT_USE_FITTED, is_fitted, &no, room, error);
  if (status == PM_OK) status = add(fit, "several GPUs", PM_FIT_USE_FITTED, is_fitted, &yes, room, error);
  if (status == PM_OK) status = add(fit, "all", PM_FIT_USE_EXCLUDED, is_left_out, NULL, room, error);
  if (status == PM_OK) status = add_folds(fit, room, error);
  if (status == PM_OK) status = add_groups(fit, room, error);
  if (status == PM_OK) note_deviation(fit, room);
  free(room);
  pm__string *notes = &fit->out->notes;
  if (fit->rows.left_out.count > 0) pm__string_add(notes, "predicted, but left out of the fit:\n");
  pm__lab_reasons_write(&fit->rows.left_out, notes);
  if (fit->rows.unread.count > 0) pm__string_add(notes, "not predicted:\n");
  pm__lab_reasons_write(&fit->rows.unread, notes);
  return status;
}

/* What was fitted on rates of training as a file of the catalogue, the rest of the entries as it was. */

/* "DeepLearningExamples mxnet"; rows that name no source are the table's. */
static void name_sources(const pm__lab_training_fit *fit, const pm__lab_training_constant *constant, char *out,
                         size_t size)
{
  out[0] = '\0';
  for (size_t i = 0; i < fit->rows.source_count && i < 64; i++) {
    size_t used = strlen(out);
    const char *source = fit->rows.sources[i];
    if (strcmp(source, PM__NO_SOURCE) == 0) source = fit->out->table;
    if (constant->sources >> i & 1) snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", source);
  }
}

static const pm__lab_training_constant *constant_of(const pm__lab_training_fit *fit, const pm_fitted_constant *found)
{
  for (size_t i = 0; i < fit->count; i++)
    if (pm__lab_training_is_for(&fit->constants[i], found->entry) &&
        strcmp(fit->constants[i].kind->name, found->constant) == 0)
      return &fit->constants[i];
  return NULL;
}

/* "+-9 %", or why it is no better known. */
static void write_note(const pm__lab_training_constant *constant, const pm_fitted_constant *found, char *note,
                       size_t size)
{
  double factor = constant != NULL ? constant->kind->factor : 1;
  if (constant == NULL) snprintf(note, size, "sources left out in turn");
  else if (found->state == PM_FIT_STATE_FITTED && !isnan(found->uncertainty))
    snprintf(note, size, "+-%.2g %%", found->uncertainty * 100);
  else if (found->state == PM_FIT_STATE_UNIDENTIFIED)
    snprintf(note, size, "which do not decide it: what it is before any row, within a factor of %g", factor);
  else if (found->state == PM_FIT_STATE_AT_LOWER || found->state == PM_FIT_STATE_AT_UPPER)
    snprintf(note, size, "at its %s bound", found->state == PM_FIT_STATE_AT_LOWER ? "lower" : "upper");
}

/* A remark behind what the last fit said of itself, "+-2 %; H100", stays behind what this one says. */
static void keep_remark(const pm__lab_training_fit *fit, const pm__lab_entry *entry, const char *constant, char *note,
                        size_t size)
{
  pm_value old = {.text = NULL};
  pm_catalog_get_value(fit->catalog, entry->kind, entry->id, constant, &old, NULL);
  bool own = old.text != NULL && strcmp(old.entry, entry->id) == 0 && old.fitted_to != NULL && old.fitted_to[0] != '\0';
  const char *remark = own ? strstr(old.note, "; ") : NULL;
  size_t used = strlen(note);
  if (remark != NULL) snprintf(note + used, size - used, "%s", remark);
}

static void write_found(const pm__lab_training_fit *fit, const pm__lab_entry *entry, const pm_fitted_constant *found,
                        const char *unit, pm__lab_new_value *value)
{
  char sources[sizeof value->fitted_to] = "";
  const pm__lab_training_constant *constant = constant_of(fit, found);
  if (constant != NULL) name_sources(fit, constant, sources, sizeof sources);
  write_note(constant, found, value->note, sizeof value->note);
  keep_remark(fit, entry, found->constant, value->note, sizeof value->note);
  pm__lab_value_fitted(value, fit->out, sources, (int)found->rows);
  pm__lab_value_write(value, found->value, unit);
}

typedef struct reach {
  size_t rows;
  double min_batch, max_batch, max_gpus;
} reach;

/* The framework whose host times it has: its own where they were fitted. */
static const char *family_of(const pm__lab_training_fit *fit, const pm_framework *framework)
{
  bool own = framework->like[0] == '\0' || pm__lab_calibration_has(fit->out, framework->id);
  return own ? framework->id : framework->like;
}

/* A volume is worth hundreds of images, so that its batches say nothing of theirs. */
static bool has_volumes(const pm__lab_training_row *row)
{
  return strncmp(row->group, "volumes", 7) == 0;
}

/* What the rows of the fit reach that have its host times, if there is one of its own. */
static reach reach_of(const pm__lab_training_fit *fit, const pm_framework *framework)
{
  reach r = {0, INFINITY, 0, 0};
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    const pm_framework *own = &pm__lab_predictor_built_framework(fit->rows.reader.predictor, row->software)->framework;
    if (strcmp(family_of(fit, own), family_of(fit, framework)) != 0) continue;
    r.rows += strcmp(own->id, framework->id) == 0;
    if (has_volumes(row)) continue;
    r.min_batch = fmin(r.min_batch, row->batch);
    r.max_batch = fmax(r.max_batch, row->batch);
    r.max_gpus = fmax(r.max_gpus, row->ranks);
  }
  return r;
}

/* Of the framework, or of the profile of inference, that the row was predicted with. */
static const char *software_id(const pm__lab_training_fit *fit, const pm__lab_training_row *row)
{
  pm__lab_predictor *predictor = fit->rows.reader.predictor;
  if (fit->rows.set == PM__SET_INFERENCE) return pm__lab_predictor_built_profile(predictor, row->software)->id;
  return pm__lab_predictor_built_framework(predictor, row->software)->framework.id;
}

/* The architectures of the software's rows, added to those that it names. */
static void add_architectures(const pm__lab_training_fit *fit, const char *id, char list[PM_TEXT_MAX])
{
  pm__lab_predictor *predictor = fit->rows.reader.predictor;
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    const pm__lab_training_row *row = &fit->rows.items[i];
    const pm_kernel_calibration *kernels = pm_system_get_kernels(pm__lab_predictor_built_system(predictor,
        row->system));
    if (strcmp(software_id(fit, row), id) != 0 || kernels == NULL ||
        pm__list_has(list, kernels->id)) continue;
    size_t used = strlen(list);
    snprintf(list + used, PM_TEXT_MAX - used, "%s%s", used > 0 ? " " : "", kernels->id);
  }
}

/* Of all shipped rows lab/scripts/calibration_status.py says which are enough. */
static bool replace_architectures(const pm__lab_training_fit *fit, const char *id, const char *calibrated_on,
                                  pm__lab_new_value *value)
{
  if (fit->all) return false;
  snprintf(value->text, sizeof value->text, "%s", calibrated_on);
  add_architectures(fit, id, value->text);
  if (strcmp(value->text, calibrated_on) == 0) return false;
  snprintf(value->note, sizeof value->note, "of its rows");
  value->origin = "fact";
  return true;
}

/* What a framework with rows says of them; a constant of its own is enough to be no guess any more. */
static bool replace_reach(const pm__lab_training_fit *fit, const pm__lab_entry *entry, const char *name,
                          pm__lab_new_value *value)
{
  pm_framework record, *framework = &record;
  if (pm_catalog_get_record(entry->catalog, entry->kind, entry->id, &record, NULL) != PM_OK) return false;
  reach r = reach_of(fit, framework);
  double number = strcmp(name, "min_batch") == 0 ? r.min_batch
                  : strcmp(name, "max_batch") == 0 ? r.max_batch
                  : strcmp(name, "max_gpus") == 0 ? r.max_gpus : (double)NAN;
  if (r.rows == 0 || !pm__lab_calibration_has(fit->out, family_of(fit, framework))) return false;
  if (strcmp(name, "evidence") == 0 && framework->evidence == PM_EVIDENCE_UNCALIBRATED) {
    snprintf(value->text, sizeof value->text, "fitted");
    return true;
  }
  if (strcmp(name, "calibrated_on") == 0)
    return replace_architectures(fit, framework->id, framework->calibrated_on, value);
  if (isnan(number)) return false;
  snprintf(value->text, sizeof value->text, "%.0f", number);
  snprintf(value->note, sizeof value->note, "of the rows fitted");
  value->origin = "fact";
  return true;
}

/* The same of a profile of inference. */
static bool replace_profile(const pm__lab_training_fit *fit, const pm__lab_entry *entry, const char *name,
                            pm__lab_new_value *value)
{
  pm_inference_profile record, *profile = &record;
  if (pm_catalog_get_record(entry->catalog, entry->kind, entry->id, &record, NULL) != PM_OK) return false;
  if (strcmp(name, "calibrated_on") == 0) return replace_architectures(fit, profile->id, profile->calibrated_on, value);
  if (strcmp(name, "origin") != 0 || !pm__lab_calibration_has(fit->out, profile->id)) return false;
  snprintf(value->text, sizeof value->text, "fitted");
  return true;
}

static bool replaced(const void *user, const pm__lab_entry *entry, const pm_field *field, pm__lab_new_value *value)
{
  const pm__lab_training_fit *fit = (const pm__lab_training_fit *)user;
  bool reaches = strcmp(entry->kind, "framework") == 0 && fit->rows.set == PM__SET_TRAINING;
  if (reaches && replace_reach(fit, entry, field->name, value)) return true;
  if (strcmp(entry->kind, "inference_profile") == 0 && replace_profile(fit, entry, field->name, value)) return true;
  const pm_fitted_constant *found = pm__lab_calibration_find(fit->out, entry->id, field->name);
  if (found == NULL) return false;
  write_found(fit, entry, found, field->unit, value);
  return true;
}

void pm__lab_training_write(const pm__lab_training_fit *fit, pm__string *out)
{
  if (fit->rows.set == PM__SET_INFERENCE)
    pm__lab_profiles_write(out, fit->out, fit->catalog, fit->all, replaced, fit);
  else
    pm__lab_frameworks_write(out, fit->out, fit->catalog, fit->all, replaced, fit);
}
