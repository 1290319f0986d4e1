/* Published runs of collectives, and copies between two GPUs, beside predictions: by use, by machine, by size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/collective.h"
#include "perfmodel/units.h"
#include "base/csv.h"
#include "base/words.h"
#include "lab/validation/comparison.h"
#include "lab/validation/machines.h"
#include "lab/validation/predictor.h"

#define RUN_COLUMNS(X)                                                                                         \
  X(system) X(gpus) X(nodes) X(collective) X(message_bytes) X(algbw_GBps) X(time_us) X(nccl_version)               \
  X(protocol_or_algo) X(source) X(note) X(machine) X(gpu_list) X(use)

/* The cells of a row, "" for a column that is not there. */
typedef struct run_cells {
#define RUN_CELL(name) const char *name;
  RUN_COLUMNS(RUN_CELL)
#undef RUN_CELL
} run_cells;

/* All runs of a table: what one row does not say, another of the same source may. */
typedef struct run_table {
  run_cells *items;
  size_t count;
  bool machines_said; /* there is a column of machines; an empty cell of it is a machine of unknown wiring */
} run_table;

typedef struct collective_run {
  char machine[PM_TEXT_MAX]; /* "" if none of the catalogue is known to be wired so */
  int32_t gpus, nodes;       /* GPUs of all nodes */
  double bytes, measured;
  bool copy, rate;           /* a copy between two GPUs; what was measured is a bandwidth [B/s], no time [s] */
  char algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX]; /* that the prediction takes */
} collective_run;

