/* Comma-separated values: what stands in the cells, whatever ends the lines, and what is refused. */
#include <string.h>
#include "base/csv.h"
#include "fixtures.h"

/* The cells as "a|b/c|d/": columns by bars, rows by slashes. */
static void ck_cells(const char *text, const char *wanted)
{
  pm__csv table;
  pm_error error = PM_ERROR_NONE;
  char found[400] = "";
  ck_assert_msg(pm__csv_read(&table, text, "t", &error) == PM_OK, "%s", error.text);
  for (size_t row = 0; row < table.rows; row++)
    for (size_t column = 0; column < table.columns; column++) {
      strcat(found, pm__csv_cell(&table, row, (int)column));
      strcat(found, column + 1 < table.columns ? "|" : "/");
    }
  pm__csv_free(&table);
  ck_assert_str_eq(found, wanted);
}

static void ck_refused(const char *text, const char *message)
{
  pm__csv table;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_ne(pm__csv_read(&table, text, "t.csv", &error), PM_OK);
  ck_assert_str_eq(error.text, message);
  ck_assert_ptr_null(table.cells);
}

START_TEST(lines_end_in_any_way)
{
  ck_cells("a,b\n1,2\n", "a|b/1|2/");
  ck_cells("a,b\r\n1,2\r\n", "a|b/1|2/");
  ck_cells("a,b\r1,2\r", "a|b/1|2/");
  ck_cells("a,b\n1,2", "a|b/1|2/");
  ck_cells("a\n\n1\n", "a//1/");
  ck_cells("a,b\n1,", "a|b/1|/");
  ck_cells("a,b\n,\n,2", "a|b/|/|2/");
  ck_cells("a", "a/");
  ck_cells("\xef\xbb\xbf" "a,b\n1,2\n", "a|b/1|2/");
}
END_TEST

START_TEST(quotes_hold_anything)
{
  ck_cells("\"a\",\"b\"\n\"1\",\"2\"\n", "a|b/1|2/");
  ck_cells("a,b\r\n\"x, \"\"y\"\"\",2\n3,", "a|b/x, \"y\"|2/3|/");
  ck_cells("a\n\"1\n2\r\n3\"\n4\n", "a/1\n2\r\n3/4/");
  ck_cells("a,b\n\"\",\"\"\"\"\n", "a|b/|\"/");
  ck_cells("a\n1\"2\n", "a/1\"2/");
  ck_cells("\"a\"", "a/");
}
END_TEST

START_TEST(a_bad_table_names_its_line)
{
  ck_refused("", "t.csv: the table is empty");
  ck_refused("a,b\n1,2\n1,2,3\n", "t.csv:3: 3 cells where the header has 2");
  ck_refused("a,b\n1\n", "t.csv:2: 1 cells where the header has 2");
  ck_refused("a,b\n\"1,2\n", "t.csv:2: a quoted cell is not closed");
  ck_refused("\"", "t.csv:1: a quoted cell is not closed");
  ck_refused("a,b\n\"1\"2,3\n", "t.csv:2: text after the end of a quoted cell");
}
END_TEST

START_TEST(columns_have_names)
{
  pm__csv table;
  ck_assert_int_eq(pm__csv_read(&table, "a,b,a\n1,2,3\n", "t", NULL), PM_OK);
  ck_assert_uint_eq(table.rows, 2);
  ck_assert_uint_eq(table.columns, 3);
  ck_assert_int_eq(pm__csv_column(&table, "a"), 0);
  ck_assert_int_eq(pm__csv_column(&table, "b"), 1);
  ck_assert_int_eq(pm__csv_column(&table, "nothing"), -1);
  ck_assert_str_eq(pm__csv_cell(&table, 1, pm__csv_column(&table, "nothing")), "");
  ck_assert_str_eq(pm__csv_cell(&table, 1, 0), "1");
  pm__csv_free(&table);
  ck_assert_ptr_null(table.text);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("csv");
  TCase *tests = tcase_create("csv");
  tcase_add_test(tests, lines_end_in_any_way);
  tcase_add_test(tests, quotes_hold_anything);
  tcase_add_test(tests, a_bad_table_names_its_line);
  tcase_add_test(tests, columns_have_names);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
