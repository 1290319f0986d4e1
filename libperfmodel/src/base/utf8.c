/* UTF-8: where characters end, which of them nobody is to see, and what XML has for them. */
#include <string.h>
#include "base/base.h"

static bool is_tail(unsigned char c)
{
  return (c & 0xc0) == 0x80;
}

/* Refuses what a lenient decoder would let through: overlong forms, surrogates, and numbers beyond U+10FFFF. */
size_t pm__utf8_length(const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] == 0) return 0;
  if (c[0] < 0x80) return 1;
  if (c[0] < 0xc2 || c[0] > 0xf4 || !is_tail(c[1])) return 0;
  if (c[0] < 0xe0) return 2;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || !is_tail(c[2])) return 0;
  if (c[0] < 0xf0) return 3;
  if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) || !is_tail(c[3])) return 0;
  return 4;
}

unsigned pm__utf8_code(const char *text)
{
  size_t length = pm__utf8_length(text);
  const unsigned char *c = (const unsigned char *)text;
  if (length < 2) return c[0];
  unsigned code = c[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) code = code << 6 | (c[i] & 0x3fu);
  return code;
}

/* C0, delete and C1; marks that turn the direction of what follows; separators of lines and paragraphs; what has no
** width, so that two names look like one. */
bool pm__utf8_is_control(const char *text)
{
  static const struct {
    unsigned first, last;
  } ranges[] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e}, {0x200b, 0x200f},
                {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  unsigned code = pm__utf8_code(text);
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && code >= ranges[i].first; i++)
    if (code <= ranges[i].last) return true;
  return false;
}

/* What is shown of the character at `text`, and its bytes; *next is the one behind it. */
static const char *shown(const char *text, size_t *length, const char **next)
{
  *length = pm__utf8_length(text);
  *next = text + (*length == 0 ? 1 : *length);
  const char *instead = *text == '\t' || *text == '\n' || *text == '\r' ? " "
                        : *length == 0 || pm__utf8_is_control(text) ? "?" : NULL;
  if (instead != NULL) *length = 1;
  return instead != NULL ? instead : text;
}

const char *pm__utf8_add_clean(pm__string *out, const char *text)
{
  size_t length;
  const char *next, *as = shown(text, &length, &next);
  pm__string_add_bytes(out, as, length);
  return next;
}

char *pm_text_clean(char *text)
{
  size_t length;
  char *to = text;
  for (const char *at = text, *next; *at != '\0'; at = next, to += length) {
    const char *as = shown(at, &length, &next);
    memmove(to, as, length);
  }
  *to = '\0';
  return text;
}

void pm__utf8_add(pm__string *out, const char *text)
{
  while (*text != '\0') {
    size_t good = 0, length;
    while ((length = pm__utf8_length(text + good)) > 0) good += length;
    pm__string_add_bytes(out, text, good);
    text += good;
    if (*text == '\0') return;
    pm__string_add(out, "\xef\xbf\xbd");
    text++;
  }
}

/* A control as a reference, so that no terminal obeys it and a reader has it back; XML has none for most of C0. */
static void add_control(pm__string *string, const char *text)
{
  unsigned code = pm__utf8_code(text);
  if (code < ' ' && strchr("\t\n\r", (int)code) == NULL) pm__string_add(string, "_");
  else pm__string_format(string, "&#%u;", code);
}

void pm__string_add_escaped(pm__string *string, const char *text)
{
  for (size_t length; *text != '\0'; text += length) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;" : NULL;
    length = pm__utf8_length(text);
    bool control = length > 0 && pm__utf8_is_control(text);
    if (length == 0) length = 1;
    if (escape != NULL) pm__string_add(string, escape);
    else if (control) add_control(string, text);
    else pm__string_add_bytes(string, text, length);
  }
}
