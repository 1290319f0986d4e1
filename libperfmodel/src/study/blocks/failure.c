/* Why there is no prediction. */
#include "study/blocks/blocks.h"

static void say(pm_report *r, int32_t status)
{
  const pm_choice *choices = pm_record_find_field(pm_record_type_find("prediction"), "status")->choices;
  if (status == PM_OK) return;
  pm__report_add(r, "status", "No prediction: %s.", choices[status].doc);
  pm__report_summarize(r, "no prediction: %s", choices[status].name);
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  say(r, s->step.status);
}

static void fill_call(const pm__study_subject *s, pm_report *r)
{
  if (s->call_count == 1) say(r, s->inference.status);
}

const pm__study_block pm__study_block_failure = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
