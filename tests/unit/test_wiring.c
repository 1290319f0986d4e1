/* Wirings: found once, kept with the system; and the candidates that are made of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "collective/candidates.h"
#include "hardware/system.h"
#include "schedule/exchange.h"
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
  pm_record_clear(pm_record_type_find("link"), &link);
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

/* More lists than are kept: the rest is found again and belongs to its caller. */
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
        pm_group_choice choice = pm_group_choice_make();
        choice.nodes = nodes;
        ck_assert(pm__collective_candidates_find(&candidates, &members, (pm_collective)c));
        pm_group *group = pm_group_new(system, NULL, 8, &choice, NULL);
        for (double bytes = 1; bytes < 1e10; bytes *= 37) {
          pm_call call = {c, bytes, PM_ALGORITHM_AUTO, PM_PROTOCOL_ANY};
          pm_collective_time result;
          pm_group_evaluate(group, &call, &result, 1);
          pm__collective_candidate_time t = pm__collective_candidates_time(&candidates, bytes);
          ck_assert(t.time == result.time && t.bus_bandwidth == result.bus_bandwidth);
          ck_assert_int_eq((int)t.candidate->algorithm, result.algorithm);
          ck_assert_str_eq(t.launch_bound ? "launch" : t.candidate->cost.limit, result.bottleneck);
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
        pm__collective_algorithm_RING.cost(&parameters, PM_COLLECTIVE_ALL_REDUCE, PM__SIMPLE, &cost);
        double links = cost.per_byte - pm__collective_own_share(&parameters);
        double plain = gpus * nodes > 1 ? cost.latency + links * 1e8 : 0;
        ck_assert_double_eq_tol(pm_ring_get_all_reduce_time(&ring, 1e8), plain, 1e-12);
        pm_system_free(system);
      }
}
END_TEST

/* ---- Regular lists ---- */

/* GPUs 0 .. n-1 have a place of their own, which a changed system forgets. */
START_TEST(first_gpus_are_found_once)
{
  const pm__wiring *wiring, *again;
  pm_link link;
  int links[4] = {0, 1, 1, 0};
  pm_system *system = fixture_mesh(2, links);
  ck_assert_int_eq(pm__wiring_first(system, 2, &wiring), PM_OK);
  ck_assert_int_eq(pm__wiring_first(system, 2, &again), PM_OK);
  ck_assert_ptr_eq(wiring, again);
  ck_assert_ptr_eq(pm__wiring_of(system, NULL, 2, NULL), wiring);
  ck_assert_int_eq(pm__wiring_first(system, 0, &again), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm__wiring_first(system, 3, &again), PM_STATUS_TOO_MANY_GPUS);
  pm_record_clear(pm_record_type_find("link"), &link);
  strcpy(link.id, "more");
  link.kind = PM_LINK_NVLINK;
  link.bandwidth = 20e9;
  link.flow_bandwidth = INFINITY;
  ck_assert_int_eq(pm_system_add_link(system, "gpu0", "gpu1", &link, NULL, 1, NULL), PM_OK);
  ck_assert_int_eq(pm__wiring_first(system, 2, &again), PM_OK);
  ck_assert_ptr_ne(wiring, again);
  ck_assert_double_gt(again->packed.bandwidth, wiring->packed.bandwidth);
  pm_system_free(system);
}
END_TEST

/* That GPUs are not connected is remembered, until a link joins them. */
START_TEST(unconnected_gpus_stay_unconnected)
{
  const pm__wiring *wiring;
  pm_link link;
  int links[4] = {0, 0, 0, 0};
  pm_system *system = fixture_mesh(2, links);
  for (int turn = 0; turn < 2; turn++) {
    ck_assert_int_eq(pm__wiring_first(system, 2, &wiring), PM_STATUS_NO_ROUTE);
    ck_assert_ptr_null(wiring);
  }
  pm_record_clear(pm_record_type_find("link"), &link);
  strcpy(link.id, "more");
  link.kind = PM_LINK_NVLINK;
  link.bandwidth = 20e9;
  link.flow_bandwidth = INFINITY;
  ck_assert_int_eq(pm_system_add_link(system, "gpu0", "gpu1", &link, NULL, 1, NULL), PM_OK);
  ck_assert_int_eq(pm__wiring_first(system, 2, &wiring), PM_OK);
  pm_system_free(system);
}
END_TEST

