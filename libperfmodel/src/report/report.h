/*
** How a report is built and stored. The caller opens a block and adds its lines; a block without lines is dropped when
** the next one opens. Nothing fails in between: pm__report_finish reports if memory ran out.
*/
#ifndef PM_REPORT_REPORT_H
#define PM_REPORT_REPORT_H

#include "base/base.h"
#include "perfmodel/report.h"

/* A block that grows. */
typedef struct pm__report_entry {
  pm_report_block block;
  pm_report_line *lines;
  size_t capacity;
  pm_table *table; /* owned */
  size_t most;     /* rows of it in text: the first and the last */
} pm__report_entry;

struct pm_report {
  pm__report_entry *entries;
  size_t count, capacity;
  size_t label_width; /* at least so many characters are left for labels */
  pm__string summary;
  pm__arena arena; /* texts */
  bool failed;
};

/* A report without blocks; NULL without memory. */
pm_report *pm__report_new(size_t label_width);

/* The report, or NULL with an error, and freed, if something failed on the way. */
pm_report *pm__report_finish(pm_report *report, pm_error *error);

/* Of what a block asked for: if memory ran out for it, the report fails. Other reasons leave a line out. */
void pm__report_check(pm_report *report, int status);

/* Opens a block; lines go to the last that was opened. `name` and `title` are constants, "" for no title. */
void pm__report_open(pm_report *report, const char *name, const char *title, pm_report_style style);

/* Another title for the open block; it is copied. */
void pm__report_set_title(pm_report *report, const char *format, ...) PM__PRINTF(2, 3);

/* A line of words; of sentences, the label says what the sentence is about. Labels are constants or copied. */
void pm__report_add(pm_report *report, const char *label, const char *format, ...) PM__PRINTF(3, 4);

/* A quantity of a unit that pm_quantity_format knows; any other unit is put behind the number: "samples/s". */
void pm__report_add_quantity(pm_report *report, const char *label, double value, const char *unit);

/* A part of a whole in the same unit. */
void pm__report_add_part(pm_report *report, const char *label, double value, const char *unit, double whole);

/* What the last line has of the whole that the block divides. */
void pm__report_set_share(pm_report *report, double share);

/* A ratio as a percentage: "93 %". */
void pm__report_add_ratio(pm_report *report, const char *label, double ratio);

/* The number behind the last line, if it was added as words. */
void pm__report_set_value(pm_report *report, double value, const char *unit);

/* The note of the last line. Punctuation that it begins with (", ", ": ", "\n") is what joins it to the value. */
void pm__report_note(pm_report *report, const char *format, ...) PM__PRINTF(2, 3);

/* A piece of the summary, after a comma. */
void pm__report_summarize(pm_report *report, const char *format, ...) PM__PRINTF(2, 3);

/* The rows of the open block, which the report owns from here on; NULL: none. */
void pm__report_set_table(pm_report *report, pm_table *table);

/* Text has at most so many of its rows. */
void pm__report_limit(pm_report *report, size_t most);

/* ---- Words that makers of reports share ---- */

enum { PM__REPORT_WORD = 64 };

/* A quantity; "29.5 %"; "8 GPUs". All return `text`. */
const char *pm__report_quantity(char text[PM__REPORT_WORD], double value, const char *unit);
const char *pm__report_percent(char text[PM__REPORT_WORD], double share);
const char *pm__report_count(char text[PM__REPORT_WORD], double value, const char *noun);

/* ---- Renderings: each appends the whole report ---- */

void pm__report_write_text(pm__string *out, const pm_report *report, int width);
void pm__report_write_html(pm__string *out, const pm_report *report);
void pm__report_write_markdown(pm__string *out, const pm_report *report);

/* Value and note of a line in running text. */
void pm__report_write_value(pm__string *out, const pm_report_line *line);

#endif
