/*
** The stages of a calibration of kernels.
**
** Memory first, because every other kernel moves something; then the cores of each architecture on their matrix products;
** then what all architectures share. Starts and bounds are what is physically thinkable, the same for every architecture,
** and do not depend on what the catalogue has: a calibration can be repeated from its rows alone.
*/
#include "lab/calibrate/kernel_stage.h"
#include <string.h>

static bool is_tensor(const pm_kernel *k, const pm_gpu *gpu)
{
  return k->precision == PM_FP16 && gpu->tensor_cores > 0;
}

/* Check bits among the data count apart where the architecture has a constant for them. */
static bool has_check_bits(const pm_gpu *gpu, const pm_kernel_calibration *stated)
{
  return gpu->inline_ecc && stated->gddr_ecc_efficiency > 0;
}

static bool is_at(pm__stage_place place, const pm_kernel *k, const pm_gpu *gpu, const pm_kernel_calibration *stated)
{
  bool stacked = strncmp(gpu->memory_type, "HBM", 3) == 0;
  switch (place) {
  case PM__SIMT_CORES: return k->precision == PM_FP32;
  case PM__TENSOR_CORES: return is_tensor(k, gpu);
  case PM__EITHER_CORES: return k->precision == PM_FP32 || is_tensor(k, gpu);
  case PM__STACKED_MEMORY: return stacked;
  case PM__PLAIN_MEMORY: return !stacked && !has_check_bits(gpu, stated);
  case PM__CHECKED_MEMORY: return !stacked && has_check_bits(gpu, stated);
  default: return true;
  }
}

bool pm__stage_takes(const pm__stage *stage, const pm_kernel *k, const pm_gpu *gpu, const pm_kernel_calibration *stated,
                     bool large)
{
  return k->operation >= (int32_t)stage->first && k->operation <= (int32_t)stage->last && (large || !stage->large) &&
         is_at(stage->place, k, gpu, stated);
}

#define NO_MORE {NULL, 0, 0, 0}
#define OPERATORS(first, last) PM_OPERATOR_##first, PM_OPERATOR_##last
#define MEMORY OPERATORS(ELEMENTWISE, ELEMENTWISE)
#define PRODUCTS OPERATORS(GEMM, GEMM)
#define CONVOLUTIONS OPERATORS(CONV_FORWARD, CONV_BACKWARD_WEIGHT)

/* The library of P100's rows of CUDA 8 takes twice as long per step as older and newer ones elsewhere. */
#define RNN_KEPT "p100-sxm2"

