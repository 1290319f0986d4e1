/* Laws of kernel times, whatever the constants are; on every shipped GPU that has constants. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "devices.h"

static const int precisions[] = {PM_PRECISION_FP32, PM_PRECISION_FP16, PM_PRECISION_FP16_STORAGE};
static const double sizes[] = {128, 256, 384, 512, 1024, 1536, 4096, 10240};

enum { PRECISIONS = 3, SIZES = 8, OPERATORS = 3 };

static pm_kernel gemm(double count, double m, double n, double k, int precision)
{
  pm_kernel kernel = kernel_of(PM_OPERATOR_GEMM, precision);
  kernel.count = count;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  return kernel;
}

static pm_kernel conv(int pass, double n, double channels, double side, double window, double stride, int precision)
{
  pm_kernel kernel = kernel_of(PM_OPERATOR_CONV_FORWARD + pass, precision);
  kernel.n = n;
  kernel.channels = kernel.out_channels = channels;
  kernel.height = kernel.width = side;
  kernel.kernel_height = kernel.kernel_width = window;
  kernel.padding_height = kernel.padding_width = (window - 1) / 2;
  kernel.stride_height = kernel.stride_width = stride;
  return kernel;
}

#define EACH(i, count) for (int i = 0; i < (count); i++)

/* Growing one size at a time by whole tiles. */
START_TEST(larger_products_take_longer)
{
  device d;
  int compared = 0;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(i, SIZES) EACH(j, SIZES) EACH(l, SIZES) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel one = gemm(1, sizes[i], sizes[j], sizes[l], precisions[p]);
    double time = time_of(&d, &one).time;
    double *grown[] = {&one.count, &one.m, &one.n, &one.k};
    EACH(g, 4) {
      double before = *grown[g];
      *grown[g] += g == 0 ? 1 : 256;
      double more = time_of(&d, &one).time;
      ck_assert_msg(more >= time * (1 - 1e-9), "%s %d: %g x %g x %g + %d: %g us after %g", d.gpu.id, precisions[p],
                    sizes[i], sizes[j], sizes[l], g, more * 1e6, time * 1e6);
      *grown[g] = before;
      compared++;
    }
  }
  ck_assert_int_gt(compared, 10000);
}
END_TEST

/* No product is faster than its arithmetic at the peak, or its operands at the memory's bandwidth. GeForce boards boost
** above their clock, by what their constants say. */
START_TEST(products_keep_to_the_roof)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(i, SIZES) EACH(j, SIZES) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel kernel = gemm(1 + i, sizes[j], sizes[i] + 8, sizes[SIZES - 1 - j], precisions[p]);
    pm_kernel_time time = time_of(&d, &kernel);
    double boost = fmax(1, d.constants.simt_efficiency);
    ck_assert_double_ge(time.time * boost, time.roofline_time * (1 - 1e-12));
  }
}
END_TEST

/* The FP32 cores; the blocks of tiles that tensor cores read again are not as high as wide. */
START_TEST(transposed_products_take_the_same)
{
  device d;
  EACH_DEVICE(d) EACH(i, SIZES) EACH(j, SIZES) {
    if (d.gpu.peak_fp32_tensor > 0) continue;
    pm_kernel one = gemm(1, sizes[i], sizes[j], 777, PM_PRECISION_FP32), other = gemm(1, sizes[j], sizes[i], 777,
                                                                                      PM_PRECISION_FP32);
    ck_assert_double_eq_tol(time_of(&d, &one).time / time_of(&d, &other).time, 1, 1e-12);
  }
}
END_TEST

/* Convolutions too: by channels and samples that are whole tiles, every pass and algorithm. */
START_TEST(larger_convolutions_take_longer)
{
  static const double windows[] = {1, 3, 5, 7};
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(pass, 3) EACH(w, 4) EACH(i, 4) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel one = conv(pass, 32, 128 * (1 + i), 16, windows[w], 1, precisions[p]);
    pm_kernel samples = one, channels = one;
    samples.n += 32;
    channels.out_channels += 256;
    double time = time_of(&d, &one).time;
    ck_assert_double_ge(time_of(&d, &samples).time, time * (1 - 1e-9));
    ck_assert_double_ge(time_of(&d, &channels).time, time * (1 - 1e-9));
  }
}
END_TEST

