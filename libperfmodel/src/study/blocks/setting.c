/* What is predicted, on what, and the run in one line. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/units.h"
#include "search/parallel_search.h"
#include "study/blocks/blocks.h"

enum { LINE = 512 };

/* "2 nodes of 8 GPUs" */
static const char *format_gpus(char text[2 * PM__REPORT_WORD], int32_t gpus, int32_t nodes)
{
  char of_node[PM__REPORT_WORD];
  pm__report_count(of_node, gpus, "GPU");
  if (nodes > 1) snprintf(text, 2 * PM__REPORT_WORD, "%d nodes of %s", nodes, of_node);
  else snprintf(text, 2 * PM__REPORT_WORD, "%s", of_node);
  return text;
}

/* "batch 64 per GPU", and of how many data-parallel ranks. */
static void format_batch(const pm__study_subject *s, bool all, char *text, size_t size)
{
  char number[PM_NUMBER_MAX], sum[PM_NUMBER_MAX];
  double ranks = pm__study_gpus(s), data = s->step.data_parallel;
  pm_number_format(number, s->run.batch);
  snprintf(text, size, "batch %s%s%s", number, ranks > 1 ? " per " : "",
           ranks <= 1 ? "" : data > 0 && data < ranks ? "data-parallel rank" : "GPU");
  size_t used = strlen(text);
  if (all && ranks > 1 && data > 0)
    snprintf(text + used, size - used, ", %s in total", pm_number_format(sum, s->run.batch * data));
}

/* "fp16, overlap backward" */
static void format_precision(const pm__study_subject *s, char *text, size_t size)
{
  char precision[PM_TEXT_MAX], overlap[PM_TEXT_MAX];
  bool overlaps = s->run.overlap == PM_OVERLAP_BACKWARD || s->run.overlap == PM_OVERLAP_PASSES;
  snprintf(text, size, "%s%s%s", pm__study_field(s, "precision", precision), overlaps ? ", overlap " : "",
           overlaps ? pm__study_field(s, "overlap", overlap) : "");
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  char gpus[2 * PM__REPORT_WORD], batch[LINE], precision[LINE];
  format_gpus(gpus, s->run.gpus, s->run.nodes);
  format_precision(s, precision, sizeof precision);
  format_batch(s, true, batch, sizeof batch);
  pm__report_add(r, "network and system", "Training %s on %s", s->totals.name, s->machine->name);
  pm__report_add(r, "run", "%s (%s), %s, %s", gpus, s->gpu->name, batch, precision);
  format_batch(s, false, batch, sizeof batch);
  pm__report_summarize(r, "%s on %s: %s, %s, %s", s->totals.id, s->machine->id, gpus, batch, precision);
}

/* "4 GPUs, each a replica, on each of 2 nodes" */
static void format_replicas(const pm__study_subject *s, char *text, size_t size)
{
  char gpus[PM__REPORT_WORD];
  double nodes = pm__study_run_number(s, "nodes");
  pm__report_count(gpus, pm__study_run_number(s, "gpus"), "GPU");
  snprintf(text, size, "%s%s", gpus, s->task->facts.replicas ? ", each a replica" : "");
  size_t used = strlen(text);
  if (nodes > 1) snprintf(text + used, size - used, ", on each of %.0f nodes", nodes);
}

/* " TP 4", where more than one GPU does it. */
static void add_degree(const pm__study_subject *s, const char *field, const char *name, char text[LINE])
{
  size_t used = strlen(text);
  double degree = pm__study_run_number(s, field);
  if (degree > 1) snprintf(text + used, LINE - used, "%s %.0f, ", name, degree);
}

/* "concurrency 16", "4 requests/s", "16 requests at once", "offline" */
static void add_arrivals(const pm__study_subject *s, char text[LINE])
{
  size_t used = strlen(text);
  char number[PM_NUMBER_MAX];
  int32_t arrivals = (int32_t)pm__study_run_number(s, "arrivals");
  double rate = pm__study_run_number(s, "rate"), requests = pm__study_run_number(s, "concurrency");
  pm_number_format(number, arrivals == PM_ARRIVALS_OPEN ? rate : requests);
  if (arrivals == PM_ARRIVALS_OPEN) snprintf(text + used, LINE - used, "%s requests/s", number);
  else if (arrivals == PM_ARRIVALS_STATIC) snprintf(text + used, LINE - used, "static batch of %s", number);
  else if (arrivals == PM_ARRIVALS_OFFLINE) snprintf(text + used, LINE - used, "offline");
  else snprintf(text + used, LINE - used, "concurrency %s", number);
}

