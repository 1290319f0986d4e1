/* Wirings: found once, kept with the system; and the candidates that are made of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/candidates.h"
#include "fixtures.h"
#include "shipped.h"

START_TEST(a_wiring_is_found_once)
{
  pm_system *system = fixture_mesh(8, fixture_cube_mesh);
  const int first[] = {0, 1, 2, 3}, other[] = {3, 2, 1, 0};
  const pm__wiring *wiring = pm__wiring_of(system, NULL, 4, NULL);
  ck_assert_ptr_nonnull(wiring);
  ck_assert_ptr_eq(pm__wiring_of(system, first, 4, NULL), wiring); /* the same list said in words */
  ck_assert_ptr_ne(pm__wiring_of(system, other, 4, NULL), wiring); /* another order */
  ck_assert_ptr_ne(pm__wiring_of(system, NULL, 3, NULL), wiring);
  ck_assert_ptr_eq(pm__wiring_of(system, NULL, 4, NULL), wiring);
  pm_system_free(system);
}
END_TEST

/* A link more, and the rings are those of the new graph; what was kept stays readable. */
START_TEST(a_changed_system_is_searched_again)
{
  pm_error error = PM_ERROR_NONE;
  pm_link link;
  pm_ring before, after;
  int links[4] = {0, 1, 1, 0};
  pm_system *system = fixture_mesh(2, links);
  ck_assert_int_eq(pm_ring_find(system, 2, 1, &before, NULL), PM_OK);
  const pm__wiring *kept = pm__wiring_of(system, NULL, 2, NULL);
  pm_record_init(pm_record_type_find("link"), &link);
  strcpy(link.id, "more");
  link.kind = PM_LINK_NVLINK;
  link.bandwidth = 20e9;
  link.flow_bandwidth = INFINITY;
  ck_assert_msg(pm_system_add_link(system, "gpu0", "gpu1", &link, NULL, 1, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_ring_find(system, 2, 1, &after, NULL), PM_OK);
  ck_assert_double_eq_tol(after.bandwidth, 2 * before.bandwidth, 1);
  ck_assert_double_eq_tol(kept->packed.bandwidth, before.bandwidth, 1);
  pm_system_free(system);
}
END_TEST

/* More lists than are kept: the rest is found anew and belongs to its caller. */
START_TEST(a_full_keeper_still_answers)
{
  int own = 0;
  pm_system *system = build_system("dgx2");
  for (int a = 0; a < 16; a++)
    for (int b = 0; b < 16; b++)
      for (int c = 0; c < 16; c++) {
        if (a == b || b == c || a == c) continue;
        const int list[] = {a, b, c};
        const pm__wiring *wiring = pm__wiring_of(system, list, 3, NULL);
        ck_assert_ptr_nonnull(wiring);
        ck_assert_double_eq_tol(wiring->packed.directed_rings, 6, 1e-9);
        own += wiring->kept.position == 0;
        pm__wiring_release(wiring);
      }
  ck_assert_int_gt(own, 1000); /* 3,360 lists */
  pm_system_free(system);
}
END_TEST

/* ---- Candidates ---- */

/* What a step does by hand is what a group does. */
START_TEST(candidates_are_those_of_a_group)
{
  static const char *const machines[] = {"dgx1-v100", "dgx2", "dgx-h100", "p3dn"};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    const pm__wiring *wiring = pm__wiring_of(system, NULL, 8, NULL);
    for (int nodes = 1; nodes <= 16; nodes *= 4)
      for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) {
        pm__collective_candidates candidates;
        pm__collective_group members = pm__collective_group_on(wiring, nodes);
        pm_group_choice choice = pm_group_choice_default();
        choice.nodes = nodes;
        ck_assert(pm__collective_candidates_find(&candidates, &members, (pm_collective)c));
        pm_group *group = pm_group_new(system, NULL, 8, &choice, NULL);
        for (double bytes = 1; bytes < 1e10; bytes *= 37) {
          pm_call call = {c, bytes, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY};
          pm_collective_time result;
          pm_group_times(group, &call, &result, 1);
          pm__collective_candidate_time t = pm__collective_candidates_time(&candidates, bytes);
          ck_assert(t.time == result.time && t.bus_bandwidth == result.bus_bandwidth);
          ck_assert_int_eq((int)t.candidate->algorithm, result.algorithm);
          ck_assert_str_eq(t.candidate->cost.limit, result.limit);
        }
        ck_assert(candidates.sm_share > 0 && candidates.sm_share <= 1);
        pm_group_free(group);
      }
    pm_system_free(system);
  }
}
END_TEST

/* The record of a ring has the constants of the group's own ring. */
START_TEST(a_ring_is_the_groups_ring)
{
  static const char *const machines[] = {"dgx1-p100", "dgx1-v100", "dgx-h100", "dgx-a100"};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
    for (int nodes = 1; nodes <= 4; nodes *= 2)
      for (int gpus = 1; gpus <= 8; gpus++) {
        pm_ring ring;
        pm__collective_parameters parameters;
        pm__collective_cost cost;
        pm_system *system = build_system(machines[m]);
        pm__collective_group group = pm__collective_group_on(pm__wiring_of(system, NULL, gpus, NULL), nodes);
        ck_assert_int_eq(pm_ring_find(system, gpus, nodes, &ring, NULL), PM_OK);
        ck_assert_int_eq(pm__collective_parameters_init(&parameters, &group, NULL), PM_OK);
        memset(&cost, 0, sizeof cost);
        pm__collective_algorithm_RING.cost(&parameters, PM_ALL_REDUCE, PM__SIMPLE, &cost);
        double plain = gpus * nodes > 1 ? cost.latency + cost.per_byte * 1e8 : 0;
        ck_assert_double_eq_tol(pm_ring_all_reduce_time(&ring, 1e8), plain, 1e-12);
        pm_system_free(system);
      }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("wiring");
  TCase *tests = tcase_create("wiring");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, a_wiring_is_found_once);
  tcase_add_test(tests, a_changed_system_is_searched_again);
  tcase_add_test(tests, a_full_keeper_still_answers);
  tcase_add_test(tests, candidates_are_those_of_a_group);
  tcase_add_test(tests, a_ring_is_the_groups_ring);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
