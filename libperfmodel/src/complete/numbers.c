/* Framework, precision, optimizer and batch of a run. */
#include <math.h>
#include "complete/complete.h"
#include "hardware/system.h"

enum { SAMPLES = 32 }; /* of a data-parallel rank, of networks that are no language models */

#define STEP_TOKENS 4194304. /* of a step: Llama 2's (arXiv 2307.09288, table 1), as most since */

/* ---- Software ---- */

const char *pm__complete_framework(pm__software_class which)
{
  static const char *const names[PM__SOFTWARE_CLASSES] = {PM_FRAMEWORK_DEFAULT, "pytorch-fsdp", "megatron-core"};
  return names[which];
}

/* ---- Numbers ---- */

/* FP32 as the framework runs it. */
static int32_t full_precision(const pm__complete_question *q)
{
  bool tf32 = q->tf32_convolutions && q->traits->convolutions && !isnan(q->gpu->peak_tf32_tensor);
  return tf32 ? PM_PRECISION_TF32_CONV : PM_PRECISION_FP32;
}

static int32_t default_precision(const pm__complete_question *q)
{
  int32_t half = q->traits->language_model ? pm__gpu_get_half_precision(q->gpu) : PM_PRECISION_FP32;
  return half != PM_PRECISION_FP32 ? half : full_precision(q);
}

void pm__complete_numbers(const pm__complete_question *q, pm_run *run)
{
  if (!pm__complete_has(q->given, PM__RUN_AT_precision)) run->precision = default_precision(q);
  if (!pm__complete_has(q->given, PM__RUN_AT_optimizer))
    run->optimizer = q->traits->language_model ? PM_OPTIMIZER_ADAMW : PM_OPTIMIZER_MOMENTUM;
}

double pm__complete_global_batch(const pm__network_traits *traits, double tokens)
{
  return traits->language_model && tokens >= 1 ? fmax(1, exp2(floor(log2(STEP_TOKENS / tokens)))) : (double)NAN;
}

/* A global batch over the ranks. */
static int divide(pm_run *run, pm_error *error)
{
  double ranks = pm_run_get_data_parallel(run), samples = run->batch;
  run->batch = samples / (ranks * run->gradient_accumulation_steps);
  if (run->batch == floor(run->batch)) return PM_OK;
  run->batch = NAN;
  return pm__fail(error, PM_STATUS_UNREACHABLE, "a global batch of %g does not divide over %g data-parallel ranks",
                  samples, ranks);
}

static double default_batch(const pm__complete_question *q, const pm_run *run)
{
  double micro = run->micro_batch;
  if (q->traits->language_model) return isnan(micro) ? 1 : micro;
  return isnan(micro) || fmod(SAMPLES, micro) == 0 ? SAMPLES : micro;
}

/* A language model without a batch per rank works through it one by one. */
static bool assumes_micro_batch(const pm__complete_question *q)
{
  bool by_rank = pm__complete_has(q->given, PM__RUN_AT_batch) && !q->given->global_batch;
  return q->traits->language_model && !by_rank && !pm__complete_has(q->given, PM__RUN_AT_micro_batch);
}

static int complete_batch(const pm__complete_question *q, pm_run *run, pm_error *error)
{
  int status = PM_OK;
  if (!pm__complete_has(q->given, PM__RUN_AT_batch)) run->batch = default_batch(q, run);
  else if (q->given->global_batch) status = divide(run, error);
  if (assumes_micro_batch(q)) run->micro_batch = 1;
  return status;
}

int pm__complete_run(const pm__complete_question *q, pm_run *run, pm_error *error)
{
  pm__complete_numbers(q, run);
  return complete_batch(q, run, error);
}

/* Weights as a checkpoint stores them, and linear layers in that precision where the GPU multiplies in it. */
static void take_stored(const pm__complete_question *q, pm_serving_run *run)
{
  bool said = pm__complete_has(q->given, PM__SERVING_AT_weights);
  bool experts = pm__complete_has(q->given, PM__SERVING_AT_expert_weights);
  if (!said) run->weights = q->traits->weights;
  if (!said && !experts && q->traits->expert_weights != q->traits->weights)
    run->expert_weights = q->traits->expert_weights;
  if (pm__complete_has(q->given, PM__SERVING_AT_precision)) return;
  bool byte = run->weights == PM_STORED_FP8 || run->weights == PM_STORED_FP8_BLOCK;
  if (!said && byte && q->gpu->peak_fp8_tensor > 0) run->precision = PM_PRECISION_FP8;
  if (!said && run->weights == PM_STORED_NVFP4 && q->gpu->peak_fp4_tensor > 0) run->precision = PM_PRECISION_FP4;
}

void pm__complete_serving_run(const pm__complete_question *q, pm_serving_run *run)
{
  if (!pm__complete_has(q->given, PM__SERVING_AT_precision)) run->precision = default_precision(q);
  take_stored(q, run);
  bool asked = pm__complete_has(q->given, PM__SERVING_AT_arrivals);
  if (!asked && pm__complete_has(q->given, PM__SERVING_AT_rate)) run->arrivals = PM_ARRIVALS_OPEN;
  if (run->percentile > 1) run->percentile /= 100; /* "99" */
}

void pm__complete_inference_run(const pm__complete_question *q, pm_inference_run *run)
{
  if (!pm__complete_has(q->given, PM__INFERENCE_AT_precision)) run->precision = default_precision(q);
}
