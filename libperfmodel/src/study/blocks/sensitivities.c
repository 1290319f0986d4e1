/* What each number of the hardware means to the time of a run, and what that leaves. */
#include <math.h>
#include <string.h>
#include "study/blocks/blocks.h"

enum { BAR = 20 };

/* A served model has a first token, and of many requests the most per second; the other tasks one time. */
static int keep(const pm__study_subject *s, pm_table *table)
{
  static const char *const names[] = {"resource", "step_time", "change", "elasticity", "bottleneck", "effect"};
  static const char *const served[] = {"resource", "step_time", "change", "ttft", "ttft_change", "throughput",
                                       "throughput_change", "bottleneck", "effect"};
  return pm__study_serves(s) ? pm_table_keep(table, served, sizeof served / sizeof served[0], NULL)
                             : pm_table_keep(table, names, sizeof names / sizeof names[0], NULL);
}

/* What the bar is of: the time; of a served model, whose times trade for each other, the throughput. */
static double effect(const pm__study_subject *s, const pm_sensitivity *row)
{
  return pm__study_serves(s) ? row->throughput_change : row->change;
}

static pm_table *tabulate(const pm__study_subject *s, const pm_sensitivity *rows, size_t count)
{
  char bars[PM_RESOURCE_COUNT][BAR + 1];
  const char *texts[PM_RESOURCE_COUNT];
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(effect(s, &rows[i])));
  for (size_t i = 0; i < count; i++) {
    int length = largest > 0 ? (int)rint(fabs(effect(s, &rows[i])) / largest * BAR) : 0;
    memset(bars[i], effect(s, &rows[i]) < 0 ? '-' : '+', (size_t)length);
    bars[i][length] = '\0';
    texts[i] = bars[i];
  }
  pm_table *table = pm_table_new_of_records(pm_record_type_find("sensitivity"), rows, count, NULL);
  if (table != NULL && pm_table_add_text(table, "effect", "the change as a bar", texts, NULL) == PM_OK &&
      keep(s, table) == PM_OK)
    return table;
  pm_table_free(table);
  return NULL;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  size_t count = s->asked->count;
  pm_table *table = count <= PM_RESOURCE_COUNT ? tabulate(s, (const pm_sensitivity *)s->asked->answers, count) : NULL;
  if (table == NULL) r->failed = true;
  pm__report_set_table(r, table);
}

const pm__study_block pm__study_block_sensitivities = {
  .title = "", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SENSITIVITIES] = fill}};
