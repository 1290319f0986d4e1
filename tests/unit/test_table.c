/* Tables: storage, and the text of every format. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/table.h"
#include "report/order.h"
#include "report/table_data.h"

/* ---- A record type of the test's own, with one field of every kind ---- */

typedef struct sample {
  char name[PM_TEXT_MAX];
  int32_t count;
  double speed, ratio;
  int32_t colour, ready;
} sample;

static const pm_choice colours[] = {{.name = "red", .doc = ""}, {.name = "green", .doc = ""}, {.name = NULL}};
static const pm_choice no_yes[] = {{.name = "no", .doc = ""}, {.name = "yes", .doc = ""}, {.name = NULL}};
static const pm_field fields[] = {
  {"name", "", "who", offsetof(sample, name), .kind = PM_FIELD_TEXT},
  {"count", "1", "how many", offsetof(sample, count), .kind = PM_FIELD_INT},
  {"speed", "B/s", "how fast", offsetof(sample, speed), .kind = PM_FIELD_REAL},
  {"ratio", "1", "of what", offsetof(sample, ratio), .kind = PM_FIELD_REAL},
  {"colour", "", "which", offsetof(sample, colour), .kind = PM_FIELD_CHOICE, .choices = colours},
  {"ready", "", "whether", offsetof(sample, ready), .kind = PM_FIELD_CHOICE, .choices = no_yes},
};
static const pm_record_type sample_type = {"sample", "", sizeof(sample), fields, sizeof fields / sizeof fields[0]};

static const sample samples[] = {
  {"one", 3, 25e9, 0.1, 1, 1},
  {"two, \"b\"", -2, NAN, INFINITY, 0, 0},
};

static pm_table *sample_table(void)
{
  pm_table *table = pm_table_new(2, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, samples, NULL), PM_OK);
  return table;
}

static void ck_format(const pm_table *table, pm_format format, int width, const char *expected)
{
  char *text = pm_table_format(table, format, width, NULL);
  ck_assert_ptr_nonnull(text);
  ck_assert_str_eq(text, expected);
  pm_string_free(text);
}

/* A table of one text column of one row. */
static pm_table *word_table(const char *word)
{
  pm_table *table = pm_table_new(1, NULL);
  ck_assert_int_eq(pm_table_add_text(table, "w", "", &word, NULL), PM_OK);
  return table;
}

static void ck_word(pm_format format, const char *word, const char *expected)
{
  pm_table *table = word_table(word);
  ck_format(table, format, 0, expected);
  pm_table_free(table);
}

/* ---- Storage ---- */

START_TEST(columns_follow_the_record)
{
  pm_table *table = sample_table();
  ck_assert_uint_eq(pm_table_count_rows(table), 2);
  ck_assert_uint_eq(pm_table_count_columns(table), 6);
  for (size_t i = 0; i < 6; i++) {
    ck_assert_str_eq(pm_table_get_column(table, i)->name, fields[i].name);
    ck_assert_str_eq(pm_table_get_column(table, i)->unit, fields[i].unit);
    ck_assert_str_eq(pm_table_get_column(table, i)->doc, fields[i].doc);
    ck_assert_int_eq(pm_table_get_column(table, i)->kind, fields[i].kind);
    ck_assert_int_eq(pm_table_get_numbers(table, i) == NULL, fields[i].kind == PM_FIELD_TEXT);
  }
  ck_assert_ptr_null(pm_table_get_column(table, 6));
  ck_assert_ptr_null(pm_table_get_numbers(table, 6));
  pm_table_free(table);
}
END_TEST

START_TEST(cells_read_back)
{
  pm_table *table = sample_table();
  char buffer[PM_TEXT_MAX];
  ck_assert_str_eq(pm_table_get_text(table, 0, 1, buffer), "two, \"b\"");
  ck_assert_double_eq(pm_table_get_numbers(table, 1)[1], -2);
  ck_assert_str_eq(pm_table_get_text(table, 2, 0, buffer), "25000000000");
  ck_assert_double_nan(pm_table_get_numbers(table, 2)[1]);
  ck_assert_str_eq(pm_table_get_text(table, 2, 1, buffer), "");
  ck_assert_str_eq(pm_table_get_text(table, 3, 0, buffer), "0.1");
  ck_assert_str_eq(pm_table_get_text(table, 4, 0, buffer), "green");
  ck_assert_double_eq(pm_table_get_numbers(table, 4)[0], 1);
  ck_assert_ptr_null(pm_table_get_text(table, 0, 2, buffer));
  ck_assert_ptr_null(pm_table_get_text(table, 6, 0, buffer));
  pm_table_free(table);
}
END_TEST

START_TEST(cells_are_copies)
{
  sample mine[2] = {samples[0], samples[1]};
  char word[] = "abc";
  const char *words[] = {word, NULL};
  pm_table *table = pm_table_new(2, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, mine, NULL), PM_OK);
  ck_assert_int_eq(pm_table_add_text(table, "word", NULL, words, NULL), PM_OK);
  memset(mine, 'x', sizeof mine);
  word[0] = 'x';
  ck_assert_str_eq(pm_table_get_text(table, 0, 0, NULL), "one");
  ck_assert_double_eq(pm_table_get_numbers(table, 1)[0], 3);
  ck_assert_str_eq(pm_table_get_text(table, 6, 0, NULL), "abc");
  ck_assert_str_eq(pm_table_get_text(table, 6, 1, NULL), "");
  pm_table_free(table);
}
END_TEST

