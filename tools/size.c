/* perfmodel size: from a rate or a deadline to the machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "deadline.h"
#include "serving_goal.h"
#include "size_answer.h"
#include "systems.h"

#define CHOICES_MOST 4096

/* ---- What there is ---- */

static int find_dataset(const cli_request *request, size_question *q)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_DATASET];
  if (pm_catalog_get_record(q->catalog, "dataset", name != NULL ? name : "ilsvrc2012", &q->dataset, &error) != PM_OK)
    return fail_error(&error);
  if (name == NULL && !isnan(q->goal.within))
    note(request, "epochs are of %s; --dataset names another set", q->dataset.name);
  q->goal.samples = q->dataset.samples;
  q->goal.sample_size = q->dataset.sample_size;
  return CODE_DONE;
}

static int find_all(const cli_request *request, size_question *q)
{
  int code;
  q->network = open_network(request, q->catalog, request->arguments.items[0], &code);
  if (code == CODE_DONE)
    code = open_systems(request, q->catalog, !q->runs.facts->replicas, &q->names, &q->systems);
  if (code == CODE_DONE && !q->runs.facts->replicas) code = find_dataset(request, q);
  if (code == CODE_DONE) code = read_prices(request, q->catalog, &q->prices);
  const cli_asked asked = {q->catalog, &q->network, 1, q->systems, q->names.count, q->runs.task};
  if (code == CODE_DONE) q->study = open_study(request, &asked, &q->framework_count, &code);
  return code;
}

/* ---- Choices: every system, framework and value of the run's fields ---- */

static bool allocate(size_question *q)
{
  size_t n = q->runs.count;
  q->price = (double *)calloc(n, sizeof *q->price);
  q->inputs = (pm_input_setup *)calloc(n, sizeof *q->inputs);
  q->input_runs = (pm_input_run *)calloc(n, sizeof *q->input_runs);
  q->choices = (pm_size_choice *)calloc(n, sizeof *q->choices);
  return q->price != NULL && q->inputs != NULL && q->input_runs != NULL &&
         q->choices != NULL;
}

static size_t system_of(const size_question *q, size_t choice)
{
  return (size_t)run_number(&q->runs, choice, "system_index");
}

