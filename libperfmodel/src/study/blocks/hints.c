/* What one change would give: 16 bits, another layout of tensors, padded products. */
#include <math.h>
#include <stdio.h>
#include "study/blocks/blocks.h"

enum { WORDS = 256 };

static void add(pm_report *r, const char *change, double rate)
{
  char text[PM__REPORT_WORD];
  pm__report_add(r, "hint", "%s, this run would reach %s.", change, pm__report_quantity(text, rate, "samples/s"));
  pm__report_set_value(r, rate, "samples/s");
}

static void add_half(const pm__study_subject *s, pm_report *r, double rate)
{
  char change[WORDS];
  const pm_choice *precisions = pm_record_find_field(pm_record_type_find("run"), "precision")->choices;
  snprintf(change, sizeof change, "In %s", precisions[pm__study_half(s)].name);
  add(r, change, rate);
}

static void add_layout(const pm__study_subject *s, pm_report *r, double rate)
{
  double other = pm__study_channels_last_rate(s, r);
  if (fabs(other / rate - 1) >= 0.005) add(r, "With tensors in channels_last", other);
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  pm_prediction half;
  double rate = s->step.throughput;
  if (s->step.status != PM_OK) return;
  if (pm__study_step_in_half(s, r, &half)) add_half(s, r, half.throughput);
  if (s->framework == NULL) return;
  add_layout(s, r, rate);
  double padded = pm__study_padded_rate(s, r);
  if (padded >= 1.01 * rate)
    add(r, "Some matrix products have sides that are not multiples of 16 bytes, which tensor cores read slowly or not "
           "at all. Padded to multiples, as vocabularies often are", padded);
}

/* A batch that a latency decided would be another one. */
static void fill_call(const pm__study_subject *s, pm_report *r)
{
  pm_inference half;
  if (s->call_count != 1 || !isnan(s->latency) || s->inference.status != PM_OK) return;
  if (pm__study_call_in_half(s, r, &half)) add_half(s, r, half.throughput);
  add_layout(s, r, s->inference.throughput);
}

const pm__study_block pm__study_block_hints = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
