/* Published runs of collectives as they are collected. */
#include "validation/collective_runs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/words.h"

const char *const pm__lab_regimes[PM__REGIMES] = {"<64 KB", "64 KB-16 MB", ">=16 MB", "copies"};

int pm__lab_runs_read(pm__lab_runs *runs, const pm__csv *table, pm_error *error)
{
  runs->count = table->rows - 1;
  runs->items = (pm__lab_run_cells *)calloc(runs->count + 1, sizeof *runs->items);
  if (runs->items == NULL) return pm__no_memory(error);
#define COLUMN(name)                                                                                        \
  for (size_t i = 0; i < runs->count; i++)                                                                  \
    runs->items[i].name = pm__csv_cell(table, i + 1, pm__csv_column(table, #name));
  PM__RUN_COLUMNS(COLUMN)
#undef COLUMN
  runs->machines_said = pm__csv_column(table, "machine") >= 0;
  return PM_OK;
}

void pm__lab_runs_free(pm__lab_runs *runs)
{
  free(runs->items);
  runs->items = NULL;
}

/* ---- Which machine ---- */

/* What the column of machines says; without one the system that is named, if it has GPUs enough, or one that is wired
** as the text says. "" if it is not known. */
static const char *find_machine(const pm__lab_runs *runs, const pm__lab_run_cells *cells, pm__lab_machines *machines,
                                int gpus, int nodes, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  pm__lab_row row = {.set = ""};
  if (runs->machines_said) return cells->machine;
  for (int i = 0; i < PM__COLUMNS; i++) row.cell[i] = "";
  row.cell[PM__COLUMN_SYSTEM] = cells->system;
  const char *id = pm__lab_machines_find(machines, &row, gpus, 1, &reason);
  if (reason.status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  int found = id != NULL ? pm__lab_machines_gpus(machines, id, error) : 0;
  const char *wired = found >= gpus ? NULL : pm__lab_machines_find_wired(machines, cells->system, gpus, nodes, error);
  return wired != NULL ? wired : found > 1 || found >= gpus ? id : ""; /* a GPU by itself is no machine of several */
}

/* Trays of a rack whose GPUs are one NVLink domain are no nodes. */
static void join_trays(pm__lab_machines *machines, pm__lab_run *run, pm_error *error)
{
  enum { HOST_MOST = 16 }; /* GPUs of one host, as in a DGX-2 */
  int gpus = run->machine[0] != '\0' ? pm__lab_machines_gpus(machines, run->machine, error) : 0;
  if (gpus > HOST_MOST && run->nodes > 1) run->nodes = (run->gpus + gpus - 1) / gpus;
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
static int thread_gpus(const pm__lab_runs *runs, const pm__lab_run_cells *cells, int per_node, int nodes)
{
  int said = thread_gpus_said(cells->note);
  for (size_t i = 0; said == 0 && cells->source[0] != '\0' && i < runs->count; i++)
    if (strcmp(runs->items[i].source, cells->source) == 0) said = thread_gpus_said(runs->items[i].note);
  if (said > 0) return said;
  bool processes = strstr(cells->note, "/process") != NULL || strncmp(cells->nccl_version, "RCCL", 4) == 0;
  return nodes == 1 && !processes ? per_node : 1;
}

static pm_nccl era_of(const char *version)
{
  while (*version == '~') version++;
  if (strncmp(version, "1.6", 3) == 0) return PM_NCCL_2017; /* the first with rings over all NVLinks */
  if (version[0] == '1' && version[1] == '.') return PM_NCCL_2016;
  if (version[0] == '2' && version[1] == '.' && version[2] >= '0' && version[2] <= '3' &&
      !(version[3] >= '0' && version[3] <= '9'))
    return PM_NCCL_2017;
  return PM_NCCL_CURRENT;
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

void pm__lab_run_members(const pm__lab_runs *runs, const pm__lab_run *run, pm__lab_members *members)
{
  const pm__lab_run_cells *cells = run->cells;
  int listed = read_gpus(cells->gpu_list, members->gpus, PM__RUN_GPUS), per_node = run->gpus / run->nodes;
  members->count = listed > 0 ? listed : per_node;
  for (int i = 0; listed == 0 && i < per_node && i < PM__RUN_GPUS; i++) members->gpus[i] = i;
  members->choice = pm_group_choice_make();
  members->choice.nodes = run->nodes;
  members->choice.nccl = era_of(cells->nccl_version);
  members->choice.in_network = pm__words_hold("SHARP|CollNet", cells->protocol_or_algo);
  members->choice.thread_gpus = thread_gpus(runs, cells, per_node, run->nodes);
}

pm_group *pm__lab_run_group(const pm__lab_members *members, const pm_system *system, pm_error *error)
{
  if (members->count <= PM__RUN_GPUS)
    return pm_group_new(system, members->gpus, members->count, &members->choice, error);
  pm__fail(error, PM_STATUS_TOO_MANY_GPUS, "a node with more than %d GPUs", PM__RUN_GPUS);
  return NULL;
}

int pm__lab_run_call(const pm__lab_run *run, pm_call *call, pm_error *error)
{
  *call = pm_call_make();
  call->collective = pm_collective_find(run->cells->collective);
  call->bytes = run->bytes;
  call->algorithm = algorithm_of(run->cells->protocol_or_algo);
  if (call->collective >= 0) return PM_OK;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "unknown collective \"%.60s\"", run->cells->collective);
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

static pm__lab_regime regime_of(const pm__lab_run *run)
{
  if (strncmp(run->cells->collective, "p2p_", 4) == 0) return PM__COPIES;
  if (run->bytes < 65536) return PM__SMALL;
  return run->bytes < 16777216 ? PM__MIDDLE : PM__LARGE;
}

/* Time where it is given, else what the algorithm bandwidth says. */
static void read_measured(const pm__lab_run_cells *cells, pm__lab_run *run)
{
  double time = number(cells->time_us) / 1e6, bandwidth = number(cells->algbw_GBps) * 1e9;
  run->bytes = number(cells->message_bytes);
  run->regime = regime_of(run);
  run->rate = run->regime == PM__COPIES && strstr(cells->collective, "latency") == NULL;
  run->measured = run->rate ? bandwidth : !isnan(time) ? time : run->bytes / bandwidth;
}

int pm__lab_run_read(const pm__lab_runs *runs, size_t index, pm__lab_machines *machines, pm__lab_run *run,
                     pm_error *error)
{
  const pm__lab_run_cells *cells = &runs->items[index];
  memset(run, 0, sizeof *run);
  run->cells = cells;
  run->nodes = 1;
  read_measured(cells, run);
  int status = read_count("gpus", cells->gpus, &run->gpus, error);
  if (status == PM_OK && cells->nodes[0] != '\0') status = read_count("nodes", cells->nodes, &run->nodes, error);
  snprintf(run->machine, sizeof run->machine, "%s",
           find_machine(runs, cells, machines, run->gpus / run->nodes, run->nodes, error));
  join_trays(machines, run, error);
  if (status == PM_OK && error != NULL && error->status == PM_STATUS_NO_MEMORY) status = error->status;
  if (status == PM_OK && run->regime != PM__COPIES && !(run->bytes > 0))
    status = pm__fail(error, PM_STATUS_BAD_VALUE, "message_bytes \"%.40s\"", cells->message_bytes);
  if (status == PM_OK && !(run->measured > 0 && isfinite(run->measured)))
    status = pm__fail(error, PM_STATUS_BAD_VALUE, "no %s", run->rate ? "algbw_GBps" : "time_us");
  if (status != PM_OK || run->machine[0] != '\0') return status;
  return pm__fail(error, PM_STATUS_NOT_FOUND, "no system is known to be wired as \"%.60s\"", cells->system);
}
