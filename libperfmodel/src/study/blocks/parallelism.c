/* How the network is distributed over GPUs, and what each kind of parallelism exchanges. */
#include <stdio.h>
#include "software/defaults.h"
#include "study/blocks/blocks.h"

static void add_exchange(pm_report *r, const char *label, double time, double step)
{
  if (time > 0) pm__report_add_part(r, label, time, "s", step);
}

/* What is on the host, and at which rates that was taken; nothing of it is measured. */
static void add_offload(const pm__study_subject *s, pm_report *r)
{
  const pm_offloading *o = pm_offloading_get(s->run.offload);
  const char *what = o->weights ? "optimizer, gradients and weights"
                                : o->gradients ? "optimizer and gradients" : "optimizer";
  char text[PM__REPORT_WORD];
  if (s->run.offload == PM_OFFLOAD_NONE) return;
  pm__report_add(r, "on the host", "%s", what);
  pm__report_note(r, "; its memory at the %s of data sheets",
                  pm__report_quantity(text, s->machine->host_memory_bandwidth, "B/s"));
}

static void add_degrees(const pm__study_subject *s, int32_t data, pm_report *r)
{
  const pm_run *run = &s->run;
  char experts[PM__REPORT_WORD] = "", zero[PM__REPORT_WORD] = "";
  int32_t shards = pm__software_expert_tensor(s->software.framework, run->tensor_parallel, run->expert_tensor_parallel);
  if (run->expert_parallel > 1 && shards == 1)
    snprintf(experts, sizeof experts, ", experts over %d", run->expert_parallel);
  else if (run->expert_parallel > 1)
    snprintf(experts, sizeof experts, ", experts over %d, each sharded over %d", run->expert_parallel, shards);
  if (run->zero > 0) snprintf(zero, sizeof zero, ", ZeRO %d", run->zero);
  pm__report_add(r, "GPUs", "tensor %d x context %d x pipeline %d x data %d%s%s", run->tensor_parallel,
                 run->context_parallel, run->pipeline_parallel, data, experts, zero);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_run *run = &s->run;
  const pm_prediction *p = &s->step;
  double degree =
    (double)run->tensor_parallel * run->pipeline_parallel * run->context_parallel * run->expert_parallel;
  bool plain = degree == 1 && run->zero == 0 && run->offload == PM_OFFLOAD_NONE &&
               p->embedding_communication_time == 0;
  if (!s->trains || p->status != PM_OK || plain) return;
  add_degrees(s, p->data_parallel, r);
  pm__report_add(r, "micro-batches", "%.0f of %.0f on each data-parallel rank", p->micro_batches,
                 run->batch * run->gradient_accumulation_steps / p->micro_batches);
  add_exchange(r, "tensor exchanges", p->tensor_communication_time, p->step_time);
  add_exchange(r, "context exchanges", p->context_communication_time, p->step_time);
  add_exchange(r, "expert exchanges", p->expert_communication_time, p->step_time);
  add_exchange(r, "embedding exchanges", p->embedding_communication_time, p->step_time);
  add_exchange(r, "pipeline exchanges", p->pipeline_communication_time, p->step_time);
  add_exchange(r, "data exchanges", p->data_communication_time, p->step_time);
  add_offload(s, r);
  if (p->pipeline_stages >= 2)
    pm__report_add(r, "stages", "stage %d of %d takes longest, stage %d needs most memory", p->slowest_stage,
                   p->pipeline_stages, p->fullest_stage);
}

const pm__study_block pm__study_block_parallelism = {
  .title = "Parallelism", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
