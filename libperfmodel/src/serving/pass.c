/* The time of a pass, operation by operation. */
#include "serving/pass.h"
#include <math.h>
#include <string.h>
#include "kernel/operators.h"
#include "serving/memo.h"
#include "software/experts.h"

typedef struct pricing {
  const pm__serving_model *model;
  const pm__serving_device *on;
  const pm__serving_batch *batch;
  double rows; /* tokens of the pass */
  pm__serving_times sum;
} pricing;

static double known(double value, double otherwise)
{
  return value > 0 ? value : otherwise;
}

/* ---- Kernels ---- */

static void start_kernel(pm_kernel *k, int operation, int precision)
{
  memset(k, 0, sizeof *k);
  k->operation = operation;
  k->precision = precision;
  k->count = 1;
}

static void start_product(pm_kernel *k, const pricing *p, int precision)
{
  start_kernel(k, PM_OPERATOR_GEMM, precision);
  k->tn = 1;
  k->rate = p->on->kernels->gemm_rate;
}

/* What the launches of one kernel take, and what it adds to the parts of the pass. */
typedef pm__serving_priced priced;

/* The plain roofline knows no starts. */
static priced roofline(const pm__device *d, const pm__amount *a, double count)
{
  double peak = a->matrix ? d->matrix_peak : d->vector_peak, compute = a->flop / peak;
  double memory = d->bytes * a->elements / d->bandwidth, slow = count * d->power.slow;
  double time = slow * fmax(compute, memory);
  return (priced){.time = time, .compute = compute > memory ? slow * compute : 0,
                  .extra = a->matrix ? pm__extra_energy(&d->power, time, count * a->flop) : 0};
}

/* `count` launches of a kernel, each with its start. */
static priced price_of(const pricing *p, const pm__device *d, const pm_kernel *k, double count, double start)
{
  const pm__operator *op = pm__operator_of(k->operation);
  pm__amount a = op->amount(k);
  if (!d->calibrated) return roofline(d, &a, count);
  pm__kernel_powered cost = pm__powered(&d->power, op->cost(d, k, &a), a.flop, a.matrix);
  bool busy = cost.bound == PM_BOUND_COMPUTE || cost.bound == PM_BOUND_POWER;
  return (priced){count * (cost.time + start), busy ? count * cost.time : 0, count * start,
                  count * pm__extra_over(d, p->on->wide, cost.extra, cost.time)};
}

static double add(pricing *p, const priced *cost)
{
  p->sum.extra += cost->extra;
  p->sum.compute += cost->compute;
  p->sum.start += cost->start;
  return cost->time;
}

static double price(pricing *p, const pm__device *d, const pm_kernel *k, double count, double start)
{
  priced cost = price_of(p, d, k, count, start);
  return add(p, &cost);
}

/* ---- Kernels that several passes have ---- */

typedef enum shared { HEAD, WORDS, DECODING, ABSORBED_KEYS, ABSORBED_VALUES, PROMPTS, SHARED } shared;

typedef priced price_operation(const pricing *p, const pm__serving_operation *op);

static price_operation price_head, price_words, price_decoding, price_absorbed_keys, price_absorbed_values,
                       price_prompts;

static price_operation *const price_shared[SHARED] = {
  [HEAD] = price_head, [WORDS] = price_words, [DECODING] = price_decoding, [ABSORBED_KEYS] = price_absorbed_keys,
  [ABSORBED_VALUES] = price_absorbed_values, [PROMPTS] = price_prompts};

/* Of a kernel, or an exchange, that depends on these numbers of the batch alone. */
static double add_shared(pricing *p, const pm__serving_operation *op, shared which, double a, double b, double c)
{
  const double by[3] = {a, b, c};
  pm__serving_memo *memo = p->on->memo;
  if (memo == NULL) {
    priced once = price_shared[which](p, op);
    return add(p, &once);
  }
  int of = (int)(op - p->model->operation) * SHARED + (int)which + 1;
  size_t place = pm__serving_memo_place_of(of, by);
  pm__serving_kernel *at = &memo->kernels[place];
  if (memo->kernel_of[place] != of || memcmp(at->by, by, sizeof by) != 0)
    *at = (pm__serving_kernel){{a, b, c}, price_shared[which](p, op)};
  memo->kernel_of[place] = of;
  return add(p, &at->priced);
}