START_TEST(dropping_a_column)
{
  pm_table *table = sample_table();
  pm_table_drop(table, "count");
  pm_table_drop(table, "no such column");
  ck_assert_uint_eq(pm_table_count_columns(table), 5);
  ck_assert_str_eq(pm_table_get_column(table, 1)->name, "speed");
  ck_assert_double_eq(pm_table_get_numbers(table, 1)[0], 25e9);
  pm_table_drop(table, "ready");
  ck_assert_uint_eq(pm_table_count_columns(table), 4);
  pm_table_free(table);
}
END_TEST

START_TEST(a_choice_beyond_its_list_is_a_question_mark)
{
  sample odd = samples[0];
  odd.colour = 2;
  pm_table *table = pm_table_new(1, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, &odd, NULL), PM_OK);
  ck_assert_str_eq(pm_table_get_text(table, 4, 0, NULL), "?");
  pm_table_free(table);
}
END_TEST

START_TEST(missing_arguments_are_errors)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_table_new(1, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, NULL, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_add_records(table, NULL, samples, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_add_records(NULL, &sample_type, samples, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_add_text(table, "w", "", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_add_text(table, NULL, "", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_uint_eq(pm_table_count_columns(table), 0);
  ck_assert_ptr_null(pm_table_format(NULL, PM_FORMAT_CSV, 0, NULL));
  ck_assert_ptr_null(pm_table_format(table, (pm_format)7, 0, NULL));
  pm_table_free(table);
  pm_table_free(NULL);
  pm_string_free(NULL);
  ck_assert_uint_eq(pm_table_count_rows(NULL), 0);
  ck_assert_uint_eq(pm_table_count_columns(NULL), 0);
  ck_assert_int_eq(pm_table_has_total(NULL), 0);
}
END_TEST

START_TEST(absurd_sizes_are_out_of_memory)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = pm_table_new(SIZE_MAX / 4, &error);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, samples, &error), PM_STATUS_NO_MEMORY);
  ck_assert_uint_eq(pm_table_count_columns(table), 0);
  pm_table_free(table);
}
END_TEST

START_TEST(formats_by_name)
{
  ck_assert_int_eq(pm_format_find("table"), PM_FORMAT_TABLE);
  ck_assert_int_eq(pm_format_find("csv"), PM_FORMAT_CSV);
  ck_assert_int_eq(pm_format_find("json"), PM_FORMAT_JSON);
  ck_assert_int_eq(pm_format_find("xml"), -1);
  ck_assert_int_eq(pm_format_find(NULL), -1);
}
END_TEST

/* ---- CSV ---- */

START_TEST(csv_of_every_kind)
{
  pm_table *table = sample_table();
  ck_format(table, PM_FORMAT_CSV, 0,
            "name,count,speed [B/s],ratio,colour,ready\r\n"
            "one,3,25000000000,0.1,green,yes\r\n"
            "\"two, \"\"b\"\"\",-2,,inf,red,no\r\n");
  pm_table_free(table);
}
END_TEST

START_TEST(csv_quotes_what_needs_it)
{
  ck_word(PM_FORMAT_CSV, "plain text", "w\r\nplain text\r\n");
  ck_word(PM_FORMAT_CSV, "a,b", "w\r\n\"a,b\"\r\n");
  ck_word(PM_FORMAT_CSV, "a\"b", "w\r\n\"a\"\"b\"\r\n");
  ck_word(PM_FORMAT_CSV, "\"", "w\r\n\"\"\"\"\r\n");
  ck_word(PM_FORMAT_CSV, "a\nb", "w\r\n\"a\nb\"\r\n");
  ck_word(PM_FORMAT_CSV, " a", "w\r\n\" a\"\r\n");
  ck_word(PM_FORMAT_CSV, "\xc3\xbc", "w\r\n\xc3\xbc\r\n");
  ck_word(PM_FORMAT_CSV, "", "w\r\n\"\"\r\n"); /* alone in its row: an empty line would be skipped */
}
END_TEST

START_TEST(csv_disarms_formulas)
{
  ck_word(PM_FORMAT_CSV, "=1+1", "w\r\n'=1+1\r\n");
  ck_word(PM_FORMAT_CSV, "+1", "w\r\n'+1\r\n");
  ck_word(PM_FORMAT_CSV, "-1", "w\r\n'-1\r\n");
  ck_word(PM_FORMAT_CSV, "@SUM(A1)", "w\r\n'@SUM(A1)\r\n");
  ck_word(PM_FORMAT_CSV, "\t=1", "w\r\n'\t=1\r\n");
  ck_word(PM_FORMAT_CSV, "\r=1", "w\r\n\"'\r=1\"\r\n");
  ck_word(PM_FORMAT_CSV, "=A1,\"x\"", "w\r\n\"'=A1,\"\"x\"\"\"\r\n");
  ck_word(PM_FORMAT_CSV, "a=1", "w\r\na=1\r\n");
  ck_word(PM_FORMAT_CSV, "'=1", "w\r\n''=1\r\n");
  ck_word(PM_FORMAT_CSV, "\xef\xbc\x9d" "1", "w\r\n'\xef\xbc\x9d" "1\r\n");
}
END_TEST

/* What stands before the first letter of every cell never starts a formula, whatever the word. */
START_TEST(csv_guard_for_every_first_byte)
{
  for (int c = 1; c < 256; c++) {
    const char word[] = {(char)c, '1', '\0'};
    pm_table *table = word_table(word);
    char *text = pm_table_format(table, PM_FORMAT_CSV, 0, NULL);
    const char *cell = text + strlen("w\r\n");
    if (*cell == '"') cell++;
    ck_assert_ptr_null(strchr("=+-@\t\r\n", *cell));
    pm_string_free(text);
    pm_table_free(table);
  }
}
END_TEST

START_TEST(csv_without_rows_or_columns)
{
  pm_table *table = pm_table_new(0, NULL);
  ck_format(table, PM_FORMAT_CSV, 0, "");
  ck_format(table, PM_FORMAT_TABLE, 0, "");
  ck_format(table, PM_FORMAT_JSON, 0, "[]\n");
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, NULL, NULL), PM_OK);
  ck_format(table, PM_FORMAT_CSV, 0, "name,count,speed [B/s],ratio,colour,ready\r\n");
  ck_format(table, PM_FORMAT_JSON, 0, "[]\n");
  pm_table_free(table);
}
END_TEST

