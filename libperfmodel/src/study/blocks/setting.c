/* What is predicted, on what, and the run in one line. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/units.h"
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
    snprintf(text + used, size - used, ", %s in all", pm_number_format(sum, s->run.batch * data));
}

/* "fp16, overlap backward" */
static void format_precision(const pm__study_subject *s, char *text, size_t size)
{
  char precision[PM_TEXT_MAX], overlap[PM_TEXT_MAX];
  bool overlaps = s->run.overlap == PM_OVERLAP_BACKWARD;
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

static void fill_call(const pm__study_subject *s, pm_report *r)
{
  char latency[PM__REPORT_WORD], number[PM_NUMBER_MAX], precision[PM_TEXT_MAX], line[LINE];
  const pm_inference_run *run = &s->call;
  pm_number_format(number, run->batch);
  pm__study_field(s, "precision", precision);
  pm__report_add(r, "network and system", "Inference of %s on %s, %s", s->totals.name, s->machine->name,
                 s->profile->name);
  snprintf(line, sizeof line, "%d GPU%s, each a replica", run->gpus, run->gpus != 1 ? "s" : "");
  size_t used = strlen(line);
  if (run->nodes > 1) snprintf(line + used, sizeof line - used, ", on each of %d nodes", run->nodes);
  used = strlen(line);
  if (s->call_count == 1) snprintf(line + used, sizeof line - used, ", batch %s, %s", number, precision);
  used = strlen(line);
  if (!isnan(s->latency))
    snprintf(line + used, sizeof line - used, "; the largest batch within %s",
             pm__report_quantity(latency, s->latency, "s"));
  pm__report_add(r, "run", "%s", line);
  pm__report_summarize(r, "%s on %s, %s: batch %s, %s", s->totals.id, s->machine->id, s->profile->id, number,
                       precision);
}

static void fill_step_memory(const pm__study_subject *s, pm_report *r)
{
  const pm_run *run = &s->run;
  char gpus[2 * PM__REPORT_WORD], number[PM_NUMBER_MAX], precision[PM_TEXT_MAX], optimizer[PM_TEXT_MAX];
  char recompute[PM_TEXT_MAX], degrees[LINE] = "";
  double whole = run->pipeline_parallel > 1 ? 1 : run->batch;
  pm_number_format(number, isnan(run->micro_batch) ? whole : run->micro_batch);
  pm__study_field(s, "precision", precision);
  if (run->tensor_parallel > 1 || run->context_parallel > 1 || run->pipeline_parallel > 1 || run->zero > 0)
    snprintf(degrees, sizeof degrees, "; tensor %d x context %d x pipeline %d x data %g, ZeRO %d", run->tensor_parallel,
             run->context_parallel, run->pipeline_parallel, pm_run_get_data_parallel(run), run->zero);
  pm__report_add(r, "network and GPU", "Memory of %s in training on %s", s->totals.name, s->gpu->name);
  pm__report_add(r, "run", "%s, micro-batch %s, %s, %s%s%s%s", format_gpus(gpus, run->gpus, run->nodes), number,
                 precision, pm__study_field(s, "optimizer", optimizer), degrees,
                 run->recompute != PM_RECOMPUTE_NONE ? "; recomputation " : "",
                 run->recompute != PM_RECOMPUTE_NONE ? pm__study_field(s, "recompute", recompute) : "");
  pm__report_summarize(r, "%s on %s: batch %s, %s, %s", s->totals.id, s->machine->id,
                       pm_number_format(number, run->batch), precision, optimizer);
}

static void fill_call_memory(const pm__study_subject *s, pm_report *r)
{
  char gpus[2 * PM__REPORT_WORD], number[PM_NUMBER_MAX], precision[PM_TEXT_MAX];
  pm_number_format(number, s->call.batch);
  pm__study_field(s, "precision", precision);
  pm__report_add(r, "network and GPU", "Memory of %s in inference on %s", s->totals.name, s->gpu->name);
  pm__report_add(r, "run", "%s, batch %s, %s", format_gpus(gpus, s->call.gpus, s->call.nodes), number, precision);
  pm__report_summarize(r, "%s on %s: batch %s, %s, inference", s->totals.id, s->machine->id, number, precision);
}

const pm__study_block pm__study_block_setting = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call, [PM__STUDY_STEP_MEMORY] = fill_step_memory,
           [PM__STUDY_CALL_MEMORY] = fill_call_memory}};