static void check_not_slower(const device *d, const device *better, const pm_kernel *kernel, const char *what)
{
  double before = time_of(d, kernel).time, after = time_of(better, kernel).time;
  ck_assert_msg(after <= before * (1 + 1e-9), "%s with more %s: %g us after %g", d->gpu.id, what, after * 1e6,
                before * 1e6);
}

/* A higher clock raises the peaks with it. */
static device clocked(const device *d, double factor)
{
  device faster = *d;
  faster.gpu.clock *= factor;
  faster.gpu.held_clock *= factor;
  faster.gpu.peak_fp32 *= factor;
  faster.gpu.peak_fp16 *= factor;
  faster.gpu.peak_fp16_tensor *= factor;
  faster.gpu.peak_fp32_tensor *= factor;
  return faster;
}

START_TEST(better_gpus_are_not_slower)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(i, SIZES) EACH(j, SIZES) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel kernels[] = {gemm(1, sizes[i], sizes[j], sizes[SIZES - 1 - i], precisions[p]),
                           conv(i % 3, 1 + 8 * j, sizes[i % 4], 14, 1 + 2 * (j % 3), 1 + j % 2, precisions[p])};
    device wide = d, fast = clocked(&d, 1.1);
    wide.gpu.memory_bandwidth *= 1.2;
    EACH(k, 2) {
      check_not_slower(&d, &wide, &kernels[k], "bandwidth");
      check_not_slower(&d, &fast, &kernels[k], "clock");
    }
  }
}
END_TEST

/* A board draws no more than it may, and what that holds back gains by more power. */
START_TEST(boards_keep_to_their_power)
{
  device d;
  int limited = 0;
  EACH_DEVICE(d) {
    pm_kernel kernel = gemm(1, 8192, 8192, 8192, PM_PRECISION_FP32);
    pm_kernel_time time = time_of(&d, &kernel);
    device stronger = d;
    stronger.gpu.power *= 4;
    stronger.gpu.reference_power *= 4;
    pm_kernel_time more = time_of(&stronger, &kernel);
    ck_assert(isnan(d.gpu.power) || time.power <= d.constants.power_margin * d.gpu.power * (1 + 1e-9));
    ck_assert(time.bound == PM_BOUND_POWER ? more.time < time.time : more.time == time.time);
    limited += time.bound == PM_BOUND_POWER;
  }
  ck_assert_int_gt(limited, 0);
}
END_TEST

START_TEST(many_equal_one_bit_for_bit)
{
  enum { MANY = 500 };
  device d;
  pm_kernel *kernels = (pm_kernel *)calloc(MANY, sizeof *kernels);
  pm_kernel_time *many = (pm_kernel_time *)calloc(MANY, sizeof *many);
  EACH_DEVICE(d) {
    EACH(i, MANY) kernels[i] = i % 2 ? gemm(1 + i % 5, 1 + 7 * i, 1 + 13 * i, 1 + 3 * i, PM_PRECISION_FP32)
                                     : conv(i % 3, 1 + i, 1 + i % 77, 7 + i % 50, 1 + 2 * (i % 3), 1 + i % 2,
                                            PM_PRECISION_FP32);
    ck_assert_int_eq(pm_kernel_predict(&d.gpu, &d.constants, kernels, many, MANY, NULL), PM_OK);
    EACH(i, MANY) {
      pm_kernel_time one = time_of(&d, &kernels[i]);
      ck_assert(memcmp(&one, &many[i], sizeof one) == 0);
    }
  }
  free(kernels);
  free(many);
}
END_TEST

