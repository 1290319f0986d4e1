/* The events of a pipeline. */
#include "schedule/pipeline_order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
  const pm__pipeline_load *load;
  const pm__pipeline_schedule *schedule;
  const pm__pipeline_chunk *chunk;
  int group;
  double *forward_end, *backward_end;  /* by place and micro-batch; INFINITY: not done */
  double *now;                         /* by stage */
  int *forwards, *backwards, *weights; /* done, by stage and chunk */
  int *done;                           /* passes, by stage */
  pm__pipeline_event *events;
  size_t count;
} state;

/* One thing that a stage may do. */
typedef struct option {
  int chunk, micro_batch;
  pm__pipeline_pass pass;
  double ready; /* INFINITY: what it waits for has not been done */
} option;

/* ---- Where and when ---- */

int pm__pipeline_place(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule, int stage, int i)
{
  bool back = schedule->chunks == 2 && i == 1; /* the shape of a V */
  return back ? 2 * load->stages - 1 - stage : stage + i * load->stages;
}

static int virtual_stage(const state *s, int stage, int chunk)
{
  return pm__pipeline_place(s->load, s->schedule, stage, chunk);
}

static int stage_at(const state *s, int place)
{
  int p = s->load->stages;
  return s->schedule->chunks == 2 && place >= p ? 2 * p - 1 - place : place % p;
}

static double end_of(const state *s, const double *ends, int place, int batch)
{
  return ends[(size_t)place * (size_t)s->load->micro_batches + (size_t)batch];
}

/* When the activations, or gradients, of a neighbour are there. */
static double arrives(const state *s, const double *ends, int place, int neighbour, int batch)
{
  double hop = stage_at(s, place) != stage_at(s, neighbour) ? s->load->hop : 0;
  return end_of(s, ends, neighbour, batch) + hop;
}

static double forward_ready(const state *s, int place, int batch)
{
  return place == 0 ? 0 : arrives(s, s->forward_end, place, place - 1, batch);
}

static double backward_ready(const state *s, int place, int batch)
{
  int last = s->load->stages * s->load->chunks - 1;
  double own = end_of(s, s->forward_end, place, batch);
  return place == last ? own : fmax(own, arrives(s, s->backward_end, place, place + 1, batch));
}

static option forward_of(const state *s, int stage, int chunk, int batch)
{
  return (option){chunk, batch, PM__PIPELINE_FORWARD, forward_ready(s, virtual_stage(s, stage, chunk), batch)};
}

static option backward_of(const state *s, int stage, int chunk, int batch)
{
  return (option){chunk, batch, PM__PIPELINE_BACKWARD, backward_ready(s, virtual_stage(s, stage, chunk), batch)};
}

/* ---- A fixed order ---- */

/* Micro-batches before the group of pass k of one direction; its own in *own. Groups go through all chunks. */
static int group_at(const state *s, int k, int *own)
{
  int before = k / (s->group * s->load->chunks) * s->group, left = s->load->micro_batches - before;
  *own = left < s->group ? left : s->group;
  return before;
}

static int chunk_at(const state *s, int k)
{
  int own, before = group_at(s, k, &own);
  return (k - before * s->load->chunks) / own;
}

static int batch_at(const state *s, int k)
{
  int own, before = group_at(s, k, &own);
  return s->load->chunks == 1 ? k : before + (k - before * s->load->chunks) % own;
}

/* Forward passes that a stage runs before its first backward pass. */
static int ahead_of(const state *s, int stage)
{
  return (int)rint(s->schedule->in_flight(s->load, stage) * s->load->chunks);
}

static option next_in_order(const state *s, int stage)
{
  int all = s->load->micro_batches * s->load->chunks, ahead = ahead_of(s, stage), at = s->done[stage],
      turn = at - ahead;
  bool first = turn < 0, forward = first || (turn % 2 == 1 && ahead + turn / 2 < all);
  int forwards = first ? at : ahead + turn / 2, backwards = ahead + turn / 2 < all ? turn / 2 : at - all;
  if (at >= 2 * all) return (option){0, 0, PM__PIPELINE_FORWARD, INFINITY};
  if (forward) return forward_of(s, stage, chunk_at(s, forwards), batch_at(s, forwards));
  return backward_of(s, stage, s->load->chunks - 1 - chunk_at(s, backwards), batch_at(s, backwards));
}

/* ---- Whatever can start first ---- */

/* The most micro-batches of which one chunk of a stage keeps activations. In the shape of a V the first chunk leaves
** room for the second, which waits for it: as 1F1B would over twice as many stages. */
static double most_of(const state *s, int stage, int chunk)
{
  bool shaped = s->load->chunks == 2;
  return shaped ? 2 * s->load->stages - virtual_stage(s, stage, chunk) - (chunk == 0) : s->schedule->in_flight(s->load,
      stage);
}

/* Whether a chunk may keep one more: until its gradients of activations are through, and as long as the stage waits
** with those of parameters for no more than any stage keeps. */
static bool keeps_one_more(const state *s, int stage, int chunk)
{
  int v = s->load->chunks, slot = stage * v + chunk, waiting = 1;
  double all = s->schedule->in_flight(s->load, 0) * v;
  for (int i = 0; i < v; i++) waiting += s->forwards[stage * v + i] - s->weights[stage * v + i];
  return s->forwards[slot] + 1 - s->backwards[slot] <= most_of(s, stage, chunk) && waiting <= all + 0.5;
}

