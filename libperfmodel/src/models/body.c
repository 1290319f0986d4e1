/* Layers of a growing network, their attributes as text, and what models have in common. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "models/body.h"

enum { ATTRIBUTES = 16, TEXT = 400 };

/* ---- Layers ---- */

void pm__body_part(pm__body *b, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(b->part, sizeof b->part, format, list);
  va_end(list);
  size_t length = strlen(b->part);
  if (length > 0 && length + 1 < sizeof b->part) memcpy(b->part + length, ".", 2);
}

static const char *full_name(const pm__body *b, const char *name, char *full)
{
  snprintf(full, PM_TEXT_MAX, "%.*s%s", PM_TEXT_MAX / 2, b->part, name);
  return full;
}

/* "a=1 b=yes" in place, as names and values. */
static size_t part_attributes(char *text, pm_attribute *attributes)
{
  size_t count = 0;
  for (char *p = text; *p != '\0' && count < ATTRIBUTES; count++) {
    char *sign = strchr(p, '='), *end = p + strcspn(p, " ");
    if (sign == NULL) break;
    *sign = '\0';
    attributes[count] = (pm_attribute){p, sign + 1};
    p = *end != '\0' ? end + 1 : end;
    *end = '\0';
  }
  return count;
}

int pm__body_add(pm__body *b, const char *kind, const char *name, const int *inputs, int count, const char *attributes,
                 ...)
{
  char text[TEXT], full[PM_TEXT_MAX];
  pm_attribute list[ATTRIBUTES];
  va_list arguments;
  if (b->error->status != PM_OK) return -1;
  va_start(arguments, attributes);
  vsnprintf(text, sizeof text, attributes, arguments);
  va_end(arguments);
  size_t stated = part_attributes(text, list);
  b->last = pm_network_add(b->network, kind, full_name(b, name, full), inputs, count, list, stated, b->error);
  return b->last;
}

int pm__body_input(pm__body *b, const char *name, const int64_t *shape, int rank)
{
  if (b->error->status != PM_OK) return -1;
  b->last = pm_network_add_input(b->network, name, shape, rank, b->error);
  return b->last;
}

double pm__body_size(const pm__body *b, int layer, int dimension)
{
  int64_t shape[PM_RANK_MAX] = {0};
  int rank = layer >= 0 ? pm_network_get_shape(b->network, layer, shape) : 0;
  int place = dimension < 0 ? rank + dimension : dimension;
  return place >= 0 && place < rank ? (double)shape[place] : 1;
}

/* ---- The usual ones ---- */

int pm__body_linear_shared(pm__body *b, const char *name, int on, double features, bool bias, bool shared)
{
  return pm__body_add(b, "linear", name, PM__ON(on >= 0 ? on : b->last), "out_features=%.0f bias=%s%s", features,
                      pm__yes(bias), shared ? " shared=yes" : "");
}

int pm__body_linear(pm__body *b, const char *name, int on, double features, bool bias)
{
  return pm__body_linear_shared(b, name, on, features, bias, false);
}

int pm__body_dropout(pm__body *b, const char *name, double rate)
{
  return rate > 0 ? pm__body_add(b, "dropout", name, PM__ON_LAST(b), "rate=%.17g", rate) : b->last;
}

int pm__body_rotate(pm__body *b, const char *name, double share, int on)
{
  if (share <= 0) return on;
  return pm__body_add(b, "pointwise", name, PM__ON(on), "flop=%.17g keeps=nothing", 3 * share);
}

int pm__body_sum(pm__body *b, const char *name, int x, int y)
{
  return pm__body_add(b, "add", name, PM__ON(x, y), " ");
}

int pm__body_activation(pm__body *b, const char *name, const char *function)
{
  static const char *const known[][2] = {
    {"gelu", "gelu"}, {"gelu_new", "gelu"}, {"gelu_fast", "gelu"}, {"gelu_pytorch_tanh", "gelu"},
    {"gelu_python", "gelu"}, {"quick_gelu", "gelu"}, {"relu", "relu"}, {"relu2", "squared_relu"}, {"silu", "silu"},
    {"swish", "silu"}, {"tanh", "tanh"}, {"mish", "mish"}, {"xielu", "mish"}, {"sigmoid", "sigmoid"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i][0], function) == 0) return pm__body_add(b, known[i][1], name, PM__ON_LAST(b), " ");
  pm__fail(b->error, PM_STATUS_BAD_ARGUMENT, "unknown activation \"%.40s\"; known are gelu, gelu_new, gelu_fast, "
           "gelu_pytorch_tanh, gelu_python, quick_gelu, relu, relu2, silu, swish, tanh, mish, xielu, sigmoid",
           function);
  return -1;
}

/* ---- Reports ---- */

void pm__body_note(pm__body *b, const char *format, ...)
{
  char text[TEXT];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (b->notes.text == NULL || strstr(b->notes.text, text) == NULL) pm__string_format(&b->notes, "%s\n", text);
}

void pm__body_near_last(pm__body *b, const char *kind)
{
  if (b->last < 0) return;
  for (int i = 0; i < PM__BODY_NEAR; i++) {
    if (b->near[i].kind != NULL && strcmp(b->near[i].kind, kind) != 0) continue;
    b->near[i].kind = kind;
    b->near[i].count++;
    return;
  }
}

/* ---- What models have in common ---- */

double pm__body_tokens(pm__body *b, const pm__config *config, const char *names)
{
  if (b->seq > 0) return b->seq;
  bool stated = pm__config_find(config, names) != NULL;
  double most = stated ? pm__config_count(config, names, (double)NAN) : 512;
  pm__body_note(b, "note: %.0f tokens: %s", most,
                stated ? "all positions of the model" : "the model has no last position");
  return most;
}

void pm__body_language_head(pm__body *b, const pm__config *config, double vocabulary, bool tied, bool bias)
{
  const char *head = pm__config_architecture(config, "ForCausalLM");
  int x = b->last;
  pm__body_part(b, "%s", "");
  if (pm__list_has("ForCausalLM LMHeadModel DoubleHeadsModel ForConditionalGeneration", head)) {
    pm__body_linear_shared(b, "lm_head", x, vocabulary, false, tied);
    if (bias) pm__body_add(b, "bias", "lm_head.bias", PM__ON_LAST(b), "axis=1");
    pm__body_add(b, "cross_entropy", "loss", PM__ON_LAST(b), " ");
  } else if (pm__list_has("ForSequenceClassification ForTokenClassification", head)) {
    pm__body_linear(b, "score", x, pm__config_labels(config), strcmp(head, "ForTokenClassification") == 0);
  } else if (strcmp(head, "ForQuestionAnswering") == 0) {
    pm__body_linear(b, "qa_outputs", x, 2, true);
  } else if (strcmp(head, "Model") != 0) {
    pm__body_note(b, "note: the head of %.60s is left out", head);
  }
}
