/* perfmodel sensitivity: how the step time depends on each number of the hardware, and which upgrade pays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "input_path.h"
#include "price.h"
#include "options.h"
#include "runs.h"

enum { UPGRADES_MOST = 64, WORD = 256 };

typedef struct upgrade {
  char name[WORD];
  pm_system *system;
  pm_input_setup input;
  pm_input_run input_run;
  pm_study *study; /* of another system */
  cli_runs asked;
} upgrade;

typedef struct question {
  pm_catalog *catalog;
  pm_network *network;
  pm_system *system;
  pm_study *study;
  cli_runs asked; /* one run */
  pm_input_setup input;
  pm_input_run input_run;
  pm_sensitivity_setup setup;
  double raise;
  upgrade upgrades[UPGRADES_MOST];
  pm_upgrade_choice choices[UPGRADES_MOST];
  pm_upgrade rows[UPGRADES_MOST];
  size_t upgrade_count;
  cli_prices prices; /* their currency */
} question;

/* ---- What is asked ---- */

static int read_question(const cli_request *request, question *q)
{
  int code;
  int32_t task = read_task(request, &code);
  if (code == CODE_DONE) code = start_runs(&q->asked, request, task, false);
  if (code != CODE_DONE) return code;
  if (task == PM_TASK_TRAINING) code = read_global_batch(request, NAN, (pm_run *)q->asked.base, &q->asked.given);
  else if (request->value[OPTION_GLOBAL_BATCH] != NULL) code = fail(CODE_USAGE, "--global-batch is only for training");
  if (code != CODE_DONE) return code;
  const char *raise = request->value[OPTION_RAISE];
  pm_error error = PM_ERROR_NONE;
  q->raise = 0.1;
  if (raise != NULL && pm_quantity_parse(raise, "1", &q->raise, &error) != PM_OK)
    return fail(CODE_USAGE, "--raise: %s", error.text);
  return q->raise > -1 && q->raise != 0 && q->raise <= 100 ? CODE_DONE
                                                           : fail(CODE_USAGE, "parameters cannot be raised by %s",
                                                                  raise);
}

static int find_input(const cli_request *request, question *q)
{
  const char *dataset = request->value[OPTION_DATASET];
  q->input.machine = *pm_system_get_machine(q->system);
  q->input_run = pm_input_run_make();
  int code = find_input_path(request, q->catalog, dataset != NULL ? dataset : "ilsvrc2012", &q->input, &q->input_run);
  q->setup.input = &q->input;
  q->setup.input_run = &q->input_run;
  q->setup.input_run_size = sizeof q->input_run;
  return code;
}

/* The run as it is on a system. */
static int complete(const cli_request *request, const question *q, pm_system *system, pm_study **study, cli_runs *runs)
{
  int code;
  const cli_asked asked = {q->catalog, (pm_network *const *)&q->network, 1, &system, 1, q->asked.task};
  *study = open_study(request, &asked, NULL, &code);
  if (code == CODE_DONE) code = make_runs(runs, 1, 1, 0, 1, "runs");
  return code == CODE_DONE ? complete_all(runs, request, *study, false) : code;
}

static int32_t place_of(const cli_runs *runs, const char *field)
{
  return (int32_t)run_number(runs, 0, field);
}

static int find_all(const cli_request *request, question *q)
{
  int code;
  bool storage = request->value[OPTION_STORAGE] != NULL;
  const pm_task_facts *task = q->asked.facts;
  if (task->replicas && storage) return fail(CODE_USAGE, "--storage is for training; %s reads none", task->name);
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE) q->system = open_system(q->catalog, request->arguments.items[1], &code);
  if (code == CODE_DONE) code = complete(request, q, q->system, &q->study, &q->asked);
  if (code != CODE_DONE) return code;
  const pm_study_software used = pm_study_get_software(q->study, place_of(&q->asked, task->software), 0);
  q->setup = (pm_sensitivity_setup){
    .network = pm_study_get_network(q->study, place_of(&q->asked, "network_index")), .system = q->system,
    .task = q->asked.task, .run = q->asked.runs, .run_size = q->asked.type->size,
    .framework = used.framework, .profile = used.profile, .engine = used.engine, .memory = used.memory};
  return storage ? find_input(request, q) : CODE_DONE;
}

/* ---- Upgrades: "system=dgx2@399000 USD" ---- */

static int another_gpu(question *q, upgrade *u, const char *name)
{
  pm_error error = PM_ERROR_NONE;
  pm_gpu gpu;
  pm_kernel_calibration kernels;
  if (pm_catalog_get_record(q->catalog, "gpu", name, &gpu, &error) != PM_OK) return fail_error(&error);
  bool known = pm_catalog_get_kernels(q->catalog, &gpu, &kernels, NULL) == PM_OK;
  const pm_system_change change = {.gpu = &gpu, .kernels = known ? &kernels : NULL};
  u->system = pm_system_new_with(q->system, &change, &error);
  return u->system != NULL ? CODE_DONE : fail_error(&error);
}

