/* Reads a row of published rates in the catalogue's terms: network, machine, software and run. */
#include "validation/rate.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"
#include "validation/comparison.h"
#include "validation/host.h"
#include "validation/packed_row.h"

/* The columns that rows need in the words of a source. */
static int check_words(const pm__csv *table, const char *file, pm_error *error)
{
  static const char *const needed[] = {"model", "throughput", "unit"};
  const pm__lab_context context = {.table = table, .file = file};
  return pm__lab_check_columns(&context, needed, sizeof needed / sizeof needed[0], error);
}

int pm__lab_rate_reader_open(pm__lab_rate_reader *reader, const pm_catalog *catalog, const char *set,
                             const pm__csv *table, const char *file, pm_error *error)
{
  int columns[PM__COLUMNS];
  memset(reader, 0, sizeof *reader);
  reader->catalog = catalog;
  reader->table = table;
  reader->set = set;
  reader->inference = strcmp(set, "inference") == 0;
  reader->task = reader->inference ? PM_TASK_INFERENCE : PM_TASK_TRAINING;
  bool words = strcmp(set, "inference") == 0 || strcmp(set, "training") == 0;
  reader->packed = !words || pm__lab_packed_is(table);
  pm__lab_row_columns(table, columns);
  int status = reader->packed ? pm__lab_packed_check(table, file, error) : check_words(table, file, error);
  if (status == PM_OK) status = pm__lab_readings_new(&reader->readings, catalog, error);
  if (status == PM_OK) status = pm__lab_singles_read(&reader->singles, &reader->readings, table, columns, error);
  if (status != PM_OK) return status;
  reader->machines = pm__lab_machines_new(catalog, error);
  reader->predictor = pm__lab_predictor_new(catalog, NULL, error);
  return reader->machines != NULL && reader->predictor != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
}

void pm__lab_rate_reader_close(pm__lab_rate_reader *reader)
{
  pm__lab_readings_free(&reader->readings);
  pm__lab_singles_free(&reader->singles);
  pm__lab_machines_free(reader->machines);
  pm__lab_predictor_free(reader->predictor);
}

/* ---- Network ---- */

/* A size that the row gives becomes a parameter of the network, if it has that. */
static void add_size(pm__lab_predictor *predictor, const pm__lab_row *row, pm__lab_column column,
                     const char *parameter, char *name, pm_error *error)
{
  char setting[PM_TEXT_MAX], start[PM_TEXT_MAX];
  double size = pm__lab_row_number(row, column);
  if (!(size >= 1) || size > 1e6) return;
  snprintf(setting, sizeof setting, "%s=%.0f", parameter, size);
  snprintf(start, sizeof start, " %s=", parameter);
  if (strstr(name, start) != NULL || strlen(name) + strlen(setting) + 2 > PM__VALUE_LONGEST) return;
  if (!pm__lab_predictor_takes(predictor, name, setting, error)) return;
  snprintf(name + strlen(name), PM__VALUE_LONGEST - strlen(name), " %s", setting);
}

static int read_network(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char name[PM__VALUE_LONGEST];
  pm_error reason = PM_ERROR_NONE;
  const char *model = row->cell[PM__COLUMN_MODEL];
  if (pm__lab_readings_decide(&reader->readings, PM_DECISION_NETWORK, row, name) == NULL) {
    if (model[0] == '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "no model");
    if (pm_catalog_resolve(reader->catalog, "network", model, NULL) == NULL)
      return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown model \"%.80s\"", model);
    snprintf(name, sizeof name, "%.100s", model);
  }
  add_size(reader->predictor, row, PM__COLUMN_IMAGE, "image", name, &reason);
  add_size(reader->predictor, row, PM__COLUMN_SEQUENCE, "seq", name, &reason);
  rate->network = pm__lab_predictor_network(reader->predictor, name, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (rate->network >= 0) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "model \"%.80s\": %.200s", model, reason.text);
}

/* ---- Machine ---- */

