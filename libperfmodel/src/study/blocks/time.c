/* The parts that add up to the time of a run, as its task names them. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm__task_part parts[PM__TASK_PARTS];
  if (!pm__study_predicted(s)) return;
  int count = s->task->list_parts(s->answers, parts);
  double whole = 0;
  for (int i = 0; i < count; i++) whole += parts[i].time;
  pm__report_set_title(r, "Time of one %s", s->task->whole);
  for (int i = 0; i < count; i++) pm__report_add_part(r, parts[i].label, parts[i].time, "s", whole);
}

const pm__study_block pm__study_block_time = {
  .title = "", .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