static int another_link(question *q, upgrade *u, const char *replaced, const char *name)
{
  pm_error error = PM_ERROR_NONE;
  pm_link link;
  pm_link_calibration calibration;
  if (pm_catalog_get_record(q->catalog, "link", name, &link, &error) != PM_OK) return fail_error(&error);
  bool known = pm_catalog_get_record(q->catalog, "calibration", link.id, &calibration, NULL) == PM_OK;
  const char *id = replaced != NULL ? pm_catalog_resolve(q->catalog, "links", replaced, &error) : NULL;
  if (replaced != NULL && id == NULL) return fail_error(&error);
  const pm_system_change change = {.link = &link, .replaced = id, .calibration = known ? &calibration : NULL};
  u->system = pm_system_new_with(q->system, &change, &error);
  return u->system != NULL ? CODE_DONE : fail_error(&error);
}

static int another_storage(const cli_request *request, question *q, upgrade *u, pm_upgrade_choice *choice,
                           const char *name)
{
  cli_request changed = *request;
  const char *dataset = request->value[OPTION_DATASET];
  if (q->setup.input == NULL) return fail(CODE_USAGE, "--upgrade storage=... needs the --storage that it replaces");
  changed.value[OPTION_STORAGE] = name;
  u->input.machine = *pm_system_get_machine(q->system);
  u->input_run = q->input_run;
  choice->input = &u->input;
  return find_input_path(&changed, q->catalog, dataset != NULL ? dataset : "ilsvrc2012", &u->input, &u->input_run);
}

/* On another system the same question may have another run: its framework, precision and counts. */
static int complete_upgrade(const cli_request *request, const question *q, upgrade *u, pm_upgrade_choice *choice)
{
  if (u->system == NULL) return CODE_DONE;
  u->asked = q->asked;
  u->asked.axes.count = 0;
  u->asked.runs = u->asked.answers = NULL;
  int code = complete(request, q, u->system, &u->study, &u->asked);
  if (code != CODE_DONE) return code;
  const pm_study_software used = pm_study_get_software(u->study, place_of(&u->asked, u->asked.facts->software), 0);
  choice->network = pm_study_get_network(u->study, place_of(&u->asked, "network_index"));
  choice->framework = used.framework;
  choice->profile = used.profile;
  choice->engine = used.engine;
  choice->memory = used.memory;
  choice->run = u->asked.runs;
  return CODE_DONE;
}

static int add_upgrade(const cli_request *request, question *q, const char *item)
{
  char word[WORD];
  if (q->upgrade_count == UPGRADES_MOST) return fail(CODE_USAGE, "there are more than %d upgrades", UPGRADES_MOST);
  if (strlen(item) >= sizeof word) return fail(CODE_USAGE, "upgrade \"%.60s...\" is too long", item);
  upgrade *u = &q->upgrades[q->upgrade_count];
  pm_upgrade_choice *choice = &q->choices[q->upgrade_count++];
  *choice = (pm_upgrade_choice){.name = u->name, .price = (double)NAN};
  snprintf(word, sizeof word, "%s", item);
  char *at = strchr(word, '@'), *equals = strchr(word, '=');
  if (at != NULL) *at = '\0';
  snprintf(u->name, sizeof u->name, "%s", word);
  int code = at != NULL ? read_amount(&q->prices, at + 1, &choice->price) : CODE_DONE;
  if (code != CODE_DONE) return code;
  if (equals == NULL)
    return fail(CODE_USAGE, "upgrade \"%.60s\" is not WHAT=NAME; WHAT is system, gpu, network, storage or "
                                              "a type of link", word);
  *equals = '\0';
  const char *name = equals + 1;
  if (strcmp(word, "system") == 0) u->system = open_system(q->catalog, name, &code);
  else if (strcmp(word, "gpu") == 0) code = another_gpu(q, u, name);
  else if (strcmp(word, "network") == 0) code = another_link(q, u, NULL, name);
  else if (strcmp(word, "storage") == 0) code = another_storage(request, q, u, choice, name);
  else code = another_link(q, u, word, name);
  choice->system = u->system;
  return code == CODE_DONE ? complete_upgrade(request, q, u, choice) : code;
}

static int read_upgrades(const cli_request *request, question *q)
{
  texts items;
  int code = CODE_DONE;
  if (request->value[OPTION_UPGRADE] == NULL) return CODE_DONE;
  if (!read_names("--upgrade", request->value[OPTION_UPGRADE], &items)) return CODE_USAGE;
  for (size_t i = 0; i < items.count && code == CODE_DONE; i++) code = add_upgrade(request, q, items.items[i]);
  free(items.items);
  return code;
}

/* ---- The answers ---- */

