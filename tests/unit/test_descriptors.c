/*
** Descriptors of choices, each of them: that a step with it is priced, that memory counts what it states, and that
** users find it.
*/
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "network/network.h"
#include "shipped.h"

static const pm_choice *choices_of(const char *type, const char *field)
{
  return pm_record_find_field(pm_record_type_find(type), field)->choices;
}

static const char *name_of(int optimizer)
{
  return choices_of("run", "optimizer")[optimizer].name;
}

/* No number is negative, and only "none" leaves the weights as they are. */
START_TEST(optimizers_are_whole)
{
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) {
    const pm_optimizer *o = pm_optimizer_get(i);
    ck_assert_msg(o != NULL, "optimizer %d has no descriptor", i);
    ck_assert_msg(o->state >= 0 && o->embedding_state >= 0 && o->scratch >= 0, "%s: state", name_of(i));
    ck_assert_msg(i == PM_OPTIMIZER_NONE ? o->accesses == 0 : o->accesses >= 3, "%s: accesses", name_of(i));
    ck_assert_msg((o->kernels > 0) == (o->accesses > 0), "%s: kernels", name_of(i));
    bool moves = o->accesses + 1e-9 >= 3 + o->state / 2; /* weights, gradients and state */
    ck_assert_msg(i == PM_OPTIMIZER_NONE || moves, "%s: state is not read and written", name_of(i));
  }
  ck_assert(pm_optimizer_get(-1) == NULL && pm_optimizer_get(PM_OPTIMIZER_COUNT) == NULL);
}
END_TEST

static void check_source(const char *source)
{
  char id[PM_TEXT_MAX];
  pm_source found;
  snprintf(id, sizeof id, "%.*s", (int)strcspn(source, " "), source);
  record("source", id, &found);
}

START_TEST(sources_are_in_the_catalogue)
{
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) check_source(pm_optimizer_get(i)->source);
  for (int32_t i = 0; i < PM_ATTENTION_COUNT; i++) check_source(pm_attention_get(i)->source);
}
END_TEST

static void check_choices(const char *type, const char *field, int count)
{
  const pm_choice *choices = choices_of(type, field);
  for (int i = 0; i < count; i++)
    ck_assert_msg(choices[i].name != NULL && choices[i].doc != NULL && choices[i].doc[0] != '\0', "%s %d has no doc",
                  field, i);
  ck_assert_ptr_null(choices[count].name);
}

/* Help, completion, keywords of Python, axes of sweeps and elements of catalogue files are made from these choices. */
START_TEST(users_find_each)
{
  check_choices("run", "optimizer", PM_OPTIMIZER_COUNT);
  check_choices("kernel", "optimizer", PM_OPTIMIZER_COUNT);
  check_choices("run", "recompute", PM_RECOMPUTE_COUNT);
  check_choices("run", "offload", PM_OFFLOAD_COUNT);
  check_choices("framework", "attention", PM_ATTENTION_COUNT);
  check_choices("inference_profile", "attention", PM_ATTENTION_COUNT);
}
END_TEST

/* ---- A step */

enum { RESNET, BERT };

static pm_network *networks[2];
static pm_system *systems[1];
static pm_plan *plan;

static void set_up(void)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile;
  open_catalog();
  networks[RESNET] = build_network("resnet50");
  networks[BERT] = build_network("bert-base");
  systems[0] = build_system("dgx1-v100");
  plan = pm_plan_new((const pm_network *const *)networks, 2, (const pm_system *const *)systems, 1, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pytorch-2.4", &profile, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, &error), 0);
}

static void tear_down(void)
{
  pm_plan_free(plan);
  for (int i = 0; i < 2; i++) pm_network_free(networks[i]);
  pm_system_free(systems[0]);
  close_catalog();
}

static pm_run run_of(int network, int optimizer)
{
  pm_run run = pm_run_make();
  run.network_index = network;
  run.framework_index = 0;
  run.batch = 1;
  run.optimizer = optimizer;
  return run;
}

static pm_memory_use memory_of(pm_run run)
{
  pm_memory_use use;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_prediction_get_memory(plan, &run, &use, &error) == PM_OK, "%s", error.text);
  return use;
}