/* Around the time; wider where it is not calibrated; none around a bound. */
START_TEST(intervals_hold_the_time)
{
  device d;
  pm_kernel kernel = gemm(1, 1024, 1024, 1024, PM_PRECISION_FP32);
  int statuses[PM_CALIBRATION_STATUS_COUNT] = {0};
  EACH_DEVICE(d) {
    pm_kernel_time t = time_of(&d, &kernel), bound;
    const double factors[PM_CALIBRATION_STATUS_COUNT] = {
      [PM_CALIBRATION_STATUS_CALIBRATED] = 1,
      [PM_CALIBRATION_STATUS_EXTRAPOLATED] = d.constants.spread_extrapolated,
      [PM_CALIBRATION_STATUS_NOT_CALIBRATED] = d.constants.spread_not_calibrated};
    double expected = exp(1.28155 * d.constants.product_spread * factors[t.calibration]);
    ck_assert_double_eq_tol(t.time_p90 / t.time, expected, 1e-4);
    ck_assert_double_eq_tol(t.time / t.time_p10, expected, 1e-4);
    const int stated = d.constants.product_simt; /* of an architecture that nobody stated it is none */
    ck_assert_int_eq(t.calibration,
                     stated != PM_CALIBRATION_STATUS_NONE ? stated : PM_CALIBRATION_STATUS_NOT_CALIBRATED);
    statuses[t.calibration]++;
    ck_assert_int_eq(pm_kernel_predict(&d.gpu, NULL, &kernel, &bound, 1, NULL), PM_OK);
    ck_assert(isnan(bound.time_p10) && isnan(bound.time_p90));
    ck_assert_int_eq(bound.calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  }
  for (int word = PM_CALIBRATION_STATUS_CALIBRATED; word < PM_CALIBRATION_STATUS_COUNT; word++)
    ck_assert_int_gt(statuses[word], 0);
}
END_TEST

/* What wins where: few channels by small tiles would not tell, these do. */
START_TEST(algorithms_are_named)
{
  device d;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "v100-sxm2-16gb", &d.gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  pm_kernel square = gemm(1, 4096, 4096, 4096, PM_PRECISION_FP32), tall = gemm(1, 128, 128, 100000, PM_PRECISION_FP32);
  pm_kernel window = conv(0, 64, 256, 28, 3, 1, PM_PRECISION_FP32), strided = conv(0, 64, 256, 28, 3, 2,
                                                                                   PM_PRECISION_FP32);
  ck_assert_int_eq(time_of(&d, &square).algorithm, PM_KERNEL_ALGORITHM_GEMM);
  ck_assert_int_eq(time_of(&d, &tall).algorithm, PM_KERNEL_ALGORITHM_GEMM_SPLIT);
  int winograd = time_of(&d, &window).algorithm;
  ck_assert(winograd == PM_KERNEL_ALGORITHM_WINOGRAD_4X4 || winograd == PM_KERNEL_ALGORITHM_WINOGRAD_2X2);
  ck_assert_int_eq(time_of(&d, &strided).algorithm, PM_KERNEL_ALGORITHM_IMPLICIT_GEMM);
}
END_TEST

/* An architecture takes what it does not state from "default". */
START_TEST(general_constants_are_taken_over)
{
  device d;
  pm_kernel_calibration general;
  record("gpu", "v100-pcie", &d.gpu);
  record("kernel_calibration", PM_KERNEL_GENERAL_ID, &general);
  ck_assert_int_eq(pm_kernel_calibration_check(&general, NULL), PM_STATUS_BAD_VALUE);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  ck_assert_int_eq(pm_kernel_calibration_check(&d.constants, NULL), PM_OK);
  ck_assert(d.constants.wave == general.wave && general.wave > 0);
  pm_kernel square = gemm(1, 4096, 4096, 4096, PM_PRECISION_FP32);
  double before = time_of(&d, &square).time;
  ck_assert_int_eq(pm_catalog_load(catalog, PM_SOURCE_DIR "/tests/kernels/constants.xml", NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  ck_assert(d.constants.prologue == 60 && d.constants.wave == general.wave);
  ck_assert(time_of(&d, &square).time > before);
}
END_TEST

/* By rule: Blackwell is like Hopper, which is like Ampere with less energy per operation. */
START_TEST(rules_follow_what_they_rest_on)
{
  device a, h, b;
  record("gpu", "a100-sxm4-80gb", &a.gpu);
  record("gpu", "h100-sxm5", &h.gpu);
  record("gpu", "b200-sxm6", &b.gpu);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &a.gpu, &a.constants, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &h.gpu, &h.constants, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &b.gpu, &b.constants, NULL), PM_OK);
  ck_assert(h.constants.energy_factor < 1);
  ck_assert(h.constants.simt_flop_energy == a.constants.simt_flop_energy * h.constants.energy_factor);
  ck_assert(b.constants.simt_flop_energy == h.constants.simt_flop_energy);
  ck_assert(b.constants.simt_efficiency == a.constants.simt_efficiency);
  double like_ampere = a.constants.tensor_flop_energy * h.constants.energy_factor;
  ck_assert(h.constants.tensor_flop_energy != like_ampere); /* its own */
  ck_assert_int_eq(h.constants.simt_basis, PM_ORIGIN_RULE);
}
END_TEST

START_TEST(incomplete_constants_are_refused)
{
  device d;
  pm_error error = PM_ERROR_NONE;
  pm_kernel_time time;
  pm_kernel square = gemm(1, 4096, 4096, 4096, PM_PRECISION_FP32);
  record("gpu", "v100-pcie", &d.gpu);
  record("kernel_calibration", "volta", &d.constants);
  d.constants.wave = NAN;
  ck_assert_int_eq(pm_kernel_predict(&d.gpu, &d.constants, &square, &time, 1, &error), PM_STATUS_BAD_VALUE);
  ck_assert_str_eq(error.text, "kernel calibration \"volta\" does not state wave");
}
END_TEST

START_TEST(bad_kernels_say_why)
{
  device d;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "m40", &d.gpu, NULL), PM_OK);
  pm_kernel bad[] = {gemm(1, 0, 8, 8, PM_PRECISION_FP32), gemm(1, 8, NAN, 8, PM_PRECISION_FP32),
                     gemm(1, 8, 8, 8, PM_PRECISION_BF16),
                     gemm(1, 8, 8, 8, 99), conv(0, 1, 1, 2, 9, 1, PM_PRECISION_FP32), gemm(1, 8, 8, 8,
                                                                                           PM_PRECISION_FP32)};
  bad[4].padding_height = 0;
  bad[5].operation = 99;
  EACH(i, 6) {
    pm_kernel_time time;
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_ne(pm_kernel_predict(&d.gpu, NULL, &bad[i], &time, 1, &error), PM_OK);
    ck_assert(error.text[0] != '\0');
    ck_assert(isnan(time.time));
  }
}
END_TEST

