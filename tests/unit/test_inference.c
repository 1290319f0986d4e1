/* Inference: laws that hold whatever the constants are, fusion on a network counted by hand, and published
** latencies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fixtures.h"
#include "kernel/device.h"
#include "lowering/forward.h"
#include "plan/plan.h"
#include "shipped.h"

static const char *const all_profiles[] = {"tensorrt@cudnn7.3", "pytorch", "mxnet-ngc"};
static const char *const all_networks[] = {"resnet50", "mobilenet-v2", "densenet121", "inception-v3", "bert-base"};

typedef struct bench {
  pm_network *network;
  pm_system *system;
  pm_plan *plan;
} bench;

static pm_inference_profile profile_of(const char *name)
{
  pm_inference_profile profile;
  ck_assert_int_eq(pm_catalog_get_inference(catalog, name, &profile, NULL), PM_OK);
  return profile;
}

/* With three profiles, one whose passes alone are fused, and a memory profile. */
static bench open_bench(const char *network, const char *gpu_name)
{
  pm_error error = PM_ERROR_NONE;
  pm_memory_profile memory;
  pm_inference_profile profiles[4];
  bench b;
  b.network = build_network(network);
  b.system = pm_catalog_new_system(catalog, gpu_name, &error);
  ck_assert_msg(b.system != NULL, "%s", error.text);
  for (int i = 0; i < 3; i++) profiles[i] = profile_of(all_profiles[i]);
  profiles[3] = profiles[0];
  profiles[3].fusion = PM_FUSION_PASSES;
  record("memory_profile", "pytorch", &memory);
  const pm_network *networks = b.network;
  const pm_system *systems = b.system;
  b.plan = pm_plan_new(&networks, 1, &systems, 1, &error);
  for (int i = 0; i < 4; i++) pm_plan_add_inference_profile(b.plan, &profiles[i], &memory, &error);
  ck_assert_msg(error.status == PM_OK, "%s", error.text);
  return b;
}

static void close_bench(bench *b)
{
  pm_plan_free(b->plan);
  pm_system_free(b->system);
  pm_network_free(b->network);
}

static pm_inference_run run_of(double batch, int precision, int profile)
{
  pm_inference_run run = pm_inference_run_make();
  run.batch = batch;
  run.precision = precision;
  run.profile_index = profile;
  return run;
}

static pm_inference answer(const bench *b, pm_inference_run run)
{
  pm_inference p;
  ck_assert_int_eq(pm_infer(b->plan, &run, &p, 1), PM_OK);
  return p;
}

/* Throughput x latency is the batch on every replica; the parts of the GPU's time add up; nothing is free. */
START_TEST(numbers_agree)
{
  for (size_t n = 0; n < sizeof all_networks / sizeof all_networks[0]; n++) {
    bench b = open_bench(all_networks[n], "t4");
    for (int i = 0; i < 18; i++) {
      pm_inference_run run = run_of(1 << i % 6, i % 2 ? PM_PRECISION_FP16 : PM_PRECISION_INT8, i % 3);
      run.nodes = 1 + i % 4;
      pm_inference p = answer(&b, run);
      ck_assert_int_eq(p.status, PM_OK);
      ck_assert_double_eq_tol(p.throughput * p.latency / (run.batch * run.nodes), 1, 1e-12);
      ck_assert_double_eq_tol((p.product_time + p.pass_time + p.conversion_time) / p.gpu_time, 1, 1e-12);
      ck_assert_double_ge(p.latency, p.gpu_time + p.step_time);
      ck_assert_double_ge(p.latency, p.launch_time + p.step_time);
      ck_assert_double_gt(p.mfu, 0);
      ck_assert_double_lt(p.mfu, 1);
    }
    close_bench(&b);
  }
}
END_TEST

