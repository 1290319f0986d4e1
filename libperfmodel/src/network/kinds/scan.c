/*
** Layers that carry a state from token to token instead of looking back at keys: Mamba-2 (state_space), Mamba
** (selective_scan) and the gated delta rule (delta_rule, of Qwen3-Next, and of Kimi Linear with a decay of each
** feature).
**
** Training and prompts go chunk by chunk: within a chunk of Q tokens as attention does, between chunks over the state
** of each head. A last chunk that is not full counts in full. Per token, for H heads with values of P features:
**
**     state_space     MAC = G Q N + H (Q P + 2 N P)    N: state, G: groups that share B and C (Dao and Gu,
**                     arXiv:2405.21060, section 6)
**     delta_rule      MAC = H (Q (3 D + 2 P) + 3 D P)  D: features of a key (Yang et al., arXiv:2406.06484); the
**                     inverse of each chunk's triangle, Q^2 / 3, is element-wise
**     selective_scan  MAC = C N                        C channels, each with a state of N; no products of matrices
**
** Decoding reads and writes the state, `carried` numbers of a sequence, however long that is. Parameters: state_space a
** decay, a skip and a bias of the step for each head (3 H); delta_rule a decay and a bias (2 H; with `by_feature` the
** bias is one of each feature, H + H D); selective_scan a decay for each number of the state and a skip (C N + C).
**
** Over GPUs heads are split; with more GPUs than groups, several have the same one.
*/
#include <math.h>
#include "network/kinds/kinds.h"

enum { HEADS, KEY_HEADS, STATE, CHUNK, BY_FEATURE };

