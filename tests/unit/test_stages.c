/*
** Stages of a pipeline as records: they are the prediction, part by part; published plans' sizes; experts, uneven
** stages.
*/
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "shipped.h"

enum { STAGES = 64, SETS = 4 };

/* A network on a system under Megatron-LM, which keeps gradients of four bytes and twelve for Adam. */
typedef struct study {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
  pm_stage stage[STAGES];
} study;

static study open_study(const char *network, const pm_attribute *sets, size_t count, const char *system)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile megatron;
  study s = {.network = pm_catalog_new_network(catalog, network, sets, count, &error), .system = build_system(system)};
  ck_assert_msg(s.network != NULL, "%s", error.text);
  const pm_network *networks[] = {s.network};
  const pm_system *systems[] = {s.system};
  s.plan = pm_plan_new(networks, 1, systems, 1, &error);
  ck_assert_msg(s.plan != NULL, "%s", error.text);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "megatron-core-0.12", &megatron, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(s.plan, &megatron, &error), 0);
  return s;
}

static void close_study(study *s)
{
  pm_plan_free(s->plan);
  pm_system_free(s->system);
  pm_network_free(s->network);
}

static pm_run shared_out(int nodes, int tensor, int pipeline, double batch)
{
  pm_run run = pm_run_make();
  run.gpus = 8;
  run.nodes = nodes;
  run.tensor_parallel = tensor;
  run.pipeline_parallel = pipeline;
  run.batch = batch;
  run.micro_batch = 1;
  run.precision = PM_PRECISION_BF16;
  run.optimizer = PM_OPTIMIZER_ADAM;
  run.framework_index = 0;
  run.ignore_memory = 1;
  return run;
}

static int stages_of(study *s, const pm_run *run)
{
  pm_error error = PM_ERROR_NONE;
  int count = pm_prediction_get_stages(s->plan, run, s->stage, STAGES, &error);
  ck_assert_msg(count >= 1, "%s", error.text);
  return count;
}

static pm_prediction predict(const study *s, const pm_run *run)
{
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_run_check(s->plan, run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_predict(s->plan, run, &p, 1), PM_OK);
  return p;
}

static void ck_near(const char *what, double value, double wanted, double tolerance)
{
  ck_assert_msg(fabs(value / wanted - 1) <= tolerance, "%s: %.17g, not %.17g", what, value, wanted);
}

/* ---- The prediction, part by part ---- */

static void check_sums(const pm_stage *r, const pm_prediction *p)
{
  double memory =
      r->weights + r->gradients + r->optimizer + r->activations + r->live_gradients + r->allocator + r->input +
                  r->workspace + r->communication + r->context;
  ck_near("memory", r->memory, memory, 1e-12);
  ck_near("step", r->busy_time + r->wait_time, p->step_time, 1e-12);
  ck_near("step", r->step_time, p->step_time, 0);
  ck_assert_msg(r->wait_time >= -1e-9 * p->step_time, "stage %d waits %g s", r->stage, r->wait_time);
}

static void check_slowest(const pm_stage *r, const pm_prediction *p)
{
  ck_near("forward", r->forward_time, p->forward_time, 0);
  ck_near("dgrad", r->dgrad_time, p->dgrad_time, 0);
  ck_near("wgrad", r->wgrad_time, p->wgrad_time, 0);
  ck_near("launches", r->launch_overhead_time, p->launch_overhead_time, 1e-9);
  ck_assert_double_eq(r->recompute_time, p->recompute_time);
}

