/* Integer expressions: values, precedence, and what is refused. */
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "network/definition.h"

/* width is 8, stride 2, big is 2^53 - 1. */
static bool look_up(const void *scope, const char *name, size_t length, double *value)
{
  (void)scope;
  if (length == 5 && memcmp(name, "width", 5) == 0) return *value = 8, true;
  if (length == 6 && memcmp(name, "stride", 6) == 0) return *value = 2, true;
  if (length == 3 && memcmp(name, "big", 3) == 0) return *value = 9007199254740991.0, true;
  return false;
}

typedef struct example {
  const char *text;
  double value;
} example;

START_TEST(values)
{
  static const example examples[] = {
    {"7", 7}, {" 7 ", 7}, {"width*4", 32}, {"(width+31)/32", 1}, {"1+2*3", 7}, {"(1+2)*3", 9}, {"10-2-3", 5},
    {"-3+5", 2}, {"--3", 3}, {"!0", 1}, {"!width", 0}, {"stride>1", 1}, {"stride>=2", 1}, {"stride<2", 0},
    {"stride<=2", 1}, {"stride==2", 1}, {"stride!=2", 0}, {"1<2==1", 1}, {"1==1&&2==2", 1}, {"0||0", 0}, {"2||0", 1},
    {"1||0&&0", 1}, {"2*3%4", 2}, {"17/5", 3}, {"17%5", 2}, {"!(stride==2)", 0},
  };
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    double value = -1;
    pm_error error = PM_ERROR_NONE;
    ck_assert_msg(pm__expression(examples[i].text, look_up, NULL, &value, &error) == PM_OK, "%s", error.text);
    ck_assert_msg(value == examples[i].value, "%s is %g", examples[i].text, value);
  }
}
END_TEST

/* a == a/b*b + a%b, and a/b rounds down: 0 <= a%b < b, or b < a%b <= 0. */
START_TEST(division_rounds_down)
{
  char text[64];
  for (int a = -20; a <= 20; a++)
    for (int b = -7; b <= 7; b++) {
      double quotient, rest;
      if (b == 0) continue;
      snprintf(text, sizeof text, "(%d)/(%d)", a, b);
      ck_assert_int_eq(pm__expression(text, NULL, NULL, &quotient, NULL), PM_OK);
      snprintf(text, sizeof text, "(%d)%%(%d)", a, b);
      ck_assert_int_eq(pm__expression(text, NULL, NULL, &rest, NULL), PM_OK);
      ck_assert(quotient * b + rest == a);
      ck_assert(b > 0 ? rest >= 0 && rest < b : rest <= 0 && rest > b);
    }
}
END_TEST

START_TEST(large_numbers_stay_exact)
{
  static const example examples[] = {
    {"big", 9007199254740991.0}, {"big-1", 9007199254740990.0}, {"big/2", 4503599627370495.0}, {"(big-1)/big", 0},
    {"(2*(big/2)-1)/(big/2)", 1}, {"(3*(big/3)-1)/(big/3)", 2}, {"(-big)/(big-1)", -2},
    {"(-big)%(big-1)", 9007199254740989.0}, {"big%1000", 991}, {"9007199254740991", 9007199254740991.0},
  };
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    double value = -1;
    ck_assert_int_eq(pm__expression(examples[i].text, look_up, NULL, &value, NULL), PM_OK);
    ck_assert_msg(value == examples[i].value, "%s is %.17g", examples[i].text, value);
  }
}
END_TEST

START_TEST(what_cannot_matter_cannot_fail)
{
  double value;
  ck_assert_int_eq(pm__expression("0 && 1/0", NULL, NULL, &value, NULL), PM_OK);
  ck_assert(value == 0);
  ck_assert_int_eq(pm__expression("1 || 1/0", NULL, NULL, &value, NULL), PM_OK);
  ck_assert(value == 1);
  ck_assert_int_eq(pm__expression("1 && 1/0", NULL, NULL, &value, NULL), PM_STATUS_BAD_VALUE);
}
END_TEST

START_TEST(junk_is_refused)
{
  static const char *const junk[][2] = {
    {"", "ends too early"}, {"1+", "ends too early"}, {"(1", "closing parenthesis"}, {"1)", "cannot be read"},
    {"1 2", "cannot be read"}, {"*3", "cannot be read"}, {"1.5", "whole numbers"}, {"3x", "whole numbers"},
    {"1/0", "divides by zero"}, {"1%(3-3)", "divides by zero"}, {"widht", "there is no parameter \"widht\""},
    {"big+1", "beyond 2^53"}, {"big*big", "beyond 2^53"}, {"99999999999999999999", "beyond 2^53"},
    {"-big-1", "beyond 2^53"}, {"1=1", "cannot be read"}, {"1<2<3", "cannot be read"}, {"a&b", "there is no"},
    {"1&2", "cannot be read"}, {"\xc3\xa9", "cannot be read"},
  };
  for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
    double value = 42;
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(pm__expression(junk[i][0], look_up, NULL, &value, &error), PM_STATUS_BAD_VALUE);
    ck_assert_msg(strstr(error.text, junk[i][1]) != NULL, "%s: %s", junk[i][0], error.text);
    ck_assert(value == 42);
  }
}
END_TEST

START_TEST(depth_is_limited)
{
  char text[20001];
  double value;
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; i < sizeof text - 1; i++) text[i] = "(-!"[i % 3];
  text[sizeof text - 1] = '\0';
  ck_assert_int_eq(pm__expression(text, NULL, NULL, &value, &error), PM_STATUS_BAD_VALUE);
  ck_assert_msg(strstr(error.text, "nested too deeply") != NULL, "%s", error.text);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("expression");
  TCase *tests = tcase_create("expression");
  tcase_add_test(tests, values);
  tcase_add_test(tests, division_rounds_down);
  tcase_add_test(tests, large_numbers_stay_exact);
  tcase_add_test(tests, what_cannot_matter_cannot_fail);
  tcase_add_test(tests, junk_is_refused);
  tcase_add_test(tests, depth_is_limited);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