/* ---- JSON ---- */

START_TEST(json_of_every_kind)
{
  pm_table *table = sample_table();
  ck_format(table, PM_FORMAT_JSON, 0,
            "[\n"
            "  {\"name\": \"one\", \"count\": 3, \"speed\": 25000000000, \"ratio\": 0.1, \"colour\": \"green\", "
            "\"ready\": true},\n"
            "  {\"name\": \"two, \\\"b\\\"\", \"count\": -2, \"speed\": null, \"ratio\": \"inf\", \"colour\": \"red\", "
            "\"ready\": false}\n"
            "]\n");
  pm_table_free(table);
}
END_TEST

START_TEST(json_escapes)
{
  ck_word(PM_FORMAT_JSON, "\\ \n\r\t\x01\x1f\x7f", "[\n  {\"w\": \"\\\\ \\n\\r\\t\\u0001\\u001f\\u007f\"}\n]\n");
  ck_word(PM_FORMAT_JSON, "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80", /* two, three and four bytes stay */
          "[\n  {\"w\": \"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"}\n]\n");
  ck_word(PM_FORMAT_JSON, "a\xff\xc3", "[\n  {\"w\": \"a\xef\xbf\xbd\xef\xbf\xbd\"}\n]\n");
  ck_word(PM_FORMAT_JSON, "\xc0\xaf", "[\n  {\"w\": \"\xef\xbf\xbd\xef\xbf\xbd\"}\n]\n"); /* overlong */
}
END_TEST

START_TEST(utf8_lengths)
{
  ck_assert_uint_eq(pm__utf8_length("a"), 1);
  ck_assert_uint_eq(pm__utf8_length(""), 0);
  ck_assert_uint_eq(pm__utf8_length("\xdf\xbf"), 2);
  ck_assert_uint_eq(pm__utf8_length("\xef\xbf\xbf"), 3);
  ck_assert_uint_eq(pm__utf8_length("\xf4\x8f\xbf\xbf"), 4);
  ck_assert_uint_eq(pm__utf8_length("\x80"), 0);
  ck_assert_uint_eq(pm__utf8_length("\xc1\xbf"), 0);
  ck_assert_uint_eq(pm__utf8_length("\xe0\x9f\xbf"), 0);     /* overlong */
  ck_assert_uint_eq(pm__utf8_length("\xed\xa0\x80"), 0);     /* surrogate */
  ck_assert_uint_eq(pm__utf8_length("\xf0\x8f\xbf\xbf"), 0); /* overlong */
  ck_assert_uint_eq(pm__utf8_length("\xf4\x90\x80\x80"), 0); /* beyond U+10FFFF */
  ck_assert_uint_eq(pm__utf8_length("\xe2\x82"), 0);         /* cut off */
}
END_TEST

/* ---- Text ---- */

START_TEST(text_aligns)
{
  pm_table *table = sample_table();
  ck_format(table, PM_FORMAT_TABLE, 0,
            "name      count    speed      ratio  colour  ready\n"
            "--------  -----  -------  ---------  ------  -----\n"
            "one           3  25 GB/s        0.1  green   yes\n"
            "two, \"b\"     -2        -  unlimited  red     no\n");
  pm_table_free(table);
}
END_TEST

START_TEST(text_rules_the_total_off)
{
  pm_table *table = sample_table();
  ck_assert_int_eq(pm_table_has_total(table), 0);
  pm_table_set_total(table, PM_TABLE_TOTAL_ROW);
  ck_assert_int_eq(pm_table_has_total(table), 1);
  pm_table_drop(table, "speed");
  pm_table_drop(table, "ratio");
  pm_table_drop(table, "colour");
  pm_table_drop(table, "ready");
  ck_format(table, PM_FORMAT_TABLE, 0,
            "name      count\n"
            "--------  -----\n"
            "one           3\n"
            "--------  -----\n"
            "two, \"b\"     -2\n");
  pm_table_free(table);
}
END_TEST

