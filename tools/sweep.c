/* perfmodel sweep: every combination of networks, systems, frameworks, fields of the run and numbers of the
** hardware. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sweep.h"

/* ---- Axes ---- */

/* The field of the run that a name stands for, the record's or the command's. */
static const pm_field *field_of(const cli_request *request, const pm_record_type *type, const char *name)
{
  const pm_field *field = pm_record_find_field(type, name);
  for (size_t i = 0; field == NULL && i < request->options->count; i++)
    if (strcmp(request->options->items[i].option.name, name) == 0 && request->options->items[i].field != NULL)
      field = pm_record_find_field(type, request->options->items[i].field->name);
  return field != NULL && (field->option == NULL || field->option[0] != '\0') ? field : NULL;
}

static int add_hardware(cli_sweep *sweep, const char *path, const char *values)
{
  pm_error error = PM_ERROR_NONE;
  if (sweep->hardware_count == HARDWARE_MOST)
    return fail(CODE_USAGE, "there are more than %d hardware axes", HARDWARE_MOST);
  if (pm_hardware_find_field(path, &error) == NULL) return fail(CODE_USAGE, "--axis %s", error.text);
  texts *items = &sweep->hardware_values[sweep->hardware_count];
  if (!read_option_names("axis", values, items)) return CODE_USAGE;
  sweep->hardware[sweep->hardware_count] = (pm_hardware_axis){path, items->items, items->count};
  sweep->paths[sweep->hardware_count++] = path;
  return CODE_DONE;
}

/* "PATH=VALUE,..."; the text is cut at the "=". */
static int add_axis(const cli_request *request, cli_sweep *sweep, char *text)
{
  char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return fail(CODE_USAGE, "--axis \"%.80s\" is not PATH=VALUE,...", text);
  *equals = '\0';
  if (strchr(text, '.') != NULL) return add_hardware(sweep, text, equals + 1);
  const pm_field *field = field_of(request, sweep->runs.type, text);
  if (field == NULL)
    return fail(CODE_USAGE, "--axis \"%.80s\" is neither a field of the run nor a hardware parameter, such as "
                            "gpu.memory_bandwidth", text);
  if (field_given(request, field->name) != NULL)
    return fail(CODE_USAGE, "--axis %s and the option of that name cannot be combined", text);
  pm_given_add(&sweep->runs.given, sweep->runs.facts->run, field->name);
  return read_axis(text, field, equals + 1, sweep->runs.base, &sweep->runs.axes) ? CODE_DONE : CODE_USAGE;
}

/* What only training has. */
static int read_batches(const cli_request *request, cli_sweep *sweep)
{
  const char *global = request->value[OPTION_GLOBAL_BATCH];
  bool trains = sweep->runs.task == PM_TASK_TRAINING;
  if (!trains && request->value[OPTION_DATASET] != NULL)
    return fail(CODE_USAGE, "--dataset has no effect in %s", sweep->runs.facts->name);
  if (global == NULL) return CODE_DONE;
  if (!trains) return fail(CODE_USAGE, "--global-batch has no effect in %s", sweep->runs.facts->name);
  if (field_given(request, "batch") != NULL) return fail(CODE_USAGE, "give either --batch or --global-batch, not both");
  sweep->runs.given.global_batch = 1;
  pm_given_add(&sweep->runs.given, "run", "batch");
  const pm_field *batch = pm_record_find_field(sweep->runs.type, "batch");
  return read_axis("global-batch", batch, global, sweep->runs.base, &sweep->runs.axes) ? CODE_DONE : CODE_USAGE;
}

static int read_question(const cli_request *request, cli_sweep *sweep)
{
  int code;
  int32_t task = read_task(request, &code);
  if (!read_names("NETWORKS", request->arguments.items[0], &sweep->network_names) ||
      !read_names("SYSTEMS", request->arguments.items[1], &sweep->system_names))
    return CODE_USAGE;
  if (code == CODE_DONE) code = start_runs(&sweep->runs, request, task, true);
  if (code == CODE_DONE) code = read_batches(request, sweep);
  for (size_t i = 0; i < request->axes.count && code == CODE_DONE; i++)
    code = add_axis(request, sweep, (char *)(uintptr_t)request->axes.items[i]);
  sweep->variants = pm_variants_count(sweep->hardware, sweep->hardware_count);
  sweep->system_count = sweep->system_names.count * sweep->variants;
  return code;
}

/* ---- Networks and systems ---- */

