/* Distinct kernels as arrays, and their price. Each is priced once, and its time added to the segments that it is
** in. */
#include "plan/kernels.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/conv_shape.h"
#include "plan/units.h"

static int sort_of(const pm__layer_kernel *kernel)
{
  if (kernel->family == PM__OPERATOR) return PM__OPERATORS;
  if (kernel->matrix) return PM__MATRIX;
  if (kernel->family == PM__NORM || kernel->family == PM__SOFTMAX) return PM__ROWS;
  return kernel->framework_kernel ? PM__FRAMEWORK_STREAMS : PM__STREAMS;
}

static int group_of(const pm__layer_kernel *kernel)
{
  return PM__SORTS * (int)kernel->pass + sort_of(kernel);
}

/* ---- Arrays ---- */

/* Room for every kernel; merging leaves some of it unused. */
static bool allocate(pm__plan_kernels *kernels, size_t count)
{
  size_t room = count + PM__GROUPS * PM__LANES;
  memset(kernels, 0, sizeof *kernels);
  kernels->flop = (double *)calloc(6 * room, sizeof *kernels->flop);
  kernels->shape = (pm__layer_kernel *)calloc(room, sizeof *kernels->shape);
  kernels->place = (unsigned char *)calloc(room, sizeof *kernels->place);
  if (kernels->flop == NULL || kernels->shape == NULL || kernels->place == NULL) return false;
  kernels->elements = kernels->flop + room;
  kernels->fixed = kernels->flop + 2 * room;
  kernels->repeats = kernels->flop + 3 * room;
  kernels->launches = kernels->flop + 4 * room;
  kernels->layout = kernels->flop + 5 * room;
  return true;
}

/* The place among first .. end-1 of a kernel's equal, or end. */
static int find_kernel(const pm__plan_kernels *kernels, int first, int end, const pm__layer_kernel *kernel)
{
  const pm__work *work = &kernel->work;
  for (int i = first; i < end; i++)
    if (kernels->flop[i] == work->flop && kernels->elements[i] == work->elements &&
        kernels->fixed[i] == work->fixed_elements && pm__same_shape(&kernels->shape[i], kernel))
      return i;
  return end;
}

int pm__plan_kernels_find(const pm__plan_kernels *kernels, const pm__layer_kernel *kernel)
{
  int group = group_of(kernel);
  return find_kernel(kernels, kernels->first[group], kernels->first[group + 1], kernel);
}

/* Where the time of a kernel belongs. */
static unsigned char time_place_of(const pm__layer_kernel *kernel)
{
  if (kernel->family == PM__CONV) return PM__PLACE_CONV;
  if (kernel->matrix) return PM__PLACE_PRODUCT;
  return kernel->framework_kernel ? PM__PLACE_FRAMEWORK : PM__PLACE_OTHER;
}

/* Adds a kernel to the group that starts at `first`; returns the new end. */
static int add(pm__plan_kernels *kernels, int first, int end, const pm__launch *launch)
{
  const pm__layer_kernel *kernel = &launch->kernel;
  int place = find_kernel(kernels, first, end, kernel);
  kernels->repeats[place] += kernel->repeats;
  kernels->launches[place] += launch->launches;
  if (place < end) return end;
  kernels->flop[end] = kernel->work.flop;
  kernels->elements[end] = kernel->work.elements;
  kernels->fixed[end] = kernel->work.fixed_elements;
  kernels->shape[end] = *kernel;
  kernels->place[end] = time_place_of(kernel);
  return end + 1;
}

static int fill_group(pm__plan_kernels *kernels, const pm__launch *list, size_t count, int group, int first)
{
  int end = first;
  for (size_t i = 0; i < count; i++)
    if (group_of(&list[i].kernel) == group && pm__kernel_works(&list[i].kernel))
      end = add(kernels, first, end, &list[i]);
  return (end + PM__LANES - 1) / PM__LANES * PM__LANES;
}

