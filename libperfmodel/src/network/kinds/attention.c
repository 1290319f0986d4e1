/*
** Scaled dot-product attention of queries, keys and values that are already projected: no parameters, but for a table
** of biases of the scores by relative position, `bias_rows` per head (2n - 1 for n tokens in a row; or some buckets).
**
**     MAC = heads tokens keys (d + dv)        scores and context, counted in full, causal or not
**
** d and dv are the features of one head of the queries (and keys) and of the values. With fewer heads for keys and
** values than for queries (grouped-query; one: multi-query) the arithmetic is the same, the tensors are smaller.
** A fourth input has features of the keys that all heads share (latent attention: the rotated ones). They are copied
** behind each head's own, and the copies are kept. `sinks` are a learned score per head that takes part in the softmax.
**
** Unfused, scores are computed, masked (causal), normalised, dropped and multiplied as separate kernels over
** tokens x keys numbers, all of them whatever the mask; the normalised ones are kept for the backward pass. `flash`
** fuses all into one kernel that keeps one number per query and head, computes the scores a second time backward, and
** leaves out what a causal mask hides: the FLOP of those pairs are not done and not counted. `auto` leaves the choice
** to the software, which may have other implementations (network/attention), and counts as unfused until a framework is
** chosen. A causal mask is aligned at the end: the last query sees every key, or, with a `window`, the last so many;
** fewer keys than queries are each of as many tokens, and are seen behind them.
** GPUs that share the queries have equal parts of the pairs: an early and a late part of the sequence each.
**
** Over GPUs: heads are split; with more GPUs than heads of keys, several have the same one. Over a context queries are
** split, and keys and values are gathered or go round, or heads are split there as well. Keys and values that go round
** are worked on as they come, by a fused kernel for each part, and the parts are put together (Transformer Engine,
** context_parallel.py: AttnFuncWithCPAndKVP2P):
**
**     forward     copy of keys and values into a buffer; the first output scaled; for each further part the sums of its
**                 softmax, and its output scaled and added
**     backward    copy of keys and values into a buffer; for each part gradients of queries added up, those of keys and
**                 values joined and added up
**
** Of a causal mask, the last GPU of the ring has the whole of its queries, and half of the keys, to work on in each
** part but its own.
*/
#include <math.h>
#include "network/kinds/kinds.h"
#include "perfmodel/attention.h"

enum { HEADS, KV_HEADS, CAUSAL, FLASH, DROPOUT, BIAS_ROWS, WINDOW, SINKS, MOST_KEYS };
/* No attributes of their own: GPUs that share its queries, 0: one; what the software chose, from 1, 0: nothing; tokens
** of a document, 0: all; parts in which keys go round, 0: they do not. */
enum { CONTEXT = PM__SHARED - 1, CHOSEN = PM__SHARED - 2, DOCUMENT = PM__SHARED - 3, RING = PM__SHARED - 4 };

static const pm__attribute_rule rules[] = {
  PM__REQUIRED("heads", HEADS, PM__COUNT, 1, 1e6, "heads of the queries"),
  PM__LIKE("kv_heads", KV_HEADS, PM__COUNT, 1, 1e6, "heads", "of keys and values; fewer: grouped, 1: multi-query"),
  PM__SWITCHED("causal", CAUSAL, 0, "a query sees no later keys"),
  PM__AUTOMATIC("flash", FLASH, "one fused kernel without saved or masked scores; auto: if the software does it"),
  PM__OPTIONAL("dropout", DROPOUT, PM__NUMBER, 0, 1, 0, "share of the normalised scores that is dropped"),
  PM__OPTIONAL("bias_rows", BIAS_ROWS, PM__COUNT, 0, 1e9, 0, "rows of a learned table of biases added to the scores"),
  PM__OPTIONAL("window", WINDOW, PM__COUNT, 0, 1e15, 0,
               "keys that a query sees at most, the last; 0: all; needs causal"),
  PM__OPTIONAL("most_keys", MOST_KEYS, PM__COUNT, 0, 1e15, 0,
               "keys that a query attends to at most, chosen of all; 0: all; needs causal"),
  PM__SWITCHED("sinks", SINKS, 0, "a learned score of each head beside those of its keys"),
  PM__SHARED_RULE,
  PM__RULES_END,
};

