/* The arrays of a network's kernels, from the inside. */
#ifndef PM_PLAN_KERNELS_H
#define PM_PLAN_KERNELS_H

#include "plan/costs.h"

enum { LANES = 4, STREAMS = 0, ROWS = 1, PRODUCTS = 2, OWN_STREAMS = 3, SORTS = 4, GROUPS = SORTS * PM__PASSES };

struct pm__kernels {
  int first[GROUPS + 1]; /* group g is first[g] .. first[g+1] */
  pm__fixed per_pass[PM__PASSES];
  double *flop, *elements, *fixed, *repeats; /* one allocation, at flop */
  pm__kernel *shaped;                        /* at the same places; of padding, without repeats */
};

bool pm__is_work(const pm__kernel *kernel);

/* The place of a kernel that is among them. */
int pm__kernels_find(const pm__kernels *kernels, const pm__kernel *kernel);

#endif
