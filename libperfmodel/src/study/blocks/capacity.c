/* Memory of one GPU against what it has, and the largest batch. */
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

static const char *const verdicts[] = {"not known whether it fits", "fits",
                                       "tight: within 8 %, the framework's release decides", "does not fit"};

/* What is not known of a GPU with room is whether its host has it for what is offloaded. */
static const char *verdict_of(const pm_memory_use *use)
{
  bool host = use->verdict == PM_VERDICT_UNKNOWN && use->host > 0 && use->total <= use->usable;
  return host ? "fits the GPU; not known whether the host has the rest" : verdicts[use->verdict];
}

static void add_total(const pm__study_subject *s, pm_report *r, const char *label)
{
  const pm_memory_use *use = &s->use;
  char total[PM__REPORT_WORD], usable[PM__REPORT_WORD], missing[PM__REPORT_WORD], verdict[PM_TEXT_MAX];
  pm__report_add_quantity(r, label, use->total, "B");
  pm__report_note(r, "of %s: %s%s%s%s", pm__report_quantity(usable, use->usable, "B"), verdict_of(use),
                  use->missing > 0 ? ", " : "",
                  use->missing > 0 ? pm__report_quantity(missing, use->missing, "B") : "",
                  use->missing > 0 ? " too much" : "");
  pm__report_summarize(r, "%s of %s: %s", pm__report_quantity(total, use->total, "B"), usable,
                       pm__study_verdict(use->verdict, verdict));
}

static void add_batch(const pm__study_subject *s, pm_report *r, const char *label)
{
  char number[PM_NUMBER_MAX], safe[PM_NUMBER_MAX], sample[PM__REPORT_WORD];
  const pm_memory_use *use = &s->use;
  bool none = use->largest_batch < 1;
  pm_number_format(number, use->largest_batch);
  pm__report_add(r, label, "%s", !none ? number : use->verdict == PM_VERDICT_TIGHT ? "1 may fit" : "none fits");
  pm__report_set_value(r, use->largest_batch, "1");
  pm__report_quantity(sample, use->sample, "B");
  if (none) pm__report_note(r, ", %s each", sample);
  else pm__report_note(r, "(%s to be safe), %s each", pm_number_format(safe, use->safe_batch), sample);
  pm__report_summarize(r, "%s %s", label, number);
}

static int fullest(const pm__study_subject *s)
{
  int best = 0;
  for (int i = 1; i < s->stage_count; i++)
    if (s->stages[i].memory > s->stages[best].memory) best = i;
  return best;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char label[PM__REPORT_WORD] = "total";
  if (s->stage_count > 1) snprintf(label, sizeof label, "heaviest: stage %d of %d", fullest(s), s->stage_count);
  add_total(s, r, label);
  if (!pm__study_serves(s)) add_batch(s, r, s->trains ? "largest micro-batch" : "largest batch");
  if (!(s->use.host > 0)) return;
  pm__report_add_quantity(r, "on the host", s->use.host, "B");
  pm__report_note(r, "per GPU");
}

const pm__study_block pm__study_block_capacity = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_MEMORY] = fill}};
