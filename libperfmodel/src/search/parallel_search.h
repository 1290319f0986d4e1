/* Internals of a search and its result. */
#ifndef PM_SEARCH_PARALLEL_SEARCH_H
#define PM_SEARCH_PARALLEL_SEARCH_H

#include "search/parallel_plans.h"

enum { PM__SEARCH_CHOICES = 512, PM__SEARCH_FIELDS = 13, PM__SEARCH_PLACES = 64 };

struct pm_search {
  const pm_plan *plan;
  pm__search_base *bases; /* of `plans` */
  double global_batch;
  pm__search_plans plans;
};

/* The values that determine which plans are kept. */
typedef struct pm__search_found {
  size_t number;
  double least, step_time, memory, gpus; /* `least`: of what the result minimises; INFINITY: unknown */
} pm__search_found;

typedef struct pm__search_kept {
  pm__search_found *plan;
  size_t count, capacity;
} pm__search_kept;

/* The fastest plan with one value of one field; where none of these fits, the one that needs least. */
typedef struct pm__search_best {
  const pm_field *field;
  double value;
  bool fits;
  pm__search_found plan;
} pm__search_best;

struct pm_search_result {
  const pm_search *search;
  pm__search_kept top, fastest, front;
  pm__search_best choice[PM__SEARCH_CHOICES];
  const pm_field *field[PM__SEARCH_FIELDS]; /* that a plan decides */
  uint16_t place[PM__SEARCH_FIELDS][PM__SEARCH_PLACES]; /* in `choice`, by the last digits of values */
  size_t choices, most, predicted, fitting;
  int32_t minimize; /* pm_minimize; nodes: the time of a step that is surely enough */
};

/* As pm_search_new, of bases with their software. */
pm_search *pm__search_new(const pm_plan *plan, const pm__search_base *bases, size_t count, double global_batch,
                          pm_error *error);

/* How many nodes of one system: a run in each of at most PM__SOFTWARE_CLASSES classes. */
typedef struct pm__search_training {
  const pm_plan *plan;
  const pm__search_base *bases;
  size_t count;
  double global_batch;
  const pm_training_goal *goal;
} pm__search_training;

/* As pm_training_tabulate: its rows, to be freed, or their table. */
int pm__search_find_training(const pm__search_training *asked, pm_training **found, size_t *count, pm_error *error);
pm_table *pm__search_tabulate_training(const pm__search_training *asked, pm_error *error);

/* The run of one plan. */
pm_run pm__search_run_of(const pm_search *search, size_t number);

/* The plans of a view; NULL: it has none. */
const pm__search_kept *pm__search_kept_of(const pm_search_result *result, pm_search_view view);

/* Whether a plan is better than another with the same choice: what fits first, surely fast or else small, then as
** numbered. */
bool pm__search_better(const pm__search_best *a, const pm__search_best *b);

/* The whole plan in a few words, "tp4 sp pp8 vp5 dp16 mb1 zero1". */
void pm__search_plan_text(const pm_run *run, char *text, size_t size);

/* The plans or the front: plans that are as fast are in the order of their numbers. */
pm_table *pm__search_result_tabulate(const pm_search_result *result, pm_search_view view, pm_error *error);

/* The best plans of choices: why the first is, or all of them. */
pm_table *pm__search_tabulate_choices(const pm_search_result *result, pm_search_view view, pm_error *error);

#endif
