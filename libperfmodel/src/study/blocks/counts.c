/*
** Counts of nodes on the way to a deadline, each faster than all with fewer, of which text has the first and the last;
** or all systems, ranked.
*/
#include "study/blocks/blocks.h"

enum { MOST = 24 };

static void fill(const pm__study_subject *s, pm_report *r)
{
  char *packed = pm_table_pack(s->asked->table, NULL); /* a report keeps a table of its own */
  pm_table *table = packed != NULL ? pm_table_unpack(packed, NULL) : NULL;
  if (table == NULL) r->failed = true;
  pm_string_free(packed);
  pm__report_set_table(r, table);
  if (s->study->system_count == 1) pm__report_limit(r, MOST);
}

const pm__study_block pm__study_block_counts = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_DEADLINE] = fill}};