/* The whole positive number of a cell, or `other` if it is empty; 0 if it is none. */
static int count_of(const pm__lab_row *row, pm__lab_column column, int other)
{
  double value = pm__lab_row_number(row, column);
  if (row->cell[column][0] == '\0') return other;
  return value >= 1 && value <= 1e6 && value == floor(value) ? (int)value : 0;
}

static int set_system(pm__lab_rate_reader *reader, const char *id, pm__lab_rate *rate, pm_error *error)
{
  rate->system = pm__lab_predictor_system(reader->predictor, id, error);
  if (rate->system < 0) return PM_STATUS_NOT_FOUND;
  const pm_system *system = pm__lab_predictor_built_system(reader->predictor, rate->system);
  snprintf(rate->gpu, sizeof rate->gpu, "%s", pm_system_get_gpu(system)->id);
  return PM_OK;
}

/* The GPUs over all nodes and the nodes, 0 for what the row does not say. */
static int read_counts(pm__lab_rate_reader *reader, const pm__lab_row *row, int *gpus, int *nodes, pm_error *error)
{
  double said = pm__lab_readings_number(&reader->readings, PM_DECISION_GPUS, row, error);
  *nodes = count_of(row, PM__COLUMN_NODES, -1);
  *gpus = said >= 1 && said <= 1e6 ? (int)said : count_of(row, PM__COLUMN_GPUS, *nodes > 1 ? -1 : 1);
  if (*gpus == 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "gpus \"%.20s\"", row->cell[PM__COLUMN_GPUS]);
  if (*nodes == 0) return pm__fail(error, PM_STATUS_BAD_VALUE, "nodes \"%.20s\"", row->cell[PM__COLUMN_NODES]);
  if (*gpus > 0 && *gpus < *nodes) *gpus *= *nodes; /* so they are those of each node */
  if (*gpus > 0 && *nodes > 0 && *gpus % *nodes != 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%d GPUs on %d nodes", *gpus, *nodes);
  *gpus = *gpus > 0 ? *gpus : 0;
  *nodes = *nodes > 0 ? *nodes : 0;
  return PM_OK;
}

/* The machine that a rule names, or "-": that of the GPUs alone, as the table calls hosts, not systems. Then one GPU
** that is no card is in the machine that several of it are in: boards come in no other, and its cores launch
** kernels. */
static const char *system_of(pm__lab_rate_reader *reader, const pm__lab_row *row, int gpus, int nodes, char *value,
                             pm_error *error)
{
  const char *id = pm__lab_readings_decide(&reader->readings, PM_DECISION_SYSTEM, row, value);
  pm__lab_row plain = *row;
  if (id != NULL && strcmp(id, "-") != 0) return id;
  if (id != NULL) plain.cell[PM__COLUMN_SYSTEM] = "";
  const char *board = id != NULL && gpus == 1 ? pm__lab_machines_find(reader->machines, &plain, 2, nodes, NULL) : NULL;
  if (board != NULL && strchr(board, '*') == NULL) return board;
  return pm__lab_machines_find(reader->machines, &plain, gpus, nodes, error);
}

/* Nodes or GPUs that the row does not say, or one node with more GPUs than it can have: full machines, as many as it
** takes. */
static int spread(pm__lab_rate_reader *reader, const char *id, int gpus, int nodes, pm__lab_rate *rate, pm_error *error)
{
  pm_machine machine;
  int status = pm_catalog_get_record(reader->catalog, "system", id, &machine, error);
  if (status != PM_OK) return status;
  int over = nodes > 0 || gpus == 0 ? nodes : pm_machine_get_nodes(&machine, gpus);
  rate->gpus = gpus > 0 && over > 0 && gpus / over < machine.gpus ? gpus / over : machine.gpus;
  rate->nodes = over > 0 ? over : gpus / rate->gpus;
  if (gpus == 0 || rate->gpus * rate->nodes == gpus) return set_system(reader, id, rate, error);
  return pm__fail(error, PM_STATUS_NOT_FOUND, "%d GPUs on nodes of %d", gpus, machine.gpus);
}

static int read_machine(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  pm_error other = PM_ERROR_NONE, reason = PM_ERROR_NONE;
  int gpus, nodes, status = read_counts(reader, row, &gpus, &nodes, error);
  if (status != PM_OK) return status;
  bool whole = gpus > 0 && (nodes > 1 || gpus == 1 || system_of(reader, row, gpus, 1, value, &other) != NULL);
  if (other.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (!whole && gpus > 0) nodes = 0;
  rate->nodes = nodes > 0 ? nodes : 1;
  rate->gpus = whole ? gpus / rate->nodes : 1;
  const char *id = system_of(reader, row, whole ? rate->gpus : 2, rate->nodes, value, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  if (id == NULL) system_of(reader, row, whole ? rate->gpus : gpus, rate->nodes, value, error);
  if (id == NULL) return PM_STATUS_NOT_FOUND;
  return whole ? set_system(reader, id, rate, error) : spread(reader, id, gpus, nodes, rate, error);
}

/* Several GPUs of one host that are as slow as only GPUs without peer access are: their machine is one, whatever joins
** its GPUs otherwise. */
static int read_peers(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char name[2 * PM_TEXT_MAX];
  if (rate->gpus < 2 || rate->nodes > 1) return PM_OK;
  double least = pm__lab_readings_number(&reader->readings, PM_DECISION_PEERS, row, error);
  rate->no_peers = pm__lab_singles_share(&reader->singles, row) < least;
  if (!rate->no_peers) return PM_OK;
  snprintf(name, sizeof name, "%s*%d:sockets", rate->gpu, rate->gpus);
  return set_system(reader, name, rate, error);
}

/* ---- How it was run ---- */

static int read_precision(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  const char *name = pm__lab_readings_decide(&reader->readings, PM_DECISION_PRECISION, row, value);
  if (name == NULL) name = row->cell[PM__COLUMN_PRECISION];
  rate->precision = (int32_t)pm_precision_find(name);
  if (name[0] == '\0') return pm__fail(error, PM_STATUS_NOT_FOUND, "no precision");
  return rate->precision >= 0 ? PM_OK : pm__fail(error, PM_STATUS_NOT_FOUND, "unknown precision \"%.60s\"", name);
}

static const char *exact_id(const pm__lab_rate_reader *reader, const char *type, const char *cell)
{
  const char *id = cell[0] != '\0' ? pm_catalog_resolve(reader->catalog, type, cell, NULL) : NULL;
  return id != NULL && strcmp(id, cell) == 0 ? id : NULL;
}

/* The cell, if it is the very id of a framework, or of a profile of inference, of the catalogue. */
static const char *profile_id(const pm__lab_rate_reader *reader, const pm__lab_row *row)
{
  const char *cell = row->cell[PM__COLUMN_FRAMEWORK], *id = exact_id(reader, "framework", cell);
  return id == NULL && reader->inference ? exact_id(reader, "inference_profile", cell) : id;
}

/* The framework, with the memory profile of the row's script where a rule names one. */
static int training_profile(pm__lab_rate_reader *reader, const pm__lab_row *row, const pm__lab_rate *rate,
                            pm_error *error)
{
  char value[PM__VALUE_LONGEST], name[2 * PM_TEXT_MAX];
  const char *memory = pm__lab_readings_decide(&reader->readings, PM_DECISION_MEMORY, row, value);
  snprintf(name, sizeof name, "%.79s%s%.40s", rate->framework, memory != NULL ? PM__LAB_MEMORY : "",
           memory != NULL ? memory : "");
  return pm__lab_predictor_framework(reader->predictor, name, error);
}

static int read_framework(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST], cudnn[PM__VALUE_LONGEST];
  const char *name = profile_id(reader, row);
  if (name == NULL) name = pm__lab_readings_decide(&reader->readings, PM_DECISION_FRAMEWORK, row, value);
  rate->generic = name == NULL;
  if (name == NULL) name = "generic";
  if (pm__lab_readings_decide(&reader->readings, PM_DECISION_CUDNN, row, cudnn) == NULL) cudnn[0] = '\0';
  snprintf(rate->framework, sizeof rate->framework, "%.50s%s%.20s", name, cudnn[0] != '\0' ? "@" : "", cudnn);
  if (reader->inference) rate->profile = pm__lab_predictor_profile(reader->predictor, rate->framework, error);
  else rate->profile = training_profile(reader, row, rate, error);
  if (reader->inference && rate->profile < 0) return PM_STATUS_NOT_FOUND;
  return rate->profile >= -1 ? PM_OK : PM_STATUS_NOT_FOUND;
}

/* SGD with momentum, unless the row or a rule says otherwise. */
static int read_optimizer(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  pm_run run = pm_run_make();
  const char *name = pm__lab_readings_decide(&reader->readings, PM_DECISION_OPTIMIZER, row, value);
  if (name == NULL) name = row->cell[PM__COLUMN_OPTIMIZER];
  rate->optimizer = run.optimizer;
  if (name[0] == '\0') return PM_OK;
  int status = pm_record_set(pm_record_find_field(pm_record_type_find("run"), "optimizer"), &run, name, error);
  rate->optimizer = run.optimizer;
  return status;
}

static int read_batch(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  double ranks = (double)rate->gpus * rate->nodes, all = pm__lab_row_number(row, PM__COLUMN_GLOBAL_BATCH);
  rate->batch = pm__lab_readings_number(&reader->readings, PM_DECISION_BATCH, row, error);
  if (isnan(rate->batch)) rate->batch = pm__lab_row_number(row, PM__COLUMN_BATCH);
  if (isnan(rate->batch)) rate->batch = all / ranks;
  rate->accumulation = pm__lab_readings_number(&reader->readings, PM_DECISION_ACCUMULATION, row, error);
  if (reader->inference) rate->accumulation = 1;
  if (isnan(rate->accumulation)) rate->accumulation = rint(all / (rate->batch * ranks));
  if (!(rate->accumulation >= 1)) rate->accumulation = 1;
  if (isnan(rate->batch)) return pm__fail(error, PM_STATUS_NOT_FOUND, "no batch size");
  double stated = pm__lab_row_number(row, PM__COLUMN_BATCH);
  if (stated > 0 && stated != floor(stated))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "a batch of %.6g per GPU, which is no whole number", stated);
  rate->batch = rint(rate->batch);
  return rate->batch >= 1 ? PM_OK : pm__fail(error, PM_STATUS_BAD_VALUE, "batch %g", rate->batch);
}

static bool counts_samples(const char *unit)
{
  return pm__words_hold("images s | image s | img s | im s | sequences s | seq s | sentences s | samples s | items s | "
                        "examples s | inferences s", unit);
}

static int read_unit(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  const char *unit = row->cell[PM__COLUMN_UNIT];
  rate->each = strstr(unit, "/GPU") != NULL || strstr(unit, "/gpu") != NULL;
  rate->items = pm__lab_readings_number(&reader->readings, PM_DECISION_ITEMS, row, error);
  if (isnan(rate->items) && !rate->latency && !counts_samples(unit))
    return pm__fail(error, PM_STATUS_NOT_FOUND, "unit \"%.60s\" of model \"%.60s\"", unit, row->cell[PM__COLUMN_MODEL]);
  if (isnan(rate->items)) rate->items = 1;
  return PM_OK;
}

/* A throughput, or, if there is none, a latency. */
static int read_measured(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  rate->measured = pm__lab_row_number(row, PM__COLUMN_THROUGHPUT);
  rate->latency = reader->inference && isnan(rate->measured);
  if (rate->latency) rate->measured = pm__lab_row_number(row, PM__COLUMN_LATENCY);
  rate->quantity = pm__lab_quantity_find(rate->latency ? "latency" : "throughput", error);
  if (rate->measured > 0 && isfinite(rate->measured)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "no throughput above 0");
}

/* What samples the host brings, where a rule says what prepares them. */
static int read_loader(pm__lab_rate_reader *reader, const pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  const char *loader = reader->inference ? NULL : pm__lab_readings_decide(&reader->readings, PM_DECISION_LOADER, row,
                                                                          value);
  const pm_system *system = pm__lab_predictor_built_system(reader->predictor, rate->system);
  if (loader == NULL) return PM_OK;
  return pm__lab_host_rate(reader->catalog, loader, pm_system_get_machine(system), rate->gpus, rate->batch, &rate->plan,
                           error);
}

/* "tp4 pp12 dp8", "FSDP=0; TP=1; PP=2": whether some of the GPUs share a sample, or the weights of one replica. */
static bool is_split(const char *plan)
{
  static const char *const parts[] = {"tp", "pp", "cp", "ep", "fsdp"};
  for (const char *p = plan; *p != '\0'; p++) {
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
      const char *name = parts[i], *rest = p;
      bool start = p == plan || !isalpha((unsigned char)p[-1]);
      while (start && *name != '\0' && tolower((unsigned char)*rest) == *name) name++, rest++;
      if (!start || *name != '\0' || isalpha((unsigned char)*rest)) continue;
      int number = pm__whole_at(*rest == '=' ? rest + 1 : rest, INT_MAX - 1, NULL);
      bool sharded = strcmp(parts[i], "fsdp") == 0;
      if (sharded ? *rest != '=' || number > 0 : number > 1) return true;
    }
  }
  return false;
}

