/*
** What the host and the software add to operators (kernel_harness): times of starts, kernels of their own beside those
** of the library, and how theirs differ.
*/
#include <math.h>
#include <string.h>
#include "validation/operator_row.h"

static double known(double value)
{
  return value > 0 ? value : 0;
}

/* How the software multiplies numbers of a byte and less. */
typedef struct quantizing {
  double time, accesses, rate;
  bool unsplit;
} quantizing;

static quantizing quantizing_of(const pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  if (row->kernels[0].precision == PM_PRECISION_FP4)
    return (quantizing){h->fp4_quantized, h->fp4_quantizing, h->fp4_rate, false};
  if (strstr(row->precision, "block") != NULL)
    return (quantizing){h->block_quantized, h->block_quantizing, h->block_rate, h->block_unsplit != 0};
  return (quantizing){h->quantized, h->quantizing, h->quantized_rate, h->quantized_unsplit != 0};
}

/* They are made from the input of the product, in a kernel before it. */
static void add_quantizing(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  const pm_kernel *product = &row->kernels[0];
  quantizing q = quantizing_of(row, h);
  if (pm_precision_get_bytes(product->precision) > 1 || !(q.accesses > 0)) return;
  row->kernels[0].unsplit = q.unsplit;
  row->kernels[0].rate = q.rate;
  pm_kernel *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = product->precision;
  k->count = q.accesses;
  k->m = product->count * product->m * product->k;
  k->turns = h->turns > 0 ? 1 : 0; /* the input is the same every time */
  row->overhead += known(q.time);
}

/* Heads that share keys do not share blocks. */
static bool ungrouped(const pm__lab_operator_row *row, const pm_kernel_harness *h, bool prompt)
{
  const pm_kernel *k = &row->kernels[0];
  if (prompt) return h->ungrouped_prompts && (k->m > 1 || h->single_prompts || row->window);
  return h->ungrouped || (h->most_grouped > 0 && k->count > h->most_grouped * k->kv_count);
}

/* Latents of one byte become numbers of two before they are used. */
static void add_conversion(pm__lab_operator_row *row, double accesses)
{
  pm_kernel *latents = &row->kernels[0], *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = PM_PRECISION_BF16;
  k->count = accesses;
  k->m = latents->kv_count * latents->k * latents->n;
  latents->kv_bytes = pm_precision_get_bytes(k->precision);
}

/* Keys made from latents, of every head; in decoding all heads share the latents themselves. */
static void add_latent(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  pm_kernel *k = &row->kernels[0];
  row->overhead = known(k->latent ? h->latent_decode : h->latent);
  k->rate = k->latent ? h->latent_decode_rate : h->latent_rate;
  if (h->turns > 0) k->turns = 1;
  if (k->latent && k->kv_bytes == 1 && h->latent_converting > 0) add_conversion(row, h->latent_converting);
}

/* Software has a kernel of its own for keys of a byte, which it converts. */
static void add_decoding(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  pm_kernel *k = &row->kernels[0];
  bool byte = k->kv_bytes == 1 && h->byte_decode_rate > 0;
  row->overhead = known(byte ? h->byte_decode : h->decode);
  k->rate = byte ? h->byte_decode_rate : h->decode_rate;
  k->block_start = byte ? h->byte_decode_start : h->decode_start;
}

static void add_attention(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  pm_kernel *k = &row->kernels[0];
  bool prompt = strcmp(row->label, "attention-decode") != 0;
  row->overhead = known(h->attention);
  k->rate = h->attention_rate;
  if (!prompt || (k->m == 1 && !h->single_prompts)) add_decoding(row, h);
  k->ungrouped = ungrouped(row, h, prompt);
  k->causal = k->causal && !h->unmasked;
  if (h->turns > 0) k->turns = 1; /* the cache is used again and again */
}