/* ---- Operators of language models ---- */

static double attention_time(const device *d, double heads, double kv_heads, double queries, double keys, double head)
{
  pm_kernel k = kernel_of(PM_OPERATOR_ATTENTION, PM_PRECISION_FP16);
  k.count = heads;
  k.kv_count = kv_heads;
  k.m = queries;
  k.k = keys;
  k.n = head;
  k.causal = 1;
  return time_of(d, &k).time;
}

/* Where blocks and keys are timed; an efficiency alone follows the waves. */
START_TEST(longer_attention_takes_longer)
{
  static const double queries[] = {1, 7, 63, 64, 65, 128, 2048}, pasts[] = {0, 1, 500, 9000};
  device d;
  int compared = 0;
  EACH_DEVICE(d) EACH(i, 7) EACH(j, 4) {
    if (!has(&d, PM_PRECISION_FP16) || !(d.constants.flash_block > 0)) continue;
    double q = queries[i], keys = q + pasts[j];
    double tiny = attention_time(&d, 64, 8, q, keys, 128) * (1 - 1e-9);
    ck_assert_double_ge(attention_time(&d, 64, 8, q, keys + 100, 128), tiny);
    ck_assert_double_ge(attention_time(&d, 64, 8, q + 1, keys + 1, 128), tiny);
    ck_assert_double_ge(attention_time(&d, 128, 16, q, keys, 128), tiny);
    ck_assert_double_ge(attention_time(&d, 64, 64, q, keys, 128), tiny);
    compared++;
  }
  ck_assert_int_gt(compared, 300);
}
END_TEST

