/*
** All kernels of a network as arrays, equal ones merged.
**
** They are grouped by pass and sort: streams (memory passes), rows (norms, softmax) and matrix products. By the roofline
** each group is one loop over numbers, and so are streams by the calibrated model; for it, rows and products also keep
** their shapes. Groups are padded to a multiple of four with kernels that do nothing, so that the loop has no branch and
** adds in four lanes: fast, and the same order of additions every time.
*/
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/kernel.h"
#include "kernel/models.h"

enum { LANES = 4, STREAMS = 0, ROWS = 1, PRODUCTS = 2, SORTS = 3, GROUPS = SORTS * PM__PASSES };

struct pm__kernels {
  int first[GROUPS + 1]; /* group g is first[g] .. first[g+1] */
  double parameters;
  double *flop, *elements, *fixed, *repeats; /* one allocation, at flop */
  pm__kernel *shaped;                        /* at the same places; of padding, without repeats */
};

static int sort_of(const pm__kernel *kernel)
{
  if (kernel->matrix) return PRODUCTS;
  return kernel->family == PM__NORM || kernel->family == PM__SOFTMAX ? ROWS : STREAMS;
}

static int group_of(const pm__kernel *kernel)
{
  return SORTS * (int)kernel->pass + sort_of(kernel);
}

/* Up to the last number, so that no padding is compared. */
bool pm__same_shape(const pm__kernel *a, const pm__kernel *b)
{
  if (sort_of(a) == STREAMS) return true;
  if (a->family != b->family) return false;
  switch (a->family) {
  case PM__GEMM:
    return a->shape.gemm.scaled == b->shape.gemm.scaled &&
           memcmp(&a->shape.gemm, &b->shape.gemm, offsetof(pm__gemm, scaled)) == 0;
  case PM__CONV:
    return a->shape.conv.transposed == b->shape.conv.transposed &&
           memcmp(&a->shape.conv, &b->shape.conv, offsetof(pm__conv, transposed)) == 0;
  case PM__ATTENTION: return memcmp(&a->shape.flash, &b->shape.flash, sizeof a->shape.flash) == 0;
  default: return a->shape.row == b->shape.row;
  }
}

static bool is_work(const pm__work *work)
{
  return work->flop > 0 || work->elements > 0 || work->fixed_elements > 0;
}

/* Room for every kernel; merging leaves some of it unused. */
static pm__kernels *allocate(const pm_network *network)
{
  size_t room = network->kernel_count + GROUPS * LANES;
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

/* Adds a kernel to the group that starts at `first`; returns the new end. */
static int add(pm__kernels *kernels, int first, int end, const pm__kernel *kernel)
{
  const pm__work *work = &kernel->work;
  for (int i = first; i < end; i++) {
    if (kernels->flop[i] != work->flop || kernels->elements[i] != work->elements ||
        kernels->fixed[i] != work->fixed_elements || !pm__same_shape(&kernels->shaped[i], kernel))
      continue;
    kernels->repeats[i] += kernel->repeats;
    return end;
  }
  kernels->flop[end] = work->flop;
  kernels->elements[end] = work->elements;
  kernels->fixed[end] = work->fixed_elements;
  kernels->repeats[end] = kernel->repeats;
  kernels->shaped[end] = *kernel;
  return end + 1;
}

static int fill_group(pm__kernels *kernels, const pm_network *network, int group, int first)
{
  int end = first;
  for (size_t i = 0; i < network->kernel_count; i++) {
    const pm__kernel *kernel = &network->kernels[i];
    if (group_of(kernel) == group && is_work(&kernel->work)) end = add(kernels, first, end, kernel);
  }
  return (end + LANES - 1) / LANES * LANES;
}

pm__kernels *pm__kernels_new(const pm_network *network, pm_error *error)
{
  pm__kernels *kernels = allocate(network);
  if (kernels == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  kernels->parameters = pm__network_parameters(network);
  for (int group = 0; group < GROUPS; group++)
    kernels->first[group + 1] = fill_group(kernels, network, group, kernels->first[group]);
  return kernels;
}

void pm__kernels_free(pm__kernels *kernels)
{
  if (kernels == NULL) return;
  free(kernels->flop);
  free(kernels->shaped);
  free(kernels);
}

/* Seconds per unit of what a kernel lists, at one batch; and per kernel. */
typedef struct rates {
  double flop, element, fixed, launch;
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
      time[lane] += (compute > memory ? compute : memory) + repeats[i + lane] * unit.launch;
      bound[lane] += compute > memory ? compute : 0;
    }
  return (sums){(time[0] + time[1]) + (time[2] + time[3]), (bound[0] + bound[1]) + (bound[2] + bound[3])};
}

/* Each kernel by the formula of its family. */
static sums price_group(const pm__kernels *kernels, int group, const pm__device *device, double batch)
{
  sums all = {0, 0};
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    if (kernels->repeats[i] == 0) continue;
    pm__cost cost = pm__kernel_cost(device, &kernels->shaped[i], batch);
    all.time += kernels->repeats[i] * cost.time;
    if (cost.bound == PM_BOUND_COMPUTE || cost.bound == PM_BOUND_POWER)
      all.compute_bound += kernels->repeats[i] * cost.time;
  }
  return all;
}

static sums sum_pass(const pm__kernels *kernels, int pass, const pm__device *device, double batch)
{
  sums all = {0, 0};
  for (int sort = 0; sort < SORTS; sort++) {
    double peak = sort == PRODUCTS ? device->matrix_peak : device->vector_peak;
    double moved = device->bytes * device->per_byte;
    rates unit = {batch / peak, batch * moved, moved, device->launch};
    int group = SORTS * pass + sort;
    sums part = device->calibrated && sort != STREAMS ? price_group(kernels, group, device, batch)
                                                      : time_group(kernels, group, unit);
    all.time += part.time;
    all.compute_bound += part.compute_bound;
  }
  return all;
}

pm__times pm__kernels_time(const pm__kernels *kernels, const pm__device *device, int precision, double batch)
{
  sums pass[PM__PASSES];
  pm__times times = {0, 0, 0, 0, 0};
  for (int i = 0; i < PM__PASSES; i++) {
    pass[i] = sum_pass(kernels, i, device, batch);
    times.compute_bound += pass[i].compute_bound;
  }
  times.forward = pass[PM__FORWARD].time;
  times.backward_data = pass[PM__BACKWARD_DATA].time;
  times.backward_weight = pass[PM__BACKWARD_WEIGHT].time;
  times.update = pm__update_time(kernels->parameters, device, precision);
  return times;
}