static void check_stages(study *s, pm_run run)
{
  pm_prediction p = predict(s, &run);
  int count = stages_of(s, &run), layers = 0;
  double most = 0, busiest = 0;
  ck_assert_int_eq(count, run.pipeline_parallel);
  for (int i = 0; i < count; i++) {
    ck_assert_int_eq(s->stage[i].stage, i);
    check_sums(&s->stage[i], &p);
    layers += s->stage[i].layers;
    most = fmax(most, s->stage[i].memory);
    busiest = fmax(busiest, s->stage[i].forward_time + s->stage[i].dgrad_time + s->stage[i].wgrad_time);
  }
  ck_assert_int_eq(layers, 40);
  check_slowest(&s->stage[p.slowest_stage], &p);
  if (count == 1) ck_near("exchanges", s->stage[0].exposed_communication_time, p.exposed_communication_time, 1e-12);
  if (count == 1) ck_near("update", s->stage[0].update_time, p.update_time, 1e-12);
  ck_near("slowest", p.forward_time + p.dgrad_time + p.wgrad_time, busiest, 0);
  ck_near("fullest", s->stage[p.fullest_stage].memory, p.memory, 0);
  ck_near("fullest", most, p.memory, 0);
  ck_near("bubble", p.bubble_share * p.step_time + 1, p.bubble_time + 1, 1e-12);
}

START_TEST(stages_are_the_prediction)
{
  static const int plans[][2] = {{1, 1}, {8, 1}, {2, 4}, {4, 16}, {1, 32}};
  study s = open_study("gpt3-13b", NULL, 0, "dgx-a100-80gb");
  for (int i = 0; i < 5; i++)
    for (int schedule = 0; schedule < PM_PIPELINE_SCHEDULE_COUNT; schedule++) {
      pm_run run = shared_out(8, plans[i][0], plans[i][1], 64);
      bool twice = schedule == PM_PIPELINE_SCHEDULE_ZB_V;
      if (twice && plans[i][1] > 16) continue; /* 40 layers are too few */
      run.pipeline_schedule = schedule;
      run.zero = i % 3;
      if (schedule < PM_PIPELINE_SCHEDULE_ZB_H1) run.recompute = i % 2 ? PM_RECOMPUTE_FULL : PM_RECOMPUTE_NONE;
      check_stages(&s, run);
    }
  close_study(&s);
}
END_TEST

/* Without any of it there is one stage. */
START_TEST(a_gpu_alone_is_one_stage)
{
  study s = open_study("resnet50", NULL, 0, "dgx-a100-80gb");
  pm_run run = shared_out(2, 1, 1, 64);
  pm_prediction p = predict(&s, &run);
  ck_assert_int_eq(stages_of(&s, &run), 1);
  check_sums(&s.stage[0], &p);
  check_slowest(&s.stage[0], &p);
  ck_near("memory", s.stage[0].memory, p.memory, 0);
  ck_near("parameters", s.stage[0].parameters, 25557032, 0);
  ck_assert_double_eq(p.bubble_share, 0);
  close_study(&s);
}
END_TEST

/* ---- Published plans: arXiv:2104.04473 and 2205.05198 ---- */

typedef struct published {
  const char *hidden, *heads, *layers;
  int tensor, pipeline, chunks, data;
  bool sequence;
  int recompute, zero;
  double weights, optimizer; /* of a stage of layers only; B */
  double activations;        /* of the layers of stage 0 */
} published;

static const published plans[] = {
  {"12288", "96", "96", 8, 8, 3, 1, false, PM_RECOMPUTE_FULL, 0, 5.43785e9, 3.26271e10, 6.24112e9},
  {"12288", "96", "96", 4, 16, 1, 8, false, PM_RECOMPUTE_FULL, 1, 5.43696e9, 4.07772e9, 4.83184e9},
  {"20480", "128", "105", 8, 35, 3, 1, true, PM_RECOMPUTE_SELECTIVE, 0, 3.77572e9, 2.26543e10, 2.47779e10},
  {"25600", "160", "128", 8, 64, 1, 6, false, PM_RECOMPUTE_FULL, 1, 3.93286e9, 3.93286e9, 1.34218e10},
};

