/* The parts that add up to a call of inference. */
#include "study/blocks/blocks.h"

static void add_some(pm_report *r, const char *label, double time, double call)
{
  if (time > 0) pm__report_add_part(r, label, time, "s", call);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_inference *p = &s->inference;
  if (s->call_count != 1 || p->status != PM_OK) return;
  add_some(r, "convolutions", p->convolution_time, p->latency);
  add_some(r, "matrix products", p->product_time - p->convolution_time, p->latency);
  add_some(r, "memory-bound", p->pass_time, p->latency);
  add_some(r, "layout changes", p->conversion_time, p->latency);
  pm__report_add_part(r, "launch overhead", p->latency - p->gpu_time - p->step_time, "s", p->latency);
  add_some(r, "call overhead", p->step_time, p->latency);
}

const pm__study_block pm__study_block_call_time = {
  .title = "Time of one call", .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM__STUDY_CALL] = fill}};
