/* Two runs side by side: in what they differ, how fast each is, and whether it is certain which is faster. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "network/network.h"
#include "study/blocks/blocks.h"

static const char *text_of(const char *text)
{
  return text[0] != '\0' ? text : "not given";
}

static const void *run_of(const pm__study_subject *s, size_t run)
{
  return (const char *)s->asked->runs + run * s->asked->run_size;
}

static pm__task_outcome outcome_of(const pm__study_subject *s, size_t run)
{
  return s->task->read((const char *)s->answers + run * s->task->answer_size);
}

/* "NVIDIA DGX H100", "pytorch-2.4", "fp16": what a field of a run stands for. */
static const char *value_of(const pm__study_subject *s, size_t run, const pm_field *field, char text[PM_TEXT_MAX])
{
  const void *asked = run_of(s, run);
  const pm_study *study = s->study;
  if (field->offset == s->task->at.system)
    return pm_system_get_machine(study->systems[pm__task_get(asked, s->task->at.system)])->name;
  if (field->offset == s->task->at.network)
    return pm_study_get_network(study, pm__task_get(asked, s->task->at.network))->name;
  if (field->offset != s->task->at.software) return pm_record_format(field, asked, text);
  return pm__task_software_id(s->task, study->plans[study->plan_count - 1], asked);
}

/* Whether it is one of the places, which go without their names. */
static bool is_place(const pm__study_subject *s, const pm_field *field)
{
  return field->offset == s->task->at.system || field->offset == s->task->at.network ||
         field->offset == s->task->at.software;
}

/* "NVIDIA DGX H100, batch 32": the fields in which the two differ. */
static void name_run(const pm__study_subject *s, size_t run, pm__string *out)
{
  const char *between = "";
  for (size_t i = 0; i < s->run_type->field_count; i++) {
    char one[PM_TEXT_MAX], two[PM_TEXT_MAX];
    const pm_field *field = &s->run_type->fields[i];
    bool shared = s->given->global_batch && field->offset == s->task->at.batch; /* it follows from that of all */
    if (shared) continue;
    const char *own = value_of(s, run, field, one), *other = value_of(s, 1 - run, field, two);
    if (strcmp(own, other) == 0) continue;
    pm__string_format(out, "%s%s%s%s", between, is_place(s, field) ? "" : field->name, is_place(s, field) ? "" : " ",
                      text_of(own));
    between = ", ";
  }
  if (out->length == 0) pm__string_add(out, "the same, but for numbers of the hardware");
}

static void add_run(const pm__study_subject *s, size_t run, pm_report *r)
{
  char time[PM__REPORT_WORD], rate[PM__REPORT_WORD], low[PM__REPORT_WORD], high[PM__REPORT_WORD];
  const pm__task_outcome o = outcome_of(s, run);
  pm__string name = {NULL, 0, 0, false};
  name_run(s, run, &name);
  if (name.failed) r->failed = true;
  else {
    pm__report_add(r, run == 0 ? "first run" : "second run", "%s", name.text);
    pm__report_note(r, "\n%s, %s", pm__report_quantity(time, o.time, "s"),
                    pm__report_quantity(rate, o.throughput, pm__study_serves(s) ? "requests/s" : "samples/s"));
    if (!isnan(o.throughput_p10))
      pm__report_note(r, "\n%s, %s (%s to %s in the 80 %% prediction interval)", time, rate,
                      pm__report_quantity(low, o.throughput_p10, "1"),
                      pm__report_quantity(high, o.throughput_p90, "1"));
    pm__report_set_value(r, o.time, "s");
  }
  pm_string_free(name.text);
}

/* What the intervals of the rates leave certain. */
static const char *certainty(const pm__task_outcome *a, const pm__task_outcome *b)
{
  if (isnan(a->throughput_p10) || isnan(b->throughput_p10)) return "how certain that is, is not known";
  bool apart = a->throughput_p90 < b->throughput_p10 || b->throughput_p90 < a->throughput_p10;
  return apart ? "the 80 % intervals are apart"
               : "the 80 % intervals overlap: which of the two is faster is not certain";
}

static void fill(const pm__study_subject *s, pm_report *r)
{
  const pm__task_outcome a = outcome_of(s, 0), b = outcome_of(s, 1);
  double ratio = b.throughput / a.throughput;
  add_run(s, 0, r);
  add_run(s, 1, r);
  pm__report_add(r, "rate", "the second is %.2f times as fast as the first; %s", ratio, certainty(&a, &b));
  pm__report_set_value(r, ratio, "1");
  pm__report_summarize(r, "%s: %.2f times as fast; %s", s->totals.id, ratio, certainty(&a, &b));
  double samples = b.time * b.throughput / (a.time * a.throughput);
  if (fabs(samples - 1) > 1e-9 && !pm__study_serves(s))
    pm__report_add(r, "samples", "a %s of the second has %.4g times the samples of the first", s->task->whole, samples);
}

const pm__study_block pm__study_block_comparison = {
  .title = "", .style = PM_REPORT_STYLE_VALUES,
  .fill = {[PM_REPORT_OF_COMPARISON] = fill}};
