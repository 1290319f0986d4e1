/* The completion of runs: every rule of perfmodel/study.h, by what it makes of a run. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "shipped.h"

/* A question: a network, a system, and what is given, as words: "gpus=8 zero=3 global_batch=64". */
typedef struct answer {
  pm_network *network;
  pm_system *system;
  pm_study *study;
  pm_given given;
  pm_run run;
  pm_prediction prediction;
  pm_error error;
  int status;
  char assumed[512];
} answer;

static void set_word(answer *a, const char *word)
{
  char name[64];
  const char *equals = strchr(word, '=');
  ck_assert(equals != NULL);
  snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
  if (strcmp(name, "global_batch") == 0) {
    a->given.global_batch = 1;
    snprintf(name, sizeof name, "batch");
  }
  pm_error error = PM_ERROR_NONE;
  const pm_field *field = pm_record_find_field(pm_record_type_find("run"), name);
  ck_assert_msg(field != NULL, "%s", word);
  char *end;
  double number = strtod(equals + 1, &end);
  int status = *end == '\0' ? pm_record_set_number(field, &a->run, number, &error)
                            : pm_record_set(field, &a->run, equals + 1, &error);
  ck_assert_msg(status == PM_OK, "%s: %s", word, error.text);
  ck_assert(pm_given_add(&a->given, "run", name) == PM_OK);
}

static void set_words(answer *a, const char *words)
{
  char text[256], *rest = text;
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) set_word(a, word);
}

/* "gpt2 flash=1": a network with another value of a parameter. */
static pm_network *network_of(const char *name)
{
  char id[64];
  pm_error error = PM_ERROR_NONE;
  const char *set = strchr(name, '=');
  if (set == NULL) return build_network(name);
  snprintf(id, sizeof id, "%.*s", (int)strcspn(name, " "), name);
  const pm_attribute flash = {"flash", set + 1};
  pm_network *network = pm_catalog_new_network(catalog, id, &flash, 1, &error);
  ck_assert_msg(network != NULL, "%s", error.text);
  return network;
}

static answer ask_named(const char *network, const char *system, const char *framework, const char *words)
{
  answer a;
  memset(&a, 0, sizeof a);
  a.network = network_of(network);
  a.system = build_system(system);
  a.run = pm_run_make();
  set_words(&a, words);
  const pm_study_setup setup = {catalog, (const pm_network *const *)&a.network, 1, (const pm_system *const *)&a.system,
                                1, &framework, framework != NULL, 0};
  a.study = pm_study_new(&setup, &a.error);
  ck_assert_msg(a.study != NULL, "%s", a.error.text);
  if (framework != NULL) a.run.framework_index = 0;
  a.status = pm_study_complete(a.study, &a.given, &a.run, &a.run, sizeof(pm_run), 1, &a.error);
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  int count = pm_study_get_assumptions(a.study, &a.given, &a.run, sizeof a.run, rows);
  pm_assumptions_format(rows, count, a.assumed, sizeof a.assumed);
  pm_error error = PM_ERROR_NONE;
  const pm_plan *plan = pm_study_get_plan(a.study, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  ck_assert(pm_predict(plan, &a.run, &a.prediction, 1) == PM_OK);
  return a;
}

static answer ask(const char *network, const char *system, const char *words)
{
  return ask_named(network, system, NULL, words);
}

static void done(answer *a)
{
  pm_study_free(a->study);
  pm_system_free(a->system);
  pm_network_free(a->network);
}

static const pm_framework *software_of(const answer *a)
{
  pm_study_software software = pm_study_get_software(a->study, a->run.framework_index, a->run.system_index);
  return software.framework != NULL ? &software.framework->framework : NULL;
}

static const char *framework_of(const answer *a)
{
  return software_of(a) != NULL ? software_of(a)->id : "none";
}

/* ---- Counts ---- */

static void expect_counts(const char *system, const char *words, int gpus, int nodes)
{
  answer a = ask("resnet50", system, words);
  ck_assert_msg(a.status == PM_OK, "%s: %s", words, a.error.text);
  ck_assert_msg(a.run.gpus == gpus && a.run.nodes == nodes, "%s \"%s\": %d x %d", system, words, a.run.gpus,
                a.run.nodes);
  done(&a);
}

START_TEST(counts)
{
  expect_counts("dgx-h100", "", 8, 1);
  expect_counts("dgx-h100", "gpus=3", 3, 1);
  expect_counts("dgx-h100", "gpus=8", 8, 1);
  expect_counts("dgx-h100", "gpus=32", 8, 4); /* the total */
  expect_counts("dgx-h100", "gpus=4 nodes=2", 4, 2);
  expect_counts("gb200-nvl72", "gpus=4 nodes=2", 8, 1); /* trays of one rack */
  expect_counts("gb200-nvl72", "gpus=4 nodes=64", 64, 4);
  expect_counts("gb200-nvl72", "gpus=8 nodes=2", 8, 2); /* of two racks */
  expect_counts("dgx-h100", "nodes=2", 8, 2);
  expect_counts("h100-sxm", "", 1, 1);
}
END_TEST

START_TEST(counts_that_fill_no_nodes_are_refused_with_those_that_do)
{
  answer a = ask("resnet50", "dgx-h100", "gpus=12");
  ck_assert_int_eq(a.status, PM_STATUS_TOO_MANY_GPUS);
  ck_assert_str_eq(a.error.text, "12 GPUs do not fill whole nodes of 8; 8 or 16 GPUs do");
  ck_assert_int_eq(a.prediction.status, PM_STATUS_TOO_MANY_GPUS); /* a row of a sweep */
  done(&a);
}
END_TEST

/* ---- Language models and others ---- */

static void expect(const char *network, const char *system, const char *words, const char *assumed)
{
  answer a = ask(network, system, words);
  ck_assert_msg(a.status == PM_OK, "%s", a.error.text);
  ck_assert_msg(strcmp(a.assumed, assumed) == 0, "%s on %s \"%s\": %s", network, system, words, a.assumed);
  done(&a);
}

START_TEST(decoder_only_language_models)
{
  expect("gpt2", "dgx-h100", "", "8 GPUs, bf16, adamw, micro-batch 1, pytorch-2.4 with fused attention");
  expect("llama3-8b", "dgx-h100", "gpus=8", "bf16, adamw, micro-batch 1, pytorch-2.4");
  expect("gpt2", "dgx1-v100", "gpus=1", "fp16, adamw, micro-batch 1, pytorch-2.4 with fused attention");
  expect("gpt2", "dgx1-p100", "gpus=1", "fp32, adamw, micro-batch 1, pytorch-2.4 with fused attention");
}
END_TEST

/* Encoders, encoders with decoders and images, though they read tokens or have attention. */
START_TEST(other_networks)
{
  static const char *const networks[] = {"bert-large", "t5-base", "vit-b-16", "gnmt", "transformer-big", "bart-large"};
  for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
    answer a = ask(networks[i], "dgx1-v100", "");
    ck_assert_msg(a.run.precision == PM_PRECISION_FP32 && a.run.optimizer == PM_OPTIMIZER_MOMENTUM &&
                  a.run.batch == 32 &&
                    isnan(a.run.micro_batch), "%s: %s", networks[i], a.assumed);
    done(&a);
  }
}
END_TEST

