/*
** Schedules of pipelines against a simulation of their events, and against published ratios; placement of groups.
*/
#include <math.h>
#include <string.h>
#include "fixtures.h"
#include "schedule/pipeline.h"
#include "schedule/placement.h"

enum { STAGES = 32, BATCHES = 128 };

/* ---- Simulation: every stage works through its list of passes; a pass waits for its neighbour's. ---- */

typedef struct simulated {
  int stages, batches;
  double forward[STAGES], backward[STAGES], hop;
  double forward_end[STAGES][BATCHES], backward_end[STAGES][BATCHES];
} simulated;

/* When a pass may start: -1 if what it waits for has not been done. */
static double ready(const simulated *s, int stage, int batch, bool forward)
{
  if (forward) return stage == 0 ? 0 : s->forward_end[stage - 1][batch] < 0 ? -1 : s->forward_end[stage - 1][batch] + s->hop;
  if (stage == s->stages - 1) return s->forward_end[stage][batch];
  return s->backward_end[stage + 1][batch] < 0 ? -1 : s->backward_end[stage + 1][batch] + s->hop;
}

/* Pass number `at` of a stage that runs `ahead` forward passes first, then one backward and one forward in turn. */
static bool is_forward(int at, int ahead, int batches, int *batch)
{
  if (at < ahead) return *batch = at, true;
  int turn = at - ahead;
  bool forward = turn % 2 == 1 && ahead + turn / 2 < batches;
  if (forward) return *batch = ahead + turn / 2, true;
  *batch = ahead + turn / 2 < batches ? turn / 2 : at - batches;
  return false;
}

static double simulate(simulated *s, const int *ahead)
{
  int at[STAGES] = {0};
  double now[STAGES] = {0}, end = 0;
  for (int i = 0; i < STAGES; i++)
    for (int b = 0; b < BATCHES; b++) s->forward_end[i][b] = s->backward_end[i][b] = -1;
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < s->stages; i++)
      while (at[i] < 2 * s->batches) {
        int batch;
        bool forward = is_forward(at[i], ahead[i], s->batches, &batch);
        double start = ready(s, i, batch, forward);
        if (start < 0) break;
        now[i] = fmax(now[i], start) + (forward ? s->forward[i] : s->backward[i]);
        (forward ? s->forward_end : s->backward_end)[i][batch] = now[i];
        at[i]++;
        moved = true;
      }
  }
  for (int i = 0; i < s->stages; i++) {
    ck_assert_int_eq(at[i], 2 * s->batches);
    end = fmax(end, now[i]);
  }
  return end;
}

static pm__pipeline_load load_of(const simulated *s)
{
  pm__pipeline_load load = {.stages = s->stages, .chunks = 1, .micro_batches = s->batches, .hop = s->hop};
  for (int i = 0; i < s->stages; i++) {
    load.sum += s->forward[i] + s->backward[i];
    load.most = fmax(load.most, s->forward[i] + s->backward[i]);
    load.most_forward = fmax(load.most_forward, s->forward[i]);
    load.most_backward = fmax(load.most_backward, s->backward[i]);
  }
  return load;
}

/* Stages of 1 s forward and 2 s backward; stage `slow`, if it is one, takes a half more. */
static simulated pipeline(int stages, int batches, int slow, double hop)
{
  simulated s = {.stages = stages, .batches = batches, .hop = hop};
  for (int i = 0; i < stages; i++) {
    s.forward[i] = i == slow ? 1.5 : 1;
    s.backward[i] = i == slow ? 3 : 2;
  }
  return s;
}

static double error_of(int schedule, int stages, int batches, int slow, double hop)
{
  simulated s = pipeline(stages, batches, slow, hop);
  const pm__pipeline_schedule *of = pm__pipeline_schedule_of(schedule);
  pm__pipeline_load load = load_of(&s);
  int ahead[STAGES];
  for (int i = 0; i < stages; i++) ahead[i] = (int)of->in_flight(&load, i);
  return of->time(&load) / simulate(&s, ahead) - 1;
}

START_TEST(gpipe_is_its_simulation)
{
  static const int cases[][2] = {{1, 4}, {2, 1}, {2, 8}, {4, 3}, {4, 32}, {8, 8}, {8, 64}, {16, 64}};
  for (int i = 0; i < 8; i++)
    ck_assert_double_eq_tol(error_of(PM_PIPELINE_SCHEDULE_GPIPE, cases[i][0], cases[i][1], -1, 0.01), 0, 1e-12);
}
END_TEST

