/*
** Screens the plans of a search: whether a plan fits, its memory and its step time, with the bits of a prediction.
**
** A search evaluates plans in an order in which degrees of parallelism change least often. The screen keeps what a
** change leaves as it was: the layout with its groups, the stages that are alike, and for each group of stages their
** memory by ZeRO stage and their work by micro-batch and recomputation. A plan then only adds up parts that are
** known, by the functions that a prediction uses. Two layouts are kept, as plans with and without recomputation or
** sharded weights follow each other and need the network in pieces and whole. What the screen does not keep parts of
** (parallelism other than by all-reduce, too many different stages) is predicted in full.
*/
#include "step/screen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 16, BATCHES = 65, ZERO_STAGES = 4 };

/* Stages that are alike. */
typedef struct screen_stages {
  pm__step_stage stage;
  int first, count;
  bool priced[ZERO_STAGES], counted[ZERO_STAGES], measured[PM_RECOMPUTE_COUNT];
  pm__step_prices prices[ZERO_STAGES];
  pm__memory_parts fixed[ZERO_STAGES];
  pm__step_kept kept[PM_RECOMPUTE_COUNT];
  double summed[PM_RECOMPUTE_COUNT]; /* the micro-batch that `work` is of; 0: none */
  pm__step_work work[PM_RECOMPUTE_COUNT];
} screen_stages;

/* What decides a layout. */
typedef struct screen_degrees {
  int32_t tensor, context, pipeline, expert, sequence;
} screen_degrees;

/* A layout and what is kept of it. */
typedef struct screen_layout {
  const pm_run *base;
  screen_degrees degrees; /* of the plan before */
  pm__step p;             /* of the plan that is asked for */
  bool laid_out, divided;
  int chunks;             /* of the stages before */
  bool balanced;
  const pm__pipeline_schedule *schedule;
  screen_stages group[RUNS_MOST];
  int groups;             /* 0: more than there is room for */
  pm__step_work *work;    /* by micro-batch, recomputation and kind */
  size_t capacity;
  pm__costs *costs;       /* of the whole network in segments, by micro-batch */
  bool timed[BATCHES][PM_RECOMPUTE_COUNT], sharded;
  pm__step_shards shards[PM__PIECE_KINDS];
  pm__step_waits waits;
} screen_layout;

/* Plans with and without recomputation or sharded weights follow each other, and need the network in pieces and whole.
** */
enum { SIDES = 2 };

struct pm__step_screen {
  const pm_plan *plan;
  bool energy;
  screen_layout side[SIDES];
  pm__memo memo;
};

pm__step_screen *pm__step_screen_new(const pm_plan *plan, bool energy)
{
  pm__step_screen *screen = (pm__step_screen *)calloc(1, sizeof *screen);
  if (screen == NULL) return NULL;
  screen->plan = plan;
  screen->energy = energy;
  return screen;
}

void pm__step_screen_free(pm__step_screen *screen)
{
  for (int i = 0; screen != NULL && i < SIDES; i++) {
    free(screen->side[i].work);
    free(screen->side[i].costs);
  }
  free(screen);
}

/* ---- As a prediction has it ---- */

/* Time of a step at the lower end of the interval of its rate. */
static double slow_time(const pm_prediction *p)
{
  return isnan(p->throughput_p10) ? (double)INFINITY : p->step_time * (p->throughput / p->throughput_p10);
}

static pm__step_screened screened(int status, double memory)
{
  return (pm__step_screened){status, NAN, memory, INFINITY, NAN, NAN, NAN};
}

static void set_energy(const pm_prediction *p, pm__step_screened *out)
{
  out->energy = p->site_energy_per_sample;
  out->carbon = p->carbon_per_sample;
  out->energy_cost = p->energy_cost_per_sample;
}

static pm__step_screened predicted(const pm__step_screen *screen, const pm_run *run)
{
  pm_prediction p;
  pm__step_predict(screen->plan, 0, run, &p, 1);
  pm__step_screened out = {.status = p.status, .step_time = p.step_time, .memory = p.memory, .slow = slow_time(&p)};
  set_energy(&p, &out);
  return out;
}

/* ---- Layouts ---- */

static screen_degrees degrees_of(const pm_run *r)
{
  return (screen_degrees){r->tensor_parallel, r->context_parallel, r->pipeline_parallel, r->expert_parallel,
                          r->sequence_parallel};
}

static bool same_layout(const screen_layout *s, const pm_run *base, const screen_degrees *d)
{
  const screen_degrees *before = &s->degrees;
  bool same = before->tensor == d->tensor && before->context == d->context && before->pipeline == d->pipeline;
  return s->laid_out && base != NULL && base == s->base && same && before->expert == d->expert &&
         before->sequence == d->sequence;
}

/* Schedules place chunks differently only where a GPU has several. */
static bool same_chunks(const screen_layout *s)
{
  const pm__step_layout *at = &s->p.at;
  return at->chunks == s->chunks && (at->chunks == 1 || at->schedule == s->schedule) && at->balanced == s->balanced;
}

