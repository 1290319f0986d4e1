/* Frameworks and engines of the catalogue: each handles memory in a way that has a name, and trains or says that it
** cannot. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fixtures.h"
#include "shipped.h"

static pm_memory_profile memory_of(const char *name)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_profile out;
  ck_assert_msg(pm_catalog_get_memory_profile(catalog, name, &out, &error) == PM_OK, "%s: %s", name, error.text);
  return out;
}

/* A name of both stands for the same memory wherever it is written; "torch" is Torch7 among frameworks, PyTorch
** otherwise. */
START_TEST(every_framework_has_its_memory)
{
  for (size_t i = 0; pm_catalog_get_id(catalog, "frameworks", i) != NULL; i++) {
    const char *name, *id = pm_catalog_get_id(catalog, "frameworks", i);
    for (size_t n = 0; (name = pm_catalog_get_name(catalog, "frameworks", id, n)) != NULL; n++) {
      pm_framework_profile profile;
      ck_assert_int_eq(pm_catalog_get_framework(catalog, name, &profile, NULL), PM_OK);
      ck_assert_msg(profile.framework.memory[0] != '\0' && profile.memory.context > 0, "%s has no memory profile",
                    name);
      ck_assert_str_eq(profile.memory.id, profile.framework.memory);
      if (strcmp(name, "torch") != 0) ck_assert_str_eq(memory_of(name).id, profile.memory.id);
    }
  }
  ck_assert_str_eq(memory_of("pt-nchw@cudnn6").id, "pytorch-1.6");
  ck_assert_str_eq(memory_of("pytorch-1.5").id, "pytorch-1.6"); /* up to 1.6 */
  ck_assert_str_eq(memory_of("pytorch-1.8").id, "pytorch-1.10");
  ck_assert_str_eq(memory_of("pytorch-2.5").id, "pytorch");
  ck_assert_str_eq(memory_of("pytorch-nhwc@2022-01").id, "pytorch-1.10");
  ck_assert_str_eq(memory_of("pytorch-1.12").id, "pytorch-1.12");
}
END_TEST

START_TEST(every_engine_has_its_memory)
{
  pm_inference_profile profile;
  for (size_t i = 0; pm_catalog_get_id(catalog, "inference_profiles", i) != NULL; i++) {
    const char *id = pm_catalog_get_id(catalog, "inference_profiles", i);
    ck_assert_int_eq(pm_catalog_get_inference(catalog, id, &profile, NULL), PM_OK);
    ck_assert_msg(profile.memory[0] != '\0' && memory_of(profile.memory).context > 0, "%s has no memory profile", id);
  }
  /* a framework without a profile */
  ck_assert_int_eq(pm_catalog_get_inference(catalog, "theano", &profile, NULL), PM_OK);
  ck_assert_str_eq(profile.memory, "theano");
}
END_TEST

START_TEST(a_profile_has_the_rest_from_the_one_it_is_like)
{
  pm_memory_profile caffe = memory_of("nvcaffe"), mxnet = memory_of("mxnet");
  ck_assert_str_eq(caffe.id, "nvcaffe");
  ck_assert_double_eq(caffe.context, mxnet.context);
  ck_assert_int_eq(caffe.static_plan, mxnet.static_plan);
  ck_assert_int_eq(mxnet.relu_keeps_input, 1);
  ck_assert_int_eq(caffe.relu_keeps_input, 0); /* its own */
  pm_memory_profile record_of;
  record("memory_profile", "nvcaffe", &record_of);
  ck_assert_mem_eq(&record_of, &caffe, sizeof caffe);
}
END_TEST

START_TEST(unknown_names_are_refused)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_profile out;
  ck_assert_int_eq(pm_catalog_get_memory_profile(catalog, "pytorc", &out, &error), PM_STATUS_NOT_FOUND);
  ck_assert_msg(strstr(error.text, "did you mean \"pytorch\"") != NULL, "%s", error.text);
  ck_assert_int_eq(pm_catalog_get_memory_profile(NULL, "pytorch", &out, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_catalog_get_memory_profile(catalog, "pytorch", NULL, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(an_engine_cannot_train)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  pm_network *network = build_network("lenet-5");
  pm_system *system = build_system("dgx1-v100");
  pm_plan *plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, NULL);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "tensorrt", &profile, NULL), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, &error), -1);
  ck_assert_str_eq(error.text, "framework \"tensorrt\" cannot train; it only runs inference");
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nchw", &profile, NULL), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), 0);
  pm_plan_free(plan);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

/* What a user adds and does not say is as a framework of its time. */
START_TEST(users_need_not_name_a_memory_profile)
{
  static const char text[] =
    "<perfmodel version=\"1\">\n"
    "<framework id=\"mine\" "
    "name=\"Mine\"><cudnn>cudnn8</cudnn><evidence>uncalibrated</evidence><parallelism>all-reduce</parallelism>"
    "<overlap>none</overlap></framework>\n"
    "<framework id=\"like-mxnet\" name=\"Like "
    "MXNet\"><like>mxnet17</like><cudnn>cudnn8</cudnn><evidence>uncalibrated</evidence>"
    "<parallelism>all-reduce</parallelism><overlap>none</overlap></framework>\n"
    "<inference_profile id=\"served\" name=\"Served\"><origin>rule</origin><fusion>none</fusion></inference_profile>\n"
    "<memory_profile id=\"small\" name=\"Small\"><like>caffe2</like><context>1 MiB</context></memory_profile>\n"
    "</perfmodel>\n";
  char path[] = "/tmp/perfmodel-XXXXXX";
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile framework;
  pm_inference_profile served;
  int descriptor = mkstemp(path);
  ck_assert(descriptor >= 0 && write(descriptor, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
  close(descriptor);
  pm_catalog *own = pm_catalog_new(NULL);
  ck_assert_msg(pm_catalog_load(own, path, &error) == PM_OK, "%s", error.text);
  unlink(path);
  ck_assert_int_eq(pm_catalog_get_framework(own, "mine", &framework, NULL), PM_OK);
  ck_assert_str_eq(framework.memory.id, "generic");
  ck_assert_int_eq(pm_catalog_get_framework(own, "like-mxnet", &framework, NULL), PM_OK);
  ck_assert_str_eq(framework.memory.id, "mxnet");
  ck_assert_int_eq(pm_catalog_get_inference(own, "served", &served, NULL), PM_OK);
  ck_assert_str_eq(served.memory, "generic");
  pm_memory_profile small; /* like one that is like a third */
  ck_assert_int_eq(pm_catalog_get_memory_profile(own, "small", &small, NULL), PM_OK);
  ck_assert_double_eq(small.context, 1 << 20);
  ck_assert_double_eq(small.allocator, 1);
  ck_assert_double_eq(small.mixed_copy, 2);
  pm_catalog_free(own);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("software");
  TCase *tests = tcase_create("software");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, every_framework_has_its_memory);
  tcase_add_test(tests, every_engine_has_its_memory);
  tcase_add_test(tests, a_profile_has_the_rest_from_the_one_it_is_like);
  tcase_add_test(tests, unknown_names_are_refused);
  tcase_add_test(tests, an_engine_cannot_train);
  tcase_add_test(tests, users_need_not_name_a_memory_profile);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
