/*
** The operators of single kernels, one descriptor each.
**
** GEMMs, convolutions, norms, softmax, recurrent layers and fused attention have formulas of their own; the
** rest memory-bound kernels: its accesses, or its arithmetic on the FP32 cores.
*/
#include "kernel/operators.h"
#include "kernel/kernel.h"

static pm__kernel_cost by_accesses(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  return pm__pass_cost(d, a->flop, d->bytes * a->elements, k->clocks, k->blocks);
}

/* ---- Matrix multiplications ---- */

/* A stored number of the second operand, in those of the precision. */
static double operand_share(const pm_kernel *k)
{
  return k->operand_bytes > 0 ? k->operand_bytes / pm_precision_get_bytes(k->precision) : 1;
}

static pm__amount gemm_amount(const pm_kernel *k)
{
  double elements = k->count * (k->m * k->k + k->n * k->k * operand_share(k) + k->m * k->n);
  return (pm__amount){2 * k->count * k->m * k->n * k->k, elements, true};
}

/* Share of what is used in turn that the L2 still has from its last use. */
static double kept_share(const pm__device *d, const pm_kernel *k, double bytes)
{
  if (!(k->turns > 0) || !(d->k.l2_lost > d->k.l2_kept)) return 0;
  double used = bytes / (d->k.l2_share * d->l2);
  return pm__least(pm__most((d->k.l2_lost - used) / (d->k.l2_lost - d->k.l2_kept), 0), 1);
}

/* Cores whose products run at a share of the library's rate. */
static void slow_down(pm__engine *e, double rate)
{
  double root = sqrt(rate);
  e->multiply_add /= rate;
  for (int i = 0; i < PM__TILES; i++) {
    e->step[i] /= rate;
    e->root[i] /= root;
  }
}

static pm__kernel_cost product_cost(const pm__device *d, const pm_kernel *k, const pm__product *product)
{
  return k->tn ? pm__gemm_tn_cost(d, product) : pm__gemm_cost(d, product);
}

static pm__kernel_cost gemm_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double share = operand_share(k);
  double used = d->bytes * k->count * (k->turns * k->n * k->k * share + k->m * (k->k + k->n));
  pm__product product = {.count = k->count, .m = k->m, .n = k->n, .k = k->k, .kept = kept_share(d, k, used),
                         .unsplit = k->unsplit != 0, .spared = 1 - share};
  (void)a;
  if (!(k->rate > 0 && k->rate < 1)) return product_cost(d, k, &product);
  if (d->gemm.tensor) {
    pm__engine slow = d->gemm;
    slow_down(&slow, k->rate);
    return pm__tensor_cost(d, &slow, &product);
  }
  pm__device slow = *d;
  slow_down(&slow.gemm, k->rate);
  return product_cost(&slow, k, &product);
}

/* ---- Convolutions and pooling ---- */

static double outputs(double size, double kernel, double padding, double stride)
{
  return pm__floor((size + 2 * padding - kernel) / stride) + 1;
}

static double out_height(const pm_kernel *k)
{
  return outputs(k->height, k->kernel_height, k->padding_height, k->stride_height);
}

static double out_width(const pm_kernel *k)
{
  return outputs(k->width, k->kernel_width, k->padding_width, k->stride_width);
}

static pm__amount conv_amount(const pm_kernel *k)
{
  double window = k->kernel_height * k->kernel_width * k->channels / k->groups;
  double positions = out_height(k) * out_width(k);
  double tensors = k->n * (k->channels * k->height * k->width + k->out_channels * positions);
  return (pm__amount){2 * k->n * k->out_channels * positions * window, tensors + k->out_channels * window, true};
}

static pm__kernel_cost conv_cost(const pm__device *d, const pm_kernel *k, pm__pass pass)
{
  pm__conv conv = {k->channels,
                   k->out_channels,
                   k->groups,
                   {1, k->height, k->width},
                   {1, out_height(k), out_width(k)},
                   {1, k->kernel_height, k->kernel_width},
                   {1, k->stride_height, k->stride_width},
                   {0, k->padding_height, k->padding_width},
                   {0, k->padding_height, k->padding_width},
                   {1, 1, 1},
                   false};
  return pm__conv_cost(d, &conv, pass, k->n);
}