static int read_runs(run_table *runs, const pm__csv *table, pm_error *error)
{
  runs->count = table->rows - 1;
  runs->items = (run_cells *)calloc(runs->count + 1, sizeof *runs->items);
  if (runs->items == NULL) return pm__no_memory(error);
#define COLUMN(name)                                                                                        \
  for (size_t i = 0; i < runs->count; i++)                                                                  \
    runs->items[i].name = pm__csv_cell(table, i + 1, pm__csv_column(table, #name));
  RUN_COLUMNS(COLUMN)
#undef COLUMN
  runs->machines_said = pm__csv_column(table, "machine") >= 0;
  return PM_OK;
}

/* ---- Which machine ---- */

/* What the column of machines says; without one the system that is named, if it has GPUs enough. "" if it is not
** known. */
static const char *find_machine(const run_table *runs, const run_cells *cells, pm__lab_machines *machines, int gpus)
{
  pm__lab_row row = {.set = ""};
  if (runs->machines_said) return cells->machine;
  for (int i = 0; i < PM__COLUMNS; i++) row.cell[i] = "";
  row.cell[PM__COLUMN_SYSTEM] = cells->system;
  const char *id = pm__lab_machines_find(machines, &row, gpus, 1, NULL);
  return id != NULL ? id : "";
}

/* ---- How it was driven ---- */

/* The N of "-g N": GPUs that one process drives; 0 if nothing is said. */
static int thread_gpus_said(const char *note)
{
  const char *g = strstr(note, "-g ");
  long said = g != NULL ? strtol(g + 3, NULL, 10) : 0;
  return said > 0 && said <= 1024 ? (int)said : 0;
}

/* What a row, or another of the same source, says; on one node, unless it says otherwise, nccl-tests is one process,
** and rccl-tests, which are run by MPI, one for each GPU. */
static int thread_gpus(const run_table *runs, const run_cells *cells, int per_node, int nodes)
{
  int said = thread_gpus_said(cells->note);
  for (size_t i = 0; said == 0 && cells->source[0] != '\0' && i < runs->count; i++)
    if (strcmp(runs->items[i].source, cells->source) == 0) said = thread_gpus_said(runs->items[i].note);
  if (said > 0) return said;
  bool processes = strstr(cells->note, "/process") != NULL || strncmp(cells->nccl_version, "RCCL", 4) == 0;
  return nodes == 1 && !processes ? per_node : 1;
}

static pm_era era_of(const char *version)
{
  while (*version == '~') version++;
  if (strncmp(version, "1.6", 3) == 0) return PM_ERA_2017; /* the first with rings over all NVLinks */
  if (version[0] == '1' && version[1] == '.') return PM_ERA_2016;
  if (version[0] == '2' && version[1] == '.' && version[2] >= '0' && version[2] <= '3' &&
      !(version[3] >= '0' && version[3] <= '9'))
    return PM_ERA_2017;
  return PM_ERA_CURRENT;
}

/* What the run was held to. NVLS is what the library does by itself where it can, and else it does as without. */
static int32_t algorithm_of(const char *text)
{
  if (pm__words_hold("Ring", text)) return PM_ALGORITHM_RING;
  if (pm__words_hold("Tree", text)) return PM_ALGORITHM_TREE;
  return PM_ALGORITHM_AUTO;
}

/* "0 1 6 7" -> numbers; returns how many. */
static int read_gpus(const char *text, int *gpus, int most)
{
  int count = 0;
  char *end;
  for (long gpu = strtol(text, &end, 10); end != text && count < most; gpu = strtol(text, &end, 10)) {
    gpus[count++] = gpu >= 0 && gpu < most ? (int)gpu : -1;
    text = end;
  }
  return count;
}

static pm_group_choice choice_of(const run_table *runs, const run_cells *cells, const collective_run *run)
{
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = run->nodes;
  choice.nccl = era_of(cells->nccl_version);
  choice.in_network = pm__words_hold("SHARP|CollNet", cells->protocol_or_algo);
  choice.thread_gpus = thread_gpus(runs, cells, run->gpus / run->nodes, run->nodes);
  return choice;
}

/* ---- Predicting ---- */

/* cudaMemcpyPeer between two GPUs, "GPU0->GPU1" in the note. */
static int predict_copy(const pm_system *system, const run_cells *cells, double *predicted, pm_error *error)
{
  int from, to;
  pm_pair pair;
  bool staged = strstr(cells->collective, "staged") != NULL;
  if (sscanf(cells->note, "GPU%5d->GPU%5d", &from, &to) != 2)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "the note does not say which GPUs: \"GPU0->GPU1\"");
  int status = pm_system_get_pair(system, from, to, &pair, error);
  if (status != PM_OK) return status;
  if (strstr(cells->collective, "latency") != NULL) *predicted = staged ? pair.staged_latency : pair.latency;
  else if (strstr(cells->collective, "bidir") != NULL) *predicted = staged ? pair.staged_both_ways : pair.both_ways;
  else *predicted = staged ? pair.staged_bandwidth : pair.bandwidth;
  return PM_OK;
}

static int evaluate(const pm_group *group, const pm_call *call, collective_run *run, double *predicted,
                    pm_error *error)
{
  pm_collective_time result;
  const pm_record_type *type = pm_record_type_find("collective");
  pm_group_evaluate(group, call, &result, 1);
  if (result.status != PM_OK) return pm__fail(error, result.status, "%s", pm_status_get_text(result.status));
  *predicted = result.time;
  pm_record_format(pm_record_find_field(type, "algorithm"), &result, run->algorithm);
  pm_record_format(pm_record_find_field(type, "protocol"), &result, run->protocol);
  return PM_OK;
}

static int predict_collective(const pm_system *system, const run_table *runs, const run_cells *cells,
                              collective_run *run, double *predicted, pm_error *error)
{
  enum { MOST = 1024 };
  int gpus[MOST], listed = read_gpus(cells->gpu_list, gpus, MOST);
  pm_call call = pm_call_make();
  pm_group_choice choice = choice_of(runs, cells, run);
  call.collective = pm_collective_find(cells->collective);
  call.bytes = run->bytes;
  call.algorithm = algorithm_of(cells->protocol_or_algo);
  if (call.collective < 0) return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown collective \"%.60s\"",
                                           cells->collective);
  pm_group *group = pm_group_new(system, listed > 0 ? gpus : NULL, listed > 0 ? listed : run->gpus / run->nodes,
                                 &choice,
                                 error);
  int status = group != NULL ? evaluate(group, &call, run, predicted, error) : PM_STATUS_BAD_ARGUMENT;
  pm_group_free(group);
  return status;
}

/* ---- Reading ---- */

static double number(const char *text)
{
  double value;
  return text[0] != '\0' && pm_number_parse(text, &value) == PM_OK ? value : (double)NAN;
}

static int read_count(const char *name, const char *text, int32_t *count, pm_error *error)
{
  double value = number(text);
  if (!(value >= 1 && value <= 1e6)) return pm__fail(error, PM_STATUS_BAD_VALUE, "%s \"%.20s\" is no count", name,
                                                     text);
  *count = (int32_t)value;
  return PM_OK;
}

