/*
** How a checkpoint stores its weights: the quantization_config of its configuration, by the method that wrote it.
**
** Sources: the classes of quantization_config in Transformers 5.24 (utils/quantization_config.py), the formats of
** compressed-tensors, and what NVIDIA's ModelOpt writes.
*/
#include "models/quantization.h"
#include <string.h>
#include "network/network.h"
#include "perfmodel/engine.h"

static bool is(const char *word, const char *other)
{
  return strcmp(word, other) == 0;
}

/* By bits of a number, whole or not. */
static int by_bits(double bits, bool whole)
{
  if (bits == 8) return PM_STORED_FP8;
  return bits == 4 ? whole ? PM_STORED_INT4 : PM_STORED_NVFP4 : PM_STORED_AS_RUN;
}

/* The first group of compressed-tensors; its format says which numbers of four bits are meant. */
static int of_groups(const pm__config *q)
{
  pm__config groups = pm__config_child(q, "config_groups");
  const pm__config_value *first = groups.settings->first;
  const char *format = pm__config_word(q, "format", "");
  if (strstr(format, "mxfp4") != NULL) return PM_STORED_MXFP4;
  if (strstr(format, "nvfp4") != NULL) return PM_STORED_NVFP4;
  if (first == NULL || first->type != PM__CONFIG_OBJECT) return PM_STORED_AS_RUN;
  pm__config group = {q->kind, first, q->error}, weights = pm__config_child(&group, "weights");
  bool whole = is(pm__config_word(&weights, "type", "int"), "int");
  bool block = is(pm__config_word(&weights, "strategy", ""), "block");
  int stored = by_bits(pm__config_number(&weights, "num_bits", 16, 1, 64), whole);
  return stored == PM_STORED_FP8 && block ? PM_STORED_FP8_BLOCK : stored;
}

static int of_modelopt(const pm__config *q)
{
  const char *algorithm = pm__config_word(q, "quant_algo", "");
  if (strstr(algorithm, "NVFP4") != NULL) return PM_STORED_NVFP4;
  if (strstr(algorithm, "MXFP4") != NULL) return PM_STORED_MXFP4;
  if (strncmp(algorithm, "W4A", 3) == 0) return PM_STORED_INT4;
  if (strstr(algorithm, "FP8") != NULL || strstr(algorithm, "INT8") != NULL) return PM_STORED_FP8;
  return pm__config_find(q, "config_groups") != NULL ? of_groups(q) : PM_STORED_AS_RUN;
}

static int of_bitsandbytes(const pm__config *q)
{
  if (pm__config_flag(q, "load_in_4bit", false)) return PM_STORED_INT4;
  return pm__config_flag(q, "load_in_8bit", false) ? PM_STORED_FP8 : PM_STORED_AS_RUN;
}

static int stored_of(const pm__config *q, const char *method)
{
  if (is(method, "fp8")) return pm__config_find(q, "weight_block_size") != NULL ? PM_STORED_FP8_BLOCK : PM_STORED_FP8;
  if (is(method, "fbgemm_fp8")) return PM_STORED_FP8;
  if (is(method, "mxfp4")) return PM_STORED_MXFP4;
  if (is(method, "compressed-tensors")) return of_groups(q);
  if (strncmp(method, "modelopt", 8) == 0) return of_modelopt(q);
  if (is(method, "bitsandbytes")) return of_bitsandbytes(q);
  bool bits = strncmp(method, "gptq", 4) == 0 || strncmp(method, "awq", 3) == 0 || is(method, "auto-round") ||
    is(method, "intel/auto-round");
  return bits ? by_bits(pm__config_number(q, "bits|w_bit", 4, 1, 64), true) : PM_STORED_AS_RUN;
}

/* Whether attention is left as it is: its name is among those that are ignored. */
static bool leaves_attention(const pm__config *q)
{
  const pm__config_value *ignored = pm__config_find(q, "ignore|exclude_modules|modules_to_not_convert");
  for (const pm__config_value *v = ignored != NULL ? ignored->first : NULL; v != NULL; v = v->next)
    if (v->type == PM__CONFIG_TEXT && strstr(v->text, "attn") != NULL) return true;
  return false;
}

void pm__body_quantize(pm__body *b, const pm__config *c)
{
  const pm__config_value *stated = pm__config_find(c, "quantization_config|compression_config");
  if (stated == NULL || b->error->status != PM_OK) return;
  if (stated->type != PM__CONFIG_OBJECT) {
    pm__config_fail(c, "has %.60s %.60s, which is not a configuration", stated->key, stated->text);
    return;
  }
  pm__config q = pm__config_child(c, stated->key);
  const char *method = pm__config_word(&q, "quant_method", "");
  if (is(method, "") && pm__config_find(&q, "quant_algo") != NULL) method = "modelopt";
  int stored = stored_of(&q, method);
  bool experts = pm__network_get_traits(b->network).experts && leaves_attention(&q);
  if (stored == PM_STORED_AS_RUN) {
    pm__body_note(b, "note: quantization_config \"%.40s\" is not known; weights count as 16 bits",
                  method);
    return;
  }
  b->network->expert_weights = stored;
  if (!experts) b->network->weights = stored;
  pm__body_note(b, "note: %s are stored as %s (quantization_config \"%.40s\"): the default of --weights and "
                "--expert-weights in perfmodel serve; training and infer use --precision",
                experts ? "weights of experts" : "weights", pm__stored_name(stored), method);
}
