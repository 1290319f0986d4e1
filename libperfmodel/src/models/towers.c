/*
** Towers: what makes tokens of images for a model of words. Patches are tokens, layers are those of an encoder, and at
** the end some merge neighbours. A table: how those of each model type differ.
**
** Sources: the classes of each model type in Transformers 5.24, which tests count (bindings/python/tests/hf_towers.py).
*/
#include <math.h>
#include <string.h>
#include "models/images.h"
#include "models/models.h"

/* What the layers of a type are like; none of them: layer norms, biases, a plain feed-forward network. */
enum {
  RMS = 1, GATED = 2, TURNED = 4, NO_QKV_BIAS = 8, NO_OUTPUT_BIAS = 16, NO_FEED_BIAS = 32, NO_PATCH_BIAS = 64,
  NORM_FIRST = 128,   /* behind the patches */
  NORM_LAST = 256,    /* behind the layers */
  CLASS = 512,        /* a learned token beside the patches */
  HEAD_NORMS = 1024,  /* of queries and keys by a scale, of values without one; and behind each part */
  NO_BIASES = NO_QKV_BIAS | NO_OUTPUT_BIAS | NO_FEED_BIAS | NO_PATCH_BIAS
};

typedef struct tower {
  const char *types; /* separated by blanks */
  int switches;
  double hidden, layers, heads, ffn, patch, image; /* where the configuration does not say; ffn 0: 4 times the width */
  const char *positions; /* the setting that says how many are learned; "" all patches, NULL none */
  void (*finish)(pm__body *body, const pm__config *config, const pm__encoder *encoder);
} tower;

/* ---- What follows the layers ---- */

static double merged_of(const pm__config *c)
{
  return pm__config_count(c, "spatial_merge_size", 2);
}

/* Neighbours of merge x merge patches as one row, which two products narrow. `behind`: the norm is that of the row. */
static int merge_rows(pm__body *b, const pm__config *c, const pm__encoder *e, const char *part, int on, bool behind)
{
  double times = merged_of(c) * merged_of(c), tokens = pm__body_size(b, on, 0), wide = times * e->hidden;
  double out = pm__config_count(c, strncmp(c->kind, "qwen2_vl", 8) == 0 ? "hidden_size" : "out_hidden_size", 3584);
  pm__body_part(b, "%s", part);
  b->last = on;
  if (!behind) pm__encoder_norm(b, e, "norm", on);
  PM__NEXT(b, "reshape", "rows", "shape=%.0f,%.0f", floor(tokens / times), wide);
  if (behind) pm__encoder_norm(b, e, "norm", b->last);
  pm__body_linear(b, "fc1", -1, wide, true);
  PM__NEXT(b, "gelu", "act", " ");
  int made = pm__body_linear(b, "fc2", -1, out, true);
  pm__body_part(b, "%s", "");
  return made;
}

static void finish_qwen(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  merge_rows(b, c, e, "merger", b->last, false);
}

static void finish_glm(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  double merge = merged_of(c), side = sqrt(pm__body_size(b, b->last, 0));
  double out = pm__config_count(c, "out_hidden_size", 4096), wide = pm__config_count(c, "intermediate_size", 13696);
  PM__NEXT(b, "permute", "post.first", "order=1,0");
  PM__NEXT(b, "reshape", "post.grid", "shape=%.0f,%.0f,%.0f", e->hidden, side, side);
  PM__NEXT(b, "conv2d", "downsample", "out_channels=%.0f kernel=%.0f stride=%.0f", out, merge, merge);
  double tokens = pm__body_size(b, b->last, 1) * pm__body_size(b, b->last, 2);
  PM__NEXT(b, "reshape", "merger.flat", "shape=%.0f,%.0f", out, tokens);
  PM__NEXT(b, "permute", "merger.tokens", "order=1,0");
  pm__body_linear(b, "merger.proj", -1, out, false);
  PM__NEXT(b, "layer_norm", "merger.norm", " ");
  int x = PM__NEXT(b, "gelu", "merger.act1", " ");
  pm__body_linear(b, "merger.gate_proj", x, wide, false);
  int open = pm__body_activation(b, "merger.act", e->activation);
  int up = pm__body_linear(b, "merger.up_proj", x, wide, false);
  pm__body_add(b, "multiply", "merger.gated", PM__ON(open, up), " ");
  pm__body_linear(b, "merger.down_proj", -1, out, false);
}

