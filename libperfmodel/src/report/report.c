/* Reports: blocks of lines, put together and read. */
#include "report/report.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"

/* ---- Making ---- */

pm_report *pm__report_new(size_t label_width)
{
  pm_report *report = (pm_report *)calloc(1, sizeof *report);
  if (report != NULL) report->label_width = label_width;
  return report;
}

void pm_report_free(pm_report *report)
{
  if (report == NULL) return;
  for (size_t i = 0; i < report->count; i++) {
    free(report->entries[i].lines);
    pm_table_free(report->entries[i].table);
  }
  free(report->entries);
  free(report->summary.text);
  pm__arena_free(&report->arena);
  free(report);
}

void pm__report_check(pm_report *report, int status)
{
  if (status == PM_STATUS_NO_MEMORY) report->failed = true;
}

static pm__report_entry *last_entry(pm_report *report)
{
  return report->count > 0 && !report->failed ? &report->entries[report->count - 1] : NULL;
}

/* A block that stayed empty is none. */
static void drop_empty(pm_report *report)
{
  const pm__report_entry *last = last_entry(report);
  if (last == NULL || last->block.count > 0 || last->table != NULL) return;
  free(last->lines);
  report->count--;
}

void pm__report_open(pm_report *report, const char *name, const char *title, pm_report_style style)
{
  drop_empty(report);
  if (report->failed) return;
  pm__report_entry *entries =
    (pm__report_entry *)pm__grow(report->entries, report->count, &report->capacity, sizeof *entries);
  if (entries == NULL) {
    report->failed = true;
    return;
  }
  report->entries = entries;
  entries[report->count++] =
    (pm__report_entry){.block = {.name = name, .title = title, .style = style}, .most = SIZE_MAX};
}

pm_report *pm__report_finish(pm_report *report, pm_error *error)
{
  if (report != NULL) drop_empty(report);
  if (report != NULL && !report->failed && !report->summary.failed) return report;
  pm__no_memory(error);
  pm_report_free(report);
  return NULL;
}


void pm__report_set_table(pm_report *report, pm_table *table)
{
  pm__report_entry *entry = last_entry(report);
  if (entry == NULL) pm_table_free(table);
  else entry->block.table = entry->table = table;
}

void pm__report_limit(pm_report *report, size_t most)
{
  pm__report_entry *entry = last_entry(report);
  if (entry != NULL) entry->most = most;
}

static const char *keep(pm_report *report, const char *text)
{
  const char *copy = pm__arena_copy(&report->arena, text, strlen(text));
  if (copy == NULL) report->failed = true;
  return copy != NULL ? copy : "";
}

static const char *keep_formatted(pm_report *report, const char *format, va_list arguments)
{
  char text[2048];
  vsnprintf(text, sizeof text, format, arguments);
  return keep(report, text);
}

void pm__report_set_title(pm_report *report, const char *format, ...)
{
  pm__report_entry *entry = last_entry(report);
  va_list arguments;
  if (entry == NULL) return;
  va_start(arguments, format);
  entry->block.title = keep_formatted(report, format, arguments);
  va_end(arguments);
}

/* A line at the end of the open block; NULL without one, or without memory. */
static pm_report_line *add_line(pm_report *report, const char *label)
{
  pm__report_entry *entry = last_entry(report);
  if (entry == NULL) return NULL;
  pm_report_line *lines = (pm_report_line *)pm__grow(entry->lines, entry->block.count, &entry->capacity, sizeof *lines);
  if (lines == NULL) return report->failed = true, (pm_report_line *)NULL;
  entry->block.lines = entry->lines = lines;
  pm_report_line *line = &lines[entry->block.count++];
  *line = (pm_report_line){keep(report, label), "", NAN, "", NAN, " ", ""};
  return line;
}

void pm__report_add(pm_report *report, const char *label, const char *format, ...)
{
  va_list arguments;
  pm_report_line *line = add_line(report, label);
  if (line == NULL) return;
  va_start(arguments, format);
  line->text = keep_formatted(report, format, arguments);
  va_end(arguments);
}

static pm_report_line *last_line(pm_report *report)
{
  const pm__report_entry *entry = last_entry(report);
  return entry != NULL && entry->block.count > 0 ? &entry->lines[entry->block.count - 1] : NULL;
}

void pm__report_set_value(pm_report *report, double value, const char *unit)
{
  pm_report_line *line = last_line(report);
  if (line == NULL) return;
  line->value = value;
  line->unit = keep(report, unit);
}

void pm__report_add_quantity(pm_report *report, const char *label, double value, const char *unit)
{
  char text[PM__REPORT_WORD];
  pm__report_add(report, label, "%s", pm__report_quantity(text, value, unit));
  pm__report_set_value(report, value, unit);
}

void pm__report_add_part(pm_report *report, const char *label, double value, const char *unit, double whole)
{
  pm__report_add_quantity(report, label, value, unit);
  pm__report_set_share(report, value / whole);
}

void pm__report_set_share(pm_report *report, double share)
{
  pm_report_line *line = last_line(report);
  if (line != NULL) line->share = share;
}

void pm__report_add_ratio(pm_report *report, const char *label, double ratio)
{
  char text[PM__REPORT_WORD];
  pm__report_add(report, label, "%s", pm__report_percent(text, ratio));
  pm__report_set_value(report, ratio, "1");
}

/* What a note may begin with. */
static const char *const joints[] = {", ", ": ", "; ", "\n"};

void pm__report_note(pm_report *report, const char *format, ...)
{
  va_list arguments;
  pm_report_line *line = last_line(report);
  if (line == NULL) return;
  va_start(arguments, format);
  line->note = keep_formatted(report, format, arguments);
  va_end(arguments);
  for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
    if (strncmp(line->note, joints[i], strlen(joints[i])) != 0) continue;
    line->joint = joints[i];
    line->note += strlen(joints[i]);
  }
}

void pm__report_summarize(pm_report *report, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (report->summary.length > 0) pm__string_add(&report->summary, ", ");
  pm__string_add(&report->summary, text);
}

/* ---- Words ---- */

const char *pm__report_quantity(char text[PM__REPORT_WORD], double value, const char *unit)
{
  const char *const per_second = strstr(unit, "s/s");
  pm_quantity_format(text, PM__REPORT_WORD, value, per_second != NULL ? "1" : unit);
  size_t used = strlen(text);
  if (per_second != NULL) snprintf(text + used, PM__REPORT_WORD - used, " %s", unit);
  return text;
}

const char *pm__report_percent(char text[PM__REPORT_WORD], double share)
{
  char number[PM_NUMBER_MAX];
  snprintf(text, PM__REPORT_WORD, "%s %%", pm_number_format(number, rint(share * 1000) / 10));
  return text;
}

const char *pm__report_count(char text[PM__REPORT_WORD], double value, const char *noun)
{
  char number[PM_NUMBER_MAX];
  snprintf(text, PM__REPORT_WORD, "%s %s%s", pm_number_format(number, value), noun, value == 1 ? "" : "s");
  return text;
}

/* ---- Reading ---- */

const pm_report_block *pm_report_get_block(const pm_report *report, size_t index)
{
  return report != NULL && index < report->count ? &report->entries[index].block : NULL;
}

void pm__report_write_value(pm__string *out, const pm_report_line *line)
{
  pm__string_add(out, line->text);
  if (line->note[0] == '\0') return;
  pm__string_add(out, line->joint);
  pm__string_add(out, line->note);
}
