/* Calls of the forward pass, of the library's own records. */
#ifndef PM_INFERENCE_INFER_H
#define PM_INFERENCE_INFER_H

#include "perfmodel/inference.h"
#include "plan/plan.h"

/* PM_OK, or the reason why the call cannot be predicted. */
int pm__infer_check(const pm_plan *plan, const pm_inference_run *run, pm_error *error);

/* The answer, or its status and unknown numbers. */
void pm__infer_predict(const pm_plan *plan, const pm_inference_run *run, pm_inference *answer);

/* Why its rate is uncertain: a variance of its logarithm for each of these names; false: it has no interval. */
enum { PM__INFER_SPREADS = 6 };
extern const char *const pm__infer_spread_names[PM__INFER_SPREADS];
bool pm__infer_find_spreads(const pm_plan *plan, const pm_inference_run *run, double squares[PM__INFER_SPREADS]);

/* Sets the batch to the largest within the latency that fits, with its answer. */
int pm__infer_find_batch(const pm_plan *plan, pm_inference_run *run, double latency, pm_inference *prediction,
                         pm_error *error);

/* Memory of one GPU, part by part. */
int pm__infer_get_memory(const pm_plan *plan, const pm_inference_run *run, pm_memory_use *use, pm_error *error);

#endif
