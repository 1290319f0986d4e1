/*
** The training step with frameworks: laws that hold whatever the constants are, and the formulas of docs/model.md by
** hand on machines of the catalogue.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "shipped.h"

enum { NETWORKS = 4, SYSTEMS = 5 };

static const char *const network_names[NETWORKS] = {"resnet50", "vgg16", "alexnet", "bert-base"};
static const char *const system_names[SYSTEMS] = {"dgx1-v100", "dgx1-p100", "ts4", "ac922", "smc4028gr-v100"};
static pm_network *networks[NETWORKS];
static pm_system *systems[SYSTEMS];
static pm_plan *plan;
static const char *trainers[128]; /* frameworks that train */
static int frameworks;

static pm_framework_profile profile_of(const char *name)
{
  pm_framework_profile profile;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_catalog_get_framework(catalog, name, &profile, &error) == PM_OK, "%s", error.text);
  return profile;
}

static int add_framework(const pm_framework_profile *profile)
{
  pm_error error = PM_ERROR_NONE;
  int number = pm_plan_add_framework(plan, profile, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  return number;
}

static void set_up(void)
{
  pm_error error = PM_ERROR_NONE;
  open_catalog();
  for (int i = 0; i < NETWORKS; i++) networks[i] = pm_catalog_new_network(catalog, network_names[i], NULL, 0, &error);
  for (int i = 0; i < SYSTEMS; i++) systems[i] = pm_catalog_new_system(catalog, system_names[i], &error);
  ck_assert_msg(error.status == PM_OK, "%s", error.text);
  plan = pm_plan_new((const pm_network *const *)networks, NETWORKS, (const pm_system *const *)systems, SYSTEMS, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  frameworks = 0;
  for (size_t i = 0; pm_catalog_get_id(catalog, "frameworks", i) != NULL; i++) {
    pm_framework_profile profile = profile_of(pm_catalog_get_id(catalog, "frameworks", i));
    if (profile.framework.inference_only) continue;
    trainers[frameworks] = pm_catalog_get_id(catalog, "frameworks", i);
    ck_assert_int_eq(add_framework(&profile), frameworks++);
  }
}

static void tear_down(void)
{
  pm_plan_free(plan);
  for (int i = 0; i < SYSTEMS; i++) pm_system_free(systems[i]);
  for (int i = 0; i < NETWORKS; i++) pm_network_free(networks[i]);
  close_catalog();
}

static pm_prediction predict(const pm_run *run)
{
  pm_prediction prediction;
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_run_check(plan, run, &error) == PM_OK, "%s", error.text);
  ck_assert_int_eq(pm_predict(plan, run, &prediction, 1), PM_OK);
  ck_assert_int_eq(prediction.status, PM_OK);
  return prediction;
}

static pm_run run_on(int network, int system, int framework, int gpus)
{
  pm_run run = pm_run_make();
  run.network_index = network;
  run.system_index = system;
  run.framework_index = framework;
  run.gpus = gpus;
  return run;
}

/* Many different runs, some of which cannot be predicted. */
static pm_run some_run(int i)
{
  pm_run run = run_on(i % NETWORKS, i / 3 % SYSTEMS, i % (frameworks + 1) - 1, 1 << i / 5 % 4);
  run.nodes = i % 11 == 0 ? 2 : 1;
  run.batch = 1 + i * 37 % 130;
  run.precision = i % 2 ? PM_PRECISION_FP16 : PM_PRECISION_FP32;
  run.overlap = i / 7 % PM_OVERLAP_COUNT;
  run.parallelism = i / 13 % PM_PARALLELISM_COUNT;
  run.optimizer = i / 17 % PM_OPTIMIZER_COUNT;
  run.gradient_accumulation_steps = 1 + i / 19 % 3;
  run.input_rate = i % 6 == 0 ? 100.0 * (1 + i % 50) : (double)NAN;
  run.no_prefetch = i % 12 == 0;
  return run;
}

static double parts(const pm_prediction *p)
{
  return p->compute_time + p->launch_overhead_time + p->exposed_communication_time + p->straggler_wait_time +
         p->input_wait_time + p->bubble_time + p->offload_time;
}

START_TEST(parts_sum_to_the_whole)
{
  int good = 0;
  for (int i = 0; i < 4000; i++) {
    pm_run run = some_run(i);
    pm_prediction p;
    pm_predict(plan, &run, &p, 1);
    if (p.status != PM_OK) {
      ck_assert(isnan(p.throughput) && isnan(p.step_time) && isnan(p.throughput_p10));
      continue;
    }
    good++;
    ck_assert_double_eq_tol(parts(&p) / p.step_time, 1, 1e-12);
    ck_assert_double_eq_tol(p.compute_share + p.memory_bandwidth_share + p.communication_share +
                            p.launch_overhead_share +
                              p.straggler_wait_share + p.input_wait_share + p.bubble_share + p.offload_share, 1, 1e-9);
    ck_assert_double_eq_tol(p.throughput * p.step_time /
                            (run.batch * p.data_parallel * run.gradient_accumulation_steps), 1, 1e-12);
    ck_assert_msg(p.exposed_communication_time <= p.communication_time * (1 + 1e-12), "run %d", i);
    ck_assert(p.launch_overhead_time >= -1e-12 && p.straggler_wait_time >= 0 && p.input_wait_time >= 0);
    ck_assert(p.gpu_busy <= 1 + 1e-9);
    /* GPUs that share a model also share its update */
    if (run.parallelism < PM_PARALLELISM_TENSOR) ck_assert_double_le(p.scaling_efficiency, 1 + 1e-9);
  }
  ck_assert_int_gt(good, 2000);
}
END_TEST

START_TEST(batch_equals_scalar_bit_for_bit)
{
  enum { RUNS = 3000 };
  pm_run *runs = (pm_run *)calloc(RUNS, sizeof *runs);
  pm_prediction *many = (pm_prediction *)calloc(RUNS, sizeof *many), one;
  for (int i = 0; i < RUNS; i++) runs[i] = some_run(i);
  ck_assert_int_eq(pm_predict(plan, runs, many, RUNS), PM_OK);
  for (int i = 0; i < RUNS; i++) {
    ck_assert_int_eq(pm_predict(plan, &runs[i], &one, 1), PM_OK);
    ck_assert_msg(memcmp(&one, &many[i], sizeof one) == 0, "run %d", i);
  }
  free(runs);
  free(many);
}
END_TEST

#define EACH_MACHINE(f, n, s)                \
  for (int f = 0; f < frameworks; f++)       \
    for (int n = 0; n < NETWORKS; n++)       \
      for (int s = 0; s < SYSTEMS; s++)

START_TEST(overlap_is_never_slower_than_none)
{
  EACH_MACHINE(f, n, s) {
    pm_run run = run_on(n, s, f, 4);
    run.parallelism = PM_PARALLELISM_ALL_REDUCE;
    run.overlap = PM_OVERLAP_NONE;
    double apart = predict(&run).step_time;
    run.overlap = PM_OVERLAP_BACKWARD;
    ck_assert_msg(predict(&run).step_time <= apart * (1 + 1e-12), "%s on %s", network_names[n], system_names[s]);
  }
}
END_TEST

/* Where the bus is slow, it is what makes the difference. */
START_TEST(overlap_hides_what_a_slow_bus_takes)
{
  pm_framework_profile pytorch = profile_of("pt-nchw");
  pm_run run = run_on(0, 2, add_framework(&pytorch), 8);
  run.batch = 64;
  run.overlap = PM_OVERLAP_NONE;
  double apart = predict(&run).scaling_efficiency;
  run.overlap = PM_OVERLAP_BACKWARD;
  ck_assert_double_gt(predict(&run).scaling_efficiency, apart + 0.05);
}
END_TEST

START_TEST(one_gpu_does_not_communicate)
{
  for (int f = -1; f < frameworks; f++)
    for (int parallel = 0; parallel < PM_PARALLELISM_COUNT; parallel++) {
      pm_run run = run_on(0, 0, f, 1);
      run.parallelism = parallel;
      pm_prediction p = predict(&run);
      ck_assert(p.communication_time == 0 && p.exposed_communication_time == 0 && p.straggler_wait_time == 0);
      ck_assert(p.staleness == 0 && p.scaling_efficiency == 1);
      ck_assert(isnan(p.bus_bandwidth));
    }
}
END_TEST

/* ---- Constants ---- */

typedef void change(pm_framework_profile *profile);

static void kernel_time(pm_framework_profile *p) { p->framework.kernel_time += 1e-4; }
static void step_time(pm_framework_profile *p) { p->framework.step_time += 1e-4; }
static void straggler(pm_framework_profile *p) { p->framework.straggler = 0.5; }
static void coordinator(pm_framework_profile *p) { p->framework.coordinator_time = 1; }
static void host_copy(pm_framework_profile *p) { p->framework.host_copy_bandwidth = 1e8; }
static void layout(pm_framework_profile *p) { p->framework.layout_fp32 = 1; }
static void unfuse(pm_framework_profile *p) { p->framework.fused = 0; }
static void factor(pm_framework_profile *p) { p->framework.simt_factor = 3; }
static void gradient(pm_framework_profile *p) { p->framework.gradient = 64; }

/* The step of every framework that this makes slower, before and after. */
static void check_slower(change *apply, int gpus, int nodes)
{
  for (int f = 0; f < frameworks; f++) {
    pm_framework_profile profile = profile_of(trainers[f]), before = profile;
    pm_run run = run_on(0, 0, f, gpus);
    run.nodes = nodes;
    run.parallelism = PM_PARALLELISM_ALL_REDUCE;
    double was = predict(&run).step_time;
    apply(&profile);
    if (memcmp(&profile, &before, sizeof profile) == 0) continue;
    run.framework_index = add_framework(&profile);
    ck_assert_msg(predict(&run).step_time > was, "%s", profile.framework.id);
  }
}

START_TEST(slower_software_makes_slower_steps)
{
  static change *const changes[] = {kernel_time, step_time, straggler, host_copy, layout, factor, gradient};
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) check_slower(changes[i], 8, 1);
  check_slower(coordinator, 8, 2);
  check_slower(unfuse, 1, 1);
}
END_TEST

