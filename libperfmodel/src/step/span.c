/*
** GPU and host in time. Both work side by side, and wait for each other at the end of a step, where a pipeline receives
** what another stage computed, and at calls that return a result to the host. What each does between two such points is
** added up and joined once:
**
**     span = sqrt(gpu^2 + host^2)
**
** A sum over pieces is therefore the same however the network is cut. Without a pipeline the micro-batches of a step
** and its update are one span; with one, forward and backward of every micro-batch are (where the schedule computes
** gradients of parameters later, these are a third), and the update.
**
**     each = step_time + host copy of the inputs + calls that the GPU waits for        of every micro-batch
*/
#include <math.h>
#include "kernel/models.h"
#include "step/step.h"

/* The time of a span; in *pace what its parts add to it. */
static double join(double gpu, double host, pm__step_pace *pace)
{
  *pace = (pm__step_pace){1, 0};
  if (!(host > 0)) return gpu;
  double both = sqrt(gpu * gpu + host * host);
  *pace = (pm__step_pace){gpu / both, host / both};
  return both;
}

/* Every micro-batch after the first adds its gradients to those before: 3 accesses. That is all where the host updates.
** */
static double update_gpu(const pm__step *p, double own, double *launches)
{
  const pm__schedule *s = &p->s;
  double all = pm__most(1, s->network->parameters), divided = pm__most(0, p->at.tables > 1 ? all - own : 0);
  double tables = pm__most(0, s->network->tables - divided) * (own / (all - divided));
  double added = own * s->gradient * (3 * (s->accumulation - 1)) * s->device->per_byte * s->device->power.slow;
  *launches = 0;
  if (pm__step_offload(p)->optimizer) return added;
  if (s->framework != NULL)
    *launches =
        s->framework->profile.framework.update_kernels * s->optimizer->kernels * s->network->tensors * (own / all);
  return pm__update_time(own, tables, s->optimizer, s->device, s->run->precision) + added + *launches * s->launch;
}

static double each_of(const pm__step *p, const pm__step_work *work)
{
  if (p->s.framework == NULL) return 0;
  double copy = pm__schedule_host_copy(&p->s, p->s.batch) / p->at.context;
  return p->s.framework->profile.framework.step_time + copy + work->waited + work->compared;
}

/* Cut where the GPU waits for calls of the forward pass: up to the first, from one to the next, from the last to the
** first of the next micro-batch, and from the last of all to the end. */
static double join_between_calls(const pm__step_times *t, double m, const pm__step_waits *w, pm__step_pace *last)
{
  pm__step_pace pace;
  double gpu = 0, host = 0, between = 0;
  for (int i = 0; i < w->count; i++) {
    gpu += w->gpu[i];
    host += w->host[i];
    if (i > 0) between += join(w->gpu[i], w->host[i], &pace);
  }
  double rest_gpu = (t->gpu - t->update) / m - gpu, rest_host = (t->host - t->update_host) / m - host;
  double around = join(rest_gpu + w->gpu[0], rest_host + w->host[0], &pace);
  return join(w->gpu[0], w->host[0], &pace) + m * between + (m - 1) * around +
         join(rest_gpu + t->update, rest_host + t->update_host, last);
}

/* One span for all: exchanges are beside. */
static void join_step(const pm__step *p, const pm__step_work *w, const pm__step_waits *waits, pm__step_times *t)
{
  double m = p->s.accumulation;
  pm__step_pace pace;
  double forward = m * w->gpu[PM__FORWARD], dgrad = m * w->gpu[PM__DGRAD], wgrad = m * w->gpu[PM__WGRAD];
  double calls = w->host[PM__FORWARD] + w->host[PM__DGRAD] + w->host[PM__WGRAD] + w->host_recompute;
  t->gpu = ((forward + dgrad) + wgrad) + m * w->recompute + t->update;
  t->host = m * calls + t->update_host;
  double alone = waits != NULL ? join_between_calls(t, m, waits, &pace) : join(t->gpu, t->host, &pace);
  t->alone = alone + m * t->each;
  for (int pass = 0; pass < PM__PASSES; pass++) t->pace[pass] = pace;
}

/* A span for each pass: recomputation comes before gradients of activations. */
static void join_passes(const pm__step *p, const pm__step_work *w, pm__step_times *t)
{
  double m = p->s.accumulation, gpu = w->gpu[PM__DGRAD] + w->recompute, host = w->host[PM__DGRAD] + w->host_recompute;
  pm__step_pace update;
  double forward = join(w->gpu[PM__FORWARD], w->host[PM__FORWARD], &t->pace[PM__FORWARD]);
  bool apart = p->at.schedule->splits_backward;
  if (!apart) gpu += w->gpu[PM__WGRAD], host += w->host[PM__WGRAD];
  double backward = join(gpu, host, &t->pace[PM__DGRAD]);
  t->pace[PM__WGRAD] = t->pace[PM__DGRAD];
  if (apart) backward += join(w->gpu[PM__WGRAD], w->host[PM__WGRAD], &t->pace[PM__WGRAD]);
  double kernels = w->gpu[PM__FORWARD] + w->gpu[PM__DGRAD] + w->gpu[PM__WGRAD] + w->recompute;
  double calls = w->host[PM__FORWARD] + w->host[PM__DGRAD] + w->host[PM__WGRAD] + w->host_recompute;
  t->gpu = m * kernels + t->update;
  t->host = m * calls + t->update_host;
  t->alone = m * (forward + backward + t->each) + join(t->update, t->update_host, &update);
}

void pm__step_times_of(const pm__step *p, const pm__step_work *w, const pm__step_waits *waits, double own,
                       pm__step_times *t)
{
  double launches;
  t->update = update_gpu(p, own, &launches);
  t->each = each_of(p, w);
  t->waited = p->s.framework != NULL ? p->s.accumulation * w->waited : 0;
  t->update_host = launches > 0 ? pm__schedule_host_time(&p->s) * launches : 0;
  if (p->at.stages == 1) join_step(p, w, waits, t);
  else join_passes(p, w, t);
  t->forward = pm__step_paced(&t->pace[PM__FORWARD], w->gpu[PM__FORWARD],
                              w->host[PM__FORWARD]) + w->exchange[PM__FORWARD];
  t->dgrad = pm__step_paced(&t->pace[PM__DGRAD], w->gpu[PM__DGRAD], w->host[PM__DGRAD]) + w->exchange[PM__DGRAD];
  t->wgrad = pm__step_paced(&t->pace[PM__WGRAD], w->gpu[PM__WGRAD], w->host[PM__WGRAD]) + w->exchange[PM__WGRAD];
  t->recompute = pm__step_paced(&t->pace[PM__DGRAD], w->recompute, w->host_recompute) + w->exchange_recompute;
}
