/*
** Fine-tuning with adapters beside frozen layers: LoRA and QLoRA.
**
**     neutral       without a rank, targets and formats of frozen weights change no bit
**     rank          more of it is never less memory, nor faster
**     targets       all-linear >= attention >= qkv >= qv, in memory and in time
**     memory        QLoRA <= LoRA <= full training, however GPUs share the work
**     time          gradients of frozen parameters are not computed, and not exchanged
**     parameters    rank x (inputs + outputs) of each target, as published; all others are frozen
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fixtures.h"
#include "network/network.h"
#include "shipped.h"

enum { NETWORKS = 3, SHARED = 6 };

static const char *const names[NETWORKS] = {"llama3-8b", "gpt3-13b", "llama2-7b"};
static pm_network *networks[NETWORKS];
static pm_system *host;
static pm_plan *plan;

static void set_up(void)
{
  static const char *const frameworks[] = {"pytorch-2.4-fsdp", "megatron-core-0.12"};
  open_catalog();
  for (int i = 0; i < NETWORKS; i++) networks[i] = build_network(names[i]);
  host = build_system("dgx-h100");
  plan = pm_plan_new((const pm_network *const *)networks, NETWORKS, (const pm_system *const *)&host, 1, NULL);
  ck_assert_ptr_nonnull(plan);
  for (int i = 0; i < 2; i++) {
    pm_framework_profile profile;
    ck_assert_int_eq(pm_catalog_get_framework(catalog, frameworks[i], &profile, NULL), PM_OK);
    ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), i);
  }
}

static void tear_down(void)
{
  pm_plan_free(plan);
  pm_system_free(host);
  for (int i = 0; i < NETWORKS; i++) pm_network_free(networks[i]);
  close_catalog();
}

/* Plans of eight GPUs that share the work in different ways. */
static pm_run shared_run(int how, int network, int framework)
{
  static const int degrees[SHARED][5] = {/* tensor, pipeline, zero, sequence, recompute */
                                         {1, 1, 0, 0, PM_RECOMPUTE_NONE}, {1, 1, 3, 0, PM_RECOMPUTE_FULL},
                                         {1, 1, 2, 0, PM_RECOMPUTE_NONE}, {4, 1, 1, 1, PM_RECOMPUTE_NONE},
                                         {2, 2, 0, 0, PM_RECOMPUTE_NONE}, {8, 1, 0, 0, PM_RECOMPUTE_SELECTIVE}};
  pm_run run = pm_run_make();
  run.network_index = network;
  run.framework_index = framework;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAMW;
  run.gpus = 8;
  run.batch = 4;
  run.micro_batch = 1;
  run.ignore_memory = 1;
  run.tensor_parallel = degrees[how][0];
  run.pipeline_parallel = degrees[how][1];
  run.zero = degrees[how][2];
  run.sequence_parallel = degrees[how][3];
  run.recompute = degrees[how][4];
  return run;
}

static pm_prediction predicted_of(const pm_plan *of, const pm_run *run)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_predict(of, run, &p, 1), PM_OK);
  if (p.status != PM_OK) pm_run_check(of, run, &error);
  ck_assert_msg(p.status == PM_OK, "status %d: %s", p.status, error.text);
  return p;
}

static pm_prediction predicted(const pm_run *run)
{
  return predicted_of(plan, run);
}

static pm_prediction adapted(pm_run run, int rank, int targets, int weights)
{
  run.lora_rank = rank;
  run.lora_targets = targets;
  run.base_weights = weights;
  return predicted(&run);
}

#define FOR_ALL_RUNS(run)                                                        \
  for (int network_ = 0; network_ < NETWORKS; network_++)                        \
    for (int framework_ = -1; framework_ < 2; framework_++)                      \
      for (int how_ = 0; how_ < SHARED; how_++)                                  \
        for (pm_run run = shared_run(how_, network_, framework_), *once_ = &run; once_ != NULL; once_ = NULL)

