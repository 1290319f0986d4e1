/* perfmodel memory of a network that is shared out: of the heaviest rank, and of every stage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory_report.h"
#include "options.h"

enum { WIDTH = 100, QUANTITY = 64, GPUS_MOST = 1024 };

typedef struct shared_out {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  pm_framework_profile framework;
  pm_run run;
  double ranks; /* data-parallel */
  pm_memory_use use;
  pm_stage *stages;
  int count;
} shared_out;

bool is_memory_of_plan(const cli_request *request)
{
  const char *precision = request->value[OPTION_PRECISION];
  bool narrow = precision != NULL && (strcmp(precision, "fp8") == 0 || strcmp(precision, "fp4") == 0);
  return request->given_count > 0 || request->value[OPTION_GLOBAL_BATCH] != NULL || narrow;
}

/* ---- What is asked ---- */

static bool take_choice(const char *name, const char *text, pm_run *run)
{
  return text == NULL || read_field(name, pm_record_find_field(pm_record_type_find("run"), name), run, text);
}

static int read_batch(const cli_request *request, shared_out *s)
{
  const char *global = request->value[OPTION_GLOBAL_BATCH];
  double batch = s->run.batch;
  if (global != NULL && request->value[OPTION_BATCH] != NULL)
    return fail(CODE_USAGE, "--batch and --global-batch exclude each other");
  if (!read_count_option(request, global != NULL ? OPTION_GLOBAL_BATCH : OPTION_BATCH, COUNT_MOST, batch, &batch)) return CODE_USAGE;
  s->run.batch = global != NULL ? batch / s->ranks : batch;
  if (s->run.batch == floor(s->run.batch)) return CODE_DONE;
  return fail(CODE_CONSTRAINT, "--global-batch %.0f does not divide over %g data-parallel ranks", batch, s->ranks);
}

static int read_question(const cli_request *request, shared_out *s)
{
  s->run = pm_run_make();
  s->run.ignore_memory = 1;
  s->run.framework_index = 0;
  if (request->value[OPTION_INFERENCE] != NULL)
    return fail(CODE_USAGE, "--inference and a parallel plan, which is of training, exclude each other");
  if (request->value[OPTION_LAYERS] != NULL) return fail(CODE_USAGE, "--layers and a parallel plan exclude each other");
  if (!read_run(request, "run", &s->run) || !read_precision(request->value[OPTION_PRECISION], &s->run.precision) ||
      !take_choice("optimizer", request->value[OPTION_OPTIMIZER], &s->run) ||
      !take_choice("zero", request->value[OPTION_ZERO], &s->run) ||
      !take_choice("recompute", request->value[OPTION_RECOMPUTE], &s->run) ||
      !read_count_option(request, OPTION_RANKS, COUNT_MOST, 1, &s->ranks))
    return CODE_USAGE;
  return read_batch(request, s);
}

/* ---- On what ---- */

static double gpus_of(const shared_out *s)
{
  return s->ranks * s->run.tensor_parallel * s->run.context_parallel * s->run.pipeline_parallel;
}

/* A GPU by itself: as many of them on one PCIe switch. Links do not matter to memory. */
static pm_system *open_machine(const cli_request *request, const shared_out *s, int *code)
{
  char name[PM_TEXT_MAX + 32];
  const char *asked = request->arguments.items[1];
  pm_gpu gpu;
  bool alone = pm_catalog_get_record(s->catalog, "gpu", asked, &gpu, NULL) == PM_OK;
  snprintf(name, sizeof name, "%s*%.0f:pcie", asked, fmin(gpus_of(s), GPUS_MOST));
  return open_system(s->catalog, alone ? name : asked, code);
}

/* GPUs of one node, or of whole nodes. */
static int place(shared_out *s)
{
  double all = gpus_of(s);
  const pm_machine *machine = pm_system_get_machine(s->system);
  if (all > COUNT_MOST) return fail(CODE_USAGE, "%.0f GPUs are too many", all);
  int nodes = pm_machine_get_nodes(machine, (int)all);
  if (nodes == 0) return fail(CODE_CONSTRAINT, "%.0f GPUs are no whole number of nodes with %d", all, machine->gpus);
  s->run.gpus = (int32_t)all / nodes;
  s->run.nodes = nodes;
  return CODE_DONE;
}

static int make_plan(shared_out *s)
{
  pm_error error = PM_ERROR_NONE;
  const pm_network *network = s->network;
  const pm_system *system = s->system;
  s->plan = pm_plan_new(&network, 1, &system, 1, &error);
  if (s->plan == NULL || pm_plan_add_framework(s->plan, &s->framework, &error) != 0) return fail_error(&error);
  return CODE_DONE;
}

