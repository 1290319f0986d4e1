/* Laws of the times of convolutions, recurrent layers and memory-bound kernels; on every shipped GPU that has
** constants. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "devices.h"
#include "kernel/conv_shape.h"
#include "plan/plan.h"

enum { PRECISIONS = 3, PASSES = 3 };

static const int precisions[] = {PM_PRECISION_FP32, PM_PRECISION_FP16, PM_PRECISION_FP16_STORAGE};

#define EACH(i, count) for (int i = 0; i < (count); i++)

static pm_kernel conv(int pass, double n, double c, double k, double side, double window, double stride, int precision)
{
  pm_kernel kernel = kernel_of(PM_OPERATOR_CONV_FORWARD + pass, precision);
  kernel.n = n;
  kernel.channels = c;
  kernel.out_channels = k;
  kernel.height = kernel.width = side;
  kernel.kernel_height = kernel.kernel_width = window;
  kernel.padding_height = kernel.padding_width = floor((window - 1) / 2);
  kernel.stride_height = kernel.stride_width = stride;
  return kernel;
}

/* Of one row, as sound has it. */
static pm_kernel row_conv(int pass, double width, double window, int precision)
{
  pm_kernel kernel = conv(pass, 32, 512, 512, width, window, 1, precision);
  kernel.height = kernel.kernel_height = 1;
  kernel.padding_height = 0;
  return kernel;
}

/* Shapes of networks as they come: a small generator of our own, so that every run tests the same. */
static double drawn(unsigned *state, const double *from, unsigned count)
{
  *state = *state * 1664525u + 1013904223u;
  return from[(*state >> 16) % count];
}

static pm_kernel drawn_conv(unsigned *state, int precision)
{
  static const double samples[] = {8, 16, 32, 64, 256}, channels[] = {64, 128, 256, 512, 1024};
  static const double sides[] = {7, 14, 28, 56, 112}, windows[] = {1, 3, 5, 7}, strides[] = {1, 2};
  double pass = drawn(state, (const double[]){0, 1, 2}, 3), n = drawn(state, samples, 5), c = drawn(state, channels, 5);
  double k = drawn(state, channels, 5), side = drawn(state, sides, 5), window = drawn(state, windows, 4);
  return conv((int)pass, n, c, k, side, window, drawn(state, strides, 2), precision);
}

/* By whole tiles of samples and of both channels, whichever algorithm wins before and after. */
START_TEST(larger_convolutions_take_longer)
{
  device d;
  int compared = 0;
  EACH_DEVICE(d) EACH(p, PRECISIONS) {
    unsigned state = 7;
    if (!has(&d, precisions[p])) continue;
    EACH(i, 100) {
      pm_kernel one = drawn_conv(&state, precisions[p]), grown[3] = {one, one, one};
      grown[0].n += 128;
      grown[1].channels += 256;
      grown[2].out_channels += 256;
      double time = time_of(&d, &one).time;
      EACH(g, 3) {
        double more = time_of(&d, &grown[g]).time;
        ck_assert_msg(more >= time * (1 - 1e-9),
                      "%s: pass %d, %g x %g x %g, %g -> %g, window %g/%g, grown %d: %g after %g us",
                      d.gpu.id, one.operation, one.n, one.height, one.width, one.channels, one.out_channels,
                      one.kernel_height, one.stride_height, g, more * 1e6, time * 1e6);
        compared++;
      }
    }
  }
  ck_assert_int_gt(compared, 5000);
}
END_TEST

/* Multiplications that transforms save at most, as a factor: Winograd on 4 x 4 outputs, Fourier on tiles of 32 x 32. */
static double saved_by_transforms(const device *d, const pm_kernel *k)
{
  double w = k->kernel_height, winograd = w == 3 || w == 5 ? 16 * w * w / ((w + 3) * (w + 3)) : 1;
  if (k->precision == PM_PRECISION_FP16 && d->gpu.tensor_cores > 0) return 1;
  return fmax(winograd, w * w * (33 - w) * (33 - w) / 2048);
}

