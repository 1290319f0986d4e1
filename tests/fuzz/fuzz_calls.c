/*
** Any bytes as a sequence of calls on one network, its plan, a run and a system: an operation, then what it takes.
** Numbers come from a list of the extreme ones. Every result is finite or has a status that says why not; a count is
** never negative.
*/
#include <math.h>
#include "fuzz.h"
#include "network/kind.h"
#include "network/network.h"
#include "search/vary.h"

typedef struct world {
  const uint8_t *at, *end;
  pm_network *network;
  pm_system *system;
  pm_plan *plan; /* of both; gone as soon as one of them changes */
  pm_run run;
  int layers;
} world;

static unsigned next(world *w)
{
  return w->at < w->end ? *w->at++ : 0;
}

static const double numbers[] = {
  0, -0.0, 1, -1, 2, 3, 7, 8, 16, 31, 64, 255, 1000, 4096, 0.5, 1.5, 1e-3, 1e6, 1e12, 1e18, 1e300,
      1.7976931348623157e308,
  -1e308, 5e-324, 2.2250738585072014e-308, 2147483647, 2147483648.0, 2147483649.0, -2147483648.0, 4294967295.0,
  9007199254740991.0, 9007199254740993.0, 9223372036854775807.0, 9223372036854775808.0, 18446744073709551615.0, 1e19,
  (double)NAN, (double)INFINITY, -(double)INFINITY};
static const int64_t sizes[] = {1, 2, 3, 8, 32, 224, 4096, 50257, 0, -1, INT32_MAX, INT64_C(1) << 31, INT64_C(1) << 53,
                                INT64_MAX, INT64_MIN};

static double number(world *w)
{
  return numbers[next(w) % (sizeof numbers / sizeof numbers[0])];
}

static int64_t size_of(world *w)
{
  return sizes[next(w) % (sizeof sizes / sizeof sizes[0])];
}

/* ---- Records: unknown is NAN, unlimited is infinite where the field says so; negative and wrapped they never are
** ---- */

static void must_be_counts(const char *type_name, const void *record)
{
  const pm_record_type *type = pm_record_type_find(type_name);
  for (size_t i = 0; i < type->field_count; i++) {
    if (type->fields[i].kind == PM_FIELD_TEXT) continue;
    double value = pm_record_get_number(&type->fields[i], record);
    if (isnan(value) || value >= 0 || (type->fields[i].kind != PM_FIELD_REAL && value >= -1)) continue;
    fprintf(stderr, "%s of a %s is %g\n", type->fields[i].name, type_name, value);
    abort();
  }
}

/* Sets a field of a run or of another record, chosen by a byte, or is refused. */
static void set_field(world *w, const char *type_name, void *record)
{
  pm_error error = PM_ERROR_NONE;
  const pm_record_type *type = pm_record_type_find(type_name);
  const pm_field *field = &type->fields[next(w) % type->field_count];
  if (field->kind == PM_FIELD_TEXT) return;
  must_be_said(pm_record_set_number(field, record, number(w), &error) == PM_OK, &error);
}

/* ---- Operations ---- */

static void drop_plan(world *w)
{
  pm_plan_free(w->plan);
  w->plan = NULL;
}

static void new_network(world *w)
{
  drop_plan(w);
  pm_network_free(w->network);
  w->layers = 0;
  must((w->network = pm_network_new("n", "N", NULL)) != NULL);
}

static void add_input(world *w)
{
  int64_t shape[6];
  pm_error error = PM_ERROR_NONE;
  int rank = (int)(next(w) % 8);
  for (int i = 0; i < 6; i++) shape[i] = i < rank ? size_of(w) : 1;
  drop_plan(w);
  int at = pm_network_add_input(w->network, NULL, shape, rank, &error);
  must_be_said(at >= 0, &error);
  w->layers += at >= 0;
}

static void fill_attributes(world *w, const char *kind, pm_attribute *attributes, char (*values)[PM_NUMBER_MAX],
                            size_t *count, size_t most)
{
  static pm_layer_attribute row;
  unsigned chosen = next(w);
  for (size_t i = 0; pm__layer_attribute_get(i, &row, NULL) == PM_OK && *count < most; i++) {
    if (strcmp(row.kind, kind) != 0 || (row.otherwise[0] != '\0' && (chosen >> *count & 1) == 0)) continue;
    static char names[16][PM_TEXT_MAX];
    memcpy(names[*count % 16], row.name, sizeof row.name);
    pm_number_format(values[*count], number(w));
    attributes[*count] = (pm_attribute){names[*count % 16], values[*count]};
    ++*count;
  }
}

static void add_layer(world *w)
{
  enum { KINDS = 128, MOST = 8 };
  int inputs[3];
  size_t kinds = 0, count = 0;
  pm_attribute attributes[MOST];
  char values[MOST][PM_NUMBER_MAX];
  pm_error error = PM_ERROR_NONE;
  while (kinds < KINDS && pm_layer_kind_get_name(kinds) != NULL) kinds++;
  const char *kind = pm_layer_kind_get_name(next(w) % kinds);
  int input_count = 1 + (int)(next(w) % 3);
  for (int i = 0; i < 3; i++) inputs[i] = w->layers - 1 - (int)(next(w) % 4);
  fill_attributes(w, kind, attributes, values, &count, MOST);
  drop_plan(w);
  int at = pm_network_add(w->network, kind, NULL, inputs, input_count, attributes, count, &error);
  must_be_said(at >= 0, &error);
  w->layers += at >= 0;
}

