/* Collectives: laws that hold for every machine, and what the documents state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "topology/drawing.h"
#include "topology/ring.h"
#include "fixtures.h"
#include "shipped.h"

static pm_collective_time result_of(const pm_group *group, pm_collective collective, double bytes, int algorithm)
{
  pm_call call = pm_call_make();
  pm_collective_time result;
  call.collective = (int32_t)collective;
  call.bytes = bytes;
  call.algorithm = algorithm;
  ck_assert_int_eq(pm_group_evaluate(group, &call, &result, 1), PM_OK);
  return result;
}

static pm_group *group_of(const pm_system *system, int gpus, int nodes)
{
  pm_error error = PM_ERROR_NONE;
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = nodes;
  pm_group *group = pm_group_new(system, NULL, gpus, &choice, &error);
  ck_assert_msg(group != NULL, "%s", error.text);
  return group;
}

static unsigned next_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/* ---- Laws ---- */

/* More bytes never take less, for every collective and algorithm on several machines. */
START_TEST(more_bytes_never_faster)
{
  static const char *const machines[] = {"dgx1-v100", "dgx2", "dgx-h100", "mi300x-node", "ts4", "p3dn"};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m]);
    for (int nodes = 1; nodes <= (strcmp(machines[m], "ts4") == 0 ? 1 : 3); nodes++) {
      pm_group *group = group_of(system, 8, nodes);
      for (int c = 0; c < PM_COLLECTIVE_COUNT; c++)
        for (int a = 0; a < PM_ALGORITHM_COUNT; a++) {
          double before = 0;
          for (double bytes = 1; bytes < 3e10; bytes *= 1.5) {
            pm_collective_time r = result_of(group, (pm_collective)c, bytes, a);
            if (r.status != PM_OK) continue;
            ck_assert_msg(r.time >= before * (1 - 1e-12), "%s %d x %d, %d, %d, %g bytes", machines[m], 8, nodes, c, a,
                          bytes);
            ck_assert(r.bus_bandwidth > 0 && isfinite(r.time) && r.bottleneck[0] != '\0');
            before = r.time;
          }
        }
      pm_group_free(group);
    }
    pm_system_free(system);
  }
}
END_TEST

/* Every ring visits each GPU of the group once, and rings are no more than there can be. */
START_TEST(rings_visit_every_gpu)
{
  static const struct {
    const char *name, *medium;
  } machines[] = {{"dgx1-v100", "nvlink"}, {"dgx2", "nvswitch"}, {"ts4", "pcie"}};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    pm_system *system = build_system(machines[m].name);
    pm_group *group = group_of(system, 4, 1);
    int order[4], index = 0, gpus = pm_group_get_facts(group).gpus;
    ck_assert_int_eq(gpus, 4);
    ck_assert(!(pm_group_get_facts(group).rings > pm_group_get_facts(group).rings_most));
    ck_assert_str_eq(pm_group_get_facts(group).medium, machines[m].medium);
    for (double weight; !isnan(weight = pm_group_get_cycle(group, index, order)); index++) {
      unsigned seen = 0;
      for (int i = 0; i < gpus; i++) seen |= 1u << order[i];
      ck_assert(weight > 0 && seen == 15);
    }
    pm_group_free(group);
    pm_system_free(system);
  }
  ck_assert(pm_group_get_facts(NULL).gpus == 0 && isnan(pm_group_get_facts(NULL).rings_most));
  ck_assert(isnan(pm_group_get_cycle(NULL, 0, NULL)));
  ck_assert_str_eq(pm_group_get_facts(NULL).medium, "");
}
END_TEST

