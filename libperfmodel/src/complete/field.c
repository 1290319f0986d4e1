/* Whether a field of a run has an effect. */
#include <math.h>
#include <string.h>
#include "network/network.h"
#include "perfmodel/run.h"
#include "record/sized.h"

typedef enum need {
#define NEED(name, text, doc) NEED_##name,
  PM_RUN_NEED_LIST(NEED)
#undef NEED
  NEED_COUNT
} need;

static const char *const names[] = {
#define NAME(name, text, doc) text,
  PM_RUN_NEED_LIST(NAME)
#undef NAME
};

static const char *const docs[] = {
#define DOC(name, text, doc) doc,
  PM_RUN_NEED_LIST(DOC)
#undef DOC
};

static need need_of(const pm_field *field)
{
  int i = 0;
  while (i < NEED_COUNT && (field->needs == NULL || strcmp(field->needs, names[i]) != 0)) i++;
  return (need)i;
}

/* Kinds of parallelism with more than one rank. */
static int count_axes(const pm_run *run)
{
  return (run->tensor_parallel != 1) + (run->context_parallel != 1) + (run->pipeline_parallel != 1) +
         (pm_run_get_data_parallel(run) != 1);
}

static bool trains(const pm_run *run)
{
  return !isnan(run->tokens) || !isnan(run->samples);
}

static bool fails(const pm_run *run)
{
  return trains(run) && (!isnan(run->gpu_mtbf) || !isnan(run->node_mtbf));
}

/* Several micro-batches: stages of a pipeline have those of one sample where none are given. */
static bool accumulates(const pm_run *run)
{
  double least = run->pipeline_parallel > 1 ? 1 : run->batch;
  return run->gradient_accumulation_steps > 1 || (isnan(run->micro_batch) ? least : run->micro_batch) < run->batch;
}

static bool has(const pm_network *network, const pm_framework *framework, const pm_run *run, need what)
{
  switch (what) {
  case NEED_GPUS: return (double)run->gpus * run->nodes > 1;
  case NEED_INPUT: return isfinite(run->input_rate);
  case NEED_TENSOR: return run->tensor_parallel != 1;
  case NEED_PIPELINE: return run->pipeline_parallel != 1;
  case NEED_CONTEXT: return run->context_parallel != 1;
  case NEED_EXPERTS: return pm__network_get_traits(network).experts;
  case NEED_EXPERT: return run->expert_parallel != 1 && pm__network_get_traits(network).experts;
  case NEED_BESIDE: return has(network, framework, run, NEED_EXPERT) && accumulates(run);
  case NEED_SHARDS: return (double)run->gpus * run->nodes > 1 || run->offload != PM_OFFLOAD_NONE;
  case NEED_ZERO: return run->zero != 0;
  case NEED_RECOMPUTE: return run->recompute != PM_RECOMPUTE_NONE;
  case NEED_LINEAR: return pm_precision_get_bytes(run->precision) < 2;
  case NEED_LORA: return run->lora_rank > 0;
  case NEED_AXES: return count_axes(run) > 1;
  case NEED_BAGS: return (double)run->gpus * run->nodes > 1 && pm__network_get_traits(network).bags;
  case NEED_HOST: return run->framework_index >= 0;
  case NEED_FUSION: return framework != NULL && framework->fuses_accumulation == 1;
  case NEED_GOAL: return trains(run);
  case NEED_FAILURES: return fails(run);
  case NEED_CHECKPOINTS: return fails(run) || (trains(run) && !isnan(run->interval));
  default: return true;
  }
}

int pm_run_check_field_sized(const pm_network *network, const pm_framework *framework, const pm_run *run, size_t size,
                             const pm_field *field, pm_error *error)
{
  pm_run own;
  if (network == NULL || run == NULL || field == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the check of a field needs a network, a run and a field");
  int status = pm__record_size_check("run", size, error);
  if (status != PM_OK) return status;
  own = *(const pm_run *)pm__record_read(&(pm__record_array){"run", run, size}, 0, &own);
  need what = need_of(field);
  if (has(network, framework, &own, what)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "has no effect without %s", docs[what]);
}