/* Shapes of the convolutions, at their places among all kernels; none where there is no convolution. */
static bool make_shapes(pm__plan_kernels *kernels)
{
  int count = kernels->first[PM__GROUPS];
  for (int i = 0; i < count; i++) {
    const pm__layer_kernel *kernel = &kernels->shape[i];
    if (kernel->family != PM__CONV) continue;
    if (kernels->conv == NULL) kernels->conv = (pm__window_shape *)calloc((size_t)count, sizeof *kernels->conv);
    if (kernels->conv == NULL) return false;
    kernels->layout[i] = pm__layout_elements(kernel);
    pm__window_shape_make(&kernels->conv[i], &kernel->shape.conv, kernel->pass);
  }
  return true;
}

int pm__plan_kernels_make(pm__plan_kernels *kernels, const pm__launch *launches, size_t count, pm_error *error)
{
  bool good = allocate(kernels, count);
  for (int group = 0; group < PM__GROUPS && good; group++)
    kernels->first[group + 1] = fill_group(kernels, launches, count, group, kernels->first[group]);
  if (good && make_shapes(kernels)) return PM_OK;
  pm__plan_kernels_free(kernels);
  return pm__no_memory(error);
}

void pm__plan_kernels_free(pm__plan_kernels *kernels)
{
  free(kernels->flop);
  free(kernels->shape);
  free(kernels->conv);
  free(kernels->place);
  memset(kernels, 0, sizeof *kernels);
}

/* ---- Prices ---- */

/* Seconds per unit of what a kernel lists, at one batch. */
typedef struct rates {
  double flop, element, fixed;
} rates;

typedef struct sums {
  double time, compute_bound, flop;
} sums;

static sums time_group(const pm__plan_kernels *kernels, int group, rates unit)
{
  double time[PM__LANES] = {0}, bound[PM__LANES] = {0}, done[PM__LANES] = {0};
  const double *flop = kernels->flop, *elements = kernels->elements, *fixed = kernels->fixed;
  const double *repeats = kernels->repeats;
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i += PM__LANES)
    for (int lane = 0; lane < PM__LANES; lane++) {
      double compute = repeats[i + lane] * (flop[i + lane] * unit.flop);
      double memory = repeats[i + lane] * (elements[i + lane] * unit.element + fixed[i + lane] * unit.fixed);
      time[lane] += compute > memory ? compute : memory;
      bound[lane] += compute > memory ? compute : 0;
      done[lane] += repeats[i + lane] * flop[i + lane];
    }
  return (sums){(time[0] + time[1]) + (time[2] + time[3]), (bound[0] + bound[1]) + (bound[2] + bound[3]),
                (done[0] + done[1]) + (done[2] + done[3])};
}

static pm__plan_way convolution_on_cores(const pm__device *d, const pm__window_shape *shape, double changed,
                                         double batch, double flop, pm__plan_way way)
{
  double most = (way.time + changed * (d->layout - d->cores->layout) / d->library) / d->cores_library;
  pm__kernel_cost cost = pm__window_shape_cost(d->cores, shape, batch, most);
  if (!(cost.time < most)) return way;
  pm__kernel_powered own = pm__powered(&d->cores->power, cost, flop, true);
  double spared = d->layout > 0 ? changed * (1 - d->cores->layout / d->layout) : 0;
  double added = d->layout > 0 ? 0 : changed * d->cores->layout / d->library;
  double time = own.time * d->cores_library, extra = pm__extra_over(d->cores, d, own.extra * d->cores_library, time);
  return (pm__plan_way){time + added, spared, own.bound, own.algorithm, extra};
}

/* A convolution that costs `cost` as its precision says; `changed`: elements that change layout for it. The bound of
** its time on FP32 cores is proportional to the batch, which may take the factor of their library. */
static inline pm__plan_way convolution_way(const pm__device *d, const pm__window_shape *shape, double changed,
                                           double batch, double flop, pm__kernel_cost cost)
{
  pm__kernel_powered own = pm__powered(&d->power, cost, flop, true);
  pm__plan_way way = {(own.time + d->launch) - d->launch, 0, d->launch > own.time ? PM_BOUND_LATENCY : own.bound,
                      own.algorithm, own.extra};
  if (d->cores == NULL) return way;
  double most = way.time + changed * d->cores_spared;
  if (pm__window_exceeds(d->cores, shape, batch * d->cores_library, most)) return way;
  return convolution_on_cores(d, shape, changed, batch, flop, way);
}