/* ---- Products ---- */

/* How the engine multiplies what is narrower than two bytes: a kernel before it that quantizes the input, and its rate
** over that of the library. */
typedef struct quantizing {
  double time, accesses, rate;
  bool unsplit;
} quantizing;

static quantizing quantizing_of(const pricing *p)
{
  const pm_kernel_harness *h = p->on->kernels;
  if (p->on->precision == PM_PRECISION_FP4)
    return (quantizing){h->fp4_quantized, h->fp4_quantizing, h->fp4_rate, false};
  if (p->on->weights == PM_STORED_FP8_BLOCK)
    return (quantizing){h->block_quantized, h->block_quantizing, h->block_rate, h->block_unsplit != 0};
  return (quantizing){h->quantized, h->quantizing, h->quantized_rate, h->quantized_unsplit != 0};
}

static double quantization(pricing *p, const pm__serving_operation *op, quantizing q, double rows)
{
  if (!(q.accesses > 0) || p->on->engine->fused_quantization) return 0;
  pm_kernel k;
  start_kernel(&k, PM_OPERATOR_ELEMENTWISE, p->on->precision);
  k.count = q.accesses;
  k.m = rows * op->k;
  return price(p, p->on->narrow, &k, op->count, known(q.time, 0));
}

static double product_start(const pricing *p)
{
  return known(p->on->kernels->gemm, 0);
}

/* Of linear layers: as narrow as the run says. */
static double linear(pricing *p, const pm__serving_operation *op, double rows)
{
  pm_kernel k;
  start_product(&k, p, p->on->precision);
  k.m = rows * op->rows;
  k.n = op->n;
  k.k = op->k;
  k.operand_bytes = p->on->weight_bytes;
  if (p->on->narrow->bytes > 1) return price(p, p->on->narrow, &k, op->count, product_start(p));
  quantizing q = quantizing_of(p);
  k.rate = q.rate;
  k.unsplit = q.unsplit;
  return quantization(p, op, q, k.m) + price(p, p->on->narrow, &k, op->count, product_start(p));
}

static void add_product(pricing *p, const pm__serving_operation *op)
{
  p->sum.product += linear(p, op, p->rows);
}

/* Keys and values of all heads, made of the latents of the prompts' tokens. */
static void add_latent_up(pricing *p, const pm__serving_operation *op)
{
  double rows = p->batch->prompts * p->batch->tokens;
  if (rows > 0) p->sum.product += linear(p, op, rows);
}

/* Of each sequence that gets a token; a prompt's last one does. Two bytes. */
static double head_rows(const pricing *p)
{
  return p->batch->sequences * p->batch->drafts + p->batch->prompts;
}

static priced price_head(const pricing *p, const pm__serving_operation *op)
{
  pm_kernel k;
  start_product(&k, p, p->on->wide_precision);
  k.m = head_rows(p);
  k.n = op->n;
  k.k = op->k;
  return price_of(p, p->on->wide, &k, op->count, product_start(p));
}

/* The words are gathered from all GPUs. */
static priced price_words(const pricing *p, const pm__serving_operation *op)
{
  double bytes = 2 * head_rows(p) * op->n * p->on->tensor_ranks;
  double time = pm__serving_exchange(p->on, p->on->tensor, PM_COLLECTIVE_ALL_GATHER, bytes);
  return (priced){.time = op->count * time};
}

static void add_head(pricing *p, const pm__serving_operation *op)
{
  p->sum.product += add_shared(p, op, HEAD, head_rows(p), 0, 0);
  if (p->on->tensor_ranks > 1) p->sum.exchange += add_shared(p, op, WORDS, head_rows(p), 0, 0);
}

/* ---- Attention ---- */

