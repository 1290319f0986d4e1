/* What a board draws whose times are known: by the law, half waiting, with its arithmetic, and under limits. */
#include <math.h>
#include "fixtures.h"

static const double own = NAN;

static pm_kernel_calibration law(double idle, double simt, double tensor, double energy)
{
  pm_kernel_calibration k;
  pm_record_clear(pm_record_type_find("kernel_calibration"), &k);
  k.idle_power = idle;
  k.simt_power = simt;
  k.simt_power_basis = k.tensor_power_basis = PM_ORIGIN_FITTED;
  k.tensor_power = tensor;
  k.tensor_flop_energy = energy;
  k.power_margin = 0.985;
  k.limit_softness = 2.09;
  k.limit_free = 0.97;
  k.limit_fixed = 0.101;
  k.limit_fixed_most = 0.8;
  k.limit_knee = 0.871;
  k.limit_voltage = 2.631;
  k.limit_clocked = 0.917;
  k.limit_least = 0.5;
  k.power_band_fitted = 0.15;
  k.power_band_rule = 0.3;
  return k;
}

static pm_gpu board(double watts)
{
  pm_gpu gpu = fixture_gpu();
  gpu.power = watts;
  gpu.tensor_cores = 8;
  return gpu;
}

static pm_board_draw draw_of(const pm_gpu *gpu, const pm_kernel_calibration *k, const pm_board_load *load)
{
  pm_board_draw draw;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_board_predict(gpu, k, load, &draw, &error) == PM_OK, "%s", error.text);
  return draw;
}

static pm_board_load load_of(int32_t precision, double busy, double limit, double drawn)
{
  pm_board_load load = pm_board_load_make();
  load.precision = precision;
  load.busy = busy;
  load.limit = limit;
  load.drawn = drawn;
  return load;
}

/* V100 PCIe: 38 W waiting, 224 W running. */
START_TEST(running_and_waiting)
{
  pm_gpu gpu = board(250);
  pm_kernel_calibration k = law(38.0 / 250, 224.0 / 250, 0.68, 2.2e-12);
  pm_board_load always = load_of(PM_PRECISION_FP32, own, own, own), half = always, never = always;
  half.busy = 0.5;
  never.busy = 0;
  pm_board_draw draw = draw_of(&gpu, &k, &always);
  ck_assert_double_eq_tol(draw.power, 224, 1e-9);
  ck_assert_double_eq_tol(draw.p90 / draw.power, 1.15, 1e-12);
  ck_assert_double_eq_tol(draw.power / draw.p10, 1.15, 1e-12);
  ck_assert_int_eq(draw.basis, PM_ORIGIN_FITTED);
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &half).power, 131, 1e-9);
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &never).power, 38, 1e-9);
}
END_TEST

/* H100: the draw follows the arithmetic up to the highest mean. */
START_TEST(arithmetic_draws_beside)
{
  const double rates[] = {0, 100e12, 200e12, 400e12}, watts[] = {476.7, 563.7, 650.7, 689.5};
  pm_gpu gpu = board(700);
  pm_kernel_calibration k = law(0.12, 0.8, 0.681, 0.87e-12);
  for (int i = 0; i < 4; i++) {
    pm_board_load load = load_of(PM_PRECISION_FP16, own, own, own);
    load.flop_rate = rates[i];
    ck_assert_double_eq_tol(draw_of(&gpu, &k, &load).power, watts[i], 1e-9);
  }
}
END_TEST

/* 222 W under the own limit of 250 W; 100 W of a kernel that is far from it. */
START_TEST(limits_lower_power_and_stretch_time)
{
  const double limits[] = {100, 125, 150, 200, 250}, watts[] = {96.86, 119.91, 142.21, 184.12, 222};
  const double times[] = {1.8348, 1.4082, 1.1556, 1.0556, 1};
  pm_gpu gpu = board(250);
  pm_kernel_calibration k = law(38.0 / 250, 224.0 / 250, 0.68, 2.2e-12);
  for (int i = 0; i < 5; i++) {
    pm_board_load load = load_of(PM_PRECISION_FP32, 1, limits[i], 222);
    pm_board_draw draw = draw_of(&gpu, &k, &load);
    ck_assert_double_eq_tol(draw.power, watts[i], 0.005);
    ck_assert_double_eq_tol(draw.slowdown, times[i], 5e-5);
  }
  pm_board_load light = load_of(PM_PRECISION_FP32, 1, 150, 100);
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &light).power, 88.52, 0.005);
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &light).slowdown, 1.0431, 5e-5);
}
END_TEST

/* A board that waits most of the time is slowed in the rest alone; its own limit changes no bit. */
START_TEST(waiting_is_not_slowed)
{
  pm_gpu gpu = board(250);
  pm_kernel_calibration k = law(38.0 / 250, 224.0 / 250, 0.68, 2.2e-12);
  pm_board_load busy = load_of(PM_PRECISION_FP32, own, 125, 224), mostly = load_of(PM_PRECISION_FP32, own, 125, 131);
  pm_board_load free = load_of(PM_PRECISION_FP32, own, own, 131), at_own = load_of(PM_PRECISION_FP32, own, 250, 131);
  double all = draw_of(&gpu, &k, &busy).slowdown - 1;
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &mostly).slowdown - 1, all / 2, 1e-9); /* it works half of the time */
  ck_assert_double_eq(draw_of(&gpu, &k, &free).power, draw_of(&gpu, &k, &at_own).power);
  ck_assert_double_eq_tol(draw_of(&gpu, &k, &free).power, 131, 1e-9);
}
END_TEST

START_TEST(unknown_and_bad)
{
  pm_gpu gpu = board(250), unknown = board(NAN);
  pm_kernel_calibration k = law(0.2, 0.9, 0.68, 1e-12);
  pm_board_load load = pm_board_load_make();
  pm_board_draw draw;
  ck_assert(isnan(draw_of(&unknown, &k, &load).power));
  ck_assert_int_eq(draw_of(&unknown, &k, &load).basis, PM_ORIGIN_NONE);
  ck_assert(isnan(draw_of(&gpu, NULL, &load).power));
  const pm_board_load bad[] = {load_of(PM_PRECISION_FP16, 1.5, own, own), load_of(PM_PRECISION_FP16, -1, own, own),
                               load_of(PM_PRECISION_FP16, own, 251, own), load_of(PM_PRECISION_FP16, own, -5, own),
                               load_of(PM_PRECISION_FP16, own, own, INFINITY), load_of(-1, own, own, own)};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(pm_board_predict(&gpu, &k, &bad[i], &draw, &error), PM_STATUS_BAD_ARGUMENT);
    ck_assert(error.text[0] != '\0' && isnan(draw.power));
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("board");
  TCase *tests = tcase_create("tests");
  tcase_add_test(tests, running_and_waiting);
  tcase_add_test(tests, arithmetic_draws_beside);
  tcase_add_test(tests, limits_lower_power_and_stretch_time);
  tcase_add_test(tests, waiting_is_not_slowed);
  tcase_add_test(tests, unknown_and_bad);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