START_TEST(without_rank_no_bit)
{
  FOR_ALL_RUNS(run) {
    const pm_prediction full = predicted(&run);
    const pm_prediction same = adapted(run, 0, PM_LORA_TARGETS_MLP, PM_BASE_WEIGHTS_NF4);
    ck_assert_mem_eq(&full, &same, sizeof full);
  }
}
END_TEST

START_TEST(more_rank_is_more)
{
  FOR_ALL_RUNS(run) {
    pm_prediction before = adapted(run, 8, PM_LORA_TARGETS_ALL_LINEAR, 0);
    for (int rank = 16; rank <= 512; rank *= 2) {
      const pm_prediction p = adapted(run, rank, PM_LORA_TARGETS_ALL_LINEAR, 0);
      ck_assert_double_gt(p.memory, before.memory);
      ck_assert_double_ge(p.flop, before.flop);
      ck_assert_double_ge(p.step_time, before.step_time);
      before = p;
    }
  }
}
END_TEST

START_TEST(more_targets_are_more)
{
  static const int order[] = {PM_LORA_TARGETS_QV, PM_LORA_TARGETS_QKV, PM_LORA_TARGETS_ATTENTION,
                              PM_LORA_TARGETS_ALL_LINEAR, PM_LORA_TARGETS_ALL_AND_HEAD};
  FOR_ALL_RUNS(run) {
    pm_prediction before = adapted(run, 16, order[0], 0);
    for (int i = 1; i < 5; i++) {
      const pm_prediction p = adapted(run, 16, order[i], 0);
      ck_assert_double_ge(p.memory, before.memory);
      ck_assert_double_ge(p.step_time, before.step_time);
      before = p;
    }
  }
}
END_TEST

START_TEST(narrower_weights_are_less)
{
  static const int order[] = {PM_BASE_WEIGHTS_NF4_DOUBLE, PM_BASE_WEIGHTS_NF4, PM_BASE_WEIGHTS_INT8,
                              PM_BASE_WEIGHTS_PRECISION};
  FOR_ALL_RUNS(run) {
    double before = 0;
    for (int i = 0; i < 4; i++) {
      const pm_prediction p = adapted(run, 16, PM_LORA_TARGETS_ATTENTION, order[i]);
      ck_assert_double_gt(p.memory, before);
      before = p.memory;
    }
    ck_assert_double_lt(before, predicted(&run).memory);
  }
}
END_TEST

/* On a GPU that computes, without software: the products of gradients of weights are most of what is left out. */
START_TEST(frozen_is_no_slower)
{
  for (int network = 0; network < NETWORKS; network++)
    for (int how = 0; how < SHARED; how++) {
      pm_run run = shared_run(how, network, -1);
      const pm_prediction full = predicted(&run), lora = adapted(run, 8, PM_LORA_TARGETS_QV, 0);
      ck_assert_double_lt(lora.step_time, full.step_time);
      ck_assert_double_lt(lora.wgrad_time, 0.2 * full.wgrad_time);
      ck_assert_double_ge(lora.forward_time, full.forward_time);
      ck_assert_double_lt(lora.gradient_size, 0.01 * full.gradient_size);
      ck_assert_double_le(lora.data_communication_time, full.data_communication_time);
    }
}
END_TEST

/* Packed weights are unpacked forward, backward and where layers are computed again. */
START_TEST(unpacking_takes_time)
{
  FOR_ALL_RUNS(run) {
    const pm_prediction wide = adapted(run, 16, 0, PM_BASE_WEIGHTS_PRECISION);
    const pm_prediction packed = adapted(run, 16, 0, PM_BASE_WEIGHTS_NF4);
    ck_assert_double_gt(packed.forward_time, wide.forward_time);
    ck_assert_double_gt(packed.dgrad_time, wide.dgrad_time);
    if (run.recompute == PM_RECOMPUTE_FULL) ck_assert_double_gt(packed.recompute_time, wide.recompute_time);
  }
}
END_TEST

