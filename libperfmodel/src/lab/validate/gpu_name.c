/*
** A name is cut into words; makers and product lines do not count. What is left is looked up as it stands, then with the
** words in any order, then without the size of the memory: two boards that differ in nothing else run kernels alike.
*/
#include <stdio.h>
#include <string.h>
#include "base/words.h"
#include "lab/validate/gpu_name.h"

enum { NAME = 200, SIZE = 16 };

static bool is_noise(const char *word)
{
  static const char *const noise[] = {"nvidia", "tesla", "geforce", "gtx",  "amd",   "radeon", "instinct", "gpu",
                                      "graphics", "hbm", "hbm2", "hbm2e", "hbm3", "hbm3e", "the", "one", "of"};
  for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
    if (strcmp(word, noise[i]) == 0) return true;
  return false;
}

/* The words of a name that count, with or without the size of the memory. */
static void words_of(const char *name, bool memory, pm__words *out)
{
  size_t kept = 0;
  pm__words_split(out, name);
  for (size_t i = 0; i < out->count; i++)
    if (!is_noise(out->word[i]) && (memory || !pm__word_is_memory(out->word[i]))) out->word[kept++] = out->word[i];
  out->count = kept;
}

static bool same_words(const pm__words *a, const pm__words *b)
{
  return a->count == b->count && pm__words_within(a, b);
}

/* In the order that they have. */
static const char *as_it_stands(const pm_catalog *catalog, const pm__words *w, const char *memory)
{
  char name[NAME] = "";
  for (size_t i = 0; i < w->count; i++)
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i > 0 ? "-" : "", w->word[i]);
  if (memory[0] != '\0') snprintf(name + strlen(name), sizeof name - strlen(name), "-%.8sgb", memory);
  return w->count > 0 ? pm_catalog_resolve(catalog, "gpu", name, NULL) : NULL;
}

/* In any order, among ids, names and aliases. */
static const char *in_any_order(const pm_catalog *catalog, const pm__words *w, bool memory)
{
  const char *id, *name;
  for (size_t i = 0; w->count > 0 && (id = pm_catalog_id(catalog, "gpu", i)) != NULL; i++)
    for (size_t j = 0; (name = pm_catalog_name(catalog, "gpu", id, j)) != NULL; j++) {
      pm__words other;
      words_of(name, memory, &other);
      if (same_words(w, &other)) return id;
    }
  return NULL;
}

/* With the memory that stands in a column of its own. */
static const char *with_memory(const pm_catalog *catalog, const pm__words *plain, const char *memory)
{
  char size[SIZE];
  pm__words sized = *plain;
  if (memory[0] == '\0' || strlen(memory) > 7 || sized.count == PM__WORDS_MOST) return NULL;
  snprintf(size, sizeof size, "%.7sgb", memory);
  sized.word[sized.count++] = size;
  const char *id = as_it_stands(catalog, plain, memory);
  return id != NULL ? id : in_any_order(catalog, &sized, true);
}

const char *pm__gpu_of_name(const pm_catalog *catalog, const char *name, const char *memory)
{
  pm__words all, plain;
  words_of(name, true, &all);
  words_of(name, false, &plain);
  const char *id = with_memory(catalog, &plain, memory);
  if (id == NULL) id = pm_catalog_resolve(catalog, "gpu", name, NULL);
  if (id == NULL) id = as_it_stands(catalog, &all, "");
  if (id == NULL) id = in_any_order(catalog, &all, true);
  if (id == NULL) id = as_it_stands(catalog, &plain, "");
  return id != NULL ? id : in_any_order(catalog, &plain, false);
}
