/* Reads a row of a table of operators of language models as the kernels that it ran. */
#include "validation/operator_row.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

pm__lab_operator_columns pm__lab_operator_columns_of(const pm__csv *sheet)
{
  pm__lab_operator_columns c;
#define FIND(name) c.name = pm__csv_column(sheet, #name);
  PM__OPERATOR_COLUMNS(FIND)
#undef FIND
  return c;
}

typedef struct reader {
  const pm__csv *sheet;
  const pm__lab_operator_columns *columns;
  size_t line;
  pm__lab_operator_row *row;
  int precision; /* of the row's kernels */
} reader;

#define CELL(r, column) pm__csv_cell((r)->sheet, (r)->line, (r)->columns->column)

static void leave_out(reader *r, const char *why, const char *what)
{
  if (r->row->skip[0] == '\0') snprintf(r->row->skip, sizeof r->row->skip, "%s \"%.40s\"", why, what);
}

/* A size that the operator must have. */
static double size_of(reader *r, const char *name, const char *text)
{
  double value = NAN;
  if (pm_number_parse(text, &value) == PM_OK && value >= 1 && value <= 1e15) return value;
  leave_out(r, "a size is missing or below 1:", name);
  return 1;
}

static double number_or(const char *text, double otherwise)
{
  double value = NAN;
  return pm_number_parse(text, &value) == PM_OK && isfinite(value) ? value : otherwise;
}

#define SIZE(r, column) size_of(r, #column, CELL(r, column))
#define NUMBER(r, column, otherwise) number_or(CELL(r, column), otherwise)