/* Patches without the class, four as one, through two products. */
static void finish_llama(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  double times = pow(pm__config_number(c, "pixel_shuffle_ratio", 0.5, 0.01, 1), -2);
  PM__NEXT(b, "slice", "patches", "axis=0 start=1");
  double tokens = pm__body_size(b, b->last, 0);
  PM__NEXT(b, "reshape", "adapter.rows", "shape=%.0f,%.0f", floor(tokens / times), e->hidden * times);
  pm__body_linear(b, "adapter.fc1", -1, pm__config_count(c, "projector_input_dim", 4096), false);
  PM__NEXT(b, "gelu", "adapter.act1", " ");
  pm__body_linear(b, "adapter.fc2", -1, pm__config_count(c, "projector_output_dim", 4096), false);
  PM__NEXT(b, "gelu", "adapter.act2", " ");
}

/* The row of the image is what a learned token attends to. */
static void finish_siglip(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  pm__encoder outer = *e;
  int x = b->last;
  if (!pm__config_flag(c, "vision_use_head", true)) return;
  PM__NEXT(b, "learned_token", "head.probe", " ");
  PM__NEXT(b, "slice", "head.row", "axis=0 end=1");
  int q = pm__body_linear(b, "head.q_proj", -1, e->hidden, true);
  int k = pm__body_linear(b, "head.k_proj", x, e->hidden, true);
  outer.attention_rate = 0;
  pm__body_part(b, "head");
  pm__encoder_score(b, &outer, q, k, pm__body_linear(b, "v_proj", x, e->hidden, true));
  pm__body_linear(b, "o_proj", -1, e->hidden, true);
  pm__encoder_feed(b, e);
  pm__body_part(b, "%s", "");
}

/* ---- The table ---- */

static const tower towers[] = {
  {"siglip_vision_model siglip2_vision_model", NORM_LAST, 768, 12, 12, 3072, 16, 224, "", finish_siglip},
  {"idefics2_vision", NORM_LAST, 768, 12, 12, 3072, 32, 224, "", NULL},
  {"idefics3_vision smolvlm_vision", NORM_LAST, 1152, 12, 16, 3072, 32, 224, "", NULL},
  {"paddleocr_vl_vision", TURNED | NORM_LAST, 1152, 27, 16, 4304, 14, 384, "", NULL},
  {"video_llama_3_vision", TURNED | NORM_LAST, 768, 12, 12, 3072, 16, 448, NULL, NULL},
  {"ernie4_5_vl_moe_vision", TURNED | NO_PATCH_BIAS | NORM_LAST, 1280, 32, 16, 5120, 14, 448, NULL, NULL},
  {"pixtral", RMS | GATED | TURNED | NO_BIASES | NORM_FIRST, 1024, 24, 16, 4096, 16, 1024, NULL, NULL},
  {"qwen2_vl_vision", TURNED | NO_PATCH_BIAS, 1280, 32, 16, 0, 14, 448, NULL, finish_qwen},
  {"qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision", RMS | GATED | TURNED | NO_PATCH_BIAS, 3584, 32, 16,
   3420, 14, 448, NULL, finish_qwen},
  {"qwen3_vl_vision qwen3_vl_moe_vision qwen3_omni_moe_vision_encoder qwen3_5_vision qwen3_5_moe_vision", TURNED, 1152,
   27, 16, 4304, 16, 448, "num_position_embeddings", finish_qwen},
  {"llama4_vision_model", TURNED | NO_PATCH_BIAS | NORM_FIRST | NORM_LAST | CLASS, 768, 34, 16, 5632, 14, 448, "",
   finish_llama},
  {"glm4v_vision glm4v_moe_vision", RMS | GATED | TURNED | NO_OUTPUT_BIAS | NO_FEED_BIAS | NORM_FIRST | NORM_LAST,
   1536, 24, 12, 13696, 14, 336, "", finish_glm},
  {"gemma4_vision", RMS | GATED | TURNED | NO_BIASES | HEAD_NORMS, 768, 16, 12, 3072, 16, 768,
   "position_embedding_size", NULL},
  {"internvl_vision", CLASS, 1024, 24, 16, 4096, 14, 448, "", NULL},
  {"kimi_k25_vision", TURNED | NORM_LAST, 1152, 27, 16, 4304, 14, 448, "pos_emb_height", NULL},
  {"minimax_m3_vl_vision", TURNED | NO_PATCH_BIAS | NORM_FIRST, 1280, 32, 16, 5120, 14, 2016, NULL, NULL},
};

