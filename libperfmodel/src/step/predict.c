/* (plan, run) -> prediction: one run, or many with what they share computed once. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "collective/parameters.h"
#include "perfmodel/kernel.h"
#include "record/sized.h"
#include "step/parallel.h"
#include "step/step.h"

void pm_run_fill(pm_run *run, size_t size)
{
  pm_run own;
  pm_record_set_defaults(pm_record_type_find("run"), &own);
  if (run != NULL) pm__record_write(run, size, &own, sizeof own);
}

/* A run whose batch is cut into micro-batches accumulates gradients over them; PM_STATUS_BAD_ARGUMENT if they do not
** divide it. A shared-out run looks at them itself. */
static int cut_batch(const pm_run **run, pm_run *own, pm_error *error)
{
  const pm_run *r = *run;
  if (isnan(r->micro_batch) || r->micro_batch == r->batch || pm__parallel_wanted(r)) return PM_OK;
  double parts = r->batch / r->micro_batch * r->gradient_accumulation_steps;
  if (!(r->micro_batch >= 1) || fmod(r->batch, r->micro_batch) != 0 || parts > INT32_MAX)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %g is no multiple of micro_batch %g", r->batch, r->micro_batch);
  *own = *r;
  own->batch = r->micro_batch;
  own->gradient_accumulation_steps = (int32_t)parts;
  *run = own;
  return PM_OK;
}

int pm__step_gather(const pm_plan *plan, const pm_run *run, size_t size, pm__parallel_gathered *out, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a run needs a plan");
  int status = pm__record_size_check("run", size, error);
  if (status != PM_OK) return status;
  run = (const pm_run *)pm__record_read(&(pm__record_array){"run", run, size}, 0, &out->run);
  status = cut_batch(&run, &out->cut, error);
  if (status == PM_OK) status = pm__step_make(&out->step, plan, run, NULL, error);
  out->shared = pm__parallel_wanted(run);
  return status == PM_OK && out->shared ? pm__parallel_make(&out->parallel, plan, &out->step, error) : status;
}

int pm_run_check_sized(const pm_plan *plan, const pm_run *run, size_t size, pm_error *error)
{
  pm__parallel_gathered g;
  int status = pm__step_gather(plan, run, size, &g, error);
  if (status != PM_OK) return status;
  return g.shared ? pm__parallel_fits(&g.parallel, error) : pm__step_fits(&g.step, error);
}

/* ---- Kernel times ------------------------------------------------------------------------------------------------ */

/* In `own`, or where they are remembered. Runs that differ only in machine, GPUs, nodes or a framework of the same mode
** share them. */
static const pm__costs *costs_of(const pm__schedule *s, double batch, pm__costs *own)
{
  bool found = false;
  pm__costs *costs = own;
  if (s->memo != NULL) {
    pm__memo_key key = {{pm__memo_pointer(s->units), pm__memo_pointer(s->segments), pm__memo_pointer(s->device),
                         pm__memo_number(batch)}};
    costs = &s->memo->costs[pm__memo_find(&s->memo->cost_index, &key, &found)];
  }
  if (!found) pm__plan_kernels_price(&s->units->kernels, s->segments, s->device, batch, costs);
  return costs;
}

/* Bytes of the fields of a prediction. */
enum {
  FIELD_BYTES = 0
#define BYTES(kind, name, ...) +(int)sizeof(((pm_prediction *)0)->name)
  PM_PREDICTION_FIELDS(BYTES)
#undef BYTES
};

/* What may lie between fields, so that equal predictions have equal bytes. */
static void clear_gaps(pm_prediction *out)
{
  if (sizeof *out > (size_t)FIELD_BYTES) memset(out, 0, sizeof *out);
}

/* ---- Prediction -------------------------------------------------------------------------------------------------- */