static pm_prediction on_a100(const pm_framework_profile *profile, int gpus, int precision)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p;
  pm_system *a100 = pm_catalog_new_system(catalog, "dgx-a100", &error);
  ck_assert_msg(a100 != NULL, "%s", error.text);
  const pm_network *net = networks[0];
  const pm_system *system = a100;
  pm_plan *own = pm_plan_new(&net, 1, &system, 1, &error);
  pm_run run = pm_run_make();
  run.gpus = gpus;
  run.precision = precision;
  run.framework_index = pm_plan_add_framework(own, profile, &error);
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  pm_plan_free(own);
  pm_system_free(a100);
  return p;
}

static double gradients_of(const char *name, int precision)
{
  pm_framework_profile profile = profile_of(name);
  return on_a100(&profile, 4, precision).gradient_size;
}

/* Megatron-LM adds up in FP32 what it trains in BF16, and in FP16 what it trains in FP16. */
START_TEST(gradients_travel_as_their_precision_says)
{
  double whole = gradients_of("megatron-v2", PM_PRECISION_FP32);
  ck_assert_double_eq(gradients_of("megatron-v2", PM_PRECISION_BF16), whole);
  ck_assert_double_eq(gradients_of("megatron-v2", PM_PRECISION_TF32), whole);
  ck_assert_double_eq(gradients_of("megatron-v2", PM_PRECISION_FP64), 2 * whole);
  ck_assert_double_eq(gradients_of("megatron-v2", PM_PRECISION_FP16), whole / 2);
  ck_assert_double_eq(gradients_of("megatron-v2", PM_PRECISION_FP16_STORAGE), whole / 2);
  ck_assert_double_eq(gradients_of("tf1-nchw", PM_PRECISION_FP16), whole);
}
END_TEST

/* Seconds of transposes on an A100 with one of the facts about layouts, or none (-1). */
static double layouts_with(int fact, int precision)
{
  pm_framework_profile profile = profile_of("generic");
  pm_framework *f = &profile.framework;
  int32_t *const facts[] = {&f->layout_fp16, &f->layout_tf32, &f->layout_fp32};
  if (fact >= 0) *facts[fact] = 1;
  return on_a100(&profile, 1, precision).layout_time;
}

/* Tensor cores with FP16 and TF32, and other cores: each has a fact of its own. */
START_TEST(a_layout_is_of_its_precision)
{
  static const int precisions[] = {PM_PRECISION_FP16, PM_PRECISION_TF32, PM_PRECISION_FP32};
  for (int fact = -1; fact < 3; fact++)
    for (int i = 0; i < 3; i++)
      ck_assert_msg((layouts_with(fact, precisions[i]) > 0) == (fact == i), "fact %d, precision %d", fact, i);
}
END_TEST

static double alone_on(const pm_gpu *gpu, int framework)
{
  pm_machine machine;
  pm_kernel_calibration kernels;
  pm_prediction p;
  pm_error error = PM_ERROR_NONE;
  pm_framework_profile profile = profile_of(trainers[framework]);
  pm_record_clear(pm_record_type_find("machine"), &machine);
  strcpy(machine.id, "box");
  machine.gpus = 1;
  pm_system *system = pm_system_new(&machine, gpu, &error);
  ck_assert_int_eq(pm_system_add_vertex(system, "gpu0", PM_VERTEX_GPU, &error), PM_OK);
  ck_assert_int_eq(pm_catalog_get_kernels(catalog, gpu, &kernels, &error), PM_OK);
  ck_assert_int_eq(pm_system_set_kernels(system, &kernels, &error), PM_OK);
  const pm_network *net = networks[0];
  const pm_system *box = system;
  pm_plan *own = pm_plan_new(&net, 1, &box, 1, &error);
  pm_run run = pm_run_make();
  run.framework_index = pm_plan_add_framework(own, &profile, &error);
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  ck_assert_int_eq(p.status, PM_OK);
  pm_plan_free(own);
  pm_system_free(system);
  return p.step_time;
}

