/* The model: networks and systems by hand, plans, predictions, collectives, memory, sizing, tables. */
#include <stddef.h>
#include <string.h>
#include "hardware/system.h"
#include "search/parallel_search.h"
#include "search/vary.h"
#include "topology/drawing.h"
#include "works.h"

enum { RUNS = 4 };

/* ---- Networks ---- */

static pm_network *by_hand(pm_error *error)
{
  const int64_t shape[] = {3, 32, 32};
  const pm_attribute convolution[] = {{"out_channels", "8"}, {"kernel", "3"}}, linear[] = {{"out_features", "10"}};
  const int first = 0, second = 1, third = 2;
  pm_network *n = pm_network_new("mine", "Mine", error);
  if (n != NULL && pm_network_add_input(n, "input", shape, 3, error) >= 0 &&
      pm_network_add(n, "conv2d", "c", &first, 1, convolution, 2, error) >= 0 &&
      pm_network_add(n, "flatten", "f", &second, 1, NULL, 0, error) >= 0 &&
      pm_network_add(n, "linear", "l", &third, 1, linear, 1, error) >= 0)
    return n;
  pm_network_free(n);
  return NULL;
}

static int network(pm_error *error)
{
  pm_network *n = by_hand(error);
  int status = n != NULL ? took_text(pm_network_format_xml(n, error), error) : error->status;
  pm_network_free(n);
  return status;
}

static int counts(pm_counts_view view, pm_error *error)
{
  pm_counts_question question = pm_counts_question_make();
  question.view = view;
  return took_table(pm_network_tabulate(with.network, &question, error), error);
}

static int counts_by_layer(pm_error *error)
{
  return counts(PM_COUNTS_VIEW_LAYERS, error);
}

static int counts_by_kind(pm_error *error)
{
  return counts(PM_COUNTS_VIEW_KINDS, error);
}

static int counts_as_tree(pm_error *error)
{
  return counts(PM_COUNTS_VIEW_TREE, error);
}

static int layer_times(pm_error *error)
{
  static pm_layer_time rows[1000];
  int status = pm_network_get_times(with.network, pm_system_get_gpu(with.system), pm_system_get_kernels(with.system), 8,
                                    PM_PRECISION_FP32, rows, error);
  return status == PM_OK ? took_number(rows[1].forward_time) : status;
}

/* ---- Memory ---- */

static pm_memory_plan *memory_plan(pm_error *error)
{
  pm_memory_profile profile;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile);
  return pm_memory_plan_new(with.network, &profile, pm_optimizer_get(PM_OPTIMIZER_SGD), error);
}

static int memory(pm_error *error)
{
  pm_memory_plan *plan = memory_plan(error);
  if (plan == NULL) return error->status;
  pm_memory_run run = pm_memory_run_make();
  pm_memory_use use;
  pm_memory_evaluate(plan, &run, &use, 1);
  pm_memory_plan_free(plan);
  return use.status == PM_OK ? took_number(use.total) : use.status;
}

static int memory_by_layer(pm_error *error)
{
  static pm_layer_memory rows[1000];
  pm_memory_profile profile;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile);
  return pm_memory_get_layers(with.network, &profile, 8, PM_PRECISION_FP32, rows, error);
}

/* ---- Systems ---- */

static int took_system(pm_system *system, pm_error *error)
{
  int status = system != NULL ? took_text(pm__system_format_dot(system, error), error) : error->status;
  pm_system_free(system);
  return status;
}

static int scaled(pm_error *error)
{
  return took_system(pm__system_new_scaled(with.system, PM_RESOURCE_NVLINK, 2, error), error);
}

static int with_gpu(pm_error *error)
{
  const pm_system_change other = {.gpu = pm_system_get_gpu(with.large)};
  return took_system(pm_system_new_with(with.system, &other, error), error);
}

static int with_number(pm_error *error)
{
  return took_system(pm_system_new_with_number(with.system, "gpu.memory_bandwidth", "x2", error), error);
}