static pm_kernel *add_kernel(reader *r, int operation)
{
  pm_kernel *k = &r->row->kernels[r->row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = operation;
  k->precision = r->precision;
  return k;
}

/* ---- Products ---- */

/* Weights of four bits with a scale of two bytes for 128 of them, or of one for 32 (MX); multiplied as BF16. */
static double weight_bytes(const char *type)
{
  if (strcmp(type, "int4_wo") == 0) return 0.5 + 2.0 / 128;
  return strcmp(type, "w4a16_mxfp4") == 0 ? 0.5 + 1.0 / 32 : (double)NAN;
}

static void add_products(reader *r, double count, double m, double n, double k)
{
  pm_kernel *kernel = add_kernel(r, PM_OPERATOR_GEMM);
  kernel->count = count;
  kernel->m = m;
  kernel->n = n;
  kernel->k = k;
  kernel->tn = true;
  kernel->operand_bytes = weight_bytes(CELL(r, dtype));
}

static void read_product(reader *r)
{
  r->row->rows = SIZE(r, m);
  add_products(r, 1, r->row->rows, SIZE(r, n), SIZE(r, k));
}

/* Latent attention: queries to the latent space of 512 numbers, and from there to values; heads have 128 of either. */
enum { LATENT = 512, LATENT_HEAD = 128, LATENT_ROTARY = 64 };

static void read_latent_queries(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_products(r, SIZE(r, heads), r->row->rows, LATENT, LATENT_HEAD);
}

static void read_latent_values(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_products(r, SIZE(r, heads), r->row->rows, LATENT_HEAD, LATENT);
}

/* ---- Memory-bound kernels ---- */

static void add_pass(reader *r, int operation, double tensors, double m, double n)
{
  pm_kernel *k = add_kernel(r, operation);
  k->count = tensors;
  k->m = m;
  k->n = n;
}

static void add_elementwise(reader *r, double tensors, double numbers)
{
  add_pass(r, PM_OPERATOR_ELEMENTWISE, tensors, numbers, 1);
}

static void read_norm(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_pass(r, PM_OPERATOR_LAYER_NORM, 1, r->row->rows, SIZE(r, hidden));
}

static void read_add(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_elementwise(r, 3, r->row->rows * SIZE(r, hidden));
}

static void read_add_twice(reader *r)
{
  read_add(r);
  read_add(r);
}

static void read_add_norm(reader *r)
{
  read_add(r);
  read_norm(r);
}

static void read_embedding(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_pass(r, PM_OPERATOR_EMBEDDING, 1, r->row->rows, SIZE(r, hidden));
}

/* In place, on queries and keys. */
static void read_rotary(reader *r)
{
  double heads = SIZE(r, heads) + SIZE(r, kv_heads);
  r->row->rows = SIZE(r, tokens);
  add_elementwise(r, 2, r->row->rows * heads * SIZE(r, head_dim));
}

static void read_gated(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_elementwise(r, 3, r->row->rows * SIZE(r, intermediate));
}

static void read_activation(reader *r)
{
  r->row->rows = SIZE(r, tokens);
  add_elementwise(r, 2, r->row->rows * SIZE(r, intermediate));
}

/* ---- Attention ---- */

static double bytes_of(const char *type)
{
  return strncmp(type, "fp8", 3) == 0 ? 1 : type[0] == '\0' ? (double)NAN : 2;
}

/* `tokens` new queries of each sequence, which see the past and each other as a causal mask lets them. */
static pm_kernel *add_attention(reader *r, double tokens, double size)
{
  double batch = SIZE(r, batch), past = fmax(NUMBER(r, past_tokens, 0), 0), window = NUMBER(r, window, 0);
  pm_kernel *k = add_kernel(r, PM_OPERATOR_ATTENTION);
  k->count = batch * SIZE(r, heads);
  k->m = tokens;
  k->k = past + tokens;
  if (window > 0 && tokens == 1) k->k = fmin(k->k, window);
  else if (window > 0 && window < k->k) k->window = window;
  k->n = size;
  k->causal = true;
  r->row->window = window > 0;
  k->kv_bytes = bytes_of(CELL(r, kv_dtype));
  return k;
}

static void read_prompt(reader *r)
{
  pm_kernel *k = add_attention(r, SIZE(r, new_tokens), SIZE(r, head_dim));
  k->kv_count = SIZE(r, batch) * SIZE(r, kv_heads);
  if (k->window > 0) r->row->label = "attention-window";
}

static void read_decoding(reader *r)
{
  pm_kernel *k = add_attention(r, 1, SIZE(r, head_dim));
  k->kv_count = SIZE(r, batch) * SIZE(r, kv_heads);
}

/* Prompts: keys of 192 numbers and values of 128 are made for every head. */
static void read_latent_prompt(reader *r)
{
  add_attention(r, SIZE(r, new_tokens), LATENT_HEAD + LATENT_ROTARY)->value_size = LATENT_HEAD;
}

/* Decoding: all heads share a key of 576 numbers, of which 512 are the value. */
static void read_latent_decoding(reader *r)
{
  pm_kernel *k = add_attention(r, 1, LATENT + LATENT_ROTARY);
  k->kv_count = SIZE(r, batch);
  k->value_size = LATENT;
  k->latent = true;
}

/* ---- Experts: two products of those that some token goes to, the activation between them ---- */

static void read_experts(reader *r)
{
  double tokens = SIZE(r, tokens), hidden = SIZE(r, hidden), share = SIZE(r, intermediate) / SIZE(r, moe_tp);
  double experts = SIZE(r, experts), topk = SIZE(r, topk), local = experts / SIZE(r, moe_ep);
  double gates = strstr(CELL(r, kernel), "nongated") != NULL ? 1 : 2;
  double used = fmax(1, local * (1 - pow(1 - fmin(topk / experts, 1), tokens)));
  double rows = fmax(1, tokens * topk * local / experts / used);
  r->row->routed = tokens * topk * hidden;
  add_products(r, used, rows, gates * share, hidden);
  add_elementwise(r, gates + 1, used * rows * share);
  add_products(r, used, rows, hidden, share);
}

/* ---- Collectives ---- */

static void read_all_reduce(reader *r)
{
  r->row->gpus = SIZE(r, gpus);
  r->row->bytes = SIZE(r, message_bytes);
  r->row->eager = strstr(CELL(r, kernel), "eager") != NULL;
}

/* ---- Rows ---- */

static const struct {
  const char *op, *label;
  void (*read)(reader *r);
} operators[] = {
  {"gemm", "products", read_product},
  {"mla_gen_pre", "products-latent", read_latent_queries},
  {"mla_gen_post", "products-latent", read_latent_values},
  {"rms_norm", "norm", read_norm},
  {"layer_norm", "norm", read_norm},
  {"add_rms_norm", "add-norm", read_add_norm},
  {"residual_add", "residual", read_add},
  {"residual_add_twice", "residual", read_add_twice},
  {"rope", "rotary", read_rotary},
  {"silu_and_mul", "gated-activation", read_gated},
  {"gelu", "activation", read_activation},
  {"embedding", "embedding", read_embedding},
  {"context_attention", "attention-prompt", read_prompt},
  {"generation_attention", "attention-decode", read_decoding},
  {"context_mla", "latent-prompt", read_latent_prompt},
  {"generation_mla", "latent-decode", read_latent_decoding},
  {"moe", "experts", read_experts},
  {"custom_allreduce", "all-reduce", read_all_reduce},
  {"nccl_all_reduce", "all-reduce-nccl", read_all_reduce},
};

/* Blocks of FP8 with a scale each are multiplied as FP8. */
static const struct {
  const char *text, *name;
  int precision;
} types[] = {
  {"half", "fp16", PM_PRECISION_FP16}, {"bfloat16", "bf16", PM_PRECISION_BF16}, {"fp8", "fp8", PM_PRECISION_FP8},
  {"fp8_block", "fp8-block", PM_PRECISION_FP8}, {"int8", "int8", PM_PRECISION_INT8},
  {"nvfp4", "nvfp4", PM_PRECISION_FP4}, {"int4_wo", "w4a16", PM_PRECISION_BF16},
    {"w4a16_mxfp4", "w4a16-mx", PM_PRECISION_BF16},
};

static void read_precision(reader *r)
{
  pm__lab_operator_row *row = r->row;
  const char *type = CELL(r, dtype), *cache = CELL(r, kv_dtype);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(types[i].text, type) != 0) continue;
    bool same = cache[0] == '\0' || strcmp(cache, type) == 0;
    r->precision = types[i].precision;
    snprintf(row->precision, sizeof row->precision, "%s%s%.8s", types[i].name, same ? "" : "/", same ? "" : cache);
    return;
  }
  leave_out(r, "products of this type are not modelled:", type);
}

static void read_operator(reader *r)
{
  const char *op = CELL(r, op);
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    if (strcmp(operators[i].op, op) != 0) continue;
    r->row->label = operators[i].label;
    operators[i].read(r);
    return;
  }
  leave_out(r, "no operator is called", op);
}

void pm__lab_operator_row_read(pm__lab_operator_row *row, const pm__csv *sheet, const pm__lab_operator_columns *columns,
                               size_t line)
{
  reader r = {sheet, columns, line, row, 0};
  memset(row, 0, sizeof *row);
  row->rows = NAN;
  row->label = "";
  read_precision(&r);
  read_operator(&r);
  row->time = NUMBER(&r, time_us, NAN) / 1e6;
  if (!(row->time > 0)) leave_out(&r, "there is no time above 0:", CELL(&r, time_us));
  const char *check = CELL(&r, check);
  row->marked = check[0] != '\0' && strcmp(check, "ok") != 0;
}
