/*
** One GPU alone.
**
**     forward  = factor x convolutions + other kernels + layouts + starts            backward the same
**     gpu      = accumulation x (forward + backward) + update
**     host     = kernel_time x (accumulation x starts + update_kernels x tensors)
**     alone    = sqrt(gpu^2 + host^2) + accumulation x (step_time + feeding)
**
** Without a framework there is no host and no layout, and alone = gpu.
*/
#include <math.h>
#include "step/step.h"

static double pass_time(const pm__step *s, const pm__costs *costs, pm__pass pass, double batch)
{
  const pm__part *part = &costs->pass[pass];
  pm__fixed fixed = pm__kernels_fixed(s->kernels, pass);
  return s->accumulation * (s->factor * part->conv + part->other + fixed.starts * s->start +
                            fixed.layout * batch * s->layout);
}

static double accesses_of(int32_t rule)
{
  static const double accesses[] = {[PM_UPDATE_MOMENTUM] = 5, [PM_UPDATE_SGD] = 3, [PM_UPDATE_ADAM] = 7,
                                    [PM_UPDATE_LAMB] = 10, [PM_UPDATE_NONE] = 0};
  return accesses[rule];
}

/* Kernels of the update; a server updates by itself. */
static double update_starts(const pm__step *s)
{
  if (s->framework == NULL || s->run->optimizer == PM_UPDATE_NONE) return 0;
  return s->framework->profile.framework.update_kernels * s->network->tensors;
}

static double all_starts(const pm__step *s)
{
  double starts = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) starts += pm__kernels_fixed(s->kernels, (pm__pass)pass).starts;
  return s->accumulation * starts + update_starts(s);
}

static double layout_time(const pm__step *s, double batch)
{
  double elements = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) elements += pm__kernels_fixed(s->kernels, (pm__pass)pass).layout;
  return s->accumulation * elements * batch * s->layout;
}

/* Inputs are fed as FP32. */
static double feed_time(const pm__step *s, double batch)
{
  return batch * s->network->input_elements * 4 / s->framework->profile.framework.feed_bandwidth;
}

static void add_host(const pm__step *s, double batch, pm__times *t)
{
  const pm_framework *f = &s->framework->profile.framework;
  t->host = f->kernel_time * all_starts(s);
  t->alone = sqrt(t->gpu * t->gpu + t->host * t->host) + s->accumulation * (f->step_time + feed_time(s, batch));
}

pm__times pm__step_times(const pm__step *s, const pm__costs *costs, double batch)
{
  pm__times t;
  t.forward = pass_time(s, costs, PM__FORWARD, batch);
  t.backward_data = pass_time(s, costs, PM__BACKWARD_DATA, batch);
  t.backward_weight = pass_time(s, costs, PM__BACKWARD_WEIGHT, batch);
  t.update = pm__update_time_of(s->network->parameters, accesses_of(s->run->optimizer), s->device, s->run->precision) +
             update_starts(s) * s->start;
  t.gpu = ((t.forward + t.backward_data) + t.backward_weight) + t.update;
  t.bound = s->accumulation * (s->factor * costs->bound.conv + costs->bound.other);
  t.layout = layout_time(s, batch);
  t.host = 0;
  t.alone = t.gpu;
  if (s->framework != NULL) add_host(s, batch, &t);
  return t;
}
