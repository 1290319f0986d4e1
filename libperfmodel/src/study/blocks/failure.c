/* Why there is no prediction. */
#include "study/blocks/blocks.h"

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (s->count != 1 || s->outcome.status == PM_OK) return;
  const pm_choice *status = pm__study_choice("prediction", "status", s->outcome.status);
  pm__report_add(r, "status", "No prediction: %s.", status->doc);
  pm__report_summarize(r, "no prediction: %s", status->name);
}

const pm__study_block pm__study_block_failure = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
