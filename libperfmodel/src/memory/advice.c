/* What would help: single changes of a run that take less memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "record/sized.h"
#include "memory/plan.h"

typedef struct advice_list {
  pm_memory_advice *rows;
  size_t count, capacity;
  double before;
} advice_list;

static void add(advice_list *list, const pm_memory_plan *plan, const pm_memory_run *run, const char *change)
{
  pm_memory_use use;
  pm_memory_evaluate(plan, run, &use, 1);
  if (use.status != PM_OK || !(use.total < list->before)) return;
  pm_memory_advice row = {"", use.total, list->before - use.total, use.verdict, use.largest_batch};
  pm__text_set(row.change, sizeof row.change, change);
  size_t place = list->count;
  while (place > 0 && list->rows[place - 1].saving < row.saving) place--;
  if (place == list->capacity) return;
  if (list->count < list->capacity) list->count++;
  for (size_t i = list->count - 1; i > place; i--) list->rows[i] = list->rows[i - 1];
  list->rows[place] = row;
}

/* The largest batch that surely fits, or half where none does. */
static void change_batch(advice_list *list, const pm_memory_plan *plan, const pm_memory_run *run, double safe_batch)
{
  char text[PM_TEXT_MAX];
  pm_memory_run other = *run;
  if (run->batch < 2) return;
  other.batch = safe_batch >= 1 && safe_batch < run->batch ? safe_batch : floor(run->batch / 2);
  snprintf(text, sizeof text, "batch %.0f", other.batch);
  add(list, plan, &other, text);
}

static void change_run(advice_list *list, const pm_memory_plan *plan, const pm_memory_run *run)
{
  static const char *const how[PM_RECOMPUTE_COUNT] = {
    [PM_RECOMPUTE_SELECTIVE] = "recomputation of attention scores", [PM_RECOMPUTE_FULL] = "recomputation, full",
    [PM_RECOMPUTE_OPERATIONS] = "recomputation by operation"};
  char text[PM_TEXT_MAX];
  pm_memory_run other = *run;
  other.precision = PM_PRECISION_FP16;
  if (pm_precision_get_bytes(run->precision) > 2) add(list, plan, &other, "mixed precision (fp16)");
  if (run->inference) return;
  for (int i = run->recompute + 1; i < PM_RECOMPUTE_COUNT; i++) {
    if (i == PM_RECOMPUTE_OPERATIONS && !plan->attention) continue; /* as full recomputation */
    other = *run;
    other.recompute = i;
    add(list, plan, &other, how[i]);
  }
  for (int i = run->zero_stage + 1; run->ranks > 1 && i <= 3; i++) {
    other = *run;
    other.zero_stage = i;
    snprintf(text, sizeof text, "ZeRO stage %d over the %d ranks", i, run->ranks);
    add(list, plan, &other, text);
  }
}

static void change_optimizer(advice_list *list, const pm_memory_plan *plan, const pm_memory_run *run,
                             const pm_optimizer *others, size_t count)
{
  char text[2 * PM_TEXT_MAX];
  pm_memory_plan changed = *plan;
  for (size_t i = 0; i < count && !run->inference; i++) {
    changed.optimizer = others[i];
    snprintf(text, sizeof text, "optimizer %s", others[i].id);
    add(list, &changed, run, text);
  }
}

int pm_memory_get_advice_sized(const pm_memory_plan *plan, const pm_memory_run *run, size_t size,
                               const pm_optimizer *others, size_t other_count, pm_memory_advice *rows,
                               size_t capacity, pm_error *error)
{
  pm_memory_use use;
  pm_memory_run own;
  if (pm_memory_check_sized(plan, run, size, error) != PM_OK) return -1;
  run = (const pm_memory_run *)pm__record_read(&(pm__record_array){"memory_run", run, size}, 0, &own);
  if ((rows == NULL && capacity > 0) || (others == NULL && other_count > 0)) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "advice on memory needs rows to fill, and the optimizers it counts");
    return -1;
  }
  pm_memory_evaluate(plan, run, &use, 1);
  advice_list list = {rows, 0, capacity, use.total};
  change_batch(&list, plan, run, use.safe_batch);
  change_run(&list, plan, run);
  change_optimizer(&list, plan, run, others, other_count);
  return (int)list.count;
}
