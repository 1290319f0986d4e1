/* Reads a row of a table of kernel times as a kernel of the model. */
#include "validation/kernel_row.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

/* Larger tensors take the memory's time, smaller ones the host's or the cache's. */
static const double LARGE = 32e6;

pm__lab_kernel_columns pm__lab_kernel_columns_of(const pm__csv *sheet, const char *file)
{
  pm__lab_kernel_columns c;
#define FIND(name) c.name = pm__csv_column(sheet, #name);
  PM__KERNEL_COLUMNS(FIND)
#undef FIND
  c.file = file;
  return c;
}

typedef struct reader {
  const pm__csv *sheet;
  const pm__lab_kernel_columns *columns;
  size_t line;
  pm_error *error;
  int status;
} reader;

#define CELL(r, column) pm__csv_cell((r)->sheet, (r)->line, (r)->columns->column)

static double number_of(reader *r, const char *column, const char *text, double otherwise)
{
  double value = otherwise;
  if (text[0] == '\0') return otherwise;
  if (pm_number_parse(text, &value) == PM_OK && isfinite(value)) return value;
  if (r->status == PM_OK)
    r->status = pm__fail(r->error, PM_STATUS_BAD_VALUE, "%s:%zu: %s \"%.40s\" is not a number", r->columns->file,
                         r->line + 1,
                         column, text);
  return otherwise;
}

#define NUMBER(r, column, otherwise) number_of(r, #column, CELL(r, column), otherwise)

static void label(pm__lab_kernel_row *row, const char *text, const char *suffix)
{
  snprintf(row->label, sizeof row->label, "%.14s%.9s", text, suffix);
}

static void set_gemm(pm__lab_kernel_row *row, reader *r)
{
  pm_kernel *k = &row->kernel;
  const char *op = CELL(r, op);
  bool linear = strcmp(op, "linear") == 0;
  double batch = NUMBER(r, B, 1);
  k->operation = PM_OPERATOR_GEMM;
  k->count = linear ? 1 : batch;
  k->m = NUMBER(r, M, NAN) * (linear ? batch : 1);
  k->n = NUMBER(r, N, NAN);
  k->k = NUMBER(r, K, NAN);
  k->tn = linear || (strcmp(CELL(r, transA), "T") == 0 && strcmp(CELL(r, transB), "N") == 0);
  label(row, "gemm", linear ? "-linear" : strcmp(op, "bmm") == 0 || batch > 1 ? "-batched" : "");
}

/* The position of a pass behind the operator of the forward one; -1: none. */
static int pass_of(const reader *r)
{
  static const char *const names[] = {"fwd", "bwd_data", "bwd_weight"};
  const char *pass = CELL(r, pass);
  if (pass[0] == '\0') return 0;
  for (int i = 0; i < 3; i++)
    if (strcmp(pass, names[i]) == 0) return i;
  return strcmp(pass, "bwd") == 0 && strcmp(CELL(r, kernel), "rnn") == 0 ? 1 : -1;
}

static void set_pass(pm__lab_kernel_row *row, reader *r, int forward, const char *name)
{
  static const char *const suffixes[] = {"-forward", "-dgrad", "-wgrad"};
  int pass = pass_of(r);
  if (pass < 0) {
    row->skip = "the pass is none of fwd, bwd_data, bwd_weight";
    return;
  }
  row->kernel.operation = forward + pass;
  snprintf(row->label, sizeof row->label, "%.6s%s", name, suffixes[pass]);
}

static void set_conv(pm__lab_kernel_row *row, reader *r)
{
  pm_kernel *k = &row->kernel;
  set_pass(row, r, PM_OPERATOR_CONV_FORWARD, "conv");
  k->n = NUMBER(r, conv_N, NAN);
  k->channels = NUMBER(r, conv_C, NAN);
  k->out_channels = NUMBER(r, conv_K, NAN);
  k->groups = 1;
  k->height = NUMBER(r, conv_H, NAN);
  k->width = NUMBER(r, conv_W, NAN);
  k->kernel_height = NUMBER(r, filt_R_h, NAN);
  k->kernel_width = NUMBER(r, filt_S_w, NAN);
  k->padding_height = NUMBER(r, pad_h, 0);
  k->padding_width = NUMBER(r, pad_w, 0);
  k->stride_height = NUMBER(r, stride_h, 1);
  k->stride_width = NUMBER(r, stride_w, 1);
}

