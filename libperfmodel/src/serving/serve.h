/* Serving, of the library's own records. */
#ifndef PM_SERVING_SERVE_H
#define PM_SERVING_SERVE_H

#include "perfmodel/serving.h"
#include "plan/plan.h"
#include "serving/service.h"

/* What the runs of a call share: of all replicas, and of workers that only read prompts. */
typedef struct pm__serving_memos {
  pm__serving_kept all, prefill;
} pm__serving_memos;

static inline void pm__serving_memos_clear(pm__serving_memos *memos)
{
  pm__serving_kept_clear(&memos->all);
  pm__serving_kept_clear(&memos->prefill);
}

/* PM_OK, or which size of a run is out of its bounds, which need no plan. */
int pm__serve_check_sizes(const pm_serving_run *run, pm_error *error);

/* PM_OK, or why the run cannot be predicted. */
int pm__serve_check(const pm_plan *plan, const pm_serving_run *run, pm_error *error);

/* The answer, or its status and unknown numbers. */
void pm__serve_predict(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos,
                       pm_serving *answer);

/* Only the latencies of a run that differs from the last predicted one in rate or concurrency. */
pm__serving_service pm__serve_again(const pm_plan *plan, const pm_serving_run *run, pm__serving_memos *memos);

/* Memory of one GPU, part by part. */
int pm__serve_get_memory(const pm_plan *plan, const pm_serving_run *run, pm_memory_use *use, pm_error *error);

/* Sets the concurrency to the largest whose tokens take no longer than `time`, with its answer. */
int pm__serve_find_concurrency(const pm_plan *plan, pm_serving_run *run, double time, pm_serving *answer,
                               pm_error *error);

#endif