static const pm_attention *implementation(const pm__layer *layer)
{
  int chosen = (int)layer->attribute[CHOSEN];
  if (chosen > 0) return pm_attention_get(chosen - 1);
  return pm_attention_get(layer->attribute[FLASH] == PM__YES ? PM_ATTENTION_FUSED : PM_ATTENTION_UNFUSED);
}

static bool is_fused(const pm__layer *layer)
{
  return !implementation(layer)->scores;
}

/* No fused kernel adds learned biases. */
static void choose(pm__layer *layer, int attention)
{
  bool possible = layer->attribute[BIAS_ROWS] == 0 || pm_attention_get(attention)->scores;
  if (layer->attribute[FLASH] == PM__AUTO && possible) layer->attribute[CHOSEN] = attention + 1;
}

static void pack(pm__layer *layer, double tokens)
{
  layer->attribute[DOCUMENT] = tokens;
}

static int bad(const pm__layer *layer, const char *why, const pm__shape *inputs, pm_error *error)
{
  char q[PM_TEXT_MAX], k[PM_TEXT_MAX], v[PM_TEXT_MAX];
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "attention \"%s\" of %s, %s, %s: %s", layer->name,
                  pm__shape_text(&inputs[0], q, sizeof q), pm__shape_text(&inputs[1], k, sizeof k),
                  pm__shape_text(&inputs[2], v, sizeof v), why);
}

/* Leading dimensions (windows, groups) and the length of keys and values. */
static bool same_batches(const pm__shape *inputs)
{
  int rank = inputs[0].rank;
  if (rank < 2 || inputs[1].rank != rank || inputs[2].rank != rank) return false;
  for (int i = 0; i < rank - 2; i++)
    if (inputs[1].size[i] != inputs[0].size[i] || inputs[2].size[i] != inputs[0].size[i]) return false;
  return inputs[1].size[rank - 2] == inputs[2].size[rank - 2];
}

/* Whether the fourth input is like the keys but in its features. */
static bool same_keys(const pm__shape *inputs)
{
  if (inputs[3].rank != inputs[1].rank) return false;
  for (int i = 0; i < inputs[1].rank - 1; i++)
    if (inputs[3].size[i] != inputs[1].size[i]) return false;
  return true;
}

static int shape(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  const double *a = layer->attribute;
  if (!same_batches(inputs))
    return bad(layer, "it takes queries, keys and values of tokens x features, as many keys as values", inputs, error);
  if (count == 4 && !same_keys(inputs))
    return bad(layer, "the features that all heads share are not of as many keys", inputs, error);
  int last = inputs[0].rank - 1;
  int64_t heads = (int64_t)a[HEADS], kv_heads = (int64_t)a[KV_HEADS];
  if (heads % kv_heads != 0) return bad(layer, "kv_heads do not divide heads", inputs, error);
  if (inputs[0].size[last] % heads != 0) return bad(layer, "heads do not divide the query features", inputs, error);
  if (inputs[1].size[last] % kv_heads != 0 || inputs[2].size[last] % kv_heads != 0)
    return bad(layer, "kv_heads do not divide the key and value features", inputs, error);
  if (inputs[0].size[last] / heads != inputs[1].size[last] / kv_heads + (count == 4 ? inputs[3].size[last] : 0))
    return bad(layer, "a head of the queries and one of the keys differ in size", inputs, error);
  if (a[WINDOW] > 0 && a[CAUSAL] == 0) return bad(layer, "a window needs causal", inputs, error);
  if (a[MOST_KEYS] > 0 && (a[CAUSAL] == 0 || a[WINDOW] > 0))
    return bad(layer, "most_keys needs causal, and no window", inputs, error);
  if (layer->attribute[BIAS_ROWS] > 0 && is_fused(layer))
    return bad(layer, "flash adds no learned biases", inputs, error);
  layer->output = inputs[0];
  layer->output.size[last] = heads * (inputs[2].size[last] / kv_heads);
  return PM_OK;
}

