/*
** Laws of predictions, whatever the constants are: on networks, systems, software, batches and precisions drawn at
** random (the same ones every time). PERFMODEL_LAWS_SEED draws others.
**
**     utilization   no GPU executes more than its peak; MFU, of the FLOP that are counted, is above that only where
**                   transforms save some
**     software      no framework is faster than none, with the same parallelism and overlap
**     precision     fewer bits take no longer, forward and backward: updates and gradients keep a copy in FP32
**     batch         twice the samples take no less time, and neither does one more: of a step on any GPU, and of each
**                   pass of each layer
**     nodes         twice the nodes take no less time where each has the whole model
*/
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shipped.h"

enum { PLANS = 250, RUNS = 80, FRAMEWORKS_MAX = 100, NETWORKS_PER_GPU = 3, BATCHES = 40 };

/* Shares of a time by which it may fall: where sums are rounded; where gradients overlap with more host work or
** less of it as GPU and host change places; where peaks of data sheets are rounded; where a library of collectives
** chooses by its own estimates; where two bytes are converted to four and back. */
/* ROUNDED: data sheets print peaks with three digits: 44.0 TFLOP/s beside 43.94 from clock and lanes. */
static const double EXACT = 1e-12, NEVER = 1e-9, ROUNDED = 1.5e-3, OVERLAPPED = 5e-3, HOST_BOUND = 6e-3,
                    CHOSEN = 5e-2, CONVERTED = 0.25;

/* Shorter steps are starts of kernels, of which those of tensor cores take a few us more. */
static const double STARTS = 1e-3;

static uint64_t state = 1;
static pm_framework_profile frameworks[FRAMEWORKS_MAX];
static int framework_count;

/* ---- What is drawn ---- */

static double drawn(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) / 9007199254740992.0;
}

static int one_of(int count)
{
  return (int)(drawn() * count);
}

static bool sometimes(double chance)
{
  return drawn() < chance;
}

static const char *drawn_id(const char *kind)
{
  return pm_catalog_get_id(catalog, kind, (size_t)one_of(pm_catalog_count(catalog, kind)));
}

static void open_all(void)
{
  const char *seed = getenv("PERFMODEL_LAWS_SEED");
  open_catalog();
  if (seed != NULL) state = strtoull(seed, NULL, 10);
  for (size_t i = 0; i < (size_t)pm_catalog_count(catalog, "frameworks"); i++) {
    pm_framework_profile *profile = &frameworks[framework_count];
    const char *id = pm_catalog_get_id(catalog, "frameworks", i);
    ck_assert_int_eq(pm_catalog_get_framework(catalog, id, profile, NULL), PM_OK);
    if (!profile->framework.inference_only) framework_count++;
    ck_assert_int_lt(framework_count, FRAMEWORKS_MAX);
  }
}

typedef struct subject {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  char name[300];
  double products; /* part of its arithmetic that is multiply-adds */
} subject;

static subject subject_of(const char *network, const char *prefix, const char *id)
{
  subject s = {.network = build_network(network)};
  char system[PM_TEXT_MAX];
  snprintf(system, sizeof system, "%s%s", prefix, id);
  s.system = build_system(system);
  const pm_network *networks[] = {s.network};
  const pm_system *systems[] = {s.system};
  s.plan = pm_plan_new(networks, 1, systems, 1, NULL);
  ck_assert_ptr_nonnull(s.plan);
  for (int i = 0; i < framework_count; i++) ck_assert_int_eq(pm_plan_add_framework(s.plan, &frameworks[i], NULL), i);
  pm_network_totals totals;
  ck_assert_int_eq(pm_network_get_totals(s.network, &totals, NULL), PM_OK);
  snprintf(s.name, sizeof s.name, "%s %s", totals.id, system);
  s.products = fmin(1, 2 * totals.mac / totals.flop); /* sums of a half of scores count less */
  return s;
}

