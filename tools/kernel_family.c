/* Families of kernels: which options give which fields of a kernel. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "kernel_family.h"

enum { SIZES = 8, NONE = -1 };

typedef struct size {
  option_id option;
  size_t field;
  double other; /* without the option; 0: it must be given; NAN: that of the size before */
} size;

#define SIZE(option, field, other) {OPTION_##option, offsetof(pm_kernel, field), other}
#define SIZES_END {OPTION_COUNT, 0, 0}

typedef struct family {
  const char *name;
  int forward, dgrad, wgrad; /* operators by pass; NONE: there is no such pass */
  double count;
  size sizes[SIZES];
} family;

#define RNN_SIZES {SIZE(HIDDEN, m, 0), SIZE(BATCH, n, 1), SIZE(STEPS, k, 1), SIZES_END}
#define RNN PM_OPERATOR_RNN_FORWARD, PM_OPERATOR_RNN_DGRAD, PM_OPERATOR_RNN_WGRAD
#define ROWS {SIZE(ROWS, m, 0), SIZE(ROW_SIZE, n, 0), SIZES_END}

static const family families[] = {
  {"gemm", PM_OPERATOR_GEMM, NONE, NONE, 1,
   {SIZE(M, m, 0), SIZE(N, n, 0), SIZE(K, k, 0), SIZE(PRODUCTS, count, 1), SIZES_END}},
  {"conv", PM_OPERATOR_CONV_FORWARD, PM_OPERATOR_CONV_DGRAD, PM_OPERATOR_CONV_WGRAD, 1,
   {SIZE(CHANNELS, channels, 0), SIZE(OUT_CHANNELS, out_channels, NAN), SIZE(GROUPS, groups, 1), SIZE(BATCH, n, 1),
    SIZES_END}},
  {"pooling", PM_OPERATOR_POOLING, NONE, NONE, 1, {SIZE(CHANNELS, channels, 0), SIZE(BATCH, n, 1), SIZES_END}},
  {"elementwise", PM_OPERATOR_ELEMENTWISE, NONE, NONE, 1, {SIZE(ELEMENTS, m, 0), SIZE(TENSORS, count, 2), SIZES_END}},
  {"batch-norm", PM_OPERATOR_BATCH_NORM, NONE, NONE, 1, {SIZE(ELEMENTS, m, 0), SIZES_END}},
  {"layer-norm", PM_OPERATOR_LAYER_NORM, NONE, NONE, 1, ROWS},
  {"softmax", PM_OPERATOR_SOFTMAX, NONE, NONE, 1, ROWS},
  {"reduction", PM_OPERATOR_REDUCTION, NONE, NONE, 1, ROWS},
  {"embedding", PM_OPERATOR_EMBEDDING, NONE, NONE, 1, ROWS},
  {"attention", PM_OPERATOR_ATTENTION, PM_OPERATOR_ATTENTION_BACKWARD, NONE, 1,
   {SIZE(HEADS, count, 0), SIZE(TOKENS, m, 0), SIZE(KEYS, k, NAN), SIZE(HEAD_SIZE, n, 0), SIZE(BATCH, groups, 1),
    SIZES_END}},
  {"lstm", RNN, 4, RNN_SIZES},
  {"gru", RNN, 3, RNN_SIZES},
  {"rnn", RNN, 1, RNN_SIZES},
  {"optimizer", PM_OPERATOR_OPTIMIZER, NONE, NONE, 1, {SIZE(PARAMETERS, m, 0), SIZES_END}},
  {"copy", PM_OPERATOR_COPY, NONE, NONE, 1, {SIZES_END}},
};

enum { FAMILIES = sizeof families / sizeof families[0] };