static void set_rnn(pm__lab_kernel_row *row, reader *r)
{
  static const struct {
    const char *name;
    double gates;
  } cells[] = {{"Vanilla", 1}, {"RNN", 1}, {"GRU", 3}, {"LSTM", 4}};
  pm_kernel *k = &row->kernel;
  k->count = NAN;
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
    if (strcmp(CELL(r, op), cells[i].name) == 0) k->count = cells[i].gates;
  if (isnan(k->count)) row->skip = "the recurrent layer is none of Vanilla, GRU, LSTM";
  set_pass(row, r, PM_OPERATOR_RNN_FORWARD, "rnn");
  k->m = NUMBER(r, hidden, NAN);
  k->n = NUMBER(r, rnn_batch, NAN);
  k->k = NUMBER(r, timesteps, NAN);
}

/* "32768x1600" */
static bool read_shape(const char *text, double *rows, double *columns)
{
  char *end;
  if (text[0] < '0' || text[0] > '9') return false;
  *rows = (double)strtoull(text, &end, 10);
  if (*end != 'x' || end[1] < '0' || end[1] > '9') return false;
  *columns = (double)strtoull(end + 1, &end, 10);
  return *end == '\0';
}

static bool takes_two(const char *op)
{
  static const char *const names[] = {"add", "mul", "pow", "div", "sub"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(op, names[i]) == 0) return true;
  return false;
}

static void set_stream(pm__lab_kernel_row *row, reader *r, int operation, const char *name)
{
  pm_kernel *k = &row->kernel;
  double rows, columns;
  k->operation = operation;
  if (!read_shape(CELL(r, shape), &rows, &columns)) {
    row->skip = "the shape is not written as \"rows x columns\"";
    return;
  }
  row->bytes = rows * columns * pm_precision_get_bytes(k->precision);
  label(row, name, row->bytes >= LARGE ? "-large" : "-small");
  k->m = operation == PM_OPERATOR_ELEMENTWISE ? rows * columns : rows;
  k->n = columns;
  if (operation == PM_OPERATOR_ELEMENTWISE) k->count = takes_two(CELL(r, op)) ? 3 : 2;
}

/* FP16 with FP32 sums is what the catalogue calls fp16; sums in FP16 are told apart in the group only. */
static void set_precision(pm__lab_kernel_row *row, reader *r)
{
  static const struct {
    const char *text, *name;
    int precision;
  } names[] = {{"fp16-mixed", "fp16", PM_PRECISION_FP16}, {"fp16", "fp16-half", PM_PRECISION_FP16},
               {"fp16-in-fp32-math", "fp16-storage", PM_PRECISION_FP16_STORAGE}};
  const char *text = CELL(r, precision);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(text, names[i].text) != 0) continue;
    row->kernel.precision = names[i].precision;
    snprintf(row->precision, sizeof row->precision, "%s", names[i].name);
    return;
  }
  snprintf(row->precision, sizeof row->precision, "%.15s", text);
  if (pm_record_set(pm_record_find_field(pm_record_type_find("kernel"), "precision"), &row->kernel, text,
                    NULL) != PM_OK)
    row->skip = "the precision is unknown";
}

static void set_kernel(pm__lab_kernel_row *row, reader *r)
{
  const char *kernel = CELL(r, kernel);
  if (strcmp(kernel, "gemm") == 0) set_gemm(row, r);
  else if (strcmp(kernel, "conv") == 0) set_conv(row, r);
  else if (strcmp(kernel, "rnn") == 0) set_rnn(row, r);
  else if (strcmp(kernel, "elementwise") == 0) set_stream(row, r, PM_OPERATOR_ELEMENTWISE, "elementwise");
  else if (strcmp(kernel, "ln") == 0) set_stream(row, r, PM_OPERATOR_LAYER_NORM, "layer-norm");
  else if (strcmp(kernel, "softmax") == 0) set_stream(row, r, PM_OPERATOR_SOFTMAX, "softmax");
  else row->skip = "the kernel is none of gemm, conv, rnn, elementwise, ln, softmax";
}

int pm__lab_kernel_row_read(pm__lab_kernel_row *row, const pm__csv *sheet, const pm__lab_kernel_columns *columns,
                            size_t line,
                            pm_error *error)
{
  reader r = {sheet, columns, line, error, PM_OK};
  memset(row, 0, sizeof *row);
  pm_record_clear(pm_record_type_find("kernel"), &row->kernel);
  set_precision(row, &r);
  if (row->skip == NULL) set_kernel(row, &r);
  if (CELL(&r, sparsity)[0] != '\0') row->skip = "products of sparse matrices are not modelled";
  row->time = NUMBER(&r, time_us, NAN) / 1e6;
  if (row->skip == NULL && r.status == PM_OK && !(row->time > 0)) row->skip = "there is no time above 0";
  return r.status;
}
