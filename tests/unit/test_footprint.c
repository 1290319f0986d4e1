/* Laws of the memory model: they hold whatever the constants are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bert.h"
#include "fixtures.h"
#include "memory/plan.h"
#include "memory/tensors.h"
#include "network/network.h"
#include "one_layer.h"

#define MIB 1048576.0

static pm_network *network;

static pm_memory_profile plain(void)
{
  pm_memory_profile p;
  pm_record_clear(pm_record_type_find("memory_profile"), &p);
  p.context = 500 * MIB;
  p.allocator = 1.04;
  p.in_place = p.mixed_norms_fp32 = p.average_keeps_input = 1;
  p.index = 8;
  p.mask = 1;
  p.mixed_copy = 2;
  p.workspace = 64 * MIB;
  p.bucket = 4;
  return p;
}

static pm_optimizer adam(void)
{
  return *pm_optimizer_get(PM_OPTIMIZER_ADAM);
}

static void set_up(void)
{
  network = fixture_network();
}

static void tear_down(void)
{
  pm_network_free(network);
}

static pm_memory_plan *plan_of(const pm_network *n, pm_memory_profile p, pm_optimizer o)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_plan *plan = pm_memory_plan_new(n, &p, &o, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  return plan;
}

static pm_memory_use ask(const pm_memory_plan *plan, pm_memory_run run)
{
  pm_memory_use use;
  ck_assert_int_eq(pm_memory_evaluate(plan, &run, &use, 1), PM_OK);
  ck_assert_int_eq(use.status, PM_OK);
  return use;
}

static pm_memory_use use_of(pm_memory_profile p, pm_memory_run run)
{
  pm_memory_plan *plan = plan_of(network, p, adam());
  pm_memory_use use = ask(plan, run);
  pm_memory_plan_free(plan);
  return use;
}

static double sum_of_parts(const pm_memory_use *u)
{
  return u->context + u->weights + u->gradients + u->optimizer + u->activations + u->live_gradients + u->allocator +
         u->input + u->workspace + u->communication;
}

/* Every combination of precision, recomputation, ranks and ZeRO stage. */
enum { POINTS = 3 * PM_RECOMPUTE_COUNT * 2 * 4 };

static pm_memory_run point(int i)
{
  static const int precisions[] = {PM_PRECISION_FP64, PM_PRECISION_FP32, PM_PRECISION_FP16};
  pm_memory_run run = pm_memory_run_make();
  run.precision = precisions[i % 3];
  run.recompute = i / 3 % PM_RECOMPUTE_COUNT;
  run.ranks = i / (3 * PM_RECOMPUTE_COUNT) % 2 ? 8 : 1;
  run.zero_stage = i / (6 * PM_RECOMPUTE_COUNT);
  return run;
}

START_TEST(parts_add_up)
{
  pm_memory_use use = use_of(plain(), point(_i));
  ck_assert_double_eq(sum_of_parts(&use), use.total);
  ck_assert_double_ge(use.live_gradients, 0);
  ck_assert_double_gt(use.activations, 0);
}
END_TEST

START_TEST(more_samples_never_take_less)
{
  double before = 0;
  for (double batch = 1; batch < 1e6; batch = ceil(batch * 1.37)) {
    pm_memory_run run = point(_i);
    run.batch = batch;
    pm_memory_use use = use_of(plain(), run);
    ck_assert_double_gt(use.total, before);
    before = use.total;
  }
}
END_TEST

/* total(b) <= usable and total(b + 1) > usable, exactly; larger cards take no fewer samples. */
START_TEST(largest_batch_is_the_inverse)
{
  pm_memory_plan *plan = plan_of(network, plain(), adam());
  double before = 0;
  for (double usable = 400 * MIB; usable < 90e9; usable *= 1.11) {
    pm_memory_run run = point(_i);
    run.usable = usable;
    double most = ask(plan, run).largest_batch;
    ck_assert_double_ge(most, before);
    before = most;
    if (most >= 1) {
      run.batch = most;
      ck_assert_double_le(ask(plan, run).total, usable);
    }
    run.batch = most + 1;
    ck_assert_double_gt(ask(plan, run).total, usable);
  }
  ck_assert_double_gt(before, 100);
  pm_memory_plan_free(plan);
}
END_TEST