/* Masks are kept, and inputs as adapters get them. */
START_TEST(dropout_takes_memory)
{
  FOR_ALL_RUNS(run) {
    const pm_prediction without = adapted(run, 16, 0, 0);
    run.lora_dropout = 0.05;
    const pm_prediction with = adapted(run, 16, 0, 0);
    if (run.recompute == PM_RECOMPUTE_FULL) ck_assert_double_ge(with.memory, without.memory);
    else ck_assert_double_gt(with.memory, without.memory);
    ck_assert_double_gt(with.step_time, without.step_time);
    ck_assert_double_eq(with.gradient_size, without.gradient_size);
  }
}
END_TEST

/* ---- DoRA, chosen layers, experts ---- */

/* A length for each output of each target: n more parameters, which are updated and exchanged, and two passes. */
START_TEST(lengths_take_time_and_memory)
{
  FOR_ALL_RUNS(run) {
    const pm_prediction lora = adapted(run, 16, PM_LORA_TARGETS_ALL_LINEAR, 0);
    run.lora_dora = 1;
    const pm_prediction dora = adapted(run, 16, PM_LORA_TARGETS_ALL_LINEAR, 0);
    ck_assert_double_gt(dora.memory, lora.memory);
    ck_assert_double_gt(dora.forward_time, lora.forward_time);
    ck_assert_double_gt(dora.dgrad_time, lora.dgrad_time);
    ck_assert_double_gt(dora.gradient_size, lora.gradient_size);
    ck_assert_double_lt(dora.gradient_size, 1.1 * lora.gradient_size);
  }
}
END_TEST

/* Adapters of all layers by number are those of all layers to the bit; of fewer they are fewer, and what is before
** the first has no backward pass. */
START_TEST(fewer_layers_are_less)
{
  static const int layers[NETWORKS] = {32, 40, 32};
  FOR_ALL_RUNS(run) {
    const pm_prediction all = adapted(run, 16, PM_LORA_TARGETS_QV, 0);
    run.lora_layers = layers[run.network_index];
    const pm_prediction same = adapted(run, 16, PM_LORA_TARGETS_QV, 0);
    ck_assert_mem_eq(&all, &same, sizeof all);
    run.lora_layers = 0;
    run.lora_first_layer = layers[run.network_index] / 2;
    const pm_prediction half = adapted(run, 16, PM_LORA_TARGETS_QV, 0);
    run.lora_layers = run.lora_first_layer;
    const pm_prediction counted = adapted(run, 16, PM_LORA_TARGETS_QV, 0);
    ck_assert_mem_eq(&half, &counted, sizeof half);
    ck_assert_double_lt(half.step_time, all.step_time);
    ck_assert_double_lt(half.memory, all.memory);
    if (run.pipeline_parallel > 1) continue; /* of the fuller stage */
    ck_assert_double_eq_tol(half.gradient_size, all.gradient_size / 2, 1e-9 * all.gradient_size);
    ck_assert_double_lt(half.dgrad_time, 0.65 * all.dgrad_time);
  }
}
END_TEST

static double trained(const char *name, int rank, int targets)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network(name);
  const pm__network_adapters adapters = {.rank = rank, .targets = targets};
  pm_network *copy = pm__network_new_with_adapters(network, &adapters, &error);
  ck_assert_msg(copy != NULL, "%s", error.text);
  double parameters = pm__network_parameters(copy);
  pm_network_free(copy);
  pm_network_free(network);
  return parameters;
}

/* Two narrow matrices beside each of the three of each expert. */
START_TEST(experts_have_adapters)
{
  const double layers = 32, experts = 8, hidden = 4096, ffn = 14336, rank = 4;
  ck_assert_double_eq(trained("mixtral-8x7b", 4, PM_LORA_TARGETS_MLP), layers * experts * 3 * rank * (hidden + ffn));
  ck_assert_double_eq(trained("mixtral-8x7b", 4, PM_LORA_TARGETS_ALL_LINEAR),
                      trained("mixtral-8x7b", 4, PM_LORA_TARGETS_MLP) +
                          trained("mixtral-8x7b", 4, PM_LORA_TARGETS_ATTENTION));
}
END_TEST

static pm_prediction of_experts(const pm_plan *own, int degree, int targets)
{
  pm_run run = shared_run(0, 0, -1);
  run.expert_parallel = degree;
  run.zero = 3;
  run.lora_rank = 8;
  run.lora_targets = targets;
  return predicted_of(own, &run);
}

