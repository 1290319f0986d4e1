/* What a search has found, as tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/base.h"
#include "search/parallel_search.h"

/* ---- A plan in a few words ---- */

static void add_word(char *text, size_t size, size_t *length, const char *word, int32_t value)
{
  if (value <= 1 || *length >= size) return;
  *length += (size_t)snprintf(text + *length, size - *length, "%s%d ", word, value);
}

static void add_choice(char *text, size_t size, size_t *length, const char *field, const pm_run *run)
{
  char word[PM_TEXT_MAX];
  const pm_field *of = pm_record_find_field(pm_record_type_find("run"), field);
  if (pm_record_get_number(of, run) == 0 || *length >= size) return; /* the usual */
  *length += (size_t)snprintf(text + *length, size - *length, "%s ", pm_record_format(of, run, word));
}

void pm__search_plan_text(const pm_run *run, char *text, size_t size)
{
  size_t length = 0;
  add_word(text, size, &length, "tp", run->tensor_parallel);
  if (run->sequence_parallel) length += (size_t)snprintf(text + length, size - length, "sp ");
  add_word(text, size, &length, "cp", run->context_parallel);
  add_word(text, size, &length, "pp", run->pipeline_parallel);
  add_word(text, size, &length, "vp", run->virtual_pipeline);
  if (run->pipeline_schedule != PM_PIPELINE_SCHEDULE_INTERLEAVED)
    add_choice(text, size, &length, "pipeline_schedule", run);
  add_word(text, size, &length, "ep", run->expert_parallel);
  length += (size_t)snprintf(text + length, size - length, "dp%.0f zero%d mb%.0f ", pm_run_get_data_parallel(run),
                             run->zero,
                             pm__or(run->micro_batch, run->batch));
  add_choice(text, size, &length, "recompute", run);
  if (run->offload != PM_OFFLOAD_NONE) length += (size_t)snprintf(text + length, size - length, "offload-");
  add_choice(text, size, &length, "offload", run);
  text[length - 1] = '\0';
}

/* ---- Plans ---- */

/* The column of what is least. */
static const char *least_column(int32_t minimize)
{
  return minimize == PM_MINIMIZE_ENERGY        ? "site_energy_per_sample"
         : minimize == PM_MINIMIZE_CARBON      ? "carbon_per_sample"
         : minimize == PM_MINIMIZE_ENERGY_COST ? "energy_cost_per_sample"
                                               : NULL;
}

/* People are told the plan in a few words, not field by field. */
static void show_plans(pm_table *table, int32_t minimize)
{
  static const char *const spared[] = {"batch", "tensor_parallel", "sequence_parallel", "context_parallel",
                                       "pipeline_parallel",
                                       "virtual_pipeline", "pipeline_schedule", "expert_parallel", "micro_batch",
                                         "zero",
                                       "recompute", "offload", "throughput", "bottleneck", "scaling_efficiency",
                                       "training_gpu_hours", "training_energy"};
  static const char *const shown[] = {"memory", "throughput_p10", "throughput_p90", "calibration", "verdict"};
  for (size_t i = 0; i < sizeof spared / sizeof spared[0]; i++) pm_table_set_show(table, spared[i], 0);
  pm_table_set_show(table, "plan", PM_SHOW_MAIN | PM_SHOW_GIVEN);
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) pm_table_set_show(table, shown[i], PM_SHOW_MAIN);
  if (least_column(minimize) != NULL) pm_table_set_show(table, least_column(minimize), PM_SHOW_MAIN);
}

static int add_words(pm_table *table, const pm_run *runs, size_t count, pm_error *error)
{
  char (*words)[PM_TEXT_MAX] = (char (*)[PM_TEXT_MAX])malloc((count + 1) * sizeof *words);
  const char **texts = (const char **)malloc((count + 1) * sizeof *texts);
  int status = PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < count && words != NULL && texts != NULL; i++) {
    pm__search_plan_text(&runs[i], words[i], sizeof words[i]);
    texts[i] = words[i];
  }
  if (words == NULL || texts == NULL) pm__no_memory(error);
  else status = pm_table_add_text(table, "plan", "how the network is split, in a few words", texts, error);
  free(words);
  free(texts);
  return status;
}

static pm_table *table_of(const pm_search_result *result, const pm_run *runs, size_t count, pm_error *error)
{
  const pm_plan *plan = result->search->plan;
  pm_prediction *predictions = (pm_prediction *)malloc((count + 1) * sizeof *predictions);
  if (predictions == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  pm_predict(plan, runs, predictions, count);
  const pm_sweep sweep = {.task = PM_TASK_TRAINING, .runs = runs, .run_size = sizeof *runs, .answers = predictions,
                          .answer_size = sizeof *predictions, .count = count};
  pm_table *table = pm_sweep_tabulate(plan, &sweep, error);
  free(predictions);
  if (table != NULL && add_words(table, runs, count, error) == PM_OK) {
    show_plans(table, result->minimize);
    return table;
  }
  pm_table_free(table);
  return NULL;
}

static pm_table *table_of_kept(const pm_search_result *result, const pm__search_kept *kept, pm_error *error)
{
  pm_run *runs = (pm_run *)malloc((kept->count + 1) * sizeof *runs);
  if (runs == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < kept->count; i++) runs[i] = pm__search_run_of(result->search, kept->plan[i].number);
  pm_table *table = table_of(result, runs, kept->count, error);
  free(runs);
  return table;
}

pm_table *pm__search_result_tabulate(const pm_search_result *result, pm_search_view view, pm_error *error)
{
  return table_of_kept(result, pm__search_kept_of(result, view), error);
}
