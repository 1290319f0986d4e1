#include "step/screen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 16, BATCHES = 65, ZERO_STAGES = 4 };

/* Stages that are alike. */
typedef struct screen_stages {
  pm__parallel_stage stage;
  int first, count;
  bool several; /* chunks on each GPU */
  bool priced[ZERO_STAGES], measured[ZERO_STAGES][PM_RECOMPUTE_COUNT];
  pm__parallel_prices prices[ZERO_STAGES];
  pm__parallel_footprint footprint[ZERO_STAGES][PM_RECOMPUTE_COUNT];
} screen_stages;

/* What decides a layout, and then its stages. */
typedef struct screen_degrees {
  int32_t tensor, context, pipeline, expert, sequence, chunks, schedule;
} screen_degrees;

struct pm__parallel_screen {
  const pm_plan *plan;
  const pm_run *base;
  screen_degrees degrees; /* of the plan before */
  pm__parallel p;  /* of the plan that is asked for */
  bool laid_out, divided;
  screen_stages group[RUNS_MOST];
  int groups; /* 0: more than there is room for */
  pm__parallel_piece *pieces; /* by micro-batch, recomputation and kind */
  size_t capacity;
  bool timed[BATCHES][PM_RECOMPUTE_COUNT], sharded;
  pm__parallel_shards shards[PM__PIECE_KINDS];
  pm__memo memo;
};

pm__parallel_screen *pm__parallel_screen_new(const pm_plan *plan)
{
  pm__parallel_screen *screen = (pm__parallel_screen *)calloc(1, sizeof *screen);
  if (screen == NULL) return NULL;
  screen->plan = plan;
  return screen;
}

void pm__parallel_screen_free(pm__parallel_screen *screen)
{
  if (screen == NULL) return;
  free(screen->pieces);
  free(screen);
}

/* ---- As a prediction has it ---- */

static pm__parallel_screened predicted(const pm__parallel_screen *screen, const pm_run *run)
{
  pm_prediction p;
  pm_predict(screen->plan, run, &p, 1);
  return (pm__parallel_screened){p.status, p.step_time, p.memory};
}

/* ---- Layouts ---- */

static screen_degrees degrees_of(const pm_run *r)
{
  return (screen_degrees){r->tensor_parallel,   r->context_parallel, r->pipeline_parallel, r->expert_parallel,
                   r->sequence_parallel, r->virtual_pipeline, r->pipeline_schedule};
}

static bool same_layout(const pm__parallel_screen *s, const pm_run *base, const screen_degrees *d)
{
  const screen_degrees *before = &s->degrees;
  bool same = before->tensor == d->tensor && before->context == d->context && before->pipeline == d->pipeline;
  return s->laid_out && base != NULL && base == s->base && same && before->expert == d->expert &&
         before->sequence == d->sequence;
}

static bool same_stages(const pm__parallel_screen *s, const screen_degrees *d)
{
  return s->divided && s->degrees.chunks == d->chunks && s->degrees.schedule == d->schedule;
}

static bool make_room(pm__parallel_screen *screen)
{
  size_t kinds = (size_t)screen->p.pieces->pieces->kinds, needed = kinds * BATCHES * PM_RECOMPUTE_COUNT;
  if (needed <= screen->capacity) return true;
  pm__parallel_piece *pieces = (pm__parallel_piece *)realloc(screen->pieces, needed * sizeof *pieces);
  if (pieces == NULL) return false;
  screen->pieces = pieces;
  screen->capacity = needed;
  return true;
}

static int lay_out(pm__parallel_screen *screen, const pm_run *base, const pm_run *run)
{
  pm__schedule schedule;
  screen->laid_out = screen->divided = screen->sharded = false;
  screen->groups = 0;
  memset(screen->timed, 0, sizeof screen->timed);
  screen->base = base;
  int status = pm__step_make(&schedule, screen->plan, run, &screen->memo, NULL);
  if (status == PM_OK) status = pm__parallel_make(&screen->p, screen->plan, &schedule, NULL);
  if (status == PM_OK && !make_room(screen)) status = PM_STATUS_NO_MEMORY;
  screen->laid_out = status == PM_OK;
  return status;
}

/* ---- Stages ---- */

static bool same_parts(const pm__parallel *p, const pm__parallel_stage *a, const pm__parallel_stage *b)
{
  bool counts = memcmp(a->count, b->count, (size_t)p->pieces->pieces->kinds * sizeof *a->count) == 0;
  return counts && a->again == b->again && a->whole == b->whole && a->split == b->split && a->expert == b->expert;
}

/* What is known of a group stays if another number of chunks makes the same stage of it; where there are several, the last
** pieces wait differently. */
static void begin_group(const pm__parallel_screen *screen, screen_stages *group, bool known, int first,
                        const pm__parallel_stage *stage)
{
  bool several = screen->p.chunks > 1, same = known && same_parts(&screen->p, &group->stage, stage);
  if (!same) memset(group->priced, 0, sizeof group->priced);
  if (!same || several != group->several) memset(group->measured, 0, sizeof group->measured);
  group->stage = *stage;
  group->first = first;
  group->count = 1;
  group->several = several;
}

