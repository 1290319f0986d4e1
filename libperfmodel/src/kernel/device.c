/* Precomputation of what a GPU brings to every kernel at a precision. */
#include "hardware/system.h"
#include "kernel/device.h"
#include <math.h>
#include <string.h>
#include "hardware/kernel_calibration.h"

/* Bytes of shared memory per clock and SM, the same since Maxwell. */
static const double SHARED_BYTES = 128;

/* Resident threads that the parts of products on tensor cores fill, at most: two waves of the largest tiles. */
static const double TENSOR_PARTS = 0.25;

typedef struct tile {
  double m, n, threads;
} tile;

static const tile simt_tiles[PM__TILES] = {{128, 128, 256}, {128, 64, 128}, {64, 128, 128}, {64, 64, 64},
                                           {128, 32, 128},  {32, 128, 128}, {32, 32, 64}};
static const tile tensor_tiles[PM__TILES] = {{128, 128, 256}, {256, 128, 256}, {128, 256, 256}, {128, 64, 128},
                                             {64, 128, 128},  {64, 64, 128},   {128, 32, 128},  {32, 128, 128}};
/* Convolutions: positions by channels, and windows by channels for the gradient of weights. */
static const tile simt_conv_tiles[PM__TILES] = {{128, 128, 256}, {128, 64, 128}, {128, 32, 128}};
static const tile simt_weight_tiles[PM__TILES] = {{128, 128, 256}, {128, 64, 128}, {128, 32, 128}, {64, 64, 64},
                                                  {64, 32, 64}};
static const tile tensor_conv_tiles[PM__TILES] = {{128, 128, 256}, {256, 128, 256}, {256, 64, 128}, {128, 64, 128},
                                                  {64, 64, 128}};

/* What makes an engine: multiply-adds per SM and clock, their efficiency, threads. */
typedef struct recipe {
  bool tensor;
  double lanes, rate; /* rate: multiply-adds per s of one SM, efficiency included */
  double whole; /* tensor cores over what these reach: 2 where a board runs them at half rate, its other parts whole */
  double prologue, latency_threads, split_threads, split_time, l2_rate, bytes;
  double operands; /* bytes of the two operands of a multiply-add */
} recipe;

/* SIMT tiles read their operands from shared memory; what that takes adds to the arithmetic with exponent 3. */
static double pipe(const recipe *r, const tile *t)
{
  double load = r->operands * r->lanes / sqrt(t->m * t->n / t->threads) / SHARED_BYTES;
  return r->tensor ? 1 : cbrt(1 + load * load * load);
}

static void set_tile(pm__engine *e, int i, const recipe *r, const tile *t, double sms)
{
  e->inverse_m[i] = 1 / t->m;
  e->inverse_n[i] = 1 / t->n;
  e->step[i] = t->m * t->n * pipe(r, t) / r->rate;
  e->latency[i] = r->latency_threads / t->threads;
  e->most[i] = r->split_threads / t->threads;
  e->fill[i] = fmax(1, e->latency[i]);
  e->root[i] = sqrt(e->fill[i] * e->step[i]);
  e->inverse_resident[i] = 1 / (sms * fmax(1, 256 / t->threads));
  e->inverse_height[i] = sqrt(e->inverse_resident[i] * t->m / t->n);
  e->inverse_width[i] = sqrt(e->inverse_resident[i] * t->n / t->m);
  e->edge[i] = r->bytes * (t->m + t->n) / r->l2_rate * sms;
}

static void set_absent(pm__engine *e, int i)
{
  e->inverse_m[i] = e->inverse_n[i] = e->fill[i] = 1;
  e->step[i] = e->root[i] = INFINITY;
}

/* `most`: tiles to choose from, at most; the list ends with the first that has no size. */
static void fill_engine(pm__engine *e, const recipe *r, const tile *tiles, int most, const pm_kernel_calibration *c,
                        double sms)
{
  e->tensor = r->tensor;
  e->tiles = 0;
  e->inverse_sms = 1 / sms;
  e->prologue = r->prologue;
  e->wave = c->wave;
  e->split_least = c->split_least;
  e->per_part = 1 / c->split_least;
  e->split_time = r->split_time;
  while (e->tiles < most && tiles[e->tiles].m > 0) {
    set_tile(e, e->tiles, r, &tiles[e->tiles], sms);
    e->tiles++;
  }
  for (int i = e->tiles; i < PM__TILES; i++) set_absent(e, i);
  e->multiply_add = e->step[0] / (tiles[0].m * tiles[0].n * sms); /* the largest tiles load least per multiply-add */
}

