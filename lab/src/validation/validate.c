/* The sets by name, and what is the same for all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shipped/catalog.h"
#include "traces/traces.h"
#include "validation/comparison.h"

typedef struct set {
  const char *name, *alias, *shipped; /* an alias is a name that it had in release 0.1 */
  pm__lab_set *run;
} set;

static const set sets[] = {
  {"statements", "seeds", "measured/statements.csv", pm__lab_validate_statements},
  {"training", "", "measured/training.csv", pm__lab_validate_training},
  {"training-checks", "", "measured/training_checks.csv", pm__lab_validate_training},
  {"inference", "", "measured/inference.csv", pm__lab_validate_inference},
  {"large-models", "", "measured/large_models.csv", pm__lab_validate_large_models},
  {"plans", "", "measured/plans.csv", pm__lab_validate_plans},
  {"memory", "", "measured/plans.csv", pm__lab_validate_memory},
  {"kernels", "", "measured/kernels.csv", pm__lab_validate_kernels},
  {"operators", "", "measured/operators.csv", pm__lab_validate_operators},
  {"collectives", "", "measured/collectives.csv", pm__lab_validate_collectives},
  {"serving", "", "measured/serving.csv", pm__lab_validate_serving},
  {"energy", "", "measured/energy.csv", pm__lab_validate_energy},
  {"storage", "", "measured/storage.csv", pm__lab_validate_statements},
};

enum { SETS = sizeof sets / sizeof sets[0] };

const char *pm_validation_get_set(size_t index)
{
  return index < SETS ? sets[index].name : NULL;
}

static const set *find_set(const char *name, pm_error *error)
{
  char known[200] = "";
  for (size_t i = 0; i < SETS; i++) {
    if (strcmp(sets[i].name, name) == 0 || (name[0] != '\0' && strcmp(sets[i].alias, name) == 0)) return &sets[i];
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", sets[i].name);
  }
  pm__fail(error, PM_STATUS_NOT_FOUND, "set \"%.80s\" is unknown; it must be one of %s", name, known);
  return NULL;
}

static pm_table *run_set(const set *chosen, pm__lab_context *context, const char *text, pm_error *error)
{
  pm__csv table;
  if (pm__csv_read(&table, text, context->file, error) != PM_OK) return NULL;
  context->table = &table;
  pm_table *result = NULL;
  if (table.rows > 1) result = chosen->run(context, error);
  else pm__fail(error, PM_STATUS_BAD_FILE, "%s: no measurements", context->file);
  context->table = NULL; /* it ends here */
  pm__csv_free(&table);
  return result;
}

/* The table with what the set had to say; NULL, and no table, without memory. */
static pm_table *noted(pm_table *table, const pm__string *notes, pm_error *error)
{
  if (table == NULL || (notes->text == NULL && !notes->failed)) return table;
  if (!notes->failed && pm_table_set_notes(table, notes->text, error) == PM_OK) return table;
  if (notes->failed) pm__no_memory(error);
  pm_table_free(table);
  return NULL;
}

pm_table *pm_validate(const pm_catalog *catalog, const pm_validation *what, pm_error *error)
{
  if (catalog == NULL || what == NULL || what->set == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a validation needs a catalogue and a set");
    return NULL;
  }
  const set *chosen = find_set(what->set, error);
  if (chosen == NULL) return NULL;
  pm__lab_context context = {.catalog = catalog, .file = chosen->shipped, .set = chosen->name, .rows = what->rows,
                             .only = what->only};
  if (what->data != NULL) context.file = "data", context.set = "own";
  if (what->file != NULL) context.file = what->file;
  if (pm__lab_catalog_open(catalog, error) != PM_OK) return NULL;
  pm_error unread = PM_ERROR_NONE;
  if (error == NULL) error = &unread;
  char *made = what->data == NULL ? pm_shipped_read(chosen->shipped, error)
               : pm__lab_trace_table_of(catalog, chosen->name, chosen->shipped, what->data, context.file,
                                        what->system, &context.notes,
                                     error);
  const char *text = made != NULL ? made : error->status == PM_OK ? what->data : NULL;
  pm_table *table = text != NULL ? run_set(chosen, &context, text, error) : NULL;
  pm_string_free(made);
  table = noted(table, &context.notes, error);
  free(context.notes.text);
  return table;
}