/* Depthwise convolutions are far from streams over memory: their arithmetic limits them, and grows with the window. */
START_TEST(wider_windows_of_single_channels_take_longer)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) {
    if (!has(&d, precisions[p])) continue;
    EACH(pass, PASSES) {
      pm_kernel three = conv(pass, 32, 256, 256, 56, 3, 1, precisions[p]), five = three;
      three.groups = five.groups = 256;
      five.kernel_height = five.kernel_width = 5;
      five.padding_height = five.padding_width = 2;
      double few = time_of(&d, &three).time, many = time_of(&d, &five).time;
      ck_assert_msg(many >= 1.25 * few, "%s: pass %d: %g s after %g s", d.gpu.id, pass, many, few);
    }
  }
}
END_TEST

/* Tensors move once; boards boost by what their constants say. */
START_TEST(convolutions_keep_to_the_physical_bound)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) {
    unsigned state = 11;
    if (!has(&d, precisions[p])) continue;
    EACH(i, 200) {
      pm_kernel kernel = drawn_conv(&state, precisions[p]);
      pm_kernel_time t = time_of(&d, &kernel);
      double used = kernel.kernel_height == 1 ? 1 / (kernel.stride_height * kernel.stride_width) : 1; /* pixels seen */
      double saved = saved_by_transforms(&d, &kernel);
      double boost = fmax(1, d.constants.simt_efficiency * d.constants.conv_rate);
      ck_assert_double_ge(t.time * 1.001, used * t.bytes / d.gpu.memory_bandwidth);
      ck_assert_double_ge(t.time * boost * saved, t.flop / t.peak);
    }
  }
}
END_TEST

static void check_not_slower(const device *d, const device *better, const pm_kernel *kernel, const char *what)
{
  double before = time_of(d, kernel).time, after = time_of(better, kernel).time;
  ck_assert_msg(after <= before * (1 + 1e-9), "%s, operation %d with more %s: %g us after %g", d->gpu.id,
                kernel->operation, what, after * 1e6, before * 1e6);
}

static device with_bandwidth(device d)
{
  d.gpu.memory_bandwidth *= 1.3;
  return d;
}

static device with_clock(device d)
{
  d.gpu.clock *= 1.1;
  d.gpu.peak_fp32 *= 1.1;
  d.gpu.peak_fp16 *= 1.1;
  d.gpu.peak_fp16_tensor *= 1.1;
  d.gpu.peak_int8 *= 1.1;
  return d;
}

START_TEST(better_gpus_are_not_slower)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) {
    unsigned state = 13;
    if (!has(&d, precisions[p])) continue;
    device wide = with_bandwidth(d), fast = with_clock(d);
    EACH(i, 100) {
      pm_kernel kernel = drawn_conv(&state, precisions[p]);
      check_not_slower(&d, &wide, &kernel, "bandwidth");
      check_not_slower(&d, &fast, &kernel, "clock");
    }
  }
}
END_TEST

/* Every other operator with ever larger sizes. */
START_TEST(larger_passes_take_longer)
{
  device d;
  EACH_DEVICE(d) for (int op = PM_OPERATOR_ELEMENTWISE; op < PM_OPERATOR_COUNT; op++) {
    if (op == PM_OPERATOR_POOLING) continue; /* has the sizes of a convolution */
    pm_kernel one = kernel_of(op, PM_PRECISION_FP32);
    one.count = 4;
    one.m = one.n = one.k = 512;
    one.link_bandwidth = 1e10;
    for (int i = 0; i < 6; i++) {
      pm_kernel more = one;
      double *sizes[] = {&more.m, &more.n, &more.k, &more.count};
      *sizes[i % 4] *= 2;
      double before = time_of(&d, &one).time, after = time_of(&d, &more).time;
      ck_assert_msg(after >= before * (1 - 1e-9), "%s: operator %d, size %d", d.gpu.id, op, i % 4);
      ck_assert(isfinite(after) && after > 0);
      one = more;
    }
  }
}
END_TEST

static double memory_efficiency(const device *d)
{
  const pm_kernel_calibration *c = &d->constants;
  if (strncmp(d->gpu.memory_type, "HBM", 3) == 0) return c->hbm_efficiency;
  return d->gpu.inline_ecc && c->gddr_ecc_efficiency > 0 ? c->gddr_ecc_efficiency : c->gddr_efficiency;
}

