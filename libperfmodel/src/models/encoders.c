/* Encoders of words: BERT and its kin, ALBERT, DeBERTa, ModernBERT. */
#include <math.h>
#include <string.h>
#include "models/encoder.h"
#include "models/models.h"

/* ---- BERT and its kin: learned positions, the norm behind each sum ---- */

/* Which of the types it is. */
static bool is(const pm__config *c, const char *types)
{
  return pm__list_has(types, c->kind);
}

static const char with_offset[] = "roberta camembert xlm-roberta"; /* two positions more than tokens */

/* Features of the embeddings. */
static double wide_of(const pm__config *c, const pm__encoder *e)
{
  if (!is(c, "electra albert deberta-v2")) return e->hidden;
  return pm__config_count(c, "embedding_size", is(c, "deberta-v2") ? e->hidden : 128);
}

static pm__encoder describe(const pm__config *c)
{
  pm__encoder e = pm__encoder_describe(c);
  double rate = is(c, "albert") ? 0 : 0.1;
  e.ffn = pm__config_count(c, "intermediate_size|hidden_dim", (double)NAN);
  e.rate = pm__config_rate(c, "hidden_dropout_prob|dropout", rate);
  e.attention_rate = pm__config_rate(c, "attention_probs_dropout_prob|attention_dropout", rate);
  e.activation = pm__config_word(c, "hidden_act|activation", is(c, "albert") ? "gelu_new" : "gelu");
  e.after = true;
  return e;
}

/* Words, positions and types added up, normalised. Returns how many tokens there are. */
static double embed(pm__body *b, const pm__config *c, const pm__encoder *e, double types)
{
  double most = pm__config_count(c, "max_position_embeddings", (double)NAN), wide = wide_of(c, e);
  double tokens = most - (is(c, with_offset) ? 2 : 0);
  if (b->seq > 0) tokens = b->seq;
  else if (tokens < 1) pm__config_fail(c, "has max_position_embeddings %.0f, which leaves no token", most);
  else pm__body_note(b, "note: %.0f tokens: all positions of the model", tokens);
  const int64_t shape[1] = {(int64_t)tokens};
  pm__body_input(b, "input_ids", shape, 1);
  PM__NEXT(b, "embedding", "words", "entries=%.0f features=%.0f", pm__config_count(c, "vocab_size", (double)NAN), wide);
  if (!is(c, "deberta-v2") || pm__config_flag(c, "position_biased_input", true))
    PM__NEXT(b, "positional_embedding", "positions", "positions=%.0f", most);
  types = pm__config_count_or_none(c, "type_vocab_size", types);
  if (types > 0) {
    int words = b->last;
    pm__body_input(b, "token_type_ids", shape, 1);
    PM__NEXT(b, "embedding", "types", "entries=%.0f features=%.0f", types, wide);
    pm__body_sum(b, "embedded", words, b->last);
  }
  if (is(c, "deberta-v2") && wide != e->hidden) pm__body_linear(b, "embed_project", -1, e->hidden, false);
  PM__NEXT(b, "layer_norm", "embed_norm", " ");
  pm__body_dropout(b, "embed_dropout", e->rate);
  if (is(c, "albert") || (!is(c, "deberta-v2") && wide != e->hidden))
    pm__body_linear(b, "embed_project", -1, e->hidden, true);
  return tokens;
}

/* ---- Heads ---- */

/* Words from the hidden states; ELECTRA's second head says instead which were replaced. */
static void add_words(pm__body *b, const pm__config *c, const pm__encoder *e, int x, bool before)
{
  if (before && is(c, "electra")) {
    pm__body_linear(b, "discriminator.dense", x, e->hidden, true);
    pm__body_activation(b, "discriminator.act", e->activation);
    pm__body_linear(b, "discriminator.prediction", -1, 1, true);
    return;
  }
  if (before) pm__body_linear(b, "cls.seq_relationship", -1, 2, true);
  pm__body_linear(b, "cls.transform", x, is(c, "electra albert") ? wide_of(c, e) : e->hidden, true);
  PM__NEXT(b, "gelu", "cls.gelu", " ");
  PM__NEXT(b, "layer_norm", "cls.norm", " ");
  pm__body_linear_shared(b, "cls.decoder", -1, pm__config_count(c, "vocab_size", (double)NAN), false,
                         pm__config_flag(c, "tie_word_embeddings", true));
  PM__NEXT(b, "bias", "cls.bias", "axis=1");
}