/* Seconds of kernels with libraries that lack what these say, all else equal. */
static double kernels_with(int network, int precision, int no_winograd, int no_weight_winograd, int padded)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  profile.cudnn.no_winograd = no_winograd;
  profile.cudnn.no_weight_winograd = no_weight_winograd;
  profile.cudnn.odd_channels_padded = padded;
  pm_run run = run_on(network, 0, add_framework(&profile), 1);
  run.precision = precision;
  return predict(&run).compute_time;
}

START_TEST(older_libraries_lack_algorithms)
{
  enum { RESNET, VGG };
  double latest = kernels_with(VGG, PM_PRECISION_FP32, 0, 0, 1), weights = kernels_with(VGG, PM_PRECISION_FP32, 0, 1,
                                                                                        1);
  double none = kernels_with(VGG, PM_PRECISION_FP32, 1, 0, 1);
  ck_assert(latest < weights && weights < none);
  ck_assert_double_eq(none, kernels_with(VGG, PM_PRECISION_FP32, 1, 1, 0)); /* without transforms, none of weights */
  ck_assert_double_eq(kernels_with(RESNET, PM_PRECISION_FP16, 1, 1, 1),
                      kernels_with(RESNET, PM_PRECISION_FP16, 0, 0, 1));
  /* 3 channels: padded, or on the FP32 cores, whichever is faster */
  ck_assert(kernels_with(RESNET, PM_PRECISION_FP16, 0, 0, 1) <= kernels_with(RESNET, PM_PRECISION_FP16, 0, 0, 0));
  ck_assert_double_eq(kernels_with(RESNET, PM_PRECISION_FP32, 0, 0, 1),
                      kernels_with(RESNET, PM_PRECISION_FP32, 0, 0, 0));
}
END_TEST

/* Seconds of a step, with or without the slow gradients of groups. */
static double grouped_step(const char *id, const char *framework_id, int precision, int slow)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p;
  pm_network *grouped = pm_catalog_new_network(catalog, id, NULL, 0, &error);
  ck_assert_msg(grouped != NULL, "%s", error.text);
  pm_plan *own = pm_plan_new((const pm_network *const *)&grouped, 1, (const pm_system *const *)systems, 1, &error);
  pm_framework_profile profile = profile_of(framework_id);
  ck_assert(profile.cudnn.group_gradient > 0);
  if (!slow) profile.cudnn.group_gradient = NAN;
  pm_run run = run_on(0, 0, pm_plan_add_framework(own, &profile, &error), 1);
  run.precision = precision;
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  pm_plan_free(own);
  pm_network_free(grouped);
  return p.compute_time;
}

/* One GPU of a system, whatever it needs of memory. */
static pm_prediction step_of(const char *id, const char *system_id, pm_framework_profile profile, int precision)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p;
  pm_network *network = pm_catalog_new_network(catalog, id, NULL, 0, &error);
  pm_system *system = pm_catalog_new_system(catalog, system_id, &error);
  ck_assert_msg(network != NULL && system != NULL, "%s", error.text);
  pm_plan *own = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, &error);
  pm_run run = run_on(0, 0, pm_plan_add_framework(own, &profile, &error), 1);
  run.precision = precision;
  run.ignore_memory = 1;
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  pm_plan_free(own);
  pm_system_free(system);
  pm_network_free(network);
  return p;
}

START_TEST(libraries_without_dilated_kernels_leave_the_tensor_cores)
{
  const struct {
    const char *network;
    int precision, dilated;
  } cases[] = {{"waveglow-512", PM_PRECISION_FP16, 1},
               {"waveglow-512", PM_PRECISION_FP32, 0}, /* never was on tensor cores */
               {"resnet50", PM_PRECISION_FP16, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pm_framework_profile with = profile_of("pt-nchw"), without = with;
    with.cudnn.no_dilated = 0;
    without.cudnn.no_dilated = 1;
    double fast = step_of(cases[i].network, "dgx1-v100", with, cases[i].precision).compute_time;
    double slow = step_of(cases[i].network, "dgx1-v100", without, cases[i].precision).compute_time;
    if (cases[i].dilated) ck_assert_msg(slow > 1.5 * fast, "%s: %g", cases[i].network, slow / fast);
    else ck_assert_double_eq(slow, fast);
  }
}
END_TEST

START_TEST(groups_side_by_side_lack_gradients_of_most_widths)
{
  const struct {
    const char *network, *framework;
    int precision;
    double least;
  } cases[] = {{"regnetx-016", "pytorch-1.10-nhwc", PM_PRECISION_FP16, 1.5},   /* 24 channels a group */
               {"regnetx-016", "pytorch-1.10", PM_PRECISION_FP16, 1},
               {"regnetx-016", "pytorch-1.10-nhwc", PM_PRECISION_FP32, 1},
               {"resnext50-32x4d", "pytorch-1.10-nhwc", PM_PRECISION_FP16, 1}, /* 4, 8, 16 and 32 */
               {"mobilenet-v2", "pytorch-1.10-nhwc", PM_PRECISION_FP16, 1}};   /* one */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double slow = grouped_step(cases[i].network, cases[i].framework, cases[i].precision, 1);
    double fast = grouped_step(cases[i].network, cases[i].framework, cases[i].precision, 0);
    if (cases[i].least > 1) ck_assert_msg(slow > cases[i].least * fast, "%s: %g", cases[i].network, slow / fast);
    else ck_assert_double_eq(slow, fast);
  }
}
END_TEST

START_TEST(groups_run_one_by_one_without_kernels_for_them)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *grouped = pm_catalog_new_network(catalog, "resnext50-32x4d", NULL, 0, &error);
  ck_assert_msg(grouped != NULL, "%s", error.text);
  pm_plan *own = pm_plan_new((const pm_network *const *)&grouped, 1, (const pm_system *const *)systems, 1, &error);
  double time[2][2];
  for (int kernels = 0; kernels < 2; kernels++) {
    pm_framework_profile profile = profile_of("pt-nchw");
    profile.cudnn.grouped_kernels = kernels;
    int framework = pm_plan_add_framework(own, &profile, &error);
    for (int fp16 = 0; fp16 < 2; fp16++) {
      pm_run run = run_on(0, 0, framework, 1);
      pm_prediction p;
      run.precision = fp16 ? PM_PRECISION_FP16 : PM_PRECISION_FP32;
      ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
      time[kernels][fp16] = p.compute_time;
    }
  }
  ck_assert(time[1][1] < 0.95 * time[0][1]);
  ck_assert_double_eq(time[1][0], time[0][0]); /* none on FP32 cores */
  pm_plan_free(own);
  pm_network_free(grouped);
}
END_TEST

/* Of one network on one GPU, which are released. */
static pm_prediction predict_alone(pm_network *network, pm_system *system, const pm_framework_profile *profile,
                                   int precision,
                                   double batch)
{
  pm_error error = PM_ERROR_NONE;
  pm_prediction p;
  ck_assert(network != NULL && system != NULL);
  pm_plan *own = pm_plan_new((const pm_network *const *)&network, 1, (const pm_system *const *)&system, 1, &error);
  pm_run run = run_on(0, 0, pm_plan_add_framework(own, profile, &error), 1);
  run.precision = precision;
  run.batch = batch;
  ck_assert_int_eq(pm_predict(own, &run, &p, 1), PM_OK);
  ck_assert_int_eq(p.status, PM_OK);
  pm_plan_free(own);
  pm_system_free(system);
  pm_network_free(network);
  return p;
}