/* Folding layers together never takes longer, nor more kernels. */
START_TEST(fusion_helps)
{
  for (size_t n = 0; n < sizeof all_networks / sizeof all_networks[0]; n++) {
    pm_error error = PM_ERROR_NONE;
    pm_network *network = build_network(all_networks[n]);
    pm_system *system = pm_catalog_new_system(catalog, "v100", &error);
    pm_inference_profile profiles[PM_FUSION_COUNT];
    pm_inference last = {0};
    for (int fusion = 0; fusion < PM_FUSION_COUNT; fusion++) {
      profiles[fusion] = profile_of("tensorrt");
      profiles[fusion].fusion = fusion;
    }
    const pm_network *networks = network;
    const pm_system *systems = system;
    pm_plan *plan = pm_plan_new(&networks, 1, &systems, 1, &error);
    for (int fusion = 0; fusion < PM_FUSION_COUNT; fusion++)
      pm_plan_add_inference_profile(plan, &profiles[fusion], NULL, &error);
    for (int fusion = 0; fusion < PM_FUSION_COUNT; fusion++) {
      pm_inference_run run = run_of(16, PM_PRECISION_FP32, fusion);
      pm_inference p;
      pm_infer(plan, &run, &p, 1);
      ck_assert_int_eq(p.status, PM_OK);
      if (fusion > 0) ck_assert_double_le(p.gpu_time, last.gpu_time);
      if (fusion > 0) ck_assert_double_le(p.kernels, last.kernels);
      last = p;
    }
    pm_plan_free(plan);
    pm_system_free(system);
    pm_network_free(network);
  }
}
END_TEST

/* Launches of a forward pass, and what they read besides. */
static double kernels_of(const bench *b, int fusion, double *extra)
{
  double kernels = 0;
  pm__launch_list list = {NULL, 0, 0};
  if (fusion == PM_FUSION_NONE) ck_assert_int_eq(pm__forward_layers(&list, b->network, PM__UNFUSED), PM_OK);
  else ck_assert_int_eq(pm__forward_fused(&list, b->network, fusion), PM_OK);
  *extra = 0;
  for (size_t i = 0; i < list.count; i++) {
    kernels += list.launch[i].launches;
    *extra += list.launch[i].extra;
  }
  free(list.launch);
  return kernels;
}

/* ResNet-50: 53 convolutions, one linear layer, max pool, average pool, softmax. Unfused, 53 batch norms, 49 ReLUs, 16
** sums and a bias besides; fused, nothing but the second operands of the 16 sums. */
START_TEST(resnet50_is_counted_by_hand)
{
  double extra;
  bench b = open_bench("resnet50", "v100");
  ck_assert_double_eq(kernels_of(&b, PM_FUSION_NONE, &extra), 57 + 53 + 49 + 16 + 1);
  ck_assert_double_eq(extra, 0);
  ck_assert_double_eq(kernels_of(&b, PM_FUSION_GRAPH, &extra), 57);
  double sums = 3 * 256 * 56 * 56 + 4 * 512 * 28 * 28 + 6 * 1024 * 14 * 14 + 3 * 2048 * 7 * 7;
  ck_assert_double_eq(extra, sums);
  kernels_of(&b, PM_FUSION_PASSES, &extra);
  ck_assert_double_eq(extra, sums);
  close_bench(&b);
}
END_TEST

/* ConvNeXt V2: in each of 18 blocks a compiler of passes computes GELU in the norm of its channels' lengths and in what
** scales by them, which reads its input twice and is counted once; layer by layer GELU is one kernel more. */
START_TEST(functions_are_computed_where_they_are_wanted)
{
  double extra, extra_alone;
  bench b = open_bench("convnextv2-tiny", "v100"), alone = open_bench("convnext-tiny", "v100");
  double kernels = kernels_of(&b, PM_FUSION_PASSES, &extra);
  ck_assert_double_eq(kernels - kernels_of(&alone, PM_FUSION_PASSES, &extra_alone), 18 * 2);
  ck_assert_double_eq(extra, 0);
  ck_assert_double_gt(extra_alone, 0); /* of sums that are folded into the scales of blocks */
  close_bench(&b);
  close_bench(&alone);
}
END_TEST

/* DenseNet's sums are joins: an engine has nothing to copy, and batch norms before convolutions remain. */
START_TEST(a_norm_before_a_convolution_stays)
{
  double extra;
  bench b = open_bench("densenet121", "v100");
  double all = kernels_of(&b, PM_FUSION_NONE, &extra), fused = kernels_of(&b, PM_FUSION_GRAPH, &extra);
  ck_assert_double_lt(fused, all);
  ck_assert_double_gt(fused, 120 + 4 + 58); /* convolutions and linear, pools, and a norm before each layer */
  close_bench(&b);
}
END_TEST

