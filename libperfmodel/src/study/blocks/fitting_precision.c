/* What a run that does not fit would need in 16 bits. */
#include "study/blocks/blocks.h"

static void add(const pm__study_subject *s, pm_report *r, double memory)
{
  const pm_choice *precisions = pm_record_find_field(pm_record_type_find("run"), "precision")->choices;
  pm__report_add_quantity(r, precisions[pm__study_half(s)].name, memory, "B");
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  pm_prediction half;
  if (s->step.status == PM_STATUS_DOES_NOT_FIT && pm__study_step_in_half(s, r, &half)) add(s, r, half.memory);
}

static void fill_call(const pm__study_subject *s, pm_report *r)
{
  pm_inference half;
  if (s->call_count != 1 || s->inference.status != PM_STATUS_DOES_NOT_FIT) return;
  if (pm__study_call_in_half(s, r, &half)) add(s, r, half.memory);
}

const pm__study_block pm__study_block_fitting_precision = {
  .title = "Memory in 16 bits", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