/* The first row, through a layer. */
static void pool(pm__body *b, const pm__encoder *e, int x, const char *function)
{
  pm__body_add(b, "slice", "pooler.first", PM__ON(x), "axis=0 end=1");
  pm__body_linear(b, "pooler.dense", -1, e->hidden, true);
  PM__NEXT(b, function, "pooler.act", " ");
}

static void add_head(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  const char *head = pm__config_architecture(c, "Model");
  bool choice = strcmp(head, "ForMultipleChoice") == 0;
  bool classes = choice || strcmp(head, "ForSequenceClassification") == 0;
  bool before = strcmp(head, "ForPreTraining") == 0, own = is(c, "bert albert deberta-v2");
  bool pools = strcmp(head, "Model") == 0 && (is(c, "bert albert") || is(c, with_offset));
  int x = b->last;
  if (pools || (own && (classes || before))) pool(b, e, x, is(c, "deberta-v2") ? "gelu" : "tanh");
  if (before || pm__list_has("ForMaskedLM ForCausalLM LMHeadModel", head)) add_words(b, c, e, x, before);
  else if (classes) {
    if (!own) pool(b, e, x, is(c, "distilbert") ? "relu" : "tanh");
    pm__body_linear(b, "classifier", -1, choice ? 1 : pm__config_labels(c), true);
  } else if (pm__list_has("ForTokenClassification ForQuestionAnswering", head))
    pm__body_linear(b, "classifier", x, strcmp(head, "ForQuestionAnswering") == 0 ? 2 : pm__config_labels(c), true);
  else if (strcmp(head, "Model") != 0) pm__body_note(b, "note: the head of %.60s is left out", head);
}

void pm__build_bert(pm__body *b, const pm__config *c)
{
  pm__encoder e = describe(c);
  int count = pm__config_layers(c, "num_hidden_layers|n_layers", (double)NAN);
  embed(b, c, &e, is(c, "distilbert") ? 0 : 2);
  for (int i = 0; i < count && b->error->status == PM_OK; i++) pm__encoder_layer(b, &e, "encoder.layer", i);
  add_head(b, c, &e);
}

/* The layers of a group are the same ones again and again. */
void pm__build_albert(pm__body *b, const pm__config *c)
{
  pm__encoder e = describe(c);
  int count = pm__config_layers(c, "num_hidden_layers|n_layers", (double)NAN);
  int groups = pm__config_layers(c, "num_hidden_groups", 1), inner = pm__config_layers(c, "inner_group_num", 1);
  if ((double)count * inner > PM__CONFIG_LAYERS)
    pm__config_fail(c, "has %d times %d layers, more than %d", count, inner, PM__CONFIG_LAYERS);
  embed(b, c, &e, 2);
  for (int i = 0; i < count && b->error->status == PM_OK; i++) {
    e.shared = i > 0 && i * groups / count == (i - 1) * groups / count;
    for (int j = 0; j < inner && b->error->status == PM_OK; j++) pm__encoder_layer(b, &e, "encoder", i * inner + j);
  }
  e.shared = false;
  add_head(b, c, &e);
}

/* ---- DeBERTa: scores of words with positions, and of positions with words, are added to those of words ---- */

enum { WIDER = 64 }; /* as often are the scores of all distances repeated at most */

/* Rows for all distances in both directions. */
static int distances(pm__body *b, const pm__config *c, const pm__encoder *e)
{
  double buckets = pm__config_whole(c, "position_buckets", -1, -1, 1e9);
  double stated = pm__config_whole(c, "max_relative_positions", -1, -1, 1e9), reach = buckets > 0 ? buckets : stated;
  if (reach <= 0) reach = pm__config_count(c, "max_position_embeddings", (double)NAN);
  const char *norm = strstr(pm__config_word(c, "norm_rel_ebd", "none"), "layer_norm");
  const int64_t shape[1] = {(int64_t)(2 * reach)};
  pm__body_input(b, "relative_positions", shape, 1);
  int made = PM__NEXT(b, "embedding", "distances", "entries=%.0f features=%.0f", 2 * reach, e->hidden);
  return norm != NULL ? PM__NEXT(b, "layer_norm", "distances.norm", " ") : made;
}

