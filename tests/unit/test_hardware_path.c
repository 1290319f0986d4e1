/* Numbers of the hardware by path: read, scaled and set on copies, which predict what such a machine does. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "hardware/system.h"
#include "search/vary.h"
#include "shipped.h"

static const char *const paths[] = {"gpu.memory_bandwidth", "gpu.memory",   "kernels.launch",
                                    "link.nvlink2.bandwidth", "network.bandwidth", "calibration.nvlink2.hop_latency"};

START_TEST(a_copy_has_the_number_and_the_original_keeps_its_own)
{
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    double before = pm__system_get_number(node, paths[i], &error);
    ck_assert_msg(before > 0, "%s: %s", paths[i], error.text);
    pm_system *copy = pm_system_new_with_number(node, paths[i], "x1.25", &error);
    ck_assert_msg(copy != NULL, "%s: %s", paths[i], error.text);
    ck_assert(pm__system_get_number(copy, paths[i], NULL) == before * 1.25);
    ck_assert(pm__system_get_number(node, paths[i], NULL) == before);
    pm_system_free(copy);
  }
  pm_system_free(node);
}
END_TEST

/* Every number of the GPU that has a unit can be an axis. */
START_TEST(every_number_of_the_gpu_has_a_path)
{
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  const pm_record_type *type = pm_record_type_find("gpu");
  for (size_t i = 0; i < type->field_count; i++) {
    char path[2 * PM_TEXT_MAX];
    snprintf(path, sizeof path, "gpu.%s", type->fields[i].name);
    ck_assert((pm_hardware_find_field(path, NULL) == &type->fields[i]) == (type->fields[i].kind != PM_FIELD_TEXT));
  }
  pm_system_free(node);
}
END_TEST

START_TEST(a_value_has_its_unit)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  pm_system *copy = pm_system_new_with_number(node, "gpu.memory_bandwidth", "1.2 TB/s", &error);
  ck_assert_msg(copy != NULL, "%s", error.text);
  ck_assert(pm__system_get_number(copy, "gpu.memory_bandwidth", NULL) == 1.2e12);
  pm_system_free(copy);
  pm_system_free(node);
}
END_TEST

START_TEST(memory_of_the_gpu_and_what_programs_have_of_it_grow_together)
{
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  pm_system *twice = pm_system_new_with_number(node, "gpu.memory", "x2", NULL);
  pm_system *faster = pm_system_new_with_number(node, "gpu.clock", "x2", NULL);
  ck_assert(pm__system_get_usable_memory(twice) == 2 * pm__system_get_usable_memory(node));
  ck_assert(pm__system_get_number(faster, "gpu.peak_fp32", NULL) == 2 * pm__system_get_number(node, "gpu.peak_fp32",
                                                                                            NULL));
  ck_assert(pm__system_get_usable_memory(faster) == pm__system_get_usable_memory(node));
  pm_system_free(faster);
  pm_system_free(twice);
  pm_system_free(node);
}
END_TEST

START_TEST(what_is_no_number_says_so)
{
  static const struct { const char *path, *value; int status; const char *words; } bad[] = {
    {"gpu.memory_bandwith", "x2", PM_STATUS_NOT_FOUND, "memory_bandwidth"},
    {"gpu", "x2", PM_STATUS_NOT_FOUND, "gpu.FIELD"},
    {"gpu.name", "x2", PM_STATUS_NOT_FOUND, "gpu.name"},
    {"link.bandwidth", "x2", PM_STATUS_NOT_FOUND, "link.TYPE.FIELD"},
    {"link.xgmi9.bandwidth", "x2", PM_STATUS_NOT_FOUND, "dgx1-v100"},
    {"disk.bandwidth", "x2", PM_STATUS_NOT_FOUND, "disk.bandwidth"},
    {"gpu.memory_bandwidth", "x-1", PM_STATUS_BAD_VALUE, "x-1"},
    {"link.nvlink2.bandwidth", "x1e300", PM_STATUS_BAD_VALUE, "out of range"},
    {"link.nvlink2.bandwidth", "x1e-320", PM_STATUS_BAD_VALUE, "not a positive factor"},
    {"gpu.memory_bandwidth", "900", PM_STATUS_BAD_UNIT, "900"},
    {"gpu.memory_bandwidth", "0 GB/s", PM_STATUS_BAD_VALUE, "memory_bandwidth"},
    {"link.nvlink2.bandwidth", "0 GB/s", PM_STATUS_BAD_VALUE, "bandwidth"},
  };
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_ptr_null(pm_system_new_with_number(node, bad[i].path, bad[i].value, &error));
    ck_assert_msg(error.status == bad[i].status && strstr(error.text, bad[i].words) != NULL, "%s: %s", bad[i].path,
                  error.text);
  }
  pm_system_free(node);
}
END_TEST

