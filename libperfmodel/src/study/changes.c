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
  pm_given alone = {0, 0};
  pm_given_add(&alone, s->task->facts.run, "precision");
  return (s->given->fields & alone.fields) != 0;
}

int32_t pm__study_half(const pm__study_subject *s)
{
  int32_t precision = pm__task_get(&s->record, s->task->at.precision);
  bool none = has_precision(s) || pm_precision_get_bytes(precision) < 4;
  return none ? PM_PRECISION_FP32 : pm__gpu_get_half_precision(s->gpu);
}

bool pm__study_in_half(const pm__study_subject *s, pm_report *r, pm__task_outcome *outcome)
{
  pm__task_record run = s->record, answer;
  int32_t half = pm__study_half(s);
  const pm_field *ignore = pm_record_find_field(s->run_type, "ignore_memory");
  if (half == PM_PRECISION_FP32) return false;
  *pm__task_int(&run, s->task->at.precision) = half;
  if (ignore != NULL) pm_record_set_number(ignore, &run, 1, NULL);
  if (s->task->predict(s->plan, ~0u, &run, &answer, 1) != PM_OK) return false;
  *outcome = s->task->read(&answer);
  pm__report_check(r, outcome->status);
  return outcome->status == PM_OK;
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

/* ---- A plan that fits ---- */

/* What is searched from: the same GPUs, precision and optimizer, and of the plan what was given. */
static pm_run free_plan(const pm__study_subject *s, pm_given *given)
{
  static const char *const kept[] = {"gpus", "nodes", "precision", "optimizer"};
  const pm_record_type *type = pm_record_type_find("run");
  pm_run base = pm_search_base_make();
  *given = *s->given;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) pm_given_add(given, "run", kept[i]);
  for (size_t i = 0; i < type->field_count; i++)
    if ((given->fields >> i & 1) != 0)
      pm_record_set_number(&type->fields[i], &base, pm_record_get_number(&type->fields[i], &s->run), NULL);
  base.network_index = base.system_index = base.framework_index = 0;
  base.gradient_accumulation_steps = 1; /* a plan's micro-batch says how many there are */
  return base;
}

/* A study of the same network on the same system, so that the one that is asked stays as it is. */
static pm_study *study_to_search(const pm__study_subject *s, pm_error *error)
{
  const pm_study *study = s->study;
  const pm__study_slot *slot = s->run.framework_index >= 0 ? &study->slots[study->used[s->run.framework_index]] : NULL;
  const char *name = slot != NULL ? slot->name : "none";
  const pm_framework_profile *own = slot != NULL && slot->own != NULL ? &slot->own->framework : NULL;
  const pm_network *network = study->networks[study->uses[s->run.network_index].network].own;
  const pm_study_setup setup = {study->catalog, &network, 1,
                                &s->system, 1, &name, study->slots[0].named, 0};
  return pm_study_new_with_records(&setup, &(pm_study_records){&own, NULL, NULL}, error);
}

bool pm__study_find_fitting(const pm__study_subject *s, pm_report *r, pm_run *best)
{
  size_t number;
  pm_error error = PM_ERROR_NONE;
  pm_given given;
  const pm_run base = free_plan(s, &given);
  double samples = s->run.batch * pm_run_get_data_parallel(&s->run) * s->run.gradient_accumulation_steps;
  pm_study *study = study_to_search(s, &error);
  pm_search *search = study != NULL ? pm_study_new_search(study, &given, &base, 1, samples, &error) : NULL;
  pm_search_result *result = search != NULL ? pm_search_result_new(search, 1, &error) : NULL;
  bool found = result != NULL && pm_search_evaluate(search, 0, pm_search_count(search), result) == PM_OK &&
               pm_search_result_get_plan(result, PM_SEARCH_VIEW_PLANS, 0, &number) == PM_OK &&
               pm_search_get_run(search, number, best) == PM_OK;
  pm__report_check(r, error.status);
  pm_search_result_free(result);
  pm_search_free(search);
  pm_study_free(study);
  return found;
}
