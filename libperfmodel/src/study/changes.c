/* The same run with one change, for hints. What cannot change anything is not predicted. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "plan/plan.h"
#include "study/report.h"

/* ---- 16 bits ---- */

static bool has_precision(const pm_given *given, const char *type)
{
  pm_given alone = {0, 0};
  pm_given_add(&alone, type, "precision");
  return (given->fields & alone.fields) != 0;
}

int32_t pm__study_half(const pm__study_subject *s)
{
  bool step = s->answer == PM__STUDY_STEP;
  int32_t precision = step ? s->run.precision : s->call.precision;
  bool none = has_precision(s->given, step ? "run" : "inference_run") || pm_precision_get_bytes(precision) < 4;
  return none ? PM_PRECISION_FP32 : pm__gpu_get_half_precision(s->gpu);
}

bool pm__study_step_in_half(const pm__study_subject *s, pm_report *r, pm_prediction *p)
{
  pm_run run = s->run;
  run.precision = pm__study_half(s);
  run.ignore_memory = 1;
  if (run.precision == PM_PRECISION_FP32 || pm_predict(s->plan, &run, p, 1) != PM_OK) return false;
  pm__report_check(r, p->status);
  return p->status == PM_OK;
}

bool pm__study_call_in_half(const pm__study_subject *s, pm_report *r, pm_inference *p)
{
  pm_inference_run run = s->call;
  run.precision = pm__study_half(s);
  run.ignore_memory = 1;
  if (run.precision == PM_PRECISION_FP32 || pm_infer(s->plan, &run, p, 1) != PM_OK) return false;
  pm__report_check(r, p->status);
  return p->status == PM_OK;
}

/* ---- Other software, in a plan of its own ---- */

static double step_rate_with(const pm__study_subject *s, pm_report *r, const pm_framework_profile *other)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p = {.throughput = NAN};
  pm_run run = s->run;
  pm_plan *plan = pm_plan_new(&s->network, 1, &s->system, 1, &error);
  run.network_index = run.system_index = 0;
  run.framework_index = plan != NULL ? pm_plan_add_framework(plan, other, &error) : -1;
  if (run.framework_index == 0) pm_predict(plan, &run, &p, 1);
  pm__report_check(r, error.status != PM_OK ? error.status : p.status);
  pm_plan_free(plan);
  return p.throughput;
}

static double call_rate_with(const pm__study_subject *s, pm_report *r, const pm_inference_profile *other)
{
  pm_error error = PM_ERROR_NONE;
  pm_inference p = {.throughput = NAN};
  pm_inference_run run = s->call;
  pm_plan *plan = pm_plan_new(&s->network, 1, &s->system, 1, &error);
  run.network_index = run.system_index = 0;
  run.profile_index = plan != NULL ? pm_plan_add_inference_profile(plan, other, NULL, &error) : -1;
  if (run.profile_index == 0) pm_infer(plan, &run, &p, 1);
  pm__report_check(r, error.status != PM_OK ? error.status : p.status);
  pm_plan_free(plan);
  return p.throughput;
}

/* Layouts are of the tensors that convolutions read. */
static bool has_convolutions(const pm__study_subject *s)
{
  const pm__plan_network *network =
    &s->plan->networks[s->answer == PM__STUDY_STEP ? s->run.network_index : s->call.network_index];
  for (int mode = 0; mode < PM__MODES; mode++)
    if (network->units[mode] != NULL && network->units[mode]->kernels.conv != NULL) return true;
  return false;
}

double pm__study_channels_last_rate(const pm__study_subject *s, pm_report *r)
{
  char name[PM_TEXT_MAX + 8];
  pm_framework_profile framework;
  pm_inference_profile profile;
  bool step = s->answer == PM__STUDY_STEP;
  if (!has_convolutions(s)) return NAN;
  snprintf(name, sizeof name, "%s-nhwc", step ? s->framework->framework.id : s->profile->id);
  int status = step ? pm_catalog_get_framework(s->study->catalog, name, &framework, NULL)
                    : pm_catalog_get_inference(s->study->catalog, name, &profile, NULL);
  pm__report_check(r, status);
  if (status != PM_OK) return NAN;
  return step ? step_rate_with(s, r, &framework) : call_rate_with(s, r, &profile);
}

double pm__study_padded_rate(const pm__study_subject *s, pm_report *r)
{
  pm_framework_profile padded = *s->framework;
  padded.framework.pads_products = 1;
  return pm__plan_loses_to_sides(s->plan, &s->run) ? step_rate_with(s, r, &padded) : (double)NAN;
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
  return base;
}

/* A study of the same network on the same system, so that the one that is asked stays as it is. */
static pm_study *study_to_search(const pm__study_subject *s, pm_error *error)
{
  const pm_study *study = s->study;
  const pm__study_slot *slot = s->run.framework_index >= 0 ? &study->slots[study->used[s->run.framework_index]] : NULL;
  const char *name = slot != NULL ? slot->name : "none";
  const pm_framework_profile *own = slot != NULL && slot->own != NULL ? &slot->own->framework : NULL;
  const pm_study_setup setup = {study->catalog, &study->networks[study->uses[s->run.network_index].network].own, 1,
                                &s->system, 1, &name, study->slots[0].named, 0};
  return pm_study_new_with_records(&setup, &(pm_study_records){&own, NULL}, error);
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