START_TEST(total_of_the_largest_batch_gives_it_back)
{
  pm_memory_plan *plan = plan_of(network, plain(), adam());
  for (double batch = 1; batch < 5000; batch += 7) {
    pm_memory_run run = point(_i);
    run.batch = batch;
    run.usable = ask(plan, run).total;
    ck_assert_double_eq(ask(plan, run).largest_batch, batch);
    run.usable = nextafter(run.usable, 0);
    ck_assert_double_eq(ask(plan, run).largest_batch, batch - 1);
  }
  pm_memory_plan_free(plan);
}
END_TEST

START_TEST(verdicts_follow_the_band)
{
  pm_memory_run run = pm_memory_run_make();
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_UNKNOWN);
  ck_assert(isnan(use_of(plain(), run).largest_batch));
  double total = use_of(plain(), run).total;
  run.usable = total / 0.91;
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_FITS);
  ck_assert_double_eq(use_of(plain(), run).missing, 0);
  run.usable = total / 0.93;
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_TIGHT);
  run.usable = total / 1.07;
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_TIGHT);
  ck_assert_double_eq(use_of(plain(), run).missing, total - run.usable);
  run.usable = total / 1.09;
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_DOES_NOT_FIT);
}
END_TEST

START_TEST(safe_batch_is_the_largest_that_fits)
{
  pm_memory_run run = pm_memory_run_make();
  run.usable = 2e9;
  run.batch = use_of(plain(), run).safe_batch;
  ck_assert_double_ge(run.batch, 1);
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_FITS);
  run.batch++;
  ck_assert_int_eq(use_of(plain(), run).verdict, PM_VERDICT_TIGHT);
}
END_TEST

/* ---- What is known by hand. */

/* conv 3->16 keeps the image 3x32x32, its norm 16x32x32, the ReLU the same in place; conv 16->16 keeps that ReLU's
** output, already there; the pool keeps the sum and an index per output; the linear layer the flat pool; the loss its
** probabilities. */
START_TEST(saved_bytes_by_hand)
{
  pm_memory_run run = pm_memory_run_make();
  run.batch = 1;
  double image = 3 * 1024, plane = 16 * 1024, pooled = plane / 4;
  double kept = 4 * (image + plane + plane + plane + pooled + 10);
  ck_assert_double_eq(use_of(plain(), run).activations, kept + 8 * pooled);
  pm_memory_profile p = plain();
  p.index = NAN; /* the pool's output instead, which the linear layer keeps anyway */
  ck_assert_double_eq(use_of(p, run).activations, kept);
  p.in_place = 0; /* nobody needs the norm's output */
  ck_assert_double_eq(use_of(p, run).activations, kept);
  p.relu_keeps_input = 1;
  ck_assert_double_eq(use_of(p, run).activations, kept + 4 * plane);
}
END_TEST

static int chain(pm_network *n, int x, const char *kind, const char *features)
{
  pm_attribute attributes[] = {{"out_features", features}, {"bias", "no"}};
  x = pm_network_add(n, kind, NULL, &x, 1, attributes, features != NULL ? 2 : 0, NULL);
  ck_assert_int_ge(x, 0);
  return x;
}

