/* The front of a served model: for each speed that a user sees, the most tokens of a GPU. */
#include <stdlib.h>
#include "study/blocks/blocks.h"
#include "study/served.h"

/* Of people who compare speeds; what it takes is beside it. */
static pm_table *tabulate(const pm__study_subject *s, const pm_serving_choice *rows)
{
  static const char *const names[] = {"user_rate", "gpu_rate", "system", "precision", "tp", "pp", "attention_dp", "ep",
                                      "prefill_workers", "prefill_tp", "decode_workers", "concurrency", "ttft",
                                      "output_cost"};
  size_t count = sizeof names / sizeof names[0] - (s->asked->currency == NULL);
  pm_table *table = pm_table_new_of_records(pm_record_type_find("serving_choice"), rows,
                                            pm_table_count_rows(s->asked->front), NULL);
  if (table == NULL || pm_table_keep(table, names, count, NULL) == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->asked->front == NULL) return;
  pm_serving_choice *rows = pm__study_served_rows(s->asked->front);
  pm_table *table = rows != NULL ? tabulate(s, rows) : NULL;
  if (table == NULL) r->failed = true;
  pm__report_set_table(r, table);
  free(rows);
}

const pm__study_block pm__study_block_served_front = {
  .title = "Front: tokens/s of a GPU over tokens/s of a user", .style = PM_REPORT_STYLE_TABLE,
  .fill = {[PM_REPORT_OF_SERVING] = fill}};
