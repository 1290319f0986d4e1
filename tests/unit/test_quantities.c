/* Quantities and numbers as text. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "fixtures.h"

static double read(const char *text, const char *unit)
{
  double value = -1;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_quantity_parse(text, unit, &value, &error) == PM_OK, "%s: %s", text, error.text);
  return value;
}

static void refuse(const char *text, const char *unit, int status, const char *words)
{
  double value = 42;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_quantity_parse(text, unit, &value, &error), status);
  ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" lacks \"%s\"", error.text, words);
  ck_assert(value == 42); /* untouched */
}

/* Large numbers of things, as people write them. */
START_TEST(counts_take_letters)
{
  static const struct { const char *text; double value; } cases[] = {
    {"300B", 300e9}, {"1.5T", 1.5e12}, {"30 k", 30e3}, {"2M", 2e6}, {"1 billion", 1e9}};
  double value;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert_int_eq(pm_quantity_parse(cases[i].text, "1", &value, NULL), PM_OK);
    ck_assert_double_eq(value, cases[i].value);
  }
  ck_assert_int_ne(pm_quantity_parse("3 X", "1", &value, NULL), PM_OK);
  ck_assert_int_ne(pm_quantity_parse("3 m", "1", &value, NULL), PM_OK);
}
END_TEST

START_TEST(units_mean_what_they_say)
{
  ck_assert(read("900 GB/s", "B/s") == 900e9);
  ck_assert(read("100 Gbit/s", "B/s") == 12.5e9);
  ck_assert(read("16 GiB", "B") == 17179869184.0);
  ck_assert(read("16 GB", "B") == 16e9);
  ck_assert(read("1.28 us", "s") == 1.28e-6);
  ck_assert(read("1.28 \xc2\xb5s", "s") == 1.28e-6);
  ck_assert(read("15.7 TFLOP/s", "FLOP/s") == 15.7e12);
  ck_assert(read("1530 MHz", "Hz") == 1.53e9);
  ck_assert(read("1513 images/s", "1/s") == 1513);
  ck_assert(read("86.4 %", "1") == 0.864);
  ck_assert(read("6 h", "s") == 21600);
  ck_assert(isinf(read("unlimited", "B/s")));
}
END_TEST

START_TEST(prices_take_any_currency)
{
  ck_assert(read("2.5 USD", "currency/h") == 2.5);
  ck_assert(read("4 CHF/h", "currency/h") == 4);
  ck_assert(read("3 EUR per hour", "currency/h") == 3);
  ck_assert(read("0.1 EUR/kWh", "currency/kWh") == 0.1);
  ck_assert(read("90 EUR/MWh", "currency/kWh") == 0.09);
  refuse("2.5 USD/week", "currency/h", PM_STATUS_BAD_UNIT, "unknown unit");
  refuse("2.5 /h", "currency/h", PM_STATUS_BAD_UNIT, "unit");
}
END_TEST

START_TEST(bad_quantities_say_what_to_write)
{
  refuse("25", "B/s", PM_STATUS_BAD_UNIT, "\"25\" has no unit; write \"25 GB/s\"");
  refuse("25 GB", "B/s", PM_STATUS_BAD_UNIT, "wrong unit");
  refuse("25 Gb/parsec", "B/s", PM_STATUS_BAD_UNIT, "unknown unit");
  refuse("fast", "B/s", PM_STATUS_BAD_VALUE, "not a quantity");
  refuse("1e400 B", "B", PM_STATUS_BAD_VALUE, "out of range");
  refuse("1e-400 B", "B", PM_STATUS_BAD_VALUE, "out of range"); /* would silently be zero */
  refuse("1e308 h", "s", PM_STATUS_BAD_VALUE, "out of range"); /* only as seconds */
  refuse("1e308 TB", "B", PM_STATUS_BAD_VALUE, "out of range");
  refuse("5 lengths-of-a-football-field-in-bits", "B", PM_STATUS_BAD_UNIT, "unknown unit");
  refuse("five", "", PM_STATUS_BAD_VALUE, "is not a number");
  refuse("3e-308 bit", "B", PM_STATUS_BAD_VALUE, "out of range"); /* only as bytes */
  refuse(NULL, "B", PM_STATUS_BAD_ARGUMENT, "needs a text, a unit and a place");
  refuse("1 B", NULL, PM_STATUS_BAD_ARGUMENT, "needs a text, a unit and a place");
  ck_assert_int_eq(pm_quantity_parse("1 B", "B", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  refuse("", "s", PM_STATUS_BAD_VALUE, "not a quantity");
  refuse("0x10", "1", PM_STATUS_BAD_UNIT, "unknown unit");
  refuse("1,5 GB", "B", PM_STATUS_BAD_UNIT, "unknown unit");
}
END_TEST

/* Shortest text that reads back to the same bits, for numbers of every size. */
START_TEST(numbers_survive_the_round_trip)
{
  double value = 1.0 / 3;
  for (int i = 0; i < 2000; i++) {
    char text[PM_NUMBER_MAX];
    double back;
    value = fmod(value * 1103515245.0 + 12345.678, 1e9) * pow(10, i % 60 - 30);
    ck_assert_int_eq(pm_number_parse(pm_number_format(text, value), &back), PM_OK);
    ck_assert_msg(back == value, "%s", text);
    ck_assert_uint_lt(strlen(text), PM_NUMBER_MAX);
  }
  char text[PM_NUMBER_MAX];
  ck_assert_str_eq(pm_number_format(text, 0.1), "0.1");
  ck_assert_str_eq(pm_number_format(text, 25557032), "25557032");
}
END_TEST

/* Short numbers take a way of their own; the C library rounds correctly. */
START_TEST(numbers_are_rounded_as_the_c_library_does)
{
  double draw = 0.1234;
  for (int i = 0; i < 20000; i++) {
    char text[64];
    double value;
    draw = fmod(draw * 16807.0 + 0.345, 1.0);
    snprintf(text, sizeof text, "%.0fe%d", floor(draw * pow(10, 1 + i % 18)), i / 18 % 61 - 30);
    ck_assert_int_eq(pm_number_parse(text, &value), PM_OK);
    ck_assert_msg(value == strtod(text, NULL), "%s is read as %.17g", text, value);
  }
}
END_TEST

START_TEST(people_see_four_digits)
{
  char text[64];
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, 900e9, "B/s"), "900 GB/s");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, 999.96e6, "B"), "1 GB");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, 1.2345e-4, "s"), "123.5 us");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, 0, "s"), "0 s");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, (double)NAN, "s"), "unknown");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, (double)INFINITY, "B/s"), "unlimited");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, -(double)INFINITY, "B/s"), "-unlimited");
  ck_assert_str_eq(pm_quantity_format(text, sizeof text, 25557032, "1"), "25557032");
}
END_TEST