/* 10 -> 100, a view of it, -> 10. The gradient of the view is that of what it looks at. */
START_TEST(alive_in_each_backward_pass_by_hand)
{
  const int64_t ten[] = {10};
  pm_layer_memory rows[3];
  pm_memory_profile p = plain();
  pm_network *n = pm_network_new("chain", "Chain", NULL);
  int x = chain(n, pm_network_add_input(n, NULL, ten, 1, NULL), "linear", "100");
  chain(n, chain(n, x, "flatten", NULL), "linear", "10");
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 1, PM_PRECISION_FP32, rows, NULL), PM_OK);
  ck_assert_double_eq(rows[2].alive, 4 * (10 + 100 + 10 + 100)); /* saved, and the gradients of output and input */
  ck_assert_double_eq(rows[1].alive, 4 * (10 + 100));
  ck_assert_double_eq(rows[0].alive, 4 * (10 + 100));
  pm_network_free(n);
}
END_TEST

/* A loss that autocast computes in FP32 keeps its probabilities in FP32, and so are the gradients that it gets and
** gives: 12 B for each word of the vocabulary. Without autocast all are in two bytes. */
START_TEST(loss_in_fp32_by_hand)
{
  const int64_t ten[] = {10};
  pm_layer_memory rows[2];
  pm_memory_profile p = plain();
  pm_network *n = pm_network_new("chain", "Chain", NULL);
  chain(n, chain(n, pm_network_add_input(n, NULL, ten, 1, NULL), "linear", "1000"), "cross_entropy", NULL);
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 1, PM_PRECISION_BF16, rows, NULL), PM_OK);
  ck_assert_double_eq(rows[1].alive, 2 * 10 + 12 * 1000);
  p.mixed_norms_fp32 = 0;
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 1, PM_PRECISION_BF16, rows, NULL), PM_OK);
  ck_assert_double_eq(rows[1].alive, 2 * 10 + 6 * 1000);
  p.loss_chunks = 1; /* cast to FP32 for the loss alone */
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 1, PM_PRECISION_BF16, rows, NULL), PM_OK);
  ck_assert_double_eq(rows[1].alive, 2 * 10 + 12 * 1000);
  p.loss_chunks = 8; /* logits in two bytes, an eighth of them and of both gradients in FP32 */
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 1, PM_PRECISION_BF16, rows, NULL), PM_OK);
  ck_assert_double_eq(rows[1].alive, 2 * 10 + (2 + 4. / 8 + 2 * 4. / 8) * 1000);
  pm_network_free(n);
}
END_TEST

/* 16 layers that keep 400 B each: 4 segments of 4, the 3 tensors between them, 2 gradients in flight. */
START_TEST(recomputation_by_hand)
{
  const int64_t hundred[] = {100};
  pm_network *n = pm_network_new("chain", "Chain", NULL);
  int x = pm_network_add_input(n, NULL, hundred, 1, NULL);
  for (int i = 0; i < 16; i++) x = chain(n, x, "linear", "100");
  pm_memory_plan *plan = plan_of(n, plain(), adam());
  pm_memory_run run = pm_memory_run_make();
  run.batch = 1;
  ck_assert_double_eq(ask(plan, run).activations, 16 * 400);
  ck_assert_double_eq(ask(plan, run).live_gradients, 2 * 400);
  run.recompute = PM_RECOMPUTE_FULL;
  ck_assert_double_eq(ask(plan, run).activations, 3 * 400);
  ck_assert_double_eq(ask(plan, run).live_gradients, 4 * 400 + 2 * 400);
  pm_memory_plan_free(plan);
  pm_network_free(n);
}
END_TEST

