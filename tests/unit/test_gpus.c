/*
** The GPUs of the shipped catalogue: their figures agree with each other, every precision of their datasheets has a
** prediction with constants, and they are found by the names that drivers and published tables give them.
*/
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "hardware/system.h"
#include "perfmodel-lab.h"
#include "shipped.h"

#define EACH_GPU(g) \
  for (size_t index_ = 0; pm_catalog_get_id(catalog, "gpus", index_) != NULL; index_++) \
    for (int once_ = (g = gpu(pm_catalog_get_id(catalog, "gpus", index_)), 1); once_; once_ = 0)

static const double SLIP = 0.03; /* data sheets round */

static void agree(const pm_gpu *g, const char *what, double stated, double computed)
{
  ck_assert_msg(fabs(computed / stated - 1) <= SLIP, "%s: %s is %g, but its parts make %g", g->id, what, stated,
                computed);
}

static double tensor_clock(const pm_gpu *g)
{
  return isnan(g->tensor_clock) ? g->clock : g->tensor_clock;
}

/* ---- Figures ---- */

START_TEST(units_and_clock_make_the_peaks)
{
  pm_gpu g;
  EACH_GPU(g) {
    pm_error error = PM_ERROR_NONE;
    ck_assert_msg(pm__gpu_check(&g, &error) == PM_OK, "%s", error.text);
    agree(&g, "peak_fp32", g.peak_fp32, 2.0 * g.sms * g.fp32_lanes * g.clock);
    agree(&g, "peak_fp64", g.peak_fp64, 2.0 * g.sms * g.fp64_lanes * g.clock);
    ck_assert_int_eq(g.tensor_cores > 0, g.peak_fp16_tensor > 0);
    if (g.tensor_cores > 0)
      agree(&g, "peak_fp16_tensor", g.peak_fp16_tensor,
            (double)g.sms * g.tensor_cores * g.tensor_core_flop * tensor_clock(&g));
  }
}
END_TEST

/* Rates of other operands follow from that of FP16. Twice what they should be would be the rate with sparsity. */
START_TEST(precisions_are_dense)
{
  pm_gpu g;
  EACH_GPU(g) {
    double fp16 = g.peak_fp16_tensor;
    bool cdna1 = strcmp(g.architecture, "cdna") == 0, cdna2 = strcmp(g.architecture, "cdna2") == 0;
    bool geforce = strstr(g.name, "GeForce") != NULL;
    bool few_integers = strstr(g.id, "b300") != NULL; /* Blackwell Ultra gave their place to FP4 */
    if (g.peak_bf16_tensor > 0) agree(&g, "peak_bf16_tensor", g.peak_bf16_tensor, cdna1 ? fp16 / 2 : fp16);
    if (g.peak_tf32_tensor > 0) agree(&g, "peak_tf32_tensor", g.peak_tf32_tensor, fp16 / 2);
    if (g.peak_fp8_tensor > 0) agree(&g, "peak_fp8_tensor", g.peak_fp8_tensor, 2 * fp16);
    if (g.peak_int8 > 0 && fp16 > 0 && strcmp(g.architecture, "volta") != 0 && !few_integers)
      agree(&g, "peak_int8", g.peak_int8, cdna1 || cdna2 ? fp16 : geforce ? 4 * fp16 : 2 * fp16);
  }
}
END_TEST

START_TEST(bus_and_rate_make_the_bandwidth)
{
  pm_gpu g;
  int compared = 0, gpus = 0;
  EACH_GPU(g) {
    gpus++;
    if (g.memory_bus <= 0 || isnan(g.memory_rate)) continue;
    agree(&g, "memory_bandwidth", g.memory_bandwidth, g.memory_bus * g.memory_rate);
    compared++;
  }
  ck_assert_int_ge(compared, gpus * 3 / 4);
}
END_TEST