/* A network on a system, or on a GPU alone. */
static subject drawn_subject(void)
{
  const char *network = drawn_id("networks");
  bool alone = sometimes(0.5);
  return subject_of(network, alone ? "gpu:" : "", drawn_id(alone ? "gpus" : "systems"));
}

static void free_subject(subject *s)
{
  pm_plan_free(s->plan);
  pm_system_free(s->system);
  pm_network_free(s->network);
}

static const int precisions[] = {PM_PRECISION_FP64, PM_PRECISION_FP32, PM_PRECISION_TF32, PM_PRECISION_FP16,
                                 PM_PRECISION_BF16};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

static pm_run drawn_run(void)
{
  pm_run run = pm_run_make();
  run.ignore_memory = 1;
  run.framework_index = one_of(framework_count + 1) - 1;
  run.precision = precisions[one_of(PRECISIONS)];
  run.batch = sometimes(0.5) ? ldexp(1, one_of(10)) : floor(pow(1000, drawn()));
  run.gpus = sometimes(0.5) ? 1 : 1 + one_of(8);
  run.nodes = sometimes(0.5) ? 1 : 1 << one_of(7);
  if (sometimes(0.3)) run.optimizer = one_of(PM_OPTIMIZER_COUNT);
  if (sometimes(0.2)) run.gradient_accumulation_steps = 1 + one_of(8);
  if (sometimes(0.2)) run.overlap = one_of(PM_OVERLAP_COUNT);
  if (sometimes(0.2)) run.parallelism = one_of(PM_PARALLELISM_COUNT);
  if (sometimes(0.1)) run.kernel_model = PM_KERNEL_MODEL_ROOFLINE;
  return run;
}

/* ---- What is held ---- */

static pm_prediction predicted(const subject *s, const pm_run *run)
{
  pm_prediction prediction;
  ck_assert_int_eq(pm_predict(s->plan, run, &prediction, 1), PM_OK);
  return prediction;
}

static const pm_framework *framework_of(const pm_run *run)
{
  return run->framework_index >= 0 ? &frameworks[run->framework_index].framework : NULL;
}

static const char *said(const subject *s, const pm_run *r)
{
  static char text[600];
  snprintf(text, sizeof text,
           "%s, %s, precision %d, %d GPUs, %d nodes, batch %g, optimizer %d, overlap %d, parallelism %d, accumulation "
           "%d, "
           "kernels %d", s->name, r->framework_index >= 0 ? framework_of(r)->id : "none", r->precision, r->gpus,
             r->nodes,
           r->batch, r->optimizer, r->overlap, r->parallelism, r->gradient_accumulation_steps, r->kernel_model);
  return text;
}

/* The step of `more` takes no less than that of `less`, but for that share of it. A run that cannot be is none. */
static void hold(const subject *s, const char *law, const pm_run *less, const pm_run *more, double share)
{
  pm_prediction a = predicted(s, less), b = predicted(s, more);
  if (a.status != PM_OK || b.status != PM_OK) return;
  const pm_framework *by = framework_of(more);
  ck_assert_msg(b.step_time >= a.step_time * (1 - share), "%s: %.9g s of %s, but %.9g s %s (%s)", law, a.step_time,
                said(s, less), b.step_time, law, by != NULL ? by->id : "none");
}

static bool shared(const pm_run *run)
{
  return run->gpus * run->nodes > 1;
}

static void hold_utilization(const subject *s, const pm_run *run, const pm_prediction *p)
{
  /* arithmetic that fused software folds into other kernels has no time, which shows where FP64 has few lanes */
  const pm_framework *by = framework_of(run);
  bool folded = run->precision == PM_PRECISION_FP64 && by != NULL && by->fused;
  const double most = folded ? 1 / s->products : 1;
  ck_assert_msg(p->hfu > 0 && p->hfu <= most, "HFU %g: %s", p->hfu, said(s, run));
  ck_assert_msg(p->mfu >= p->hfu, "MFU %g, HFU %g: %s", p->mfu, p->hfu, said(s, run));
  bool transforms = run->precision == PM_PRECISION_FP64 || run->kernel_model == PM_KERNEL_MODEL_ROOFLINE;
  ck_assert_msg(!transforms || p->mfu <= most, "MFU %g: %s", p->mfu, said(s, run));
}

