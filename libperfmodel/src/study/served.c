/* Layouts that serve within limits: their table, with what was assumed of each. */
#include "complete/complete.h"
#include "study/served.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/units.h"
#include "record/sized.h"
#include "search/serving_goal.h"
#include "study/tables.h"

/* ---- What was assumed ---- */

static void add_limit(pm_assumption *row, const char *field, const char *name, double limit)
{
  char value[PM_NUMBER_MAX];
  snprintf(row->field, sizeof row->field, "%s", field);
  snprintf(row->value, sizeof row->value, "%s %s", name, pm_quantity_format(value, sizeof value, limit, "s"));
  snprintf(row->reason, sizeof row->reason, "MLPerf Inference, Llama 2 70B, server");
}

static int add_limits(const pm_given *given, const pm_serving_goal *goal, const pm_serving_run *run,
                      pm_assumption *rows)
{
  int count = 0;
  const pm_serving_goal limits = pm__serving_goal_of(goal, run);
  pm_given late = {0};
  pm_given_add(&late, "serving_run", "percentile");
  if (isnan(goal->ttft)) add_limit(&rows[count++], "ttft", "TTFT", limits.ttft);
  if (isnan(goal->tpot)) add_limit(&rows[count++], "tpot", "TPOT", limits.tpot);
  if (pm__given_meet(given, &late)) return count;
  rows[count] = (pm_assumption){.field = "percentile", .reason = "no percentile given"};
  snprintf(rows[count].value, sizeof rows[count].value, "p%g", 100 * run->percentile);
  return count + 1;
}

const char *pm__study_served_assumed(const pm_study *study, const pm_given *given, const pm_serving_goal *goal,
                                     const pm_serving_run *run, char *text, size_t size)
{
  static const char *const found[] = {"gpus", "nodes", "tensor_parallel", "concurrency", "precision"};
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  pm_given all = *given;
  bool precise = goal->layouts != PM_SERVING_LAYOUTS_ALL; /* else others are tried */
  for (size_t i = 0; i < sizeof found / sizeof found[0] - precise; i++) pm_given_add(&all, "serving_run", found[i]);
  int count = pm_study_get_assumptions(study, &all, run, sizeof *run, rows);
  return pm_assumptions_format(rows, count + add_limits(given, goal, run, rows + count), text, size);
}

/* ---- The table ---- */

typedef struct served {
  const pm_study *study;
  const pm_serving_goal_setup *setup;
  const pm_serving_goal *goal;
  const double *choice; /* of each row */
} served;

static const char *format_served(const void *context, size_t row, char *text, size_t size)
{
  const served *s = (const served *)context;
  const pm__record_array theirs = {"serving_run", s->setup->runs, s->setup->run_size};
  pm_serving_run own;
  const void *run = pm__record_read(&theirs, (size_t)s->choice[row], &own);
  return pm__study_served_assumed(s->study, s->setup->given, s->goal, (const pm_serving_run *)run, text, size);
}

static size_t column_of(const pm_table *table, const char *name)
{
  size_t at = 0, count = pm_table_count_columns(table);
  while (at < count && strcmp(pm_table_get_column(table, at)->name, name) != 0) at++;
  return at;
}

/* What only a front has, and costs without prices, are no columns for people. */
static void hide(const pm_serving_goal_setup *setup, const pm_serving_goal *goal, pm_table *table)
{
  static const char *const costs[] = {"hour_cost", "output_cost", "token_cost"};
  bool priced = false;
  for (size_t i = 0; setup->prices != NULL && i < setup->count; i++) priced = priced || !isnan(setup->prices[i]);
  for (size_t i = 0; i < sizeof costs / sizeof costs[0] && !priced; i++) pm_table_set_show(table, costs[i], 0);
  if (!goal->front) pm_table_set_show(table, "concurrency", 0);
}

pm_table *pm_study_tabulate_serving(const pm_study *study, const pm_serving_goal_setup *setup,
                                    const pm_serving_goal *goal, pm_error *error)
{
  pm_table *table = pm__serving_goal_tabulate(setup, goal, error);
  if (table == NULL) return NULL;
  hide(setup, goal, table);
  if (study == NULL) return table;
  const served all = {study, setup, goal, pm_table_get_numbers(table, column_of(table, "choice"))};
  return pm__study_with_assumed(table, pm_table_count_rows(table), format_served, &all, error);
}

/* ---- Its rows ---- */

static void read_row(const pm_table *table, const pm_record_type *type, size_t row, pm_serving_choice *choice)
{
  char text[PM_TEXT_MAX];
  pm_record_clear(type, choice);
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    size_t column = column_of(table, field->name);
    const double *numbers = pm_table_get_numbers(table, column);
    if (field->kind == PM_FIELD_TEXT) pm_record_set(field, choice, pm_table_get_text(table, column, row, text), NULL);
    else if (numbers != NULL) pm_record_set_number(field, choice, numbers[row], NULL);
  }
}

pm_serving_choice *pm__study_served_rows(const pm_table *table)
{
  const pm_record_type *type = pm_record_type_find("serving_choice");
  size_t count = table != NULL ? pm_table_count_rows(table) : 0;
  bool whole = table != NULL && count > 0;
  for (size_t i = 0; whole && i < type->field_count; i++)
    whole = column_of(table, type->fields[i].name) < pm_table_count_columns(table);
  pm_serving_choice *rows = whole ? (pm_serving_choice *)calloc(count, sizeof *rows) : NULL;
  for (size_t i = 0; rows != NULL && i < count; i++) read_row(table, type, i, &rows[i]);
  return rows;
}
