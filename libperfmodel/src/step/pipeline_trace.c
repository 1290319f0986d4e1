/*
** The timeline of the stages of a pipeline: a lane for each, with its passes over micro-batches in the order of the
** schedule, then what is left of its exchange of gradients, its update and what it waits for.
**
** The passes are simulated, not computed by the formula of the schedule, so that the end differs from the step where
** the formula is not exact: with uneven stages, and with gradients of parameters apart. A counter has what a board
** draws, the mean of the stages.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "schedule/pipeline_order.h"
#include "step/step.h"
#include "step/trace_text.h"

enum { EVENTS_MOST = 1000000 };

typedef struct trace {
  pm__trace_text text;
  const pm__step *p;
  const pm_prediction *prediction;
  pm__step_room room;
  pm__step_kinds kinds;
  pm__step_shards shards[PM__PIECE_KINDS];
} trace;

/* ---- Power ---- */

static const pm__kernel_board *board_of(const trace *t)
{
  return &t->p->s.device->power;
}

static double exchanging(const trace *t)
{
  const pm__kernel_board *power = board_of(t);
  return fmin(power->exchange, power->limited ? power->most : power->top) - power->idle;
}

static void add_draw(trace *t, double start, double duration, double watts, bool kernels)
{
  if (board_of(t)->known) pm__trace_add_draw(&t->text, (pm__trace_draw){start, duration, watts * duration, kernels});
}

/* A stage, its times, and what it does in a micro-batch. */
static const pm__step_work *time_stage(const trace *t, int number, pm__step_stage *stage, pm__step_work *sum,
                                       pm__step_times *times)
{
  pm__step_stage_make(t->p, number, stage);
  const pm__step_work *work = pm__step_stage_work(t->p, t->kinds.work, stage, sum);
  pm__step_times_of(t->p, work, t->kinds.waits, pm__step_own_parameters(t->p, stage), times);
  return work;
}

/* What a stage draws in its passes beyond waiting: kernels, products, exchanges; the mean [W]. */
static double pass_power(const trace *t, int number)
{
  const pm__kernel_board *power = board_of(t);
  pm__step_stage stage;
  pm__step_work sum;
  pm__step_times times;
  const pm__step_work *w = time_stage(t, number, &stage, &sum, &times);
  double kernels = (times.gpu - times.update) / t->p->s.accumulation;
  double energy = (power->drawn - power->idle) * kernels + pm__step_with_recomputed(w, w->extra);
  return (energy + exchanging(t) * pm__step_exchanges(w)) / pm__step_micro_batch(&times);
}

/* Of all stages; NULL without memory. */
static double *pass_powers(const trace *t)
{
  double *watts = (double *)malloc((size_t)t->p->at.stages * sizeof *watts);
  for (int i = 0; watts != NULL && i < t->p->at.stages; i++) watts[i] = pass_power(t, i);
  return watts;
}

/* ---- Passes ---- */

/* A chunk goes at the pace of its stage, so that chunks add up to it. The fixed host time of a micro-batch belongs to
** the backward pass, divided over the chunks. */
static pm__pipeline_chunk chunk_times(const trace *t, const pm__step_stage *stage, const pm__step_times *of, int number,
                                      int i)
{
  pm__step_stage chunk;
  pm__step_work sum;
  const pm__step *p = t->p;
  pm__step_chunk_make(p, stage, number, i, &chunk);
  const pm__step_work *w = pm__step_stage_work(p, t->kinds.work, &chunk, &sum);
  const pm__step_pace *d = &of->pace[PM__DGRAD], *g = &of->pace[PM__WGRAD];
  double forward = pm__step_paced(&of->pace[PM__FORWARD], w->gpu[PM__FORWARD],
                                  w->host[PM__FORWARD]) + w->exchange[PM__FORWARD];
  double dgrad = pm__step_paced(d, w->gpu[PM__DGRAD] + w->recompute, w->host[PM__DGRAD] + w->host_recompute) +
                 w->exchange[PM__DGRAD] + w->exchange_recompute;
  double wgrad = pm__step_paced(g, w->gpu[PM__WGRAD], w->host[PM__WGRAD]) + w->exchange[PM__WGRAD];
  double weights = p->at.schedule->splits_backward ? wgrad : 0;
  return (pm__pipeline_chunk){forward, dgrad + wgrad - weights + of->each / p->at.chunks, weights};
}