#define CONV_COST(name, pass)                                                                     \
  static pm__kernel_cost name(const pm__device *d, const pm_kernel *k, const pm__amount *a)              \
  {                                                                                               \
    (void)a;                                                                                      \
    return conv_cost(d, k, pass);                                                                 \
  }

CONV_COST(conv_forward_cost, PM__FORWARD)
CONV_COST(conv_data_cost, PM__DGRAD)
CONV_COST(conv_weight_cost, PM__WGRAD)

/* One operation for each element of each window. */
static pm__amount pooling_amount(const pm_kernel *k)
{
  double made = k->n * k->channels * out_height(k) * out_width(k), read = k->n * k->channels * k->height * k->width;
  return (pm__amount){made * k->kernel_height * k->kernel_width, read + made, false};
}

/* ---- Memory-bound kernels ---- */

static pm__amount elementwise_amount(const pm_kernel *k)
{
  return (pm__amount){k->m, k->count * k->m, false};
}

/* What the L2 still has of the last use it gives at its own rate. */
static pm__kernel_cost elementwise_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double bytes = d->bytes * a->elements, kept = kept_share(d, k, k->turns * bytes);
  pm__kernel_cost cost = pm__pass_cost(d, a->flop, bytes * (1 - kept), k->clocks, k->blocks);
  cost.time = pm__most(cost.time, kept > 0 ? bytes / d->l2_rate : 0);
  return cost;
}

/* Training: two reads for the sums and the result, one write. */
static pm__amount batch_norm_amount(const pm_kernel *k)
{
  return (pm__amount){7 * k->m, 3 * k->m, false};
}

static pm__amount reduction_amount(const pm_kernel *k)
{
  return (pm__amount){k->m * k->n, k->m * k->n + k->m, false};
}

static pm__amount layer_norm_amount(const pm_kernel *k)
{
  return (pm__amount){7 * k->m * k->n, 2 * k->m * k->n, false};
}

static pm__kernel_cost layer_norm_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double reread = k->clocks > 0 ? 0 : k->m * k->n * pm__norm_reads(d, k->n); /* else in the clocks */
  double bytes = d->bytes * (a->elements + reread);
  return pm__pass_cost(d, a->flop, bytes, k->clocks, k->blocks);
}

static pm__amount softmax_amount(const pm_kernel *k)
{
  return (pm__amount){5 * k->m * k->n, 2 * k->m * k->n, false};
}

static pm__kernel_cost softmax_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  return pm__stream_cost(d, a->flop, d->bytes * (a->elements + k->m * k->n * pm__softmax_reads(d, k->n)));
}

static pm__amount embedding_amount(const pm_kernel *k)
{
  return (pm__amount){0, 2 * k->m * k->n, false};
}

/* Rows lie anywhere: each is read in whole sectors of 32 bytes, after its index of 8. */
static pm__kernel_cost embedding_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double row = d->bytes * k->n;
  (void)a;
  return pm__pass_cost(d, 0, k->m * (32 * pm__ceil(row / 32) + row + 8), k->clocks, k->blocks);
}

/* ---- Recurrent layers ---- */

static pm__amount rnn_amount(const pm_kernel *k)
{
  double gates = k->count * k->m;
  return (pm__amount){2 * gates * k->m * k->n * k->k, k->k * (gates * k->m + (gates + k->m) * k->n), true};
}

#define RNN_COST(name, pass)                                                                      \
  static pm__kernel_cost name(const pm__device *d, const pm_kernel *k, const pm__amount *a)              \
  {                                                                                               \
    (void)a;                                                                                      \
    return pm__rnn_cost(d, k->count, k->m, k->n, k->k, k->persistent != 0, pass);                 \
  }