/* Exact with even stages, with the slowest at the end, with few micro-batches; too long by at most 9 % where the slowest,
** by a half, is in the middle. */
START_TEST(one_f_one_b_is_its_simulation)
{
  static const int cases[][2] = {{1, 4}, {2, 8}, {4, 3}, {4, 32}, {8, 8}, {8, 64}, {16, 64}};
  for (int i = 0; i < 7; i++) {
    int p = cases[i][0], m = cases[i][1];
    ck_assert_double_eq_tol(error_of(PM_PIPELINE_SCHEDULE_ONE_F_ONE_B, p, m, -1, 0), 0, 1e-12);
    ck_assert_double_eq_tol(error_of(PM_PIPELINE_SCHEDULE_ONE_F_ONE_B, p, m, p - 1, 0), 0, 1e-12);
    double middle = error_of(PM_PIPELINE_SCHEDULE_ONE_F_ONE_B, p, m, p / 2, 0);
    ck_assert_msg(middle > -1e-12 && middle < 0.09, "%d stages, %d micro-batches: %g", p, m, middle);
  }
}
END_TEST

/* Hops that lengthen 1f1b: the simulation's 124, 52 and 148. */
START_TEST(hops_are_waited_for)
{
  static const int cases[][3] = {{8, 64, 124}, {4, 32, 52}, {16, 64, 148}};
  for (int i = 0; i < 3; i++) {
    pm__pipeline_load load = {.stages = cases[i][0], .chunks = 1, .micro_batches = cases[i][1], .hop = 1};
    double hops = pm__pipeline_schedule_ONE_F_ONE_B.time(&load);
    ck_assert_double_eq_tol(hops, cases[i][2], 0.6);
    simulated s = pipeline(cases[i][0], cases[i][1], -1, 0.001);
    int ahead[STAGES];
    for (int k = 0; k < s.stages; k++) ahead[k] = (int)pm__pipeline_warm_up(&load, k);
    double with = simulate(&s, ahead);
    s.hop = 0;
    ck_assert_double_eq_tol((with - simulate(&s, ahead)) / 0.001, cases[i][2], 0.01);
  }
}
END_TEST

/* Qi et al., arXiv:2401.10241: 8 stages, 24 micro-batches of equal passes, in units of F + D + W. */
START_TEST(zero_bubble_ratios)
{
  pm__pipeline_load load = {.stages = 8, .chunks = 1, .micro_batches = 24, .sum = 24, .most = 3, .forward = 8, .dgrad = 8,
                            .wgrad = 8};
  ck_assert_double_eq_tol(pm__pipeline_schedule_ONE_F_ONE_B.time(&load) / 3, 31, 1e-9);
  ck_assert_double_eq_tol(pm__pipeline_schedule_ZB_H1.time(&load) / 3, 26 + 1 / 3.0, 1e-9);
  ck_assert_double_eq_tol(pm__pipeline_schedule_ZB_H2.time(&load) / 3, 24, 1e-9);
  load.chunks = 2;
  ck_assert_double_eq_tol(pm__pipeline_schedule_ZB_V.time(&load) / 3, 24, 1e-9);
}
END_TEST

/* Equal stages: the bubble is (p - 1) / (m v) of the work; stage 0 keeps 1 + (p - 1) / (p v) of 1f1b's. */
START_TEST(interleaving)
{
  pm__pipeline_load load = {.stages = 8, .chunks = 3, .micro_batches = 64, .sum = 24, .most = 3};
  double work = 64 * 3;
  ck_assert_double_eq_tol(pm__pipeline_schedule_INTERLEAVED.time(&load) / work - 1, 0.0364583, 1e-7);
  ck_assert_double_eq_tol(pm__pipeline_schedule_INTERLEAVED.in_flight(&load, 0) / 8, 1.291667, 1e-6);
  load.hop = 1;
  load.sum = load.most = 0;
  ck_assert_double_eq(pm__pipeline_schedule_INTERLEAVED.time(&load), 2 * (8 * 3 - 1));
}
END_TEST

