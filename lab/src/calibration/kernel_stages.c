/*
** The stages of a calibration of kernels.
**
** Memory first, because every other kernel moves something; then the cores of each architecture on their matrix
** multiplications; then what all architectures share. Starts and bounds are what is physically thinkable, the same for
** every architecture, and do not depend on what the catalogue has: a calibration can be repeated from its rows alone.
*/
#include "calibration/kernel_stages.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "calibration/kernel_fit.h"

static bool is_tensor(const pm_kernel *k, const pm_gpu *gpu)
{
  return (k->precision == PM_PRECISION_FP16 || k->precision == PM_PRECISION_BF16) && gpu->tensor_cores > 0;
}

/* Check bits among the data count apart where the architecture has a constant for them. */
static bool has_check_bits(const pm_gpu *gpu, const pm_kernel_calibration *stated)
{
  return gpu->inline_ecc && stated->gddr_ecc_efficiency > 0;
}

static bool is_at(pm__lab_stage_place place, const pm_kernel *k, const pm_gpu *gpu, const pm_kernel_calibration *stated)
{
  bool stacked = strncmp(gpu->memory_type, "HBM", 3) == 0;
  switch (place) {
  case PM__SIMT_CORES: return k->precision == PM_PRECISION_FP32;
  case PM__TENSOR_CORES: return is_tensor(k, gpu);
  case PM__EITHER_CORES: return k->precision == PM_PRECISION_FP32 || is_tensor(k, gpu);
  case PM__STACKED_MEMORY: return stacked;
  case PM__PLAIN_MEMORY: return !stacked && !has_check_bits(gpu, stated);
  case PM__CHECKED_MEMORY: return !stacked && has_check_bits(gpu, stated);
  default: return true;
  }
}

bool pm__lab_stage_uses(const pm__lab_stage *stage, const pm_kernel *k, const pm_gpu *gpu,
                         const pm_kernel_calibration *stated,
                         bool large)
{
  return k->operation >= (int32_t)stage->first && k->operation <= (int32_t)stage->last && (large || !stage->large) &&
         is_at(stage->place, k, gpu, stated);
}

#define NO_MORE {NULL, 0, 0, 0}
#define OPERATORS(first, last) PM_OPERATOR_##first, PM_OPERATOR_##last
#define MEMORY OPERATORS(ELEMENTWISE, ELEMENTWISE)
#define PRODUCTS OPERATORS(GEMM, GEMM)
#define CONVOLUTIONS OPERATORS(CONV_FORWARD, CONV_WGRAD)

/* The library of P100's rows of CUDA 8 has kernels of its own for narrow products, which a stage of their own fits. */
#define RNN_KEPT "p100-sxm2"

