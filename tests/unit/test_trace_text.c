/* Timelines: their times and watts are those that tables would have, to the last digit. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <check.h>
#include "perfmodel/units.h"
#include "step/trace_text.h"

/* What is between `name` and the next comma or bracket. */
static void ck_number(const char *text, const char *name, double number)
{
  char expected[PM_NUMBER_MAX], label[16];
  snprintf(label, sizeof label, "\"%s\":", name);
  const char *at = strstr(text, label);
  ck_assert_msg(at != NULL, "%s is in no event: %s", name, text);
  at += strlen(label);
  pm_number_format(expected, number);
  ck_assert_msg(strcspn(at, ",}") == strlen(expected) && strncmp(at, expected, strlen(expected)) == 0,
                "%s is not %s: %s", name, expected, text);
}

static void ck_event(double start, double duration)
{
  pm__trace_text trace;
  const pm__trace_event event = {"kernel", NULL, NULL, 1, 0, -1, start, duration};
  pm__trace_begin(&trace);
  pm__trace_add(&trace, &event);
  char *text = pm__trace_end(&trace, NULL);
  ck_number(text, "ts", rint(start * 1e9) / 1e3);
  ck_number(text, "dur", rint(duration * 1e9) / 1e3);
  pm_string_free(text);
}

/* Of a board that waits. */
static void ck_draw(double watts)
{
  pm__trace_text trace;
  const pm__trace_boards boards = {watts, watts, 1, 1, 1};
  pm__trace_begin(&trace);
  pm__trace_add_power(&trace, &boards);
  char *text = pm__trace_end(&trace, NULL);
  ck_number(text, "W", rint(watts * 1e6) / 1e6);
  pm_string_free(text);
}

START_TEST(times_are_written_as_numbers_are)
{
  uint64_t state = 1;
  ck_event(0, 1e-10);
  for (int i = 0; i < 4000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double digits = (double)(state >> 11), scale = pow(10, -(double)(i % 22));
    ck_event(digits * scale, rint(digits * scale) * 1e-3 + 1e-9);
    ck_draw(digits * scale * (i % 3 - 1));
  }
  ck_event(1e280, 1e-9);
  ck_event(999999.999999999, 1e6);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("trace_text");
  TCase *tcase = tcase_create("trace_text");
  tcase_add_test(tcase, times_are_written_as_numbers_are);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