/* A wider link of any kind in the graph, and no collective is slower. */
START_TEST(more_bandwidth_never_slower)
{
  unsigned state = 5;
  for (int trial = 0; trial < 40; trial++) {
    int n = 3 + (int)(next_random(&state) % 4), links[64] = {0};
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) links[i * n + j] = 1 + (int)(next_random(&state) % 2);
    pm_system *system = fixture_mesh(n, links);
    links[0 * n + 1 + (int)(next_random(&state) % (unsigned)(n - 1))]++;
    pm_system *wider = fixture_mesh(n, links);
    pm_group *a = group_of(system, n, 1), *b = group_of(wider, n, 1);
    for (int c = 0; c < PM_COLLECTIVE_COUNT; c++)
      for (double bytes = 1e3; bytes < 1e10; bytes *= 100)
        ck_assert_double_le(result_of(b, (pm_collective)c, bytes, 0).time,
                            result_of(a, (pm_collective)c, bytes, 0).time * (1 + 1e-12));
    pm_group_free(a);
    pm_group_free(b);
    pm_system_free(system);
    pm_system_free(wider);
  }
}
END_TEST

START_TEST(one_rank_takes_no_time)
{
  pm_system *system = build_system("dgx1-v100");
  pm_group *group = group_of(system, 1, 1);
  for (int c = 0; c < PM_COLLECTIVE_COUNT; c++) ck_assert(result_of(group, (pm_collective)c, 1e9, 0).time == 0);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

static pm_collective_fit fit_of(const char *architecture)
{
  pm_collective_fit fit;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_get_record(catalog, "fit", architecture, &fit, &error) == PM_OK, "%s", error.text);
  return fit;
}

/* Reduce-scatter and all-gather together are an all-reduce, but that each has a step within the GPU; latency grows with
** the group. */
START_TEST(halves_make_the_whole)
{
  pm_system *system = build_system("dgx2");
  double before = 0;
  for (int gpus = 2; gpus <= 16; gpus++) {
    pm_group *group = group_of(system, gpus, 1);
    double whole = result_of(group, PM_COLLECTIVE_ALL_REDUCE, 8e9, PM_ALGORITHM_RING).transfer;
    double halves = result_of(group, PM_COLLECTIVE_REDUCE_SCATTER, 8e9, PM_ALGORITHM_RING).transfer +
                    result_of(group, PM_COLLECTIVE_ALL_GATHER, 8e9, PM_ALGORITHM_RING).transfer;
    double own = 8e9 / gpus / fit_of("volta").local_rate;
    ck_assert_double_eq_tol((halves - own) / whole, 1, 1e-9);
    double latency = result_of(group, PM_COLLECTIVE_ALL_REDUCE, 8, PM_ALGORITHM_RING).latency;
    ck_assert_double_gt(latency, before);
    before = latency;
    pm_group_free(group);
  }
  pm_system_free(system);
}
END_TEST

/* GPUs beyond a power of two join it and leave it: all bytes once more, and two steps. */
START_TEST(halving_and_doubling_wants_powers_of_two)
{
  pm_system *system = build_system("dgx2");
  pm_group *six = group_of(system, 6, 1), *eight = group_of(system, 8, 1);
  pm_collective_time odd = result_of(six, PM_COLLECTIVE_ALL_REDUCE, 8e9, PM_ALGORITHM_HALVING_DOUBLING);
  pm_collective_time even = result_of(eight, PM_COLLECTIVE_ALL_REDUCE, 8e9, PM_ALGORITHM_HALVING_DOUBLING);
  ck_assert_double_eq_tol(odd.transfer / even.transfer, (2 * 5.0 / 6 + 2) / (2 * 7.0 / 8), 1e-9);
  ck_assert_double_gt(odd.latency, even.latency);
  pm_group_free(six);
  pm_group_free(eight);
  pm_system_free(system);
}
END_TEST

