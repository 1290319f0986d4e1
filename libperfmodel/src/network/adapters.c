/*
** The copy of a network that LoRA trains: all its layers are frozen, and beside each target runs an adapter:
**
**     y = W x             frozen                     A, B and the sum are layers like any others, so that their
**     y' = y + B (A x)    A: r x k,  B: n x r        counts, kernels, memory and shards follow from the graph
**
** Targets are found by their place in the graph, since names differ: the linear layers whose outputs attention takes as
** queries, keys and values; the first that reads what attention returns; the last before the loss or the end, the head;
** all others, the feed-forward network, and experts. A layer that computes several of queries, keys and values has one
** adapter. Layers outside a range of the repetitions have none: those before it have no backward pass.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network/kinds/kinds.h"
#include "network/network.h"
#include "perfmodel/finetune.h"
#include "perfmodel/units.h"

static const unsigned wanted[PM_LORA_TARGETS_COUNT] = {
#define WANTED(name, text, parts, doc) [PM_LORA_TARGETS_##name] = parts,
  PM_LORA_TARGETS_LIST(WANTED)
#undef WANTED
};

static bool is(const pm__layer *layer, pm__role role)
{
  return layer->kind != NULL && layer->kind->role == role;
}

/* ---- What the linear layers are for ---- */

/* Back from an input of attention to the product that it comes from: over views, norms of heads, rotations. */
static void mark_source(const pm_network *network, const pm__layer *layer, unsigned part, unsigned *parts)
{
  while (layer->kind != NULL && layer->input_count > 0 && !is(layer, PM__ROLE_DENSE))
    layer = pm__layer_input(network, layer, 0);
  if (is(layer, PM__ROLE_DENSE)) parts[layer - network->layers] |= part;
}

/* Whether a layer passes on what attention returned, unless it is a product itself. */
static bool follows_attention(const pm_network *network, const pm__layer *layer, const bool *returned)
{
  for (size_t i = 0; i < layer->input_count; i++)
    if (returned[pm__layer_input(network, layer, i) - network->layers]) return true;
  return false;
}

static bool mark_outputs(const pm_network *network, unsigned *parts)
{
  bool *returned = (bool *)calloc(network->count + 1, sizeof *returned);
  for (size_t i = 0; returned != NULL && i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    bool follows = layer->kind != NULL && follows_attention(network, layer, returned);
    if (follows && is(layer, PM__ROLE_DENSE)) parts[i] |= PM_LORA_PART_OUTPUT;
    returned[i] = is(layer, PM__ROLE_ATTENTION) || (follows && layer->input_count == 1 && !is(layer, PM__ROLE_DENSE));
  }
  free(returned);
  return returned != NULL;
}

static void mark_heads(const pm_network *network, unsigned *parts)
{
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    if (is(layer, PM__ROLE_LOSS)) mark_source(network, pm__layer_input(network, layer, 0), PM_LORA_PART_HEAD, parts);
    if (is(layer, PM__ROLE_DENSE) && layer->consumers == 0) parts[i] |= PM_LORA_PART_HEAD;
  }
}

static bool mark(const pm_network *network, unsigned *parts)
{
  static const unsigned inputs[] = {PM_LORA_PART_QUERIES, PM_LORA_PART_KEYS, PM_LORA_PART_VALUES};
  const unsigned all = PM_LORA_PART_QUERIES | PM_LORA_PART_KEYS | PM_LORA_PART_VALUES;
  for (size_t i = 0; i < network->count; i++) {
    const pm__layer *layer = &network->layers[i];
    for (size_t k = 0; is(layer, PM__ROLE_ATTENTION) && k < layer->input_count; k++)
      mark_source(network, pm__layer_input(network, layer, k), layer->input_count == 1 ? all : inputs[k % 3], parts);
  }
  mark_heads(network, parts);
  if (!mark_outputs(network, parts)) return false;
  for (size_t i = 0; i < network->count; i++)
    if ((is(&network->layers[i], PM__ROLE_DENSE) && parts[i] == 0) || is(&network->layers[i], PM__ROLE_EXPERTS))
      parts[i] = PM_LORA_PART_FEED_FORWARD;
  return true;
}

/* ---- Which of the repeated layers have adapters ---- */

/* The number in the name of a repetition's layer, "layers.12.mlp": where it ends; 0 without one. */
static size_t numbered(const char *name)
{
  for (size_t i = 0; name[i] != '\0'; i++) {
    size_t digits = strspn(name + i, "0123456789");
    bool starts = i == 0 || name[i - 1] == '.' || name[i - 1] == '/';
    if (starts && digits > 0 && (name[i + digits] == '.' || name[i + digits] == '/')) return i + digits;
  }
  return 0;
}

