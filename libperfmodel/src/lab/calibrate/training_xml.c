/* What was fitted on rates of training as a file of the catalogue, the rest of the entries as it was. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lab/calibrate/entry_xml.h"
#include "lab/calibrate/training_fit.h"

/* "DeepLearningExamples, mxnet" */
static void name_sources(const pm__training_fit *fit, const pm__training_constant *constant, char *out, size_t size)
{
  out[0] = '\0';
  for (size_t i = 0; i < fit->rows.source_count && i < 64; i++) {
    size_t used = strlen(out);
    if (constant->sources >> i & 1) snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", fit->rows.sources[i]);
  }
}

static const pm__training_constant *constant_of(const pm__training_fit *fit, const pm_fitted_constant *found)
{
  for (size_t i = 0; i < fit->count; i++)
    if (strcmp(fit->constants[i].entry, found->entry) == 0 && strcmp(fit->constants[i].kind->name, found->constant) == 0)
      return &fit->constants[i];
  return NULL;
}

/* "fitted: 195 rows of DeepLearningExamples, +-9 %" */
static void write_note(const pm__training_fit *fit, const pm_fitted_constant *found, char *note, size_t size)
{
  char sources[200] = "the sources kept out";
  const pm__training_constant *constant = constant_of(fit, found);
  if (constant != NULL) name_sources(fit, constant, sources, sizeof sources);
  int length = snprintf(note, size, "fitted: %d rows of %s", (int)found->rows, sources);
  if (found->state == PM_FIT_STATE_FITTED && !isnan(found->uncertainty))
    snprintf(note + length, size - (size_t)length, ", +-%.2g %%", found->uncertainty * 100);
  else if (found->state == PM_FIT_STATE_UNIDENTIFIED)
    snprintf(note + length, size - (size_t)length, ", which do not decide it: what it is before any row, within a factor of %g",
             constant != NULL ? constant->kind->factor : 1.0);
  else if (found->state == PM_FIT_STATE_AT_LOWER || found->state == PM_FIT_STATE_AT_UPPER)
    snprintf(note + length, size - (size_t)length, ", at its %s bound", found->state == PM_FIT_STATE_AT_LOWER ? "lower" : "upper");
}

typedef struct reach {
  size_t rows;
  double batch_least, batch_most, gpus_most;
} reach;

/* The framework whose host times it has. */
static const char *family_of(const pm_framework *framework)
{
  return framework->like[0] != '\0' ? framework->like : framework->id;
}

/* What the rows of the fit reach that have its host times, if there is one of its own. */
static reach reach_of(const pm__training_fit *fit, const pm_framework *framework)
{
  reach r = {0, INFINITY, 0, 0};
  for (size_t i = 0; i < fit->rows.fitted; i++) {
    const pm__training_row *row = &fit->rows.items[i];
    const pm_framework *own = &pm__bench_built_framework(fit->rows.reader.bench, row->framework)->framework;
    if (strcmp(family_of(own), family_of(framework)) != 0) continue;
    r.rows += strcmp(own->id, framework->id) == 0;
    r.batch_least = fmin(r.batch_least, row->batch);
    r.batch_most = fmax(r.batch_most, row->batch);
    r.gpus_most = fmax(r.gpus_most, row->ranks);
  }
  return r;
}

/* What a framework with rows says of them; a constant of its own is enough to be no guess any more. */
static bool replace_reach(const pm__training_fit *fit, const pm__entry *entry, const char *name, pm__new_value *value)
{
  const pm_framework *framework = (const pm_framework *)entry->record;
  reach r = reach_of(fit, framework);
  double number = strcmp(name, "batch_least") == 0 ? r.batch_least
                  : strcmp(name, "batch_most") == 0 ? r.batch_most
                  : strcmp(name, "gpus_most") == 0 ? r.gpus_most : (double)NAN;
  if (r.rows == 0 || !pm__calibration_has(fit->out, family_of(framework))) return false;
  if (strcmp(name, "evidence") == 0 && framework->evidence == PM_EVIDENCE_UNCALIBRATED) {
    snprintf(value->text, sizeof value->text, "fitted");
    return true;
  }
  if (isnan(number)) return false;
  snprintf(value->text, sizeof value->text, "%.0f", number);
  snprintf(value->note, sizeof value->note, "fact: of the rows fitted");
  return true;
}

static bool replaced(const void *user, const pm__entry *entry, const pm_field *field, pm__new_value *value)
{
  const pm__training_fit *fit = (const pm__training_fit *)user;
  if (entry->kind == PM__FRAMEWORKS && replace_reach(fit, entry, field->name, value)) return true;
  const pm_fitted_constant *found = pm__calibration_find(fit->out, entry->id, field->name);
  if (found == NULL) return false;
  write_note(fit, found, value->note, sizeof value->note);
  pm__value_write(value, found->value, field->unit);
  return true;
}

static const char head[] =
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  "<!-- What frameworks and GPU libraries add to kernels and collectives, with constants fitted by perfmodel calibrate\n"
  "     (docs/calibration.md). Every number says what it is:\n"
  "     fitted   on rows of the sources named, published training rates, with the formulas of docs/model.md\n"
  "     fact     how the software is built\n"
  "     default  a setting that it comes with\n"
  "     guess    nothing behind it yet\n"
  "     A profile with evidence \"uncalibrated\" has no training rate behind it; \"documents\" was fitted to rows of the source\n"
  "     documents (scripts/fit_documents.py), which therefore say little about it. A profile that is `like` another has its\n"
  "     host times. -->\n"
  "<perfmodel version=\"1\">\n";

void pm__training_write(const pm__training_fit *fit, pm__string *out)
{
  static const int kinds[] = {PM__LIBRARY_ERAS, PM__BANDS, PM__FRAMEWORKS, PM__KERNEL_CALIBRATIONS};
  pm__string_add(out, head);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const pm__entries *entries = &fit->catalog->lists[kinds[k]];
    for (size_t i = 0; i < entries->count; i++)
      if ((fit->all && kinds[k] != PM__KERNEL_CALIBRATIONS) || pm__calibration_has(fit->out, entries->items[i]->id))
        pm__entry_write(out, entries->items[i], replaced, fit);
  }
  pm__string_add(out, "\n</perfmodel>\n");
}
