/* How much of the time depends on rates at all. */
#include "study/blocks/blocks.h"

/* Where requests come at a rate, that rate stays, so that times do not scale. */
static bool comes_at_rate(const pm__study_subject *s)
{
  return pm__study_serves(s) && pm__study_run_number(s, "arrivals") == PM_ARRIVALS_OPEN;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  double sum = 0;
  if (comes_at_rate(s)) return;
  const pm_sensitivity *rows = (const pm_sensitivity *)s->asked->answers;
  for (size_t i = 0; i < s->asked->count; i++) sum += rows[i].rate ? rows[i].elasticity : 0;
  pm__report_add(r, "elasticities",
                 "The elasticities of all rates add up to %.2f (-1 if the %s%s depends only on rates)", sum,
                 pm__study_serves(s) ? s->task->time : s->task->facts.unit, pm__study_serves(s) ? "" : " time");
  pm__report_set_value(r, sum, "1");
}

const pm__study_block pm__study_block_elasticity = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_SENSITIVITIES] = fill}};