/* What is given is never changed. */
START_TEST(what_is_given_stays)
{
  answer a = ask("gpt2", "dgx-h100", "precision=fp32 optimizer=momentum batch=12 gpus=2");
  ck_assert(a.run.precision == PM_PRECISION_FP32 && a.run.optimizer == PM_OPTIMIZER_MOMENTUM && a.run.batch == 12);
  ck_assert(isnan(a.run.micro_batch) && a.run.gpus == 2);
  ck_assert_str_eq(a.assumed, "pytorch-2.4 with fused attention");
  done(&a);
}
END_TEST

/* PyTorch's FP32 from Ampere on, of networks with convolutions; what is asked for is what it was. */
START_TEST(fp32_is_what_the_framework_makes_of_it)
{
  expect("resnet50", "dgx-a100", "gpus=1", "tf32-conv, momentum, batch 32, pytorch-2.4");
  expect("bert-large", "dgx-a100", "gpus=1", "fp32, momentum, batch 32, pytorch-2.4 with fused attention");
  expect("resnet50", "dgx1-v100", "gpus=1", "fp32, momentum, batch 32, pytorch-2.4");
  answer a = ask_named("resnet50", "dgx-a100", "tensorflow-2.18", "");
  ck_assert_int_eq(a.run.precision, PM_PRECISION_FP32);
  done(&a);
}
END_TEST

static double step_of(const char *network, const char *precision)
{
  char words[64];
  snprintf(words, sizeof words, "gpus=1 batch=32 precision=%s", precision);
  answer a = ask(network, "dgx-a100", words);
  double step = a.prediction.step_time;
  ck_assert_int_eq(a.prediction.status, PM_OK);
  done(&a);
  return step;
}

/* Convolutions are as in TF32, all other products as in FP32. */
START_TEST(tf32_for_convolutions_alone)
{
  double fp32 = step_of("resnet50", "fp32"), tf32 = step_of("resnet50", "tf32");
  double both = step_of("resnet50", "tf32-conv");
  ck_assert(fp32 > both && both >= tf32 && both < 1.02 * tf32);
  ck_assert_double_eq(step_of("bert-large", "tf32-conv"), step_of("bert-large", "fp32"));
  ck_assert_double_gt(step_of("bert-large", "fp32"), step_of("bert-large", "tf32"));
}
END_TEST

/* ---- Batches ---- */

static void expect_batch(const char *network, const char *words, double batch, double micro_batch)
{
  answer a = ask(network, "dgx-h100", words);
  bool same = a.run.batch == batch && (a.run.micro_batch == micro_batch ||
                                       (isnan(a.run.micro_batch) && isnan(micro_batch)));
  ck_assert_msg(a.status == PM_OK && same, "%s \"%s\": %g, %g", network, words, a.run.batch, a.run.micro_batch);
  done(&a);
}

