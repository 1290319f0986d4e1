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

/* A condition has some bytes of its text: they end where the next alternative begins. */
typedef struct piece {
  const char *text;
  size_t length;
} piece;

static piece trimmed(piece p)
{
  while (p.length > 0 && *p.text == ' ') p.text++, p.length--;
  while (p.length > 0 && p.text[p.length - 1] == ' ') p.length--;
  return p;
}

static bool bytes_in(piece bytes, const char *text)
{
  if (bytes.length == 0) return true;
  for (const char *p = strchr(text, bytes.text[0]); p != NULL; p = strchr(p + 1, bytes.text[0]))
    if (strncmp(p, bytes.text, bytes.length) == 0) return true;
  return false;
}

/* A quick look: what splitting joins or parts, it does between letters and digits, so that the first run of either in
** the alternative has to be in the text. */
static bool may_hold(piece alternative, const char *text)
{
  const char *run = alternative.text, *end = alternative.text + alternative.length;
  while (run < end && !is_letter(lower(*run))) run++;
  size_t length = 0;
  while (run + length < end && is_letter(lower(run[length])) && is_digit(run[length]) == is_digit(*run)) length++;
  if (length == 0) return true;
  for (; *text != '\0'; text++) {
    size_t same = 0;
    while (same < length && lower(text[same]) == lower(run[same])) same++;
    if (same == length) return true;
  }
  return false;
}

static bool alternative_holds(piece alternative, const char *text)
{
  pm__words wanted, found;
  char copy[PM__WORDS_BYTES];
  alternative = trimmed(alternative);
  if (alternative.length > 0 && alternative.text[0] == '!')
    return !alternative_holds((piece){alternative.text + 1, alternative.length - 1}, text);
  if (alternative.length == 1 && alternative.text[0] == '-') return text[0] == '\0';
  if (alternative.length > 2 && alternative.text[0] == '"' && alternative.text[alternative.length - 1] == '"')
    return bytes_in((piece){alternative.text + 1, alternative.length - 2}, text);
  if (!may_hold(alternative, text)) return false;
  snprintf(copy, sizeof copy, "%.*s", (int)alternative.length, alternative.text);
  pm__words_split(&wanted, copy);
  pm__words_split(&found, text);
  return pm__words_within(&wanted, &found);
}

bool pm__words_hold(const char *condition, const char *text)
{
  if (condition[0] == '\0') return true;
  while (true) {
    piece alternative = {condition, strcspn(condition, "|")};
    if (alternative_holds(alternative, text)) return true;
    if (condition[alternative.length] == '\0') return false;
    condition += alternative.length + 1;
  }
}
