/* BERT as published: post-norm layers, vocabulary 30522, 512 positions, 2 segments. */
#include "bert.h"
#include <check.h>
#include <stdio.h>

static int add(pm_network *n, const char *kind, const int *inputs, int count, const char *attribute, const char *value)
{
  pm_attribute attributes[] = {{attribute, value}};
  pm_error error = PM_ERROR_NONE;
  int number = pm_network_add(n, kind, NULL, inputs, count, attributes, attribute != NULL ? 1 : 0, &error);
  ck_assert_msg(number >= 0, "%s", error.text);
  return number;
}

static int on(pm_network *n, const char *kind, int input, const char *attribute, const char *value)
{
  return add(n, kind, &input, 1, attribute, value);
}

static int linear(pm_network *n, int input, int features)
{
  char text[16];
  snprintf(text, sizeof text, "%d", features);
  return on(n, "linear", input, "out_features", text);
}

/* dropout(x) + residual, normalised. */
static int close_block(pm_network *n, int x, int residual, const char *dropout)
{
  int both[2] = {on(n, "dropout", x, "rate", dropout), residual};
  return on(n, "layer_norm", add(n, "add", both, 2, NULL, NULL), NULL, NULL);
}

static int encoder_layer(pm_network *n, int x, bert_size s)
{
  char heads[16];
  snprintf(heads, sizeof heads, "%d", s.heads);
  int qkv[3] = {linear(n, x, s.hidden), linear(n, x, s.hidden), linear(n, x, s.hidden)};
  pm_attribute attributes[] = {{"heads", heads}, {"dropout", s.dropout}};
  pm_error error = PM_ERROR_NONE;
  int context = pm_network_add(n, "attention", NULL, qkv, 3, attributes, 2, &error);
  ck_assert_msg(context >= 0, "%s", error.text);
  x = close_block(n, linear(n, context, s.hidden), x, s.dropout);
  return close_block(n, linear(n, on(n, "gelu", linear(n, x, s.inner), NULL, NULL), s.hidden), x, s.dropout);
}

/* Word, position and segment tables, each looked up by its own input. */
static int embeddings(pm_network *n, bert_size s)
{
  static const char *const entries[] = {"30522", "512", "2"};
  const int64_t shape[] = {s.tokens};
  char features[16];
  int parts[3];
  snprintf(features, sizeof features, "%d", s.hidden);
  for (int i = 0; i < 3; i++) {
    int ids = pm_network_add_input(n, NULL, shape, 1, NULL);
    pm_attribute attributes[] = {{"entries", entries[i]}, {"features", features}};
    parts[i] = pm_network_add(n, "embedding", NULL, &ids, 1, attributes, 2, NULL);
    ck_assert_int_ge(parts[i], 0);
  }
  int x = on(n, "layer_norm", add(n, "add", parts, 3, NULL, NULL), NULL, NULL);
  return on(n, "dropout", x, "rate", s.dropout);
}

pm_network *bert_network(bert_size s)
{
  pm_network *n = pm_network_new("bert", "BERT", NULL);
  int x = embeddings(n, s);
  for (int i = 0; i < s.layers; i++) x = encoder_layer(n, x, s);
  pm_attribute first[] = {{"axis", "0"}, {"start", "0"}, {"end", "1"}};
  pm_error error = PM_ERROR_NONE;
  x = pm_network_add(n, "slice", NULL, &x, 1, first, 3, &error);
  ck_assert_msg(x >= 0, "%s", error.text);
  x = on(n, "tanh", linear(n, x, s.hidden), NULL, NULL);
  on(n, "softmax_loss", linear(n, x, 2), NULL, NULL);
  return n;
}
