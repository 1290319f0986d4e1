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
** A host that is slower than the GPU spreads the backward pass.
*/
#include <math.h>
#include "step/step.h"

static double segment_time(const pm__step *s, const pm__costs *costs, int i)
{
  const pm__part *part = &costs->segment[i];
  const pm__fixed *fixed = &s->segments->fixed[i];
  return s->factor * part->conv + s->own * part->own + part->other + fixed->starts * s->start +
         fixed->layout * s->run->batch * s->layout;
}

double pm__bucket_times_of(const pm__step *s, const pm__costs *costs, pm__bucket_times *times)
{
  double bytes[PM__SEGMENTS];
  const pm__segments *cut = s->segments;
  for (int i = 0; i < cut->count; i++) {
    bytes[i] = cut->pieces[i] > 0 ? cut->parameters[i] * s->gradient / cut->pieces[i] : 0;
    times->backward[i] = segment_time(s, costs, i);
  }
  return pm__exchange_times(&s->group, PM_ALL_REDUCE, bytes, cut->count, times->exchange);
}

static void overlapped(const pm__step *s, const pm__costs *costs, const pm__times *times, pm__sharing *sharing)
{
  pm__bucket_times bucket;
  const pm__segments *cut = s->segments;
  double share = pm__bucket_times_of(s, costs, &bucket);
  double spread = fmax(1, times->host / times->gpu), now = 0, end = 0, all = 0;
  for (int i = 0; i < cut->count; i++) {
    double m = cut->pieces[i], takes = bucket.backward[i] * spread, start = now, each = bucket.exchange[i];
    now += takes;
    if (!(m > 0)) continue;
    end = fmax(fmax(end, start + takes / m) + m * each, now + each);
    all += m * each;
  }
  double late = fmin(fmax(end - now, 0), all);
  sharing->communication = all;
  sharing->exposed = late + share * (all - late);
}

/* All of it when the backward pass is done, in equal buckets; what does not fit into one goes by itself, so there are no
** more than layers. */
static void behind(const pm__step *s, pm__sharing *sharing)
{
  double bytes = s->network->parameters * s->gradient, pieces = 1;
  if (s->framework != NULL) pieces = ceil(bytes / s->framework->profile.framework.bucket);
  pieces = fmax(1, fmin(pieces, s->network->all.layers));
  sharing->communication = sharing->exposed = pieces * pm__exchange_time(&s->group, PM_ALL_REDUCE, bytes / pieces);
}

/* Without buckets: all of it hides behind all of the backward pass, ideally. */
static void ideal(const pm__times *times, pm__sharing *sharing)
{
  double hidden = times->backward_data + times->backward_weight;
  sharing->exposed = fmax(0, sharing->communication - hidden);
}

void pm__share_gradients(const pm__step *s, const pm__costs *costs, const pm__times *times, pm__sharing *sharing)
{
  if (s->segments != NULL) {
    overlapped(s, costs, times, sharing);
    return;
  }
  behind(s, sharing);
  if (s->overlap == PM_OVERLAP_BACKWARD) ideal(times, sharing);
}