static const family *find(const char *name)
{
  for (int i = 0; i < FAMILIES; i++)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

static int unknown(const char *name)
{
  char known[256] = "";
  for (int i = 0; i < FAMILIES; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", families[i].name);
  }
  return fail(CODE_USAGE, "unknown kernel \"%.60s\"; known are %s", name, known);
}

static bool has_window(const family *f)
{
  return f->forward == PM_OPERATOR_CONV_FORWARD || f->forward == PM_OPERATOR_POOLING;
}

static bool is_rnn(const family *f)
{
  return f->forward == PM_OPERATOR_RNN_FORWARD;
}

/* ---- Sizes ---- */

static int read_size(const cli_request *request, const family *f, int index, pm_kernel *kernel)
{
  const size *s = &f->sizes[index];
  double value = s->other;
  if (isnan(value)) memcpy(&value, (const char *)kernel + f->sizes[index - 1].field, sizeof value);
  if (request->value[s->option] == NULL && !(value > 0))
    return fail(CODE_USAGE, "--%s is missing", option_name(request, s->option));
  if (!read_count_option(request, s->option, 1e15, value, &value)) return CODE_USAGE;
  memcpy((char *)kernel + s->field, &value, sizeof value);
  return CODE_DONE;
}

/* "56" or "224x112": height, then width. */
static int read_pair(const cli_request *request, option_id id, double least, double other, double *height,
                     double *width)
{
  const char *text = request->value[id], *cross = text != NULL ? strchr(text, 'x') : NULL;
  char first[32];
  *height = *width = other;
  if (text == NULL && other >= least) return CODE_DONE;
  if (text == NULL) return fail(CODE_USAGE, "--%s is missing", option_name(request, id));
  snprintf(first, sizeof first, "%.*s", (int)(cross != NULL ? (size_t)(cross - text) : strlen(text)), text);
  if (pm_number_parse(first, height) == PM_OK && pm_number_parse(cross != NULL ? cross + 1 : first, width) == PM_OK &&
      *height >= least && *width >= least && *height == floor(*height) && *width == floor(*width))
    return CODE_DONE;
  return fail(CODE_USAGE, "--%s \"%.40s\" is not a size such as 56 or 224x112", option_name(request, id), text);
}

/* Without --padding a convolution keeps its size, and pooling pads nothing. */
static int read_window(const cli_request *request, const family *f, pm_kernel *k)
{
  bool conv = f->forward == PM_OPERATOR_CONV_FORWARD;
  int code = read_pair(request, OPTION_IMAGE, 1, 0, &k->height, &k->width);
  if (code == CODE_DONE)
    code = read_pair(request, OPTION_WINDOW, 1, conv ? 3 : 2, &k->kernel_height, &k->kernel_width);
  if (code == CODE_DONE)
    code = read_pair(request, OPTION_STRIDE, 1, conv ? 1 : k->kernel_height, &k->stride_height, &k->stride_width);
  if (code == CODE_DONE) code = read_pair(request, OPTION_PADDING, 0, 0, &k->padding_height, &k->padding_width);
  if (code == CODE_DONE && conv && request->value[OPTION_PADDING] == NULL) {
    k->padding_height = floor((k->kernel_height - 1) / 2);
    k->padding_width = floor((k->kernel_width - 1) / 2);
  }
  if (!conv) k->out_channels = k->channels, k->groups = 1;
  return code;
}

/* ---- What may be said besides the sizes ---- */

static const struct {
  int forward;
  option_id option;
  size_t field;
} extras[] = {
  {PM_OPERATOR_GEMM, OPTION_OPERAND_BYTES, offsetof(pm_kernel, operand_bytes)},
  {PM_OPERATOR_ATTENTION, OPTION_KEY_WINDOW, offsetof(pm_kernel, window)},
  {PM_OPERATOR_ATTENTION, OPTION_KV_HEADS, offsetof(pm_kernel, kv_count)},
  {PM_OPERATOR_ATTENTION, OPTION_KV_BYTES, offsetof(pm_kernel, kv_bytes)},
  {PM_OPERATOR_ATTENTION, OPTION_VALUE_SIZE, offsetof(pm_kernel, value_size)},
};

enum { EXTRAS = sizeof extras / sizeof extras[0] };

static int read_extras(const cli_request *request, pm_kernel *kernel)
{
  for (int i = 0; i < EXTRAS; i++) {
    double value;
    const char *text = request->value[extras[i].option];
    if (text == NULL) continue;
    if (pm_number_parse(text, &value) != PM_OK || !(value > 0) || isinf(value))
      return fail(CODE_USAGE, "--%s \"%.40s\" is not a number above 0", option_name(request, extras[i].option), text);
    memcpy((char *)kernel + extras[i].field, &value, sizeof value);
  }
  return CODE_DONE;
}

/* ---- Which operator ---- */

static int read_pass(const cli_request *request, const family *f, pm_kernel *kernel)
{
  const char *pass = request->value[OPTION_PASS];
  int found = f->forward;
  if (pass != NULL && strcmp(pass, "forward") != 0) {
    found = NONE;
    if (strcmp(pass, "dgrad") == 0 || strcmp(pass, "backward") == 0) found = f->dgrad;
    if (strcmp(pass, "wgrad") == 0) found = f->wgrad;
  }
  kernel->operation = found;
  return found != NONE ? CODE_DONE : fail(CODE_USAGE, "%s has no pass \"%.40s\"", f->name, pass);
}

static int read_update(const cli_request *request, pm_kernel *kernel)
{
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_OPTIMIZER];
  const pm_field *field = pm_record_find_field(pm_record_type_find("kernel"), "optimizer");
  return name == NULL || pm_record_set(field, kernel, name, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

/* NULL with a message. */
static const pm_attention *read_implementation(const cli_request *request)
{
  pm_framework framework = {.attention = PM_ATTENTION_FUSED};
  pm_error error = PM_ERROR_NONE;
  const char *name = request->value[OPTION_ATTENTION];
  const pm_field *field = pm_record_find_field(pm_record_type_find("framework"), "attention");
  int status = name != NULL ? pm_record_set(field, &framework, name, &error) : PM_OK;
  if (status != PM_OK) fail_error(&error);
  return status == PM_OK ? pm_attention_get(framework.attention) : NULL;
}

static int read_attention(const cli_request *request, pm_kernel *kernel)
{
  static const option_id fused[] = {OPTION_CAUSAL, OPTION_KEY_WINDOW, OPTION_KV_HEADS, OPTION_KV_BYTES,
                                    OPTION_VALUE_SIZE,
                                    OPTION_LATENT};
  kernel->count *= kernel->groups; /* heads of all samples */
  kernel->kv_count *= kernel->groups;
  kernel->groups = 1;
  kernel->causal = request->value[OPTION_CAUSAL] != NULL;
  kernel->latent = request->value[OPTION_LATENT] != NULL;
  if (kernel->window > 0 && !kernel->causal) return fail(CODE_USAGE, "--window needs --causal");
  const pm_attention *implementation = read_implementation(request);
  if (implementation == NULL) return CODE_USAGE;
  if (!implementation->scores) {
    if (implementation->rate != 1) kernel->rate = implementation->rate;
    return CODE_DONE;
  }
  if (kernel->operation != PM_OPERATOR_ATTENTION)
    return fail(CODE_USAGE, "attention that stores its scores has no backward pass here; see its parts, gemm and "
                            "softmax");
  for (size_t i = 0; i < sizeof fused / sizeof fused[0]; i++)
    if (request->value[fused[i]] != NULL)
      return fail(CODE_USAGE, "attention that stores its scores computes those of all heads; it has no --%s",
                  option_name(request, fused[i]));
  kernel->operation = PM_OPERATOR_ATTENTION_UNFUSED;
  return CODE_DONE;
}

static int read_copy(const cli_request *request, pm_kernel *kernel)
{
  const char *text = request->value[OPTION_BYTES];
  pm_error error = PM_ERROR_NONE;
  kernel->pageable = request->value[OPTION_PAGEABLE] != NULL;
  if (text == NULL) return fail(CODE_USAGE, "--bytes is missing");
  if (pm_quantity_parse(text, "B", &kernel->m, &error) == PM_OK && kernel->m >= 1) return CODE_DONE;
  return fail(CODE_USAGE, "--bytes \"%.40s\" is not a size such as 64MiB or 1GB", text);
}

static int read_special(const cli_request *request, const family *f, pm_kernel *kernel)
{
  kernel->tn = request->value[OPTION_TN] != NULL;
  kernel->persistent = request->value[OPTION_PERSISTENT] != NULL;
  if (kernel->tn && f->forward != PM_OPERATOR_GEMM) return fail(CODE_USAGE, "--tn is for gemm");
  if (kernel->persistent && !is_rnn(f)) return fail(CODE_USAGE, "--persistent is for recurrent layers");
  if (has_window(f)) return read_window(request, f, kernel);
  switch (f->forward) {
  case PM_OPERATOR_OPTIMIZER: return read_update(request, kernel);
  case PM_OPERATOR_ATTENTION: return read_attention(request, kernel);
  case PM_OPERATOR_COPY: return read_copy(request, kernel);
  default: return CODE_DONE;
  }
}

/* ---- Options of other families ---- */

static bool is_used(const family *f, option_id id)
{
  for (int i = 0; f->sizes[i].option != OPTION_COUNT; i++)
    if (f->sizes[i].option == id) return true;
  for (int i = 0; i < EXTRAS; i++)
    if (extras[i].option == id) return f->forward == extras[i].forward;
  switch (id) {
  case OPTION_IMAGE:
  case OPTION_WINDOW:
  case OPTION_STRIDE:
  case OPTION_PADDING: return has_window(f);
  case OPTION_ATTENTION:
  case OPTION_CAUSAL:
  case OPTION_LATENT: return f->forward == PM_OPERATOR_ATTENTION;
  case OPTION_OPTIMIZER: return f->forward == PM_OPERATOR_OPTIMIZER;
  case OPTION_BYTES:
  case OPTION_PAGEABLE: return f->forward == PM_OPERATOR_COPY;
  default: return false;
  }
}

static int refuse_others(const cli_request *request, const family *f)
{
  static const option_id all[] = {OPTION_M, OPTION_N, OPTION_K, OPTION_PRODUCTS, OPTION_CHANNELS, OPTION_OUT_CHANNELS,
                                  OPTION_GROUPS, OPTION_IMAGE, OPTION_WINDOW, OPTION_STRIDE, OPTION_PADDING,
                                      OPTION_BATCH,
                                  OPTION_HIDDEN, OPTION_STEPS, OPTION_HEADS, OPTION_TOKENS, OPTION_KEYS,
                                      OPTION_HEAD_SIZE,
                                  OPTION_ATTENTION, OPTION_CAUSAL, OPTION_KEY_WINDOW, OPTION_KV_HEADS, OPTION_KV_BYTES,
                                  OPTION_VALUE_SIZE, OPTION_LATENT, OPTION_OPERAND_BYTES, OPTION_ROWS, OPTION_ROW_SIZE,
                                      OPTION_ELEMENTS, OPTION_TENSORS,
                                  OPTION_PARAMETERS, OPTION_OPTIMIZER, OPTION_BYTES, OPTION_PAGEABLE};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (request->value[all[i]] != NULL && !is_used(f, all[i]))
      return fail(CODE_USAGE, "%s has no --%s", f->name, option_name(request, all[i]));
  return CODE_DONE;
}

int read_kernel_family(const cli_request *request, const char *name, pm_kernel *kernel)
{
  const family *f = find(name);
  if (f == NULL) return unknown(name);
  pm_record_clear(pm_record_type_find("kernel"), kernel);
  kernel->precision = PM_PRECISION_FP32;
  kernel->count = f->count;
  int code = refuse_others(request, f);
  if (code == CODE_DONE) code = read_pass(request, f, kernel);
  for (int i = 0; code == CODE_DONE && f->sizes[i].option != OPTION_COUNT; i++) code = read_size(request, f, i, kernel);
  if (code == CODE_DONE) code = read_extras(request, kernel);
  return code == CODE_DONE ? read_special(request, f, kernel) : code;
}
