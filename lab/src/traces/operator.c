/* Calls of PyTorch's operators as rows of the set of kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/traces.h"

const char pm__lab_trace_titles[] =
  "kernel,op,pass,precision,B,M,N,K,transA,transB,conv_N,conv_C,conv_K,conv_H,conv_W,filt_R_h,filt_S_w,pad_h,pad_w,"
  "stride_h,stride_w,shape,gpu,id,calls,time_us\n";

void pm__lab_trace_clean(char *cell)
{
  for (char *p = cell; *p != '\0'; p++)
    if (*p == ',' || *p == '"' || *p == '\n' || *p == '\r') *p = ' ';
  pm_text_clean(cell);
}

/* ---- Arguments ---- */

static void put_number(pm__lab_trace_lists *lists, double value)
{
  int list = lists->count - 1;
  if (list < 0 || list >= PM__LAB_TRACE_ARGUMENTS) return;
  int at = lists->length[list]++;
  if (at < PM__LAB_TRACE_NUMBERS) lists->number[list][at] = value;
}

void pm__lab_trace_lists_read(pm__lab_trace_lists *lists, const char *text, size_t length)
{
  int depth = 0;
  memset(lists, 0, sizeof *lists);
  for (const char *p = text; p < text + length;) {
    const char *begin = p;
    double value;
    if (*p == '[' && ++depth == 2) lists->count++;
    if (*p == ']') depth--;
    if ((*p == '-' || (*p >= '0' && *p <= '9')) && pm__number_scan(&p, 0, &value) == PM_OK) put_number(lists, value);
    if (p == begin) p++;
  }
  if (lists->count > PM__LAB_TRACE_ARGUMENTS) lists->count = PM__LAB_TRACE_ARGUMENTS;
}

/* Whether a number is a whole one, and what a tensor or a step over one can have. */
static bool is_whole(double number, double least)
{
  return number >= least && number <= PM__LAB_TRACE_MOST && number == floor(number) && !signbit(number);
}

/* A tensor's sizes, if it has so many; no kernel runs on an empty one. */
static const double *tensor(const pm__lab_trace_call *call, int argument, int rank)
{
  if (argument >= call->sizes.count || call->sizes.length[argument] != rank || rank > PM__LAB_TRACE_NUMBERS)
    return NULL;
  const double *sizes = call->sizes.number[argument];
  for (int i = 0; i < rank; i++)
    if (!is_whole(sizes[i], 1)) return NULL;
  return sizes;
}

/* Numbers of a tensor of any sizes; 0: a scalar, or none; NAN: no tensor has such. */
static double numbers_of(const pm__lab_trace_call *call, int argument)
{
  double product = 1;
  if (argument >= call->sizes.count || call->sizes.length[argument] == 0) return 0;
  const double *sizes = tensor(call, argument, call->sizes.length[argument]);
  for (int i = 0; sizes != NULL && i < call->sizes.length[argument]; i++) product *= sizes[i];
  return sizes != NULL && product <= PM__LAB_TRACE_MOST ? product : (double)NAN;
}

/* ---- Precision: by the type of the data, and for FP32 and unknown types by the kernel's name ---- */

static bool names(const pm__lab_trace_call *call, const char *part)
{
  return strstr(call->kernel, part) != NULL;
}

/* TF32 runs FP32 data on tensor cores. */
static const char *single_precision(const pm__lab_trace_call *call)
{
  return names(call, "tf32") || names(call, "s1688") ? "tf32" : "fp32";
}

static const char *precision_by_kernel(const pm__lab_trace_call *call)
{
  static const char *const half[] = {"f16", "fp16", "h884", "h1688", "h16816", "hgemm", "_hmma", "c10::Half", "__half"};
  static const char *const single[] = {"sgemm", "f32f32", "tf32", "s1688", "<float", "float>", "float,"};
  if (names(call, "bf16") || names(call, "bfloat16") || names(call, "BFloat16")) return "bf16";
  for (size_t i = 0; i < sizeof half / sizeof half[0]; i++)
    if (names(call, half[i])) return "fp16-mixed";
  for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
    if (names(call, single[i])) return single_precision(call);
  return NULL;
}

static const char *precision_of(const pm__lab_trace_call *call)
{
  if (call->type[0] == '\0') return precision_by_kernel(call);
  if (strcmp(call->type, "float") == 0) return single_precision(call);
  if (strcmp(call->type, "double") == 0) return "fp64";
  if (strstr(call->type, "BFloat16") != NULL) return "bf16";
  return strstr(call->type, "Half") != NULL ? "fp16-mixed" : NULL;
}

