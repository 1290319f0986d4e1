/* What a run says of training on tokens or samples: whether its numbers are possible and go together. */
#include <math.h>
#include <string.h>
#include "step/step.h"

static int check_numbers(const pm_run *run, pm_error *error)
{
  static const char *const names[] = {"tokens", "samples", "gpu_mtbf", "node_mtbf", "checkpoint_rate", "checkpoint",
                                      "restart", "interval", "pue", "gpu_hour_price"};
  const double values[] = {run->tokens, run->samples, run->gpu_mtbf, run->node_mtbf, run->checkpoint_rate,
                           run->checkpoint, run->restart, run->interval, run->pue, run->gpu_hour_price};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    bool none = values[i] == 0 && strcmp(names[i], "restart") == 0;
    if (!isnan(values[i]) && !none && !(values[i] > 0 && isfinite(values[i])))
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not positive and finite", names[i], values[i]);
  }
  return PM_OK;
}

static bool fails(const pm_run *run)
{
  return !isnan(run->gpu_mtbf) || !isnan(run->node_mtbf);
}

int pm__step_check_training(const pm_run *run, const pm__plan_network *network, pm_error *error)
{
  int status = check_numbers(run, error);
  if (status != PM_OK || (isnan(run->tokens) && isnan(run->samples))) return status;
  if (!isnan(run->tokens) && !isnan(run->samples))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "give samples or tokens to train on, one of both");
  if (!isnan(run->tokens) && isnan(network->tokens))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" reads no tokens: give samples",
                    network->network->id);
  bool written = !isnan(run->checkpoint_rate) || !isnan(run->checkpoint);
  if (!isnan(run->checkpoint_rate) && !isnan(run->checkpoint))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "give checkpoint_rate or checkpoint, one of both");
  if ((!fails(run) && isnan(run->interval)) || written) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s needs checkpoints: give checkpoint_rate or checkpoint",
                  fails(run) ? "what fails" : "an interval");
}
