/* Constants of kernels: what makes them usable. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "hardware/kernel_calibration.h"

/* Whether it must be known: always, of tensor cores where there are constants of them, or not; then unknown is none. */
enum sort { NEEDED, TENSOR, OPTIONAL };

typedef struct limit {
  const char *name;
  size_t offset;
  enum sort sort;
  double least, most; /* above the least, at most the most */
} limit;

#define LIMIT(name, sort, least, most) {#name, offsetof(pm_kernel_calibration, name), sort, least, most}

/* GeForce boards boost above the clock on their datasheet, so an efficiency may be a little above 1. */
static const limit limits[] = {
  LIMIT(energy_factor, OPTIONAL, 0, 10),
  LIMIT(simt_efficiency, NEEDED, 0, 1.25),
  LIMIT(simt_latency_threads, NEEDED, 0, 1e5),
  LIMIT(simt_split_threads, NEEDED, 0, 1e5),
  LIMIT(tensor_efficiency, TENSOR, 0, 1.25),
  LIMIT(tensor_latency_threads, TENSOR, 0, 1e5),
  LIMIT(tensor_start, OPTIONAL, -1e-300, 1),
  LIMIT(memory_start, OPTIONAL, -1e-300, 1),
  LIMIT(tensor_prologue, OPTIONAL, -1e-300, 1e4),
  LIMIT(tensor_split_time, OPTIONAL, -1e-300, 1),
  LIMIT(row_clocks, OPTIONAL, 0, 1e3),
  LIMIT(flash_block, OPTIONAL, -1e-300, 1),
  LIMIT(flash_score, OPTIONAL, -1e-300, 1e3),
  LIMIT(flash_load, OPTIONAL, 0, 1e5),
  LIMIT(flash_part, OPTIONAL, 0, 1e6),
  LIMIT(l2_kept, OPTIONAL, -1e-300, 100),
  LIMIT(l2_lost, OPTIONAL, 0, 100),
  LIMIT(rnn_narrow, OPTIONAL, 0, 1e4),
  LIMIT(rnn_narrow_backward, OPTIONAL, 0, 1e4),
  LIMIT(rnn_narrow_half, OPTIONAL, 0, 10),
  LIMIT(hbm_efficiency, NEEDED, 0, 1),
  LIMIT(gddr_efficiency, NEEDED, 0, 1),
  LIMIT(gddr_ecc_efficiency, OPTIONAL, 0, 1),
  LIMIT(pass_elements, OPTIONAL, 0, 1e3),
  LIMIT(conv_tf32_layout, OPTIONAL, 0, 2),
  LIMIT(unaligned_lanes, OPTIONAL, 0, 1e5),
  LIMIT(conv_simt_volume, OPTIONAL, 0, 10),
  LIMIT(launch, NEEDED, -1e-300, 1),
  LIMIT(wave, NEEDED, -1e-300, 1),
  LIMIT(prologue, NEEDED, -1e-300, 1e3),
  LIMIT(prologue_most, NEEDED, -1e-300, 1e4),
  LIMIT(split_least, NEEDED, 0, 1e5),
  LIMIT(split_time, NEEDED, -1e-300, 1),
  LIMIT(alignment, NEEDED, 0, 10),
  LIMIT(tn_alignment, NEEDED, 0, 10),
  LIMIT(tn_reach, NEEDED, 0, 1e15),
  LIMIT(tn_growth, OPTIONAL, -1e-300, 1),
  LIMIT(tn_unaligned_growth, OPTIONAL, -1e-300, 1),
  LIMIT(l2_bytes, NEEDED, 0, 1e4),
  LIMIT(l2_share, NEEDED, 0, 1),
  LIMIT(reread_start, NEEDED, 0, 100),
  LIMIT(reread_width, NEEDED, 0, 100),
  LIMIT(softmax_reread, NEEDED, 0, 100),
  LIMIT(softmax_l1, NEEDED, -1e-300, 100),
  LIMIT(conv_rate, NEEDED, 0, 2),
  LIMIT(conv_simt_efficiency, NEEDED, 0, 2),
  LIMIT(conv_simt_prologue, NEEDED, -1e-300, 1e3),
  LIMIT(conv_simt_latency_threads, NEEDED, 0, 1e5),
  LIMIT(conv_simt_split_threads, NEEDED, 0, 1e5),
  LIMIT(conv_simt_column, NEEDED, 0, 100),
  LIMIT(conv_simt_input, NEEDED, 0, 100),
  LIMIT(conv_simt_windows, NEEDED, -1e-300, 100),
  LIMIT(conv_simt_result, NEEDED, 0, 100),
  LIMIT(conv_tensor_efficiency, NEEDED, 0, 2),
  LIMIT(conv_tensor_latency_threads, NEEDED, 0, 1e5),
  LIMIT(conv_tensor_split_threads, NEEDED, 0, 1e5),
  LIMIT(conv_tensor_strided, NEEDED, 0, 100),
  LIMIT(conv_tensor_column, NEEDED, 0, 100),
  LIMIT(conv_tensor_input, NEEDED, 0, 100),
  LIMIT(conv_tensor_windows, NEEDED, -1e-300, 100),
  LIMIT(conv_tensor_result, NEEDED, 0, 100),
  LIMIT(conv_tensor_odd, NEEDED, 0, 100),
  LIMIT(conv_tensor_odd_weight, NEEDED, 0, 100),
  LIMIT(winograd_traffic, NEEDED, 0, 100),
  LIMIT(winograd_weights, NEEDED, 0, 100),
  LIMIT(winograd_fused, NEEDED, 0, 2),
  LIMIT(winograd_fused_prologue, NEEDED, -1e-300, 1e3),
  LIMIT(winograd_fused_traffic, NEEDED, 0, 100),
  LIMIT(winograd_fused_weights, NEEDED, 0, 100),
  LIMIT(transform_time, NEEDED, -1e-300, 1),
  LIMIT(fft_traffic, NEEDED, 0, 100),
  LIMIT(direct_efficiency, NEEDED, 0, 2),
  LIMIT(depthwise_efficiency, NEEDED, 0, 2),
  LIMIT(depthwise_forward, OPTIONAL, 0, 3),
  LIMIT(group_rate, NEEDED, 0, 2),
  LIMIT(flash_forward, NEEDED, 0, 2),
  LIMIT(flash_backward, NEEDED, 0, 2),
  LIMIT(rnn_l2, NEEDED, 0, 100),
  LIMIT(rnn_product, NEEDED, 0, 10),
  LIMIT(rnn_pointwise, NEEDED, 0, 100),
  LIMIT(rnn_input, NEEDED, 0, 10),
  LIMIT(rnn_backward, NEEDED, 0, 10),
  LIMIT(rnn_step_time, NEEDED, -1e-300, 1),
  LIMIT(rnn_time, NEEDED, -1e-300, 1),
  LIMIT(rnn_weight, NEEDED, 0, 10),
  LIMIT(rnn_weight_time, NEEDED, -1e-300, 1),
  LIMIT(rnn_persistent_time, NEEDED, -1e-300, 1),
  LIMIT(copy_efficiency, NEEDED, 0, 1),
  LIMIT(copy_pageable, NEEDED, 0, 1),
  LIMIT(copy_time, NEEDED, -1e-300, 1),
  LIMIT(fastest_simt_factor, OPTIONAL, 0, 10),
  LIMIT(fastest_tensor_factor, OPTIONAL, 0, 10),
  LIMIT(product_spread, OPTIONAL, 0, 10),
  LIMIT(convolution_spread, OPTIONAL, 0, 10),
  LIMIT(recurrent_spread, OPTIONAL, 0, 10),
  LIMIT(attention_spread, OPTIONAL, 0, 10),
  LIMIT(pass_spread, OPTIONAL, 0, 10),
  LIMIT(spread_extrapolated, OPTIONAL, 0, 100),
  LIMIT(spread_not_calibrated, OPTIONAL, 0, 100),
  LIMIT(idle_power, OPTIONAL, 0, 1),
  LIMIT(simt_power, OPTIONAL, 0, 1),
  LIMIT(tensor_power, OPTIONAL, 0, 1),
  LIMIT(simt_flop_energy, OPTIONAL, -1e-300, 1e-9),
  LIMIT(tensor_flop_energy, OPTIONAL, -1e-300, 1e-9),
  LIMIT(steady_flop_energy, OPTIONAL, -1e-300, 1e-9),
  LIMIT(simt_rule_draw, OPTIONAL, -1e-300, 1e-9),
  LIMIT(exchange_power, OPTIONAL, -1e-300, 1),
  LIMIT(power_margin, OPTIONAL, 0, 1),
  LIMIT(limit_softness, OPTIONAL, 0, 100),
  LIMIT(limit_free, OPTIONAL, 0, 0.999),
  LIMIT(limit_fixed, OPTIONAL, -1e-300, 0.9),
  LIMIT(limit_fixed_most, OPTIONAL, -1e-300, 0.99),
  LIMIT(limit_knee, OPTIONAL, 0, 1),
  LIMIT(limit_voltage, OPTIONAL, -1e-300, 10),
  LIMIT(limit_clocked, OPTIONAL, -1e-300, 1),
  LIMIT(limit_least, OPTIONAL, -1e-300, 1),
  LIMIT(host_cpu_power, OPTIONAL, -1e-300, 1e5),
  LIMIT(host_power_air, OPTIONAL, -1e-300, 10),
  LIMIT(host_power_liquid, OPTIONAL, -1e-300, 10),
  LIMIT(node_dense_board, OPTIONAL, -1e-300, 1e6),
  LIMIT(node_rest_dense, OPTIONAL, -1e-300, 10),
  LIMIT(node_rest_light, OPTIONAL, -1e-300, 10),
  LIMIT(supply_efficiency, OPTIONAL, 0, 1),
  LIMIT(power_band_fitted, OPTIONAL, -1e-300, 10),
  LIMIT(power_band_rule, OPTIONAL, -1e-300, 10),
};

