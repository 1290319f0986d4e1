/* What a calibration found, and how it becomes a file of the catalogue. */
#include "calibration/calibration.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results ---- */

pm_fitted_constant *pm__lab_calibration_find(const pm_calibration *c, const char *entry, const char *constant)
{
  for (size_t i = 0; i < c->constant_count; i++)
    if (strcmp(c->constants[i].entry, entry) == 0 && strcmp(c->constants[i].constant, constant) == 0)
      return &c->constants[i];
  return NULL;
}

pm_fitted_constant *pm__lab_calibration_constant(pm_calibration *c, const char *entry, const char *constant,
                                                 pm_error *error)
{
  pm_fitted_constant *found = pm__lab_calibration_find(c, entry, constant);
  if (found != NULL) return found;
  found = (pm_fitted_constant *)pm__grow(c->constants, c->constant_count, &c->constant_capacity, sizeof *found);
  if (found == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  c->constants = found;
  found += c->constant_count++;
  pm_record_clear(pm_record_type_find("fitted_constant"), found);
  pm__text_set(found->entry, sizeof found->entry, entry);
  pm__text_set(found->constant, sizeof found->constant, constant);
  return found;
}

int pm__lab_calibration_error(pm_calibration *c, const char *stage, const char *group, pm_fit_use use, double *errors,
                              size_t count, pm_error *error)
{
  if (count == 0) return PM_OK;
  pm_fit_error *next = (pm_fit_error *)pm__grow(c->errors, c->error_count, &c->error_capacity, sizeof *next);
  if (next == NULL) return pm__no_memory(error);
  c->errors = next;
  next += c->error_count++;
  pm__error_summary summary = pm__error_summary_of(errors, count);
  pm_record_clear(pm_record_type_find("fit_error"), next);
  pm__text_set(next->stage, sizeof next->stage, stage);
  pm__text_set(next->group, sizeof next->group, group);
  next->use = (int32_t)use;
  next->rows = (int32_t)count;
  next->mape = summary.mape;
  next->median = summary.median;
  next->p90 = summary.p90;
  next->bias = summary.bias;
  return PM_OK;
}

bool pm__lab_calibration_has(const pm_calibration *c, const char *entry)
{
  for (size_t i = 0; i < c->constant_count; i++)
    if (strcmp(c->constants[i].entry, entry) == 0) return true;
  return false;
}

double pm__lab_four_digits(double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.4g", value);
  return strtod(text, NULL);
}

bool pm__lab_listed(const char *list, const char *name)
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

void pm__lab_constant_found(pm_fitted_constant *c, const char *stage, const char *unit, const pm_fit_parameter *found,
                            size_t rows)
{
  pm__text_set(c->stage, sizeof c->stage, stage);
  pm__text_set(c->unit, sizeof c->unit, strcmp(unit, "1") != 0 ? unit : "");
  c->value = pm__lab_four_digits(found->value);
  c->uncertainty = found->uncertainty;
  c->state = found->state;
  c->start = found->start;
  c->lower = found->lower;
  c->upper = found->upper;
  memcpy(c->correlated, found->correlated, sizeof c->correlated);
  c->correlation = found->correlation;
  c->rows = (int32_t)rows;
}

const pm_fitted_constant *pm_calibration_get_constants(const pm_calibration *c, size_t *count)
{
  if (count != NULL) *count = c != NULL ? c->constant_count : 0;
  return c != NULL ? c->constants : NULL;
}

const pm_fit_error *pm_calibration_get_errors(const pm_calibration *c, size_t *count)
{
  if (count != NULL) *count = c != NULL ? c->error_count : 0;
  return c != NULL ? c->errors : NULL;
}

const char *pm_calibration_get_notes(const pm_calibration *c)
{
  return c != NULL && c->notes.text != NULL ? c->notes.text : "";
}

const char *pm_calibration_get_xml(const pm_calibration *c)
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

/* ---- Entries of the catalogue as a file has them, some of their values replaced ---- */

void pm__lab_value_write(pm__lab_new_value *value, double number, const char *unit)
{
  size_t size = sizeof value->text;
  if (strcmp(unit, "s") == 0) snprintf(value->text, size, "%.4g us", number * 1e6);
  else if (strcmp(unit, "J/FLOP") == 0) snprintf(value->text, size, "%.4g pJ/FLOP", number * 1e12);
  else if (strcmp(unit, "1") == 0) snprintf(value->text, size, "%.4g", number);
  else snprintf(value->text, size, "%.4g %.8s", number, unit);
}

void pm__lab_value_fitted(pm__lab_new_value *value, const pm_calibration *c, const char *sources, int rows)
{
  snprintf(value->fitted_to, sizeof value->fitted_to, "%s", sources[0] != '\0' ? sources : c->table);
  memcpy(value->date, c->date, sizeof value->date);
  value->rows = rows;
}

bool pm__lab_entry_at(const pm_catalog *catalog, const char *kind, size_t index, pm__lab_entry *entry)
{
  *entry = (pm__lab_entry){catalog, kind, pm_catalog_get_id(catalog, kind, index), pm_catalog_get_record_type(kind)};
  return entry->id != NULL;
}

static pm_value value_of(const pm_field *field, const pm__lab_new_value *value)
{
  return (pm_value){.field = field->name, .text = value->text, .note = value->note, .origin = value->origin,
                    .fitted_to = value->fitted_to, .date = value->date, .rows = value->rows};
}

void pm__lab_entry_write(pm__string *out, const pm__lab_entry *entry, pm__lab_replaced *replaced, const void *user)
{
  size_t fields = entry->type->field_count, count = 0;
  pm__lab_new_value *found = (pm__lab_new_value *)calloc(fields, sizeof *found);
  pm_value *values = (pm_value *)calloc(fields, sizeof *values);
  for (size_t i = 0; i < fields && found != NULL && values != NULL; i++)
    if (replaced(user, entry, &entry->type->fields[i], &found[count])) {
      values[count] = value_of(&entry->type->fields[i], &found[count]);
      count++;
    }
  char *text = values != NULL && found != NULL
               ? pm_catalog_format_entry(entry->catalog, entry->kind, entry->id, values, count, NULL) : NULL;
  if (text != NULL) pm__string_add(out, text);
  else out->failed = true;
  pm_string_free(text);
  free(values);
  free(found);
}
