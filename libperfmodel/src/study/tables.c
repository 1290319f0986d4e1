/* Tables of studies: those of predictions, and what was assumed of each row. */
#include "study/tables.h"
#include <stdlib.h>
#include "base/base.h"
#include "record/sized.h"
#include "report/table_data.h"
#include "search/parallel_search.h"
#include "study/study.h"

enum { LINE = 256 };

static int add_column(pm_table *table, size_t count, pm__study_format_row *format, const void *context,
                      pm_error *error)
{
  char (*lines)[LINE] = (char (*)[LINE])malloc((count + 1) * sizeof *lines);
  const char **texts = (const char **)malloc((count + 1) * sizeof *texts);
  int status = lines != NULL && texts != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; i < count && status == PM_OK; i++) texts[i] = format(context, i, lines[i], LINE);
  if (status == PM_OK)
    status = pm_table_add_text(table, "assumed", "what was not given, and is taken to be", texts, error);
  if (status == PM_OK) pm_table_set_show(table, "assumed", PM_SHOW_MAIN | PM_SHOW_GIVEN | PM_SHOW_LINE);
  free(lines);
  free(texts);
  return status;
}

pm_table *pm__study_with_assumed(pm_table *table, size_t count, pm__study_format_row *format, const void *context,
                                 pm_error *error)
{
  if (table == NULL || add_column(table, count, format, context, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

/* Rows of a sweep, or plans of a search. */
typedef struct rows {
  const pm_study *study;
  const pm_given *given;
  const pm_sweep *sweep;
  const pm_search_result *result;
  const pm__search_kept *kept;
} rows;

static const char *format_run(const void *context, size_t row, char *text, size_t size)
{
  const rows *r = (const rows *)context;
  const void *run = (const char *)r->sweep->runs + row * r->sweep->run_size;
  pm_assumption list[PM_ASSUMPTIONS_MAX];
  return pm_assumptions_format(list, pm_study_get_assumptions(r->study, r->given, run, r->sweep->run_size, list), text,
                               size);
}

static const char *format_plan(const void *context, size_t row, char *text, size_t size)
{
  const rows *r = (const rows *)context;
  pm_assumption list[PM_ASSUMPTIONS_MAX];
  const pm_run run = pm__search_run_of(r->result->search, r->kept->plan[row].number);
  return pm_assumptions_format(list, pm_study_get_assumptions(r->study, r->given, &run, sizeof run, list), text, size);
}

static const pm_plan *plan_of(const pm_study *study, pm_error *error)
{
  if (study != NULL && study->plan_count > 0) return study->plans[study->plan_count - 1];
  pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table of a study needs a plan");
  return NULL;
}

/* Whether a column says what was asked: an id, a number of the hardware, a field of the runs that was given. */
static bool was_asked(const pm__column *column, const pm_record_type *runs, const pm_given *given)
{
  const pm_field *field = pm_record_find_field(runs, column->column.name);
  if (field == NULL) return column->given && (column->show & PM_SHOW_GIVEN) == 0;
  return given != NULL && pm_given_has(given, (int)(field - runs->fields));
}

/* What "main" stands for: a choice that depends on the question alone, so that all pieces of a sweep make the same. */
static void mark_main(pm_table *table, const pm_record_type *runs, const pm_given *given)
{
  for (size_t i = 0; i < table->count; i++) {
    pm__column *column = &table->columns[i];
    bool main = (column->show & (PM_SHOW_MAIN | PM_SHOW_NONZERO)) != 0 && (column->show & PM_SHOW_GIVEN) == 0;
    if (main || was_asked(column, runs, given)) column->show |= PM_SHOW_SWEPT;
  }
}

pm_table *pm_study_tabulate(const pm_study *study, const pm_given *given, const pm_sweep *sweep, pm_error *error)
{
  const rows all = {.study = study, .given = given, .sweep = sweep};
  const pm_plan *plan = plan_of(study, error);
  pm_table *table = plan == NULL ? NULL : pm_sweep_tabulate(plan, sweep, error);
  if (table != NULL) mark_main(table, pm_record_type_find(study->task->facts.run), given);
  return table != NULL ? pm__study_with_assumed(table, sweep->count, format_run, &all, error) : NULL;
}

pm_table *pm_study_tabulate_search(const pm_study *study, const pm_given *given, const pm_search_result *result,
                                   pm_search_view view, pm_error *error)
{
  pm_given whole = given != NULL ? *given : (pm_given){0};
  pm_given_add(&whole, "run", "batch"); /* plans decide both */
  pm_given_add(&whole, "run", "micro_batch");
  if (study != NULL && given == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table of a study needs the given fields"), (pm_table *)NULL;
  if (result == NULL || view > PM_SEARCH_VIEW_FASTEST)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a table needs the result of a search"), (pm_table *)NULL;
  const rows all = {.study = study, .given = &whole, .result = result, .kept = pm__search_kept_of(result, view)};
  if (all.kept == NULL) return pm__search_tabulate_choices(result, view, error);
  pm_table *table = pm__search_result_tabulate(result, view, error);
  if (table == NULL || study == NULL) return table;
  return pm__study_with_assumed(table, all.kept->count, format_plan, &all, error);
}
