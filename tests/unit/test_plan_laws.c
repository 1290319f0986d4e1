/*
** Laws of plans on random runs: networks, machines, frameworks, degrees, schedules, sharding and recomputation drawn at
** random (the same ones every time; PERFMODEL_LAWS_SEED draws others).
**
**     shares        of a step are in [0, 1] and sum to 1; no GPU executes more than its peak
**     neutral       a value that has no effect changes no bit of any field
**     batches       a batch cut into micro-batches is the accumulation of as many, to the bit
**     ZeRO          stages 1 and 2 launch no more kernels than stage 0, and save memory
**     search        the screen of a search has the step and the memory of a prediction, to the bit
*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "perfmodel/study.h"
#include "shipped.h"
#include "step/screen.h"

enum { PLANS = 100, RUNS = 600, FRAMEWORKS = 5 };

static const char *const networks[] = {"gpt2",      "bert-large",   "llama2-7b", "resnet50", "vgg16",    "mixtral-8x7b",
                                       "gpt3-13b",  "t5-base",      "vit-b-16",  "unet",     "alexnet",  "llama3-8b",
                                       "gpt-oss-20b", "densenet121"};
static const char *const systems[] = {"dgx1-v100", "dgx-a100", "dgx-h100", "gb200-nvl72", "dgx2", "dgx1-p100"};
static const char *const frameworks[FRAMEWORKS] = {"pytorch", "pytorch-2.4-fsdp", "megatron-core-0.12", "tf1-nchw",
                                                   "deepspeed-0.15"};
static uint64_t state = 20261125;

/* ---- What is drawn ---- */

static int one_of(int count)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((double)(state >> 11) / 9007199254740992.0 * count);
}

static bool sometimes(int percent)
{
  return one_of(100) < percent;
}

typedef struct subject {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
} subject;

#define DRAWN(list) list[one_of((int)(sizeof list / sizeof list[0]))]

static subject drawn_subject(void)
{
  subject s = {.network = build_network(DRAWN(networks)), .system = build_system(DRAWN(systems))};
  const pm_network *network = s.network;
  const pm_system *system = s.system;
  s.plan = pm_plan_new(&network, 1, &system, 1, NULL);
  ck_assert_ptr_nonnull(s.plan);
  for (int i = 0; i < FRAMEWORKS; i++) {
    pm_framework_profile profile;
    ck_assert_int_eq(pm_catalog_get_framework(catalog, frameworks[i], &profile, NULL), PM_OK);
    ck_assert_int_eq(pm_plan_add_framework(s.plan, &profile, NULL), i);
  }
  return s;
}

static pm_run drawn_run(void)
{
  static const int precisions[] = {PM_PRECISION_FP32, PM_PRECISION_FP16, PM_PRECISION_BF16, PM_PRECISION_FP8};
  pm_run run = pm_run_make();
  run.ignore_memory = 1;
  run.framework_index = one_of(FRAMEWORKS + 1) - 1;
  run.precision = DRAWN(precisions);
  run.gpus = 1 << one_of(4);
  run.nodes = 1 << one_of(4);
  run.batch = 1 << one_of(7);
  run.optimizer = one_of(PM_OPTIMIZER_COUNT);
  if (sometimes(30)) run.gradient_accumulation_steps = 1 << one_of(3);
  if (sometimes(30)) run.micro_batch = 1 << one_of(4);
  if (sometimes(30)) run.tensor_parallel = 1 << one_of(4);
  if (sometimes(30)) run.pipeline_parallel = 1 << one_of(4);
  if (sometimes(15)) run.virtual_pipeline = 1 + one_of(3);
  if (sometimes(10)) run.context_parallel = 2;
  if (sometimes(10)) run.expert_parallel = 1 << one_of(4);
  if (sometimes(20)) run.sequence_parallel = 1;
  if (sometimes(20)) run.pipeline_schedule = one_of(PM_PIPELINE_SCHEDULE_COUNT);
  if (sometimes(50)) run.zero = one_of(4);
  if (sometimes(10)) run.shard_group = 1 << one_of(4);
  if (sometimes(40)) run.recompute = one_of(PM_RECOMPUTE_COUNT);
  if (sometimes(10)) run.recompute_layers = one_of(4);
  if (sometimes(10)) run.overlap = one_of(PM_OVERLAP_COUNT);
  if (sometimes(20)) run.lora_rank = 8 << one_of(4);
  if (sometimes(20)) run.lora_targets = one_of(PM_LORA_TARGETS_COUNT);
  if (sometimes(20)) run.base_weights = one_of(PM_BASE_WEIGHTS_COUNT);
  run.expert_dispatch = (int)(state >> 40) % PM_EXPERT_DISPATCH_COUNT; /* of the last number, so that others stay */
  run.expert_overlap = (int)(state >> 44) % 2;
  return run;
}

