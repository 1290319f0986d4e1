/* Layer by layer: the same kernels as kernels.c, not merged. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "kernel/kernel.h"
#include "kernel/models.h"
#include "perfmodel/kernel.h"

typedef struct setting {
  pm__device device;
  double batch;
} setting;

static double flop_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->repeats * on->batch * kernel->work.flop;
}

static double bytes_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->repeats * on->device.bytes * (on->batch * kernel->work.elements + kernel->work.fixed_elements);
}

static double peak_of(const setting *on, const pm__layer_kernel *kernel)
{
  return kernel->matrix ? on->device.matrix_peak : on->device.vector_peak;
}

static bool is_work(const pm__work *work)
{
  return work->flop > 0 || work->elements > 0 || work->fixed_elements > 0;
}

static pm__kernel_cost cost_of(const setting *on, const pm__layer_kernel *kernel)
{
  if (on->device.calibrated && is_work(&kernel->work)) {
    pm__kernel_cost cost = pm__kernel_cost_of(&on->device, kernel, on->batch);
    cost.time *= kernel->repeats;
    return cost;
  }
  double flop = flop_of(on, kernel), bytes = bytes_of(on, kernel), peak = peak_of(on, kernel);
  return (pm__kernel_cost){pm_roofline_get_time(flop, bytes, peak, on->device.bandwidth), PM_KERNEL_ALGORITHM_ROOFLINE,
                    pm_roofline_get_bound(flop, bytes, peak, on->device.bandwidth)};
}

/* Adds up the kernels of one pass; the bound is that of the longest, the algorithm that of all if they agree. */
static pm__kernel_cost sum_of(const setting *on, const pm__layer_kernel *kernels, size_t count, pm__pass pass)
{
  pm__kernel_cost all = {0, PM_KERNEL_ALGORITHM_NONE, PM_BOUND_NONE};
  double longest = 0;
  for (size_t i = 0; i < count; i++) {
    if (kernels[i].pass != pass || !is_work(&kernels[i].work)) continue;
    pm__kernel_cost one = cost_of(on, &kernels[i]);
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
static void set_roofline(pm_layer_time *row, const setting *on, const pm__layer_kernel *kernels, size_t count)
{
  row->peak = row->intensity = row->attainable = row->achieved = NAN;
  row->memory_bandwidth = on->device.bandwidth;
  row->l2_bandwidth = on->device.l2_rate;
  row->power_rate = on->device.power_rate;
  for (size_t i = 0; i < count; i++) {
    if (kernels[i].pass != PM__FORWARD) continue;
    row->flop += flop_of(on, &kernels[i]);
    row->bytes += bytes_of(on, &kernels[i]);
    if (!(row->peak >= peak_of(on, &kernels[i]))) row->peak = peak_of(on, &kernels[i]);
  }
  pm_bound plain = pm_roofline_get_bound(row->flop, row->bytes, row->peak, on->device.bandwidth);
  if (!on->device.calibrated) row->bound = plain;
  if (plain == PM_BOUND_NONE) return;
  row->intensity = row->flop / row->bytes;
  row->attainable = pm_roofline_get_attainable(row->intensity, row->peak, on->device.bandwidth);
  row->achieved = row->flop / row->forward_time;
}

static void set_times(pm_layer_time *row, const setting *on, const pm__layer_kernel *kernels, size_t count)
{
  pm__kernel_cost forward = sum_of(on, kernels, count, PM__FORWARD);
  row->forward_time = forward.time;
  row->algorithm = forward.algorithm;
  row->bound = forward.bound;
  row->dgrad_time = sum_of(on, kernels, count, PM__DGRAD).time;
  row->wgrad_time = sum_of(on, kernels, count, PM__WGRAD).time;
}

const char *pm__precision_name(int precision)
{
  static const char *const names[] = {
#define NAME(name, text, size, doc) text,
    PM_PRECISION_LIST(NAME)
#undef NAME
  };
  return names[precision];
}

static bool has_rates(const pm_gpu *gpu, int precision)
{
  double matrix = pm_gpu_get_matrix_peak(gpu, precision), vector = pm_gpu_get_vector_peak(gpu, precision);
  return matrix > 0 && vector > 0 && isfinite(matrix) && isfinite(vector);
}

int pm__kernel_refuse_precision(const pm_gpu *gpu, int precision, pm_error *error)
{
  char others[PM_TEXT_MAX] = "";
  for (int i = 0; i < PM_PRECISION_COUNT; i++) {
    size_t length = strlen(others);
    if (has_rates(gpu, i))
      snprintf(others + length, sizeof others - length, "%s %s", length > 0 ? "," : "; it has", pm__precision_name(i));
  }
  return pm__fail(error, PM_STATUS_NO_PRECISION, "gpu \"%s\" has no rate for %s%s", gpu->id,
                  pm__precision_name(precision), others);
}

/* One refusal for all who time kernels. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error)
{
  if (!isfinite(batch) ||
      batch < 1) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "batch %g is not at least 1", batch);
  if (isnan(pm_precision_get_bytes(precision)))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no precision %d", precision);
  if (precision == PM_PRECISION_FP8 || precision == PM_PRECISION_INT8)
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "training in %s is not modelled",
                    precision == PM_PRECISION_FP8 ? "fp8" : "int8");
  return has_rates(gpu, precision) ? PM_OK : pm__kernel_refuse_precision(gpu, precision, error);
}

int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                         double batch, int precision, pm_layer_time *rows, pm_error *error)
{
  if (network == NULL || gpu == NULL || rows == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "layer times need a network, a gpu and a place");
  int status = pm_gpu_check(gpu, error);
  if (status == PM_OK && calibration != NULL) status = pm_kernel_calibration_check(calibration, error);
  if (status == PM_OK) status = pm__kernel_check(gpu, batch, precision, error);
  if (status != PM_OK) return status;
  setting here;
  pm__device_init(&here.device, gpu, calibration, precision);
  pm__device_set_library(&here.device, NULL);
  here.batch = batch;
  int index = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL) continue;
    pm_layer_time *row = &rows[index];
    memset(row, 0, sizeof *row);
    row->index = index++;
    memcpy(row->name, layer->name, sizeof row->name);
    pm__text_set(row->kind, sizeof row->kind, layer->kind->name);
    const pm__layer_kernel *kernels = &network->kernels[layer->first_kernel];
    set_times(row, &here, kernels, layer->kernel_count);
    set_roofline(row, &here, kernels, layer->kernel_count);
    double table = layer->kind->role == PM__ROLE_GATHER ? layer->parameters : 0;
    row->update_time = pm__update_time(layer->parameters, table, 5, &here.device, precision);
    row->time = row->forward_time + row->dgrad_time + row->wgrad_time + row->update_time;
  }
  return PM_OK;
}
