/*
** All kernels of a network as arrays, equal ones merged.
**
** They are grouped by pass and sort: streams (memory passes), rows (norms, softmax) and matrix products. By the roofline
** each group is one loop over numbers, and so are streams by the calibrated model; for it, rows and products also keep
** their shapes. Groups are padded to a multiple of four with kernels that do nothing, so that the loop has no branch and
** adds in four lanes: fast, and the same order of additions every time. Where the backward pass is cut into segments,
** each kernel is priced once and its time added to the segments that it is in.
*/
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "plan/kernels.h"
#include "kernel/models.h"

static int sort_of(const pm__kernel *kernel)
{
  if (kernel->matrix) return PRODUCTS;
  if (kernel->family == PM__NORM || kernel->family == PM__SOFTMAX) return ROWS;
  return kernel->framework_kernel ? OWN_STREAMS : STREAMS;
}

static int group_of(const pm__kernel *kernel)
{
  return SORTS * (int)kernel->pass + sort_of(kernel);
}

bool pm__is_work(const pm__kernel *kernel)
{
  return kernel->work.flop > 0 || kernel->work.elements > 0 || kernel->work.fixed_elements > 0;
}

/* Kernels of all layers, as they are run; freed by the caller. */
static pm__launch *launched_kernels(const pm_network *network, pm__execution execution, size_t *count)
{
  pm__launch *list = (pm__launch *)malloc((network->kernel_count + PM__LAUNCHES_MORE * network->count + PM__LAUNCHES_MAX) *
                                            sizeof *list);
  *count = 0;
  for (size_t i = 0; list != NULL && i < network->count; i++)
    *count += (size_t)pm__lower_layer(network, i, execution, list + *count);
  return list;
}

/* Room for every kernel; merging leaves some of it unused. */
static pm__kernels *allocate(size_t count)
{
  size_t room = count + GROUPS * LANES;
  pm__kernels *kernels = (pm__kernels *)calloc(1, sizeof *kernels);
  double *numbers = (double *)calloc(4 * room, sizeof *numbers);
  pm__kernel *shaped = (pm__kernel *)calloc(room, sizeof *shaped);
  if (kernels == NULL || numbers == NULL || shaped == NULL) {
    free(kernels);
    free(shaped);
    free(numbers);
    return NULL;
  }
  kernels->flop = numbers;
  kernels->shaped = shaped;
  kernels->elements = numbers + room;
  kernels->fixed = numbers + 2 * room;
  kernels->repeats = numbers + 3 * room;
  return kernels;
}

/* The place among first .. end-1 of a kernel's equal, or end. */
static int place_of(const pm__kernels *kernels, int first, int end, const pm__kernel *kernel)
{
  const pm__work *work = &kernel->work;
  for (int i = first; i < end; i++)
    if (kernels->flop[i] == work->flop && kernels->elements[i] == work->elements &&
        kernels->fixed[i] == work->fixed_elements && pm__same_shape(&kernels->shaped[i], kernel))
      return i;
  return end;
}

int pm__kernels_find(const pm__kernels *kernels, const pm__kernel *kernel)
{
  int group = group_of(kernel);
  return place_of(kernels, kernels->first[group], kernels->first[group + 1], kernel);
}

/* Adds a kernel to the group that starts at `first`; returns the new end. */
static int add(pm__kernels *kernels, int first, int end, const pm__kernel *kernel)
{
  int place = place_of(kernels, first, end, kernel);
  kernels->repeats[place] += kernel->repeats;
  if (place < end) return end;
  kernels->flop[end] = kernel->work.flop;
  kernels->elements[end] = kernel->work.elements;
  kernels->fixed[end] = kernel->work.fixed_elements;
  kernels->shaped[end] = *kernel;
  return end + 1;
}

static int fill_group(pm__kernels *kernels, const pm__launch *list, size_t count, int group, int first)
{
  int end = first;
  for (size_t i = 0; i < count; i++)
    if (group_of(&list[i].kernel) == group && pm__is_work(&list[i].kernel)) end = add(kernels, first, end,
                                                                                       &list[i].kernel);
  return (end + LANES - 1) / LANES * LANES;
}

static void fill(pm__kernels *kernels, const pm__launch *list, size_t count)
{
  for (int group = 0; group < GROUPS; group++)
    kernels->first[group + 1] = fill_group(kernels, list, count, group, kernels->first[group]);
  for (size_t i = 0; i < count; i++) {
    if (!pm__is_work(&list[i].kernel)) continue;
    kernels->per_pass[list[i].kernel.pass].launches += list[i].launches;
    kernels->per_pass[list[i].kernel.pass].host_calls += list[i].host_calls;
    kernels->per_pass[list[i].kernel.pass].layout += list[i].layout;
  }
}

pm__kernels *pm__kernels_new(const pm_network *network, pm__execution execution, pm_error *error)
{
  size_t count;
  pm__launch *list = launched_kernels(network, execution, &count);
  pm__kernels *kernels = list != NULL ? allocate(count) : NULL;
  if (kernels != NULL) fill(kernels, list, count);
  else pm__no_memory(error);
  free(list);
  return kernels;
}

