/*
** Compiles the shipped catalogue: compile_catalog OUTPUT.c FILE.xml...
** The files are read and checked as a user's are, and written as the constants that src/catalog/shipped.h describes, in
** portable C. Linked with the library's own objects and with no_catalog.c instead of what it writes.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/shipped.h"

typedef struct compiler {
  const pm_catalog *catalog;
  uint32_t *texts; /* a hash table of places in `text`, plus 1 */
  size_t text_count;
  pm__string text, numbers;
  pm__shipped_entry *entries;
  uint32_t first[PM__KINDS + 1];
} compiler;

static void out_of_memory(void)
{
  fputs("compile_catalog: out of memory\n", stderr);
  exit(EXIT_FAILURE);
}

/* As pm__shipped_number reads it; returns where it begins. */
static uint32_t add_number(compiler *c, size_t number)
{
  size_t place = c->numbers.length;
  for (; number >= 128; number >>= 7) pm__string_add_bytes(&c->numbers, &(char){(char)(number | 128)}, 1);
  pm__string_add_bytes(&c->numbers, &(char){(char)number}, 1);
  if (c->numbers.failed) out_of_memory();
  return (uint32_t)place;
}

/* ---- Texts, each once. */

enum { TEXTS_MAX = 1 << 18 };

static uint32_t *text_place(const compiler *c, const char *text)
{
  uint32_t hash = 2166136261u;
  for (const char *p = text; *p != '\0'; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
  for (;; hash++) {
    uint32_t *place = &c->texts[hash % TEXTS_MAX];
    if (*place == 0 || strcmp(c->text.text + *place - 1, text) == 0) return place;
  }
}

static uint32_t add_text(compiler *c, const char *text)
{
  uint32_t *place = text_place(c, text);
  if (*place > 0) return *place - 1;
  *place = (uint32_t)c->text.length + 1;
  pm__string_add_bytes(&c->text, text, strlen(text) + 1);
  if (c->text.failed || ++c->text_count > TEXTS_MAX / 2) out_of_memory();
  return *place - 1;
}

/* ---- Trees. */

static uint32_t add_element(compiler *c, const pm__element *e)
{
  size_t attributes = 0, children = 0;
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next) attributes++;
  for (const pm__element *child = e->child; child != NULL; child = child->next) children++;
  uint32_t place = add_number(c, add_text(c, e->name));
  add_number(c, add_text(c, e->text));
  add_number(c, (size_t)e->line);
  add_number(c, attributes);
  add_number(c, children);
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next) {
    add_number(c, add_text(c, a->name));
    add_number(c, add_text(c, a->value));
  }
  for (const pm__element *child = e->child; child != NULL; child = child->next) add_element(c, child);
  return place;
}

static uint32_t add_names(compiler *c, const pm__entry *entry)
{
  const char *name;
  uint32_t place = add_number(c, entry->alias_count + 2);
  for (size_t which = 1; (name = pm__entry_name(entry, which)) != NULL; which++) add_number(c, add_text(c, name));
  return place;
}

/* The blocks of a document: their elements, then the list of them. */
static uint32_t add_blocks(compiler *c, const pm__document *document)
{
  enum { BLOCKS_MAX = 1000 };
  uint32_t blocks[BLOCKS_MAX];
  size_t count = 0;
  for (const pm__element *e = document->root->child; e != NULL && count < BLOCKS_MAX; e = e->next)
    if (strcmp(e->name, "block") == 0) blocks[count++] = add_element(c, e);
  uint32_t place = add_number(c, count);
  for (size_t i = 0; i < count; i++) add_number(c, blocks[i]);
  return place;
}

static pm__shipped_entry compile_entry(compiler *c, const pm__entry *entry, const uint32_t *blocks)
{
  size_t document = 0;
  while (c->catalog->documents.items[document] != entry->document) document++;
  return (pm__shipped_entry){.file = add_text(c, entry->document->file), .names = add_names(c, entry),
                             .blocks = blocks[document], .element = add_element(c, entry->element)};
}