/* Every first, stride and count: the wiring of the list said in words; lists that leave the node are refused. */
START_TEST(regular_lists_are_lists)
{
  pm_system *system = build_system("dgx1-v100");
  for (int first = 0; first < 8; first++)
    for (int stride = 1; stride <= 8; stride++)
      for (int count = 1; count <= 8; count++) {
        int list[8];
        const pm__wiring *wiring;
        int status = pm__wiring_regular(system, first, stride, count, &wiring);
        if (first + (count - 1) * stride > 7) {
          ck_assert_int_eq(status, PM_STATUS_TOO_MANY_GPUS);
          continue;
        }
        for (int i = 0; i < count; i++) list[i] = first + i * stride;
        ck_assert_int_eq(status, PM_OK);
        ck_assert_ptr_eq(pm__wiring_of(system, list, count, NULL), wiring);
      }
  pm_system_free(system);
}
END_TEST

/* ---- Groups ---- */

static const char *const clusters[] = {"dgx1-v100", "dgx1-p100", "dgx2", "dgx-h100", "dgx-a100", "p3dn", "mi300x-node"};
enum { CLUSTERS = sizeof clusters / sizeof clusters[0] };

static double time_of(const pm__collective_group *group, int collective, double bytes)
{
  return pm__exchange_time(NULL, group, collective, bytes);
}

static pm__collective_group group_of(const pm_system *system, int first, int stride, int members, int nodes)
{
  pm__collective_group group;
  ck_assert_int_eq(pm__collective_group_init(&group, system, first, stride, members, nodes), PM_OK);
  return group;
}

/* Others on the adapters of a node never help, and all groups together get no more than all adapters. */
START_TEST(groups_at_once_share_the_adapters)
{
  int slower = 0;
  for (size_t m = 0; m < CLUSTERS; m++) {
    pm_system *system = build_system(clusters[m]);
    pm__collective_group all = group_of(system, 0, 1, (int)system->gpu_count, 2);
    for (int members = 1; members <= 8; members *= 2)
      for (int nodes = 1; nodes <= 4; nodes++)
        for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) {
          pm__collective_group group = group_of(system, 0, 1, members, nodes);
          double before = time_of(&group, c, 1e8);
          for (group.groups_at_once = 2; group.groups_at_once <= 8; group.groups_at_once *= 2) {
            double share = pm__collective_group_network(&group), now = time_of(&group, c, 1e8);
            if (isnan(now)) ck_assert(isnan(before));
            else ck_assert_double_ge(now, before * (1 - 1e-12));
            if (nodes == 1 && !isnan(now)) ck_assert(now == before); /* no adapter is used */
            ck_assert_double_le(share * group.groups_at_once, group.wiring->all_adapters * (1 + 1e-12));
            slower += now > before;
            before = now;
          }
        }
    ck_assert(pm__collective_group_network(&all) > 0);
    pm_system_free(system);
  }
  ck_assert_int_gt(slower, 1000);
}
END_TEST

/* Half of the GPUs, each second one: two such groups at once are no faster than one of them alone, and where each GPU
** has its own adapter they do not meet. */
START_TEST(strided_halves_of_a_node)
{
  for (size_t m = 0; m < CLUSTERS; m++) {
    pm_system *system = build_system(clusters[m]);
    int half = (int)system->gpu_count / 2;
    pm__collective_group even = group_of(system, 0, 2, half, 2), odd = group_of(system, 1, 2, half, 2);
    double alone = time_of(&even, PM_COLLECTIVE_ALL_REDUCE, 1e9);
    even.groups_at_once = odd.groups_at_once = 2;
    double share = pm__collective_group_network(&even) + pm__collective_group_network(&odd);
    ck_assert_double_ge(time_of(&even, PM_COLLECTIVE_ALL_REDUCE, 1e9), alone * (1 - 1e-12));
    ck_assert_double_le(share, fmax(even.wiring->all_adapters, odd.wiring->all_adapters) * (1 + 1e-12));
    ck_assert_int_eq(even.wiring->kept.gpu[1], 2);
    ck_assert_int_eq(odd.wiring->kept.gpu[half - 1], 2 * half - 1);
    pm_system_free(system);
  }
}
END_TEST

/* Eight groups with a GPU in each node are no slower together than a group of whole nodes: those who share a switch
** with another's adapter do not lose half of their own. */
START_TEST(groups_of_single_gpus_use_the_whole_node)
{
  static const char *const machines[] = {"dgx-a100-80gb", "dgx-h100", "dgx-h200", "dgx-b200"};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    pm__collective_group all = group_of(system, 0, 1, 8, 8);
    double together = 0;
    for (int gpu = 0; gpu < 8; gpu++) {
      pm__collective_group one = group_of(system, gpu, 1, 1, 8);
      one.groups_at_once = 8;
      together += pm__collective_group_network(&one);
    }
    ck_assert_double_eq_tol(together / pm__collective_group_network(&all), 1, 1e-9);
    pm_system_free(system);
  }
}
END_TEST

