/* Inference: a call of the forward pass. Every GPU is a replica. */
#include <math.h>
#include <string.h>
#include "inference/infer.h"
#include "task/formula.h"

static int complete_counts(const pm_system *system, const pm_given *given, void *run, pm_error *error)
{
  return pm__complete_inference_counts(system, given, (pm_inference_run *)run, error);
}

static int32_t class_of(const void *run, bool experts)
{
  (void)run, (void)experts;
  return PM__SOFTWARE_DATA;
}

static int complete(const pm__complete_question *question, int counts, void *run, pm_error *error)
{
  (void)error;
  pm__complete_inference_run(question, (pm_inference_run *)run);
  return counts;
}

static int list_assumptions(const pm__complete_question *question, const void *run, pm_assumption *rows)
{
  return pm__complete_inference_list(question, (const pm_inference_run *)run, rows);
}

static int check(const pm_plan *plan, const void *run, pm_error *error)
{
  return pm__infer_check(plan, (const pm_inference_run *)run, error);
}

static int predict(const pm_plan *plan, unsigned columns, const void *runs, void *answers, size_t count)
{
  (void)columns;
  for (size_t i = 0; i < count; i++)
    pm__infer_predict(plan, (const pm_inference_run *)runs + i, (pm_inference *)answers + i);
  return PM_OK;
}

static int get_memory(const pm_plan *plan, const void *run, pm_memory_use *use, pm_error *error)
{
  return pm__infer_get_memory(plan, (const pm_inference_run *)run, use, error);
}

static pm__task_outcome read(const void *answer)
{
  const pm_inference *p = (const pm_inference *)answer;
  return (pm__task_outcome){.status = p->status, .verdict = p->verdict, .bottleneck = p->bottleneck,
                            .calibration = p->calibration, .time = p->latency, .throughput = p->throughput,
                            .most = p->throughput, .first = NAN, .throughput_p10 = p->throughput_p10,
                            .throughput_p90 = p->throughput_p90, .memory = p->memory, .efficiency = 1,
                            PM__TASK_ENERGY(p)};
}

static int list_parts(const void *answer, pm__task_part parts[PM__TASK_PARTS])
{
  const pm_inference *p = (const pm_inference *)answer;
  const pm__task_part all[] = {{"convolutions", p->convolution_time},
                               {"matrix multiplications", p->product_time - p->convolution_time},
                               {"memory-bound", p->pass_time},
                               {"layout changes", p->conversion_time},
                               {"launch overhead", p->latency - p->gpu_time - p->step_time},
                               {"call overhead", p->step_time}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i].time > 0 || strcmp(all[i].label, "launch overhead") == 0) parts[count++] = all[i];
  return count;
}

static int find_batch(const pm_plan *plan, void *run, double latency, void *answer, pm_error *error)
{
  return pm__infer_find_batch(plan, (pm_inference_run *)run, latency, (pm_inference *)answer, error);
}

static int list_spreads(const pm_plan *plan, const void *run, const char *field,
                        pm__task_spread spreads[PM__TASK_PARTS])
{
  double squares[PM__INFER_SPREADS];
  (void)field;
  if (!pm__infer_find_spreads(plan, (const pm_inference_run *)run, squares)) return 0;
  for (int i = 0; i < PM__INFER_SPREADS; i++) spreads[i] = (pm__task_spread){pm__infer_spread_names[i], squares[i]};
  return PM__INFER_SPREADS;
}

static double count_batches(const void *asked)
{
  const pm_inference_run *run = (const pm_inference_run *)asked;
  return (double)run->gpus * run->nodes;
}

const pm__task pm__task_inference = {
  .facts = {"inference", "call", "inference_run", "inference", "profile_index", "batch", 1},
  .software = PM__TASK_PROFILES,
  .at = PM__TASK_PLACES(pm_inference_run, profile_index),
  .answer_size = sizeof(pm_inference),
  .complete_counts = complete_counts,
  .classes = 1,
  .class_of = class_of,
  .complete = complete,
  .list_assumptions = list_assumptions,
  .check = check,
  .predict = predict,
  .get_memory = get_memory,
  .read = read,
  .time = "latency",
  .whole = "call",
  .activations = "activations",
  .list_parts = list_parts,
  .formulas = pm__task_formulas_of_inference,
  .list_spreads = list_spreads,
  .find_batch = find_batch,
  .count_batches = count_batches,
};
