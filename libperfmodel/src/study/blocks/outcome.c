/* The answer: rate, interval, time. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

static void add_rate(pm_report *r, double rate, double low, double high, double tokens)
{
  char from[PM__REPORT_WORD], to[PM__REPORT_WORD];
  pm__report_add_quantity(r, "throughput", rate, "samples/s");
  pm__report_summarize(r, "%s", pm__report_quantity(from, rate, "samples/s"));
  if (!isnan(low))
    pm__report_note(r, "\n%s to %s (80 %% prediction interval)", pm__report_quantity(from, low, "1"),
                    pm__report_quantity(to, high, "1"));
  if (isnan(tokens)) return;
  pm__report_add_quantity(r, "token rate", tokens, "tokens/s");
  pm__report_summarize(r, "%s", pm__report_quantity(from, tokens, "tokens/s"));
}

static void add_time(pm_report *r, const char *label, double time)
{
  char text[PM__REPORT_WORD];
  pm__report_add_quantity(r, label, time, "s");
  pm__report_summarize(r, "%s %s", label, pm__report_quantity(text, time, "s"));
}

/* "2 h 5 min", "4 min 15 s", "12.3 s". */
static const char *duration(char text[PM__REPORT_WORD], double seconds)
{
  if (seconds < 60) return pm__report_quantity(text, seconds, "s");
  double minutes = rint(seconds / 60);
  if (seconds < 3570) {
    double whole = floor(rint(seconds) / 60);
    snprintf(text, PM__REPORT_WORD, "%.0f min %.0f s", whole, rint(seconds) - whole * 60);
  } else snprintf(text, PM__REPORT_WORD, "%.0f h %.0f min", floor(minutes / 60), minutes - floor(minutes / 60) * 60);
  return text;
}

static void add_epoch(const pm__study_subject *s, pm_report *r)
{
  char text[PM__REPORT_WORD], number[PM_NUMBER_MAX];
  if (isnan(s->run.epoch_samples)) return;
  pm__report_add(r, "epoch time", "%s", duration(text, s->step.epoch_time));
  pm__report_set_value(r, s->step.epoch_time, "s");
  pm__report_note(r, ", %s GPU-hours  (%s samples%s%s)", pm__report_quantity(text, s->step.gpu_hours, "1"),
                  pm_number_format(number, s->run.epoch_samples), s->dataset != NULL ? " of " : "",
                  s->dataset != NULL ? s->dataset : "");
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  const pm_prediction *p = &s->step;
  if (p->status != PM_OK) return;
  add_rate(r, p->throughput, p->throughput_p10, p->throughput_p90, p->tokens_per_second);
  add_time(r, "step time", p->step_time);
  add_epoch(s, r);
}

static void fill_call(const pm__study_subject *s, pm_report *r)
{
  const pm_inference *p = &s->inference;
  if (s->call_count != 1 || p->status != PM_OK) return;
  add_rate(r, p->throughput, p->throughput_p10, p->throughput_p90, p->tokens_per_second);
  add_time(r, "latency", p->latency);
}

const pm__study_block pm__study_block_outcome = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
