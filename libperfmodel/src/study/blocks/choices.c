/* All choices that were sized, in their order. */
#include <math.h>
#include "study/blocks/blocks.h"

/* A rate, or a budget, has no time that only epochs have, and replicas no bottleneck. */
static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm_size_goal *goal = (const pm_size_goal *)s->asked->goal;
  pm_table *table =
    pm_table_new_of_records(pm_record_type_find("size_choice"), s->asked->answers, s->asked->count, NULL);
  if (table == NULL) r->failed = true;
  if (isnan(goal->epochs)) pm_table_drop(table, "time");
  if (isnan(goal->epochs)) pm_table_drop(table, "gpu_hours");
  if (isnan(goal->rate) && isnan(goal->within)) pm_table_drop(table, "reached");
  if (s->task->facts.replicas) pm_table_drop(table, "bottleneck");
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_choices = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SIZES] = fill}};