START_TEST(published_plans)
{
  const published *of = &plans[_i];
  const pm_attribute sets[SETS] = {{"hidden", of->hidden}, {"heads", of->heads}, {"layers", of->layers},
                                   {"dropout", "1"}};
  study s = open_study("gpt", sets, SETS, "dgx-a100-80gb");
  pm_run run = shared_out(of->tensor * of->pipeline * of->data / 8, of->tensor, of->pipeline, 8.0 * of->pipeline);
  run.virtual_pipeline = of->chunks;
  run.sequence_parallel = of->sequence;
  run.recompute = of->recompute;
  run.zero = of->zero;
  run.precision = PM_PRECISION_FP16;
  stages_of(&s, &run);
  const pm_stage *second = &s.stage[1]; /* the first has the embedding besides */
  ck_near("weights", second->weights, of->weights, 5e-4);
  ck_near("optimizer", second->optimizer, of->optimizer, 5e-4);
  ck_near("activations", second->activations, of->activations * second->in_flight / s.stage[0].in_flight, 1e-3);
  /* dropout of words */
  double masks = s.stage[0].in_flight * 2048 * atof(of->hidden) / (of->sequence ? of->tensor : 1);
  ck_near("activations", s.stage[0].activations, of->activations + masks, 1e-3);
  close_study(&s);
}
END_TEST

/* 46,702,792,704 parameters: 8 experts of 3 x 4096 x 14336 in each of 32 layers, over 4 GPUs; attention over 2. The
** optimizer of experts is sharded over the GPUs that have the same, that of all else over data-parallel ranks. */
START_TEST(experts_have_their_own_shards)
{
  study s = open_study("mixtral-8x7b", NULL, 0, "dgx-h100");
  pm_run run = shared_out(4, 2, 2, 8);
  run.expert_parallel = 4;
  run.expert_tensor_parallel = 1;
  run.sequence_parallel = 1;
  run.zero = 1;
  ck_assert_int_eq(stages_of(&s, &run), 2);
  double experts = 16 * 2 * 3.0 * 4096 * 14336, words = 32000 / 2 * 4096;
  double rest = 16 * ((2.0 * 4096 * 4096 + 2.0 * 4096 * 1024) / 2 + 8 * 4096 + 2 * 4096);
  ck_near("parameters", s.stage[0].parameters, experts + rest + words, 0);
  ck_near("weights", s.stage[0].weights, 2 * (experts + rest + words), 1e-12);
  ck_near("optimizer", s.stage[0].optimizer, 12 * (experts / 4 + (rest + words) / 8), 1e-12);
  run.expert_tensor_parallel = 2;
  stages_of(&s, &run);
  ck_near("parameters", s.stage[0].parameters, experts / 2 + rest + words, 0);
  ck_near("optimizer", s.stage[0].optimizer, 12 * (experts / 2 / 2 + (rest + words) / 8), 1e-12);
  run.expert_tensor_parallel = 0; /* as the framework, Megatron-LM: with the other layers */
  stages_of(&s, &run);
  ck_near("parameters", s.stage[0].parameters, experts / 2 + rest + words, 0);
  close_study(&s);
}
END_TEST

/* 32 layers over 6 stages: 6, 6, 5, 5, 5, 5; the first has the words besides, padded to 128 for each GPU,
** the last the head. Balanced, both ends have
** one less. */
START_TEST(stages_are_uneven)
{
  static const int even[] = {6, 6, 5, 5, 5, 5}, balanced[] = {5, 6, 6, 6, 5, 4};
  study s = open_study("llama3-8b", NULL, 0, "dgx-h100");
  pm_run run = shared_out(6, 8, 6, 12);
  double layer = (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336) / 8 + 2 * 4096, words = 129024 / 8 * 4096;
  for (run.stage_layers = PM_STAGE_LAYERS_EVEN; run.stage_layers <= PM_STAGE_LAYERS_BALANCED; run.stage_layers++) {
    const int *layers = run.stage_layers == PM_STAGE_LAYERS_EVEN ? even : balanced;
    ck_assert_int_eq(stages_of(&s, &run), 6);
    for (int i = 0; i < 6; i++) {
      double ends = i == 0 ? words : i == 5 ? words + 4096 : 0;
      ck_assert_int_eq(s.stage[i].layers, layers[i]);
      ck_near("parameters", s.stage[i].parameters, layers[i] * layer + ends, 0);
    }
  }
  close_study(&s);
}
END_TEST

