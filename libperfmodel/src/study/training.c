/*
** Training within a time: the counts of nodes of one system; of several, which machine: the fewest nodes of each whose
** best plan meets the deadline, ranked by what is to be least. A system that cannot train the network is a row with the
** reason as its status.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/base.h"
#include "record/sized.h"
#include "search/parallel_search.h"
#include "study/study.h"

typedef struct question {
  pm_study *study;
  const pm_given *given;
  const pm_run *base;
  double global_batch;
  const pm_training_goal *goals;
  pm__search_base (*bases)[PM__SOFTWARE_CLASSES]; /* of each system */
  size_t *count;
  pm_training *rows;
  pm_error why; /* of the first system that has no numbers */
} question;

/* ---- The rows ---- */

static pm_run run_on(const question *q, size_t system)
{
  pm_run run = *q->base;
  run.system_index = (int32_t)system;
  return run;
}

static void refuse(question *q, size_t system, const pm_error *error)
{
  if (q->why.status == PM_OK) q->why = *error;
  q->rows[system].status = error->status;
}

static void start_row(const question *q, size_t system)
{
  pm_training *row = &q->rows[system];
  pm_record_clear(pm_record_type_find("training"), row);
  row->rank = row->nodes = row->gpus = 0;
  row->choice = (int32_t)system;
  row->status = PM_OK;
  snprintf(row->system, sizeof row->system, "%s", pm_system_get_machine(q->study->systems[system])->id);
}

/* Its software in every class of plans. */
static void find_software(question *q, size_t system)
{
  pm_error error = PM_ERROR_NONE;
  pm__study_bases all = {q->bases[system], 0};
  const pm_run run = run_on(q, system);
  start_row(q, system);
  if (pm__study_add_bases(q->study, q->given, &run, &all, &error) != PM_OK) refuse(q, system, &error);
  q->count[system] = all.count;
}

static void fill(question *q, const pm_plan *plan, size_t system)
{
  pm_training *found;
  size_t count;
  pm_error error = PM_ERROR_NONE;
  const pm__search_training asked = {plan, q->bases[system], q->count[system], q->global_batch, &q->goals[system]};
  if (q->rows[system].status != PM_OK) return;
  if (pm__search_find_training(&asked, &found, &count, &error) != PM_OK) {
    refuse(q, system, &error);
    return;
  }
  q->rows[system] = found[count - 1];
  if (!(found[count - 1].reached >= 1)) q->rows[system].status = PM_STATUS_UNREACHABLE;
  free(found);
}

/* ---- Their order ---- */

static double objective(const pm_training *row, int32_t minimize)
{
  switch (minimize) {
  case PM_MINIMIZE_COST: return isnan(row->gpu_hour_cost) ? row->cost : row->gpu_hour_cost;
  case PM_MINIMIZE_POWER: return row->design_power;
  case PM_MINIMIZE_RACK_UNITS: return row->rack_units;
  case PM_MINIMIZE_ENERGY: return row->energy;
  case PM_MINIMIZE_CARBON: return row->carbon;
  case PM_MINIMIZE_ENERGY_COST: return row->energy_cost;
  default: return row->nodes;
  }
}

/* What is less; unknown is most. */
static int compare(double x, double y)
{
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

/* Whether a row comes first: what meets the deadline, with least, of equals the cheapest; then the fastest; then what
** has no numbers. */
static bool comes_first(const pm_training *a, const pm_training *b, int32_t minimize)
{
  if ((a->status == PM_OK) != (b->status == PM_OK)) return a->status == PM_OK;
  int order = a->status == PM_OK ? compare(objective(a, minimize), objective(b, minimize)) : 0;
  if (order == 0 && a->status == PM_OK)
    order = compare(objective(a, PM_MINIMIZE_COST), objective(b, PM_MINIMIZE_COST));
  if (order == 0) order = compare(a->time, b->time);
  return order != 0 ? order < 0 : a->choice < b->choice;
}

/* Few rows: each goes where it belongs. */
static void sort(question *q, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    pm_training row = q->rows[i];
    size_t at = i;
    for (; at > 0 && comes_first(&row, &q->rows[at - 1], q->goals->minimize); at--) q->rows[at] = q->rows[at - 1];
    q->rows[at] = row;
  }
  for (size_t i = 0; i < count; i++) q->rows[i].rank = q->rows[i].status == PM_OK ? (int32_t)i + 1 : 0;
}

/* ---- All ---- */

static int find_all(question *q, size_t count, pm_error *error)
{
  for (size_t i = 0; i < count; i++) find_software(q, i);
  const pm_plan *plan = pm_study_get_plan(q->study, error);
  if (plan == NULL) return PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < count; i++) fill(q, plan, i);
  for (size_t i = 0; i < count; i++)
    if (q->rows[i].status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  sort(q, count);
  if (!isnan(q->rows[0].time)) return PM_OK;
  return pm__fail(error, q->why.status, "%s", q->why.text);
}

static pm_table *tabulate_systems(pm_study *study, const pm_given *given, const pm_run *base, double global_batch,
                                  const pm_training_goal *goals, pm_error *error)
{
  size_t count = study->system_count;
  question q = {.study = study, .given = given, .base = base, .global_batch = global_batch, .goals = goals,
                .why = PM_ERROR_NONE};
  pm_table *table = NULL;
  q.bases = (pm__search_base (*)[PM__SOFTWARE_CLASSES])calloc(count, sizeof *q.bases);
  q.count = (size_t *)calloc(count, sizeof *q.count);
  q.rows = (pm_training *)calloc(count, sizeof *q.rows);
  if (q.bases == NULL || q.count == NULL || q.rows == NULL) pm__no_memory(error);
  else if (find_all(&q, count, error) == PM_OK)
    table = pm_table_new_of_records(pm_record_type_find("training"), q.rows, count, error);
  free(q.bases);
  free(q.count);
  free(q.rows);
  return table;
}

pm_table *pm_study_tabulate_training_sized(pm_study *study, const pm_given *given, const pm_run *base, size_t run_size,
                                           double global_batch, const pm_training_goal *goal, pm_error *error)
{
  pm__search_base list[PM__SOFTWARE_CLASSES];
  pm__study_bases all = {list, 0};
  pm_run own;
  if (pm__study_check_bases(study, given, base, 1, run_size, error) != PM_OK) return NULL;
  if (goal == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a deadline needs a goal"), (pm_table *)NULL;
  own = *(const pm_run *)pm__record_read(&(pm__record_array){"run", base, run_size}, 0, &own);
  global_batch = pm__study_global_batch(study, &own, global_batch, error);
  if (isnan(global_batch)) return NULL;
  if (study->system_count > 1) return tabulate_systems(study, given, &own, global_batch, goal, error);
  if (pm__study_add_bases(study, given, &own, &all, error) != PM_OK) return NULL;
  const pm_plan *plan = pm_study_get_plan(study, error);
  return plan == NULL ? NULL
         : pm__search_tabulate_training(&(pm__search_training){plan, list, all.count, global_batch, goal}, error);
}
