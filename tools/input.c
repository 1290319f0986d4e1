/* perfmodel input: what storage, network, page cache, decoding and copies bring to the GPUs. */
#include <math.h>
#include <string.h>
#include "asked.h"
#include "input_path.h"

enum { LABEL = 22, QUANTITY = 64 };

typedef struct question {
  pm_input_setup setup;
  pm_input_run run;
  pm_input_rates rates;
  pm_system *system;
  pm_given given;
  pm_run asked; /* whose GPUs read */
  char assumed[ASSUMED];
} question;

/* ---- What is asked ---- */

/* An option whose value is a field of the run, by the same rules as everywhere. */
static int set_field(const cli_request *request, option_id option, const char *field, pm_input_run *run)
{
  pm_error error = PM_ERROR_NONE;
  const pm_field *f = pm_record_find_field(pm_record_type_find("input_run"), field);
  if (request->value[option] == NULL) return CODE_DONE;
  return pm_record_set(f, run, request->value[option], &error) == PM_OK ? CODE_DONE : fail(CODE_USAGE, "%s",
      error.text);
}

static int read_input(const cli_request *request, pm_input_run *run)
{
  static const struct {
    option_id option;
    const char *field;
  } fields[] = {{OPTION_UNITS, "units"},       {OPTION_WORKERS, "workers"},     {OPTION_READS, "reads"},
                {OPTION_PREFETCH, "prefetch"},
                {OPTION_FILES, "format"},      {OPTION_DECODE, "decode"},     {OPTION_POLICY, "policy"},
                {OPTION_CACHE, "cache"},       {OPTION_CHUNK, "chunk"},       {OPTION_RATE, "gpu_rate"},
                {OPTION_SAMPLE_OUT, "sample_out"},
                {OPTION_UPLINK_GPUS, "gpus_per_uplink"}};
  *run = pm_input_run_make();
  int code = CODE_DONE;
  for (size_t i = 0; i < sizeof fields / sizeof fields[0] && code == CODE_DONE; i++)
    code = set_field(request, fields[i].option, fields[i].field, run);
  run->first_epoch = request->value[OPTION_CACHE] == NULL || request->value[OPTION_FIRST_EPOCH] != NULL;
  return code;
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

/* What was assumed of the run, or empty. */
static int predict_rate(const cli_request *request, const pm_catalog *catalog, question *q)
{
  int code;
  pm_error error = PM_ERROR_NONE;
  pm_prediction prediction;
  pm_network *network = open_network(request, catalog, request->value[OPTION_NETWORK], &code);
  const cli_asked asked = {catalog, &network, 1, &q->system, 1, PM_TASK_TRAINING};
  pm_study *study = code == CODE_DONE ? open_study(request, &asked, NULL, &code) : NULL;
  if (code == CODE_DONE) code = complete_runs(request, study, &q->given, &q->asked, 1, false);
  if (code == CODE_DONE) code = check_effects(request, study, &q->asked, 1);
  const pm_plan *plan = code == CODE_DONE ? open_plan(study, &code) : NULL;
  if (plan != NULL && pm_run_check(plan, &q->asked, &error) != PM_OK) code = fail_error(&error);
  if (code == CODE_DONE) pm_predict(plan, &q->asked, &prediction, 1);
  if (code == CODE_DONE) {
    q->run.gpu_rate = prediction.throughput / q->asked.nodes;
    assumed_of(study, &q->given, &q->asked, q->assumed);
  }
  pm_study_free(study);
  pm_network_free(network);
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
      return fail(CODE_USAGE, "--%s is of the network: give --network", name);
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

/* ---- The answer for people ---- */

static void print_rate(FILE *stream, const question *q, const char *name, double rate, int stage)
{
  if (!isfinite(rate)) return;
  fprintf(stream, "  %-*s%12.0f samples/s%s\n", LABEL, name, rate,
          (int)q->rates.bottleneck == stage ? "  <- the limit" : "");
}

static void print_stages(FILE *stream, const question *q)
{
  const pm_input_rates *r = &q->rates;
  print_rate(stream, q, "storage", r->storage, PM_INPUT_STAGE_STORAGE);
  print_rate(stream, q, "reads in flight", r->reads, PM_INPUT_STAGE_READS);
  print_rate(stream, q, "storage's ports", r->uplink, PM_INPUT_STAGE_UPLINK);
  print_rate(stream, q, "gateway", r->gateway, PM_INPUT_STAGE_GATEWAY);
  print_rate(stream, q, "adapter of the node", r->client, PM_INPUT_STAGE_CLIENT);
  print_rate(stream, q, "decoding", r->decode, PM_INPUT_STAGE_DECODE);
  print_rate(stream, q, "host to device", r->copy, PM_INPUT_STAGE_COPY);
  if (!isnan(q->run.gpu_rate)) print_rate(stream, q, "GPUs", q->run.gpu_rate, PM_INPUT_STAGE_COMPUTE);
}

static void print_nodes(FILE *stream, const char *name, double nodes)
{
  if (isfinite(nodes)) fprintf(stream, "  %-*s%12.0f nodes\n", LABEL, name, nodes);
}

static void print_fed(FILE *stream, const question *q)
{
  char rate[QUANTITY];
  const pm_input_rates *r = &q->rates;
  if (!isfinite(r->max_nodes)) return;
  fprintf(stream, "\nNodes that one storage system can supply, %s each\n",
          pm_quantity_format(rate, sizeof rate, r->node_rate, "B/s"));
  print_nodes(stream, "storage", r->nodes_storage);
  print_nodes(stream, "storage's ports", r->nodes_uplink);
  print_nodes(stream, "gateway", r->nodes_gateway);
  print_nodes(stream, "ports of the switch", r->nodes_ports);
  print_nodes(stream, "all of it", r->max_nodes);
}

/* Where the path has no limit there is nothing that could be off. */
static void print_interval(FILE *stream, const pm_input_rates *r)
{
  if (r->calibration == PM_CALIBRATION_STATUS_NONE || isnan(r->throughput_p10)) return;
  const char *word = pm_record_find_field(pm_record_type_find("input_rates"),
                                          "calibration")->choices[r->calibration].name;
  if (r->throughput_p10 == r->throughput_p90)
    fprintf(stream, "  %-*s the path keeps up within its 80 %% prediction interval (%s)\n", LABEL, "", word);
  else fprintf(stream, "  %-*s%12.0f to %.0f samples/s (80 %% prediction interval, %s)\n", LABEL, "", r->throughput_p10,
               r->throughput_p90, word);
}

static int write_report(const cli_request *request, const question *q)
{
  cli_page page;
  char rate[QUANTITY];
  const pm_input_rates *r = &q->rates;
  if (!page_open(&page)) return fail_memory();
  FILE *stream = page.stream;
  fprintf(stream, "Input of %s to %s\n", q->setup.dataset.name, q->setup.machine.name);
  fprintf(stream, "From %s, %d node%s, %s\n", q->setup.storage.name, q->run.nodes, q->run.nodes > 1 ? "s" : "",
          q->setup.loader.name);
  print_assumed(stream, q->assumed);
  fputc('\n', stream);
  fprintf(stream, "  %-*s%12.0f samples/s per node, %.0f in all\n", LABEL, "throughput", r->throughput, r->total);
  print_interval(stream, r);
  if (!isnan(r->gpu_busy))
    fprintf(stream, "  %-*s%10.1f %% busy, %.1f %% waiting for input\n", LABEL, "GPUs", 100 * r->gpu_busy,
            100 * r->input_wait_share);
  fprintf(stream, "  %-*s%12s from storage\n", LABEL, "bytes",
          pm_quantity_format(rate, sizeof rate, r->storage_rate, "B/s"));
  if (r->cached > 0)
    fprintf(stream, "  %-*s%10.1f %% of the set, answers %.1f %% of reads (LRU %.1f, random %.1f)\n", LABEL,
            "page cache", 100 * r->cached, 100 * r->hits, 100 * r->hits_least, 100 * r->hits_most);
  fputs("\nStages, per node\n", stream);
  print_stages(stream, q);
  print_fed(stream, q);
  return page_write(&page, request);
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

static int run(const cli_request *request)
{
  question q;
  pm_error error = PM_ERROR_NONE;
  memset(&q, 0, sizeof q);
  int code = read_input(request, &q.run);
  if (code != CODE_DONE) return code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, catalog, &q);
  if (code == CODE_DONE) code = find_rate(request, catalog, &q);
  pm_system_free(q.system);
  pm_catalog_free(catalog);
  if (code != CODE_DONE) return code;
  if (pm_input_check(&q.setup, &q.run, &error) != PM_OK) return fail_error(&error);
  if (pm_input_evaluate(&q.setup, &q.run, &q.rates, 1) != PM_OK) return fail(CODE_INTERNAL, "the rates are not known");
  return is_report(request) ? write_report(request, &q) : write_row(request, &q);
}

static const cli_option options[] = {
  {OPTION_STORAGE, '\0', "storage", "NAME", "see perfmodel list storages (default: the machine's own)"},
  {OPTION_RATE, '\0', "rate", "RATE", "samples that the GPUs of a node would take, such as \"2940 samples/s\""},
  {OPTION_NETWORK, '\0', "network", "NAME", "predict that rate for this network instead; see perfmodel list networks"},
  {OPTION_FIELDS, '\0', "run", NULL, "epoch_samples input_rate no_prefetch"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "its samples per step over all GPUs, instead of --batch"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "what runs it (default: as perfmodel predict); see perfmodel list frameworks"},
  {OPTION_UNITS, '\0', "units", "N", "units of the storage, such as chassis (default 1)"},
  {OPTION_LOADER, '\0', "loader", "NAME", "see perfmodel list loaders (default tensorflow)"},
  {OPTION_CPU, '\0', "cpu", "NAME", "see perfmodel list decoders (default: the machine's)"},
  {OPTION_WORKERS, '\0', "workers", "W", "threads or processes that decode, per node (default: one per core)"},
  {OPTION_DECODE, '\0', "decode", "cpu|gpu|none", "where samples are decoded (default cpu)"},
  {OPTION_PREFETCH, '\0', "prefetch", "K", "batches prefetched (default 2); 0: stages work in turn"},
  {OPTION_FILES, '\0', "samples", "packed|files", "how samples are stored (default packed)"},
  {OPTION_CHUNK, '\0', "chunk", "SIZE", "one read of packed samples (default \"1 MiB\")"},
  {OPTION_READS, '\0', "reads", "N", "reads in flight per node (default: as many as workers)"},
  {OPTION_CACHE, '\0', "cache", "SIZE", "memory of a node for cached pages, such as \"100 GiB\"; steady state then"},
  {OPTION_POLICY, '\0', "policy", "lru|random|keep|sequential", "how the cache replaces (default lru)"},
  {OPTION_FIRST_EPOCH, '\0', "first-epoch", NULL, "nothing is cached yet"},
  {OPTION_SAMPLE_OUT, '\0', "sample-out", "SIZE",
   "bytes of a decoded sample, such as \"588 KiB\"; copies may limit then"},
  {OPTION_UPLINK_GPUS, '\0', "gpus-per-uplink", "N", "GPUs that share an uplink to the host (default 1)"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command input_command = {
  "input", "DATASET SYSTEM", "says whether storage and decoding keep up with the GPUs, and how many nodes they can "
                             "supply",
  "Gives every stage of the input path a rate: the storage, its network ports and gateway, the node's adapter, "
  "decoding, "
  "copies to the GPUs. The slowest limits. Against a rate of the GPUs it says how long they wait, and how many nodes "
  "one "
  "storage system can supply at that rate: the least over the chain, with every stage's own number.\n\n"
  "As a table this is a report to read; as csv or json it is one row with all values.",
  "perfmodel input ilsvrc2012-x10 c4140 --storage isilon-f800 --rate \"2940 samples/s\"", options, 2, 2, run};