/* Takes the parts of layers outside the range; what no repetition has stays. Returns how many repetitions there are. */
static int leave_out(const pm_network *network, const pm__network_adapters *how, unsigned *parts)
{
  const char *before = "";
  size_t length = 0;
  int number = -1;
  for (size_t i = 0; i < network->count; i++) {
    const char *name = network->layers[i].name;
    size_t own = numbered(name);
    if (own == 0) continue;
    if (own != length || strncmp(name, before, own) != 0) number++;
    before = name;
    length = own;
    if (number < how->first || (how->layers > 0 && number >= how->first + how->layers)) parts[i] = 0;
  }
  return number + 1;
}

/* ---- The copy ---- */

typedef struct copying {
  const pm_network *network;
  pm_network *copy;
  unsigned *parts; /* of each layer */
  int *at;         /* of each layer: who has its output in the copy */
  const pm__network_adapters *how;
  bool freezes; /* the network says itself what is trained beside adapters */
  pm_error *error;
} copying;

static int add(copying *c, pm__layer model, const char *name, const int *inputs)
{
  pm__shape shapes[PM__KERNELS_MAX];
  pm__shape *seen = shapes;
  if (name != NULL && snprintf(model.name, sizeof model.name, "%.*s", (int)sizeof model.name - 1, name) < 0) return -1;
  if (model.input_count > PM__KERNELS_MAX) seen = (pm__shape *)malloc(model.input_count * sizeof *seen);
  if (seen == NULL) return pm__no_memory(c->error), -1;
  for (size_t i = 0; i < model.input_count; i++) seen[i] = c->copy->layers[inputs[i]].output;
  int number = pm__network_add_layer(c->copy, &model, inputs, seen, c->error);
  if (seen != shapes) free(seen);
  return number;
}

/* A layer of an adapter behind one input. */
static int add_part(copying *c, const pm__layer *target, const char *part, const pm__layer_kind *kind, int input,
                    const pm_attribute *attributes, size_t count)
{
  char name[PM_TEXT_MAX];
  snprintf(name, sizeof name, "%.*s.%s", (int)(PM_TEXT_MAX - 1 - strlen(part) - 1), target->name, part);
  pm__layer model = {.kind = kind, .input_count = 1, .tuning = PM__ADAPTER};
  if (pm__layer_read_attributes(&model, attributes, count, c->error) != PM_OK) return -1;
  return add(c, model, name, &input);
}

/* A product without a bias, of the target's kind. */
static int add_product(copying *c, const pm__layer *target, const char *part, int input, int64_t features)
{
  char size[24];
  snprintf(size, sizeof size, "%lld", (long long)features);
  const pm_attribute attributes[] = {{"out_features", size}, {"bias", "no"}};
  return input >= 0 ? add_part(c, target, part, target->kind, input, attributes, 2) : -1;
}

/* What the adapter of a target gets of its input. */
static int add_dropout(copying *c, const pm__layer *target, int input)
{
  char rate[PM_NUMBER_MAX];
  if (!(c->how->dropout > 0)) return input;
  const pm_attribute attributes[] = {{"rate", pm_number_format(rate, c->how->dropout)}};
  return add_part(c, target, "lora_dropout", pm__layer_kind_find("dropout"), input, attributes, 1);
}

static int check_rank(const copying *c, const pm__layer *target)
{
  int64_t in = target->input.size[target->input.rank - 1], out = target->output.size[target->output.rank - 1];
  int64_t least = in < out ? in : out;
  if (c->how->rank <= least) return PM_OK;
  return pm__fail(c->error, PM_STATUS_BAD_VALUE,
                  "lora_rank %d is above the smallest side of %s \"%s\", %lld x %lld: use --lora-rank %lld or less",
                  c->how->rank, target->kind->name, target->name, (long long)in, (long long)out, (long long)least);
}

/* Of all experts in one layer. */
static int add_experts(copying *c, const pm__layer *target, int input)
{
  char name[PM_TEXT_MAX];
  pm__layer model = *target;
  model.tuning = PM__ADAPTER;
  pm__experts_become_adapters(&model, c->how->rank);
  snprintf(name, sizeof name, "%.*s.lora_ab", (int)sizeof name - 9, target->name);
  return input >= 0 ? add(c, model, name, &input) : -1;
}

static int add_products(copying *c, const pm__layer *target, int input)
{
  int narrow = add_product(c, target, "lora_a", input, c->how->rank);
  return add_product(c, target, "lora_b", narrow, target->output.size[target->output.rank - 1]);
}