static void fill_unknown(pm_prediction *out, int status)
{
#define UNKNOWN_REAL(name) out->name = NAN;
#define UNKNOWN_STATUS(name) out->name = status;
#define UNKNOWN_INT(name) out->name = 0;
#define UNKNOWN_VERDICT(name) out->name = PM_VERDICT_UNKNOWN;
#define UNKNOWN_BOTTLENECK(name) out->name = PM_BOTTLENECK_NONE;
#define UNKNOWN_CALIBRATION_STATUS(name) out->name = PM_CALIBRATION_STATUS_NONE;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_PREDICTION_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* Of a step without a time nothing is known: it is not modelled, or takes more seconds than a double holds. */
static bool has_no_time(pm_prediction *out)
{
  if (isfinite(out->step_time)) return false;
  fill_unknown(out, isnan(out->step_time) ? PM_STATUS_NOT_MODELLED : PM_STATUS_BAD_VALUE);
  return true;
}

static pm__memo_ring ring_of(const pm__schedule *s)
{
  bool found;
  const pm__wiring *wiring = s->group.wiring;
  pm__memo_key key = {{pm__memo_pointer(wiring), pm__memo_pair(s->run->nodes, 0)}};
  size_t at = s->memo != NULL ? pm__memo_find(&s->memo->ring_index, &key, &found) : 0;
  if (s->memo != NULL && found) return s->memo->ring[at];
  pm__collective_group rings = pm__collective_group_on(wiring, s->run->nodes); /* today's library's */
  pm__memo_ring answer = {pm__collective_ring_bandwidth(&rings), pm__collective_calibrated(&rings)};
  if (s->memo != NULL) s->memo->ring[at] = answer;
  return answer;
}

static void set_collectives(const pm__schedule *step, pm_prediction *out)
{
  out->bus_bandwidth = step->ranks > 1 ? ring_of(step).bandwidth : (double)NAN;
}

static void set_weak_scaling(const pm__schedule *step, double alone, pm_prediction *out)
{
  out->scaling_efficiency = alone / out->step_time;
  out->strong_scaling_efficiency = step->ranks > 1 ? (double)NAN : 1;
}

/* A GPU alone with the batch of all: the network is priced once more. */
static void set_strong_scaling(const pm__schedule *step, pm_prediction *out)
{
  pm__costs own;
  pm__schedule whole = *step;
  if (step->ranks <= 1) return;
  whole.segments = NULL;
  double batch = step->run->batch * step->ranks;
  pm__schedule_times times = pm__step_times_of(&whole, costs_of(&whole, batch, &own), batch);
  out->strong_scaling_efficiency = times.alone / (step->ranks * out->step_time);
}

/* Only memory is known of a run that does not fit. */
static void set_too_large(pm_prediction *out)
{
  pm_prediction memory = *out;
  fill_unknown(out, PM_STATUS_DOES_NOT_FIT);
  out->memory = memory.memory;
  out->gpu_memory = memory.gpu_memory;
  out->verdict = memory.verdict;
  out->largest_batch = memory.largest_batch;
  out->host_memory = memory.host_memory;
  out->fullest_stage = memory.fullest_stage;
  out->bottleneck = PM_BOTTLENECK_MEMORY_CAPACITY;
}

/* What only runs that share out the network have. */
static void set_unshared(const pm__schedule *step, pm_prediction *out)
{
  out->recompute_time = out->tensor_communication_time = out->context_communication_time = 0;
  out->expert_communication_time = out->pipeline_communication_time = 0;
  out->data_communication_time = out->communication_time;
  out->exposed_data_communication_time = out->exposed_communication_time;
  out->micro_batches = step->accumulation;
  out->data_parallel = (int32_t)step->ranks;
  out->slowest_stage = out->fullest_stage = 0;
  out->pipeline_stages = 1;
}

static void predict_step(const pm__schedule *step, unsigned columns, pm_prediction *out)
{
  pm__costs own;
  pm__sharing sharing;
  const pm__costs *costs = costs_of(step, step->run->batch, &own);
  pm__schedule_times times = pm__step_times_of(step, costs, step->run->batch);
  double alone = times.alone;
  pm__share(step, costs, &times, &sharing);
  pm__step_compose(step, &times, &sharing, out);
  pm__step_set_interval(step, costs, out);
  if (has_no_time(out)) return;
  set_collectives(step, out);
  set_weak_scaling(step, alone, out);
  set_unshared(step, out);
  if (columns & PM_EXTRA_COLUMN_STRONG_SCALING) set_strong_scaling(step, out);
}

static void predict_parallel(const pm_plan *plan, const pm__schedule *step, pm_prediction *out)
{
  pm__parallel parallel;
  int status = pm__parallel_make(&parallel, plan, step, NULL);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  pm__parallel_step_memory(&parallel, out);
  if (out->verdict == PM_VERDICT_DOES_NOT_FIT && !step->run->ignore_memory) {
    set_too_large(out);
    return;
  }
  pm__parallel_step_predict(&parallel, out);
  if (has_no_time(out)) return;
  set_collectives(step, out);
  out->scaling_efficiency = out->strong_scaling_efficiency = NAN;
}

static void predict_one(const pm_plan *plan, unsigned columns, const pm_run *run, pm_prediction *out, pm__memo *memo)
{
  pm_run own;
  pm__schedule step;
  clear_gaps(out);
  int status = cut_batch(&run, &own, NULL);
  if (status == PM_OK) status = pm__step_make(&step, plan, run, memo, NULL);
  if (status != PM_OK) {
    fill_unknown(out, status);
    return;
  }
  out->status = PM_OK;
  if (pm__parallel_wanted(step.run)) {
    predict_parallel(plan, &step, out);
    return;
  }
  pm__step_memory(&step, out);
  if (out->verdict == PM_VERDICT_DOES_NOT_FIT && !run->ignore_memory) set_too_large(out);
  else predict_step(&step, columns, out);
}

static void predict_all(const pm_plan *plan, unsigned columns, const pm_run *runs, pm_prediction *predictions, size_t count)
{
  if (count == 1) {
    predict_one(plan, columns, runs, predictions, NULL);
    return;
  }
  pm__memo memo;
  pm__memo_clear(&memo);
  for (size_t i = 0; i < count; i++) predict_one(plan, columns, &runs[i], &predictions[i], &memo);
}

typedef struct asked {
  const pm_plan *plan;
  unsigned columns;
} asked;

static int predict_asked(const void *context, const void *runs, void *predictions, size_t count)
{
  const asked *of = (const asked *)context;
  predict_all(of->plan, of->columns, (const pm_run *)runs, (pm_prediction *)predictions, count);
  return PM_OK;
}

int pm_predict_sized(const pm_plan *plan, unsigned columns, const pm_run *runs, size_t run_size,
                     pm_prediction *predictions, size_t prediction_size, size_t count)
{
  if (plan == NULL || (count > 0 && (runs == NULL || predictions == NULL))) return PM_STATUS_BAD_ARGUMENT;
  if (run_size == sizeof *runs && prediction_size == sizeof *predictions) {
    predict_all(plan, columns, runs, predictions, count);
    return PM_OK;
  }
  if (pm__record_size_check("run", run_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (pm__record_size_check("prediction", prediction_size, NULL) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  return pm__record_each(predict_asked, &(asked){plan, columns}, (pm__record_array){"run", runs, run_size},
                        (pm__record_array){"prediction", predictions, prediction_size}, count);
}

unsigned pm_extra_column_find(const char *field)
{
#define COLUMN(name, bit, text, doc) \
  if (field != NULL && strcmp(field, text) == 0) return bit;
  PM_EXTRA_COLUMN_LIST(COLUMN)
#undef COLUMN
  return 0;
}
