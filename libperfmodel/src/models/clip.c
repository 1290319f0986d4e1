/* CLIP: a text and an image tower, whose last rows are compared. */
#include <math.h>
#include <string.h>
#include "models/images.h"
#include "models/models.h"

/* Whether the architecture's name ends with "WithProjection". */
static bool projects(const pm__config *c)
{
  const pm__config_value *names = pm__config_words(c, "architectures");
  return names != NULL && names->first != NULL && strstr(names->first->text, "WithProjection") != NULL;
}

static void add_layers(pm__body *b, const pm__config *c, const char *side, double heads, double ffn, bool causal)
{
  pm__encoder e = {.hidden = pm__body_size(b, b->last, 1), .heads = pm__config_count(c, "num_attention_heads", heads)};
  int count = pm__config_layers(c, "num_hidden_layers", 12);
  e.head = pm__config_head(c, e.hidden, e.heads, NULL);
  e.ffn = pm__config_count(c, "intermediate_size", ffn);
  e.activation = pm__config_word(c, "hidden_act", "quick_gelu");
  e.attention_rate = pm__config_rate(c, "attention_dropout", 0);
  e.causal = causal;
  for (int i = 0; i < count && b->error->status == PM_OK; i++) pm__encoder_layer(b, &e, side, i);
}

static void add_text(pm__body *b, const pm__config *c)
{
  const int64_t shape[1] = {(int64_t)pm__body_tokens(b, c, "max_position_embeddings")};
  pm__body_input(b, "input_ids", shape, 1);
  PM__NEXT(b, "embedding", "text_model.words", "entries=%.0f features=%.0f", pm__config_count(c, "vocab_size", 49408),
           pm__config_count(c, "hidden_size", 512));
  PM__NEXT(b, "positional_embedding", "text_model.positions", "positions=%.0f",
           pm__config_count(c, "max_position_embeddings", 77));
  add_layers(b, c, "text_model.layers", 8, 2048, true);
  PM__NEXT(b, "layer_norm", "text_model.final_layer_norm", " ");
}

static void add_vision(pm__body *b, const pm__config *c)
{
  double count = pm__image_patches(b, c, pm__config_count(c, "hidden_size", 768), 32, false);
  PM__NEXT(b, "learned_token", "vision_model.class", " ");
  PM__NEXT(b, "positional_embedding", "vision_model.positions", "positions=%.0f", count + 1);
  PM__NEXT(b, "layer_norm", "vision_model.pre_layrnorm", " ");
  add_layers(b, c, "vision_model.layers", 12, 3072, false);
}

/* The row of the whole image. */
static void add_first(pm__body *b)
{
  PM__NEXT(b, "slice", "vision_model.first", "axis=0 end=1");
  PM__NEXT(b, "layer_norm", "vision_model.post_layernorm", " ");
}

static int add_last(pm__body *b, double wide)
{
  PM__NEXT(b, "slice", "text_model.last", "axis=0 end=1");
  return pm__body_linear(b, "text_projection", -1, wide, false);
}

void pm__build_clip(pm__body *b, const pm__config *c)
{
  pm__config text = pm__config_child(c, "text_config"), vision = pm__config_child(c, "vision_config");
  double wide = pm__config_count(c, "projection_dim", 512);
  if (strcmp(pm__config_architecture(c, "Model"), "ForImageClassification") == 0) {
    add_vision(b, &vision);
    int rows = b->last;
    add_first(b);
    pm__body_add(b, "mean", "patches.mean", PM__ON(rows), "axis=0");
    pm__image_classifier(b, c);
    return;
  }
  add_text(b, &text);
  int words = add_last(b, wide);
  add_vision(b, &vision);
  add_first(b);
  pm__body_linear(b, "visual_projection", -1, wide, false);
  PM__NEXT(b, "permute", "image_embeds", "order=1,0");
  pm__body_add(b, "matmul", "logits_per_text", PM__ON(words, b->last), " ");
  PM__NEXT(b, "scale", "logit_scale", "axis=0");
}

void pm__build_clip_text(pm__body *b, const pm__config *c)
{
  add_text(b, c);
  if (projects(c)) add_last(b, pm__config_count(c, "projection_dim", 512));
}

void pm__build_clip_vision(pm__body *b, const pm__config *c)
{
  add_vision(b, c);
  add_first(b);
  if (projects(c)) pm__body_linear(b, "visual_projection", -1, pm__config_count(c, "projection_dim", 512), false);
}
