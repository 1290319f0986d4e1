/*
** Layer by layer: the kernels of a step without a framework, not merged (kernels.c). A layer that software fuses with
** those before it has none.
*/
#include <math.h>
#include <string.h>
#include "kernel/models.h"
#include "plan/plan.h"

typedef struct setting {
  const pm__device *device;
  double batch;
} setting;

/* The kernels of a layer. */
typedef struct lowered {
  pm__launch launch[PM__LAUNCHES_MAX];
  int count;
} lowered;

static double flop_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->repeats * on->batch * kernel->work.flop;
}

static double bytes_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->repeats * on->device->bytes * (on->batch * kernel->work.elements + kernel->work.fixed_elements);
}

static double peak_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->matrix ? on->device->matrix_peak : on->device->vector_peak;
}

/* What kernels take together, and J. */
typedef struct summed {
  pm__kernel_cost cost;
  double energy;
} summed;

/* Of all repeats of a kernel, with their launches. */
static summed cost_of(const setting *on, const pm__launch *launch)
{
  const pm__device *device = on->device;
  const pm__layer_kernel *kernel = &launch->kernel;
  if (device->calibrated) {
    pm__plan_way way = pm__plan_way_of(device, kernel, on->batch);
    double factor = kernel->family == PM__CONV ? device->library : 1;
    double all = kernel->repeats * way.time * factor + launch->launches * device->launch;
    return (summed){{all, way.algorithm, way.bound},
                    kernel->repeats * factor * way.extra + all * device->power.drawn};
  }
  double flop = flop_of(on, kernel), bytes = bytes_of(on, kernel), peak = peak_of(on, kernel);
  pm__kernel_cost cost = {pm__roofline_get_time(flop, bytes, peak, device->bandwidth), PM_KERNEL_ALGORITHM_ROOFLINE,
                          pm__roofline_get_bound(flop, bytes, peak, device->bandwidth)};
  double extra = pm__powered(&device->power, cost, flop, kernel->matrix).extra;
  return (summed){cost, cost.time * device->power.drawn + extra};
}

/* Adds up the kernels of one pass; the bound is that of the longest, the algorithm that of all if they agree. */
static pm__kernel_cost sum_of(const setting *on, const lowered *layer, pm__pass pass, double *energy)
{
  pm__kernel_cost all = {0, PM_KERNEL_ALGORITHM_NONE, PM_BOUND_NONE};
  double longest = 0;
  for (int i = 0; i < layer->count; i++) {
    const pm__layer_kernel *kernel = &layer->launch[i].kernel;
    if (kernel->pass != pass || !pm__kernel_works(kernel)) continue;
    summed both = cost_of(on, &layer->launch[i]);
    pm__kernel_cost one = both.cost;
    *energy += both.energy;
    all.time += one.time;
    if (all.algorithm == PM_KERNEL_ALGORITHM_NONE) all.algorithm = one.algorithm;
    else if (all.algorithm != one.algorithm) all.algorithm = PM_KERNEL_ALGORITHM_MIXED;
    if (one.time <= longest) continue;
    longest = one.time;
    all.bound = one.bound;
  }
  return all;
}

/* Where the layer stands under the roof: all its forward kernels together, under the highest of their ceilings. */
static void set_roofline(pm_layer_time *row, const setting *on, const lowered *layer)
{
  row->peak = row->intensity = row->attainable = row->achieved = NAN;
  row->memory_bandwidth = on->device->bandwidth;
  row->l2_bandwidth = on->device->l2_rate;
  row->power_rate = on->device->power_rate;
  for (int i = 0; i < layer->count; i++) {
    const pm__layer_kernel *kernel = &layer->launch[i].kernel;
    if (kernel->pass != PM__FORWARD) continue;
    row->flop += flop_of(on, kernel);
    row->bytes += bytes_of(on, kernel);
    if (!(row->peak >= peak_of(on, kernel))) row->peak = peak_of(on, kernel);
  }
  pm_bound plain = pm__roofline_get_bound(row->flop, row->bytes, row->peak, on->device->bandwidth);
  if (!on->device->calibrated) row->bound = plain;
  if (plain == PM_BOUND_NONE) return;
  row->intensity = row->flop / row->bytes;
  row->attainable = pm__roofline_get_attainable(row->intensity, row->peak, on->device->bandwidth);
  row->achieved = row->flop / row->forward_time;
}

static void set_times(pm_layer_time *row, const setting *on, const lowered *layer)
{
  pm__kernel_cost forward = sum_of(on, layer, PM__FORWARD, &row->energy);
  row->forward_time = forward.time;
  row->algorithm = forward.algorithm;
  row->bound = forward.bound;
  row->dgrad_time = sum_of(on, layer, PM__DGRAD, &row->energy).time;
  row->wgrad_time = sum_of(on, layer, PM__WGRAD, &row->energy).time;
}

static void set_row(pm_layer_time *row, const setting *on, const pm_network *network, size_t index, int precision)
{
  const pm__layer *layer = &network->layers[index];
  lowered kernels;
  kernels.count = pm__lower_layer(network, index, PM__LEAST, kernels.launch);
  pm__text_set(row->name, sizeof row->name, layer->name);
  pm__text_set(row->kind, sizeof row->kind, layer->kind->name);
  set_times(row, on, &kernels);
  set_roofline(row, on, &kernels);
  double table = layer->kind->role == PM__ROLE_GATHER ? layer->parameters : 0;
  row->update_time = pm__update_time(layer->parameters, table, pm_optimizer_get(PM_OPTIMIZER_MOMENTUM), on->device,
                                     precision);
  row->energy += row->update_time * on->device->power.drawn;
  row->time = row->forward_time + row->dgrad_time + row->wgrad_time + row->update_time;
}

static int check(const pm_network *network, const pm_gpu *gpu, const pm_kernel_calibration *calibration, double batch,
                 int precision, const pm_layer_time *rows, pm_error *error)
{
  if (network == NULL || gpu == NULL || rows == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "layer times need a network, a gpu and a place");
  int status = pm__gpu_check(gpu, error);
  if (status == PM_OK && calibration != NULL) status = pm_kernel_calibration_check(calibration, error);
  return status == PM_OK ? pm__kernel_check(gpu, batch, precision, error) : status;
}

int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                         double batch, int precision, pm_layer_time *rows, pm_error *error)
{
  int status = check(network, gpu, calibration, batch, precision, rows, error), index = 0;
  if (status != PM_OK) return status;
  pm__device devices[PM_PRECISION_COUNT];
  pm__plan_devices(gpu, calibration, NULL, devices);
  const setting here = {&devices[precision], batch};
  for (size_t i = 0; i < network->count; i++) {
    if (network->layers[i].kind == NULL) continue;
    memset(&rows[index], 0, sizeof rows[index]);
    rows[index].index = index;
    set_row(&rows[index++], &here, network, i, precision);
  }
  return PM_OK;
}