/* Seconds of kernels of BERT with so many words, where libraries want sides of 16 bytes, and where software pads. */
static double of_words_on(const char *gpus, const char *words, int precision, int aligned, int pads)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute vocabulary = {"vocabulary", words};
  pm_framework_profile profile = profile_of("pt-nchw");
  profile.cudnn.aligned_products = aligned;
  profile.framework.pads_products = pads;
  return predict_alone(pm_catalog_new_network(catalog, "bert-base-pretraining", &vocabulary, 1, &error),
                       pm_catalog_new_system(catalog, gpus, &error), &profile, precision, 16).compute_time;
}

static double of_words(const char *words, int precision, int aligned, int pads)
{
  return of_words_on("dgx1-v100", words, precision, aligned, pads);
}

START_TEST(wide_tensor_cores_wait_for_what_is_not_aligned)
{
  double odd = of_words_on("dgx-a100", "30523", PM_PRECISION_FP16, 0, 0);
  double even = of_words_on("dgx-a100", "30528", PM_PRECISION_FP16, 0, 0);
  ck_assert_double_gt(odd, 1.005 * even);
  ck_assert_double_lt(of_words_on("dgx-a100", "30523", PM_PRECISION_FP16, 0, 1), 1.001 * even);
  double wider = of_words_on("dgx-h100", "30523", PM_PRECISION_FP16, 0, 0);
  ck_assert_double_gt(wider / of_words_on("dgx-h100", "30528", PM_PRECISION_FP16, 0, 0), odd / even);
}
END_TEST

START_TEST(old_tensor_cores_want_aligned_products)
{
  double odd = of_words("30523", PM_PRECISION_FP16, 1, 0), even = of_words("30528", PM_PRECISION_FP16, 1, 0);
  ck_assert_double_gt(odd, 1.03 * even);
  ck_assert_double_lt(of_words("30523", PM_PRECISION_FP16, 1, 1), 1.001 * even);
  ck_assert_double_lt(of_words("30523", PM_PRECISION_FP16, 0, 0), odd);
  ck_assert_double_eq(of_words("30523", PM_PRECISION_FP32, 1, 0), of_words("30523", PM_PRECISION_FP32, 0, 0));
}
END_TEST

static pm_prediction of_loss(const char *half, int precision)
{
  pm_error error = PM_ERROR_NONE;
  const pm_attribute loss = {"half_loss", half};
  const pm_framework_profile profile = profile_of("pytorch-1.10");
  return predict_alone(pm_catalog_new_network(catalog, "transformer-xl-512", &loss, 1, &error),
                       pm_catalog_new_system(catalog, "dgx-a100", &error), &profile, precision, 8);
}

START_TEST(a_loss_may_stay_in_half_precision)
{
  pm_prediction half = of_loss("1", PM_PRECISION_FP16), wide = of_loss("0", PM_PRECISION_FP16);
  ck_assert_double_lt(half.compute_time, 0.99 * wide.compute_time);
  ck_assert_double_lt(half.memory, 0.99 * wide.memory);
  ck_assert_double_eq(of_loss("1", PM_PRECISION_FP32).step_time, of_loss("0", PM_PRECISION_FP32).step_time);
}
END_TEST

/* A step on one V100 whose gradients of 3D convolutions on the FP32 cores take `factor` times as long. */
static pm_prediction with_volumes(const char *name, int precision, double factor)
{
  pm_error error = PM_ERROR_NONE;
  const pm_framework_profile profile = profile_of("pt-nchw");
  pm_system *system = pm_catalog_new_system(catalog, "dgx1-v100", &error);
  pm_kernel_calibration kernels = *pm_system_get_kernels(system);
  kernels.conv_simt_volume = factor;
  ck_assert_int_eq(pm_system_set_kernels(system, &kernels, &error), PM_OK);
  return predict_alone(pm_catalog_new_network(catalog, name, NULL, 0, &error), system, &profile, precision, 2);
}

START_TEST(gradients_of_volumes_are_slow_without_tensor_cores)
{
  const char *images = "resnet50", *volumes = "nnu-net-3d";
  pm_prediction plain = with_volumes(volumes, PM_PRECISION_FP32, 1), slow = with_volumes(volumes, PM_PRECISION_FP32, 2);
  ck_assert_double_gt(slow.wgrad_time, 1.5 * plain.wgrad_time); /* norms and passes apart */
  ck_assert_double_gt(slow.dgrad_time, 1.5 * plain.dgrad_time);
  ck_assert_double_lt(slow.forward_time, 1.05 * plain.forward_time); /* transposed ones are gradients of data */
  ck_assert_double_eq(with_volumes(volumes, PM_PRECISION_FP32, NAN).step_time, plain.step_time);
  ck_assert_double_eq(with_volumes(images, PM_PRECISION_FP32, 2).step_time,
                      with_volumes(images, PM_PRECISION_FP32, 1).step_time);
  plain = with_volumes(volumes, PM_PRECISION_FP16, 1), slow = with_volumes(volumes, PM_PRECISION_FP16, 2);
  /* the first layer's four channels stay on FP32 cores */
  ck_assert_double_lt(slow.wgrad_time, 1.02 * plain.wgrad_time);
}
END_TEST

START_TEST(little_workspace_leaves_no_transforms)
{
  enum { VGG = 1 };
  pm_framework_profile profile = profile_of("pt-nchw");
  double free = kernels_with(VGG, PM_PRECISION_FP32, 0, 0, 1), none = kernels_with(VGG, PM_PRECISION_FP32, 1, 1, 1);
  pm_run run = run_on(VGG, 0, -1, 1);
  profile.framework.workspace = 1e12;
  run.framework_index = add_framework(&profile);
  ck_assert_double_eq(predict(&run).compute_time, free);
  profile.framework.workspace = 300e6;
  run.framework_index = add_framework(&profile);
  double some = predict(&run).compute_time;
  ck_assert(free < some && some < none); /* Winograd in one kernel needs none */
}
END_TEST

START_TEST(a_better_gpu_is_never_slower)
{
  for (int f = 0; f < frameworks; f++) {
    pm_gpu chip = gpu("v100-sxm2-16gb"), memory = chip, clock = chip;
    memory.memory_bandwidth *= 1.2;
    clock.clock *= 1.1;
    clock.peak_fp32 *= 1.1;
    clock.peak_fp64 *= 1.1;
    clock.peak_fp16_tensor *= 1.1;
    double plain = alone_on(&chip, f);
    ck_assert_double_lt(alone_on(&memory, f), plain);
    ck_assert_double_lt(alone_on(&clock, f), plain);
  }
}
END_TEST

/* ---- Formulas by hand ---- */

