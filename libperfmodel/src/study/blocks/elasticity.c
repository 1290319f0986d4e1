/* How much of the time depends on rates at all. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  double sum = 0;
  const pm_sensitivity *rows = (const pm_sensitivity *)s->asked->answers;
  for (size_t i = 0; i < s->asked->count; i++) sum += rows[i].rate ? rows[i].elasticity : 0;
  pm__report_add(r, "elasticities",
                 "The elasticities of all rates add up to %.2f (-1 if the %s time depends on nothing else)", sum,
                 s->task->facts.unit);
  pm__report_set_value(r, sum, "1");
}

const pm__study_block pm__study_block_elasticity = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_SENSITIVITIES] = fill}};