/* ---- Rows ---- */

/* Cells from the operator's to the last. */
static bool finish(const pm__lab_trace_call *call, char *row, const char *cells)
{
  char gpu[sizeof call->gpu], op[sizeof call->op];
  snprintf(gpu, sizeof gpu, "%s", call->gpu);
  snprintf(op, sizeof op, "%s", call->op);
  pm__lab_trace_clean(gpu);
  pm__lab_trace_clean(op);
  return snprintf(row, PM__LAB_TRACE_ROW, "%s,%s,%s", cells, gpu, op) < PM__LAB_TRACE_ROW;
}

/* Whether a matrix is stored column by column; without strides the kernel's name ("..._tn", "..._tn_n_...") tells. */
static bool is_transposed(const pm__lab_trace_call *call, int argument, int rank, const char *name)
{
  if (argument >= call->strides.count || call->strides.length[argument] != rank) return names(call, name);
  const double *strides = call->strides.number[argument];
  return strides[rank - 2] == 1 && strides[rank - 1] != 1;
}

/* m x k by k x n. BLAS stores columns, so its first matrix is the second one here: T and N are a linear layer's, whose
** weights are stored by output. */
static bool product(const pm__lab_trace_call *call, int first, bool batched, const char *op, char *row)
{
  char cells[PM__LAB_TRACE_ROW];
  const char *precision = precision_of(call);
  int rank = batched ? 3 : 2;
  const double *a = tensor(call, first, rank), *b = tensor(call, first + 1, rank);
  if (precision == NULL || a == NULL || b == NULL || a[rank - 1] != b[rank - 2]) return false;
  bool trans_a = is_transposed(call, first + 1, rank, "_tn"), trans_b = is_transposed(call, first, rank, "_nt");
  snprintf(cells, sizeof cells, "gemm,%s,,%s,%.0f,%.0f,%.0f,%.0f,%s,%s,,,,,,,,,,,,", op, precision, batched ? a[0] : 1,
           a[rank - 2], b[rank - 1], a[rank - 1], trans_a ? "T" : "N", trans_b ? "T" : "N");
  return finish(call, row, cells);
}

static bool row_of_mm(const pm__lab_trace_call *call, char *row)
{
  return product(call, 0, false, "gemm", row);
}

/* The bias is added within. */
static bool row_of_addmm(const pm__lab_trace_call *call, char *row)
{
  return product(call, 1, false, "gemm", row);
}

static bool row_of_bmm(const pm__lab_trace_call *call, char *row)
{
  return product(call, 0, true, "bmm", row);
}

static bool row_of_baddbmm(const pm__lab_trace_call *call, char *row)
{
  return product(call, 1, true, "bmm", row);
}

/* Both numbers of an argument for the two directions: one stands for both. */
static bool pair_of(const pm__lab_trace_call *call, int argument, double pair[2])
{
  if (argument >= call->values.count || call->values.length[argument] < 1) return false;
  const double *values = call->values.number[argument];
  pair[0] = values[0];
  pair[1] = call->values.length[argument] > 1 ? values[1] : values[0];
  return is_whole(pair[0], 0) && is_whole(pair[1], 0);
}

/* Where a convolution has its arguments; the data and the weights stand beside each other. */
typedef struct places {
  int data, padding, stride, dilation, groups;
} places;

static bool convolution(const pm__lab_trace_call *call, places at, const char *pass, char *row)
{
  char cells[PM__LAB_TRACE_ROW];
  double padding[2], stride[2], dilation[2], groups[2];
  const char *precision = precision_of(call);
  const double *x = tensor(call, at.data, 4), *w = tensor(call, at.data + 1, 4);
  bool known = precision != NULL && x != NULL && w != NULL && pair_of(call, at.padding, padding) &&
               pair_of(call, at.stride, stride) && pair_of(call, at.dilation, dilation) &&
               pair_of(call, at.groups, groups);
  if (!known || groups[0] != 1 || dilation[0] != 1 || dilation[1] != 1 || x[1] != w[1]) return false;
  snprintf(cells, sizeof cells, "conv,,%s,%s,,,,,,,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,", pass,
           precision, x[0], x[1], w[0], x[2], x[3], w[2], w[3], padding[0], padding[1], stride[0], stride[1]);
  return finish(call, row, cells);
}

static bool row_of_cudnn(const pm__lab_trace_call *call, char *row)
{
  return convolution(call, (places){0, 2, 3, 4, 5}, "fwd", row);
}