START_TEST(waiting_is_the_expected_maximum)
{
  static const struct {
    int gpus, nodes;
    double expected;
  } points[] = {{2, 1, 0.589}, {4, 1, 1.049}, {8, 1, 1.434}, {8, 2, 1.769}, {8, 4, 2.067}, {8, 8, 2.337}};
  pm_framework_profile profile = profile_of("mxnet-ngc");
  ck_assert(isnan(profile.framework.coordinator_time));
  pm_run run = run_on(0, 0, add_framework(&profile), 1);
  double alone = predict(&run).step_time;
  for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
    run.gpus = points[i].gpus;
    run.nodes = points[i].nodes;
    double waiting = predict(&run).straggler_wait_time;
    ck_assert_double_eq_tol(waiting / (alone * profile.framework.straggler), points[i].expected, 1e-3);
  }
}
END_TEST

/* One process asks all others through a tree, once there are several nodes. */
START_TEST(a_coordinator_asks_all_others)
{
  pm_framework_profile profile = profile_of("mxnet-ngc");
  pm_run run = run_on(0, 0, add_framework(&profile), 8);
  double alone = predict(&run).straggler_wait_time;
  run.nodes = 2;
  double before = predict(&run).straggler_wait_time;
  profile.framework.coordinator_time = 1e-3;
  run.framework_index = add_framework(&profile);
  ck_assert_double_eq_tol(predict(&run).straggler_wait_time - before, 4e-3, 1e-12);
  run.nodes = 1;
  ck_assert_double_eq(predict(&run).straggler_wait_time, alone);
}
END_TEST

/* Times of the design, which depend on nothing of the kernels but the efficiency of the memory, 0.91 on V100 and 0.74
** on P100 there: us; launches of all kernels, update, layouts x 3. */
START_TEST(host_update_and_layout_are_as_designed)
{
  static const struct {
    const char *framework;
    int network, system;
    double batch, launches, update;
    int precision, optimizer;
    double layout;
  } rows[] = {
    {"tf1-nchw", 0, 0, 128, 569, 946.10, PM_PRECISION_FP32, PM_OPTIMIZER_MOMENTUM, 0},
    {"tf1-nchw", 0, 0, 256, 569, 1320.57, PM_PRECISION_FP16, PM_OPTIMIZER_MOMENTUM, 81681.4},
    {"mxnet-ngc", 0, 0, 192, 455, 1320.57, PM_PRECISION_FP16, PM_OPTIMIZER_MOMENTUM, 0},
    {"cntk", 0, 1, 64, 569, 1265.62, PM_PRECISION_FP32, PM_OPTIMIZER_MOMENTUM, 0},
    {"keras", 1, 0, 32, 172, 3442.69, PM_PRECISION_FP32, PM_OPTIMIZER_MOMENTUM, 21220.2},
    {"torch7", 1, 0, 16, 130, 0, PM_PRECISION_FP32, PM_OPTIMIZER_NONE, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pm_framework_profile profile = profile_of(rows[i].framework);
    pm_run run = run_on(rows[i].network, rows[i].system, add_framework(&profile), 1);
    run.batch = rows[i].batch;
    run.precision = rows[i].precision;
    run.optimizer = rows[i].optimizer;
    pm_prediction p = predict(&run);
    double core = 3.2 / (2.7 * 0.87); /* of both DGX-1 */
    ck_assert_double_eq_tol(p.launch_time / (core * profile.framework.kernel_time), rows[i].launches, 1e-6);
    double now = pm_system_get_kernels(systems[rows[i].system])->hbm_efficiency;
    double scale = 1e6 * now / (strcmp(pm_system_get_gpu(systems[rows[i].system])->architecture,
                                       "volta") == 0 ? 0.91 : 0.74);
    ck_assert_double_eq_tol(p.update_time * scale, rows[i].update, 0.001 * rows[i].update + 1e-9);
    /* the design also counts a gradient of the images, and what runs on FP32 cores to save changes of layout */
    ck_assert_double_le(p.layout_time * scale, rows[i].layout);
    ck_assert_double_ge(p.layout_time * scale, 0.85 * rows[i].layout);
  }
}
END_TEST

/* s in the products of linear layers, their launches not counted. */
static void add_products(const pm_run *run, double *forward, double *backward)
{
  const pm_network *network = networks[run->network_index];
  const pm_system *system = systems[run->system_index];
  size_t count = (size_t)pm_network_count_layers(network);
  pm_layer_time *rows = (pm_layer_time *)calloc(count, sizeof *rows);
  ck_assert_int_eq(pm_network_get_times(network, pm_system_get_gpu(system), pm_system_get_kernels(system), run->batch,
                                        run->precision, rows, NULL), PM_OK);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].kind, "linear") != 0) continue;
    *forward += rows[i].forward_time - 2e-6;
    *backward += rows[i].dgrad_time + rows[i].wgrad_time - 4e-6;
  }
  free(rows);
}

/* Memory passes: what a step costs beyond its convolutions, which a factor tells apart, and its products. us */
START_TEST(memory_passes_are_as_designed)
{
  static const struct {
    const char *framework;
    int network, system;
    double batch, forward, backward;
    int precision;
  } rows[] = {
    {"mxnet-ngc", 0, 0, 192, 18742.0, 34808.2, PM_PRECISION_FP16},
    {"cntk", 0, 1, 64, 33190.6, 48709.1, PM_PRECISION_FP32},
    {"tf1-xla", 0, 0, 192, 18742.0, 34808.2, PM_PRECISION_FP16},
    {"cntk", 1, 1, 64, 29257.6, 32872.0, PM_PRECISION_FP32},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pm_framework_profile profile = profile_of(rows[i].framework);
    pm_prediction p[2];
    double products = 0, gradients = 0;
    profile.framework.framework_kernel_factor = 1;
    for (int k = 0; k < 2; k++) {
      profile.framework.simt_factor = profile.framework.tensor_factor = 1 + k;
      pm_run run = run_on(rows[i].network, rows[i].system, add_framework(&profile), 1);
      run.batch = rows[i].batch;
      run.precision = rows[i].precision;
      p[k] = predict(&run);
      if (k == 0) add_products(&run, &products, &gradients);
    }
    double forward = 2 * p[0].forward_time - p[1].forward_time;
    double backward = 2 * (p[0].dgrad_time + p[0].wgrad_time) - p[1].dgrad_time -
                      p[1].wgrad_time;
    forward -= products;
    backward -= gradients;
    ck_assert_double_eq_tol(forward * 1e6 / rows[i].forward, 1, 0.03); /* 2 us for every launch are here */
    ck_assert_double_eq_tol(backward * 1e6 / rows[i].backward, 1, 0.03);
  }
}
END_TEST

