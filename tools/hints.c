/* What one change would give: 16 bits, another layout of tensors, padded products, or a plan that fits. */
#include <math.h>
#include <string.h>
#include "study.h"

enum { QUANTITY = 64 };

/* ---- 16 bits, where nobody gave a precision and the run has 32 ---- */

static bool has_precision(const pm_given *given, const char *type)
{
  pm_given alone = {0, 0};
  pm_given_add(&alone, type, "precision");
  return (given->fields & alone.fields) != 0;
}

static int32_t half_of(bool given, int32_t precision, const pm_system *system)
{
  bool none = given || pm_precision_get_bytes(precision) < 4;
  return none ? PM_PRECISION_FP32 : pm_gpu_get_half_precision(pm_system_get_gpu(system));
}

static int32_t half_of_run(const cli_study *s)
{
  return half_of(has_precision(&s->given, "run"), s->run.precision, s->system);
}

static int32_t half_of_call(const cli_call *c)
{
  return half_of(has_precision(c->given, "inference_run"), c->run->precision, c->system);
}

/* However much memory it needs. */
static bool predict_half(const cli_study *s, int32_t half, pm_prediction *p)
{
  pm_run run = s->run;
  run.precision = half;
  run.ignore_memory = 1;
  return half != PM_PRECISION_FP32 && pm_predict(s->plan, &run, p, 1) == PM_OK && p->status == PM_OK;
}

static bool infer_half(const cli_call *c, int32_t half, pm_inference *p)
{
  pm_inference_run run = *c->run;
  run.precision = half;
  run.ignore_memory = 1;
  return half != PM_PRECISION_FP32 && pm_infer(c->plan, &run, p, 1) == PM_OK && p->status == PM_OK;
}

static const char *name_of(int32_t precision)
{
  return pm_record_find_field(pm_record_type_find("run"), "precision")->choices[precision].name;
}

/* ---- Other software ---- */

/* samples/s of the run with other software. */
static double rate_with(const cli_study *s, const pm_framework_profile *other)
{
  pm_prediction p = {.throughput = NAN};
  pm_run run = s->run;
  const pm_network *network = pm_study_get_network(s->study, run.network_index);
  const pm_system *system = s->system;
  pm_plan *plan = pm_plan_new(&network, 1, &system, 1, NULL);
  run.network_index = 0;
  run.framework_index = plan != NULL ? pm_plan_add_framework(plan, other, NULL) : -1;
  if (run.framework_index == 0) pm_predict(plan, &run, &p, 1);
  pm_plan_free(plan);
  return p.throughput;
}

static double channels_last_rate(const cli_study *s)
{
  char name[PM_TEXT_MAX + 8];
  pm_framework_profile other;
  snprintf(name, sizeof name, "%s-nhwc", s->framework->framework.id);
  return pm_catalog_get_framework(s->catalog, name, &other, NULL) == PM_OK ? rate_with(s, &other) : (double)NAN;
}

static double padded_rate(const cli_study *s)
{
  pm_framework_profile other = *s->framework;
  other.framework.pads_products = 1;
  return s->framework->framework.pads_products ? (double)NAN : rate_with(s, &other);
}

/* ---- In words ---- */

static void print_rate(FILE *stream, const char *what, double rate, size_t width)
{
  char line[320], text[QUANTITY];
  snprintf(line, sizeof line, "%s, this run would reach %s samples/s.", what,
           pm_quantity_format(text, sizeof text, rate, "1"));
  print_wrapped(stream, line, 0, 0, width);
}

void print_hints(FILE *stream, const cli_study *s, size_t width)
{
  pm_prediction half;
  char what[256];
  int32_t precision = half_of_run(s);
  double rate = s->prediction.throughput;
  if (predict_half(s, precision, &half)) {
    snprintf(what, sizeof what, "In %s", name_of(precision));
    print_rate(stream, what, half.throughput, width);
  }
  if (s->framework == NULL) return;
  double last = channels_last_rate(s), padded = padded_rate(s);
  if (fabs(last / rate - 1) >= 0.005) print_rate(stream, "With tensors in channels_last", last, width);
  if (padded >= 1.01 * rate)
    print_rate(stream,
               "Some matrix products have sides that are not multiples of 16 bytes, which tensor cores read slowly "
               "or not at all. Padded to multiples, as vocabularies often are", padded, width);
}

/* samples/s of a call with tensors in channels_last. */
static double call_channels_last_rate(const cli_call *c)
{
  char name[PM_TEXT_MAX + 8];
  pm_inference p = {.throughput = NAN};
  pm_inference_profile other;
  pm_inference_run run = *c->run;
  const pm_network *network = pm_study_get_network(c->study, run.network_index);
  snprintf(name, sizeof name, "%s-nhwc", pm_study_get_profile(c->study, run.profile_index, run.system_index)->id);
  if (pm_catalog_get_inference(c->catalog, name, &other, NULL) != PM_OK) return NAN;
  pm_plan *plan = pm_plan_new(&network, 1, &c->system, 1, NULL);
  run.network_index = 0;
  run.profile_index = plan != NULL ? pm_plan_add_inference_profile(plan, &other, NULL, NULL) : -1;
  if (run.profile_index == 0) pm_infer(plan, &run, &p, 1);
  pm_plan_free(plan);
  return p.throughput;
}

