/* Published runs of collectives as rows of a fit: those of one group of GPUs together, so that it is set up once. */
#include "calibration/collective_fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Machines and groups ---- */

static int find_machine(pm__lab_collective_rows *rows, const pm_system *built, pm_error *error)
{
  for (size_t i = 0; i < rows->machine_count; i++)
    if (rows->machines[i].built == built) return (int)i;
  pm__lab_fit_machine *machine = (pm__lab_fit_machine *)pm__grow(rows->machines, rows->machine_count,
                                                                 &rows->machine_capacity, sizeof *machine);
  if (machine == NULL) {
    pm__no_memory(error);
    return -1;
  }
  rows->machines = machine;
  rows->machines[rows->machine_count] = (pm__lab_fit_machine){.built = built};
  return (int)rows->machine_count++;
}

static bool same_members(const pm__lab_members *a, const pm__lab_members *b)
{
  const pm_group_choice *x = &a->choice, *y = &b->choice;
  return a->count == b->count && memcmp(a->gpus, b->gpus, (size_t)a->count * sizeof a->gpus[0]) == 0 &&
         x->nodes == y->nodes && x->thread_gpus == y->thread_gpus && x->nccl == y->nccl && x->servers == y->servers &&
         x->in_network == y->in_network;
}

static bool same_call(const pm_call *a, const pm_call *b)
{
  return a->collective == b->collective && a->algorithm == b->algorithm && a->protocol == b->protocol;
}

/* The group of a run; takes `made`. -1 without memory. */
static int find_group(pm__lab_collective_rows *rows, int machine, pm_group *made, const pm__lab_members *members,
                      const pm_call *call, pm_error *error)
{
  for (size_t i = 0; i < rows->group_count; i++) {
    const pm__lab_fit_group *g = &rows->groups[i];
    if (g->machine != machine || !same_members(&g->members, members) || !same_call(&g->call, call)) continue;
    pm_group_free(made);
    return (int)i;
  }
  pm__lab_fit_group *group = (pm__lab_fit_group *)pm__grow(rows->groups, rows->group_count, &rows->group_capacity,
                                                           sizeof *group);
  if (group == NULL) {
    pm_group_free(made);
    pm__no_memory(error);
    return -1;
  }
  rows->groups = group;
  group += rows->group_count;
  *group = (pm__lab_fit_group){.machine = machine, .made = made, .members = *members, .call = *call};
  return (int)rows->group_count++;
}

/* ---- Rows ---- */

/* A row of the fit, one that is only predicted, or (PM_FIT_USE_COUNT) none. */
static pm_fit_use use_of(const pm__lab_run *run, const char *kept)
{
  const char *said = run->cells->use;
  if (strcmp(said, "document") == 0 || strcmp(said, "check") == 0) return PM_FIT_USE_COUNT;
  bool out = strcmp(said, "held-out") == 0 || pm__lab_listed(kept, run->machine);
  return out ? PM_FIT_USE_EXCLUDED : PM_FIT_USE_FITTED;
}

static int add_row(pm__lab_collective_rows *rows, const pm__lab_run *run, pm_fit_use use, int group, pm_error *error)
{
  pm__lab_collective_row *row = (pm__lab_collective_row *)pm__grow(rows->items, rows->count, &rows->capacity,
                                                                   sizeof *row);
  if (row == NULL) return pm__no_memory(error);
  rows->items = row;
  row += rows->count++;
  int machine = rows->groups[group].machine;
  *row = (pm__lab_collective_row){.bytes = run->bytes, .measured = run->measured, .weight = (double)group,
                                  .machine = machine,
                           .regime = run->regime, .use = use};
  pm__text_set(row->collective, sizeof row->collective, run->cells->collective);
  rows->machines[machine].fitted = rows->machines[machine].fitted || use == PM_FIT_USE_FITTED;
  return PM_OK;
}