/* What people see is not what files hold. */
START_TEST(cells_may_be_shown_otherwise)
{
  static const char *const names[] = {"one", "  \ttwo"}, *const shares[] = {"12.5 %", "-"};
  pm_table *table = sample_table();
  char buffer[PM_TEXT_MAX];
  ck_assert_int_eq(pm_table_show_as(table, "name", names, NULL), PM_OK);
  ck_assert_int_eq(pm_table_show_as(table, "ratio", shares, NULL), PM_OK);
  ck_assert_int_eq(pm_table_show_as(table, "nosuch", names, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_show_as(table, "name", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_show_as(NULL, "name", names, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(pm_table_get_text(table, 0, 1, buffer), "two, \"b\"");
  ck_assert_str_eq(pm_table_get_text(table, 3, 0, buffer), "0.1");
  pm_table_drop(table, "speed");
  pm_table_drop(table, "colour");
  pm_table_drop(table, "ready");
  ck_format(table, PM_FORMAT_TABLE, 0,
            "name    count   ratio\n"
            "------  -----  ------\n"
            "one         3  12.5 %\n"
            "   two     -2       -\n");
  pm_table_free(table);
}
END_TEST

START_TEST(the_total_can_be_dropped)
{
  pm_table *table = sample_table();
  pm_table_set_total(NULL, PM_TABLE_TOTAL_APART);
  pm_table_set_total(table, PM_TABLE_TOTAL_APART);
  ck_assert_uint_eq(pm_table_count_rows(table), 2);
  pm_table_set_total(table, PM_TABLE_TOTAL_ROW);
  pm_table_set_total(table, PM_TABLE_TOTAL_APART);
  ck_assert_uint_eq(pm_table_count_rows(table), 1);
  ck_assert_int_eq(pm_table_has_total(table), 0);
  pm_table_set_total(table, PM_TABLE_TOTAL_APART);
  ck_assert_uint_eq(pm_table_count_rows(table), 1);
  ck_assert_uint_eq(pm__table_count_shown(table), 2); /* people see it all the same, files do not */
  const char *const kept[] = {"count"};
  ck_assert_int_eq(pm_table_keep(table, kept, 1, NULL), PM_OK);
  ck_format(table, PM_FORMAT_TABLE, 0, "count\n-----\n    3\n-----\n   -2\n");
  ck_format(table, PM_FORMAT_CSV, 0, "count\r\n3\r\n");
  pm_table_free(table);
}
END_TEST

/* ---- Main columns ---- */

typedef struct answer {
  int32_t gpus, nodes, status;
  double rate, share, unknown, detail;
} answer;

static const pm_choice statuses[] = {{.name = "ok", .doc = ""}, {.name = "bad", .doc = ""}, {.name = NULL}};
static const pm_field given_fields[] = {
  {"gpus", "1", "", offsetof(answer, gpus), .kind = PM_FIELD_INT, .show = PM_SHOW_MAIN},
  {"nodes", "1", "", offsetof(answer, nodes), .kind = PM_FIELD_INT, .otherwise = "1"},
};
static const pm_field answer_fields[] = {
  {"detail", "s", "", offsetof(answer, detail), .kind = PM_FIELD_REAL},
  {"status", "", "", offsetof(answer, status), .kind = PM_FIELD_CHOICE, .choices = statuses, .show = PM_SHOW_NONZERO},
  {"rate", "1/s", "", offsetof(answer, rate), .kind = PM_FIELD_REAL, .show = PM_SHOW_MAIN},
  {"share", "1", "", offsetof(answer, share), .kind = PM_FIELD_REAL, .show = PM_SHOW_MAIN | PM_SHOW_PERCENT},
  {"unknown", "1", "", offsetof(answer, unknown), .kind = PM_FIELD_REAL, .show = PM_SHOW_MAIN},
};
static const pm_record_type given_type = {"given", "", sizeof(answer), given_fields, 2};
static const pm_record_type answer_type = {"answer", "", sizeof(answer), answer_fields, 5};

static pm_table *answer_table(const answer *answers, size_t count)
{
  pm_table *table = pm_table_new(count, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &given_type, answers, NULL), PM_OK);
  pm__table_mark_given(table);
  ck_assert_int_eq(pm_table_add_records(table, &answer_type, answers, NULL), PM_OK);
  ck_assert_int_eq(pm__table_order(table, NULL), PM_OK);
  return table;
}

static const answer two[] = {{8, 1, 0, 100, 0.25, NAN, 1}, {8, 2, 0, 50, 0.0004, NAN, 2}};

START_TEST(main_columns_are_shown_and_constants_said_once)
{
  pm_table *table = answer_table(two, 2);
  ck_format(table, PM_FORMAT_TABLE, 0,
            "gpus 8\n\n"
            "nodes    rate   share\n"
            "-----  ------  ------\n"
            "    1  100 /s  25.0 %\n"
            "    2   50 /s  <0.1 %\n");
  ck_format(table, PM_FORMAT_CSV, 0,
            "gpus,status,rate [1/s],share,unknown,detail [s],nodes\r\n"
            "8,ok,100,0.25,,1,1\r\n8,ok,50,0.0004,,2,2\r\n");
  pm_table_set_show(table, NULL, PM_SHOW_MAIN);
  ck_assert_uint_eq(pm_table_count_columns(table), 7);
  size_t columns[7];
  ck_assert_uint_eq(pm__table_find_shown(table, columns), 7);
  pm_table_free(table);
}
END_TEST

START_TEST(what_is_unusual_is_shown)
{
  const answer bad[] = {{4, 1, 0, 100, 0.5, NAN, 1}, {8, 1, 1, NAN, NAN, NAN, NAN}};
  pm_table *table = answer_table(bad, 2);
  ck_format(table, PM_FORMAT_TABLE, 0,
            "gpus  status    rate   share\n"
            "----  ------  ------  ------\n"
            "   4  ok      100 /s  50.0 %\n"
            "   8  bad          -       -\n");
  pm_table_free(table);
}
END_TEST

START_TEST(rows_are_left_out_between_the_first_and_the_last)
{
  const answer many[] = {{1, 1, 0, 1, 1, NAN, 1}, {2, 1, 0, 2, 1, NAN, 1}, {3, 1, 0, 3, 1, NAN, 1},
                         {4, 1, 0, 4, 1, NAN, 1}};
  pm_table *table = answer_table(many, 4);
  const char *const kept[] = {"gpus"};
  ck_assert_int_eq(pm_table_keep(table, kept, 1, NULL), PM_OK);
  static const char *const cut[] = {"gpus\n----\n   1\n   2\n... 11 more rows\n   4\n",
                                    "<table><tr><th style=\"text-align:right\" title=\"\">gpus</th></tr>"
                                    "<tr><td style=\"text-align:right\">1</td></tr>"
                                    "<tr><td style=\"text-align:right\">2</td></tr>"
                                    "<tr><td style=\"text-align:left;white-space:pre\">... 11 more rows</td></tr>"
                                    "<tr><td style=\"text-align:right\">4</td></tr></table>",
                                    "\n| gpus |\n|--:|\n| 1 |\n| 2 |\n| ... 11 more rows |\n| 4 |\n"};
  for (int r = PM_RENDERING_TEXT; r < PM_RENDERING_SUMMARY; r++) {
    char *text = pm_table_format_rows(table, (pm_rendering)r, 0, 3, 10, NULL);
    ck_assert_str_eq(text, cut[r]);
    pm_string_free(text);
    text = pm_table_format_rows(table, (pm_rendering)r, 0, 4, 0, NULL);
    ck_assert_ptr_null(strstr(text, "more"));
    pm_string_free(text);
    ck_assert_ptr_null(pm_table_format_rows(table, (pm_rendering)r, 0, 1, 0, NULL));
  }
  ck_assert_ptr_null(pm_table_format_rows(table, PM_RENDERING_SUMMARY, 0, 4, 0, NULL));
  pm_table_free(table);
}
END_TEST

START_TEST(a_long_row_is_read_downwards)
{
  pm_table *table = answer_table(two, 1);
  ck_format(table, PM_FORMAT_TABLE, 15, "gpus   8\nrate   100 /s\nshare  25.0 %\n");
  pm_table_free(table);
}
END_TEST

START_TEST(an_unknown_column_names_those_that_there_are)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *table = answer_table(two, 2);
  const char *const wrong[] = {"rat"};
  ck_assert_int_eq(pm_table_keep(table, wrong, 1, &error), PM_STATUS_NOT_FOUND);
  ck_assert_str_eq(error.text, "there is no column \"rat\"; did you mean \"rate\"? there are gpus, status, rate, "
                               "share, "
                               "unknown, detail, nodes");
  pm_table_free(table);
}
END_TEST

START_TEST(text_counts_characters_not_bytes)
{
  const char *words[] = {"\xc3\xbc\xc3\xbc", "abc"};
  pm_table *table = pm_table_new(2, NULL);
  pm_table_add_text(table, "w", "", words, NULL);
  pm_table_add_text(table, "v", "", words, NULL);
  ck_format(table, PM_FORMAT_TABLE, 0,
            "w    v\n"
            "---  ---\n"
            "\xc3\xbc\xc3\xbc   \xc3\xbc\xc3\xbc\n"
            "abc  abc\n");
  pm_table_free(table);
}
END_TEST

/* A terminal obeys control characters, C1 ones included; a user's file must not reach it. */
START_TEST(text_has_no_control_characters)
{
  ck_word(PM_FORMAT_TABLE, "a\x1b[2Jb\nc\xc2\x9b" "31m\xff", "w\n-------------\na?[2Jb c?31m?\n");
  ck_word(PM_FORMAT_TABLE, "a\xe2\x80\xae" "b\xe2\x81\xa6" "c\xd8\x9c" "d\xe2\x80\xa8", "w\n--------\na?b?c?d?\n");
}
END_TEST

static size_t widest_line(const char *text)
{
  size_t widest = 0;
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    if (length > widest) widest = length;
    text += length + (text[length] == '\n');
  }
  return widest;
}

/* Rows that meet conditions, in the order of a column; every other column goes with them. */
START_TEST(rows_are_selected)
{
  enum { ROWS = 97 };
  static const pm_field both[] = {{"number", "B", "", 0, .kind = PM_FIELD_REAL},
                                  {"twin", "B", "", sizeof(double), .kind = PM_FIELD_REAL}};
  static const pm_record_type type = {"both", "", 2 * sizeof(double), both, 2};
  double rows[ROWS][2];
  for (size_t i = 0; i < ROWS; i++) {
    rows[i][0] = i % 10 == 3 ? (double)NAN : (double)((i * 37) % ROWS) * 1e9;
    rows[i][1] = 2 * rows[i][0];
  }
  const char *above[] = {"number>=20 GB", "number != 30GB"}, *wrong[] = {"number>20"}, *none[] = {"colour=red"};
  for (int down = 0; down < 2; down++) {
    pm_error error = PM_ERROR_NONE;
    pm_table *table = pm_table_new(ROWS, NULL);
    ck_assert_int_eq(pm_table_add_records(table, &type, rows, NULL), PM_OK);
    ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.sort = down ? "-number" : "number"}, &error), PM_OK);
    const double *sorted = pm_table_get_numbers(table, 0), *with = pm_table_get_numbers(table, 1);
    ck_assert(pm_table_count_rows(table) == ROWS && isnan(sorted[ROWS - 1]));
    for (size_t i = 0; i < ROWS; i++) {
      ck_assert(isnan(sorted[i]) ? isnan(with[i]) : with[i] == 2 * sorted[i]);
      if (i > 0 && !isnan(sorted[i])) ck_assert(down ? sorted[i] <= sorted[i - 1] : sorted[i] >= sorted[i - 1]);
    }
    ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.conditions = above, .count = 2}, &error), PM_OK);
    for (size_t i = 0; i < pm_table_count_rows(table); i++) ck_assert(sorted[i] >= 20e9 && sorted[i] != 30e9);
    ck_assert_uint_gt(pm_table_count_rows(table), 50);
    const pm_table_rows bad = {.conditions = wrong, .count = 1}, missing = {.conditions = none, .count = 1};
    ck_assert_int_eq(pm_table_keep_rows(table, &bad, &error), PM_STATUS_BAD_UNIT);
    error = (pm_error)PM_ERROR_NONE;
    ck_assert_int_eq(pm_table_keep_rows(table, &missing, &error), PM_STATUS_NOT_FOUND);
    pm_table_free(table);
  }
}
END_TEST

