/* The answer: rate, interval, time. */
#include <math.h>
#include <stdio.h>
#include "network/network.h"
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

/* A call of a language model reads a prompt. */
static bool reads_prompts(const pm__study_subject *s)
{
  return !s->trains && s->network != NULL && pm__network_get_traits(s->network).language_model;
}

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
  double samples = pm__study_run_number(s, "epoch_samples"), time = pm__study_number(s, "epoch_time");
  const char *dataset = s->asked->dataset;
  if (isnan(samples)) return;
  pm__report_add(r, "epoch time", "%s", duration(text, time));
  pm__report_set_value(r, time, "s");
  pm__report_note(r, ", %s GPU-hours  (%s samples%s%s)",
                  pm__report_quantity(text, pm__study_number(s, "gpu_hours"), "1"), pm_number_format(number, samples),
                  dataset != NULL ? " of " : "", dataset != NULL ? dataset : "");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm__task_outcome *o = &s->outcome;
  if (!pm__study_predicted(s) || pm__study_serves(s)) return;
  add_rate(r, o->throughput, o->throughput_p10, o->throughput_p90, pm__study_number(s, "tokens_per_second"));
  if (reads_prompts(s) && s->task->software != PM__TASK_ENGINES)
    pm__report_note(r, "\nof prompts (prefill), not of generated tokens; perfmodel serve predicts those");
  add_time(r, s->task->time, o->time);
  add_epoch(s, r);
}

const pm__study_block pm__study_block_outcome = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
