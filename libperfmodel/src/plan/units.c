/* From launches, layer by layer, to units: equal ones once. */
#include "plan/units.h"
#include <stdlib.h>
#include <string.h>
#include "lowering/forward.h"

/* Launches of the whole network, in the order of its layers; place[i] is the layer, or the kernel of an engine, that
** launch i belongs to. */
typedef struct lowered {
  pm__launch *launch;
  int *place;
  size_t count;
  int places;
} lowered;

static bool room(lowered *l, size_t count)
{
  l->launch = (pm__launch *)malloc((count + 1) * sizeof *l->launch);
  l->place = (int *)malloc((count + 1) * sizeof *l->place);
  return l->launch != NULL && l->place != NULL;
}

static bool lower_training(lowered *l, const pm_network *network, pm__execution mode)
{
  if (!room(l, network->kernel_count + PM__LAUNCHES_MORE * network->count + PM__LAUNCHES_MAX)) return false;
  const pm_network *whole = network->whole != NULL ? network->whole : network;
  for (size_t i = 0; i < network->count; i++) {
    if (network->layers[i].kind == NULL) continue;
    size_t at = network->origin != NULL ? (size_t)network->origin[i] : i;
    int added = pm__lower_layer(whole, at, mode, l->launch + l->count);
    for (int k = 0; k < added; k++) l->place[l->count++] = (int)i;
  }
  l->places = (int)network->count;
  return true;
}

/* A forward pass; each of its launches is a unit. */
static bool lower_forward(lowered *l, const pm_network *network, int mode)
{
  pm__launch_list list = {NULL, 0, 0};
  int status = mode < PM__FUSED_MODE
                 ? pm__forward_layers(&list, network, (pm__execution)(mode - PM__INFERENCE_MODE))
                 : pm__forward_fused(&list, network, mode - PM__FUSED_MODE + 1);
  bool good = status == PM_OK && room(l, list.count);
  for (size_t i = 0; good && i < list.count; i++) {
    l->launch[i] = list.launch[i];
    l->place[i] = (int)i;
  }
  l->count = list.count;
  l->places = (int)list.count;
  free(list.launch);
  return good;
}

/* ---- Units ---- */

static void add_fixed(pm__fixed *sum, const pm__launch *launch)
{
  sum->launches += launch->launches;
  if (launch->kernel.matrix) sum->matrix_launches += launch->launches;
  sum->host_calls += launch->host_calls;
  sum->plain_calls += launch->plain_calls;
  sum->expert_calls += launch->expert_calls;
  sum->group_calls += launch->group_calls;
  sum->layout += launch->layout;
  sum->extra += launch->extra;
  sum->compared += launch->compared;
  if (launch->kernel.part == PM__PART_WAITED) sum->waited += launch->kernel.part_size;
}

static bool same_fixed(const pm__fixed *a, const pm__fixed *b)
{
  return a->launches == b->launches && a->matrix_launches == b->matrix_launches && a->host_calls == b->host_calls &&
         a->plain_calls == b->plain_calls && a->expert_calls == b->expert_calls &&
         a->group_calls == b->group_calls &&
         a->layout == b->layout && a->extra == b->extra && a->waited == b->waited &&
         a->compared == b->compared;
}

static bool same_unit(const pm__units *units, const pm__unit *a, const pm__unit *b)
{
  if (a->count != b->count || a->parameters != b->parameters || a->out != b->out) return false;
  for (int pass = 0; pass < PM__PASSES; pass++)
    if (!same_fixed(&a->pass[pass], &b->pass[pass])) return false;
  for (int i = 0; i < a->count; i++) {
    const pm__unit_kernel *x = &units->entry[a->first + i], *y = &units->entry[b->first + i];
    if (x->kernel != y->kernel || x->repeats != y->repeats) return false;
  }
  return true;
}

/* A kernel that a layer launches twice is one entry. */
static void add_entry(pm__units *units, pm__unit *unit, int kernel, double repeats)
{
  for (int i = unit->first; i < unit->first + unit->count; i++)
    if (units->entry[i].kernel == kernel) {
      units->entry[i].repeats += repeats;
      return;
    }
  units->entry[unit->first + unit->count++] = (pm__unit_kernel){kernel, repeats};
}