/* A longer limit never finds a smaller batch, the batch found is within it, and the next ones are not. */
START_TEST(batch_within_a_latency)
{
  static const char *const gpus[] = {"t4", "v100", "p100-sxm2", "a100-sxm4-40gb"};
  for (int g = 0; g < 4; g++) {
    bench b = open_bench("resnet50", gpus[g]);
    double last = 0;
    for (double limit = 2e-3; limit < 0.2; limit *= 1.07) {
      pm_error error = PM_ERROR_NONE;
      pm_inference p;
      pm_inference_run run = run_of(1, PM_PRECISION_FP16, g % 3);
      int status = pm_inference_find_batch(b.plan, &run, limit, &p, &error);
      if (status == PM_STATUS_UNREACHABLE) {
        ck_assert_double_gt(answer(&b, run_of(1, PM_PRECISION_FP16, g % 3)).latency, limit);
        ck_assert_double_eq(last, 0);
        continue;
      }
      ck_assert_int_eq(status, PM_OK);
      ck_assert_double_le(p.latency, limit);
      ck_assert_double_ge(run.batch, last);
      for (double more = run.batch + 1; more <= 1024 && more < run.batch + 20; more++)
        ck_assert_double_gt(answer(&b, run_of(more, PM_PRECISION_FP16, g % 3)).latency, limit);
      last = run.batch;
    }
    ck_assert_double_gt(last, 1);
    close_bench(&b);
  }
}
END_TEST

/* Where the memory is known, it limits the batch. */
START_TEST(memory_limits_the_batch)
{
  pm_inference p;
  bench b = open_bench("resnet50", "t4");
  pm_inference_run run = run_of(1, PM_PRECISION_FP32, 0);
  run.usable_memory = 1e9;
  ck_assert_int_eq(pm_inference_find_batch(b.plan, &run, 10, &p, NULL), PM_OK);
  ck_assert_double_le(p.memory, 1e9);
  ck_assert_double_eq(run.batch, p.largest_batch);
  close_bench(&b);
}
END_TEST

/* Part by part it is the memory of the prediction, also of a call that does not fit. */
START_TEST(memory_adds_up)
{
  pm_memory_use use;
  pm_error error = PM_ERROR_NONE;
  bench b = open_bench("resnet50", "t4");
  pm_inference_run run = run_of(64, PM_PRECISION_FP16, 1);
  pm_inference p = answer(&b, run);
  ck_assert_int_eq(pm_inference_get_memory(b.plan, &run, &use, &error), PM_OK);
  ck_assert(use.total == p.memory && use.usable == p.gpu_memory && use.verdict == p.verdict &&
            use.largest_batch == p.largest_batch);
  run.usable_memory = 1e8;
  ck_assert_int_eq(answer(&b, run).status, PM_STATUS_DOES_NOT_FIT);
  ck_assert_int_eq(pm_inference_get_memory(b.plan, &run, &use, &error), PM_OK);
  ck_assert(use.total == p.memory && use.verdict == PM_VERDICT_DOES_NOT_FIT);
  run.batch = 0;
  ck_assert_int_eq(pm_inference_get_memory(b.plan, &run, &use, &error), PM_STATUS_BAD_ARGUMENT);
  close_bench(&b);
}
END_TEST

/* What is wrong with a run is said, and does not stop the others. */
START_TEST(errors)
{
  pm_inference p[8];
  bench b = open_bench("resnet50", "p100-sxm2");
  pm_inference_run runs[8];
  for (int i = 0; i < 8; i++) runs[i] = run_of(1, PM_PRECISION_FP32, 0);
  runs[1].precision = PM_PRECISION_INT8; /* the P100 multiplies no bytes */
  runs[2].batch = 0.5;
  runs[3].gpus = 2;
  runs[4].network_index = 1;
  runs[5].profile_index = -1;
  runs[6].precision = 99;
  const int expected[] = {PM_OK, PM_STATUS_NO_PRECISION, PM_STATUS_BAD_ARGUMENT, PM_STATUS_TOO_MANY_GPUS,
                          PM_STATUS_BAD_ARGUMENT,
                          PM_STATUS_BAD_ARGUMENT, PM_STATUS_BAD_ARGUMENT, PM_OK};
  ck_assert_int_eq(pm_infer(b.plan, runs, p, 8), PM_OK);
  for (int i = 0; i < 8; i++) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_int_eq(p[i].status, expected[i]);
    ck_assert_int_eq(pm_inference_check(b.plan, &runs[i], &error), expected[i]);
    ck_assert(isnan(p[i].latency) == (expected[i] != PM_OK));
    ck_assert_int_eq(pm_inference_find_batch(b.plan, &runs[i], -1, &p[i], NULL), PM_STATUS_BAD_ARGUMENT);
  }
  ck_assert_int_eq(pm_infer(NULL, runs, p, 1), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_plan_add_inference_profile(NULL, NULL, NULL, NULL), -1);
  close_bench(&b);
}
END_TEST

