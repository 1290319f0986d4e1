/*
** A name is cut into words; makers and product lines do not count. What is left is looked up as it stands, then with the
** words in any order, then without the size of the memory: two boards that differ in nothing else run kernels alike.
*/
#include "calibrate/gpu_name.h"
#include <stdio.h>
#include <string.h>
#include "base/base.h"

enum { WORDS = 12, LETTERS = 24 };

typedef struct words {
  char word[WORDS][LETTERS];
  size_t count;
} words;

static bool is_alphanumeric(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_number(const char *word)
{
  return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* "32gb" */
static bool is_memory(const char *word)
{
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && (strcmp(word + digits, "gb") == 0 || strcmp(word + digits, "g") == 0);
}

static bool is_noise(const char *word)
{
  static const char *const noise[] = {"nvidia", "tesla", "geforce", "gtx",  "amd",   "radeon", "instinct", "gpu",
                                      "graphics", "hbm", "hbm2", "hbm2e", "hbm3", "hbm3e", "the", "one", "of"};
  for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
    if (strcmp(word, noise[i]) == 0) return true;
  return false;
}

static void add_word(words *w, const char *word)
{
  bool unit = strcmp(word, "gb") == 0 && w->count > 0 && is_number(w->word[w->count - 1]);
  if (unit) strcat(w->word[w->count - 1], "gb"); /* "80 GB" */
  else if (!is_noise(word) && w->count < WORDS) strcpy(w->word[w->count++], word);
}

static words words_of(const char *name)
{
  words w;
  memset(&w, 0, sizeof w);
  while (*name != '\0') {
    char word[LETTERS - 2] = "";
    size_t length = 0;
    for (; is_alphanumeric(*name); name++)
      if (length + 1 < sizeof word) word[length++] = lower(*name);
    if (length > 0) add_word(&w, word);
    while (*name != '\0' && !is_alphanumeric(*name)) name++;
  }
  return w;
}

static words without_memory(const words *from)
{
  words w;
  memset(&w, 0, sizeof w);
  for (size_t i = 0; i < from->count; i++)
    if (!is_memory(from->word[i])) strcpy(w.word[w.count++], from->word[i]);
  return w;
}

static bool same_words(const words *a, const words *b)
{
  bool same = a->count == b->count;
  for (size_t i = 0; i < a->count && same; i++) {
    same = false;
    for (size_t j = 0; j < b->count && !same; j++) same = strcmp(a->word[i], b->word[j]) == 0;
  }
  return same;
}

/* In the order that they have. */
static const char *as_it_stands(const pm_catalog *catalog, const words *w, const char *memory)
{
  char name[WORDS * LETTERS + LETTERS] = "";
  for (size_t i = 0; i < w->count; i++) {
    if (i > 0) strcat(name, "-");
    strcat(name, w->word[i]);
  }
  if (memory[0] != '\0') snprintf(name + strlen(name), LETTERS, "-%.8sgb", memory);
  return w->count > 0 ? pm_catalog_resolve(catalog, "gpu", name, NULL) : NULL;
}

/* In any order, among ids, names and aliases. */
static const char *in_any_order(const pm_catalog *catalog, const words *w, bool memory)
{
  const char *id, *name;
  for (size_t i = 0; w->count > 0 && (id = pm_catalog_id(catalog, "gpu", i)) != NULL; i++)
    for (size_t j = 0; (name = pm_catalog_name(catalog, "gpu", id, j)) != NULL; j++) {
      words other = words_of(name);
      if (!memory) other = without_memory(&other);
      if (same_words(w, &other)) return id;
    }
  return NULL;
}

const char *pm__gpu_of_name(const pm_catalog *catalog, const char *name, const char *memory)
{
  words all = words_of(name), plain = without_memory(&all), sized = plain;
  const char *id = NULL;
  char size[LETTERS];
  if (memory[0] != '\0' && strlen(memory) < 8 && sized.count < WORDS) {
    id = as_it_stands(catalog, &plain, memory);
    snprintf(size, sizeof size, "%sgb", memory);
    strcpy(sized.word[sized.count++], size);
    if (id == NULL) id = in_any_order(catalog, &sized, true);
  }
  if (id == NULL) id = pm_catalog_resolve(catalog, "gpu", name, NULL);
  if (id == NULL) id = as_it_stands(catalog, &all, "");
  if (id == NULL) id = in_any_order(catalog, &all, true);
  if (id == NULL) id = as_it_stands(catalog, &plain, "");
  return id != NULL ? id : in_any_order(catalog, &plain, false);
}