/* The system, or its variants. */
static int open_variants(cli_sweep *sweep, size_t index)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  pm_system *system = open_system(sweep->catalog, sweep->system_names.items[index], &code);
  pm_system **place = &sweep->systems[index * sweep->variants];
  if (system == NULL || sweep->hardware_count == 0) {
    *place = system;
    return code;
  }
  if (pm_system_new_variants(system, sweep->hardware, sweep->hardware_count, place, &error) != PM_OK)
    code = fail_error(&error);
  pm_system_free(system);
  return code;
}

static int read_dataset(const cli_request *request, cli_sweep *sweep)
{
  pm_dataset record;
  pm_error error = PM_ERROR_NONE;
  const char *dataset = request->value[OPTION_DATASET];
  if (dataset == NULL) return CODE_DONE;
  if (field_given(request, "epoch_samples") != NULL)
    return fail(CODE_USAGE, "give either --dataset or --epoch-samples, not both");
  if (pm_catalog_get_record(sweep->catalog, "dataset", dataset, &record, &error) != PM_OK) return fail_error(&error);
  ((pm_run *)sweep->runs.base)->epoch_samples = record.samples;
  return CODE_DONE;
}

static int make_study(const cli_request *request, cli_sweep *sweep)
{
  int code;
  const cli_asked asked = {sweep->catalog, sweep->networks, sweep->network_names.count, sweep->systems,
                           sweep->system_count, sweep->runs.task};
  sweep->study = open_study(request, &asked, &sweep->framework_count, &code);
  return code;
}

static int open_all(const cli_request *request, cli_sweep *sweep)
{
  int code;
  if ((double)sweep->system_count > RUNS_MOST)
    return fail(CODE_USAGE, "the sweep has too many systems");
  sweep->catalog = open_catalog(request, &code);
  sweep->networks = (pm_network **)calloc(sweep->network_names.count, sizeof *sweep->networks);
  sweep->systems = (pm_system **)calloc(sweep->system_count, sizeof *sweep->systems);
  if (sweep->networks == NULL || sweep->systems == NULL) return fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < sweep->network_names.count; i++)
    sweep->networks[i] = open_network(request, sweep->catalog, sweep->network_names.items[i], &code);
  for (size_t i = 0; code == CODE_DONE && i < sweep->system_names.count; i++) code = open_variants(sweep, i);
  if (code == CODE_DONE) code = make_study(request, sweep);
  return code == CODE_DONE ? read_dataset(request, sweep) : code;
}

/* Those of the columns asked for that cost; without --columns csv and json have all, and people see none of them. */
static unsigned extra_columns(const cli_request *request)
{
  texts names;
  unsigned extra = 0;
  const char *asked = request->value[OPTION_COLUMNS];
  if (asked == NULL) return request->format == PM_FORMAT_TABLE ? 0 : ~0u;
  if (strcmp(asked, "all") == 0) return ~0u;
  if (!read_option_names("columns", asked, &names)) return 0;
  for (size_t i = 0; i < names.count; i++) extra |= pm_extra_column_find(names.items[i]);
  free(names.items);
  return extra;
}

static int predict(const cli_request *request, cli_sweep *sweep)
{
  int code = make_runs(&sweep->runs, sweep->network_names.count, sweep->system_count, sweep->framework_count, RUNS_MOST,
                       "runs");
  if (code == CODE_DONE) code = complete_all(&sweep->runs, request, sweep->study, true);
  const pm_plan *plan = code == CODE_DONE ? open_plan(sweep->study, &code) : NULL;
  return plan != NULL ? predict_all(&sweep->runs, plan, extra_columns(request)) : code;
}

int sweep_predict(const cli_request *request, cli_sweep *sweep)
{
  int code = read_question(request, sweep);
  if (code == CODE_DONE) code = open_all(request, sweep);
  return code == CODE_DONE ? predict(request, sweep) : code;
}

/* ---- Result ---- */

void sweep_free(cli_sweep *sweep)
{
  pm_study_free(sweep->study);
  for (size_t i = 0; sweep->networks != NULL && i < sweep->network_names.count; i++)
    pm_network_free(sweep->networks[i]);
  for (size_t i = 0; sweep->systems != NULL && i < sweep->system_count; i++) pm_system_free(sweep->systems[i]);
  free(sweep->networks);
  free(sweep->systems);
  pm_catalog_free(sweep->catalog);
  free(sweep->network_names.items);
  free(sweep->system_names.items);
  for (size_t i = 0; i < sweep->hardware_count; i++) free(sweep->hardware_values[i].items);
  free_runs(&sweep->runs);
}

