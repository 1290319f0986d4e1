/* Texts: names compared as people write them, their distance in letters, and strings that grow. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

static bool parts_names(char c)
{
  return c == ' ' || c == '-' || c == '_' || c == '.' || c == '/';
}

/* ASCII only, so no locale is asked. */
char pm__name_next(pm__name_reader *reader)
{
  const char *p = reader->at;
  while (parts_names(*p)) p++;
  bool gap = p != reader->at, digit = *p >= '0' && *p <= '9', parted = gap && digit && reader->digit;
  reader->at = parted || *p == '\0' ? p : p + 1;
  reader->digit = digit && !parted;
  if (parted) return '.';
  return *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
}

bool pm__list_has_part(const char *list, const char *word, size_t length)
{
  for (const char *p = list; *p != '\0';) {
    const char *begin = p;
    while (*p != '\0' && *p != ' ') p++;
    if (length > 0 && (size_t)(p - begin) == length && memcmp(begin, word, length) == 0) return true;
    p += *p == ' ';
  }
  return false;
}

bool pm__list_has(const char *list, const char *word)
{
  return pm__list_has_part(list, word, strlen(word));
}

bool pm__same_name(const char *a, const char *b)
{
  pm__name_reader first = {a, false}, second = {b, false};
  for (;;) {
    char x = pm__name_next(&first), y = pm__name_next(&second);
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

bool pm__name_begins_with(const char *name, const char *text)
{
  pm__name_reader whole = {name, false}, start = {text, false};
  for (char c; (c = pm__name_next(&start)) != '\0';)
    if (pm__name_next(&whole) != c) return false;
  return true;
}

static int smallest(int a, int b, int c)
{
  int least = a < b ? a : b;
  return least < c ? least : c;
}

enum { LONGEST = 80 }; /* more letters of a name are not compared */

static int letters_of(const char *name, char letters[LONGEST])
{
  int count = 0;
  pm__name_reader reader = {name, false};
  while (count < LONGEST && (letters[count] = pm__name_next(&reader)) != '\0') count++;
  return count;
}

/* Letters that are changed, left out, put in, or swapped with the next. Three rows of the table are kept; what follows
** two rows beyond `most` is beyond it too. */
int pm__name_distance(const char *a, const char *b, int most)
{
  char x[LONGEST], y[LONGEST];
  int n = letters_of(a, x), m = letters_of(b, y), rows[3][LONGEST + 1], last = 0;
  if (abs(n - m) > most) return most + 1;
  for (int j = 0; j <= m; j++) rows[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3], least = row[0] = i;
    for (int j = 1; j <= m; j++) {
      row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x[i - 1] != y[j - 1]));
      bool swapped = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
      if (row[j] < least) least = row[j];
    }
    if (least > most && last > most) return most + 1;
    last = least;
  }
  int edits = rows[n % 3][m];
  return edits < most + 1 ? edits : most + 1;
}

bool pm__name_nearest_take(pm__name_nearest *nearest, const char *name)
{
  int apart = pm__name_distance(name, nearest->written, nearest->least - 1);
  if (apart >= nearest->least) return false;
  nearest->least = apart;
  nearest->name = name;
  return true;
}

const char *pm__text_find(const char *text, size_t length, const char *word)
{
  size_t letters = strlen(word);
  for (const char *end = text + length; (size_t)(end - text) >= letters; text++) {
    text = (const char *)memchr(text, word[0], (size_t)(end - text) - letters + 1);
    if (text == NULL) return NULL;
    if (memcmp(text, word, letters) == 0) return text;
  }
  return NULL;
}

bool pm__text_set(char *text, size_t size, const char *value)
{
  size_t length = strlen(value);
  if (length >= size) return false;
  memset(text, 0, size); /* records are compared and hashed as bytes */
  memcpy(text, value, length);
  return true;
}

void pm__string_add_bytes(pm__string *string, const char *bytes, size_t length)
{
  if (string->failed) return;
  while (string->capacity - string->length <= length) {
    size_t wanted = string->capacity == 0 ? 256 : string->capacity * 2;
    char *larger = wanted > string->capacity ? (char *)realloc(string->text, wanted) : NULL;
    if (larger == NULL) {
      string->failed = true;
      return;
    }
    string->text = larger;
    string->capacity = wanted;
  }
  memcpy(string->text + string->length, bytes, length);
  string->length += length;
  string->text[string->length] = '\0';
}

void pm__string_add(pm__string *string, const char *text)
{
  pm__string_add_bytes(string, text, strlen(text));
}

void pm__string_format(pm__string *string, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text) string->failed = true;
  else pm__string_add_bytes(string, text, (size_t)length);
}

int pm__whole_at(const char *text, int most, const char **end)
{
  const char *p = text;
  int value = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    value = value > most || value > (INT_MAX - 9) / 10 ? INT_MAX : value * 10 + (*p - '0');
  if (end != NULL) *end = p;
  return p > text && value <= most ? value : -1;
}

char *pm__text_copy(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = (char *)malloc(size);
  return copy != NULL ? (char *)memcpy(copy, text, size) : NULL;
}

const char *pm__text_behind_mark(const char *text)
{
  return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}
