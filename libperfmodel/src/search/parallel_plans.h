/* Every parallel plan for a network, a number of GPUs and a global batch, in a fixed order. */
#ifndef PM_SEARCH_PARALLEL_PLANS_H
#define PM_SEARCH_PARALLEL_PLANS_H

#include "perfmodel/search.h"

/* What one plan sets in a run, of the bases of a search the one at `base`. */
typedef struct pm__search_plan {
  int32_t base, tensor, context, pipeline, chunks, expert, batch;
  int8_t sequence, zero, recompute, schedule;
} pm__search_plan;

typedef struct pm__search_plans {
  pm__search_plan *plan;
  size_t count, capacity;
} pm__search_plans;

/* A run of a search as a run of its system: GPUs are all of a node if 0, and on whole nodes if more than one has. Other
** fields that are wrong are said too. */
int pm__search_base_place(const pm_plan *plan, pm_run *base, pm_error *error);

/* Appends the plans of bases[at]. PM_OK; PM_STATUS_NOT_FOUND if there is none. */
int pm__search_plans_add(const pm_plan *plan, const pm_run *bases, int32_t at, double global_batch,
                         pm__search_plans *plans, pm_error *error);

/* Sets what the plan does in a run of its base. */
void pm__search_plan_set(const pm__search_plan *plan, double global_batch, pm_run *run);

#endif