/* Rows are of data parallelism, or of one GPU. */
static int check_plan(const pm__lab_row *row, pm_error *error)
{
  const char *plan = row->cell[PM__COLUMN_PLAN];
  if (!is_split(plan)) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "left out: plan \"%.60s\" is not data parallelism alone", plan);
}

int pm__lab_rate_read(pm__lab_rate_reader *reader, pm__lab_row *row, pm__lab_rate *rate, pm_error *error)
{
  char value[PM__VALUE_LONGEST];
  memset(rate, 0, sizeof *rate);
  row->set = reader->set;
  rate->plan = pm_run_make();
  rate->call = pm_inference_run_make();
  rate->micro_batch[0] = (double)NAN;
  rate->micro_batches = 1;
  if (reader->packed) return pm__lab_packed_read(reader, row, rate, error);
  pm__lab_readings_know(&reader->readings, row);
  pm__lab_readings_date(&reader->readings, row);
  const char *why = pm__lab_readings_decide(&reader->readings, PM_DECISION_SKIP, row, value);
  if (why != NULL) return pm__fail(error, PM_STATUS_NOT_FOUND, "left out: %.150s", why);
  int status = check_plan(row, error);
  if (status == PM_OK) status = read_network(reader, row, rate, error);
  if (status == PM_OK) status = read_machine(reader, row, rate, error);
  if (status == PM_OK) status = read_peers(reader, row, rate, error);
  if (status == PM_OK) status = read_precision(reader, row, rate, error);
  if (status == PM_OK) status = read_measured(reader, row, rate, error);
  if (status == PM_OK) status = read_optimizer(reader, row, rate, error);
  if (status == PM_OK) status = read_batch(reader, row, rate, error);
  if (status == PM_OK) status = read_unit(reader, row, rate, error);
  if (status == PM_OK) status = read_framework(reader, row, rate, error);
  if (status == PM_OK) status = read_loader(reader, row, rate, error);
  const char *about = pm__lab_readings_decide(&reader->readings, PM_DECISION_ABOUT, row, value);
  snprintf(rate->about, sizeof rate->about, "%.15s", about != NULL ? about : "");
  return status;
}

