/* What an input path brings to a node, and how long its GPUs wait. */
#include <math.h>
#include "study/blocks/blocks.h"

/* Where the path has no limit there is nothing that could be off. */
static void note_interval(const pm_input_rates *p, pm_report *r)
{
  char from[PM__REPORT_WORD], to[PM__REPORT_WORD];
  const char *word = pm__study_choice("input_rates", "calibration", p->calibration)->name;
  if (p->calibration == PM_CALIBRATION_STATUS_NONE || isnan(p->throughput_p10)) return;
  if (p->throughput_p10 == p->throughput_p90)
    pm__report_note(r, "per node; it keeps up within its 80 %% prediction interval (%s)", word);
  else
    pm__report_note(r, "per node, %s to %s (80 %% prediction interval, %s)",
                    pm__report_quantity(from, p->throughput_p10, "1"),
                    pm__report_quantity(to, p->throughput_p90, "1"), word);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  char text[PM__REPORT_WORD];
  const pm_input_rates *p = (const pm_input_rates *)s->asked->answers;
  pm__report_add_quantity(r, "throughput", p->throughput, "samples/s");
  pm__report_summarize(r, "%s", pm__report_quantity(text, p->throughput, "samples/s"));
  pm__report_summarize(r, "bottleneck %s", pm__study_choice("input_rates", "bottleneck", p->bottleneck)->name);
  pm__report_note(r, "per node");
  note_interval(p, r);
  pm__report_add_quantity(r, "of all nodes", p->total, "samples/s");
  if (!isnan(p->gpu_busy)) {
    pm__report_add_ratio(r, "GPUs", p->gpu_busy);
    pm__report_note(r, "busy, %s waiting for input", pm__report_percent(text, p->input_wait_share));
  }
  pm__report_add_quantity(r, "bytes", p->storage_rate, "B/s");
  pm__report_note(r, "from storage");
  if (!(p->cached > 0)) return;
  pm__report_add_ratio(r, "page cache", p->cached);
  pm__report_note(r, "of the set, answers %.1f %% of reads (LRU %.1f, random %.1f)", 100 * p->hits,
                  100 * p->hits_least, 100 * p->hits_most);
}

const pm__study_block pm__study_block_input_rate = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_INPUT] = fill}};