/* Without a framework a run shares the work as it is told, all-reduce and no overlap if not at all. */
static void hold_software(const subject *s, const pm_run *run)
{
  pm_run own = *run;
  const pm_framework *framework = framework_of(run);
  if (framework == NULL) return;
  if (own.overlap == PM_OVERLAP_FRAMEWORK) own.overlap = framework->overlap;
  if (own.parallelism == PM_PARALLELISM_FRAMEWORK) own.parallelism = framework->parallelism;
  bool tensor = own.parallelism == PM_PARALLELISM_TENSOR || own.parallelism == PM_PARALLELISM_HYBRID;
  if (tensor && framework->tensor_overlap > 0) return; /* it hides exchanges that nobody hides without it */
  pm_run none = own;
  none.framework_index = -1;
  hold(s, "with a framework", &none, &own, shared(run) ? CHOSEN : NEVER);
}

/* Whether its libraries have no 16-bit kernel for gradients of groups that lie side by side. */
static bool lacks_narrow_groups(const pm_run *run)
{
  if (run->framework_index < 0) return false;
  const pm_framework_profile *profile = &frameworks[run->framework_index];
  return profile->cudnn.group_gradient > 0 && !profile->cudnn.group_gradients && !profile->framework.layout_fp16;
}

/* In two bytes losses stay in FP32, and are converted to and fro; software that runs a graph operation by operation
** converts most of it, which costs what it costs. */
static void hold_precision(const subject *s, const pm_run *run)
{
  static const int pairs[][2] = {{PM_PRECISION_FP64, PM_PRECISION_FP32}, {PM_PRECISION_FP32, PM_PRECISION_TF32},
                                 {PM_PRECISION_FP32, PM_PRECISION_FP16}, {PM_PRECISION_FP32, PM_PRECISION_BF16},
                                 {PM_PRECISION_TF32, PM_PRECISION_FP16}, {PM_PRECISION_TF32, PM_PRECISION_BF16}};
  bool converts = (framework_of(run) != NULL && framework_of(run)->eager) || lacks_narrow_groups(run);
  pm_run fewer = *run, more = *run;
  fewer.optimizer = more.optimizer = PM_OPTIMIZER_NONE;
  fewer.overlap = more.overlap = PM_OVERLAP_NONE;
  if (!(predicted(s, &more).step_time > STARTS)) return;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    bool narrow = pm_precision_get_bytes(pairs[i][1]) < 4;
    fewer.precision = pairs[i][1];
    if (pairs[i][0] != run->precision || (converts && narrow)) continue;
    hold(s, "in more bits", &fewer, &more, narrow &&
         run->framework_index >= 0 ? CONVERTED : shared(run) ? CHOSEN : ROUNDED);
  }
}

static void hold_batch(const subject *s, const pm_run *run)
{
  pm_run more = *run;
  /* where the host takes longer than the kernels, more work of these hides more of both host and exchange */
  pm_prediction p = predicted(s, run);
  bool host = p.launch_time > p.compute_time;
  double share = !shared(run) ? EXACT : host ? HOST_BOUND : OVERLAPPED;
  more.batch = 2 * run->batch;
  hold(s, "of twice the batch", run, &more, share);
  more.batch = run->batch + 1;
  hold(s, "of one sample more", run, &more, share);
}