static pm_report *report_of(const question *q, pm_report_of of, const void *rows, size_t count, pm_error *error)
{
  const pm_report_question asked = {.of = of, .given = &q->asked.given, .runs = q->asked.runs,
                                    .run_size = q->asked.type->size, .answers = rows, .count = count,
                                    .currency = q->prices.currency[0] != '\0' ? q->prices.currency : NULL};
  return pm_study_new_report(q->study, &asked, error);
}

/* A report for people, or the rows as a table of their record type. */
static int write_rows(const cli_request *request, const question *q, pm_report_of of, const char *type,
                      const void *rows, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  if (is_report(request)) return write_document(request, report_of(q, of, rows, count, &error), &error);
  return write_table(request, pm_table_new_of_records(pm_record_type_find(type), rows, count, &error), &error);
}

static int answer(const cli_request *request, question *q)
{
  pm_error error = PM_ERROR_NONE;
  pm_sensitivity rows[PM_RESOURCE_COUNT];
  if (q->upgrade_count > 0) {
    if (pm_upgrade_evaluate(&q->setup, q->choices, q->upgrade_count, q->rows,
                            &error) != PM_OK) return fail_error(&error);
    return write_rows(request, q, PM_REPORT_OF_UPGRADES, "upgrade", q->rows, q->upgrade_count);
  }
  int count = pm_sensitivity_evaluate(&q->setup, q->raise, rows, &error);
  if (count < 0) return fail_error(&error);
  return write_rows(request, q, PM_REPORT_OF_SENSITIVITIES, "sensitivity", rows, (size_t)count);
}

static int run(const cli_request *request)
{
  question *q = (question *)calloc(1, sizeof *q);
  if (q == NULL) return fail_memory();
  int code = read_question(request, q);
  if (code == CODE_DONE) q->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, q);
  if (code == CODE_DONE) code = read_upgrades(request, q);
  if (code == CODE_DONE) code = answer(request, q);
  for (size_t i = 0; i < q->upgrade_count; i++) {
    pm_study_free(q->upgrades[i].study);
    free_axes(&q->upgrades[i].asked.axes);
    free(q->upgrades[i].asked.runs);
    free(q->upgrades[i].asked.answers);
    pm_system_free(q->upgrades[i].system);
  }
  pm_study_free(q->study);
  free_runs(&q->asked);
  pm_network_free(q->network);
  pm_system_free(q->system);
  pm_catalog_free(q->catalog);
  free(q);
  return code;
}

static const cli_option options[] = {
  {OPTION_INFERENCE, '\0', "inference", NULL, "vary an inference call instead of a training step"},
  TASK_OPTION,
  SERVE_OPTION,
  {OPTION_FIELDS, '\0', "run", NULL, "epoch_samples " TRAINING_FIELDS},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, instead of --batch"},
  {OPTION_FIELDS, '\0', "serving_run", NULL, "pue gpu_hour_price carbon energy_price power_budget"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME",
   "framework; none: kernels and collectives only (default: as perfmodel "
                                                "predict); see perfmodel list frameworks, with --inference also "
                                                "inference_profiles, with --serve engines"},
  {OPTION_RAISE, '\0', "raise", "SHARE", "by how much each parameter is raised (default \"10 %\"); negative values "
                                         "lower it"},
  {OPTION_UPGRADE, '\0', "upgrade", "LIST", "compare these instead: system=NAME, gpu=NAME, network=LINK, storage=NAME "
                                            "or "
                                            "LINK=LINK, each with its price behind an @ if you like: "
                                            "\"system=dgx2@399000 "
                                            "USD,...\""},
  {OPTION_STORAGE, '\0', "storage", "NAME", "storage that the nodes read from; see perfmodel list storages (default: "
                                            "input never "
                                            "limits)"},
  {OPTION_DATASET, '\0', "dataset", "NAME", "dataset in it (default ilsvrc2012); see perfmodel list datasets"},
  {OPTION_LOADER, '\0', "loader", "NAME", "data loader (default tensorflow); see perfmodel list "
                                          "loaders"},
  {OPTION_CPU, '\0', "cpu", "NAME", "decoding speed of the cores (default: the machine's)"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command sensitivity_command = {
  "sensitivity", "NETWORK SYSTEM", "shows how the step time depends on each hardware parameter, and which upgrade "
                                   "pays",
  "Raises one hardware parameter at a time by 10 % and predicts the step again: clock, memory bandwidth, L2 cache, "
  "power limit, NVLink, PCIe, network, latencies, host and storage. For a served model (--serve) it also varies the "
  "memory size, and prints the effect on TTFT, TPOT and throughput. With --upgrade it replaces the system, its GPU, "
  "a type of link or the storage instead, and prints the gain in rate, also per unit of price.\n\n"
  "A replaced GPU keeps the machine and its links. csv and json have all values.",
  "perfmodel sensitivity resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16", options, 2, 2, run};
