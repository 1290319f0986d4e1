/* Serving, of the library's own records. */
#ifndef PM_SERVING_SERVE_H
#define PM_SERVING_SERVE_H

#include "perfmodel/serving.h"
#include "plan/plan.h"

/* PM_OK, or why the run cannot be predicted. */
int pm__serve_check(const pm_plan *plan, const pm_serving_run *run, pm_error *error);

/* The answer, or its status and unknown numbers. */
void pm__serve_predict(const pm_plan *plan, const pm_serving_run *run, pm_serving *answer);

/* Memory of one GPU, part by part. */
int pm__serve_get_memory(const pm_plan *plan, const pm_serving_run *run, pm_memory_use *use, pm_error *error);

/* Sets the concurrency to the largest whose tokens take no longer than `time`, with its answer. */
int pm__serve_find_concurrency(const pm_plan *plan, pm_serving_run *run, double time, pm_serving *answer,
                               pm_error *error);

#endif
