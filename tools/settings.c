/* Settings of other programs' runs: read into ours, and ours written as theirs. */
#include "settings.h"
#include <string.h>
#include "options.h"

typedef struct columns {
  const pm_table *table;
  size_t key, value, state, option, set_to, line;
} columns;

static size_t column_of(const pm_table *table, const char *name)
{
  size_t i = 0;
  while (strcmp(pm_table_get_column(table, i)->name, name) != 0) i++;
  return i;
}

static columns columns_of(const pm_table *table)
{
  return (columns){table, column_of(table, "key"), column_of(table, "value"), column_of(table, "state"),
                   column_of(table, "option"), column_of(table, "set_to"), column_of(table, "line")};
}

static const char *text_at(const columns *c, size_t column, size_t row, char *buffer)
{
  return pm_table_get_text(c->table, column, row, buffer);
}

static void note_row(const cli_request *request, const columns *c, size_t row)
{
  char key[PM_TEXT_MAX], value[PM_TEXT_MAX], state[PM_TEXT_MAX], option[PM_TEXT_MAX], set_to[PM_TEXT_MAX];
  double line = pm_table_get_numbers(c->table, c->line)[row];
  const char *what = text_at(c, c->state, row, state);
  if (strcmp(what, "no effect") == 0) return;
  const char *from = text_at(c, c->key, row, key), *as = text_at(c, c->value, row, value);
  const char *to = text_at(c, c->option, row, option), *set = text_at(c, c->set_to, row, set_to);
  if (strcmp(what, "assumed") == 0) note(request, "assumed: %s = %s (%s)", to, set, from);
  else if (to[0] != '\0') note(request, "%s: %s = %s (line %.0f: %s)", what, to, set, line, from);
  else note(request, "%s: %s%s%s (line %.0f)", what, from, as[0] != '\0' ? " " : "", as, line);
}

/* A field of the run, the global batch, or nothing of a run. */
static int take(const columns *c, size_t row, pm_run *run, pm_given *given, double *global_batch)
{
  char option[PM_TEXT_MAX], value[PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  const char *name = text_at(c, c->option, row, option), *text = text_at(c, c->set_to, row, value);
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), name);
  int status = PM_OK;
  if (strcmp(name, "global_batch") == 0) status = pm_number_parse(text, global_batch);
  else if (field != NULL) status = pm_record_set(field, run, text, &error);
  if (field != NULL) pm_given_add(given, "run", name);
  return status == PM_OK ? CODE_DONE : fail_error(&error);
}

static pm_table *open_settings(const char *path, int *code)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(path, &error);
  pm_table *table = text != NULL ? pm_settings_read(NULL, text, path, &error) : NULL;
  pm_string_free(text);
  *code = table != NULL ? CODE_DONE : fail_error(&error);
  return table;
}

int read_settings(const cli_request *request, pm_run *run, pm_given *given, double *global_batch)
{
  int code;
  if (request->value[OPTION_RUN] == NULL) return CODE_DONE;
  pm_table *table = open_settings(request->value[OPTION_RUN], &code);
  if (table == NULL) return code;
  columns c = columns_of(table);
  for (size_t i = 0; i < pm_table_count_rows(table) && code == CODE_DONE; i++) {
    note_row(request, &c, i);
    code = take(&c, i, run, given, global_batch);
  }
  pm_table_free(table);
  return code;
}

enum { FIELDS_MOST = 64 };

int write_settings(const cli_request *request, const char *format, const pm_run *run, double global_batch)
{
  const pm_record_type *type = pm_record_type_find("run");
  pm_attribute settings[FIELDS_MOST];
  char values[FIELDS_MOST][PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  size_t count = 0;
  const pm_run usual = pm_run_make();
  for (size_t i = 0; i < type->field_count && count < FIELDS_MOST - 1; i++) {
    const pm_field *field = &type->fields[i];
    double value = pm_record_get_number(field, run), other = pm_record_get_number(field, &usual);
    bool place = strstr(field->name, "_index") != NULL || strcmp(field->name, "gpus") == 0 ||
                 strcmp(field->name, "nodes") == 0 || strcmp(field->name, "batch") == 0;
    if (place || value == other || value != value) continue; /* of the machine, as ever, or unknown */
    settings[count] = (pm_attribute){field->name, pm_record_format(field, run, values[count])};
    count++;
  }
  pm_number_format(values[count], global_batch);
  settings[count] = (pm_attribute){"global_batch", values[count]};
  char *text = pm_settings_write(format, settings, count + 1, &error);
  if (text == NULL) return fail_error(&error);
  int code = write_output(request, text, strlen(text));
  pm_string_free(text);
  return code;
}