/* The spread of any rate, and of each class of work in proportion to its share, add in squares. */
static double spread_of(const pm_inference_profile *p, const pm_inference *call)
{
  double gpu = call->gpu_time, host = call->latency - gpu, pass = call->pass_time + call->conversion_time;
  double parts[] = {p->spread_convolution * call->convolution_time, p->spread_passes * pass, p->spread_host * host,
                    p->spread_product * (call->product_time - call->convolution_time)};
  double sum = p->spread * p->spread;
  for (int i = 0; i < 4; i++) sum += pow(parts[i] / call->latency, 2);
  return sqrt(sum);
}

/* The interval lies around the rate, as wide as the spreads say, wider where kernels are only bounded. */
START_TEST(intervals_hold_the_rate)
{
  pm_inference_profile profile = profile_of(all_profiles[2]);
  bench b = open_bench("resnet50", "v100-sxm2-16gb");
  pm_inference_run run = run_of(8, PM_PRECISION_FP32, 2);
  pm_inference fitted = answer(&b, run);
  ck_assert_double_eq_tol(fitted.throughput_p90 / fitted.throughput, exp(1.28155 * spread_of(&profile, &fitted)), 1e-5);
  ck_assert_double_eq_tol(fitted.throughput_p10 * fitted.throughput_p90 / (fitted.throughput * fitted.throughput), 1,
                          1e-12);
  run.kernel_model = PM_KERNEL_MODEL_ROOFLINE;
  pm_inference bound = answer(&b, run);
  ck_assert_double_gt(bound.throughput_p90 / bound.throughput, fitted.throughput_p90 / fitted.throughput);
  ck_assert_int_eq(fitted.calibration, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_int_eq(bound.calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  close_bench(&b);
}
END_TEST

/* Volta's tensor cores multiply FP16 only: INT8 runs on the other cores, four to a lane, without Winograd. */
START_TEST(int8_runs_where_it_can)
{
  pm_gpu volta = gpu("v100-sxm2-16gb"), turing = gpu("t4");
  pm_kernel_calibration constants;
  pm__device d;
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &volta, &constants, NULL), PM_OK);
  pm__device_init(&d, &volta, &constants, PM_PRECISION_INT8);
  ck_assert(d.usable && d.calibrated && !d.gemm.tensor);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &turing, &constants, NULL), PM_OK);
  pm__device_init(&d, &turing, &constants, PM_PRECISION_INT8);
  ck_assert(d.usable && d.calibrated && d.gemm.tensor);
}
END_TEST

/* Boxes are chosen image by image and class by class: 25 operations on each of five maps, nine on each of 90
** classes. */
START_TEST(detectors_wait_at_every_image)
{
  bench b = open_bench("maskrcnn-resnet50-fpn", "v100");
  pm_inference one = answer(&b, run_of(1, PM_PRECISION_FP32, 1)), two = answer(&b, run_of(2, PM_PRECISION_FP32, 1));
  double launch = profile_of("pytorch").launch;
  ck_assert_double_eq_tol((two.step_time - one.step_time) / launch, 125 + 9 * 90, 1e-6);
  ck_assert_double_eq_tol((two.latency - two.step_time) / hypot(two.gpu_time, two.launch_time), 1, 1e-9);
  close_bench(&b);
}
END_TEST