/* Sizes of one sample: heads of all leading dimensions, tensors in elements. */
typedef struct sizes {
  double heads, tokens, keys, d, dv, q, k, v, out, scores;
  double copied; /* features that all heads share, once for each of them */
} sizes;

static sizes sizes_of(const pm__layer *layer, const pm__shape *inputs, int count)
{
  const pm__shape *q = &inputs[0], *k = &inputs[1];
  double heads = layer->attribute[HEADS];
  int last = q->rank - 1;
  sizes s;
  s.tokens = (double)q->size[last - 1];
  s.keys = (double)k->size[last - 1];
  s.d = (double)q->size[last] / heads;
  s.dv = (double)layer->output.size[last] / heads;
  s.q = pm__shape_elements(q);
  s.copied = count == 4 ? pm__shape_elements(&inputs[3]) * layer->attribute[KV_HEADS] : 0;
  s.k = pm__shape_elements(k) + s.copied;
  s.v = pm__shape_elements(&inputs[2]);
  s.out = layer->elements_out;
  s.heads = s.q / (s.tokens * s.d);
  s.scores = s.heads * s.tokens * s.keys;
  return s;
}

static void add_product(pm__layer_kernels *kernels, pm__pass pass, double heads, double m, double n, double k,
                        double elements)
{
  pm__add_gemm(kernels, pass, (pm__gemm){heads, m, n, k, PM__SCALES_COUNT}, elements, 0);
}

/* The gradient of a row is the sum over the scores that it was added to. */
static void add_biases(pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  layer->parameters = layer->attribute[BIAS_ROWS] * layer->attribute[HEADS];
  if (layer->parameters == 0) return;
  layer->parameter_tensors = 1;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){s->scores, 2 * s->scores, layer->parameters});
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){s->scores, s->scores, layer->parameters});
}

/* A sink's gradient is the sum over the queries of its share. */
static void add_sinks(pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  if (layer->attribute[SINKS] == 0) return;
  double rows = s->heads * s->tokens;
  layer->parameters += layer->attribute[HEADS];
  layer->parameter_tensors++;
  pm__add_kernel(kernels, PM__WGRAD, PM__ELEMENTWISE, (pm__work){2 * rows, 2 * rows, layer->attribute[HEADS]});
}

/* Features that all heads share go behind each head's own; backward, their gradients are added up. */
static void add_copies(pm__layer_kernels *kernels, const sizes *s)
{
  if (s->copied == 0) return;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * s->k, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){s->copied, 2 * s->k, 0});
}

static void add_softmax(pm__layer_kernels *kernels, pm__pass pass, const sizes *s, pm__work work)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__SOFTMAX, work);
  kernel->shape.row = s->keys;
  kernel->part = PM__PART_SOFTMAX;
  kernel->part_size = s->scores;
}

static pm__layer_kernel *add_dropout(pm__layer_kernels *kernels, pm__pass pass, const sizes *s)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__ELEMENTWISE, (pm__work){s->scores, 3 * s->scores, 0});
  kernel->part = PM__PART_DROPOUT;
  kernel->part_size = s->scores;
  return kernel;
}

static void add_mask(pm__layer_kernels *kernels, const sizes *s)
{
  pm__layer_kernel *kernel = pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE,
                                            (pm__work){s->scores, 2 * s->scores, 0});
  kernel->part = PM__PART_MASK;
  kernel->part_size = s->scores;
}

/* Per score: scale 1, bias 1, mask 1, softmax 5, dropout 1. */
static void unfused_forward(pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  add_product(kernels, PM__FORWARD, s->heads, s->keys, s->tokens, s->d, s->q + s->k + s->scores);
  kernels->kernel[kernels->count - 1].work.flop += s->scores;
  add_biases(layer, kernels, s);
  if (layer->attribute[CAUSAL] != 0)
    add_mask(kernels, s);
  add_softmax(kernels, PM__FORWARD, s, (pm__work){5 * s->scores, 2 * s->scores, 0});
  if (layer->attribute[DROPOUT] > 0) add_dropout(kernels, PM__FORWARD, s)->dropout = true;
  add_product(kernels, PM__FORWARD, s->heads, s->dv, s->tokens, s->keys, s->scores + s->v + s->out);
}

