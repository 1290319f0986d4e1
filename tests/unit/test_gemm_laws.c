/*
** Laws of matrix multiplications, whatever the constants are: on every shipped GPU that has some, at every precision
** that it has, for shapes drawn at random (the same ones every time).
*/
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "devices.h"

enum { SHAPES = 60 }; /* per GPU and precision */

static uint64_t state;

static double drawn(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) / 9007199254740992.0;
}

/* Whole numbers, as many below 10 as from 10 to 100. */
static double size_drawn(double least, double most)
{
  return floor(least * pow(most / least, drawn()));
}

/* Sizes that are a multiple of 16 bytes at every precision, and others. */
static pm_kernel drawn_product(int precision, bool aligned)
{
  pm_kernel kernel = kernel_of(PM_OPERATOR_GEMM, precision);
  double step = aligned ? 16 : 1;
  kernel.count = drawn() < 0.5 ? 1 : size_drawn(1, 500);
  kernel.m = step * size_drawn(1, 20000 / step);
  kernel.n = step * size_drawn(1, 20000 / step);
  kernel.k = step * size_drawn(1, 100000 / step);
  kernel.tn = drawn() < 0.5;
  return kernel;
}

static void say(const device *d, const pm_kernel *k, char *text, size_t size)
{
  snprintf(text, size, "%s, precision %d, %g x (%.17g x %.17g x %.17g)", d->gpu.id, k->precision, k->count, k->m, k->n,
           k->k);
}

/* ---- Every GPU, precision and shape ---- */

typedef void law(const device *d, const pm_kernel *kernel);

static int hold(law *holds, const device *d, bool aligned)
{
  int cases = 0;
  for (int precision = 0; precision < PM_PRECISION_COUNT; precision++) {
    if (!(pm_gpu_get_matrix_peak(&d->gpu, precision) > 0)) continue;
    for (int i = 0; i < SHAPES; i++) {
      pm_kernel kernel = drawn_product(precision, aligned);
      holds(d, &kernel);
      cases++;
    }
  }
  return cases;
}

static void hold_everywhere(law *holds, bool aligned)
{
  int cases = 0;
  state = 20240607;
  device d;
  EACH_DEVICE(d) cases += hold(holds, &d, aligned);
  ck_assert_int_gt(cases, 5000);
}

/* ---- More work takes no less ---- */

static void check_not_faster(const device *d, const pm_kernel *small, const pm_kernel *large)
{
  char one[300], other[300];
  double before = time_of(d, small).time, after = time_of(d, large).time;
  say(d, small, one, sizeof one);
  say(d, large, other, sizeof other);
  ck_assert_msg(after >= before * (1 - 1e-9), "%s: %g us\n%s: %g us", one, before * 1e6, other, after * 1e6);
}

/* Each size by itself, by whole tiles and by any number that keeps the alignment. */
static void larger_is_not_faster(const device *d, const pm_kernel *kernel)
{
  const double steps[] = {16, 256, 16 * size_drawn(1, 1000)};
  for (int i = 0; i < 3; i++) {
    pm_kernel m = *kernel, n = *kernel, k = *kernel, count = *kernel;
    m.m += steps[i];
    n.n += steps[i];
    k.k += steps[i];
    count.count += steps[i] / 16;
    check_not_faster(d, kernel, &m);
    check_not_faster(d, kernel, &n);
    check_not_faster(d, kernel, &k);
    check_not_faster(d, kernel, &count);
  }
}

START_TEST(larger_products_are_not_faster)
{
  hold_everywhere(larger_is_not_faster, true);
  hold_everywhere(larger_is_not_faster, false);
}
END_TEST

/* ---- A better GPU is no slower, and gains no more than it is better ---- */