/* Arithmetic that Winograd saves in a forward pass is saved again where that is recomputed: one pass more than three,
** of which one lacks its first layer. */
START_TEST(transforms_save_again)
{
  study s = open_study("vgg16", NULL, 0, "dgx-h100");
  pm_run run = pm_run_make();
  run.gpus = 1, run.batch = 64, run.precision = PM_PRECISION_FP32;
  pm_prediction none = predict(&s, &run);
  run.recompute = PM_RECOMPUTE_FULL;
  pm_prediction full = predict(&s, &run);
  double more = full.hfu * full.step_time / (none.hfu * none.step_time);
  ck_assert_msg(more > 1.2 && more < 1.4, "recomputation executes %g times the FLOP", more);
  close_study(&s);
}
END_TEST

/* Recomputation by operation keeps a layer's input, attention, and the first, third, ... of q, k, v, o, gate, up, down:
** 4096 features each, v 1024, gate 14336. */
START_TEST(operations_are_kept)
{
  study s = open_study("llama3-8b", NULL, 0, "dgx-h100");
  pm_run run = shared_out(1, 1, 4, 8);
  run.gpus = 4;
  double tokens = 8192, kept = 2 * tokens * (4096 + 4096 + 1024 + 4096 + 14336 + 4096), time[PM_RECOMPUTE_COUNT];
  for (run.recompute = 0; run.recompute < PM_RECOMPUTE_COUNT; run.recompute++)
    time[run.recompute] = predict(&s, &run).recompute_time;
  ck_assert(time[PM_RECOMPUTE_OPERATIONS] > 0 && time[PM_RECOMPUTE_OPERATIONS] < 0.6 * time[PM_RECOMPUTE_FULL]);
  run.recompute = PM_RECOMPUTE_OPERATIONS;
  stages_of(&s, &run);
  ck_near("kept", s.stage[1].activations, s.stage[1].in_flight * 8 * kept, 1e-12);
  pm_prediction p = predict(&s, &run);
  ck_assert(p.hfu > p.mfu);
  run.recompute_layers = 2; /* of 8; the others keep all */
  stages_of(&s, &run);
  double some = s.stage[1].activations;
  run.recompute = PM_RECOMPUTE_NONE;
  run.recompute_layers = 0;
  stages_of(&s, &run);
  ck_near("a quarter", some, 0.75 * s.stage[1].activations + s.stage[1].in_flight * 2 * kept, 1e-12);
  run.recompute = PM_RECOMPUTE_OPERATIONS;
  run.pipeline_schedule = PM_PIPELINE_SCHEDULE_ZB_H1;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_ne(pm_run_check(s.plan, &run, &error), PM_OK);
  ck_assert(strstr(error.text, "that recomputation drops") != NULL);
  close_study(&s);
}
END_TEST

/* Gradients of a parameter, in bytes. */
static double gradient_of(study *s, int framework, int bytes)
{
  pm_run run = shared_out(1, 8, 1, 8);
  run.framework_index = framework;
  run.gradient_bytes = bytes;
  stages_of(s, &run);
  return s->stage[0].gradients / s->stage[0].parameters;
}

/* Megatron-LM adds gradients up where they are made, DeepSpeed beside its gradients of two bytes. */
START_TEST(gradients_of_two_types)
{
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile deepspeed;
  study s = open_study("llama3-8b", NULL, 0, "dgx-h100");
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "deepspeed-0.15", &deepspeed, &error), PM_OK);
  ck_assert_int_eq(pm_plan_add_framework(s.plan, &deepspeed, &error), 1);
  const double wanted[2][3] = {{4, 2, 4}, {2, 2, 6}};
  for (int i = 0; i < 2; i++)
    for (int bytes = 0; bytes <= 4; bytes += 2)
      ck_near("gradients", gradient_of(&s, i, bytes), wanted[i][bytes / 2], 1e-12);
  close_study(&s);
}
END_TEST

