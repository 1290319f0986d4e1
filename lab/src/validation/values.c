/* Evaluates the names in a statement's formula by predicting the runs that they are of. */
#include "validation/values.h"
#include "validation/host.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "perfmodel.h"
#include "base/base.h"

/* ---- Settings of a run as text: "network=resnet50, gpus=8", later ones over earlier ones ---- */

enum { SETTINGS_MOST = 24, SETTINGS_BYTES = 1200 };

typedef struct settings {
  char text[SETTINGS_BYTES];
  size_t used, count;
  const char *name[SETTINGS_MOST], *value[SETTINGS_MOST];
} settings;

static void init_settings(settings *s)
{
  s->used = s->count = 0;
}

static void trim(char **start, char *end)
{
  while (**start == ' ') (*start)++;
  while (end > *start && end[-1] == ' ') end--;
  *end = '\0';
}

static int add_one(settings *s, char *text, pm_error *error)
{
  char *equal = strchr(text, '='), *end = text + strlen(text);
  if (equal == NULL) return pm__fail(error, PM_STATUS_BAD_SYNTAX, "\"%.80s\" is not a setting name=value", text);
  if (s->count == SETTINGS_MOST) return pm__fail(error, PM_STATUS_BAD_SYNTAX, "too many settings");
  char *name = text, *value = equal + 1;
  trim(&name, equal);
  trim(&value, end);
  s->name[s->count] = name;
  s->value[s->count++] = value;
  return PM_OK;
}