/* A framework's own kernels: the factor is linear, products and convolutions do not feel it; operation by operation
** is slower, less so in two bytes. */
START_TEST(own_kernels_are_told_apart)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  double forward[3];
  for (int k = 0; k < 3; k++) {
    profile.framework.framework_kernel_factor = 1 + k;
    pm_run run = run_on(3, 0, add_framework(&profile), 1);
    forward[k] = predict(&run).forward_time;
  }
  ck_assert_double_gt(forward[1], 1.05 * forward[0]);
  ck_assert_double_lt(forward[1], 2 * forward[0]);
  ck_assert_double_eq_tol(forward[2] - forward[1], forward[1] - forward[0], 1e-12);
  profile.framework.framework_kernel_factor = 1;
  pm_run run = run_on(3, 0, add_framework(&profile), 1);
  double plain = predict(&run).forward_time;
  profile.framework.eager = 1;
  run.framework_index = add_framework(&profile);
  double eager = predict(&run).forward_time;
  ck_assert_double_gt(eager, 1.1 * plain);
  run.precision = PM_PRECISION_FP16;
  double narrow = predict(&run).forward_time;
  ck_assert_double_lt(narrow, eager);
}
END_TEST

/* Optimisers that are run operation by operation move more; without an update batches are still added up. */
START_TEST(updates_of_many_kernels_cost_more)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  static const int order[] = {PM_OPTIMIZER_SGD, PM_OPTIMIZER_MOMENTUM, PM_OPTIMIZER_ADAM, PM_OPTIMIZER_LAMB,
                              PM_OPTIMIZER_ADAM_UNFUSED,
                              PM_OPTIMIZER_RMSPROP_UNFUSED, PM_OPTIMIZER_ADAMW_UNFUSED, PM_OPTIMIZER_LAMB_UNFUSED};
  pm_run run = run_on(3, 0, add_framework(&profile), 1);
  double before = 0;
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    run.optimizer = order[i];
    pm_prediction p = predict(&run);
    ck_assert_double_gt(p.update_time, before);
    before = p.update_time;
  }
  run.gradient_accumulation_steps = 2;
  ck_assert_double_gt(predict(&run).update_time, before);
}
END_TEST

START_TEST(one_gpu_is_a_smooth_maximum)
{
  pm_framework_profile profile = profile_of("keras");
  pm_run run = run_on(0, 0, add_framework(&profile), 1);
  pm_prediction p = predict(&run);
  double host_copy_time = 32.0 * 3 * 224 * 224 * 4 / profile.framework.host_copy_bandwidth;
  double alone = hypot(p.compute_time, p.launch_time) + profile.framework.step_time + host_copy_time;
  ck_assert_double_eq_tol(p.step_time / alone, 1, 1e-12);
}
END_TEST

/* VGG-16 on a DGX-1: two GPUs share an uplink, and with eight of them four are behind the other socket. */
START_TEST(a_parameter_server_is_as_designed)
{
  pm_framework_profile profile = profile_of("keras");
  double w = 4 * 138357544.0, uplink = 15.754e9 * 0.762, socket = 2 * 19.2e9 * 0.196, before = 0;
  for (int gpus = 2; gpus <= 8; gpus *= 2) {
    pm_run run = run_on(1, 0, add_framework(&profile), gpus);
    run.optimizer = PM_OPTIMIZER_RMSPROP_UNFUSED;
    pm_prediction p = predict(&run);
    double per_byte = fmax(2 / uplink, (gpus - 4) / socket), wires = 2 * w * per_byte;
    double copy = 32.0 * 3 * 224 * 224 * 4 * (1 / profile.framework.host_copy_bandwidth + per_byte);
    double memory = (27 + gpus + 1 + 6 * gpus) * w / profile.framework.server_memory;
    double each = gpus * 32 * profile.framework.variable_time + (gpus - 1) * copy,
        alone = p.compute_time + p.launch_overhead_time;
    ck_assert_double_eq_tol(p.communication_time, fmax(wires, memory) + each, 1e-4);
    ck_assert_double_eq_tol(p.exposed_communication_time, fmax(0, fmax(wires, memory) - alone) + each, 1e-4);
    ck_assert_double_gt(p.launch_time, before);
    before = p.launch_time;
  }
}
END_TEST

START_TEST(nobody_waits_for_an_asynchronous_server)
{
  pm_framework_profile profile = profile_of("keras");
  pm_run run = run_on(1, 0, add_framework(&profile), 4);
  run.parallelism = PM_PARALLELISM_ASYNCHRONOUS;
  pm_prediction async = predict(&run);
  ck_assert_double_eq(async.staleness, 3);
  ck_assert_double_eq(async.straggler_wait_time, 0);
  run.framework_index = -1;
  ck_assert_int_eq(pm_run_check(plan, &run, NULL), PM_STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(accumulation_spares_communication)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  pm_run run = run_on(1, 2, add_framework(&profile), 8);
  double once = predict(&run).throughput;
  run.gradient_accumulation_steps = 4;
  pm_prediction p = predict(&run);
  ck_assert_double_gt(p.throughput, once);
  ck_assert_double_lt(p.throughput, 4 * once);
}
END_TEST

START_TEST(input_limits)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  pm_run run = run_on(0, 0, add_framework(&profile), 8);
  run.nodes = 2;
  double free_of_input = predict(&run).throughput;
  for (double rate = 10; rate < 1e6; rate *= 3) {
    run.input_rate = rate;
    run.no_prefetch = 0;
    pm_prediction together = predict(&run);
    run.no_prefetch = 1;
    pm_prediction in_turn = predict(&run);
    ck_assert_double_le(together.throughput, 2 * rate * (1 + 1e-12));
    ck_assert_double_le(together.throughput, free_of_input * (1 + 1e-12));
    ck_assert_double_lt(in_turn.throughput, together.throughput);
    ck_assert_double_eq_tol(1 / in_turn.throughput, 1 / (2 * rate) + 1 / free_of_input, 1e-12);
  }
}
END_TEST

/* Without a class of its own the spread is that of any rate. */
static void leave_rate_alone(pm_prediction_interval *interval)
{
  interval->convolution = interval->product = interval->passes = interval->host = interval->communication = NAN;
  interval->groups = interval->sound = interval->volumes = interval->recurrent = interval->proposals = NAN;
  interval->tables = NAN;
}

static double spread_of(const pm_prediction *p)
{
  return log(p->throughput_p90 / p->throughput) / 1.2815515655446;
}

