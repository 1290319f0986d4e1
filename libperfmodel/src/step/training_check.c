/* What a run says of training on tokens or samples: whether its numbers are possible and go together. */
#include <float.h>
#include <math.h>
#include "step/step.h"

/* Neither unknown nor positive and finite. */
static bool impossible(double value)
{
  return value <= 0 || value > DBL_MAX;
}

#define POSITIVE_FIELDS(X)                                                                                            \
  X(tokens) X(samples) X(gpu_mtbf) X(node_mtbf) X(checkpoint_rate) X(checkpoint) X(interval) X(pue) X(gpu_hour_price)

static int fail_number(const pm_run *run, pm_error *error)
{
#define FAIL(name)                                                                                                     \
  if (impossible(run->name))                                                                                           \
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s %g is not positive and finite", #name, run->name);
  POSITIVE_FIELDS(FAIL)
#undef FAIL
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "restart %g is not positive and finite", run->restart);
}

/* Least and most of all, past what is unknown, without branches: every run is asked. A restart may take no time. */
static int check_numbers(const pm_run *run, pm_error *error)
{
  double least = run->restart < 0 ? run->restart : 1, most = run->restart > 1 ? run->restart : 1;
#define LOOK(name) least = run->name < least ? run->name : least, most = run->name > most ? run->name : most;
  POSITIVE_FIELDS(LOOK)
#undef LOOK
  return impossible(least) || impossible(most) ? fail_number(run, error) : PM_OK;
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
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "give either samples or tokens to train on");
  if (!isnan(run->tokens) && isnan(network->tokens))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "network \"%s\" reads no tokens: give samples",
                    network->network->id);
  bool written = !isnan(run->checkpoint_rate) || !isnan(run->checkpoint);
  if (!isnan(run->checkpoint_rate) && !isnan(run->checkpoint))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "give either checkpoint_rate or checkpoint");
  if ((!fails(run) && isnan(run->interval)) || written) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%s needs checkpoints: give checkpoint_rate or checkpoint",
                  fails(run) ? "what fails" : "an interval");
}