/* Two groups are the same only if nothing of them differs. */
START_TEST(groups_that_differ_are_told_apart)
{
  pm_system *system = build_system("dgx1-v100");
  const pm__collective_group group = group_of(system, 0, 1, 4, 2);
  pm__collective_group others[] = {group, group, group, group, group, group, group_of(system, 0, 2, 4, 2)};
  others[0].nodes = 3;
  others[1].groups_at_once = 2;
  others[2].thread_gpus = 4;
  others[3].servers = 2;
  others[4].nccl = PM_NCCL_2017;
  others[5].in_network = true;
  ck_assert(pm__collective_group_same(&group, &group));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    ck_assert_msg(!pm__collective_group_same(&group, &others[i]), "%zu", i);
  pm_system_free(system);
}
END_TEST

START_TEST(a_group_of_one_takes_no_time)
{
  pm_system *system = build_system("dgx1-v100");
  for (int first = 0; first < 8; first++) {
    pm__collective_group one = group_of(system, first, 3, 1, 1);
    for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) ck_assert(time_of(&one, c, 1e9) == 0);
  }
  pm_system_free(system);
}
END_TEST

/* Stride 1 from GPU 0 is the group that a user makes of a count of GPUs, to the last bit; many sizes at once are each
** by itself, in any order, equal ones among them. */
START_TEST(plain_groups_are_those_of_users)
{
  enum { SIZES = 40 };
  for (size_t m = 0; m < CLUSTERS; m++) {
    pm_system *system = build_system(clusters[m]);
    for (int members = 1; members <= 8; members++)
      for (int nodes = 1; nodes <= 3; nodes++)
        for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) {
          double bytes[SIZES], times[SIZES];
          pm__collective_group group = group_of(system, 0, 1, members, nodes);
          pm_group_choice choice = pm_group_choice_make();
          choice.nodes = nodes;
          pm_group *handle = pm_group_new(system, NULL, members, &choice, NULL);
          for (int i = 0; i < SIZES; i++) bytes[i] = i % 7 == 6 ? 0 : 100 * exp2((i * 29 % 11) * 2);
          pm__exchange_times(NULL, &group, c, bytes, SIZES, times);
          for (int i = 0; i < SIZES; i++) {
            pm_call call = {.collective = c, .bytes = bytes[i]};
            pm_collective_time result;
            pm_group_evaluate(handle, &call, &result, 1);
            if (bytes[i] == 0) ck_assert(times[i] == 0);
            else ck_assert(times[i] == result.time || (isnan(times[i]) && isnan(result.time)));
          }
          pm_group_free(handle);
        }
    pm_system_free(system);
  }
}
END_TEST

/* What a prediction shows of its ring, without the rest of it. */
START_TEST(ring_bandwidth_is_the_rings)
{
  for (size_t m = 0; m < CLUSTERS; m++) {
    pm_system *system = build_system(clusters[m]);
    for (int members = 1; members <= 8; members++)
      for (int nodes = 1; nodes <= 2; nodes++) {
        pm_ring ring;
        pm__collective_group group = group_of(system, 0, 1, members, nodes);
        ck_assert_int_eq(pm_ring_find(system, members, nodes, &ring, NULL), PM_OK);
        ck_assert(pm__collective_ring_bandwidth(&group) == ring.bandwidth);
        ck_assert_int_eq(pm__collective_calibrated(&group), ring.calibrated);
      }
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
  tcase_add_test(tests, first_gpus_are_found_once);
  tcase_add_test(tests, unconnected_gpus_stay_unconnected);
  tcase_add_test(tests, regular_lists_are_lists);
  tcase_add_test(tests, groups_at_once_share_the_adapters);
  tcase_add_test(tests, strided_halves_of_a_node);
  tcase_add_test(tests, groups_of_single_gpus_use_the_whole_node);
  tcase_add_test(tests, groups_that_differ_are_told_apart);
  tcase_add_test(tests, a_group_of_one_takes_no_time);
  tcase_add_test(tests, plain_groups_are_those_of_users);
  tcase_add_test(tests, ring_bandwidth_is_the_rings);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
