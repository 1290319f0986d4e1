/* What each upgrade gives, most gain first. */
#include <math.h>
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  bool priced = false;
  const pm_upgrade *rows = (const pm_upgrade *)s->asked->answers;
  for (size_t i = 0; i < s->asked->count; i++) priced = priced || !isnan(rows[i].price);
  pm_table *table = pm_table_new_of_records(pm_record_type_find("upgrade"), rows, s->asked->count, NULL);
  if (table == NULL) r->failed = true;
  if (!priced) pm_table_drop(table, "price");
  if (!priced) pm_table_drop(table, "gain_per_price");
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_upgrades = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_UPGRADES] = fill}};
