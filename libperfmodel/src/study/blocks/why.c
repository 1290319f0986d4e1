/* What other choices than those of the best plan cost. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->asked->view != PM_SEARCH_VIEW_PLANS) return; /* others are compared with the first of these */
  pm_table *table = pm_study_tabulate_search(NULL, NULL, s->asked->search, PM_SEARCH_VIEW_WHY, NULL);
  if (table == NULL) r->failed = true;
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_why = {
  .title = "Why this plan: the best plan with another value of each choice, and what slows it down",
  .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SEARCH] = fill}};
