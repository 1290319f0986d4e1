/* How much of what GPUs could do a run gets. */
#include <math.h>
#include "study/blocks/blocks.h"

static void add_scaling(const pm__study_subject *s, pm_report *r)
{
  char gpus[PM__REPORT_WORD];
  double strong = pm__study_number(s, "strong_scaling_efficiency");
  if (pm__study_gpus(s) == 1 || isnan(pm__study_number(s, "scaling_efficiency"))) return;
  pm__report_count(gpus, pm__study_gpus(s), "GPU");
  pm__report_add_ratio(r, "weak scaling", pm__study_number(s, "scaling_efficiency"));
  pm__report_note(r, "of %s, each alone with this batch", gpus);
  if (isnan(strong)) return; /* nobody asked for it */
  pm__report_add_ratio(r, "strong scaling", strong);
  pm__report_note(r, "of %s, each alone with the whole batch", gpus);
}

static void add_utilization(const pm__study_subject *s, pm_report *r)
{
  double mfu = pm__study_number(s, "mfu"), hfu = pm__study_number(s, "hfu"), rate = pm__study_number(s, "flop_rate");
  int32_t precision = pm__task_get(&s->record, s->task->at.precision);
  char text[PM__REPORT_WORD], peak[PM__REPORT_WORD];
  pm__report_add_ratio(r, "MFU", mfu);
  pm__report_summarize(r, "MFU %s", pm__report_percent(text, mfu));
  pm__report_note(r, ": %s of %s per GPU", pm__report_quantity(text, rate, "FLOP/s"),
                  pm__report_quantity(peak, pm_gpu_get_matrix_peak(s->gpu, precision), "FLOP/s"));
  if (hfu == mfu) return;
  pm__report_add_ratio(r, "HFU", hfu);
  pm__report_note(r, ": %s",
                  hfu > mfu ? "recomputation included" : "Winograd and FFT execute less than is counted");
}

/* Of a pass that decodes. */
static void add_bandwidth(const pm__study_subject *s, pm_report *r)
{
  double mbu = pm__study_number(s, "mbu");
  char least[PM__REPORT_WORD], time[PM__REPORT_WORD];
  if (isnan(mbu)) return;
  pm__report_add_ratio(r, "MBU", mbu);
  pm__report_note(r, ": reading weights and cache once takes %s of %s",
                  pm__report_quantity(least, pm__study_number(s, "least_step_time"), "s"),
                  pm__report_quantity(time, pm__study_number(s, "step_time"), "s"));
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_predicted(s)) return;
  add_scaling(s, r);
  if (pm__study_serves(s)) add_bandwidth(s, r);
  else add_utilization(s, r);
}

const pm__study_block pm__study_block_efficiency = {
  .title = "Efficiency", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
