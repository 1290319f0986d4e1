/*
** One GPU alone.
**
**     forward  = factor x convolutions + own_factor x framework kernels + others + layouts + starts            backward the same
**     gpu      = accumulation x (forward + backward) + update
**     host     = kernel_time x (accumulation x calls + update_kernels x tensors)
**     alone    = sqrt(gpu^2 + host^2) + accumulation x (step_time + feeding)
**
** Without a framework there is no host and no layout, and alone = gpu.
*/
#include <math.h>
#include "step/step.h"

static double pass_time(const pm__schedule *s, const pm__costs *costs, pm__pass pass, double batch)
{
  const pm__fixed *fixed = &s->units->pass[pass];
  return s->accumulation * (pm__schedule_part(s, &costs->pass[pass]) + fixed->launches * s->start +
                            fixed->layout * batch * s->layout);
}

/* Each batch after the first adds its gradients to those before: 3 accesses. */
static double update_time(const pm__schedule *s)
{
  double accesses = s->optimizer->accesses, more = 3 * (s->accumulation - 1);
  double added = s->network->parameters * s->gradient * more * s->device->per_byte;
  return pm__update_time_of(s->network->parameters, accesses, s->device, s->run->precision) + added;
}

/* Kernels of the update; a server updates by itself. */
static double update_starts(const pm__schedule *s)
{
  if (s->framework == NULL) return 0;
  return s->framework->profile.framework.update_kernels * s->optimizer->kernels * s->network->tensors;
}

static double layout_time(const pm__schedule *s, double batch)
{
  double elements = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) elements += s->units->pass[pass].layout;
  return s->accumulation * elements * batch * s->layout;
}

static void add_host(const pm__schedule *s, double batch, pm__schedule_times *t)
{
  const pm_framework *f = &s->framework->profile.framework;
  t->host = f->kernel_time * (pm__schedule_pass_calls(s) + update_starts(s));
  t->alone = sqrt(t->gpu * t->gpu + t->host * t->host) + s->accumulation * (f->step_time + pm__schedule_feed(s, batch));
}

pm__schedule_times pm__step_times_of(const pm__schedule *s, const pm__costs *costs, double batch)
{
  pm__schedule_times t;
  t.forward = pass_time(s, costs, PM__FORWARD, batch);
  t.backward_data = pass_time(s, costs, PM__BACKWARD_DATA, batch);
  t.backward_weight = pass_time(s, costs, PM__BACKWARD_WEIGHT, batch);
  t.update = update_time(s) + update_starts(s) * s->start;
  t.gpu = ((t.forward + t.backward_data) + t.backward_weight) + t.update;
  t.bound = s->accumulation * pm__schedule_part(s, &costs->bound);
  t.layout = layout_time(s, batch);
  t.host = 0;
  t.alone = t.gpu;
  if (s->framework != NULL) add_host(s, batch, &t);
  return t;
}