/* Gradients of values, normalised scores, scores (4 FLOP each: p (g - sum p g)), queries, keys. */
static void unfused_backward(const pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  pm__pass pass = PM__DGRAD;
  add_product(kernels, pass, s->heads, s->dv, s->keys, s->tokens, s->scores + s->out + s->v);
  add_product(kernels, pass, s->heads, s->keys, s->tokens, s->dv, s->out + s->v + s->scores);
  if (layer->attribute[DROPOUT] > 0) add_dropout(kernels, pass, s);
  add_softmax(kernels, pass, s, (pm__work){4 * s->scores, 3 * s->scores, 0});
  add_product(kernels, pass, s->heads, s->d, s->tokens, s->keys, s->scores + s->k + s->q);
  kernels->kernel[kernels->count - 1].work.flop += s->scores;
  add_product(kernels, pass, s->heads, s->d, s->keys, s->tokens, s->scores + s->q + s->k);
}

/* Pairs of a causal mask, on a GPU. */
static double masked_pairs(const sizes *s, double gpus, double window)
{
  if (s->keys >= s->tokens) return pm__window_pairs(s->tokens * gpus, s->keys, window) / gpus;
  return s->tokens / s->keys * pm__window_pairs(s->keys, s->keys, window);
}

/* Keys that a query attends to: in a window, or chosen, which is the same arithmetic. */
static double limit_of(const pm__layer *layer)
{
  return fmax(layer->attribute[WINDOW], layer->attribute[MOST_KEYS]);
}

/* Parts in which keys and values come. */
static double parts_of(const pm__layer *layer)
{
  return fmax(layer->attribute[RING], 1);
}

static void add_flash(const pm__layer *layer, pm__layer_kernels *kernels, pm__pass pass, const sizes *s, double pairs,
                      pm__work work)
{
  double rate = implementation(layer)->rate, usual = rate == 1 ? 0 : rate;
  pm__layer_kernel *kernel = pm__add_kernel(kernels, pass, PM__ATTENTION, work);
  kernel->matrix = true;
  kernel->repeats = parts_of(layer);
  kernel->shape.flash = (pm__flash){s->heads, s->tokens, s->keys, pairs, s->d, s->dv,
                                      s->k / (s->keys * s->d), 0, 0, 0, usual, limit_of(layer), 0,
                                      layer->attribute[MOST_KEYS]};
}

/* Documents that share a sequence do not see each other: as so many shorter sequences, whose tensors are the same. */
static sizes by_document(const pm__layer *layer, const sizes *s)
{
  sizes own = *s;
  double tokens = layer->attribute[DOCUMENT];
  if (!(tokens > 0)) return own;
  own.heads *= s->tokens / tokens;
  own.tokens = own.keys = tokens;
  return own;
}

/* Puts together what the parts of a ring give, of all tensors as one GPU has them. Their FLOP are not the model's, and
** not counted. */
static void add_ring(const pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  double parts = parts_of(layer), more = parts - 1, keys = (s->k + s->v) / parts, rows = s->heads * s->tokens;
  double seen = keys * (layer->attribute[CAUSAL] != 0 ? 0.5 : 1);
  if (parts == 1) return;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * keys, 0});
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 2 * s->out + rows, 0});
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 6 * rows, 0})->repeats = more;
  pm__add_kernel(kernels, PM__FORWARD, PM__ELEMENTWISE, (pm__work){0, 3 * s->out + rows, 0})->repeats = more;
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2 * keys, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, (3 - 1 / parts) * s->q, 0})->repeats = parts;
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){0, 2.5 * seen, 0})->repeats = 2 * parts;
}

/* One part of the keys. */
static sizes of_part(const pm__layer *layer, const sizes *s)
{
  sizes own = *s;
  double parts = parts_of(layer);
  own.keys /= parts;
  own.k /= parts;
  own.v /= parts;
  return own;
}