START_TEST(batches)
{
  expect_batch("resnet50", "", 32, NAN);
  expect_batch("resnet50", "micro_batch=8", 32, 8);
  expect_batch("resnet50", "micro_batch=48", 48, 48);
  expect_batch("resnet50", "global_batch=64 gpus=4", 16, NAN);
  expect_batch("gpt2", "", 1, 1);
  expect_batch("gpt2", "batch=4", 4, NAN);
  expect_batch("gpt2", "micro_batch=4", 4, 4);
  expect_batch("gpt2", "global_batch=64 gpus=8 tensor_parallel=2", 16, 1);
  expect_batch("gpt2", "global_batch=64 nodes=2 gradient_accumulation_steps=2", 2, 1);
}
END_TEST

START_TEST(a_global_batch_divides)
{
  answer a = ask("resnet50", "dgx-h100", "global_batch=30");
  ck_assert_int_eq(a.status, PM_STATUS_UNREACHABLE);
  ck_assert_str_eq(a.error.text, "a global batch of 30 does not divide over 8 data-parallel ranks");
  ck_assert_int_eq(a.prediction.status, PM_STATUS_BAD_ARGUMENT);
  done(&a);
}
END_TEST

/* ---- Frameworks ---- */

static void expect_framework_of(const char *network, const char *system, const char *words, const char *framework)
{
  answer a = ask(network, system, words);
  ck_assert_msg(strcmp(framework_of(&a), framework) == 0, "%s \"%s\": %s", system, words, framework_of(&a));
  done(&a);
}

static void expect_framework(const char *system, const char *words, const char *framework)
{
  expect_framework_of("gpt2", system, words, framework);
}

START_TEST(the_plan_decides_the_framework)
{
  expect_framework("dgx-h100", "", "pytorch-2.4");
  expect_framework("dgx-h100", "zero=1", "pytorch-2.4");
  expect_framework("dgx-h100", "zero=3", "pytorch-2.4-fsdp");
  expect_framework("dgx-h100", "tensor_parallel=2", "megatron-core-0.12");
  expect_framework("dgx-h100", "pipeline_parallel=2", "megatron-core-0.12");
  expect_framework("dgx-h100", "context_parallel=2", "megatron-core-0.12");
  expect_framework("dgx-h100", "expert_parallel=2", "pytorch-2.4"); /* no experts */
  expect_framework_of("mixtral-8x7b", "dgx-h100", "expert_parallel=2", "megatron-core-0.12");
  expect_framework("dgx-h100", "zero=3 tensor_parallel=2", "pytorch-2.4-fsdp");
  expect_framework("dgx-h100", "parallelism=tensor-parallel", "megatron-core-0.12");
}
END_TEST

/* Degrees of experts divide the GPUs of a network that has experts; of others they have no effect. */
START_TEST(degrees_of_experts_divide_gpus)
{
  answer a = ask("mixtral-8x7b", "dgx-h100", "expert_parallel=7 ignore_memory=yes");
  ck_assert_int_eq(a.prediction.status, PM_STATUS_BAD_ARGUMENT);
  done(&a);
  a = ask("gpt2", "dgx-h100", "expert_parallel=7");
  ck_assert_int_eq(a.prediction.status, PM_OK);
  done(&a);
}
END_TEST

START_TEST(a_framework_that_is_named_stays)
{
  answer a = ask_named("gpt2", "dgx-h100", "pytorch-1.13", "zero=3");
  ck_assert_str_eq(framework_of(&a), "pytorch-1.13");
  ck_assert_str_eq(a.assumed, "8 GPUs, bf16, adamw, micro-batch 1, unfused attention");
  done(&a);
  a = ask_named("gpt2", "dgx-h100", "none", "");
  ck_assert_str_eq(framework_of(&a), "none");
  ck_assert_int_eq(a.run.framework_index, -1);
  done(&a);
}
END_TEST

START_TEST(unknown_frameworks_are_errors)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = "no-such-framework";
  pm_network *network = build_network("gpt2");
  pm_system *system = build_system("dgx-h100");
  const pm_study_setup setup = {catalog, (const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1,
                                &name, 1, 0};
  ck_assert(pm_study_new(&setup, &error) == NULL);
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
  pm_system_free(system);
  pm_network_free(network);
}
END_TEST

/* A framework's own records, of a study without a name: with those of a name it is that name. */
START_TEST(records_do_as_names)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = "";
  pm_framework_profile own;
  answer a = ask_named("gpt2", "dgx-h100", "generic", "batch=8");
  ck_assert(pm_catalog_get_framework(catalog, "generic", &own, &error) == PM_OK);
  const pm_framework_profile *list[] = {&own};
  const pm_study_setup setup = {catalog, (const pm_network *const *)&a.network, 1, (const pm_system *const *)&a.system,
                                1, &name, 1, 0};
  pm_study *study = pm_study_new_with_records(&setup, &(pm_study_records){list, NULL, NULL}, &error);
  ck_assert_msg(study != NULL, "%s", error.text);
  own.framework.kernel_time = 1; /* copied before */
  pm_run run = pm_run_make();
  run.framework_index = 0;
  run.batch = 8;
  ck_assert(pm_study_complete(study, &a.given, &run, &run, sizeof(pm_run), 1, &error) == PM_OK);
  pm_prediction p;
  ck_assert(pm_predict(pm_study_get_plan(study, &error), &run, &p, 1) == PM_OK);
  ck_assert(memcmp(&p, &a.prediction, sizeof p) == 0);
  pm_study_free(study);
  done(&a);
}
END_TEST

