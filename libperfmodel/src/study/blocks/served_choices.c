/* Layouts that serve within limits, best first. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find("serving_choice"), s->served, s->served_count, NULL);
  if (table == NULL) r->failed = true;
  pm_table_set_show(table, "concurrency", 0);
  pm__study_hide_costs(s, table);
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_served_choices = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SERVING] = fill}};
