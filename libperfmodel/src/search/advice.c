/* What would help a run that does not fit: single changes that take less memory, by the memory of its prediction. */
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "perfmodel/pipeline.h"
#include "plan/plan.h"
#include "record/sized.h"

typedef struct search_advice {
  const pm_plan *plan;
  const pm_run *run;
  pm_memory_advice *rows;
  size_t count, capacity;
  double before;
} search_advice;

static void add(search_advice *list, const pm_run *run, const char *change)
{
  pm_memory_use use;
  if (pm_prediction_get_memory(list->plan, run, &use, NULL) != PM_OK || !(use.total < list->before)) return;
  pm_memory_advice row = {"", use.total, list->before - use.total, use.verdict, use.largest_batch};
  pm__text_set(row.change, sizeof row.change, change);
  size_t place = list->count;
  while (place > 0 && list->rows[place - 1].saving < row.saving) place--;
  if (place == list->capacity) return;
  if (list->count < list->capacity) list->count++;
  for (size_t i = list->count - 1; i > place; i--) list->rows[i] = list->rows[i - 1];
  list->rows[place] = row;
}

static const char *name_of(const char *field, const pm_run *run, char *text)
{
  return pm_record_format(pm_record_find_field(pm_record_type_find("run"), field), run, text);
}

static double micro_batch_of(const pm_run *run)
{
  return isnan(run->micro_batch) ? run->pipeline_parallel > 1 ? 1 : run->batch : run->micro_batch;
}

/* The largest micro-batch that divides the batch and surely fits, or is at most half where none does. */
static void change_micro_batch(search_advice *list, double safe)
{
  char text[PM_TEXT_MAX];
  pm_run other = *list->run;
  double now = micro_batch_of(&other), most = safe >= 1 && safe < now ? safe : floor(now / 2);
  if (!(most >= 1)) return;
  most = pm__largest_divisor(other.batch, most);
  other.micro_batch = most;
  snprintf(text, sizeof text, "micro-batch %.0f", most);
  add(list, &other, text);
}

static void change_precision(search_advice *list)
{
  char text[2 * PM_TEXT_MAX], name[PM_TEXT_MAX];
  pm_run other = *list->run;
  if (pm_precision_get_bytes(other.precision) <= 2) return;
  other.precision = pm__gpu_get_half_precision(&list->plan->systems[other.system_index].system->gpu);
  snprintf(text, sizeof text, "precision %s", name_of("precision", &other, name));
  if (other.precision != PM_PRECISION_FP32) add(list, &other, text);
}

static void change_recompute(search_advice *list)
{
  char text[2 * PM_TEXT_MAX], name[PM_TEXT_MAX];
  pm_run other = *list->run;
  for (int i = other.recompute + 1; i < PM_RECOMPUTE_COUNT; i++) {
    other.recompute = i;
    snprintf(text, sizeof text, "recomputation %s", name_of("recompute", &other, name));
    add(list, &other, text);
  }
}

static void change_zero(search_advice *list)
{
  char text[PM_TEXT_MAX];
  pm_run other = *list->run;
  double ranks = pm_run_get_data_parallel(&other) * other.context_parallel;
  for (int i = other.zero + 1; ranks > 1 && i <= 3; i++) {
    other.zero = i;
    snprintf(text, sizeof text, "ZeRO stage %d", i);
    add(list, &other, text);
  }
}

/* A batch of each rank stays as large, so there are half as many ranks. */
static void change_tensor(search_advice *list)
{
  char text[PM_TEXT_MAX];
  pm_run other = *list->run;
  other.tensor_parallel *= 2;
  if (other.gpus % other.tensor_parallel != 0) return;
  snprintf(text, sizeof text, "tensor parallelism %d", other.tensor_parallel);
  add(list, &other, text);
}

static void change_optimizer(search_advice *list)
{
  char text[2 * PM_TEXT_MAX], name[PM_TEXT_MAX];
  pm_run other = *list->run;
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) {
    if (!pm_optimizer_get(i)->suggested) continue;
    other.optimizer = i;
    snprintf(text, sizeof text, "optimizer %s", name_of("optimizer", &other, name));
    add(list, &other, text);
  }
}

int pm_prediction_get_advice_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_memory_advice *rows,
                                   size_t capacity, pm_error *error)
{
  pm_run own;
  pm_memory_use use;
  if (plan == NULL || run == NULL || (rows == NULL && capacity > 0))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "advice on memory needs a plan, a run and rows to fill"), -1;
  if (pm__record_size_check("run", size, error) != PM_OK) return -1;
  own = *(const pm_run *)pm__record_read(&(pm__record_array){"run", run, size}, 0, &own);
  own.ignore_memory = 1;
  if (pm_prediction_get_memory(plan, &own, &use, error) != PM_OK) return -1;
  search_advice list = {plan, &own, rows, 0, capacity, use.total};
  change_micro_batch(&list, use.safe_batch);
  change_precision(&list);
  change_recompute(&list);
  change_zero(&list);
  change_tensor(&list);
  change_optimizer(&list);
  return (int)list.count;
}
