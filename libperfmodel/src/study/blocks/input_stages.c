/* The rate of every stage of an input path. */
#include <math.h>
#include "study/blocks/blocks.h"

static void add(const pm_input_rates *p, pm_report *r, const char *label, double rate, int32_t stage)
{
  if (!isfinite(rate)) return;
  pm__report_add_quantity(r, label, rate, "samples/s");
  if (p->bottleneck == stage) pm__report_note(r, ": the limit");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_input_rates *p = (const pm_input_rates *)s->asked->answers;
  add(p, r, "storage", p->storage, PM_INPUT_STAGE_STORAGE);
  add(p, r, "reads in flight", p->reads, PM_INPUT_STAGE_READS);
  add(p, r, "storage's ports", p->uplink, PM_INPUT_STAGE_UPLINK);
  add(p, r, "gateway", p->gateway, PM_INPUT_STAGE_GATEWAY);
  add(p, r, "adapter of the node", p->client, PM_INPUT_STAGE_CLIENT);
  add(p, r, "decoding", p->decode, PM_INPUT_STAGE_DECODE);
  add(p, r, "host to device", p->copy, PM_INPUT_STAGE_COPY);
  add(p, r, "GPUs", s->asked->input_run->gpu_rate, PM_INPUT_STAGE_COMPUTE);
}

const pm__study_block pm__study_block_input_stages = {
  .title = "Stages, per node", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_INPUT] = fill}};
