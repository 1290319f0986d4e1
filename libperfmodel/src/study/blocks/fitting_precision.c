/* What a run that does not fit would need in 16 bits. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm__task_outcome half;
  if (s->count != 1 || s->outcome.status != PM_STATUS_DOES_NOT_FIT || !pm__study_in_half(s, r, &half)) return;
  pm__report_add_quantity(r, pm__study_choice("run", "precision", pm__study_half(s))->name, half.memory, "B");
}

const pm__study_block pm__study_block_fitting_precision = {
  .title = "Memory in 16 bits", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
