/* What fits a GPU that serves: weights, the engine's reserve, the cache, and how many requests it holds. */
#include <math.h>
#include <stdio.h>
#include "perfmodel/units.h"
#include "study/blocks/blocks.h"

/* Requests that fit when each has half of its answer, as they have on average; their longest is `longest`. */
static double mean_concurrency(const pm__study_subject *s)
{
  pm__task_record run = s->record, answer;
  const pm_field *osl = pm_record_find_field(s->run_type, "osl");
  pm_record_set_number(osl, &run, fmax(1, pm__study_run_number(s, "osl") / 2), NULL);
  if (s->task->predict(s->plan, 0, &run, &answer, 1) != PM_OK) return NAN;
  return pm_record_get_number(pm_record_find_field(s->answer_type, "largest_concurrency"), &answer);
}

static void add_count(pm_report *r, const char *label, double count)
{
  char number[PM_NUMBER_MAX];
  pm__report_add(r, label, "%s", pm_number_format(number, count));
  pm__report_set_value(r, count, "1");
}

/* What the cache holds. */
static void add_room(const pm__study_subject *s, pm_report *r)
{
  char longest[PM_NUMBER_MAX], usual[PM_NUMBER_MAX], count[PM_NUMBER_MAX];
  double isl = pm__study_run_number(s, "isl"), osl = pm__study_run_number(s, "osl");
  pm__report_add_quantity(r, "each token", pm__study_number(s, "token_memory"), "B");
  pm__report_note(r, "of keys and values, over all GPUs of a replica");
  add_count(r, "tokens", pm__study_number(s, "cache_tokens"));
  pm__report_note(r, "fit the cache of a replica");
  add_count(r, "requests", pm__study_number(s, "largest_concurrency"));
  pm__report_note(r, "of %s tokens fit a replica at once;\n%s of %s tokens, their mean length",
                  pm_number_format(longest, isl + osl), pm_number_format(count, mean_concurrency(s)),
                  pm_number_format(usual, isl + fmax(1, osl / 2)));
}

/* A run that does not fit has only what needs the room. */
static void add_parts(const pm__study_subject *s, pm_report *r)
{
  char usable[PM__REPORT_WORD], needed[PM__REPORT_WORD], verdict[PM_TEXT_MAX];
  double weights = pm__study_number(s, "weight_memory"), reserve = pm__study_number(s, "reserve_memory");
  int32_t status = (int32_t)pm__study_number(s, "verdict");
  pm__report_quantity(usable, pm__study_number(s, "gpu_memory"), "B");
  pm__report_add_quantity(r, "weights", weights, "B");
  pm__report_note(r, "of %s: %s", usable, pm__study_verdict(status, verdict));
  pm__report_add_quantity(r, "engine's reserve", reserve, "B");
  pm__report_note(r, "for activations, graphs and libraries");
  pm__report_add_quantity(r, "cache", pm__study_number(s, "cache_memory"), "B");
  pm__report_note(r, "for keys and values");
  pm__report_summarize(r, "weights %s of %s: %s", pm__report_quantity(needed, weights, "B"), usable, verdict);
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_serves(s) || s->count != 1 || isnan(pm__study_number(s, "weight_memory"))) return;
  add_parts(s, r);
  add_room(s, r);
}

/* The parts are beside it. */
static void fill_memory(const pm__study_subject *s, pm_report *r)
{
  if (!pm__study_serves(s)) return;
  pm__report_set_title(r, "Cache");
  add_room(s, r);
}

const pm__study_block pm__study_block_cache = {
  .title = "Memory of each GPU", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill, [PM_REPORT_OF_MEMORY] = fill_memory}};