static bool has(double value)
{
  return isfinite(value) && value > 0;
}

static double memory_efficiency(const pm_gpu *gpu, const pm_kernel_calibration *c)
{
  if (strncmp(gpu->memory_type, "HBM", 3) == 0) return c->hbm_efficiency;
  return gpu->inline_ecc && has(c->gddr_ecc_efficiency) ? c->gddr_ecc_efficiency : c->gddr_efficiency;
}

/* What is multiplied: numbers stored in 2 bytes may be multiplied as 4, and FP4 is stored with its scales. */
static double arithmetic_bytes(int precision)
{
  if (precision == PM_PRECISION_FP4) return 0.5;
  return precision == PM_PRECISION_FP16_STORAGE ? 4 : pm_precision_get_bytes(precision);
}

/* FLOP/s that the power of the board holds. Energy is stated of FP32 on the FP32 cores and of 2 bytes on the tensor
** cores; shorter numbers take less there, and whole FP32 and FP64 more. TF32 multiplies hardly more bits than FP16. */
static double held_rate(const pm__kernel_board *p, const pm_kernel_calibration *c, int precision, const recipe *r,
                        double rate)
{
  double bytes = arithmetic_bytes(precision), short_ones = precision == PM_PRECISION_TF32 ? 1 : bytes / 2;
  if (r->tensor) return pm__power_hold(p, c->tensor_power * p->whole, c->tensor_flop_energy * short_ones, rate);
  return pm__power_hold(p, p->idle, c->simt_flop_energy * fmin(bytes / 4, 1), rate);
}

/* GeForce boards add products of floating-point numbers up in FP32 at half of the tensor cores' rate; those of integers
** show the whole rate. What a step takes besides is known from Ampere on. */
static double whole_rate(const pm_gpu *gpu, const pm_kernel_calibration *c, int precision)
{
  if (precision == PM_PRECISION_INT8 || !(c->tensor_prologue > 0)) return 1;
  if (!has(gpu->peak_int8) || !has(gpu->peak_fp16_tensor)) return 1;
  return fmax(1, gpu->peak_int8 / (2 * gpu->peak_fp16_tensor));
}

/* What a step takes besides its multiplications (loads, addresses, barriers) is clocks of the SM, however slowly it
** multiplies, and runs beside them as memory does beside arithmetic. */
static double share_of_peak(double efficiency, double whole)
{
  const double norm = 2.4;
  double besides = fmax(0, pow(efficiency, -norm) - 1);
  return whole > 1 ? pow(1 + besides * pow(whole, -norm), -1 / norm) : efficiency;
}

/* The rate that a board reaches over that of the whole chip: as much shorter are steps in which nothing is
** multiplied. */
static double rate_over_whole(const pm_kernel_calibration *c, double whole)
{
  return share_of_peak(c->tensor_efficiency, whole) / (c->tensor_efficiency * whole);
}

/* What tensor cores have of their own, where it is known. */
static void set_gemm(pm__device *d, recipe r, const pm_kernel_calibration *c)
{
  if (r.tensor && c->tensor_prologue > 0) r.prologue = c->tensor_prologue * 2 / d->bytes * rate_over_whole(c, r.whole);
  d->adds_apart = r.tensor && c->tensor_split_time >= 0;
  if (d->adds_apart) r.split_time = c->tensor_split_time;
  d->start = r.tensor && c->tensor_start > 0 ? c->tensor_start : 0;
  d->memory_start = r.tensor && c->memory_start > 0 ? c->memory_start : 0;
  const tile *tiles = r.tensor ? tensor_tiles : simt_tiles;
  fill_engine(&d->gemm, &r, tiles, PM__TILES, c, d->sms);
  fill_engine(&d->batched, &r, tiles, c->large_batched_tiles && !r.tensor ? 1 : PM__TILES, c, d->sms);
  d->flash = 1 / (r.rate * 2 * d->sms);
}