static double value_of(const pm_kernel_calibration *c, const limit *l)
{
  double value;
  memcpy(&value, (const char *)c + l->offset, sizeof value);
  return value;
}

static int out_of_range(const pm_kernel_calibration *c, const limit *l, pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\": %s %g is not %s and at most %g", c->id,
                  l->name,
                  value_of(c, l), l->least < 0 ? "at least 0" : "above 0", l->most);
}

/* What runs draws no less than what waits. */
static int check_order(const pm_kernel_calibration *c, const char *name, double running, pm_error *error)
{
  if (!(running < c->idle_power)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\": %s %g is below idle_power %g", c->id, name,
                  running, c->idle_power);
}

int pm__kernel_calibration_stated(const pm_kernel_calibration *c, pm_error *error)
{
  int status = check_order(c, "simt_power", c->simt_power, error);
  if (status == PM_OK) status = check_order(c, "tensor_power", c->tensor_power, error);
  if (status != PM_OK) return status;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    double value = value_of(c, &limits[i]);
    if (!isnan(value) && !(value > limits[i].least && value <= limits[i].most))
      return out_of_range(c, &limits[i], error);
  }
  if (c->simt_basis != PM_ORIGIN_NONE || strcmp(c->id, PM_KERNEL_GENERAL_ID) == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not state its basis (simt_basis)",
                  c->id);
}

static int check_complete(const pm_kernel_calibration *c, pm_error *error)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    enum sort sort = limits[i].sort;
    bool wanted = sort == NEEDED || (sort == TENSOR && c->tensor_basis != PM_ORIGIN_NONE);
    if (wanted && isnan(value_of(c, &limits[i])))
      return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not state %s", c->id, limits[i].name);
  }
  if (c->threads > 0 && c->threads <= 100000) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\": threads %d is not within 1 and 100000", c->id,
                  c->threads);
}

int pm_kernel_calibration_check(const pm_kernel_calibration *c, pm_error *error)
{
  if (c == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no kernel calibration");
  if (c->simt_basis == PM_ORIGIN_NONE)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not state its basis (simt_basis)",
                    c->id);
  int status = pm__kernel_calibration_stated(c, error);
  return status == PM_OK ? check_complete(c, error) : status;
}
