/* JSON from front to back: values, and mistakes with their places. */
#include <math.h>
#include <string.h>
#include "base/json.h"
#include "fixtures.h"

START_TEST(values_are_read_in_their_order)
{
  pm_error error = PM_ERROR_NONE;
  const char *text = " {\"a\": [1, -2.5e3 ,\"7\"], \"skip\": {\"x\": [[\"]\", null], {}]}, \"t\\u0041\\n\": "
                     "\"q\\\"\\u00e9\"} ";
  pm__json json = pm__json_open(text, "f.json", &error);
  char key[8], value[8];
  double sum = 0;
  ck_assert(pm__json_enter(&json, '{') && pm__json_next_key(&json, key, sizeof key));
  ck_assert_str_eq(key, "a");
  for (pm__json_enter(&json, '['); pm__json_next(&json);) sum += pm__json_number(&json);
  ck_assert(sum == 1 - 2500 + 7);
  ck_assert(pm__json_next_key(&json, key, sizeof key));
  pm__json_slice slice = pm__json_skip(&json);
  ck_assert(slice.length == strlen("{\"x\": [[\"]\", null], {}]}") && slice.text[0] == '{');
  ck_assert(pm__json_next_key(&json, key, sizeof key) && pm__json_string(&json, value, sizeof value));
  ck_assert_str_eq(key, "tA\n");
  ck_assert_str_eq(value, "q\"?");
  ck_assert(!pm__json_next_key(&json, key, sizeof key) && !json.failed && error.status == PM_OK);
}
END_TEST

START_TEST(what_is_too_long_is_cut_off)
{
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open("{\"longer\": \"abcdef\"}", "f.json", &error);
  char key[4], value[3];
  ck_assert(pm__json_enter(&json, '{') && pm__json_next_key(&json, key, sizeof key));
  ck_assert(pm__json_string(&json, value, sizeof value));
  ck_assert_str_eq(key, "lon");
  ck_assert_str_eq(value, "ab");
  ck_assert(!pm__json_next_key(&json, key, sizeof key) && !json.failed);
}
END_TEST

START_TEST(mistakes_have_their_place)
{
  static const struct {
    const char *text, *says;
  } bad[] = {
    {"{\"a\": 1 \"b\": 2}", "f.json:1: column 9: a comma is missing"},
    {"{\n\"a\" 1}", "f.json:2: column 5: a colon is missing"},
    {"{\"a\": [1, {\"b\": \"x}]}", "f.json:1: column 22: a text is not closed"},
    {"{\"a\":", "f.json:1: column 6: the text ends here"},
    {"[1]", "f.json:1: column 1: an object is expected"},
    {"{\"a\": }", "f.json:1: column 7: a value is expected"},
    {"{\"a\": \"\\x\"}", "f.json:1: column 9: no such escape"},
    {"{3: 4}", "f.json:1: column 2: a text is expected"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm__json json = pm__json_open(bad[i].text, "f.json", &error);
    char key[8], value[8];
    for (pm__json_enter(&json, '{'); pm__json_next_key(&json, key, sizeof key);)
      if (pm__json_is(&json, '"')) pm__json_string(&json, value, sizeof value);
      else pm__json_skip(&json);
    ck_assert(json.failed);
    ck_assert_msg(strncmp(error.text, bad[i].says, strlen(bad[i].says)) == 0, "%s", error.text);
    ck_assert(isnan(pm__json_number(&json)) && !pm__json_next(&json)); /* nothing more */
  }
}
END_TEST

/* A single value, read as what it is; its error if there is one. */
static double number_in(const char *text, char *message)
{
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open(text, "f", &error);
  double value = pm__json_number(&json);
  strcpy(message, error.text);
  ck_assert_int_eq(isnan(value) != 0, json.failed);
  return value;
}

START_TEST(kinds_are_told_apart)
{
  pm_error error = PM_ERROR_NONE;
  for (int c = 1; c < 128; c++) {
    char text[2] = {(char)c, '\0'};
    pm__json json = pm__json_open(text, "f", &error);
    ck_assert_int_eq(pm__json_is(&json, '0'), c == '-' || (c >= '0' && c <= '9'));
    ck_assert_int_eq(pm__json_is(&json, '"'), c == '"');
  }
  char message[400];
  ck_assert_double_eq(number_in("0", message), 0);
  ck_assert_double_eq(number_in(" 9 ", message), 9);
  ck_assert_double_eq(number_in("-1.5E+2", message), -150);
  ck_assert_double_eq(number_in("\"7\"", message), 7);
  ck_assert(isnan(number_in("x", message)));
  ck_assert_str_eq(message, "f:1: column 1: a number is expected");
  ck_assert(isnan(number_in("/", message)));
  ck_assert(isnan(number_in("\"7", message)));
  ck_assert(isnan(number_in("", message)));
  /* A text of more than 62 characters may have been cut. */
  ck_assert_double_eq(number_in("\"00000000000000000000000000000000000000000000000000000000000012\"", message), 12);
  ck_assert(isnan(number_in("\"000000000000000000000000000000000000000000000000000000000000123\"", message)));
  ck_assert_str_eq(message, "f:1: column 66: a number is expected");
}
END_TEST

START_TEST(escapes_are_characters)
{
  pm_error error = PM_ERROR_NONE;
  char value[40];
  pm__json json = pm__json_open("\"\\u0020\\u007e\\u007f\\u001f\\u0041\\/\\b\\f\\n\\r\\t\\\\\\\"\\uD83D\" 3", "f",
                                &error);
  ck_assert(pm__json_string(&json, value, sizeof value));
  ck_assert_str_eq(value, " ~\?\?A/\b\f\n\r\t\\\"\?");
  ck_assert_double_eq(pm__json_number(&json), 3);
  static const char *const bad[] = {"\"\\u12\"", "\"\\u00g0\"", "\"\\", "\"\\a\"", "\"", "3", ""};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    json = pm__json_open(bad[i], "f", &error);
    ck_assert_msg(!pm__json_string(&json, value, sizeof value) && json.failed, "%s", bad[i]);
    ck_assert(!pm__json_string(&json, value, sizeof value) && !pm__json_enter(&json, '{') &&
              !pm__json_next_key(&json, value, 40));
    ck_assert_uint_eq(pm__json_skip(&json).length, 0);
  }
}
END_TEST