/* ---- Names of degrees ---- */

START_TEST(parallelism_names_degrees)
{
  answer a = ask("bert-large", "dgx-h100", "parallelism=tensor-parallel gpus=4");
  ck_assert(a.run.tensor_parallel == 4 && a.run.parallelism == PM_PARALLELISM_FRAMEWORK);
  done(&a);
  a = ask("bert-large", "dgx-h100", "parallelism=pipeline-parallel nodes=2");
  ck_assert_int_eq(a.run.pipeline_parallel, 16);
  done(&a);
  a = ask("bert-large", "dgx-h100", "parallelism=hybrid nodes=2 tensor_parallel=8");
  ck_assert(a.run.tensor_parallel == 8 && a.run.pipeline_parallel == 1 && a.status == PM_OK);
  done(&a);
  a = ask("bert-large", "dgx-h100", "parallelism=tensor-parallel tensor_parallel=2");
  ck_assert_int_eq(a.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(a.prediction.status, PM_STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(a.error.text, "parallelism tensor-parallel means tensor_parallel 8 on these GPUs, but 2 was given");
  done(&a);
}
END_TEST

/* ---- Attention ---- */

/* The network that runs is the one of flash=1 or flash=0, to the bit. */
static void expect_attention(const char *framework, const char *flash)
{
  char name[64];
  snprintf(name, sizeof name, "gpt2 flash=%s", flash);
  answer a = ask_named("gpt2", "dgx-h100", framework, ""), b = ask_named(name, "dgx-h100", framework, "");
  ck_assert_msg(a.prediction.step_time == b.prediction.step_time && a.prediction.memory == b.prediction.memory,
                "%s: %g and %g", framework, a.prediction.step_time, b.prediction.step_time);
  ck_assert_ptr_null(strstr(b.assumed, "attention"));
  done(&a);
  done(&b);
}

START_TEST(the_framework_decides_attention)
{
  expect_attention("pytorch-2.4", "1");
  expect_attention("pytorch-1.13", "0");
  expect_attention("tensorflow-2.18", "0");
  expect_attention("megatron-core-0.12", "yes");
  expect_attention("none", "1");
}
END_TEST

/* Without a study `auto` is unfused: rows of measurements say what they ran. */
START_TEST(in_the_library_auto_is_unfused)
{
  pm_network_totals unfused, automatic;
  pm_network *a = network_of("gpt2"), *b = network_of("gpt2 flash=0");
  ck_assert(pm_network_get_totals(a, &automatic, NULL) == PM_OK && pm_network_get_totals(b, &unfused, NULL) == PM_OK);
  ck_assert_double_eq(automatic.flop, unfused.flop);
  pm_network_free(a);
  pm_network_free(b);
}
END_TEST

/* ---- Many runs ---- */

/* Runs of all kinds in one study are as each alone. */
START_TEST(many_runs_are_as_each_alone)
{
  static const char *const words[] = {"", "zero=3", "tensor_parallel=4", "gpus=12", "gpus=16 batch=2",
                                      "precision=fp32"};
  enum { COUNT = sizeof words / sizeof words[0] };
  pm_prediction together[COUNT];
  pm_error error = PM_ERROR_NONE;
  answer first = ask("gpt2", "dgx-h100", "");
  const pm_plan *before = pm_study_get_plan(first.study, &error);
  pm_run runs[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    answer a = {.run = pm_run_make()};
    set_words(&a, words[i]);
    runs[i] = a.run;
    int status = pm_study_complete(first.study, &a.given, &a.run, &runs[i], sizeof(pm_run), 1, NULL);
    ck_assert_int_eq(status, i == 3 ? PM_STATUS_TOO_MANY_GPUS : PM_OK);
  }
  const pm_plan *plan = pm_study_get_plan(first.study, &error);
  ck_assert(plan != NULL && plan != before && pm_predict(plan, runs, together, COUNT) == PM_OK);
  for (size_t i = 0; i < COUNT; i++) {
    answer a = ask("gpt2", "dgx-h100", words[i]);
    ck_assert_msg(memcmp(&a.prediction, &together[i], sizeof together[i]) == 0, "%s: %g and %g", words[i],
                  a.prediction.step_time, together[i].step_time);
    done(&a);
  }
  done(&first);
}
END_TEST

/* ---- Searches ---- */

/* Every plan of a search runs in the framework of its class, and is predicted as that run asked alone. */
START_TEST(searches)
{
  pm_error error = PM_ERROR_NONE;
  answer a = ask("gpt2", "dgx-h100", "");
  pm_given given = {0};
  pm_run base = pm_search_base_make(), run;
  pm_search *search = pm_study_new_search(a.study, &given, &base, 1, 32, &error);
  ck_assert_msg(search != NULL, "%s", error.text);
  bool seen[3] = {false};
  for (size_t i = 0; i < pm_search_count(search); i += 13) {
    char words[256];
    pm_prediction p;
    pm_search_get_run(search, i, &run);
    ck_assert(pm_predict(pm_study_get_plan(a.study, &error), &run, &p, 1) == PM_OK);
    snprintf(words, sizeof words,
             "global_batch=32 micro_batch=%g tensor_parallel=%d pipeline_parallel=%d virtual_pipeline=%d "
             "zero=%d recompute=%d sequence_parallel=%d context_parallel=%d pipeline_schedule=%d", run.micro_batch,
             run.tensor_parallel, run.pipeline_parallel, run.virtual_pipeline, run.zero, run.recompute,
             run.sequence_parallel,
             run.context_parallel, run.pipeline_schedule);
    answer b = ask("gpt2", "dgx-h100", words);
    ck_assert_msg(memcmp(&p, &b.prediction, sizeof p) == 0, "%s: %g and %g", words, p.step_time,
                  b.prediction.step_time);
    const char *framework = pm_study_get_software(a.study, run.framework_index, 0).framework->framework.id;
    ck_assert_str_eq(framework, framework_of(&b));
    seen[run.zero == 3 ? 1 : run.tensor_parallel * run.pipeline_parallel * run.context_parallel > 1 ? 2 : 0] = true;
    done(&b);
  }
  ck_assert(seen[0] && seen[1] && seen[2]);
  pm_search_free(search);
  done(&a);
}
END_TEST

/* ---- Inference ---- */

static pm_inference_run infer_of(const char *network, const char *system, const char *framework, char *assumed,
                                 size_t size)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *n = build_network(network);
  pm_system *s = build_system(system);
  const pm_study_setup setup = {catalog, (const pm_network *const *)&n, 1, (const pm_system *const *)&s, 1, &framework,
                                framework != NULL, 1};
  pm_study *study = pm_study_new(&setup, &error);
  ck_assert_msg(study != NULL, "%s", error.text);
  pm_given given = {0};
  pm_inference_run run = pm_inference_run_make();
  ck_assert(pm_study_complete(study, &given, &run, &run, sizeof run, 1, &error) == PM_OK);
  pm_assumption rows[PM_ASSUMPTIONS_MAX];
  pm_assumptions_format(rows, pm_study_get_assumptions(study, &given, &run, sizeof run, rows), assumed, size);
  pm_inference prediction;
  ck_assert(pm_infer(pm_study_get_plan(study, &error), &run, &prediction, 1) == PM_OK && prediction.status == PM_OK);
  pm_study_free(study);
  pm_system_free(s);
  pm_network_free(n);
  return run;
}

START_TEST(inference)
{
  char assumed[512];
  pm_inference_run run = infer_of("gpt2", "dgx-h100", NULL, assumed, sizeof assumed);
  ck_assert(run.gpus == 8 && run.precision == PM_PRECISION_BF16 && run.batch == 1);
  ck_assert_str_eq(assumed, "8 GPUs, bf16, pytorch-2.4 with fused attention");
  run = infer_of("bert-large", "t4", "tensorrt-8", assumed, sizeof assumed);
  ck_assert_str_eq(assumed, "fp32, unfused attention");
}
END_TEST

/* ---- Fields without effect ---- */

static void expect_use(const char *network, const char *words, const char *field, const char *need)
{
  pm_error error = PM_ERROR_NONE;
  answer a = ask(network, "dgx-h100", words);
  const pm_network *n = pm_study_get_network(a.study, a.run.network_index);
  const pm_field *asked = pm_record_find_field(pm_record_type_find("run"), field);
  int status = pm_run_check_field(n, software_of(&a), &a.run, asked, &error);
  ck_assert_msg((status == PM_OK) == (need == NULL), "%s of \"%s\": %s", field, words, error.text);
  if (need != NULL) ck_assert_msg(strstr(error.text, need) != NULL, "%s", error.text);
  done(&a);
}

START_TEST(fields_need_something)
{
  expect_use("gpt2", "", "pipeline_schedule", "has no effect without pipeline parallelism");
  expect_use("gpt2", "pipeline_parallel=2", "pipeline_schedule", NULL);
  expect_use("gpt2", "", "shard_group", "ZeRO");
  expect_use("gpt2", "zero=1", "shard_group", NULL);
  expect_use("gpt2", "", "recompute_layers", "recomputation");
  expect_use("gpt2", "recompute=full", "recompute_layers", NULL);
  expect_use("gpt2", "expert_parallel=2", "expert_parallel", "experts");
  expect_use("mixtral-8x7b", "", "expert_parallel", NULL);
  expect_use("gpt2", "", "rank_order", "two kinds");
  expect_use("gpt2", "tensor_parallel=2", "rank_order", NULL);
  expect_use("gpt2", "gpus=1", "overlap", "second GPU");
  expect_use("gpt2", "", "unfused_accumulation", "fuses gradient accumulation");
  expect_use("gpt2", "tensor_parallel=2", "unfused_accumulation", NULL);
  expect_use("gpt2", "", "batch", NULL);
}
END_TEST

/* Every value of a field that cannot have an effect: of choices each, of counts some. */
static void try_values(const answer *a, const pm_plan *plan, const pm_field *field, const char *words)
{
  static const double numbers[] = {0, 1, 2, 3, 8, 1.5, 3000};
  for (int i = 0; i < (field->kind == PM_FIELD_CHOICE ? 64 : 7); i++) {
    char text[PM_TEXT_MAX];
    pm_prediction p;
    pm_run run = a->run;
    double value = field->kind == PM_FIELD_CHOICE ? i : numbers[i];
    if (field->kind == PM_FIELD_CHOICE && field->choices[i].name == NULL) return;
    if (pm_record_set_number(field, &run, value, NULL) != PM_OK) continue;
    if (pm_run_check(plan, &run, NULL) != PM_OK) continue; /* a value that no run can have */
    ck_assert(pm_predict(plan, &run, &p, 1) == PM_OK);
    ck_assert_msg(memcmp(&p, &a->prediction, sizeof p) == 0, "%s %s of \"%s\": %.17g and %.17g s, %.17g and %.17g B",
                  field->name,
                  pm_record_format(field, &run, text), words, p.step_time, a->prediction.step_time, p.memory,
                  a->prediction.memory);
  }
}

START_TEST(fields_without_effect_change_no_bit)
{
  static const char *const networks[] = {"resnet50", "gpt2", "mixtral-8x7b"};
  static const char *const words[] = {"", "gpus=1", "gpus=16", "zero=1 batch=4", "zero=3 batch=4",
                                      "tensor_parallel=2 batch=4",
                                      "pipeline_parallel=2 batch=8", "tensor_parallel=2 pipeline_parallel=2 batch=8",
                                      "recompute=full batch=4", "micro_batch=2 batch=8",
                                      "gpus=1 offload=parameters zero=3",
                                      "gpus=1 micro_batch=2 batch=8"};
  const pm_record_type *type = pm_record_type_find("run");
  int tried = 0;
  for (size_t n = 0; n < 3; n++)
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
      char more[160];
      pm_error error = PM_ERROR_NONE;
      snprintf(more, sizeof more, "%s ignore_memory=yes", words[w]);
      answer a = ask(networks[n], "dgx-h100", more);
      const pm_plan *plan = pm_study_get_plan(a.study, &error);
      const pm_network *network = pm_study_get_network(a.study, a.run.network_index);
      for (size_t i = 0; i < type->field_count; i++) {
        const pm_field *field = &type->fields[i];
        if (field->needs == NULL) continue;
        if (pm_run_check_field(network, software_of(&a), &a.run, field, NULL) == PM_OK) continue;
        try_values(&a, plan, field, more);
        tried++;
      }
      done(&a);
    }
  ck_assert_int_gt(tried, 100);
}
END_TEST

