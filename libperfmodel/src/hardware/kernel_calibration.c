/* Constants of kernels: what makes them usable. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "hardware/kernel_calibration.h"

/* Optional: unknown is none; what an architecture by rule takes of the one that it is like, or all have in common. */
enum sort { SIMT, TENSOR, GENERAL, OPTIONAL, TENSOR_OPTIONAL, LIKE_OPTIONAL, GENERAL_OPTIONAL };

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
  LIMIT(simt_efficiency, SIMT, 0, 1.25),
  LIMIT(simt_latency_threads, SIMT, 0, 1e5),
  LIMIT(simt_split_threads, SIMT, 0, 1e5),
  LIMIT(simt_energy, SIMT, 0, 1e-6),
  LIMIT(tensor_efficiency, TENSOR, 0, 1.25),
  LIMIT(tensor_latency_threads, TENSOR, 0, 1e5),
  LIMIT(tensor_split_threads, TENSOR, 0, 1e5),
  LIMIT(tensor_energy, TENSOR, 0, 1e-6),
  LIMIT(tensor_start, TENSOR_OPTIONAL, -1e-300, 1),
  LIMIT(tensor_prologue, TENSOR_OPTIONAL, -1e-300, 1e4),
  LIMIT(tensor_split_time, TENSOR_OPTIONAL, -1e-300, 1),
  LIMIT(row_clocks, TENSOR_OPTIONAL, 0, 1e3),
  LIMIT(flash_block, TENSOR_OPTIONAL, -1e-300, 1),
  LIMIT(flash_score, TENSOR_OPTIONAL, -1e-300, 1e3),
  LIMIT(flash_load, TENSOR_OPTIONAL, 0, 1e5),
  LIMIT(flash_part, TENSOR_OPTIONAL, 0, 1e6),
  LIMIT(l2_kept, OPTIONAL, -1e-300, 100),
  LIMIT(l2_lost, OPTIONAL, 0, 100),
  LIMIT(rnn_narrow, OPTIONAL, 0, 1e4),
  LIMIT(rnn_narrow_backward, OPTIONAL, 0, 1e4),
  LIMIT(rnn_narrow_half, OPTIONAL, 0, 10),
  LIMIT(hbm_efficiency, SIMT, 0, 1),
  LIMIT(gddr_efficiency, SIMT, 0, 1),
  LIMIT(gddr_ecc_efficiency, OPTIONAL, 0, 1),
  LIMIT(pass_elements, LIKE_OPTIONAL, 0, 1e3),
  LIMIT(conv_tf32_layout, GENERAL_OPTIONAL, 0, 2),
  LIMIT(unaligned_lanes, GENERAL_OPTIONAL, 0, 1e5),
  LIMIT(conv_simt_volume, GENERAL_OPTIONAL, 0, 10),
  LIMIT(launch, SIMT, -1e-300, 1),
  LIMIT(wave, GENERAL, -1e-300, 1),
  LIMIT(prologue, GENERAL, -1e-300, 1e3),
  LIMIT(prologue_most, GENERAL, -1e-300, 1e4),
  LIMIT(split_least, GENERAL, 0, 1e5),
  LIMIT(split_time, GENERAL, -1e-300, 1),
  LIMIT(alignment, GENERAL, 0, 10),
  LIMIT(tn_alignment, GENERAL, 0, 10),
  LIMIT(tn_reach, GENERAL, 0, 1e15),
  LIMIT(tn_growth, OPTIONAL, -1e-300, 1),
  LIMIT(tn_unaligned_growth, OPTIONAL, -1e-300, 1),
  LIMIT(l2_bytes, GENERAL, 0, 1e4),
  LIMIT(l2_share, GENERAL, 0, 1),
  LIMIT(reread_start, GENERAL, 0, 100),
  LIMIT(reread_width, GENERAL, 0, 100),
  LIMIT(softmax_reread, GENERAL, 0, 100),
  LIMIT(softmax_l1, GENERAL, -1e-300, 100),
  LIMIT(conv_rate, GENERAL, 0, 2),
  LIMIT(conv_simt_efficiency, GENERAL, 0, 2),
  LIMIT(conv_simt_prologue, GENERAL, -1e-300, 1e3),
  LIMIT(conv_simt_latency_threads, GENERAL, 0, 1e5),
  LIMIT(conv_simt_split_threads, GENERAL, 0, 1e5),
  LIMIT(conv_simt_column, GENERAL, 0, 100),
  LIMIT(conv_simt_input, GENERAL, 0, 100),
  LIMIT(conv_simt_windows, GENERAL, -1e-300, 100),
  LIMIT(conv_simt_result, GENERAL, 0, 100),
  LIMIT(conv_tensor_efficiency, GENERAL, 0, 2),
  LIMIT(conv_tensor_latency_threads, GENERAL, 0, 1e5),
  LIMIT(conv_tensor_split_threads, GENERAL, 0, 1e5),
  LIMIT(conv_tensor_strided, GENERAL, 0, 100),
  LIMIT(conv_tensor_column, GENERAL, 0, 100),
  LIMIT(conv_tensor_input, GENERAL, 0, 100),
  LIMIT(conv_tensor_windows, GENERAL, -1e-300, 100),
  LIMIT(conv_tensor_result, GENERAL, 0, 100),
  LIMIT(conv_tensor_odd, GENERAL, 0, 100),
  LIMIT(conv_tensor_odd_weight, GENERAL, 0, 100),
  LIMIT(winograd_traffic, GENERAL, 0, 100),
  LIMIT(winograd_weights, GENERAL, 0, 100),
  LIMIT(winograd_fused, GENERAL, 0, 2),
  LIMIT(winograd_fused_prologue, GENERAL, -1e-300, 1e3),
  LIMIT(winograd_fused_traffic, GENERAL, 0, 100),
  LIMIT(winograd_fused_weights, GENERAL, 0, 100),
  LIMIT(transform_time, GENERAL, -1e-300, 1),
  LIMIT(fft_traffic, GENERAL, 0, 100),
  LIMIT(direct_efficiency, GENERAL, 0, 2),
  LIMIT(depthwise_efficiency, GENERAL, 0, 2),
  LIMIT(group_rate, GENERAL, 0, 2),
  LIMIT(flash_forward, GENERAL, 0, 2),
  LIMIT(flash_backward, GENERAL, 0, 2),
  LIMIT(rnn_l2, GENERAL, 0, 100),
  LIMIT(rnn_product, GENERAL, 0, 10),
  LIMIT(rnn_pointwise, GENERAL, 0, 100),
  LIMIT(rnn_input, GENERAL, 0, 10),
  LIMIT(rnn_backward, GENERAL, 0, 10),
  LIMIT(rnn_step_time, GENERAL, -1e-300, 1),
  LIMIT(rnn_time, GENERAL, -1e-300, 1),
  LIMIT(rnn_weight, GENERAL, 0, 10),
  LIMIT(rnn_weight_time, GENERAL, -1e-300, 1),
  LIMIT(rnn_persistent_time, GENERAL, -1e-300, 1),
  LIMIT(copy_efficiency, GENERAL, 0, 1),
  LIMIT(copy_pageable, GENERAL, 0, 1),
  LIMIT(copy_time, GENERAL, -1e-300, 1),
  LIMIT(fastest_simt_factor, OPTIONAL, 0, 10),
  LIMIT(fastest_tensor_factor, OPTIONAL, 0, 10),
  LIMIT(product_spread, GENERAL_OPTIONAL, 0, 10),
  LIMIT(convolution_spread, GENERAL_OPTIONAL, 0, 10),
  LIMIT(recurrent_spread, GENERAL_OPTIONAL, 0, 10),
  LIMIT(attention_spread, GENERAL_OPTIONAL, 0, 10),
  LIMIT(pass_spread, GENERAL_OPTIONAL, 0, 10),
  LIMIT(spread_extrapolated, GENERAL_OPTIONAL, 0, 100),
  LIMIT(spread_not_calibrated, GENERAL_OPTIONAL, 0, 100),
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

