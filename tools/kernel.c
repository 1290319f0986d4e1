/* perfmodel kernel: one kernel by its sizes. */
#include "kernel_family.h"

static int find_device(const cli_request *request, const pm_catalog *catalog, pm_gpu *gpu,
                       pm_kernel_calibration *constants, bool *calibrated)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_GPU];
  int32_t model = PM_KERNEL_MODEL_CALIBRATED;
  if (name == NULL) return fail(CODE_USAGE, "--gpu is missing; see perfmodel list gpus");
  if (!read_kernels(request->value[OPTION_KERNEL_MODEL], &model)) return CODE_USAGE;
  if (pm_catalog_get_record(catalog, "gpu", name, gpu, &error) != PM_OK) return fail_error(&error);
  *calibrated = model == PM_KERNEL_MODEL_CALIBRATED && pm_catalog_get_kernels(catalog, gpu, constants, NULL) == PM_OK;
  return CODE_DONE;
}

/* A copy goes over the link that the GPU's record names. */
static int add_link(const pm_catalog *catalog, const pm_gpu *gpu, pm_kernel *kernel)
{
  pm_link link;
  pm_error error = PM_ERROR_NONE;
  if (kernel->operation != PM_OPERATOR_COPY) return CODE_DONE;
  if (gpu->pcie[0] == '\0') return fail(CODE_CONSTRAINT, "gpu \"%s\": the link to its host is not known", gpu->id);
  if (pm_catalog_get_record(catalog, "link", gpu->pcie, &link, &error) != PM_OK) return fail_error(&error);
  kernel->link_bandwidth = link.bandwidth;
  return CODE_DONE;
}