void pm__kernels_free(pm__kernels *kernels)
{
  if (kernels == NULL) return;
  free(kernels->flop);
  free(kernels->shaped);
  free(kernels);
}

pm__fixed pm__kernels_fixed(const pm__kernels *kernels, pm__pass pass)
{
  return kernels->per_pass[pass];
}

/* ---- Prices ---- */

/* Seconds per unit of what a kernel lists, at one batch. */
typedef struct rates {
  double flop, element, fixed;
} rates;

typedef struct sums {
  double time, compute_bound;
} sums;

static sums time_group(const pm__kernels *kernels, int group, rates unit)
{
  double time[LANES] = {0}, bound[LANES] = {0};
  const double *flop = kernels->flop, *elements = kernels->elements, *fixed = kernels->fixed;
  const double *repeats = kernels->repeats;
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i += LANES)
    for (int lane = 0; lane < LANES; lane++) {
      double compute = repeats[i + lane] * (flop[i + lane] * unit.flop);
      double memory = repeats[i + lane] * (elements[i + lane] * unit.element + fixed[i + lane] * unit.fixed);
      time[lane] += compute > memory ? compute : memory;
      bound[lane] += compute > memory ? compute : 0;
    }
  return (sums){(time[0] + time[1]) + (time[2] + time[3]), (bound[0] + bound[1]) + (bound[2] + bound[3])};
}

/* Where the time of a kernel belongs. */
static double *place_in(pm__part *part, const pm__kernel *kernel)
{
  return kernel->family == PM__CONV ? &part->conv : kernel->framework_kernel ? &part->own : &part->other;
}

/* To the segments that kernel `i` is in, `time` each time. */
static void scatter(const pm__kernels *kernels, const pm__segments *segments, int i, double time, pm__costs *costs)
{
  for (int e = segments->first[i]; e < segments->first[i + 1]; e++)
    *place_in(&costs->segment[segments->place[e]], &kernels->shaped[i]) += segments->repeats[e] * time;
}

static void scatter_group(const pm__kernels *kernels, const pm__segments *segments, int group, rates unit,
                          pm__costs *costs)
{
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    double compute = kernels->flop[i] * unit.flop;
    double memory = kernels->elements[i] * unit.element + kernels->fixed[i] * unit.fixed;
    scatter(kernels, segments, i, compute > memory ? compute : memory, costs);
  }
}

/* Each kernel by the formula of its family. */
static void price_group(const pm__kernels *kernels, const pm__segments *segments, int group, const pm__device *device,
                        double batch, pm__costs *costs)
{
  pm__part *part = &costs->pass[group / SORTS];
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    if (kernels->repeats[i] == 0) continue;
    pm__kernel_cost cost = pm__kernel_cost_of(device, &kernels->shaped[i], batch);
    double time = cost.time - device->launch, all = kernels->repeats[i] * time;
    *place_in(part, &kernels->shaped[i]) += all;
    if (cost.bound == PM_BOUND_COMPUTE || cost.bound == PM_BOUND_POWER)
      *place_in(&costs->bound, &kernels->shaped[i]) += all;
    if (segments != NULL) scatter(kernels, segments, i, time, costs);
  }
}

static void sum_group(const pm__kernels *kernels, const pm__segments *segments, int group, const pm__device *device,
                      double batch, pm__costs *costs)
{
  bool matrix = group % SORTS == PRODUCTS, own = group % SORTS == OWN_STREAMS;
  pm__part *part = &costs->pass[group / SORTS];
  if (device->calibrated && (matrix || group % SORTS == ROWS)) {
    price_group(kernels, segments, group, device, batch, costs);
    return;
  }
  double peak = matrix ? device->matrix_peak : device->vector_peak;
  double moved = device->bytes * device->per_byte;
  rates unit = {batch / peak, batch * moved, moved};
  if (segments != NULL) scatter_group(kernels, segments, group, unit, costs);
  sums all = time_group(kernels, group, unit);
  *(own ? &part->own : &part->other) += all.time;
  *(own ? &costs->bound.own : &costs->bound.other) += all.compute_bound;
}

void pm__kernels_price(const pm__kernels *kernels, const pm__segments *segments, const pm__device *device, double batch,
                       pm__costs *costs)
{
  memset(costs, 0, segments != NULL ? sizeof *costs : offsetof(pm__costs, segment));
  for (int pass = 0; pass < PM__PASSES; pass++)
    for (int sort = 0; sort < SORTS; sort++) {
      const pm__segments *cut = pass == PM__FORWARD ? NULL : segments;
      sum_group(kernels, cut, SORTS * pass + sort, device, batch, costs);
    }
}

double pm__kernel_price(const pm__device *device, const pm__kernel *kernel, double batch)
{
  if (!pm__is_work(kernel)) return 0;
  if (device->calibrated) return pm__kernel_cost_of(device, kernel, batch).time - device->launch;
  double peak = kernel->matrix ? device->matrix_peak : device->vector_peak;
  double moved = device->bytes * device->per_byte;
  return pm__most(kernel->work.flop * batch / peak,
                  kernel->work.elements * batch * moved + kernel->work.fixed_elements * moved);
}
