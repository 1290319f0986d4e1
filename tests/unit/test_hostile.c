/*
** Bad files: tests/hostile holds NAME.xml, each with the message it must give in NAME.error. A message that ends in
** "..." is a beginning: what follows is libxml2's own wording, or grows with the product. The catalogue must stay as it
** was.
*/
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fixtures.h"

static int count_entries(const pm_catalog *catalog)
{
  int count = 0;
  for (size_t i = 0; pm_catalog_get_kind(i) != NULL; i++) count += pm_catalog_count(catalog, pm_catalog_get_kind(i));
  return count;
}

static void read_expected(const char *name, char *text, size_t size)
{
  char path[300];
  snprintf(path, sizeof path, "%.*s.error", (int)strlen(name) - 4, name);
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL && fgets(text, (int)size, file) != NULL, "there is no %s", path);
  text[strcspn(text, "\n")] = '\0';
  fclose(file);
}

static void check_message(const pm_error *error, const char *expected)
{
  size_t length = strlen(expected);
  bool beginning = length > 3 && strcmp(expected + length - 3, "...") == 0;
  ck_assert_msg(beginning ? strncmp(error->text, expected, length - 3) == 0 : strcmp(error->text, expected) == 0,
                "\n  got      %s\n  expected %s", error->text, expected);
  ck_assert_ptr_null(strpbrk(error->text, "\r\n"));
  ck_assert_int_lt(error->status, PM_STATUS_COUNT);
}

static void check_file(pm_catalog *catalog, const char *name)
{
  char expected[600];
  pm_error error = PM_ERROR_NONE;
  int before = count_entries(catalog);
  read_expected(name, expected, sizeof expected);
  ck_assert_msg(pm_catalog_load(catalog, name, &error) != PM_OK, "%s was accepted", name);
  check_message(&error, expected);
  ck_assert_int_ne(error.status, PM_OK);
  ck_assert_int_eq(count_entries(catalog), before);
  ck_assert_ptr_null(pm_catalog_get_note(catalog, 0));
  ck_assert_int_eq(pm_catalog_load(catalog, name, NULL), error.status);
}

static bool is_example(const char *name)
{
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".xml") == 0;
}

START_TEST(every_bad_file_has_its_message)
{
  int files = 0;
  ck_assert_int_eq(chdir(PM_SOURCE_DIR "/tests/hostile"), 0);
  pm_catalog *catalog = pm_catalog_new(NULL);
  DIR *folder = opendir(".");
  ck_assert(catalog != NULL && folder != NULL);
  for (const struct dirent *item; (item = readdir(folder)) != NULL;)
    if (is_example(item->d_name)) check_file(catalog, item->d_name), files++;
  closedir(folder);
  ck_assert_int_ge(files, 100);
  /* Still usable. */
  ck_assert_ptr_nonnull(pm_catalog_resolve(catalog, "gpu", "v100", NULL));
  pm_catalog_free(catalog);
}
END_TEST

static void refuse_path(pm_catalog *catalog, const char *path, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_catalog_load(catalog, path, &error), PM_STATUS_BAD_FILE);
  ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text);
}

START_TEST(what_is_not_a_file_is_refused)
{
  char folder[] = "/tmp/perfmodel-XXXXXX", path[80];
  pm_catalog *catalog = pm_catalog_new(NULL);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  refuse_path(catalog, folder, "the folder holds no *.xml file");
  snprintf(path, sizeof path, "%s/nothing.xml", folder);
  refuse_path(catalog, path, "nothing.xml: there is no such file or folder");
  snprintf(path, sizeof path, "%s/pipe.xml", folder);
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  refuse_path(catalog, path, "pipe.xml: not a regular file");
  refuse_path(catalog, folder, "pipe.xml: not a regular file");
  unlink(path);
  snprintf(path, sizeof path, "%s/link.xml", folder);
  ck_assert_int_eq(symlink("nothing", path), 0);
  refuse_path(catalog, folder, "link.xml: there is no such file or folder");
  unlink(path);
  snprintf(path, sizeof path, "%s/folder.xml", folder);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  refuse_path(catalog, folder, "folder.xml: this is a folder, not a file");
  rmdir(path);
  refuse_path(catalog, "/dev/zero", "not a regular file");
  refuse_path(catalog, "", "there is no such file");
  rmdir(folder);
  pm_catalog_free(catalog);
}
END_TEST