static double seen(const pm__serving_operation *op, double tokens)
{
  double keys = tokens * op->keys;
  return op->window > 0 ? fmin(op->window, keys) : keys;
}

/* One token, or some drafted ones, of each sequence. All heads of latent attention share what is stored. */
static void start_decoding(pm_kernel *k, const pricing *p, const pm__serving_operation *op)
{
  const pm_kernel_harness *h = p->on->kernels;
  const pm__serving_batch *b = p->batch;
  bool latent = op->latent > 0, byte = p->on->cache_bytes == 1 && h->byte_decode_rate > 0;
  start_kernel(k, PM_OPERATOR_ATTENTION, p->on->wide_precision);
  k->count = b->sequences * op->heads;
  k->m = b->drafts;
  k->k = fmax(1, seen(op, b->context));
  k->n = latent ? op->latent + op->turned : op->size;
  k->kv_count = b->sequences * (latent ? 1 : op->kv_heads);
  k->value_size = latent ? op->latent : op->value != op->size ? op->value : 0;
  k->latent = latent;
  k->causal = 1;
  k->kv_bytes = p->on->cache_bytes;
  k->rate = latent ? h->latent_decode_rate : byte ? h->byte_decode_rate : h->decode_rate;
  k->block_start = latent ? 0 : byte ? h->byte_decode_start : h->decode_start;
  k->ungrouped = !latent && (h->ungrouped || (h->most_grouped > 0 && op->heads > h->most_grouped * op->kv_heads));
}

/* Where a kernel of its own reads pages, each head of queries for itself: parts of the sequences, or, above so many of
** these and heads, whole ones. Graphs are captured for the longest sequence, whose scores a block has room for. */
static void start_paged(pm_kernel *k, const pricing *p)
{
  const pm_kernel_harness *h = p->on->kernels;
  double longest = fmin(p->model->longest, h->paged_longest);
  if (!(h->paged_rate > 0) || k->latent) return;
  bool whole = k->count > h->paged_blocks && k->k <= h->paged_longest;
  k->block_rate = h->paged_rate;
  if (!whole) k->part = h->paged_part;
  k->block_memory = 4 * (whole ? fmax(longest, k->k) : h->paged_part) + k->n * p->on->wide->bytes;
}

static double decoding_start(const pricing *p, const pm__serving_operation *op)
{
  const pm_kernel_harness *h = p->on->kernels;
  if (op->latent > 0) return known(h->latent_decode, known(h->decode, 0));
  return known(p->on->cache_bytes == 1 && h->byte_decode_rate > 0 ? h->byte_decode : h->decode, 0);
}

/* The up-projections of keys and values, on the side of the queries and of the result. */
static priced price_absorbed(const pricing *p, const pm__serving_operation *op, double n, double inner)
{
  pm_kernel k;
  start_product(&k, p, p->on->wide_precision);
  k.count = op->heads;
  k.m = p->batch->sequences * p->batch->drafts;
  k.n = n;
  k.k = inner;
  return price_of(p, p->on->wide, &k, op->count, product_start(p));
}

static priced price_absorbed_keys(const pricing *p, const pm__serving_operation *op)
{
  return price_absorbed(p, op, op->latent, op->size - op->turned);
}

static priced price_absorbed_values(const pricing *p, const pm__serving_operation *op)
{
  return price_absorbed(p, op, op->value, op->latent);
}

static priced price_decoding(const pricing *p, const pm__serving_operation *op)
{
  pm_kernel k;
  start_decoding(&k, p, op);
  start_paged(&k, p);
  return price_of(p, p->on->wide, &k, op->count, decoding_start(p, op));
}

static void add_decoding(pricing *p, const pm__serving_operation *op)
{
  const pm__serving_batch *b = p->batch;
  p->sum.attention += add_shared(p, op, DECODING, b->sequences, b->context, b->drafts);
  if (!(op->latent > 0)) return;
  p->sum.product += add_shared(p, op, ABSORBED_KEYS, b->sequences, b->drafts, 0);
  p->sum.product += add_shared(p, op, ABSORBED_VALUES, b->sequences, b->drafts, 0);
}