/* Products of FP32 numbers, which TF32 rounds on the way. */
static pm__plan_way product_on_cores(const pm__device *d, const pm__layer_kernel *kernel, double batch,
                                     const pm__plan_way *way)
{
  if (batch * kernel->work.flop / 2 * d->cores->gemm.multiply_add >= way->time) return *way; /* even at full waves */
  pm__kernel_powered cost = pm__kernel_cost_of(d->cores, kernel, batch);
  double time = cost.time - d->cores->launch, extra = pm__extra_over(d->cores, d, cost.extra, time);
  return time < way->time ? (pm__plan_way){time, 0, cost.bound, cost.algorithm, extra} : *way;
}

static pm__plan_way other_way(const pm__device *d, const pm__layer_kernel *kernel, double batch)
{
  pm__kernel_powered cost = pm__kernel_cost_of(d, kernel, batch);
  pm__plan_way way = {cost.time - d->launch, 0, cost.bound, cost.algorithm, cost.extra};
  if (d->cores == NULL || !kernel->matrix || kernel->family != PM__GEMM || d->bytes != 4) return way;
  return product_on_cores(d, kernel, batch, &way);
}

pm__plan_way pm__plan_way_of(const pm__device *d, const pm__layer_kernel *kernel, double batch)
{
  pm__window_shape shape;
  if (kernel->family != PM__CONV) return other_way(d, kernel, batch);
  pm__window_shape_make(&shape, &kernel->shape.conv, kernel->pass);
  pm__kernel_cost cost = pm__window_shape_cost(d, &shape, batch, INFINITY);
  return convolution_way(d, &shape, batch * pm__layout_elements(kernel), batch, batch * kernel->work.flop, cost);
}

/* FLOP that are counted, and not executed as transforms save them. */
static inline bool is_transform(int algorithm)
{
  return algorithm >= PM_KERNEL_ALGORITHM_WINOGRAD_4X4 && algorithm <= PM_KERNEL_ALGORITHM_FFT;
}

static double saved_by(pm__plan_way way, const pm__plan_kernels *kernels, int i, double batch)
{
  double executed = pm__window_shape_executed(&kernels->conv[i], batch, way.algorithm);
  return pm__most(0, batch * kernels->flop[i] - executed);
}

/* To the segments that kernel `i` is in, `time` each time. */
static inline void scatter(const pm__plan_kernels *kernels, const pm__segments *segments, int i, pm__plan_way way,
                           pm__costs *costs)
{
  for (int e = segments->first[i]; e < segments->first[i + 1]; e++) {
    pm__part *part = &costs->segment[segments->place[e]];
    part->time[kernels->place[i]] += segments->repeats[e] * way.time;
    if (way.spared != 0) part->spared += segments->repeats[e] * way.spared;
  }
}

static void scatter_group(const pm__plan_kernels *kernels, const pm__segments *segments, int group, rates unit,
                          pm__costs *costs)
{
  for (int i = kernels->first[group]; i < kernels->first[group + 1]; i++) {
    double compute = kernels->flop[i] * unit.flop;
    double memory = kernels->elements[i] * unit.element + kernels->fixed[i] * unit.fixed;
    scatter(kernels, segments, i, (pm__plan_way){.time = compute > memory ? compute : memory}, costs);
  }
}

static inline void add_way(const pm__plan_kernels *kernels, int i, pm__plan_way way, double batch, int pass,
                           pm__costs *costs)
{
  pm__part *part = &costs->pass[pass];
  double all = kernels->repeats[i] * way.time;
  part->time[kernels->place[i]] += all;
  costs->extra.time[kernels->place[i]] += kernels->repeats[i] * way.extra;
  if (way.spared != 0) part->spared += kernels->repeats[i] * way.spared;
  if (is_transform(way.algorithm)) costs->saved[pass] += kernels->repeats[i] * saved_by(way, kernels, i, batch);
  if (way.bound != PM_BOUND_COMPUTE && way.bound != PM_BOUND_POWER) return;
  costs->bound.time[kernels->place[i]] += all;
  if (kernels->place[i] < PM__PLACE_FRAMEWORK) costs->bound_launches += kernels->launches[i];
}

