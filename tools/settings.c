/* Settings of other programs' runs: read into ours, and ours written as theirs. */
#include "settings.h"
#include <stdlib.h>
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

static void copy_text(const pm_table *table, const char *column, size_t row, char *text)
{
  char buffer[PM_TEXT_MAX];
  snprintf(text, PM_TEXT_MAX, "%.79s", pm_table_get_text(table, column_of(table, column), row, buffer));
}

void read_setting(const pm_table *table, size_t row, char *option, char *value)
{
  copy_text(table, "option", row, option);
  copy_text(table, "set_to", row, value);
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

/* Where the settings of a run go. */
typedef struct target {
  const char *record;
  void *run;
  pm_given *given;
  double *global_batch;
  char *framework; /* NULL: it is not asked for */
} target;

/* A field of the run, the global batch, the engine, or nothing of a run. */
static int take(void *to, const char *name, const char *text)
{
  const target *t = (const target *)to;
  pm_error error = PM_ERROR_NONE;
  const pm_field *field = pm_record_find_field(pm_record_type_find(t->record), name);
  int status = PM_OK;
  if (strcmp(name, "engine") == 0 && t->framework != NULL) snprintf(t->framework, PM_TEXT_MAX, "%.79s", text);
  if (strcmp(name, "global_batch") == 0) status = pm_number_parse(text, t->global_batch);
  else if (field != NULL) status = pm_record_set(field, t->run, text, &error);
  if (field != NULL) pm_given_add(t->given, t->record, name);
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

int each_setting(const cli_request *request, setting_taker *taker, void *to)
{
  int code;
  if (request->value[OPTION_RUN] == NULL) return CODE_DONE;
  pm_table *table = open_settings(request->value[OPTION_RUN], &code);
  if (table == NULL) return code;
  columns c = columns_of(table);
  for (size_t i = 0; i < pm_table_count_rows(table) && code == CODE_DONE; i++) {
    char option[PM_TEXT_MAX], value[PM_TEXT_MAX];
    note_row(request, &c, i);
    code = taker(to, text_at(&c, c.option, i, option), text_at(&c, c.set_to, i, value));
  }
  pm_table_free(table);
  return code;
}

int read_settings(const cli_request *request, const char *record, void *run, pm_given *given,
                  double *global_batch, char *framework)
{
  target to = {record, run, given, global_batch, framework};
  return each_setting(request, take, &to);
}

/* Fields of a run that no program is told: of the machine, and of what is asked of those that serve. */
static bool is_told(const char *record, const char *field)
{
  static const char *const machine[] = {"gpus", "nodes", "batch", NULL};
  static const char *const asked[] = {"gpus", "nodes", "concurrency", "isl", "osl", "arrivals", "rate", "arrival_cv",
                                      "length_cv", "duration", "percentile", "hit_ratio", "shared_prompt",
                                      "client_time", "bunching", "kernel_model", "usable_memory", "ignore_memory",
                                      "expert_imbalance", "acceptance", "draft_time", NULL};
  if (strstr(field, "_index") != NULL) return false;
  for (const char *const *name = strcmp(record, "run") == 0 ? machine : asked; *name != NULL; name++)
    if (strcmp(*name, field) == 0) return false;
  return true;
}

enum { FIELDS_MOST = 64 };

int write_settings(const cli_request *request, const char *format, const char *record, const void *run,
                   double global_batch)
{
  const pm_record_type *type = pm_record_type_find(record);
  pm_attribute settings[FIELDS_MOST];
  char values[FIELDS_MOST][PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  size_t count = 0;
  void *usual = malloc(type->size);
  if (usual == NULL) return fail_memory();
  pm_record_fill(record, usual, type->size);
  for (size_t i = 0; i < type->field_count && count < FIELDS_MOST - 1; i++) {
    const pm_field *field = &type->fields[i];
    double value = pm_record_get_number(field, run), other = pm_record_get_number(field, usual);
    if (!is_told(record, field->name) || value == other || value != value) continue; /* as ever, or unknown */
    settings[count] = (pm_attribute){field->name, pm_record_format(field, run, values[count])};
    count++;
  }
  free(usual);
  if (global_batch == global_batch) {
    pm_number_format(values[count], global_batch);
    settings[count] = (pm_attribute){"global_batch", values[count]};
    count++;
  }
  char *text = pm_settings_write(format, settings, count, &error);
  if (text == NULL) return fail_error(&error);
  int code = write_output(request, text, strlen(text));
  pm_string_free(text);
  return code;
}
