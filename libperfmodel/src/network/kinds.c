/* The kinds of layers. A new kind is one new file and one line here. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "network/layer.h"
#include "perfmodel/units.h"

static const pm__layer_kind *const kinds[] = {
  &pm__conv2d,  &pm__linear,   &pm__batch_norm,      &pm__lrn, &pm__relu,    &pm__dropout,      &pm__max_pool,
  &pm__avg_pool, &pm__global_avg_pool, &pm__add, &pm__concat, &pm__flatten, &pm__softmax_loss,
  &pm__conv1d, &pm__conv3d, &pm__depthwise_conv2d, &pm__conv_transpose1d, &pm__conv_transpose2d, &pm__conv_transpose3d,
  &pm__adaptive_avg_pool, &pm__layer_norm, &pm__group_norm, &pm__instance_norm, &pm__rms_norm,
  &pm__relu6, &pm__leaky_relu, &pm__prelu, &pm__elu, &pm__gelu, &pm__silu, &pm__mish, &pm__sigmoid, &pm__tanh,
  &pm__hardswish, &pm__hardsigmoid, &pm__softplus, &pm__swiglu, &pm__softmax, &pm__cross_entropy,
  &pm__subtract, &pm__multiply, &pm__divide, &pm__pointwise, &pm__bias, &pm__scale, &pm__mean,
  &pm__reshape, &pm__permute, &pm__slice, &pm__pad, &pm__interpolate, &pm__squeeze_excitation,
  &pm__embedding, &pm__embedding_bag, &pm__positional_embedding, &pm__learned_token,
  &pm__lstm, &pm__gru, &pm__rnn, &pm__attention, &pm__additive_attention, &pm__dot_attention, &pm__matmul,
  &pm__mixture_of_experts, &pm__dot_interaction,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const pm__layer_kind *pm__layer_kind_find(const char *name)
{
  for (size_t i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const char *pm_layer_kind_at(size_t index)
{
  return index < KINDS ? kinds[index]->name : NULL;
}

/* What an attribute is if it is left out, as text; NULL if it must be given. */
static const char *default_of(const pm__attribute_rule *rule, char *number)
{
  if (rule->like != NULL) return rule->like;
  if (rule->kind == PM__CHOICE) return rule->words[(int)rule->otherwise];
  if (rule->kind == PM__SWITCH) return rule->otherwise != 0 ? "yes" : "no";
  return isnan(rule->otherwise) ? NULL : pm_number_format(number, rule->otherwise);
}

static void add_attribute(const pm__attribute_rule *rule, char *buffer, size_t size)
{
  char number[PM_NUMBER_MAX];
  size_t used = strlen(buffer);
  const char *value = default_of(rule, number);
  snprintf(buffer + used, size - used, "%s%s%s%s", used > 0 ? " " : "", rule->name, value != NULL ? "=" : "",
           value != NULL ? value : "");
}

char *pm_layer_kind_attributes(size_t index, char *buffer, size_t size)
{
  if (buffer == NULL || size == 0) return buffer;
  buffer[0] = '\0';
  for (const pm__attribute_rule *rule = index < KINDS ? kinds[index]->rules : NULL; rule != NULL && rule->name != NULL;
       rule++)
    add_attribute(rule, buffer, size);
  return buffer;
}
