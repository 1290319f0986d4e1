/* The forms in which people write several GPUs of one kind. */
#include <string.h>
#include "catalog/word_parts.h"

static const char digits[] = "0123456789";

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_times(char c)
{
  return c == 'x' || c == 'X' || c == '*';
}

static pm__catalog_part part(const char *from, const char *to)
{
  while (from < to && *from == ' ') from++;
  while (to > from && to[-1] == ' ') to--;
  return (pm__catalog_part){from, (int)(to - from)};
}

/* "8xH100", "8 x H100", "8*h100" */
static bool split_count_first(const char *name, const char *end, pm__catalog_parts *parts)
{
  const char *count = name + strspn(name, digits), *times = count + strspn(count, " ");
  if (count == name || times >= end || !is_times(*times)) return false;
  parts->count = part(name, count);
  parts->gpu = part(times + 1, end);
  return true;
}

/* "h100x8", "H100 x 8" */
static bool split_count_last(const char *name, const char *end, pm__catalog_parts *parts)
{
  const char *count = end;
  while (count > name && is_digit(count[-1])) count--;
  const char *times = count;
  while (times > name && times[-1] == ' ') times--;
  if (count == end || times == name || !is_times(times[-1])) return false;
  parts->count = part(count, end);
  parts->gpu = part(name, times - 1);
  return true;
}

/* "h100*8", whatever stands behind the star: it is told if it is no number. */
static bool split_at_star(const char *name, const char *end, pm__catalog_parts *parts)
{
  const char *star = (const char *)memchr(name, '*', (size_t)(end - name));
  if (star == NULL) return false;
  parts->gpu = part(name, star);
  parts->count = part(star + 1, end);
  return true;
}

static bool is_number(pm__catalog_part text)
{
  return text.length > 0 && (int)strspn(text.text, digits) == text.length;
}

/* "gpu:h100" is a GPU, where a system may be called so too. */
static const char *behind_kind(const char *name)
{
  static const char kind[] = "gpu:";
  return strncmp(name, kind, strlen(kind)) == 0 ? name + strlen(kind) : name;
}

bool pm__catalog_split(const char *name, pm__catalog_parts *parts)
{
  name = behind_kind(name);
  const char *plus = strchr(name, '+'), *end = plus != NULL ? plus : name + strlen(name);
  const char *colon = (const char *)memchr(name, ':', (size_t)(end - name)), *node = colon != NULL ? colon : end;
  *parts = (pm__catalog_parts){part(name, node), {node, 0}, {end, 0}, plus != NULL ? plus + 1 : NULL};
  bool counted = split_count_first(name, node, parts) || split_count_last(name, node, parts) ||
                 split_at_star(name, node, parts);
  if (colon == NULL) return counted;
  pm__catalog_part rest = part(colon + 1, end);
  if (!counted && is_number(rest)) parts->count = rest;
  else parts->topology = rest;
  return true;
}