/* "batch 8, int8"; of serving "TP 4, concurrency 16, ISL 2048, OSL 256, bf16". */
static const char *format_run(const pm__study_subject *s, char text[LINE])
{
  char number[PM_NUMBER_MAX], output[PM_NUMBER_MAX], precision[PM_TEXT_MAX], weights[PM_TEXT_MAX];
  pm__study_field(s, "precision", precision);
  text[0] = '\0';
  if (!pm__study_serves(s)) {
    snprintf(text, LINE, "batch %s, %s", pm_number_format(number, pm__study_run_number(s, "batch")), precision);
    return text;
  }
  add_degree(s, "tensor_parallel", "TP", text);
  add_degree(s, "pipeline_parallel", "PP", text);
  add_degree(s, "attention_parallel", "attention DP", text);
  add_degree(s, "expert_parallel", "EP", text);
  add_arrivals(s, text);
  size_t used = strlen(text);
  bool stored = pm__study_run_number(s, "weights") != PM_STORED_AS_RUN;
  snprintf(text + used, LINE - used, ", ISL %s, OSL %s, %s%s%s",
           pm_number_format(number, pm__study_run_number(s, "isl")),
           pm_number_format(output, pm__study_run_number(s, "osl")), precision, stored ? ", weights " : "",
           stored ? pm__study_field(s, "weights", weights) : "");
  return text;
}

/* Name, or id, of what runs it. */
static const char *software_of(const pm__study_subject *s, bool id)
{
  const pm_inference_profile *profile = s->software.profile;
  const pm_engine_profile *engine = s->software.engine;
  if (engine != NULL) return id ? engine->engine.id : engine->engine.name;
  return profile == NULL ? "" : id ? profile->id : profile->name;
}

/* One run of any other task, or several. */
static void fill_runs(const pm__study_subject *s, pm_report *r)
{
  char latency[PM__REPORT_WORD], asked[LINE], title[PM_TEXT_MAX], line[2 * LINE];
  format_run(s, asked);
  pm__report_add(r, "network and system", "%s %s on %s, %s", pm__study_title(s, title), s->totals.name,
                 s->machine->name, software_of(s, false));
  format_replicas(s, line, sizeof line);
  size_t used = strlen(line);
  if (s->count == 1) snprintf(line + used, sizeof line - used, ", %s", asked);
  used = strlen(line);
  if (!isnan(s->latency))
    snprintf(line + used, sizeof line - used, "; the largest batch within %s",
             pm__report_quantity(latency, s->latency, "s"));
  pm__report_add(r, "run", "%s", line);
  pm__report_summarize(r, "%s on %s, %s: %s", s->totals.id, s->machine->id, software_of(s, true), asked);
}

static void fill_answers(const pm__study_subject *s, pm_report *r)
{
  if (s->trains) fill_step(s, r);
  else fill_runs(s, r);
}

/* "; tensor 2 x context 1 x pipeline 4 x data 8, ZeRO 1", where a step is distributed. */
static void format_degrees(const pm_run *run, char *text, size_t size)
{
  text[0] = '\0';
  if (run->tensor_parallel > 1 || run->context_parallel > 1 || run->pipeline_parallel > 1 || run->zero > 0)
    snprintf(text, size, "; tensor %d x context %d x pipeline %d x data %g, ZeRO %d", run->tensor_parallel,
             run->context_parallel, run->pipeline_parallel, pm_run_get_data_parallel(run), run->zero);
}

