/*
** Names of users' files are shown without what a terminal takes for a command or for a direction, wherever they come
** up: in messages, in notes and in tables that readers make. Tables and reports have tests of their own.
*/
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "fixtures.h"
#include "perfmodel-lab.h"
#include "shipped.h"

#define EVIL "\xc2\x9b" "31mX\xe2\x80\xaeY"
#define SHOWN "?31mX?Y"

static char *cleaned(const char *text)
{
  static char out[200];
  pm__text_set(out, sizeof out, text);
  return pm_text_clean(out);
}

START_TEST(controls_and_directions_are_not_shown)
{
  ck_assert_str_eq(cleaned(EVIL), SHOWN);
  ck_assert_str_eq(cleaned("\x1b[31m\x07\x7f"), "?[31m??");
  ck_assert_str_eq(cleaned("a\tb\r\nc"), "a b  c");
  ck_assert_str_eq(cleaned("\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c"), "???");
  ck_assert_str_eq(cleaned("\x9b\xff"), "??");
  ck_assert_str_eq(cleaned("\xc3\xa9\xe6\x97\xa5 \xf0\x9f\x98\x80"), "\xc3\xa9\xe6\x97\xa5 \xf0\x9f\x98\x80");
  ck_assert_str_eq(cleaned(""), "");
}
END_TEST