static const pm__attribute_rule space_rules[] = {
  PM__REQUIRED("heads", HEADS, PM__COUNT, 1, 1e6, "heads, each with a state of its own"),
  PM__OPTIONAL("groups", KEY_HEADS, PM__COUNT, 1, 1e6, 1, "groups of heads that share what goes in and out"),
  PM__OPTIONAL("chunk", CHUNK, PM__COUNT, 1, 1e6, 256, "tokens of a chunk"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static const pm__attribute_rule delta_rules[] = {
  PM__REQUIRED("heads", HEADS, PM__COUNT, 1, 1e6, "heads of the values, each with a state of its own"),
  PM__LIKE("key_heads", KEY_HEADS, PM__COUNT, 1, 1e6, "heads", "of queries and keys"),
  PM__OPTIONAL("chunk", CHUNK, PM__COUNT, 1, 1e6, 64, "tokens of a chunk"),
  PM__SWITCHED("by_feature", BY_FEATURE, 0, "each feature of a key has a decay of its own, not each head"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static const pm__attribute_rule selective_rules[] = {PM__SHARED_RULE, PM__RULES_END};

/* ---- Shapes ---- */

static double last_of(const pm__shape *shape)
{
  return (double)shape->size[shape->rank - 1];
}

static int bad(const pm__layer *layer, const char *why, pm_error *error)
{
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\": %s", layer->kind->name, layer->name, why);
}

/* All inputs are rows of the same tokens. */
static int check_rows(const pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  for (int i = 0; i < count; i++)
    if (inputs[i].rank != 2 || inputs[i].size[0] != inputs[0].size[0])
      return bad(layer, "its inputs are tokens x features, with as many tokens", error);
  return PM_OK;
}

static bool divides(double part, double whole)
{
  return fmod(whole, part) == 0;
}

static int shape_space(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const double *a = layer->attribute;
  int status = check_rows(layer, inputs, count, error);
  layer->output = inputs[0];
  if (status != PM_OK) return status;
  if (!divides(a[HEADS], last_of(&inputs[0])) || last_of(&inputs[3]) != a[HEADS])
    return bad(layer, "heads do not divide the features, or there are not as many steps", error);
  if (!divides(a[KEY_HEADS], last_of(&inputs[1])) || last_of(&inputs[1]) != last_of(&inputs[2]))
    return bad(layer, "groups do not divide what goes in and out of the state", error);
  return divides(a[KEY_HEADS], a[HEADS]) ? PM_OK : bad(layer, "groups do not divide heads", error);
}

static int shape_delta(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const double *a = layer->attribute;
  int status = check_rows(layer, inputs, count, error);
  layer->output = inputs[2];
  if (status != PM_OK) return status;
  if (!divides(a[KEY_HEADS], last_of(&inputs[0])) || last_of(&inputs[0]) != last_of(&inputs[1]))
    return bad(layer, "key_heads do not divide the features of queries and keys", error);
  if (!divides(a[HEADS], last_of(&inputs[2])) || !divides(a[KEY_HEADS], a[HEADS]))
    return bad(layer, "heads do not divide the values, or key_heads the heads", error);
  double decays = a[HEADS] * (a[BY_FEATURE] != 0 ? last_of(&inputs[1]) / a[KEY_HEADS] : 1);
  if (last_of(&inputs[3]) == a[HEADS] && last_of(&inputs[4]) == decays) return PM_OK;
  return bad(layer, "there are not as many rates and decays as heads", error);
}

static int shape_selective(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  int status = check_rows(layer, inputs, count, error);
  layer->output = inputs[0];
  if (status != PM_OK) return status;
  if (last_of(&inputs[0]) == last_of(&inputs[1]) && last_of(&inputs[2]) == last_of(&inputs[3])) return PM_OK;
  return bad(layer, "each channel needs a step, and what goes in and out of the state is as wide", error);
}

/* ---- Kernels ---- */

typedef struct scan {
  pm__layer *layer;
  pm__layer_kernels *kernels;
  double tokens, chunks, chunk;
} scan;

static scan scan_of(pm__layer *layer, pm__layer_kernels *kernels)
{
  double tokens = (double)kernels->inputs[0].size[0], chunk = fmax(layer->attribute[CHUNK], 1);
  return (scan){layer, kernels, tokens, ceil(tokens / chunk), chunk};
}

/* A product of each chunk and head, and backward its two. */
static void add_product(scan *s, double heads, double m, double n, double k)
{
  double count = heads * s->chunks, elements = count * (m * n + m * k + n * k);
  s->layer->mac += count * m * n * k;
  pm__add_gemm(s->kernels, PM__FORWARD, (pm__gemm){count, m, n, k, PM__SCALES_COUNT}, elements, 0);
  pm__add_gemm(s->kernels, PM__DGRAD, (pm__gemm){count, m, k, n, PM__SCALES_COUNT}, elements, 0);
  pm__add_gemm(s->kernels, PM__DGRAD, (pm__gemm){count, k, n, m, PM__SCALES_COUNT}, elements, 0);
}

/* Element-wise work: decays within and between chunks; backward twice as much. */
static void add_pass(scan *s, double flop, double moved)
{
  pm__add_kernel(s->kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){flop, moved, s->layer->parameters});
  pm__add_kernel(s->kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){2 * flop, 2 * moved, s->layer->parameters});
  pm__add_kernel(s->kernels, PM__WGRAD, PM__ELEMENTWISE,
                 (pm__work){2 * s->tokens, s->tokens, s->layer->parameters});
}

static double inputs_of(const pm__layer_kernels *kernels)
{
  double elements = 0;
  for (int i = 0; i < kernels->input_count; i++) elements += pm__shape_elements(&kernels->inputs[i]);
  return elements;
}

static void finish(scan *s, double carried)
{
  s->layer->mac_bnl = s->layer->mac;
  s->layer->carried = carried;
  s->layer->saved.inputs = true;
  s->layer->saved.elements = s->chunks * carried; /* the state before each chunk */
}

static void count_space(pm__layer *layer, pm__layer_kernels *kernels)
{
  scan s = scan_of(layer, kernels);
  double heads = layer->attribute[HEADS], groups = layer->attribute[KEY_HEADS], q = s.chunk;
  double p = last_of(&kernels->inputs[0]) / heads, n = last_of(&kernels->inputs[1]) / groups, state = heads * n * p;
  layer->parameters = 3 * heads;
  layer->parameter_tensors = 3;
  add_product(&s, groups, q, q, n);
  add_product(&s, heads, p, q, q);
  add_product(&s, heads, n, p, q);
  add_product(&s, heads, p, q, n);
  /* Decays of each pair of a chunk 3 and their product 1, steps 4; skips 2; states from chunk to chunk 2. */
  add_pass(&s, s.tokens * heads * (4 * q + 4 + 2 * p) + 2 * s.chunks * state,
           inputs_of(kernels) + layer->elements_out + 4 * s.chunks * state);
  finish(&s, state);
}

static void count_delta(pm__layer *layer, pm__layer_kernels *kernels)
{
  scan s = scan_of(layer, kernels);
  double heads = layer->attribute[HEADS], q = s.chunk, d = last_of(&kernels->inputs[0]) / layer->attribute[KEY_HEADS];
  double p = last_of(&kernels->inputs[2]) / heads, state = heads * d * p;
  layer->parameters = heads + heads * (layer->attribute[BY_FEATURE] != 0 ? d : 1);
  layer->parameter_tensors = 2;
  for (int i = 0; i < 2; i++) add_product(&s, heads, q, q, d); /* keys and queries with keys */
  add_product(&s, heads, d, q, q);
  for (int i = 0; i < 2; i++) add_product(&s, heads, p, q, q);
  for (int i = 0; i < 3; i++) add_product(&s, heads, d, p, q);
  add_pass(&s, s.tokens * heads * (q * q / 3 + 4 * q + 6 * d + 4 * p) + 2 * s.chunks * state,
           inputs_of(kernels) + layer->elements_out + 4 * s.chunks * state);
  finish(&s, state);
}

/* Per number of the state: decay 2, input 2, update 2, output 2. */
static void count_selective(pm__layer *layer, pm__layer_kernels *kernels)
{
  scan s = scan_of(layer, kernels);
  double channels = last_of(&kernels->inputs[0]), n = last_of(&kernels->inputs[2]), state = channels * n;
  layer->parameters = state + channels;
  layer->parameter_tensors = 2;
  layer->mac = s.tokens * state;
  add_pass(&s, s.tokens * (8 * state + 4 * channels), inputs_of(kernels) + layer->elements_out);
  s.chunks = 0;
  finish(&s, state);
}

/* ---- Over GPUs ---- */

static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  bool selective = layer->kind == &pm__kind_selective_scan;
  for (int i = 0; i < part->input_count; i++) {
    bool split = part->in[i].how == PM__SHARD_FEATURES && part->in[i].axis == part->inputs[i].rank - 1;
    if (selective && i >= 2 ? part->in[i].how != PM__SHARD_WHOLE : !split) return false;
  }
  part->out = layer->kind == &pm__kind_delta_rule ? part->in[2] : part->in[0];
  return true;
}

