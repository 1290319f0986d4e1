/* Memory of each GPU beside a prediction: the peak, whether it fits, the largest batch. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

static void add_use(pm_report *r, const char *label, double memory, double usable)
{
  char used[PM__REPORT_WORD], all[PM__REPORT_WORD], verdict[PM_TEXT_MAX];
  pm__report_add_quantity(r, label, memory, "B");
  if (isnan(usable)) {
    pm__report_note(r, "; the memory of the GPU is unknown");
    return;
  }
  pm__report_quantity(all, usable, "B");
  pm__study_verdict(pm_memory_get_verdict(memory, usable), verdict);
  pm__report_note(r, "of %s: %s", all, verdict);
  pm__report_summarize(r, "%s of %s: %s", pm__report_quantity(used, memory, "B"), all, verdict);
}

/* What is tight may run although it is more than there is. */
static void add_largest(pm_report *r, double batch, bool tight)
{
  char number[PM_NUMBER_MAX];
  const char *none = tight ? "none fits for certain; this one may" : "none fits";
  pm__report_add(r, "largest batch", "%s", batch >= 1 ? pm_number_format(number, batch) : none);
  pm__report_set_value(r, batch, "1");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char label[PM__REPORT_WORD];
  double usable = pm__study_number(s, "gpu_memory");
  if (pm__study_serves(s) || s->count != 1 || isnan(s->outcome.memory) || isnan(usable)) return;
  snprintf(label, sizeof label, "peak of a %s", s->task->facts.unit);
  add_use(r, label, s->outcome.memory, usable);
  add_largest(r, pm__study_number(s, "largest_batch"),
              pm_memory_get_verdict(s->outcome.memory, usable) == PM_VERDICT_TIGHT);
  if (s->trains && s->run.offload != PM_OFFLOAD_NONE)
    add_use(r, "host of a node", s->step.host_memory, s->machine->host_memory);
}

const pm__study_block pm__study_block_memory = {
  .title = "Memory of each GPU", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