/* A product and its adapter together: a sum, or with trained lengths of its outputs. */
static int add_sum(copying *c, const pm__layer *target, int number, int adapter)
{
  char name[PM_TEXT_MAX], in[24];
  const int both[] = {number, adapter};
  pm__layer sum = {.kind = pm__layer_kind_find(c->how->dora ? "dora" : "add"), .input_count = 2,
                   .tuning = PM__ADAPTER};
  snprintf(in, sizeof in, "%lld", (long long)target->input.size[target->input.rank - 1]);
  const pm_attribute attributes[] = {{"in_features", in}};
  snprintf(name, sizeof name, "%.*s.lora", (int)sizeof name - 6, target->name);
  if (pm__layer_read_attributes(&sum, attributes, c->how->dora ? 1 : 0, c->error) != PM_OK) return -1;
  return adapter >= 0 ? add(c, sum, name, both) : -1;
}

/* Beside the target `number` of the copy; who has the sum. */
static int add_adapter(copying *c, const pm__layer *target, int number)
{
  bool experts = is(target, PM__ROLE_EXPERTS);
  int input = c->copy->inputs[c->copy->layers[number].first_input];
  if (check_rank(c, target) != PM_OK) return -1;
  input = add_dropout(c, target, input);
  return add_sum(c, target, number, experts ? add_experts(c, target, input) : add_products(c, target, input));
}

static int copy_layer(copying *c, size_t number)
{
  pm__layer model = c->network->layers[number];
  int status = -1, *inputs = (int *)malloc((model.input_count + 1) * sizeof *inputs);
  if (inputs == NULL) return pm__no_memory(c->error), -1;
  for (size_t i = 0; i < model.input_count; i++) inputs[i] = c->at[c->network->inputs[model.first_input + i]];
  if (!c->freezes) model.tuning = PM__FROZEN;
  if (model.kind == NULL)
    status = pm_network_add_input(c->copy, model.name, model.output.size, model.output.rank, c->error);
  else status = add(c, model, NULL, inputs);
  if (status >= 0 && (c->parts[number] & wanted[c->how->targets]) != 0)
    status = add_adapter(c, &c->network->layers[number], status);
  free(inputs);
  return c->at[number] = status;
}

static int check_layers(const copying *c, int repetitions)
{
  const pm__network_adapters *how = c->how;
  int end = how->first + (how->layers > 0 ? how->layers : 1);
  if (end <= repetitions || (how->first == 0 && how->layers == 0)) return PM_OK;
  return pm__fail(c->error, PM_STATUS_BAD_VALUE, "adapters are requested in layers %d to %d, counted from 0, but "
                  "network \"%s\" repeats %d: leave out --lora-first-layer and --lora-layers", how->first, end - 1,
                  c->network->id, repetitions);
}

/* A network without targets has nothing to train; lengths of what experts return are not modelled. */
static int check_targets(const copying *c)
{
  bool any = false;
  for (size_t i = 0; i < c->network->count; i++) {
    bool own = (c->parts[i] & wanted[c->how->targets]) != 0;
    any |= own;
    if (own && c->how->dora && is(&c->network->layers[i], PM__ROLE_EXPERTS))
      return pm__fail(c->error, PM_STATUS_NOT_MODELLED, "DoRA of experts is not modelled, and \"%s\" has experts: use "
                      "--lora-targets attention, or leave out --lora-dora", c->network->id);
  }
  if (any) return PM_OK;
  return pm__fail(c->error, PM_STATUS_BAD_VALUE, "network \"%s\" has no linear layers of that kind for adapters: "
                  "leave out --lora-rank, or use a network with attention, such as llama3-8b", c->network->id);
}

static bool fill(copying *c)
{
  if (!mark(c->network, c->parts)) return pm__no_memory(c->error) == PM_OK;
  int repetitions = leave_out(c->network, c->how, c->parts);
  if (check_layers(c, repetitions) != PM_OK || check_targets(c) != PM_OK) return false;
  for (size_t i = 0; i < c->network->count; i++)
    if (copy_layer(c, i) < 0) return false;
  return true;
}

pm_network *pm__network_new_with_adapters(const pm_network *network, const pm__network_adapters *adapters,
                                          pm_error *error)
{
  copying c = {.network = network, .how = adapters, .freezes = pm__network_freezes(network), .error = error};
  c.copy = pm_network_new(network->id, network->name, error);
  c.parts = (unsigned *)calloc(network->count + 1, sizeof *c.parts);
  c.at = (int *)calloc(network->count + 1, sizeof *c.at);
  bool good = c.copy != NULL && c.parts != NULL && c.at != NULL;
  if (!good) pm__no_memory(error);
  good = good && fill(&c);
  free(c.parts);
  free(c.at);
  if (good) return c.copy;
  pm_network_free(c.copy);
  return NULL;
}
