/* The compiled catalogue: every entry is what its file says, to the line. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/shipped.h"
#include "fixtures.h"

static void same_attributes(const pm__document_attribute *a, const pm__document_attribute *b)
{
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    ck_assert_str_eq(a->name, b->name);
    ck_assert_str_eq(a->value, b->value);
  }
  ck_assert(a == NULL && b == NULL);
}

static void same_element(const pm__element *a, const pm__element *b)
{
  ck_assert_str_eq(a->name, b->name);
  ck_assert_str_eq(a->text, b->text);
  ck_assert_int_eq(a->line, b->line);
  same_attributes(a->attributes, b->attributes);
  const pm__element *x = a->child, *y = b->child;
  for (; x != NULL && y != NULL; x = x->next, y = y->next) same_element(x, y);
  ck_assert(x == NULL && y == NULL);
}

/* The blocks of the file, then the entry. */
static void same_document(const pm__entry *entry, const pm__document *file)
{
  const pm__element *ours = entry->document->root->child, *own = NULL;
  for (const pm__element *e = file->root->child; e != NULL; e = e->next) {
    if (strcmp(e->name, "block") == 0) {
      same_element(ours, e);
      ours = ours->next;
    }
    else if (e->line == entry->element->line) own = e;
  }
  ck_assert_ptr_nonnull(own);
  ck_assert_ptr_eq(ours, entry->element);
  same_element(entry->element, own);
}

START_TEST(entries_are_those_of_the_files)
{
  pm_catalog *catalog = pm_catalog_new(NULL);
  pm__documents read = {NULL, 0, 0};
  char path[1000];
  const pm__entry *entry;
  const char *file = "";
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < catalog->lists[kind].count; i++) {
      ck_assert_int_eq(pm__catalog_at(catalog, kind, i, &entry, NULL), PM_OK);
      if (strcmp(file, entry->document->file) != 0) {
        pm__documents_free(&read);
        snprintf(path, sizeof path, "%s/%s", PM_SOURCE_DIR, entry->document->file);
        ck_assert_int_eq(pm__documents_read(&read, path, NULL), PM_OK);
        file = entry->document->file;
      }
      same_document(entry, read.items[0]);
      ck_assert_str_eq(pm__shipped_name(kind, i, 1), entry->id);
    }
  pm__documents_free(&read);
  pm_catalog_free(catalog);
}
END_TEST

/* The table of names as it is compiled, and as it is made again with a file of the user on top. */
START_TEST(shipped_names_are_found_below_own_ones)
{
  static const char own[] = "<perfmodel version=\"1\"><source id=\"own\" name=\"Own measurements\"/></perfmodel>";
  pm_catalog *catalog = pm_catalog_new(NULL), *plain = pm_catalog_new(NULL);
  pm__documents documents = {NULL, 0, 0};
  pm__documents_add(&documents, pm__document_read(own, strlen(own), "own.xml", NULL), NULL);
  ck_assert_int_eq(pm__catalog_merge(catalog, &documents, NULL), PM_OK);
  const char *text;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < plain->lists[kind].count; i++)
      for (size_t which = 1; (text = pm__shipped_name(kind, i, which)) != NULL; which++) {
        if (text[0] == '\0') continue;
        const pm__names_place *before = pm__names_find(plain, kind, text), *after = pm__names_find(catalog, kind, text);
        ck_assert_msg(before != NULL && after != NULL && before->position == i && after->position == i, "%s", text);
      }
  pm_catalog_free(catalog);
  pm_catalog_free(plain);
}
END_TEST

/* All threads open all entries of a catalogue that nobody has asked before: whoever comes first, they get the same. */
enum { THREADS = 4 };

typedef struct opener {
  const pm_catalog *catalog;
  uintptr_t sum;
  int failures;
} opener;

static void *open_all(void *argument)
{
  opener *o = (opener *)argument;
  for (int kind = 0; kind < PM__KINDS; kind++)
    for (size_t i = 0; i < o->catalog->lists[kind].count; i++) {
      const pm__entry *entry;
      o->failures += pm__catalog_at(o->catalog, kind, i, &entry, NULL) != PM_OK;
      o->sum = o->sum * 31 + (uintptr_t)entry;
    }
  return NULL;
}

START_TEST(threads_get_the_same_entries)
{
  pthread_t threads[THREADS];
  opener openers[THREADS];
  pm_catalog *catalog = pm_catalog_new(NULL);
  for (int i = 0; i < THREADS; i++) {
    openers[i] = (opener){catalog, 0, 0};
    ck_assert_int_eq(pthread_create(&threads[i], NULL, open_all, &openers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) ck_assert(openers[i].failures == 0 && openers[i].sum == openers[0].sum);
  pm_catalog_free(catalog);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("shipped");
  TCase *tests = tcase_create("shipped");
  tcase_set_timeout(tests, 100);
  tcase_add_test(tests, entries_are_those_of_the_files);
  tcase_add_test(tests, shipped_names_are_found_below_own_ones);
  tcase_add_test(tests, threads_get_the_same_entries);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
