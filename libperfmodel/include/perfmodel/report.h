/*
** Reports: a prediction as a readable document. A report is a list of blocks, and a block is a list of lines, each with
** a label, a value with its unit, a share of the whole and a note.
**
** The library makes reports (pm_study_new_report in study.h), so all labels and notes are written once. The command,
** Python, Lua and notebooks only select a rendering:
**
**     pm_report *report = pm_study_new_report(study, &question, &error);
**     char *text = pm_report_format(report, PM_RENDERING_TEXT, 80, &error);
**     fputs(text, stdout);
**     pm_string_free(text);
**     pm_report_free(report);
**
** Programs read the lines themselves, or as a table.
*/
#ifndef PERFMODEL_REPORT_H
#define PERFMODEL_REPORT_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: a finished document, which never changes. Threads may share it. */
typedef struct pm_report pm_report;

/* One line. Its texts live as long as the report. */
typedef struct pm_report_line {
  const char *label; /* "forward"; for a sentence its topic, which renderings omit */
  const char *text;  /* the formatted value, "2.518 ms"; or the whole sentence */
  double value;      /* in SI units; NAN: text only */
  const char *unit;  /* of the value: "s", "B", "samples/s"; "1": a plain number; "": text only */
  double share;      /* of the whole that the block divides, 0 to 1; NAN: none */
  const char *joint; /* separator of text and note: " ", ", ", ": ", "; ", or "\n" for a separate line */
  const char *note;  /* remark on the value; "" if none */
} pm_report_line;

/* The layout of a block. */
typedef enum pm_report_style {
  PM_REPORT_STYLE_SENTENCES, /* text, wrapped */
  PM_REPORT_STYLE_VALUES,    /* a label and a value on a line */
  PM_REPORT_STYLE_PARTS,     /* the same, with shares and their bars */
  PM_REPORT_STYLE_TABLE      /* rows of a table instead of lines */
} pm_report_style;

/* One block. It lives as long as the report. */
typedef struct pm_report_block {
  const char *name;  /* for programs: "step_time" */
  const char *title; /* for people: "Time of one step"; "" if none */
  pm_report_style style;
  const pm_report_line *lines;
  size_t count;          /* of lines */
  const pm_table *table; /* of PM_REPORT_STYLE_TABLE; else NULL */
} pm_report_block;

/* Releases the report; NULL is none. */
PM_API void pm_report_free(pm_report *report);

/* The block of that index, from 0 in reading order; NULL past the last. */
PM_API const pm_report_block *pm_report_get_block(const pm_report *report, size_t index);

/* All lines as a table: block, label, text, value, share, unit, note. Owned by the caller; NULL with an error. */
PM_API pm_table *pm_report_tabulate(const pm_report *report, pm_error *error);

/* The whole report as one string, which the caller releases with pm_string_free; NULL with an error. `width` is of text
** and counts characters: lines are at most that long, and at most 100 (0: a page of 100); tables are as wide as `width`
** allows. */
PM_API char *pm_report_format(const pm_report *report, pm_rendering rendering, int width, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
