/*
** All kernels of a network as arrays, equal ones merged, timed by the roofline.
**
** They are grouped by (pass, matrix or not), each group padded to a multiple of four with kernels that do nothing, so
** that the loop over a group has no branch and adds in four lanes: fast, and the same order of additions every time.
*/
#include <stdlib.h>
#include "kernel/kernel.h"

enum { LANES = 4, GROUPS = 2 * PM__PASSES };

struct pm__kernels {
  int first[GROUPS + 1]; /* group g is first[g] .. first[g+1] */
  double parameters;
  double *flop, *elements, *fixed, *repeats; /* one allocation, at flop */
};

static int group_of(const pm__kernel *kernel)
{
  return 2 * (int)kernel->pass + kernel->matrix;
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
  if (kernels == NULL || numbers == NULL) {
    free(kernels);
    free(numbers);
    return NULL;
  }
  kernels->flop = numbers;
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
        kernels->fixed[i] != work->fixed_elements)
      continue;
    kernels->repeats[i] += kernel->repeats;
    return end;
  }
  kernels->flop[end] = work->flop;
  kernels->elements[end] = work->elements;
  kernels->fixed[end] = work->fixed_elements;
  kernels->repeats[end] = kernel->repeats;
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
  free(kernels);
}

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

pm__times pm__kernels_time(const pm__kernels *kernels, const pm_gpu *gpu, int precision, double batch)
{
  double bytes = pm_precision_bytes(precision) / gpu->memory_bandwidth;
  rates vector = {batch / pm_gpu_vector_peak(gpu, precision), batch * bytes, bytes};
  rates matrix = {batch / pm_gpu_matrix_peak(gpu, precision), batch * bytes, bytes};
  sums pass[PM__PASSES];
  pm__times times = {0, 0, 0, 0, 0};
  for (int i = 0; i < PM__PASSES; i++) {
    sums a = time_group(kernels, 2 * i, vector), b = time_group(kernels, 2 * i + 1, matrix);
    pass[i] = (sums){a.time + b.time, a.compute_bound + b.compute_bound};
    times.compute_bound += pass[i].compute_bound;
  }
  times.forward = pass[PM__FORWARD].time;
  times.backward_data = pass[PM__BACKWARD_DATA].time;
  times.backward_weight = pass[PM__BACKWARD_WEIGHT].time;
  times.update = pm__update_time(kernels->parameters, gpu, precision);
  return times;
}