static pm__sharding_demand space_demands(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  bool group = input == 1 || input == 2;
  (void)of_output;
  return (pm__sharding_demand){layer->attribute[group ? KEY_HEADS : HEADS], group, 0};
}

static pm__sharding_demand delta_demands(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)of_output;
  return (pm__sharding_demand){layer->attribute[input < 2 ? KEY_HEADS : HEADS], input < 2, 0};
}

/* The input of the heads, and that of the groups. */
static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  bool delta = layer->kind == &pm__kind_delta_rule;
  (void)error;
  if (layer->attribute[HEADS] == 0 || part->in[0].how != PM__SHARD_FEATURES) return PM_OK;
  layer->attribute[HEADS] /= part->in[delta ? 2 : 0].parts;
  layer->attribute[KEY_HEADS] /= part->in[delta ? 0 : 1].parts;
  return PM_OK;
}

static const pm__sharding_rules space_sharding = {.accepts = accepts, .demands = space_demands, .divide = divide};
static const pm__sharding_rules delta_sharding = {.accepts = accepts, .demands = delta_demands, .divide = divide};
static const pm__sharding_rules selective_sharding = {.accepts = accepts};

#define TRAITS \
  .role = PM__ROLE_SCAN, \
  .source = PM__FRAMEWORK_KERNEL, \
  .training = PM__TRAINING_ALONE, \
  .inference = PM__INFERENCE_ALONE, \
  .operations = {.eager = PM__EAGER_COUNTED}, \
  .loop = PM__LOOP_NONE, \
  .keeping = PM__KEEPS_AS_COUNTED, \
  .parameters = PM__VECTORS, \
  .state = PM__NO_STATE, \
  .sharding = PM__SHARD_WHOLE | PM__SHARD_FEATURES

const pm__layer_kind pm__kind_state_space = {
  .name = "state_space",
  .doc = "Mamba-2: a state of each head, of values, inputs, outputs and steps",
  .rules = space_rules,
  .least_inputs = 4, .most_inputs = 4,
  .shape = shape_space, .count = count_space,
  .sharding_rules = &space_sharding,
  TRAITS,
};

const pm__layer_kind pm__kind_delta_rule = {
  .name = "delta_rule",
  .doc = "gated delta rule: a state of each head, of queries, keys, values, rates, decays",
  .rules = delta_rules,
  .least_inputs = 5, .most_inputs = 5,
  .shape = shape_delta, .count = count_delta,
  .sharding_rules = &delta_sharding,
  TRAITS,
};

const pm__layer_kind pm__kind_selective_scan = {
  .name = "selective_scan",
  .doc = "Mamba: a state of each channel, of channels, steps, inputs and outputs",
  .rules = selective_rules,
  .least_inputs = 4, .most_inputs = 4,
  .shape = shape_selective, .count = count_selective,
  .sharding_rules = &selective_sharding,
  TRAITS,
};