/* Over GPUs that have different experts too. */
START_TEST(adapters_of_experts_take_time_and_memory)
{
  pm_network *network = build_network("mixtral-8x7b");
  const pm_network *all[] = {network};
  pm_plan *own = pm_plan_new(all, 1, (const pm_system *const *)&host, 1, NULL);
  for (int degree = 1; degree <= 8; degree *= 2) {
    const pm_prediction without = of_experts(own, degree, PM_LORA_TARGETS_ATTENTION);
    const pm_prediction with = of_experts(own, degree, PM_LORA_TARGETS_ALL_LINEAR);
    ck_assert_double_gt(with.step_time, without.step_time);
    ck_assert_double_gt(with.memory, without.memory);
    ck_assert_double_gt(with.wgrad_time, without.wgrad_time);
  }
  pm_plan_free(own);
  pm_network_free(network);
}
END_TEST

/* ---- Parameters ---- */

static void check_parameters(const char *entry, const pm_attribute *sizes, size_t count, int rank, int targets,
                             bool dora, double published)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_catalog_new_network(catalog, entry, sizes, count, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  const pm__network_adapters adapters = {.rank = rank, .targets = targets, .dropout = 0.1, .dora = dora};
  pm_network *copy = pm__network_new_with_adapters(network, &adapters, &error);
  ck_assert_msg(copy != NULL, "%s", error.text);
  double frozen = 0;
  for (size_t i = 0; i < copy->count; i++) frozen += copy->layers[i].frozen;
  ck_assert_double_eq(frozen, pm__network_parameters(network));
  ck_assert_double_eq(pm__network_parameters(copy), published);
  pm_network_free(copy);
  pm_network_free(network);
}

/* As the sources print them: peft's comparison of methods on Llama 3.2 3B, one with DoRA; litgpt's tables of
** StableLM 3B. */
START_TEST(published_parameters)
{
  static const pm_attribute llama[] = {{"layers", "28"},   {"hidden", "3072"}, {"heads", "24"},  {"kv_heads", "8"},
                                       {"ffn", "8192"},    {"vocabulary", "128256"}, {"tied", "1"}};
  static const pm_attribute stablelm[] = {{"layers", "16"}, {"hidden", "4096"}, {"heads", "32"}, {"ffn", "16384"},
                                          {"vocabulary", "50688"}};
  check_parameters("llama", llama, 7, 32, PM_LORA_TARGETS_QV, false, 9175040);
  check_parameters("llama", llama, 7, 32, PM_LORA_TARGETS_QV, true, 9289728);
  check_parameters("llama", llama, 7, 64, PM_LORA_TARGETS_QV, false, 18350080);
  check_parameters("llama", llama, 7, 10, PM_LORA_TARGETS_MLP, false, 9461760);
  check_parameters("gpt", stablelm, 5, 8, PM_LORA_TARGETS_QV, false, 2097152);
}
END_TEST

/* ---- Trainable layers by name ---- */