/* The library's own constants, each by its fitted share, and all by that of the architecture: base + 2 (n-1) hops, n-1
** hops, and one. */
START_TEST(ring_latency_is_base_and_steps)
{
  pm_protocol ll;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_get_record(catalog, "protocol", "ll", &ll, &error) == PM_OK, "%s", error.text);
  pm_collective_fit fit = fit_of("volta");
  pm_system *system = build_system("dgx1-v100");
  pm_group *group = group_of(system, 8, 1);
  const struct {
    pm_collective collective;
    double hops;
  } cases[] = {{PM_COLLECTIVE_ALL_REDUCE, 14}, {PM_COLLECTIVE_ALL_GATHER, 7}, {PM_COLLECTIVE_REDUCE_SCATTER, 7},
               {PM_COLLECTIVE_BROADCAST, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pm_call call = pm_call_make();
    pm_collective_time r;
    call.collective = (int32_t)cases[i].collective;
    call.algorithm = PM_ALGORITHM_RING;
    call.protocol = PM_PROTOCOL_LL;
    pm_group_evaluate(group, &call, &r, 1);
    ck_assert_double_eq_tol(
      r.latency, fit.step_share * (fit.base_share * ll.ring_base + cases[i].hops * ll.ring_nvlink), 1e-12);
  }
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

/* One thread prepares the channels of its GPUs one after the other: one more for each 512 threads x 8 bytes x ranks. */
START_TEST(a_thread_prepares_channels)
{
  pm_collective_fit fit = fit_of("ampere");
  pm_system *system = build_system("dgx-a100");
  pm_error error = PM_ERROR_NONE;
  pm_group_choice choice = pm_group_choice_make();
  choice.thread_gpus = 8;
  pm_group *group = pm_group_new(system, NULL, 8, &choice, &error);
  ck_assert_msg(group != NULL, "%s", error.text);
  const double channel = 512 * 8 * 8;
  for (int channels = 1; channels <= 8; channels++) {
    double latency = result_of(group, PM_COLLECTIVE_ALL_REDUCE, channels * channel, PM_ALGORITHM_RING).latency;
    ck_assert_double_eq_tol(latency, 8 * (fit.launch + (channels - 1) * fit.channel_launch), 1e-12);
  }
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

/* Parts of an all-to-all go by LL while they are small, and start earlier for it. */
START_TEST(small_parts_go_by_ll)
{
  pm_system *system = build_system("dgx-h100");
  pm_group *group = group_of(system, 8, 1);
  pm_collective_time small = result_of(group, PM_COLLECTIVE_ALL_TO_ALL, 8192, PM_ALGORITHM_AUTO);
  pm_collective_time large = result_of(group, PM_COLLECTIVE_ALL_TO_ALL, 1 << 26, PM_ALGORITHM_AUTO);
  ck_assert_int_eq(small.protocol, PM_PROTOCOL_LL);
  ck_assert_int_eq(large.protocol, PM_PROTOCOL_SIMPLE);
  ck_assert_double_lt(small.latency, large.latency);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

/* NCCL issue 1455, H100, 4 GiB: bus bandwidth by GPUs; no constant was fitted to it. */
START_TEST(in_switch_reduction_grows_with_the_group)
{
  const double measured[] = {420, 440, 460, 480};
  pm_system *system = build_system("dgx-h100");
  for (int gpus = 5; gpus <= 8; gpus++) {
    pm_group *group = group_of(system, gpus, 1);
    double value = result_of(group, PM_COLLECTIVE_ALL_REDUCE, 4294967296.0, PM_ALGORITHM_NVLS).bus_bandwidth / 1e9;
    ck_assert_double_eq_tol(value / measured[gpus - 5], 1, 0.05);
    pm_group_free(group);
  }
  pm_system_free(system);
}
END_TEST

START_TEST(batch_equals_scalar)
{
  enum { CALLS = 64 };
  pm_call calls[CALLS];
  pm_collective_time batch[CALLS], one;
  pm_system *system = build_system("dgx-h100");
  pm_group *group = group_of(system, 8, 2);
  for (int i = 0; i < CALLS; i++) {
    calls[i] = pm_call_make();
    calls[i].collective = i % (PM_COLLECTIVE_COUNT + 1); /* one is no collective */
    calls[i].bytes = i == 7 ? -1 : exp2(i % 33);
  }
  ck_assert_int_eq(pm_group_evaluate(group, calls, batch, CALLS), PM_OK);
  for (int i = 0; i < CALLS; i++) {
    pm_group_evaluate(group, &calls[i], &one, 1);
    ck_assert(memcmp(&one, &batch[i], sizeof one) == 0);
    bool bad = i == 7 || calls[i].collective == PM_COLLECTIVE_COUNT;
    ck_assert_int_eq(batch[i].status != PM_OK, bad);
    ck_assert_int_eq(isnan(batch[i].time), bad);
  }
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

START_TEST(groups_that_cannot_be_are_refused)
{
  pm_error error = PM_ERROR_NONE;
  int twice[] = {0, 1, 0}, beyond[] = {0, 8};
  pm_system *system = build_system("dgx1-v100"), *box = build_system("ts4");
  pm_group_choice two = pm_group_choice_make();
  two.nodes = 2;
  ck_assert(pm_group_new(NULL, NULL, 8, NULL, NULL) == NULL);
  ck_assert(pm_group_new(system, NULL, 0, NULL, NULL) == NULL);
  ck_assert(pm_group_new(system, twice, 3, NULL, &error) == NULL);
  ck_assert_str_eq(error.text, "GPU 0 is listed twice");
  error.status = PM_OK;
  ck_assert(pm_group_new(system, beyond, 2, NULL, &error) == NULL);
  ck_assert_int_eq(error.status, PM_STATUS_TOO_MANY_GPUS);
  error.status = PM_OK;
  ck_assert(pm_group_new(box, NULL, 8, &two, &error) == NULL);
  ck_assert_int_eq(error.status, PM_STATUS_NO_ROUTE);
  pm_system_free(system);
  pm_system_free(box);
}
END_TEST

/* ---- What the documents state, with the library of today unless said ---- */

static double bus_by(pm_nccl nccl, const char *name, const int *gpus, int count, int nodes, pm_collective collective)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = build_system(name);
  pm_group_choice choice = pm_group_choice_make();
  choice.nodes = nodes;
  choice.nccl = nccl;
  pm_group *group = pm_group_new(system, gpus, count, &choice, &error);
  ck_assert_msg(group != NULL, "%s", error.text);
  double value = result_of(group, collective, 4e9, 0).bus_bandwidth / 1e9;
  pm_group_free(group);
  pm_system_free(system);
  return value;
}

static double bus(const char *name, const int *gpus, int count, int nodes, pm_collective collective)
{
  return bus_by(PM_NCCL_CURRENT, name, gpus, count, nodes, collective);
}

START_TEST(documents_bandwidths_hold)
{
  ck_assert_double_gt(bus("dgx1-v100", NULL, 8, 1, PM_COLLECTIVE_BROADCAST), 130); /* "more than 130" */
  ck_assert_double_gt(bus("dgx1-v100", NULL, 8, 1, PM_COLLECTIVE_ALL_REDUCE), 130);
  ck_assert_double_gt(bus("dgx1-p100", NULL, 8, 1, PM_COLLECTIVE_BROADCAST), 60);
  ck_assert_double_eq_tol(bus("smc4028gr-m40", NULL, 8, 1, PM_COLLECTIVE_BROADCAST), 10, 1.5);
  for (int gpus = 2; gpus <= 16; gpus += 2) ck_assert_double_eq_tol(bus("dgx2", NULL, gpus, 1,
                                                                        PM_COLLECTIVE_ALL_REDUCE), 120, 6);
  /* NCCL 2.3; today's gets 90 */
  ck_assert_double_eq_tol(bus("dgx1-v100", NULL, 4, 1, PM_COLLECTIVE_ALL_REDUCE), 80, 12);
  double pair = bus("dgx1-v100", NULL, 2, 1, PM_COLLECTIVE_ALL_REDUCE);
  ck_assert(pair > 20 && pair < 25); /* one link of 25 */
  ck_assert_double_eq_tol(bus("ac922", NULL, 2, 1, PM_COLLECTIVE_ALL_REDUCE), 70, 5);
  ck_assert_double_eq_tol(bus("ac922", NULL, 4, 1, PM_COLLECTIVE_ALL_REDUCE), 30, 3);
  /* NCCL 2.3 has rings alone; today's trees send every byte once between two nodes, not twice */
  ck_assert_double_eq_tol(bus_by(PM_NCCL_2017, "p3dn", NULL, 8, 2, PM_COLLECTIVE_ALL_REDUCE), 1, 0.3);
  ck_assert_double_eq_tol(bus("p3dn", NULL, 8, 2, PM_COLLECTIVE_ALL_REDUCE), 2, 0.3);
}
END_TEST

START_TEST(documents_order_holds)
{
  double ac922 = bus("ac922", NULL, 4, 1, PM_COLLECTIVE_ALL_REDUCE), rtx = bus("ts4", NULL, 8, 1,
                                                                               PM_COLLECTIVE_ALL_REDUCE);
  double dgx1 = bus("dgx1-v100", NULL, 8, 1, PM_COLLECTIVE_ALL_REDUCE), dgx2 = bus("dgx2", NULL, 8, 1,
                                                                                   PM_COLLECTIVE_ALL_REDUCE);
  ck_assert_double_gt(dgx1, dgx2); /* eight GPUs */
  ck_assert_double_eq_tol(dgx1, bus("p3dn", NULL, 8, 1, PM_COLLECTIVE_ALL_REDUCE), 1); /* the same cube mesh */
  ck_assert(rtx < ac922 && rtx < dgx1 && rtx < dgx2); /* throttled by PCIe */
  ck_assert_double_gt(bus("ac922", NULL, 2, 1, PM_COLLECTIVE_ALL_REDUCE), ac922); /* the bus between the sockets */
}
END_TEST

/* The papers' figure: four GPUs in two pairs under one CPU. In tree order the ring runs at the speed of one link; a
** wrong order sends two flows over the links above the switches and halves it. */
START_TEST(wrong_ring_order_halves_the_bandwidth)
{
  const int right[] = {0, 1, 2, 3}, wrong[] = {0, 2, 1, 3};
  double good, bad;
  pm_system *system = fixture_tree();
  ck_assert_int_eq(pm_ring_find_in_order(system, right, 4, &good, NULL), PM_OK);
  ck_assert_int_eq(pm_ring_find_in_order(system, wrong, 4, &bad, NULL), PM_OK);
  ck_assert_double_eq_tol(bad, good / 2, 1);
  pm_group *group = pm_group_new(system, wrong, 4, NULL, NULL);
  ck_assert_double_eq_tol(pm_group_get_facts(group).ring_bandwidth, good, 1); /* found, whatever order is asked in */
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

START_TEST(rings_of_any_subset)
{
  static const struct {
    const char *machine;
    int gpus[8], count;
    double rings;
  } cases[] = {{"dgx1-v100", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 6}, {"dgx1-v100", {0, 1, 2, 3}, 4, 4},
               {"dgx1-v100", {4, 5, 6, 7}, 4, 4},             {"dgx1-v100", {0, 3}, 2, 2},
               {"dgx1-v100", {0, 1}, 2, 1},                   {"dgx1-v100", {0, 7}, 2, 0},
               {"dgx1-v100", {0, 1, 6, 7}, 4, 0},             {"dgx1-p100", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 4},
               {"dgx1-p100", {0, 1, 2, 3}, 4, 3},             {"dgx1-p100", {0, 1, 4, 5}, 4, 2},
               {"c4140-v100-sxm2", {0, 1, 2, 3}, 4, 6},       {"mi300x-node", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pm_system *system = build_system(cases[i].machine);
    pm_group *group = pm_group_new(system, cases[i].gpus, cases[i].count, NULL, NULL);
    ck_assert_msg(fabs(pm_group_get_facts(group).rings - cases[i].rings) < 1e-9, "case %zu: %g rings", i,
                  pm_group_get_facts(group).rings);
    ck_assert(pm_group_get_facts(group).ring_bandwidth > 0);
    pm_group_free(group);
    pm_system_free(system);
  }
}
END_TEST

/* The search for rings is bounded, and still finds all of 16 GPUs in a mesh and 72 behind switches. */
START_TEST(large_groups_find_their_rings)
{
  static int links[256];
  for (int i = 0; i < 256; i++) links[i] = 1;
  pm_system *mesh = fixture_mesh(16, links), *rack = build_system("gb200-nvl72");
  pm_group *sixteen = group_of(mesh, 16, 1), *all = group_of(rack, 72, 1);
  ck_assert_double_eq_tol(pm_group_get_facts(sixteen).rings, 15, 1e-9);
  ck_assert_double_eq_tol(pm_group_get_facts(all).rings, 18, 1e-9);
  pm_group_free(sixteen);
  pm_group_free(all);
  pm_system_free(mesh);
  pm_system_free(rack);
}
END_TEST

/* ---- Many nodes ---- */

START_TEST(the_papers_cluster_comes_out)
{
  pm_fabric fabric;
  pm_error error = PM_ERROR_NONE;
  pm_fabric_choice choice = pm_fabric_choice_make();
  pm_system *dgx1 = build_system("dgx1-v100"), *box = build_system("dgx1-v100-10gbe");
  choice.nodes = 124;
  choice.coding = 64.0 / 66;
  ck_assert_int_eq(pm_fabric_evaluate(dgx1, &choice, &fabric, &error), PM_OK);
  ck_assert_int_eq(fabric.first_switches, 31);
  ck_assert_int_eq(fabric.second_switches, 16);
  ck_assert_int_eq(fabric.most_nodes, 128);
  ck_assert_int_eq(fabric.levels, 2);
  ck_assert_double_eq_tol(fabric.bisection_both_ways / 1e9, 6012, 1);
  ck_assert_double_eq_tol(fabric.bisection / 1e9, 3006, 1);
  ck_assert_double_eq_tol(fabric.latency, 1.28e-6, 1e-12);
  choice.coding = 1;
  ck_assert_int_eq(pm_fabric_evaluate(box, &choice, &fabric, NULL), PM_OK);
  ck_assert_double_eq_tol(fabric.bisection_both_ways / 1e9, 310, 1e-6);
  choice.nodes = 129;
  ck_assert_int_eq(pm_fabric_evaluate(dgx1, &choice, &fabric, NULL), PM_OK);
  ck_assert_int_eq(fabric.levels, 3);
  choice.nodes = 100000;
  ck_assert_int_eq(pm_fabric_evaluate(dgx1, &choice, &fabric, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_system_free(dgx1);
  pm_system_free(box);
}
END_TEST

START_TEST(rails_go_with_the_gpus)
{
  pm_system *system = build_system("dgx1-v100");
  double one = 0;
  const int pairs[][2] = {{0, 1}, {0, 3}}; /* under one NIC, under two */
  for (int i = 0; i < 2; i++) {
    pm_group_choice choice = pm_group_choice_make();
    choice.nodes = 4;
    pm_group *group = pm_group_new(system, pairs[i], 2, &choice, NULL);
    double rate = result_of(group, PM_COLLECTIVE_ALL_REDUCE, 4e9, PM_ALGORITHM_RING).bus_bandwidth;
    if (i == 0) one = rate;
    else ck_assert_double_gt(rate, 1.6 * one);
    pm_group_free(group);
  }
  pm_system_free(system);
}
END_TEST

/* ---- Copies ---- */

START_TEST(copies_like_the_guides_figure)
{
  pm_pair pair;
  pm_system *system = build_system("c4140-v100-sxm2");
  ck_assert_int_eq(pm_system_get_pairs(system, 0, 1, 1, &pair, NULL), PM_OK);
  ck_assert_double_eq_tol(pair.bandwidth / 1e9, 47.7, 3);
  ck_assert_double_eq_tol(pair.both_ways / 1e9, 95.5, 6);
  ck_assert_double_eq_tol(pair.staged_bandwidth / 1e9, 9.9, 1);
  ck_assert_str_eq(pair.path, "NV2");
  ck_assert_int_eq(pm_system_get_pairs(system, 0, 4, 1, &pair, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_system_get_pairs(system, 0, 1, 4, &pair, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_system_get_pairs(system, 0, 0, 1, &pair, NULL), PM_OK);
  ck_assert(isnan(pair.bandwidth));
  pm_error error = PM_ERROR_NONE;
  char *text = pm__system_format_pairs(system, &error);
  ck_assert(text != NULL && strstr(text, "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)") != NULL);
  pm_string_free(text);
  pm_system_free(system);
}
END_TEST

/* ---- Load ---- */

/* Over direct links every GPU sends as much as the ring carries, in total. */
START_TEST(load_adds_up)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = build_system("dgx1-v100");
  pm_group *group = group_of(system, 8, 1);
  pm_call call = pm_call_make();
  call.bytes = 1e9;
  call.algorithm = PM_ALGORITHM_RING;
  pm_table *table = pm_group_tabulate_loads(group, &call, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  const double *forward = pm_table_get_numbers(table, 4), *backward = pm_table_get_numbers(table, 5);
  double sum = 0;
  for (size_t i = 0; i < pm_table_count_rows(table); i++) sum += forward[i] + backward[i];
  ck_assert_double_eq_tol(sum / (8 * 2 * 7.0 / 8 * 1e9), 1, 1e-9);
  pm_table_free(table);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

/* To switches the ports of all GPUs carry the same, both ways. */
START_TEST(ports_of_switches_share_the_load)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *system = build_system("dgx-h100");
  pm_group *group = group_of(system, 8, 1);
  pm_call call = pm_call_make();
  call.bytes = 1e9;
  call.algorithm = PM_ALGORITHM_NVLS;
  pm_table *table = pm_group_tabulate_loads(group, &call, &error);
  ck_assert_msg(table != NULL, "%s", error.text);
  const double *forward = pm_table_get_numbers(table, 4), *backward = pm_table_get_numbers(table, 5);
  double sum = 0;
  for (size_t i = 0; i < pm_table_count_rows(table); i++) {
    ck_assert_double_eq(forward[i], backward[i]);
    sum += forward[i];
  }
  ck_assert_double_gt(sum, 8e9 * 0.99); /* each GPU sends at least what it has */
  ck_assert_ptr_null(pm_group_tabulate_loads(NULL, &call, &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  pm_table_free(table);
  pm_group_free(group);
  pm_system_free(system);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("collective");
  TCase *tests = tcase_create("collective");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_add_test(tests, rings_visit_every_gpu);
  tcase_add_test(tests, more_bytes_never_faster);
  tcase_add_test(tests, more_bandwidth_never_slower);
  tcase_add_test(tests, one_rank_takes_no_time);
  tcase_add_test(tests, halves_make_the_whole);
  tcase_add_test(tests, halving_and_doubling_wants_powers_of_two);
  tcase_add_test(tests, ring_latency_is_base_and_steps);
  tcase_add_test(tests, a_thread_prepares_channels);
  tcase_add_test(tests, small_parts_go_by_ll);
  tcase_add_test(tests, in_switch_reduction_grows_with_the_group);
  tcase_add_test(tests, batch_equals_scalar);
  tcase_add_test(tests, groups_that_cannot_be_are_refused);
  tcase_add_test(tests, documents_bandwidths_hold);
  tcase_add_test(tests, documents_order_holds);
  tcase_add_test(tests, wrong_ring_order_halves_the_bandwidth);
  tcase_add_test(tests, rings_of_any_subset);
  tcase_add_test(tests, large_groups_find_their_rings);
  tcase_add_test(tests, the_papers_cluster_comes_out);
  tcase_add_test(tests, rails_go_with_the_gpus);
  tcase_add_test(tests, copies_like_the_guides_figure);
  tcase_add_test(tests, load_adds_up);
  tcase_add_test(tests, ports_of_switches_share_the_load);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
