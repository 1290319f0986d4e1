/* What each number of the hardware means to the time of a run, and what that leaves. */
#include <math.h>
#include <string.h>
#include "study/blocks/blocks.h"

enum { BAR = 20 };

static pm_table *tabulate(const pm_sensitivity *rows, size_t count)
{
  static const char *const names[] = {"resource", "step_time", "change", "elasticity", "bottleneck", "effect"};
  char bars[PM_RESOURCE_COUNT][BAR + 1];
  const char *texts[PM_RESOURCE_COUNT];
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(rows[i].change));
  for (size_t i = 0; i < count; i++) {
    int length = largest > 0 ? (int)rint(fabs(rows[i].change) / largest * BAR) : 0;
    memset(bars[i], rows[i].change < 0 ? '-' : '+', (size_t)length);
    bars[i][length] = '\0';
    texts[i] = bars[i];
  }
  pm_table *table = pm_table_new_of_records(pm_record_type_find("sensitivity"), rows, count, NULL);
  if (table != NULL && pm_table_add_text(table, "effect", "the change as a bar", texts, NULL) == PM_OK &&
      pm_table_keep(table, names, sizeof names / sizeof names[0], NULL) == PM_OK)
    return table;
  pm_table_free(table);
  return NULL;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  size_t count = s->asked->count;
  pm_table *table = count <= PM_RESOURCE_COUNT ? tabulate((const pm_sensitivity *)s->asked->answers, count) : NULL;
  if (table == NULL) r->failed = true;
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_sensitivities = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SENSITIVITIES] = fill}};