/* A model that is split is updated by more. */
static void hold_nodes(const subject *s, const pm_run *run)
{
  pm_run more = *run;
  bool split = run->parallelism == PM_PARALLELISM_TENSOR || run->parallelism == PM_PARALLELISM_PIPELINE ||
               run->parallelism == PM_PARALLELISM_HYBRID;
  more.nodes = 2 * run->nodes;
  if (!split) hold(s, "of twice the nodes", run, &more, CHOSEN);
}

START_TEST(laws_hold_on_random_runs)
{
  int held = 0;
  for (int i = 0; i < PLANS; i++) {
    subject s = drawn_subject();
    for (int k = 0; k < RUNS; k++) {
      pm_run run = drawn_run();
      pm_prediction p = predicted(&s, &run);
      if (p.status != PM_OK) continue;
      held++;
      hold_utilization(&s, &run, &p);
      hold_software(&s, &run);
      hold_precision(&s, &run);
      hold_batch(&s, &run);
      hold_nodes(&s, &run);
    }
    free_subject(&s);
  }
  ck_assert_int_gt(held, PLANS * RUNS / 4);
}
END_TEST

/* ---- One more sample, on every GPU ---- */

static double drawn_batch(void)
{
  return floor(pow(4096, drawn()));
}

static void hold_layer(const subject *s, const pm_layer_time *less, const pm_layer_time *more, double batch,
                       int precision)
{
  const double before[] = {less->forward_time, less->dgrad_time, less->wgrad_time};
  const double after[] = {more->forward_time, more->dgrad_time, more->wgrad_time};
  for (int i = 0; i < 3; i++)
    ck_assert_msg(after[i] >= before[i] * (1 - EXACT),
                  "%s, %s, pass %d, precision %d: %.9g s at batch %g, %.9g s of one more",
                  s->name, less->name, i, precision, before[i], batch, after[i]);
}

/* Products, convolutions and memory-bound kernels, each alone. */
static void hold_layers(const subject *s, double batch, int precision)
{
  size_t count = (size_t)pm_network_count_layers(s->network);
  pm_layer_time *rows = (pm_layer_time *)calloc(2 * count, sizeof *rows);
  const pm_gpu *gpu = pm_system_get_gpu(s->system);
  const pm_kernel_calibration *kernels = pm_system_get_kernels(s->system);
  ck_assert_ptr_nonnull(rows);
  if (pm_network_get_times(s->network, gpu, kernels, batch, precision, rows, NULL) == PM_OK &&
      pm_network_get_times(s->network, gpu, kernels, batch + 1, precision, rows + count, NULL) == PM_OK)
    for (size_t i = 0; i < count; i++) hold_layer(s, &rows[i], &rows[count + i], batch, precision);
  free(rows);
}

static void hold_step(const subject *s)
{
  pm_run run = pm_run_make(), more;
  run.ignore_memory = 1;
  run.framework_index = one_of(framework_count + 1) - 1;
  run.precision = one_of(PM_PRECISION_COUNT);
  run.batch = drawn_batch();
  more = run;
  more.batch = run.batch + 1;
  hold(s, "of one sample more", &run, &more, EXACT);
}

START_TEST(one_more_sample_takes_no_less)
{
  for (size_t gpu = 0; gpu < (size_t)pm_catalog_count(catalog, "gpus"); gpu++)
    for (int i = 0; i < NETWORKS_PER_GPU; i++) {
      subject s = subject_of(drawn_id("networks"), "gpu:", pm_catalog_get_id(catalog, "gpus", gpu));
      for (int k = 0; k < BATCHES; k++) hold_step(&s);
      for (int k = 0; k < PRECISIONS; k++) hold_layers(&s, drawn_batch(), precisions[k]);
      free_subject(&s);
    }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("laws");
  TCase *random = tcase_create("random");
  tcase_add_unchecked_fixture(random, open_all, close_catalog);
  tcase_set_timeout(random, 120);
  tcase_add_test(random, laws_hold_on_random_runs);
  tcase_add_test(random, one_more_sample_takes_no_less);
  suite_add_tcase(suite, random);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
