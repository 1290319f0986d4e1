/* The memory of every stage of a pipeline. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  static const char *const names[] = {"stage", "layers", "parameters", "in_flight", "weights", "gradients", "optimizer",
                                      "activations", "memory", "verdict"};
  if (s->stage_count < 2) return;
  pm_table *table = pm_table_new_of_records(pm_record_type_find("stage"), s->stages, (size_t)s->stage_count, NULL);
  if (table == NULL || pm_table_keep(table, names, sizeof names / sizeof names[0], NULL) != PM_OK) r->failed = true;
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_memory_stages = {
  .title = "Stages", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_MEMORY] = fill}};
