/* Several runs, a row for each. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->rows != NULL) pm__report_set_table(r, s->rows);
}

const pm__study_block pm__study_block_calls = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
