/* perfmodel input: what storage, network, page cache, decoding and copies bring to the GPUs. */
#include <math.h>
#include <string.h>
#include "asked.h"
#include "input_path.h"
#include "options.h"

typedef struct question {
  pm_input_setup setup;
  pm_input_run run;
  pm_input_rates rates;
  pm_system *system;
  pm_given given;
  pm_run asked; /* whose GPUs read */
  pm_network *network; /* of that run, and its study; NULL: only the rate of its GPUs is known */
  pm_study *study;
} question;

/* ---- What is asked ---- */

static int read_input(const cli_request *request, pm_input_run *run)
{
  static const cli_field fields[] = {
    {OPTION_UNITS, "units"},     {OPTION_WORKERS, "workers"}, {OPTION_READS, "reads"},
    {OPTION_PREFETCH, "prefetch"}, {OPTION_FILES, "format"},  {OPTION_DECODE, "decode"},
    {OPTION_POLICY, "policy"},   {OPTION_CACHE, "cache"},     {OPTION_CHUNK, "chunk"},
    {OPTION_RATE, "gpu_rate"},   {OPTION_SAMPLE_OUT, "sample_out"}, {OPTION_UPLINK_GPUS, "gpus_per_uplink"}};
  *run = pm_input_run_make();
  if (!read_fields(request, "input_run", fields, sizeof fields / sizeof fields[0], run)) return CODE_USAGE;
  run->first_epoch = request->value[OPTION_CACHE] == NULL || request->value[OPTION_FIRST_EPOCH] != NULL;
  return CODE_DONE;
}

static int find_all(const cli_request *request, const pm_catalog *catalog, question *q)
{
  int code;
  q->system = open_system(catalog, request->arguments.items[1], &code);
  if (code != CODE_DONE) return code;
  q->setup.machine = *pm_system_get_machine(q->system);
  return find_input_path(request, catalog, request->arguments.items[0], &q->setup, &q->run);
}

/* ---- The GPUs' own rate, from the model of training. ---- */

static int predict_rate(const cli_request *request, const pm_catalog *catalog, question *q)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  pm_prediction prediction;
  q->network = open_network(request, catalog, request->value[OPTION_NETWORK], &code);
  const cli_asked asked = {catalog, &q->network, 1, &q->system, 1, PM_TASK_TRAINING};
  q->study = code == CODE_DONE ? open_study(request, &asked, NULL, &code) : NULL;
  if (code == CODE_DONE) code = complete_runs(request, q->study, &q->given, &q->asked, 1, false);
  if (code == CODE_DONE) code = check_effects(request, q->study, &q->asked, 1);
  const pm_plan *plan = code == CODE_DONE ? open_plan(q->study, &code) : NULL;
  if (plan != NULL && pm_run_check(plan, &q->asked, &error) != PM_OK) code = fail_error(&error);
  if (code == CODE_DONE) pm_predict(plan, &q->asked, &prediction, 1);
  if (code == CODE_DONE) q->run.gpu_rate = prediction.throughput / q->asked.nodes;
  return code;
}

/* Fields of a run of training are for --network alone, but for how many GPUs of how many nodes. */
static int refuse_fields(const cli_request *request)
{
  for (size_t i = 0; i < request->given_count; i++) {
    char name[OPTION_NAME];
    const pm_field *field = request->given[i].field;
    field_option(field, name, sizeof name);
    if (strcmp(field->name, "gpus") != 0 && strcmp(field->name, "nodes") != 0)
      return fail(CODE_USAGE, "--%s belongs to the network: give --network", name);
  }
  return CODE_DONE;
}