static int add_input(const cli_request *request, size_question *q, size_t i, const pm_machine *machine)
{
  pm_input_run *run = &q->input_runs[i];
  pm_error error = PM_ERROR_NONE;
  q->inputs[i].machine = *machine;
  *run = pm_input_run_make();
  static const cli_field fields[] = {{OPTION_UNITS, "units"}, {OPTION_CACHE, "cache"}};
  if (!read_fields(request, "input_run", fields, 2, run)) return CODE_USAGE;
  if (request->value[OPTION_CACHE] != NULL) run->first_epoch = 0;
  cli_request silent = *request; /* what one choice of a system is told, the others need not be */
  if (i > 0 && system_of(q, i - 1) == system_of(q, i)) silent.value[OPTION_QUIET] = "";
  int code = find_input_path(&silent, q->catalog, q->dataset.id, &q->inputs[i], run);
  if (code != CODE_DONE) return code;
  return pm_input_check(&q->inputs[i], run, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

static int fill_choice(const cli_request *request, size_question *q, size_t i)
{
  const pm_machine *machine = pm_system_get_machine(q->systems[system_of(q, i)]);
  q->price[i] = price_of(&q->prices, machine->id);
  return request->value[OPTION_STORAGE] != NULL ? add_input(request, q, i, machine) : CODE_DONE;
}

/* Fields have an effect if they have one on the most nodes that are tried. */
static int check_most(const cli_request *request, const size_question *q)
{
  size_t count = q->runs.count, size = q->runs.type->size;
  char *several = (char *)malloc(count * size);
  const pm_field *nodes = pm_record_find_field(q->runs.type, "nodes");
  if (several == NULL) return fail_memory();
  memcpy(several, q->runs.runs, count * size);
  for (size_t i = 0; i < count; i++) pm_record_set_number(nodes, several + i * size, q->goal.max_nodes, NULL);
  int code = check_effects(request, q->study, several, count);
  free(several);
  return code;
}

static int fill_setup(const cli_request *request, size_question *q)
{
  int code = make_runs(&q->runs, 1, q->names.count, q->framework_count, CHOICES_MOST, "choices");
  if (code != CODE_DONE) return code;
  if (!allocate(q)) return fail_memory();
  code = complete_runs(request, q->study, &q->runs.given, q->runs.runs, q->runs.count, true);
  if (code == CODE_DONE) code = check_most(request, q);
  q->setup = (pm_size_setup){.task = q->runs.task, .choices = q->runs.runs, .run_size = q->runs.type->size,
                             .prices = q->price, .count = q->runs.count};
  if (code == CODE_DONE) q->setup.plan = open_plan(q->study, &code);
  for (size_t i = 0; i < q->setup.count && code == CODE_DONE; i++) code = fill_choice(request, q, i);
  if (request->value[OPTION_STORAGE] == NULL) return code;
  q->setup.inputs = q->inputs;
  q->setup.input_runs = q->input_runs;
  q->setup.input_run_size = sizeof *q->input_runs;
  return code;
}

/* ---- The command ---- */

static bool tokens_wanted(const cli_request *request)
{
  return field_given(request, "tokens") != NULL || field_given(request, "samples") != NULL;
}

/* The best plan for so many tokens or samples, instead of the same one on every count of nodes. */
static int size_tokens(const cli_request *request)
{
  static const option_id others[] = {OPTION_TASK, OPTION_TARGET_RATE, OPTION_EPOCHS, OPTION_LATENCY, OPTION_DATASET,
                                     OPTION_STORAGE, OPTION_UNITS, OPTION_LOADER, OPTION_CPU, OPTION_CACHE,
                                     OPTION_SWITCH_PORTS, OPTION_OVERSUBSCRIPTION, OPTION_PARETO, OPTION_PRICE_DATE};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (request->value[others[i]] != NULL)
      return fail(CODE_USAGE, "--%s has no effect with --tokens or --samples", option_name(request, others[i]));
  if (request->value[OPTION_WITHIN] == NULL)
    return fail(CODE_USAGE, "--tokens needs the time for them, such as --within \"30 d\"; how long given nodes take: "
                            "perfmodel predict %s SYSTEM --nodes N --tokens 300B", request->arguments.items[0]);
  return deadline_answer(request, request->value[OPTION_SYSTEM]);
}

static int run(const cli_request *request)
{
  if (serving_wanted(request))
    return serving_goal_answer(request, request->value[OPTION_SYSTEM], PM_SERVING_LAYOUTS_TENSOR);
  if (tokens_wanted(request)) return size_tokens(request);
  size_question *q = (size_question *)calloc(1, sizeof *q);
  if (q == NULL) return fail_memory();
  int code = size_read_question(request, q);
  if (code == CODE_DONE) q->catalog = open_catalog(request, &code);
  if (code == CODE_DONE) code = find_all(request, q);
  if (code == CODE_DONE) code = fill_setup(request, q);
  if (code == CODE_DONE) code = size_answer(request, q);
  size_free(q);
  free(q);
  return code;
}

static const cli_option options[] = {
  TASK_OPTION,
  SERVE_OPTION,
  {OPTION_SYSTEM, '\0', "system", "NAME,...",
   "systems to choose from (default: all with 16-bit tensor cores, for training with a network; of serving: those of "
   "--gpu-hour-price, if it names some); see perfmodel list systems"},
  {OPTION_TARGET_RATE, '\0', "target-rate", "RATE", "target rate in samples per second, such as \"20000 1/s\"; or"},
  {OPTION_EPOCHS, '\0', "epochs", "N", "epochs to train; or --tokens or --samples"},
  {OPTION_WITHIN, '\0', "within", "TIME", "time limit for --epochs, --tokens or --samples, such as \"6 h\""},
  {OPTION_LATENCY, '\0', "latency", "TIME", "size for inference: the longest a call may take, such as \"10 ms\""},
  {OPTION_DATASET, '\0', "dataset", "NAME", "dataset that defines an epoch (default ilsvrc2012); see perfmodel list "
                                            "datasets"},
  {OPTION_MINIMIZE, '\0', "minimize", "nodes|cost|power|rack-units|energy|carbon|energy-cost",
   "quantity to minimize (default nodes); power is design power, energy is predicted"},
  {OPTION_FIELDS, '\0', "run", "many", "nodes epoch_samples pue gpu_hour_price"},
  {OPTION_FIELDS, '\0', "serving_run", "many", "nodes concurrency arrivals ignore_memory pue gpu_hour_price"},
  SERVING_GOAL_OPTIONS,
  {OPTION_OF_FIELD, '\0', "gpus", NULL, "GPUs used in each node (default: all); each value of a list is one choice"},
  {OPTION_GLOBAL_BATCH, '\0', "global-batch", "N", "samples per step over all GPUs, instead of --batch"},
  {OPTION_FRAMEWORK, '\0', "framework", "NAME,...",
   "frameworks, or inference profiles; each is a choice; none: "
                                                    "kernels and collectives only (default: as perfmodel predict); see "
                                                    "perfmodel list frameworks"},
  {OPTION_PRICE, '\0', "price", "LIST|FILE", "price of a node: \"dgx1-v100=149000 USD,...\", or a file with one on "
                                             "each line"},
  {OPTION_GPU_HOUR_PRICE, '\0', "gpu-hour-price", "LIST", "serving and --tokens: price of a GPU for an hour: "
                                                          "\"hgx-h100=2.5 USD,...\", or one amount for all"},
  {OPTION_PRICE_DATE, '\0', "price-date", "DATE", "date of the prices, printed with them"},
  {OPTION_PUE, '\0', "pue", "RATIO", "power usage effectiveness: power of the site over that of the machines "
                                     "(default 1)"},
  {OPTION_STORAGE, '\0', "storage", "NAME", "storage that the nodes read from; see perfmodel list storages (default: "
                                            "input never "
                                            "limits)"},
  {OPTION_UNITS, '\0', "units", "N", "units of the storage, such as chassis (default 1)"},
  {OPTION_LOADER, '\0', "loader", "NAME", "data loader (default tensorflow); see perfmodel list "
                                          "loaders"},
  {OPTION_CPU, '\0', "cpu", "NAME", "decoding speed of the cores (default: the machine's)"},
  {OPTION_CACHE, '\0', "cache", "SIZE", "memory of a node for cached pages, such as \"100 GiB\""},
  {OPTION_SWITCH_PORTS, '\0', "switch-ports", "N", "ports used per switch (default 32)"},
  {OPTION_OVERSUBSCRIPTION, '\0', "oversubscription", "RATIO",
   "ports down over ports up of the first level (default 1)"},
  {OPTION_MAX_NODES, '\0', "max-nodes", "N", "largest node count to try (default 1024)"},
  {OPTION_PARETO, '\0', "pareto", NULL, "print the Pareto front of rate and the minimized quantity instead"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value; may be repeated"},
  COLUMNS_OPTION,
  ENERGY_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command size_command = {
  "size", "NETWORK", "finds the fewest nodes, or least cost, power or space, for a rate or a deadline",
  "For every system, framework and combination of options, raises the node count from 1 until the target is reached, "
  "and ranks the results by nodes, cost, power or rack space. For the best it prints what limits it, its power draw, "
  "the storage rate it needs, its switches and cables, and the next cheaper choice with the amount by which that "
  "misses the target. If no count reaches the target, the fastest is shown; the exit status is 1 if no system "
  "reaches it.\n\n"
  "With --tokens or --samples, finds for every system the fewest nodes whose best parallel plan trains on them "
  "within the time, with failures and checkpoints included, and prints what that takes: days, GPU-hours, energy and "
  "cost.\n\n"
  "With --latency, sizes for inference: every GPU is a replica that runs the largest batch within that time. "
  "Queueing and copies from and to the host are not included.\n\n"
  "Prices are yours, in one currency; the catalogue has none. Power is the machine's design power times the PUE; "
  "values missing from the catalogue are printed as unknown. The table is a report to read; csv and json have all "
  "choices with all values.",
  "perfmodel size resnet50 --epochs 90 --within \"6 h\" --system dgx1-v100,c4140-v100-sxm2 --precision fp16 --batch "
  "128",
  options, 1, 1, run};