static void compile_all(compiler *c)
{
  const pm_catalog *catalog = c->catalog;
  uint32_t count = 0;
  for (int kind = 0; kind < PM__KINDS; kind++) count += (uint32_t)catalog->lists[kind].count;
  uint32_t *blocks = (uint32_t *)calloc(catalog->documents.count + 1, sizeof *blocks);
  c->entries = (pm__shipped_entry *)calloc(count + 1, sizeof *c->entries);
  c->texts = (uint32_t *)calloc(TEXTS_MAX, sizeof *c->texts);
  if (blocks == NULL || c->entries == NULL || c->texts == NULL) out_of_memory();
  add_text(c, ""); /* which elements have most often: at 0 */
  for (size_t i = 0; i < catalog->documents.count; i++) blocks[i] = add_blocks(c, catalog->documents.items[i]);
  for (int kind = 0, i = 0; kind < PM__KINDS; kind++) {
    c->first[kind + 1] = c->first[kind] + (uint32_t)catalog->lists[kind].count;
    for (size_t at = 0; at < catalog->lists[kind].count; at++)
      c->entries[i++] = compile_entry(c, catalog->lists[kind].items[at], blocks);
  }
  free(blocks);
}

/* ---- Writing. */

enum { PER_LINE = 24 };

static void write_number(FILE *file, size_t i, unsigned number)
{
  fprintf(file, "%u,%c", number, i % PER_LINE == PER_LINE - 1 ? '\n' : ' ');
}

static void write_bytes(FILE *file, const char *name, const pm__string *bytes)
{
  fprintf(file, "const unsigned char %s[] = {\n", name);
  for (size_t i = 0; i < bytes->length; i++) write_number(file, i, (unsigned char)bytes->text[i]);
  fputs("};\n", file);
}

static void write_all(FILE *file, const compiler *c)
{
  const pm__names *names = &c->catalog->names;
  const uint32_t count = c->first[PM__KINDS];
  fputs("/* The shipped catalogue, written by compile_catalog. */\n#include \"catalog/shipped.h\"\n\n", file);
  write_bytes(file, "pm__shipped_text", &c->text);
  write_bytes(file, "pm__shipped_numbers", &c->numbers);
  fputs("const pm__shipped_entry pm__shipped_entries[] = {\n", file);
  for (size_t i = 0; i < count; i++)
    fprintf(file, "{%u, %u, %u, %u},\n", c->entries[i].file, c->entries[i].names, c->entries[i].blocks,
            c->entries[i].element);
  fputs("};\nconst uint32_t pm__shipped_first[PM__KINDS + 1] = {\n", file);
  for (size_t i = 0; i <= PM__KINDS; i++) write_number(file, i, c->first[i]);
  fputs("};\nconst pm__names_place pm__shipped_places[] = {\n", file);
  for (size_t i = 0; i < names->capacity; i++)
    fprintf(file, "{%u, %u, %u},\n", names->places[i].kind, names->places[i].which, names->places[i].position);
  fprintf(file, "};\nconst uint32_t pm__shipped_name_count = %zu, pm__shipped_name_capacity = %zu;\n", names->count,
          names->capacity);
}

static int write_file(const char *path, const compiler *c)
{
  FILE *file = fopen(path, "w");
  if (file == NULL) return -1;
  write_all(file, c);
  bool good = !ferror(file);
  return fclose(file) == 0 && good ? 0 : -1;
}

/* ---- The whole. */

static int read_files(pm_catalog *catalog, char *const *paths, pm_error *error)
{
  pm__documents documents = {NULL, 0, 0};
  int status = PM_OK;
  catalog->loads = -1; /* so that the files are load 0, as shipped entries are */
  for (; *paths != NULL && status == PM_OK; paths++) status = pm__documents_read(&documents, *paths, error);
  if (status == PM_OK) status = pm__catalog_merge(catalog, &documents, error);
  pm__documents_free(&documents);
  return status;
}

int main(int count, char **arguments)
{
  compiler c = {.catalog = NULL};
  pm_error error = PM_ERROR_NONE;
  pm_catalog *catalog = pm_catalog_new(&error);
  if (catalog == NULL || count < 2) out_of_memory();
  int status = read_files(catalog, arguments + 2, &error);
  if (status != PM_OK) fprintf(stderr, "%s\n", error.text);
  c.catalog = catalog;
  if (status == PM_OK) compile_all(&c);
  if (status == PM_OK && write_file(arguments[1], &c) != 0) {
    fprintf(stderr, "compile_catalog: cannot write %s\n", arguments[1]);
    status = PM_STATUS_BAD_FILE;
  }
  free(c.texts);
  free(c.text.text);
  free(c.numbers.text);
  free(c.entries);
  pm_catalog_free(catalog);
  return status == PM_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
