/*
** Reports as text, for terminals and files. Sentences are wrapped. Labels are a column of their own, beside which long
** values are wrapped too; a part has its share and a bar, as long as the line has room for one.
*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "report/report.h"
#include "report/table_data.h"

enum { PAGE = 100, INDENT = 2, QUANTITY_WIDTH = 10, SHARE_WIDTH = 7, BAR = 30, GAP = 2, FOLD_LEAST = 16 };

typedef struct page {
  pm__string *out;
  size_t width;  /* of a line */
  size_t column; /* where values begin */
} page;

/* Where the values of a block begin: all blocks alike, unless a label is too long. Values with shares are to the right
** of their column. */
static size_t column_of(const pm_report *report, const pm_report_block *block)
{
  size_t most = report->label_width;
  for (size_t i = 0; i < block->count; i++) {
    size_t length = pm__text_width(block->lines[i].label) + (isnan(block->lines[i].share) ? GAP : 0);
    if (length > most) most = length;
  }
  return INDENT + most;
}

static void write_label(const page *p, const char *label)
{
  size_t length = pm__text_width(label) + INDENT;
  pm__string_format(p->out, "%*s%s%*s", INDENT, "", label, (int)(p->column > length ? p->column - length : 0), "");
}

/* A value wrapped beside the labels; a note of its own is on a line of its own. */
static void write_value(const page *p, const pm_report_line *line)
{
  pm__string words = {NULL, 0, 0, false};
  size_t width = p->width >= p->column + FOLD_LEAST ? p->width - p->column : SIZE_MAX;
  pm__report_write_value(&words, line);
  if (words.failed) p->out->failed = true;
  for (char *at = words.text; at != NULL && !words.failed;) {
    char *end = strchr(at, '\n');
    if (end != NULL) *end = '\0';
    pm__write_folded(p->out, at, width, p->column);
    pm__string_add(p->out, "\n");
    if (end != NULL) pm__string_format(p->out, "%*s", (int)p->column, "");
    at = end != NULL ? end + 1 : NULL;
  }
  pm_string_free(words.text);
}

/* "29.5 %", one digit behind the point, so that those of a block are below each other. */
static void write_share(const page *p, double share)
{
  char text[32];
  long tenths = lrint(share * 1000);
  snprintf(text, sizeof text, "%ld.%ld %%", tenths / 10, tenths % 10);
  pm__string_format(p->out, "%*s%*s", GAP, "", SHARE_WIDTH, text);
}

static void write_bar(const page *p, double share)
{
  size_t before = p->column + QUANTITY_WIDTH + GAP + SHARE_WIDTH + GAP;
  int room = before >= p->width ? 0 : p->width - before < BAR ? (int)(p->width - before) : BAR;
  int length = (int)lrint(share * room);
  if (length > 0) pm__string_format(p->out, "%*s", GAP, "");
  while (length-- > 0) pm__string_add(p->out, "#");
}

static void write_part(const page *p, const pm_report_line *line, bool bar)
{
  pm__string_format(p->out, "%*s", QUANTITY_WIDTH, line->text);
  write_share(p, line->share);
  if (bar) write_bar(p, line->share);
  pm__string_add(p->out, "\n");
}

static void write_line(const page *p, const pm_report_line *line, pm_report_style style)
{
  if (style == PM_REPORT_STYLE_SENTENCES) {
    pm__write_folded(p->out, line->text, p->width, 0);
    pm__string_add(p->out, "\n");
    return;
  }
  write_label(p, line->label);
  if (isnan(line->share)) write_value(p, line);
  else write_part(p, line, style == PM_REPORT_STYLE_PARTS);
}

/* Sentences without a title go on where sentences ended. */
static bool begins_paragraph(const pm_report *report, size_t i)
{
  const pm_report_block *block = &report->entries[i].block;
  if (i == 0) return false;
  return block->style != PM_REPORT_STYLE_SENTENCES || block->title[0] != '\0' ||
         block->style != report->entries[i - 1].block.style;
}

void pm__report_write_text(pm__string *out, const pm_report *report, int width)
{
  page p = {.out = out, .width = width > 0 && width < PAGE ? (size_t)width : PAGE};
  for (size_t i = 0; i < report->count && !out->failed; i++) {
    const pm__report_entry *entry = &report->entries[i];
    p.column = column_of(report, &entry->block);
    if (begins_paragraph(report, i)) pm__string_add(out, "\n");
    if (entry->block.title[0] != '\0') pm__string_format(out, "%s\n", entry->block.title);
    for (size_t j = 0; j < entry->block.count; j++) write_line(&p, &entry->lines[j], entry->block.style);
    if (entry->table != NULL) pm__write_text(out, entry->table, width, entry->most, 0);
  }
}
