#include "lab/calibrate/calibration.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results ---- */

pm_fitted_constant *pm__calibration_find(const pm_calibration *c, const char *entry, const char *constant)
{
  for (size_t i = 0; i < c->constant_count; i++)
    if (strcmp(c->constants[i].entry, entry) == 0 && strcmp(c->constants[i].constant, constant) == 0)
      return &c->constants[i];
  return NULL;
}

pm_fitted_constant *pm__calibration_constant(pm_calibration *c, const char *entry, const char *constant,
                                             pm_error *error)
{
  pm_fitted_constant *found = pm__calibration_find(c, entry, constant);
  if (found != NULL) return found;
  found = (pm_fitted_constant *)pm__grow(c->constants, c->constant_count, &c->constant_capacity, sizeof *found);
  if (found == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  c->constants = found;
  found += c->constant_count++;
  pm_record_init(pm_record_type_find("fitted_constant"), found);
  pm__text_set(found->entry, sizeof found->entry, entry);
  pm__text_set(found->constant, sizeof found->constant, constant);
  return found;
}

int pm__calibration_error(pm_calibration *c, const char *stage, const char *group, pm_fit_use use, double *errors,
                          size_t count, pm_error *error)
{
  if (count == 0) return PM_OK;
  pm_fit_error *next = (pm_fit_error *)pm__grow(c->errors, c->error_count, &c->error_capacity, sizeof *next);
  if (next == NULL) return pm__no_memory(error);
  c->errors = next;
  next += c->error_count++;
  pm__spread spread = pm__spread_of(errors, count);
  pm_record_init(pm_record_type_find("fit_error"), next);
  pm__text_set(next->stage, sizeof next->stage, stage);
  pm__text_set(next->group, sizeof next->group, group);
  next->use = (int32_t)use;
  next->rows = (int32_t)count;
  next->mape = spread.mape;
  next->median = spread.median;
  next->p90 = spread.p90;
  next->bias = spread.bias;
  return PM_OK;
}

bool pm__calibration_has(const pm_calibration *c, const char *entry)
{
  for (size_t i = 0; i < c->constant_count; i++)
    if (strcmp(c->constants[i].entry, entry) == 0) return true;
  return false;
}

double pm__four_digits(double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.4g", value);
  return strtod(text, NULL);
}

bool pm__listed(const char *list, const char *name)
{
  size_t length = strlen(name);
  for (const char *p = list; p != NULL && *p != '\0';) {
    p += strspn(p, " ,");
    size_t n = strcspn(p, ",");
    if (n == length && strncmp(p, name, n) == 0) return true;
    p += n;
  }
  return false;
}

void pm__constant_found(pm_fitted_constant *c, const char *stage, const char *unit, const pm_fit_parameter *found,
                        size_t rows)
{
  pm__text_set(c->stage, sizeof c->stage, stage);
  pm__text_set(c->unit, sizeof c->unit, strcmp(unit, "1") != 0 ? unit : "");
  c->value = pm__four_digits(found->value);
  c->uncertainty = found->uncertainty;
  c->state = found->state;
  c->start = found->start;
  c->lower = found->lower;
  c->upper = found->upper;
  memcpy(c->correlated, found->correlated, sizeof c->correlated);
  c->correlation = found->correlation;
  c->rows = (int32_t)rows;
}

const pm_fitted_constant *pm_calibration_constants(const pm_calibration *c, size_t *count)
{
  if (count != NULL) *count = c != NULL ? c->constant_count : 0;
  return c != NULL ? c->constants : NULL;
}

const pm_fit_error *pm_calibration_errors(const pm_calibration *c, size_t *count)
{
  if (count != NULL) *count = c != NULL ? c->error_count : 0;
  return c != NULL ? c->errors : NULL;
}

const char *pm_calibration_notes(const pm_calibration *c)
{
  return c != NULL && c->notes.text != NULL ? c->notes.text : "";
}

const char *pm_calibration_xml(const pm_calibration *c)
{
  return c != NULL && c->xml.text != NULL ? c->xml.text : "";
}

void pm_calibration_free(pm_calibration *c)
{
  if (c == NULL) return;
  free(c->constants);
  free(c->errors);
  free(c->notes.text);
  free(c->xml.text);
  free(c);
}

/* ---- Sets ---- */

static const struct set {
  const char *name, *shipped;
  pm__calibrate *run;
} sets[] = {
  {"kernels", "measured/kernels.csv", pm__calibrate_kernels},
  {"training", "measured/training.csv", pm__calibrate_training},
};

enum { SETS = sizeof sets / sizeof sets[0] };

const char *pm_calibration_set(size_t index)
{
  return index < SETS ? sets[index].name : NULL;
}

pm_calibration_options pm_calibration_options_default(void)
{
  pm_calibration_options options = {"kernels", NULL, NULL, NULL, NULL, 0.2};
  return options;
}

static const struct set *find_set(const char *name, pm_error *error)
{
  char known[200] = "";
  for (size_t i = 0; i < SETS; i++) {
    if (name != NULL && strcmp(sets[i].name, name) == 0) return &sets[i];
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", sets[i].name);
  }
  pm__fail(error, PM_NOT_FOUND, "set \"%.80s\" cannot be calibrated; it is one of %s", name != NULL ? name : "", known);
  return NULL;
}

static int run_set(const struct set *set, pm_calibration *c, const pm_catalog *catalog,
                   const pm_calibration_options *asked, pm_error *error)
{
  pm_calibration_options options = *asked;
  char *text = options.data == NULL ? pm_shipped_text(set->shipped, error) : NULL;
  if (options.data == NULL && text == NULL) return error != NULL ? error->status : PM_NOT_FOUND;
  if (options.file == NULL) options.file = text != NULL ? set->shipped : "data";
  if (text != NULL) options.data = text;
  int status = set->run(c, catalog, &options, text != NULL, error);
  pm_string_free(text);
  if (status == PM_OK && (c->notes.failed || c->xml.failed)) status = pm__no_memory(error);
  return status;
}

pm_calibration *pm_calibrate(const pm_catalog *catalog, const pm_calibration_options *options, pm_error *error)
{
  pm_calibration_options usual = pm_calibration_options_default();
  if (options == NULL) options = &usual;
  if (catalog == NULL || !(options->kept_shapes >= 0 && options->kept_shapes < 1)) {
    pm__fail(error, PM_BAD_ARGUMENT, "a calibration needs a catalogue, and a share of kept shapes from 0 to below 1");
    return NULL;
  }
  const struct set *set = find_set(options->set, error);
  pm_calibration *c = set != NULL ? (pm_calibration *)calloc(1, sizeof *c) : NULL;
  if (set != NULL && c == NULL) pm__no_memory(error);
  if (c == NULL || run_set(set, c, catalog, options, error) == PM_OK) return c;
  pm_calibration_free(c);
  return NULL;
}
