/* Layer by layer: the same kernels as kernels.c, not merged. */
#include <math.h>
#include <string.h>
#include "kernel/kernel.h"
#include "perfmodel/kernel.h"

/* The GPU at a precision, and the batch. */
typedef struct setting {
  double matrix_peak, vector_peak, bandwidth, bytes, batch;
} setting;

static double flop_of(const setting *on, const pm__kernel *kernel)
{
  return kernel->repeats * on->batch * kernel->work.flop;
}

static double bytes_of(const setting *on, const pm__kernel *kernel)
{
  return kernel->repeats * on->bytes * (on->batch * kernel->work.elements + kernel->work.fixed_elements);
}

static double peak_of(const setting *on, const pm__kernel *kernel)
{
  return kernel->matrix ? on->matrix_peak : on->vector_peak;
}

/* Adds up the kernels of one pass. */
static double time_of(const setting *on, const pm__kernel *kernels, size_t count, pm__pass pass)
{
  double time = 0;
  for (size_t i = 0; i < count; i++)
    if (kernels[i].pass == pass)
      time += pm_roofline_time(flop_of(on, &kernels[i]), bytes_of(on, &kernels[i]), peak_of(on, &kernels[i]),
                               on->bandwidth);
  return time;
}

/* Where the layer stands under the roof: all its forward kernels together, under the highest of their ceilings. */
static void set_roofline(pm_layer_time *row, const setting *on, const pm__kernel *kernels, size_t count)
{
  row->peak = row->intensity = row->attainable = row->achieved = NAN;
  for (size_t i = 0; i < count; i++) {
    if (kernels[i].pass != PM__FORWARD) continue;
    row->flop += flop_of(on, &kernels[i]);
    row->bytes += bytes_of(on, &kernels[i]);
    if (!(row->peak >= peak_of(on, &kernels[i]))) row->peak = peak_of(on, &kernels[i]);
  }
  row->bound = pm_roofline_bound(row->flop, row->bytes, row->peak, on->bandwidth);
  if (row->bound == PM_BOUND_NONE) return;
  row->intensity = row->flop / row->bytes;
  row->attainable = pm_roofline_attainable(row->intensity, row->peak, on->bandwidth);
  row->achieved = row->flop / row->forward_time;
}

static void set_times(pm_layer_time *row, const setting *on, const pm__kernel *kernels, size_t count)
{
  row->forward_time = time_of(on, kernels, count, PM__FORWARD);
  row->backward_data_time = time_of(on, kernels, count, PM__BACKWARD_DATA);
  row->backward_weight_time = time_of(on, kernels, count, PM__BACKWARD_WEIGHT);
}

static const char *name_of(int precision)
{
  static const char *const names[] = {
#define NAME(name, text, size, doc) text,
    PM_PRECISION_LIST(NAME)
#undef NAME
  };
  return names[precision];
}

/* One refusal for all who time kernels. */
int pm__kernel_check(const pm_gpu *gpu, double batch, int precision, pm_error *error)
{
  if (!isfinite(batch) || batch < 1) return pm__fail(error, PM_BAD_ARGUMENT, "batch %g is not at least 1", batch);
  if (isnan(pm_precision_bytes(precision)))
    return pm__fail(error, PM_BAD_ARGUMENT, "there is no precision %d", precision);
  if (precision == PM_FP8 || precision == PM_INT8)
    return pm__fail(error, PM_NOT_MODELLED, "training in %s is not modelled", precision == PM_FP8 ? "fp8" : "int8");
  double matrix = pm_gpu_matrix_peak(gpu, precision), vector = pm_gpu_vector_peak(gpu, precision);
  if (matrix > 0 && vector > 0 && isfinite(matrix) && isfinite(vector)) return PM_OK;
  return pm__fail(error, PM_NO_PRECISION, "gpu \"%s\" has no rate for %s", gpu->id, name_of(precision));
}

int pm_network_get_times(const pm_network *network, const pm_gpu *gpu, double batch, int precision,
                         pm_layer_time *rows, pm_error *error)
{
  if (network == NULL || gpu == NULL || rows == NULL)
    return pm__fail(error, PM_BAD_ARGUMENT, "layer times need a network, a gpu and a place");
  int status = pm_gpu_check(gpu, error);
  if (status == PM_OK) status = pm__kernel_check(gpu, batch, precision, error);
  if (status != PM_OK) return status;
  setting here = {pm_gpu_matrix_peak(gpu, precision), pm_gpu_vector_peak(gpu, precision), gpu->memory_bandwidth,
                 pm_precision_bytes(precision), batch};
  int index = 0;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (layer->kind == NULL) continue;
    pm_layer_time *row = &rows[index];
    memset(row, 0, sizeof *row);
    row->index = index++;
    memcpy(row->name, layer->name, sizeof row->name);
    pm__text_set(row->kind, sizeof row->kind, layer->kind->name);
    const pm__kernel *kernels = &network->kernels[layer->first_kernel];
    set_times(row, &here, kernels, layer->kernel_count);
    set_roofline(row, &here, kernels, layer->kernel_count);
    row->update_time = pm__update_time(layer->parameters, gpu, precision);
    row->time = row->forward_time + row->backward_data_time + row->backward_weight_time + row->update_time;
  }
  return PM_OK;
}