static bool sooner(const option *a, const option *b, double now)
{
  return fmax(a->ready, now) < fmax(b->ready, now);
}

/* The forward pass that can start first, of the chunks that are furthest on if several can. */
static bool next_forward(const state *s, int stage, option *out)
{
  int v = s->load->chunks;
  bool found = false;
  for (int i = v - 1; i >= 0; i--) {
    int batch = s->forwards[stage * v + i];
    if (batch >= s->load->micro_batches || !keeps_one_more(s, stage, i)) continue;
    option o = forward_of(s, stage, i, batch);
    if (!found || sooner(&o, out, s->now[stage])) *out = o, found = true;
  }
  return found;
}

static bool next_backward(const state *s, int stage, option *out)
{
  int v = s->load->chunks;
  bool found = false;
  for (int i = 0; i < v; i++) {
    int batch = s->backwards[stage * v + i];
    if (batch >= s->forwards[stage * v + i]) continue;
    option o = backward_of(s, stage, i, batch);
    if (!found || sooner(&o, out, s->now[stage])) *out = o, found = true;
  }
  return found;
}

static bool next_weights(const state *s, int stage, option *out)
{
  int v = s->load->chunks;
  for (int i = v - 1; i >= 0; i--) {
    int batch = s->weights[stage * v + i];
    if (batch >= s->backwards[stage * v + i]) continue;
    *out = (option){i, batch, PM__PIPELINE_WEIGHTS, 0};
    return true;
  }
  return false;
}

/* Gradients of parameters fill a gap only if more than half of them goes into it. */
static option next_that_can(const state *s, int stage)
{
  option back, forth, weights, best = {0, 0, PM__PIPELINE_FORWARD, INFINITY};
  double now = s->now[stage];
  if (next_backward(s, stage, &back)) best = back;
  if (next_forward(s, stage, &forth) && sooner(&forth, &best, now)) best = forth;
  if (!next_weights(s, stage, &weights)) return best;
  return best.ready > now + s->chunk[stage * s->load->chunks + weights.chunk].weights / 2 ? weights : best;
}

/* ---- In time ---- */

static double duration_of(const state *s, int stage, const option *o)
{
  const pm__pipeline_chunk *c = &s->chunk[stage * s->load->chunks + o->chunk];
  return o->pass == PM__PIPELINE_FORWARD ? c->forward : o->pass == PM__PIPELINE_BACKWARD ? c->backward : c->weights;
}

static bool waits_for_hops(const state *s)
{
  return s->load->blocks && s->schedule->hides_hops && s->load->stages > 1;
}

static void carry_out(state *s, int stage, const option *o)
{
  int slot = stage * s->load->chunks + o->chunk;
  double start = fmax(s->now[stage], o->ready), duration = duration_of(s, stage, o);
  size_t end = (size_t)virtual_stage(s, stage, o->chunk) * (size_t)s->load->micro_batches + (size_t)o->micro_batch;
  double ends = start + duration, blocked = waits_for_hops(s) ? s->load->hop : 0;
  s->now[stage] = ends + blocked;
  s->done[stage]++;
  s->events[s->count++] = (pm__pipeline_event){stage, o->chunk, o->micro_batch, o->pass, start, duration};
  if (o->pass == PM__PIPELINE_FORWARD) s->forwards[slot]++, s->forward_end[end] = ends;
  else if (o->pass == PM__PIPELINE_BACKWARD) s->backwards[slot]++, s->backward_end[end] = ends;
  else s->weights[slot]++;
}

/* The stage whose next pass starts first goes on, so that nobody waits for what has not been looked at. */
static bool advance(state *s)
{
  int best = -1;
  double first = INFINITY;
  option next = {0, 0, PM__PIPELINE_FORWARD, INFINITY};
  for (int stage = 0; stage < s->load->stages; stage++) {
    option o = s->schedule->splits_backward ? next_that_can(s, stage) : next_in_order(s, stage);
    if (fmax(s->now[stage], o.ready) >= first) continue;
    first = fmax(s->now[stage], o.ready);
    next = o;
    best = stage;
  }
  if (best >= 0) carry_out(s, best, &next);
  return best >= 0;
}

double pm__pipeline_event_count(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule)
{
  return (double)load->stages * load->chunks * load->micro_batches * (schedule->splits_backward ? 3 : 2);
}

bool pm__pipeline_order(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule,
                        const pm__pipeline_chunk *chunk, pm__pipeline_event *events)
{
  size_t stages = (size_t)load->stages, slots = stages * (size_t)load->chunks,
      ends = slots * (size_t)load->micro_batches;
  double *times = (double *)malloc((2 * ends + stages) * sizeof *times);
  int *done = (int *)calloc(3 * slots + stages, sizeof *done);
  state s = {.load = load, .schedule = schedule, .chunk = chunk, .events = events,
             .group = pm__pipeline_group(load),
             .forward_end = times, .backward_end = times + ends, .now = times + 2 * ends,
             .forwards = done, .backwards = done + slots, .weights = done + 2 * slots, .done = done + 3 * slots};
  bool room = times != NULL && done != NULL;
  if (room) {
    for (size_t i = 0; i < 2 * ends; i++) times[i] = INFINITY;
    memset(s.now, 0, stages * sizeof *s.now);
    while (advance(&s)) continue;
  }
  free(times);
  free(done);
  return room;
}