/* Multiplications, and all else that counts clocks of the SM, follow the clock that a board holds; memory does not. */
START_TEST(boards_hold_a_clock_above_the_data_sheet)
{
  pm_gpu board = gpu("rtx-4090"), stated = board;
  stated.held_clock = NAN;
  pm_kernel_calibration constants;
  pm__device held, sheet;
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &board, &constants, NULL), PM_OK);
  pm__device_init(&held, &board, &constants, PM_PRECISION_FP16);
  pm__device_init(&sheet, &stated, &constants, PM_PRECISION_FP16);
  double faster = board.held_clock / board.clock;
  ck_assert_double_gt(faster, 1.05);
  ck_assert_double_eq_tol(sheet.gemm.multiply_add / held.gemm.multiply_add / faster, 1, 1e-12);
  ck_assert_double_eq_tol(sheet.conv.multiply_add / held.conv.multiply_add / faster, 1, 1e-12);
  ck_assert_double_eq_tol(sheet.depthwise / held.depthwise / faster, 1, 1e-12);
  ck_assert_double_eq(sheet.per_byte, held.per_byte);
  ck_assert_double_eq(sheet.power_rate, held.power_rate);
}
END_TEST

/* Of a network on a T4 in FP16, by a profile that may be changed. */
static pm_inference t4_call(const char *network, pm_inference_profile profile)
{
  pm_error error = PM_ERROR_NONE;
  bench b = open_bench(network, "t4");
  int place = pm_plan_add_inference_profile(b.plan, &profile, NULL, &error);
  ck_assert_msg(place >= 0, "%s", error.text);
  pm_inference_run run = run_of(32, PM_PRECISION_FP16, place);
  run.ignore_memory = 1;
  pm_inference call = answer(&b, run);
  close_bench(&b);
  return call;
}

static double t4_latency(const char *network, pm_inference_profile profile)
{
  return t4_call(network, profile).latency;
}

START_TEST(groups_without_kernels_run_as_channels_alone)
{
  pm_inference_profile with = profile_of("tf1-nhwc@cudnn8"), without = with;
  without.single_channels = 1;
  ck_assert_double_gt(t4_latency("resnext50-32x4d", without), 1.5 * t4_latency("resnext50-32x4d", with));
  ck_assert_double_eq(t4_latency("resnet50", without), t4_latency("resnet50", with));
  ck_assert_double_eq(t4_latency("mobilenet-v2", without), t4_latency("mobilenet-v2", with));
  ck_assert_int_eq(profile_of("tf1-nhwc@cudnn8.0-turing").single_channels, 1);
}
END_TEST

START_TEST(groups_in_streams_take_the_host_longer)
{
  pm_inference_profile with = profile_of("tf1-xla@cudnn8"), without = with;
  ck_assert_int_eq(with.group_launch > 0, 1);
  without.group_launch = 0;
  ck_assert_double_gt(t4_latency("resnext101-32x4d", with), 1.005 * t4_latency("resnext101-32x4d", without));
  ck_assert_double_eq(t4_latency("resnet50", with), t4_latency("resnet50", without));
  ck_assert_double_eq(t4_latency("mobilenet-v2", with), t4_latency("mobilenet-v2", without));
  ck_assert_int_eq(profile_of("tf1-xla@cudnn7.3").group_launch > 0, 0);
  ck_assert_int_eq(profile_of("tf1-nhwc@cudnn8").group_launch > 0, 0);
}
END_TEST

/* Where the library has no kernels of groups in TF32, it still has those of FP16. */
START_TEST(groups_in_tf32_run_one_by_one)
{
  bench b = open_bench("resnext101-32x4d", "dgx-a100");
  pm_error error = PM_ERROR_NONE;
  pm_inference_profile without = profile_of("tf1-nhwc@cudnn8.0"), with = without;
  with.no_grouped_tf32 = 0;
  ck_assert_int_eq(without.no_grouped_tf32, 1);
  ck_assert_int_eq(profile_of("tf1-nhwc@cudnn8").no_grouped_tf32, 0);
  int few = pm_plan_add_inference_profile(b.plan, &without, NULL, &error);
  int all = pm_plan_add_inference_profile(b.plan, &with, NULL, &error);
  ck_assert_msg(few >= 0 && all >= 0, "%s", error.text);
  pm_inference_run run = run_of(32, PM_PRECISION_TF32, few), other = run_of(32, PM_PRECISION_TF32, all);
  ck_assert_double_gt(answer(&b, run).latency, 1.05 * answer(&b, other).latency);
  run.precision = other.precision = PM_PRECISION_FP16;
  ck_assert_double_eq(answer(&b, run).latency, answer(&b, other).latency);
  close_bench(&b);
}
END_TEST