START_TEST(the_locale_changes_nothing)
{
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "de_DE") == NULL) return;
  char text[PM_NUMBER_MAX], probe[16];
  snprintf(probe, sizeof probe, "%.1f", 1.5);
  ck_assert_str_eq(probe, "1,5"); /* the locale is really on */
  ck_assert_str_eq(pm_number_format(text, 1.5), "1.5");
  ck_assert_str_eq(pm_number_format(text, 1.25e-300), "1.25e-300");
  ck_assert(read("1.28 us", "s") == 1.28e-6);
  setlocale(LC_ALL, "C");
}
END_TEST

/* What a text is as a number; NAN if it is none. */
static double parsed(const char *text)
{
  double value = (double)NAN;
  return pm_number_parse(text, &value) == PM_OK ? value : (double)NAN;
}

START_TEST(numbers_at_their_edges)
{
  char digits[404] = "", buffer[PM_NUMBER_MAX];
  ck_assert_double_eq(parsed("0123456789"), 123456789);
  ck_assert_double_eq(parsed("-5"), -5);
  ck_assert_double_eq(parsed("+5"), 5);
  ck_assert_double_eq(parsed("-.5"), -0.5);
  ck_assert_double_eq(parsed("5."), 5);
  ck_assert_double_eq(parsed("1E3"), 1000);
  ck_assert_double_eq(parsed("1e+3"), 1000);
  ck_assert_double_eq(parsed("12.5e-1"), 1.25);
  ck_assert_double_eq(parsed("0e999999999999"), 0);
  ck_assert_double_eq(parsed("2.2250738585072014e-308"), 2.2250738585072014e-308);
  ck_assert_double_eq(parsed("1.7976931348623157e308"), 1.7976931348623157e308);
  static const char *const none[] = {"", "-", ".", "1.2.3", "1e", "1e+", "1f", "/1", ":", "1:", "--1", "nan", "inf",
                                     "0x1", "1e309", "2.2e-308",
                                     "1e-999999999999", "1e999999999999", " 1", "1 "};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) ck_assert_msg(isnan(parsed(none[i])), "\"%s\"", none[i]);
  memset(digits, '0', 400);
  digits[399] = '7';
  ck_assert_double_eq(parsed(digits), 7);
  digits[400] = '7';
  ck_assert_msg(isnan(parsed(digits)), "more than 400 digits");
  ck_assert_double_eq(pm__largest_divisor(12, 5), 4);
  ck_assert_double_eq(pm__largest_divisor(7, 3), 1);
  ck_assert_double_eq(pm__largest_divisor(9, 9), 9);
  ck_assert_int_ne(pm_number_parse(NULL, &(double){0}), PM_OK);
  ck_assert_int_ne(pm_number_parse("1", NULL), PM_OK);
  ck_assert_str_eq(pm_number_format(buffer, (double)INFINITY), "inf");
  ck_assert_str_eq(pm_number_format(buffer, -(double)INFINITY), "-inf");
  ck_assert_str_eq(pm_number_format(buffer, (double)NAN), "nan");
  ck_assert_str_eq(pm_number_format(buffer, 0.1), "0.1");
  ck_assert_str_eq(pm_number_format(buffer, 123456789012345), "123456789012345");
  ck_assert_str_eq(pm_number_format(buffer, 0.1 + 0.2), "0.30000000000000004");
  ck_assert_str_eq(pm_number_format(buffer, -2.5e-7), "-2.5e-07");
  ck_assert_str_eq(pm_number_format(buffer, 1.7976931348623157e308), "1.7976931348623157e+308"); /* less is too much */
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("quantities");
  TCase *tests = tcase_create("quantities");
  tcase_add_test(tests, counts_take_letters);
  tcase_add_test(tests, units_mean_what_they_say);
  tcase_add_test(tests, prices_take_any_currency);
  tcase_add_test(tests, bad_quantities_say_what_to_write);
  tcase_add_test(tests, numbers_survive_the_round_trip);
  tcase_add_test(tests, numbers_are_rounded_as_the_c_library_does);
  tcase_add_test(tests, numbers_at_their_edges);
  tcase_add_test(tests, people_see_four_digits);
  tcase_add_test(tests, the_locale_changes_nothing);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