START_TEST(large_files_are_refused)
{
  char path[] = "/tmp/perfmodel-XXXXXX";
  int descriptor = mkstemp(path);
  pm_catalog *catalog = pm_catalog_new(NULL);
  ck_assert(descriptor >= 0 && ftruncate(descriptor, (off_t)1 << 40) == 0);
  refuse_path(catalog, path, "larger than 16 MiB");
  close(descriptor);
  unlink(path);
  pm_catalog_free(catalog);
}
END_TEST

static void refuse_text(const char *path, int status, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_file_read(path, &error));
  ck_assert_int_eq(error.status, status);
  ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text);
}

START_TEST(texts_that_cannot_be_read_are_refused_with_the_reason)
{
  char folder[] = "/tmp/perfmodel-XXXXXX", path[80], long_name[600];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  refuse_text(NULL, PM_STATUS_BAD_ARGUMENT, "a file needs a path");
  refuse_text(folder, PM_STATUS_BAD_FILE, "it is a folder");
  snprintf(path, sizeof path, "%s/rows.csv", folder);
  refuse_text(path, PM_STATUS_BAD_FILE, "there is no such file or folder");
  ck_assert_int_eq(symlink(path, path), 0);
  refuse_text(path, PM_STATUS_BAD_FILE, "too many symbolic links");
  unlink(path);
  FILE *file = fopen(path, "wb");
  ck_assert(file != NULL && fwrite("a,b\n1,\0\n", 1, 9, file) == 9 && fclose(file) == 0);
  refuse_text(path, PM_STATUS_BAD_FILE, "is not a text file");
  ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
  refuse_text(path, PM_STATUS_BAD_FILE, "is too large");
  snprintf(path, sizeof path, "%s/rows.csv/rows.csv", folder);
  refuse_text(path, PM_STATUS_BAD_FILE, "a part of the path is not a folder");
  snprintf(long_name, sizeof long_name, "%s/%0500d", folder, 0);
  refuse_text(long_name, PM_STATUS_BAD_FILE, "the name is too long");
  *strrchr(path, '/') = '\0';
  unlink(path);
  rmdir(folder);
}
END_TEST

/* Whoever writes may begin late, and rest; one who never comes is not waited for. */
START_TEST(pipes_are_waited_for)
{
  char folder[] = "/tmp/perfmodel-XXXXXX", path[80];
  const struct timespec rest = {.tv_nsec = 100000000};
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/pipe.csv", folder);
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  pid_t writer = fork();
  if (writer == 0) {
    nanosleep(&rest, NULL);
    int descriptor = open(path, O_WRONLY);
    nanosleep(&rest, NULL);
    _exit(write(descriptor, "a,b\n", 4) != 4 || nanosleep(&rest, NULL) != 0 || write(descriptor, "1,2\n", 4) != 4);
  }
  char *text = pm_file_read(path, NULL);
  ck_assert_str_eq(text, "a,b\n1,2\n");
  pm_string_free(text);
  ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
  refuse_text(path, PM_STATUS_BAD_FILE, "nobody writes to this pipe");
  unlink(path);
  rmdir(folder);
}
END_TEST

START_TEST(bytes_need_a_name)
{
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_file_unpack(NULL, 0, "rows", &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(pm_file_unpack("a", 1, NULL, NULL));
  /* Two bytes are too few for a packed text, and the first alone says nothing. */
  static const char *const texts[] = {"\x1f\x8b", "\x1f-a", "ab"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char *text = pm_file_unpack(texts[i], strlen(texts[i]), "rows", NULL);
    ck_assert_str_eq(text, texts[i]);
    pm_string_free(text);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("hostile");
  TCase *tests = tcase_create("hostile");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, every_bad_file_has_its_message);
  tcase_add_test(tests, what_is_not_a_file_is_refused);
  tcase_add_test(tests, large_files_are_refused);
  tcase_add_test(tests, texts_that_cannot_be_read_are_refused_with_the_reason);
  tcase_add_test(tests, pipes_are_waited_for);
  tcase_add_test(tests, bytes_need_a_name);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
