/* Internals of sizing: one count of one choice, and walks over counts. */
#ifndef PM_SEARCH_SIZE_H
#define PM_SEARCH_SIZE_H

#include "perfmodel/size.h"
#include "task/task.h"

enum { PM__SIZE_BLOCK = 64 };

/* A setup whose runs are the library's own, and its goal. */
typedef struct pm__size_question {
  pm_size_setup setup;
  const pm_size_goal *goal;
  const pm__task *task;
} pm__size_question;

/* Counts of one choice that were evaluated together: runs share their kernel times. */
typedef struct pm__size_block {
  int first, count; /* nodes of the first; how many */
  pm__task_record runs[PM__SIZE_BLOCK], answers[PM__SIZE_BLOCK]; /* one after the other, without gaps */
} pm__size_block;

int pm__size_evaluate(const pm__size_question *q, size_t choice, int first, pm__size_block *block);

/* One of them. */
const void *pm__size_run(const pm__size_question *q, const pm__size_block *block, int index);
pm__task_outcome pm__size_outcome(const pm__size_question *q, const pm__size_block *block, int index);

/* The run of a choice, and its system. */
const void *pm__size_choice_run(const pm__size_question *q, size_t choice);
const pm_system *pm__size_system(const pm__size_question *q, size_t choice);

/* Speed over that of the target, for a throughput that may be an end of the interval; NAN if there is no prediction. */
double pm__size_reached(const pm__size_question *q, const void *run, const pm__task_outcome *p, double throughput);

/* Whether the only goal is to fill a power budget. */
bool pm__size_fills(const pm__size_question *q);

/* The largest number of nodes of a choice to try: as many as a power budget feeds, but at least one. */
int pm__size_most(const pm__size_question *q, size_t choice);

/* What is to be least, of so many nodes of a choice: without a prediction, and with one. -INFINITY: the other says it.
** */
double pm__size_amount(const pm__size_question *q, size_t choice, int nodes);
double pm__size_predicted(const pm__size_question *q, const pm__task_outcome *p);

/* PM_OK, or that the least carbon or price of energy is asked of runs that do not say what a kWh emits or costs. */
int pm__size_check_least(int32_t minimize, double carbon, double price, pm_error *error);

/* What `minimize` means of one row; NAN if unknown. */
double pm__size_objective(const pm_size_choice *row, int minimize);

/* A whole row of one count. */
void pm__size_fill(const pm__size_question *q, size_t choice, const void *run, const pm__task_outcome *p,
                   pm_size_choice *row);

/* The whole row of a choice whose GPUs are replicas. */
void pm__size_fill_replicas(const pm__size_question *q, size_t choice, pm_size_choice *row);

#endif