static pm_network *trainable(const char *entry, const char *patterns)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute sets[] = {{"trainable", patterns}};
  pm_network *network = pm_catalog_new_network(catalog, entry, sets, 1, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

static double trainable_parameters(const char *entry, const char *patterns)
{
  pm_network *network = trainable(entry, patterns);
  double parameters = pm__network_parameters(network);
  pm_network_free(network);
  return parameters;
}

START_TEST(names_choose_layers)
{
  const double hidden = 4096, vocabulary = 128256, heads = hidden * hidden * 2 + hidden * 1024 * 2, ffn = 14336;
  ck_assert_double_eq(trainable_parameters("llama3-8b", "lm_head"), hidden * vocabulary);
  ck_assert_double_eq(trainable_parameters("llama3-8b", "*norm"), 65 * hidden);
  ck_assert_double_eq(trainable_parameters("llama3-8b", "*.norm"), 64 * hidden);
  ck_assert_double_eq(trainable_parameters("llama3-8b", "*.norm, norm,lm_head"), 65 * hidden + hidden * vocabulary);
  ck_assert_double_eq(trainable_parameters("llama3-8b", "layers.3"), heads + 3 * hidden * ffn + 2 * hidden);
  ck_assert_double_eq(trainable_parameters("llama3-8b", "layers.3*"), 3 * (heads + 3 * hidden * ffn + 2 * hidden));
  ck_assert_double_eq(trainable_parameters("qwen3-0.6b", "lm_head"), 1024.0 * 151936); /* which is the table too */
}
END_TEST

static pm_prediction trained_run(const char *patterns, const pm_run *run)
{
  pm_network *network = patterns != NULL ? trainable("llama3-8b", patterns) : build_network("llama3-8b");
  const pm_network *all[] = {network};
  pm_plan *own = pm_plan_new(all, 1, (const pm_system *const *)&host, 1, NULL);
  const pm_prediction p = predicted_of(own, run);
  pm_plan_free(own);
  pm_network_free(network);
  return p;
}

/* All layers by name are the network itself, to the bit. What is frozen in front has no backward pass; behind, a
** gradient passes. Less is trained, less is kept, exchanged and computed. */
START_TEST(frozen_layers_save)
{
  for (int how = 0; how < SHARED; how++) {
    const pm_run run = shared_run(how, 0, -1);
    const pm_prediction full = trained_run(NULL, &run), all = trained_run("*", &run);
    const pm_prediction behind = trained_run("layers.31,norm,lm_head", &run);
    const pm_prediction front = trained_run("layers.0", &run);
    ck_assert_mem_eq(&full, &all, sizeof full);
    ck_assert_double_lt(behind.dgrad_time, front.dgrad_time);
    ck_assert_double_lt(front.dgrad_time, 1.001 * full.dgrad_time);
    ck_assert_double_lt(front.wgrad_time, 0.2 * full.wgrad_time);
    ck_assert_double_lt(behind.step_time, full.step_time);
    ck_assert_double_lt(behind.memory, full.memory);
    ck_assert_double_lt(front.memory, full.memory);
    ck_assert_double_lt(behind.gradient_size, full.gradient_size);
  }
}
END_TEST

/* Embedding and head are trained beside adapters, as their network says. */
START_TEST(layers_are_trained_beside_adapters)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = trainable("llama3-8b", "embed_tokens,lm_head");
  const pm__network_adapters adapters = {.rank = 8, .targets = PM_LORA_TARGETS_QV};
  pm_network *copy = pm__network_new_with_adapters(network, &adapters, &error);
  ck_assert_msg(copy != NULL, "%s", error.text);
  ck_assert_double_eq(pm__network_parameters(copy),
                      trained("llama3-8b", 8, PM_LORA_TARGETS_QV) + 2 * 4096.0 * 128256);
  pm_network_free(copy);
  pm_network_free(network);
}
END_TEST

static void refuse_trainable(const char *patterns, const char *why)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute sets[] = {{"trainable", patterns}};
  ck_assert_ptr_null(pm_catalog_new_network(catalog, "llama3-8b", sets, 1, &error));
  ck_assert_msg(strstr(error.text, why) != NULL, "%s", error.text);
}

START_TEST(names_are_refused)
{
  refuse_trainable("lm_heads", "\"lm_heads\": no layer");
  refuse_trainable("lm_head,x*", "\"x*\": no layer");
  refuse_trainable("loss", "has parameters");
  refuse_trainable("", "has parameters");
}
END_TEST

/* ---- Where memory goes: update, activations, loss ---- */

/* One GPU, one pass: gradients of one piece at a time, and no more time. */
START_TEST(update_in_the_backward_pass)
{
  for (int network = 0; network < NETWORKS; network++) {
    pm_run run = shared_run(0, network, -1);
    run.gpus = 1;
    run.micro_batch = run.batch = 1;
    run.recompute = PM_RECOMPUTE_FULL;
    const pm_prediction after = predicted(&run);
    run.optimizer_in_backward = 1;
    const pm_prediction within = predicted(&run);
    ck_assert_double_lt(within.memory, after.memory - 0.7 * after.gradient_size);
    ck_assert_double_eq(within.step_time, after.step_time);
  }
}
END_TEST