static const tower *find(const char *type)
{
  size_t i = 0;
  while (!pm__list_has(towers[i].types, type)) i++;
  return &towers[i];
}

static bool is(const pm__config *c, const char *types)
{
  return pm__list_has(types, c->kind);
}

/* ---- What the configuration says ---- */

static pm__encoder describe(const tower *t, const pm__config *c)
{
  const char *hidden = is(c, "qwen2_vl_vision") ? "embed_dim" : "hidden_size|vt_hidden_size";
  pm__encoder e = {.hidden = pm__config_count(c, hidden, t->hidden),
                   .heads = pm__config_count(c, "num_attention_heads|num_heads|vt_num_attention_heads", t->heads)};
  double wide = floor(e.hidden * pm__config_number(c, "mlp_ratio", 4, 0, 1e6));
  bool glm = t->finish == finish_glm, bare = (t->switches & NO_OUTPUT_BIAS) != 0;
  e.head = pm__config_head(c, e.hidden, e.heads, (t->switches & HEAD_NORMS) != 0 ? "head_dim" : NULL);
  e.kv_heads = pm__config_count(c, "num_key_value_heads", is(c, "exaone4_5_vision") ? 8 : e.heads);
  const char *ffn = glm ? "out_hidden_size" : "intermediate_size|vt_intermediate_size";
  e.ffn = t->ffn > 0 ? pm__config_count(c, ffn, glm ? 4096 : t->ffn) : wide;
  e.activation = pm__config_word(c, "hidden_act|hidden_activation",
                                 (t->switches & GATED) != 0 && !is(c, "pixtral gemma4_vision") ? "silu"
                                 : is(c, "qwen2_vl_vision") ? "quick_gelu" : "gelu");
  e.attention_rate = pm__config_rate(c, "attention_dropout", 0);
  e.rms = (t->switches & RMS) != 0;
  e.gated = (t->switches & GATED) != 0;
  e.rotary = (t->switches & TURNED) != 0;
  e.head_norms = (t->switches & HEAD_NORMS) != 0;
  e.no_qkv_bias = (t->switches & NO_QKV_BIAS) != 0 || (glm && !pm__config_flag(c, "attention_bias", false));
  e.no_output_bias = bare;
  e.no_feed_bias = (t->switches & NO_FEED_BIAS) != 0;
  if (!is(c, "internvl_vision")) return e;
  e.no_qkv_bias = !pm__config_flag(c, "attention_bias", false);
  e.row_norms = pm__config_flag(c, "use_qk_norm", false);
  e.rms = strcmp(pm__config_word(c, "norm_type", "layer_norm"), "rms_norm") == 0;
  e.scaled = true;
  return e;
}