/* A plan of variants predicts what plans of each predict, and the table says which is which. */
START_TEST(variants_are_systems_of_a_plan)
{
  static const char *const bandwidths[] = {"x1", "x2"}, *const links[] = {"x1", "x0.5", "x2"};
  const pm_hardware_axis axes[] = {{"gpu.memory_bandwidth", bandwidths, 2}, {"link.nvlink2.bandwidth", links, 3}};
  static const char *const shown[] = {"gpu.memory_bandwidth", "link.nvlink2.bandwidth"};
  pm_system *node = pm_catalog_new_system(catalog, "dgx1-v100", NULL), *variants[6];
  pm_network *network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, NULL);
  ck_assert_uint_eq(pm_variants_count(axes, 2), 6);
  ck_assert_int_eq(pm_system_new_variants(node, axes, 2, variants, NULL), PM_OK);
  const pm_network *const networks[] = {network};
  pm_plan *all = pm_plan_new(networks, 1, (const pm_system *const *)variants, 6, NULL);
  pm_run runs[6];
  pm_prediction p[6];
  for (int i = 0; i < 6; i++) {
    runs[i] = pm_run_make();
    runs[i].system_index = i;
    runs[i].gpus = 8;
  }
  ck_assert_int_eq(pm_predict(all, runs, p, 6), PM_OK);
  for (int i = 0; i < 6; i++) {
    const pm_system *one = variants[i];
    pm_plan *alone = pm_plan_new(networks, 1, &one, 1, NULL);
    pm_run run = runs[i];
    pm_prediction single;
    run.system_index = 0;
    pm_predict(alone, &run, &single, 1);
    ck_assert_mem_eq(&single.step_time, &p[i].step_time, sizeof single.step_time);
    pm_plan_free(alone);
  }
  ck_assert(p[3].step_time < p[0].step_time && p[1].communication_time > p[2].communication_time);
  const pm_sweep sweep = {.runs = runs, .run_size = sizeof runs[0], .answers = p,
                          .answer_size = sizeof p[0], .count = 6, .paths = shown, .path_count = 2};
  pm_table *table = pm_sweep_tabulate(all, &sweep, NULL);
  static const char *const kept[] = {"link.nvlink2.bandwidth", "step_time"};
  ck_assert_int_eq(pm_table_keep(table, kept, 2, NULL), PM_OK);
  ck_assert_uint_eq(pm_table_count_columns(table), 2);
  ck_assert(pm_table_get_numbers(table, 0)[1] == 0.5 * pm_table_get_numbers(table, 0)[0]);
  ck_assert(pm_table_get_numbers(table, 1)[4] == p[4].step_time);
  pm_error error = PM_ERROR_NONE;
  static const char *const wrong[] = {"steptime", "speed"};
  ck_assert_int_eq(pm_table_keep(table, wrong, 2, &error), PM_STATUS_NOT_FOUND);
  ck_assert_uint_eq(pm_table_count_columns(table), 2);
  pm_table_free(table);
  pm_plan_free(all);
  for (int i = 0; i < 6; i++) pm_system_free(variants[i]);
  pm_network_free(network);
  pm_system_free(node);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("hardware_path");
  TCase *tests = tcase_create("hardware_path");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, a_copy_has_the_number_and_the_original_keeps_its_own);
  tcase_add_test(tests, every_number_of_the_gpu_has_a_path);
  tcase_add_test(tests, a_value_has_its_unit);
  tcase_add_test(tests, memory_of_the_gpu_and_what_programs_have_of_it_grow_together);
  tcase_add_test(tests, what_is_no_number_says_so);
  tcase_add_test(tests, variants_are_systems_of_a_plan);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