/* Tokens x features as heads x tokens x features, or heads x features x tokens. */
static int heads_of(pm__body *b, const pm__encoder *e, const char *split, const char *name, int x, bool transposed)
{
  pm__body_add(b, "reshape", split, PM__ON(x), "shape=%.0f,%.0f,%.0f", pm__body_size(b, x, 0), e->heads, e->head);
  return PM__NEXT(b, "permute", name, transposed ? "order=1,2,0" : "order=1,0,2");
}

/* The scores of each pair's distance, out of those of all distances. */
static int gather(pm__body *b, const pm__config *c, double tokens, const char *wide, const char *part, const char *name)
{
  int same[WIDER], times = 0, x = b->last;
  double reach = pm__body_size(b, x, 2);
  while (times < WIDER && times * reach < tokens) same[times++] = x;
  if (times * reach < tokens && b->error->status == PM_OK)
    pm__config_fail(c, "has %.0f distances, too few for %.0f tokens", reach, tokens);
  if (times > 1) pm__body_add(b, "concat", wide, same, times, "axis=2");
  if (pm__body_size(b, b->last, 2) > tokens) PM__NEXT(b, "slice", part, "axis=2 end=%.0f", tokens);
  int made = PM__NEXT(b, "pointwise", name, "flop=0 keeps=nothing");
  pm__body_near_last(b, "pointwise");
  return made;
}

/* "c2p" in a list of words, or in "p2c|c2p". */
static bool has_type(const pm__config *c, const char *type)
{
  const pm__config_value *stated = pm__config_find(c, "pos_att_type");
  if (stated == NULL || stated->type == PM__CONFIG_TEXT) return stated != NULL && strstr(stated->text, type) != NULL;
  const pm__config_value *list = pm__config_words(c, "pos_att_type");
  for (const pm__config_value *v = list != NULL ? list->first : NULL; v != NULL; v = v->next)
    if (strcmp(v->text, type) == 0) return true;
  return false;
}

static int score(pm__body *b, const pm__config *c, const pm__encoder *e, int q, int k, int v, int there, double tokens)
{
  static const char *const names[2][7] = {
    {"c2p", "c2p.proj", "c2p.split", "c2p.there", "c2p.own", "c2p.here", "c2p.scores"},
    {"p2c", "p2c.proj", "p2c.split", "p2c.there", "p2c.own", "p2c.here", "p2c.scores"}};
  static const char *const gathered[2][3] = {{"c2p.wide", "c2p.part", "c2p"}, {"p2c.wide", "p2c.part", "p2c"}};
  int own[2] = {q, k}, sums[3], count = 1, queries = heads_of(b, e, "q.split", "q.heads", q, false);
  int keys = heads_of(b, e, "k.split", "k.heads", k, true);
  sums[0] = pm__body_add(b, "matmul", "words.scores", PM__ON(queries, keys), " ");
  for (int i = 0; i < 2; i++) {
    if (!has_type(c, names[i][0])) continue;
    pm__body_linear_shared(b, names[i][1], there, e->hidden, true, pm__config_flag(c, "share_att_key", false));
    int rows = heads_of(b, e, names[i][2], names[i][3], b->last, true);
    int here = heads_of(b, e, names[i][4], names[i][5], own[i], false);
    pm__body_add(b, "matmul", names[i][6], PM__ON(here, rows), " ");
    sums[count++] = gather(b, c, tokens, gathered[i][0], gathered[i][1], gathered[i][2]);
  }
  if (count > 1) pm__body_add(b, "add", "scores", sums, count, " ");
  PM__NEXT(b, "softmax", "softmax", "axis=-1");
  int weights = pm__body_dropout(b, "probs.dropout", e->attention_rate);
  int values = heads_of(b, e, "v.split", "v.heads", v, false);
  pm__body_add(b, "matmul", "context", PM__ON(weights, values), " ");
  PM__NEXT(b, "permute", "joined", "order=1,0,2");
  return PM__NEXT(b, "reshape", "rows", "shape=%.0f,%.0f", tokens, e->hidden);
}

static void disentangle(pm__body *b, const pm__config *c, const pm__encoder *e, int there, double tokens)
{
  int x = b->last, q = pm__body_linear(b, "q_proj", x, e->hidden, true);
  int k = pm__body_linear(b, "k_proj", x, e->hidden, true), v = pm__body_linear(b, "v_proj", x, e->hidden, true);
  if (there < 0) pm__encoder_score(b, e, q, k, v);
  else score(b, c, e, q, k, v, there, tokens);
  pm__body_linear(b, "o_proj", -1, e->hidden, true);
  pm__encoder_join(b, e, x);
}

