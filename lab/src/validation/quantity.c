/* The table of quantities, and the memory of one GPU of a stage from which some of them come. */
#include "validation/quantity.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double device_total(const pm__lab_memory *memory)
{
  return memory->total;
}

static double reserved(const pm__lab_memory *memory)
{
  return memory->total - memory->context;
}

static double allocator_peak(const pm__lab_memory *memory)
{
  return memory->total - memory->context - memory->allocator;
}

static double static_memory(const pm__lab_memory *memory)
{
  return memory->kept;
}

static const pm__lab_quantity quantities[] = {
  {"throughput", "1/s", "samples/s", 1, 1, NULL, "samples per second, all GPUs together"},
  {"step_time", "s", "ms", 1e3, 1, NULL, "time of a step of training"},
  {"latency", "s", "ms", 1e3, 1, NULL, "time of a call of inference"},
  {"allocator_peak", "B", "GB", 1, 1e9, allocator_peak, "most that tensors take: torch.cuda.max_memory_allocated"},
  {"reserved", "B", "GB", 1, 1e9, reserved, "most that the allocator holds: torch.cuda.max_memory_reserved"},
  {"device_total", "B", "GB", 1, 1e9, device_total, "what nvidia-smi and cudaMemGetInfo see, with the CUDA context"},
  {"static_memory", "B", "GB", 1, 1e9, static_memory, "what tensors take between steps"},
};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

const pm__lab_quantity *pm__lab_quantity_find(const char *name, pm_error *error)
{
  char known[200] = "";
  for (size_t i = 0; i < QUANTITIES; i++) {
    if (strcmp(quantities[i].name, name) == 0) return &quantities[i];
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", quantities[i].name);
  }
  pm__fail(error, PM_STATUS_NOT_FOUND, "unknown quantity \"%.60s\"; it must be one of %s", name, known);
  return NULL;
}

int pm__lab_rank_read(const char *text, int *rank, pm_error *error)
{
  const char *end = "";
  bool fullest = text[0] == '\0' || strcmp(text, "fullest") == 0, last = strcmp(text, "last") == 0;
  bool named = fullest || last || strcmp(text, "first") == 0;
  int number = named ? 0 : pm__whole_at(text, 9999, &end);
  *rank = fullest ? PM__RANK_FULLEST : last ? PM__RANK_LAST : number;
  if (number >= 0 && *end == '\0') return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "rank \"%.40s\" is not first, last, fullest or the number of a stage",
                  text);
}

void pm__lab_rank_format(int rank, char *text, size_t size)
{
  if (rank == PM__RANK_FULLEST || rank == PM__RANK_LAST || rank == 0)
    snprintf(text, size, "%s", rank == 0 ? "first" : rank == PM__RANK_LAST ? "last" : "fullest");
  else snprintf(text, size, "stage %d", rank);
}

/* ---- Memory ---- */

static const pm_stage *stage_of(const pm_stage *stages, int count, int rank)
{
  const pm_stage *fullest = stages;
  if (rank == PM__RANK_LAST) return &stages[count - 1];
  if (rank >= 0) return rank < count ? &stages[rank] : NULL;
  for (int i = 1; i < count; i++)
    if (stages[i].memory > fullest->memory) fullest = &stages[i];
  return fullest;
}

int pm__lab_memory_of(const pm_plan *plan, const pm_run *run, int rank, pm__lab_memory *memory, pm_error *error)
{
  size_t room = run->pipeline_parallel > 0 ? (size_t)run->pipeline_parallel : 1;
  pm_stage *stages = (pm_stage *)calloc(room, sizeof *stages);
  if (stages == NULL) return pm__no_memory(error);
  int count = pm_prediction_get_stages(plan, run, stages, room, error);
  const pm_stage *stage = count > 0 ? stage_of(stages, count, rank) : NULL;
  if (stage != NULL)
    *memory = (pm__lab_memory){stage->memory, stage->context, stage->allocator,
                               stage->weights + stage->gradients + stage->optimizer + stage->workspace};
  free(stages);
  if (stage != NULL) return PM_OK;
  if (count > 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "rank %d of a run that has %d stages", rank, count);
  return PM_STATUS_NOT_FOUND;
}

int pm__lab_memory_of_call(const pm_plan *plan, const pm_inference_run *run, pm__lab_memory *memory, pm_error *error)
{
  pm_memory_use use;
  int status = pm_inference_get_memory(plan, run, &use, error);
  if (status == PM_OK)
    *memory = (pm__lab_memory){use.total, use.context, use.allocator,
                               use.weights + use.gradients + use.optimizer + use.workspace};
  return status;
}