/* What one core of the host compares grows with the images, and with nothing else. */
START_TEST(one_core_compares_boxes_of_every_image)
{
  pm_inference_profile threads = profile_of("tf1-nhwc@cudnn7.3"), core = profile_of("tf1-nhwc-2019@cudnn7.3");
  ck_assert_double_eq(core.comparison, 3e-9);
  double pairs = 90 * 499500.0, slower = t4_latency("maskrcnn-resnet50-fpn", core) -
                                         t4_latency("maskrcnn-resnet50-fpn", threads);
  ck_assert_double_gt(slower, 0.5 * 32 * pairs * 3e-9);
  ck_assert_double_lt(slower, 2 * 32 * pairs * 3e-9);
  ck_assert_double_eq(t4_latency("resnet50", core), t4_latency("resnet50", threads));
}
END_TEST

/* The host asks for calls that cuDNN has no part in by their own time: all of a network of tables and products. */
START_TEST(calls_without_cudnn_take_a_share)
{
  pm_inference_profile half = profile_of("pt-nchw"), whole = half, unsaid = half;
  half.plain_launch = 0.5;
  whole.plain_launch = 1;
  unsaid.plain_launch = NAN;
  double tables = t4_call("ncf", whole).launch_time, images = t4_call("resnet50", whole).launch_time;
  ck_assert_double_eq_tol(t4_call("ncf", half).launch_time / tables, 0.5, 1e-12);
  ck_assert_double_gt(t4_call("resnet50", half).launch_time, 0.75 * images);
  ck_assert_double_lt(t4_call("resnet50", half).launch_time, 0.95 * images);
  ck_assert_double_eq(t4_call("resnet50", unsaid).launch_time, images);
  double waited = t4_call("maskrcnn-resnet50-fpn", whole).step_time - whole.step_time;
  ck_assert_double_eq_tol((t4_call("maskrcnn-resnet50-fpn", half).step_time - half.step_time) / waited, 0.5, 1e-9);
  half.plain_launch = -1;
  pm_error error = PM_ERROR_NONE;
  bench b = open_bench("ncf", "t4");
  ck_assert_int_lt(pm_plan_add_inference_profile(b.plan, &half, NULL, &error), 0);
  ck_assert_ptr_nonnull(strstr(error.text, "plain_launch -1 is out of range"));
  close_bench(&b);
}
END_TEST

/* 32 images of 3 x 224 x 224 numbers in FP32, before the call; without a bandwidth they are on the GPU. */
START_TEST(inputs_are_copied_before_a_call)
{
  pm_inference_profile copies = profile_of("tf1-nchw@cudnn7.3"), there = copies;
  copies.host_copy_bandwidth = 1e9;
  there.host_copy_bandwidth = NAN;
  double longer = t4_latency("resnet50", copies) - t4_latency("resnet50", there);
  ck_assert_double_eq_tol(longer / (32 * 3 * 224 * 224 * 4 / 1e9), 1, 1e-9);
  there.host_copy_bandwidth = INFINITY;
  ck_assert_double_eq_tol(t4_latency("resnet50", copies) - t4_latency("resnet50", there), longer, 1e-15);
  ck_assert_double_lt(profile_of("tf1-nhwc@cudnn8").host_copy_bandwidth, 30e9);
}
END_TEST

/* A gradient of single channels takes longer than the pass forward; a step of training takes what it did. */
START_TEST(single_channels_are_faster_forward)
{
  pm_gpu board = gpu("v100-sxm2-16gb");
  pm_kernel_calibration constants;
  pm__device d;
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &board, &constants, NULL), PM_OK);
  ck_assert_double_lt(constants.depthwise_forward, 1);
  pm__device_init(&d, &board, &constants, PM_PRECISION_FP32);
  ck_assert_double_lt(d.depthwise_forward, d.depthwise_gradient);
  ck_assert_double_eq_tol((d.depthwise_forward + 2 * d.depthwise_gradient) / (3 * d.depthwise), 1, 1e-12);
  constants.depthwise_forward = NAN;
  pm__device_init(&d, &board, &constants, PM_PRECISION_FP32);
  ck_assert_double_eq(d.depthwise_forward, d.depthwise_gradient);
}
END_TEST