/* Gradients of weights add up over all places, which takes longer than the pass forward. */
static void set_depthwise(pm__device *d, const pm_kernel_calibration *c)
{
  double forward = has(c->depthwise_forward) ? c->depthwise_forward : 1;
  d->depthwise = d->direct * c->direct_efficiency / c->depthwise_efficiency * fmin(d->bytes / 4, 1);
  d->depthwise_forward = d->depthwise * forward;
  d->depthwise_gradient = d->depthwise * (3 - forward) / 2;
}

/* `r` is of the plain products. The gradient of weights splits its contraction as far as there are threads. */
static void set_conv(pm__device *d, recipe r, const pm_gpu *gpu, const pm_kernel_calibration *c)
{
  bool tensor = r.tensor;
  double fused = r.rate * c->conv_rate * c->winograd_fused;
  double share = share_of_peak(c->tensor_efficiency * c->conv_tensor_efficiency, r.whole);
  r.rate = tensor ? r.lanes * d->clock * share : r.rate * c->conv_rate * c->conv_simt_efficiency;
  r.latency_threads = tensor ? c->conv_tensor_latency_threads : c->conv_simt_latency_threads;
  r.split_threads = tensor ? c->conv_tensor_split_threads : c->conv_simt_split_threads;
  if (!tensor) r.prologue = c->conv_simt_prologue;
  fill_engine(&d->conv, &r, tensor ? tensor_conv_tiles : simt_conv_tiles, PM__TILES, c, d->sms);
  r.split_threads = c->threads;
  fill_engine(&d->weight, &r, tensor ? tensor_conv_tiles : simt_weight_tiles, PM__TILES, c, d->sms);
  d->winograd = 16384 * cbrt(1 + pow(r.lanes * r.operands / 8 / SHARED_BYTES, 3)) / fused;
  d->direct = gpu->clock / (d->clock * d->vector_peak * c->simt_efficiency * c->direct_efficiency);
  d->volume = has(c->conv_simt_volume) ? c->conv_simt_volume : 1;
  d->transforms = !tensor && (d->bytes == 4 || d->bytes == 2);
  d->inverse_conv_rate = 1 / c->conv_rate;
  double implicit = fmin(d->conv.multiply_add, d->weight.multiply_add), winograd = d->winograd / (16384 * d->sms);
  double plain = d->gemm.multiply_add * d->inverse_conv_rate * fmin(1, c->conv_simt_column);
  d->conv_multiply_add = fmin(1, d->volume) * fmin(fmin(implicit, winograd), plain);
  set_depthwise(d, c);
  if (tensor && !c->odd_channels_padded) d->odd = 1 / (gpu->peak_fp32 * c->conv_tensor_odd);
}

/* The boost clock of a GeForce board is one that every board keeps; most hold a higher one. */
static double clock_of(const pm_gpu *gpu)
{
  return has(gpu->held_clock) ? fmax(gpu->held_clock, gpu->clock) : gpu->clock;
}

/* Of FP16 by a tensor core at a clock, with the instructions of Ampere: libraries have no recurrent layers in those of
** later GPUs. A rule, no kernel row behind it: GNMT in FP16 on H100 comes out 17 % too fast without. */
static const double RECURRENT_FLOP = 512;

/* No instruction loads numbers of 32 bits transposed, as recurrent products want them: they come one by one, like those
** of matrices that are not aligned. */
static double recurrent_slowdown(const pm__device *d, const pm_gpu *gpu, int precision)
{
  double slow = fmax(1, gpu->tensor_core_flop / RECURRENT_FLOP);
  return precision == PM_PRECISION_TF32 ? fmax(slow, d->unaligned) : slow;
}

