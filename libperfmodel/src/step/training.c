/*
** What training on so many tokens or samples takes, from the time of a step:
**
**     1 / M  = gpus / gpu_mtbf + nodes / node_mtbf          M: mean time between failures of all
**     C      = (weights + optimizer states) / checkpoint_rate
**     time   = ceil(samples / global batch) x step / goodput(M, C, restart)        goodput.c
**
** The interval of the time is that of the rate: failures and checkpoints are taken as certain.
*/
#include <math.h>
#include "hardware/kernel_calibration.h"
#include "step/step.h"

enum { HOUR = 3600 };

/* ---- Failures and checkpoints ---- */

/* A sample on one GPU that has everything. */
int pm__step_take_one_gpu(pm__step *step, pm_run *one, const pm_plan *plan, const pm_run *run, int32_t precision)
{
  *one = pm_run_make();
  one->network_index = run->network_index;
  one->system_index = run->system_index;
  one->framework_index = run->framework_index;
  one->optimizer = run->optimizer;
  one->lora_rank = run->lora_rank;
  one->lora_targets = run->lora_targets;
  one->lora_dora = run->lora_dora;
  one->lora_first_layer = run->lora_first_layer;
  one->lora_layers = run->lora_layers;
  one->base_weights = run->base_weights;
  one->precision = precision;
  one->batch = 1;
  return pm__step_make(step, plan, one, NULL, NULL);
}

/* Bytes of a checkpoint: those of one GPU that has everything. */
static double state_of(const pm_plan *plan, const pm_run *run)
{
  pm_run one;
  pm__step step;
  int32_t stage;
  int precision = pm__precision_is_of_products(run->precision) ? PM_PRECISION_BF16 : run->precision;
  if (pm__step_take_one_gpu(&step, &one, plan, run, precision) != PM_OK) return NAN;
  pm__memory_parts parts = pm__step_fullest_stage(&step, &stage);
  return parts.weights + parts.optimizer;
}

static double failures(double count, double mtbf)
{
  return isnan(mtbf) ? 0 : count / mtbf;
}

static void set_goodput(const pm_run *run, double gpus, pm_prediction *out)
{
  double rate = failures(gpus, run->gpu_mtbf) + failures(run->nodes, run->node_mtbf);
  out->checkpoint_time = isnan(run->checkpoint) ? out->checkpoint_size / run->checkpoint_rate : run->checkpoint;
  out->mtbf = 1 / rate;
  out->checkpoint_interval = run->interval;
  out->goodput = isnan(run->interval) ? 1 : run->interval / (run->interval + out->checkpoint_time);
  if (rate == 0) return;
  pm_goodput g = {.mtbf = out->mtbf, .checkpoint = out->checkpoint_time, .restart = pm__or(run->restart, 0),
                  .interval = run->interval};
  bool known = pm_goodput_evaluate(&g, NULL) == PM_OK;
  out->checkpoint_interval = known ? g.interval : (double)NAN;
  out->goodput = known ? g.goodput : (double)NAN;
}

/* ---- What it takes ---- */

static void set_unknown(pm_prediction *out)
{
  out->training_time = out->training_time_p10 = out->training_time_p90 = out->training_gpu_hours = NAN;
  out->training_energy = out->training_design_energy = out->training_carbon = out->training_energy_cost = NAN;
  out->training_cost = NAN;
  out->mtbf = out->checkpoint_size = out->checkpoint_time = out->checkpoint_interval = out->goodput = NAN;
}

/* Lost work and checkpoints draw as steps do. */
static void set_energy(const pm_run *run, pm_prediction *out)
{
  const double kwh = 3.6e6;
  out->training_energy = out->site_power * out->training_time;
  out->training_design_energy = out->design_power * run->pue * out->training_time;
  out->training_carbon = out->training_energy / kwh * run->carbon;
  out->training_energy_cost = out->training_energy / kwh * run->energy_price;
}

void pm__step_set_training(const pm__step *p, pm_prediction *out)
{
  const pm_run *run = p->s.run;
  double samples = isnan(run->tokens) ? run->samples : run->tokens / p->s.network->tokens;
  set_unknown(out);
  if (isnan(samples)) return;
  out->checkpoint_size = state_of(p->s.plan, run);
  set_goodput(run, p->s.ranks, out);
  out->training_time = ceil(samples / p->s.samples) * out->step_time / out->goodput;
  out->training_time_p10 = out->training_time * out->throughput / out->throughput_p90;
  out->training_time_p90 = out->training_time * out->throughput / out->throughput_p10;
  out->training_gpu_hours = p->s.ranks * out->training_time / HOUR;
  set_energy(run, out);
  out->training_cost = out->training_gpu_hours * run->gpu_hour_price;
}