static int complete_counts(question *q)
{
  pm_error error = PM_ERROR_NONE;
  return pm_run_complete_counts(q->system, &q->given, &q->asked, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

/* Counts and, of a network, the rate of its GPUs: by the same rules as everywhere. */
static int find_rate(const cli_request *request, const pm_catalog *catalog, question *q)
{
  bool network = request->value[OPTION_NETWORK] != NULL;
  q->asked = pm_run_make();
  q->asked.framework_index = 0;
  q->given = read_given(request, "run");
  int code = network ? CODE_DONE : refuse_fields(request);
  if (code == CODE_DONE && !read_run(request, "run", &q->asked)) code = CODE_USAGE;
  if (code == CODE_DONE) code = read_global_batch(request, NAN, &q->asked, &q->given);
  if (code == CODE_DONE) code = network ? predict_rate(request, catalog, q) : complete_counts(q);
  q->run.gpus = q->asked.gpus;
  q->run.nodes = q->asked.nodes;
  return code;
}

static pm_report *report_of(const question *q, pm_error *error)
{
  const pm_report_question asked = {.of = PM_REPORT_OF_INPUT, .given = &q->given,
                                    .runs = q->study != NULL ? &q->asked : NULL, .run_size = sizeof q->asked,
                                    .answers = &q->rates, .answer_size = sizeof q->rates, .count = 1,
                                    .input = &q->setup, .input_run = &q->run, .input_run_size = sizeof q->run};
  return pm_study_new_report(q->study, &asked, error);
}

/* ---- Table ---- */

static int write_row(const cli_request *request, const question *q)
{
  pm_error error = PM_ERROR_NONE;
  const pm_input_setup *s = &q->setup;
  const char *const names[] = {"dataset", "system", "storage_id", "loader", "cpu"};
  const char *const values[] = {s->dataset.id, s->machine.id, s->storage.id, s->loader.id, s->decoder.id};
  pm_table *runs = pm_table_new(1, &error);
  int status = runs != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  for (int i = 0; i < 5 && status == PM_OK; i++) status = pm_table_add_text(runs, names[i], "", &values[i], &error);
  if (status == PM_OK) status = pm_table_add_records(runs, pm_record_type_find("input_run"), &q->run, &error);
  pm_table_drop(runs, "decode"); /* below, the name of a rate; so is the next */
  pm_table_drop(runs, "reads");
  if (status == PM_OK) status = pm_table_add_records(runs, pm_record_type_find("input_rates"), &q->rates, &error);
  if (status == PM_OK) return write_table(request, runs, &error);
  pm_table_free(runs);
  return fail_error(&error);
}

static int answer(const cli_request *request, const pm_catalog *catalog, question *q)
{
  pm_error error = PM_ERROR_NONE;
  int code = find_all(request, catalog, q);
  if (code == CODE_DONE) code = find_rate(request, catalog, q);
  if (code != CODE_DONE) return code;
  if (pm_input_check(&q->setup, &q->run, &error) != PM_OK) return fail_error(&error);
  if (pm_input_evaluate(&q->setup, &q->run, &q->rates, 1) != PM_OK)
    return fail(CODE_INTERNAL, "the rates are not known");
  return is_report(request) ? write_document(request, report_of(q, &error), &error) : write_row(request, q);
}

static int run(const cli_request *request)
{
  question q;
  memset(&q, 0, sizeof q);
  int code = read_input(request, &q.run);
  if (code != CODE_DONE) return code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = answer(request, catalog, &q);
  pm_study_free(q.study);
  pm_network_free(q.network);
  pm_system_free(q.system);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_STORAGE, '\0', "storage", "NAME", "see perfmodel list storages (default: the machine's own)"},
  {OPTION_RATE, '\0', "rate", "RATE", "rate at which the GPUs of a node consume samples, such as \"2940 samples/s\""},
  {OPTION_NETWORK, '\0', "network", "NAME", "predict that rate for this network instead; see perfmodel list networks"},
  {OPTION_FIELDS, '\0', "run", NULL, "epoch_samples input_rate no_prefetch " TRAINING_FIELDS},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "its samples per step over all GPUs, instead of --batch"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "framework (default: as perfmodel predict); see perfmodel list frameworks"},
  {OPTION_UNITS, '\0', "units", "N", "units of the storage, such as chassis (default 1)"},
  {OPTION_LOADER, '\0', "loader", "NAME", "see perfmodel list loaders (default tensorflow)"},
  {OPTION_CPU, '\0', "cpu", "NAME", "see perfmodel list decoders (default: the machine's)"},
  {OPTION_WORKERS, '\0', "workers", "W", "threads or processes that decode, per node (default: one per core)"},
  {OPTION_DECODE, '\0', "decode", "cpu|gpu|none", "place of decoding (default cpu)"},
  {OPTION_PREFETCH, '\0', "prefetch", "K", "prefetched batches (default 2); 0: stages work one after the other"},
  {OPTION_FILES, '\0', "samples", "packed|files", "storage format of samples (default packed)"},
  {OPTION_CHUNK, '\0', "chunk", "SIZE", "one read of packed samples (default \"1 MiB\")"},
  {OPTION_READS, '\0', "reads", "N", "reads in flight per node (default: as many as workers)"},
  {OPTION_CACHE, '\0', "cache", "SIZE", "memory of a node for cached pages, such as \"100 GiB\"; the rates are then "
                                        "those of the steady state"},
  {OPTION_POLICY, '\0', "policy", "lru|random|keep|sequential", "replacement policy of the cache (default lru)"},
  {OPTION_FIRST_EPOCH, '\0', "first-epoch", NULL, "first epoch: nothing is cached yet"},
  {OPTION_SAMPLE_OUT, '\0', "sample-out", "SIZE",
   "bytes of a decoded sample, such as \"588 KiB\", for the copies to the GPUs"},
  {OPTION_UPLINK_GPUS, '\0', "gpus-per-uplink", "N", "GPUs that share an uplink to the host (default 1)"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command input_command = {
  "input", "DATASET SYSTEM", "shows whether storage and decoding keep up with the GPUs, and how many nodes they can "
                             "supply",
  "Predicts the rate of every stage of the input path: storage, its network ports and gateway, the node's adapter, "
  "decoding, and copies to the GPUs. The slowest stage limits. Given a rate of the GPUs, it prints how long they "
  "wait, and how many nodes one storage system can supply at that rate, stage by stage.\n\n"
  "The table is a report to read; csv and json give one row with all values.",
  "perfmodel input ilsvrc2012-x10 c4140 --storage isilon-f800 --rate \"2940 samples/s\"", options, 2, 2, run};
