/* The sets by name, and what is the same for all of them. */
#include <stdlib.h>
#include <string.h>
#include "lab/validate/sets.h"

typedef struct set {
  const char *name, *shipped;
  pm__set *run;
} set;

static const set sets[] = {
  {"seeds", "measured/seeds.csv", pm__validate_seeds},
  {"training", "measured/training.csv", pm__validate_training},
  {"inference", "measured/inference.csv", pm__validate_inference},
  {"kernels", "measured/kernels.csv", pm__validate_kernels},
  {"collectives", "measured/collectives.csv", pm__validate_collectives},
  {"storage", "measured/storage.csv", pm__validate_seeds},
};

enum { SETS = sizeof sets / sizeof sets[0] };

const char *pm_validation_set(size_t index)
{
  return index < SETS ? sets[index].name : NULL;
}

static const set *find_set(const char *name, pm_error *error)
{
  char known[200] = "";
  for (size_t i = 0; i < SETS; i++) {
    if (strcmp(sets[i].name, name) == 0) return &sets[i];
    strcat(known, i > 0 ? ", " : "");
    strcat(known, sets[i].name);
  }
  pm__fail(error, PM_NOT_FOUND, "set \"%.80s\" is unknown; it is one of %s", name, known);
  return NULL;
}

int pm__task_columns(const pm__task *task, const char *const *titles, size_t count, pm_error *error)
{
  for (size_t i = 0; i < count; i++)
    if (pm__csv_column(task->table, titles[i]) < 0)
      return pm__fail(error, PM_BAD_SYNTAX, "%s: no column \"%s\"", task->file, titles[i]);
  return PM_OK;
}

void pm__task_unpredicted(pm__task *task, pm__tally *reasons)
{
  size_t left = 0;
  for (size_t i = 0; i < reasons->count; i++) left += reasons->items[i].count;
  if (left == 0) return;
  pm__string_format(&task->notes, "%zu of %zu rows of \"%.60s\" have no prediction:\n", left, task->table->rows - 1,
                    task->file);
  pm__tally_write(reasons, &task->notes);
}

pm_table *pm__task_table(const pm__task *task, const pm__comparisons *rows, pm_error *error)
{
  return task->rows ? pm__comparisons_table(rows, error) : pm__comparisons_summary(rows, error);
}

static pm_table *run_set(const set *chosen, pm__task *task, const char *text, pm_error *error)
{
  pm__csv table;
  if (pm__csv_read(&table, text, task->file, error) != PM_OK) return NULL;
  task->table = &table;
  pm_table *result = NULL;
  if (table.rows > 1) result = chosen->run(task, error);
  else pm__fail(error, PM_BAD_FILE, "%s: no measurements", task->file);
  pm__csv_free(&table);
  return result;
}

/* The table with what the set had to say; NULL, and no table, without memory. */
static pm_table *noted(pm_table *table, const pm__string *notes, pm_error *error)
{
  if (table == NULL || notes->text == NULL) return table;
  if (!notes->failed && pm_table_set_notes(table, notes->text, error) == PM_OK) return table;
  if (notes->failed) pm__no_memory(error);
  pm_table_free(table);
  return NULL;
}

pm_table *pm_validate(const pm_catalog *catalog, const pm_validation *what, pm_error *error)
{
  if (catalog == NULL || what == NULL || what->set == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a validation needs a catalogue and a set");
    return NULL;
  }
  const set *chosen = find_set(what->set, error);
  if (chosen == NULL) return NULL;
  pm__task task = {catalog, NULL, what->file != NULL ? what->file : what->data != NULL ? "data" : chosen->shipped,
                   what->data != NULL ? "own" : chosen->name, what->rows, {NULL, 0, 0, false}};
  char *shipped = what->data == NULL ? pm_shipped_text(chosen->shipped, error) : NULL;
  const char *text = what->data != NULL ? what->data : shipped;
  pm_table *table = text != NULL ? run_set(chosen, &task, text, error) : NULL;
  pm_string_free(shipped);
  table = noted(table, &task.notes, error);
  free(task.notes.text);
  return table;
}
