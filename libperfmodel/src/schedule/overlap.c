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

double pm__schedule_segment_time(const pm__schedule *s, const pm__segments *cut, const pm__costs *costs, int i)
{
  double changed = cut->fixed[i].layout * s->batch - costs->segment[i].spared;
  return pm__schedule_part(s, &costs->segment[i]) + cut->fixed[i].launches * s->launch + changed * s->layout;
}

static double segment_time(const pm__schedule *s, const pm__costs *costs, int i)
{
  return pm__schedule_segment_time(s, s->segments, costs, i);
}

double pm__schedule_backward_time(const pm__schedule *s, const pm__costs *costs)
{
  double all = 0;
  for (int i = 0; i < s->segments->count; i++) all += segment_time(s, costs, i);
  return all;
}

static double compute_exchanges(const pm__schedule *s, const pm__collective_group *group, int collective, double *times)
{
  double bytes[PM__SEGMENTS];
  const pm__segments *cut = s->segments;
  for (int i = 0; i < cut->count; i++)
    bytes[i] = cut->pieces[i] > 0 ? cut->parameters[i] * s->gradient / cut->pieces[i] : 0;
  return pm__exchange_times(s->cache, group, collective, bytes, cut->count, times);
}

/* The sum of a bucket of each segment does not depend on the batch. */
static const pm__memo_buckets *exchanges_of(const pm__schedule *s, const pm__collective_group *g, int collective,
                                            pm__memo_buckets *own)
{
  bool found = false;
  pm__memo_buckets *b = own;
  if (s->memo != NULL) {
    int called = g->groups_at_once * PM_COLLECTIVE_COUNT + collective;
    pm__memo_key key = {{pm__memo_pointer(s->segments), pm__memo_pointer(g->wiring),
                         pm__memo_pair(g->nodes, called * PM_NCCL_COUNT + g->nccl),
                         pm__memo_number(s->gradient)}};
    b = &s->memo->buckets[pm__memo_find(&s->memo->bucket_index, &key, &found)];
  }
  if (!found) b->share = compute_exchanges(s, g, collective, b->exchange);
  return b;
}

double pm__schedule_exchange(const pm__schedule *s, int collective, int thread_gpus, double bytes)
{
  bool found = false;
  pm__collective_group g = s->group;
  g.thread_gpus = thread_gpus;
  if (s->memo == NULL) return pm__exchange_time(s->cache, &g, collective, bytes);
  pm__memo_key key = {{pm__memo_pointer(g.wiring), pm__memo_pair(g.nodes, g.nccl),
                       pm__memo_pair(collective, thread_gpus),
                       pm__memo_number(bytes)}};
  double *time = &s->memo->time[pm__memo_find(&s->memo->time_index, &key, &found)];
  if (!found) *time = pm__exchange_time(s->cache, &g, collective, bytes);
  return *time;
}

double pm__schedule_exchange_on(const pm__schedule *s, const pm__collective_group *group, int collective, double bytes)
{
  bool found = false;
  if (s->memo == NULL) return pm__exchange_time(s->cache, group, collective, bytes);
  pm__memo_key key = {{pm__memo_pointer(group->wiring), pm__memo_pair(group->nodes, group->nccl),
                       pm__memo_pair(collective, -group->groups_at_once), pm__memo_number(bytes)}};
  double *time = &s->memo->time[pm__memo_find(&s->memo->time_index, &key, &found)];
  if (!found) *time = pm__exchange_time(s->cache, group, collective, bytes);
  return *time;
}

void pm__bucket_times_of(const pm__schedule *s, const pm__costs *costs, const pm__collective_group *group,
                         int collective,
                         pm__bucket_times *times)
{
  pm__memo_buckets own;
  const pm__memo_buckets *buckets = exchanges_of(s, group, collective, &own);
  for (int i = 0; i < s->segments->count; i++) {
    times->backward[i] = segment_time(s, costs, i);
    times->exchange[i] = buckets->exchange[i];
  }
}

pm__schedule_overlap pm__schedule_overlap_of(const pm__schedule *s, const pm__costs *costs,
                                             const pm__collective_group *group,
                                           int collective, const pm__schedule_pace *pace)
{
  pm__memo_buckets own;
  const pm__segments *cut = s->segments;
  const pm__memo_buckets *buckets = exchanges_of(s, group, collective, &own);
  double now = 0, end = 0, all = 0;
  for (int i = 0; i < cut->count; i++) {
    double duration = pace->gpu * segment_time(s, costs, i) + pace->call * pm__schedule_calls(s, &cut->fixed[i]);
    double m = cut->pieces[i], start = now, each = buckets->exchange[i];
    now += duration;
    if (!(m > 0)) continue;
    end = pm__most(pm__most(end, start + duration / m) + m * each, now + each);
    all += m * each;
  }
  double late = pm__least(pm__most(end - now, 0), all);
  return (pm__schedule_overlap){all, late + buckets->share * (all - late)};
}
