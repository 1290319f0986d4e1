/* Names of releases: NAME-RELEASE or NAME-RELEASE-VARIANT. "pytorch-2.4-nhwc" is release 2.4 of the family
** "pytorch-nhwc". */
#ifndef PM_CATALOG_RELEASE_H
#define PM_CATALOG_RELEASE_H

#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "perfmodel/record.h"

/* The parts of a name; -1: no release, or nothing after the dot. */
typedef struct pm__catalog_release {
  char family[PM_TEXT_MAX];
  int major, minor;
} pm__catalog_release;

static inline bool pm__is_release_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* The separator before the release, or the end. */
static inline size_t pm__release_find(const char *name)
{
  for (size_t i = 0; name[i] != '\0'; i++)
    if ((name[i] == '-' || name[i] == ' ') && i > 0 && pm__is_release_digit(name[i + 1])) return i;
  return strlen(name);
}

/* A number at *text, which is moved past it; numbers too large for a release are treated as equal. */
static inline int pm__release_number(const char **text)
{
  int value = 0;
  for (; pm__is_release_digit(**text); ++*text)
    if (value < 100000) value = 10 * value + (**text - '0');
  return value;
}

static inline pm__catalog_release pm__release_parts_of(const char *name)
{
  pm__catalog_release parts = {.major = -1, .minor = -1};
  size_t at = pm__release_find(name);
  const char *rest = name + at;
  if (*rest != '\0') {
    rest++;
    parts.major = pm__release_number(&rest);
    if (*rest == '.' && pm__is_release_digit(rest[1])) {
      rest++;
      parts.minor = pm__release_number(&rest);
    }
    rest += strspn(rest, ".0123456789");
  }
  snprintf(parts.family, sizeof parts.family, "%.*s%s", (int)at, name, rest);
  return parts;
}

static inline int pm__releases_compare(const pm__catalog_release *a, const pm__catalog_release *b)
{
  int first = a->minor > 0 ? a->minor : 0, second = b->minor > 0 ? b->minor : 0;
  return a->major != b->major ? a->major - b->major : first - second;
}

#endif