static void add_chunks(const trace *t, int number, pm__pipeline_chunk *chunk)
{
  pm__step_stage stage;
  pm__step_work sum;
  pm__step_times times;
  time_stage(t, number, &stage, &sum, &times);
  for (int i = 0; i < t->p->at.chunks; i++) chunk[i] = chunk_times(t, &stage, &times, number, i);
}

/* Of all stages, chunk by chunk; NULL without memory. */
static pm__pipeline_chunk *all_chunks(const trace *t)
{
  const pm__step *p = t->p;
  pm__pipeline_chunk *chunk = (pm__pipeline_chunk *)malloc((size_t)p->at.stages * (size_t)p->at.chunks * sizeof *chunk);
  for (int number = 0; chunk != NULL && number < p->at.stages; number++)
    add_chunks(t, number, chunk + number * p->at.chunks);
  return chunk;
}

static void add_pass(trace *t, const pm__pipeline_event *e)
{
  static const char *const names[] = {"forward", "backward", "wgrad"};
  char what[48];
  bool apart = t->p->at.schedule->splits_backward && e->pass == PM__PIPELINE_BACKWARD;
  const char *name = apart ? "dgrad" : names[e->pass];
  if (t->p->at.chunks > 1) snprintf(what, sizeof what, " %d, chunk %d", e->micro_batch, e->chunk);
  else snprintf(what, sizeof what, " %d", e->micro_batch);
  pm__trace_add(&t->text, &(pm__trace_event){name, what, name, e->stage, e->chunk, e->micro_batch, e->start,
                                             e->duration});
}

/* When the last of them ends; negative without memory. */
static double add_passes(trace *t)
{
  const pm__step *p = t->p;
  pm__pipeline_load load = {.stages = p->at.stages, .chunks = p->at.chunks, .micro_batches = (int)p->s.accumulation,
                            .hop = pm__step_hop_time(p), .blocks = pm__step_hops_block(p)};
  size_t count = (size_t)pm__pipeline_event_count(&load, p->at.schedule);
  pm__pipeline_event *events = (pm__pipeline_event *)malloc(count * sizeof *events);
  pm__pipeline_chunk *chunk = all_chunks(t);
  double *watts = pass_powers(t);
  bool room = events != NULL && chunk != NULL && watts != NULL;
  if (room) room = pm__pipeline_order(&load, p->at.schedule, chunk, events);
  double end = room ? 0 : -1;
  for (size_t i = 0; room && i < count; i++) {
    add_pass(t, &events[i]);
    add_draw(t, events[i].start, events[i].duration, watts[events[i].stage], true);
    end = fmax(end, events[i].start + events[i].duration);
  }
  free(watts);
  free(events);
  free(chunk);
  return end;
}

/* ---- After them ---- */

/* One thing that stages do together: all begin when the slowest has done what was before. `watts`: beyond waiting. */
static double add_together(trace *t, const char *name, const char *category, double start, const double *takes,
                           double watts)
{
  double most = 0;
  for (int i = 0; i < t->p->at.stages; i++) {
    pm__trace_add(&t->text, &(pm__trace_event){name, NULL, category, i, 0, -1, start, takes[i]});
    add_draw(t, start, takes[i], watts, false);
    most = fmax(most, takes[i]);
  }
  return start + most;
}

static double add_wait(trace *t, const char *name, double start, double time)
{
  for (int i = 0; i < t->p->at.stages; i++)
    pm__trace_add(&t->text, &(pm__trace_event){name, NULL, "waiting", i, 0, -1, start, time});
  return start + time;
}

