/* The parts that add up to a step of training. */
#include <math.h>
#include "study/blocks/blocks.h"

static void add_some(pm_report *r, const char *label, double time, double step)
{
  if (time > 0) pm__report_add_part(r, label, time, "s", step);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_prediction *p = &s->step;
  if (p->status != PM_OK) return;
  pm__report_add_part(r, "forward", p->forward_time, "s", p->step_time);
  pm__report_add_part(r, "dgrad", p->dgrad_time, "s", p->step_time);
  pm__report_add_part(r, "wgrad", p->wgrad_time, "s", p->step_time);
  add_some(r, "recomputation", p->recompute_time, p->step_time);
  pm__report_add_part(r, "update", p->update_time, "s", p->step_time);
  if (p->launch_time > 0) pm__report_add_part(r, "launch overhead", p->launch_overhead_time, "s", p->step_time);
  if (!isnan(p->bus_bandwidth))
    pm__report_add_part(r, "communication", p->exposed_communication_time, "s", p->step_time);
  add_some(r, "pipeline bubble", p->bubble_time, p->step_time);
  add_some(r, "offloading", p->offload_time, p->step_time);
  add_some(r, "straggler wait", p->straggler_wait_time, p->step_time);
  add_some(r, "input wait", p->input_wait_time, p->step_time);
}

const pm__study_block pm__study_block_step_time = {
  .title = "Time of one step", .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM__STUDY_STEP] = fill}};
