/*
** A name is cut into words; makers and product lines do not count. What is left is looked up as it stands, then with
** the words in any order, then without the size of the memory: two boards that differ in nothing else run kernels
** alike.
*/
#include "validation/gpu_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/words.h"

enum { NAME = 200, SIZE = 16 };

/* One of the names of a GPU, with and without the size of its memory. */
typedef struct gpu_name {
  const char *id;
  pm__words all, plain;
} gpu_name;

struct pm__lab_gpu_names {
  const pm_catalog *catalog;
  gpu_name *items;
  size_t count;
};

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

static bool is_noise(const char *word)
{
  static const char *const noise[] = {"nvidia", "tesla", "geforce", "gtx",  "amd",   "radeon", "instinct", "gpu",
                                      "graphics", "hbm", "hbm2", "hbm2e", "hbm3", "hbm3e", "the", "one", "of"};
  return is_one_of(word, noise, sizeof noise / sizeof noise[0]);
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

static size_t count_names(const pm_catalog *catalog)
{
  size_t count = 0;
  const char *id;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "gpu", i)) != NULL; i++)
    for (size_t k = 0; pm_catalog_get_name(catalog, "gpu", id, k) != NULL; k++) count++;
  return count;
}

static void add_names(pm__lab_gpu_names *names, const char *id)
{
  const char *name;
  for (size_t k = 0; (name = pm_catalog_get_name(names->catalog, "gpu", id, k)) != NULL; k++) {
    gpu_name *next = &names->items[names->count++];
    next->id = id;
    words_of(name, true, &next->all);
    words_of(name, false, &next->plain);
  }
}

pm__lab_gpu_names *pm__lab_gpu_names_new(const pm_catalog *catalog, pm_error *error)
{
  const char *id;
  pm__lab_gpu_names *names = (pm__lab_gpu_names *)calloc(1, sizeof *names);
  if (names != NULL) names->items = (gpu_name *)malloc((count_names(catalog) + 1) * sizeof *names->items);
  if (names == NULL || names->items == NULL) {
    free(names);
    pm__no_memory(error);
    return NULL;
  }
  names->catalog = catalog;
  for (size_t i = 0; (id = pm_catalog_get_id(catalog, "gpu", i)) != NULL; i++) add_names(names, id);
  return names;
}

void pm__lab_gpu_names_free(pm__lab_gpu_names *names)
{
  if (names != NULL) free(names->items);
  free(names);
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
static const char *in_any_order(const pm__lab_gpu_names *names, const pm__words *w, bool memory)
{
  for (size_t i = 0; w->count > 0 && i < names->count; i++)
    if (same_words(w, memory ? &names->items[i].all : &names->items[i].plain)) return names->items[i].id;
  return NULL;
}

/* With the memory that stands in a column of its own. */
static const char *with_memory(const pm__lab_gpu_names *names, const pm__words *plain, const char *memory)
{
  char size[SIZE];
  pm__words sized = *plain;
  if (memory[0] == '\0' || strlen(memory) > 7 || sized.count == PM__WORDS_MOST) return NULL;
  snprintf(size, sizeof size, "%.7sgb", memory);
  sized.word[sized.count++] = size;
  const char *id = as_it_stands(names->catalog, plain, memory);
  return id != NULL ? id : in_any_order(names, &sized, true);
}

const char *pm__lab_gpu_names_find(const pm__lab_gpu_names *names, const char *name, const char *memory)
{
  pm__words all, plain;
  words_of(name, true, &all);
  words_of(name, false, &plain);
  const char *id = with_memory(names, &plain, memory);
  if (id == NULL) id = pm_catalog_resolve(names->catalog, "gpu", name, NULL);
  if (id == NULL) id = as_it_stands(names->catalog, &all, "");
  if (id == NULL) id = in_any_order(names, &all, true);
  if (id == NULL) id = as_it_stands(names->catalog, &plain, "");
  return id != NULL ? id : in_any_order(names, &plain, false);
}