static int variants(pm_error *error)
{
  static const char *const values[] = {"x1", "x2", "x4"};
  const pm_hardware_axis axes[] = {{"gpu.memory_bandwidth", values, 3}, {"link.nvlink2.bandwidth", values, 2}};
  pm_system *systems[6];
  int status = pm_system_new_variants(with.system, axes, 2, systems, error);
  for (int i = 0; status == PM_OK && i < 6; i++) took_number(pm_system_get_gpu(systems[i])->memory_bandwidth);
  for (int i = 0; status == PM_OK && i < 6; i++) pm_system_free(systems[i]);
  return status;
}

static int drawing(pm_error *error)
{
  return took_text(pm__system_format_svg(with.system, error), error);
}

static int matrix(pm_error *error)
{
  return took_text(pm__system_format_matrix(with.system, error), error);
}

static int pairs(pm_error *error)
{
  return took_text(pm__system_format_pairs(with.system, error), error);
}

/* ---- Collectives: on a system of their own, whose rings are searched when they are first needed ---- */

static int ring(pm_error *error)
{
  pm_ring found;
  pm_system *system = pm__system_new_scaled(with.system, PM_RESOURCE_NVLINK, 1, error);
  int status = system != NULL ? pm_ring_find(system, 8, 1, &found, error) : error->status;
  pm_system_free(system);
  return status == PM_OK ? took_number(found.bandwidth) : status;
}

static int on_group(pm_table *(*tabulate)(const pm_group *group, const pm_call *call, pm_error *error), pm_error *error)
{
  pm_call call = pm_call_make();
  call.collective = pm_collective_find("all_reduce");
  call.bytes = 1e6;
  pm_group_choice choice = pm_group_choice_make();
  pm_system *system = pm__system_new_scaled(with.system, PM_RESOURCE_NVLINK, 1, error);
  pm_group *group = system != NULL ? pm_group_new(system, NULL, 8, &choice, error) : NULL;
  int status = group != NULL ? took_table(tabulate(group, &call, error), error) : error->status;
  pm_group_free(group);
  pm_system_free(system);
  return status;
}

static pm_table *times_of(const pm_group *group, const pm_call *call, pm_error *error)
{
  pm_collective_time time;
  pm_group_evaluate(group, call, &time, 1);
  if (time.status == PM_OK) return pm_collective_tabulate(group, call, &time, 1, error);
  error->status = time.status;
  return NULL;
}

static int collective(pm_error *error)
{
  return on_group(times_of, error);
}

static pm_table *loads_of(const pm_group *group, const pm_call *call, pm_error *error)
{
  return pm_group_tabulate_loads(group, call, error);
}

static int loads(pm_error *error)
{
  return on_group(loads_of, error);
}

/* ---- Predictions: a system of its own here too ---- */

typedef struct bench {
  pm_system *system;
  pm_plan *plan;
  pm_framework_profile framework;
  pm_run runs[RUNS];
} bench;

static int open_bench(bench *b, pm_error *error)
{
  const pm_network *network = with.network;
  memset(b, 0, sizeof *b);
  b->system = pm__system_new_scaled(with.system, PM_RESOURCE_NVLINK, 1, error);
  const pm_system *system = b->system;
  b->plan = system != NULL ? pm_plan_new(&network, 1, &system, 1, error) : NULL;
  int status = b->plan != NULL ? pm_catalog_get_framework(with.catalog, "pt-nchw", &b->framework,
                                                          error) : error->status;
  if (status == PM_OK && pm_plan_add_framework(b->plan, &b->framework, error) < 0) status = error->status;
  for (int i = 0; i < RUNS; i++) {
    b->runs[i] = pm_run_make();
    b->runs[i].gpus = 2 * i + 2;
    b->runs[i].nodes = 1 + i % 2;
    b->runs[i].framework_index = 0;
  }
  return status;
}

static void close_bench(bench *b)
{
  pm_plan_free(b->plan);
  pm_system_free(b->system);
}

/* The status of a run is in its own record. */
static int predict(pm_error *error)
{
  bench b;
  pm_prediction p[RUNS];
  pm_table *table = NULL;
  int status = open_bench(&b, error);
  if (status == PM_OK) pm_predict(b.plan, b.runs, p, RUNS);
  for (int i = 0; status == PM_OK && i < RUNS; i++) status = error->status = p[i].status;
  const pm_sweep sweep = {.runs = b.runs, .run_size = sizeof b.runs[0], .answers = p, .answer_size = sizeof p[0],
                          .count = RUNS};
  if (status == PM_OK) table = pm_sweep_tabulate(b.plan, &sweep, error);
  if (status == PM_OK) status = took_table(table, error);
  close_bench(&b);
  return status;
}

