/* Bounded least squares: against answers that are known otherwise. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel-lab.h"

enum { ROWS = 40 };

typedef struct rows {
  double x[ROWS], y[ROWS];
  int calls;
} rows;

static rows line_with(double slope, double offset, double noise)
{
  rows r = {{0}, {0}, 0};
  for (int i = 0; i < ROWS; i++) {
    r.x[i] = i / 10.0 - 2;
    r.y[i] = slope * r.x[i] + offset + noise * sin(37.0 * i * i + i);
  }
  return r;
}

static int line(void *context, const double *v, double *residuals, pm_error *error)
{
  rows *r = (rows *)context;
  (void)error;
  r->calls++;
  for (int i = 0; i < ROWS; i++) residuals[i] = v[0] * r->x[i] + v[1] - r->y[i];
  return PM_OK;
}

static pm_fit_result fit(pm_fit_parameter *p, size_t n, pm_fit_residuals *f, rows *r, double robust)
{
  pm_fit_options options = pm_fit_options_make();
  pm_fit_result result;
  pm_error error = PM_ERROR_NONE;
  options.robust = robust;
  options.tolerance = 1e-14;
  ck_assert_msg(pm_fit(p, n, f, r, ROWS, &options, &result, &error) == PM_OK, "%s", error.text);
  return result;
}

static bool near(double a, double b, double share)
{
  return fabs(a - b) <= share * fabs(b);
}

/* Slope, offset and their standard errors by the formulas of a straight line. */
START_TEST(a_straight_line_is_that_of_the_textbook)
{
  rows r = line_with(3, -1, 0.4);
  pm_fit_parameter p[] = {pm_fit_parameter_make("slope", 1, -10, 10), pm_fit_parameter_make("offset", 0, -10, 10)};
  fit(p, 2, line, &r, 0);
  double mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0;
  for (int i = 0; i < ROWS; i++) mx += r.x[i] / ROWS, my += r.y[i] / ROWS;
  for (int i = 0; i < ROWS; i++) sxx += (r.x[i] - mx) * (r.x[i] - mx), sxy += (r.x[i] - mx) * (r.y[i] - my);
  double slope = sxy / sxx, offset = my - slope * mx;
  for (int i = 0; i < ROWS; i++) rest += pow(slope * r.x[i] + offset - r.y[i], 2);
  double s = sqrt(rest / (ROWS - 2)), slope_error = s / sqrt(sxx), offset_error = s * sqrt(1.0 / ROWS + mx * mx / sxx);
  ck_assert(near(p[0].value, slope, 1e-6) && near(p[1].value, offset, 1e-6));
  ck_assert(near(p[0].uncertainty, slope_error / fabs(slope), 1e-4));
  ck_assert(near(p[1].uncertainty, offset_error / fabs(offset), 1e-4));
  ck_assert(p[0].state == PM_FIT_STATE_FITTED && p[1].state == PM_FIT_STATE_FITTED);
  double together = mx / sqrt(sxx / ROWS + mx * mx); /* of the errors of slope and offset: -sum x / sqrt(n sum x^2) */
  ck_assert(near(p[0].correlation, -together, 1e-3));
  ck_assert_str_eq(p[0].correlated, "offset");
}
END_TEST

static int power(void *context, const double *v, double *residuals, pm_error *error)
{
  const rows *r = (const rows *)context;
  (void)error;
  for (int i = 0; i < ROWS; i++) residuals[i] = log(v[0] * pow(3 + r->x[i], v[1])) - r->y[i];
  return PM_OK;
}

START_TEST(constants_come_back_over_many_decades)
{
  for (int decade = -9; decade <= 9; decade += 3) {
    rows r = line_with(0, 0, 0);
    for (int i = 0; i < ROWS; i++) r.y[i] = log(2.5 * pow(10, decade)) + 1.7 * log(3 + r.x[i]);
    pm_fit_parameter p[] = {pm_fit_parameter_make("factor", 1, 1e-12, 1e12),
                            pm_fit_parameter_make("exponent", 0.5, 0.1, 9)};
    fit(p, 2, power, &r, 0);
    ck_assert(near(p[0].value, 2.5 * pow(10, decade), 1e-5) && near(p[1].value, 1.7, 1e-5));
  }
}
END_TEST

START_TEST(bounds_hold_and_say_so)
{
  rows r = line_with(3, -1, 0);
  pm_fit_parameter p[] = {pm_fit_parameter_make("slope", 1, 0, 2), pm_fit_parameter_make("offset", 0.5, 0, 4)};
  fit(p, 2, line, &r, 0);
  ck_assert(p[0].value == 2 && p[0].state == PM_FIT_STATE_AT_UPPER && isnan(p[0].uncertainty));
  ck_assert(p[1].value == 0 && p[1].state == PM_FIT_STATE_AT_LOWER);
  pm_fit_parameter q[] = {pm_fit_parameter_make("slope", 2.5, 2.5, 2.5), pm_fit_parameter_make("offset", 0, -4, 4)};
  fit(q, 2, line, &r, 0);
  ck_assert(q[0].value == 2.5 && q[0].state == PM_FIT_STATE_FIXED && q[1].state == PM_FIT_STATE_FITTED);
}
END_TEST

