/* Machines and networks that are built in code, for tests of the model without the catalogue. */
#include "fixtures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pm_gpu fixture_gpu(void)
{
  pm_gpu gpu;
  pm_record_clear(pm_record_type_find("gpu"), &gpu);
  snprintf(gpu.id, sizeof gpu.id, "round");
  gpu.peak_fp64 = 5e12;
  gpu.peak_fp32 = 1e13;
  gpu.peak_fp16_tensor = 1e14;
  gpu.memory = 16e9;
  gpu.memory_bandwidth = 1e12;
  return gpu;
}

static pm_link make_link(const char *id, pm_link_kind kind, double bandwidth)
{
  pm_link link;
  pm_record_clear(pm_record_type_find("link"), &link);
  snprintf(link.id, sizeof link.id, "%s", id);
  link.kind = kind;
  link.bandwidth = bandwidth;
  link.flow_bandwidth = INFINITY;
  return link;
}

static pm_system *new_system(int gpus)
{
  pm_machine machine;
  pm_gpu gpu = fixture_gpu();
  char name[16];
  pm_record_clear(pm_record_type_find("machine"), &machine);
  snprintf(machine.id, sizeof machine.id, "box");
  machine.gpus = gpus;
  pm_system *system = pm_system_new(&machine, &gpu, NULL);
  ck_assert_ptr_nonnull(system);
  for (int i = 0; i < gpus; i++) {
    snprintf(name, sizeof name, "gpu%d", i);
    ck_assert_int_eq(pm_system_add_vertex(system, name, PM_VERTEX_GPU, NULL), PM_OK);
  }
  return system;
}

const int fixture_cube_mesh[64] = {
  0, 1, 1, 2, 2, 0, 0, 0, 1, 0, 2, 1, 0, 2, 0, 0, 1, 2, 0, 2, 0, 0, 1, 0, 2, 1, 2, 0, 0, 0, 0, 1,
  2, 0, 0, 0, 0, 1, 1, 2, 0, 2, 0, 0, 1, 0, 2, 1, 0, 0, 1, 0, 1, 2, 0, 2, 0, 0, 0, 1, 2, 1, 2, 0,
};

pm_system *fixture_mesh(int gpus, const int *links)
{
  pm_system *system = new_system(gpus);
  pm_link link = make_link("mesh", PM_LINK_NVLINK, 20e9);
  char a[16], b[16];
  for (int i = 0; i < gpus; i++)
    for (int j = i + 1; j < gpus; j++) {
      if (links[i * gpus + j] == 0) continue;
      snprintf(a, sizeof a, "gpu%d", i);
      snprintf(b, sizeof b, "gpu%d", j);
      ck_assert_int_eq(pm_system_add_link(system, a, b, &link, NULL, links[i * gpus + j], NULL), PM_OK);
    }
  return system;
}

pm_system *fixture_tree(void)
{
  static const char *const edges[][2] = {{"gpu0", "plx0"}, {"gpu1", "plx0"}, {"gpu2", "plx1"}, {"gpu3", "plx1"},
                                         {"gpu4", "plx2"}, {"gpu5", "plx2"}, {"gpu6", "plx3"}, {"gpu7", "plx3"},
                                         {"plx0", "cpu0"}, {"plx1", "cpu0"}, {"plx2", "cpu1"}, {"plx3", "cpu1"},
                                         {"cpu0", "cpu1"}};
  static const char *const switches[] = {"plx0", "plx1", "plx2", "plx3"};
  pm_system *system = new_system(8);
  pm_link link = make_link("wire", PM_LINK_PCIE, 10e9);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(pm_system_add_vertex(system, switches[i], PM_VERTEX_SWITCH, NULL), PM_OK);
  ck_assert_int_eq(pm_system_add_vertex(system, "cpu0", PM_VERTEX_CPU, NULL), PM_OK);
  ck_assert_int_eq(pm_system_add_vertex(system, "cpu1", PM_VERTEX_CPU, NULL), PM_OK);
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
    ck_assert_int_eq(pm_system_add_link(system, edges[i][0], edges[i][1], &link, NULL, 1, NULL), PM_OK);
  return system;
}

static int add(pm_network *network, const char *kind, int input, const char *attribute, const char *value)
{
  pm_attribute attributes[] = {{attribute, value}, {"kernel", "3"}, {"padding", "1"}};
  size_t count = attribute == NULL ? 0 : strcmp(kind, "conv2d") == 0 ? 3 : 1;
  pm_error error = PM_ERROR_NONE;
  int number = pm_network_add(network, kind, NULL, &input, 1, attributes, count, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  return number;
}

pm_network *fixture_network(void)
{
  const int64_t image[] = {3, 32, 32};
  pm_network *network = pm_network_new("tiny", "Tiny", NULL);
  int x = pm_network_add_input(network, "image", image, 3, NULL);
  x = add(network, "conv2d", x, "out_channels", "16");
  x = add(network, "batch_norm", x, NULL, NULL);
  int skip = add(network, "relu", x, NULL, NULL);
  x = add(network, "conv2d", skip, "out_channels", "16");
  int join[] = {x, skip};
  x = pm_network_add(network, "add", NULL, join, 2, NULL, 0, NULL);
  x = add(network, "max_pool", x, "kernel", "2");
  x = add(network, "flatten", x, NULL, NULL);
  x = add(network, "linear", x, "out_features", "10");
  ck_assert_int_ge(add(network, "softmax_loss", x, NULL, NULL), 0);
  return network;
}

int fixture_main(Suite *suite)
{
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
