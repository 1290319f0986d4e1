/* Sizing of serving, for those that add to its table. */
#ifndef PM_SEARCH_SERVING_GOAL_H
#define PM_SEARCH_SERVING_GOAL_H

#include "perfmodel/serving_goal.h"

/* The goal with the limits that are assumed of a run, instead of those that are unknown. */
pm_serving_goal pm__serving_goal_of(const pm_serving_goal *goal, const pm_serving_run *run);

/* A run of the layout in a row, of one replica in an open loop with the row's rate for it. */
pm_serving_run pm__serving_goal_run(const pm_serving_run *run, const pm_serving_choice *row);

/* As pm_study_tabulate_serving, without what was assumed. */
pm_table *pm__serving_goal_tabulate(const pm_serving_goal_setup *setup, const pm_serving_goal *goal, pm_error *error);

#endif
