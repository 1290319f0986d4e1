/*
** All-reduces of engines. Besides those of the library, an engine has a kernel of its own, which reads the memory of
** the other GPUs: in one round everyone reads all of everyone's numbers, in two a part of them, and then the sums of
** the others. The fastest of the three is taken, as engines choose by the size of the message. Over PCIe they have the
** library's alone.
*/
#include "validation/operator_collective.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"
#include "base/base.h"
#include "validation/machines.h"
#include "validation/predictor.h"

enum { GROUPS = 64 };

typedef struct known_group {
  char gpu[PM_TEXT_MAX];
  int gpus;
  pm_group *group;
} known_group;

struct pm__lab_operator_groups {
  pm__lab_machines *machines;
  pm__lab_predictor *predictor;
  known_group known[GROUPS];
  int count;
};

pm__lab_operator_groups *pm__lab_operator_groups_new(const pm_catalog *catalog, pm_error *error)
{
  pm__lab_operator_groups *g = (pm__lab_operator_groups *)calloc(1, sizeof *g);
  if (g != NULL) g->machines = pm__lab_machines_new(catalog, error);
  if (g != NULL && g->machines != NULL) g->predictor = pm__lab_predictor_new(catalog, NULL, error);
  if (g != NULL && g->predictor != NULL) return g;
  pm__lab_operator_groups_free(g);
  pm__no_memory(error);
  return NULL;
}

static void forget(pm__lab_operator_groups *g)
{
  while (g->count > 0) pm_group_free(g->known[--g->count].group);
}

void pm__lab_operator_groups_free(pm__lab_operator_groups *groups)
{
  if (groups == NULL) return;
  forget(groups);
  pm__lab_predictor_free(groups->predictor);
  pm__lab_machines_free(groups->machines);
  free(groups);
}

static pm_group *make_group(pm__lab_operator_groups *g, const char *gpu, int gpus, pm_error *error)
{
  pm__lab_row cells = {.set = ""};
  pm_group_choice choice = pm_group_choice_make();
  for (int i = 0; i < PM__COLUMNS; i++) cells.cell[i] = "";
  cells.cell[PM__COLUMN_GPU] = gpu;
  const char *id = pm__lab_machines_find(g->machines, &cells, gpus, 1, error);
  int system = id != NULL ? pm__lab_predictor_system(g->predictor, id, error) : -1;
  if (system < 0) return NULL;
  return pm_group_new(pm__lab_predictor_built_system(g->predictor, system), NULL, gpus, &choice, error);
}

static const pm_group *find_group(pm__lab_operator_groups *g, const char *gpu, int gpus, pm_error *error)
{
  for (int i = 0; i < g->count; i++)
    if (g->known[i].gpus == gpus && strcmp(g->known[i].gpu, gpu) == 0) return g->known[i].group;
  pm_group *group = make_group(g, gpu, gpus, error);
  if (group == NULL) return NULL;
  if (g->count == GROUPS) forget(g);
  known_group *known = &g->known[g->count++];
  pm__text_set(known->gpu, sizeof known->gpu, gpu);
  known->gpus = gpus;
  known->group = group;
  return group;
}

/* In one kernel, whose rounds begin and end with a barrier; INFINITY: the engine has none for these links. */
static double own_time(const pm__lab_operator_row *row, const pm_group *group)
{
  double n = row->gpus, bandwidth = row->round_rate * pm_group_get_facts(group).ring_bandwidth;
  if (!(row->round > 0 && bandwidth > 0 && pm_group_get_facts(group).rings > 0)) return INFINITY;
  double one = row->round + (n - 1) * row->bytes / bandwidth;
  double two = 2 * row->round + 2 * (n - 1) / n * row->bytes / bandwidth;
  return fmin(one, two);
}

int pm__lab_operator_groups_time(pm__lab_operator_groups *groups, const pm__lab_operator_row *row, const pm_gpu *gpu,
                                 double *time, pm_error *error)
{
  pm_collective_time library;
  pm_call call = pm_call_make();
  const pm_group *group = find_group(groups, gpu->id, (int)row->gpus, error);
  if (group == NULL) return PM_STATUS_NOT_FOUND;
  call.collective = PM_COLLECTIVE_ALL_REDUCE;
  call.bytes = row->bytes;
  pm_group_evaluate(group, &call, &library, 1);
  if (library.status != PM_OK) return pm__fail(error, library.status, "%s", pm_status_get_text(library.status));
  *time = fmax(row->least, fmin(library.time, own_time(row, group)));
  return PM_OK;
}
