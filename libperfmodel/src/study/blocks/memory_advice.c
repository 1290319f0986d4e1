/* Single changes after which a step fits, or fits better; where none is enough, those that save most. */
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

enum { MOST = 8, LEAST = 3 };

static void fill(const pm__study_subject *s, pm_report *r)
{
  pm_memory_advice rows[MOST];
  char number[PM_NUMBER_MAX], verdict[PM_TEXT_MAX];
  if (!s->trains || s->use.verdict <= PM_VERDICT_FITS) return;
  pm_error error = PM_ERROR_NONE;
  int count = pm_prediction_get_advice(s->plan, &s->run, rows, MOST, &error), helping = 0;
  pm__report_check(r, error.status);
  for (int i = 0; i < count; i++)
    if (rows[i].verdict < s->use.verdict) rows[helping++] = rows[i];
  if (helping == 0) pm__report_set_title(r, "No single change is enough; the largest savings");
  count = helping > 0 ? helping : count < LEAST ? count : LEAST;
  for (int i = 0; i < count; i++) {
    pm__report_add_quantity(r, rows[i].change, rows[i].total, "B");
    bool some = rows[i].largest_batch >= 1;
    pm__report_note(r, ": %s%s%s", pm__study_verdict(rows[i].verdict, verdict), some ? ", largest micro-batch " : "",
                    some ? pm_number_format(number, rows[i].largest_batch) : "");
  }
}

const pm__study_block pm__study_block_memory_advice = {
  .title = "What would help", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_MEMORY] = fill}};