/* A piece of each prompt sees what the cache has of it, and itself by a causal mask. */
static priced price_prompts(const pricing *p, const pm__serving_operation *op)
{
  const pm_kernel_harness *h = p->on->kernels;
  const pm__serving_batch *b = p->batch;
  bool latent = op->latent > 0;
  pm_kernel k;
  start_kernel(&k, PM_OPERATOR_ATTENTION, p->on->wide_precision);
  k.count = b->prompts * op->heads;
  k.m = b->tokens;
  k.k = b->past + b->tokens;
  if (op->keys < 1) k.k *= op->keys;
  k.n = op->size;
  k.kv_count = b->prompts * op->kv_heads;
  k.value_size = op->value != op->size ? op->value : 0;
  k.causal = !h->unmasked;
  if (op->window > 0 && op->window < k.k) k.window = op->window;
  k.kv_bytes = latent ? 2 : p->on->cache_bytes;
  k.rate = latent ? h->latent_rate : h->attention_rate;
  k.ungrouped = h->ungrouped_prompts && !latent;
  double start = latent ? known(h->latent, known(h->attention, 0)) : known(h->attention, 0);
  return price_of(p, p->on->wide, &k, op->count, start);
}

static void add_prompts(pricing *p, const pm__serving_operation *op)
{
  const pm__serving_batch *b = p->batch;
  p->sum.attention += add_shared(p, op, PROMPTS, b->prompts, b->tokens, b->past);
}

static void add_attention(pricing *p, const pm__serving_operation *op)
{
  if (p->batch->sequences > 0) add_decoding(p, op);
  if (p->batch->prompts * p->batch->tokens > 0) add_prompts(p, op);
}

/* ---- Chosen keys ---- */

/* Decoding reads the narrow keys of all tokens; prompts multiply with all heads' queries. */
static void add_index(pricing *p, const pm__serving_operation *op)
{
  const pm__serving_batch *b = p->batch;
  if (b->sequences > 0) {
    pm_kernel k;
    start_kernel(&k, PM_OPERATOR_ELEMENTWISE, p->on->wide_precision);
    k.count = p->on->cache_bytes / p->on->wide->bytes;
    k.m = b->sequences * b->context * op->keys * op->n;
    p->sum.attention += price(p, p->on->wide, &k, op->count, product_start(p));
  }
  if (b->prompts * b->tokens == 0) return;
  pm_kernel k;
  start_product(&k, p, p->on->precision);
  k.count = b->prompts;
  k.m = b->tokens;
  k.n = (b->past + b->tokens) * op->keys;
  k.k = op->heads * op->n;
  p->sum.attention += price(p, p->on->narrow, &k, op->count, product_start(p));
}

/* ---- States ---- */

/* Decoding reads and writes the state of each sequence, four bytes a number; prompts go chunk by chunk. */
static void add_state(pricing *p, const pm__serving_operation *op)
{
  const pm__serving_batch *b = p->batch;
  double prompts = b->prompts * b->tokens;
  if (b->sequences > 0) {
    pm_kernel k;
    start_kernel(&k, PM_OPERATOR_ELEMENTWISE, p->on->wide_precision);
    k.count = 2 * PM__SERVE_STATE_BYTES / p->on->wide->bytes;
    k.m = b->sequences * b->drafts * op->n;
    p->sum.attention += price(p, p->on->wide, &k, op->count, product_start(p));
  }
  if (prompts == 0) return;
  pm_kernel k;
  start_product(&k, p, p->on->wide_precision);
  k.m = prompts;
  k.n = op->value;
  k.k = fmax(1, op->k / op->value);
  p->sum.attention += price(p, p->on->wide, &k, op->count, product_start(p));
}

/* ---- Experts ---- */

double pm__serving_active(double experts, double top_k, double tokens)
{
  return experts * (1 - pow(1 - fmin(top_k / experts, 1), tokens));
}