/* ---- Callers that ask for what is not there ---- */

START_TEST(setups_that_lack_something)
{
  pm_error error = PM_ERROR_NONE;
  const pm_network *network = pm_catalog_new_network(catalog, "gpt2", NULL, 0, NULL), *no_network = NULL;
  const pm_system *system = build_system("dgx-h100"), *no_system = NULL;
  const char *no_name = NULL;
  const pm_study_setup setups[] = {{NULL, &network, 1, &system, 1, NULL, 0, 0},
                                   {catalog, NULL, 1, &system, 1, NULL, 0, 0},
                                   {catalog, &network, 0, &system, 1, NULL, 0, 0},
                                   {catalog, &network, 1, NULL, 1, NULL, 0, 0},
                                   {catalog, &network, 1, &system, 0, NULL, 0, 0},
                                   {catalog, &network, 1, &system, 1, NULL, 1, 0},
                                   {catalog, &no_network, 1, &system, 1, NULL, 0, 0},
                                   {catalog, &network, 1, &no_system, 1, NULL, 0, 0},
                                   {catalog, &network, 1, &system, 1, &no_name, 1, 0}};
  for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
    ck_assert_ptr_null(pm_study_new(&setups[i], &error));
    ck_assert_int_eq(error.status, PM_STATUS_BAD_ARGUMENT);
  }
  ck_assert_ptr_null(pm_study_new(NULL, &error));
  ck_assert_ptr_null(pm_study_new(NULL, NULL));
  pm_study_free(NULL);
  pm_system_free((pm_system *)(uintptr_t)system);
  pm_network_free((pm_network *)(uintptr_t)network);
}
END_TEST