static const pm__stage stages[] = {
  {"hbm", 0, "element-wise kernels on large tensors", MEMORY, PM__STACKED_MEMORY, true, false, false, NULL,
   {{"hbm_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"gddr", 0, "element-wise kernels on large tensors", MEMORY, PM__PLAIN_MEMORY, true, false, false, NULL,
   {{"gddr_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"gddr-ecc", 0, "element-wise kernels on large tensors", MEMORY, PM__CHECKED_MEMORY, true, false, false, NULL,
   {{"gddr_ecc_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"simt", 1, "FP32 products", PRODUCTS, PM__SIMT_CORES, false, false, false, NULL,
   {{"simt_efficiency", 0.95, 0.8, 1.2}, {"simt_latency_threads", 300, 32, 2048},
    {"simt_split_threads", 300, 32, 2048}, {"simt_energy", 15e-12, 2e-12, 60e-12}, {"tn_alignment", 1.1, 1, 1.6},
    {"tn_growth", 0.2, 0.001, 0.9}, {"tn_unaligned_growth", 0.1, 0.001, 0.9}, NO_MORE}},
  {"products", 1, "FP32 products", PRODUCTS, PM__SIMT_CORES, false, true, true, NULL,
   {{"wave", 0.8, 0.05, 1}, {"prologue", 6, 1, 64}, {"split_least", 128, 32, 512},
    {"split_time", 5e-6, 0.5e-6, 20e-6}, {"alignment", 1.05, 1, 1.6}, {"tn_alignment", 1.05, 1, 1.6},
    {"tn_reach", 80e6, 10e6, 1e9}, NO_MORE}},
  {"tensor", 2, "FP16 tensor-core products", PRODUCTS, PM__TENSOR_CORES, false, false, false, NULL,
   {{"tensor_efficiency", 0.9, 0.4, 1}, {"tensor_latency_threads", 150, 32, 2048},
    {"tensor_split_threads", 400, 32, 2048}, {"tensor_energy", 1.5e-12, 0.2e-12, 10e-12}, NO_MORE}},
  {"norms", 3, "layer norms and softmaxes of large tensors", OPERATORS(LAYER_NORM, SOFTMAX), PM__ANY_CORES, true, true, false, NULL,
   {{"reread_start", 0.3, 0.05, 4}, {"reread_width", 0.9, 0.05, 8}, {"softmax_reread", 0.6, 0.05, 4},
    {"softmax_l1", 1.2, 0.05, 4}, NO_MORE}},
  {"convolutions", 4, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, true, false, NULL,
   {{"conv_simt_efficiency", 0.9, 0.3, 1.5}, {"conv_simt_prologue", 12, 1, 64},
    {"conv_simt_latency_threads", 400, 32, 2048}, {"conv_simt_split_threads", 300, 32, 2048},
    {"conv_simt_column", 1.8, 0.7, 8}, {"conv_simt_input", 3, 0.7, 20}, {"conv_simt_windows", 0.3, 0.01, 5},
    {"conv_simt_result", 8, 1, 60}, NO_MORE}},
  {"transformed", 4, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, true, true, NULL,
   {{"winograd_traffic", 1.5, 0.7, 8}, {"winograd_weights", 3, 0.7, 20}, {"winograd_fused", 0.9, 0.3, 1.5},
    {"winograd_fused_prologue", 15, 1, 100}, {"winograd_fused_traffic", 2, 0.7, 12},
    {"winograd_fused_weights", 3, 0.7, 20}, {"transform_time", 7e-6, 1e-6, 20e-6}, {"fft_traffic", 3, 0.7, 20},
    NO_MORE}},
  {"convolution-rate", 4, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, false, true, NULL,
   {{"conv_rate", 1, 0.4, 1.8}, NO_MORE}},
  {"tensor-convolutions", 5, "FP16 tensor-core convolutions", CONVOLUTIONS, PM__TENSOR_CORES, false, true, false, NULL,
   {{"conv_tensor_efficiency", 0.6, 0.2, 1.5}, {"conv_tensor_latency_threads", 300, 32, 2048},
    {"conv_tensor_split_threads", 150, 32, 2048}, {"conv_tensor_strided", 1.5, 0.7, 6},
    {"conv_tensor_column", 2, 0.7, 10}, {"conv_tensor_input", 1.2, 0.5, 20}, {"conv_tensor_windows", 0.8, 0.01, 8},
    {"conv_tensor_result", 2, 0.7, 40}, {"conv_tensor_odd", 0.8, 0.1, 4}, {"conv_tensor_odd_weight", 2, 0.5, 10},
    NO_MORE}},
  {"recurrent", 6, "recurrent layers", OPERATORS(RNN_FORWARD, RNN_BACKWARD_WEIGHT), PM__EITHER_CORES, false, true, false, RNN_KEPT,
   {{"rnn_l2", 2, 1.2, 4}, {"rnn_product", 0.8, 0.5, 1.2}, {"rnn_pointwise", 5, 2, 12},
    {"rnn_input", 0.5, 0.2, 1.2}, {"rnn_backward", 1, 0.5, 2}, {"rnn_step_time", 30e-6, 5e-6, 100e-6},
    {"rnn_time", 30e-6, 5e-6, 100e-6}, {"rnn_weight", 1, 0.8, 2}, {"rnn_weight_time", 100e-6, 5e-6, 500e-6},
    NO_MORE}},
};

const pm__stage *pm__stage_at(size_t index)
{
  return index < sizeof stages / sizeof stages[0] ? &stages[index] : NULL;
}
