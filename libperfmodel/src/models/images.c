/* Image models: ViT, DeiT and DINOv2, whose patches are tokens; ConvNeXt and ResNet. */
#include <math.h>
#include <string.h>
#include "models/images.h"
#include "models/models.h"

/* ---- In common ---- */

void pm__image_input(pm__body *b, const pm__config *c)
{
  const pm__config_value *stated = pm__config_find(c, "image_size");
  double height = b->image, width = b->image;
  if (b->image == 0 && stated != NULL && stated->type == PM__CONFIG_LIST && stated->count == 2) {
    const pm__config_value *list = pm__config_counts(c, "image_size");
    height = list != NULL ? list->first->number : 1;
    width = list != NULL ? list->first->next->number : 1;
  } else if (b->image == 0) {
    height = width = pm__config_count(c, "image_size", 224);
  }
  const int64_t shape[3] = {(int64_t)pm__config_count(c, "num_channels", 3), (int64_t)height, (int64_t)width};
  pm__body_input(b, "pixel_values", shape, 3);
}

double pm__image_patches(pm__body *b, const pm__config *c, double hidden, double otherwise, bool bias)
{
  double patch = pm__config_count(c, "patch_size", otherwise);
  pm__image_input(b, c);
  PM__NEXT(b, "conv2d", "embeddings.patches", "out_channels=%.0f kernel=%.0f stride=%.0f bias=%s", hidden, patch,
           patch, pm__yes(bias));
  double count = pm__body_size(b, b->last, 1) * pm__body_size(b, b->last, 2);
  PM__NEXT(b, "reshape", "embeddings.flat", "shape=%.0f,%.0f", hidden, count);
  PM__NEXT(b, "permute", "embeddings.tokens", "order=1,0");
  return count;
}

void pm__image_classifier(pm__body *b, const pm__config *c)
{
  const char *head = pm__config_architecture(c, "ForImageClassification");
  double labels = pm__config_labels(c);
  if (strcmp(head, "ForImageClassification") == 0 && labels > 0) pm__body_linear(b, "classifier", -1, labels, true);
  else if (strcmp(head, "ForImageClassification") != 0 && strcmp(head, "Model") != 0)
    pm__body_note(b, "note: the head of %.60s is left out", head);
}

static bool is_model(const pm__config *c, const char *otherwise)
{
  return strcmp(pm__config_architecture(c, otherwise), "Model") == 0;
}

/* ---- Patches as tokens ---- */

static void add_layers(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  int count = pm__config_layers(c, "num_hidden_layers", (double)NAN);
  for (int i = 0; i < count && b->error->status == PM_OK; i++) pm__encoder_layer(b, e, "encoder.layer", i);
}

void pm__build_vit(pm__body *b, const pm__config *c)
{
  pm__encoder e = pm__encoder_describe(c);
  int extra = strcmp(c->kind, "deit") == 0 ? 2 : 1;
  e.ffn = pm__config_count(c, "intermediate_size", (double)NAN);
  e.rate = pm__config_rate(c, "hidden_dropout_prob", 0);
  e.no_qkv_bias = !pm__config_flag(c, "qkv_bias", true);
  double count = pm__image_patches(b, c, e.hidden, 16, true);
  PM__NEXT(b, "learned_token", "embeddings.cls_token", "count=%d", extra);
  PM__NEXT(b, "positional_embedding", "embeddings.positions", "positions=%.0f", count + extra);
  pm__body_dropout(b, "embeddings.dropout", e.rate);
  add_layers(b, c, &e);
  PM__NEXT(b, "layer_norm", "layernorm", " ");
  PM__NEXT(b, "slice", "first", "axis=0 end=1");
  if (is_model(c, "ForImageClassification")) {
    pm__body_linear(b, "pooler.dense", -1, e.hidden, true);
    PM__NEXT(b, "tanh", "pooler.tanh", " ");
  }
  pm__image_classifier(b, c);
}

/* A learned factor behind each part; the token that stands for hidden patches is a parameter too. */
void pm__build_dinov2(pm__body *b, const pm__config *c)
{
  pm__encoder e = pm__encoder_describe(c);
  if (pm__config_flag(c, "use_swiglu_ffn", false))
    pm__body_note(b, "note: the gated feed-forward network (use_swiglu_ffn) is read as a plain one");
  e.ffn = floor(e.hidden * pm__config_number(c, "mlp_ratio", 4, 0, 1e6));
  e.no_qkv_bias = !pm__config_flag(c, "qkv_bias", true);
  e.scaled = true;
  double count = pm__image_patches(b, c, e.hidden, 14, true);
  if (pm__config_flag(c, "use_mask_token", true)) PM__NEXT(b, "bias", "embeddings.mask_token", "axis=1");
  PM__NEXT(b, "learned_token", "embeddings.cls_token", " ");
  PM__NEXT(b, "positional_embedding", "embeddings.positions", "positions=%.0f", count + 1);
  add_layers(b, c, &e);
  int rows = PM__NEXT(b, "layer_norm", "layernorm", " ");
  if (is_model(c, "Model")) return;
  int first = pm__body_add(b, "slice", "first", PM__ON(rows), "axis=0 end=1");
  pm__body_add(b, "slice", "patches", PM__ON(rows), "axis=0 start=1");
  PM__NEXT(b, "mean", "patches.mean", "axis=0");
  PM__NEXT(b, "reshape", "patches.row", "shape=1,%.0f", e.hidden);
  pm__body_add(b, "concat", "features", PM__ON(first, b->last), "axis=1");
  pm__image_classifier(b, c);
}

/* ---- Convolutions ---- */