static int add_settings(settings *s, const char *text, pm_error *error)
{
  size_t length = strlen(text);
  char *copy = s->text + s->used;
  if (strspn(text, " ") == length) return PM_OK;
  if (length + 1 > SETTINGS_BYTES - s->used) return pm__fail(error, PM_STATUS_BAD_SYNTAX, "settings are too long");
  memcpy(copy, text, length + 1);
  s->used += length + 1;
  for (char *next; copy != NULL; copy = next) {
    next = strchr(copy, ',');
    if (next != NULL) *next++ = '\0';
    int status = add_one(s, copy, error);
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

static const char *setting(const settings *s, const char *name, const char *other)
{
  for (size_t i = s->count; i > 0; i--)
    if (strcmp(s->name[i - 1], name) == 0) return s->value[i - 1];
  return other;
}

/* ---- The input path of a run from its settings ---- */

static int find(const pm_catalog *catalog, const char *kind, const char *name, void *record, pm_error *error)
{
  return pm_catalog_get_record(catalog, kind, name, record, error);
}

/* A number without a unit is in that of the field. */
static int set_field(const pm_field *field, void *record, const char *text, pm_error *error)
{
  double value;
  if (field->kind != PM_FIELD_REAL || pm_number_parse(text, &value) != PM_OK)
    return pm_record_set(field, record, text, error);
  memcpy((char *)record + field->offset, &value, sizeof value);
  return PM_OK;
}

/* "loader.library=1.06": a field of a part instead of the catalogue's. */
static int set_parts(const settings *s, pm_input_setup *setup, pm_error *error)
{
  const struct {
    const char *name;
    void *record;
  } parts[] = {{"dataset", &setup->dataset}, {"storage", &setup->storage}, {"loader", &setup->loader},
               {"decoder", &setup->decoder}};
  int status = PM_OK;
  for (size_t i = 0; i < s->count && status == PM_OK; i++)
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == PM_OK; k++) {
      size_t length = strlen(parts[k].name);
      const char *name = s->name[i];
      if (strncmp(name, parts[k].name, length) != 0 || name[length] != '.') continue;
      const pm_field *field = pm_record_find_field(pm_record_type_find(parts[k].name), name + length + 1);
      status = field != NULL ? set_field(field, parts[k].record, s->value[i], error)
                             : pm__fail(error, PM_STATUS_NOT_FOUND, "there is no setting \"%.60s\"", name);
    }
  return status;
}

static int find_setup(const pm_catalog *catalog, const settings *s, pm_input_setup *setup, pm_error *error)
{
  const char *storage = setting(s, "storage", NULL), *loader = setting(s, "loader", "tensorflow");
  pm__lab_host_no_storage(setup);
  if (find(catalog, "prediction_interval", "input", &setup->interval, NULL) != PM_OK)
    pm_record_clear(pm_record_type_find("prediction_interval"), &setup->interval);
  int status = find(catalog, "dataset", setting(s, "dataset", "ilsvrc2012"), &setup->dataset, error);
  if (status == PM_OK) status = find(catalog, "system", setting(s, "system", ""), &setup->machine, error);
  if (status == PM_OK && storage != NULL) status = find(catalog, "storage", storage, &setup->storage, error);
  if (status == PM_OK && storage != NULL && strcmp(setting(s, "access", ""), "none") != 0)
    find(catalog, "storage_access", setup->storage.id, &setup->access, NULL);
  if (status == PM_OK) status = find(catalog, "loader", loader, &setup->loader, error);
  if (status == PM_OK) status = pm__lab_host_decoder(catalog, setting(s, "cpu", NULL), setup, error);
  return status == PM_OK ? set_parts(s, setup, error) : status;
}

static int set_run(const settings *s, pm_input_run *run, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find("input_run");
  for (size_t i = 0; i < type->field_count; i++) {
    const char *text = setting(s, type->fields[i].name, NULL);
    int status = text != NULL ? set_field(&type->fields[i], run, text, error) : PM_OK;
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

/* The rates of the path: dataset, system, storage (without one unlimited), loader, cpu, and the fields of an input
** run. */
static int path_rates(const pm_catalog *catalog, const settings *s, pm_input_rates *rates, pm_error *error)
{
  pm_input_setup setup;
  pm_input_run run = pm_input_run_make();
  int status = find_setup(catalog, s, &setup, error);
  if (status == PM_OK) status = set_run(s, &run, error);
  if (status == PM_OK) status = pm_input_check(&setup, &run, error);
  return status == PM_OK ? pm_input_evaluate(&setup, &run, rates, 1) : status;
}

/* What `workers` processes for each of the GPUs bring to a node, storage apart [samples/s]. */
static int path_workers(const pm_catalog *catalog, const settings *s, const char *loader, int gpus,
                        double workers, double *rate, pm_error *error)
{
  pm_input_setup setup;
  pm_input_rates rates;
  pm_input_run run = pm_input_run_make();
  int status = find_setup(catalog, s, &setup, error);
  if (status == PM_OK) status = find(catalog, "loader", loader, &setup.loader, error);
  pm__lab_host_no_storage(&setup);
  run.gpus = gpus;
  run.workers = (int32_t)(workers * gpus);
  if (status == PM_OK) status = pm_input_check(&setup, &run, error);
  if (status == PM_OK) status = pm_input_evaluate(&setup, &run, &rates, 1);
  *rate = status == PM_OK ? rates.input : (double)NAN;
  return status;
}

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
static int check_names(const settings *s, const char *type_name, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  for (size_t i = 0; i < s->count; i++)
    if (!is_name(s->name[i]) && pm_record_find_field(type, s->name[i]) == NULL)
      return pm__fail(error, PM_STATUS_NOT_FOUND, "there is no setting \"%.60s\"", s->name[i]);
  return PM_OK;
}

/* The fields of a record that the settings name. A number without a unit is in that of the field. */
static int set_fields(const settings *s, const char *type_name, void *record, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  int status = check_names(s, type_name, error);
  for (size_t i = 0; i < type->field_count && status == PM_OK; i++) {
    const pm_field *field = &type->fields[i];
    const char *text = setting(s, field->name, NULL);
    double value;
    if (text == NULL) continue;
    if (field->kind == PM_FIELD_REAL && pm_number_parse(text, &value) == PM_OK)
      memcpy((char *)record + field->offset, &value, sizeof value);
    else status = pm_record_set(field, record, text, error);
  }
  return status;
}

static int gather(const pm__lab_values *v, const char *arguments, settings *s, pm_error *error)
{
  init_settings(s);
  int status = add_settings(s, v->run, error);
  return status == PM_OK ? add_settings(s, arguments, error) : status;
}

/* The field of a record by name, as a number. */
static int field_value(const char *type_name, const char *name, const void *record, double *value, pm_error *error)
{
  const pm_field *field = pm_record_find_field(pm_record_type_find(type_name), name);
  if (field == NULL || field->kind == PM_FIELD_TEXT)
    return pm__fail(error, PM_STATUS_NOT_FOUND, "\"%.60s\" is no value of %s", name, type_name);
  *value = record != NULL ? pm_record_get_number(field, record) : (double)NAN;
  return PM_OK;
}

/* ---- Training ---- */

/* The loader of a framework, which its workers run. */
static const char *loader_of(const pm__lab_values *v, const char *framework, pm_framework_profile *profile)
{
  if (pm_catalog_get_framework(v->catalog, framework, profile, NULL) != PM_OK) return "tensorflow";
  return profile->framework.loader[0] != '\0' ? profile->framework.loader : "tensorflow";
}

static int set_workers(const pm__lab_values *v, const settings *s, pm_run *run, pm_error *error)
{
  pm_framework_profile profile;
  double workers;
  const char *text = setting(s, "workers", NULL);
  if (text == NULL) return PM_OK;
  if (pm_number_parse(text, &workers) != PM_OK || !(workers > 0))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "workers \"%.40s\"", text);
  const char *own = loader_of(v, setting(s, "framework", ""), &profile), *loader = setting(s, "loader", own);
  if (v->out != NULL && pm__lab_rests_on_holdout(v->catalog, v->out, "loader", loader, "augment_time")) loader = own;
  return path_workers(v->catalog, s, loader, run->gpus, workers, &run->input_rate, error);
}

static int training_run(const pm__lab_values *v, const char *arguments, pm_run *run, settings *s, pm_error *error)
{
  *run = pm_run_make();
  run->overlap = PM_OVERLAP_FRAMEWORK;
  int status = gather(v, arguments, s, error);
  if (status == PM_OK) status = set_fields(s, "run", run, error);
  if (status != PM_OK) return status;
  run->network_index = pm__lab_predictor_network(v->predictor, setting(s, "network", ""), error);
  run->system_index = pm__lab_predictor_system(v->predictor, setting(s, "system", ""), error);
  run->framework_index = pm__lab_predictor_framework(v->predictor, setting(s, "framework", ""), error);
  if (run->network_index < 0 || run->system_index < 0 || run->framework_index < -1) return PM_STATUS_NOT_FOUND;
  return set_workers(v, s, run, error);
}

/* "pt-nchw@cudnn7.3, calibrated" */
static void set_constants(pm__lab_values *v, const settings *s, const pm_prediction *p)
{
  char status[PM_TEXT_MAX], profile_text[2 * PM_TEXT_MAX] = "no framework";
  pm_framework_profile profile;
  const char *framework = setting(s, "framework", "");
  pm_record_format(pm_record_find_field(pm_record_type_find("prediction"), "calibration"), p, status);
  if (framework[0] != '\0' && pm_catalog_get_framework(v->catalog, framework, &profile, NULL) == PM_OK)
    snprintf(profile_text, sizeof profile_text, "%.40s@%.40s", profile.framework.id, profile.cudnn.id);
  snprintf(v->constants, sizeof v->constants, "%.140s, %.60s", profile_text, status);
}

static int training_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm_run run;
  settings s;
  int status = field_value("prediction", name, NULL, value, error);
  if (status == PM_OK) status = training_run(v, arguments, &run, &s, error);
  if (status != PM_OK) return status;
  int index = pm__lab_predictor_add(v->predictor, &run, error);
  if (index < 0) return PM_STATUS_INTERNAL;
  const pm_prediction *p = v->predicted ? pm__lab_predictor_prediction(v->predictor, index) : NULL;
  if (p == NULL) return PM_OK;
  if (p->status != PM_OK) return pm__lab_predictor_check(v->predictor, index, error);
  if (v->constants[0] == '\0') set_constants(v, &s, p);
  return field_value("prediction", name, p, value, error);
}

/* ---- Inference ---- */

static int inference_run(const pm__lab_values *v, const char *arguments, pm_inference_run *run, settings *s,
                         pm_error *error)
{
  *run = pm_inference_run_make();
  int status = gather(v, arguments, s, error);
  if (status == PM_OK) status = set_fields(s, "inference_run", run, error);
  if (status != PM_OK) return status;
  run->network_index = pm__lab_predictor_network(v->predictor, setting(s, "network", ""), error);
  run->system_index = pm__lab_predictor_system(v->predictor, setting(s, "system", ""), error);
  run->profile_index = pm__lab_predictor_profile(v->predictor, setting(s, "profile", ""), error);
  return run->network_index >= 0 && run->system_index >= 0 && run->profile_index >= 0 ? PM_OK : PM_STATUS_NOT_FOUND;
}

static int inference_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  pm_inference_run run;
  settings s;
  int status = field_value("inference", name, NULL, value, error);
  if (status == PM_OK) status = inference_run(v, arguments, &run, &s, error);
  if (status != PM_OK) return status;
  int index = pm__lab_predictor_add_inference(v->predictor, &run, error);
  if (index < 0) return PM_STATUS_INTERNAL;
  const pm_inference *p = v->predicted ? pm__lab_predictor_inference(v->predictor, index) : NULL;
  if (p == NULL) return PM_OK;
  if (p->status != PM_OK) return pm__lab_predictor_inference_check(v->predictor, index, error);
  if (v->constants[0] == '\0') {
    char word[PM_TEXT_MAX];
    pm_record_format(pm_record_find_field(pm_record_type_find("inference"), "calibration"), p, word);
    snprintf(v->constants, sizeof v->constants, "%.60s, %.60s", setting(&s, "profile", ""), word);
  }
  return field_value("inference", name, p, value, error);
}