static pm_table *table_of(const cli_sweep *sweep, pm_error *error)
{
  pm_sweep all = sweep_of(&sweep->runs);
  all.paths = sweep->paths;
  all.path_count = sweep->hardware_count;
  return pm_study_tabulate(sweep->study, &sweep->runs.given, &all, error);
}

/* A table of the first run has all columns: conditions and columns are looked for there. */
static int check_first(const cli_request *request, cli_sweep *sweep, double *runs)
{
  pm_error error = PM_ERROR_NONE;
  const size_t networks = sweep->network_names.count;
  int code = make_first_run(&sweep->runs, networks, sweep->system_count, sweep->framework_count, runs);
  if (code == CODE_DONE) code = complete_all(&sweep->runs, request, sweep->study, true);
  if (code == CODE_DONE) open_plan(sweep->study, &code);
  pm_table *table = code == CODE_DONE ? table_of(sweep, &error) : NULL;
  if (table == NULL) return code == CODE_DONE ? fail_error(&error) : code;
  code = choose_rows(request, table);
  pm_table_free(table);
  return code;
}

int sweep_check(const cli_request *request, double *runs)
{
  cli_sweep *sweep = (cli_sweep *)calloc(1, sizeof *sweep);
  if (sweep == NULL) return fail_memory();
  int code = read_question(request, sweep);
  if (code == CODE_DONE) code = open_all(request, sweep);
  if (code == CODE_DONE) code = check_first(request, sweep, runs);
  sweep_free(sweep);
  free(sweep);
  return code;
}

/* Rows of any number, written as they come: what Python does. */
static int stream(const cli_request *request)
{
  if (request->value[OPTION_OUTPUT] == NULL)
    return fail(CODE_USAGE, "--resume and --workers need a file that rows are streamed to: -o FILE.csv, .parquet or "
                            ".arrow, or a folder: -o rows/");
  return python_run(request->command, request->word_count, request->words);
}

static int run(const cli_request *request)
{
  if (request->streamed || request->value[OPTION_RESUME] != NULL || request->value[OPTION_WORKERS] != NULL)
    return stream(request);
  pm_error error = PM_ERROR_NONE;
  cli_sweep *sweep = (cli_sweep *)calloc(1, sizeof *sweep);
  if (sweep == NULL) return fail_memory();
  int code = sweep_predict(request, sweep);
  if (code == CODE_DONE) code = write_table(request, table_of(sweep, &error), &error);
  if (code == CODE_DONE) code = report_failed(request, &sweep->runs, sweep->study);
  sweep_free(sweep);
  free(sweep);
  return code;
}

static const cli_option options[] = {
  SWEEP_OPTIONS,
  COLUMNS_OPTION,
  ENERGY_OPTION,
  {OPTION_FRONT_OF, '\0', "front", "NAME,...",
   "only the Pareto front of these columns: rows that no other row beats in one and equals in the others; less is "
   "better, more "
   "with \"-\": --front=-throughput,memory"},
  {OPTION_FIRST, '\0', "top", "N", "only the first N rows in the order of --sort, without rows whose value is unknown"},
  WORKERS_OPTIONS,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command sweep_command = {
  "sweep", "NETWORKS SYSTEMS", "predicts every combination of networks, systems, GPUs, batches, ...",
  "Predicts every combination of the comma-separated lists. The batch varies fastest, then GPUs, nodes, precision, "
  "the other options of the run, framework, hardware parameters, system and network. A switch takes a list in the "
  "form --no-prefetch=no,yes. A run that cannot be predicted keeps its row, with the reason as its status and no "
  "numbers; the exit status is 1 only if no run can be predicted.\n\n"
  "Sweeps too large for memory are streamed to a file that ends in .parquet or .arrow, or to csv with --workers: pip "
  "install \"perfmodel[arrow]\". A name that ends in \"/\" is a folder, into which each of the --workers writes the "
  "rows that it evaluates, as Parquet files. Ctrl-C keeps the rows written so far, and --resume continues.\n\n"
  "The table shows the main columns, and above them the values that all rows share; csv and json have all columns, "
  "in SI units.",
  "perfmodel sweep resnet50 dgx1-v100 --batch 32,64 --optimizer sgd,adam --axis gpu.memory_bandwidth=x1,x1.1", options,
    2,
  2, run};