/* Kernels of the update beside its host. */
static double update_power(const trace *t, const double *update)
{
  double most = 0;
  for (int i = 0; i < t->p->at.stages; i++) most = fmax(most, update[i]);
  double share = most > 0 ? fmin(1, t->prediction->update_time / most) : 0;
  return share * (board_of(t)->drawn - board_of(t)->idle);
}

/* When it ends. */
static double add_end(trace *t, double start, double *exchange, double *update, double *offload)
{
  const pm__step *p = t->p;
  for (int i = 0; i < p->at.stages; i++) {
    pm__step_stage stage;
    pm__step_stage_make(p, i, &stage);
    pm__step_work sum;
    pm__step_times times;
    pm__step_prices prices;
    const pm__step_work *work = pm__step_stage_work(p, t->kinds.work, &stage, &sum);
    pm__step_times_of(p, work, t->kinds.waits, pm__step_own_parameters(p, &stage), &times);
    pm__step_data_price(p, &stage, t->shards, &prices);
    pm__step_data data = pm__step_data_time(p, &stage, &prices, &t->kinds, work, &times);
    exchange[i] = data.exposed;
    offload[i] = data.offload;
    /* with its host */
    update[i] = times.alone - p->s.accumulation * (pm__step_micro_batch(&times) - pm__step_exchanges(work));
  }
  double now = add_together(t, "exposed communication", "communication", start, exchange, exchanging(t));
  now = add_together(t, "update", "update", now, update, update_power(t, update));
  if (p->s.run->offload != PM_OFFLOAD_NONE) now = add_together(t, "offloading", "update", now, offload, 0);
  now = add_wait(t, "for the slowest GPU", now, t->prediction->straggler_wait_time);
  return add_wait(t, "for input", now, t->prediction->input_wait_time);
}

/* ---- All of it ---- */

static void add_lanes(trace *t)
{
  char name[64];
  for (int i = 0; i < t->p->at.stages; i++) {
    pm__step_stage stage;
    pm__step_stage_make(t->p, i, &stage);
    snprintf(name, sizeof name, "stage %d (%d layer%s)", i, stage.layers, stage.layers == 1 ? "" : "s");
    pm__trace_lane(&t->text, i, name);
  }
}

static bool add_all(trace *t)
{
  double *times = (double *)malloc(3 * (size_t)t->p->at.stages * sizeof *times);
  add_lanes(t);
  double end = times != NULL ? add_passes(t) : -1;
  if (end >= 0) end = add_end(t, end, times, times + t->p->at.stages, times + 2 * t->p->at.stages);
  const pm__trace_boards boards = {board_of(t)->idle, t->prediction->gpu_power, t->prediction->step_time, end,
                                   t->p->at.stages};
  if (end >= 0 && board_of(t)->known) pm__trace_add_power(&t->text, &boards);
  free(times);
  return end >= 0;
}

static char *trace_of(trace *t, pm_error *error)
{
  const pm__step *p = t->p;
  t->kinds = pm__step_kinds_price(p, &t->room);
  for (int k = 0; p->at.zero == 3 && k < p->kinds; k++) t->shards[k] = pm__step_shards_price(p, k);
  pm__trace_begin(&t->text);
  t->text.text.failed |= !add_all(t);
  return pm__trace_end(&t->text, error);
}

char *pm__step_pipeline_trace(const pm__step *p, const pm_prediction *prediction, pm_error *error)
{
  const pm__pipeline_load load = {.stages = p->at.stages, .chunks = p->at.chunks,
                                  .micro_batches = (int)p->s.accumulation};
  double count = pm__pipeline_event_count(&load, p->at.schedule);
  if (count > EVENTS_MOST) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "%.0f passes over micro-batches are too many for a timeline; the maximum "
             "is %d",
             count, EVENTS_MOST);
    return NULL;
  }
  trace *t = (trace *)calloc(1, sizeof *t);
  if (t == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  t->p = p;
  t->prediction = prediction;
  char *text = trace_of(t, error);
  free(t);
  return text;
}