/* Every comparison, of numbers from 0 to 9; words are sorted by their letters, and no best of them is known. */
START_TEST(rows_are_compared)
{
  static const struct { const char *condition; size_t rows; } conditions[] = {
    {"n<4", 4}, {"n<=4", 5}, {"n>4", 5}, {"n>=4", 6}, {"n=4", 1}, {"n==4", 1}, {"n!=4", 9}};
  static const pm_field one[] = {{"n", "1", "", 0, .kind = PM_FIELD_REAL}};
  static const pm_record_type type = {"one", "", sizeof(double), one, 1};
  const double numbers[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const char *words[10] = {"j", "i", "h", "g", "f", "e", "d", "c", "b", "a"};
  char text[PM_TEXT_MAX];
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
    pm_table *table = pm_table_new_of_records(&type, numbers, 10, NULL);
    const pm_table_rows rows = {.conditions = &conditions[i].condition, .count = 1};
    ck_assert_int_eq(pm_table_keep_rows(table, &rows, NULL), PM_OK);
    ck_assert_msg(pm_table_count_rows(table) == conditions[i].rows, "%s", conditions[i].condition);
    pm_table_free(table);
  }
  pm_table *table = pm_table_new(10, NULL);
  pm_table_add_text(table, "w", "", words, NULL);
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.sort = "w"}, NULL), PM_OK);
  ck_assert_str_eq(pm_table_get_text(table, 0, 0, text), "a");
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.sort = "-w"}, NULL), PM_OK);
  ck_assert_str_eq(pm_table_get_text(table, 0, 0, text), "j");
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.sort = "w", .top = 3}, &error), PM_STATUS_BAD_VALUE);
  ck_assert_str_eq(error.text, "w is text; sorting needs numbers");
  ck_assert_int_eq(pm_table_keep_rows(table, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_table_free(table);
}
END_TEST

/* Whether a row is as good in all of (more, less, less) and better in one. */
static bool beats(const double *a, const double *b)
{
  return a[0] >= b[0] && a[1] <= b[1] && a[2] <= b[2] && (a[0] > b[0] || a[1] < b[1] || a[2] < b[2]);
}

/* Numbers from 0 to 9, of which one in ten is unknown. */
static void fill_at_random(double (*rows)[3], size_t count)
{
  uint32_t state = 1;
  for (size_t i = 0; i < 3 * count; i++) {
    state = state * 1664525u + 1013904223u;
    rows[i / 3][i % 3] = (state >> 16) % 10 == 3 ? (double)NAN : (double)((state >> 20) % 10);
  }
}

/* Of 300 rows: none that is left out belongs there, none that is kept is beaten, and their order stays. */
START_TEST(a_front_is_what_no_row_beats)
{
  enum { ROWS = 300 };
  static const pm_field three[] = {{"rate", "1", "", 0, .kind = PM_FIELD_REAL},
                                   {"memory", "1", "", sizeof(double), .kind = PM_FIELD_REAL},
                                   {"gpus", "1", "", 2 * sizeof(double), .kind = PM_FIELD_REAL}};
  static const pm_record_type type = {"row", "", 3 * sizeof(double), three, 3};
  static double rows[ROWS][3];
  fill_at_random(rows, ROWS);
  pm_table *table = pm_table_new_of_records(&type, rows, ROWS, NULL);
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.front = "-rate, memory,gpus"}, NULL), PM_OK);
  size_t kept = 0;
  for (size_t i = 0; i < ROWS; i++) {
    bool best = !isnan(rows[i][0] + rows[i][1] + rows[i][2]);
    for (size_t k = 0; k < ROWS && best; k++)
      best = isnan(rows[k][0] + rows[k][1] + rows[k][2]) || !beats(rows[k], rows[i]);
    if (!best) continue;
    ck_assert_uint_lt(kept, pm_table_count_rows(table));
    for (size_t c = 0; c < 3; c++) ck_assert_double_eq(pm_table_get_numbers(table, c)[kept], rows[i][c]);
    kept++;
  }
  ck_assert_uint_eq(kept, pm_table_count_rows(table));
  pm_table_free(table);
}
END_TEST