static int check_run(pm_error *error)
{
  bench b;
  int status = open_bench(&b, error);
  if (status == PM_OK) status = pm_run_check(b.plan, &b.runs[0], error);
  close_bench(&b);
  return status;
}

static int trace(pm_error *error)
{
  bench b;
  int status = open_bench(&b, error);
  if (status == PM_OK) status = took_text(pm_prediction_format_trace(b.plan, &b.runs[1], error), error);
  close_bench(&b);
  return status;
}

static int sensitivity(pm_error *error)
{
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  pm_framework_profile framework;
  pm_run run = pm_run_make();
  run.gpus = 8;
  int status = pm_catalog_get_framework(with.catalog, "pt-nchw", &framework, error);
  const pm_sensitivity_setup setup = {.network = with.network, .system = with.system, .run = &run,
                                      .run_size = sizeof run, .framework = &framework};
  int count = status == PM_OK ? pm_sensitivity_evaluate(&setup, 0.1, rows, error) : -1;
  return count >= 0 ? took_number(rows[0].elasticity) : error->status;
}

static int infer(pm_error *error)
{
  bench b;
  pm_inference_profile profile;
  pm_inference_run run = pm_inference_run_make();
  pm_inference answer;
  pm_table *table = NULL;
  int status = open_bench(&b, error);
  if (status == PM_OK) status = pm_catalog_get_inference(with.catalog, "pt-nchw", &profile, error);
  if (status == PM_OK && pm_plan_add_inference_profile(b.plan, &profile, NULL, error) < 0) status = error->status;
  run.profile_index = 0;
  if (status == PM_OK) status = pm_inference_find_batch(b.plan, &run, 1, &answer, error);
  const pm_sweep sweep = {.task = PM_TASK_INFERENCE, .runs = &run, .run_size = sizeof run, .answers = &answer,
                          .answer_size = sizeof answer, .count = 1};
  if (status == PM_OK) table = pm_sweep_tabulate(b.plan, &sweep, error);
  if (status == PM_OK) status = took_table(table, error);
  close_bench(&b);
  return status;
}

/* A closed loop on a decoder that is split, whose operations are found and kept; all that memory is asked of. */
static int serve(pm_error *error)
{
  const pm_network *network = with.decoder;
  const pm_system *system = with.system;
  pm_engine_profile engine;
  pm_memory_use use;
  pm_serving answer;
  pm_serving_run run = pm_serving_run_make();
  run.engine_index = 0;
  run.gpus = run.tensor_parallel = 2;
  run.isl = run.osl = 16;
  run.precision = PM_PRECISION_FP16;
  int status = pm_catalog_get_engine_on(with.catalog, PM_ENGINE_DEFAULT, "volta", &engine, error);
  pm_plan *plan = status == PM_OK ? pm_plan_new(&network, 1, &system, 1, error) : NULL;
  if (plan == NULL || pm_plan_add_engine(plan, &engine, error) < 0) status = error->status;
  if (status == PM_OK) status = pm_task_check(plan, PM_TASK_SERVING, &run, sizeof run, error);
  if (status == PM_OK) status = pm_task_get_memory(plan, PM_TASK_SERVING, &run, sizeof run, &use, sizeof use, error);
  if (status == PM_OK) pm_serve(plan, &run, &answer, 1), status = answer.status;
  pm_plan_free(plan);
  return status == PM_OK ? took_number(answer.ttft + use.total) : status;
}

/* ---- Networks that are sharded ---- */

static pm_plan *plan_of_decoder(pm_error *error)
{
  const pm_network *network = with.decoder;
  const pm_system *system = with.large;
  return pm_plan_new(&network, 1, &system, 1, error);
}