static void set_engines(pm__device *d, const pm_gpu *gpu, const pm_kernel_calibration *c, int precision, bool tensor)
{
  d->clock = clock_of(gpu);
  double lanes = d->matrix_peak / (2 * d->sms * gpu->clock), whole = tensor ? whole_rate(gpu, c, precision) : 1;
  double efficiency = tensor ? share_of_peak(c->tensor_efficiency, whole) : c->simt_efficiency;
  recipe r = {tensor, lanes, lanes * d->clock * efficiency, whole,
              tensor ? fmin(c->prologue * lanes / gpu->fp32_lanes, c->prologue_most) : c->prologue,
              tensor ? c->tensor_latency_threads : c->simt_latency_threads,
              tensor ? TENSOR_PARTS * c->threads : c->simt_split_threads, c->split_time,
              c->l2_bytes * lanes * whole / 512 * d->bytes / 2 * d->sms * d->clock, d->bytes,
              2 * arithmetic_bytes(precision)};
  set_gemm(d, r, c);
  set_conv(d, r, gpu, c);
  if (tensor && d->bytes > 1 && has(c->unaligned_lanes)) d->unaligned = fmax(1, lanes / c->unaligned_lanes);
  if (tensor) d->recurrent = recurrent_slowdown(d, gpu, precision);
  if (tensor && c->flash_block >= 0 && c->flash_load > 0 && c->flash_part > 0 && c->flash_score >= 0) {
    d->flash_score = c->flash_score / d->clock;
    d->flash_load = 1 / (c->flash_load * d->clock);
  }
  if (tensor && d->bytes > 1 && c->row_clocks > 0) d->row = c->row_clocks / d->clock;
  double stated = 2 / d->gemm.multiply_add * (gpu->clock / d->clock); /* energies are of the clock of data sheets */
  double held = held_rate(&d->power, c, precision, &r, stated);
  d->energy = 1 / held;
  d->l2_rate = tensor ? r.l2_rate : c->l2_bytes * d->sms * d->clock;
  if (d->energy > 0) d->power_rate = held;
  d->alignment = tensor ? 1 : c->alignment;
}

/* Precisions that the rows of a class have; others follow from these by rule. */
static bool has_rows(int precision, pm__operator_class kind)
{
  if (precision == PM_PRECISION_FP8) return kind == PM__PRODUCTS || kind == PM__FUSED_ATTENTION;
  if (precision == PM_PRECISION_FP4) return kind == PM__PRODUCTS;
  return precision == PM_PRECISION_FP32 || precision == PM_PRECISION_TF32 || precision == PM_PRECISION_FP16 ||
         precision == PM_PRECISION_BF16;
}

static void set_status(pm__device *d, const pm_kernel_calibration *c, int precision, bool tensor)
{
  const int32_t stated[PM__OPERATOR_CLASSES] = {
    [PM__PRODUCTS] = tensor ? c->product_tensor : c->product_simt,
    [PM__CONVOLUTIONS] = tensor ? c->convolution_tensor : c->convolution_simt,
    [PM__RECURRENT] = tensor ? c->recurrent_tensor : c->recurrent_simt,
    [PM__FUSED_ATTENTION] = c->attention,
    [PM__PASSES_OVER_MEMORY] = c->passes,
  };
  for (int kind = 0; kind < PM__OPERATOR_CLASSES; kind++) {
    int32_t best = has_rows(precision,
                            (pm__operator_class)kind) ? PM_CALIBRATION_STATUS_CALIBRATED
                                : PM_CALIBRATION_STATUS_EXTRAPOLATED;
    int32_t status = stated[kind] != PM_CALIBRATION_STATUS_NONE ? stated[kind] : PM_CALIBRATION_STATUS_NOT_CALIBRATED;
    d->status[kind] = status > best ? status : best;
  }
}

void pm__device_set_power(pm__device *d, const pm_gpu *gpu, const pm_kernel_calibration *c, int precision)
{
  double bytes = arithmetic_bytes(precision);
  bool tensor = pm__gpu_uses_tensor_cores(gpu, precision) && bytes <= 2;
  pm__power_init(&d->power, gpu, c, (pm__kernel_engine){tensor, bytes, d->matrix_peak});
}

void pm__device_set_limit(pm__device *d, double limit)
{
  double before = d->power.slow;
  pm__power_set_limit(&d->power, limit);
  d->layout *= d->power.slow / before;
}

