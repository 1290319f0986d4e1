/*
** Reports as HTML, a fragment for notebooks, and as Markdown: sentences as lines, everything else as tables whose head
** is the title of the block. The two differ only in what stands around the words.
*/
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/report.h"
#include "report/table_data.h"

/* What stands around the words; `rule`: behind a head, for each column of words or of numbers, and at its end. */
typedef struct markup {
  const char *marked, *marks[8];               /* characters that are not taken as they are, and what they become */
  const char *title, *title_end, *line_end, *block;
  const char *table, *table_end, *row, *row_end, *word, *number, *cell_end, *head, *head_end;
  const char *tip[2];                          /* of a head of numbers or words, before what it means; NULL: not said */
  const char *rule[3];
  bool needs_head;
} markup;

static const markup html = {
  .marked = "\n&<>\"'", .marks = {"<br>", "&amp;", "&lt;", "&gt;", "&quot;", "&#x27;"},
  .title = "<b>", .title_end = "</b><br>", .line_end = "<br>", .block = "",
  .table = "<table>", .table_end = "</table>", .row = "<tr>", .row_end = "</tr>",
  .word = "<td style=\"text-align:left;white-space:pre\">", .number = "<td style=\"text-align:right\">",
  .cell_end = "</td>",
  .head = "<th>", .head_end = "</th>",
  .tip = {"<th style=\"text-align:right\" title=\"", "<th style=\"text-align:left\" title=\""}, .rule = {"", "", ""}};

/* Of other marks, Markdown takes a backslash before them. */
static const markup markdown = {
  .marked = "\n", .marks = {"<br>"},
  .title = "**", .title_end = "**  \n", .line_end = "  \n", .block = "\n",
  .table = "", .table_end = "", .row = "", .row_end = "|\n",
  .word = "| ", .number = "| ", .cell_end = " ", .head = "| ", .head_end = " ",
  .rule = {"|---", "|--:", "|\n"}, .needs_head = true};

static void add_escaped(pm__string *out, const markup *m, const char *text)
{
  while (*text != '\0') {
    const char *at = strchr(m->marked, *text);
    if (at != NULL) pm__string_add(out, m->marks[at - m->marked]), text++;
    else {
      if (m == &markdown && strchr("\\`*_<>|[]#", *text) != NULL) pm__string_add(out, "\\");
      text = pm__utf8_add_clean(out, text);
    }
  }
}

static void add(pm__string *out, const markup *m, const char *before, const char *text, const char *after)
{
  pm__string_add(out, before);
  add_escaped(out, m, text);
  pm__string_add(out, after);
}

/* ---- Blocks of lines ---- */

static void add_sentences(pm__string *out, const markup *m, const pm_report_block *block, bool first)
{
  for (size_t i = 0; i < block->count; i++)
    if (first && i == 0) add(out, m, m->title, block->lines[i].text, m->title_end);
    else add(out, m, "", block->lines[i].text, m->line_end);
}

static void add_line(pm__string *out, const markup *m, const pm_report_line *line, bool parts)
{
  char share[PM__REPORT_WORD];
  pm__string text = {NULL, 0, 0, false};
  bool known = !isnan(line->share);
  pm__report_write_value(&text, line);
  pm__string_add(out, m->row);
  add(out, m, m->word, line->label, m->cell_end);
  if (text.failed) out->failed = true;
  else add(out, m, parts ? m->number : m->word, text.text, m->cell_end);
  if (parts || known) add(out, m, m->number, known ? pm__report_percent(share, line->share) : "", m->cell_end);
  pm__string_add(out, m->row_end);
  free(text.text);
}

static void add_lines(pm__string *out, const markup *m, const pm_report_block *block)
{
  bool parts = block->style == PM_REPORT_STYLE_PARTS;
  if (block->title[0] != '\0' || m->needs_head) {
    pm__string_add(out, m->row);
    add(out, m, m->head, block->title, m->head_end);
    add(out, m, m->head, "", m->head_end);
    if (parts) add(out, m, m->head, "share", m->head_end);
    pm__string_format(out, "%s%s%s%s%s", m->row_end, m->rule[0], m->rule[parts], parts ? m->rule[1] : "", m->rule[2]);
  }
  for (size_t i = 0; i < block->count; i++) add_line(out, m, &block->lines[i], parts);
}

/* ---- Blocks that are a table ---- */