/* Check bits among the data cost bandwidth, where the architecture says how much; beside HBM they do not. */
START_TEST(check_bits_cost_bandwidth)
{
  device d;
  EACH_DEVICE(d) {
    pm_kernel pass = kernel_of(PM_OPERATOR_ELEMENTWISE, PM_PRECISION_FP32);
    pass.m = 1 << 28;
    bool stacked = strncmp(d.gpu.memory_type, "HBM", 3) == 0, stated = d.constants.gddr_ecc_efficiency > 0;
    d.gpu.inline_ecc = 0;
    double without = time_of(&d, &pass).time;
    d.gpu.inline_ecc = 1;
    double with = time_of(&d, &pass).time;
    ck_assert_msg(stacked || !stated ? with == without : with > without, "%s: %g %g", d.gpu.id, with, without);
  }
}
END_TEST

/* A row that no longer fits what one read keeps costs up to one more read of it, softmax up to two. */
START_TEST(rows_are_read_again_at_most)
{
  device d;
  EACH_DEVICE(d) for (double row = 64; row <= 1 << 20; row *= 2) {
    pm_kernel norm = kernel_of(PM_OPERATOR_LAYER_NORM, PM_PRECISION_FP32), softmax = kernel_of(PM_OPERATOR_SOFTMAX,
                                                                                               PM_PRECISION_FP32);
    norm.m = softmax.m = 1e8 / row;
    norm.n = softmax.n = row;
    double norm_ratio = time_of(&d, &norm).time / time_of(&d, &norm).roofline_time;
    double softmax_ratio = time_of(&d, &softmax).time / time_of(&d, &softmax).roofline_time;
    double efficiency = memory_efficiency(&d);
    ck_assert_double_ge(norm_ratio, 1);
    ck_assert_double_le(norm_ratio * efficiency, 1.5 + 1e-9);
    ck_assert_double_ge(softmax_ratio, 1);
    ck_assert_double_le(softmax_ratio * efficiency, 2 + 1e-9);
  }
}
END_TEST

START_TEST(persistent_layers_need_registers)
{
  device d;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "v100-sxm2-16gb", &d.gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  for (double hidden = 256; hidden <= 8192; hidden *= 2) {
    pm_kernel step = kernel_of(PM_OPERATOR_RNN_FORWARD, PM_PRECISION_FP16);
    step.m = hidden;
    step.n = 16;
    step.k = 100;
    pm_kernel_time plain = time_of(&d, &step);
    step.persistent = 1;
    pm_kernel_time kept = time_of(&d, &step);
    bool fits = 2 * hidden * hidden <= 0.85 * d.gpu.sms * d.gpu.register_file;
    ck_assert_int_eq(plain.algorithm, PM_KERNEL_ALGORITHM_STEPWISE);
    ck_assert_int_eq(kept.algorithm, fits ? PM_KERNEL_ALGORITHM_PERSISTENT : PM_KERNEL_ALGORITHM_STEPWISE);
    if (fits) ck_assert_double_lt(kept.time, plain.time);
    else ck_assert_double_eq(kept.time, plain.time);
  }
}
END_TEST

/* More units, steps and samples take longer; but for samples where the library has kernels of its own for some. */
START_TEST(larger_recurrent_layers_take_longer)
{
  device d;
  EACH_DEVICE(d) EACH(p, PRECISIONS) EACH(pass, PASSES) for (double size = 16; size <= 256; size *= 2) {
    if (!has(&d, precisions[p])) continue;
    pm_kernel one = kernel_of(PM_OPERATOR_RNN_FORWARD + pass, precisions[p]);
    one.count = 4;
    one.m = 8 * size;
    one.n = size;
    one.k = 10;
    pm_kernel grown[3] = {one, one, one};
    grown[0].m *= 2;
    grown[1].k += 1;
    grown[2].n *= 2;
    double time = time_of(&d, &one).time;
    EACH(g, d.constants.rnn_narrow > 0 ? 2 : 3) ck_assert_double_ge(time_of(&d, &grown[g]).time, time * (1 - 1e-9));
  }
}
END_TEST