/* Reads one run; the reason says why it is no row, *error that memory ran out. */
static int read_run(pm__lab_collective_rows *rows, size_t index, const char *kept, pm_error *reason, pm_error *error)
{
  pm__lab_run run;
  pm_call call;
  if (pm__lab_run_read(&rows->runs, index, rows->machines_known, &run, reason) != PM_OK) return PM_OK;
  pm_fit_use use = use_of(&run, kept);
  if (run.regime == PM__COPIES || use == PM_FIT_USE_COUNT) return PM_OK;
  int system = pm__lab_predictor_system(rows->predictor, run.machine, reason);
  if (system < 0 || pm__lab_run_call(&run, &call, reason) != PM_OK) return PM_OK;
  const pm_system *built = pm__lab_predictor_built_system(rows->predictor, system);
  pm__lab_members members;
  pm__lab_run_members(&rows->runs, &run, &members);
  pm_group *made = pm__lab_run_group(&members, built, reason);
  if (made == NULL) return PM_OK;
  call.bytes = 1;
  int machine = find_machine(rows, built, error);
  if (machine < 0) {
    pm_group_free(made);
    return PM_STATUS_NO_MEMORY;
  }
  int group = find_group(rows, machine, made, &members, &call, error);
  return group >= 0 ? add_row(rows, &run, use, group, error) : PM_STATUS_NO_MEMORY;
}

static int by_group(const void *a, const void *b)
{
  const pm__lab_collective_row *x = (const pm__lab_collective_row *)a, *y = (const pm__lab_collective_row *)b;
  if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Until here the weight is the number of the group. */
static void gather_groups(pm__lab_collective_rows *rows)
{
  if (rows->count > 0) qsort(rows->items, rows->count, sizeof *rows->items, by_group);
  for (size_t i = 0; i < rows->count; i++) {
    pm__lab_fit_group *group = &rows->groups[(size_t)rows->items[i].weight];
    if (group->count++ == 0) group->first = i;
  }
}

/* A sweep of n sizes counts as the root of n rows, and its largest message, which shows what the links give, as two. */
static void weigh(pm__lab_collective_rows *rows)
{
  const double plateau = 64 << 20;
  for (size_t i = 0; i < rows->count; i++) {
    const pm__lab_collective_row *row = &rows->items[i];
    size_t alike = 0;
    for (size_t j = 0; j < rows->count; j++) {
      const pm__lab_collective_row *other = &rows->items[j];
      alike += other->machine == row->machine && other->regime == row->regime &&
               strcmp(other->collective, row->collective) == 0;
    }
    rows->items[i].weight = 1 / sqrt((double)alike);
  }
  for (size_t g = 0; g < rows->group_count; g++) {
    size_t last = rows->groups[g].first + rows->groups[g].count - 1;
    if (rows->groups[g].count > 0 && rows->items[last].bytes >= plateau) rows->items[last].weight = 2;
  }
}

int pm__lab_collective_rows_read(pm__lab_collective_rows *rows, const pm_catalog *catalog, const pm__csv *table,
                          const pm_calibration_options *options, pm_error *error)
{
  int status = pm__lab_runs_read(&rows->runs, table, error);
  if (status == PM_OK) rows->machines_known = pm__lab_machines_new(catalog, error);
  if (rows->machines_known != NULL) rows->predictor = pm__lab_predictor_new(catalog, NULL, error);
  if (rows->predictor == NULL) return status != PM_OK ? status : PM_STATUS_NO_MEMORY;
  for (size_t i = 0; i < rows->runs.count && status == PM_OK; i++) {
    pm_error reason = PM_ERROR_NONE;
    status = read_run(rows, i, options->hold_out, &reason, error);
    if (status == PM_OK && reason.status == PM_STATUS_NO_MEMORY) status = pm__no_memory(error);
    if (status == PM_OK && reason.status != PM_OK) status = pm__lab_reasons_add(&rows->unread, reason.text, error);
  }
  if (status != PM_OK) return status;
  gather_groups(rows);
  weigh(rows);
  return PM_OK;
}

void pm__lab_collective_rows_free(pm__lab_collective_rows *rows)
{
  for (size_t i = 0; i < rows->group_count; i++) pm_group_free(rows->groups[i].made);
  pm__lab_predictor_free(rows->predictor);
  pm__lab_machines_free(rows->machines_known);
  pm__lab_runs_free(&rows->runs);
  pm__lab_reasons_free(&rows->unread);
  free(rows->machines);
  free(rows->groups);
  free(rows->items);
}