static int read_kernel(const cli_request *request, pm_kernel *kernel)
{
  int code = read_kernel_family(request, request->arguments.items[0], kernel);
  if (code != CODE_DONE) return code;
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
  if (code == CODE_DONE) code = add_link(catalog, &gpu, &kernel);
  if (code != CODE_DONE) return code;
  if (pm_kernel_predict(&gpu, calibrated ? &constants : NULL, &kernel, &time, 1, &error) != PM_OK)
    return fail_error(&error);
  return write_table(request, pm_table_new_of_records(pm_record_type_find("kernel_time"), &time, 1, &error), &error);
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
  {OPTION_GPU, '\0', "gpu", "NAME", "the GPU; see perfmodel list gpus"},
  {OPTION_PRECISION, '\0', "precision", "NAME", "precision (default fp32); see perfmodel list precisions"},
  {OPTION_KERNEL_MODEL, '\0', "kernel-model", "calibrated|roofline",
   "kernel model (default calibrated, if the architecture has constants)"},
  {OPTION_PASS, '\0', "pass", "NAME", "conv, lstm, gru, rnn: forward (default), dgrad or wgrad; "
                                     "attention: forward or backward"},
  {OPTION_BATCH, '\0', "batch", "N", "conv, pooling, attention, lstm, gru, rnn: samples (default 1)"},
  {OPTION_M, '\0', "m", "N", "gemm: rows of the result"},
  {OPTION_N, '\0', "n", "N", "gemm: columns of the result"},
  {OPTION_K, '\0', "k", "N", "gemm: length of the contraction"},
  {OPTION_PRODUCTS, '\0', "count", "N", "gemm: independent products of these sizes (default 1)"},
  {OPTION_TN, '\0', "tn", NULL, "gemm: both operands are stored along the contraction, as in a linear layer"},
  {OPTION_OPERAND_BYTES, '\0', "operand-bytes", "B",
   "gemm: bytes per stored number of the second operand, such as 0.5 for weights "
                                                    "with four bits (default: those of the precision)"},
  {OPTION_CHANNELS, '\0', "channels", "N", "conv, pooling: input channels"},
  {OPTION_OUT_CHANNELS, '\0', "out-channels", "N", "conv: output channels (default: as many as input channels)"},
  {OPTION_GROUPS, '\0', "groups", "N", "conv: groups (default 1)"},
  {OPTION_IMAGE, '\0', "size", "H[xW]", "conv, pooling: height and width of the input"},
  {OPTION_WINDOW, '\0', "kernel", "H[xW]", "conv, pooling: the window (default 3, pooling 2)"},
  {OPTION_STRIDE, '\0', "stride", "H[xW]", "conv, pooling: stride (default 1, pooling that of the window)"},
  {OPTION_PADDING, '\0', "padding", "H[xW]", "conv, pooling: padding on each side (default half of the window, pooling "
                                             "0)"},
  {OPTION_HEADS, '\0', "heads", "N", "attention: query heads of one sample"},
  {OPTION_TOKENS, '\0', "tokens", "N", "attention: queries of one sample"},
  {OPTION_KEYS, '\0', "keys", "N", "attention: keys of one sample (default: as many as queries)"},
  {OPTION_HEAD_SIZE, '\0', "head-size", "N", "attention: features per head"},
  {OPTION_ATTENTION, '\0', "attention", "NAME",
   "attention: implementation (default fused); see perfmodel list attention"},
  {OPTION_CAUSAL, '\0', "causal", NULL, "attention: causal mask"},
  {OPTION_KEY_WINDOW, '\0', "window", "N", "attention: window, the largest number of keys per query, with --causal "
  "(default all)"},
  {OPTION_KV_HEADS, '\0', "kv-heads", "N", "attention: key-value heads of one sample (default: as many as query "
  "heads)"},
  {OPTION_KV_BYTES, '\0', "kv-bytes", "B", "attention: bytes per stored number of keys and values (default: those of "
  "the precision)"},
  {OPTION_VALUE_SIZE, '\0', "value-size", "N", "attention: features per head of the values (default: those of the "
  "keys)"},
  {OPTION_LATENT, '\0', "latent", NULL, "attention: values are a part of the keys, and only keys are stored"},
  {OPTION_HIDDEN, '\0', "hidden", "N", "lstm, gru, rnn: hidden units, and number of inputs"},
  {OPTION_STEPS, '\0', "steps", "N", "lstm, gru, rnn: time steps (default 1)"},
  {OPTION_PERSISTENT, '\0', "persistent", NULL, "lstm, gru, rnn: the weights stay in registers, if they fit"},
  {OPTION_ROWS, '\0', "rows", "N", "layer-norm, softmax, reduction, embedding: rows"},
  {OPTION_ROW_SIZE, '\0', "row-size", "N", "the same: numbers of a row"},
  {OPTION_ELEMENTS, '\0', "elements", "N", "elementwise, batch-norm: numbers of a tensor"},
  {OPTION_TENSORS, '\0', "tensors", "N", "elementwise: tensors read or written (default 2)"},
  {OPTION_PARAMETERS, '\0', "parameters", "N", "optimizer: parameters"},
  {OPTION_OPTIMIZER, '\0', "optimizer", "NAME",
   "optimizer: the optimizer (default momentum); see perfmodel list optimizers"},
  {OPTION_BYTES, '\0', "bytes", "SIZE", "copy: bytes between host and device, such as 64MiB"},
  {OPTION_PAGEABLE, '\0', "pageable", NULL, "copy: from pageable memory"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command kernel_command = {
  "kernel", "KERNEL", "times one kernel on one GPU",
  "Prints the time of one kernel, without the time to start it: algorithm, what limits it, arithmetic, memory traffic, "
  "intensity, the ceilings of the roofline, and the time by the plain roofline. KERNEL is gemm, conv, pooling, "
  "elementwise, batch-norm, layer-norm, softmax, reduction, embedding, attention, lstm, gru, rnn, optimizer or copy.",
  "perfmodel kernel conv --channels 64 --size 56 --batch 32 --pass wgrad --gpu v100", options, 1, 1, run};