/* On a P100 a step of 32 samples takes its contraction, whose clocks are stated, and longer than one of 64. */
START_TEST(narrow_steps_wait_along_the_contraction)
{
  device d;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "p100-sxm2", &d.gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  pm_kernel narrow = kernel_of(PM_OPERATOR_RNN_FORWARD, PM_PRECISION_FP32);
  narrow.m = 2048;
  narrow.n = 32;
  narrow.k = 100;
  pm_kernel wide = narrow, least = narrow;
  wide.n = 64;
  least.n = 17;
  double wait = 100 * 2048 * d.constants.rnn_narrow / d.gpu.clock, time = time_of(&d, &narrow).time;
  ck_assert_double_ge(time, wait);
  ck_assert_double_gt(time, time_of(&d, &wide).time);
  ck_assert_double_ge(time_of(&d, &least).time, wait);
  ck_assert_int_eq(time_of(&d, &narrow).bound, PM_BOUND_LATENCY);
}
END_TEST

/* A table of rows shorter than a sector costs what sectors cost. */
START_TEST(gathered_rows_are_whole_sectors)
{
  device d;
  EACH_DEVICE(d) {
    pm_kernel one = kernel_of(PM_OPERATOR_EMBEDDING, PM_PRECISION_FP32), eight = one;
    one.m = eight.m = 1e6;
    one.n = 1;
    eight.n = 8;
    ck_assert_double_eq_tol(time_of(&d, &one).time / time_of(&d, &eight).time, (32.0 + 4 + 8) / (32 + 32 + 8), 1e-9);
  }
}
END_TEST

