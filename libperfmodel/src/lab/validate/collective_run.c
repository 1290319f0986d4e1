#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "lab/validate/collective_run.h"
#include "base/words.h"

int pm__runs_read(pm__runs *runs, const pm__csv *table, pm_error *error)
{
  runs->count = table->rows - 1;
  runs->items = (pm__run_cells *)calloc(runs->count + 1, sizeof *runs->items);
  if (runs->items == NULL) return pm__no_memory(error);
#define COLUMN(name)                                                                                        \
  for (size_t i = 0; i < runs->count; i++)                                                                  \
    runs->items[i].name = pm__csv_cell(table, i + 1, pm__csv_column(table, #name));
  PM__RUN_COLUMNS(COLUMN)
#undef COLUMN
  runs->machines_said = pm__csv_column(table, "machine") >= 0;
  return PM_OK;
}

/* ---- Which machine ---- */

/* The entry whose id, name or alias has the most letters among those whose words are all in the text; or NULL. */
static const char *longest_named(const pm_catalog *catalog, const char *kind, const pm__words *text)
{
  const char *best = NULL, *id, *name;
  size_t most = 0;
  for (size_t i = 0; (id = pm_catalog_id(catalog, kind, i)) != NULL; i++)
    for (size_t k = 0; (name = pm_catalog_name(catalog, kind, id, k)) != NULL; k++) {
      pm__words words;
      size_t letters = 0;
      pm__words_split(&words, name);
      if (!pm__words_within(&words, text)) continue;
      for (size_t w = 0; w < words.count; w++) letters += strlen(words.word[w]);
      if (letters > most) {
        most = letters;
        best = id;
      }
    }
  return best;
}

/* The first system with that GPU, or NULL. */
static const char *first_with(const pm_catalog *catalog, const char *gpu)
{
  pm_machine machine;
  const char *id;
  for (size_t i = 0; gpu != NULL && (id = pm_catalog_id(catalog, "system", i)) != NULL; i++)
    if (pm_catalog_record(catalog, "system", id, &machine, NULL) == PM_OK && strcmp(machine.gpu, gpu) == 0) return id;
  return NULL;
}

static const char *find_machine(const pm__runs *runs, const pm__run_cells *cells, const pm_catalog *catalog)
{
  pm__words words;
  if (runs->machines_said) return cells->machine;
  const char *id = pm_catalog_resolve(catalog, "system", cells->system, NULL);
  pm__words_split(&words, cells->system);
  if (id == NULL) id = longest_named(catalog, "system", &words);
  if (id == NULL) id = first_with(catalog, longest_named(catalog, "gpu", &words));
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

/* What a row, or another of the same source, says; on one node, unless it says otherwise, nccl-tests is one process, and
** rccl-tests, which are run by MPI, one for each GPU. */
static int thread_gpus(const pm__runs *runs, const pm__run_cells *cells, int per_node, int nodes)
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

static pm_group_choice choice_of(const pm__runs *runs, const pm__run_cells *cells, const pm__collective_run *run)
{
  pm_group_choice choice = pm_group_choice_default();
  choice.nodes = run->nodes;
  choice.era = era_of(cells->nccl_version);
  choice.in_network = pm__words_hold("SHARP|CollNet", cells->protocol_or_algo);
  choice.thread_gpus = thread_gpus(runs, cells, run->gpus / run->nodes, run->nodes);
  return choice;
}

/* ---- Predicting ---- */

/* cudaMemcpyPeer between two GPUs, "GPU0->GPU1" in the note. */
static int predict_copy(const pm_system *system, const pm__run_cells *cells, double *predicted, pm_error *error)
{
  int from, to;
  pm_pair pair;
  bool staged = strstr(cells->collective, "staged") != NULL;
  if (sscanf(cells->note, "GPU%5d->GPU%5d", &from, &to) != 2)
    return pm__fail(error, PM_BAD_VALUE, "the note does not say which GPUs: \"GPU0->GPU1\"");
  int status = pm_system_pair(system, from, to, &pair, error);
  if (status != PM_OK) return status;
  if (strstr(cells->collective, "latency") != NULL) *predicted = staged ? pair.staged_latency : pair.latency;
  else if (strstr(cells->collective, "bidir") != NULL) *predicted = staged ? pair.staged_both_ways : pair.both_ways;
  else *predicted = staged ? pair.staged_bandwidth : pair.bandwidth;
  return PM_OK;
}

static int evaluate(const pm_group *group, const pm_call *call, pm__collective_run *run, double *predicted,
                    pm_error *error)
{
  pm_collective_time result;
  const pm_record_type *type = pm_record_type_find("collective");
  pm_group_times(group, call, &result, 1);
  if (result.status != PM_OK) return pm__fail(error, result.status, "%s", pm_status_text(result.status));
  *predicted = result.time;
  pm_record_text(pm_record_field(type, "algorithm"), &result, run->algorithm);
  pm_record_text(pm_record_field(type, "protocol"), &result, run->protocol);
  return PM_OK;
}

static int predict_collective(const pm_system *system, const pm__runs *runs, const pm__run_cells *cells,
                              pm__collective_run *run, double *predicted, pm_error *error)
{
  enum { MOST = 1024 };
  int gpus[MOST], listed = read_gpus(cells->gpu_list, gpus, MOST);
  pm_call call = pm_call_default();
  pm_group_choice choice = choice_of(runs, cells, run);
  call.collective = pm_collective_find(cells->collective);
  call.bytes = run->bytes;
  call.algorithm = algorithm_of(cells->protocol_or_algo);
  if (call.collective < 0) return pm__fail(error, PM_NOT_FOUND, "unknown collective \"%.60s\"", cells->collective);
  pm_group *group = pm_group_new(system, listed > 0 ? gpus : NULL, listed > 0 ? listed : run->gpus / run->nodes, &choice,
                                 error);
  int status = group != NULL ? evaluate(group, &call, run, predicted, error) : PM_BAD_ARGUMENT;
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
  if (!(value >= 1 && value <= 1e6)) return pm__fail(error, PM_BAD_VALUE, "%s \"%.20s\" is no count", name, text);
  *count = (int32_t)value;
  return PM_OK;
}

/* Time where it is given, else what the algorithm bandwidth says. */
static int read_run(const pm__runs *runs, const pm__run_cells *cells, const pm_catalog *catalog, pm__collective_run *run,
                    pm_error *error)
{
  double time = number(cells->time_us) / 1e6, bandwidth = number(cells->algbw_GBps) * 1e9;
  memset(run, 0, sizeof *run);
  snprintf(run->machine, sizeof run->machine, "%s", find_machine(runs, cells, catalog));
  run->copy = strncmp(cells->collective, "p2p_", 4) == 0;
  run->rate = run->copy && strstr(cells->collective, "latency") == NULL;
  run->bytes = number(cells->message_bytes);
  run->measured = run->rate ? bandwidth : !isnan(time) ? time : run->bytes / bandwidth;
  run->nodes = 1;
  int status = read_count("gpus", cells->gpus, &run->gpus, error);
  if (status == PM_OK && cells->nodes[0] != '\0') status = read_count("nodes", cells->nodes, &run->nodes, error);
  if (status == PM_OK && !(run->measured > 0))
    status = pm__fail(error, PM_BAD_VALUE, "no %s", run->rate ? "algbw_GBps" : "time_us");
  return status;
}

int pm__runs_predict(const pm__runs *runs, size_t index, const pm_catalog *catalog, pm__bench *bench,
                     pm__collective_run *run, double *predicted, pm_error *error)
{
  const pm__run_cells *cells = &runs->items[index];
  *predicted = NAN;
  int status = read_run(runs, cells, catalog, run, error);
  if (status != PM_OK) return status;
  if (run->machine[0] == '\0')
    return pm__fail(error, PM_NOT_FOUND, "no system is known to be wired as \"%.60s\"", cells->system);
  int system = pm__bench_system(bench, run->machine, error);
  if (system < 0) return PM_NOT_FOUND;
  const pm_system *built = pm__bench_built_system(bench, system);
  return run->copy ? predict_copy(built, cells, predicted, error)
                   : predict_collective(built, runs, cells, run, predicted, error);
}