/* Each kernel of a pass is a start and clocks; blocks of threads take a row each, but for additions. */
static void add_pass(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  const struct {
    const char *label;
    double time, clocks;
    bool by_row;
  } passes[] = {{"add-norm", h->norm, h->norm_clocks, true}, {"norm", h->norm, h->norm_clocks, true},
                {"rotary", h->rotary, h->rotary_clocks, true},
                {"gated-activation", h->gated, h->gated_clocks, true}, {"residual", h->plain, h->plain_clocks, false},
                {"activation", h->plain, h->plain_clocks, false}, {"embedding", h->gather, h->gather_clocks, false}};
  for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
    for (int j = 0; j < row->count && strcmp(passes[i].label, row->label) == 0; j++) {
      bool adds = i == 0 && row->kernels[j].operation == PM_OPERATOR_ELEMENTWISE; /* before the norm */
      row->overhead += known(adds ? h->plain : passes[i].time);
      row->kernels[j].clocks = adds ? h->plain_clocks : passes[i].clocks;
      if (passes[i].by_row) row->kernels[j].blocks = row->rows;
    }
}

/* What software adds to experts, by their kernels. */
typedef struct experts {
  double time, routing, rate;
} experts;

static double either(double value, double otherwise)
{
  return value > 0 ? value : otherwise;
}

/* Blocks with scales, if nothing is stated of them, are slower than others by as much as in products of one matrix. */
static experts experts_of(const pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  double slower = either(h->block_rate / h->quantized_rate, 1);
  const struct {
    const char *precision;
    experts own;
  } kinds[] = {{"nvfp4", {h->fp4_experts, h->fp4_routing, h->fp4_experts_rate}},
               {"w4a16", {h->w4_experts, h->w4_routing, h->w4_experts_rate}},
               {"w4a16-mx", {h->mx_experts, h->mx_routing, h->mx_experts_rate}},
               {"fp8-block",
                {h->block_experts, h->block_routing, either(h->block_experts_rate, slower * h->experts_rate)}}};
  const experts general = {h->experts, h->routing, h->experts_rate};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const experts *own = &kinds[i].own;
    if (strcmp(kinds[i].precision, row->precision) == 0)
      return (experts){either(own->time, general.time), either(own->routing, general.routing),
                       either(own->rate, general.rate)};
  }
  return general;
}

/* Rows are sorted by expert, and their results added up: the software goes over all that are routed, not over those of
** the GPU's own experts alone. */
static void add_experts(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  experts e = experts_of(row, h);
  row->overhead = known(e.time);
  for (int i = 0; i < row->count; i++)
    if (row->kernels[i].operation == PM_OPERATOR_GEMM) row->kernels[i].rate = e.rate;
  if (!(e.routing > 0) || row->count == PM__OPERATOR_KERNELS) return;
  pm_kernel *k = &row->kernels[row->count++];
  pm_record_clear(pm_record_type_find("kernel"), k);
  k->operation = PM_OPERATOR_ELEMENTWISE;
  k->precision = PM_PRECISION_BF16;
  k->count = 1;
  k->m = fmax(1, e.routing * row->routed);
}

static void add_all_reduce(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  row->round = known(h->all_reduce);
  row->round_rate = known(h->all_reduce_rate);
  row->least = row->eager ? known(h->eager) : 0;
}

void pm__lab_operator_add_host(pm__lab_operator_row *row, const pm_kernel_harness *h)
{
  if (h == NULL) return;
  int operation = row->kernels[0].operation;
  if (row->count == 0) {
    add_all_reduce(row, h);
  } else if (operation == PM_OPERATOR_ATTENTION) {
    (row->kernels[0].value_size > 0 ? add_latent : add_attention)(row, h);
  } else if (operation != PM_OPERATOR_GEMM) {
    add_pass(row, h);
  } else {
    row->overhead = known(h->gemm);
    if (row->routed > 0) add_experts(row, h);
    if (row->count > 1) return;
    row->kernels[0].turns = h->turns;
    add_quantizing(row, h);
  }
}