/* Those of MXFP4 for rows of FP4 are the engine's in general, which read shorter weights. */
static pm__software_experts_kind kind_of(const pricing *p)
{
  bool fp4 = p->on->precision == PM_PRECISION_FP4;
  if (p->on->experts_stored == PM_STORED_FP8_BLOCK) return PM__EXPERTS_BLOCK;
  if (p->on->experts_stored == PM_STORED_MXFP4) return fp4 ? PM__EXPERTS_GENERAL : PM__EXPERTS_MX;
  if (!(p->on->expert_bytes < 1)) return PM__EXPERTS_GENERAL;
  return fp4 ? PM__EXPERTS_FP4 : PM__EXPERTS_W4;
}

/* 4-bit weights of experts are multiplied in two bytes where the run is not in FP4. */
static const pm__device *expert_device(const pricing *p, int *precision)
{
  bool wide = p->on->expert_bytes < 1 && p->on->precision != PM_PRECISION_FP4;
  *precision = wide ? p->on->wide_precision : p->on->precision;
  return wide ? p->on->wide : p->on->narrow;
}

/* Where every GPU has a part of every expert, all tokens go to all, and sums of the parts come back. */
static void add_gathered(pricing *p, const pm__serving_operation *op, double tokens)
{
  double bytes = tokens * p->on->attention_ranks * op->n, byte = p->on->narrow->bytes < 2 ? 1 : 2;
  double there = pm__serving_exchange(p->on, p->on->experts, PM_COLLECTIVE_ALL_GATHER, bytes * byte);
  double back = pm__serving_exchange(p->on, p->on->experts, PM_COLLECTIVE_REDUCE_SCATTER, bytes * 2);
  p->sum.exchange += op->count * (there + back);
}

/* Rows are exchanged before and after the experts where groups have tokens of their own. */
static void add_dispatch(pricing *p, const pm__serving_operation *op, double tokens)
{
  if (p->on->attention_ranks == 1) return;
  if (p->on->expert_ranks == 1) {
    add_gathered(p, op, tokens);
    return;
  }
  double sent = tokens / p->on->tensor_ranks * op->top_k * op->n, byte = p->on->narrow->bytes < 2 ? 1 : 2;
  double there = pm__serving_exchange(p->on, p->on->experts, PM_COLLECTIVE_ALL_TO_ALL, sent * byte);
  double back = pm__serving_exchange(p->on, p->on->experts, PM_COLLECTIVE_ALL_TO_ALL, sent * 2);
  p->sum.exchange += op->count * (there + back);
}

static void add_experts(pricing *p, const pm__serving_operation *op)
{
  int precision;
  const pm__device *d = expert_device(p, &precision);
  const pm__serving_device *on = p->on;
  double ranks = (double)on->tensor_ranks * on->attention_ranks, inner = ranks / on->expert_ranks;
  double tokens = p->rows * on->attention_ranks, local = op->experts / on->expert_ranks;
  double used = fmax(1, pm__serving_active(local, op->top_k * local / op->experts, tokens));
  double per = fmax(1, tokens * op->top_k / on->expert_ranks * on->imbalance / used);
  double hidden = op->k * on->tensor_ranks / inner; /* the shard has those of a tensor group alone */
  pm__software_experts r = pm__software_experts_of(on->kernels, kind_of(p));
  pm_kernel k;
  start_product(&k, p, precision);
  k.count = used;
  k.m = per;
  k.operand_bytes = on->expert_bytes;
  k.rate = known(r.rate, k.rate);
  k.n = op->up * hidden;
  k.k = op->n;
  p->sum.expert += price(p, d, &k, op->count, known(r.time, 2 * product_start(p)));
  k.n = op->n;
  k.k = hidden;
  p->sum.expert += price(p, d, &k, op->count, 0);
  pm_kernel pass;
  start_kernel(&pass, PM_OPERATOR_ELEMENTWISE, p->on->wide_precision);
  pass.count = op->up + 1;
  pass.m = used * per * hidden;
  p->sum.expert += price(p, p->on->wide, &pass, op->count, 0);
  pass.count = 1;
  pass.m = known(r.routing, 4) * tokens * op->top_k * op->n;
  p->sum.expert += price(p, p->on->wide, &pass, op->count, 0);
  add_dispatch(p, op, p->rows);
}

