/*
** Values of entries one by one: read with what they rest on, written into a file, and set. A program that fits
** constants needs the three: it reads what a constant was fitted to, and writes the entry with other constants in their
** places.
*/
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"

/* ---- Reading ---- */

/* The entry of that name; NULL with an error. Networks and systems are more than values. */
static const pm__entry *find(const pm_catalog *catalog, const char *kind, const char *name, pm_error *error)
{
  const pm__entry *entry = NULL;
  int number = catalog != NULL && name != NULL ? pm__kind_find(kind, error) : -1;
  if (catalog == NULL || name == NULL) pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a value needs a catalogue and a name");
  if (number >= 0 && pm__catalog_find(catalog, number, name, &entry, error) != PM_OK) return NULL;
  if (entry == NULL || entry->record != NULL) return entry;
  pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s \"%.60s\" consists of layers, not of values", entry->element->name, name);
  return NULL;
}

pm_value pm__entry_value(const pm__entry *entry, const pm_field *field)
{
  const pm__provenance *from = &entry->from[field - entry->type->fields];
  return (pm_value){.field = field->name, .entry = entry->id, .text = from->text, .source = from->source,
                    .note = from->note,
                    .origin = from->origin, .fitted_to = from->fitted_to, .date = from->date, .rows = from->rows};
}

/* The entry that states a field: this one, or for what it may have from another the one that it falls back to. */
static int find_stating(const pm_catalog *catalog, const pm__entry *entry, const pm_field *field,
                        const pm__entry **found,
                        pm_error *error)
{
  const char *own = pm__kind_at((size_t)entry->kind)->own;
  bool stated = entry->from[field - entry->type->fields].line > 0;
  if (!stated && own != NULL && !pm__list_has(own, field->name))
    return pm__entry_find_stating(catalog, entry, field->name, found, error);
  *found = stated ? entry : NULL;
  return PM_OK;
}

int pm_catalog_get_value(const pm_catalog *catalog, const char *kind, const char *name, const char *field,
                         pm_value *value, pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  const pm__entry *entry = find(catalog, kind, name, &failure), *stating = NULL;
  const pm_field *found = entry != NULL && field != NULL ? pm_record_find_field(entry->type, field) : NULL;
  if (entry != NULL && (found == NULL || value == NULL))
    pm__fail(&failure, PM_STATUS_NOT_FOUND, "%s has no field \"%.60s\"", entry->element->name,
             field != NULL ? field : "");
  if (failure.status == PM_OK) find_stating(catalog, entry, found, &stating, &failure);
  if (failure.status == PM_OK && stating != NULL) *value = pm__entry_value(stating, found);
  else if (failure.status == PM_OK) *value = (pm_value){.field = found->name};
  pm__error_take(error, &failure);
  return failure.status;
}

/* ---- Writing ---- */

static void add_attribute(pm__string *out, const char *name, const char *value)
{
  if (value == NULL || value[0] == '\0') return;
  pm__string_format(out, " %s=\"", name);
  pm__string_add_escaped(out, value);
  pm__string_add(out, "\"");
}

static bool is_said(const char *text)
{
  return text != NULL && text[0] != '\0';
}

void pm__entry_add_value(pm__string *out, const pm__entry *entry, const pm_value *value)
{
  bool fitted = is_said(value->fitted_to); /* says the origin, too */
  bool same = is_said(value->source) && strcmp(value->source, entry->source) == 0;
  pm__string_format(out, "<%s", value->field);
  add_attribute(out, "source", same ? "" : value->source);
  add_attribute(out, "origin", fitted ? "" : value->origin);
  add_attribute(out, "fitted_to", value->fitted_to);
  if (value->rows > 0) pm__string_format(out, " rows=\"%d\"", value->rows);
  add_attribute(out, "date", value->date);
  add_attribute(out, "note", value->note);
  pm__string_add(out, ">");
  pm__string_add_escaped(out, value->text);
  pm__string_format(out, "</%s>", value->field);
}

static const pm_value *find_value(const pm_value *values, size_t count, const char *field)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(values[i].field, field) == 0) return &values[i];
  return NULL;
}

static void add_head(pm__string *out, const pm__entry *entry)
{
  pm__string_format(out, "\n  <%s id=\"%s\"", pm__kind_at((size_t)entry->kind)->singular, entry->id);
  add_attribute(out, "name", entry->name);
  for (size_t i = 0; i < entry->alias_count; i++) {
    pm__string_add(out, i == 0 ? " alias=\"" : ", ");
    pm__string_add_escaped(out, entry->aliases[i]);
  }
  if (entry->alias_count > 0) pm__string_add(out, "\"");
  add_attribute(out, "source", entry->source);
  add_attribute(out, "note", entry->note);
  pm__string_add(out, ">\n");
}

static void add_entry(pm__string *out, const pm__entry *entry, const pm_value *values, size_t count)
{
  add_head(out, entry);
  for (size_t i = 0; i < entry->type->field_count; i++) {
    const pm_field *field = &entry->type->fields[i];
    if (strcmp(field->name, "id") == 0 || strcmp(field->name, "name") == 0) continue;
    const pm_value own = pm__entry_value(entry, field), *other = find_value(values, count, field->name);
    if (other == NULL && entry->from[i].line == 0) continue;
    pm__string_add(out, "    ");
    pm__entry_add_value(out, entry, other != NULL ? other : &own);
    pm__string_add(out, "\n");
  }
  pm__string_format(out, "  </%s>\n", pm__kind_at((size_t)entry->kind)->singular);
}

static int check_values(const pm__entry *entry, const pm_value *values, size_t count, pm_error *error)
{
  if (entry->kind == PM__SYSTEMS)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "system \"%.60s\" consists of links, not only of values", entry->id);
  if (values == NULL && count > 0) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the values are missing");
  for (size_t i = 0; i < count; i++) {
    bool known = values[i].field != NULL && pm_record_find_field(entry->type, values[i].field) != NULL;
    if (!known || values[i].text == NULL)
      return pm__fail(error, known ? PM_STATUS_BAD_VALUE : PM_STATUS_NOT_FOUND, "%s \"%.60s\": %s \"%.60s\"",
                      entry->element->name, entry->id, known ? "no value of" : "no field",
                      values[i].field != NULL ? values[i].field : "");
  }
  return PM_OK;
}

char *pm_catalog_format_entry(const pm_catalog *catalog, const char *kind, const char *name, const pm_value *values,
                              size_t count, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  const pm__entry *entry = find(catalog, kind, name, error);
  if (entry == NULL || check_values(entry, values, count, error) != PM_OK) return NULL;
  add_entry(&out, entry, values, count);
  if (!out.failed) return out.text;
  free(out.text);
  pm__no_memory(error);
  return NULL;
}

int pm_catalog_set_values(pm_catalog *catalog, const char *kind, const char *name, const pm_value *values, size_t count,
                          pm_error *error)
{
  pm_error failure = PM_ERROR_NONE;
  pm__string file = {NULL, 0, 0, false};
  char *entry = pm_catalog_format_entry(catalog, kind, name, values, count, &failure);
  pm__string_add(&file, "<perfmodel version=\"1\">");
  if (entry != NULL) pm__string_add(&file, entry);
  pm__string_add(&file, "</perfmodel>\n");
  if (entry != NULL && file.failed) pm__no_memory(&failure);
  if (failure.status == PM_OK) pm_catalog_load_text(catalog, file.text, "values that were set", &failure);
  pm_string_free(entry);
  free(file.text);
  pm__error_take(error, &failure);
  return failure.status;
}
