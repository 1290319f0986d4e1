/* perfmodel size: the choices and the front, as tables; the answer for people is the library's. */
#include <math.h>
#include <stdlib.h>
#include "size_answer.h"
#include "systems.h"

enum { FRONT_MOST = 4096 };

/* ---- The answer as a table ---- */

/* The front for people: without ranks, and without times that only epochs have. */
static pm_table *front_table(const size_question *q, const pm_size_choice *rows, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find("size_choice"), rows, count, error);
  pm_table_drop(table, "rank");
  if (isnan(q->goal.epochs)) pm_table_drop(table, "time");
  if (isnan(q->goal.epochs)) pm_table_drop(table, "gpu_hours");
  return table;
}

/* Assumptions of each choice; of a global batch, its batch is none. */
static int add_assumed(pm_table *table, const size_question *q, const pm_size_choice *rows, size_t count,
                       pm_error *error)
{
  pm_given given = q->runs.given;
  char (*lines)[ASSUMED] = (char (*)[ASSUMED])calloc(count + 1, sizeof *lines);
  const char **all = (const char **)calloc(count + 1, sizeof *all);
  int status = lines != NULL && all != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  if (!isnan(q->goal.global_batch)) given.global_batch = 1;
  if (!isnan(q->goal.global_batch)) pm_given_add(&given, "run", "batch");
  for (size_t i = 0; i < count && status == PM_OK; i++)
    all[i] = assumed_of(q->study, &given, run_at(&q->runs, (size_t)rows[i].choice), lines[i]);
  if (status == PM_OK) status = pm_table_add_text(table, "assumed", "defaults that were assumed", all,
                                                  error);
  free(all);
  free(lines);
  return status;
}

/* All columns, for programs. */
static pm_table *whole_table(const size_question *q, const pm_size_choice *rows, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find("size_choice"), rows, count, error);
  if (table == NULL || add_assumed(table, q, rows, count, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static pm_report *report_of(const cli_request *request, const size_question *q, pm_error *error)
{
  const pm_report_question asked = {
    .of = PM_REPORT_OF_SIZES, .given = &q->runs.given, .answers = q->choices, .answer_size = sizeof *q->choices,
    .count = q->setup.count, .dataset = q->dataset.id[0] != '\0' ? q->dataset.name : NULL, .goal = &q->goal,
    .size = &q->setup, .currency = q->prices.count > 0 ? q->prices.currency : NULL,
    .price_date = request->value[OPTION_PRICE_DATE]};
  return pm_study_new_report(q->study, &asked, error);
}

static int write_front(const cli_request *request, const size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_size_choice *rows = (pm_size_choice *)calloc(FRONT_MOST, sizeof *rows);
  if (rows == NULL) return fail_memory();
  int count = pm_size_find_front(&q->setup, &q->goal, rows, FRONT_MOST, &error);
  int code = count < 0 ? fail_error(&error) : CODE_DONE;
  if (count >= 0 && is_report(request))
    code = write_table(request, front_table(q, rows, (size_t)count, &error), &error);
  else if (count >= 0) code = write_table(request, whole_table(q, rows, (size_t)count, &error), &error);
  free(rows);
  return code;
}

/* A run of the choice on as many nodes as its degrees may divide. */
static int fail_missed(const size_question *q)
{
  const pm_size_choice *best = &q->choices[0];
  void *run = run_at(&q->runs, (size_t)best->choice);
  const pm_field *nodes = pm_record_find_field(q->runs.type, "nodes");
  double count = 1;
  static const char *const degrees[] = {"tensor_parallel", "context_parallel", "pipeline_parallel"};
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
    if (q->runs.task == PM_TASK_TRAINING) count *= run_number(&q->runs, (size_t)best->choice, degrees[i]);
  pm_record_set_number(nodes, run, count <= q->goal.max_nodes ? count : 1, NULL);
  return fail_goal(q->setup.plan, q->runs.task, run, q->runs.type->size, best->status, "the target is not reached");
}

int size_answer(const cli_request *request, size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  if (request->value[OPTION_PARETO] != NULL) return write_front(request, q);
  if (pm_size_evaluate(&q->setup, &q->goal, q->choices, &error) != PM_OK) return fail_error(&error);
  int code = is_report(request) ? write_document(request, report_of(request, q, &error), &error)
                                : write_table(request, whole_table(q, q->choices, q->setup.count, &error), &error);
  return code == CODE_DONE && q->choices[0].rank == 0 ? fail_missed(q) : code;
}
