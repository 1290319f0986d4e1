/* (plan, run) -> prediction: one run, or many with what they share computed once. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "collective/parameters.h"
#include "perfmodel/kernel.h"
#include "record/sized.h"
#include "step/step.h"

int pm__step_gather(pm__step *step, pm_run *own, const pm_plan *plan, const pm_run *run, size_t size, pm_error *error)
{
  if (plan == NULL || run == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a run needs a plan");
  int status = pm__record_size_check("run", size, error);
  if (status != PM_OK) return status;
  run = (const pm_run *)pm__record_read(&(pm__record_array){"run", run, size}, 0, own);
  return pm__step_make(step, plan, run, NULL, error);
}

int pm__step_check(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  pm__step step;
  int status = pm__step_make(&step, plan, run, NULL, error);
  return status == PM_OK ? pm__step_fits(&step, error) : status;
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
#define UNKNOWN_ORIGIN(name) out->name = PM_ORIGIN_NONE;
#define UNKNOWN_YES_NO(name) out->name = 0;
#define UNKNOWN(kind, name, ...) UNKNOWN_##kind(name)
  PM_PREDICTION_FIELDS(UNKNOWN)
#undef UNKNOWN
}

/* Of a step without a time nothing is known: it is not modelled, or takes more seconds than a double holds. */
static void set_untimed(pm_prediction *out)
{
  fill_unknown(out, isnan(out->step_time) ? PM_STATUS_NOT_MODELLED : PM_STATUS_BAD_VALUE);
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

static void set_collectives(const pm__step *step, pm_prediction *out)
{
  out->bus_bandwidth = step->s.ranks > 1 ? ring_of(&step->s).bandwidth : (double)NAN;
}

/* The network is priced once more. */
static void set_strong_scaling(const pm__step *step, pm_prediction *out)
{
  double alone = out->scaling_efficiency * out->step_time;
  if (step->s.ranks > 1 && !isnan(alone))
    out->strong_scaling_efficiency = pm__step_alone_time(step, alone) / (step->s.ranks * out->step_time);
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

static void predict_step(const pm__step *step, unsigned columns, pm_prediction *out)
{
  out->status = PM_OK;
  pm__step_set_memory(step, out);
  if (out->verdict == PM_VERDICT_DOES_NOT_FIT && !step->s.run->ignore_memory) {
    set_too_large(out);
    return;
  }
  double squares[PM__STEP_SPREADS];
  pm__step_compose(step, out, squares);
  if (!isfinite(out->step_time)) {
    set_untimed(out);
    return;
  }
  set_collectives(step, out);
  if (columns & PM_EXTRA_COLUMN_STRONG_SCALING) set_strong_scaling(step, out);
}

static void predict_one(const pm_plan *plan, unsigned columns, const pm_run *run, pm_prediction *out,
                        pm__step_memo *memo)
{
  pm__step step;
  pm__exchange_cache cache;
  clear_gaps(out);
  int status = pm__step_make(&step, plan, run, memo != NULL ? &memo->shared : NULL, NULL);
  cache.count = cache.next = 0;
  if (memo == NULL) step.s.cache = &cache;
  step.memo = memo;
  if (status == PM_OK) predict_step(&step, columns, out);
  else fill_unknown(out, status);
  out->total_gpus = pm__plan_total_gpus(run->gpus, run->nodes);
}

void pm__step_predict(const pm_plan *plan, unsigned columns, const pm_run *runs, pm_prediction *predictions,
                      size_t count)
{
  if (count == 1) {
    predict_one(plan, columns, runs, predictions, NULL);
    return;
  }
  pm__step_memo memo;
  pm__step_memo_clear(&memo);
  for (size_t i = 0; i < count; i++) predict_one(plan, columns, &runs[i], &predictions[i], &memo);
}

bool pm__step_find_spreads(const pm_plan *plan, const pm_run *run, double squares[PM__STEP_SPREADS])
{
  pm__step step;
  pm__exchange_cache cache = {.count = 0, .next = 0};
  pm_prediction out;
  if (pm__step_make(&step, plan, run, NULL, NULL) != PM_OK) return false;
  step.s.cache = &cache;
  step.memo = NULL;
  pm__step_set_memory(&step, &out);
  pm__step_compose(&step, &out, squares);
  return out.throughput_p10 > 0;
}

unsigned pm_extra_column_find(const char *field)
{
#define COLUMN(name, bit, text, doc) \
  if (field != NULL && strcmp(field, text) == 0) return bit;
  PM_EXTRA_COLUMN_LIST(COLUMN)
#undef COLUMN
  return 0;
}