START_TEST(updates_are_priced)
{
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) {
    pm_prediction out;
    pm_run run = run_of(BERT, i);
    ck_assert_int_eq(pm_predict(plan, &run, &out, 1), PM_OK);
    ck_assert_msg((out.update_time > 0) == (i != PM_OPTIMIZER_NONE), "%s: update in %g s", name_of(i), out.update_time);
  }
}
END_TEST

/* A network without embeddings: state and temporaries of each parameter, which ZeRO shards or every rank keeps. */
START_TEST(state_is_counted)
{
  double parameters = memory_of(run_of(RESNET, PM_OPTIMIZER_SGD)).gradients / 4;
  ck_assert_double_gt(parameters, 25e6);
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) {
    const pm_optimizer *o = pm_optimizer_get(i);
    pm_run run = run_of(RESNET, i);
    double whole = memory_of(run).optimizer;
    ck_assert_double_eq_tol(whole, parameters * (o->state + o->scratch), 1e-6 * parameters);
    run.gpus = 8;
    run.zero = 1;
    ck_assert_double_eq_tol(memory_of(run).optimizer, o->replicated ? whole : whole / 8, 1e-6 * parameters);
  }
}
END_TEST

/* 30,522 words, 512 positions and 2 segments of 768 numbers keep 8 bytes, the others 2. */
START_TEST(embeddings_keep_their_own_state)
{
  const double embeddings = (30522 + 512 + 2) * 768;
  double parameters = memory_of(run_of(BERT, PM_OPTIMIZER_ADAM)).optimizer / 8;
  double state = memory_of(run_of(BERT, PM_OPTIMIZER_ADAM_8BIT)).optimizer;
  ck_assert_double_eq_tol(state, 2.004 * parameters + (8 - 2.004) * embeddings, 1e-6 * state);
}
END_TEST

/* ---- Attention */

static const pm__layer *attention_of(const pm_network *network)
{
  for (size_t i = 0; i < network->count; i++)
    if (network->layers[i].kind != NULL && network->layers[i].kind->role == PM__ROLE_ATTENTION)
      return &network->layers[i];
  return NULL;
}

static pm_prediction predicted(const pm_network *network, int recompute)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction out;
  pm_run run = run_of(0, PM_OPTIMIZER_ADAM);
  run.framework_index = -1;
  run.recompute = recompute;
  pm_plan *own = pm_plan_new(&network, 1, (const pm_system *const *)systems, 1, &error);
  ck_assert_msg(own != NULL && pm_predict(own, &run, &out, 1) == PM_OK, "%s", error.text);
  pm_plan_free(own);
  return out;
}

/* BERT leaves its attention to the software, and counts as unfused until something is chosen. */
START_TEST(attention_does_what_it_states)
{
  const pm__layer *open = attention_of(networks[BERT]);
  pm_prediction before = predicted(networks[BERT], PM_RECOMPUTE_NONE);
  for (int32_t i = 0; i < PM_ATTENTION_COUNT; i++) {
    const pm_attention *a = pm_attention_get(i);
    pm_network *with = pm__network_new_with_attention(networks[BERT], i, NULL);
    const pm__layer *layer = attention_of(with);
    const pm__layer_kernel *kernel = &with->kernels[layer->first_kernel];
    pm_prediction out = predicted(with, PM_RECOMPUTE_NONE);
    ck_assert_int_eq(a->scores != 0, kernel->family != PM__ATTENTION);
    ck_assert_int_eq(a->scores != 0, layer->saved.elements == open->saved.elements);
    ck_assert_int_eq(a->scores != 0, out.memory == before.memory);
    ck_assert_double_gt(out.step_time, 0);
    ck_assert_double_gt(a->rate, 0);
    pm_network_free(with);
  }
  ck_assert(pm_attention_get(-1) == NULL && pm_attention_get(PM_ATTENTION_COUNT) == NULL);
}
END_TEST

