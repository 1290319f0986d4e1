/* One field: what it is, how wide its interval is, its formula, and the formula with the numbers put in. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "study/blocks/blocks.h"
#include "study/named.h"

enum { NAME = PM__TASK_FORMULA_NAME + 8 };

static double end_of(const pm__study_subject *s, const char *name, const char *end)
{
  char field[NAME];
  snprintf(field, sizeof field, "%s%s", name, end);
  return pm__study_number(s, field);
}

/* Its own interval, or one as wide as that of the field that it is like. */
static bool find_interval(const pm__study_subject *s, double value, double ends[2])
{
  const char *name = s->field->name, *like = s->formula.like;
  ends[0] = end_of(s, name, "_p10");
  ends[1] = end_of(s, name, "_p90");
  if (!isnan(ends[0])) return true;
  double factor = like[0] != '\0' ? end_of(s, like, "_p90") / pm__study_number(s, like) : (double)NAN;
  ends[0] = value / factor;
  ends[1] = value * factor;
  return factor > 1 && value > 0 && strstr(name, "_p10") == NULL && strstr(name, "_p90") == NULL;
}

static void add_value(const pm__study_subject *s, const pm__study_named *value, pm_report *r)
{
  double ends[2];
  char low[PM__REPORT_WORD], high[PM__REPORT_WORD];
  pm__report_add(r, s->field->name, "%s", value->text);
  if (value->unit[0] != '\0') pm__report_set_value(r, value->number, value->unit);
  if (find_interval(s, value->number, ends))
    pm__report_note(r, "\n%s\n%s to %s (80 %% prediction interval)", s->field->doc,
                    pm__study_number_text(s->field, ends[0], low), pm__study_number_text(s->field, ends[1], high));
  else pm__report_note(r, "\n%s\nwithout an interval of its own", s->field->doc);
  pm__report_summarize(r, "%s: %s %s", s->totals.id, s->field->name, value->text);
}

/* The formula, each name with its value. */
static void put_in(const pm__study_subject *s, pm__string *out)
{
  char name[PM__TASK_FORMULA_NAME];
  pm__study_named value;
  const char *at = s->formula.text, *from = at;
  while (pm__task_formula_next(&at, name)) {
    pm__string_format(out, "%.*s", (int)(at - from - (ptrdiff_t)strlen(name)), from);
    pm__string_add(out, pm__study_find_named(s, name, &value) ? value.text : "unknown");
    from = at;
  }
  pm__string_add(out, from);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm__study_named value;
  pm__string numbers = {NULL, 0, 0, false};
  if (!pm__study_find_named(s, s->field->name, &value)) return;
  add_value(s, &value, r);
  if (!s->formula.exact) {
    pm__report_add(r, "how it is computed", "%s", s->formula.text);
    return;
  }
  put_in(s, &numbers);
  if (numbers.failed) r->failed = true;
  else {
    pm__report_add(r, "formula", "%s", s->formula.text);
    pm__report_note(r, "\n= %s", numbers.text);
  }
  pm_string_free(numbers.text);
}

const pm__study_block pm__study_block_explained = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_FIELD] = fill}};