START_TEST(parameters_by_hand)
{
  pm_network_totals totals;
  ck_assert_int_eq(pm_network_get_totals(network, &totals, NULL), PM_OK);
  double n = totals.parameters;
  pm_memory_run run = pm_memory_run_make();
  pm_memory_use use = use_of(plain(), run);
  ck_assert_double_eq(use.weights, 4 * n);
  ck_assert_double_eq(use.gradients, 4 * n);
  ck_assert_double_eq(use.optimizer, 8 * n);
  ck_assert_double_eq(use.communication, 0);
  run.precision = PM_PRECISION_FP16;
  ck_assert_double_eq(use_of(plain(), run).weights, 6 * n);
  pm_memory_profile megatron = plain();
  megatron.mixed_weight = 2;
  megatron.mixed_master = 4;
  megatron.mixed_copy = NAN;
  pm_memory_profile pure = megatron;
  pure.mixed_master = NAN;
  pure.mixed_gradient = pure.mixed_state = 2;
  use = use_of(pure, run);
  ck_assert_double_eq(use.weights + use.gradients + use.optimizer, n * (2 + 2 + 4));
  run.ranks = 4;
  run.zero_stage = 1;
  use = use_of(megatron, run); /* 6 + 12 / ranks */
  ck_assert_double_eq(use.weights + use.gradients + use.optimizer, n * (6 + 12.0 / 4));
  ck_assert_double_eq(use.communication, 4 * n);
  run.zero_stage = 2;
  use = use_of(megatron, run); /* 2 + 16 / ranks */
  ck_assert_double_eq(use.weights + use.gradients + use.optimizer, n * (2 + 16.0 / 4));
  run.zero_stage = 3;
  use = use_of(megatron, run);
  ck_assert_double_eq(use.weights + use.gradients + use.optimizer, n * 18 / 4);
  run.inference = 1;
  use = use_of(megatron, run);
  ck_assert_double_eq(use.weights, 2 * n);
  ck_assert_double_eq(use.gradients + use.optimizer + use.communication, 0);
}
END_TEST

START_TEST(inference_takes_less_and_recomputation_too)
{
  pm_memory_run run = point(_i);
  double everything, before = use_of(plain(), run).total;
  run.recompute = PM_RECOMPUTE_NONE;
  everything = use_of(plain(), run).total;
  ck_assert_double_le(before, everything);
  run.inference = 1;
  ck_assert_double_lt(use_of(plain(), run).total, everything);
}
END_TEST

/* ---- Layers. */

static void layers_add_up(const pm_network *n, int precision)
{
  int count = pm_network_count_layers(n);
  pm_memory_profile p = plain();
  pm_layer_memory *rows = (pm_layer_memory *)calloc((size_t)count, sizeof *rows);
  ck_assert_int_eq(pm_memory_get_layers(n, &p, 16, precision, rows, NULL), PM_OK);
  pm_memory_run run = pm_memory_run_make();
  run.batch = 16;
  run.precision = precision;
  pm_memory_plan *plan = plan_of(n, p, adam());
  pm_memory_use use = ask(plan, run);
  double saved = 0, most = 0;
  for (int i = 0; i < count; i++) {
    saved += rows[i].saved;
    most = fmax(most, rows[i].alive);
    ck_assert_int_eq(rows[i].index, i);
    ck_assert_double_le(rows[i].further, rows[i].saved);
  }
  ck_assert_double_eq_tol(saved, use.activations, 1e-9 * saved);
  ck_assert_double_eq_tol(most, use.activations + use.live_gradients, 1e-9 * most);
  pm_memory_plan_free(plan);
  free(rows);
}

START_TEST(layers_add_up_to_the_whole)
{
  bert_size small = {2, 64, 4, 256, 32, "0.1"};
  pm_network *bert = bert_network(small);
  layers_add_up(network, PM_PRECISION_FP32);
  layers_add_up(network, PM_PRECISION_FP16);
  layers_add_up(bert, PM_PRECISION_FP32);
  layers_add_up(bert, PM_PRECISION_FP16);
  pm_network_free(bert);
}
END_TEST

/* ---- Transformers: recomputation of the graph. */

