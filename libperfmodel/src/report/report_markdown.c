/* Reports as Markdown: sentences as paragraphs, everything else as pipe tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/report.h"
#include "report/table_data.h"

/* What Markdown would take for markup is marked as text. */
static void add_escaped(pm__string *out, const char *text)
{
  while (*text != '\0') {
    if (*text == '\n') pm__string_add(out, "<br>"), text++;
    else {
      if (strchr("\\`*_<>|[]#", *text) != NULL) pm__string_add(out, "\\");
      text = pm__utf8_add_clean(out, text);
    }
  }
}

static void add_cell(pm__string *out, const char *text)
{
  pm__string_add(out, "| ");
  add_escaped(out, text);
  pm__string_add(out, " ");
}

static void add_line(pm__string *out, const pm_report_line *line)
{
  char share[PM__REPORT_WORD];
  pm__string text = {NULL, 0, 0, false};
  pm__report_write_value(&text, line);
  add_cell(out, line->label);
  if (text.failed) out->failed = true;
  else add_cell(out, text.text);
  if (!isnan(line->share)) add_cell(out, pm__report_percent(share, line->share));
  pm__string_add(out, "|\n");
  free(text.text);
}

static void add_sentences(pm__string *out, const pm_report_block *block, bool first)
{
  for (size_t i = 0; i < block->count; i++) {
    const char *mark = i == 0 && first ? "**" : "";
    pm__string_add(out, mark);
    add_escaped(out, block->lines[i].text);
    pm__string_format(out, "%s%s\n", mark, i + 1 < block->count ? "  " : "");
  }
}

static void add_rows(pm__string *out, const pm_table *table, const size_t *columns, size_t count)
{
  pm__string cell = {NULL, 0, 0, false};
  for (size_t row = 0; row < table->rows; row++) {
    for (size_t i = 0; i < count; i++) {
      cell.length = 0;
      pm__string_add(&cell, "");
      pm__write_cell(&cell, table, columns[i], row);
      if (cell.failed) out->failed = true;
      else add_cell(out, cell.text);
    }
    pm__string_add(out, "|\n");
  }
  free(cell.text);
}

static void add_table(pm__string *out, const pm_table *table)
{
  size_t *columns = (size_t *)calloc(table->count + 1, sizeof *columns);
  size_t count = columns != NULL ? pm__table_find_shown(table, columns) : 0;
  if (columns == NULL) out->failed = true;
  for (size_t i = 0; i < count; i++) add_cell(out, table->columns[columns[i]].column.name);
  pm__string_add(out, "|\n");
  for (size_t i = 0; i < count; i++)
    pm__string_add(out, pm__column_is_text(&table->columns[columns[i]]) ? "|---" : "|--:");
  pm__string_add(out, "|\n");
  add_rows(out, table, columns, count);
  free(columns);
}

static void add_block(pm__string *out, const pm__report_entry *entry)
{
  bool parts = entry->block.style == PM_REPORT_STYLE_PARTS;
  if (entry->table != NULL) {
    pm__string_format(out, "%s%s", entry->block.title, entry->block.title[0] != '\0' ? "\n\n" : "");
    add_table(out, entry->table);
    return;
  }
  add_cell(out, entry->block.title);
  pm__string_add(out, parts ? "| | share |\n|---|--:|--:|\n" : "| |\n|---|---|\n");
  for (size_t i = 0; i < entry->block.count; i++) add_line(out, &entry->lines[i]);
}

void pm__report_write_markdown(pm__string *out, const pm_report *report)
{
  for (size_t i = 0; i < report->count; i++) {
    const pm__report_entry *entry = &report->entries[i];
    if (i > 0) pm__string_add(out, "\n");
    if (entry->block.style == PM_REPORT_STYLE_SENTENCES) add_sentences(out, &entry->block, i == 0);
    else add_block(out, entry);
  }
}