/* ---- Input paths, copies ---- */

static int input_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  settings s;
  pm_input_rates rates;
  int status = gather(v, arguments, &s, error);
  if (status == PM_OK) status = path_rates(v->catalog, &s, &rates, error);
  if (status == PM_OK && v->constants[0] == '\0') pm__text_set(v->constants, sizeof v->constants, "input path");
  return status == PM_OK ? field_value("input_rates", name, &rates, value, error) : status;
}

static int pair_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  settings s;
  pm_pair pair;
  int status = gather(v, arguments, &s, error);
  int system = status == PM_OK ? pm__lab_predictor_system(v->predictor, setting(&s, "system", ""), error) : -1;
  if (system < 0) return PM_STATUS_NOT_FOUND;
  status = pm_system_get_pairs(pm__lab_predictor_built_system(v->predictor, system), 0, 1, 1, &pair, error);
  if (v->constants[0] == '\0') pm__text_set(v->constants, sizeof v->constants, "links");
  return status == PM_OK ? field_value("pair", name, &pair, value, error) : status;
}

/* ---- Networks of many nodes ---- */

static int fabric_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error)
{
  settings s;
  pm_fabric fabric;
  pm_fabric_choice choice = pm_fabric_choice_make();
  int status = gather(v, arguments, &s, error);
  if (status == PM_OK) status = set_fields(&s, "fabric_choice", &choice, error);
  int system = status == PM_OK ? pm__lab_predictor_system(v->predictor, setting(&s, "system", ""), error) : -1;
  if (system < 0) return PM_STATUS_NOT_FOUND;
  status = pm_fabric_evaluate(pm__lab_predictor_built_system(v->predictor, system), &choice, &fabric, error);
  if (v->constants[0] == '\0') pm__text_set(v->constants, sizeof v->constants, "links");
  return status == PM_OK ? field_value("fabric", name, &fabric, value, error) : status;
}

/* ---- */

typedef int part_value(pm__lab_values *v, const char *name, const char *arguments, double *value, pm_error *error);

int pm__lab_values_resolve(void *values, const char *name, const char *arguments, double *value, pm_error *error)
{
  static const struct {
    const char *prefix;
    part_value *get;
  } parts[] = {{"infer_", inference_value}, {"input_", input_value}, {"pair_", pair_value},
               {"fabric_", fabric_value}};
  *value = (double)NAN;
  if (strcmp(name, "rate") == 0) name = "throughput";
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t length = strlen(parts[i].prefix);
    if (strncmp(name, parts[i].prefix, length) == 0 &&
        pm_record_find_field(pm_record_type_find("prediction"), name) == NULL)
      return parts[i].get((pm__lab_values *)values, name + length, arguments, value, error);
  }
  return training_value((pm__lab_values *)values, name, arguments, value, error);
}