/* The peaks go with clock and SMs. */
static device improved(const device *d, double clock, double sms, double bandwidth)
{
  device better = *d;
  better.gpu.clock *= clock;
  better.gpu.sms = (int)(d->gpu.sms * sms);
  double rate = clock * better.gpu.sms / d->gpu.sms;
  double *const peaks[] = {&better.gpu.peak_fp64, &better.gpu.peak_fp32, &better.gpu.peak_fp16,
                           &better.gpu.peak_tf32_tensor, &better.gpu.peak_fp16_tensor, &better.gpu.peak_bf16_tensor,
                           &better.gpu.peak_fp8_tensor, &better.gpu.peak_fp4_tensor, &better.gpu.peak_int8,
                               &better.gpu.peak_fp64_tensor,
                           &better.gpu.peak_fp32_tensor};
  for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) *peaks[i] *= rate;
  better.gpu.memory_bandwidth *= bandwidth;
  return better;
}

static void check_gain(const device *d, const device *better, const pm_kernel *kernel, double most, const char *what)
{
  char text[300];
  double before = time_of(d, kernel).time, after = time_of(better, kernel).time;
  say(d, kernel, text, sizeof text);
  ck_assert_msg(after <= before * (1 + 1e-9), "%s, more %s: %g us after %g", text, what, after * 1e6, before * 1e6);
  ck_assert_msg(after >= before / most * (1 - 1e-9), "%s, %g times the %s: %g us after %g", text, most, what,
                after * 1e6, before * 1e6);
}

static void better_is_not_slower(const device *d, const pm_kernel *kernel)
{
  device fast = improved(d, 1.001, 1, 1), faster = improved(d, 1.5, 1, 1), wide = improved(d, 1, 1, 1.001);
  device wider = improved(d, 1, 1, 1.5), many = improved(d, 1, 1.5, 1), cool = *d, large = *d;
  cool.gpu.power *= 1.01;
  large.gpu.l2_cache *= 1.5;
  check_gain(d, &fast, kernel, 1.001, "clock");
  check_gain(d, &faster, kernel, 1.5, "clock");
  check_gain(d, &wide, kernel, 1.001, "bandwidth");
  check_gain(d, &wider, kernel, 1.5, "bandwidth");
  check_gain(d, &cool, kernel, 1.01, "power");
  check_gain(d, &many, kernel, INFINITY, "SMs");
  check_gain(d, &large, kernel, INFINITY, "L2");
}

START_TEST(better_gpus_are_not_slower)
{
  hold_everywhere(better_is_not_slower, false);
}
END_TEST

/* BF16, FP8, FP4. Single rows have kernels of their own in BF16 alone. */
static void fewer_bits_not_slower(const device *d, const pm_kernel *kernel)
{
  static const int narrower[] = {PM_PRECISION_FP8, PM_PRECISION_FP4};
  pm_kernel wide = *kernel, narrow = *kernel;
  if (kernel->precision != PM_PRECISION_BF16 || kernel->m < 2 || kernel->n < 2) return;
  for (size_t i = 0; i < 2 && pm_gpu_get_matrix_peak(&d->gpu, narrower[i]) > 0; i++) {
    narrow.precision = narrower[i];
    double before = time_of(d, &wide).time, after = time_of(d, &narrow).time;
    char text[300];
    say(d, &narrow, text, sizeof text);
    ck_assert_msg(after <= before * (1 + 1e-9), "%s: %g us after %g", text, after * 1e6, before * 1e6);
    wide.precision = narrow.precision;
  }
}

START_TEST(fewer_bits_are_not_slower)
{
  hold_everywhere(fewer_bits_not_slower, false);
}
END_TEST

/* A kernel at half of the library's rate takes more time, and no more than twice as much; a higher rate than the
** library's is not taken. */
static void slower_kernels_take_longer(const device *d, const pm_kernel *kernel)
{
  pm_kernel half = *kernel, twice = *kernel;
  half.rate = 0.5;
  twice.rate = 2;
  double whole = time_of(d, kernel).time, slow = time_of(d, &half).time;
  char text[300];
  say(d, kernel, text, sizeof text);
  ck_assert_msg(slow >= whole && slow <= 2 * whole * (1 + 1e-9), "%s: %g us, at half the rate %g", text, whole * 1e6,
                slow * 1e6);
  ck_assert_double_eq(time_of(d, &twice).time, whole);
}