int pm__kernel_calibration_stated(const pm_kernel_calibration *c, pm_error *error)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    double value = value_of(c, &limits[i]);
    if (!isnan(value) && !(value > limits[i].least && value <= limits[i].most))
      return out_of_range(c, &limits[i], error);
  }
  if (c->simt_basis != PM_ORIGIN_NONE || strcmp(c->id, PM_KERNEL_GENERAL_ID) == 0) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not say what it rests on (simt_basis)",
                  c->id);
}

static bool is_energy(const limit *l)
{
  return strstr(l->name, "_energy") != NULL;
}

void pm__kernel_calibration_derive(pm_kernel_calibration *c, const pm_kernel_calibration *like)
{
  double factor = c->energy_factor > 0 ? c->energy_factor : 1;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    const limit *l = &limits[i];
    double value = value_of(like, l) * (is_energy(l) ? factor : 1);
    bool tensor = l->sort == TENSOR || l->sort == TENSOR_OPTIONAL;
    bool own = l->sort == SIMT || l->sort == LIKE_OPTIONAL;
    bool cores = own || (tensor && c->tensor_basis != PM_ORIGIN_NONE);
    if (cores && isnan(value_of(c, l))) memcpy((char *)c + l->offset, &value, sizeof value);
  }
}

static bool is_general(const limit *l)
{
  return l->sort == GENERAL || l->sort == GENERAL_OPTIONAL;
}

void pm__kernel_calibration_fill(pm_kernel_calibration *c, const pm_kernel_calibration *general)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (is_general(&limits[i]) && isnan(value_of(c, &limits[i])))
      memcpy((char *)c + limits[i].offset, (const char *)general + limits[i].offset, sizeof(double));
}

static int check_complete(const pm_kernel_calibration *c, pm_error *error)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    enum sort sort = limits[i].sort;
    bool wanted = sort == SIMT || sort == GENERAL || (sort == TENSOR && c->tensor_basis != PM_ORIGIN_NONE);
    if (wanted && isnan(value_of(c, &limits[i])))
      return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not say %s", c->id, limits[i].name);
  }
  if (c->threads > 0 && c->threads <= 100000) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\": threads %d is not within 1 and 100000", c->id,
                  c->threads);
}

int pm_kernel_calibration_check(const pm_kernel_calibration *c, pm_error *error)
{
  if (c == NULL) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "no kernel calibration");
  if (c->simt_basis == PM_ORIGIN_NONE)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "kernel calibration \"%s\" does not say what it rests on (simt_basis)",
                    c->id);
  int status = pm__kernel_calibration_stated(c, error);
  return status == PM_OK ? check_complete(c, error) : status;
}
