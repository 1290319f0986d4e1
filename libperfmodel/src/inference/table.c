/* Inference runs and predictions as a table. */
#include <stdlib.h>
#include "plan/plan.h"
#include "record/sized.h"
#include "report/order.h"

static const char *id_of(const pm_plan *plan, const pm_inference_run *run, int which)
{
  if (which == 0) return pm__plan_network_id(plan, run->network_index);
  if (which == 1) return pm__plan_system_id(plan, run->system_index);
  const pm__plan_profile *profile = pm__plan_profile_at(plan, run->profile_index, run->system_index);
  return profile != NULL ? profile->profile.id : "";
}

static int add_ids(pm_table *table, const pm_plan *plan, const pm_inference_run *runs, size_t count,
                   pm_error *error)
{
  static const char *const names[] = {"network", "system", "profile"};
  const char **ids = (const char **)malloc((count + 1) * sizeof *ids);
  if (ids == NULL) return pm__no_memory(error);
  int status = PM_OK;
  for (int which = 0; which < 3 && status == PM_OK; which++) {
    for (size_t i = 0; i < count; i++) ids[i] = id_of(plan, &runs[i], which);
    status = pm_table_add_text(table, names[which], names[which], ids, error);
  }
  free(ids);
  return status;
}

static int add_columns(pm_table *table, const pm_plan *plan, const pm_inference_run *runs,
                       const pm_inference *predictions, size_t count, pm_error *error)
{
  int status = add_ids(table, plan, runs, count, error);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("inference_run"), runs, error);
  pm_table_drop(table, "network_index");
  pm_table_drop(table, "system_index");
  pm_table_drop(table, "profile_index");
  pm__table_mark_given(table);
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("inference"), predictions, error);
  if (status == PM_OK) status = pm__table_order(table, error);
  return status;
}

static pm_table *table_of(const pm_plan *plan, const pm_inference_run *runs, const pm_inference *predictions,
                          size_t count, pm_error *error)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL))) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an inference table needs a plan, runs and predictions");
    return NULL;
  }
  pm_table *table = pm_table_new(count, error);
  if (table == NULL) return NULL;
  if (add_columns(table, plan, runs, predictions, count, error) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

pm_table *pm_inference_tabulate_sized(const pm_plan *plan, const pm_inference_run *runs, size_t run_size,
                                   const pm_inference *predictions, size_t prediction_size, size_t count,
                                   pm_error *error)
{
  pm_table *table = NULL;
  void *own_runs = NULL, *own_predictions = NULL;
  if (pm__record_size_check("inference_run", run_size, error) != PM_OK) return NULL;
  if (pm__record_size_check("inference", prediction_size, error) != PM_OK) return NULL;
  pm__record_array in = {"inference_run", runs, run_size}, out = {"inference", predictions, prediction_size};
  const void *asked = pm__record_read_all(&in, count, &own_runs, error);
  const void *answers = pm__record_read_all(&out, count, &own_predictions, error);
  if ((asked != NULL || runs == NULL) && (answers != NULL || predictions == NULL))
    table = table_of(plan, (const pm_inference_run *)asked, (const pm_inference *)answers, count, error);
  free(own_runs);
  free(own_predictions);
  return table;
}