/* Time where it is given, else what the algorithm bandwidth says. */
static int read_run(const run_table *runs, const run_cells *cells, pm__lab_machines *machines, collective_run *run,
                    pm_error *error)
{
  double time = number(cells->time_us) / 1e6, bandwidth = number(cells->algbw_GBps) * 1e9;
  memset(run, 0, sizeof *run);
  run->copy = strncmp(cells->collective, "p2p_", 4) == 0;
  run->rate = run->copy && strstr(cells->collective, "latency") == NULL;
  run->bytes = number(cells->message_bytes);
  run->measured = run->rate ? bandwidth : !isnan(time) ? time : run->bytes / bandwidth;
  run->nodes = 1;
  int status = read_count("gpus", cells->gpus, &run->gpus, error);
  if (status == PM_OK && cells->nodes[0] != '\0') status = read_count("nodes", cells->nodes, &run->nodes, error);
  snprintf(run->machine, sizeof run->machine, "%s", find_machine(runs, cells, machines, run->gpus / run->nodes));
  if (status == PM_OK && !(run->measured > 0))
    status = pm__fail(error, PM_STATUS_BAD_VALUE, "no %s", run->rate ? "algbw_GBps" : "time_us");
  return status;
}

/* Reads the row at `index` and predicts it; *predicted is in the unit of what was measured. The error says why there is
** no prediction, the run is then as far as it could be read. */
static int predict_run(const run_table *runs, size_t index, pm__lab_machines *machines, pm__lab_predictor *predictor,
                       collective_run *run, double *predicted, pm_error *error)
{
  const run_cells *cells = &runs->items[index];
  *predicted = NAN;
  int status = read_run(runs, cells, machines, run, error);
  if (status != PM_OK) return status;
  if (run->machine[0] == '\0')
    return pm__fail(error, PM_STATUS_NOT_FOUND, "no system is known to be wired as \"%.60s\"", cells->system);
  int system = pm__lab_predictor_system(predictor, run->machine, error);
  if (system < 0) return PM_STATUS_NOT_FOUND;
  const pm_system *built = pm__lab_predictor_built_system(predictor, system);
  return run->copy ? predict_copy(built, cells, predicted, error)
                   : predict_collective(built, runs, cells, run, predicted, error);
}

/* ---- Rows of the set ---- */

/* What a table of rows says besides the comparison. */
typedef struct run_row {
  char system[PM_TEXT_MAX], machine[PM_TEXT_MAX], use[PM_TEXT_MAX], regime[PM_TEXT_MAX];
  char collective[PM_TEXT_MAX], algorithm[PM_TEXT_MAX], protocol[PM_TEXT_MAX];
  int32_t gpus, nodes;
  double bytes;
} run_row;

static const pm_field fields[] = {
  PM__FIELD(run_row, TEXT, system, "system", "", "as the source calls it"),
  PM__FIELD(run_row, TEXT, machine, "machine", "", "id in the catalogue; empty if none is known to be wired so"),
  PM__FIELD(run_row, TEXT, use, "use", "", "fit, held-out, document, or user for rows of one's own"),
  PM__FIELD(run_row, TEXT, regime, "regime", "", "by size of the message"),
  PM__FIELD(run_row, TEXT, collective, "collective", "", "what was done"),
  PM__FIELD(run_row, TEXT, algorithm, "algorithm", "", "the one that the prediction takes"),
  PM__FIELD(run_row, TEXT, protocol, "protocol", "", "the one that the prediction takes"),
  PM__FIELD(run_row, INT, gpus, "gpus", "1", "GPUs over all nodes"),
  PM__FIELD(run_row, INT, nodes, "nodes", "1", "nodes"),
  PM__FIELD(run_row, REAL, bytes, "bytes", "B", "bytes of the whole buffer"),
};

static const pm_record_type row_type = PM__TYPE(run_row, fields);

static const char *const regimes[] = {"<64 KB", "64 KB-16 MB", ">=16 MB", "copies"};

enum { REGIMES = sizeof regimes / sizeof regimes[0] };

typedef struct study {
  pm__lab_context *context;
  run_table runs;
  pm__lab_machines *machines;
  pm__lab_predictor *predictor;
  run_row *rows;
  pm__lab_comparisons compared; /* one for each row */
  pm__lab_reasons reasons;
} study;

/* ---- Rows ---- */

static const char *regime_of(const collective_run *run)
{
  if (run->copy) return regimes[3];
  if (run->bytes < 65536) return regimes[0];
  return run->bytes < 16777216 ? regimes[1] : regimes[2];
}

static void fill_row(const run_cells *cells, const collective_run *run, run_row *out)
{
  snprintf(out->system, sizeof out->system, "%.79s", cells->system);
  snprintf(out->collective, sizeof out->collective, "%.79s", cells->collective);
  snprintf(out->use, sizeof out->use, "%.79s", cells->use[0] != '\0' ? cells->use : "user");
  strcpy(out->regime, regime_of(run));
  strcpy(out->machine, run->machine);
  strcpy(out->algorithm, run->algorithm);
  strcpy(out->protocol, run->protocol);
  out->gpus = run->gpus;
  out->nodes = run->nodes;
  out->bytes = run->bytes;
}