void print_call_hints(FILE *stream, const cli_call *c, size_t width)
{
  pm_inference half;
  char what[64];
  int32_t precision = half_of_call(c);
  if (infer_half(c, precision, &half)) {
    snprintf(what, sizeof what, "In %s", name_of(precision));
    print_rate(stream, what, half.throughput, width);
  }
  double last = call_channels_last_rate(c);
  if (fabs(last / c->throughput - 1) >= 0.005) print_rate(stream, "With tensors in channels_last", last, width);
}

/* ---- Runs that do not fit ---- */

/* What is searched from: the same GPUs, precision and optimizer, and of the plan what was given. */
static pm_run free_plan(const cli_study *s, pm_given *given)
{
  static const char *const kept[] = {"gpus", "nodes", "precision", "optimizer"};
  const pm_record_type *type = pm_record_type_find("run");
  pm_run base = pm_search_base_make();
  *given = s->given;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) pm_given_add(given, "run", kept[i]);
  for (size_t i = 0; i < type->field_count; i++)
    if ((given->fields >> i & 1) != 0)
      pm_record_set_number(&type->fields[i], &base, pm_record_get_number(&type->fields[i], &s->run), NULL);
  base.framework_index = 0;
  return base;
}

static bool find_plan(const cli_study *s, pm_run *best)
{
  size_t number;
  pm_given given;
  const pm_run base = free_plan(s, &given);
  double samples = s->run.batch * pm_run_get_data_parallel(&s->run) * s->run.gradient_accumulation_steps;
  pm_search *search = pm_study_new_search(s->study, &given, &base, 1, samples, NULL);
  pm_search_result *result = search != NULL ? pm_search_result_new(search, 1, NULL) : NULL;
  bool found = result != NULL && pm_search_evaluate(search, 0, pm_search_count(search), result) == PM_OK &&
               pm_search_result_get_plan(result, 0, &number) == PM_OK &&
               pm_search_get_run(search, number, best) == PM_OK;
  pm_search_result_free(result);
  pm_search_free(search);
  return found;
}

/* "; --zero 3 --recompute full fits": the fastest plan of the same GPUs and samples, where it is another. */
static void add_plan(const cli_study *s, char *text, size_t size)
{
  static const char *const choices[] = {"tensor_parallel", "sequence_parallel", "context_parallel", "pipeline_parallel",
                                        "virtual_pipeline", "expert_parallel", "zero", "recompute", "micro_batch"};
  pm_run best;
  char name[OPTION_NAME], value[PM_TEXT_MAX];
  const pm_record_type *type = pm_record_type_find("run");
  if (!find_plan(s, &best)) {
    snprintf(text, size, "; no plan on these GPUs fits");
    return;
  }
  snprintf(text, size, ";");
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
    const pm_field *field = pm_record_find_field(type, choices[i]);
    double own = pm_record_get_number(field, &s->run), other = pm_record_get_number(field, &best);
    if (own == other || (isnan(own) && other == s->run.batch)) continue;
    field_option(field, name, sizeof name);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " --%s%s%s", name, is_switch(field) ? "" : " ",
             is_switch(field) ? "" : pm_record_format(field, &best, value));
  }
  size_t used = strlen(text);
  snprintf(text + used, size - used, " fits");
}

int refuse_run(const cli_study *s, const pm_error *error)
{
  char need[QUANTITY], hint[256] = "";
  pm_prediction p;
  int32_t precision = half_of_run(s);
  if (error->status == PM_STATUS_DOES_NOT_FIT && predict_half(s, precision, &p))
    snprintf(hint, sizeof hint, "; in %s it needs %s", name_of(precision),
             pm_quantity_format(need, sizeof need, p.memory, "B"));
  if (error->status == PM_STATUS_DOES_NOT_FIT) add_plan(s, hint + strlen(hint), sizeof hint - strlen(hint));
  return fail_run(error, hint);
}

int refuse_call(const cli_call *c, const pm_error *error)
{
  char need[QUANTITY], hint[128] = "";
  pm_inference p;
  int32_t precision = half_of_call(c);
  if (error->status == PM_STATUS_DOES_NOT_FIT && infer_half(c, precision, &p))
    snprintf(hint, sizeof hint, "; in %s it needs %s", name_of(precision),
             pm_quantity_format(need, sizeof need, p.memory, "B"));
  return fail_run(error, hint);
}