RNN_COST(rnn_forward_cost, PM__FORWARD)
RNN_COST(rnn_data_cost, PM__DGRAD)
RNN_COST(rnn_weight_cost, PM__WGRAD)

/* ---- Attention: `count` heads of all samples, m queries and k keys of n numbers ---- */

static double or_none(double value)
{
  return value > 0 ? value : 0;
}

static double pairs_of(const pm_kernel *k)
{
  return k->causal ? pm__window_pairs(k->m, k->k, or_none(k->window)) : k->m * k->k;
}

static double value_size(const pm_kernel *k)
{
  return k->value_size > 0 ? k->value_size : k->n;
}

/* Keys and values, in elements of the precision: fewer heads than of queries, and shorter numbers, are less. */
static double cache_elements(const pm_kernel *k)
{
  double heads = k->kv_count > 0 ? k->kv_count : k->count;
  double bytes = k->kv_bytes > 0 ? k->kv_bytes / pm_precision_get_bytes(k->precision) : 1;
  return heads * k->k * (k->latent ? k->n : k->n + value_size(k)) * bytes;
}

/* What a block of threads computes for a pair of query and key: the score, and the share of the value. */
static double pair_size(const pm_kernel *k)
{
  return k->n + value_size(k);
}

static pm__amount attention_amount(const pm_kernel *k)
{
  return (pm__amount){2 * k->count * pairs_of(k) * pair_size(k), k->count * pair_size(k) * k->m + cache_elements(k),
                      true};
}

/* The scores are made again. */
static pm__amount attention_backward_amount(const pm_kernel *k)
{
  return (pm__amount){5 * k->count * pairs_of(k) * pair_size(k),
                      2 * k->count * pair_size(k) * k->m + 2 * cache_elements(k),
                      true};
}

static pm__kernel_cost flash_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a, pm__pass pass)
{
  double bytes = d->bytes * a->elements;
  pm__flash flash = {k->count, k->m, k->k, pairs_of(k), k->n, value_size(k), k->kv_count > 0 ? k->kv_count : k->count,
                     k->ungrouped, k->kv_bytes, kept_share(d, k, k->turns * bytes), k->rate, or_none(k->window),
                     or_none(k->block_start), 0};
  return pm__flash_cost(d, &flash, pass, 1, a->flop, bytes);
}

static pm__kernel_cost paged_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double bytes = k->kv_bytes > 0 ? k->kv_bytes : d->bytes;
  pm__kernel_paged paged = {k->count, k->k, pair_size(k) * bytes, k->part > 0 ? k->part : k->k, k->block_rate,
                     or_none(k->block_memory)};
  return pm__paged_cost(d, &paged, a->flop, d->bytes * a->elements);
}

static pm__kernel_cost attention_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  if (k->block_rate > 0) return paged_cost(d, k, a);
  return flash_cost(d, k, a, PM__FORWARD);
}

static pm__kernel_cost attention_backward_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  return flash_cost(d, k, a, PM__DGRAD);
}

/* Two products, and the scores written, normalised and read. */
static pm__amount unfused_amount(const pm_kernel *k)
{
  double scores = k->count * k->m * k->k;
  return (pm__amount){4 * scores * k->n + 5 * scores, 2 * k->count * k->n * (k->m + k->k) + 4 * scores, true};
}

static void add_cost(pm__kernel_cost *all, double *longest, pm__kernel_cost one)
{
  all->time += one.time;
  if (one.time <= *longest) return;
  *longest = one.time;
  all->bound = one.bound;
}

static pm__kernel_cost unfused_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  pm__kernel_cost all = {0, PM_KERNEL_ALGORITHM_MIXED, PM_BOUND_NONE};
  double longest = 0, scores = k->count * k->m * k->k;
  pm__product queries = {.count = k->count, .m = k->m, .n = k->k, .k = k->n};
  pm__product values = {.count = k->count, .m = k->m, .n = k->n, .k = k->k};
  (void)a;
  add_cost(&all, &longest, pm__gemm_tn_cost(d, &queries));
  add_cost(&all, &longest, pm__stream_cost(d, 5 * scores, d->bytes * scores * (2 + pm__softmax_reads(d, k->k))));
  add_cost(&all, &longest, pm__gemm_cost(d, &values));
  return all;
}