static bool make_room(screen_layout *s)
{
  size_t needed = (size_t)s->p.kinds * BATCHES * PM_RECOMPUTE_COUNT;
  if (s->p.s.segments != NULL && s->costs == NULL) s->costs = (pm__costs *)malloc(BATCHES * sizeof *s->costs);
  if (s->p.s.segments != NULL && s->costs == NULL) return false;
  if (needed <= s->capacity) return true;
  pm__step_work *work = (pm__step_work *)realloc(s->work, needed * sizeof *work);
  if (work == NULL) return false;
  s->work = work;
  s->capacity = needed;
  return true;
}

static int lay_out(pm__step_screen *screen, screen_layout *s, const pm_run *base, const pm_run *run)
{
  s->laid_out = s->divided = s->sharded = false;
  s->groups = 0;
  memset(s->timed, 0, sizeof s->timed);
  s->base = base;
  int status = pm__step_make(&s->p, screen->plan, run, &screen->memo, NULL);
  if (status == PM_OK && !make_room(s)) status = PM_STATUS_NO_MEMORY;
  s->laid_out = status == PM_OK;
  return status;
}

/* Of the plan that is asked for, with as much as possible of the layout before. */
static int take(pm__step_screen *screen, screen_layout *s, const pm_run *base, const pm_run *run)
{
  const screen_degrees degrees = degrees_of(run);
  bool laid_out = same_layout(s, base, &degrees);
  s->degrees = degrees;
  int status = laid_out ? pm__step_change(&s->p, run, NULL) : lay_out(screen, s, base, run);
  bool other = laid_out && status == PM_OK && pm__layout_cuts(&s->p.s, &s->p.at) != s->p.at.cut;
  if (other) status = lay_out(screen, s, base, run);
  if (status == PM_OK && s->divided) s->divided = same_chunks(s);
  return status == PM_OK && !make_room(s) ? PM_STATUS_NO_MEMORY : status;
}

/* ---- Stages ---- */

static bool same_parts(const pm__step *p, const pm__step_stage *a, const pm__step_stage *b)
{
  bool counts = memcmp(a->count, b->count, (size_t)p->kinds * sizeof *a->count) == 0;
  return counts && a->recompute == b->recompute && a->whole == b->whole && a->split == b->split && a->expert ==
      b->expert;
}

/* What is known of a group stays if another schedule makes the same stage of it; but what pieces keep depends on the
** chunks that they are in. */
static void begin_group(const screen_layout *s, screen_stages *group, bool known, int first,
                        const pm__step_stage *stage)
{
  bool same = known && same_parts(&s->p, &group->stage, stage);
  bool chunks = same && first == group->first && same_chunks(s);
  if (!same) {
    memset(group->priced, 0, sizeof group->priced);
    memset(group->counted, 0, sizeof group->counted);
    memset(group->summed, 0, sizeof group->summed);
  }
  if (!chunks) memset(group->measured, 0, sizeof group->measured);
  group->stage = *stage;
  group->first = first;
  group->count = 1;
}

static void divide(screen_layout *s)
{
  const pm__step *p = &s->p;
  pm__step_stage next;
  int known = s->groups, groups = 0;
  s->divided = true;
  s->groups = 0;
  for (int i = 0; i < p->at.stages; i++) {
    screen_stages *last = &s->group[groups - (groups > 0)];
    pm__step_stage_make(p, i, &next);
    if (i > 0 && pm__step_alike(p, i, &last->stage, &next)) last->count++;
    else if (groups == RUNS_MOST) return;
    else {
      begin_group(s, &s->group[groups], groups < known, i, &next);
      groups++;
    }
  }
  s->groups = groups;
  s->chunks = p->at.chunks;
  s->schedule = p->at.schedule;
  s->balanced = p->at.balanced;
}

static const pm__memory_parts *fixed_of(const screen_layout *s, screen_stages *a)
{
  int zero = s->p.at.zero;
  if (!a->counted[zero]) pm__step_fixed_of(&s->p, a->first, &a->stage, &a->fixed[zero]);
  a->counted[zero] = true;
  return &a->fixed[zero];
}

static const pm__step_kept *kept_of(const screen_layout *s, screen_stages *a)
{
  int how = s->p.at.recompute;
  if (!a->measured[how]) pm__step_kept_of(&s->p, a->first, &a->stage, &a->kept[how]);
  a->measured[how] = true;
  return &a->kept[how];
}

static const pm__step_prices *prices_of(const screen_layout *s, screen_stages *a)
{
  int zero = s->p.at.zero;
  if (!a->priced[zero]) pm__step_data_price(&s->p, &a->stage, s->shards, &a->prices[zero]);
  a->priced[zero] = true;
  return &a->prices[zero];
}

static void price_shards(screen_layout *s)
{
  if (s->sharded || s->p.at.zero != 3) return;
  for (int k = 0; k < s->p.kinds; k++) s->shards[k] = pm__step_shards_price(&s->p, k);
  s->sharded = true;
}