/* A size that is stated once or for each side. */
static double side_of(const pm__config *c, const char *name, double otherwise)
{
  const pm__config_value *value = pm__config_find(c, name);
  if (value == NULL || value->type != PM__CONFIG_LIST || value->count == 0) return pm__config_count(c, name, otherwise);
  const pm__config_value *list = pm__config_counts(c, name);
  return list != NULL && list->first->number >= 1 ? list->first->number : 1;
}

/* Learned positions: those that a setting states, of a square or of both axes; 0: of all patches. */
static double positions_of(const tower *t, const pm__config *c)
{
  const char *name = is(c, "siglip2_vision_model") ? "num_patches" : t->positions;
  if (name == NULL || name[0] == '\0') return 0;
  if (is(c, "kimi_k25_vision"))
    return pm__config_count(c, "pos_emb_height|init_pos_emb_height", 64) *
           pm__config_count(c, "pos_emb_width|init_pos_emb_width", 64);
  return pm__config_count(c, name, is(c, "gemma4_vision") ? 10240 : is(c, "siglip2_vision_model") ? 256 : 2304);
}

/* ---- Building ---- */

/* The image whose patches have the learned positions, where no size is stated; frames of a video are two channels. */
static double add_patches(pm__body *b, const tower *t, const pm__config *c, const pm__encoder *e, double positions)
{
  double patch = side_of(c, "patch_size", t->patch), image = b->image, channels = 3;
  bool videos = t->finish == finish_qwen || t->finish == finish_glm || is(c, "minimax_m3_vl_vision");
  double frames = videos ? side_of(c, "temporal_patch_size", 2) : 1;
  bool grid = positions > 0 && !is(c, "gemma4_vision");
  double otherwise = grid ? floor(sqrt(positions)) * patch : t->image;
  channels = pm__config_count(c, "num_channels|in_channels|in_chans", channels);
  if (image == 0 && pm__config_find(c, "image_size") != NULL && !grid) image = side_of(c, "image_size", t->image);
  else if (image == 0) {
    image = otherwise;
    pm__body_note(b, "note: the configuration states no image size: %.0f x %.0f assumed; image=N sets another", image,
                  image);
  }
  const int64_t shape[3] = {(int64_t)(channels * frames), (int64_t)image, (int64_t)image};
  pm__body_input(b, "pixel_values", shape, 3);
  PM__NEXT(b, "conv2d", "embeddings.patches", "out_channels=%.0f kernel=%.0f stride=%.0f bias=%s", e->hidden, patch,
           patch, pm__yes((t->switches & NO_PATCH_BIAS) == 0));
  double count = pm__body_size(b, b->last, 1) * pm__body_size(b, b->last, 2);
  PM__NEXT(b, "reshape", "embeddings.flat", "shape=%.0f,%.0f", e->hidden, count);
  PM__NEXT(b, "permute", "embeddings.tokens", "order=1,0");
  return count;
}

/* Rows that are learned; of both axes where the patches have no grid of them. */
static void add_positions(pm__body *b, const tower *t, const pm__config *c, double count, double positions)
{
  double all = (positions > 0 ? positions : count) * (is(c, "gemma4_vision") ? 2 : 1);
  if (t->positions == NULL || !pm__config_flag(c, "use_absolute_position_embeddings", true)) return;
  double rows = count + ((t->switches & CLASS) != 0 ? 1 : 0);
  PM__NEXT(b, "positional_embedding", "embeddings.positions", "positions=%.0f",
           fmax(positions > 0 ? all : all + rows - count, rows));
}

/* Qwen2.5-VL: patches in windows, but for some layers; the patches are put in order of windows once. */
static double windows_of(pm__body *b, const pm__config *c, double count)
{
  double side = sqrt(count), window = pm__config_count(c, "window_size", 112) / side_of(c, "patch_size", 14);
  if (!is(c, "qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision")) return 0;
  if (fmod(side, window) == 0) return window * window;
  pm__body_note(b, "note: windows of %.0f patches do not divide the image and count as attention to all tokens",
                window);
  return 0;
}

