/* Serves the model of a row as `perfmodel serve` does, for the share of a step in which kernels run. */
#include "validation/energy_serving.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

static const char *cell(const pm__lab_energy_rows *r, const pm__lab_energy_row *row, const char *title)
{
  return pm__csv_cell(r->table, row->line, pm__csv_column(r->table, title));
}

static int make_plan(pm__lab_energy_rows *r, pm__lab_energy_plan *p, pm_error *error)
{
  pm_engine_profile engine;
  int found = pm__lab_predictor_network(r->predictor, p->network, error);
  if (found < 0) return PM_STATUS_NOT_FOUND;
  const pm_network *network = pm__lab_predictor_built_network(r->predictor, found);
  const pm_system *system = pm__lab_predictor_built_system(r->predictor, p->system);
  int status = pm_catalog_get_engine_on(r->catalog, p->engine, pm_system_get_gpu(system)->architecture, &engine, error);
  if (status != PM_OK) return status;
  p->plan = pm_plan_new(&network, 1, &system, 1, error);
  if (p->plan == NULL) return PM_STATUS_NO_MEMORY;
  if (pm_plan_add_engine(p->plan, &engine, error) >= 0) return PM_OK;
  pm_plan_free(p->plan);
  return PM_STATUS_BAD_VALUE;
}

/* The plan of a row; NULL with an error. */
static pm_plan *plan_of(pm__lab_energy_rows *r, const pm__lab_energy_row *row, pm_error *error)
{
  pm__lab_energy_plans *plans = r->plans;
  pm__lab_energy_plan wanted = {.system = row->system};
  snprintf(wanted.network, sizeof wanted.network, "%.159s", cell(r, row, "network"));
  snprintf(wanted.engine, sizeof wanted.engine, "%.79s", cell(r, row, "framework"));
  for (size_t i = 0; i < plans->count; i++) {
    const pm__lab_energy_plan *p = &plans->items[i];
    if (p->system == wanted.system && strcmp(p->network, wanted.network) == 0 && strcmp(p->engine, wanted.engine) == 0)
      return p->plan;
  }
  void *items = pm__grow(plans->items, plans->count, &plans->capacity, sizeof *plans->items);
  if (items == NULL) return pm__no_memory(error), (pm_plan *)NULL;
  plans->items = (pm__lab_energy_plan *)items;
  if (make_plan(r, &wanted, error) != PM_OK) return NULL;
  plans->items[plans->count++] = wanted;
  return wanted.plan;
}

static int set_run(const pm__lab_energy_rows *r, const pm__lab_energy_row *row, pm_serving_run *run, pm_error *error)
{
  static const char *const titles[] = {"gpus", "nodes", "concurrency", "isl", "osl", "precision", "tensor_parallel",
                                       "pipeline_parallel"};
  const pm_record_type *type = pm_record_type_find("serving_run");
  *run = pm_serving_run_make();
  run->ignore_memory = 1;
  for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
    const char *text = cell(r, row, titles[i]);
    int status = text[0] != '\0' ? pm_record_set(pm_record_find_field(type, titles[i]), run, text, error) : PM_OK;
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* What is drawn while waiting says for how long. */
static double working_time(const pm_system *system, const pm_serving *answer)
{
  double idle = pm_system_get_kernels(system)->idle_power * pm_system_get_gpu(system)->power;
  return answer->tpot * (1 - answer->gpu_power * answer->idle_energy_share / idle);
}

int pm__lab_energy_set_busy(pm__lab_energy_rows *r, pm__lab_energy_row *row, pm_error *error)
{
  pm_serving_run run;
  pm_serving answer;
  double tpot;
  const char *text = cell(r, row, "tpot");
  if (pm_number_parse(text, &tpot) != PM_OK || !(tpot > 0))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "tpot \"%.40s\" is no time above 0", text);
  pm_plan *plan = plan_of(r, row, error);
  if (plan == NULL) return PM_STATUS_NOT_FOUND;
  int status = set_run(r, row, &run, error);
  if (status == PM_OK) status = pm_task_check(plan, PM_TASK_SERVING, &run, sizeof run, error);
  if (status != PM_OK) return status;
  pm_serve(plan, &run, &answer, 1);
  double working = working_time(pm__lab_predictor_built_system(r->predictor, row->system), &answer);
  if (isnan(working)) return pm__fail(error, PM_STATUS_NOT_FOUND, "how long boards work is not known");
  row->load.busy = fmin(1, fmax(0, working / tpot));
  return PM_OK;
}

void pm__lab_energy_plans_free(pm__lab_energy_plans *plans)
{
  if (plans == NULL) return;
  for (size_t i = 0; i < plans->count; i++) pm_plan_free(plans->items[i].plan);
  free(plans->items);
  free(plans);
}