/* Forward: two products and the element-wise work of the unfused kernels. Backward: the scores again and four products,
** after a pass that reduces output times its gradient. */
static void flash(const pm__layer *layer, pm__layer_kernels *kernels, const sizes *s)
{
  add_ring(layer, kernels, s);
  sizes own = by_document(layer, s);
  s = &own;
  bool causal = layer->attribute[CAUSAL] != 0 && !implementation(layer)->masked;
  double gpus = layer->attribute[DOCUMENT] > 0 ? 1 : fmax(layer->attribute[CONTEXT], 1), window = limit_of(layer);
  double pairs = (causal ? masked_pairs(s, gpus, window) : s->tokens * s->keys) / parts_of(layer);
  own = of_part(layer, s);
  double scores = s->heads * pairs, rows = s->heads * s->tokens;
  double each = layer->attribute[DROPOUT] > 0 ? 1 : 0, tensors = s->q + s->k + s->v;
  add_flash(layer, kernels, PM__FORWARD, s, pairs,
            (pm__work){scores * (2 * (s->d + s->dv) + 6 + each), tensors + s->out + rows, 0});
  pm__add_kernel(kernels, PM__DGRAD, PM__ELEMENTWISE, (pm__work){2 * s->out, 2 * s->out + rows, 0})->repeats =
      parts_of(layer);
  add_flash(layer, kernels, PM__DGRAD, s, pairs,
            (pm__work){scores * (6 * s->d + 4 * s->dv + 6 + each), 2 * tensors + s->out + 2 * rows, 0});
}

static void save(pm__layer *layer, const sizes *s)
{
  bool dropped = layer->attribute[DROPOUT] > 0, fused = is_fused(layer);
  layer->saved.inputs = true;
  layer->saved.output = fused;
  layer->saved.elements = s->copied + (fused ? s->heads * s->tokens : dropped ? 2 * s->scores : s->scores);
  layer->saved.mask_elements = dropped && !fused ? s->scores : 0;
}

static void count(pm__layer *layer, pm__layer_kernels *kernels)
{
  sizes s = sizes_of(layer, kernels->inputs, kernels->input_count);
  layer->mac = layer->mac_bnl = s.scores * (s.d + s.dv);
  save(layer, &s);
  add_copies(kernels, &s);
  layer->causal = layer->attribute[CAUSAL] != 0;
  if (is_fused(layer)) {
    flash(layer, kernels, &s);
  } else {
    unfused_forward(layer, kernels, &s);
    unfused_backward(layer, kernels, &s);
  }
  add_sinks(layer, kernels, &s);
}

/* Queries, keys and values by heads; what all heads share is whole. */
static bool accepts(const pm__layer *layer, pm__sharding_part *part)
{
  (void)layer;
  for (int i = 0; i < part->input_count; i++) {
    bool split = part->in[i].how == PM__SHARD_FEATURES && part->in[i].axis == part->inputs[i].rank - 1;
    if (i < 3 ? !split : part->in[i].how != PM__SHARD_WHOLE) return false;
  }
  part->out = part->in[0];
  return true;
}

static pm__sharding_demand demands(const pm__layer *layer, int input, pm__sharding_demand of_output)
{
  (void)of_output;
  return (pm__sharding_demand){layer->attribute[input == 0 ? HEADS : KV_HEADS], input > 0, 0};
}

static void context(const pm__sharding_degrees *degrees, int input, pm__shape *shape)
{
  bool output = input == PM__CONTEXT_OUTPUT, heads = degrees->context_exchange == PM__CONTEXT_ALL_TO_ALL;
  if (!heads && (output || input == 0)) return;
  int64_t *tokens = &shape->size[shape->rank - 2], *features = &shape->size[shape->rank - 1], c = degrees->context;
  *tokens = output ? *tokens / c : *tokens * c;
  if (heads && input < 3) *features = output ? *features * c : *features / c;
}

/* Elements of an input on one GPU, and of all its tokens. */
static double own_elements(const pm__sharding_part *part, int input)
{
  int parts = part->in[input].how == PM__SHARD_FEATURES ? part->in[input].parts : 1;
  return pm__shape_elements(&part->inputs[input]) / parts / part->degrees->context;
}

