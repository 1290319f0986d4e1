/* What a calibration found, and how it becomes a file of the catalogue. */
#include "lab/calibration/calibration.h"
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
  pm__spread spread = pm__spread_of(errors, count);
  pm_record_clear(pm_record_type_find("fit_error"), next);
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

static void add_escaped(pm__string *out, const char *text)
{
  for (; *text != '\0'; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;" : NULL;
    if (escape != NULL) pm__string_add(out, escape);
    else pm__string_add_bytes(out, text, 1);
  }
}

static void add_attribute(pm__string *out, const char *name, const char *value)
{
  if (value == NULL || value[0] == '\0') return;
  pm__string_format(out, " %s=\"", name);
  add_escaped(out, value);
  pm__string_add(out, "\"");
}

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

static void add_provenance(pm__string *out, const pm__provenance *from)
{
  bool said = strcmp(from->origin, "fitted") != 0; /* else fitted_to says so */
  add_attribute(out, "source", from->source);
  add_attribute(out, "origin", said ? from->origin : "");
  add_attribute(out, "fitted_to", from->fitted_to);
  if (from->rows > 0) pm__string_format(out, " rows=\"%d\"", from->rows);
  add_attribute(out, "date", from->date);
  add_attribute(out, "note", from->note);
}

static void add_value(pm__string *out, const pm__entry *entry, size_t index, pm__lab_replaced *replaced,
                      const void *user)
{
  const pm_field *field = &entry->type->fields[index];
  pm__provenance from = entry->from[index];
  pm__lab_new_value value = {.origin = NULL};
  if (strcmp(field->name, "id") == 0 || strcmp(field->name, "name") == 0) return;
  if (replaced(user, entry, field, &value))
    from = (pm__provenance){.text = value.text, .source = "", .note = value.note, .fitted_to = value.fitted_to,
                            .origin = value.origin != NULL ? value.origin : "", .date = value.date,
                            .rows = value.rows, .line = 1};
  if (from.line == 0) return;
  if (strcmp(from.source, entry->source) == 0) from.source = "";
  pm__string_format(out, "    <%s", field->name);
  add_provenance(out, &from);
  pm__string_add(out, ">");
  add_escaped(out, from.text);
  pm__string_format(out, "</%s>\n", field->name);
}

void pm__lab_entry_write(pm__string *out, const pm__entry *entry, pm__lab_replaced *replaced, const void *user)
{
  const char *element = pm__kind_at((size_t)entry->kind)->singular;
  pm__string_format(out, "\n  <%s id=\"%s\"", element, entry->id);
  add_attribute(out, "name", entry->name);
  for (size_t i = 0; i < entry->alias_count; i++) {
    pm__string_add(out, i == 0 ? " alias=\"" : ", ");
    add_escaped(out, entry->aliases[i]);
  }
  if (entry->alias_count > 0) pm__string_add(out, "\"");
  add_attribute(out, "source", entry->source);
  add_attribute(out, "note", entry->note);
  pm__string_add(out, ">\n");
  for (size_t i = 0; i < entry->type->field_count; i++) add_value(out, entry, i, replaced, user);
  pm__string_format(out, "  </%s>\n", element);
}