/* Only the product of the first two matters, and the third not at all. */
static int product(void *context, const double *v, double *residuals, pm_error *error)
{
  const rows *r = (const rows *)context;
  (void)error;
  for (int i = 0; i < ROWS; i++) residuals[i] = log(v[0] * v[1]) + v[3] * r->x[i] - r->y[i];
  return PM_OK;
}

START_TEST(what_cannot_be_known_is_not_claimed)
{
  rows r = line_with(0.5, log(6), 0.1);
  pm_fit_parameter p[] = {pm_fit_parameter_make("a", 1, 0.1, 100), pm_fit_parameter_make("b", 1, 0.1, 100),
                          pm_fit_parameter_make("c", 1, 0.1, 100), pm_fit_parameter_make("d", 1, 0.1, 100)};
  fit(p, 4, product, &r, 0);
  ck_assert(near(p[0].value * p[1].value, 6, 0.05));
  for (int i = 0; i < 3; i++) ck_assert(p[i].state == PM_FIT_STATE_UNIDENTIFIED && isnan(p[i].uncertainty));
  ck_assert_int_eq(p[3].state, PM_FIT_STATE_FITTED);
}
END_TEST

START_TEST(robust_fits_ignore_a_few_wild_rows)
{
  rows r = line_with(3, -1, 0.01);
  for (int i = 0; i < ROWS; i += 9) r.y[i] += 20;
  pm_fit_parameter plain[] = {pm_fit_parameter_make("slope", 1, -10, 10), pm_fit_parameter_make("offset", 0, -10, 10)};
  pm_fit_parameter robust[] = {plain[0], plain[1]};
  fit(plain, 2, line, &r, 0);
  fit(robust, 2, line, &r, 0.02);
  ck_assert(fabs(plain[1].value + 1) > 1);
  ck_assert(fabs(robust[1].value + 1) < 0.02 && fabs(robust[0].value - 3) < 0.02);
}
END_TEST

/* Whole numbers of blocks: no derivative tells anything. */
static int stairs(void *context, const double *v, double *residuals, pm_error *error)
{
  const rows *r = (const rows *)context;
  (void)error;
  for (int i = 0; i < ROWS; i++) residuals[i] = floor(v[0] * (r->x[i] + 3)) - r->y[i];
  return PM_OK;
}

START_TEST(stairs_are_climbed)
{
  rows r = line_with(0, 0, 0);
  for (int i = 0; i < ROWS; i++) r.y[i] = floor(17 * (r.x[i] + 3));
  pm_fit_parameter p = pm_fit_parameter_make("stairs", 10, 1, 100);
  pm_fit_result result = fit(&p, 1, stairs, &r, 0);
  ck_assert(result.cost < result.start_cost / 100 && near(p.value, 17, 0.01));
}
END_TEST

START_TEST(the_same_twice)
{
  pm_fit_parameter p[2][2];
  for (int i = 0; i < 2; i++) {
    rows r = line_with(3, -1, 0.4);
    p[i][0] = pm_fit_parameter_make("slope", 1, -10, 10);
    p[i][1] = pm_fit_parameter_make("offset", 0, -10, 10);
    fit(p[i], 2, line, &r, 0.1);
  }
  ck_assert(memcmp(p[0], p[1], sizeof p[0]) == 0);
}
END_TEST

static int broken(void *context, const double *v, double *residuals, pm_error *error)
{
  (void)context, (void)v, (void)error;
  for (int i = 0; i < ROWS; i++) residuals[i] = NAN;
  return PM_OK;
}

static int stopped(void *context, const double *v, double *residuals, pm_error *error)
{
  (void)context, (void)v, (void)residuals, (void)error;
  return PM_STATUS_NOT_MODELLED;
}

START_TEST(bad_fits_say_why)
{
  rows r = line_with(1, 1, 0);
  pm_error error = PM_ERROR_NONE;
  pm_fit_parameter p[] = {pm_fit_parameter_make("slope", 5, 0, 2), pm_fit_parameter_make("offset", 0, -1, 1)};
  ck_assert_int_eq(pm_fit(p, 2, line, &r, ROWS, NULL, NULL, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(error.text, "\"slope\" starts at 5, which is not within its bounds 0 and 2");
  p[0].start = 1;
  ck_assert_int_eq(pm_fit(p, 2, line, &r, 1, NULL, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_fit(p, 2, NULL, &r, ROWS, NULL, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_fit(p, 2, broken, &r, ROWS, NULL, NULL, NULL), PM_STATUS_BAD_VALUE);
  ck_assert_int_eq(pm_fit(p, 2, stopped, &r, ROWS, NULL, NULL, NULL), PM_STATUS_NOT_MODELLED);
  pm_fit_options options = pm_fit_options_make();
  options.step = 0;
  ck_assert_int_eq(pm_fit(p, 2, line, &r, ROWS, &options, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fit");
  TCase *fits = tcase_create("fits");
  tcase_add_test(fits, a_straight_line_is_that_of_the_textbook);
  tcase_add_test(fits, constants_come_back_over_many_decades);
  tcase_add_test(fits, bounds_hold_and_say_so);
  tcase_add_test(fits, what_cannot_be_known_is_not_claimed);
  tcase_add_test(fits, robust_fits_ignore_a_few_wild_rows);
  tcase_add_test(fits, stairs_are_climbed);
  tcase_add_test(fits, the_same_twice);
  tcase_add_test(fits, bad_fits_say_why);
  suite_add_tcase(suite, fits);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