/* Software that waits for hops has its host to wait for as often: p stages, m micro-batches, v chunks. */
START_TEST(hops_wait_for_the_host)
{
  const double host = 1e-3;
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile waits;
  study s = open_study("llama3-8b", NULL, 0, "dgx-h100");
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "megatron-core-0.1", &waits, &error), PM_OK);
  for (int i = 1; i <= 2; i++) {
    waits.framework.hop_time = (i - 1) * host;
    ck_assert_int_eq(pm_plan_add_framework(s.plan, &waits, &error), i);
  }
  for (int v = 1; v <= 4; v *= 2) {
    pm_run run = shared_out(1, 1, 4, 8);
    run.pipeline_schedule = v > 1 ? PM_PIPELINE_SCHEDULE_INTERLEAVED : PM_PIPELINE_SCHEDULE_ONE_F_ONE_B;
    run.virtual_pipeline = v;
    run.framework_index = 1;
    pm_prediction least = predict(&s, &run);
    run.framework_index = 2;
    pm_prediction p = predict(&s, &run);
    double m = p.micro_batches, hops = v > 1 ? 2 * (m * v + 3) - 1 : 2 * (3 + m - 1 - ceil((m - 1) / 4));
    ck_near("hops", p.pipeline_communication_time - least.pipeline_communication_time, hops * host, 1e-9);
    ck_assert(p.step_time >= least.step_time + hops * host * (1 - 1e-9));
  }
  close_study(&s);
}
END_TEST

/* ---- What limits ---- */

START_TEST(bottlenecks)
{
  study s = open_study("gpt3-13b", NULL, 0, "dgx-a100-80gb");
  pm_run run = shared_out(8, 2, 1, 64);
  ck_assert_int_eq(predict(&s, &run).bottleneck, PM_BOTTLENECK_COMPUTE);
  run = shared_out(4, 1, 32, 1); /* one micro-batch for 32 stages */
  ck_assert_int_eq(predict(&s, &run).bottleneck, PM_BOTTLENECK_BUBBLE);
  ck_assert(predict(&s, &run).bubble_share > 0.5);
  run = shared_out(1, 2, 1, 64);
  run.ignore_memory = 0;
  pm_prediction p;
  pm_predict(s.plan, &run, &p, 1);
  ck_assert_int_eq(p.status, PM_STATUS_DOES_NOT_FIT);
  ck_assert_int_eq(p.bottleneck, PM_BOTTLENECK_MEMORY_CAPACITY);
  close_study(&s);
  s = open_study("gpt3-13b", NULL, 0, "dgx1-v100-10gbe");
  run = shared_out(4, 4, 1, 1);
  run.gpus = 1; /* a layer over four nodes on Ethernet */
  run.precision = PM_PRECISION_FP16;
  ck_assert_int_eq(predict(&s, &run).bottleneck, PM_BOTTLENECK_TENSOR_COMMUNICATION);
  run.tensor_parallel = 1;
  run.zero = 3;
  ck_assert_int_eq(predict(&s, &run).bottleneck, PM_BOTTLENECK_DATA_COMMUNICATION);
  close_study(&s);
}
END_TEST

/* Weights that are sharded are gathered two layers at a time: beside its share, a GPU has those of two whole ones. */
START_TEST(two_layers_are_gathered)
{
  study s = open_study("gpt3-13b", NULL, 0, "dgx-a100-80gb");
  pm_run run = shared_out(8, 1, 1, 1);
  stages_of(&s, &run);
  double weights = s.stage[0].weights, layers = 40;
  run.zero = 3;
  stages_of(&s, &run);
  ck_assert_double_gt(s.stage[0].communication, 2 * 0.9 * weights / layers);
  close_study(&s);
}
END_TEST

