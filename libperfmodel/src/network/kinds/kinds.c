/* The kinds of layers. A new kind is one new file and one line here. */
#include <string.h>
#include "network/layer.h"

static const pm__layer_kind *const kinds[] = {
  &pm__conv1d, &pm__conv2d, &pm__conv3d, &pm__depthwise_conv2d, &pm__conv_transpose1d, &pm__conv_transpose2d,
  &pm__conv_transpose3d,
  &pm__linear, &pm__bias, &pm__scale, &pm__matmul,
  &pm__batch_norm, &pm__layer_norm, &pm__group_norm, &pm__instance_norm, &pm__rms_norm, &pm__lrn,
  &pm__relu, &pm__relu6, &pm__leaky_relu, &pm__prelu, &pm__elu, &pm__gelu, &pm__silu, &pm__mish, &pm__sigmoid,
  &pm__tanh, &pm__hardswish, &pm__hardsigmoid, &pm__softplus, &pm__swiglu, &pm__softmax, &pm__dropout,
  &pm__add, &pm__subtract, &pm__multiply, &pm__divide, &pm__pointwise,
  &pm__max_pool, &pm__avg_pool, &pm__adaptive_avg_pool, &pm__global_avg_pool, &pm__mean,
  &pm__flatten, &pm__reshape, &pm__permute, &pm__slice, &pm__pad, &pm__interpolate, &pm__concat,
  &pm__embedding, &pm__embedding_bag, &pm__positional_embedding, &pm__learned_token,
  &pm__lstm, &pm__gru, &pm__rnn, &pm__attention, &pm__additive_attention, &pm__dot_attention,
  &pm__squeeze_excitation, &pm__mixture_of_experts, &pm__dot_interaction,
  &pm__softmax_loss, &pm__cross_entropy,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const pm__layer_kind *pm__layer_kind_find(const char *name)
{
  for (size_t i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const pm__layer_kind *pm__layer_kind_at(size_t index)
{
  return index < KINDS ? kinds[index] : NULL;
}