/* The L2 keeps less where more is used in turn, up to nothing; without the constant it keeps none. */
START_TEST(what_is_used_in_turn_is_kept_as_it_fits)
{
  device d;
  int kept = 0;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel k = gemm(1, 8, 4096, 1024, PM_PRECISION_FP16);
    double none = time_of(&d, &k).time, last = 0;
    EACH(turns, 200) {
      k.turns = turns + 1;
      double time = time_of(&d, &k).time;
      ck_assert_double_ge(time, last);
      ck_assert_double_le(time, none);
      last = time;
    }
    ck_assert_double_eq(last, none);
    k.turns = 1;
    kept += time_of(&d, &k).time < none;
  }
  ck_assert_int_gt(kept, 0);
}
END_TEST

/* A pass over tensors that the L2 keeps is faster, but never than the L2. */
START_TEST(a_pass_over_what_is_kept_is_faster)
{
  device d;
  int kept = 0;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel k = kernel_of(PM_OPERATOR_ELEMENTWISE, PM_PRECISION_FP16);
    k.count = 3;
    EACH(i, 12) {
      k.m = 1000 * pow(3, i);
      k.turns = NAN;
      double none = time_of(&d, &k).time;
      k.turns = 1;
      pm_kernel_time t = time_of(&d, &k);
      ck_assert_double_le(t.time, none);
      kept += t.time < none;
      if (t.time < none) ck_assert_double_ge(t.time * (1 + 1e-9), t.bytes / t.l2_bandwidth);
      if (i == 11) ck_assert_double_eq(t.time, none); /* 1 GB */
    }
  }
  ck_assert_int_gt(kept, 0);
}
END_TEST

static pm_kernel causal_attention(double heads, double queries, double keys, double head)
{
  pm_kernel k = kernel_of(PM_OPERATOR_ATTENTION, PM_PRECISION_FP16);
  k.count = heads;
  k.m = queries;
  k.k = keys;
  k.n = head;
  k.causal = 1;
  return k;
}

/* The narrower, the less; one as wide as the keys hides nothing; within one, work grows with the queries alone. */
START_TEST(a_window_bounds_the_keys_of_a_query)
{
  static const double windows[] = {8192, 4096, 1024, 128, 64, 1};
  device d;
  int less = 0;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel k = causal_attention(32, 8192, 8192, 128);
    pm_kernel_time all = time_of(&d, &k);
    double last = all.time;
    EACH(i, 6) {
      k.window = windows[i];
      pm_kernel_time t = time_of(&d, &k);
      if (i == 0) ck_assert_double_eq(t.time, all.time);
      ck_assert_double_le(t.time, last);
      less += t.time < last;
      last = t.time;
    }
    ck_assert_double_eq_tol(time_of(&d, &k).flop, 4.0 * 32 * 8192 * 128, 1); /* each sees itself */
    k.window = 128;
    double once = time_of(&d, &k).time;
    k.m = k.k = 16384;
    ck_assert_double_le(time_of(&d, &k).time, 2.1 * once);
  }
  ck_assert_int_gt(less, 100);
}
END_TEST