static pm_prediction predicted(const subject *s, const pm_run *run)
{
  pm_prediction p;
  ck_assert_int_eq(pm_predict_columns(s->plan, ~0u, run, &p, 1), PM_OK);
  return p;
}

static const char *said(const subject *s, const pm_run *r)
{
  static char text[400];
  pm_network_totals totals;
  pm_network_get_totals(s->network, &totals, NULL);
  snprintf(text, sizeof text, "%s, %s, framework %d, precision %d, %d GPUs on each of %d nodes, batch %g, micro-batch "
                              "%g x %d, "
           "tp %d pp %d vp %d cp %d ep %d sp %d, schedule %d, zero %d of %d, recompute %d %d, overlap %d, "
           "optimizer %d, LoRA %d of %d, weights %d",
           totals.id, pm_system_get_machine(s->system)->id, r->framework_index, r->precision, r->gpus, r->nodes,
               r->batch,
           r->micro_batch, r->gradient_accumulation_steps, r->tensor_parallel, r->pipeline_parallel,
               r->virtual_pipeline,
           r->context_parallel, r->expert_parallel, r->sequence_parallel, r->pipeline_schedule, r->zero, r->shard_group,
           r->recompute, r->recompute_layers, r->overlap, r->optimizer, r->lora_rank, r->lora_targets,
           r->base_weights);
  return text;
}

/* ---- What holds ---- */

static void hold_shares(const subject *s, const pm_run *run, const pm_prediction *p)
{
  const double shares[] = {p->compute_share,        p->memory_bandwidth_share, p->communication_share,
                           p->launch_overhead_share,
                           p->straggler_wait_share, p->input_wait_share,       p->bubble_share,
                               p->offload_share};
  double sum = 0;
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    ck_assert_msg(shares[i] >= -1e-12 && shares[i] <= 1 + 1e-12, "share %zu is %g: %s", i, shares[i], said(s, run));
    sum += shares[i];
  }
  ck_assert_double_eq_tol(sum, 1, 1e-9);
  ck_assert_msg(p->hfu > 0 && p->hfu <= 1, "HFU %g: %s", p->hfu, said(s, run));
  ck_assert(isnan(p->scaling_efficiency) || p->scaling_efficiency <= 1 + 1e-9);
  ck_assert(isnan(p->strong_scaling_efficiency) || p->strong_scaling_efficiency <= 1 + 1e-9);
}

static void hold_same(const subject *s, const pm_run *run, const pm_prediction *a, const pm_prediction *b,
                      const char *field)
{
  ck_assert_msg(memcmp(a, b, sizeof *a) == 0, "%s changes a prediction where it has no effect: %s", field,
                said(s, run));
}

