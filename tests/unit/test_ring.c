/* Rings found in link graphs, and what an all-reduce over them takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/parameters.h"
#include "topology/ring.h"
#include "fixtures.h"

static double rings_of(int gpus, const int *links, int use)
{
  pm_ring ring;
  pm_error error = PM_ERROR_NONE;
  pm_system *system = fixture_mesh(gpus, links);
  int status = pm_ring_find(system, use, 1, &ring, &error);
  pm_system_free(system);
  return status == PM_OK ? ring.rings : status == PM_STATUS_NO_ROUTE ? 0 : -1;
}

/* The packings of the DGX-1 with V100, GPUs 0 .. k-1; five GPUs have no ring. */
START_TEST(cube_mesh_has_its_rings)
{
  const double rings[] = {0, 0, 1, 2, 4, 0, 2, 4, 6};
  for (int k = 2; k <= 8; k++) ck_assert_double_eq_tol(rings_of(8, fixture_cube_mesh, k), rings[k], 1e-9);
}
END_TEST

/* The same machine with one link wherever there is any but the faces' double ones: the DGX-1 with P100. */
START_TEST(single_link_cube_mesh_has_its_rings)
{
  int links[64];
  const double rings[] = {0, 0, 1, 2, 3, 0, 2, 3, 4};
  for (int i = 0; i < 64; i++) links[i] = 0;
  for (int quad = 0; quad < 8; quad += 4)
    for (int i = 0; i < 4; i++)
      for (int j = i + 1; j < 4; j++) links[(quad + i) * 8 + quad + j] = 1;
  for (int i = 0; i < 4; i++) links[i * 8 + i + 4] = 1;
  for (int k = 2; k <= 8; k++) ck_assert_double_eq_tol(rings_of(8, links, k), rings[k], 1e-9);
}
END_TEST

/* A complete graph of n GPUs packs n - 1 directed rings: every arc is used (n > 2). */
START_TEST(complete_graphs_use_every_link)
{
  int links[64];
  for (int i = 0; i < 64; i++) links[i] = 1;
  for (int n = 3; n <= 8; n++) ck_assert_double_eq_tol(rings_of(n, links, n), n - 1, 1e-9);
}
END_TEST

/* ---- The packing against its bounds, on random graphs -------------------------------------------------------- */

static unsigned next_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static int least_degree(const int *links, int n)
{
  int least = 1 << 20;
  for (int i = 0; i < n; i++) {
    int degree = 0;
    for (int j = 0; j < n; j++) degree += i < j ? links[i * n + j] : links[j * n + i];
    if (degree < least) least = degree;
  }
  return least;
}

/* Best packing by whole rings, by trying them all: a lower bound for the fractional one. */
static int whole_rings(int *room, int n, int *order, int depth, bool *used)
{
  int best = 0;
  if (depth == n) {
    for (int i = 0; i < n; i++)
      if (room[order[i] * n + order[(i + 1) % n]] == 0) return 0;
    for (int i = 0; i < n; i++) room[order[i] * n + order[(i + 1) % n]]--;
    int again[8] = {0};
    bool fresh[8] = {true};
    best = 1 + whole_rings(room, n, again, 1, fresh);
    for (int i = 0; i < n; i++) room[order[i] * n + order[(i + 1) % n]]++;
    return best;
  }
  for (int next = 1; next < n; next++) {
    if (used[next] || room[order[depth - 1] * n + next] == 0) continue;
    used[next] = true;
    order[depth] = next;
    int found = whole_rings(room, n, order, depth + 1, used);
    if (found > best) best = found;
    used[next] = false;
  }
  return best;
}