static int find_memory(shared_out *s)
{
  pm_error error = PM_ERROR_NONE;
  if (pm_prediction_get_memory(s->plan, &s->run, &s->use, &error) != PM_OK) return fail_error(&error);
  s->count = pm_prediction_get_stages(s->plan, &s->run, NULL, 0, &error);
  s->stages = s->count > 0 ? (pm_stage *)calloc((size_t)s->count, sizeof *s->stages) : NULL;
  if (s->stages == NULL) return fail_memory();
  pm_prediction_get_stages(s->plan, &s->run, s->stages, (size_t)s->count, &error);
  return CODE_DONE;
}

/* ---- What is answered ---- */

static pm_table *stage_table(const shared_out *s, bool all, pm_error *error)
{
  static const char *const names[] = {"stage", "layers", "parameters", "in_flight", "weights", "gradients", "optimizer", "activations",
                                      "memory", "verdict", "live_gradients", "allocator", "input", "workspace",
                                      "communication", "context", "gpu_memory", "host_memory"};
  pm_table *table = pm_table_new_of_records(pm_record_type_find("stage"), s->stages, (size_t)s->count, error);
  if (table != NULL) pm_table_keep(table, names, all ? sizeof names / sizeof names[0] : 10, NULL);
  return table;
}

static int fullest(const shared_out *s)
{
  int best = 0;
  for (int i = 1; i < s->count; i++)
    if (s->stages[i].memory > s->stages[best].memory) best = i;
  return best;
}

static void print_title(FILE *stream, const shared_out *s)
{
  char line[1024], precision[PM_TEXT_MAX], recompute[PM_TEXT_MAX], number[PM_NUMBER_MAX], zero[24] = "";
  const pm_run *r = &s->run;
  const pm_record_type *type = pm_record_type_find("run");
  pm_network_totals totals;
  if (pm_network_get_totals(s->network, &totals, NULL) != PM_OK) snprintf(totals.name, PM_TEXT_MAX, "the network");
  snprintf(line, sizeof line, "Memory of %s in training on %s", totals.name, pm_system_get_gpu(s->system)->name);
  print_wrapped(stream, line, 0, 0, WIDTH);
  if (r->zero > 0) snprintf(zero, sizeof zero, ", ZeRO %d", r->zero);
  snprintf(line, sizeof line, "%.0f GPUs: tensor %d x context %d x pipeline %d x data %.0f%s; micro-batches of %s, %s, "
           "recomputation %s; %s", gpus_of(s), r->tensor_parallel, r->context_parallel, r->pipeline_parallel, s->ranks, zero,
           pm_number_format(number, isnan(r->micro_batch) ? r->batch : r->micro_batch),
           pm_record_format(pm_record_find_field(type, "precision"), r, precision),
           pm_record_format(pm_record_find_field(type, "recompute"), r, recompute), s->framework.memory.name);
  print_wrapped(stream, line, 0, 0, WIDTH);
}

static int print_stages(FILE *stream, const shared_out *s)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = stage_table(s, false, &error);
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_TABLE, WIDTH, &error) : NULL;
  pm_table_free(table);
  if (text == NULL) return fail_error(&error);
  fprintf(stream, "\nStages\n%s", text);
  pm_string_free(text);
  return CODE_DONE;
}

static int write_report(const cli_request *request, const shared_out *s)
{
  cli_page page;
  char heaviest[QUANTITY];
  if (!page_open(&page)) return fail_memory();
  print_title(page.stream, s);
  snprintf(heaviest, sizeof heaviest, "heaviest: stage %d of %d", fullest(s), s->count);
  fputc('\n', page.stream);
  print_memory_verdict(page.stream, s->count > 1 ? heaviest : "total", "largest micro-batch", &s->use);
  fputs("\nParts\n", page.stream);
  print_memory_parts(page.stream, &s->use, false);
  int code = s->count > 1 ? print_stages(page.stream, s) : CODE_DONE;
  int written = page_write(&page, request);
  return code == CODE_DONE ? written : code;
}

static int answer(const cli_request *request, const shared_out *s)
{
  pm_error error = PM_ERROR_NONE;
  return is_report(request) ? write_report(request, s) : write_table(request, stage_table(s, true, &error), &error);
}

int memory_of_plan(const cli_request *request)
{
  shared_out s;
  memset(&s, 0, sizeof s);
  int code = read_question(request, &s);
  if (code != CODE_DONE) return code;
  s.catalog = open_catalog(request, &code);
  if (code == CODE_DONE) s.network = open_network(request, s.catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) s.system = open_machine(request, &s, &code);
  if (code == CODE_DONE) code = open_framework(request, s.catalog, framework_names(request), s.system, &s.framework);
  if (code == CODE_DONE) code = place(&s);
  if (code == CODE_DONE) code = make_plan(&s);
  if (code == CODE_DONE) code = find_memory(&s);
  if (code == CODE_DONE) code = answer(request, &s);
  free(s.stages);
  pm_plan_free(s.plan);
  pm_system_free(s.system);
  pm_network_free(s.network);
  pm_catalog_free(s.catalog);
  return code;
}
