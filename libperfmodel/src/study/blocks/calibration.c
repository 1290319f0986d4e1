/* What the numbers rest on, and which way they err. */
#include <stdio.h>
#include "study/blocks/blocks.h"

static void add(pm_report *r, int32_t status, const char *end)
{
  char word[PM_TEXT_MAX];
  const pm_choice *choice = &pm_record_find_field(pm_record_type_find("prediction"), "calibration")->choices[status];
  pm__report_add(r, "calibration", "%s: %s%s", pm__study_sentence(choice->name, word), choice->doc, end);
}

static bool is_roofline(const pm__study_subject *s, int32_t kernel_model)
{
  return kernel_model == PM_KERNEL_MODEL_ROOFLINE || pm_system_get_kernels(s->system) == NULL;
}

/* Rows behind the kernels of the GPU. */
static void add_kernels(const pm__study_subject *s, pm_report *r, int32_t kernel_model, int32_t precision)
{
  if (is_roofline(s, kernel_model)) return;
  pm_error error = PM_ERROR_NONE;
  char *rows = pm_catalog_explain_calibration(s->study->catalog, s->gpu, precision, &error);
  pm__report_check(r, error.status);
  if (rows != NULL) pm__report_add(r, "kernels", "Kernels: %s.", rows);
  pm_string_free(rows);
}

static void fill_step(const pm__study_subject *s, pm_report *r)
{
  if (s->step.status != PM_OK) return;
  add(r, s->step.calibration, is_roofline(s, s->run.kernel_model)
      ? "; kernels at the plain roofline of datasheet peaks. This is an upper bound for kernels that do all of the "
        "arithmetic; measured runs are slower, perfmodel validate shows by how much."
      : "; perfmodel validate shows how far measured runs are from it.");
  add_kernels(s, r, s->run.kernel_model, s->run.precision);
}

/* The prediction interval of the first of several calls that has one: they differ in it only where kernels do. */
static void add_interval(const pm__study_subject *s, pm_report *r)
{
  for (size_t i = 0; i < s->call_count; i++) {
    const pm_inference *p = &s->calls[i];
    if (p->status != PM_OK || !(p->throughput_p10 > 0)) continue;
    pm__report_add(r, "interval",
                   "80 %% prediction interval: measured rates between %.2f and %.2f of the predicted ones.",
                   p->throughput_p10 / p->throughput, p->throughput_p90 / p->throughput);
    return;
  }
}

/* Each word that a call has, once. */
static void fill_call(const pm__study_subject *s, pm_report *r)
{
  bool said[PM_CALIBRATION_STATUS_COUNT] = {[PM_CALIBRATION_STATUS_NONE] = true};
  const char *constants = s->profile->origin == PM_ORIGIN_FITTED
                            ? "; constants of the profile fitted to measurements."
                            : "; constants of the profile assumed, not fitted to inference.";
  if (s->call_count > 1) add_interval(s, r);
  for (size_t i = 0; i < s->call_count; i++) {
    int32_t status = s->calls[i].calibration;
    if (!said[status]) add(r, status, constants);
    said[status] = true;
  }
  if (s->call_count == 1 && s->inference.status == PM_OK)
    add_kernels(s, r, s->call.kernel_model, s->call.precision);
}

const pm__study_block pm__study_block_calibration = {
  .title = "", .style = PM_REPORT_STYLE_SENTENCES,
  .fill = {[PM__STUDY_STEP] = fill_step, [PM__STUDY_CALL] = fill_call}};