/* ---- Memory-bound kernels ---- */

static void add_rows(pricing *p, const pm__serving_operation *op, int operation, double tensors, double start,
                     double clocks)
{
  pm_kernel k;
  start_kernel(&k, operation, p->on->wide_precision);
  bool rows = operation != PM_OPERATOR_ELEMENTWISE;
  k.count = tensors;
  k.m = p->rows * op->rows * (rows ? 1 : op->n);
  k.n = rows ? op->n : 1;
  k.clocks = known(clocks, 0);
  k.blocks = operation == PM_OPERATOR_EMBEDDING ? 0 : p->rows * op->rows;
  p->sum.pass += price(p, p->on->wide, &k, op->count, known(start, product_start(p)));
}

/* The sum of the residual before a norm reads and writes as much as the norm does. */
static void add_norm(pricing *p, const pm__serving_operation *op)
{
  add_rows(p, op, PM_OPERATOR_LAYER_NORM, 1, p->on->kernels->norm, p->on->kernels->norm_clocks);
}

static void add_rotary(pricing *p, const pm__serving_operation *op)
{
  add_rows(p, op, PM_OPERATOR_ELEMENTWISE, 2, p->on->kernels->rotary, p->on->kernels->rotary_clocks);
}

static void add_gated(pricing *p, const pm__serving_operation *op)
{
  add_rows(p, op, PM_OPERATOR_ELEMENTWISE, 3, p->on->kernels->gated, p->on->kernels->gated_clocks);
}

static void add_gather(pricing *p, const pm__serving_operation *op)
{
  add_rows(p, op, PM_OPERATOR_EMBEDDING, 1, p->on->kernels->gather, p->on->kernels->gather_clocks);
}

/* ---- Exchanges ---- */

/* In one kernel, whose rounds begin and end with a barrier: in one round everyone reads all of everyone's numbers, in
** two a part of them, and then the sums of the others. INFINITY: there is none for these links. */
static double own_all_reduce(const pm__serving_device *on, const pm__collective_group *group, double bytes)
{
  double n = group->members, round = known(on->kernels->all_reduce, 0);
  if (!on->engine->own_all_reduce || group->nodes > 1 || round == 0 || group->wiring == NULL) return INFINITY;
  if (group->wiring->packed.directed_rings == 0) return INFINITY;
  double bandwidth = known(on->kernels->all_reduce_rate, 1) * pm__collective_ring_bandwidth(group);
  if (!(bandwidth > 0)) return INFINITY;
  double one = round + (n - 1) * bytes / bandwidth, two = 2 * round + 2 * (n - 1) / n * bytes / bandwidth;
  return fmin(one, two);
}

static const pm__collective_candidates *ways_of(const pm__serving_device *on, const pm__collective_group *group,
                                                int collective, pm__collective_candidates *own)
{
  pm__serving_memo *memo = on->memo;
  int role = group == on->tensor ? 0 : group == on->experts ? 1 : 2, way = role * PM_COLLECTIVE_COUNT + collective;
  for (unsigned i = 0; memo != NULL && i < PM__SERVE_WAYS && i < memo->way_count; i++)
    if (memo->way[i] == way) return &memo->ways[i];
  unsigned at = memo != NULL ? memo->way_count++ % PM__SERVE_WAYS : 0;
  if (memo != NULL) memo->way[at] = way, own = &memo->ways[at];
  pm__collective_candidates_find(own, group, (pm_collective)collective);
  return own;
}

double pm__serving_exchange(const pm__serving_device *on, const pm__collective_group *group, int collective,
                            double bytes)
{
  pm__collective_candidates found;
  if (group->members * group->nodes == 1 || !(bytes > 0)) return 0;
  double library = pm__collective_candidates_time(ways_of(on, group, collective, &found), bytes).time;
  if (collective != PM_COLLECTIVE_ALL_REDUCE) return library;
  double own = own_all_reduce(on, group, bytes);
  return isnan(library) ? own : fmin(library, own);
}

