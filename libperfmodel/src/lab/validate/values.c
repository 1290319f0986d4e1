#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel/collective.h"
#include "perfmodel/units.h"
#include "lab/validate/path.h"
#include "lab/validate/values.h"

/* ---- Settings of a run ---- */

static bool is_name(const char *name)
{
  static const char *const names[] = {"network", "system", "framework", "profile", "workers", "dataset", "storage",
                                      "loader",  "cpu"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* Every setting must mean something to some kind of run: a slip is an error. */
static int check_names(const pm__settings *settings, const char *type_name, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  for (size_t i = 0; i < settings->count; i++)
    if (!is_name(settings->name[i]) && pm_record_field(type, settings->name[i]) == NULL)
      return pm__fail(error, PM_NOT_FOUND, "there is no setting \"%.60s\"", settings->name[i]);
  return PM_OK;
}

/* The fields of a record that the settings name. A number without a unit is in that of the field. */
static int set_fields(const pm__settings *settings, const char *type_name, void *record, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  int status = check_names(settings, type_name, error);
  for (size_t i = 0; i < type->field_count && status == PM_OK; i++) {
    const pm_field *field = &type->fields[i];
    const char *text = pm__settings_get(settings, field->name, NULL);
    double value;
    if (text == NULL) continue;
    if (field->kind == PM_FIELD_REAL && pm_number_parse(text, &value) == PM_OK)
      memcpy((char *)record + field->offset, &value, sizeof value);
    else status = pm_record_set(field, record, text, error);
  }
  return status;
}

static int gather(const pm__values *v, const char *arguments, pm__settings *settings, pm_error *error)
{
  pm__settings_init(settings);
  int status = pm__settings_add(settings, v->run, error);
  return status == PM_OK ? pm__settings_add(settings, arguments, error) : status;
}

/* The field of a record by name, as a number. */
static int field_value(const char *type_name, const char *name, const void *record, double *value, pm_error *error)
{
  const pm_field *field = pm_record_field(pm_record_type_find(type_name), name);
  if (field == NULL || field->kind == PM_FIELD_TEXT)
    return pm__fail(error, PM_NOT_FOUND, "\"%.60s\" is no value of %s", name, type_name);
  *value = record != NULL ? pm_record_number(field, record) : (double)NAN;
  return PM_OK;
}

/* ---- Training ---- */

/* The loader of a framework, which its workers run. */
static const char *loader_of(const pm__values *v, const char *framework, pm_framework_profile *profile)
{
  if (pm_catalog_framework(v->catalog, framework, profile, NULL) != PM_OK) return "tensorflow";
  return profile->framework.loader[0] != '\0' ? profile->framework.loader : "tensorflow";
}

static int set_workers(const pm__values *v, const pm__settings *s, pm_run *run, pm_error *error)
{
  pm_framework_profile profile;
  double workers;
  const char *text = pm__settings_get(s, "workers", NULL);
  if (text == NULL) return PM_OK;
  if (pm_number_parse(text, &workers) != PM_OK || !(workers > 0))
    return pm__fail(error, PM_BAD_VALUE, "workers \"%.40s\"", text);
  const char *own = loader_of(v, pm__settings_get(s, "framework", ""), &profile), *loader = pm__settings_get(s, "loader", own);
  if (v->out != NULL && pm__rests_on_documents(v->catalog, v->out, "loader", loader, "augment_time")) loader = own;
  return pm__path_workers(v->catalog, s, loader, run->gpus, workers, &run->input_rate, error);
}

static int training_run(const pm__values *v, const char *arguments, pm_run *run, pm__settings *s, pm_error *error)
{
  *run = pm_run_default();
  run->overlap = PM_OVERLAP_FRAMEWORK;
  int status = gather(v, arguments, s, error);
  if (status == PM_OK) status = set_fields(s, "run", run, error);
  if (status != PM_OK) return status;
  run->network_index = pm__bench_network(v->bench, pm__settings_get(s, "network", ""), error);
  run->system_index = pm__bench_system(v->bench, pm__settings_get(s, "system", ""), error);
  run->framework_index = pm__bench_framework(v->bench, pm__settings_get(s, "framework", ""), error);
  if (run->network_index < 0 || run->system_index < 0 || run->framework_index < -1) return PM_NOT_FOUND;
  return set_workers(v, s, run, error);
}

/* "pt-nchw@cudnn7.3 (fitted), kernels+ring" */
static void set_basis(pm__values *v, const pm__settings *s, const pm_prediction *p)
{
  char kernels[PM_TEXT_MAX], evidence[PM_TEXT_MAX], profile_text[2 * PM_TEXT_MAX] = "no framework";
  const pm_record_type *type = pm_record_type_find("prediction");
  pm_framework_profile profile;
  const char *framework = pm__settings_get(s, "framework", "");
  pm_record_text(pm_record_field(type, "basis"), p, kernels);
  pm_record_text(pm_record_field(type, "evidence"), p, evidence);
  if (framework[0] != '\0' && pm_catalog_framework(v->catalog, framework, &profile, NULL) == PM_OK)
    snprintf(profile_text, sizeof profile_text, "%.40s@%.40s (%.20s)", profile.framework.id, profile.era.id, evidence);
  snprintf(v->basis, sizeof v->basis, "%.140s, %.60s", profile_text, kernels);
}

static int training_value(pm__values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm_run run;
  pm__settings s;
  int status = field_value("prediction", name, NULL, value, error);
  if (status == PM_OK) status = training_run(v, arguments, &run, &s, error);
  if (status != PM_OK) return status;
  int index = pm__bench_add(v->bench, &run, error);
  if (index < 0) return PM_INTERNAL;
  const pm_prediction *p = v->predicted ? pm__bench_prediction(v->bench, index) : NULL;
  if (p == NULL) return PM_OK;
  if (p->status != PM_OK) return pm__bench_check(v->bench, index, error);
  if (v->basis[0] == '\0') set_basis(v, &s, p);
  return field_value("prediction", name, p, value, error);
}

/* ---- Inference ---- */

static int inference_run(const pm__values *v, const char *arguments, pm_inference_run *run, pm__settings *s,
                         pm_error *error)
{
  *run = pm_inference_run_default();
  int status = gather(v, arguments, s, error);
  if (status == PM_OK) status = set_fields(s, "inference_run", run, error);
  if (status != PM_OK) return status;
  run->network_index = pm__bench_network(v->bench, pm__settings_get(s, "network", ""), error);
  run->system_index = pm__bench_system(v->bench, pm__settings_get(s, "system", ""), error);
  run->profile_index = pm__bench_profile(v->bench, pm__settings_get(s, "profile", ""), error);
  return run->network_index >= 0 && run->system_index >= 0 && run->profile_index >= 0 ? PM_OK : PM_NOT_FOUND;
}

static int inference_value(pm__values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm_inference_run run;
  pm__settings s;
  int status = field_value("inference", name, NULL, value, error);
  if (status == PM_OK) status = inference_run(v, arguments, &run, &s, error);
  if (status != PM_OK) return status;
  int index = pm__bench_add_inference(v->bench, &run, error);
  if (index < 0) return PM_INTERNAL;
  const pm_inference *p = v->predicted ? pm__bench_inference(v->bench, index) : NULL;
  if (p == NULL) return PM_OK;
  if (p->status != PM_OK) return pm__bench_inference_check(v->bench, index, error);
  if (v->basis[0] == '\0') {
    char kernels[PM_TEXT_MAX];
    pm_record_text(pm_record_field(pm_record_type_find("inference"), "basis"), p, kernels);
    snprintf(v->basis, sizeof v->basis, "%.60s, %.60s", pm__settings_get(&s, "profile", ""), kernels);
  }
  return field_value("inference", name, p, value, error);
}

/* ---- Input paths, copies ---- */

static int input_value(pm__values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm__settings s;
  pm_input_rates rates;
  int status = gather(v, arguments, &s, error);
  if (status == PM_OK) status = pm__path_rates(v->catalog, &s, &rates, error);
  if (status == PM_OK && v->basis[0] == '\0') strcpy(v->basis, "input path");
  return status == PM_OK ? field_value("input_rates", name, &rates, value, error) : status;
}

static int pair_value(pm__values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm__settings s;
  pm_pair pair;
  int status = gather(v, arguments, &s, error);
  int system = status == PM_OK ? pm__bench_system(v->bench, pm__settings_get(&s, "system", ""), error) : -1;
  if (system < 0) return PM_NOT_FOUND;
  status = pm_system_pair(pm__bench_built_system(v->bench, system), 0, 1, &pair, error);
  if (v->basis[0] == '\0') strcpy(v->basis, "links");
  return status == PM_OK ? field_value("pair", name, &pair, value, error) : status;
}

/* ---- */

typedef int part_value(pm__values *v, const char *name, const char *arguments, double *value, pm_error *error);

int pm__values_resolve(void *values, const char *name, const char *arguments, double *value, pm_error *error)
{
  static const struct {
    const char *prefix;
    part_value *get;
  } parts[] = {{"infer_", inference_value}, {"input_", input_value}, {"pair_", pair_value}};
  *value = (double)NAN;
  if (strcmp(name, "rate") == 0) name = "throughput";
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t length = strlen(parts[i].prefix);
    if (strncmp(name, parts[i].prefix, length) == 0 && pm_record_field(pm_record_type_find("prediction"), name) == NULL)
      return parts[i].get((pm__values *)values, name + length, arguments, value, error);
  }
  return training_value((pm__values *)values, name, arguments, value, error);
}