START_TEST(a_front_says_what_is_wrong)
{
  static const struct {
    const char *front;
    int status;
    const char *word;
  } wrong[] = {{"speed", PM_STATUS_BAD_ARGUMENT, "two columns"}, {"-speed,cows", PM_STATUS_NOT_FOUND, "cows"},
               {"-speed,name", PM_STATUS_BAD_VALUE, "name is text"}, {"", PM_STATUS_BAD_ARGUMENT, "two columns"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_table *table = sample_table();
    size_t rows = pm_table_count_rows(table);
    ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.front = wrong[i].front}, &error), wrong[i].status);
    ck_assert_ptr_nonnull(strstr(error.text, wrong[i].word));
    ck_assert_uint_eq(pm_table_count_rows(table), rows);
    pm_table_free(table);
  }
}
END_TEST

/* Sorted downwards, unknown ones are not among the first; without an order the first are those that come first. */
START_TEST(the_first_are_known)
{
  static const pm_field field = {"rate", "1", "", 0, .kind = PM_FIELD_REAL};
  static const pm_record_type type = {"row", "", sizeof(double), &field, 1};
  const double rows[] = {(double)INFINITY, 2, (double)NAN, 5, 3};
  pm_table *table = pm_table_new_of_records(&type, rows, 5, NULL);
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.sort = "-rate", .top = 4}, NULL), PM_OK);
  ck_assert_uint_eq(pm_table_count_rows(table), 3);
  ck_assert_int_eq(pm_table_keep_rows(table, &(pm_table_rows){.top = 2}, NULL), PM_OK);
  ck_assert_uint_eq(pm_table_count_rows(table), 2);
  ck_assert_double_eq(pm_table_get_numbers(table, 0)[0], 5);
  ck_assert_double_eq(pm_table_get_numbers(table, 0)[1], 3);
  pm_table_free(table);
}
END_TEST

