/* Reports as HTML, a fragment for notebooks: sentences as lines, everything else as tables. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "report/report.h"
#include "report/table_data.h"

/* Text as HTML shows it, without controls. */
static void add_escaped(pm__string *out, const char *text)
{
  while (*text != '\0') {
    switch (*text) {
    case '&': pm__string_add(out, "&amp;"), text++; break;
    case '<': pm__string_add(out, "&lt;"), text++; break;
    case '>': pm__string_add(out, "&gt;"), text++; break;
    case '"': pm__string_add(out, "&quot;"), text++; break;
    case '\'': pm__string_add(out, "&#x27;"), text++; break;
    case '\n': pm__string_add(out, "<br>"), text++; break;
    default: text = pm__utf8_add_clean(out, text);
    }
  }
}

static void add_cell(pm__string *out, const char *text, bool left)
{
  pm__string_format(out, "<td style=\"text-align:%s\">", left ? "left" : "right");
  add_escaped(out, text);
  pm__string_add(out, "</td>");
}

static void add_value(pm__string *out, const pm_report_line *line, bool left)
{
  pm__string text = {NULL, 0, 0, false};
  pm__report_write_value(&text, line);
  if (text.failed) out->failed = true;
  else add_cell(out, text.text, left);
  free(text.text);
}

static void add_line(pm__string *out, const pm_report_line *line)
{
  char share[PM__REPORT_WORD];
  pm__string_add(out, "<tr>");
  add_cell(out, line->label, true);
  add_value(out, line, isnan(line->share));
  if (!isnan(line->share)) add_cell(out, pm__report_percent(share, line->share), false);
  pm__string_add(out, "</tr>");
}

static void add_sentences(pm__string *out, const pm_report_block *block, bool first)
{
  for (size_t i = 0; i < block->count; i++) {
    pm__string_add(out, i == 0 && first ? "<b>" : "");
    add_escaped(out, block->lines[i].text);
    pm__string_add(out, i == 0 && first ? "</b><br>" : "<br>");
  }
}

static void add_row(pm__string *out, const pm_table *table, const size_t *columns, size_t count, size_t row)
{
  pm__string cell = {NULL, 0, 0, false};
  pm__string_add(out, "<tr>");
  for (size_t i = 0; i < count; i++) {
    cell.length = 0;
    pm__string_add(&cell, "");
    pm__write_cell(&cell, table, columns[i], row);
    if (cell.failed) out->failed = true;
    else add_cell(out, cell.text, pm__column_is_text(&table->columns[columns[i]]));
  }
  pm__string_add(out, "</tr>");
  free(cell.text);
}

static void add_table(pm__string *out, const pm_table *table)
{
  size_t *columns = (size_t *)calloc(table->count + 1, sizeof *columns);
  size_t count = columns != NULL ? pm__table_find_shown(table, columns) : 0;
  if (columns == NULL) out->failed = true;
  pm__string_add(out, "<thead><tr>");
  for (size_t i = 0; i < count; i++) {
    pm__string_add(out, "<th>");
    add_escaped(out, table->columns[columns[i]].column.name);
    pm__string_add(out, "</th>");
  }
  pm__string_add(out, "</tr></thead>");
  for (size_t row = 0; row < table->rows; row++) add_row(out, table, columns, count, row);
  free(columns);
}

static void add_block(pm__string *out, const pm__report_entry *entry)
{
  pm__string_add(out, "<table>");
  if (entry->block.title[0] != '\0') {
    pm__string_add(out, "<caption style=\"text-align:left\">");
    add_escaped(out, entry->block.title);
    pm__string_add(out, "</caption>");
  }
  for (size_t i = 0; i < entry->block.count; i++) add_line(out, &entry->lines[i]);
  if (entry->table != NULL) add_table(out, entry->table);
  pm__string_add(out, "</table>");
}

void pm__report_write_html(pm__string *out, const pm_report *report)
{
  for (size_t i = 0; i < report->count; i++) {
    const pm__report_entry *entry = &report->entries[i];
    if (entry->block.style == PM_REPORT_STYLE_SENTENCES) add_sentences(out, &entry->block, i == 0);
    else add_block(out, entry);
  }
}