/* Behind the first layer: a convolution of the embeddings is added to what that made. */
static void convolve(pm__body *b, const pm__config *c, const pm__encoder *e, int first)
{
  int x = b->last;
  double kernel = pm__config_count_or_none(c, "conv_kernel_size", 0);
  if (kernel == 0) return;
  pm__body_part(b, "encoder.conv");
  pm__body_add(b, "permute", "first", PM__ON(first), "order=1,0");
  PM__NEXT(b, "conv1d", "conv", "out_channels=%.0f kernel=%.0f padding=%.0f groups=%.0f", e->hidden, kernel,
           floor((kernel - 1) / 2), pm__config_count(c, "conv_groups", 1));
  PM__NEXT(b, "permute", "last", "order=1,0");
  pm__body_dropout(b, "conv.dropout", e->rate);
  pm__body_activation(b, "act", pm__config_word(c, "conv_act", "tanh"));
  pm__body_sum(b, "sum", x, b->last);
  PM__NEXT(b, "layer_norm", "norm", " ");
}

void pm__build_deberta(pm__body *b, const pm__config *c)
{
  pm__encoder e = describe(c);
  int count = pm__config_layers(c, "num_hidden_layers|n_layers", (double)NAN);
  double tokens = embed(b, c, &e, 0);
  int x = b->last, there = pm__config_flag(c, "relative_attention", false) ? distances(b, c, &e) : -1;
  b->last = x;
  for (int i = 0; i < count && b->error->status == PM_OK; i++) {
    pm__body_part(b, "encoder.layer.%d.attention", i);
    disentangle(b, c, &e, there, tokens);
    pm__body_part(b, "encoder.layer.%d.feed", i);
    pm__encoder_feed(b, &e);
    if (i == 0) convolve(b, c, &e, x);
  }
  pm__body_part(b, "%s", "");
  add_head(b, c, &e);
}

/* ---- ModernBERT: two of three layers see a window on both sides, which counts as all tokens here ---- */

void pm__build_modernbert(pm__body *b, const pm__config *c)
{
  pm__encoder e = pm__encoder_describe(c);
  bool tied = pm__config_flag(c, "tie_word_embeddings", true);
  const char *head = pm__config_architecture(c, "Model");
  double vocabulary = pm__config_count(c, "vocab_size", (double)NAN);
  int count = pm__config_layers(c, "num_hidden_layers", (double)NAN);
  const int64_t shape[1] = {(int64_t)pm__body_tokens(b, c, "max_position_embeddings")};
  e.ffn = pm__config_count(c, "intermediate_size", (double)NAN);
  e.activation = pm__config_word(c, "hidden_activation", "gelu");
  e.no_norm_bias = !pm__config_flag(c, "norm_bias", false);
  e.no_qkv_bias = e.no_output_bias = !pm__config_flag(c, "attention_bias", false);
  e.no_feed_bias = !pm__config_flag(c, "mlp_bias", false);
  e.gated = e.rotary = e.bare = true;
  pm__body_input(b, "input_ids", shape, 1);
  PM__NEXT(b, "embedding", "words", "entries=%.0f features=%.0f", vocabulary, e.hidden);
  pm__encoder_norm(b, &e, "embed_norm", b->last);
  for (int i = 0; i < count && b->error->status == PM_OK; i++, e.bare = false) {
    pm__encoder_layer(b, &e, "layers", i);
    pm__body_near_last(b, "attention");
  }
  pm__body_note(b, "note: windows on both sides (local_attention) count as attention to all tokens");
  pm__encoder_norm(b, &e, "final_norm", b->last);
  if (strcmp(head, "ForMaskedLM") == 0) {
    pm__body_linear(b, "head.dense", -1, e.hidden, pm__config_flag(c, "classifier_bias", false));
    PM__NEXT(b, "gelu", "head.act", " ");
    pm__encoder_norm(b, &e, "head.norm", b->last);
    pm__body_linear_shared(b, "decoder", -1, vocabulary, false, tied);
    if (pm__config_flag(c, "decoder_bias", true)) PM__NEXT(b, "bias", "decoder.bias", "axis=1");
  } else if (strcmp(head, "Model") != 0) pm__body_note(b, "note: the head of %.60s is left out", head);
}