/* ---- Pieces ---- */

static void time_pieces(const screen_layout *s, pm__step_work *work, pm__costs *costs)
{
  pm__costs own;
  const pm__schedule *of = &s->p.s;
  if (costs != NULL) *costs = *pm__step_costs(of, of->units, of->segments, of->batch, &own);
  for (int k = 0; k < s->p.kinds; k++) {
    const pm__units *units = pm__step_piece(&s->p, k)->units;
    bool whole = costs != NULL && units == of->units;
    pm__step_piece_work(&s->p, k, whole ? costs : pm__step_costs(of, units, NULL, of->batch, &own), &work[k]);
  }
}

/* The first place is for all micro-batches that are too large to have their own. */
static pm__step_kinds kinds_of(screen_layout *s)
{
  double batch = s->p.s.batch;
  int at = batch < BATCHES ? (int)batch : 0, how = s->p.at.recompute;
  pm__step_work *work = s->work + (size_t)(at * PM_RECOMPUTE_COUNT + how) * (size_t)s->p.kinds;
  pm__costs *costs = s->p.s.segments != NULL ? &s->costs[at] : NULL;
  if (!s->timed[at][how]) time_pieces(s, work, costs);
  s->timed[at][how] = at > 0;
  return (pm__step_kinds){work, costs, pm__step_waits_price(&s->p, &s->waits), NULL};
}

static const pm__step_work *work_of(const screen_layout *s, screen_stages *a, const pm__step_kinds *kinds)
{
  int how = s->p.at.recompute;
  if (s->p.pieces == NULL) return &kinds->work[0];
  if (a->summed[how] != s->p.s.batch) pm__step_stage_work(&s->p, kinds->work, &a->stage, &a->work[how]);
  a->summed[how] = s->p.s.batch;
  return &a->work[how];
}

/* ---- A plan ---- */

/* Of stages that are alike the first has most in flight. */
static double memory_of(screen_layout *s, double *host)
{
  double most = 0;
  *host = 0;
  for (int i = 0; i < s->groups; i++) {
    screen_stages *a = &s->group[i];
    double flight = pm__step_in_flight(&s->p, a->first);
    pm__memory_parts parts = pm__step_memory_of(fixed_of(s, a), kept_of(s, a), flight, s->p.s.batch);
    double total = pm__memory_total(&parts, s->p.s.batch);
    most = total > most ? total : most;
    *host = parts.host > *host ? parts.host : *host;
  }
  return most;
}

static void set_step(screen_layout *s, bool energy, pm__step_screened *out)
{
  const pm__step *p = &s->p;
  const pm__step_kinds kinds = kinds_of(s);
  pm_prediction whole;
  price_shards(s);
  pm__step_walk walk;
  pm__step_walk_begin(p, &walk);
  for (int i = 0; i < s->groups; i++) {
    screen_stages *a = &s->group[i];
    pm__step_times times;
    const pm__step_work *work = work_of(s, a, &kinds);
    pm__step_times_of(p, work, kinds.waits, pm__step_own_parameters(p, &a->stage), &times);
    pm__step_data data = pm__step_data_time(p, &a->stage, prices_of(s, a), &kinds, work, &times);
    pm__step_walk_add(p, a->first, a->count, &a->stage, work, &times, &data, &walk);
  }
  walk.load.hop = pm__step_hop_time(p);
  pm__step_sum sum = pm__step_put_together(p, &walk);
  pm__step_set_times(p, &walk, &sum, &whole);
  double squares[PM__STEP_SPREADS];
  pm__step_set_interval(p, &walk.slowest->part, &whole, squares);
  out->step_time = whole.step_time;
  out->slow = slow_time(&whole);
  if (!energy) return;
  pm__step_set_energy(p, &walk, 0, &whole);
  set_energy(&whole, out);
}

static pm__step_screened evaluate(screen_layout *s, bool energy)
{
  double host, memory = memory_of(s, &host);
  pm__step_screened out = screened(PM_OK, memory);
  bool fits = pm__step_verdict(&s->p, out.memory, host) != PM_VERDICT_DOES_NOT_FIT;
  if (!fits && !s->p.s.run->ignore_memory) out.status = PM_STATUS_DOES_NOT_FIT;
  else set_step(s, energy, &out);
  if (out.status == PM_OK && isnan(out.step_time)) out.status = PM_STATUS_NOT_MODELLED;
  return out;
}

pm__step_screened pm__step_screen_run(pm__step_screen *screen, const pm_run *base, const pm_run *run)
{
  screen_layout *s = &screen->side[run->zero >= 2 || run->recompute != PM_RECOMPUTE_NONE];
  int status = take(screen, s, base, run);
  if (status != PM_OK) return screened(status, NAN);
  if (!pm__step_all_reduces(&s->p)) return predicted(screen, run);
  if (!s->divided) divide(s);
  return s->groups > 0 ? evaluate(s, screen->energy) : predicted(screen, run);
}
