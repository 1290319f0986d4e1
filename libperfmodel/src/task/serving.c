/* Serving: requests to a language model. */
#include <string.h>
#include "hardware/spread.h"
#include "perfmodel/predict.h"
#include "serving/serve.h"
#include "task/formula.h"

static int complete_counts(const pm_system *system, const pm_given *given, void *run, pm_error *error)
{
  return pm__complete_serving_counts(system, given, (pm_serving_run *)run, error);
}

static int32_t class_of(const void *run, bool experts)
{
  (void)run, (void)experts;
  return PM__SOFTWARE_DATA;
}

static int complete(const pm__complete_question *question, int counts, void *run, pm_error *error)
{
  (void)error;
  pm__complete_serving_run(question, (pm_serving_run *)run);
  return counts;
}

static int list_assumptions(const pm__complete_question *question, const void *run, pm_assumption *rows)
{
  return pm__complete_serving_list(question, (const pm_serving_run *)run, rows);
}

static int check(const pm_plan *plan, const void *run, pm_error *error)
{
  return pm__serve_check(plan, (const pm_serving_run *)run, error);
}

static int predict(const pm_plan *plan, unsigned columns, const void *runs, void *answers, size_t count)
{
  (void)columns;
  pm__serving_memos memos;
  pm__serving_memos_clear(&memos);
  for (size_t i = 0; i < count; i++)
    pm__serve_predict(plan, (const pm_serving_run *)runs + i, &memos, (pm_serving *)answers + i);
  return PM_OK;
}

static int get_memory(const pm_plan *plan, const void *run, pm_memory_use *use, pm_error *error)
{
  return pm__serve_get_memory(plan, (const pm_serving_run *)run, use, error);
}

/* What limits it, in the words of all tasks. */
static int32_t bottleneck_of(int32_t limit)
{
  static const int32_t words[PM_SERVING_LIMIT_COUNT] = {
    [PM_SERVING_LIMIT_COMPUTE] = PM_BOTTLENECK_COMPUTE,
    [PM_SERVING_LIMIT_MEMORY_BANDWIDTH] = PM_BOTTLENECK_MEMORY_BANDWIDTH,
    [PM_SERVING_LIMIT_LATENCY] = PM_BOTTLENECK_LAUNCH_OVERHEAD,
    [PM_SERVING_LIMIT_NETWORK] = PM_BOTTLENECK_COMMUNICATION,
    [PM_SERVING_LIMIT_HOST] = PM_BOTTLENECK_LAUNCH_OVERHEAD,
    [PM_SERVING_LIMIT_CACHE] = PM_BOTTLENECK_MEMORY_CAPACITY,
    [PM_SERVING_LIMIT_SEQUENCES] = PM_BOTTLENECK_MEMORY_CAPACITY};
  return words[limit];
}

/* Of a sensitivity the time of a token counts; an offline run has its rate alone. */
static pm__task_outcome read(const void *answer)
{
  const pm_serving *p = (const pm_serving *)answer;
  double factor = p->output_rate_p90 / p->output_rate;
  return (pm__task_outcome){.status = p->status, .verdict = p->verdict,
                            .bottleneck = bottleneck_of(p->bottleneck), .calibration = p->calibration,
                            .time = p->tpot, .throughput = p->request_rate, .most = p->largest_rate, .first = p->ttft,
                            .throughput_p10 = p->request_rate / factor, .throughput_p90 = p->request_rate * factor,
                            .memory = p->memory, .efficiency = 1, PM__TASK_ENERGY(p)};
}

/* Of a pass of decoding. */
static int list_parts(const void *answer, pm__task_part parts[PM__TASK_PARTS])
{
  const pm_serving *p = (const pm_serving *)answer;
  const pm__task_part all[] = {{"linear layers", p->product_time}, {"attention", p->attention_time},
                               {"experts", p->expert_time}, {"norms and activations", p->pass_time},
                               {"communication", p->communication_time}, {"engine", p->host_time}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i].time > 0) parts[count++] = all[i];
  return count;
}

static int find_batch(const pm_plan *plan, void *run, double time, void *answer, pm_error *error)
{
  return pm__serve_find_concurrency(plan, (pm_serving_run *)run, time, (pm_serving *)answer, error);
}

/* One spread of every pass, and one of the first token. */
static int list_spreads(const pm_plan *plan, const void *run, const char *field,
                        pm__task_spread spreads[PM__TASK_PARTS])
{
  pm_serving out;
  predict(plan, 0, run, &out, 1);
  bool first = strcmp(field, "ttft") == 0;
  double factor = first ? out.ttft_p90 / out.ttft : out.output_rate_p90 / out.output_rate;
  spreads[0] = (pm__task_spread){first ? "first tokens of this engine" : "passes of this engine",
                                 pm__interval_variance(factor)};
  return factor > 1 ? 1 : 0;
}

static double count_batches(const void *asked)
{
  (void)asked;
  return 1;
}

const pm__task pm__task_serving = {
  .facts = {"serving", "request", "serving_run", "serving", "engine_index", "concurrency", 0},
  .software = PM__TASK_ENGINES,
  .at = {sizeof(pm_serving_run), offsetof(pm_serving_run, network_index), offsetof(pm_serving_run, system_index),
         offsetof(pm_serving_run, engine_index), offsetof(pm_serving_run, gpus), offsetof(pm_serving_run, nodes),
         offsetof(pm_serving_run, precision), offsetof(pm_serving_run, concurrency)},
  .answer_size = sizeof(pm_serving),
  .complete_counts = complete_counts,
  .classes = 1,
  .class_of = class_of,
  .complete = complete,
  .list_assumptions = list_assumptions,
  .check = check,
  .predict = predict,
  .get_memory = get_memory,
  .read = read,
  .time = "time per output token",
  .whole = "pass of decoding",
  .activations = "activations",
  .list_parts = list_parts,
  .formulas = pm__task_formulas_of_serving,
  .list_spreads = list_spreads,
  .find_batch = find_batch,
  .count_batches = count_batches,
};