/* ---- What a row is of ---- */

/* Whether a name is that of an entry, by any of its names, or what the row itself has. */
static bool is_called(const pm_catalog *catalog, const char *kind, const char *name, const char *id, const char *cell)
{
  pm_error unneeded = PM_ERROR_NONE;
  const char *found = pm_catalog_resolve(catalog, kind, name, &unneeded);
  return (found != NULL && strcmp(found, id) == 0) || strcmp(name, cell) == 0;
}

static bool is_of_one(const pm__lab_rate_reader *reader, const pm__lab_row *row, const pm__lab_rate *rate,
                      const char *item)
{
  const char *repository = row->cell[PM__COLUMN_REPOSITORY], *slash = strrchr(repository, '/');
  if (strncmp(item, "gpu=", 4) == 0)
    return is_called(reader->catalog, "gpu", item + 4, rate->gpu, row->cell[PM__COLUMN_GPU]);
  if (strncmp(item, "machine=", 8) == 0)
    return is_called(reader->catalog, "system", item + 8, pm__lab_predictor_system_id(reader->predictor, rate->system),
                     row->cell[PM__COLUMN_SYSTEM]);
  if (strncmp(item, "source=", 7) == 0) item += 7;
  return strcmp(item, repository) == 0 || (slash != NULL && strcmp(item, slash + 1) == 0);
}