static double step_time_of(const study *s, pm_run run, int overlap, int chunks)
{
  run.overlap = overlap;
  run.virtual_pipeline = chunks;
  if (chunks > 1) run.pipeline_schedule = PM_PIPELINE_SCHEDULE_INTERLEAVED;
  return predict(s, &run).step_time;
}

/* Gradients hide behind the last backward passes, those of chunks behind more of them, and gathered weights behind the
** first forward passes. What hides less is slower, by no more than the exchanges take. */
START_TEST(exchanges_hide_behind_both_passes)
{
  study s = open_study("gpt3-13b", NULL, 0, "dgx-a100-80gb");
  pm_run run = shared_out(8, 4, 4, 8);
  run.zero = 1;
  for (int chunks = 1; chunks <= 5; chunks += 4) {
    double none = step_time_of(&s, run, PM_OVERLAP_NONE, chunks);
    double backward = step_time_of(&s, run, PM_OVERLAP_BACKWARD, chunks);
    double passes = step_time_of(&s, run, PM_OVERLAP_PASSES, chunks);
    ck_assert_double_lt(backward, none);
    ck_assert_double_lt(passes, backward);
    run.overlap = PM_OVERLAP_NONE;
    ck_assert_double_gt(passes, none - predict(&s, &run).communication_time);
  }
  double hidden = step_time_of(&s, run, PM_OVERLAP_NONE, 1) - step_time_of(&s, run, PM_OVERLAP_BACKWARD, 1);
  double more = step_time_of(&s, run, PM_OVERLAP_NONE, 5) - step_time_of(&s, run, PM_OVERLAP_BACKWARD, 5);
  ck_assert_double_gt(more, hidden);
  close_study(&s);
}
END_TEST

/* ---- What is refused ---- */

START_TEST(refusals)
{
  study s = open_study("gpt3-13b", NULL, 0, "dgx-a100-80gb");
  pm_run run = shared_out(8, 1, 8, 64);
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_prediction_get_stages(s.plan, &run, NULL, 0, &error), 8);
  ck_assert_int_eq(pm_prediction_get_stages(s.plan, &run, NULL, 1, &error), -1);
  ck_assert_str_eq(error.text, "stages need a place");
  s.stage[3].stage = 99;
  ck_assert_int_eq(pm_prediction_get_stages(s.plan, &run, s.stage, 3, &error), 8);
  ck_assert_int_eq(s.stage[3].stage, 99); /* not beyond the capacity */
  ck_assert_int_eq(pm_prediction_get_stages(NULL, &run, s.stage, 3, &error), -1);
  run.tensor_parallel = 3;
  error = (pm_error)PM_ERROR_NONE;
  ck_assert_int_eq(pm_prediction_get_stages(s.plan, &run, s.stage, 3, &error), -1);
  ck_assert(strstr(error.text, "3 x 1 x 8 = 24") != NULL);
  run.tensor_parallel = 1;
  run.batch = 1 << 20;
  error = (pm_error)PM_ERROR_NONE;
  ck_assert_ptr_null(pm_prediction_format_trace(s.plan, &run, &error));
  ck_assert_str_eq(error.text, "16777216 passes over micro-batches are too many for a timeline; the maximum is "
                               "1000000");
  close_study(&s);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("stages");
  TCase *tests = tcase_create("stages");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, stages_are_the_prediction);
  tcase_add_test(tests, a_gpu_alone_is_one_stage);
  tcase_add_loop_test(tests, published_plans, 0, (int)(sizeof plans / sizeof plans[0]));
  tcase_add_test(tests, experts_have_their_own_shards);
  tcase_add_test(tests, stages_are_uneven);
  tcase_add_test(tests, operations_are_kept);
  tcase_add_test(tests, transforms_save_again);
  tcase_add_test(tests, gradients_of_two_types);
  tcase_add_test(tests, hops_wait_for_the_host);
  tcase_add_test(tests, bottlenecks);
  tcase_add_test(tests, two_layers_are_gathered);
  tcase_add_test(tests, exchanges_hide_behind_both_passes);
  tcase_add_test(tests, refusals);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
