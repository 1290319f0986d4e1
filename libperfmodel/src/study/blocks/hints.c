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

static void add_half(const pm__study_subject *s, pm_report *r)
{
  char change[WORDS];
  pm__task_outcome half;
  if (!pm__study_in_half(s, r, &half)) return;
  snprintf(change, sizeof change, "In %s", pm__study_choice("run", "precision", pm__study_half(s))->name);
  add(r, change, half.throughput);
}

/* FP32 alone says no tensor cores, which such software does not do unless it is told. */
static void add_tf32(const pm__study_subject *s, pm_report *r)
{
  double rate = pm__study_tf32_rate(s, r);
  if (isnan(rate)) return;
  add(r, "fp32 uses no tensor cores. By default this software runs convolutions in TF32 (PyTorch: "
         "torch.backends.cudnn.allow_tf32): with precision tf32-conv", rate);
}

static void add_layout(const pm__study_subject *s, pm_report *r, double rate)
{
  double other = pm__study_channels_last_rate(s, r);
  if (fabs(other / rate - 1) >= 0.005) add(r, "With tensors in channels_last", other);
}

/* A batch that a latency decided would be another one. */
static void fill(const pm__study_subject *s, pm_report *r)
{
  double rate = s->outcome.throughput;
  if (!pm__study_predicted(s) || !isnan(s->latency)) return;
  add_half(s, r);
  if (s->software.framework == NULL && s->software.profile == NULL) return;
  add_tf32(s, r);
  add_layout(s, r, rate);
  if (!s->trains) return;
  double padded = pm__study_padded_rate(s, r);
  if (padded >= 1.01 * rate)
    add(r, "Some matrix multiplications have sides that are not multiples of 16 bytes, which tensor cores read slowly "
           "or not at all. Padded to multiples, as vocabularies often are", padded);
}

const pm__study_block pm__study_block_hints = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
