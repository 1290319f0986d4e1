/* The lines of a report as a table, for programs. */
#include <stdlib.h>
#include "report/report.h"

/* The numbers of a line. */
typedef struct numbers {
  double value, share;
} numbers;

static const pm_field fields[] = {
  {.name = "value", .unit = "1", .doc = "the value in SI units; unknown of words", .offset = offsetof(numbers, value),
   .kind = PM_FIELD_REAL},
  {.name = "share", .unit = "1", .doc = "part of the whole that the block divides", .offset = offsetof(numbers, share),
   .kind = PM_FIELD_REAL},
};

static const pm_record_type type = {"report_line", "", sizeof(numbers), fields, sizeof fields / sizeof fields[0]};

/* All lines, one after the other. */
typedef struct rows {
  size_t count;
  numbers *values;
  const char **texts[5]; /* block, label, text, unit, note */
} rows;

static bool allocate(rows *all, const pm_report *report)
{
  for (size_t i = 0; i < report->count; i++) all->count += report->entries[i].block.count;
  all->values = (numbers *)calloc(all->count + 1, sizeof *all->values);
  bool good = all->values != NULL;
  for (int i = 0; i < 5; i++) {
    all->texts[i] = (const char **)calloc(all->count + 1, sizeof *all->texts[i]);
    good = good && all->texts[i] != NULL;
  }
  return good;
}

static void fill(rows *all, const pm_report *report)
{
  size_t row = 0;
  for (size_t i = 0; i < report->count; i++) {
    const pm_report_block *block = &report->entries[i].block;
    for (size_t j = 0; j < block->count; j++, row++) {
      const pm_report_line *line = &block->lines[j];
      const char *const texts[5] = {block->name, line->label, line->text, line->unit, line->note};
      for (int k = 0; k < 5; k++) all->texts[k][row] = texts[k];
      all->values[row] = (numbers){line->value, line->share};
    }
  }
}

static int add_columns(pm_table *table, const rows *all, pm_error *error)
{
  static const char *const names[5][2] = {{"block", "the block of the report"}, {"label", "what the line is about"},
                                          {"text", "the value as people read it"}, {"unit", "of the value"},
                                          {"note", "what more there is to say"}};
  int status = PM_OK;
  for (int k = 0; k < 5 && status == PM_OK; k++) {
    if (k == 3) status = pm_table_add_records(table, &type, all->values, error);
    if (status == PM_OK) status = pm_table_add_text(table, names[k][0], names[k][1], all->texts[k], error);
  }
  return status;
}

pm_table *pm_report_tabulate(const pm_report *report, pm_error *error)
{
  rows all = {0};
  if (report == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no report"), (pm_table *)NULL;
  pm_table *table = NULL;
  if (allocate(&all, report)) {
    fill(&all, report);
    table = pm_table_new(all.count, error);
    if (table != NULL && add_columns(table, &all, error) != PM_OK) {
      pm_table_free(table);
      table = NULL;
    }
  } else pm__no_memory(error);
  free(all.values);
  for (int i = 0; i < 5; i++) free(all.texts[i]);
  return table;
}
