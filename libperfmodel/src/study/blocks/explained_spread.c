/*
** Why a field is uncertain: what each cause alone would make of it, and its share of the variance. Measured over
** predicted is taken as log-normal, so variances of the logarithm add up.
*/
#include <math.h>
#include <string.h>
#include "hardware/spread.h"
#include "study/blocks/blocks.h"

/* Energy is a draw times a time, whose interval is that of the rate. */
static int of_energy(const pm__study_subject *s, pm__task_spread spreads[PM__TASK_PARTS])
{
  const pm__task_outcome *o = &s->outcome;
  double all = pm__interval_variance(pm__study_number(s, "energy_p90") / pm__study_number(s, "energy"));
  double rate = o->throughput_p90 > 0 ? pm__interval_variance(o->throughput_p90 / o->throughput) : 0;
  if (!(all > 0)) return 0;
  spreads[0] = (pm__task_spread){"draw of the boards", fmax(0, all - rate)};
  spreads[1] = (pm__task_spread){"time, as of the rate", rate};
  return 2;
}

static int list(const pm__study_subject *s, pm__task_spread spreads[PM__TASK_PARTS])
{
  const char *like = s->formula.like;
  if (like[0] == '\0') return 0;
  return strcmp(like, "energy") == 0 ? of_energy(s, spreads)
                                     : s->task->list_spreads(s->plan, &s->record, like, spreads);
}

/* "10.3 %" of a spread is what it makes alone: 8 of 10 measured rates lie within 1.28 times it. */
static void fill(const pm__study_subject *s, pm_report *r)
{
  pm__task_spread spreads[PM__TASK_PARTS];
  double all = 0;
  char text[PM__REPORT_WORD];
  int count = list(s, spreads);
  for (int i = 0; i < count; i++) all += spreads[i].square;
  for (int i = 0; i < count; i++) {
    if (!(spreads[i].square > 0)) continue;
    pm__report_add(r, spreads[i].label, "+-%s", pm__report_percent(text, sqrt(spreads[i].square)));
    pm__report_set_value(r, spreads[i].square, "1");
    pm__report_set_share(r, spreads[i].square / all);
  }
}

const pm__study_block pm__study_block_explained_spread = {
  .title = "Why it is uncertain: what each would make alone, and its share of the variance",
  .style = PM_REPORT_STYLE_PARTS,
  .fill = {[PM_REPORT_OF_FIELD] = fill}};