START_TEST(packing_lies_between_its_bounds)
{
  unsigned state = 7;
  for (int trial = 0; trial < 150; trial++) {
    int n = 3 + (int)(next_random(&state) % 3), links[64] = {0}, room[64] = {0}, order[8] = {0};
    bool used[8] = {true};
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        links[i * n + j] = room[i * n + j] = room[j * n + i] = (int)(next_random(&state) % 3);
    double rings = rings_of(n, links, n);
    ck_assert_double_ge(rings, whole_rings(room, n, order, 1, used) - 1e-9);
    if (rings > 0) ck_assert_double_le(rings, least_degree(links, n) + 1e-9);
  }
}
END_TEST

START_TEST(more_links_are_never_slower)
{
  unsigned state = 3;
  for (int trial = 0; trial < 60; trial++) {
    int n = 3 + (int)(next_random(&state) % 4), links[64] = {0};
    for (int i = 0; i < n * n; i++) links[i] = 1 + (int)(next_random(&state) % 2);
    double before = rings_of(n, links, n);
    int i = (int)(next_random(&state) % (unsigned)(n - 1));
    links[i * n + n - 1]++;
    ck_assert_double_ge(rings_of(n, links, n), before - 1e-9);
  }
}
END_TEST

/* In tree order each link carries one flow each way, so the ring runs at the speed of one link. */
START_TEST(trees_are_visited_in_order)
{
  pm_system *system = fixture_tree();
  for (int gpus = 2; gpus <= 8; gpus++) {
    pm_ring ring;
    ck_assert_int_eq(pm_ring_find(system, gpus, 1, &ring, NULL), PM_OK);
    ck_assert_double_eq_tol(ring.bandwidth, 10e9, 1);
    ck_assert(ring.rings == 0);
    ck_assert_str_eq(ring.bottleneck, "wire");
    ck_assert_int_eq(ring.calibrated, 0);
  }
  pm_system_free(system);
}
END_TEST

START_TEST(groups_that_cannot_be_are_refused)
{
  pm_ring ring;
  pm_error error = PM_ERROR_NONE;
  pm_system *system = fixture_tree();
  ck_assert_int_eq(pm_ring_find(system, 9, 1, &ring, &error), PM_STATUS_TOO_MANY_GPUS);
  ck_assert_msg(strstr(error.text, "9 GPUs requested, but a box has 8") != NULL, "%s", error.text);
  ck_assert_int_eq(pm_ring_find(system, 0, 1, &ring, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_ring_find(system, 8, 2, &ring, NULL), PM_STATUS_NO_ROUTE);
  ck_assert_int_eq(pm_ring_find(NULL, 8, 1, &ring, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_ring_find(system, 8, 1, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_system_free(system);
}
END_TEST

START_TEST(all_reduce_time_is_latency_plus_transfer)
{
  pm_ring ring;
  memset(&ring, 0, sizeof ring);
  ring.gpus = 8;
  ring.nodes = 2;
  ring.bandwidth = 1e10;
  ring.hop_latency = 1e-6;
  ring.network_latency = 1e-5;
  ring.base_latency = 1e-4;
  double transfer = pm__all_reduce_get_transfer_time(1e9, 16, 1e10);
  ck_assert_double_eq_tol(transfer, 2.0 * 15 / 16 * 0.1, 1e-15);
  ck_assert_double_eq_tol(pm_ring_get_all_reduce_time(&ring, 1e9), 1e-4 + 28e-6 + 2e-5 + transfer, 1e-12);
  ring.gpus = ring.nodes = 1;
  ck_assert(pm_ring_get_all_reduce_time(&ring, 1e9) == 0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("ring");
  TCase *tests = tcase_create("ring");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, cube_mesh_has_its_rings);
  tcase_add_test(tests, single_link_cube_mesh_has_its_rings);
  tcase_add_test(tests, complete_graphs_use_every_link);
  tcase_add_test(tests, packing_lies_between_its_bounds);
  tcase_add_test(tests, more_links_are_never_slower);
  tcase_add_test(tests, trees_are_visited_in_order);
  tcase_add_test(tests, groups_that_cannot_be_are_refused);
  tcase_add_test(tests, all_reduce_time_is_latency_plus_transfer);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