/* Kernels alone are timed in bursts: in runs the limit of the board acts on the mean. */
START_TEST(runs_that_last_draw_more_than_bursts)
{
  pm_gpu board = gpu("t4");
  pm_kernel_calibration bursts, lasts;
  pm__device of_bursts[PM_PRECISION_COUNT], of_runs[PM_PRECISION_COUNT];
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, &board, &lasts, NULL), PM_OK);
  bursts = lasts;
  bursts.steady_flop_energy = NAN;
  pm__plan_devices(&board, &bursts, NULL, of_bursts);
  pm__plan_devices(&board, &lasts, NULL, of_runs);
  ck_assert_double_gt(lasts.steady_flop_energy, lasts.tensor_flop_energy);
  ck_assert_double_lt(of_runs[PM_PRECISION_FP16].power_rate, of_bursts[PM_PRECISION_FP16].power_rate);
  ck_assert_double_eq(of_runs[PM_PRECISION_FP32].power_rate, of_bursts[PM_PRECISION_FP32].power_rate);
}
END_TEST

/* The Dell guide: ResNet-50 in FP16 within 7 ms, batch 39 on V100 and 10 on P100; INT8 over FP32 2.5 to 3.7. */
START_TEST(published_latencies)
{
  pm_inference p;
  bench v100 = open_bench("resnet50", "v100-pcie"), p100 = open_bench("resnet50", "p100-pcie");
  ck_assert_double_eq_tol(answer(&v100, run_of(39, PM_PRECISION_FP16, 0)).latency / 7e-3, 1, 0.15);
  ck_assert_double_eq_tol(answer(&p100, run_of(10, PM_PRECISION_FP16, 0)).latency / 7e-3, 1, 0.25);
  pm_inference_run run = run_of(1, PM_PRECISION_FP16, 0);
  ck_assert_int_eq(pm_inference_find_batch(v100.plan, &run, 7e-3, &p, NULL), PM_OK);
  for (double batch = 4; batch <= 128; batch *= 2) {
    double ratio = answer(&v100, run_of(batch, PM_PRECISION_FP32, 0)).latency / answer(&v100,
                                                                                       run_of(batch, PM_PRECISION_INT8,
                                                                                              0)).latency;
    ck_assert_double_ge(ratio, 2.5);
    ck_assert_double_le(ratio, 3.8);
  }
  close_bench(&v100);
  close_bench(&p100);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("inference");
  TCase *tests = tcase_create("inference");
  tcase_add_checked_fixture(tests, open_catalog, close_catalog);
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, numbers_agree);
  tcase_add_test(tests, fusion_helps);
  tcase_add_test(tests, resnet50_is_counted_by_hand);
  tcase_add_test(tests, functions_are_computed_where_they_are_wanted);
  tcase_add_test(tests, a_norm_before_a_convolution_stays);
  tcase_add_test(tests, batch_within_a_latency);
  tcase_add_test(tests, memory_limits_the_batch);
  tcase_add_test(tests, memory_adds_up);
  tcase_add_test(tests, errors);
  tcase_add_test(tests, intervals_hold_the_rate);
  tcase_add_test(tests, int8_runs_where_it_can);
  tcase_add_test(tests, detectors_wait_at_every_image);
  tcase_add_test(tests, boards_hold_a_clock_above_the_data_sheet);
  tcase_add_test(tests, groups_without_kernels_run_as_channels_alone);
  tcase_add_test(tests, runs_that_last_draw_more_than_bursts);
  tcase_add_test(tests, one_core_compares_boxes_of_every_image);
  tcase_add_test(tests, calls_without_cudnn_take_a_share);
  tcase_add_test(tests, inputs_are_copied_before_a_call);
  tcase_add_test(tests, single_channels_are_faster_forward);
  tcase_add_test(tests, groups_in_streams_take_the_host_longer);
  tcase_add_test(tests, groups_in_tf32_run_one_by_one);
  tcase_add_test(tests, published_latencies);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