START_TEST(a_share_of_the_rate_takes_longer)
{
  hold_everywhere(slower_kernels_take_longer, false);
}
END_TEST

/* A board that multiplies at half rate where the integers' stays takes longer, and less than twice as long: what its
** SMs do besides is as fast as before. */
static void half_rate_takes_longer(const device *d, const pm_kernel *kernel)
{
  device half = *d;
  if (kernel->precision != PM_PRECISION_FP16 || !(d->constants.tensor_prologue > 0) || !(d->gpu.peak_int8 > 0)) return;
  half.gpu.peak_fp16_tensor /= 2;
  double whole = time_of(d, kernel).time, slow = time_of(&half, kernel).time;
  char text[300];
  say(d, kernel, text, sizeof text);
  ck_assert_msg(slow >= whole && slow <= 2 * whole * (1 + 1e-9), "%s: %g us, of a half %g", text, whole * 1e6,
                slow * 1e6);
}

START_TEST(a_board_of_half_the_rate_takes_longer)
{
  hold_everywhere(half_rate_takes_longer, false);
}
END_TEST

/* Constants are fitted: a little more of one changes little. */
static void constants_change_little(const device *d, const pm_kernel *kernel)
{
  device other = *d;
  pm_kernel_calibration *c = &other.constants;
  double *const efficiencies[] = {&c->simt_efficiency, &c->tensor_efficiency, &c->hbm_efficiency, &c->gddr_efficiency};
  double *const others[] = {&c->simt_latency_threads, &c->tensor_latency_threads, &c->simt_flop_energy,
                            &c->tensor_flop_energy, &c->prologue};
  for (size_t i = 0; i < sizeof efficiencies / sizeof efficiencies[0]; i++) *efficiencies[i] *= 1 / 1.001;
  check_gain(&other, d, kernel, 1.001 * 1.001, "efficiency");
  other = *d;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) *others[i] *= 1 / 1.001;
  check_gain(d, &other, kernel, 1.001 * 1.001, "hidden latency and energy");
}

START_TEST(times_follow_their_constants)
{
  hold_everywhere(constants_change_little, false);
}
END_TEST

/* ---- Bounds ---- */

/* The arithmetic at its peak, each operand once through the memory, the power of the board. GeForce boards boost above
** their clock, by what their constants say and by the clock that they hold. */
static void roof_is_kept(const device *d, const pm_kernel *kernel)
{
  char text[300];
  pm_kernel_time time = time_of(d, kernel);
  double held = fmax(d->gpu.clock, d->gpu.held_clock) / d->gpu.clock;
  double boost = held * fmax(1, fmax(d->constants.simt_efficiency, d->constants.tensor_efficiency));
  double flop = 2 * kernel->count * kernel->m * kernel->n * kernel->k;
  double elements = kernel->count * (kernel->m * kernel->k + kernel->n * kernel->k + kernel->m * kernel->n);
  double bytes = pm_precision_get_bytes(kernel->precision) * elements;
  say(d, kernel, text, sizeof text);
  ck_assert_msg(time.time * boost * pm_gpu_get_matrix_peak(&d->gpu, kernel->precision) >= flop * (1 - 1e-9),
                "%s: %g us, above the peak", text, time.time * 1e6);
  ck_assert_msg(time.time * d->gpu.memory_bandwidth >= bytes * (1 - 1e-9), "%s: %g us, above the bandwidth", text,
                time.time * 1e6);
  ck_assert(time.roofline_time <= time.time * boost * (1 + 1e-9));
}

START_TEST(products_keep_to_the_roof)
{
  hold_everywhere(roof_is_kept, false);
}
END_TEST

/* ---- Symmetry ---- */