START_TEST(text_keeps_within_the_width)
{
  pm_table *table = sample_table();
  ck_format(table, PM_FORMAT_TABLE, 36,
            "name      count    speed      ratio\n"
            "--------  -----  -------  ---------\n"
            "one           3  25 GB/s        0.1\n"
            "two, \"b\"     -2        -  unlimited\n"
            "\n"
            "name      colour  ready\n"
            "--------  ------  -----\n"
            "one       green   yes\n"
            "two, \"b\"  red     no\n");
  for (int width = 16; width < 60; width++) {
    char *text = pm_table_format(table, PM_FORMAT_TABLE, width, NULL);
    ck_assert_uint_le(widest_line(text), (size_t)width);
    pm_string_free(text);
  }
  pm_table_free(table);
}
END_TEST

START_TEST(text_folds_a_long_last_column)
{
  const char *keys[] = {"k"}, *words[] = {"the quick brown fox jumps over the lazy dog"};
  pm_table *table = pm_table_new(1, NULL);
  pm_table_add_text(table, "key", "", keys, NULL);
  pm_table_add_text(table, "note", "", words, NULL);
  ck_format(table, PM_FORMAT_TABLE, 25,
            "key  note\n"
            "---  --------------------\n"
            "k    the quick brown fox\n"
            "     jumps over the lazy\n"
            "     dog\n");
  ck_format(table, PM_FORMAT_TABLE, 20, /* too little for a folded column */
            "key\n"
            "---\n"
            "k\n"
            "\n"
            "note\n"
            "--------------------\n"
            "the quick brown fox\n"
            "jumps over the lazy\n"
            "dog\n");
  pm_table_free(table);
}
END_TEST