static bool has(const pm__config_value *list, int layer)
{
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (v->number == layer) return true;
  return false;
}

static void put_in_windows(pm__body *b, const pm__encoder *e, double count, double window)
{
  if (pm__body_size(b, b->last, 0) * window == count) return;
  PM__NEXT(b, "reshape", "windows", "shape=%.0f,%.0f,%.0f", count / window, window, e->hidden);
}

static void put_together(pm__body *b, const pm__encoder *e, double count)
{
  if (pm__body_size(b, b->last, 0) != count) PM__NEXT(b, "reshape", "image", "shape=%.0f,%.0f", count, e->hidden);
}

/* Layers, of which some also give rows of their own to the model of words (deepstack). */
static int add_layers(pm__body *b, const tower *t, const pm__config *c, const pm__encoder *e, int *deep, double count)
{
  int layers = pm__config_layers(c, "num_hidden_layers|depth|vt_num_hidden_layers", t->layers), found = 0;
  const pm__config_value *list = pm__config_some_layers(c, "deepstack_visual_indexes", layers);
  const pm__config_value *whole = pm__config_some_layers(c, "fullatt_block_indexes", layers);
  double window = windows_of(b, c, count);
  bool deeper = is(c, "qwen3_vl_vision qwen3_vl_moe_vision qwen3_omni_moe_vision_encoder");
  for (int i = 0; i < layers && b->error->status == PM_OK; i++) {
    pm__body_part(b, "layers.%d", i);
    bool all = whole != NULL ? has(whole, i) : i % 8 == 7;
    if (window > 0 && !all) put_in_windows(b, e, count, window);
    else if (window > 0) put_together(b, e, count);
    pm__encoder_layer(b, e, "layers", i);
    bool gives = list != NULL ? has(list, i) : i == 8 || i == 16 || i == 24;
    if (deeper && gives && found < PM__CONFIG_STAGES) deep[found++] = b->last;
  }
  if (window > 0) put_together(b, e, count);
  return found;
}

/* What the layers gave on the way is merged as their result is, and lies behind it. */
static void add_deep(pm__body *b, const pm__config *c, const pm__encoder *e, int *deep, int count)
{
  static const char *const names[] = {"deepstack.0", "deepstack.1", "deepstack.2", "deepstack"};
  int rows[PM__CONFIG_STAGES + 1] = {b->last};
  for (int i = 0; i < count; i++) rows[i + 1] = merge_rows(b, c, e, names[i < 3 ? i : 3], deep[i], true);
  if (count > 0) pm__body_add(b, "concat", "features", rows, count + 1, "axis=0");
}

void pm__build_tower(pm__body *b, const pm__config *c)
{
  const tower *t = find(c->kind);
  pm__encoder e = describe(t, c);
  double positions = positions_of(t, c), count = add_patches(b, t, c, &e, positions);
  int deep[PM__CONFIG_STAGES], given;
  bool mask = pm__config_flag(c, "use_mask_token", false), glm = t->finish == finish_glm;
  if (mask) PM__NEXT(b, "bias", "embeddings.mask_token", "axis=1");
  if ((t->switches & NORM_FIRST) != 0 && glm) pm__encoder_norm(b, &e, "norm_first", b->last);
  if ((t->switches & CLASS) != 0) PM__NEXT(b, "learned_token", "embeddings.class", " ");
  add_positions(b, t, c, count, positions);
  if ((t->switches & NORM_FIRST) != 0 && !glm) pm__encoder_norm(b, &e, "norm_first", b->last);
  given = add_layers(b, t, c, &e, deep, count);
  bool whole = is(c, "internvl_vision") && !pm__config_flag(c, "use_mean_pooling", true);
  if ((t->switches & NORM_LAST) != 0 || whole) pm__encoder_norm(b, &e, "norm_last", b->last);
  if (t->finish != NULL) t->finish(b, c, &e);
  add_deep(b, c, &e, deep, given);
}
