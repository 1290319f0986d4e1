/* perfmodel kernel: one kernel by its sizes. */
#include <string.h>
#include "command.h"

static int find_device(const cli_request *request, const pm_catalog *catalog, pm_gpu *gpu,
                       pm_kernel_calibration *constants, bool *calibrated)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_GPU];
  int32_t model = PM_KERNEL_MODEL_CALIBRATED;
  if (name == NULL) return fail(CODE_USAGE, "--gpu is missing; see perfmodel list gpus");
  if (!read_kernels(request->value[OPTION_KERNELS], &model)) return CODE_USAGE;
  if (pm_catalog_record(catalog, "gpu", name, gpu, &error) != PM_OK) return fail_error(&error);
  *calibrated = model == PM_KERNEL_MODEL_CALIBRATED && pm_catalog_kernels(catalog, gpu, constants, NULL) == PM_OK;
  return CODE_DONE;
}

static int read_kernel(const cli_request *request, pm_kernel *kernel)
{
  pm_record_init(pm_record_type_find("kernel"), kernel);
  kernel->operation = PM_OPERATOR_GEMM;
  kernel->precision = PM_FP32;
  if (strcmp(request->arguments.items[0], "gemm") != 0)
    return fail(CODE_USAGE, "unknown kernel \"%.60s\"; it is gemm", request->arguments.items[0]);
  const struct {
    option_id id;
    const char *name;
    double *place;
  } sizes[] = {{OPTION_M, "m", &kernel->m}, {OPTION_N, "n", &kernel->n}, {OPTION_K, "k", &kernel->k}};
  for (int i = 0; i < 3; i++) {
    if (request->value[sizes[i].id] == NULL) return fail(CODE_USAGE, "--%s is missing", sizes[i].name);
    if (!read_count_option(request, sizes[i].id, COUNT_MOST, 1, sizes[i].place)) return CODE_USAGE;
  }
  if (!read_count_option(request, OPTION_PRODUCTS, COUNT_MOST, 1, &kernel->count)) return CODE_USAGE;
  kernel->tn = request->value[OPTION_TN] != NULL;
  return read_precision(request->value[OPTION_PRECISION], &kernel->precision) ? CODE_DONE : CODE_USAGE;
}

static int answer(const cli_request *request, const pm_catalog *catalog)
{
  pm_gpu gpu;
  pm_kernel_calibration constants;
  pm_kernel kernel;
  pm_kernel_time time;
  pm_error error = PM_ERROR_NONE;
  bool calibrated = false;
  int code = read_kernel(request, &kernel);
  if (code == CODE_DONE) code = find_device(request, catalog, &gpu, &constants, &calibrated);
  if (code != CODE_DONE) return code;
  if (pm_kernel_predict(&gpu, calibrated ? &constants : NULL, &kernel, &time, 1, &error) != PM_OK)
    return fail_error(&error);
  pm_table *table = pm_table_new(1, &error);
  if (table != NULL && pm_table_add_records(table, pm_record_type_find("kernel_time"), &time, &error) != PM_OK) {
    pm_table_free(table);
    table = NULL;
  }
  return write_table(request, table, &error);
}

static int run(const cli_request *request)
{
  int code;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  code = answer(request, catalog);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_M, '\0', "m", "N", "rows of the result"},
  {OPTION_N, '\0', "n", "N", "columns of the result"},
  {OPTION_K, '\0', "k", "N", "length of the contraction"},
  {OPTION_PRODUCTS, '\0', "count", "N", "independent products of these sizes (default 1)"},
  {OPTION_TN, '\0', "tn", NULL, "both operands are stored along the contraction, as of a linear layer"},
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU; see perfmodel list gpus"},
  {OPTION_PRECISION, '\0', "precision", "NAME", "precision (default fp32); see perfmodel list precisions"},
  {OPTION_KERNELS, '\0', "kernels", "calibrated|roofline", "how it is timed (default calibrated, where the architecture "
                                                          "has constants)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command kernel_command = {
  "kernel", "gemm", "times one kernel on one GPU",
  "Prints the time of a matrix product m x n x k, without the time to start it: algorithm, what limits it, arithmetic, "
  "memory traffic, intensity, the ceilings of the roofline, and the time by the plain roofline.",
  "perfmodel kernel gemm --m 4096 --n 4096 --k 4096 --gpu a100-sxm4-80gb --precision bf16", options, 1, 1, run};
