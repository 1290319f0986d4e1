/*
** Numbers that no program measures: those of each file of tests/traces are replaced by some. The file is refused in one
** line, or its rows have as many cells as titles, no number beyond what can be, and no control character.
*/
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "perfmodel-lab.h"
#include "perfmodel/units.h"

/* A file, and what the user says of it. */
typedef struct measured_file {
  const char *name;
  char *text;
  const pm_attribute *known;
  size_t known_count;
} measured_file;

static const double most = 1e20; /* 1e5 W for 1e15 s */

/* All that a file may need to be told, most first: a reader refuses what has no effect on it. */
static const pm_attribute training[] = {{"system", "dgx-h100"}, {"network", "gpt2"}, {"gpus", "8"},
                                        {"global_batch", "64"}, {"seq", "512"}};
static const pm_attribute storage[] = {{"system", "dgx-h100"}, {"storage", "nvme"}};
static const pm_attribute amd[] = {{"system", "hgx-mi300x"}}, volta[] = {{"system", "dgx1-v100"}};
static const pm_attribute network[] = {{"system", "dgx-h100"}, {"network", "llama3-8b"}};
static const pm_attribute ampere[] = {{"system", "dgx-a100"}}, boards[] = {{"network", "gpt2"}};
static const pm_attribute nodes[] = {{"system", "dgx-h100"}, {"gpus", "8"}, {"nodes", "8"}};

static const struct {
  const pm_attribute *items;
  size_t count;
} tells[] = {{training, 5}, {training, 4}, {training, 3}, {training, 2}, {nodes, 3}, {network, 2}, {storage, 2},
             {training, 1}, {amd, 1}, {ampere, 1}, {volta, 1}, {boards, 1}, {training, 0}};

enum { TELLS = sizeof tells / sizeof tells[0] };

static char *read_rows(const pm_catalog *catalog, const measured_file *file, const char *text, pm_error *error)
{
  char *report = NULL;
  char *rows = pm_measurements_read(catalog, text, file->name, file->known, file->known_count, &report, error);
  pm_string_free(report);
  return rows;
}

/* False: nothing that is told makes rows of it. */
static bool open_file(const pm_catalog *catalog, const char *name, measured_file *file)
{
  char path[500];
  snprintf(path, sizeof path, "%s/tests/traces/%s", PM_SOURCE_DIR, name);
  *file = (measured_file){.name = name, .text = pm_file_read(path, NULL)};
  ck_assert_ptr_nonnull(file->text);
  for (size_t i = 0; i < TELLS; i++) {
    file->known = tells[i].items;
    file->known_count = tells[i].count;
    char *rows = read_rows(catalog, file, file->text, NULL);
    pm_string_free(rows);
    if (rows != NULL) return true;
  }
  return false;
}

static void check_cell(const char *cell, size_t length, const char *what)
{
  char text[80];
  double value;
  if (length >= sizeof text) return;
  snprintf(text, sizeof text, "%.*s", (int)length, cell);
  bool bad = strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
  ck_assert_msg(!bad && (pm_number_parse(text, &value) != PM_OK || fabs(value) <= most), "%s gives %s", what, text);
}

/* A line of a table; returns its cells. */
static size_t check_line(const char **at, const char *what)
{
  size_t cells = 1;
  bool quoted = false;
  const char *cell = *at, *p = cell;
  for (; *p != '\0' && (quoted || *p != '\n'); p++) {
    ck_assert_msg((unsigned char)*p >= ' ' || *p == '\n', "%s gives a control character", what);
    if (*p == '"') quoted = !quoted;
    if (quoted || *p != ',') continue;
    check_cell(cell, (size_t)(p - cell), what);
    cell = p + 1;
    cells++;
  }
  check_cell(cell, (size_t)(p - cell), what);
  *at = p + (*p == '\n');
  return cells;
}

static void check_rows(const char *rows, const char *what)
{
  size_t titles = check_line(&rows, what);
  while (*rows != '\0') ck_assert_msg(check_line(&rows, what) == titles, "%s gives a row of other cells", what);
}

