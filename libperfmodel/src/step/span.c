/*
** GPU and host in time. Both work side by side, and wait for each other at the end of a step, where a pipeline receives what
** another stage computed, and at calls that return a result to the host. What each does between two such points is added up
** and joined once:
**
**     span = sqrt(gpu^2 + host^2)
**
** A sum over pieces is therefore the same however the network is cut. Without a pipeline the micro-batches of a step and its
** update are one span; with one, forward and backward of every micro-batch are (where the schedule computes gradients of
** parameters later, these are a third), and the update.
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

/* Every micro-batch after the first adds its gradients to those before: 3 accesses. That is all where the host updates. */
static double update_gpu(const pm__step *p, double own, double *launches)
{
  const pm__schedule *s = &p->s;
  double all = pm__most(1, s->network->parameters), tables = s->network->tables * (own / all);
  double added = own * s->gradient * (3 * (s->accumulation - 1)) * s->device->per_byte;
  *launches = 0;
  if (s->run->offload != PM_OFFLOAD_NONE) return added;
  if (s->framework != NULL)
    *launches = s->framework->profile.framework.update_kernels * s->optimizer->kernels * s->network->tensors * (own / all);
  return pm__update_time(own, tables, s->optimizer->accesses, s->device, s->run->precision) + added + *launches * s->launch;
}

static double each_of(const pm__step *p, const pm__step_work *work)
{
  if (p->s.framework == NULL) return 0;
  double copy = pm__schedule_host_copy(&p->s, p->s.batch) / p->at.context;
  return p->s.framework->profile.framework.step_time + copy + work->waited;
}

/* One span for all: exchanges are beside. */
static void join_step(const pm__step *p, const pm__step_work *w, double update_host, pm__step_times *t)
{
  double m = p->s.accumulation;
  pm__step_pace pace;
  double forward = m * w->gpu[PM__FORWARD], dgrad = m * w->gpu[PM__DGRAD], wgrad = m * w->gpu[PM__WGRAD];
  double calls = w->host[PM__FORWARD] + w->host[PM__DGRAD] + w->host[PM__WGRAD] + w->host_again;
  t->gpu = ((forward + dgrad) + wgrad) + m * w->again + t->update;
  t->host = m * calls + update_host;
  t->alone = join(t->gpu, t->host, &pace) + m * t->each;
  for (int pass = 0; pass < PM__PASSES; pass++) t->pace[pass] = pace;
}

/* A span for each pass: recomputation comes before gradients of activations. */
static void join_passes(const pm__step *p, const pm__step_work *w, double update_host, pm__step_times *t)
{
  double m = p->s.accumulation, gpu = w->gpu[PM__DGRAD] + w->again, host = w->host[PM__DGRAD] + w->host_again;
  pm__step_pace update;
  double forward = join(w->gpu[PM__FORWARD], w->host[PM__FORWARD], &t->pace[PM__FORWARD]);
  bool apart = p->at.schedule->splits_backward;
  if (!apart) gpu += w->gpu[PM__WGRAD], host += w->host[PM__WGRAD];
  double backward = join(gpu, host, &t->pace[PM__DGRAD]);
  t->pace[PM__WGRAD] = t->pace[PM__DGRAD];
  if (apart) backward += join(w->gpu[PM__WGRAD], w->host[PM__WGRAD], &t->pace[PM__WGRAD]);
  double kernels = w->gpu[PM__FORWARD] + w->gpu[PM__DGRAD] + w->gpu[PM__WGRAD] + w->again;
  double calls = w->host[PM__FORWARD] + w->host[PM__DGRAD] + w->host[PM__WGRAD] + w->host_again;
  t->gpu = m * kernels + t->update;
  t->host = m * calls + update_host;
  t->alone = m * (forward + backward + t->each) + join(t->update, update_host, &update);
}

void pm__step_times_of(const pm__step *p, const pm__step_work *w, double own, pm__step_times *t)
{
  double launches;
  t->update = update_gpu(p, own, &launches);
  t->each = each_of(p, w);
  double update_host = launches > 0 ? pm__schedule_host_time(&p->s) * launches : 0;
  if (p->at.stages == 1) join_step(p, w, update_host, t);
  else join_passes(p, w, update_host, t);
  t->forward = pm__step_paced(&t->pace[PM__FORWARD], w->gpu[PM__FORWARD], w->host[PM__FORWARD]) + w->exchange[PM__FORWARD];
  t->dgrad = pm__step_paced(&t->pace[PM__DGRAD], w->gpu[PM__DGRAD], w->host[PM__DGRAD]) + w->exchange[PM__DGRAD];
  t->wgrad = pm__step_paced(&t->pace[PM__WGRAD], w->gpu[PM__WGRAD], w->host[PM__WGRAD]) + w->exchange[PM__WGRAD];
  t->recompute = pm__step_paced(&t->pace[PM__DGRAD], w->again, w->host_again) + w->exchange_again;
}
