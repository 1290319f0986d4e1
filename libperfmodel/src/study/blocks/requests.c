/* What requests see of a model that is served: times with their intervals and percentiles, and rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

enum { LINE = 256 };

/* "12.3 ms to 18.4 ms (80 % prediction interval)" of a field, if it has one. */
static void add_interval(const pm__study_subject *s, const char *field, const char *unit, char text[LINE])
{
  char low[PM_TEXT_MAX], high[PM_TEXT_MAX], from[PM__REPORT_WORD], to[PM__REPORT_WORD];
  size_t used = strlen(text);
  snprintf(low, sizeof low, "%s_p10", field);
  snprintf(high, sizeof high, "%s_p90", field);
  if (isnan(pm__study_number(s, low))) return;
  snprintf(text + used, LINE - used, "\n%s to %s (80 %% prediction interval)",
           pm__report_quantity(from, pm__study_number(s, low), unit),
           pm__report_quantity(to, pm__study_number(s, high), unit));
}

/* A mean with the percentile of the run, and its interval. */
static void add_time(const pm__study_subject *s, pm_report *r, const char *label, const char *field)
{
  char late[PM_TEXT_MAX], text[PM__REPORT_WORD], line[LINE] = "";
  double mean = pm__study_number(s, field);
  if (isnan(mean)) return;
  snprintf(late, sizeof late, "%s_percentile", field);
  pm__report_add_quantity(r, label, mean, "s");
  if (isinf(mean)) { /* neither a percentile nor an interval says more */
    pm__report_note(r, "grows while requests arrive, because more arrive than are answered");
    return;
  }
  double percentile = pm__study_number(s, late);
  if (!isnan(percentile))
    snprintf(line, sizeof line, "on average, p%g %s", 100 * pm__study_run_number(s, "percentile"),
             pm__report_quantity(text, percentile, "s"));
  add_interval(s, field, "s", line);
  if (line[0] != '\0') pm__report_note(r, "%s", line);
}

static void add_times(const pm__study_subject *s, pm_report *r)
{
  char first[PM__REPORT_WORD], next[PM__REPORT_WORD];
  add_time(s, r, "TTFT", "ttft");
  add_time(s, r, "TPOT", "tpot");
  add_time(s, r, "latency", "latency");
  if (isnan(pm__study_number(s, "ttft")) || isnan(pm__study_number(s, "tpot"))) return;
  pm__report_summarize(r, "TTFT %s, TPOT %s", pm__report_quantity(first, pm__study_number(s, "ttft"), "s"),
                       pm__report_quantity(next, pm__study_number(s, "tpot"), "s"));
}

static void add_largest_rate(const pm__study_subject *s, pm_report *r)
{
  char word[PM__REPORT_WORD];
  double largest = pm__study_number(s, "largest_rate"), asked = pm__study_run_number(s, "rate");
  if (asked > largest) pm__report_note(r, "of the %s that arrive", pm__report_quantity(word, asked, "requests/s"));
  else pm__report_note(r, "of at most %s", pm__report_quantity(word, largest, "requests/s"));
}

static void add_rates(const pm__study_subject *s, pm_report *r)
{
  char rate[PM__REPORT_WORD], line[LINE] = "";
  double output = pm__study_number(s, "output_rate"), user = pm__study_number(s, "user_rate");
  pm__report_add_quantity(r, "request rate", pm__study_number(s, "request_rate"), "requests/s");
  if (pm__study_run_number(s, "arrivals") == PM_ARRIVALS_OPEN) add_largest_rate(s, r);
  pm__report_add_quantity(r, "output rate", output, "tokens/s");
  add_interval(s, "output_rate", "tokens/s", line);
  if (line[0] != '\0') pm__report_note(r, "%s", line);
  pm__report_summarize(r, "%s", pm__report_quantity(rate, output, "tokens/s"));
  pm__report_add_quantity(r, "per GPU", pm__study_number(s, "gpu_rate"), "tokens/s");
  if (!isnan(user)) pm__report_add_quantity(r, "for each user", user, "tokens/s");
}

/* "8.2 USD for a million output tokens" */
static void add_cost(const pm__study_subject *s, pm_report *r)
{
  const char *currency = s->asked->currency != NULL ? s->asked->currency : "";
  double cost = pm__study_number(s, "output_cost"), gpus = pm__study_number(s, "paid_gpus");
  if (isnan(cost)) return;
  char text[4][PM__REPORT_WORD];
  pm__report_add(r, "cost", "%s%s%s", pm__report_quantity(text[0], cost, "1"), currency[0] != '\0' ? " " : "",
                 currency);
  pm__report_set_value(r, cost, "1");
  pm__report_note(r, "per million output tokens including their prompts; %s per hour for %.0f GPU%s\n"
                  "split by time: %s per million input tokens, %s per million output tokens",
                  pm__report_quantity(text[1], pm__study_number(s, "hour_cost"), "1"), gpus, gpus > 1 ? "s" : "",
                  pm__report_quantity(text[2], pm__study_number(s, "input_cost"), "1"),
                  pm__report_quantity(text[3], pm__study_number(s, "decode_cost"), "1"));
}

static void add_running(const pm__study_subject *s, pm_report *r)
{
  char number[PM_NUMBER_MAX], text[PM__REPORT_WORD];
  double running = pm__study_number(s, "running"), again = pm__study_number(s, "recomputed_tokens");
  pm__report_add(r, "running", "%s", running < 1 ? pm__report_quantity(text, running, "1")
                                                 : pm_number_format(number, rint(10 * running) / 10));
  pm__report_set_value(r, running, "1");
  pm__report_note(r, "sequences at once on a replica, on average");
  if (!(again > 0)) return;
  pm__report_add(r, "recomputed", "%s tokens", pm_number_format(number, rint(again)));
  pm__report_set_value(r, again, "1");
  pm__report_note(r, "of each request: the cache is full, and sequences are preempted");
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_serves(s) || !pm__study_predicted(s)) return;
  add_times(s, r);
  add_rates(s, r);
  add_cost(s, r);
  add_running(s, r);
}

const pm__study_block pm__study_block_requests = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill}};