START_TEST(facts_are_complete)
{
  pm_gpu g;
  EACH_GPU(g) {
    ck_assert_msg(g.l2_cache > 0 && g.shared_memory > 0 && g.register_file > 0 && g.power > 0, "%s", g.id);
    ck_assert_msg(g.memory_type[0] != '\0' && g.architecture[0] != '\0', "%s", g.id);
  }
}
END_TEST

START_TEST(doctor_finds_nothing)
{
  pm_error error = PM_ERROR_NONE;
  pm_table *findings = pm_file_diagnose(PM_SOURCE_DIR "/data/gpus", &error);
  ck_assert_msg(findings != NULL, "%s", error.text);
  ck_assert_uint_eq(pm_table_count_rows(findings), 0);
  pm_table_free(findings);
}
END_TEST

/* ---- Predictions ---- */

static pm_kernel gemm(double m, double n, double k, int precision)
{
  pm_kernel kernel;
  pm_record_clear(pm_record_type_find("kernel"), &kernel);
  kernel.operation = PM_OPERATOR_GEMM;
  kernel.precision = precision;
  kernel.count = 1;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  return kernel;
}

static pm_kernel other(int operation, int precision)
{
  pm_kernel kernel = gemm(4096, 1024, 512, precision);
  kernel.operation = operation;
  if (operation != PM_OPERATOR_CONV_FORWARD) return kernel;
  kernel.n = 32;
  kernel.channels = kernel.out_channels = 256;
  kernel.groups = 1;
  kernel.height = kernel.width = 14;
  kernel.kernel_height = kernel.kernel_width = 3;
  kernel.padding_height = kernel.padding_width = 1;
  kernel.stride_height = kernel.stride_width = 1;
  return kernel;
}

/* The kernels of one precision with the GPU's own constants: finite, and no faster than physics. Winograd does fewer
** multiplications than are counted, 4 at most; GeForce boards boost above the clock of their datasheet, and hold it. */
static void check_kernels(const pm_gpu *g, const pm_kernel_calibration *constants, int precision)
{
  pm_kernel kernels[] = {gemm(8192, 8192, 8192, precision), gemm(64, 64, 64, precision), gemm(1, 4096, 4096, precision),
                         other(PM_OPERATOR_CONV_FORWARD, precision), other(PM_OPERATOR_ELEMENTWISE, precision),
                         other(PM_OPERATOR_LAYER_NORM, precision), other(PM_OPERATOR_SOFTMAX, precision)};
  enum { COUNT = sizeof kernels / sizeof kernels[0], LARGE = 0, CONV = 3 };
  pm_kernel_time times[COUNT];
  pm_error error = PM_ERROR_NONE;
  ck_assert_msg(pm_kernel_predict(g, constants, kernels, times, COUNT, &error) == PM_OK, "%s", error.text);
  for (int i = 0; i < COUNT; i++) {
    double boost = fmax(1, constants->simt_efficiency) * fmax(g->clock, g->held_clock) / g->clock;
    double bound = times[i].roofline_time / boost / (i == CONV ? 4 : 1);
    ck_assert_msg(isfinite(times[i].time) && times[i].time >= bound * (1 - 1e-9), "%s precision %d kernel %d: %g s",
                  g->id, precision, i, times[i].time);
    ck_assert_int_ne(times[i].algorithm, PM_KERNEL_ALGORITHM_ROOFLINE);
  }
  ck_assert_msg(times[LARGE].time <= 50 * times[LARGE].roofline_time, "%s precision %d: %g s, roofline %g s", g->id,
                precision, times[LARGE].time, times[LARGE].roofline_time);
}

START_TEST(every_precision_is_predicted_with_constants)
{
  pm_gpu g;
  int checked = 0;
  EACH_GPU(g) {
    pm_kernel_calibration constants;
    pm_error error = PM_ERROR_NONE;
    ck_assert_msg(pm_catalog_get_kernels(catalog, &g, &constants, &error) == PM_OK, "%s", error.text);
    ck_assert_int_ne(constants.simt_basis, PM_ORIGIN_NONE);
    if (g.tensor_cores > 0) ck_assert_msg(constants.tensor_basis != PM_ORIGIN_NONE, "%s", g.id);
    for (int p = 0; p < PM_PRECISION_COUNT; p++) {
      if (isnan(pm_gpu_get_matrix_peak(&g, p))) continue;
      check_kernels(&g, &constants, p);
      checked++;
    }
  }
  ck_assert_int_gt(checked, 250);
}
END_TEST

