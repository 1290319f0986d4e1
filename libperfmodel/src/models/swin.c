/* Swin: attention within windows of an image, shifted by half a window in every second block. */
#include <math.h>
#include "models/images.h"
#include "models/models.h"

/* Windows of `size` x `size` tokens of an image of rows x columns x width, padded to whole ones. */
typedef struct windows {
  double rows, columns, width, size, down, right;
  bool shifted;
} windows;

static windows windows_of(const pm__body *b, double most, bool odd)
{
  windows w = {.rows = pm__body_size(b, b->last, 0), .columns = pm__body_size(b, b->last, 1),
               .width = pm__body_size(b, b->last, 2), .size = most, .shifted = odd};
  double least = w.rows < w.columns ? w.rows : w.columns;
  if (least <= most) w.size = least, w.shifted = false;
  w.down = ceil(w.rows / w.size);
  w.right = ceil(w.columns / w.size);
  return w;
}

static void part(pm__body *b, const windows *w)
{
  double below = w->down * w->size - w->rows, beside = w->right * w->size - w->columns;
  if (below > 0 || beside > 0) {
    PM__NEXT(b, "permute", "channels", "order=2,0,1");
    PM__NEXT(b, "pad", "pad", "padding=0 padding_end=%.0f,%.0f", below, beside);
    PM__NEXT(b, "permute", "padded", "order=1,2,0");
  }
  if (w->shifted) PM__NEXT(b, "pointwise", "shift", "flop=0 keeps=nothing");
  PM__NEXT(b, "reshape", "grid", "shape=%.0f,%.0f,%.0f,%.0f,%.0f", w->down, w->size, w->right, w->size, w->width);
  PM__NEXT(b, "permute", "windows", "order=0,2,1,3,4");
  PM__NEXT(b, "reshape", "tokens", "shape=%.0f,%.0f,%.0f", w->down * w->right, w->size * w->size, w->width);
}

static void join(pm__body *b, const windows *w)
{
  PM__NEXT(b, "reshape", "attended", "shape=%.0f,%.0f,%.0f,%.0f,%.0f", w->down, w->right, w->size, w->size, w->width);
  PM__NEXT(b, "permute", "rows", "order=0,2,1,3,4");
  PM__NEXT(b, "reshape", "image", "shape=%.0f,%.0f,%.0f", w->down * w->size, w->right * w->size, w->width);
  if (w->shifted) PM__NEXT(b, "pointwise", "unshift", "flop=0 keeps=nothing");
  if (w->rows < w->down * w->size) PM__NEXT(b, "slice", "cut0", "axis=0 end=%.0f", w->rows);
  if (w->columns < w->right * w->size) PM__NEXT(b, "slice", "cut1", "axis=1 end=%.0f", w->columns);
}

static void attend(pm__body *b, const pm__encoder *e, const windows *w)
{
  int x = b->last;
  PM__NEXT(b, "layer_norm", "norm", " ");
  part(b, w);
  int y = b->last, q = pm__body_linear(b, "q_proj", y, w->width, !e->no_qkv_bias);
  int k = pm__body_linear(b, "k_proj", y, w->width, !e->no_qkv_bias);
  pm__encoder_score(b, e, q, k, pm__body_linear(b, "v_proj", y, w->width, !e->no_qkv_bias));
  pm__body_linear(b, "o_proj", -1, w->width, true);
  join(b, w);
  pm__body_sum(b, "sum", x, b->last);
}

static void add_block(pm__body *b, const pm__config *c, double heads, bool odd)
{
  double window = pm__config_count(c, "window_size", 7);
  windows w = windows_of(b, window, odd);
  pm__encoder e = {.hidden = w.width, .heads = heads,
                   .ffn = floor(w.width * pm__config_number(c, "mlp_ratio", 4, 0, 1e6)),
                   .activation = pm__config_word(c, "hidden_act", "gelu"),
                   .attention_rate = pm__config_rate(c, "attention_probs_dropout_prob", 0),
                   .rate = pm__config_rate(c, "hidden_dropout_prob", 0),
                   .bias_rows = (2 * window - 1) * (2 * window - 1),
                   .no_qkv_bias = !pm__config_flag(c, "qkv_bias", true)};
  attend(b, &e, &w);
  pm__encoder_feed(b, &e);
}

/* 2 x 2 tokens become one of twice the width. */
static void merge(pm__body *b)
{
  double rows = floor(pm__body_size(b, b->last, 0) / 2), columns = floor(pm__body_size(b, b->last, 1) / 2);
  double width = pm__body_size(b, b->last, 2);
  PM__NEXT(b, "reshape", "pairs", "shape=%.0f,2,%.0f,2,%.0f", rows, columns, width);
  PM__NEXT(b, "permute", "squares", "order=0,2,1,3,4");
  PM__NEXT(b, "reshape", "merged", "shape=%.0f,%.0f,%.0f", rows, columns, 4 * width);
  PM__NEXT(b, "layer_norm", "norm", " ");
  pm__body_linear(b, "reduction", -1, 2 * width, false);
}

static void add_positions(pm__body *b)
{
  double rows = pm__body_size(b, b->last, 0), columns = pm__body_size(b, b->last, 1);
  double width = pm__body_size(b, b->last, 2);
  PM__NEXT(b, "reshape", "embeddings.rows", "shape=%.0f,%.0f", rows * columns, width);
  PM__NEXT(b, "positional_embedding", "embeddings.positions", "positions=%.0f", rows * columns);
  PM__NEXT(b, "reshape", "embeddings.image", "shape=%.0f,%.0f,%.0f", rows, columns, width);
}

void pm__build_swin(pm__body *b, const pm__config *c)
{
  static const double depths[] = {2, 2, 6, 2, 0}, all_heads[] = {3, 6, 12, 24, 0};
  double depth[PM__CONFIG_STAGES] = {0}, heads[PM__CONFIG_STAGES] = {0}, patch = pm__config_count(c, "patch_size", 4);
  int stages = pm__config_depths(c, depths, depth), known = pm__config_stages(c, "num_heads", all_heads, heads);
  pm__image_input(b, c);
  PM__NEXT(b, "conv2d", "embeddings.patches", "out_channels=%.0f kernel=%.0f stride=%.0f",
           pm__config_count(c, "embed_dim", 96), patch, patch);
  PM__NEXT(b, "permute", "embeddings.tokens", "order=1,2,0");
  PM__NEXT(b, "layer_norm", "embeddings.norm", " ");
  if (pm__config_flag(c, "use_absolute_embeddings", false)) add_positions(b);
  pm__body_dropout(b, "embeddings.dropout", pm__config_rate(c, "hidden_dropout_prob", 0));
  for (int s = 0; s < stages && s < known; s++) {
    for (int i = 0; i < depth[s] && b->error->status == PM_OK; i++) {
      pm__body_part(b, "stages.%d.blocks.%d", s, i);
      add_block(b, c, heads[s], i % 2 == 1);
    }
    pm__body_part(b, "stages.%d.downsample", s);
    if (s + 1 < stages) merge(b);
  }
  pm__body_part(b, "%s", "");
  PM__NEXT(b, "layer_norm", "layernorm", " ");
  PM__NEXT(b, "permute", "channels", "order=2,0,1");
  PM__NEXT(b, "global_avg_pool", "pooler", " ");
  PM__NEXT(b, "flatten", "flat", " ");
  pm__image_classifier(b, c);
}