bool pm__lab_rate_is_of(const pm__lab_rate_reader *reader, const pm__lab_row *row, const pm__lab_rate *rate,
                        const char *list)
{
  for (const char *p = list; p != NULL && *p != '\0';) {
    char item[PM__VALUE_LONGEST];
    size_t length = strcspn(p, ",");
    snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), p);
    if (length > 0 && is_of_one(reader, row, rate, item)) return true;
    p += length + (p[length] == ',');
  }
  return false;
}

/* ---- Runs and groups ---- */

pm_run pm__lab_rate_run(const pm__lab_rate *rate, int micro_batch)
{
  pm_run run = rate->plan;
  run.micro_batch = rate->micro_batch[micro_batch];
  run.network_index = rate->network;
  run.system_index = rate->system;
  run.gpus = rate->gpus;
  run.nodes = rate->nodes;
  run.batch = rate->batch;
  run.precision = rate->precision;
  run.framework_index = rate->profile;
  run.overlap = PM_OVERLAP_FRAMEWORK;
  run.optimizer = rate->optimizer;
  run.gradient_accumulation_steps = (int32_t)rate->accumulation;
  return run;
}

pm_inference_run pm__lab_rate_inference(const pm__lab_rate *rate)
{
  pm_inference_run run = rate->call;
  run.network_index = rate->network;
  run.system_index = rate->system;
  run.profile_index = rate->profile;
  run.gpus = rate->gpus;
  run.nodes = rate->nodes;
  run.batch = rate->batch;
  run.precision = rate->precision;
  return run;
}