/* What layers keep goes to the host and comes back behind the passes; what the passes do not hide is waited for: no
** more than both copies. More recomputation leaves less to copy. */
START_TEST(activations_wait_on_the_host)
{
  static const int recompute[] = {PM_RECOMPUTE_NONE, PM_RECOMPUTE_FULL};
  double before = INFINITY;
  for (int i = 0; i < 2; i++) {
    pm_run run = shared_run(0, 0, -1);
    run.recompute = recompute[i];
    const pm_prediction kept = predicted(&run);
    run.offload_activations = 1;
    const pm_prediction away = predicted(&run);
    ck_assert_double_lt(away.memory, kept.memory);
    ck_assert_double_gt(away.host_memory, 0);
    ck_assert_double_lt(away.host_memory, before);
    ck_assert_double_ge(away.step_time, kept.step_time);
    ck_assert_double_eq_tol(away.step_time, kept.step_time + away.offload_time, 1e-9);
    ck_assert_double_le(kept.memory - away.memory, 1.2 * away.host_memory / 8);
    before = away.host_memory;
  }
}
END_TEST

/* More parts are never more memory, whatever the software does by itself. */
START_TEST(loss_in_parts_takes_less)
{
  FOR_ALL_RUNS(run) {
    double before = INFINITY;
    for (int chunks = 1; chunks <= 64; chunks *= 4) {
      run.loss_chunks = chunks;
      const pm_prediction p = predicted(&run);
      ck_assert_double_le(p.memory, before);
      before = p.memory;
    }
  }
}
END_TEST

/* Longer documents are more attention; documents as long as the sequence are no documents, to the bit; and of half its
** length they cost as two sequences of that length, but for what a sequence does at its end. */
START_TEST(documents_save_attention)
{
  FOR_ALL_RUNS(run) {
    const pm_prediction whole = predicted(&run);
    double before = 0;
    run.document_tokens = 1e6;
    const pm_prediction same = predicted(&run);
    ck_assert_mem_eq(&whole, &same, sizeof whole);
    for (double tokens = 128; tokens <= 2048; tokens *= 4) {
      run.document_tokens = tokens;
      const pm_prediction p = predicted(&run);
      ck_assert_double_ge(p.flop, before);
      if (p.flop != whole.flop) ck_assert_double_lt(p.step_time, whole.step_time);
      before = p.flop;
    }
    ck_assert_double_le(before, whole.flop);
  }
}
END_TEST

/* What runs of one call share is of the same documents. */
START_TEST(documents_are_not_mixed_up)
{
  for (int framework = -1; framework < 2; framework++) {
    pm_run runs[3];
    pm_prediction together[3];
    for (int i = 0; i < 3; i++) {
      runs[i] = shared_run(0, 0, framework);
      runs[i].document_tokens = i == 1 ? 1e6 : 512 << i;
    }
    ck_assert_int_eq(pm_predict(plan, runs, together, 3), PM_OK);
    for (int i = 0; i < 3; i++) {
      const pm_prediction alone = predicted(&runs[i]);
      ck_assert_mem_eq(&alone, &together[i], sizeof alone);
    }
  }
}
END_TEST

START_TEST(halves_are_shorter_sequences)
{
  const pm_attribute sets[] = {{"seq", "2048"}};
  pm_network *half = pm_catalog_new_network(catalog, "llama3-8b", sets, 1, NULL), *whole = build_network("llama3-8b");
  pm_network *packed = pm__network_new_packed(whole, 2048, NULL);
  pm_network_totals a, b;
  ck_assert_int_eq(pm_network_get_totals(half, &a, NULL), PM_OK);
  ck_assert_int_eq(pm_network_get_totals(packed, &b, NULL), PM_OK);
  ck_assert_double_eq_tol(b.training_flop, 4 * a.training_flop, 1e-9 * b.training_flop); /* of 8192 tokens */
  pm_network_free(packed);
  pm_network_free(whole);
  pm_network_free(half);
}
END_TEST