static int shared_by(int rank, pm_error *error)
{
  pm_prediction p = {.status = PM_STATUS_OK};
  pm_run run = pm_run_make();
  run.gpus = 8;
  run.batch = 8;
  run.micro_batch = 2;
  run.tensor_parallel = run.pipeline_parallel = run.virtual_pipeline = 2;
  run.zero = 1;
  run.lora_rank = rank;
  run.lora_dropout = 0.1;
  pm_plan *plan = plan_of_decoder(error);
  int status = plan != NULL ? PM_OK : error->status;
  if (status == PM_OK) status = pm_run_check(plan, &run, error);
  if (status == PM_OK) pm_predict(plan, &run, &p, 1);
  if (status == PM_OK) status = error->status = p.status;
  if (status == PM_OK) took_number(p.step_time);
  if (status == PM_OK) status = took_text(pm_prediction_format_trace(plan, &run, error), error);
  pm_plan_free(plan);
  return status;
}

static int shared_out(pm_error *error)
{
  return shared_by(0, error);
}

static int adapted(pm_error *error)
{
  return shared_by(2, error);
}

static int stages(pm_error *error)
{
  bench b;
  pm_stage row;
  int status = open_bench(&b, error), count = 0;
  if (status == PM_OK) count = pm_prediction_get_stages(b.plan, &b.runs[0], &row, 1, error);
  if (status == PM_OK && count != 1) status = error->status;
  if (status == PM_OK) took_number(row.busy_time + row.layers);
  close_bench(&b);
  return status;
}

static int found(const pm_search_result *result, pm_error *error)
{
  enum { VIEWS = PM_SEARCH_VIEW_CHOICES + 1 };
  pm_table *table[VIEWS];
  int status = PM_OK;
  for (int i = 0; i < VIEWS; i++) table[i] = pm_study_tabulate_search(NULL, NULL, result, (pm_search_view)i, error);
  for (int i = 0; i < VIEWS; i++) {
    int one = took_table(table[i], error);
    if (status == PM_OK) status = one;
  }
  return status;
}

static int search(pm_error *error)
{
  pm_run base = pm_search_base_make();
  base.gpus = 4;
  base.recompute = PM_RECOMPUTE_NONE;
  base.micro_batch = 1;
  base.zero = 0;
  pm_plan *plan = plan_of_decoder(error);
  pm_search *search = plan != NULL ? pm_search_new(plan, &base, 1, 8, error) : NULL;
  pm_search_result *result = search != NULL ? pm_search_result_new(search, 3, PM_MINIMIZE_NODES, error) : NULL;
  int status = result != NULL ? pm_search_evaluate(search, 0, pm_search_count(search), result) : error->status;
  if (status == PM_OK) status = found(result, error);
  else if (error->status == PM_OK) error->status = status;
  pm_search_result_free(result);
  pm_search_free(search);
  pm_plan_free(plan);
  return status;
}

static int deadline(pm_error *error)
{
  pm_run base = pm_search_base_make();
  pm_training_goal goal = pm_training_goal_make();
  base.recompute = PM_RECOMPUTE_NONE;
  base.micro_batch = 1;
  base.zero = 0;
  goal.samples = goal.within = 1e6;
  goal.max_nodes = 1;
  pm_plan *plan = plan_of_decoder(error);
  int status = plan != NULL ? took_table(pm_training_tabulate(plan, &base, 8, &goal, error), error) : error->status;
  pm_plan_free(plan);
  return status;
}

static int settings(pm_error *error)
{
  static const pm_attribute given[] = {{"tensor_parallel", "8"}, {"micro_batch", "2"}, {"stage_layers", "balanced"}};
  char *text = pm_settings_write("megatron", given, 3, error);
  pm_table *table = text != NULL ? pm_settings_read("megatron", text, "train.sh", error) : NULL;
  int status = text == NULL ? error->status : took_table(table, error);
  pm_string_free(text);
  return status;
}

static int size(pm_error *error)
{
  bench b;
  pm_size_choice choices[1], front[20];
  int status = open_bench(&b, error), count = -1;
  pm_size_goal goal = pm_size_goal_make();
  goal.epochs = 90;
  goal.samples = 1281167;
  goal.within = 6 * 3600;
  b.runs[0].gpus = (int32_t)pm_system_get_machine(with.system)->gpus;
  const pm_size_setup setup = {.plan = b.plan, .choices = b.runs, .run_size = sizeof b.runs[0], .count = 1};
  if (status == PM_OK) status = pm_size_evaluate(&setup, &goal, choices, error);
  if (status == PM_OK) count = pm_size_find_front(&setup, &goal, front, 20, error);
  if (status == PM_OK && count < 0) status = error->status;
  close_bench(&b);
  return status == PM_OK ? took_number(choices[0].time + count) : status;
}