/* Many blocks of few keys are their starts. */
START_TEST(blocks_that_start_later_take_longer)
{
  device d;
  int counted = 0;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16) || !(d.constants.flash_block > 0)) continue;
    pm_kernel k = causal_attention(65536, 1, 8, 64);
    double usual = time_of(&d, &k).time;
    k.block_start = 1;
    ck_assert_double_eq(time_of(&d, &k).time, usual);
    k.block_start = 0.5;
    double early = time_of(&d, &k).time;
    k.block_start = 2;
    double late = time_of(&d, &k).time;
    ck_assert(early <= usual && usual <= late);
    counted += late > 1.8 * usual && early < 0.7 * usual;
  }
  ck_assert_int_gt(counted, 5);
}
END_TEST

/* A value as wide as the key is no news; one that is a part of the key is neither stored nor read. */
START_TEST(latents_are_stored_once)
{
  device d;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel k = causal_attention(64, 1, 30000, 576);
    k.kv_count = 1;
    pm_kernel_time same = time_of(&d, &k);
    k.value_size = 576;
    ck_assert_double_eq(time_of(&d, &k).time, same.time);
    k.value_size = 512;
    pm_kernel_time apart = time_of(&d, &k);
    k.latent = 1;
    pm_kernel_time latent = time_of(&d, &k);
    ck_assert_double_eq(apart.flop, 2.0 * 64 * 30000 * (576 + 512));
    ck_assert_double_eq(apart.bytes, 2.0 * (30000 + 64) * (576 + 512));
    ck_assert_double_eq(latent.bytes, apart.bytes - 2.0 * 30000 * 512);
    ck_assert_double_le(latent.time, apart.time);
    ck_assert_double_le(apart.time, same.time);
  }
}
END_TEST

/* Weights of a quarter of the bytes: never slower, and faster where the memory decides. */
START_TEST(shorter_operands_are_read_in_less)
{
  static const double rows[] = {1, 8, 128, 4096};
  device d;
  EACH_DEVICE(d) EACH(i, 4) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel k = gemm(1, rows[i], 16384, 16384, PM_PRECISION_FP16);
    pm_kernel_time all = time_of(&d, &k);
    k.operand_bytes = 2;
    ck_assert_double_eq(time_of(&d, &k).time, all.time);
    k.operand_bytes = 0.5;
    pm_kernel_time less = time_of(&d, &k);
    ck_assert_double_le(less.time, all.time);
    ck_assert_double_eq_tol(all.bytes - less.bytes, 1.5 * 16384 * 16384, 1);
    if (rows[i] <= 8 && all.bound == PM_BOUND_MEMORY_BANDWIDTH) ck_assert_double_lt(less.time, 0.9 * all.time);
  }
}
END_TEST

START_TEST(sizes_of_no_kernel_are_refused)
{
  static const char *const names[] = {"window", "value_size", "kv_bytes", "kv_count", "operand_bytes"};
  device d;
  pm_kernel k[5];
  EACH(i, 4) k[i] = causal_attention(8, 8, 8, 64);
  k[0].window = 0.5;
  k[1].value_size = -1;
  k[2].kv_bytes = 9;
  k[3].kv_count = 9;
  k[4] = gemm(1, 8, 8, 8, PM_PRECISION_FP16);
  k[4].operand_bytes = 9;
  record("gpu", "v100-pcie", &d.gpu);
  EACH(i, 5) {
    pm_kernel_time time;
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(pm_kernel_predict(&d.gpu, NULL, &k[i], &time, 1, &error), PM_STATUS_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, names[i]) != NULL, "%s", error.text);
  }
}
END_TEST

/* A kernel that does not split the contraction is never faster than one that may, and is as fast where no split
** pays. */
START_TEST(an_unsplit_product_takes_no_less)
{
  device d;
  int slower = 0;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(i, SIZES) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel k = gemm(1, 128, sizes[i], 16384, precisions[p]);
    double free = time_of(&d, &k).time;
    k.unsplit = 1;
    double whole = time_of(&d, &k).time;
    ck_assert_double_ge(whole, free);
    slower += whole > free;
    k.k = 128;
    free = time_of(&d, &k).time;
    k.unsplit = 0;
    ck_assert_double_eq(time_of(&d, &k).time, free);
  }
  ck_assert_int_gt(slower, 100);
}
END_TEST