static bool row_of_miopen(const pm__lab_trace_call *call, char *row)
{
  return convolution(call, (places){0, 3, 4, 5, 6}, "fwd", row);
}

static bool row_of_gradients(const pm__lab_trace_call *call, char *row)
{
  const places at = {1, 5, 4, 6, 9};
  const char *pass = names(call, "wgrad") ? "bwd_weight" : names(call, "dgrad") ? "bwd_data" : NULL;
  return pass != NULL && convolution(call, at, pass, row);
}

static bool stream(const pm__lab_trace_call *call, const char *kernel, const char *op, double rows, double columns,
                   char *row)
{
  char cells[PM__LAB_TRACE_ROW];
  const char *precision = precision_of(call);
  if (precision == NULL || !(rows >= 1) || !(columns >= 1)) return false;
  if (strcmp(precision, "tf32") == 0) precision = "fp32";
  snprintf(cells, sizeof cells, "%s,%s,,%s,,,,,,,,,,,,,,,,,,%.0fx%.0f", kernel, op, precision, rows, columns);
  return finish(call, row, cells);
}

/* Over the last dimension. */
static bool rows_of(const pm__lab_trace_call *call, const char *kernel, char *row)
{
  double numbers = numbers_of(call, 0);
  if (numbers == 0) return false;
  double columns = call->sizes.number[0][call->sizes.length[0] - 1];
  return stream(call, kernel, "", numbers / columns, columns, row);
}

static bool row_of_norm(const pm__lab_trace_call *call, char *row)
{
  return rows_of(call, "ln", row);
}

static bool row_of_softmax(const pm__lab_trace_call *call, char *row)
{
  double dim = call->values.count > 1 && call->values.length[1] > 0 ? call->values.number[1][0] : -1;
  bool last = dim == -1 || dim + 1 == call->sizes.length[0];
  return last && rows_of(call, "softmax", row);
}

/* One tensor in, one out. */
static bool row_of_unary(const pm__lab_trace_call *call, char *row)
{
  return stream(call, "elementwise", "copy", numbers_of(call, 0), 1, row);
}

/* Two tensors in, one out; a number instead of the second is none; one that is spread over the first is neither. */
static bool row_of_binary(const pm__lab_trace_call *call, char *row)
{
  double first = numbers_of(call, 0), second = numbers_of(call, 1);
  if (second == 0) return row_of_unary(call, row);
  return first == second && stream(call, "elementwise", "add", first, 1, row);
}

static const struct {
  const char *op; /* without "aten::" and the mark of what works in place */
  bool (*row)(const pm__lab_trace_call *call, char *row);
} operators[] = {
  {"mm", row_of_mm}, {"addmm", row_of_addmm}, {"_addmm_activation", row_of_addmm}, {"bmm", row_of_bmm},
  {"baddbmm", row_of_baddbmm},
  {"cudnn_convolution", row_of_cudnn}, {"miopen_convolution", row_of_miopen},
    {"convolution_backward", row_of_gradients},
  {"native_layer_norm", row_of_norm}, {"_softmax", row_of_softmax}, {"_log_softmax", row_of_softmax},
  {"add", row_of_binary}, {"sub", row_of_binary}, {"mul", row_of_binary}, {"div", row_of_binary},
  {"threshold_backward", row_of_binary}, {"gelu_backward", row_of_binary}, {"silu_backward", row_of_binary},
  {"tanh_backward", row_of_binary}, {"sigmoid_backward", row_of_binary},
  {"relu", row_of_unary}, {"clamp_min", row_of_unary}, {"gelu", row_of_unary}, {"silu", row_of_unary},
  {"tanh", row_of_unary}, {"sigmoid", row_of_unary}, {"neg", row_of_unary}, {"exp", row_of_unary},
  {"sqrt", row_of_unary}, {"rsqrt", row_of_unary},
};

/* "aten::add_" is add. */
static bool is_operator(const char *op, const char *name)
{
  size_t length = strlen(name);
  if (strncmp(op, "aten::", 6) != 0 || strncmp(op + 6, name, length) != 0) return false;
  return op[6 + length] == '\0' || (op[6 + length] == '_' && op[7 + length] == '\0');
}

bool pm__lab_trace_is_two_passes(const char *op)
{
  return is_operator(op, "convolution_backward");
}

bool pm__lab_trace_row(const pm__lab_trace_call *call, char row[PM__LAB_TRACE_ROW])
{
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
    if (is_operator(call->op, operators[i].op)) return operators[i].row(call, row);
  return false;
}