/* What a step says besides: optimizer, degrees, recomputation. */
static void format_training(const pm__study_subject *s, char *text, size_t size)
{
  char optimizer[PM_TEXT_MAX], recompute[PM_TEXT_MAX], degrees[LINE];
  bool again = s->run.recompute != PM_RECOMPUTE_NONE;
  format_degrees(&s->run, degrees, sizeof degrees);
  snprintf(text, size, ", %s%s%s%s", pm__study_field(s, "optimizer", optimizer), degrees,
           again ? "; recomputation " : "", again ? pm__study_field(s, "recompute", recompute) : "");
}

static void fill_memory(const pm__study_subject *s, pm_report *r)
{
  char gpus[2 * PM__REPORT_WORD], number[PM_NUMBER_MAX], precision[PM_TEXT_MAX], rest[2 * LINE] = "";
  double batch = pm__study_run_number(s, "batch"), micro = pm__study_run_number(s, "micro_batch");
  const char *task = s->task->facts.name;
  if (s->trains) format_training(s, rest, sizeof rest);
  format_gpus(gpus, (int32_t)pm__study_run_number(s, "gpus"), (int32_t)pm__study_run_number(s, "nodes"));
  pm_number_format(number, !isnan(micro) ? micro : s->trains && s->run.pipeline_parallel > 1 ? 1 : batch);
  pm__study_field(s, "precision", precision);
  pm__report_add(r, "network and GPU", "Memory of %s in %s on %s", s->totals.name, task, s->gpu->name);
  if (pm__study_serves(s)) {
    format_run(s, rest);
    pm__report_add(r, "run", "%s, %s", gpus, rest);
    pm__report_summarize(r, "%s on %s: %s", s->totals.id, s->machine->id, rest);
    return;
  }
  pm__report_add(r, "run", "%s, %s %s, %s%s", gpus, s->trains ? "micro-batch" : "batch", number, precision, rest);
  pm__study_field(s, s->trains ? "optimizer" : "precision", rest);
  pm__report_summarize(r, "%s on %s: batch %s, %s, %s", s->totals.id, s->machine->id, pm_number_format(number, batch),
                       precision, s->trains ? rest : task);
}

/* ---- Of what many runs have answered ---- */

static void fill_sensitivities(const pm__study_subject *s, pm_report *r)
{
  char asked[LINE], title[LINE + PM_TEXT_MAX];
  const pm_sensitivity *rows = (const pm_sensitivity *)s->asked->answers;
  if (pm__study_serves(s)) {
    pm__report_add(r, "run", "Tokens of %s on %s, %s, one parameter at a time %+.3g %%", s->totals.name,
                   s->machine->name, software_of(s, false), 100 * rows[0].by);
    format_replicas(s, title, sizeof title);
    pm__report_add(r, "requests", "%s, %s", title, format_run(s, asked));
    return;
  }
  pm__report_add(r, "run", "Time of a %s of %s on %s, one parameter at a time %+.3g %%", s->task->facts.unit,
                 s->totals.name, s->machine->name, 100 * rows[0].by);
}

static void fill_upgrades(const pm__study_subject *s, pm_report *r)
{
  char title[PM_TEXT_MAX];
  pm__report_add(r, "run", "%s %s on %s: what each upgrade gains", pm__study_title(s, title), s->totals.name,
                 s->machine->name);
}

/* "Training ResNet-50: 90 epochs of ImageNet within 6 h, with the least cost" */
static void fill_sizes(const pm__study_subject *s, pm_report *r)
{
  char title[PM_TEXT_MAX], aim[LINE], time[PM__REPORT_WORD], number[PM_NUMBER_MAX];
  const pm_size_goal *goal = (const pm_size_goal *)s->asked->goal;
  const char *dataset = s->asked->dataset, *least = pm__study_choice("size_goal", "minimize", goal->minimize)->name;
  if (isnan(goal->rate) && isnan(goal->within)) snprintf(aim, sizeof aim, " on what the power budget supplies");
  else if (!isnan(goal->rate)) snprintf(aim, sizeof aim, " at %s samples/s or more",
                                          pm__report_quantity(time, goal->rate, "1"));
  else
    snprintf(aim, sizeof aim, ": %s epochs%s%s within %s", pm_number_format(number, goal->epochs),
             dataset != NULL ? " of " : "", dataset != NULL ? dataset : "",
             pm__report_quantity(time, goal->within, "s"));
  size_t used = strlen(aim);
  if (!isnan(goal->latency))
    snprintf(aim + used, sizeof aim - used, ", calls within %s", pm__report_quantity(time, goal->latency, "s"));
  bool fastest = isnan(goal->rate) && isnan(goal->within) && goal->minimize == PM_MINIMIZE_NODES;
  pm__report_add(r, "target", "%s %s%s, %s%s", pm__study_title(s, title), s->totals.name, aim,
                 fastest                                    ? "the fastest first"
                 : goal->minimize == PM_MINIMIZE_NODES ? "with the fewest "
                                                       : "with the least ",
                 fastest ? "" : least);
  pm__report_summarize(r, "%s%s", s->totals.id, aim);
}

