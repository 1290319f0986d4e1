/* Sizing, from the inside: one count of one choice, and walks over counts. */
#ifndef PM_SEARCH_SIZE_H
#define PM_SEARCH_SIZE_H

#include "perfmodel/size.h"
#include "plan/plan.h"

enum { PM__SIZE_BLOCK = 64 };

/* Counts of one choice that were evaluated together: runs share their kernel times. */
typedef struct pm__size_block {
  int first, count; /* nodes of the first; how many */
  pm_run runs[PM__SIZE_BLOCK];
  pm_prediction predictions[PM__SIZE_BLOCK];
} pm__size_block;

int pm__size_evaluate(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, int first, int most,
                       pm__size_block *block);

/* Speed over that of the target, for a throughput that may be an end of the interval; NAN if there is no prediction. */
double pm__size_reached(const pm_size_goal *goal, const pm_run *run, const pm_prediction *p, double throughput);

/* Time of all epochs in whole steps; NAN if it is not known. */
double pm__size_time(const pm_size_goal *goal, const pm_run *run, const pm_prediction *p);

/* What is to be least, of so many nodes of a choice: without a prediction. */
double pm__size_amount(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, int nodes);

/* PM_OK, or what is missing or absurd. */
int pm__size_check_goal(const pm_size_goal *goal, pm_error *error);
int pm__size_check_price(const double *prices, size_t choice, const pm_machine *machine, pm_error *error);

/* What a row's nodes are as machines: space, power, energy, cost. */
void pm__size_machine(const pm_system *system, const pm_size_goal *goal, double price, pm_size_choice *row);

/* Sets the ranks of rows, and which are on the front. */
void pm__size_rank(pm_size_choice *rows, size_t count, int minimize);

/* A whole row of one count. */
void pm__size_fill(const pm_size_setup *setup, const pm_size_goal *goal, size_t choice, const pm_run *run,
                   const pm_prediction *p, pm_size_choice *row);

#endif
