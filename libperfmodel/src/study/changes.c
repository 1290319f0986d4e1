/* The same run with one change, for hints. What cannot change anything is not predicted. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "hardware/system.h"
#include "plan/plan.h"
#include "study/report.h"

/* ---- 16 bits ---- */

static bool has_precision(const pm__study_subject *s)
{
  pm_given alone = {0};
  pm_given_add(&alone, s->task->facts.run, "precision");
  return pm__given_meet(s->given, &alone);
}

int32_t pm__study_half(const pm__study_subject *s)
{
  int32_t precision = pm__task_get(&s->record, s->task->at.precision);
  bool none = has_precision(s) || pm_precision_get_bytes(precision) < 4;
  return none ? PM_PRECISION_FP32 : pm__gpu_get_half_precision(s->gpu);
}

static bool predict_in(const pm__study_subject *s, pm_report *r, int32_t precision, pm__task_outcome *outcome)
{
  pm__task_record run = s->record, answer;
  const pm_field *ignore = pm_record_find_field(s->run_type, "ignore_memory");
  *pm__task_int(&run, s->task->at.precision) = precision;
  if (ignore != NULL) pm_record_set_number(ignore, &run, 1, NULL);
  if (s->task->predict(s->plan, ~0u, &run, &answer, 1) != PM_OK) return false;
  *outcome = s->task->read(&answer);
  pm__report_check(r, outcome->status);
  return outcome->status == PM_OK;
}

bool pm__study_in_half(const pm__study_subject *s, pm_report *r, pm__task_outcome *outcome)
{
  int32_t half = pm__study_half(s);
  return half != PM_PRECISION_FP32 && predict_in(s, r, half, outcome);
}

/* ---- Other software, in a plan of its own ---- */

/* A framework or an inference profile: the other is NULL. */
static double rate_with(const pm__study_subject *s, pm_report *r, const pm_framework_profile *framework,
                        const pm_inference_profile *profile)
{
  pm_error error = PM_ERROR_NONE;
  pm__task_outcome outcome = {.throughput = NAN};
  pm__task_record run = s->record, answer;
  int32_t *software = pm__task_int(&run, s->task->at.software);
  pm_plan *plan = pm_plan_new(&s->network, 1, &s->system, 1, &error);
  *pm__task_int(&run, s->task->at.network) = *pm__task_int(&run, s->task->at.system) = 0;
  *software = plan == NULL ? -1
              : profile != NULL ? pm_plan_add_inference_profile(plan, profile, NULL, &error)
                                : pm_plan_add_framework(plan, framework, &error);
  if (*software == 0 && s->task->predict(plan, ~0u, &run, &answer, 1) == PM_OK) outcome = s->task->read(&answer);
  pm__report_check(r, error.status != PM_OK ? error.status : outcome.status);
  pm_plan_free(plan);
  return outcome.throughput;
}

/* Layouts are of the tensors that convolutions read. */
static bool has_convolutions(const pm__study_subject *s)
{
  const pm__plan_network *network = &s->plan->networks[pm__task_get(&s->record, s->task->at.network)];
  for (int mode = 0; mode < PM__MODES; mode++)
    if (network->units[mode] != NULL && network->units[mode]->kernels.conv != NULL) return true;
  return false;
}

double pm__study_tf32_rate(const pm__study_subject *s, pm_report *r)
{
  pm__task_outcome tf32;
  const pm_framework_profile *framework = s->software.framework;
  const pm_inference_profile *profile = s->software.profile;
  bool is_default = framework != NULL ? framework->framework.tf32_convolutions != 0
                                      : profile != NULL && profile->tf32_convolutions != 0;
  bool fp32 = pm__task_get(&s->record, s->task->at.precision) == PM_PRECISION_FP32;
  if (!fp32 || !is_default || isnan(s->gpu->peak_tf32_tensor) || !has_convolutions(s)) return NAN;
  return predict_in(s, r, PM_PRECISION_TF32_CONV, &tf32) ? tf32.throughput : (double)NAN;
}

double pm__study_channels_last_rate(const pm__study_subject *s, pm_report *r)
{
  char name[PM_TEXT_MAX + 8];
  pm_framework_profile framework;
  pm_inference_profile profile;
  const pm_framework_profile *own = s->software.framework;
  if (!has_convolutions(s)) return NAN;
  snprintf(name, sizeof name, "%s-nhwc", own != NULL ? own->framework.id : s->software.profile->id);
  int status = own != NULL ? pm_catalog_get_framework(s->study->catalog, name, &framework, NULL)
                           : pm_catalog_get_inference(s->study->catalog, name, &profile, NULL);
  pm__report_check(r, status);
  if (status != PM_OK) return NAN;
  return own != NULL ? rate_with(s, r, &framework, NULL) : rate_with(s, r, NULL, &profile);
}

double pm__study_padded_rate(const pm__study_subject *s, pm_report *r)
{
  pm_framework_profile padded = *s->software.framework;
  padded.framework.pads_products = 1;
  return pm__plan_loses_to_sides(s->plan, &s->run) ? rate_with(s, r, &padded, NULL) : (double)NAN;
}
