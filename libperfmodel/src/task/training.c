/* Training: a step of forward, backward and update. */
#include <math.h>
#include "software/class.h"
#include "step/step.h"
#include "task/formula.h"

static int complete_counts(const pm_system *system, const pm_given *given, void *run, pm_error *error)
{
  return pm__complete_counts(system, given, (pm_run *)run, error);
}

static int32_t class_of(const void *run, bool experts)
{
  return (int32_t)pm__software_class_of((const pm_run *)run, experts);
}

static int complete(const pm__complete_question *question, int counts, void *run, pm_error *error)
{
  return counts == PM_OK ? pm__complete_run(question, (pm_run *)run, error) : counts;
}

static int list_assumptions(const pm__complete_question *question, const void *run, pm_assumption *rows)
{
  return pm__complete_list(question, (const pm_run *)run, rows);
}

static int check(const pm_plan *plan, const void *run, pm_error *error)
{
  return pm__step_check(plan, (const pm_run *)run, error);
}

static int predict(const pm_plan *plan, unsigned columns, const void *runs, void *answers, size_t count)
{
  pm__step_predict(plan, columns, (const pm_run *)runs, (pm_prediction *)answers, count);
  return PM_OK;
}

static int get_memory(const pm_plan *plan, const void *run, pm_memory_use *use, pm_error *error)
{
  return pm__step_get_memory(plan, (const pm_run *)run, use, error);
}

static pm__task_outcome read(const void *answer)
{
  const pm_prediction *p = (const pm_prediction *)answer;
  return (pm__task_outcome){.status = p->status, .verdict = p->verdict, .bottleneck = p->bottleneck,
                            .calibration = p->calibration, .time = p->step_time, .throughput = p->throughput,
                            .most = p->throughput, .first = NAN, .throughput_p10 = p->throughput_p10,
                            .throughput_p90 = p->throughput_p90, .memory = p->memory,
                            .efficiency = p->scaling_efficiency,
                            PM__TASK_ENERGY(p)};
}

/* Parts that a run always has, and those of what it may do besides. */
static int list_parts(const void *answer, pm__task_part parts[PM__TASK_PARTS])
{
  const pm_prediction *p = (const pm_prediction *)answer;
  const struct {
    pm__task_part part;
    bool shown;
  } all[] = {{{"forward", p->forward_time}, true},
             {{"dgrad", p->dgrad_time}, true},
             {{"wgrad", p->wgrad_time}, true},
             {{"recomputation", p->recompute_time}, p->recompute_time > 0},
             {{"update", p->update_time}, true},
             {{"launch overhead", p->launch_overhead_time}, p->launch_time > 0},
             {{"communication", p->exposed_communication_time}, !isnan(p->bus_bandwidth)},
             {{"pipeline bubble", p->bubble_time}, p->bubble_time > 0},
             {{"offloading", p->offload_time}, p->offload_time > 0},
             {{"straggler wait", p->straggler_wait_time}, p->straggler_wait_time > 0},
             {{"input wait", p->input_wait_time}, p->input_wait_time > 0}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i].shown) parts[count++] = all[i].part;
  return count;
}

static int list_spreads(const pm_plan *plan, const void *run, const char *field,
                        pm__task_spread spreads[PM__TASK_PARTS])
{
  double squares[PM__STEP_SPREADS];
  (void)field;
  if (!pm__step_find_spreads(plan, (const pm_run *)run, squares)) return 0;
  for (int i = 0; i < PM__STEP_SPREADS; i++) spreads[i] = (pm__task_spread){pm__step_spread_names[i], squares[i]};
  return PM__STEP_SPREADS;
}

static double count_batches(const void *asked)
{
  const pm_run *run = (const pm_run *)asked;
  double accumulation = run->gradient_accumulation_steps > 1 ? run->gradient_accumulation_steps : 1;
  return pm_run_get_data_parallel(run) * accumulation;
}

static void set_input(void *asked, double epoch_samples, bool limited, double rate, bool no_prefetch)
{
  pm_run *run = (pm_run *)asked;
  run->epoch_samples = epoch_samples;
  if (!limited) return;
  run->input_rate = rate;
  run->no_prefetch = no_prefetch;
}

const pm__task pm__task_training = {
  .facts = {"training", "step", "run", "prediction", "framework_index", "batch", 0},
  .software = PM__TASK_FRAMEWORKS,
  .at = PM__TASK_PLACES(pm_run, framework_index),
  .answer_size = sizeof(pm_prediction),
  .complete_counts = complete_counts,
  .classes = PM__SOFTWARE_CLASSES,
  .class_of = class_of,
  .complete = complete,
  .list_assumptions = list_assumptions,
  .check = check,
  .predict = predict,
  .get_memory = get_memory,
  .read = read,
  .time = "step time",
  .whole = "step",
  .activations = "saved activations",
  .list_parts = list_parts,
  .formulas = pm__task_formulas_of_training,
  .list_spreads = list_spreads,
  .count_batches = count_batches,
  .set_input = set_input,
};