/* A run whose network, system and framework are somewhere else has no prediction, and the next one has. */
START_TEST(places_that_are_not_in_the_study)
{
  answer a = ask("gpt2", "dgx-h100", "");
  const int32_t places[] = {-1, -2, 1, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < 3 * sizeof places / sizeof places[0]; i++) {
    pm_error error = PM_ERROR_NONE;
    pm_given given = {0};
    pm_assumption rows[PM_ASSUMPTIONS_MAX];
    pm_prediction p[2];
    pm_run runs[2] = {pm_run_make(), pm_run_make()};
    int32_t *field[] = {&runs[0].network_index, &runs[0].system_index, &runs[0].framework_index};
    *field[i % 3] = places[i / 3];
    bool bad = i % 3 < 2; /* nobody named a framework */
    int status = pm_study_complete(a.study, &given, runs, runs, sizeof(pm_run), 2, &error);
    ck_assert_int_eq(status, bad ? PM_STATUS_BAD_ARGUMENT : PM_OK);
    pm_predict(pm_study_get_plan(a.study, NULL), runs, p, 2);
    ck_assert_int_eq(p[0].status, bad ? PM_STATUS_BAD_ARGUMENT : PM_STATUS_OK);
    ck_assert_int_eq(p[1].status, PM_STATUS_OK);
    if (bad) ck_assert_int_eq(pm_study_get_assumptions(a.study, &given, &runs[0], sizeof runs[0], rows), 0);
    ck_assert_ptr_null(pm_study_get_network(a.study, places[i / 3]));
    ck_assert((pm_study_get_software(a.study, places[i / 3], 0).memory == NULL) == (places[i / 3] != -1));
  }
  done(&a);
}
END_TEST