/* Kernels first .. end-1 of a pass, each by the formula of its family. */
static void price_some(const pm__plan_kernels *k, const pm__segments *segments, int first, int end,
                       const pm__device *device, double batch, int pass, pm__costs *costs)
{
  pm__kernel_cost conv[PM__AT_ONCE];
  if (k->conv != NULL) pm__window_shapes_cost(device, &k->conv[first], end - first, batch, conv);
  for (int i = first; i < end; i++) {
    if (k->repeats[i] == 0) continue;
    pm__plan_way way = k->place[i] == PM__PLACE_CONV
                         ? convolution_way(device, &k->conv[i], batch * k->layout[i], batch, batch * k->flop[i],
                                           conv[i - first])
                         : other_way(device, &k->shape[i], batch);
    add_way(k, i, way, batch, pass, costs);
    if (segments != NULL) scatter(k, segments, i, way, costs);
  }
}

static void price_group(const pm__plan_kernels *kernels, const pm__segments *segments, int group,
                        const pm__device *device, double batch, pm__costs *costs)
{
  int end = kernels->first[group + 1];
  for (int i = kernels->first[group]; i < end; i += PM__AT_ONCE)
    price_some(kernels, segments, i, end < i + PM__AT_ONCE ? end : i + PM__AT_ONCE, device, batch,
               group / PM__SORTS, costs);
}

/* Sort and group by the plain roofline: one loop. */
static void stream_group(const pm__plan_kernels *kernels, const pm__segments *segments, int group,
                         const pm__device *device,
                         double batch, pm__costs *costs)
{
  int sort = group % PM__SORTS;
  pm__part *part = &costs->pass[group / PM__SORTS];
  double peak = sort == PM__MATRIX ? device->matrix_peak : device->vector_peak;
  double slow = device->power.slow;
  double moved = slow * device->bytes * (sort == PM__STREAMS ? device->pass_byte : device->per_byte);
  rates unit = {slow * batch / peak, batch * moved, moved};
  if (segments != NULL) scatter_group(kernels, segments, group, unit, costs);
  sums all = time_group(kernels, group, unit);
  *(sort == PM__FRAMEWORK_STREAMS ? &part->framework : sort == PM__MATRIX ? &part->product : &part->other) += all.time;
  pm__part *bound = &costs->bound;
  *(sort == PM__FRAMEWORK_STREAMS ? &bound->framework : sort == PM__MATRIX ? &bound->product : &bound->other) +=
    all.compute_bound;
  if (sort == PM__MATRIX) costs->extra.product += pm__extra_energy(&device->power, all.time, batch * all.flop);
}

static void sum_group(const pm__plan_kernels *kernels, const pm__segments *segments, int group,
                      const pm__device *device,
                      double batch, pm__costs *costs)
{
  int sort = group % PM__SORTS;
  if (kernels->first[group] == kernels->first[group + 1]) return;
  bool by_formula = sort == PM__OPERATORS || (device->calibrated && (sort == PM__MATRIX || sort == PM__ROWS));
  if (by_formula) price_group(kernels, segments, group, device, batch, costs);
  else stream_group(kernels, segments, group, device, batch, costs);
}

static void add_part(pm__part *sum, const pm__part *part)
{
  sum->conv += part->conv;
  sum->product += part->product;
  sum->framework += part->framework;
  sum->other += part->other;
}

void pm__plan_kernels_price(const pm__plan_kernels *kernels, const pm__segments *segments, const pm__device *device,
                            double batch,
                       pm__costs *costs)
{
  size_t used = segments != NULL ? (size_t)segments->count * sizeof *costs->segment : 0;
  memset(costs, 0, offsetof(pm__costs, segment) + used);
  for (int group = 0; group < PM__GROUPS; group++) {
    bool cut = segments != NULL && segments->forward == (group < PM__SORTS);
    sum_group(kernels, cut ? segments : NULL, group, device, batch, costs);
  }
  for (int pass = 0; pass < PM__PASSES; pass++) add_part(&costs->all, &costs->pass[pass]);
}