START_TEST(recomputation_keeps_tensors_between_layers)
{
  bert_size size = BERT_LARGE(512);
  pm_network *bert = bert_network(size);
  pm_memory_plan *plan = plan_of(bert, plain(), adam());
  pm_memory_run run = pm_memory_run_make();
  run.batch = 1;
  double all = ask(plan, run).activations;
  run.recompute = PM_RECOMPUTE_SELECTIVE;
  double scores = 24.0 * 16 * 512 * 512 * 9;
  ck_assert_double_eq_tol(ask(plan, run).activations, all - scores, 1e-9 * all);
  run.recompute = PM_RECOMPUTE_FULL;
  pm_memory_use use = ask(plan, run);
  double row = 512.0 * 1024, layer = 66 * row + 9 * 16 * 512 * 512, each = 24 * 4 * row + layer;
  double needed = use.activations + use.live_gradients;
  ck_assert_msg(needed <= 1.1 * each, "%g B, but layer by layer %g", needed, each);
  ck_assert_double_ge(needed, layer / 2);
  pm_memory_plan_free(plan);
  pm_network_free(bert);
}
END_TEST

/* ---- Batches of runs, and what cannot be answered. */

START_TEST(a_bad_run_does_not_stop_the_others)
{
  pm_memory_run runs[9];
  pm_memory_use uses[9], alone;
  for (int i = 0; i < 9; i++) runs[i] = pm_memory_run_make();
  runs[1].batch = 0;
  runs[2].batch = 1.5;
  runs[3].precision = PM_PRECISION_INT8;
  runs[4].ranks = 0;
  runs[5].zero_stage = 4;
  runs[6].usable = -1;
  runs[7].recompute = PM_RECOMPUTE_COUNT;
  pm_memory_plan *plan = plan_of(network, plain(), adam());
  ck_assert_int_eq(pm_memory_evaluate(plan, runs, uses, 9), PM_OK);
  for (int i = 1; i < 8; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(uses[i].status, i == 3 ? PM_STATUS_NOT_MODELLED : PM_STATUS_BAD_ARGUMENT);
    ck_assert(isnan(uses[i].total) && isnan(uses[i].largest_batch));
    ck_assert_int_ne(pm__memory_check(plan, &runs[i], &error), PM_OK);
    ck_assert_uint_gt(strlen(error.text), 10);
  }
  ck_assert_int_eq(pm_memory_evaluate(plan, &runs[8], &alone, 1), PM_OK);
  ck_assert_int_eq(memcmp(&alone, &uses[8], sizeof alone), 0);
  ck_assert_int_eq(memcmp(&alone, &uses[0], sizeof alone), 0);
  pm_memory_plan_free(plan);
}
END_TEST