/* What is skipped has balanced brackets, as deep as 200. */
START_TEST(values_are_skipped)
{
  static const struct { const char *text; int length; } values[] = {
    {"[1, 2] 3", 6}, {"{\"a\": [\"}\"]} ", 12}, {"true,", 4}, {"\"a\\\"b\", 1", 6}, {"[[], {}]", 8}, {"-1.5e3]", 6},
    {"[1 2", -1}, {"{]", -1}, {"[}", -1}, {"]", -1}, {",", -1}, {":", -1}, {"\"\\", -1}, {"[\"a", -1}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm__json json = pm__json_open(values[i].text, "f", &error);
    pm__json_slice slice = pm__json_skip(&json);
    ck_assert_msg(json.failed == (values[i].length < 0), "%s", values[i].text);
    if (!json.failed) ck_assert_uint_eq(slice.length, (size_t)values[i].length);
  }
  char deep[401] = "";
  memset(deep, '[', 200);
  memset(deep + 200, ']', 200);
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open(deep, "f", &error);
  ck_assert_uint_eq(pm__json_skip(&json).length, 400);
  memset(deep, '{', 201);
  json = pm__json_open(deep, "f", &error);
  pm__json_skip(&json);
  ck_assert_str_eq(error.text, "f:1: column 201: brackets are nested too deep");
}
END_TEST

START_TEST(an_array_is_no_object)
{
  pm_error error = PM_ERROR_NONE;
  pm__json json = pm__json_open("{\"a\": 1}", "f", &error);
  ck_assert(!pm__json_enter(&json, '['));
  ck_assert_str_eq(error.text, "f:1: column 1: an array is expected");
  pm_error other = PM_ERROR_NONE;
  json = pm__json_open("[1", "f", &other);
  ck_assert(pm__json_enter(&json, '[') && pm__json_next(&json) && pm__json_number(&json) == 1 && !pm__json_next(&json));
  ck_assert_str_eq(other.text, "f:1: column 3: the text ends within an object or array");
}
END_TEST

START_TEST(brackets_without_end_are_refused)
{
  char text[1001];
  pm_error error = PM_ERROR_NONE;
  memset(text, '[', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  pm__json json = pm__json_open(text, "f.json", &error);
  pm__json_skip(&json);
  ck_assert(json.failed && strstr(error.text, "brackets are nested too deep") != NULL);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("json");
  TCase *tests = tcase_create("json");
  tcase_add_test(tests, values_are_read_in_their_order);
  tcase_add_test(tests, what_is_too_long_is_cut_off);
  tcase_add_test(tests, mistakes_have_their_place);
  tcase_add_test(tests, kinds_are_told_apart);
  tcase_add_test(tests, escapes_are_characters);
  tcase_add_test(tests, values_are_skipped);
  tcase_add_test(tests, an_array_is_no_object);
  tcase_add_test(tests, brackets_without_end_are_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