/* ---- Which machine ---- */

enum { MACHINES = 4 };
static const char *const machines[MACHINES] = {"dgx-a100-80gb", "hgx-h100", "dgx-h100", "dgx1-p100"};

/* The table of some of the machines, with a global batch that is assumed. */
static pm_table *train_on(const pm_network *network, size_t first, size_t count, int32_t minimize)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *systems[MACHINES];
  pm_training_goal goals[MACHINES];
  const pm_given given = {0};
  const pm_run base = pm_search_base_make();
  for (size_t i = 0; i < count; i++) {
    systems[i] = build_system(machines[first + i]);
    goals[i] = pm_training_goal_make();
    goals[i].tokens = 300e9;
    goals[i].within = 30 * 86400.;
    goals[i].minimize = minimize;
    goals[i].gpu_hour_price = 1 + (double)(first + i);
  }
  const pm_study_setup setup = {catalog, &network, 1, (const pm_system *const *)systems, count, NULL, 0,
                                PM_TASK_TRAINING};
  pm_study *study = pm_study_new(&setup, &error);
  ck_assert(study != NULL);
  pm_table *table = pm_study_tabulate_training(study, &given, &base, NAN, goals, &error);
  ck_assert_msg(table != NULL || count == 1, "%s", error.text);
  pm_study_free(study);
  for (size_t i = 0; i < count; i++) pm_system_free(systems[i]);
  return table;
}

static double number_in(const pm_table *table, size_t row, const char *name)
{
  for (size_t i = 0; i < pm_table_count_columns(table); i++)
    if (strcmp(pm_table_get_column(table, i)->name, name) == 0) return pm_table_get_numbers(table, i)[row];
  ck_abort_msg("no column %s", name);
  return NAN;
}

/* Each row of several systems is the answer of that system alone; what meets the deadline comes first, with the least;
** what has no number comes last, and says why. */
START_TEST(each_machine_as_alone)
{
  static const char *const same[] = {"nodes", "gpus", "step_time", "time", "time_p10", "gpu_hours", "global_batch"};
  pm_network *network = build_network("llama2-13b");
  for (int32_t minimize = PM_MINIMIZE_NODES; minimize <= PM_MINIMIZE_COST; minimize++) {
    pm_table *all = train_on(network, 0, MACHINES, minimize);
    ck_assert_uint_eq(pm_table_count_rows(all), MACHINES);
    for (size_t row = 0; row < MACHINES; row++) {
      pm_table *alone = train_on(network, (size_t)number_in(all, row, "choice"), 1, minimize);
      double rank = number_in(all, row, "rank"), reached = number_in(all, row, "reached");
      ck_assert(rank == (reached >= 1 ? (double)row + 1 : 0));
      ck_assert((alone == NULL) == isnan(number_in(all, row, "time")));
      for (size_t i = 0; alone != NULL && i < sizeof same / sizeof same[0]; i++)
        ck_assert(number_in(all, row, same[i]) == number_in(alone, pm_table_count_rows(alone) - 1, same[i]));
      if (row > 0 && rank > 0) {
        const char *least = minimize == PM_MINIMIZE_NODES ? "nodes" : "gpu_hour_cost";
        ck_assert(number_in(all, row - 1, least) <= number_in(all, row, least));
      }
      pm_table_free(alone);
    }
    ck_assert(number_in(all, 0, "rank") == 1 && number_in(all, 0, "global_batch") * 4096 == 4194304);
    ck_assert(number_in(all, MACHINES - 1, "status") != PM_STATUS_OK);
    pm_table_free(all);
  }
  pm_network_free(network);
}
END_TEST

