/* UTF-8: where characters end. */
#include "report/table_data.h"

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