static void norm_of_channels(pm__body *b, const char *last, const char *norm, const char *first)
{
  PM__NEXT(b, "permute", last, "order=1,2,0");
  PM__NEXT(b, "layer_norm", norm, " ");
  PM__NEXT(b, "permute", first, "order=2,0,1");
}

static void add_convnext_layer(pm__body *b, const pm__config *c, double width)
{
  int x = b->last;
  PM__NEXT(b, "conv2d", "dwconv", "out_channels=%.0f kernel=7 padding=3 groups=%.0f", width, width);
  PM__NEXT(b, "permute", "last", "order=1,2,0");
  PM__NEXT(b, "layer_norm", "layernorm", " ");
  pm__body_linear(b, "pwconv1", -1, 4 * width, true);
  pm__body_activation(b, "act", pm__config_word(c, "hidden_act", "gelu"));
  pm__body_linear(b, "pwconv2", -1, width, true);
  if (pm__config_number(c, "layer_scale_init_value", 1e-6, 0, 1e6) > 0)
    PM__NEXT(b, "scale", "layer_scale_parameter", "axis=2");
  PM__NEXT(b, "permute", "first", "order=2,0,1");
  pm__body_sum(b, "sum", x, b->last);
}

static void add_pool(pm__body *b)
{
  pm__body_part(b, "%s", "");
  PM__NEXT(b, "global_avg_pool", "pool", " ");
  PM__NEXT(b, "flatten", "flat", " ");
}

void pm__build_convnext(pm__body *b, const pm__config *c)
{
  static const double widths[] = {96, 192, 384, 768, 0}, depths[] = {3, 3, 9, 3, 0};
  double width[PM__CONFIG_STAGES] = {0}, depth[PM__CONFIG_STAGES] = {0}, patch = pm__config_count(c, "patch_size", 4);
  int stages = pm__config_stages(c, "hidden_sizes", widths, width), deep = pm__config_depths(c, depths, depth);
  pm__image_input(b, c);
  PM__NEXT(b, "conv2d", "embeddings.patches", "out_channels=%.0f kernel=%.0f stride=%.0f", width[0], patch, patch);
  norm_of_channels(b, "embeddings.last", "embeddings.norm", "embeddings.first");
  for (int s = 0; s < stages && s < deep; s++) {
    pm__body_part(b, "stages.%d", s);
    if (s > 0) {
      norm_of_channels(b, "last", "norm", "first");
      PM__NEXT(b, "conv2d", "downsampling", "out_channels=%.0f kernel=2 stride=2", width[s]);
    }
    for (int i = 0; i < depth[s] && b->error->status == PM_OK; i++) {
      pm__body_part(b, "stages.%d.layers.%d", s, i);
      add_convnext_layer(b, c, width[s]);
    }
  }
  add_pool(b);
  PM__NEXT(b, "layer_norm", "layernorm", " ");
  pm__image_classifier(b, c);
}

static int convolve(pm__body *b, const char *name, const char *norm, int on, double width, int kernel, int stride)
{
  pm__body_add(b, "conv2d", name, PM__ON(on), "out_channels=%.0f kernel=%d stride=%d padding=%d bias=no", width, kernel,
               stride, kernel / 2);
  return PM__NEXT(b, "batch_norm", norm, " ");
}

static void add_resnet_layer(pm__body *b, const pm__config *c, double width, int stride)
{
  static const char *const names[3][3] = {{"conv1", "bn1", "act1"}, {"conv2", "bn2", "act2"}, {"conv3", "bn3", ""}};
  bool basic = strcmp(pm__config_word(c, "layer_type", "bottleneck"), "basic") == 0;
  bool early = pm__config_flag(c, "downsample_in_bottleneck", false);
  int x = b->last, shorter = x, steps = basic ? 2 : 3, place = basic || early ? 0 : 1;
  if (stride > 1 || pm__body_size(b, x, 0) != width)
    shorter = convolve(b, "shortcut.conv", "shortcut.bn", x, width, 1, stride);
  b->last = x;
  for (int i = 0; i < steps; i++) {
    double wide = basic || i == 2 ? width : floor(width / 4);
    convolve(b, names[i][0], names[i][1], b->last, wide, basic || i == 1 ? 3 : 1, i == place ? stride : 1);
    if (i + 1 < steps) pm__body_activation(b, names[i][2], pm__config_word(c, "hidden_act", "relu"));
  }
  pm__body_sum(b, "sum", shorter, b->last);
  pm__body_activation(b, "act", pm__config_word(c, "hidden_act", "relu"));
}

void pm__build_resnet(pm__body *b, const pm__config *c)
{
  static const double widths[] = {256, 512, 1024, 2048, 0}, depths[] = {3, 4, 6, 3, 0};
  double width[PM__CONFIG_STAGES] = {0}, depth[PM__CONFIG_STAGES] = {0};
  int stages = pm__config_stages(c, "hidden_sizes", widths, width), deep = pm__config_depths(c, depths, depth);
  pm__image_input(b, c);
  convolve(b, "embedder.conv", "embedder.bn", b->last, pm__config_count(c, "embedding_size", 64), 7, 2);
  pm__body_activation(b, "embedder.act", pm__config_word(c, "hidden_act", "relu"));
  PM__NEXT(b, "max_pool", "embedder.pool", "kernel=3 stride=2 padding=1");
  for (int s = 0; s < stages && s < deep; s++)
    for (int i = 0; i < depth[s] && b->error->status == PM_OK; i++) {
      bool halves = i == 0 && (s > 0 || pm__config_flag(c, "downsample_in_first_stage", false));
      pm__body_part(b, "stages.%d.layers.%d", s, i);
      add_resnet_layer(b, c, width[s], halves ? 2 : 1);
    }
  add_pool(b);
  pm__image_classifier(b, c);
}
