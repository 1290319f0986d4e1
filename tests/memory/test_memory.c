/*
** Running out of memory: the library's allocations fail one at a time, and every time the answer must be
** PM_STATUS_NO_MEMORY,
** with nothing leaked and the catalogue as it was.
*/
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include "perfmodel.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *pointer);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *pointer);

static long calls, failing, alive; /* allocations so far, the one that fails, those not freed */

static int fails(void)
{
  return ++calls == failing;
}

static void *count(void *pointer)
{
  alive += pointer != NULL;
  return pointer;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : count(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size)
{
  return fails() ? NULL : count(__real_calloc(number, size));
}

void *__wrap_realloc(void *old, size_t size)
{
  if (fails()) return NULL;
  return old == NULL ? count(__real_realloc(old, size)) : __real_realloc(old, size);
}

void __wrap_free(void *pointer)
{
  alive -= pointer != NULL;
  __real_free(pointer);
}

/* Calls `work` with the first allocation failing, then the second, until it succeeds without a failure. With `gap`, the
** later ones are taken further and further apart, since what grows with the catalogue would take minutes. The counters
** are read before any assertion, because check allocates too. */
static void fail_each(int (*work)(pm_error *error), bool gap)
{
  for (long k = 1;; k += gap ? 1 + k / 20 : 1) {
    pm_error error = PM_ERROR_NONE;
    long before = alive;
    calls = 0;
    failing = k;
    int status = work(&error);
    long made = calls, left = alive - before;
    failing = 0;
    ck_assert_msg(left == 0, "%ld pieces of memory leaked after allocation %ld failed", left, k);
    if (made < k) {
      ck_assert_msg(status == PM_OK && k > 3, "%ld allocations: %s", made, error.text);
      return;
    }
    ck_assert_msg(status == PM_STATUS_NO_MEMORY &&
                  error.status == PM_STATUS_NO_MEMORY, "allocation %ld failed: %d \"%s\"", k, status,
                  error.text);
  }
}

static pm_catalog *catalog;
static pm_network *network;

static int open_catalog(pm_error *error)
{
  pm_catalog *other = pm_catalog_new(error);
  pm_catalog_free(other);
  return other != NULL ? PM_OK : error->status;
}

/* Loads into a catalogue that stays: what failed must leave it as it was. */
static int load(pm_error *error)
{
  int before = pm_catalog_count(catalog, "gpus");
  int status = pm_catalog_load(catalog, PM_SOURCE_DIR "/tests/memory/own.xml", error);
  int after = pm_catalog_count(catalog, "gpus");
  bool usable = pm_catalog_resolve(catalog, "gpu", "v100", NULL) != NULL;
  return usable && after == (status == PM_OK ? before + 1 : before) ? status : PM_STATUS_INTERNAL;
}

static int (*wanted)(pm_error *error);

/* Entries are made when they are first asked for, and stay: each time in a catalogue of its own, whose making may not fail. */
static int in_new_catalog(pm_error *error)
{
  long at = failing;
  failing = 0;
  catalog = pm_catalog_new(error);
  calls = 0;
  failing = at;
  int status = wanted(error);
  pm_catalog_free(catalog);
  return status;
}

static int build_network(pm_error *error)
{
  pm_network *built = pm_catalog_new_network(catalog, "resnet50", NULL, 0, error);
  pm_network_free(built);
  return built != NULL ? PM_OK : error->status;
}

static int build_system(pm_error *error)
{
  pm_system *system = pm_catalog_new_system(catalog, "dgx1-v100", error);
  pm_system_free(system);
  return system != NULL ? PM_OK : error->status;
}

static int build_word(pm_error *error)
{
  pm_system *system = pm_catalog_new_system(catalog, "h100-sxm5*8:nvswitch", error);
  pm_system_free(system);
  return system != NULL ? PM_OK : error->status;
}

static int get_framework(pm_error *error)
{
  pm_framework_profile profile;
  return pm_catalog_get_framework(catalog, "tf1-nchw@cudnn6", &profile, error);
}

static int get_inference(pm_error *error)
{
  pm_inference_profile profile;
  return pm_catalog_get_inference(catalog, "pt-nchw", &profile, error);
}

static int get_memory_profile(pm_error *error)
{
  pm_memory_profile profile;
  return pm_catalog_get_memory_profile(catalog, "pt-nchw", &profile, error);
}

static int show(const char *kind, const char *name, pm_error *error)
{
  pm_table *table = name != NULL ? pm_catalog_show(catalog, kind, name, error) : pm_catalog_list(catalog, kind, error);
  char *text = table != NULL ? pm_table_format(table, PM_FORMAT_TABLE, 0, error) : NULL;
  pm_table_free(table);
  pm_string_free(text);
  return text != NULL ? PM_OK : error->status;
}

static int show_gpu(pm_error *error)
{
  return show("gpu", "v100", error);
}

static int show_system(pm_error *error)
{
  return show("system", "dgx2", error);
}

static int show_network(pm_error *error)
{
  return show("network", "alexnet", error);
}

static int list_gpus(pm_error *error)
{
  return show("gpus", NULL, error);
}

static int list_systems(pm_error *error)
{
  return show("systems", NULL, error);
}

/* The memory model's scans, and its table by layer. */
static int footprint(pm_error *error)
{
  pm_memory_profile profile;
  pm_optimizer optimizer;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile);
  pm_record_clear(pm_record_type_find("optimizer"), &optimizer);
  pm_memory_plan *plan = pm_memory_plan_new(network, &profile, &optimizer, error);
  pm_memory_plan_free(plan);
  return plan != NULL ? PM_OK : error->status;
}

static int footprint_by_layer(pm_error *error)
{
  static pm_layer_memory rows[1000];
  pm_memory_profile profile;
  pm_record_clear(pm_record_type_find("memory_profile"), &profile);
  return pm_memory_get_layers(network, &profile, 8, PM_PRECISION_FP32, rows, error);
}

START_TEST(memory_of_a_network)
{
  catalog = pm_catalog_new(NULL);
  network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, NULL);
  ck_assert_int_le(pm_network_count_layers(network), 1000);
  fail_each(footprint, false);
  fail_each(footprint_by_layer, false);
  pm_network_free(network);
  pm_catalog_free(catalog);
}
END_TEST

START_TEST(opening_the_catalogue)
{
  fail_each(open_catalog, true);
}
END_TEST

START_TEST(loading_a_file)
{
  wanted = load;
  fail_each(in_new_catalog, true);
}
END_TEST

START_TEST(building_and_showing)
{
  static int (*const works[])(pm_error *) = {build_network, build_system, build_word, show_gpu, show_system, show_network,
                                             list_gpus, list_systems, get_framework, get_inference, get_memory_profile};
  for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
    wanted = works[i];
    fail_each(in_new_catalog, wanted == list_systems);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("memory");
  TCase *tests = tcase_create("memory");
  tcase_set_timeout(tests, 500);
  tcase_add_test(tests, opening_the_catalogue);
  tcase_add_test(tests, loading_a_file);
  tcase_add_test(tests, building_and_showing);
  tcase_add_test(tests, memory_of_a_network);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
