/* Every parallel plan for a network, a number of GPUs and a global batch, in a fixed order. */
#ifndef PM_SEARCH_PARALLEL_PLANS_H
#define PM_SEARCH_PARALLEL_PLANS_H

#include "perfmodel/search.h"
#include "software/class.h"

/* What one plan sets in a run, of the bases of a search the one at `base`. */
typedef struct pm__search_plan {
  int32_t base, tensor, context, pipeline, chunks, expert, expert_tensor, batch;
  int8_t sequence, zero, recompute, schedule;
} pm__search_plan;

typedef struct pm__search_plans {
  pm__search_plan *plan;
  size_t count, capacity;
} pm__search_plans;

/* PM_OK, or what is wrong with a run to search from. */
int pm__search_base_check(const pm_plan *plan, const pm_run *base, pm_error *error);

/* A run to search from, and the class of software that its plans run in; -1: of any. */
typedef struct pm__search_base {
  pm_run run;
  int which;
} pm__search_base;

/* Appends the plans of bases[at]. PM_OK; PM_STATUS_NOT_FOUND if there is none. */
int pm__search_plans_add(const pm_plan *plan, const pm__search_base *bases, int32_t at, double global_batch,
                         pm__search_plans *plans, pm_error *error);

/* Sets what the plan does in a run of its base. */
void pm__search_plan_set(const pm__search_plan *plan, double global_batch, pm_run *run);

#endif
