/*
** The shipped networks that timm has, against timm: every parameter, and every multiply-accumulate that PyTorch counts
** in one image (timm.csv, written by bindings/python/tests/timm_counts.py). A row without a network is found by timm's
** own name.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "shipped.h"

static char *read_table(pm__csv *table)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_file_read(PM_SOURCE_DIR "/tests/unit/timm.csv", &error);
  ck_assert_msg(text != NULL, "%s", error.text);
  ck_assert_msg(pm__csv_read(table, text, "timm.csv", &error) == PM_OK, "%s", error.text);
  return text;
}

static const char *cell(const pm__csv *table, size_t row, const char *column)
{
  return pm__csv_cell(table, row, pm__csv_column(table, column));
}

/* A cell holds a network's name and what is set of it: "repvgg-a0 deploy=1". */
static pm_network_totals totals_of(const char *network, const char *image)
{
  char text[100], value[20] = "";
  pm_attribute sets[] = {{"image", image}, {NULL, NULL}};
  pm_error error = PM_ERROR_NONE;
  snprintf(text, sizeof text, "%s", network);
  char *set = strchr(text, ' ');
  if (set != NULL) {
    *set = '\0';
    char *equals = strchr(set + 1, '=');
    ck_assert_ptr_nonnull(equals);
    *equals = '\0';
    snprintf(value, sizeof value, "%s", equals + 1);
    sets[1] = (pm_attribute){set + 1, value};
  }
  pm_network *built = pm_catalog_new_network(catalog, text, sets, set != NULL ? 2 : 1, &error);
  ck_assert_msg(built != NULL, "%s", error.text);
  return take_totals(built);
}

static void check_row(const pm__csv *table, size_t row)
{
  const char *model = cell(table, row, "model"), *network = cell(table, row, "network");
  const char *image = cell(table, row, "image");
  double parameters = 0, mac = 0;
  ck_assert(pm_number_parse(cell(table, row, "parameters"), &parameters) == PM_OK);
  ck_assert(pm_number_parse(cell(table, row, "mac"), &mac) == PM_OK);
  pm_network_totals out = totals_of(network[0] != '\0' ? network : model, image);
  ck_assert_msg(out.parameters == parameters, "%s has %.0f parameters, not %.0f", model, out.parameters, parameters);
  ck_assert_msg(out.mac == mac, "%s at %s has %.0f MAC, not %.0f", model, image, out.mac, mac);
}

START_TEST(counts_are_those_of_timm)
{
  pm__csv table;
  char *text = read_table(&table);
  ck_assert_uint_gt(table.rows, 250);
  for (size_t i = 1; i < table.rows; i++) check_row(&table, i);
  pm__csv_free(&table);
  pm_string_free(text);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("timm");
  TCase *tests = tcase_create("counts");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, counts_are_those_of_timm);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
