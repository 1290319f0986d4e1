/* The basis of a plan's software, system by system. */
#ifndef PM_PLAN_ROWS_H
#define PM_PLAN_ROWS_H

#include "plan/plan.h"

/* Lists of architectures: of the rows behind host times, behind convolutions, behind gradients of groups, and on which
** it runs at all. */
typedef struct pm__plan_lists {
  const char *host, *convolutions, *groups, *supported;
} pm__plan_lists;

/* Owned by the caller; NULL with an error. */
pm__plan_rows *pm__plan_rows_of(const pm_plan *plan, pm__plan_lists of, pm_error *error);

/* What an entry of the plan holds. */
void pm__plan_framework_free(const pm_plan *plan, pm__plan_framework *entry);
void pm__plan_profile_free(const pm_plan *plan, pm__plan_profile *entry);
void pm__plan_engine_free(const pm_plan *plan, pm__plan_engine *entry);

#endif