START_TEST(winners_are_named)
{
  device d;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", "v100-sxm2-16gb", &d.gpu, NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  const struct {
    pm_kernel kernel;
    int algorithm;
  } cases[] = {{conv(0, 8, 64, 64, 56, 3, 1, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_WINOGRAD_2X2},
               {conv(0, 64, 512, 512, 28, 3, 1, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_WINOGRAD_4X4},
               {conv(0, 16, 256, 256, 14, 1, 1, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_IMPLICIT_GEMM},
               {conv(1, 16, 128, 256, 56, 5, 2, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_COLUMN_GEMM},
               {conv(0, 16, 64, 64, 224, 11, 1, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_FFT},
               {row_conv(0, 840, 25, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_FFT},
               {row_conv(0, 840, 3, PM_PRECISION_FP32), PM_KERNEL_ALGORITHM_IMPLICIT_GEMM},
               {conv(0, 16, 3, 64, 224, 7, 2, PM_PRECISION_FP16), PM_KERNEL_ALGORITHM_DIRECT},
               {conv(0, 16, 64, 64, 56, 3, 1, PM_PRECISION_FP16), PM_KERNEL_ALGORITHM_IMPLICIT_GEMM}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_msg(time_of(&d, &cases[i].kernel).algorithm == cases[i].algorithm, "case %zu: algorithm %d", i,
                  time_of(&d, &cases[i].kernel).algorithm);
}
END_TEST

/* ---- Prices of many at once ---- */

static pm__conv described(const pm_kernel *k)
{
  double out = floor((k->height + 2 * k->padding_height - k->kernel_height) / k->stride_height) + 1;
  double window = k->kernel_height, stride = k->stride_height, padding = k->padding_height;
  return (pm__conv){k->channels, k->out_channels, 1, {1, k->height, k->height}, {1, out, out}, {1, window, window},
                    {1, stride, stride}, {0, padding, padding}, {0, padding, padding}, {1, 1, 1}, false};
}

/* Convolutions drawn for one pass, and 3 channels among them. */
static void draw_shapes(unsigned *state, int pass, pm__window_shape *shapes)
{
  EACH(i, PM__AT_ONCE) {
    pm_kernel kernel = drawn_conv(state, PM_PRECISION_FP32);
    if (i % 8 == 0) kernel.channels = 3;
    pm__conv conv = described(&kernel);
    pm__window_shape_make(&shapes[i], &conv, (pm__pass)pass);
  }
}

static void check_prices(const device *gpu, const pm__device *d, const pm__window_shape *shapes, double batch)
{
  pm__kernel_cost together[PM__AT_ONCE];
  pm__window_shapes_cost(d, shapes, PM__AT_ONCE, batch, together);
  EACH(i, PM__AT_ONCE) {
    pm__kernel_cost alone = pm__window_shape_cost(d, &shapes[i], batch, INFINITY);
    ck_assert_msg(alone.time == together[i].time && alone.algorithm == together[i].algorithm &&
                  alone.bound == together[i].bound, "%s: %.17g s alone, %.17g s together", gpu->gpu.id, alone.time,
                  together[i].time);
    bool exceeds = !d->conv.tensor && pm__window_exceeds(d, &shapes[i], batch, alone.time * (1 + 1e-6));
    ck_assert_msg(!exceeds, "%s: the bound is above %.9g s", gpu->gpu.id, alone.time);
  }
}

/* Alone and among others to the bit, and never below its bound. */
START_TEST(convolutions_cost_the_same_together)
{
  static pm__window_shape shapes[PM__AT_ONCE];
  static pm__device devices[PM_PRECISION_COUNT];
  unsigned state = 5;
  device d;
  EACH_DEVICE(d) {
    pm__plan_devices(&d.gpu, &d.constants, NULL, devices);
    EACH(precision, PM_PRECISION_COUNT) EACH(pass, PASSES) {
      if (!devices[precision].calibrated) continue;
      draw_shapes(&state, pass, shapes);
      check_prices(&d, &devices[precision], shapes, 1 + state % 300);
    }
  }
}
END_TEST

/* Seconds of the product of a recurrent step, by the library of such layers or as any other. */
static double step_product(const device *d, int precision, bool recurrent)
{
  static pm__device at;
  pm__layer_kernel kernel = {.family = PM__GEMM, .matrix = true, .work = {2.0 * 4096 * 512 * 1024, 1, 0}};
  kernel.shape.gemm = (pm__gemm){1, 4096, 1, 1024, PM__SCALES_N};
  if (recurrent) kernel.part = PM__PART_RECURRENT;
  pm__device_init(&at, &d->gpu, &d->constants, precision);
  return pm__kernel_price(&at, &kernel, 512);
}

/* In TF32 their numbers are loaded one by one, which slows tensor cores wider than what that feeds. */
START_TEST(recurrent_products_in_tf32_wait_for_their_numbers)
{
  device d;
  int slowed = 0;
  EACH_DEVICE(d) {
    if (!(d.gpu.peak_tf32_tensor > 0) || d.gpu.tensor_core_flop > 512) continue;
    double lanes = d.gpu.peak_tf32_tensor / (2 * d.gpu.sms * d.gpu.clock);
    double plain = step_product(&d, PM_PRECISION_TF32, false), slow = step_product(&d, PM_PRECISION_TF32, true);
    ck_assert_double_eq(step_product(&d, PM_PRECISION_FP16, true), step_product(&d, PM_PRECISION_FP16, false));
    ck_assert_double_ge(slow, plain);
    if (!(lanes > d.constants.unaligned_lanes)) ck_assert_double_eq(slow, plain);
    slowed += slow > 1.2 * plain;
  }
  ck_assert_int_gt(slowed, 0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("conv_time");
  TCase *laws = tcase_create("laws");
  tcase_add_checked_fixture(laws, open_catalog, close_catalog);
  tcase_set_timeout(laws, 60);
  tcase_add_test(laws, larger_convolutions_take_longer);
  tcase_add_test(laws, wider_windows_of_single_channels_take_longer);
  tcase_add_test(laws, convolutions_keep_to_the_physical_bound);
  tcase_add_test(laws, better_gpus_are_not_slower);
  tcase_add_test(laws, larger_passes_take_longer);
  tcase_add_test(laws, check_bits_cost_bandwidth);
  tcase_add_test(laws, rows_are_read_again_at_most);
  tcase_add_test(laws, persistent_layers_need_registers);
  tcase_add_test(laws, recurrent_products_in_tf32_wait_for_their_numbers);
  tcase_add_test(laws, larger_recurrent_layers_take_longer);
  tcase_add_test(laws, narrow_steps_wait_along_the_contraction);
  tcase_add_test(laws, gathered_rows_are_whole_sectors);
  tcase_add_test(laws, winners_are_named);
  tcase_add_test(laws, convolutions_cost_the_same_together);
  suite_add_tcase(suite, laws);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