START_TEST(intervals_widen_outside_of_what_was_fitted)
{
  pm_framework_profile profile = profile_of("pt-nhwc");
  leave_rate_alone(&profile.interval);
  const pm_prediction_interval *i = &profile.interval;
  pm_run run = run_on(0, 0, add_framework(&profile), 8);
  run.batch = profile.framework.max_batch;
  run.ignore_memory = 1;
  pm_prediction inside = predict(&run);
  run.batch *= 8;
  pm_prediction outside = predict(&run);
  ck_assert_int_eq(inside.calibration, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_int_eq(outside.calibration, PM_CALIBRATION_STATUS_EXTRAPOLATED);
  ck_assert(inside.throughput_p10 < inside.throughput && inside.throughput < inside.throughput_p90);
  ck_assert_double_eq_tol(spread_of(&inside), i->rate, 1e-9);
  ck_assert_double_eq_tol(spread_of(&outside), hypot(i->rate * i->extrapolated, i->batch * log(8)), 1e-9);
  run.framework_index = -1;
  pm_prediction none = predict(&run);
  ck_assert(isnan(none.throughput_p10) && none.calibration == PM_CALIBRATION_STATUS_CALIBRATED);
}
END_TEST

/* Of several kinds of network the one that is furthest off counts; one without such layers has none. A detector
** enlarges pieces of its image, and is not of the kind of those that enlarge the image. */
START_TEST(kinds_of_network_widen_the_interval)
{
  const struct {
    const char *network;
    double spread;
  } cases[] = {{"resnet50", 0},       {"resnext50-32x4d", 0.3},       {"waveglow-512", 0.4}, {"nnu-net-3d", 0.5},
               {"gnmt", 0.6},         {"maskrcnn-resnet50-fpn", 0.7}, {"NCF", 0.8},          {"bert-base", 0},
               {"mobilenet-v2", 0},   {"tacotron-2-lj", 0.6},         {"transformer-xl-512", 0},
               {"nnu-net-2d", 0.5}};
  pm_framework_profile profile = profile_of("pytorch-1.10");
  leave_rate_alone(&profile.interval);
  pm_prediction_interval *i = &profile.interval;
  i->batch = i->gpus = NAN;
  i->extrapolated = i->not_calibrated = 1;
  i->groups = 0.3, i->sound = 0.4, i->volumes = 0.5, i->recurrent = 0.6, i->proposals = 0.7, i->tables = 0.8;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    pm_prediction p = step_of(cases[k].network, "dgx-a100", profile, PM_PRECISION_FP16);
    ck_assert_msg(fabs(spread_of(&p) - hypot(i->rate, cases[k].spread)) < 1e-9, "%s: %g", cases[k].network,
                  spread_of(&p));
  }
  i->proposals = NAN;
  pm_prediction p = step_of("maskrcnn-resnet50-fpn", "dgx-a100", profile, PM_PRECISION_FP16);
  ck_assert_double_eq_tol(spread_of(&p), i->rate, 1e-9);
}
END_TEST

/* Rows of an RTX 3090 decide gradients of groups in NHWC; of another architecture they say nothing. */
START_TEST(gradients_of_groups_are_calibrated_where_rows_are)
{
  const pm_framework_profile nhwc = profile_of("pytorch-1.10-nhwc"), nchw = profile_of("pytorch-1.10");
  const char *gpu = "rtx-3090", *other = "rtx-3070", *net = "regnetx-016";
  int none = PM_CALIBRATION_STATUS_NOT_CALIBRATED;
  ck_assert_int_ne(step_of(net, gpu, nhwc, PM_PRECISION_FP16).calibration, none);
  ck_assert_int_ne(step_of(net, other, nhwc, PM_PRECISION_FP16).calibration, none);
  ck_assert_int_eq(step_of(net, "dgx-a100", nhwc, PM_PRECISION_FP16).calibration, none);
  ck_assert_int_ne(step_of(net, "dgx-a100", nchw, PM_PRECISION_FP16).calibration, none);
}
END_TEST