static void add_exchange(pricing *p, const pm__serving_operation *op)
{
  static const int collectives[PM__SHARDING_COLLECTIVES] = {
    [PM__SHARDING_ALL_REDUCE] = PM_COLLECTIVE_ALL_REDUCE, [PM__SHARDING_REDUCE_SCATTER] = PM_COLLECTIVE_REDUCE_SCATTER,
    [PM__SHARDING_ALL_GATHER] = PM_COLLECTIVE_ALL_GATHER, [PM__SHARDING_ALL_TO_ALL] = PM_COLLECTIVE_ALL_TO_ALL,
    [PM__SHARDING_SEND_RECEIVE] = PM_COLLECTIVE_SEND_RECEIVE};
  double bytes = p->rows * op->n * p->on->wide->bytes;
  p->sum.exchange += op->count * pm__serving_exchange(p->on, p->on->tensor, collectives[op->collective], bytes);
}

/* ---- A pass ---- */

typedef void add_operation(pricing *p, const pm__serving_operation *op);

/* What depends on the tokens of a pass, however they are divided. */
static add_operation *const of_rows[PM__SERVE_KINDS] = {
  [PM__SERVE_PRODUCT] = add_product, [PM__SERVE_EXPERTS] = add_experts, [PM__SERVE_NORM] = add_norm,
  [PM__SERVE_ROTARY] = add_rotary, [PM__SERVE_GATED] = add_gated, [PM__SERVE_GATHER] = add_gather,
  [PM__SERVE_EXCHANGE] = add_exchange,
};

static add_operation *const of_batch[PM__SERVE_KINDS] = {
  [PM__SERVE_LATENT_UP] = add_latent_up, [PM__SERVE_HEAD] = add_head, [PM__SERVE_ATTENTION] = add_attention,
  [PM__SERVE_STATE] = add_state, [PM__SERVE_INDEX] = add_index,
};

static void add_all(pricing *p, add_operation *const kinds[PM__SERVE_KINDS])
{
  for (int i = 0; i < p->model->count; i++) {
    const pm__serving_operation *op = &p->model->operation[i];
    if (kinds[op->kind] != NULL) kinds[op->kind](p, op);
  }
}

static void add_rows_of(pricing *p)
{
  pm__serving_memo *memo = p->on->memo;
  size_t at = memo != NULL ? pm__serving_memo_place(p->rows) : 0;
  if (memo != NULL && memo->rows[at] == p->rows) {
    p->sum = memo->of_rows[at];
    return;
  }
  add_all(p, of_rows);
  if (memo == NULL) return;
  memo->rows[at] = p->rows;
  memo->of_rows[at] = p->sum;
}

static pm__serving_times compute(const pm__serving_model *model, const pm__serving_device *device,
                                 const pm__serving_batch *batch)
{
  pricing p = {.model = model, .on = device, .batch = batch,
               .rows = batch->sequences * batch->drafts + batch->prompts * batch->tokens};
  add_rows_of(&p);
  add_all(&p, of_batch);
  return p.sum;
}

pm__serving_times pm__serving_pass(const pm__serving_model *model, const pm__serving_device *device,
                                   const pm__serving_batch *batch)
{
  pm__serving_memo *memo = device->memo;
  if (memo == NULL) return compute(model, device, batch);
  for (unsigned back = 1; back <= PM__SERVE_PASSES && back <= memo->pass_count; back++) {
    unsigned at = (memo->pass_count - back) % PM__SERVE_PASSES;
    if (memcmp(&memo->batch[at], batch, sizeof *batch) == 0) return memo->passes[at];
  }
  unsigned at = memo->pass_count++ % PM__SERVE_PASSES;
  memo->batch[at] = *batch;
  return memo->passes[at] = compute(model, device, batch);
}