static void check_text(const pm_catalog *catalog, const measured_file *file, const char *text, const char *what)
{
  pm_error error = PM_ERROR_NONE;
  char *rows = read_rows(catalog, file, text, &error);
  if (rows != NULL) check_rows(rows, what);
  else ck_assert_msg(error.text[0] != '\0' && strpbrk(error.text, "\r\n\033") == NULL, "%s: %s", what, error.text);
  pm_string_free(rows);
}

/* The next number that is a word of its own; NULL: none. */
static const char *next_number(const char *text, const char *from, size_t *length)
{
  for (const char *p = from; *p != '\0'; p++) {
    bool inner = p > text && (isalnum((unsigned char)p[-1]) || strchr("_.", p[-1]) != NULL);
    bool begins = isdigit((unsigned char)*p) && !inner;
    *length = begins ? strspn(p, "0123456789.") : 0;
    if (*length > 0 && !isalnum((unsigned char)p[*length]) && p[*length] != '_') return p;
  }
  return NULL;
}

enum { SPOTS = 20 };

static int try_file(const pm_catalog *catalog, const measured_file *file)
{
  static const char *const values[] = {
    "-1", "0", "-0", "nan", "inf", "1e30", "1e300", "1e-300", "0.5", "99999999999999999999", "2147483648", "1,5",
    "0x10", "\033[31m5", "\xe2\x80\xae" "5", "", "444444444444444444444444444444444444444444444444444444444444444"};
  enum { VALUES = sizeof values / sizeof values[0] };
  const size_t size = strlen(file->text) + 100;
  char *text = (char *)malloc(size), what[300];
  size_t length, spot = 0;
  int tried = 0;
  ck_assert_ptr_nonnull(text);
  for (const char *p = file->text; spot < SPOTS && (p = next_number(file->text, p, &length)) != NULL; p += length) {
    for (size_t i = spot++ % 3; i < VALUES; i += 3, tried++) {
      snprintf(text, size, "%.*s%s%s", (int)(p - file->text), file->text, values[i], p + length);
      snprintf(what, sizeof what, "%s: %.*s, %.12s for a number behind %.30s", file->name, (int)length, p, values[i],
               p - file->text > 30 ? p - 30 : file->text);
      check_text(catalog, file, text, what);
    }
  }
  free(text);
  return tried;
}

START_TEST(numbers_that_no_program_measures)
{
  int tried = 0, files = 0;
  pm_catalog *catalog = pm_catalog_new(NULL);
  DIR *folder = opendir(PM_SOURCE_DIR "/tests/traces");
  ck_assert(catalog != NULL && folder != NULL);
  for (const struct dirent *item; (item = readdir(folder)) != NULL;) {
    measured_file file;
    if (item->d_name[0] == '.') continue;
    ck_assert_msg(open_file(catalog, item->d_name, &file), "%s makes no rows", item->d_name);
    tried += try_file(catalog, &file);
    pm_string_free(file.text);
    files++;
  }
  closedir(folder);
  pm_catalog_free(catalog);
  ck_assert_int_ge(files, 20);
  ck_assert_int_ge(tried, 1500);
}
END_TEST

static void check_report(const pm_catalog *catalog, const measured_file *file)
{
  char *report = NULL;
  pm_string_free(pm_measurements_read(catalog, file->text, file->name, file->known, file->known_count, &report, NULL));
  ck_assert_msg(report == NULL || strchr(report, '\033') == NULL, "%s", report);
  pm_string_free(report);
}

/* The name is a cell of some rows, and begins many messages. */
START_TEST(names_of_files_break_no_table)
{
  pm_catalog *catalog = pm_catalog_new(NULL);
  DIR *folder = opendir(PM_SOURCE_DIR "/tests/traces");
  ck_assert(catalog != NULL && folder != NULL);
  for (const struct dirent *item; (item = readdir(folder)) != NULL;) {
    measured_file file;
    if (item->d_name[0] == '.') continue;
    ck_assert_msg(open_file(catalog, item->d_name, &file), "%s makes no rows", item->d_name);
    file.name = "a\033[31m,\"b\n=1.json";
    check_text(catalog, &file, file.text, item->d_name);
    check_report(catalog, &file);
    pm_string_free(file.text);
  }
  closedir(folder);
  pm_catalog_free(catalog);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("hostile_numbers");
  TCase *tests = tcase_create("hostile_numbers");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, numbers_that_no_program_measures);
  tcase_add_test(tests, names_of_files_break_no_table);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
