/* How much of what GPUs could do a run gets. */
#include <math.h>
#include "study/blocks/blocks.h"

static void add_scaling(const pm__study_subject *s, pm_report *r)
{
  char gpus[PM__REPORT_WORD];
  if (pm__study_gpus(s) == 1 || isnan(s->step.scaling_efficiency)) return;
  pm__report_count(gpus, pm__study_gpus(s), "GPU");
  pm__report_add_ratio(r, "weak scaling", s->step.scaling_efficiency);
  pm__report_note(r, "of %s, each alone with this batch", gpus);
  if (isnan(s->step.strong_scaling_efficiency)) return; /* nobody asked for it */
  pm__report_add_ratio(r, "strong scaling", s->step.strong_scaling_efficiency);
  pm__report_note(r, "of %s, each alone with the whole batch", gpus);
}

static void add_utilization(const pm__study_subject *s, pm_report *r, double mfu, double hfu, double rate,
                            int32_t precision)
{
  char text[PM__REPORT_WORD], peak[PM__REPORT_WORD];
  pm__report_add_ratio(r, "MFU", mfu);
  pm__report_summarize(r, "MFU %s", pm__report_percent(text, mfu));
  pm__report_note(r, ": %s of %s per GPU", pm__report_quantity(text, rate, "FLOP/s"),
                  pm__report_quantity(peak, pm_gpu_get_matrix_peak(s->gpu, precision), "FLOP/s"));
  if (hfu == mfu) return;
  pm__report_add_ratio(r, "HFU", hfu);
  pm__report_note(r, ": GPUs execute %s",
                  hfu > mfu ? "some again" : "less than is counted, by Winograd and FFT");
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  const pm_prediction *p = &s->step;
  if (p->status != PM_OK) return;
  add_scaling(s, r);
  add_utilization(s, r, p->mfu, p->hfu, p->flop_rate, s->run.precision);
}

static void fill_call(const pm__study_subject *s, pm_report *r)
{
  const pm_inference *p = &s->inference;
  if (s->call_count == 1 && p->status == PM_OK)
    add_utilization(s, r, p->mfu, p->hfu, p->flop_rate, s->call.precision);
}

const pm__study_block pm__study_block_efficiency = {
  .title = "Efficiency", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
