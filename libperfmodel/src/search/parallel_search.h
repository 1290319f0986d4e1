/* A search and what it keeps, from the inside. */
#ifndef PM_SEARCH_PARALLEL_SEARCH_H
#define PM_SEARCH_PARALLEL_SEARCH_H

#include "search/parallel_plans.h"

enum { PM__SEARCH_CHOICES = 512, PM__SEARCH_FIELDS = 10 };

struct pm_search {
  const pm_plan *plan;
  pm_run base;
  double global_batch;
  pm__search_plans plans;
};

/* A plan that is kept. */
typedef struct pm__search_found {
  size_t number;
  pm_run run;
  pm_prediction prediction;
} pm__search_found;

typedef struct pm__search_kept {
  pm__search_found *plan;
  size_t count, capacity;
} pm__search_kept;

/* The fastest plan with one value of one field. */
typedef struct pm__search_best {
  const pm_field *field;
  double value, step_time;
  size_t number;
} pm__search_best;

struct pm_search_result {
  const pm_search *search;
  pm__search_kept top, front;
  pm__search_best choice[PM__SEARCH_CHOICES];
  const pm_field *field[PM__SEARCH_FIELDS]; /* that a plan decides */
  size_t choices, most, predicted, fitting;
};

#endif
