/*
** What a hub calls a model: who published it, the model, how it was tuned, how it was quantised. Tuning changes numbers
** and not layers, so that a tuned model is its base; quantising changes how weights are stored.
*/
#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "catalog/hub_name.h"

/* Words at the end of a name that leave the layers as they are. */
static bool is_tuning(const char *word)
{
  static const char *const words[] = {"instruct", "chat", "it", "pt", "hf", "sft", "dpo", "thinking", "dynamic"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (pm__same_name(words[i], word)) return true;
  return false;
}

/* The stored weights that a word says, a choice of --weights; NULL if it says none. */
static const char *weights_of(const char *word)
{
  static const char *const words[][2] = {
    {"fp8", "fp8"}, {"awq", "int4"}, {"gptq", "int4"}, {"int4", "int4"}, {"4bit", "int4"}, {"w4a16", "int4"},
    {"nvfp4", "nvfp4"}, {"fp4", "nvfp4"}, {"mxfp4", "mxfp4"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (pm__same_name(words[i][0], word)) return words[i][1];
  return NULL;
}

/* "Qwen3-8B-Base" is not tuned yet; of "vit-base" the word is a size. */
static bool is_untuned(const char *word)
{
  return pm__same_name(word, "base") && (word[-2] == 'B' || word[-2] == 'b');
}

/* "2507" of "Qwen3-235B-A22B-Thinking-2507". */
static bool is_date(const char *word)
{
  return strlen(word) == 4 && strspn(word, "0123456789") == 4;
}

bool pm__catalog_hub_name_read(const char *name, pm__catalog_hub_name *hub)
{
  const char *slash = strrchr(name, '/');
  hub->weights = NULL;
  hub->published = slash != NULL;
  int length = snprintf(hub->model, sizeof hub->model, "%s", slash != NULL ? slash + 1 : name);
  if (strncmp(name, "timm/", 5) == 0) hub->model[strcspn(hub->model, ".")] = '\0';
  return length >= 0 && (size_t)length < sizeof hub->model;
}

bool pm__catalog_hub_name_cut(pm__catalog_hub_name *hub)
{
  char *word = hub->model + strlen(hub->model);
  while (word > hub->model && strchr("-_ ", word[-1]) == NULL) word--;
  if (word <= hub->model + 1) return false;
  const char *stored = weights_of(word);
  bool cut = stored != NULL || is_tuning(word) || is_untuned(word) || (hub->published && is_date(word)) ||
             (hub->weights != NULL && pm__same_name(word, "bnb"));
  if (cut && stored != NULL) hub->weights = stored;
  if (cut) word[-1] = '\0';
  return cut;
}
