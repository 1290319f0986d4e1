/* Which entry a framework's name means: with and without a release, of a month, on a GPU. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixtures.h"
#include "shipped.h"
#include "software/profile.h"

/* Old libraries run on "early" and "middle", new ones on "middle" and "late"; nothing was fitted on the newest. */
static const char text[] =
  "<perfmodel version=\"1\">\n"
  "<cudnn_generation id=\"old-libraries\" name=\"Old\"><simt_factor>1</simt_factor><tensor_factor>1</tensor_factor>"
  "<since>2020-01</since><architectures>early middle</architectures></cudnn_generation>\n"
  "<cudnn_generation id=\"new-libraries\" name=\"New\"><simt_factor>1</simt_factor><tensor_factor>1</tensor_factor>"
  "<since>2099-01</since><architectures>middle late</architectures></cudnn_generation>\n"
#define RELEASE(id, libraries, evidence, since)                                                                    \
  "<framework id=\"" id "\" name=\"" id " of the"                                                                      \
    " test\"><cudnn>" libraries "</cudnn><evidence>" evidence "</evidence><parallelism>all-reduce"                     \
  "</parallelism><overlap>none</overlap><since>" since "</since></framework>\n"
  RELEASE("frame-1.9", "old-libraries", "fitted", "2020-02")
  RELEASE("frame-1.10", "old-libraries", "fitted", "2021-05")
  RELEASE("frame-1.10-nhwc", "old-libraries", "uncalibrated", "2021-05")
  RELEASE("frame-2.0", "new-libraries", "uncalibrated", "2099-02")
  RELEASE("frame-2.0-nhwc", "new-libraries", "uncalibrated", "2099-02")
  "<inference_profile id=\"frame-1.10-amp\" name=\"With casts\"><framework>frame-1.10</framework><origin>rule</origin>"
  "<fusion>none</fusion></inference_profile>\n"
  "</perfmodel>\n";

static pm_catalog *own;

static void open_own(void)
{
  char path[] = "/tmp/perfmodel-XXXXXX";
  pm_error error = PM_ERROR_NONE;
  int descriptor = mkstemp(path);
  ck_assert(descriptor >= 0 && write(descriptor, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
  close(descriptor);
  own = pm_catalog_new(NULL);
  ck_assert_msg(pm_catalog_load(own, path, &error) == PM_OK, "%s", error.text);
  unlink(path);
}

static void close_own(void)
{
  pm_catalog_free(own);
}

static void expect(const char *name, const char *architecture, const char *id, const char *libraries)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile found;
  ck_assert_msg(pm_catalog_get_framework_on(own, name, architecture, &found, &error) == PM_OK, "%s: %s", name,
                error.text);
  ck_assert_str_eq(found.framework.id, id);
  ck_assert_str_eq(found.cudnn.id, libraries);
}

START_TEST(without_a_release_the_gpu_decides)
{
  expect("frame", "early", "frame-1.10", "old-libraries");
  expect("frame", "middle", "frame-1.10", "old-libraries"); /* both run on it: that which was fitted */
  expect("frame", "late", "frame-2.0", "new-libraries");    /* never libraries older than the GPU */
  expect("frame", "", "frame-1.10", "old-libraries");
  expect("frame", NULL, "frame-1.10", "old-libraries");
  expect("frame", "unheard-of", "frame-1.10", "old-libraries");
  expect("frame@new-libraries", "early", "frame-1.10", "new-libraries");
}
END_TEST

START_TEST(a_variant_is_of_the_same_release)
{
  expect("frame-nhwc", "middle", "frame-1.10-nhwc", "old-libraries");
  expect("frame-nhwc", "late", "frame-2.0-nhwc", "new-libraries");
}
END_TEST

START_TEST(a_release_stands_for_those_up_to_the_next)
{
  expect("frame-1.9", "late", "frame-1.9", "old-libraries");
  expect("frame-1.9.1", NULL, "frame-1.9", "old-libraries");
  expect("frame-1.12", NULL, "frame-1.10", "old-libraries"); /* 1.10 is newer than 1.9 */
  expect("Frame 1.12", NULL, "frame-1.10", "old-libraries");
  expect("frame-1.12-nhwc", NULL, "frame-1.10-nhwc", "old-libraries");
  expect("frame-2.12", NULL, "frame-2.0", "new-libraries");
  expect("frame-1", NULL, "frame-1.10", "old-libraries"); /* of its releases as without one */
  expect("frame-2", "early", "frame-2.0", "new-libraries");
}
END_TEST

START_TEST(a_month_stands_for_release_and_libraries)
{
  expect("frame@2020-02", "late", "frame-1.9", "old-libraries");
  expect("frame@2021-04", NULL, "frame-1.9", "cudnn8");
  expect("frame@21.05", NULL, "frame-1.10", "cudnn8");
  expect("frame@ngc-21.05", NULL, "frame-1.10", "cudnn8");
  expect("frame-nhwc@2099-03", NULL, "frame-2.0-nhwc", "new-libraries");
  expect("frame-2.0@2021-05", NULL, "frame-2.0", "cudnn8"); /* its libraries alone */
}
END_TEST

START_TEST(a_month_has_its_collectives)
{
  pm_framework_profile found;
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "tensorflow@17.12", &found, NULL), PM_OK);
  ck_assert_str_eq(found.framework.id, "tf1-nchw");
  ck_assert_str_eq(found.cudnn.id, "cudnn7.0");
  ck_assert_int_eq(found.framework.nccl, PM_NCCL_2017);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "tensorflow@19.10", &found, NULL), PM_OK);
  ck_assert_int_eq(found.framework.nccl, PM_NCCL_CURRENT);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch@24.06", &found, NULL), PM_OK);
  ck_assert_str_eq(found.framework.id, "pytorch-2.4");
  ck_assert_str_eq(found.cudnn.id, "cudnn9.0");
}
END_TEST

