/*
** The list of all kinds of layers: pm__kind_NAME is the descriptor of each. A new kind is one new file in this folder
** and one line here; the schema and all lists are generated. Kinds are listed in this order.
*/
#ifndef PM_NETWORK_KINDS_KINDS_H
#define PM_NETWORK_KINDS_KINDS_H

#include "network/kind.h"

#define PM__LAYER_KINDS(X) \
  X(conv1d) \
  X(conv2d) \
  X(conv3d) \
  X(depthwise_conv2d) \
  X(conv_transpose1d) \
  X(conv_transpose2d) \
  X(conv_transpose3d) \
  X(linear) \
  X(bias) \
  X(scale) \
  X(matmul) \
  X(batch_norm) \
  X(layer_norm) \
  X(group_norm) \
  X(instance_norm) \
  X(rms_norm) \
  X(lrn) \
  X(relu) \
  X(squared_relu) \
  X(relu6) \
  X(leaky_relu) \
  X(prelu) \
  X(elu) \
  X(gelu) \
  X(silu) \
  X(mish) \
  X(sigmoid) \
  X(tanh) \
  X(hardswish) \
  X(hardsigmoid) \
  X(softplus) \
  X(swiglu) \
  X(softmax) \
  X(dropout) \
  X(add) \
  X(subtract) \
  X(multiply) \
  X(divide) \
  X(pointwise) \
  X(operator) \
  X(max_pool) \
  X(avg_pool) \
  X(adaptive_avg_pool) \
  X(global_avg_pool) \
  X(mean) \
  X(flatten) \
  X(reshape) \
  X(permute) \
  X(slice) \
  X(pad) \
  X(interpolate) \
  X(concat) \
  X(embedding) \
  X(embedding_bag) \
  X(positional_embedding) \
  X(learned_token) \
  X(lstm) \
  X(gru) \
  X(rnn) \
  X(attention) \
  X(additive_attention) \
  X(dot_attention) \
  X(state_space) \
  X(selective_scan) \
  X(delta_rule) \
  X(short_convolution) \
  X(key_index) \
  X(grouped_linear) \
  X(squeeze_excitation) \
  X(weight_standardization) \
  X(dora) \
  X(mixture_of_experts) \
  X(dot_interaction) \
  X(softmax_loss) \
  X(cross_entropy) \
/* an empty line ends the list */

#define PM__DECLARE_KIND(name) extern const pm__layer_kind pm__kind_##name;
PM__LAYER_KINDS(PM__DECLARE_KIND)
#undef PM__DECLARE_KIND

/* What a layer of experts is turned into: adapters of that rank beside each of their matrices. */
void pm__experts_become_adapters(pm__layer *model, int rank);

#endif
