/*
** What choosing by prediction costs: of plans of one network on as many GPUs for one global batch, the best measured
** rate over that of the plan that a search would pick, less 1 (of several that it ranks alike, over their mean); and
** Spearman's rank correlation of what plans are picked by with what was measured.
*/
#ifndef PM_LAB_VALIDATION_REGRET_H
#define PM_LAB_VALIDATION_REGRET_H

#include "base/base.h"

typedef struct pm__lab_plan {
  const char *group;      /* equal for plans that a search chooses among; "" if it chooses none of them */
  const char *plan;       /* equal for measurements of one plan, which count as their mean */
  double measured, bound; /* rates: what was measured, and the lower end of the interval of what is predicted */
} pm__lab_plan;

typedef struct pm__lab_regret {
  const char *group;
  int plans;
  double regret, rho; /* rho is NAN where either has one value */
} pm__lab_regret;

/* Of each group of at least two plans, by name, into regrets[count]; sorts the plans. Returns their number. */
size_t pm__lab_regrets_of(pm__lab_plan *plans, size_t count, pm__lab_regret *regrets);

/* The mean regret of groups whose names begin with that, "dense": a line for the notes, if there are any. */
void pm__lab_regrets_say(const pm__lab_regret *regrets, size_t count, const char *kind, pm__string *notes);

#endif