static void fill_unit(pm__units *units, pm__unit *unit, const pm__launch *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!pm__kernel_works(&list[i].kernel)) continue;
    add_entry(units, unit, pm__plan_kernels_find(&units->kernels, &list[i].kernel), list[i].kernel.repeats);
    add_fixed(&unit->pass[list[i].kernel.pass], &list[i]);
  }
}

/* The number of the unit that does this; a new one if there is no equal. */
static int unit_of(pm__units *units, const pm__launch *list, size_t count, double parameters, double out)
{
  pm__unit *unit = &units->unit[units->count];
  *unit = (pm__unit){.first = units->entry_count, .parameters = parameters, .out = out};
  fill_unit(units, unit, list, count);
  for (int i = 0; i < units->count; i++)
    if (same_unit(units, &units->unit[i], unit)) return i;
  units->entry_count += unit->count;
  return units->count++;
}

static void add_pass(pm__fixed *sum, const pm__fixed *fixed)
{
  sum->launches += fixed->launches;
  sum->matrix_launches += fixed->matrix_launches;
  sum->host_calls += fixed->host_calls;
  sum->plain_calls += fixed->plain_calls;
  sum->expert_calls += fixed->expert_calls;
  sum->group_calls += fixed->group_calls;
  sum->layout += fixed->layout;
  sum->extra += fixed->extra;
  sum->waited += fixed->waited;
  sum->compared += fixed->compared;
}

/* `network` NULL: places are no layers, and have neither parameters nor an output. */
static void fill(pm__units *units, const lowered *l, const pm_network *network)
{
  size_t at = 0;
  units->length = l->places;
  for (int place = 0; place < l->places; place++) {
    size_t end = at;
    while (end < l->count && l->place[end] == place) end++;
    const pm__layer *layer = network != NULL ? &network->layers[place] : NULL;
    units->order[place] = end == at ? -1
                                    : unit_of(units, l->launch + at, end - at, layer != NULL ? layer->parameters : 0,
                                              layer != NULL ? layer->elements_out : 0);
    at = end;
    for (int pass = 0; pass < PM__PASSES && units->order[place] >= 0; pass++)
      add_pass(&units->pass[pass], &units->unit[units->order[place]].pass[pass]);
  }
}

static bool allocate(pm__units *units, const lowered *l)
{
  units->unit = (pm__unit *)calloc((size_t)l->places + 1, sizeof *units->unit);
  units->entry = (pm__unit_kernel *)calloc(l->count + PM__LAUNCHES_MAX, sizeof *units->entry);
  units->order = (int *)calloc((size_t)l->places + 1, sizeof *units->order);
  return units->unit != NULL && units->entry != NULL && units->order != NULL;
}

static pm__units *make(const lowered *l, const pm_network *network, pm_error *error)
{
  pm__units *units = (pm__units *)calloc(1, sizeof *units);
  if (units != NULL && allocate(units, l) &&
      pm__plan_kernels_make(&units->kernels, l->launch, l->count, error) == PM_OK) {
    fill(units, l, network);
    bool waits = network != NULL && units->pass[PM__FORWARD].waited > 0;
    if (waits) units->waits = pm__segments_new_waits(network, units, error);
    if (!waits || units->waits != NULL) return units;
  }
  pm__units_free(units);
  return NULL;
}

pm__units *pm__units_new(const pm_network *network, int mode, pm_error *error)
{
  lowered l = {NULL, NULL, 0, 0};
  bool training = mode < PM__INFERENCE_MODE;
  bool good = training ? lower_training(&l, network, (pm__execution)mode) : lower_forward(&l, network, mode);
  pm__units *units = good ? make(&l, training ? network : NULL, error) : NULL;
  if (units == NULL) pm__no_memory(error);
  free(l.launch);
  free(l.place);
  return units;
}

void pm__units_free(pm__units *units)
{
  if (units == NULL) return;
  pm__segments_free(units->waits);
  pm__plan_kernels_free(&units->kernels);
  free(units->unit);
  free(units->entry);
  free(units->order);
  free(units);
}
