/* What the numbers rest on, and which way they err. */
#include <stdio.h>
#include <string.h>
#include "study/blocks/blocks.h"

static void add(pm_report *r, int32_t status, const char *end)
{
  char word[PM_TEXT_MAX];
  const pm_choice *choice = pm__study_choice("prediction", "calibration", status);
  pm__report_add(r, "calibration", "%s: %s%s", pm__study_sentence(choice->name, word), choice->doc, end);
}

static bool is_roofline(const pm__study_subject *s)
{
  return pm__study_run_number(s, "kernel_model") == PM_KERNEL_MODEL_ROOFLINE ||
         pm_system_get_kernels(s->system) == NULL;
}

/* Rows behind the kernels of the GPU. */
static void add_kernels(const pm__study_subject *s, pm_report *r)
{
  if (is_roofline(s) || !pm__study_predicted(s)) return;
  pm_error error = PM_ERROR_NONE;
  int32_t precision = pm__task_get(&s->record, s->task->at.precision);
  char *rows = pm_catalog_explain_calibration(s->study->catalog, s->gpu, precision, &error);
  pm__report_check(r, error.status);
  if (rows != NULL) pm__report_add(r, "kernels", "Kernels: %s.", rows);
  pm_string_free(rows);
}

static pm__task_outcome outcome_of(const pm__study_subject *s, size_t i)
{
  return s->task->read((const char *)s->answers + i * s->task->answer_size);
}

/* The prediction interval of the first of several runs that has one: they differ in it only where kernels do. */
static void add_interval(const pm__study_subject *s, pm_report *r)
{
  for (size_t i = 0; i < s->count; i++) {
    const pm__task_outcome p = outcome_of(s, i);
    if (p.status != PM_OK || !(p.throughput_p10 > 0)) continue;
    pm__report_add(r, "interval",
                   "80 %% prediction interval: measured rates between %.2f and %.2f of the predicted ones.",
                   p.throughput_p10 / p.throughput, p.throughput_p90 / p.throughput);
    return;
  }
}

/* What the word does not say: of inference, whether the profile was fitted. */
static const char *rest(const pm__study_subject *s)
{
  const pm_inference_profile *profile = s->software.profile;
  const pm_engine_profile *engine = s->software.engine;
  if (engine != NULL)
    return engine->engine.origin == PM_ORIGIN_FITTED ? "; constants of the engine fitted to measurements."
                                                     : "; constants of the engine assumed, not fitted to measurements.";
  if (profile != NULL)
    return profile->origin == PM_ORIGIN_FITTED ? "; constants of the profile fitted to measurements."
                                               : "; constants of the profile assumed, not fitted to inference.";
  return is_roofline(s)
           ? "; kernels at the plain roofline of datasheet peaks. This is an upper bound for kernels that do all of "
             "the arithmetic; measured runs are slower, perfmodel validate shows by how much."
           : "; perfmodel validate compares it with measured runs.";
}

/* Each word that an answer has, once. */
static void fill(const pm__study_subject *s, pm_report *r)
{
  bool said[PM_CALIBRATION_STATUS_COUNT] = {[PM_CALIBRATION_STATUS_NONE] = true};
  if (s->count > 1) add_interval(s, r);
  for (size_t i = 0; i < s->count; i++) {
    int32_t status = outcome_of(s, i).calibration;
    if (!said[status]) add(r, status, rest(s));
    said[status] = true;
  }
  add_kernels(s, r);
}

/* Of one number, where it rests on times. */
static void fill_field(const pm__study_subject *s, pm_report *r)
{
  if (strcmp(s->field->unit, "B") != 0) fill(s, r);
}

const pm__study_block pm__study_block_calibration = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM_REPORT_OF_ANSWERS] = fill, [PM_REPORT_OF_FIELD] = fill_field}};
