/* The fastest plans of a search. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm_table *table = pm_study_tabulate_search(s->study, s->given, s->asked->search, s->asked->view, NULL);
  if (table == NULL) r->failed = true;
  pm_table_drop(table, "assumed"); /* of the best it is said above; others differ in the framework, which is a column */
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_plans = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SEARCH] = fill}};