static void fill_search(const pm__study_subject *s, pm_report *r)
{
  char batch[PM_NUMBER_MAX], text[LINE], least[LINE];
  const pm_search_result *result = s->asked->search;
  snprintf(least, sizeof least, "those with the least %s first",
           pm__study_choice("size_goal", "minimize", result->minimize)->name);
  snprintf(text, sizeof text, "lobal batch %s: %zu plans, of which %zu fit into memory, tight ones within 8 %% of it",
           pm_number_format(batch, result->search->global_batch), pm_search_result_count(result, 0),
           pm_search_result_count(result, 1));
  pm__report_add(r, "plans", "G%s; %s", text,
                 s->asked->view == PM_SEARCH_VIEW_FASTEST ? "the fastest of them"
                 : result->minimize == PM_MINIMIZE_NODES  ? "ranked by the lower end of their rate's interval" : least);
  pm__report_summarize(r, "%s: g%s", s->totals.id, text);
}

/* "Serving Llama 3.3 70B: 50 requests/s, ISL 2048, OSL 256" */
static void fill_served(const pm__study_subject *s, pm_report *r)
{
  char rate[PM_NUMBER_MAX], isl[PM_NUMBER_MAX], osl[PM_NUMBER_MAX], text[LINE];
  double wanted = pm__study_run_number(s, "rate");
  const char *most = isnan(pm__study_run_number(s, "power_budget")) ? "as many requests as a replica answers"
                                                                    : "as many requests as the power budget supplies";
  snprintf(text, sizeof text, "%s%s, ISL %s, OSL %s", isnan(wanted) ? most : pm_number_format(rate, wanted),
           isnan(wanted) ? "" : " requests/s", pm_number_format(isl, pm__study_run_number(s, "isl")),
           pm_number_format(osl, pm__study_run_number(s, "osl")));
  pm__report_add(r, "requests", "Serving %s: %s", s->totals.name, text);
  pm__report_summarize(r, "%s: %s", s->totals.id, text);
}

static void fill_comparison(const pm__study_subject *s, pm_report *r)
{
  char title[PM_TEXT_MAX];
  pm__report_add(r, "run", "%s %s: one run against another", pm__study_title(s, title), s->totals.name);
}

static void fill_input(const pm__study_subject *s, pm_report *r)
{
  char nodes[PM__REPORT_WORD];
  const pm_input_setup *path = s->asked->input;
  pm__report_count(nodes, s->asked->input_run->nodes, "node");
  pm__report_add(r, "data set and system", "Input of %s to %s", path->dataset.name, path->machine.name);
  pm__report_add(r, "path", "From %s, %s, %s", path->storage.name, nodes, path->loader.name);
  pm__report_summarize(r, "%s from %s to %s", path->dataset.id, path->storage.id, path->machine.id);
}

const pm__study_block pm__study_block_setting = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill_answers, [PM_REPORT_OF_MEMORY] = fill_memory,
           [PM_REPORT_OF_SENSITIVITIES] = fill_sensitivities, [PM_REPORT_OF_UPGRADES] = fill_upgrades,
           [PM_REPORT_OF_SIZES] = fill_sizes, [PM_REPORT_OF_SEARCH] = fill_search,
           [PM_REPORT_OF_INPUT] = fill_input, [PM_REPORT_OF_SERVING] = fill_served,
           [PM_REPORT_OF_COMPARISON] = fill_comparison, [PM_REPORT_OF_FIELD] = fill_answers}};
