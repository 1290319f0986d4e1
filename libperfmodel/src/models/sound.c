/* wav2vec 2.0 and HuBERT: convolutions of the sound itself, then an encoder whose positions are a convolution too. */
#include <math.h>
#include <string.h>
#include "models/encoder.h"
#include "models/models.h"

/* The convolutions that make frames of samples. */
typedef struct front {
  double width[PM__CONFIG_STAGES], kernel[PM__CONFIG_STAGES], stride[PM__CONFIG_STAGES];
  int count;
} front;

static front read_front(const pm__config *c)
{
  static const double widths[] = {512, 512, 512, 512, 512, 512, 512, 0}, kernels[] = {10, 3, 3, 3, 3, 2, 2, 0};
  static const double strides[] = {5, 2, 2, 2, 2, 2, 2, 0};
  front f = {.count = 0};
  f.count = pm__config_stages(c, "conv_dim", widths, f.width);
  int steps = pm__config_stages(c, "conv_kernel", kernels, f.kernel);
  if (steps != f.count || pm__config_stages(c, "conv_stride", strides, f.stride) != f.count)
    pm__config_fail(c, "has conv_dim, conv_kernel and conv_stride of different lengths");
  return f;
}

/* As many samples as give that many frames; without a number, ten seconds at 16 kHz. */
static double samples_of(pm__body *b, const front *f)
{
  double frames = b->seq, samples = frames;
  if (frames == 0) pm__body_note(b, "note: 160000 samples, ten seconds of audio; seq counts frames");
  for (int i = f->count; i-- > 0;) samples = (samples - 1) * f->stride[i] + f->kernel[i];
  return frames > 0 ? samples : 160000;
}

static void norm_of_channels(pm__body *b)
{
  PM__NEXT(b, "permute", "last", "order=1,0");
  PM__NEXT(b, "layer_norm", "norm", " ");
  PM__NEXT(b, "permute", "first", "order=1,0");
}

static void add_front(pm__body *b, const pm__config *c)
{
  front f = read_front(c);
  bool each = strcmp(pm__config_word(c, "feat_extract_norm", "group"), "layer") == 0;
  bool bias = pm__config_flag(c, "conv_bias", false);
  const int64_t shape[2] = {1, (int64_t)samples_of(b, &f)};
  pm__body_input(b, "input_values", shape, 2);
  for (int i = 0; i < f.count; i++) {
    pm__body_part(b, "feature_extractor.%d", i);
    PM__NEXT(b, "conv1d", "conv", "out_channels=%.0f kernel=%.0f stride=%.0f bias=%s", f.width[i], f.kernel[i],
             f.stride[i], pm__yes(bias));
    if (each) norm_of_channels(b);
    else if (i == 0) PM__NEXT(b, "group_norm", "norm", "groups=%.0f", f.width[i]);
    pm__body_activation(b, "act", pm__config_word(c, "feat_extract_activation", "gelu"));
  }
  pm__body_part(b, "%s", "");
  PM__NEXT(b, "permute", "frames", "order=1,0");
}

/* The row that stands for hidden frames is a parameter too. */
static void project(pm__body *b, const pm__config *c, double hidden)
{
  if (pm__config_flag(c, "feat_proj_layer_norm", true)) PM__NEXT(b, "layer_norm", "projection.norm", " ");
  pm__body_linear(b, "projection", -1, hidden, true);
  pm__body_dropout(b, "projection.dropout", pm__config_rate(c, "feat_proj_dropout", 0));
  if (pm__config_rate(c, "mask_time_prob", 0.05) > 0 || pm__config_rate(c, "mask_feature_prob", 0) > 0)
    PM__NEXT(b, "bias", "masked_spec_embed", "axis=-1");
}

/* A convolution over neighbours, whose weights have a length of their own at each place ("weight norm"). */
static void add_positions(pm__body *b, const pm__config *c, double hidden)
{
  double kernel = pm__config_count(c, "num_conv_pos_embeddings", 128);
  int x = b->last;
  double frames = pm__body_size(b, x, 0);
  const int64_t lengths[2] = {1, (int64_t)kernel};
  pm__body_part(b, "pos_conv");
  pm__body_input(b, "pos_conv.ones", lengths, 2);
  PM__NEXT(b, "scale", "lengths", "axis=-1");
  pm__body_add(b, "permute", "first", PM__ON(x), "order=1,0");
  PM__NEXT(b, "conv1d", "conv", "out_channels=%.0f kernel=%.0f padding=%.0f groups=%.0f", hidden, kernel,
           floor(kernel / 2), pm__config_count(c, "num_conv_pos_embedding_groups", 16));
  if (pm__body_size(b, b->last, 1) > frames) PM__NEXT(b, "slice", "cut", "axis=1 end=%.0f", frames);
  pm__body_activation(b, "act", pm__config_word(c, "feat_extract_activation", "gelu"));
  PM__NEXT(b, "permute", "last", "order=1,0");
  pm__body_sum(b, "sum", x, b->last);
  pm__body_part(b, "%s", "");
}

static void add_head(pm__body *b, const pm__config *c)
{
  const char *head = pm__config_architecture(c, "Model");
  if (strcmp(head, "ForCTC") == 0) {
    pm__body_dropout(b, "final_dropout", pm__config_rate(c, "final_dropout", 0.1));
    pm__body_linear(b, "lm_head", -1, pm__config_count(c, "vocab_size", 32), true);
  } else if (strcmp(head, "ForSequenceClassification") == 0) {
    pm__body_linear(b, "projector", -1, pm__config_count(c, "classifier_proj_size", 256), true);
    PM__NEXT(b, "mean", "pooled", "axis=0");
    pm__body_linear(b, "classifier", -1, pm__config_labels(c), true);
  } else if (strcmp(head, "Model") != 0) pm__body_note(b, "note: the head of %.60s is left out", head);
}

void pm__build_wav2vec2(pm__body *b, const pm__config *c)
{
  bool stable = pm__config_flag(c, "do_stable_layer_norm", false);
  int count = pm__config_layers(c, "num_hidden_layers", 12);
  pm__encoder e = {.hidden = pm__config_count(c, "hidden_size", 768),
                   .heads = pm__config_count(c, "num_attention_heads", 12), .after = !stable};
  e.head = pm__config_head(c, e.hidden, e.heads, NULL);
  e.ffn = pm__config_count(c, "intermediate_size", 3072);
  e.activation = pm__config_word(c, "hidden_act", "gelu");
  e.rate = pm__config_rate(c, "hidden_dropout", 0.1);
  e.inner_rate = pm__config_rate(c, "activation_dropout", 0.1);
  e.attention_rate = pm__config_rate(c, "attention_dropout", 0.1);
  if (pm__config_flag(c, "add_adapter", false) || pm__config_find(c, "adapter_attn_dim") != NULL)
    pm__body_note(b, "note: adapters are left out");
  add_front(b, c);
  project(b, c, e.hidden);
  add_positions(b, c, e.hidden);
  if (!stable) PM__NEXT(b, "layer_norm", "encoder.norm", " ");
  pm__body_dropout(b, "encoder.dropout", e.rate);
  for (int i = 0; i < count && b->error->status == PM_OK; i++) pm__encoder_layer(b, &e, "encoder.layers", i);
  if (stable) PM__NEXT(b, "layer_norm", "encoder.norm", " ");
  add_head(b, c);
}