double pm__lab_rate_scale(const pm__lab_rate *rate)
{
  return rate->items / (rate->each ? rate->gpus * rate->nodes : 1);
}

/* Volumes have a depth as well. */
static bool has_volumes(const pm_network *network)
{
  int64_t shape[PM_RANK_MAX];
  return pm_network_get_shape(network, 0, shape) > 3;
}

static const char *about(const pm__lab_rate *rate, const char *unit, const pm_network *network)
{
  if (rate->about[0] != '\0') return rate->about;
  if (pm__words_hold("images | img | im", unit)) return has_volumes(network) ? "volumes" : "vision";
  if (pm__words_hold("sequences | tokens | sentences", unit)) return "language";
  return rate->latency ? "latency" : "other";
}

void pm__lab_rate_group(const pm__lab_rate *rate, const pm__lab_row *row, const pm_network *network, char *group,
                        size_t size)
{
  const char *unit = row->cell[PM__COLUMN_UNIT], *source = strrchr(row->cell[PM__COLUMN_REPOSITORY], '/');
  const pm_choice *precisions = pm_record_find_field(pm_record_type_find("run"), "precision")->choices;
  snprintf(group, size, "%s %.34s %.20s %.12s %s%s%.22s", about(rate, unit, network), rate->framework, rate->gpu,
           precisions[rate->precision].name,
           rate->no_peers ? "no-peer" : rate->gpus * rate->nodes > 1 ? "n-gpu" : "1-gpu",
           source != NULL ? " " : "", source != NULL ? source + 1 : "");
}
