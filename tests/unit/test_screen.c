/* What a search takes for a plan has the bits of its prediction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "schedule/pipeline.h"
#include "search/parallel_search.h"
#include "shipped.h"
#include "step/screen.h"

static pm_network *network;
static pm_system *host;
static pm_plan *plan;

static void set_up(void)
{
  open_catalog();
}

static void tear_down(void)
{
  close_catalog();
}

static void make(const char *name, const char *seq, const char *system, const char *framework)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  const pm_attribute set = {"seq", seq};
  network = pm_catalog_new_network(catalog, name, &set, seq != NULL, &error);
  host = pm_catalog_new_system(catalog, system, &error);
  ck_assert_msg(network != NULL && host != NULL, "%s", error.text);
  plan = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&host, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  if (framework == NULL) return;
  const char *on = pm_system_get_gpu(host)->architecture;
  ck_assert_int_eq(pm_catalog_get_framework_on(catalog, framework, on, &profile, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, &error), 0);
}

static void release(void)
{
  pm_plan_free(plan);
  pm_system_free(host);
  pm_network_free(network);
}

static int same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Every `step`-th plan of a search; how many fit. */
static size_t compare(const pm_run *bases, size_t count, double batch, size_t step)
{
  pm_error error = PM_ERROR_NONE;
  size_t fitting = 0;
  pm_search *search = pm_search_new(plan, bases, count, batch, &error);
  ck_assert_msg(search != NULL, "%s", error.text);
  pm__step_screen *screen = pm__step_screen_new(plan, true);
  for (size_t i = 0; i < pm_search_count(search); i += step) {
    pm_prediction p;
    pm_run run = pm__search_run_of(search, i);
    pm__step_screened s = pm__step_screen_run(screen, &search->bases[search->plans.plan[i].base].run, &run);
    pm_predict(plan, &run, &p, 1);
    ck_assert_msg(s.status == p.status && same(s.step_time, p.step_time) && same(s.memory, p.memory),
                  "plan %zu: %d %.17g s %.17g B, not %d %.17g s %.17g B", i, s.status, s.step_time, s.memory, p.status,
                  p.step_time, p.memory);
    fitting += p.status == PM_OK;
  }
  pm__step_screen_free(screen);
  pm_search_free(search);
  return fitting;
}

static pm_run base_of(int gpus, int framework)
{
  pm_run base = pm_search_base_make();
  base.nodes = gpus / 8;
  base.gpus = 8;
  base.precision = PM_PRECISION_BF16;
  base.optimizer = PM_OPTIMIZER_ADAM;
  base.framework_index = framework;
  return base;
}

START_TEST(dense_networks)
{
  make("gpt3-13b", NULL, "dgx-a100-80gb", "megatron-core-0.12");
  pm_run bases[] = {base_of(64, 0), base_of(24, 0), base_of(64, -1), base_of(64, 0), base_of(8, 0)};
  bases[1].stage_layers = PM_STAGE_LAYERS_BALANCED;
  bases[2].pipeline_schedule = -1;
  bases[2].recompute_layers = 3;
  bases[3].offload = PM_OFFLOAD_OPTIMIZER;
  bases[4].offload = PM_OFFLOAD_PARAMETERS;
  ck_assert_uint_gt(compare(bases, 5, 96, 1), 500);
  release();
}
END_TEST

START_TEST(experts)
{
  make("mixtral-8x7b", NULL, "dgx-h100", "pytorch");
  pm_run bases[] = {base_of(64, 0), base_of(32, 0)};
  bases[0].precision = PM_PRECISION_FP8;
  bases[1].ignore_memory = 1;
  bases[1].expert_imbalance = 1.5;
  bases[1].shard_group = 8;
  bases[1].pipeline_parallel = 2;
  bases[1].tensor_parallel = 1;
  bases[1].context_parallel = 1;
  ck_assert_uint_gt(compare(bases, 2, 128, 7), 50);
  release();
}
END_TEST

START_TEST(long_sequences)
{
  make("llama3-8b", "32768", "dgx-h100", "megatron-core-0.12");
  pm_run bases[] = {base_of(64, 0), base_of(64, 0)};
  bases[1].context_exchange = PM_CONTEXT_EXCHANGE_RING;
  ck_assert_uint_gt(compare(bases, 2, 64, 3), 100);
  release();
}
END_TEST

START_TEST(other_networks)
{
  make("resnet50", NULL, "dgx1-v100", NULL);
  pm_run base = base_of(8, -1);
  base.precision = PM_PRECISION_FP16;
  ck_assert_uint_gt(compare(&base, 1, 512, 1), 50);
  release();
  make("t5-large", NULL, "dgx-a100-80gb", NULL);
  base = base_of(16, -1);
  ck_assert_uint_gt(compare(&base, 1, 64, 3), 20);
  release();
}
END_TEST

/* Stages that are alike keep no more micro-batches than the first of them. */
START_TEST(in_flight_never_grows)
{
  for (int i = 0; i < PM_PIPELINE_SCHEDULE_COUNT; i++)
    for (int p = 1; p <= 12; p++)
      for (int m = 1; m <= 40; m++) {
        const pm__pipeline_schedule *s = pm__pipeline_schedule_of(i);
        const pm__pipeline_load load = {.stages = p, .chunks = s->chunks > 0 ? s->chunks : 3, .micro_batches = m};
        for (int k = 1; k < p; k++) ck_assert(s->in_flight(&load, k) <= s->in_flight(&load, k - 1));
      }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("screen");
  TCase *tests = tcase_create("screen");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, dense_networks);
  tcase_add_test(tests, experts);
  tcase_add_test(tests, long_sequences);
  tcase_add_test(tests, other_networks);
  tcase_add_test(tests, in_flight_never_grows);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
