/* Machines and their graphs, built in code: what is refused, and why. */
#include <math.h>
#include <string.h>
#include "fixtures.h"
#include "hardware/system.h"

static pm_link round_link(void)
{
  pm_link link;
  pm_record_clear(pm_record_type_find("link"), &link);
  strcpy(link.id, "round");
  link.kind = PM_LINK_NVLINK;
  link.bandwidth = 20e9;
  link.flow_bandwidth = INFINITY;
  return link;
}

static pm_system *box(int gpus)
{
  pm_machine machine;
  pm_gpu gpu = fixture_gpu();
  pm_record_clear(pm_record_type_find("machine"), &machine);
  strcpy(machine.id, "box");
  machine.gpus = gpus;
  return pm_system_new(&machine, &gpu, NULL);
}

/* The call is refused with this message. */
#define REFUSED(call, message)                                        \
  do {                                                                \
    pm_error error = PM_ERROR_NONE;                                   \
    ck_assert_int_ne(call, PM_OK);                                    \
    ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text); \
  } while (0)

START_TEST(vertices_need_names_of_their_own)
{
  char name[PM_TEXT_MAX + 1];
  pm_system *system = box(1);
  memset(name, 'x', PM_TEXT_MAX);
  name[PM_TEXT_MAX] = '\0';
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, NULL), PM_OK);
  REFUSED(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, &error), "vertex \"gpu0\" already exists");
  REFUSED(pm_system_add_vertex(system, "", PM_VERTEX_GPU, &error), "a vertex needs a system, a name and a kind");
  REFUSED(pm_system_add_vertex(NULL, "gpu1", PM_VERTEX_GPU, &error), "a vertex needs a system, a name and a kind");
  REFUSED(pm_system_add_vertex(system, name, PM_VERTEX_CPU, &error), "is longer than 79 bytes");
  pm_error error = PM_ERROR_NONE;
  ck_assert_ptr_null(pm_system_new(NULL, NULL, &error));
  ck_assert_str_eq(error.text, "a system needs a machine and a gpu");
  pm_system_free(system);
}
END_TEST

START_TEST(links_carry_something)
{
  pm_link link = round_link(), none = round_link();
  pm_link_calibration calibration;
  pm_system *system = box(2);
  pm_record_clear(pm_record_type_find("link_calibration"), &calibration);
  strcpy(calibration.id, "fast");
  calibration.efficiency = 1.5;
  none.bandwidth = 0;
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, NULL), PM_OK);
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu1", PM_VERTEX_GPU, NULL), PM_OK);
  REFUSED(pm_system_add_link(system, "gpu0", "gpu1", &link, NULL, 0, &error), "0 links of type \"round\"");
  REFUSED(pm_system_add_link(system, "gpu0", "gpu0", &link, NULL, 1, &error), "joins \"gpu0\" to itself");
  REFUSED(pm_system_add_link(system, "gpu0", "gpu1", &none, NULL, 1, &error), "link \"round\" has no bandwidth");
  REFUSED(pm_system_add_link(system, "gpu0", "gpu1", &link, &calibration, 1, &error),
          "calibration \"fast\": efficiency 1.5 is not within 0 and 1");
  REFUSED(pm_system_set_network(system, &link, NULL, 1, &error), "link \"round\" does not join nodes");
  REFUSED(pm__system_check(system, &error), "nothing links \"gpu1\" to gpu0");
  ck_assert_int_eq(pm_system_add_link(system, "gpu0", "gpu1", &link, NULL, 1, NULL), PM_OK);
  ck_assert_int_eq(pm__system_check(system, NULL), PM_OK);
  pm_system_free(system);
}
END_TEST

START_TEST(machines_have_the_gpus_that_they_say)
{
  pm_protocol protocols[3];
  pm_system *system = box(2);
  for (int i = 0; i < 3; i++) pm_record_clear(pm_record_type_find("protocol"), &protocols[i]);
  strcpy(protocols[0].id, "ll");
  REFUSED(pm__system_check(system, &error), "system \"box\" has no GPU");
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, NULL), PM_OK);
  REFUSED(pm__system_check(system, &error), "system \"box\": gpus is 2, but the graph has 1");
  REFUSED(pm__system_set_usable_memory(system, -1, &error), "system \"box\": usable memory -1 is not positive");
  REFUSED(pm__system_set_library(system, protocols, NULL, NULL, &error),
          "protocol \"ll\" lacks a latency or its payload");
  ck_assert_double_eq(pm__system_get_usable_memory(system), 16e9);
  pm_system_free(system);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("machine");
  TCase *tests = tcase_create("machine");
  tcase_add_test(tests, vertices_need_names_of_their_own);
  tcase_add_test(tests, links_carry_something);
  tcase_add_test(tests, machines_have_the_gpus_that_they_say);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
