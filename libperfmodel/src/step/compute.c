/*
** One GPU alone.
**
**     forward  = factor x convolutions + own_factor x own kernels + others + layouts + starts            backward the same
**     gpu      = accumulation x (forward + backward) + update
**     host     = kernel_time x (accumulation x calls + update_kernels x tensors)
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
  return s->accumulation * (s->factor * part->conv + s->own * part->own + part->other + fixed.launches * s->start +
                            fixed.layout * batch * s->layout);
}

/* Accesses to each parameter, and kernels for each tensor. In place, Adam scales and adds to two moments (5, 6), takes
** the root (2), adds epsilon (2) and updates (4); clipping reads once and scales (3). Operation by operation, nine products
** or functions of one operand (2 each), five of two (3 each) and three assignments (2 each); before them gradients are
** unscaled, tested, normed and clipped (6). LAMB corrects both moments and takes two norms (10). RMSProp in Keras: eight
** of one operand, among them the two bounds of the root, three of two, and the copy of the accumulator (2); the weights
** take over the buffer of the last. */
typedef struct update {
  double accesses, kernels;
} update;

static update update_of(int32_t rule)
{
  static const update updates[] = {
    [PM_UPDATE_MOMENTUM] = {5, 1}, [PM_UPDATE_SGD] = {3, 1}, [PM_UPDATE_ADAM] = {7, 1}, [PM_UPDATE_LAMB] = {10, 1},
    [PM_UPDATE_RMSPROP_OPERATIONS] = {27, 12}, [PM_UPDATE_ADAM_UNFUSED] = {22, 11}, [PM_UPDATE_ADAMW_OPERATIONS] = {45, 23},
    [PM_UPDATE_LAMB_OPERATIONS] = {55, 31}, [PM_UPDATE_NONE] = {0, 0}};
  return updates[rule];
}

/* Each batch after the first adds its gradients to those before: 3 accesses. */
static double update_time(const pm__step *s)
{
  double accesses = update_of(s->run->optimizer).accesses, more = 3 * (s->accumulation - 1);
  double added = s->network->parameters * s->gradient * more * s->device->per_byte;
  return pm__update_time_of(s->network->parameters, accesses, s->device, s->run->precision) + added;
}

/* Kernels of the update; a server updates by itself. */
static double update_starts(const pm__step *s)
{
  double each = update_of(s->run->optimizer).kernels;
  if (s->framework == NULL) return 0;
  return s->framework->profile.framework.update_kernels * each * s->network->tensors;
}

double pm__step_pass_calls(const pm__step *s)
{
  double calls = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) calls += pm__kernels_fixed(s->kernels, (pm__pass)pass).host_calls;
  return s->accumulation * calls;
}

static double layout_time(const pm__step *s, double batch)
{
  double elements = 0;
  for (int pass = 0; pass < PM__PASSES; pass++) elements += pm__kernels_fixed(s->kernels, (pm__pass)pass).layout;
  return s->accumulation * elements * batch * s->layout;
}

double pm__step_accesses(const pm__step *s)
{
  return update_of(s->run->optimizer).accesses;
}

/* Inputs are fed as FP32. */
double pm__step_feed(const pm__step *s, double batch)
{
  return batch * s->network->input_elements * 4 / s->framework->profile.framework.feed_bandwidth;
}

static void add_host(const pm__step *s, double batch, pm__times *t)
{
  const pm_framework *f = &s->framework->profile.framework;
  t->host = f->kernel_time * (pm__step_pass_calls(s) + update_starts(s));
  t->alone = sqrt(t->gpu * t->gpu + t->host * t->host) + s->accumulation * (f->step_time + pm__step_feed(s, batch));
}

pm__times pm__step_times(const pm__step *s, const pm__costs *costs, double batch)
{
  pm__times t;
  t.forward = pass_time(s, costs, PM__FORWARD, batch);
  t.backward_data = pass_time(s, costs, PM__BACKWARD_DATA, batch);
  t.backward_weight = pass_time(s, costs, PM__BACKWARD_WEIGHT, batch);
  t.update = update_time(s) + update_starts(s) * s->start;
  t.gpu = ((t.forward + t.backward_data) + t.backward_weight) + t.update;
  t.bound = s->accumulation * (s->factor * costs->bound.conv + s->own * costs->bound.own + costs->bound.other);
  t.layout = layout_time(s, batch);
  t.host = 0;
  t.alone = t.gpu;
  if (s->framework != NULL) add_host(s, batch, &t);
  return t;
}
