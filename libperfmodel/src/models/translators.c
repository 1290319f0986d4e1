/* Encoders and decoders: T5 and its kin; BART and its kin, which differ in norms and positions; Whisper. */
#include <math.h>
#include <string.h>
#include "models/encoder.h"
#include "models/models.h"

static bool is(const pm__config *c, const char *kind)
{
  return strcmp(c->kind, kind) == 0;
}

static void add_head(pm__body *b, const pm__config *c, const char *name, double vocabulary, bool tied, bool always)
{
  const char *head = pm__config_architecture(c, "ForConditionalGeneration");
  bool words = pm__list_has("ForConditionalGeneration MTModel", head), none = strcmp(head, "Model") == 0;
  if (words || (always && !none))
    pm__body_linear_shared(b, name, -1, vocabulary, false, pm__config_flag(c, "tie_word_embeddings", tied));
  else if (!none) pm__body_note(b, "note: the head of %.60s is left out", head);
}

/* One layer of a decoder: among its rows, to what is encoded, and the feed-forward network. */
static void add_decoder_layer(pm__body *b, const pm__encoder *e, int number, int encoded)
{
  pm__encoder across = *e;
  across.causal = false;
  across.bias_rows = 0;
  pm__body_part(b, "decoder.%d.self", number);
  pm__encoder_attend(b, e, -1);
  pm__body_part(b, "decoder.%d.cross", number);
  pm__encoder_attend(b, &across, encoded);
  pm__body_part(b, "decoder.%d.feed", number);
  pm__encoder_feed(b, e);
  pm__body_part(b, "%s", "");
}

/* ---- T5: RMS norms, no biases but those of the scores by relative position, which the first layer has ---- */

static pm__encoder describe_t5(const pm__config *c)
{
  const char *function = pm__config_word(c, "feed_forward_proj", is(c, "t5") ? "relu" : "gated-gelu");
  pm__encoder e = {.hidden = pm__config_count(c, "d_model", (double)NAN),
                   .heads = pm__config_count(c, "num_heads", (double)NAN),
                   .head = pm__config_count(c, "d_kv", (double)NAN),
                   .ffn = pm__config_count(c, "d_ff", (double)NAN), .rms = true,
                   .no_qkv_bias = true, .no_output_bias = true, .no_feed_bias = true,
                   .bias_rows = pm__config_count(c, "relative_attention_num_buckets", 32)};
  e.gated = strncmp(function, "gated-", 6) == 0;
  e.activation = e.gated ? function + 6 : function;
  e.rate = e.inner_rate = e.attention_rate = pm__config_rate(c, "dropout_rate", 0.1);
  return e;
}

void pm__build_t5(pm__body *b, const pm__config *c)
{
  pm__encoder e = describe_t5(c);
  double vocabulary = pm__config_count(c, "vocab_size", (double)NAN);
  int layers = pm__config_layers(c, "num_layers", (double)NAN);
  int decoders = pm__config_layers(c, "num_decoder_layers", layers);
  const int64_t shape[1] = {(int64_t)pm__body_tokens(b, c, "n_positions")};
  pm__body_input(b, "input_ids", shape, 1);
  PM__NEXT(b, "embedding", "shared", "entries=%.0f features=%.0f", vocabulary, e.hidden);
  pm__body_dropout(b, "encoder.dropout", e.rate);
  for (int i = 0; i < layers && b->error->status == PM_OK; i++, e.bias_shared = !is(c, "umt5"))
    pm__encoder_layer(b, &e, "encoder", i);
  int encoded = PM__NEXT(b, "rms_norm", "encoder.norm", " ");
  if (strcmp(pm__config_architecture(c, ""), "EncoderModel") == 0) return;
  e.causal = true;
  e.bias_shared = false;
  pm__body_input(b, "decoder_input_ids", shape, 1);
  PM__NEXT(b, "embedding", "decoder.words", "entries=%.0f features=%.0f shared=yes", vocabulary, e.hidden);
  pm__body_dropout(b, "decoder.dropout", e.rate);
  for (int i = 0; i < decoders && b->error->status == PM_OK; i++, e.bias_shared = !is(c, "umt5"))
    add_decoder_layer(b, &e, i, encoded);
  PM__NEXT(b, "rms_norm", "decoder.norm", " ");
  add_head(b, c, "lm_head", vocabulary, is(c, "t5"), true);
}

/* ---- BART and its kin, Whisper ---- */

/* What they differ in; none of them: the norm before each part, and once more at the end of a side. */
enum {
  AFTER = 1,      /* the norm is behind each sum, and none at the end */
  EMBED_NORM = 2, /* of words and positions */
  OFFSET = 4,     /* two positions more than the configuration says */
  COMPUTED = 8    /* positions are no parameters */
};

