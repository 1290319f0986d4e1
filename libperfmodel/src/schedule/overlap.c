/*
** Gradients summed by all-reduce while the backward pass runs.
**
** Layers finish from the last to the first; a bucket is sent when it is full and the one before has been summed. With
** the m buckets of a segment that begins at t0 and takes D ready evenly, each of which takes c,
**
**     end = max( end + m c,  t0 + D/m + m c,  t0 + D + c )            m = 1: max(end, t0 + D) + c
**
** and what is left when the backward pass is done lengthens the step. While they run beside each other, collectives
** keep a share of the multiprocessors busy, which the backward pass lacks; that share of what hides is not hidden.
** Launches by the host spread the backward pass by its share of them.
*/
#include <math.h>
#include "kernel/models.h"
#include "schedule/schedule.h"

static double segment_time(const pm__schedule *s, const pm__costs *costs, int i)
{
  const pm__fixed *fixed = &s->segments->fixed[i];
  double changed = fixed->layout * s->run->batch - costs->segment[i].spared;
  return pm__schedule_part(s, &costs->segment[i]) + fixed->launches * s->launch + changed * s->layout;
}

static double compute_exchanges(const pm__schedule *s, double *times)
{
  double bytes[PM__SEGMENTS];
  const pm__segments *cut = s->segments;
  for (int i = 0; i < cut->count; i++)
    bytes[i] = cut->pieces[i] > 0 ? cut->parameters[i] * s->gradient / cut->pieces[i] : 0;
  return pm__exchange_times(&s->group, PM_COLLECTIVE_ALL_REDUCE, bytes, cut->count, times);
}

/* The all-reduce of a bucket of each segment does not depend on the batch. */
static const pm__memo_buckets *exchanges_of(const pm__schedule *s, pm__memo_buckets *own)
{
  bool found = false;
  pm__memo_buckets *b = own;
  if (s->memo != NULL) {
    const pm__collective_group *g = &s->group;
    pm__memo_key key = {{pm__memo_pointer(s->segments), pm__memo_pointer(g->wiring), pm__memo_pair(g->nodes, g->era),
                         pm__memo_number(s->gradient)}};
    b = &s->memo->buckets[pm__memo_find(&s->memo->bucket_index, &key, &found)];
  }
  if (!found) b->share = compute_exchanges(s, b->exchange);
  return b;
}

double pm__schedule_exchange(const pm__schedule *s, int collective, int thread_gpus, double bytes)
{
  bool found = false;
  pm__collective_group g = s->group;
  g.thread_gpus = thread_gpus;
  if (s->memo == NULL) return pm__exchange_time(&g, collective, bytes);
  pm__memo_key key = {{pm__memo_pointer(g.wiring), pm__memo_pair(g.nodes, g.era), pm__memo_pair(collective, thread_gpus),
                       pm__memo_number(bytes)}};
  double *time = &s->memo->time[pm__memo_find(&s->memo->time_index, &key, &found)];
  if (!found) *time = pm__exchange_time(&g, collective, bytes);
  return *time;
}

double pm__schedule_exchange_on(const pm__schedule *s, const pm__collective_group *group, int collective, double bytes)
{
  bool found = false;
  if (s->memo == NULL) return pm__exchange_time(group, collective, bytes);
  pm__memo_key key = {{pm__memo_pointer(group->wiring), pm__memo_pair(group->nodes, group->era),
                       pm__memo_pair(collective, -group->groups_at_once), pm__memo_number(bytes)}};
  double *time = &s->memo->time[pm__memo_find(&s->memo->time_index, &key, &found)];
  if (!found) *time = pm__exchange_time(group, collective, bytes);
  return *time;
}

double pm__bucket_times_of(const pm__schedule *s, const pm__costs *costs, pm__bucket_times *times)
{
  pm__memo_buckets own;
  const pm__memo_buckets *buckets = exchanges_of(s, &own);
  for (int i = 0; i < s->segments->count; i++) {
    times->backward[i] = segment_time(s, costs, i);
    times->exchange[i] = buckets->exchange[i];
  }
  return buckets->share;
}

static void overlapped(const pm__schedule *s, const pm__costs *costs, const pm__schedule_times *times, pm__sharing *sharing)
{
  pm__memo_buckets own;
  const pm__segments *cut = s->segments;
  const pm__memo_buckets *buckets = exchanges_of(s, &own);
  pm__schedule_pace pace = pm__schedule_pace_of(s, times);
  double now = 0, end = 0, all = 0;
  for (int i = 0; i < cut->count; i++) {
    double takes = pace.gpu * segment_time(s, costs, i) + pace.call * pm__schedule_calls(s, &cut->fixed[i]);
    double m = cut->pieces[i], start = now, each = buckets->exchange[i];
    now += takes;
    if (!(m > 0)) continue;
    end = pm__most(pm__most(end, start + takes / m) + m * each, now + each);
    all += m * each;
  }
  double late = pm__least(pm__most(end - now, 0), all);
  sharing->communication = all;
  sharing->exposed = late + buckets->share * (all - late);
}

/* All of it when the backward pass is done, in equal buckets; what does not fit into one goes by itself, so there are no
** more than layers. */
static void behind(const pm__schedule *s, pm__sharing *sharing)
{
  double bytes = s->network->parameters * s->gradient, pieces = 1;
  if (s->framework != NULL) pieces = ceil(bytes / s->framework->profile.framework.bucket);
  pieces = pm__most(1, pm__least(pieces, s->network->all.layers));
  sharing->communication = sharing->exposed = pieces * pm__schedule_exchange(s, PM_COLLECTIVE_ALL_REDUCE, 1,
                                                                             bytes / pieces);
}

/* Without buckets: all of it hides behind all of the backward pass, ideally. */
static void ideal(const pm__schedule_times *times, pm__sharing *sharing)
{
  double hidden = times->dgrad + times->wgrad;
  sharing->exposed = pm__most(0, sharing->communication - hidden);
}

void pm__share_gradients(const pm__schedule *s, const pm__costs *costs, const pm__schedule_times *times, pm__sharing *sharing)
{
  sharing->exchanged = s->network->parameters;
  if (s->segments != NULL) {
    overlapped(s, costs, times, sharing);
    return;
  }
  behind(s, sharing);
  if (s->overlap == PM_OVERLAP_BACKWARD) ideal(times, sharing);
}
