/*
** The stages of a run as records. Each is busy with its own micro-batches, exchanges and update; what is left of the
** step it waits.
*/
#include <stdlib.h>
#include "record/sized.h"
#include "step/step.h"

/* ---- Memory ---- */

static void set_memory(const pm__memory_parts *parts, double batch, double usable, pm_stage *row)
{
  row->weights = parts->weights;
  row->gradients = parts->gradients;
  row->optimizer = parts->optimizer;
  row->activations = batch * parts->activations;
  row->live_gradients = batch * parts->live_gradients;
  row->allocator = batch * parts->allocator;
  row->input = batch * parts->input;
  row->workspace = parts->workspace;
  row->communication = parts->communication;
  row->context = parts->context;
  row->memory = pm__memory_total(parts, batch);
  row->gpu_memory = usable;
  row->host_memory = parts->host;
  row->verdict = pm_memory_get_verdict(row->memory, usable);
}

static void set_sums(double step, pm_stage *row)
{
  row->busy_time =
      row->forward_time + row->dgrad_time + row->wgrad_time + row->recompute_time + row->launch_overhead_time +
                   row->exposed_communication_time + row->update_time + row->offload_time;
  row->step_time = step;
  row->wait_time = step - row->busy_time;
}

/* ---- Stages ---- */

/* What all stages of a run are made of. */
typedef struct table {
  const pm__step *step;
  pm__step_room room;
  pm__step_kinds kinds;
  pm__step_shards shards[PM__PIECE_KINDS];
  pm_prediction together;
} table;

static void set_times(const table *t, const pm__step_stage *stage, pm_stage *row)
{
  const pm__step *p = t->step;
  pm__step_work sum;
  pm__step_times times;
  pm__step_prices prices;
  double m = p->s.accumulation;
  const pm__step_work *work = pm__step_stage_work(p, t->kinds.work, stage, &sum);
  pm__step_times_of(p, work, t->kinds.waits, pm__step_own_parameters(p, stage), &times);
  pm__step_data_price(p, stage, t->shards, &prices);
  pm__step_data data = pm__step_data_time(p, stage, &prices, &t->kinds, work, &times);
  row->forward_time = m * work->gpu[PM__FORWARD];
  row->dgrad_time = m * work->gpu[PM__DGRAD];
  row->wgrad_time = m * work->gpu[PM__WGRAD];
  row->recompute_time = m * work->recompute;
  row->launch_overhead_time = times.alone - times.gpu;
  row->exposed_communication_time = m * pm__step_exchanges(work) + data.exposed;
  row->offload_time = data.offload;
  row->update_time = times.update;
}

/* Where a server or one process does the exchange, the only stage has all of the prediction. */
static void set_only(const pm_prediction *p, pm_stage *row)
{
  row->forward_time = p->forward_time;
  row->dgrad_time = p->dgrad_time;
  row->wgrad_time = p->wgrad_time;
  row->update_time = p->update_time;
  row->launch_overhead_time = p->launch_overhead_time;
  row->exposed_communication_time = p->exposed_communication_time;
}

static void set_stage(const table *t, int number, pm_stage *row)
{
  pm__step_stage stage;
  const pm__step *p = t->step;
  pm__step_stage_make(p, number, &stage);
  *row = (pm_stage){.stage = number, .layers = stage.layers, .parameters = pm__step_parameters(&stage),
                    .in_flight = pm__step_in_flight(p, number)};
  if (pm__step_all_reduces(p)) set_times(t, &stage, row);
  else set_only(&t->together, row);
  set_sums(t->together.step_time, row);
  const pm__memory_parts parts = pm__step_memory(p, &stage, number);
  set_memory(&parts, p->s.batch, pm__step_usable_memory(p), row);
  row->verdict = pm__step_verdict(p, row->memory, row->host_memory);
}

/* Layers that stages could divide, of a network in one piece: 0 if it cannot be cut; -1 without memory. */
static int layers_of(const pm_plan *plan, const pm__plan_network *network)
{
  pm_error error = PM_ERROR_NONE;
  const pm__plan_pieces *pieces = pm__plan_pieces_find(plan, network, &error);
  return pieces != NULL ? pieces->layers : error.status == PM_STATUS_NO_MEMORY ? -1 : 0;
}

static void fill(const pm__step *p, table *t, pm_stage *rows, size_t capacity)
{
  t->step = p;
  t->kinds = pm__step_kinds_price(p, &t->room);
  for (int k = 0; p->at.zero == 3 && k < p->kinds; k++) t->shards[k] = pm__step_shards_price(p, k);
  double squares[PM__STEP_SPREADS];
  pm__step_compose(p, &t->together, squares);
  for (int i = 0; i < p->at.stages && (size_t)i < capacity; i++) set_stage(t, i, &rows[i]);
}

int pm_prediction_get_stages_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_stage *rows, size_t capacity,
                                   pm_error *error)
{
  pm_run own;
  pm__step step;
  if (capacity > 0 && rows == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "stages need a place"), -1;
  if (pm__step_gather(&step, &own, plan, run, size, error) != PM_OK) return -1;
  if (capacity == 0) return step.at.stages;
  table *t = (table *)malloc(sizeof *t);
  int layers = step.pieces == NULL ? layers_of(plan, step.s.network) : 0;
  if (t == NULL || layers < 0) return free(t), pm__no_memory(error), -1;
  fill(&step, t, rows, capacity);
  if (step.pieces == NULL) rows[0].layers = layers;
  free(t);
  return step.at.stages;
}

/* ---- The heaviest rank ---- */

int pm__step_get_memory(const pm_plan *plan, const pm_run *run, pm_memory_use *use, pm_error *error)
{
  pm__step step;
  int32_t stage;
  int status = pm__step_make(&step, plan, run, NULL, error);
  if (status != PM_OK) return status;
  const pm__memory_parts parts = pm__step_fullest_stage(&step, &stage);
  pm__memory_set_use(&parts, step.s.batch, pm__step_usable_memory(&step), use);
  use->verdict = pm__step_verdict(&step, use->total, use->host);
  return PM_OK;
}