/* ---- Copies between host and device: m bytes over the link to the host ---- */

static pm__amount copy_amount(const pm_kernel *k)
{
  return (pm__amount){0, k->m / pm_precision_get_bytes(k->precision), false};
}

/* Pageable memory is first copied by the host. */
static pm__kernel_cost copy_cost(const pm__device *d, const pm_kernel *k, const pm__amount *a)
{
  double rate = k->link_bandwidth * d->k.copy_efficiency * (k->pageable ? d->k.copy_pageable : 1);
  double bytes = k->m / rate;
  (void)a;
  return (pm__kernel_cost){d->k.copy_time + bytes, PM_KERNEL_ALGORITHM_COPY,
                    bytes > d->k.copy_time ? PM_BOUND_MEMORY_BANDWIDTH : PM_BOUND_LATENCY};
}

/* ---- Updates: FP32 numbers read and written for each of m parameters ---- */

static pm__amount update_amount(const pm_kernel *k)
{
  double bytes = pm__update_bytes(pm_optimizer_get(k->optimizer)->accesses, k->precision);
  return (pm__amount){4 * k->m, k->m * bytes / pm_precision_get_bytes(k->precision), false};
}

static const pm__operator operators[PM_OPERATOR_COUNT] = {
  [PM_OPERATOR_GEMM] = {"cmnko", gemm_amount, gemm_cost, PM__PRODUCTS},
  [PM_OPERATOR_CONV_FORWARD] = {"w", conv_amount, conv_forward_cost, PM__CONVOLUTIONS},
  [PM_OPERATOR_CONV_DGRAD] = {"w", conv_amount, conv_data_cost, PM__CONVOLUTIONS},
  [PM_OPERATOR_CONV_WGRAD] = {"w", conv_amount, conv_weight_cost, PM__CONVOLUTIONS},
  [PM_OPERATOR_ELEMENTWISE] = {"cm", elementwise_amount, elementwise_cost, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_LAYER_NORM] = {"mn", layer_norm_amount, layer_norm_cost, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_SOFTMAX] = {"mn", softmax_amount, softmax_cost, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_RNN_FORWARD] = {"cmnk", rnn_amount, rnn_forward_cost, PM__RECURRENT},
  [PM_OPERATOR_RNN_DGRAD] = {"cmnk", rnn_amount, rnn_data_cost, PM__RECURRENT},
  [PM_OPERATOR_RNN_WGRAD] = {"cmnk", rnn_amount, rnn_weight_cost, PM__RECURRENT},
  [PM_OPERATOR_BATCH_NORM] = {"m", batch_norm_amount, by_accesses, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_POOLING] = {"w", pooling_amount, by_accesses, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_REDUCTION] = {"mn", reduction_amount, by_accesses, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_EMBEDDING] = {"mn", embedding_amount, embedding_cost, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_ATTENTION] = {"cmnkh", attention_amount, attention_cost, PM__FUSED_ATTENTION},
  [PM_OPERATOR_ATTENTION_BACKWARD] = {"cmnkh", attention_backward_amount, attention_backward_cost, PM__FUSED_ATTENTION},
  [PM_OPERATOR_ATTENTION_UNFUSED] = {"cmnk", unfused_amount, unfused_cost, PM__PRODUCTS},
  [PM_OPERATOR_OPTIMIZER] = {"mu", update_amount, by_accesses, PM__PASSES_OVER_MEMORY},
  [PM_OPERATOR_COPY] = {"ml", copy_amount, copy_cost, PM__PASSES_OVER_MEMORY},
};

const pm__operator *pm__operator_of(int operation)
{
  return &operators[operation];
}