START_TEST(missing_arguments_are_errors)
{
  pm_memory_profile p = plain();
  pm_optimizer o = adam();
  pm_error error = PM_ERROR_NONE;
  pm_network *empty = pm_network_new("empty", "Empty", NULL);
  ck_assert_ptr_null(pm_memory_plan_new(NULL, &p, &o, &error));
  ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(pm_memory_plan_new(network, NULL, &o, NULL));
  ck_assert_ptr_null(pm_memory_plan_new(network, &p, NULL, NULL));
  ck_assert_ptr_null(pm_memory_plan_new(empty, &p, &o, NULL));
  ck_assert_int_eq(pm_memory_get_layers(network, &p, 1, PM_PRECISION_FP32, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_memory_evaluate(NULL, NULL, NULL, 0), PM_STATUS_BAD_ARGUMENT);
  ck_assert(isnan(pm__transformer_get_saved(NULL, NULL)));
  pm_memory_plan_free(NULL);
  pm_network_free(empty);
}
END_TEST

/* A profile in other units of the same size is the same profile. */
/* Bytes that a layer keeps: of tensors, or what no other layer sees. */
static double kept_by(const char *kind, const char *input, const char *attributes, int precision, bool further)
{
  pm_network *n = try_layer_of(kind, input, attributes, false, NULL);
  pm_memory_profile p = plain();
  pm__tensors tensors;
  pm__sizes sizes = pm__sizes_of(&p, precision);
  double kept = 0;
  ck_assert_int_eq(pm__tensors_find(&tensors, n, &p, NULL), PM_OK);
  for (size_t i = 0; i < n->count; i++)
    kept += further ? pm__layer_further(&tensors, (int)i, sizes, false) : pm__storage_kept(&tensors, (int)i, sizes);
  pm__tensors_free(&tensors);
  pm_network_free(n);
  return kept;
}

/* A product with numbers that want no gradient, and a sum. */
START_TEST(fixed_batch_norm_keeps_nothing)
{
  pm_network *fixed = layer_of("batch_norm", "8x4x4", "fixed=yes");
  pm_network_totals totals;
  ck_assert_int_eq(pm_network_get_totals(fixed, &totals, NULL), PM_OK);
  ck_assert_double_eq(totals.parameters, 0);
  pm_network_free(fixed);
  double kept = kept_by("batch_norm", "8x4x4", "", PM_PRECISION_FP32, false);
  ck_assert_double_eq(kept - kept_by("batch_norm", "8x4x4", "fixed=yes", PM_PRECISION_FP32, false), 4 * 8 * 4 * 4);
}
END_TEST

/* Inputs of the experts' products are kept as FP8 reads them; what is between them is not. */
START_TEST(experts_keep_inputs_of_products_as_they_read_them)
{
  const char *attributes = "experts=4 top_k=2 hidden=96";
  double wide = kept_by("mixture_of_experts", "64x32", attributes, PM_PRECISION_BF16, true);
  double narrow = kept_by("mixture_of_experts", "64x32", attributes, PM_PRECISION_FP8, true);
  ck_assert_double_eq(wide - narrow, 2 * 64 * (32 + 96));
}
END_TEST

START_TEST(units_change_nothing)
{
  static const char *const same[][2] = {{"512 MiB", "536870912 B"}, {"0.5 GiB", "524288 KiB"}};
  const pm_field *field = pm_record_find_field(pm_record_type_find("memory_profile"), "context");
  double total = NAN;
  for (int i = 0; i < 4; i++) {
    pm_memory_profile p = plain();
    ck_assert_int_eq(pm_record_set(field, &p, same[i / 2][i % 2], NULL), PM_OK);
    double now = use_of(p, pm_memory_run_make()).total;
    if (i > 0) ck_assert_double_eq(now, total);
    total = now;
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("footprint");
  TCase *laws = tcase_create("laws");
  tcase_add_checked_fixture(laws, set_up, tear_down);
  tcase_add_loop_test(laws, parts_add_up, 0, POINTS);
  tcase_add_loop_test(laws, more_samples_never_take_less, 0, POINTS);
  tcase_add_loop_test(laws, largest_batch_is_the_inverse, 0, POINTS);
  tcase_add_loop_test(laws, total_of_the_largest_batch_gives_it_back, 0, POINTS);
  tcase_add_loop_test(laws, inference_takes_less_and_recomputation_too, 0, POINTS);
  tcase_add_test(laws, verdicts_follow_the_band);
  tcase_add_test(laws, safe_batch_is_the_largest_that_fits);
  tcase_add_test(laws, saved_bytes_by_hand);
  tcase_add_test(laws, alive_in_each_backward_pass_by_hand);
  tcase_add_test(laws, loss_in_fp32_by_hand);
  tcase_add_test(laws, recomputation_by_hand);
  tcase_add_test(laws, parameters_by_hand);
  tcase_add_test(laws, layers_add_up_to_the_whole);
  tcase_add_test(laws, recomputation_keeps_tensors_between_layers);
  tcase_add_test(laws, a_bad_run_does_not_stop_the_others);
  tcase_add_test(laws, missing_arguments_are_errors);
  tcase_add_test(laws, fixed_batch_norm_keeps_nothing);
  tcase_add_test(laws, experts_keep_inputs_of_products_as_they_read_them);
  tcase_add_test(laws, units_change_nothing);
  suite_add_tcase(suite, laws);
  return fixture_main(suite);
}