/* One row takes no longer than two, either way up, and where it has kernels of its own no reduction kernel. */
START_TEST(one_row_has_kernels_of_its_own)
{
  device d;
  int faster = 0;
  EACH_DEVICE(d) {
    if (!has(&d, PM_PRECISION_FP16)) continue;
    pm_kernel row = gemm(1, 1, 256, 2048, PM_PRECISION_FP16), column = gemm(1, 256, 1, 2048, PM_PRECISION_FP16);
    pm_kernel two = gemm(1, 2, 256, 2048, PM_PRECISION_FP16);
    double time = time_of(&d, &row).time;
    ck_assert_double_eq(time_of(&d, &column).time, time);
    ck_assert_double_le(time, time_of(&d, &two).time);
    faster += d.constants.row_clocks > 0 && time < 0.7 * time_of(&d, &two).time;
  }
  ck_assert_int_gt(faster, 0);
}
END_TEST

/* Few rows leave SMs idle; no clocks said is as before. */
START_TEST(a_pass_has_a_third_limit)
{
  device d;
  EACH_DEVICE(d) {
    pm_kernel k = kernel_of(PM_OPERATOR_ELEMENTWISE, PM_PRECISION_FP32);
    k.m = 1e6;
    k.count = 2;
    double plain = time_of(&d, &k).time, last = plain;
    for (double clocks = 0.01; clocks < 10; clocks *= 2) {
      k.clocks = clocks;
      double time = time_of(&d, &k).time;
      ck_assert_double_ge(time, last);
      last = time;
    }
    ck_assert_double_ge(last, 2e6 * 5 / (d.gpu.sms * fmax(d.gpu.clock, d.gpu.held_clock)));
    k.blocks = 1e9;
    ck_assert_double_eq(time_of(&d, &k).time, last);
    k.blocks = 1;
    ck_assert_double_gt(time_of(&d, &k).time, last);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("kernels");
  TCase *laws = tcase_create("laws");
  tcase_add_checked_fixture(laws, open_catalog, close_catalog);
  tcase_set_timeout(laws, 60);
  tcase_add_test(laws, larger_products_take_longer);
  tcase_add_test(laws, products_keep_to_the_roof);
  tcase_add_test(laws, transposed_products_take_the_same);
  tcase_add_test(laws, larger_convolutions_take_longer);
  tcase_add_test(laws, better_gpus_are_not_slower);
  tcase_add_test(laws, boards_keep_to_their_power);
  tcase_add_test(laws, many_equal_one_bit_for_bit);
  tcase_add_test(laws, algorithms_are_named);
  tcase_add_test(laws, general_constants_are_taken_over);
  tcase_add_test(laws, rules_follow_what_they_rest_on);
  tcase_add_test(laws, incomplete_constants_are_refused);
  tcase_add_test(laws, bad_kernels_say_why);
  tcase_add_test(laws, longer_attention_takes_longer);
  tcase_add_test(laws, what_is_used_in_turn_is_kept_as_it_fits);
  tcase_add_test(laws, a_pass_over_what_is_kept_is_faster);
  tcase_add_test(laws, an_unsplit_product_takes_no_less);
  tcase_add_test(laws, a_window_bounds_the_keys_of_a_query);
  tcase_add_test(laws, blocks_that_start_later_take_longer);
  tcase_add_test(laws, latents_are_stored_once);
  tcase_add_test(laws, shorter_operands_are_read_in_less);
  tcase_add_test(laws, sizes_of_no_kernel_are_refused);
  tcase_add_test(laws, one_row_has_kernels_of_its_own);
  tcase_add_test(laws, a_pass_has_a_third_limit);
  tcase_add_test(laws, intervals_hold_the_time);
  suite_add_tcase(suite, laws);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