START_TEST(sixteen_bits_are_those_of_the_tensor_cores)
{
  const struct { const char *id; int precision; } half[] = {{"p100-sxm2", PM_PRECISION_FP32},
    {"v100-sxm2-16gb", PM_PRECISION_FP16},
    {"t4", PM_PRECISION_FP16}, {"a100-sxm4-40gb", PM_PRECISION_BF16}, {"mi300x", PM_PRECISION_BF16}};
  for (size_t i = 0; i < sizeof half / sizeof half[0]; i++) {
    pm_gpu g = gpu(half[i].id);
    ck_assert_int_eq(pm__gpu_get_half_precision(&g), half[i].precision);
  }
}
END_TEST

/* ---- Names: as drivers, published tables and people write them ---- */

static const char *const spellings[][2] = {
  {"K80", "k80"}, {"Tesla K80", "k80"}, {"M40", "m40"}, {"Tesla M40", "m40"}, {"M60", "m60"},
  {"Titan X (Maxwell)", "titan-x-maxwell"}, {"Titan X Maxwell", "titan-x-maxwell"},
    {"Maxwell Titan X", "titan-x-maxwell"},
  {"Maxwell Titan X 12", "titan-x-maxwell"}, {"GeForce GTX TITAN X", "titan-x-maxwell"},
  {"Pascal Titan X", "titan-x-pascal"}, {"Pascal Titan X 12", "titan-x-pascal"}, {"TITAN X", "titan-x-pascal"},
  {"TITAN Xp", "titan-xp"}, {"P4", "p4"}, {"Tesla P4", "p4"}, {"P40", "p40"}, {"GTX 1070", "gtx-1070"},
  {"GTX 1080", "gtx-1080"}, {"GTX 1080 8", "gtx-1080"}, {"GTX 1080 Ti", "gtx-1080-ti"},
    {"GTX 1080 Ti 11", "gtx-1080-ti"},
  {"GeForce GTX 1080 Ti", "gtx-1080-ti"}, {"P100", "p100-sxm2"}, {"Tesla P100", "p100-sxm2"},
    {"P100-SXM2", "p100-sxm2"},
  {"Tesla P100-SXM2", "p100-sxm2"}, {"Tesla P100-SXM2-16GB", "p100-sxm2"}, {"P100-PCIe", "p100-pcie"},
  {"Tesla P100-PCIe", "p100-pcie"}, {"Tesla P100-PCIE-16GB", "p100-pcie"}, {"V100", "v100-sxm2-16gb"},
  {"Tesla V100", "v100-sxm2-16gb"}, {"V100 16", "v100-sxm2-16gb"}, {"V100-SXM2", "v100-sxm2-16gb"},
  {"V100-SXM2 16GB", "v100-sxm2-16gb"}, {"Tesla V100-SXM2", "v100-sxm2-16gb"},
    {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
  {"NVIDIA Tesla V100-SXM2-16GB", "v100-sxm2-16gb"}, {"V100 32", "v100-sxm2-32gb"},
    {"V100-SXM2 32GB", "v100-sxm2-32gb"},
  {"Tesla V100-SXM2 32GB", "v100-sxm2-32gb"}, {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
  {"Tesla V100 (32GB or 16GB)", "v100-sxm2-32gb"}, {"V100-SXM3-32GB", "v100-sxm3-32gb"},
    {"Tesla V100-SXM3-32GB", "v100-sxm3-32gb"},
  {"V100-PCIe", "v100-pcie"}, {"Tesla V100-PCIe", "v100-pcie"}, {"Tesla V100-PCIE-16GB", "v100-pcie"},
  {"Tesla V100-PCIE-32GB", "v100-pcie-32gb"}, {"V100S", "v100s-pcie"}, {"TITAN V", "titan-v"},
    {"TITAN V 12", "titan-v"},
  {"T4", "t4"}, {"T4 16", "t4"}, {"Tesla T4", "t4"}, {"NVIDIA Tesla T4", "t4"}, {"RTX 2080", "rtx-2080"},
  {"RTX 2080 Ti", "rtx-2080-ti"}, {"RTX 2080 Ti 11", "rtx-2080-ti"}, {"GeForce RTX 2080 Ti", "rtx-2080-ti"},
  {"TITAN RTX", "titan-rtx"}, {"Quadro RTX 5000", "quadro-rtx-5000"}, {"Quadro RTX 6000", "quadro-rtx-6000"},
  {"Quadro RTX 8000", "quadro-rtx-8000"}, {"A100", "a100-sxm4-40gb"}, {"A100 40", "a100-sxm4-40gb"},
  {"A100-SXM4-40GB", "a100-sxm4-40gb"}, {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"}, {"A100 80", "a100-sxm4-80gb"},
  {"A100 80GB", "a100-sxm4-80gb"}, {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"}, {"A100-PCIE-40GB", "a100-pcie-40gb"},
  {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"}, {"A30", "a30"}, {"A10", "a10"}, {"A40", "a40"}, {"RTX 3070", "rtx-3070"},
  {"RTX 3080", "rtx-3080"}, {"RTX 3090", "rtx-3090"}, {"NVIDIA GeForce RTX 3090", "rtx-3090"},
    {"RTX A4000", "rtx-a4000"},
  {"RTX A4500", "rtx-a4500"}, {"RTX A5000", "rtx-a5000"}, {"RTX A5500", "rtx-a5500"}, {"RTX A6000", "rtx-a6000"},
  {"A6000", "rtx-a6000"}, {"L4", "l4"}, {"L40S", "l40s"}, {"RTX 6000 Ada", "rtx-6000-ada"}, {"RTX 4090", "rtx-4090"},
  {"NVIDIA GeForce RTX 4090", "rtx-4090"}, {"H100", "h100-sxm5"}, {"H100 80", "h100-sxm5"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm5"},
  {"H100 PCIe", "h100-pcie"}, {"H100 NVL", "h100-nvl"}, {"H200", "h200-sxm5"}, {"GH200", "gh200-96gb"},
  {"GH200 480GB", "gh200-96gb"}, {"NVIDIA GH200 480GB", "gh200-96gb"}, {"B200", "b200-sxm6"}, {"GB200", "gb200"},
  {"MI25", "mi25"}, {"MI50", "mi50"}, {"MI60", "mi60"}, {"MI100", "mi100"}, {"MI210", "mi210"},
    {"MI250X", "mi250x-gcd"},
  {"MI300X", "mi300x"}, {"AMD Instinct MI300X", "mi300x"}, {"Tesla K40", "k40"}, {"RTX 2070", "rtx-2070"},
  {"RTX 2080 Super", "rtx-2080-super"}, {"A2", "a2"}, {"NVIDIA A10G", "a10g"}, {"RTX 3060", "rtx-3060"},
  {"NVIDIA GeForce RTX 3080 Ti", "rtx-3080-ti"}, {"L40", "l40"}, {"RTX 5000 Ada", "rtx-5000-ada"},
    {"RTX 4080", "rtx-4080"},
  {"NVIDIA GeForce RTX 4070 Ti SUPER", "rtx-4070-ti-super"}, {"RTX 4090 D", "rtx-4090-d"}, {"A800", "a800-sxm4-80gb"},
  {"H800", "h800-sxm5"}, {"NVIDIA GeForce RTX 5090", "rtx-5090"}, {"RTX PRO 6000", "rtx-pro-6000-blackwell"},
};

START_TEST(spelling_resolves)
{
  pm_error error = PM_ERROR_NONE;
  const char *id = pm_catalog_resolve(catalog, "gpu", spellings[_i][0], &error);
  ck_assert_msg(id != NULL, "%s", error.text);
  ck_assert_str_eq(id, spellings[_i][1]);
}
END_TEST

/* Rows of tables name GPUs as people do. */
START_TEST(glued_names_of_rows_are_read)
{
  static const char *const names[] = {"RTX 2080Ti", "2080Ti", "GeForce RTX2080Ti", "rtx2080 Ti"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char csv[200];
    snprintf(csv, sizeof csv,
             "model,framework,gpu,batch_per_gpu,precision,throughput,unit\nresnet50,PyTorch,%s,32,fp32,300,images/s\n",
             names[i]);
    pm_error error = PM_ERROR_NONE;
    pm_table *table = pm_validate(catalog, &(pm_validation){.set = "training", .data = csv, .rows = 1}, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    ck_assert_msg(pm_table_get_notes(table) == NULL || strstr(pm_table_get_notes(table), "unknown GPU") == NULL,
                  "%s: %s", names[i],
                  pm_table_get_notes(table));
    pm_table_free(table);
  }
}
END_TEST

/* Whole nodes; racks of 72 take equal shares, 64 of 72 mostly, and no less than half of theirs. */
START_TEST(gpus_are_spread_over_nodes)
{
  static const int cases[][3] = {{8, 1, 1}, {8, 8, 1}, {8, 16, 2}, {8, 12, 0}, {8, 0, 0}, {8, -8, 0}, {72, 64, 1},
                                 {72, 144, 2},
                                 {72, 256, 4}, {72, 512, 8}, {72, 1024, 16}, {72, 97, 0}, {72, 82, 2}, {6, 9, 3},
                                   {0, 8, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pm_machine machine;
    pm_record_clear(pm_record_type_find("machine"), &machine);
    machine.gpus = cases[i][0];
    ck_assert_msg(pm_machine_get_nodes(&machine, cases[i][1]) == cases[i][2], "%d GPUs on nodes of %d", cases[i][1],
                  cases[i][0]);
  }
  ck_assert_int_eq(pm_machine_get_nodes(NULL, 8), 0);
}
END_TEST

/* Names that stay unknown, because a choice would be a guess. */
static const char *const unknown[][2] = {
  {"Pascal (not named more precisely)", "six of them are here"},
  {"V100/P100", "two GPUs"},
  {"not stated", "no name"},
  {"RTX 2070 Max-Q", "laptop part, with a power that its maker sets"},
  {"RTX 2080 Max-Q", "laptop part, with a power that its maker sets"},
  {"RTX 2080 Super Max-Q", "laptop part, with a power that its maker sets"},
  {"RTX 3080 Laptop", "laptop part, with a power that its maker sets"},
  {"NVIDIA", "a maker, not a GPU"},
  {"NVIDIA ", "a maker, not a GPU"},
};

START_TEST(guesses_are_not_made)
{
  pm_error error = PM_ERROR_NONE;
  const char *id = pm_catalog_resolve(catalog, "gpu", unknown[_i][0], &error);
  ck_assert_msg(id == NULL, "%s is %s (%s)", unknown[_i][0], id, unknown[_i][1]);
  ck_assert_int_eq(error.status, PM_STATUS_NOT_FOUND);
}
END_TEST

/* ---- A GPU where a system is wanted ---- */

START_TEST(gpu_is_a_machine_with_one)
{
  pm_gpu g;
  EACH_GPU(g) {
    char name[PM_TEXT_MAX + 4];
    pm_machine m;
    pm_error error = PM_ERROR_NONE;
    snprintf(name, sizeof name, "gpu:%s", g.id);
    pm_system *system = pm_catalog_new_system(catalog, name, &error);
    ck_assert_msg(system != NULL, "%s", error.text);
    ck_assert_str_eq(pm_system_get_gpu(system)->id, g.id);
    ck_assert_int_eq(pm_system_get_machine(system)->gpus, 1);
    ck_assert_int_eq(pm_system_count_edges(system), g.pcie[0] != '\0');
    ck_assert_ptr_nonnull(pm_system_get_kernels(system));
    pm_system_free(system);
    ck_assert_int_eq(pm_catalog_get_record(catalog, "system", name, &m, NULL), PM_OK);
    ck_assert_str_eq(m.id, name);
    ck_assert_str_eq(pm_catalog_resolve(catalog, "system", name, NULL), name);
  }
}
END_TEST

START_TEST(systems_come_before_gpus)
{
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "GB200", NULL), "gb200-nvl72");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "gpu:GB200", NULL), "gpu:gb200");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "Tesla T4", NULL), "gpu:t4");
  ck_assert_str_eq(pm_catalog_resolve(catalog, "system", "NVIDIA DGX-1", NULL), "dgx1-v100");
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "gpu", "gpu:t4", NULL));
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "system", "gpu:", NULL));
  ck_assert_ptr_null(pm_catalog_resolve(catalog, "system", "gpu:dgx1-v100", NULL));
  for (size_t i = 0; pm_catalog_get_id(catalog, "systems", i) != NULL; i++)
    ck_assert_msg(strncmp(pm_catalog_get_id(catalog, "systems", i), "gpu:", 4) != 0, "an implied machine is listed");
}
END_TEST