static void count(world *w)
{
  enum { MOST = 300 };
  static pm_layer rows[MOST];
  pm_network_totals totals;
  pm_error error = PM_ERROR_NONE;
  if (w->layers >= MOST) return;
  bool worked = pm_network_get_totals(w->network, &totals, &error) == PM_OK;
  must_be_said(worked, &error);
  if (worked) must_be_counts("network", &totals);
  pm_error other = PM_ERROR_NONE;
  worked = pm__network_get_layers(w->network, number(w), (int)(next(w) % 12) - 1, rows, &other) == PM_OK;
  must_be_said(worked, &other);
  for (int i = 0; worked && i < pm_network_count_layers(w->network); i++) must_be_counts("layer", &rows[i]);
}

static void format(world *w)
{
  pm_error error = PM_ERROR_NONE;
  char *xml = pm_network_format_xml(w->network, &error);
  must_be_said(xml != NULL, &error);
  pm_string_free(xml);
}

static void change_system(world *w)
{
  static const char *const paths[] = {"gpu.memory_bandwidth", "gpu.memory", "gpu.clock", "link.nvlink2.bandwidth",
                                      "network.bandwidth"};
  char value[PM_NUMBER_MAX + 8] = "x";
  pm_error error = PM_ERROR_NONE;
  const char *path = paths[next(w) % (sizeof paths / sizeof paths[0])];
  pm_number_format(value + 1, number(w));
  pm_system *other = pm_system_new_with_number(w->system, path, value, &error);
  must_be_said(other != NULL, &error);
  if (other == NULL) return;
  drop_plan(w);
  pm_system_free(w->system);
  w->system = other;
}

static void scale_system(world *w)
{
  pm_error error = PM_ERROR_NONE;
  int resource = (int)(next(w) % (PM_RESOURCE_COUNT + 2)) - 1;
  pm_system *other = pm__system_new_scaled(w->system, resource, number(w), &error);
  must_be_said(other != NULL, &error);
  if (other == NULL) return;
  drop_plan(w);
  pm_system_free(w->system);
  w->system = other;
}

static void set_run(world *w)
{
  set_field(w, "run", &w->run);
}

static bool have_plan(world *w)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  const pm_network *network = w->network;
  const pm_system *system = w->system;
  if (w->plan != NULL) return true;
  w->plan = pm_plan_new(&network, 1, &system, 1, &error);
  must_be_said(w->plan != NULL, &error);
  if (w->plan == NULL) return false;
  must(pm_catalog_get_framework(shipped(), "pt-nchw", &profile, NULL) == PM_OK);
  must(pm_plan_add_framework(w->plan, &profile, &error) == 0);
  return true;
}

static void predict(world *w)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  if (!have_plan(w)) return;
  pm_predict(w->plan, &w->run, &p, 1);
  must_be_said(pm_run_check(w->plan, &w->run, &error) == PM_OK, &error);
  if (p.status != PM_OK) return;
  must_be_counts("prediction", &p);
  if (isfinite(p.step_time) && isfinite(p.throughput) && isfinite(p.memory)) return;
  fprintf(stderr, "a prediction of %g s, %g samples/s, %g bytes\n", p.step_time, p.throughput, p.memory);
  abort();
}

static void trace(world *w)
{
  pm_error error = PM_ERROR_NONE;
  if (!have_plan(w) || w->run.nodes > 64) return;
  char *text = pm_prediction_format_trace(w->plan, &w->run, &error);
  must_be_said(text != NULL, &error);
  must(text == NULL || (strstr(text, "nan") == NULL && strstr(text, "inf,") == NULL));
  pm_string_free(text);
}

static void infer(world *w)
{
  pm_error error = PM_ERROR_NONE;
  pm_inference_profile profile;
  pm_inference_run run = pm_inference_run_make();
  pm_inference answer;
  if (!have_plan(w)) return;
  must(pm_catalog_get_inference(shipped(), "pt-nchw", &profile, NULL) == PM_OK);
  if (pm_plan_add_inference_profile(w->plan, &profile, NULL, &error) < 0) return;
  run.profile_index = 0;
  for (unsigned i = next(w) % 4; i > 0; i--) set_field(w, "inference_run", &run);
  pm_infer(w->plan, &run, &answer, 1);
  if (answer.status == PM_OK) must_be_counts("inference", &answer);
}

static void collective(world *w)
{
  pm_error error = PM_ERROR_NONE;
  pm_group_choice choice = pm_group_choice_make();
  pm_call call = pm_call_make();
  pm_collective_time time;
  int gpus = (int)(next(w) % 20);
  for (unsigned i = next(w) % 3; i > 0; i--) set_field(w, "call", &call);
  call.bytes = number(w);
  pm_group *group = pm_group_new(w->system, NULL, gpus, &choice, &error);
  must_be_said(group != NULL, &error);
  if (group == NULL) return;
  pm_group_evaluate(group, &call, &time, 1);
  must(time.status != PM_OK || (isfinite(time.time) && time.time >= 0));
  pm_group_free(group);
}

static void (*const operations[])(world *w) = {new_network, add_input, add_layer, add_layer, add_layer, count, format,
                                               change_system, scale_system,
                                               set_run, set_run, predict, predict, trace, infer, collective};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  world w = {.at = bytes, .end = bytes + (size < 512 ? size : 512), .run = pm_run_make()};
  w.run.framework_index = 0;
  must((w.network = pm_catalog_new_network(shipped(), "alexnet", NULL, 0, NULL)) != NULL);
  w.layers = pm_network_count_layers(w.network) + 1;
  must((w.system = pm_catalog_new_system(shipped(), "dgx1-v100", NULL)) != NULL);
  while (w.at < w.end) operations[next(&w) % (sizeof operations / sizeof operations[0])](&w);
  drop_plan(&w);
  pm_system_free(w.system);
  pm_network_free(w.network);
  return 0;
}