START_TEST(a_text_that_takes_half_of_the_width_goes_last)
{
  const char *numbers[] = {"1"}, *words[] = {"the quick brown fox jumps over the lazy dog"};
  pm_table *table = pm_table_new(1, NULL);
  pm_table_add_text(table, "note", "", words, NULL);
  pm_table_add_text(table, "n", "", numbers, NULL);
  ck_format(table, PM_FORMAT_TABLE, 25,
            "n  note\n"
            "-  ----------------------\n"
            "1  the quick brown fox\n"
            "   jumps over the lazy\n"
            "   dog\n");
  ck_format(table, PM_FORMAT_TABLE, 100,
            "note                                         n\n"
            "-------------------------------------------  -\n"
            "the quick brown fox jumps over the lazy dog  1\n");
  pm_table_free(table);
}
END_TEST

/* ---- As one text, and back ---- */

static void ck_same_text(const pm_table *table, const pm_table *other, pm_format format)
{
  char *text = pm_table_format(table, format, 0, NULL);
  ck_format(other, format, 0, text);
  pm_string_free(text);
}

/* With a total that people alone are shown, cells shown otherwise, notes, and numbers to the last bit. */
START_TEST(a_packed_table_comes_back_whole)
{
  const char *shown[] = {" one", "10 %"};
  pm_table *table = sample_table();
  ck_assert_int_eq(pm_table_show_as(table, "ratio", shown, NULL), PM_OK);
  ck_assert_int_eq(pm_table_set_notes(table, "first\nsecond: -3:abc", NULL), PM_OK);
  pm_table_set_total(table, PM_TABLE_TOTAL_ROW);
  pm_table_set_total(table, PM_TABLE_TOTAL_APART);
  table->columns[2].numbers[0] = 4.9e-324;
  char *text = pm_table_pack(table, NULL);
  pm_table *back = pm_table_unpack(text, NULL);
  ck_assert_ptr_nonnull(back);
  for (int f = 0; f < 3; f++) ck_same_text(table, back, (pm_format)f);
  ck_assert_str_eq(pm_table_get_notes(back), pm_table_get_notes(table));
  ck_assert_uint_eq(pm__table_count_shown(back), 2);
  ck_assert_mem_eq(pm_table_get_numbers(back, 2), pm_table_get_numbers(table, 2), 2 * sizeof(double));
  ck_assert_str_eq(pm_table_get_column(back, 2)->doc, "how fast");
  pm_string_free(text);
  pm_table_free(table);
  pm_table_free(back);
}
END_TEST

static void ck_refused(const char *text, int status)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_table_unpack(text, &error));
  ck_assert_int_eq(error.status, status);
}

START_TEST(a_damaged_text_is_no_table)
{
  pm_table *table = sample_table();
  char *text = pm_table_pack(table, NULL);
  ck_refused(NULL, PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(pm_table_pack(NULL, NULL));
  for (size_t i = strlen(text); i-- > 0;) {
    text[i] = '\0';
    ck_refused(text, PM_STATUS_BAD_FILE);
  }
  ck_refused("17:perfmodel table 2", PM_STATUS_BAD_FILE);
  ck_refused("9999999999:perfmodel table 1", PM_STATUS_BAD_FILE);
  pm_string_free(text);
  pm_table_free(table);
}
END_TEST

/* ---- Locale ---- */

/* Writes in a locale with a decimal comma, if the machine has one, are those of the C locale. */
START_TEST(the_locale_does_not_matter)
{
  pm_table *table = sample_table();
  char *before[3];
  for (int f = 0; f < 3; f++) before[f] = pm_table_format(table, (pm_format)f, 0, NULL);
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) setlocale(LC_ALL, "de_DE");
  for (int f = 0; f < 3; f++) {
    ck_format(table, (pm_format)f, 0, before[f]);
    pm_string_free(before[f]);
  }
  setlocale(LC_ALL, "C");
  pm_table_free(table);
}
END_TEST

int main(void)
{
  const TTest *const tests[] = {
    columns_follow_the_record, cells_read_back, cells_are_copies, dropping_a_column,
    a_choice_beyond_its_list_is_a_question_mark, missing_arguments_are_errors, absurd_sizes_are_out_of_memory,
    formats_by_name, csv_of_every_kind, csv_quotes_what_needs_it, csv_disarms_formulas, csv_guard_for_every_first_byte,
    csv_without_rows_or_columns, json_of_every_kind, json_escapes, utf8_lengths, text_aligns, text_rules_the_total_off,
    cells_may_be_shown_otherwise, the_total_can_be_dropped, main_columns_are_shown_and_constants_said_once,
        what_is_unusual_is_shown,
    rows_are_left_out_between_the_first_and_the_last, a_long_row_is_read_downwards,
    an_unknown_column_names_those_that_there_are,
    text_counts_characters_not_bytes, text_has_no_control_characters, rows_are_selected, rows_are_compared,
    a_front_is_what_no_row_beats, a_front_says_what_is_wrong, the_first_are_known,
    text_keeps_within_the_width,
    text_folds_a_long_last_column, a_text_that_takes_half_of_the_width_goes_last,
    a_packed_table_comes_back_whole, a_damaged_text_is_no_table, the_locale_does_not_matter,
  };
  Suite *suite = suite_create("table");
  TCase *tcase = tcase_create("table");
  suite_add_tcase(suite, tcase);
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) tcase_add_test(tcase, tests[i]);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