static int space(pm_error *error)
{
  const char *const path = "gpu.memory_bandwidth";
  pm_prediction p[2];
  pm_run runs[2];
  for (int i = 0; i < 2; i++) {
    runs[i] = pm_run_make();
    runs[i].batch = 8 << i;
  }
  pm_predict(with.plan, runs, p, 2);
  const pm_sweep sweep = {.runs = runs, .run_size = sizeof runs[0], .answers = p,
                          .answer_size = sizeof p[0], .count = 2, .paths = &path, .path_count = 1};
  return took_table(pm_sweep_tabulate(with.plan, &sweep, error), error);
}

/* ---- Tables ---- */

static int format_table(pm_format format, pm_error *error)
{
  pm_table *table = pm_catalog_list(with.catalog, "links", error);
  if (table == NULL) return error->status;
  pm_table_set_show(table, NULL, PM_SHOW_MAIN);
  int status = took_text(pm_table_format(table, format, 100, error), error);
  pm_table_free(table);
  return status;
}

static int as_text(pm_error *error)
{
  return format_table(PM_FORMAT_TABLE, error);
}

static int as_csv(pm_error *error)
{
  return format_table(PM_FORMAT_CSV, error);
}

static int as_json(pm_error *error)
{
  return format_table(PM_FORMAT_JSON, error);
}

/* Everything that the consumer of a stream asks for. */
static int as_arrow(pm_error *error)
{
  pm_table *table = pm_catalog_list(with.catalog, "links", error);
  if (table == NULL) return error->status;
  const pm_table *tables[] = {table};
  struct ArrowArrayStream stream;
  struct ArrowSchema schema = {0};
  struct ArrowArray array = {0};
  int status = pm_table_export_arrow(tables, 1, &stream, error);
  pm_table_free(table);
  if (status != PM_OK) return status;
  bool good = stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &array) == 0;
  double columns = good ? (double)schema.n_children : 0;
  if (schema.release != NULL) schema.release(&schema);
  if (array.release != NULL) array.release(&array);
  stream.release(&stream);
  if (good) return took_number(columns);
  error->status = PM_STATUS_NO_MEMORY; /* Arrow has a number of its own for it */
  return PM_STATUS_NO_MEMORY;
}

const work model_works[] = {
  {"a network by hand", network, false, false, 200},
  {"counts by layer", counts_by_layer, false, false, 200},
  {"counts by kind", counts_by_kind, false, false, 200},
  {"counts as a tree", counts_as_tree, false, false, 200},
  {"times of layers", layer_times, false, false, 200},
  {"memory", memory, false, false, 200},
  {"memory by layer", memory_by_layer, false, false, 200},
  {"a scaled system", scaled, false, false, 200},
  {"a system with another GPU", with_gpu, false, false, 200},
  {"a system with another number", with_number, false, false, 200},
  {"variants of a system", variants, false, false, 200},
  {"a drawing", drawing, false, false, 200},
  {"the matrix of a system", matrix, false, false, 200},
  {"pairs of GPUs", pairs, false, false, 200},
  {"a ring", ring, false, false, 200},
  {"a collective", collective, false, false, 200},
  {"load on links", loads, false, false, 200},
  {"a prediction", predict, false, false, 100},
  {"a check of a run", check_run, false, false, 100},
  {"a trace", trace, false, false, 100},
  {"sensitivities", sensitivity, false, false, 100},
  {"inference", infer, false, false, 100},
  {"serving", serve, false, false, 100},
  {"a stage", stages, false, false, 100},
  {"a network that is sharded", shared_out, false, false, 100},
  {"adapters of a network that is split over GPUs", adapted, false, false, 100},
  {"a search", search, false, false, 100},
  {"a deadline", deadline, false, false, 100},
  {"settings of other programs", settings, false, false, 200},
  {"sizing", size, false, false, 100},
  {"a sweep", space, false, false, 200},
  {"a table as text", as_text, false, false, 200},
  {"a table as CSV", as_csv, false, false, 200},
  {"a table as JSON", as_json, false, false, 200},
  {"a table as Arrow", as_arrow, false, false, 200},
  {NULL, NULL, false, false, 0},
};
