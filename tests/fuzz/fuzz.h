/* What the targets share. */
#ifndef PM_TESTS_FUZZ_H
#define PM_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel.h"

/* One input: any bytes. Must return; what must hold of it is a reason to abort. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void must(bool holds)
{
  if (!holds) abort();
}

/* The bytes as a text, which a zero byte ends. To be freed. */
static inline char *text_of(const uint8_t *bytes, size_t size)
{
  char *text = (char *)malloc(size + 1);
  must(text != NULL);
  if (size > 0) memcpy(text, bytes, size);
  text[size] = '\0';
  return text;
}

/* The rest of a text behind its first line, which is ended. */
static inline char *behind_first_line(char *text)
{
  char *end = strchr(text, '\n');
  if (end == NULL) return text + strlen(text);
  *end = '\0';
  return end + 1;
}

/* Either it worked, or there is an error of one line. */
static inline void must_be_said(bool worked, const pm_error *error)
{
  bool said = error->status != PM_OK && error->text[0] != '\0' && strchr(error->text, '\n') == NULL;
  if (worked ? error->status == PM_OK : said) return;
  fprintf(stderr, "%s, and the error is %d \"%s\"\n", worked ? "it worked" : "it failed", error->status, error->text);
  abort();
}

/* The shipped catalogue, made once. */
static inline pm_catalog *shipped(void)
{
  static pm_catalog *catalog;
  if (catalog == NULL) catalog = pm_catalog_new(NULL);
  must(catalog != NULL);
  return catalog;
}

#endif
