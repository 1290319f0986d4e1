/* perfmodel search --within: how many GPUs train a network within a time. */
#include "deadline.h"
#include <math.h>
#include <string.h>
#include "price.h"

bool deadline_wanted(const cli_request *request)
{
  return request->value[OPTION_WITHIN] != NULL;
}

/* ---- What is asked ---- */

static const cli_field goals[] = {{OPTION_WITHIN, "within"}, {OPTION_MAX_NODES, "max_nodes"}};

/* What is trained on, failures, prices: as the run has them. */
static void take_run(const pm_run *run, pm_training_goal *goal)
{
  const pm_record_type *type = pm_record_type_find("training_goal");
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *own = pm_record_find_field(pm_record_type_find("run"), type->fields[i].name);
    if (own != NULL) pm_record_set_number(&type->fields[i], goal, pm_record_get_number(own, run), NULL);
  }
}

static int read_goal(const cli_request *request, const cli_deadline *d, cli_prices *prices, pm_training_goal *goal)
{
  *goal = pm_training_goal_make();
  if (!read_fields(request, "training_goal", goals, sizeof goals / sizeof goals[0], goal)) return CODE_USAGE;
  take_run(d->base, goal);
  int code = read_prices(request, d->catalog, prices);
  if (code == CODE_DONE) code = take_currency(prices, field_given(request, "gpu_hour_price"));
  goal->price = price_of(prices, pm_system_get_machine(d->system)->id);
  return code;
}

/* ---- What is answered ---- */

static double number_at(const pm_table *table, const char *name, size_t row)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return pm_table_get_numbers(table, i)[row];
  return NAN;
}

static pm_report *report_of(const cli_deadline *d, const cli_prices *prices, const pm_training_goal *goal,
                            const pm_table *table, pm_error *error)
{
  pm_run run = *d->base;
  if (pm_study_complete(d->study, d->given, &run, &run, sizeof run, 1, error) != PM_OK) return NULL;
  const pm_report_question asked = {.of = PM_REPORT_OF_DEADLINE, .given = d->given, .runs = &run,
                                    .run_size = sizeof run, .goal = goal, .table = table,
                                    .currency = prices->currency[0] != '\0' ? prices->currency : NULL};
  return pm_study_get_plan(d->study, error) != NULL ? pm_study_new_report(d->study, &asked, error) : NULL;
}

int deadline_answer(const cli_request *request, const cli_deadline *d)
{
  cli_prices prices;
  pm_training_goal goal;
  pm_error error = PM_ERROR_NONE;
  memset(&prices, 0, sizeof prices);
  int code = read_goal(request, d, &prices, &goal);
  if (code != CODE_DONE) return code;
  pm_table *table = pm_study_tabulate_training(d->study, d->given, d->base, d->global_batch, &goal, &error);
  if (table == NULL) return fail_error(&error);
  bool met = number_at(table, "reached", pm_table_count_rows(table) - 1) >= 1;
  if (!is_report(request)) code = write_table(request, table, &error);
  else {
    code = write_document(request, report_of(d, &prices, &goal, table, &error), &error);
    pm_table_free(table);
  }
  return code == CODE_DONE && !met ? CODE_CONSTRAINT : code;
}