/* The first and the last of each range, and what lies next to it. */
START_TEST(characters_are_found_at_the_edges_of_their_ranges)
{
  static const struct { const char *text; size_t length; bool control; } cases[] = {
    {"\x1f", 1, true}, {" ", 1, false}, {"\x7e", 1, false}, {"\x7f", 1, true},
    {"\xc1\xbf", 0, false}, {"\xc2\x80", 2, true}, {"\xc2\x9f", 2, true}, {"\xc2\xa0", 2, false},
    {"\xd8\x9b", 2, false}, {"\xd8\x9c", 2, true}, {"\xdf\xbf", 2, false}, {"\xc3", 0, false},
    {"\xe0\x9f\xbf", 0, false}, {"\xe0\xa0\x80", 3, false}, {"\xe2\x82", 0, false},
    {"\xed\x9f\xbf", 3, false}, {"\xed\xa0\x80", 0, false},
    {"\xe2\x80\x8a", 3, false}, {"\xe2\x80\x8b", 3, true}, {"\xe2\x80\x8e", 3, true}, {"\xe2\x80\x8f", 3, true},
    {"\xe2\x80\x90", 3, false},
    {"\xe2\x80\xa7", 3, false}, {"\xe2\x80\xa8", 3, true}, {"\xe2\x80\xae", 3, true}, {"\xe2\x80\xaf", 3, false},
    {"\xe2\x81\x9f", 3, false}, {"\xe2\x81\xa0", 3, true}, {"\xe2\x81\xaf", 3, true}, {"\xe2\x81\xb0", 3, false},
    {"\xc2\xac", 2, false}, {"\xc2\xad", 2, true}, {"\xc2\xae", 2, false}, {"\xe1\xa0\x8d", 3, false},
    {"\xe1\xa0\x8e", 3, true},
    {"\xef\xbb\xbe", 3, false}, {"\xef\xbb\xbf", 3, true}, {"\xef\xbf\xb9", 3, true}, {"\xef\xbf\xbd", 3, false},
    {"\xf3\xa0\x80\x80", 4, true}, {"\xf3\xa0\x81\xbf", 4, true}, {"\xf3\xa0\x82\x80", 4, false},
    {"\xe2\x82\xa6", 3, false}, {"\xe1\x80\x8e", 3, false},
    {"\xf0\x8f\xbf\xbf", 0, false}, {"\xf0\x90\x80\x80", 4, false}, {"\xf0\x9f\x98", 0, false},
    {"\xf4\x8f\xbf\xbf", 4, false}, {"\xf4\x90\x80\x80", 0, false}, {"\xf5\x80\x80\x80", 0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert_msg(pm__utf8_length(cases[i].text) == cases[i].length, "length of case %zu", i);
    if (cases[i].length > 0) ck_assert_msg(pm__utf8_is_control(cases[i].text) == cases[i].control, "case %zu", i);
  }
}
END_TEST

/* XML has most controls as references only, and none for most of C0; a byte that is no character is left as it is. */
START_TEST(controls_are_references_in_xml)
{
  pm__string out = {NULL, 0, 0, false};
  pm__string_add_escaped(&out, "\x01<a>\t&\"\x7f\xc2\x9b\xd8\x9c\xe2\x80\xae\xf3\xa0\x80\x81\xc3\xa9\xff");
  ck_assert_str_eq(out.text, "_&lt;a&gt;&#9;&amp;&quot;&#127;&#155;&#1564;&#8238;&#917505;\xc3\xa9\xff");
  free(out.text);
}
END_TEST

START_TEST(messages_are_clean)
{
  pm_error error = PM_ERROR_NONE;
  pm__fail_at(&error, PM_STATUS_BAD_VALUE, EVIL ".xml", 3, "no \"%s\"\n", EVIL);
  ck_assert_str_eq(error.text, SHOWN ".xml:3: no \"" SHOWN "\" ");
  ck_assert_int_eq(error.file_length, (int)strlen(SHOWN ".xml"));
}
END_TEST

/* The last character is shown whole or not at all. */
START_TEST(messages_are_cut_between_characters)
{
  char text[2000] = "";
  for (int i = 0; i < 600; i++) strcat(text, "\xe6\x97\xa5");
  for (int shift = 0; shift < 3; shift++) {
    pm_error error = PM_ERROR_NONE;
    pm__fail(&error, PM_STATUS_BAD_VALUE, "%.*s%s", shift, "ab", text);
    size_t at = 0, length;
    while ((length = pm__utf8_length(error.text + at)) > 0) at += length;
    ck_assert_uint_eq(at, strlen(error.text));
    ck_assert_ptr_null(strchr(error.text, '?'));
  }
}
END_TEST

static const pm_attribute machine_of_all[] = {{"system", "dgx1-v100"}};

static const char trace[] =
  "{\"deviceProperties\": [{\"id\": 0, \"name\": \"" EVIL "\"}], \"traceEvents\": ["
  "{\"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"args\": {\"External id\": 1, \"Input Dims\": [[8, 8], [8, 8]], "
  "\"Input type\": [\"float\", \"float\"]}},"
  "{\"cat\": \"kernel\", \"name\": \"" EVIL "\", \"dur\": 5, \"args\": {\"External id\": 1, \"device\": 0}},"
  "{\"cat\": \"kernel\", \"name\": \"" EVIL "\", \"dur\": 5, \"args\": {}}]}";

START_TEST(rows_and_notes_of_traces_are_clean)
{
  pm_error error = PM_ERROR_NONE;
  char *notes = NULL, *csv = pm_measurements_read(catalog, trace, "trace.json", NULL, 0, &notes, &error);
  ck_assert_msg(csv != NULL, "%s", error.text);
  ck_assert_msg(strstr(csv, "31mX") == NULL || strstr(csv, SHOWN) != NULL, "%s", csv);
  ck_assert_msg(strstr(csv, "\xc2\x9b") == NULL && strstr(csv, "\xe2\x80\xae") == NULL, "%s", csv);
  ck_assert_msg(notes != NULL && strstr(notes, SHOWN) != NULL && strstr(notes, "\xc2\x9b") == NULL, "%s", notes);
  pm_string_free(csv);
  pm_string_free(notes);
}
END_TEST

/* Sizes and durations that nothing has, and what follows the end of a document. */
START_TEST(traces_with_impossible_numbers_are_refused)
{
  static const struct {
    const char *text, *why;
  } bad[] = {
    {"{\"traceEvents\": [{\"cat\": \"kernel\", \"name\": \"k\", \"dur\": 5e299}]}", "not from 0 to 1e15 us"},
    {"{\"traceEvents\": []} x", "there is text after the end"},
    {"{\"config\": {\"devices\": [{}]}, \"results\": [{\"size\": -512, \"out_of_place\": {\"time\": 5, "
     "\"bus_bw\": 1}}]}", "no whole number of bytes"},
    {"{\"config\": {\"devices\": [{}]}, \"results\": [{\"size\": 1e30, \"out_of_place\": {\"time\": 5, "
     "\"bus_bw\": 1}}]}", "no whole number of bytes"},
    {"{\"config\": {\"devices\": [{}]}, \"results\": [{\"size\": 512, \"out_of_place\": {\"time\": 5e299, "
     "\"bus_bw\": 1}}]}", "no number above 0"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    char *csv = pm_measurements_read(catalog, bad[i].text, "all_reduce.json", machine_of_all, 1, NULL, &error);
    ck_assert_msg(csv == NULL && strstr(error.text, bad[i].why) != NULL, "%zu: \"%s\"", i, error.text);
  }
}
END_TEST

#define NCCL_TESTS(size, time) \
  "# nThread 1 nGpus 1\n#  Rank  0 Group  0 Pid 1 on host device  0 [0000:04:00] NVIDIA V100\n" \
  "# out-of-place\n# size count type redop root time algbw busbw\n " size " 128 float sum -1 " time " 1 1 0\n"

START_TEST(texts_of_nccl_tests_with_impossible_numbers_are_refused)
{
  static const char *const bad[] = {NCCL_TESTS("-512", "5"), NCCL_TESTS("1e30", "5"), NCCL_TESTS("512", "5e299"),
                                    NCCL_TESTS("512", "0.00000000000000000000000000000000000000000000001x")};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    char *csv = pm_measurements_read(catalog, bad[i], "all_reduce.txt", machine_of_all, 1, NULL, &error);
    ck_assert_msg(csv == NULL && strstr(error.text, "all_reduce.txt:5: ") == error.text, "%zu: \"%s\"", i, error.text);
  }
  /* More digits than the reader once kept. */
  pm_error error = PM_ERROR_NONE;
  const char *good = NCCL_TESTS("512", "100000000000.00000000000000000000000000000000001");
  char *csv = pm_measurements_read(catalog, good, "all_reduce.txt", machine_of_all, 1, NULL, &error);
  ck_assert_msg(csv != NULL && strstr(csv, ",1e+11\n") != NULL, "%s %s", error.text, csv != NULL ? csv : "");
  pm_string_free(csv);
}
END_TEST

/* Ranks on two hosts whose names differ in their last letter only. */
static char *ranks_on(const char *host, pm_error *error)
{
  char text[2000];
  snprintf(text, sizeof text,
           "# nThread 1 nGpus 8\n#  Rank  0 Group  0 Pid 1 on %sa device  0 [0000:04:00] NVIDIA V100\n"
           "#  Rank  8 Group  0 Pid 1 on %sb device  0 [0000:04:00] NVIDIA V100\n# out-of-place\n"
           "# size count type redop root time algbw busbw\n 512 128 float sum -1 5 1 1 0\n", host, host);
  return pm_measurements_read(catalog, text, "all_reduce.txt", machine_of_all, 1, NULL, error);
}

START_TEST(hosts_with_long_names_are_counted)
{
  char host[301];
  memset(host, 'h', sizeof host);
  host[200] = '\0';
  char *few = ranks_on("h", NULL), *csv = ranks_on(host, NULL);
  ck_assert(few != NULL && csv != NULL);
  ck_assert_str_eq(csv, few);
  pm_string_free(csv);
  pm_string_free(few);
  host[200] = 'h';
  host[300] = '\0';
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(ranks_on(host, &error));
  ck_assert_msg(strstr(error.text, "all_reduce.txt:2: ") == error.text, "%s", error.text);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("shown");
  TCase *tests = tcase_create("shown");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, controls_and_directions_are_not_shown);
  tcase_add_test(tests, characters_are_found_at_the_edges_of_their_ranges);
  tcase_add_test(tests, controls_are_references_in_xml);
  tcase_add_test(tests, messages_are_clean);
  tcase_add_test(tests, messages_are_cut_between_characters);
  tcase_add_test(tests, rows_and_notes_of_traces_are_clean);
  tcase_add_test(tests, traces_with_impossible_numbers_are_refused);
  tcase_add_test(tests, texts_of_nccl_tests_with_impossible_numbers_are_refused);
  tcase_add_test(tests, hosts_with_long_names_are_counted);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
