/* Splits what people write, such as names of cards, into words that can be compared. */
#include <stdio.h>
#include <string.h>
#include "base/words.h"

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

static bool all_digits(const char *word)
{
  return *word != '\0' && strspn(word, "0123456789") == strlen(word);
}

/* "80" "gb" -> "80gb", "16g" -> "16gb": `end` is where the next word would begin. */
static size_t join_size(pm__words *words, size_t end)
{
  char *last = words->text + (words->word[words->count - 1] - words->text);
  size_t digits = strspn(last, "0123456789");
  if (digits > 0 && strcmp(last + digits, "g") == 0) {
    memcpy(last + digits, "gb", sizeof "gb");
    return end + 1;
  }
  if (words->count < 2 || (strcmp(last, "gb") != 0 && strcmp(last, "g") != 0)) return end;
  char *before = words->text + (words->word[words->count - 2] - words->text);
  if (!all_digits(before)) return end;
  memcpy(before + strlen(before), "gb", sizeof "gb");
  words->count--;
  return (size_t)(before - words->text) + strlen(before) + 1;
}

/* Where the last word, "rtx4090" or "2080ti", has another one behind its first part; 0: nowhere. */
static size_t part_of_card(const char *word)
{
  bool line = strncmp(word, "rtx", 3) == 0 || strncmp(word, "gtx", 3) == 0;
  size_t digits = strspn(word, "0123456789");
  if (line && is_digit(word[3])) return 3;
  return digits > 2 && (strcmp(word + digits, "ti") == 0 || strcmp(word + digits, "super") == 0) ? digits : 0;
}

/* Names of cards as people write them, without blanks: each part becomes a word. */
static size_t split_card(pm__words *words, size_t end)
{
  while (words->count < PM__WORDS_MOST && end + 4 < PM__WORDS_BYTES) {
    char *last = words->text + (words->word[words->count - 1] - words->text);
    size_t part = part_of_card(last);
    if (part == 0) break;
    memmove(last + part + 1, last + part, strlen(last + part) + 1);
    last[part] = '\0';
    words->word[words->count++] = last + part + 1;
    end++;
  }
  return end;
}

void pm__words_split(pm__words *words, const char *text)
{
  size_t end = 0;
  words->count = 0;
  while (*text != '\0' && words->count < PM__WORDS_MOST) {
    size_t start = end;
    while (is_letter(lower(*text)) && end + 4 < PM__WORDS_BYTES) words->text[end++] = lower(*text++);
    if (end == start) {
      if (end + 4 >= PM__WORDS_BYTES) return;
      text++;
      continue;
    }
    words->text[end++] = '\0';
    words->word[words->count++] = words->text + start;
    end = join_size(words, split_card(words, end));
  }
}

bool pm__word_is_memory(const char *word)
{
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && strcmp(word + digits, "gb") == 0;
}

bool pm__words_have(const pm__words *words, const char *word)
{
  for (size_t i = 0; i < words->count; i++)
    if (strcmp(words->word[i], word) == 0) return true;
  return false;
}

bool pm__words_within(const pm__words *some, const pm__words *all)
{
  for (size_t i = 0; i < some->count; i++)
    if (!pm__words_have(all, some->word[i])) return false;
  return true;
}

static bool is_quoted(const char *text)
{
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') length--;
  return length > 2 && text[0] == '"' && text[length - 1] == '"';
}

static bool quoted_in(const char *quoted, const char *text)
{
  char inside[PM__WORDS_BYTES];
  snprintf(inside, sizeof inside, "%s", quoted + 1);
  *strrchr(inside, '"') = '\0';
  return strstr(text, inside) != NULL;
}

static bool alternative_holds(const char *alternative, const char *text)
{
  pm__words wanted, found;
  while (*alternative == ' ') alternative++;
  if (*alternative == '!') return !alternative_holds(alternative + 1, text);
  if (strncmp(alternative, "-", 1) == 0 && strspn(alternative + 1, " ") == strlen(alternative + 1))
    return text[0] == '\0';
  if (is_quoted(alternative)) return quoted_in(alternative, text);
  pm__words_split(&wanted, alternative);
  pm__words_split(&found, text);
  return pm__words_within(&wanted, &found);
}

bool pm__words_hold(const char *condition, const char *text)
{
  if (condition[0] == '\0') return true;
  while (true) {
    char alternative[PM__WORDS_BYTES];
    size_t length = strcspn(condition, "|");
    snprintf(alternative, sizeof alternative, "%.*s", (int)length, condition);
    if (alternative_holds(alternative, text)) return true;
    if (condition[length] == '\0') return false;
    condition += length + 1;
  }
}