static int add_row(study *s, size_t index, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  collective_run run;
  double predicted;
  run_row *row = &s->rows[index];
  pm__lab_comparison *out = pm__lab_comparisons_add(&s->compared, error);
  if (out == NULL) return PM_STATUS_NO_MEMORY;
  int status = predict_run(&s->runs, index, s->machines, s->predictor, &run, &predicted, &reason);
  if (status == PM_STATUS_NO_MEMORY) return pm__no_memory(error);
  fill_row(&s->runs.items[index], &run, row);
  snprintf(out->id, sizeof out->id, "line %zu", index + 2);
  snprintf(out->group, sizeof out->group, "%.60s %.15s", row->machine[0] != '\0' ? row->machine : row->system,
           row->regime);
  pm__text_set(out->set, sizeof out->set, s->context->set);
  strcpy(out->unit, run.rate ? "B/s" : "s");
  out->measured = run.measured;
  if (status != PM_OK) return pm__lab_reasons_add(&s->reasons, reason.text, error);
  pm__lab_comparison_set(out, predicted);
  return PM_OK;
}

static int add_rows(study *s, pm_error *error)
{
  s->rows = (run_row *)calloc(s->runs.count + 1, sizeof *s->rows);
  int status = s->rows != NULL ? PM_OK : pm__no_memory(error);
  for (size_t i = 0; i < s->runs.count && status == PM_OK; i++) status = add_row(s, i, error);
  return status;
}

/* ---- Groups: a row is in that of all, in that of its use and in that of its machine ---- */

/* Rows with this machine and use (NULL: any), by regime. */
static int add_groups(const study *s, const char *machine, const char *use, pm__lab_comparisons *out, pm_error *error)
{
  const char *name = machine != NULL ? machine : use != NULL ? use : "all";
  for (size_t r = 0; r < REGIMES; r++)
    for (size_t i = 0; i < s->runs.count; i++) {
      const run_row *row = &s->rows[i];
      if (strcmp(row->regime, regimes[r]) != 0) continue;
      if (machine != NULL && strcmp(row->machine, machine) != 0) continue;
      if (use != NULL && strcmp(row->use, use) != 0) continue;
      pm__lab_comparison *copy = pm__lab_comparisons_add(out, error);
      if (copy == NULL) return PM_STATUS_NO_MEMORY;
      *copy = s->compared.items[i];
      snprintf(copy->group, sizeof copy->group, "%.60s %s", name, regimes[r]);
    }
  return PM_OK;
}

static bool is_first_of_machine(const study *s, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (strcmp(s->rows[i].machine, s->rows[index].machine) == 0) return false;
  return s->rows[index].machine[0] != '\0';
}

static pm_table *groups_table(const study *s, pm_error *error)
{
  static const char *const uses[] = {NULL, "fit", "held-out", "document"};
  pm__lab_comparisons all = {NULL, 0, 0};
  int status = PM_OK;
  for (size_t u = 0; u < sizeof uses / sizeof uses[0] && status == PM_OK; u++)
    status = add_groups(s, NULL, uses[u], &all, error);
  for (size_t i = 0; i < s->runs.count && status == PM_OK; i++)
    if (is_first_of_machine(s, i)) status = add_groups(s, s->rows[i].machine, NULL, &all, error);
  pm_table *table = status == PM_OK ? pm__lab_comparisons_summary(&all, error) : NULL;
  free(all.items);
  return table;
}

/* ---- The set ---- */

pm_table *pm__lab_validate_collectives(pm__lab_context *context, pm_error *error)
{
  static const char *const needed[] = {"system", "gpus", "nodes", "collective", "message_bytes", "time_us"};
  study s;
  pm_table *table = NULL;
  memset(&s, 0, sizeof s);
  s.context = context;
  int status = pm__lab_check_columns(context, needed, sizeof needed / sizeof needed[0], error);
  if (status == PM_OK) status = read_runs(&s.runs, context->table, error);
  if (status == PM_OK) s.machines = pm__lab_machines_new(context->catalog, error);
  if (s.machines != NULL) s.predictor = pm__lab_predictor_new(context->catalog, NULL, error);
  if (s.predictor != NULL && add_rows(&s, error) == PM_OK) {
    pm__lab_note_unpredicted(context, &s.reasons);
    table = context->rows ? pm__lab_table_with(pm__lab_comparisons_table(&s.compared, error), &row_type, s.rows, error)
                       : groups_table(&s, error);
  }
  pm__lab_predictor_free(s.predictor);
  pm__lab_machines_free(s.machines);
  pm__lab_reasons_free(&s.reasons);
  free(s.compared.items);
  free(s.rows);
  free(s.runs.items);
  return table;
}
