/*
** The stages of a run as records. Each is busy with its own micro-batches, exchanges and update; what is left of the step it
** waits. A run that shares out nothing is one stage, which has all of the prediction.
*/
#include <math.h>
#include <string.h>
#include "record/sized.h"
#include "step/parallel.h"

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
  row->busy_time = row->forward_time + row->dgrad_time + row->wgrad_time + row->recompute_time + row->launch_overhead_time +
                   row->exposed_communication_time + row->update_time + row->offload_time;
  row->step_time = step;
  row->wait_time = step - row->busy_time;
}

/* ---- Stages ---- */

static void set_times(const pm__parallel *p, const pm__parallel_stage *stage, const pm__parallel_piece *kinds, pm_stage *row)
{
  double m = p->micro_batches;
  const pm__parallel_piece t = pm__parallel_stage_times(p, kinds, stage);
  double exchanges = pm__parallel_exchanges(&t);
  row->forward_time = m * t.gpu[PM__FORWARD];
  row->dgrad_time = m * t.gpu[PM__DGRAD];
  row->wgrad_time = m * t.gpu[PM__WGRAD];
  row->recompute_time = m * t.again;
  double kernels = row->forward_time + row->dgrad_time + row->wgrad_time + row->recompute_time;
  row->launch_overhead_time = m * (pm__parallel_micro_batch_time(p, &t) - exchanges) - kernels;
  const pm__parallel_data data = pm__parallel_data_time(p, stage, kinds, &t);
  row->exposed_communication_time = m * exchanges + data.exposed;
  row->offload_time = data.offload;
  row->update_time = pm__parallel_update_time(p, stage);
}

static void set_stage(const pm__parallel *p, int number, const pm__parallel_piece *kinds, double step, pm_stage *row)
{
  pm__parallel_stage stage;
  pm__parallel_stage_make(p, number, &stage);
  *row = (pm_stage){.stage = number, .layers = stage.layers, .parameters = stage.whole + stage.split + stage.expert,
                    .in_flight = pm__parallel_in_flight(p, number)};
  set_times(p, &stage, kinds, row);
  set_sums(step, row);
  const pm__memory_parts parts = pm__parallel_memory(p, &stage, number);
  set_memory(&parts, p->batch, pm__parallel_usable_memory(p), row);
  row->verdict = pm__parallel_verdict(p, row->memory, row->host_memory);
}

static int stages_of(const pm__parallel *p, pm_stage *rows, size_t capacity)
{
  pm__parallel_piece kinds[PM__PIECE_KINDS];
  pm_prediction together;
  for (int k = 0; k < p->pieces->pieces->kinds; k++) pm__parallel_piece_times(p, k, &kinds[k]);
  pm__parallel_step_predict(p, &together);
  for (int i = 0; i < p->stages && (size_t)i < capacity; i++) set_stage(p, i, kinds, together.step_time, &rows[i]);
  return p->stages;
}

/* ---- One stage ---- */

/* 0 of a network that cannot be cut; -1 without memory. */
static int layers_of(const pm_plan *plan, const pm_run *run)
{
  pm_error error = PM_ERROR_NONE;
  const pm__plan_pieces *pieces = pm__plan_pieces_find(plan, run->network_index, &error);
  return pieces != NULL ? pieces->layers : error.status == PM_STATUS_NO_MEMORY ? -1 : 0;
}

static void set_only(const pm__schedule *s, const pm_prediction *p, int layers, pm_stage *row)
{
  const pm__memory_parts parts = pm__step_memory_parts(s);
  *row = (pm_stage){.layers = layers, .parameters = s->network->parameters, .in_flight = 1};
  row->forward_time = p->forward_time;
  row->dgrad_time = p->dgrad_time;
  row->wgrad_time = p->wgrad_time;
  row->update_time = p->update_time;
  row->launch_overhead_time = p->launch_overhead_time;
  row->exposed_communication_time = p->exposed_communication_time;
  set_sums(p->step_time, row);
  set_memory(&parts, s->run->batch, p->gpu_memory, row);
}

static int stage_of(const pm_plan *plan, const pm__schedule *s, pm_stage *row, size_t capacity, pm_error *error)
{
  pm_run fitting = *s->run;
  pm_prediction p;
  fitting.ignore_memory = 1;
  pm_predict(plan, &fitting, &p, 1);
  if (p.status != PM_OK) return pm__fail(error, p.status, "%s", pm_status_get_text(p.status)), -1;
  int layers = layers_of(plan, s->run);
  if (layers < 0) return pm__no_memory(error), -1;
  if (capacity > 0) set_only(s, &p, layers, row);
  return 1;
}

int pm_prediction_get_stages_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_stage *rows, size_t capacity,
                                   pm_error *error)
{
  pm__parallel_gathered g;
  if (capacity > 0 && rows == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "stages need a place"), -1;
  if (pm__step_gather(plan, run, size, &g, error) != PM_OK) return -1;
  return g.shared ? stages_of(&g.parallel, rows, capacity) : stage_of(plan, &g.step, rows, capacity, error);
}

/* ---- The heaviest rank ---- */

static double usable_memory(const pm__schedule *s)
{
  return isnan(s->run->usable_memory) ? s->system->system->usable_memory : s->run->usable_memory;
}

int pm_prediction_get_memory_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_memory_use *use, size_t use_size,
                                   pm_error *error)
{
  pm__parallel_gathered g;
  pm_memory_use own;
  int32_t stage;
  if (use == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "memory needs a place");
  int status = pm__record_size_check("memory_use", use_size, error);
  if (status == PM_OK) status = pm__step_gather(plan, run, size, &g, error);
  if (status != PM_OK) return status;
  const pm__memory_parts parts = g.shared ? pm__parallel_fullest_stage(&g.parallel, &stage) : pm__step_memory_parts(&g.step);
  pm__memory_set_use(&parts, g.shared ? g.parallel.batch : g.step.run->batch, usable_memory(&g.step), &own);
  if (g.shared) own.verdict = pm__parallel_verdict(&g.parallel, own.total, own.host);
  pm__record_write(use, use_size, &own, sizeof own);
  return PM_OK;
}