static void refuse(const char *name, const char *message)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile found;
  ck_assert_int_ne(pm_catalog_get_framework_on(own, name, NULL, &found, &error), PM_OK);
  ck_assert_msg(strstr(error.text, message) != NULL, "%s: %s", name, error.text);
}

START_TEST(what_there_is_is_listed)
{
  refuse("frame-1.8", "no release that old; known are frame-1.9, frame-1.10, frame-2.0");
  refuse("frame-2.13", "no such release; the nearest is frame-2.0; known are frame-1.9, frame-1.10, frame-2.0");
  refuse("frame-2.99999999999999999999", "no such release; the nearest is frame-2.0");
  refuse("frame-3", "no such release; the nearest is frame-2.0"); /* a further major release has other code */
  refuse("frame@2019-12", "no release that old; known are frame-1.9, frame-1.10, frame-2.0");
  refuse("frame@2020-13", "unknown cudnn_generation \"2020-13\"");
  refuse("frame@", "neither a cuDNN generation nor a month");
  refuse("frome", "did you mean \"frame\"");
  ck_assert_int_eq(pm_catalog_get_framework_on(NULL, "frame", NULL, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(inference_knows_the_same_names)
{
  pm_inference_profile found;
  ck_assert_int_eq(pm_catalog_get_inference_on(own, "frame", "late", &found, NULL), PM_OK);
  ck_assert_str_eq(found.id, "frame-2.0");
  ck_assert_str_eq(found.architectures, "middle late");
  ck_assert_int_eq(pm_catalog_get_inference_on(own, "frame-amp", "early", &found, NULL), PM_OK);
  ck_assert_str_eq(found.id, "frame-1.10-amp");
  ck_assert_int_eq(pm_catalog_get_inference_on(own, NULL, "hopper", &found, NULL), PM_OK);
  ck_assert_int_eq(strncmp(found.id, "pytorch-2", 9), 0);
}
END_TEST

/* The default never has libraries that do not know the GPU, and is fitted where any such release is. */
START_TEST(the_default_fits_every_gpu)
{
  for (size_t i = 0; pm_catalog_get_id(catalog, "gpus", i) != NULL; i++) {
    pm_gpu gpu;
    pm_error error = PM_ERROR_NONE;
    pm_framework_profile found;
    record("gpu", pm_catalog_get_id(catalog, "gpus", i), &gpu);
    ck_assert_int_eq(pm_catalog_get_framework_on(catalog, NULL, gpu.architecture, &found, NULL), PM_OK);
    ck_assert_msg(pm__framework_check_gpu(&found, &gpu, &error) == PM_OK, "%s", error.text);
    if (strcmp(gpu.architecture, "kepler") != 0) ck_assert_int_eq(strncmp(found.framework.id, "pytorch-2", 9), 0);
    int newest = strcmp(gpu.architecture, "blackwell") == 0 || strcmp(gpu.architecture, "cdna4") == 0;
    if (!newest) ck_assert_int_eq(found.framework.evidence, PM_EVIDENCE_FITTED);
  }
}
END_TEST

START_TEST(libraries_that_do_not_run_there_widen_the_interval)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  pm_prediction p[2];
  pm_network *network = build_network("resnet50");
  pm_system *system = build_system("dgx-h100");
  pm_plan *plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, NULL);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "mxnet17", &profile, NULL), PM_OK);
  ck_assert_int_eq(pm__framework_check_gpu(&profile, pm_system_get_gpu(system), &error), PM_STATUS_NOT_MODELLED);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), 0);
  profile.cudnn.architectures[0] = '\0'; /* nothing is said against it, and there are rows */
  strcpy(profile.cudnn.calibrated_on, "hopper");
  strcpy(profile.framework.calibrated_on, "hopper");
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), 1);
  pm_run run[2] = {pm_run_make(), pm_run_make()};
  run[0].framework_index = 0;
  run[1].framework_index = 1;
  run[0].precision = run[1].precision = PM_PRECISION_FP16;
  pm_predict(plan, run, p, 2);
  ck_assert_double_eq(p[0].throughput, p[1].throughput);
  ck_assert_int_eq(p[0].calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  ck_assert_int_eq(p[1].calibration, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_double_gt(p[0].throughput_p90, p[1].throughput_p90);
  ck_assert_double_lt(p[0].throughput_p10, p[1].throughput_p10);
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

/* One framework that differs between systems gives what each of them gives alone. */
START_TEST(a_framework_may_differ_between_systems)
{
  pm_framework_profile profiles[2];
  pm_prediction both[2], alone;
  pm_network *network = build_network("resnet50");
  pm_system *systems[2] = {build_system("dgx1-p100"), build_system("dgx-h100")};
  pm_plan *plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)systems, 2, NULL);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "torch7", &profiles[0], NULL), PM_OK);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch-2.4-nhwc", &profiles[1], NULL), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework_by_system(plan, profiles, 2, NULL), 0);
  ck_assert_int_eq(pm_plan_add_framework_by_system(plan, profiles, 3, NULL), -1);
  pm_run runs[2] = {pm_run_make(), pm_run_make()};
  runs[0].framework_index = runs[1].framework_index = 0;
  runs[1].system_index = 1;
  pm_predict(plan, runs, both, 2);
  const pm_sweep sweep = {.runs = runs, .run_size = sizeof runs[0], .answers = both, .answer_size = sizeof both[0],
                          .count = 2};
  pm_table *table = pm_sweep_tabulate(plan, &sweep, NULL);
  char *words = pm_table_format(table, PM_FORMAT_CSV, 0, NULL);
  ck_assert(strstr(words, ",torch7,") != NULL && strstr(words, ",pytorch-2.4-nhwc,") != NULL);
  for (int i = 0; i < 2; i++) {
    pm_plan *single = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&systems[i], 1,
                                  NULL);
    runs[i].system_index = 0;
    runs[i].framework_index = pm_plan_add_framework(single, &profiles[i], NULL);
    pm_predict(single, &runs[i], &alone, 1);
    ck_assert_double_eq(alone.throughput, both[i].throughput);
    ck_assert_double_eq(alone.throughput_p10, both[i].throughput_p10);
    pm_plan_free(single);
  }
  pm_string_free(words);
  pm_table_free(table);
  pm_plan_free(plan);
  for (int i = 0; i < 2; i++) pm_system_free(systems[i]);
  pm_network_free(network);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("generation");
  TCase *tests = tcase_create("generation");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_unchecked_fixture(tests, open_own, close_own);
  tcase_add_test(tests, without_a_release_the_gpu_decides);
  tcase_add_test(tests, a_variant_is_of_the_same_release);
  tcase_add_test(tests, a_release_stands_for_those_up_to_the_next);
  tcase_add_test(tests, a_month_stands_for_release_and_libraries);
  tcase_add_test(tests, a_month_has_its_collectives);
  tcase_add_test(tests, what_there_is_is_listed);
  tcase_add_test(tests, inference_knows_the_same_names);
  tcase_add_test(tests, the_default_fits_every_gpu);
  tcase_add_test(tests, libraries_that_do_not_run_there_widen_the_interval);
  tcase_add_test(tests, a_framework_may_differ_between_systems);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