static void divide(pm__parallel_screen *screen)
{
  const pm__parallel *p = &screen->p;
  pm__parallel_stage next;
  int known = screen->groups, groups = 0;
  screen->divided = true;
  screen->groups = 0;
  for (int i = 0; i < p->stages; i++) {
    screen_stages *last = &screen->group[groups - (groups > 0)];
    pm__parallel_stage_make(p, i, &next);
    if (i > 0 && pm__parallel_alike(p, i, &last->stage, &next)) last->count++;
    else if (groups == RUNS_MOST) return;
    else {
      begin_group(screen, &screen->group[groups], groups < known, i, &next);
      groups++;
    }
  }
  screen->groups = groups;
}

static const pm__parallel_footprint *footprint_of(const pm__parallel_screen *screen, screen_stages *a)
{
  int zero = screen->p.s.run->zero, how = screen->p.s.run->recompute;
  pm__parallel_footprint *f = &a->footprint[zero][how];
  if (!a->measured[zero][how]) *f = pm__parallel_footprint_of(&screen->p, &a->stage);
  a->measured[zero][how] = true;
  return f;
}

static const pm__parallel_prices *prices_of(const pm__parallel_screen *screen, screen_stages *a)
{
  int zero = screen->p.s.run->zero;
  if (!a->priced[zero]) a->prices[zero] = pm__parallel_data_price(&screen->p, &a->stage, screen->shards);
  a->priced[zero] = true;
  return &a->prices[zero];
}

static void price_shards(pm__parallel_screen *screen)
{
  int kinds = screen->p.pieces->pieces->kinds;
  if (screen->sharded || screen->p.s.run->zero != 3) return;
  for (int k = 0; k < kinds; k++) screen->shards[k] = pm__parallel_shards_price(&screen->p, k);
  screen->sharded = true;
}

/* ---- Pieces ---- */

static const pm__parallel_piece *pieces_of(pm__parallel_screen *screen)
{
  double batch = screen->p.batch;
  int at = batch < BATCHES ? (int)batch : 0, how = screen->p.s.run->recompute, kinds = screen->p.pieces->pieces->kinds;
  pm__parallel_piece *pieces = screen->pieces + (size_t)(at * PM_RECOMPUTE_COUNT + how) * (size_t)kinds;
  if (screen->timed[at][how]) return pieces;
  for (int k = 0; k < kinds; k++) pm__parallel_piece_times(&screen->p, k, &pieces[k]);
  screen->timed[at][how] = at > 0; /* the first place is for all that are larger */
  return pieces;
}

/* ---- A plan ---- */

/* Of stages that are alike the first has most in flight. */
static double memory_of(pm__parallel_screen *screen, double *host)
{
  double most = 0;
  *host = 0;
  for (int i = 0; i < screen->groups; i++) {
    screen_stages *a = &screen->group[i];
    double flight = pm__parallel_in_flight(&screen->p, a->first);
    pm__memory_parts parts = pm__parallel_memory_of(footprint_of(screen, a), flight);
    double total = pm__memory_total(&parts, screen->p.batch);
    most = total > most ? total : most;
    *host = parts.host > *host ? parts.host : *host;
  }
  return most;
}

static double step_of(pm__parallel_screen *screen)
{
  const pm__parallel *p = &screen->p;
  const pm__parallel_piece *pieces = pieces_of(screen);
  price_shards(screen);
  pm__parallel_walk walk = pm__parallel_walk_begin(p);
  for (int i = 0; i < screen->groups; i++) {
    screen_stages *a = &screen->group[i];
    pm__parallel_piece times = pm__parallel_stage_times(p, pieces, &a->stage);
    pm__parallel_data data = pm__parallel_data_time_of(p, &a->stage, prices_of(screen, a), pieces, &times);
    pm__parallel_walk_add(p, a->first, a->count, &a->stage, &times, &data, &walk);
  }
  walk.load.hop = pm__parallel_hop_time(p);
  return pm__parallel_walk_step(p, &walk);
}

static pm__parallel_screened evaluate(pm__parallel_screen *screen)
{
  double host;
  pm__parallel_screened out = {PM_OK, NAN, memory_of(screen, &host)};
  bool fits = pm__parallel_verdict(&screen->p, out.memory, host) != PM_VERDICT_DOES_NOT_FIT;
  if (!fits && !screen->p.s.run->ignore_memory) out.status = PM_STATUS_DOES_NOT_FIT;
  else out.step_time = step_of(screen);
  if (out.status == PM_OK && isnan(out.step_time)) out.status = PM_STATUS_NOT_MODELLED;
  return out;
}

pm__parallel_screened pm__parallel_screen_run(pm__parallel_screen *screen, const pm_run *base, const pm_run *run)
{
  if (!pm__parallel_wanted(run)) return predicted(screen, run);
  const screen_degrees degrees = degrees_of(run);
  bool laid_out = same_layout(screen, base, &degrees);
  if (laid_out) screen->divided = same_stages(screen, &degrees);
  int status = laid_out ? pm__parallel_change(&screen->p, run, NULL) : lay_out(screen, base, run);
  screen->degrees = degrees;
  if (status != PM_OK) return (pm__parallel_screened){status, NAN, NAN};
  if (!screen->divided) divide(screen);
  return screen->groups > 0 ? evaluate(screen) : predicted(screen, run);
}