/* The machine has its GPU's prediction, the same as the one GPU of a larger machine. */
START_TEST(machine_of_one_predicts)
{
  pm_error error = PM_ERROR_NONE;
  pm_network *network = pm_catalog_new_network(catalog, "resnet50", NULL, 0, &error);
  pm_system *alone = pm_catalog_new_system(catalog, "v100-sxm2-16gb", &error),
      *many = pm_catalog_new_system(catalog, "dgx1-v100", &error);
  const pm_network *networks[] = {network};
  const pm_system *systems[] = {alone, many};
  pm_plan *plan = pm_plan_new(networks, 1, systems, 2, &error);
  ck_assert_msg(plan != NULL, "%s", error.text);
  pm_run runs[] = {pm_run_make(), pm_run_make()};
  pm_prediction predictions[2];
  runs[0].gpus = runs[1].gpus = 1;
  runs[1].system_index = 1;
  ck_assert_int_eq(pm_predict(plan, runs, predictions, 2), PM_OK);
  ck_assert(predictions[0].throughput > 0 && predictions[0].throughput == predictions[1].throughput);
  runs[0].gpus = 2;
  ck_assert_int_eq(pm_run_check(plan, &runs[0], &error), PM_STATUS_TOO_MANY_GPUS);
  pm_plan_free(plan);
  pm_system_free(alone);
  pm_system_free(many);
  pm_network_free(network);
}
END_TEST

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static Suite *suite(void)
{
  Suite *s = suite_create("gpus");
  TCase *figures = tcase_create("figures"), *names = tcase_create("names");
  tcase_add_checked_fixture(figures, open_catalog, close_catalog);
  tcase_add_test(figures, units_and_clock_make_the_peaks);
  tcase_add_test(figures, precisions_are_dense);
  tcase_add_test(figures, bus_and_rate_make_the_bandwidth);
  tcase_add_test(figures, facts_are_complete);
  tcase_add_test(figures, doctor_finds_nothing);
  tcase_add_test(figures, every_precision_is_predicted_with_constants);
  tcase_add_test(figures, sixteen_bits_are_those_of_the_tensor_cores);
  tcase_add_checked_fixture(names, open_catalog, close_catalog);
  tcase_add_loop_test(names, spelling_resolves, 0, COUNT(spellings));
  tcase_add_loop_test(names, guesses_are_not_made, 0, COUNT(unknown));
  tcase_add_test(names, gpus_are_spread_over_nodes);
  tcase_add_test(names, glued_names_of_rows_are_read);
  tcase_add_test(names, gpu_is_a_machine_with_one);
  tcase_add_test(names, systems_come_before_gpus);
  tcase_add_test(names, machine_of_one_predicts);
  suite_add_tcase(s, figures);
  suite_add_tcase(s, names);
  return s;
}

int main(void)
{
  SRunner *runner = srunner_create(suite());
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