void pm__device_init(pm__device *d, const pm_gpu *gpu, const pm_kernel_calibration *c, int precision)
{
  memset(d, 0, sizeof *d);
  d->convolutions_only = precision == PM_PRECISION_TF32_CONV;
  if (d->convolutions_only) precision = PM_PRECISION_TF32;
  for (int kind = 0; kind < PM__OPERATOR_CLASSES; kind++) d->status[kind] = PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  d->bytes = pm_precision_get_bytes(precision);
  d->matrix_peak = pm_gpu_get_matrix_peak(gpu, precision);
  d->vector_peak = pm__gpu_get_vector_peak(gpu, precision);
  d->peak = d->matrix_peak;
  d->peak_fp32 = gpu->peak_fp32;
  d->bandwidth = gpu->memory_bandwidth;
  d->per_byte = d->pass_byte = 1 / d->bandwidth;
  d->layout_share = d->library = d->unaligned = d->recurrent = 1;
  d->l2_rate = d->power_rate = NAN;
  pm__device_set_power(d, gpu, c, precision);
  d->usable = has(d->bytes) && has(d->matrix_peak) && has(d->vector_peak) && has(d->bandwidth);
  bool tensor = pm__gpu_uses_tensor_cores(gpu, precision);
  if (!d->usable || c == NULL || c->simt_basis == PM_ORIGIN_NONE) return;
  if (gpu->sms < 1 || gpu->fp32_lanes < 1 || !has(gpu->clock) || !has(gpu->l2_cache)) return;
  if (tensor && c->tensor_basis == PM_ORIGIN_NONE) return;
  d->calibrated = d->has_winograd = true;
  d->workspace = INFINITY;
  d->has_weight_winograd = !c->no_weight_winograd;
  d->k = *c;
  set_status(d, c, precision, tensor);
  d->per_byte = d->pass_byte = 1 / (d->bandwidth * memory_efficiency(gpu, c));
  d->align = 16 / arithmetic_bytes(precision);
  d->l2 = gpu->l2_cache;
  d->sms = gpu->sms;
  d->l1 = d->sms * (has(gpu->shared_memory) ? gpu->shared_memory : 0);
  d->registers = d->sms * (has(gpu->register_file) ? gpu->register_file : 0);
  d->threads = c->threads;
  d->launch = c->launch;
  set_engines(d, gpu, c, precision, tensor);
}

void pm__device_set_factor(pm__device *d, double factor)
{
  d->library = factor;
  if (!d->calibrated) return;
  double least = fmin(d->gemm.multiply_add, factor * d->conv.multiply_add); /* s for 2 FLOP */
  d->peak = fmax(d->matrix_peak, 2 / least);
}

/* Loads, conversions, arithmetic and stores of single numbers add to the memory's time by squares. */
static double by_numbers(const pm__device *d)
{
  return hypot(d->per_byte, 1 / (d->bytes * d->k.pass_elements * d->sms * d->clock));
}

void pm__device_set_layout(pm__device *d, bool channels_last, bool changes)
{
  if (!d->calibrated) return;
  d->pass_byte = !channels_last && has(d->k.pass_elements) ? by_numbers(d) : d->per_byte;
  if (d->conv.tensor && d->bytes == 4 && has(d->k.conv_tf32_layout)) d->layout_share = d->k.conv_tf32_layout;
  if (!channels_last) d->group_gradient = 0;
  d->layout = changes ? d->bytes * d->pass_byte * d->layout_share * d->power.slow : 0;
}

/* Later architectures never ran libraries that do not pad. */
void pm__device_set_library(pm__device *d, const pm_cudnn_generation *cudnn, bool pads_products)
{
  d->has_winograd = cudnn == NULL || !cudnn->no_winograd;
  d->has_weight_winograd = d->has_winograd && (cudnn == NULL || !cudnn->no_weight_winograd);
  bool lacks_tf32 = cudnn != NULL && cudnn->no_grouped_tf32 && d->bytes == 4;
  d->has_grouped = d->conv.tensor && !lacks_tf32 && (cudnn == NULL || cudnn->grouped_kernels);
  if (cudnn == NULL || cudnn->odd_channels_padded) d->odd = 0;
  bool dilates = !d->conv.tensor || cudnn == NULL || !cudnn->no_dilated;
  d->dilated = dilates ? 0 : 1 / (d->peak_fp32 * d->k.conv_tensor_odd);
  if (cudnn != NULL && d->bytes == 2 && cudnn->group_gradient > 0 && !cudnn->group_gradients) {
    d->group_gradient = 1 / (d->peak_fp32 * cudnn->group_gradient);
    d->group_data_width = fmax(0, cudnn->group_data_width);
  }
  d->single_channels = cudnn != NULL && cudnn->single_channels;
  d->wants_aligned = cudnn != NULL && cudnn->aligned_products && d->gemm.tensor && !pads_products;
  if (pads_products) d->unaligned = 1;
}