/* Every field that the table says to have no effect takes another value. */
static void hold_neutral(const subject *s, const pm_run *run, const pm_prediction *p)
{
  static const struct { const char *field, *value; } others[] = {
    {"pipeline_schedule", "gpipe"}, {"virtual_pipeline", "2"}, {"stage_layers", "balanced"}, {"shard_group", "8"},
    {"recompute_layers", "1"},      {"sequence_parallel", "yes"}, {"context_exchange", "ring"},
      {"expert_imbalance", "1.5"},
    {"zero", "2"},                  {"capacity_factor", "2"},     {"lora_targets", "mlp"}, {"base_weights", "nf4"},
    {"embedding_sharding", "row"},  {"expert_dispatch", "deepep"}, {"expert_overlap", "yes"}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const pm_field *field = pm_record_find_field(pm_record_type_find("run"), others[i].field);
    pm_run other = *run;
    if (pm_run_check_field(s->network, NULL, run, field, NULL) == PM_OK) continue;
    ck_assert_int_eq(pm_record_set(field, &other, others[i].value, NULL), PM_OK);
    if (pm_run_check_field(s->network, NULL, &other, field, NULL) == PM_OK) continue;
    pm_prediction q = predicted(s, &other);
    hold_same(s, run, p, &q, others[i].field);
  }
}

static void hold_batches(const subject *s, const pm_run *run)
{
  pm_run cut = *run, added = *run;
  if (run->pipeline_parallel > 1 || run->batch < 4) return;
  cut.micro_batch = run->batch / 4;
  added.micro_batch = NAN;
  added.batch = run->batch / 4;
  added.gradient_accumulation_steps = 4 * run->gradient_accumulation_steps;
  pm_prediction a = predicted(s, &cut), b = predicted(s, &added);
  hold_same(s, run, &a, &b, "cutting a batch");
}

static void hold_zero(const subject *s, const pm_run *run, const pm_prediction *p)
{
  pm_run sharded = *run;
  if (run->zero != 0) return;
  for (sharded.zero = 1; sharded.zero <= 2; sharded.zero++) {
    pm_prediction q = predicted(s, &sharded);
    if (q.status != PM_OK) continue;
    ck_assert_msg(q.launch_time <= p->launch_time * (1 + 1e-12), "ZeRO %d launches for %g s, without %g s: %s",
                  sharded.zero,
                  q.launch_time, p->launch_time, said(s, run));
    ck_assert_msg(q.memory <= p->memory * (1 + 1e-12), "ZeRO %d takes %g B, without %g B: %s", sharded.zero, q.memory,
                  p->memory, said(s, run));
  }
}

static void hold_search(const subject *s, pm__step_screen *screen, const pm_run *run, const pm_prediction *p)
{
  pm__step_screened found = pm__step_screen_run(screen, NULL, run);
  ck_assert_int_eq(found.status, p->status);
  ck_assert_msg(memcmp(&found.step_time, &p->step_time, sizeof found.step_time) == 0,
                "a search has a step of %.17g s, not %.17g: %s",
                found.step_time, p->step_time, said(s, run));
  ck_assert_msg(memcmp(&found.memory, &p->memory, sizeof found.memory) == 0, "a search has %.17g B, not %.17g: %s",
                found.memory,
                p->memory, said(s, run));
  bool known = !isnan(p->site_energy_per_sample);
  ck_assert_msg(isnan(found.energy) == !known, "energy of a search %g: %s", found.energy, said(s, run));
  if (known) ck_assert_double_eq_tol(found.energy / p->site_energy_per_sample, 1, 1e-12);
}

START_TEST(plans_keep_the_laws)
{
  int held = 0;
  const char *seed = getenv("PERFMODEL_LAWS_SEED");
  if (seed != NULL) state = strtoull(seed, NULL, 10);
  open_catalog();
  for (int i = 0; i < PLANS; i++) {
    subject s = drawn_subject();
    pm__step_screen *screen = pm__step_screen_new(s.plan, true);
    for (int k = 0; k < RUNS; k++) {
      pm_run run = drawn_run();
      pm_prediction p = predicted(&s, &run);
      if (p.status != PM_OK) continue;
      held++;
      hold_shares(&s, &run, &p);
      hold_neutral(&s, &run, &p);
      hold_batches(&s, &run);
      hold_zero(&s, &run, &p);
      hold_search(&s, screen, &run, &p);
    }
    pm__step_screen_free(screen);
    pm_plan_free(s.plan);
    pm_system_free(s.system);
    pm_network_free(s.network);
  }
  close_catalog();
  ck_assert_int_ge(held, 20000);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("plan_laws");
  TCase *tests = tcase_create("plan_laws");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, plans_keep_the_laws);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