static const pm__lab_stage stages[] = {
  {"hbm", 0, "element-wise kernels on large tensors", MEMORY, PM__STACKED_MEMORY, true, false, PM__FIRST, NULL,
   {{"hbm_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"gddr", 0, "element-wise kernels on large tensors", MEMORY, PM__PLAIN_MEMORY, true, false, PM__FIRST, NULL,
   {{"gddr_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"gddr-ecc", 0, "element-wise kernels on large tensors", MEMORY, PM__CHECKED_MEMORY, true, false, PM__FIRST, NULL,
   {{"gddr_ecc_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"simt", 1, "FP32 products", PRODUCTS, PM__SIMT_CORES, false, false, PM__FIRST, NULL,
   {{"simt_efficiency", 0.95, 0.8, 1.2}, {"simt_latency_threads", 300, 32, 2048},
    {"simt_split_threads", 300, 32, 2048}, {"simt_flop_energy", 15e-12, 2e-12, 60e-12}, {"tn_alignment", 1.1, 1, 1.6},
    {"tn_growth", 0.2, 0.001, 0.9}, {"tn_unaligned_growth", 0.1, 0.001, 0.9}, NO_MORE}},
  {"products", 1, "FP32 products", PRODUCTS, PM__SIMT_CORES, false, true, PM__AGAIN, NULL,
   {{"wave", 0.8, 0.05, 1}, {"prologue", 6, 1, 64}, {"split_least", 128, 32, 512},
    {"split_time", 5e-6, 0.5e-6, 20e-6}, {"alignment", 1.05, 1, 1.6}, {"tn_alignment", 1.05, 1, 1.6},
    {"tn_reach", 80e6, 10e6, 1e9}, NO_MORE}},
  {"product-hbm", 2, "products of few rows with large weights", PRODUCTS, PM__STACKED_MEMORY, true, false, PM__FILLS,
   NULL,
   {{"hbm_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"product-gddr-ecc", 2, "products of few rows with large weights", PRODUCTS, PM__CHECKED_MEMORY, true, false,
   PM__FILLS,
   NULL, {{"gddr_ecc_efficiency", 0.8, 0.3, 1}, NO_MORE}},
  {"tensor", 3, "FP16 and BF16 tensor-core products", PRODUCTS, PM__TENSOR_CORES, false, false, PM__FIRST, NULL,
   {{"tensor_efficiency", 0.9, 0.4, 1}, {"tensor_latency_threads", 150, 32, 2048},
    {"tensor_flop_energy", 1.5e-12, 0.1e-12, 10e-12},
    {"tensor_start", 2e-6, 0.01e-6, 10e-6}, {"memory_start", 0.5e-6, 0.01e-6, 4e-6},
    {"tensor_prologue", 200, 10, 600}, {"tensor_split_time", 2e-6, 0.1e-6, 8e-6},
    {"l2_bytes", 16, 8, 200}, {"l2_kept", 0.3, 0.05, 1}, {"l2_lost", 1.25, 0.5, 3}, {"row_clocks", 1, 0.05, 20},
      NO_MORE}},
  {"attention", 4, "fused attention of prompts and of decoding", OPERATORS(ATTENTION, ATTENTION), PM__TENSOR_CORES,
   false,
   false, PM__FIRST, NULL,
   {{"flash_block", 3e-6, 0.1e-6, 20e-6}, {"flash_score", 0.05, 0.001, 1}, {"flash_load", 15, 2, 200},
    {"flash_part", 256, 32, 2048}, NO_MORE}},
  {"norms", 5, "layer norms and softmaxes of large tensors", OPERATORS(LAYER_NORM, SOFTMAX), PM__ANY_CORES, true, true,
   PM__FIRST, NULL,
   {{"reread_start", 0.3, 0.05, 4}, {"reread_width", 0.9, 0.05, 8}, {"softmax_reread", 0.6, 0.05, 4},
    {"softmax_l1", 1.2, 0.05, 4}, NO_MORE}},
  {"convolutions", 6, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, true, PM__FIRST, NULL,
   {{"conv_simt_efficiency", 0.9, 0.3, 1.5}, {"conv_simt_prologue", 12, 1, 64},
    {"conv_simt_latency_threads", 400, 32, 2048}, {"conv_simt_split_threads", 300, 32, 2048},
    {"conv_simt_column", 1.8, 0.7, 8}, {"conv_simt_input", 3, 0.7, 20}, {"conv_simt_windows", 0.3, 0.01, 5},
    {"conv_simt_result", 8, 1, 60}, NO_MORE}},
  {"transformed", 6, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, true, PM__AGAIN, NULL,
   {{"winograd_traffic", 1.5, 0.7, 8}, {"winograd_weights", 3, 0.7, 20}, {"winograd_fused", 0.9, 0.3, 1.5},
    {"winograd_fused_prologue", 15, 1, 100}, {"winograd_fused_traffic", 2, 0.7, 12},
    {"winograd_fused_weights", 3, 0.7, 20}, {"transform_time", 7e-6, 1e-6, 20e-6}, {"fft_traffic", 3, 0.7, 20},
    NO_MORE}},
  {"convolution-rate", 6, "FP32 convolutions", CONVOLUTIONS, PM__SIMT_CORES, false, false, PM__AGAIN, NULL,
   {{"conv_rate", 1, 0.4, 1.8}, {"conv_simt_prologue", 12, 1, 64}, NO_MORE}},
  {"tensor-convolutions", 7, "FP16 tensor-core convolutions", CONVOLUTIONS, PM__TENSOR_CORES, false, true, PM__FIRST,
   NULL,
   {{"conv_tensor_efficiency", 0.6, 0.2, 1.5}, {"conv_tensor_latency_threads", 300, 32, 2048},
    {"conv_tensor_split_threads", 150, 32, 2048}, {"conv_tensor_strided", 1.5, 0.7, 6},
    {"conv_tensor_column", 2, 0.7, 10}, {"conv_tensor_input", 1.2, 0.5, 20}, {"conv_tensor_windows", 0.8, 0.01, 8},
    {"conv_tensor_result", 2, 0.7, 40}, {"conv_tensor_odd", 0.8, 0.1, 4}, {"conv_tensor_odd_weight", 2, 0.5, 10},
    NO_MORE}},
  {"tensor-convolution-rate", 7, "FP16 tensor-core convolutions", CONVOLUTIONS, PM__TENSOR_CORES, false, false,
   PM__AGAIN,
   NULL, {{"conv_tensor_efficiency", 0.6, 0.2, 1.5}, NO_MORE}},
  {"recurrent", 8, "recurrent layers", OPERATORS(RNN_FORWARD, RNN_WGRAD), PM__EITHER_CORES, false, true,
   PM__FIRST, RNN_KEPT,
   {{"rnn_l2", 2, 1.2, 4}, {"rnn_product", 0.8, 0.5, 1.2}, {"rnn_pointwise", 5, 2, 12},
    {"rnn_input", 0.5, 0.2, 1.2}, {"rnn_backward", 1, 0.5, 2}, {"rnn_step_time", 30e-6, 5e-6, 100e-6},
    {"rnn_time", 30e-6, 5e-6, 100e-6}, {"rnn_weight", 1, 0.8, 2}, {"rnn_weight_time", 100e-6, 5e-6, 500e-6},
    NO_MORE}},
  {"recurrent-narrow", 9, "recurrent layers", OPERATORS(RNN_FORWARD, RNN_DGRAD), PM__ANY_CORES, false, false,
   PM__FIRST, NULL,
   {{"rnn_narrow", 200, 20, 1000}, {"rnn_narrow_backward", 200, 20, 1000}, {"rnn_narrow_half", 2, 0.5, 5},
    {"rnn_product", 0.8, 0.5, 1.2}, NO_MORE}},
};

const pm__lab_stage *pm__lab_stage_at(size_t index)
{
  return index < sizeof stages / sizeof stages[0] ? &stages[index] : NULL;
}

/* ---- The rows of a calibration: by GPU, and what each of them is to the fit ---- */

/* ---- Shapes ---- */

static uint64_t mixed(uint64_t hash, double value)
{
  hash ^= isnan(value) ? 0x51ed2701u : (uint64_t)value;
  hash *= UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Passes of one convolution, and one shape in two precisions, are kept together. */
static double share_of_shape(const pm_kernel *k)
{
  const double sizes[] = {k->count, k->m, k->n, k->k, k->channels, k->out_channels, k->height, k->width,
                          k->kernel_height, k->kernel_width, k->padding_height, k->stride_height};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) hash = mixed(hash, sizes[i]);
  return (double)(hash >> 40) / (double)(1 << 24);
}

/* ---- Libraries ---- */

/* 10.1 of "t4 gemm fp16 deepbench/cuda-10.1" is 1001; 0 without one. */
static int library_of(const char *group)
{
  const char *found = strstr(group, "/cuda-"), *point = "";
  int major = found != NULL ? pm__whole_at(found + strlen("/cuda-"), 99, &point) : -1;
  int minor = major >= 0 && *point == '.' ? pm__whole_at(point + 1, 99, NULL) : -1;
  return minor >= 0 ? 100 * major + minor : 0;
}

/* The newest library that the GPU has rows of. */
static int newest_library(const pm_measured_kernel *measured, size_t count, const char *gpu)
{
  int newest = 0;
  for (size_t i = 0; i < count; i++) {
    int library = strcmp(measured[i].gpu, gpu) == 0 ? library_of(measured[i].group) : 0;
    if (library > newest) newest = library;
  }
  return newest;
}

/* ---- GPUs and architectures ---- */

/* What the entry of an architecture states itself; all else is unknown. */
static int read_stated(const pm_catalog *catalog, const char *id, pm_kernel_calibration *record, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find("kernel_calibration");
  int status = PM_OK;
  pm_record_clear(type, record);
  pm__text_set(record->id, sizeof record->id, id);
  for (size_t i = 0; i < type->field_count && status == PM_OK; i++) {
    pm_value value;
    status = pm_catalog_get_value(catalog, type->name, id, type->fields[i].name, &value, error);
    bool own = status == PM_OK && value.text != NULL && strcmp(value.entry, id) == 0;
    if (own) status = pm_record_set(&type->fields[i], record, value.text, error);
  }
  return status;
}

static int find_architecture(pm__lab_kernel_fit *fit, const pm_catalog *catalog, const pm_kernel_calibration *c,
                             size_t *index, pm_error *error)
{
  for (*index = 0; *index < fit->architecture_count; ++*index)
    if (strcmp(fit->architectures[*index].id, c->id) == 0) return PM_OK;
  fit->architectures[fit->architecture_count] = *c;
  fit->wanted[fit->architecture_count++] =
    fit->options->entries == NULL || pm__lab_listed(fit->options->entries, c->id);
  return read_stated(catalog, c->id, &fit->stated[*index], error);
}

static int add_gpu(pm__lab_kernel_fit *fit, const pm_catalog *catalog, const char *id, pm_error *error)
{
  pm_kernel_calibration calibration;
  pm__lab_fit_gpu *g = &fit->gpus[fit->gpu_count];
  for (size_t i = 0; i < fit->gpu_count; i++)
    if (strcmp(fit->gpus[i].gpu.id, id) == 0) return PM_OK;
  if (fit->gpu_count == PM__FIT_GPUS)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "rows of more than %d GPUs cannot be fitted at once", PM__FIT_GPUS);
  int status = pm_catalog_get_record(catalog, "gpu", id, &g->gpu, error);
  if (status == PM_OK && pm_catalog_get_kernels(catalog, &g->gpu, &calibration, NULL) != PM_OK) return PM_OK;
  if (status == PM_OK) status = pm_kernel_calibration_check(&calibration, error);
  if (status == PM_OK) status = find_architecture(fit, catalog, &calibration, &g->architecture, error);
  if (status != PM_OK) return status;
  g->wanted = fit->wanted[g->architecture];
  g->kept = pm__lab_listed(fit->options->hold_out, id);
  fit->gpu_count++;
  return PM_OK;
}

static bool has_suffix(const char *group, const char *label)
{
  const char *found = strstr(group, label);
  return found != NULL && found[strlen(label)] == ' ';
}

static void take_rows(pm__lab_kernel_fit *fit, pm__lab_fit_gpu *g, const pm_measured_kernel *measured,
                      const pm_kernel *kernels,
                      size_t count)
{
  int newest = newest_library(measured, count, g->gpu.id);
  g->first = fit->row_count;
  for (size_t i = 0; i < count; i++) {
    const pm_measured_kernel *m = &measured[i];
    if (strcmp(m->gpu, g->gpu.id) != 0) continue;
    pm__lab_fit_row *row = &fit->rows[fit->row_count++];
    row->kernel = kernels[i];
    row->time = m->time;
    row->overhead = m->overhead;
    row->floor = m->floor;
    row->large = has_suffix(m->group, "-large");
    row->kept_shape = share_of_shape(&kernels[i]) < fit->options->hold_out_shapes;
    int library = library_of(m->group);
    row->older = library > 0 && library < newest;
    row->usable = !has_suffix(m->group, "-above-peak") && !has_suffix(m->group, "fp16-half");
  }
  g->count = fit->row_count - g->first;
}

/* A name that no row has would go unseen. */
static int check_names(const pm__lab_kernel_fit *fit, const char *list, bool gpus, pm_error *error)
{
  char name[PM_TEXT_MAX];
  for (const char *p = list; p != NULL && *p != '\0';) {
    p += strspn(p, " ,");
    size_t n = strcspn(p, ","), i = 0, count = gpus ? fit->gpu_count : fit->architecture_count;
    if (n == 0) break;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), p);
    p += n;
    while (i < count && strcmp(gpus ? fit->gpus[i].gpu.id : fit->architectures[i].id, name) != 0) i++;
    if (i == count)
      return pm__fail(error, PM_STATUS_NOT_FOUND, "no row is of %s \"%s\"", gpus ? "gpu" : "architecture", name);
  }
  return PM_OK;
}

int pm__lab_kernel_fit_load(pm__lab_kernel_fit *fit, const pm_catalog *catalog, const pm__lab_kernel_rows *rows,
                            pm_error *error)
{
  size_t count = pm__lab_kernel_rows_count(rows);
  const pm_measured_kernel *measured = pm__lab_kernel_rows_measured(rows);
  int status = PM_OK;
  for (size_t i = 0; i < count && status == PM_OK; i++)
    if (i == 0 || strcmp(measured[i].gpu, measured[i - 1].gpu) != 0)
      status = add_gpu(fit, catalog, measured[i].gpu, error);
  if (status == PM_OK) status = check_names(fit, fit->options->entries, false, error);
  if (status == PM_OK) status = check_names(fit, fit->options->hold_out, true, error);
  if (status != PM_OK) return status;
  fit->rows = (pm__lab_fit_row *)calloc(count + 1, sizeof *fit->rows);
  if (fit->rows == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < fit->gpu_count; i++)
    take_rows(fit, &fit->gpus[i], measured, pm__lab_kernel_rows_kernels(rows), count);
  return PM_OK;
}

pm_fit_use pm__lab_kernel_fit_use(const pm__lab_kernel_fit *fit, const pm__lab_stage *stage, const pm__lab_fit_gpu *gpu,
                                  const pm__lab_fit_row *row)
{
  const pm_kernel_calibration *stated = &fit->stated[gpu->architecture];
  if (!gpu->wanted || !row->usable || !pm__lab_stage_uses(stage, &row->kernel, &gpu->gpu, stated, row->large))
    return PM_FIT_USE_COUNT;
  if (row->older) return PM_FIT_USE_OLDER_LIBRARY;
  bool kept = stage->kept_gpu != NULL && strcmp(stage->kept_gpu, gpu->gpu.id) == 0;
  if (gpu->kept || kept) return PM_FIT_USE_HOLD_OUT_GPU;
  return row->kept_shape ? PM_FIT_USE_HOLD_OUT_SHAPE : PM_FIT_USE_FITTED;
}

void pm__lab_kernel_fit_times(const pm__lab_fit_gpu *gpu, const pm_kernel_calibration *constants,
                              const pm_kernel *kernels,
                              const pm__lab_fit_row *const *rows, size_t count, double *times)
{
  enum { CHUNK = 256 };
  pm_kernel_time out[CHUNK];
  for (size_t first = 0; first < count; first += CHUNK) {
    size_t n = count - first < CHUNK ? count - first : CHUNK;
    memset(out, 0, n * sizeof *out); /* what cannot be timed stays so */
    pm_kernel_predict(&gpu->gpu, constants, &kernels[first], out, n, NULL);
    for (size_t i = 0; i < n; i++) {
      const pm__lab_fit_row *row = rows[first + i];
      times[first + i] = out[i].time > 0 ? fmax(row->floor, out[i].time + row->overhead) : (double)NAN;
    }
  }
}