static void refuse_update(pm_run run, const char *why)
{
  pm_error error = PM_ERROR_NONE;
  run.optimizer_in_backward = 1;
  ck_assert_int_ne(pm_run_check(plan, &run, &error), PM_OK);
  ck_assert_msg(strstr(error.text, why) != NULL, "%s", error.text);
}

START_TEST(updates_that_must_wait_are_refused)
{
  pm_run run = shared_run(1, 0, -1);
  refuse_update(run, "accumulates gradients of 4: use --batch 1");
  run.batch = 1;
  run.zero = 0;
  refuse_update(run, "use --zero 3");
  run.zero = 3;
  run.offload = PM_OFFLOAD_OPTIMIZER;
  refuse_update(run, "use --offload none");
}
END_TEST

/* ---- Refusals ---- */

static void refuse_run(const char *name, pm_run run, int rank, int targets, int weights, int precision, const char *why)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = build_network(name);
  const pm_network *all[] = {network};
  pm_plan *own = pm_plan_new(all, 1, (const pm_system *const *)&host, 1, NULL);
  run.batch = 1;
  run.precision = precision;
  run.lora_rank = rank;
  run.lora_targets = targets;
  run.base_weights = weights;
  ck_assert_int_ne(pm_run_check(own, &run, &error), PM_OK);
  ck_assert_msg(strstr(error.text, why) != NULL, "%s", error.text);
  pm_plan_free(own);
  pm_network_free(network);
}

static void refuse(const char *name, int rank, int targets, int weights, int precision, const char *why)
{
  refuse_run(name, pm_run_make(), rank, targets, weights, precision, why);
}

START_TEST(refusals)
{
  const int bf16 = PM_PRECISION_BF16;
  refuse("llama3-8b", 1025, PM_LORA_TARGETS_QKV, 0, bf16, "use --lora-rank 1024 or less");
  refuse("resnet50", 8, PM_LORA_TARGETS_ATTENTION, 0, bf16, "no linear layers of that kind");
  refuse("llama3-8b", 8, 0, PM_BASE_WEIGHTS_NF4, PM_PRECISION_FP8, "use --precision bf16");
  refuse("llama3-8b", -1, 0, 0, bf16, "lora_rank -1 is below 0");
  pm_run run = pm_run_make();
  run.lora_dora = 1;
  refuse_run("mixtral-8x7b", run, 8, PM_LORA_TARGETS_ALL_LINEAR, 0, bf16, "use --lora-targets attention");
  run = pm_run_make();
  run.lora_first_layer = 30;
  run.lora_layers = 3;
  refuse_run("llama3-8b", run, 8, PM_LORA_TARGETS_QV, 0, bf16, "repeats 32: leave out --lora-first-layer");
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("adapters");
  TCase *tests = tcase_create("adapters");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, without_rank_no_bit);
  tcase_add_test(tests, more_rank_is_more);
  tcase_add_test(tests, more_targets_are_more);
  tcase_add_test(tests, narrower_weights_are_less);
  tcase_add_test(tests, frozen_is_no_slower);
  tcase_add_test(tests, unpacking_takes_time);
  tcase_add_test(tests, dropout_takes_memory);
  tcase_add_test(tests, lengths_take_time_and_memory);
  tcase_add_test(tests, fewer_layers_are_less);
  tcase_add_test(tests, experts_have_adapters);
  tcase_add_test(tests, adapters_of_experts_take_time_and_memory);
  tcase_add_test(tests, published_parameters);
  tcase_add_test(tests, names_choose_layers);
  tcase_add_test(tests, frozen_layers_save);
  tcase_add_test(tests, layers_are_trained_beside_adapters);
  tcase_add_test(tests, names_are_refused);
  tcase_add_test(tests, update_in_the_backward_pass);
  tcase_add_test(tests, activations_wait_on_the_host);
  tcase_add_test(tests, loss_in_parts_takes_less);
  tcase_add_test(tests, documents_save_attention);
  tcase_add_test(tests, documents_are_not_mixed_up);
  tcase_add_test(tests, halves_are_shorter_sequences);
  tcase_add_test(tests, updates_that_must_wait_are_refused);
  tcase_add_test(tests, refusals);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
