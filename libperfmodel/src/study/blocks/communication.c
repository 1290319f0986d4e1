/* What GPUs exchange in a step, how fast, and how much of it is exposed. */
#include <math.h>
#include "perfmodel/collective.h"
#include "study/blocks/blocks.h"

static bool is_all_reduce(const pm__study_subject *s)
{
  int32_t parallelism = s->run.parallelism;
  if (parallelism == PM_PARALLELISM_FRAMEWORK && s->software.framework != NULL)
    parallelism = s->software.framework->framework.parallelism;
  return parallelism == PM_PARALLELISM_FRAMEWORK || parallelism == PM_PARALLELISM_ALL_REDUCE;
}

static void add_gradients(const pm__study_subject *s, pm_report *r)
{
  char gpus[PM__REPORT_WORD];
  if (!(s->step.gradient_size > 0)) return; /* under some kinds of parallelism activations only are exchanged */
  pm__report_add_quantity(r, "gradients", s->step.gradient_size, "B");
  pm__report_note(r, "per GPU, summed over %s",
                  pm__report_count(gpus, (double)s->step.data_parallel * s->run.context_parallel, "GPU"));
}

static void add_bandwidth(const pm__study_subject *s, pm_report *r)
{
  pm_ring ring;
  int status = pm_ring_find(s->system, s->run.gpus, s->run.nodes, &ring, NULL);
  bool found = status == PM_OK && ring.bottleneck[0] != '\0';
  pm__report_check(r, status);
  pm__report_add_quantity(r, "bus bandwidth", s->step.bus_bandwidth, "B/s");
  pm__report_note(r, "per direction%s%s", found ? ", set by " : "", found ? ring.bottleneck : "");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char text[PM__REPORT_WORD];
  const pm_prediction *p = &s->step;
  if (!s->trains || p->status != PM_OK || isnan(p->bus_bandwidth)) return; /* one GPU exchanges nothing */
  add_gradients(s, r);
  add_bandwidth(s, r);
  double hidden = p->communication_time - p->exposed_communication_time, backward = p->dgrad_time + p->wgrad_time;
  pm__report_add_quantity(r, is_all_reduce(s) ? "all-reduce" : "exchange", p->communication_time, "s");
  if (hidden > 1e-6 * p->communication_time)
    pm__report_note(r, ", of which %s overlap with the %s", pm__report_quantity(text, hidden, "s"),
                    hidden > backward ? "step" : "backward pass");
}

const pm__study_block pm__study_block_communication = {
  .title = "Communication", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