START_TEST(calls_that_lack_something)
{
  answer a = ask("gpt2", "dgx-h100", "");
  pm_error error = PM_ERROR_NONE;
  pm_given given = {0};
  pm_run run = pm_run_make();
  pm_training_goal goal = pm_training_goal_make();
#define REFUSES(CALL) ck_assert_int_eq((CALL), PM_STATUS_BAD_ARGUMENT)
#define GIVES_NONE(CALL) ck_assert((CALL) == NULL)
  REFUSES(pm_study_complete(NULL, &given, &run, &run, sizeof(pm_run), 1, &error));
  REFUSES(pm_study_complete(a.study, NULL, &run, &run, sizeof(pm_run), 1, &error));
  REFUSES(pm_study_complete(a.study, &given, NULL, &run, sizeof(pm_run), 1, &error));
  REFUSES(pm_study_complete(a.study, &given, &run, NULL, sizeof(pm_run), 1, NULL));
  REFUSES(pm_study_complete(a.study, &given, &run, &run, 0, 1, &error));
  REFUSES(pm_study_complete(a.study, &given, &run, &run, sizeof run + 1, 1, &error));
  GIVES_NONE(pm_study_get_software(NULL, -1, 0).memory);
  ck_assert_str_eq(pm_study_get_software(a.study, -1, 0).memory->id, "generic");
  GIVES_NONE(pm_study_get_plan(NULL, &error));
  GIVES_NONE(pm_study_get_note(NULL, 0));
  GIVES_NONE(pm_study_new_search(NULL, &given, &run, 1, 8, &error));
  GIVES_NONE(pm_study_new_search(a.study, NULL, &run, 1, 8, &error));
  GIVES_NONE(pm_study_new_search(a.study, &given, &run, 0, 8, &error));
  GIVES_NONE(pm_study_tabulate_training(a.study, NULL, &run, 8, &goal, &error));
  GIVES_NONE(pm_study_tabulate_training(a.study, &given, &run, 8, NULL, &error));
  GIVES_NONE(pm_study_tabulate_search(a.study, &given, NULL, PM_SEARCH_VIEW_PLANS, &error));
  GIVES_NONE(pm_study_tabulate_search(a.study, NULL, NULL, PM_SEARCH_VIEW_FRONT, &error));
  const pm_sweep sweep = {.runs = &run, .run_size = sizeof run, .answers = &a.prediction,
                          .answer_size = sizeof a.prediction, .count = 1};
  GIVES_NONE(pm_study_tabulate(NULL, &given, &sweep, &error));
  GIVES_NONE(pm_study_tabulate(a.study, &given, NULL, &error));
  ck_assert_int_eq(pm_given_add(&given, "run", "colour"), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_given_add(&given, "colour", "batch"), PM_STATUS_NOT_FOUND);
  ck_assert_int_eq(pm_given_add(NULL, "run", "batch"), PM_STATUS_NOT_FOUND);
  done(&a);
}
END_TEST

/* Values that no run can have are left to the check of the run, whatever else is completed. */
START_TEST(values_that_no_run_can_have)
{
  const pm_record_type *type = pm_record_type_find("run");
  const double values[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e300, 2147483647.0, -2147483648.0, 0.5};
  answer a = ask("gpt2", "dgx-h100", "");
  for (size_t i = 0; i < type->field_count; i++)
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
      pm_given given = {0};
      pm_prediction p;
      pm_run run = pm_run_make();
      if (strstr(type->fields[i].name, "_index") != NULL) continue;
      if (pm_record_set_number(&type->fields[i], &run, values[v], NULL) != PM_OK) continue;
      pm_given_add(&given, "run", type->fields[i].name);
      given.global_batch = (int32_t)(v % 2);
      pm_study_complete(a.study, &given, &run, &run, sizeof(pm_run), 1, NULL);
      pm_predict(pm_study_get_plan(a.study, NULL), &run, &p, 1);
      ck_assert(p.status != PM_STATUS_OK || p.step_time > 0);
    }
  done(&a);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("complete");
  TCase *tests = tcase_create("complete");
  tcase_add_unchecked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, counts);
  tcase_add_test(tests, counts_that_fill_no_nodes_are_refused_with_those_that_do);
  tcase_add_test(tests, decoder_only_language_models);
  tcase_add_test(tests, other_networks);
  tcase_add_test(tests, what_is_given_stays);
  tcase_add_test(tests, fp32_is_what_the_framework_makes_of_it);
  tcase_add_test(tests, tf32_for_convolutions_alone);
  tcase_add_test(tests, batches);
  tcase_add_test(tests, a_global_batch_divides);
  tcase_add_test(tests, the_plan_decides_the_framework);
  tcase_add_test(tests, degrees_of_experts_divide_gpus);
  tcase_add_test(tests, a_framework_that_is_named_stays);
  tcase_add_test(tests, unknown_frameworks_are_errors);
  tcase_add_test(tests, records_do_as_names);
  tcase_add_test(tests, parallelism_names_degrees);
  tcase_add_test(tests, the_framework_decides_attention);
  tcase_add_test(tests, in_the_library_auto_is_unfused);
  tcase_add_test(tests, many_runs_are_as_each_alone);
  tcase_add_test(tests, searches);
  tcase_add_test(tests, inference);
  tcase_add_test(tests, setups_that_lack_something);
  tcase_add_test(tests, places_that_are_not_in_the_study);
  tcase_add_test(tests, calls_that_lack_something);
  tcase_add_test(tests, values_that_no_run_can_have);
  tcase_add_test(tests, each_machine_as_alone);
  tcase_add_test(tests, fields_need_something);
  tcase_add_test(tests, fields_without_effect_change_no_bit);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