/* What a causal mask hides is computed or not. */
START_TEST(masks_are_left_out_or_not)
{
  pm_network *gpt = build_network("gpt2");
  double all = attention_of(gpt)->flop[PM__FORWARD];
  for (int32_t i = 0; i < PM_ATTENTION_COUNT; i++) {
    pm_network *with = pm__network_new_with_attention(gpt, i, NULL);
    double ratio = attention_of(with)->flop[PM__FORWARD] / all;
    if (pm_attention_get(i)->masked) ck_assert_double_gt(ratio, 0.99);
    else ck_assert_double_lt(ratio, 0.51);
    pm_network_free(with);
  }
  pm_network_free(gpt);
}
END_TEST

/* ---- Recomputation and offloading */

/* What layers compute again takes time and spares memory; what they keep all the same spares less of both. */
START_TEST(recomputation_does_what_it_states)
{
  pm_prediction none = predicted(networks[BERT], PM_RECOMPUTE_NONE),
      full = predicted(networks[BERT], PM_RECOMPUTE_FULL);
  for (int32_t i = 0; i < PM_RECOMPUTE_COUNT; i++) {
    const pm_recomputation *r = pm_recomputation_get(i);
    pm_prediction out = predicted(networks[BERT], i);
    ck_assert_int_eq(r->scores || r->layers, out.step_time > none.step_time);
    ck_assert_int_eq(r->scores || r->layers, out.memory < none.memory);
    ck_assert_int_eq(r->layers && !r->operations, out.step_time == full.step_time && out.memory == full.memory);
    ck_assert(r->scores || !r->layers);
    ck_assert(r->layers || !r->operations);
  }
  ck_assert(pm_recomputation_get(-1) == NULL && pm_recomputation_get(PM_RECOMPUTE_COUNT) == NULL);
}
END_TEST

START_TEST(offloading_does_what_it_states)
{
  const pm_memory_use none = memory_of(run_of(RESNET, PM_OPTIMIZER_ADAM));
  for (int32_t i = 0; i < PM_OFFLOAD_COUNT; i++) {
    const pm_offloading *o = pm_offloading_get(i);
    pm_run run = run_of(RESNET, PM_OPTIMIZER_ADAM);
    run.offload = i;
    run.zero = o->zero;
    pm_memory_use use = memory_of(run);
    ck_assert_int_eq(o->optimizer, use.optimizer == 0);
    ck_assert_int_eq(o->gradients, use.gradients < none.gradients);
    ck_assert_int_eq(o->weights, use.weights == 0);
    ck_assert_int_eq(o->optimizer, use.host > 0);
    run.zero--;
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(pm_prediction_get_memory(plan, &run, &use, &error), PM_STATUS_BAD_ARGUMENT);
  }
  ck_assert(pm_offloading_get(-1) == NULL && pm_offloading_get(PM_OFFLOAD_COUNT) == NULL);
}
END_TEST

/* ---- Kernels by themselves */

START_TEST(kernels_follow_the_accesses)
{
  pm_gpu v100 = gpu("v100-sxm2-16gb");
  for (int32_t i = 0; i < PM_OPTIMIZER_COUNT; i++) {
    pm_kernel_time time;
    pm_kernel kernel;
    pm_record_clear(pm_record_type_find("kernel"), &kernel);
    kernel.operation = PM_OPERATOR_OPTIMIZER;
    kernel.precision = PM_PRECISION_FP32;
    kernel.m = 1e8;
    kernel.optimizer = i;
    ck_assert_int_eq(pm_kernel_predict(&v100, NULL, &kernel, &time, 1, NULL), PM_OK);
    ck_assert_double_eq_tol(time.bytes, 4e8 * pm_optimizer_get(i)->accesses, 1);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("descriptors");
  TCase *tests = tcase_create("descriptors");
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, optimizers_are_whole);
  tcase_add_test(tests, sources_are_in_the_catalogue);
  tcase_add_test(tests, users_find_each);
  tcase_add_test(tests, updates_are_priced);
  tcase_add_test(tests, state_is_counted);
  tcase_add_test(tests, embeddings_keep_their_own_state);
  tcase_add_test(tests, attention_does_what_it_states);
  tcase_add_test(tests, masks_are_left_out_or_not);
  tcase_add_test(tests, recomputation_does_what_it_states);
  tcase_add_test(tests, offloading_does_what_it_states);
  tcase_add_test(tests, kernels_follow_the_accesses);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