static int switches_of(const pm__config *c)
{
  static const struct {
    const char *types;
    int switches;
  } kinds[] = {{"bart plbart", AFTER | EMBED_NORM | OFFSET}, {"mbart", EMBED_NORM | OFFSET}, {"marian", AFTER},
               {"blenderbot-small", AFTER | EMBED_NORM}, {"m2m_100", COMPUTED}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (pm__list_has(kinds[i].types, c->kind)) return kinds[i].switches;
  return 0;
}

static pm__encoder describe_side(const pm__config *c, const char *heads, const char *ffn, double rate)
{
  pm__encoder e = {.hidden = pm__config_count(c, "d_model", (double)NAN),
                   .heads = pm__config_count(c, heads, (double)NAN),
                   .ffn = pm__config_count(c, ffn, (double)NAN), .after = (switches_of(c) & AFTER) != 0,
                   .activation = pm__config_word(c, "activation_function", "gelu"), .rate = rate,
                   .inner_rate = pm__config_rate(c, "activation_dropout", 0),
                   .attention_rate = pm__config_rate(c, "attention_dropout", 0), .no_key_bias = is(c, "whisper")};
  e.head = pm__config_head(c, e.hidden, e.heads, NULL);
  return e;
}

static void encode(pm__body *b, const pm__config *c, double rate)
{
  pm__encoder e = describe_side(c, "encoder_attention_heads", "encoder_ffn_dim", rate);
  int count = pm__config_layers(c, "encoder_layers|num_hidden_layers", (double)NAN);
  for (int i = 0; i < count && b->error->status == PM_OK; i++) pm__encoder_layer(b, &e, "encoder", i);
}

static void decode(pm__body *b, const pm__config *c, double rate, int encoded)
{
  pm__encoder e = describe_side(c, "decoder_attention_heads", "decoder_ffn_dim", rate);
  int count = pm__config_layers(c, "decoder_layers|num_hidden_layers", (double)NAN);
  e.causal = true;
  for (int i = 0; i < count && b->error->status == PM_OK; i++) add_decoder_layer(b, &e, i, encoded);
}

/* Both sides look words up in one table. */
static void embed_side(pm__body *b, const pm__config *c, const char *side, const char *input, double rate,
                       bool shared)
{
  const int64_t shape[1] = {(int64_t)pm__body_tokens(b, c, "max_position_embeddings")};
  pm__body_input(b, input, shape, 1);
  pm__body_part(b, "%s", side);
  PM__NEXT(b, "embedding", "words", "entries=%.0f features=%.0f shared=%s",
           pm__config_count(c, "vocab_size", (double)NAN), pm__config_count(c, "d_model", (double)NAN),
           pm__yes(shared));
  int switches = switches_of(c);
  if ((switches & COMPUTED) == 0)
    PM__NEXT(b, "positional_embedding", "positions", "positions=%.0f",
             pm__config_count(c, "max_position_embeddings", (double)NAN) + ((switches & OFFSET) != 0 ? 2 : 0));
  if ((switches & EMBED_NORM) != 0) PM__NEXT(b, "layer_norm", "embed_norm", " ");
  pm__body_dropout(b, "dropout", rate);
  pm__body_part(b, "%s", "");
}

void pm__build_bart(pm__body *b, const pm__config *c)
{
  double rate = pm__config_rate(c, "dropout", 0.1);
  embed_side(b, c, "encoder", "input_ids", rate, false);
  encode(b, c, rate);
  bool last = (switches_of(c) & AFTER) == 0;
  int encoded = last ? PM__NEXT(b, "layer_norm", "encoder.norm", " ") : b->last;
  embed_side(b, c, "decoder", "decoder_input_ids", rate, true);
  decode(b, c, rate, encoded);
  if (last) PM__NEXT(b, "layer_norm", "decoder.norm", " ");
  add_head(b, c, "lm_head", pm__config_count(c, "vocab_size", (double)NAN), true, false);
}

/* Two convolutions halve the frames of a spectrum; what is asked for as tokens is of the decoder. */
void pm__build_whisper(pm__body *b, const pm__config *c)
{
  double hidden = pm__config_count(c, "d_model", (double)NAN), rate = pm__config_rate(c, "dropout", 0);
  double vocabulary = pm__config_count(c, "vocab_size", (double)NAN);
  double places = pm__config_count(c, "max_target_positions", 448);
  double frames = pm__config_count(c, "max_source_positions", 1500);
  const int64_t sound[2] = {(int64_t)pm__config_count(c, "num_mel_bins", 80), (int64_t)(2 * frames)};
  pm__body_input(b, "input_features", sound, 2);
  PM__NEXT(b, "conv1d", "encoder.conv1", "out_channels=%.0f kernel=3 padding=1", hidden);
  PM__NEXT(b, "gelu", "encoder.gelu1", " ");
  PM__NEXT(b, "conv1d", "encoder.conv2", "out_channels=%.0f kernel=3 stride=2 padding=1", hidden);
  PM__NEXT(b, "gelu", "encoder.gelu2", " ");
  PM__NEXT(b, "permute", "encoder.frames", "order=1,0");
  PM__NEXT(b, "positional_embedding", "encoder.positions", "positions=%.0f", frames);
  pm__body_dropout(b, "encoder.dropout", rate);
  encode(b, c, rate);
  int encoded = PM__NEXT(b, "layer_norm", "encoder.norm", " ");
  const int64_t words[1] = {(int64_t)pm__body_tokens(b, c, "max_target_positions")};
  pm__body_input(b, "decoder_input_ids", words, 1);
  PM__NEXT(b, "embedding", "decoder.words", "entries=%.0f features=%.0f", vocabulary, hidden);
  PM__NEXT(b, "positional_embedding", "decoder.positions", "positions=%.0f", places);
  pm__body_dropout(b, "decoder.dropout", rate);
  decode(b, c, rate, encoded);
  PM__NEXT(b, "layer_norm", "decoder.norm", " ");
  add_head(b, c, "proj_out", vocabulary, true, false);
}