static void transposed_is_equal(const device *d, const pm_kernel *kernel)
{
  char text[300];
  pm_kernel turned = *kernel;
  turned.m = kernel->n;
  turned.n = kernel->m;
  say(d, kernel, text, sizeof text);
  double one = time_of(d, kernel).time, other = time_of(d, &turned).time;
  ck_assert_msg(fabs(other / one - 1) < 1e-12, "%s: %g us, transposed %g", text, one * 1e6, other * 1e6);
}

START_TEST(transposed_products_take_the_same)
{
  hold_everywhere(transposed_is_equal, false);
}
END_TEST

/* ---- How the operands are stored ---- */

static int waited;

static void rows_along_the_contraction_take_no_less(const device *d, const pm_kernel *kernel)
{
  char text[300];
  pm_kernel nn = *kernel, tn = *kernel;
  nn.tn = false;
  tn.tn = true;
  say(d, kernel, text, sizeof text);
  double one = time_of(d, &nn).time, other = time_of(d, &tn).time;
  ck_assert_msg(other >= one * (1 - 1e-12), "%s: %g us, along the contraction %g", text, one * 1e6, other * 1e6);
  waited += other > 1.5 * one;
}

/* Aligned ones. Pascal's wait for addresses, others' do not. */
START_TEST(operands_along_the_contraction)
{
  device d;
  waited = 0;
  hold_everywhere(rows_along_the_contraction_take_no_less, true);
  ck_assert_int_gt(waited, 10);
  waited = 0;
  d.gpu = gpu("v100-sxm2-16gb");
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL), PM_OK);
  hold(rows_along_the_contraction_take_no_less, &d, true);
  ck_assert_int_eq(waited, 0);
}
END_TEST

/* ---- Many as one ---- */

START_TEST(many_equal_one_bit_for_bit)
{
  enum { MANY = 400 };
  static pm_kernel kernels[MANY];
  static pm_kernel_time many[MANY];
  state = 7;
  for (int i = 0; i < pm_catalog_count(catalog, "gpus"); i++) {
    device d;
    ck_assert_int_eq(pm_catalog_get_record(catalog, "gpu", pm_catalog_get_id(catalog, "gpus", (size_t)i), &d.gpu, NULL),
                     PM_OK);
    if (pm_catalog_get_kernels(catalog, &d.gpu, &d.constants, NULL) != PM_OK) continue;
    for (int j = 0; j < MANY; j++) {
      int precision = j % PM_PRECISION_COUNT;
      if (!(pm_gpu_get_matrix_peak(&d.gpu, precision) > 0)) precision = PM_PRECISION_FP32;
      kernels[j] = drawn_product(precision, false);
    }
    ck_assert_int_eq(pm_kernel_predict(&d.gpu, &d.constants, kernels, many, MANY, NULL), PM_OK);
    for (int j = 0; j < MANY; j++) {
      pm_kernel_time one = time_of(&d, &kernels[j]);
      ck_assert(memcmp(&one, &many[j], sizeof one) == 0);
    }
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("gemm laws");
  TCase *laws = tcase_create("laws");
  tcase_add_checked_fixture(laws, open_catalog, close_catalog);
  tcase_set_timeout(laws, 120);
  tcase_add_test(laws, larger_products_are_not_faster);
  tcase_add_test(laws, better_gpus_are_not_slower);
  tcase_add_test(laws, fewer_bits_are_not_slower);
  tcase_add_test(laws, a_share_of_the_rate_takes_longer);
  tcase_add_test(laws, a_board_of_half_the_rate_takes_longer);
  tcase_add_test(laws, times_follow_their_constants);
  tcase_add_test(laws, products_keep_to_the_roof);
  tcase_add_test(laws, transposed_products_take_the_same);
  tcase_add_test(laws, operands_along_the_contraction);
  tcase_add_test(laws, many_equal_one_bit_for_bit);
  suite_add_tcase(suite, laws);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