static void add_row(pm__string *out, const markup *m, const pm_table *table, const size_t *columns, size_t count,
                    size_t row)
{
  pm__string cell = {NULL, 0, 0, false};
  pm__string_add(out, m->row);
  for (size_t i = 0; i < count; i++) {
    cell.length = 0;
    pm__string_add(&cell, "");
    pm__write_cell(&cell, table, columns[i], row);
    if (cell.failed) out->failed = true;
    else add(out, m, pm__column_is_text(&table->columns[columns[i]]) ? m->word : m->number, cell.text, m->cell_end);
  }
  pm__string_add(out, m->row_end);
  free(cell.text);
}

/* What is the same in all rows is a line above them. */
static void add_heading(pm__string *out, const markup *m, const pm_table *table)
{
  pm__string heading = {NULL, 0, 0, false};
  pm__string_add(&heading, "");
  pm__write_lines(&heading, table, "\n");
  pm__write_heading(&heading, table);
  if (heading.failed) out->failed = true;
  else if (heading.length > 0) add(out, m, "", heading.text, m->line_end);
  free(heading.text);
}

static void add_name(pm__string *out, const markup *m, const pm__column *column)
{
  const char *tip = m->tip[pm__column_is_text(column)];
  if (tip != NULL) add(out, m, tip, column->column.doc, "\">");
  add(out, m, tip == NULL ? m->head : "", column->column.name, m->head_end);
}

static void add_names(pm__string *out, const markup *m, const pm_table *table, const size_t *columns, size_t count)
{
  pm__string_add(out, m->row);
  for (size_t i = 0; i < count; i++) add_name(out, m, &table->columns[columns[i]]);
  pm__string_add(out, m->row_end);
  for (size_t i = 0; i < count; i++) pm__string_add(out, m->rule[!pm__column_is_text(&table->columns[columns[i]])]);
  pm__string_add(out, m->rule[2]);
}

/* The first rows and the last, with how many are left out between them. */
static void add_rows(pm__string *out, const markup *m, const pm_table *table, size_t most, size_t absent)
{
  size_t *columns = (size_t *)calloc(table->count + 1, sizeof *columns);
  size_t count = columns != NULL ? pm__table_find_shown(table, columns) : 0, rows = pm__table_count_shown(table);
  size_t left = absent + (rows > most ? rows - most : 0);
  size_t before = left == 0 ? rows : rows > most ? most - 1 : rows > 0 ? rows - 1 : 0;
  if (columns == NULL) out->failed = true;
  add_names(out, m, table, columns, count);
  for (size_t row = 0; row < before; row++) add_row(out, m, table, columns, count, row);
  if (left > 0)
    pm__string_format(out, "%s%s... %zu more rows%s%s", m->row, m->word, left, m->cell_end, m->row_end);
  for (size_t row = before + left - absent; row < rows; row++) add_row(out, m, table, columns, count, row);
  free(columns);
}

static void add_table(pm__string *out, const markup *m, const pm_table *table, size_t most, size_t absent)
{
  add_heading(out, m, table);
  pm__string_add(out, m->block);
  pm__string_add(out, m->table);
  add_rows(out, m, table, most, absent);
  pm__string_add(out, m->table_end);
}

/* ---- The whole ---- */

static void write_markup(pm__string *out, const markup *m, const pm_report *report)
{
  for (size_t i = 0; i < report->count; i++) {
    const pm_report_block *block = &report->entries[i].block;
    if (i > 0) pm__string_add(out, m->block);
    if (block->style == PM_REPORT_STYLE_SENTENCES) {
      add_sentences(out, m, block, i == 0);
      continue;
    }
    if (block->table != NULL) {
      if (block->title[0] != '\0') add(out, m, "", block->title, m->line_end);
      add_table(out, m, block->table, SIZE_MAX, 0);
      continue;
    }
    pm__string_add(out, m->table);
    add_lines(out, m, block);
    pm__string_add(out, m->table_end);
  }
}

void pm__write_markup(pm__string *out, const pm_table *table, pm_rendering rendering, size_t most, size_t absent)
{
  add_table(out, rendering == PM_RENDERING_HTML ? &html : &markdown, table, most, absent);
}

void pm__report_write_html(pm__string *out, const pm_report *report)
{
  write_markup(out, &html, report);
}

void pm__report_write_markdown(pm__string *out, const pm_report *report)
{
  write_markup(out, &markdown, report);
}