START_TEST(every_schedule)
{
  for (int i = 0; i < PM_PIPELINE_SCHEDULE_COUNT; i++) {
    const pm__pipeline_schedule *s = pm__pipeline_schedule_of(i);
    ck_assert(s != NULL && s->time != NULL && s->in_flight != NULL);
    pm__pipeline_load one = {.stages = 1, .chunks = 1, .micro_batches = 5, .sum = 3, .most = 3, .most_forward = 1,
                             .most_backward = 2, .forward = 1, .dgrad = 1, .wgrad = 1, .hop = 1};
    ck_assert_double_eq_tol(s->time(&one), 15, 1e-12); /* one stage has no bubble and no hop */
    pm__pipeline_load p = {.stages = 4, .chunks = s->chunks > 0 ? s->chunks : 2, .micro_batches = 8, .sum = 12, .most = 3,
                           .most_forward = 1, .most_backward = 2, .forward = 4, .dgrad = 4, .wgrad = 4, .hop = 0};
    double time = s->time(&p), best = p.micro_batches * p.most;
    ck_assert_msg(time >= best - 1e-9 && time <= best + p.sum, "schedule %d: %g", i, time);
    for (int stage = 0; stage < p.stages; stage++) {
      double kept = s->in_flight(&p, stage);
      ck_assert_msg(kept > 0 && kept <= p.micro_batches, "schedule %d, stage %d: %g", i, stage, kept);
    }
    p.hop = 0.1;
    ck_assert(s->time(&p) > time);
  }
  ck_assert(pm__pipeline_schedule_of(-1) == NULL && pm__pipeline_schedule_of(PM_PIPELINE_SCHEDULE_COUNT) == NULL);
}
END_TEST

/* ---- Placement ---- */

static void check_group(const pm__placement *p, unsigned axes, int stride, int members, int nodes, int at_once)
{
  pm__placement_group g = pm__placement_group_of(p, axes);
  ck_assert_int_eq(g.stride, stride);
  ck_assert_int_eq(g.members, members);
  ck_assert_int_eq(g.nodes, nodes);
  ck_assert_int_eq(g.at_once, at_once);
}

START_TEST(placement_of_groups)
{
  pm__placement p = pm__placement_of(PM_RANK_ORDER_TCDP, 4, 1, 4, 1, 8);
  check_group(&p, PM__PLACE_TENSOR, 1, 4, 1, 2);
  check_group(&p, PM__PLACE_DATA, 4, 2, 2, 4);
  p = pm__placement_of(PM_RANK_ORDER_TCDP, 8, 1, 2, 4, 8);
  check_group(&p, PM__PLACE_TENSOR, 1, 8, 1, 1);
  check_group(&p, PM__PLACE_DATA, 1, 1, 2, 8);
  check_group(&p, PM__PLACE_PIPELINE, 1, 1, 4, 8);
  p = pm__placement_of(PM_RANK_ORDER_TCDP, 16, 1, 2, 1, 8); /* wider than a node: alone on its adapters */
  check_group(&p, PM__PLACE_TENSOR, 1, 8, 2, 1);
  p = pm__placement_of(PM_RANK_ORDER_TCDP, 2, 2, 4, 1, 8);
  check_group(&p, PM__PLACE_DATA | PM__PLACE_CONTEXT, 2, 4, 2, 2);
  p = pm__placement_of(PM_RANK_ORDER_TPDC, 2, 2, 4, 2, 8); /* tensor, pipeline, data, context */
  check_group(&p, PM__PLACE_PIPELINE, 2, 2, 1, 4);
  check_group(&p, PM__PLACE_DATA, 4, 2, 2, 4);
  check_group(&p, PM__PLACE_CONTEXT, 1, 1, 2, 8);
  pm__placement_group e = pm__placement_group_on_line(&p, PM__PLACE_TENSOR | PM__PLACE_CONTEXT | PM__PLACE_DATA, 2, 4);
  ck_assert_int_eq(e.members, 4);
  ck_assert_int_eq(e.stride, 2);
}
END_TEST

/* Every order names every kind once. */
START_TEST(orders)
{
  for (int order = 0; order < PM_RANK_ORDER_COUNT; order++) {
    pm__placement p = pm__placement_of(order, 2, 3, 5, 7, 8);
    int axes = 0, ranks = 1;
    for (int i = 0; i < PM__PLACE_AXES; i++) {
      axes |= p.axis[i];
      ranks *= p.degree[i];
    }
    ck_assert_int_eq(axes, 15);
    ck_assert_int_eq(ranks, 210);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pipeline");
  TCase *tests = tcase_create("pipeline");
  tcase_add_test(tests, gpipe_is_its_simulation);
  tcase_add_test(tests, one_f_one_b_is_its_simulation);
  tcase_add_test(tests, hops_are_waited_for);
  tcase_add_test(tests, zero_bubble_ratios);
  tcase_add_test(tests, interleaving);
  tcase_add_test(tests, every_schedule);
  tcase_add_test(tests, placement_of_groups);
  tcase_add_test(tests, orders);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