static void add_both_ways(pm__sharding_part *part, pm__sharding_collective collective, double elements)
{
  pm__sharding_add(part, PM__FORWARD, collective, PM__AXIS_CONTEXT, elements);
  pm__sharding_add(part, PM__DGRAD, collective, PM__AXIS_CONTEXT, elements);
}

/* Gathered keys and values are not kept. Round the ring go, backward, their gradients as well. */
static void exchange_context(const pm__layer *layer, pm__sharding_part *part)
{
  double c = part->degrees->context, keys = 0;
  for (int i = 1; i < part->input_count; i++) keys += own_elements(part, i);
  if (part->degrees->context_exchange == PM__CONTEXT_ALL_GATHER) {
    add_both_ways(part, PM__SHARDING_ALL_GATHER, c * keys);
    pm__sharding_add(part, PM__DGRAD, PM__SHARDING_REDUCE_SCATTER, PM__AXIS_CONTEXT, c * keys);
  } else if (part->degrees->context_exchange == PM__CONTEXT_RING) {
    pm__sharding_add(part, PM__FORWARD, PM__SHARDING_SEND_RECEIVE, PM__AXIS_CONTEXT, keys)->repeats = c - 1;
    pm__sharding_add(part, PM__DGRAD, PM__SHARDING_SEND_RECEIVE, PM__AXIS_CONTEXT, 2 * keys)->repeats = c - 1;
  } else {
    double groups = layer->attribute[HEADS] / layer->attribute[KV_HEADS];
    for (int i = 0; i < 3; i++) add_both_ways(part, PM__SHARDING_ALL_TO_ALL, own_elements(part, i));
    add_both_ways(part, PM__SHARDING_ALL_TO_ALL, groups * own_elements(part, 2)); /* the output */
    if (part->input_count > 3) add_both_ways(part, PM__SHARDING_ALL_GATHER, c * own_elements(part, 3));
  }
}

static int divide_context(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  int c = part->degrees->context, rank = part->inputs[0].rank;
  bool heads = part->degrees->context_exchange == PM__CONTEXT_ALL_TO_ALL, causal = layer->attribute[CAUSAL] != 0;
  if (rank != 2)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "attention \"%s\" with windows cannot be split by context parallelism",
                    layer->name);
  int status = pm__sharding_check(layer, (double)part->inputs[0].size[0], "tokens", causal ? 2 * c : c, error);
  exchange_context(layer, part);
  if (!heads) layer->attribute[CONTEXT] = c;
  if (part->degrees->context_exchange == PM__CONTEXT_RING && is_fused(layer)) layer->attribute[RING] = c;
  if (!heads || status != PM_OK) return status;
  status = pm__sharding_check(layer, layer->attribute[KV_HEADS], "heads of keys and values on each GPU", c, error);
  layer->attribute[HEADS] /= c;
  layer->attribute[KV_HEADS] /= c;
  return status;
}

static int divide(pm__layer *layer, pm__sharding_part *part, pm_error *error)
{
  if (part->in[0].how == PM__SHARD_FEATURES) {
    layer->attribute[HEADS] /= part->in[0].parts;
    layer->attribute[KV_HEADS] /= part->in[1].parts;
  }
  return part->degrees->context > 1 ? divide_context(layer, part, error) : PM_OK;
}

static const pm__sharding_rules sharding = {
  .accepts = accepts, .demands = demands, .divide = divide, .context = context,
};

const pm__layer_kind pm__kind_attention = {
  .name = "attention",
  .doc = "scaled dot-product attention of projected queries, keys and values",
  .rules = rules,
  .least_inputs = 3, .most_inputs = 4,
  .shape = shape, .count = count,
  .role = PM__ROLE_ATTENTION,
  .source = PM__FRAMEWORK_KERNEL,
  .training = PM__TRAINING_ALONE,
  .inference = PM__INFERENCE_ALONE,
  .operations = {.eager = PM__EAGER_PARTS},
  .loop = PM__LOOP_NONE,
  .keeping = {.further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_SCORES,
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE},
  .parameters = PM__VECTORS,
  .state = PM__NO_STATE,
  .sharding = PM__SHARD_WHOLE | PM__SHARD_FEATURES,
  .choose = choose, .pack = pack,
  .sharding_rules = &sharding,
};