/* A class counts by its share of the step, times the factor of its status: links without constants are not
** calibrated. */
START_TEST(classes_of_work_widen_the_interval)
{
  pm_link nvlink;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "link", "nvlink2", &nvlink, &error), PM_OK);
  nvlink.bandwidth = 5e8;
  pm_system *bare = pm_system_new_with(systems[0], &(pm_system_change){.link = &nvlink, .replaced = "nvlink2"}, &error);
  ck_assert_msg(bare != NULL, "%s", error.text);
  pm_plan *own = pm_plan_new((const pm_network *const *)networks, 1, (const pm_system *const *)&bare, 1, &error);
  pm_framework_profile profile = profile_of("pt-nhwc");
  leave_rate_alone(&profile.interval);
  pm_prediction_interval *i = &profile.interval;
  i->communication = 0.3;
  pm_run run = run_on(0, 0, pm_plan_add_framework(own, &profile, &error), 1);
  run.batch = 32;
  run.ignore_memory = 1;
  pm_prediction alone, eight;
  pm_predict(own, &run, &alone, 1);
  run.gpus = 8;
  pm_predict(own, &run, &eight, 1);
  ck_assert_double_gt(eight.communication_share, 0.1);
  ck_assert_int_eq(alone.calibration, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_int_eq(eight.calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  ck_assert_double_eq_tol(spread_of(&alone), i->rate, 1e-9);
  ck_assert_double_eq_tol(spread_of(&eight),
                          i->not_calibrated * hypot(i->rate, i->communication * eight.communication_share),
                          1e-9);
  pm_plan_free(own);
  pm_system_free(bare);
}
END_TEST

/* What products of the network add to the square of the spread on a GPU of AMD, by the factor of what is not
** calibrated. */
static double products_add(double not_calibrated)
{
  pm_framework_profile profile = profile_of("pytorch-2.4");
  leave_rate_alone(&profile.interval);
  profile.interval.product = 0.2;
  profile.interval.batch = profile.interval.gpus = NAN;
  profile.interval.not_calibrated = not_calibrated;
  pm_prediction p = step_of("bert-base", "mi300x", profile, PM_PRECISION_FP16);
  ck_assert_int_eq(p.calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  return pow(spread_of(&p), 2) - pow(profile.interval.rate * not_calibrated, 2);
}

/* Kernels without rows of any neighbour are as uncertain as a single one, whatever rows of other makers decided. */
START_TEST(kernels_without_rows_widen_the_interval)
{
  pm_kernel_calibration kernels;
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_catalog_get_record(catalog, "kernel_calibration", "cdna3", &kernels, &error), PM_OK);
  double least = kernels.spread_not_calibrated, added = products_add(least);
  ck_assert_double_gt(least, 1);
  ck_assert_double_gt(added, 0);
  ck_assert_double_eq_tol(products_add(1) / added, 1, 1e-9);
  ck_assert_double_eq_tol(products_add(2 * least) / added, 4, 1e-9);
}
END_TEST

/* The word follows from the classes that take the time: Blackwell's products have rows, its convolutions have none. */
START_TEST(words_follow_from_the_work)
{
  pm_error error = PM_ERROR_NONE;
  pm_system *b200 = pm_catalog_new_system(catalog, "b200-sxm6", &error);
  ck_assert_msg(b200 != NULL, "%s", error.text);
  pm_plan *own = pm_plan_new((const pm_network *const *)networks, 1, (const pm_system *const *)&b200, 1, &error);
  pm_run run = run_on(0, 0, -1, 1);
  run.precision = PM_PRECISION_FP16;
  pm_prediction p;
  pm_predict(own, &run, &p, 1);
  ck_assert_int_eq(pm_system_get_kernels(b200)->product_tensor, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_int_ne(pm_system_get_kernels(b200)->convolution_tensor, PM_CALIBRATION_STATUS_CALIBRATED);
  ck_assert_int_eq(p.calibration, pm_system_get_kernels(b200)->convolution_tensor);
  run.kernel_model = PM_KERNEL_MODEL_ROOFLINE;
  pm_predict(own, &run, &p, 1);
  ck_assert_int_eq(p.calibration, PM_CALIBRATION_STATUS_NOT_CALIBRATED);
  pm_plan_free(own);
  pm_system_free(b200);
}
END_TEST

/* One bucket for all waits for the last gradient; smaller ones wait no longer, however many there are. */
START_TEST(buckets_hide_what_one_does_not)
{
  pm_framework_profile profile = profile_of("pt-nchw");
  profile.framework.bucket = 1e12;
  pm_run run = run_on(3, 0, add_framework(&profile), 8);
  pm_prediction one = predict(&run);
  ck_assert_double_eq_tol(one.exposed_communication_time / one.communication_time, 1, 1e-12);
  for (double bucket = 200e6; bucket > 2e5; bucket /= 3) {
    profile.framework.bucket = bucket;
    run.framework_index = add_framework(&profile);
    pm_prediction p = predict(&run);
    ck_assert_double_ge(p.communication_time, one.communication_time * (1 - 1e-12));
    ck_assert_double_lt(p.exposed_communication_time, one.exposed_communication_time);
  }
}
END_TEST

/* It is read as JSON by the tests of Python. */
START_TEST(a_timeline_has_every_layer)
{
  pm_run run = run_on(0, 2, 0, 8);
  pm_error error = PM_ERROR_NONE;
  char *text = pm_prediction_format_trace(plan, &run, &error);
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_nonnull(strstr(text, "layer3.2.conv2, wgrad"));
  ck_assert_ptr_nonnull(strstr(text, "\"bucket 1\""));
  pm_string_free(text);
  run.gpus = 99;
  ck_assert_ptr_null(pm_prediction_format_trace(plan, &run, &error));
  ck_assert_int_eq(error.status, PM_STATUS_TOO_MANY_GPUS);
}
END_TEST

START_TEST(refusals_say_why)
{
  pm_run run = run_on(0, 0, frameworks, 1);
  pm_error error = PM_ERROR_NONE;
  ck_assert_int_eq(pm_run_check(plan, &run, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "framework"));
  run = run_on(0, 0, 0, 2);
  run.gradient_accumulation_steps = 0;
  ck_assert_int_eq(pm_run_check(plan, &run, NULL), PM_STATUS_BAD_ARGUMENT);
  run = run_on(0, 0, 0, 2);
  run.nodes = 2;
  run.parallelism = PM_PARALLELISM_SINGLE_PROCESS;
  ck_assert_int_eq(pm_run_check(plan, &run, NULL), PM_STATUS_NOT_MODELLED);
  pm_framework_profile profile = profile_of("generic");
  profile.framework.kernel_time = -1;
  ck_assert_int_eq(pm_plan_add_framework(plan, &profile, NULL), -1);
  ck_assert_int_eq(pm_plan_add_framework(plan, NULL, NULL), -1);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nchw@", &profile, NULL), PM_STATUS_BAD_VALUE);
  ck_assert_int_eq(pm_catalog_get_framework(catalog, "pt-nchw@cudnn1", &profile, NULL), PM_STATUS_NOT_FOUND);
}
END_TEST

/* Every number of a framework says what it is. */
START_TEST(every_constant_says_what_it_rests_on)
{
  static const char *const kinds[] = {"frameworks", "cudnn_generations", "bands"};
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; pm_catalog_get_id(catalog, kinds[k], i) != NULL; i++) {
      pm_table *shown = pm_catalog_show(catalog, kinds[k], pm_catalog_get_id(catalog, kinds[k], i), NULL);
      ck_assert_ptr_nonnull(shown);
      for (size_t row = 0; row < pm_table_count_rows(shown); row++) {
        char field_buffer[256], note_buffer[256];
        const char *field = pm_table_get_text(shown, 0, row, field_buffer), *note = pm_table_get_text(shown, 4, row,
                                                                                                      note_buffer);
        if (strstr(" id name alias file evidence source ", field) != NULL) continue;
        ck_assert_msg(strncmp(note, "fitted", 6) == 0 || strncmp(note, "fact", 4) == 0 ||
                        strncmp(note, "default", 7) == 0 || strncmp(note, "rule", 4) == 0 ||
                        strncmp(note, "guess", 5) == 0,
                      "%s of %s: \"%s\"", field, pm_catalog_get_id(catalog, kinds[k], i), note);
      }
      pm_table_free(shown);
    }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("step");
  TCase *tests = tcase_create("step");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, set_up, tear_down);
  tcase_add_test(tests, parts_sum_to_the_whole);
  tcase_add_test(tests, batch_equals_scalar_bit_for_bit);
  tcase_add_test(tests, overlap_is_never_slower_than_none);
  tcase_add_test(tests, overlap_hides_what_a_slow_bus_takes);
  tcase_add_test(tests, one_gpu_does_not_communicate);
  tcase_add_test(tests, slower_software_makes_slower_steps);
  tcase_add_test(tests, gradients_travel_as_their_precision_says);
  tcase_add_test(tests, a_layout_is_of_its_precision);
  tcase_add_test(tests, older_libraries_lack_algorithms);
  tcase_add_test(tests, groups_run_one_by_one_without_kernels_for_them);
  tcase_add_test(tests, groups_side_by_side_lack_gradients_of_most_widths);
  tcase_add_test(tests, libraries_without_dilated_kernels_leave_the_tensor_cores);
  tcase_add_test(tests, wide_tensor_cores_wait_for_what_is_not_aligned);
  tcase_add_test(tests, old_tensor_cores_want_aligned_products);
  tcase_add_test(tests, a_loss_may_stay_in_half_precision);
  tcase_add_test(tests, gradients_of_volumes_are_slow_without_tensor_cores);
  tcase_add_test(tests, little_workspace_leaves_no_transforms);
  tcase_add_test(tests, a_better_gpu_is_never_slower);
  tcase_add_test(tests, waiting_is_the_expected_maximum);
  tcase_add_test(tests, a_coordinator_asks_all_others);
  tcase_add_test(tests, host_update_and_layout_are_as_designed);
  tcase_add_test(tests, memory_passes_are_as_designed);
  tcase_add_test(tests, own_kernels_are_told_apart);
  tcase_add_test(tests, updates_of_many_kernels_cost_more);
  tcase_add_test(tests, one_gpu_is_a_smooth_maximum);
  tcase_add_test(tests, a_parameter_server_is_as_designed);
  tcase_add_test(tests, nobody_waits_for_an_asynchronous_server);
  tcase_add_test(tests, accumulation_spares_communication);
  tcase_add_test(tests, input_limits);
  tcase_add_test(tests, intervals_widen_outside_of_what_was_fitted);
  tcase_add_test(tests, classes_of_work_widen_the_interval);
  tcase_add_test(tests, kernels_without_rows_widen_the_interval);
  tcase_add_test(tests, kinds_of_network_widen_the_interval);
  tcase_add_test(tests, gradients_of_groups_are_calibrated_where_rows_are);
  tcase_add_test(tests, words_follow_from_the_work);
  tcase_add_test(tests, buckets_hide_what_one_does_not);
  tcase_add_test(tests, a_timeline_has_every_layer);
  tcase_add_test(tests, refusals_say_why);
  tcase_add_test(tests, every_constant_says_what_it_rests_on);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
