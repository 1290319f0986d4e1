/* Scans the bytes of an XML file for what libxml2 would take too long to refuse. */
#include "catalog/xml_bytes.h"
#include <string.h>

enum { ATTRIBUTES_MAX = 64, NAME_MAX_BYTES = 64, ELEMENTS_MAX = 200000 };

static const size_t size_max = (size_t)64 << 20;

/* ---- Characters: UTF-8 without zeros, so that the message is the same whatever libxml2 is installed. */

/* Length of the UTF-8 character at `p`, 0 if it is none. */
static size_t character_length(const unsigned char *p, size_t left)
{
  size_t length = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (length > left) return 0;
  for (size_t i = 1; i < length; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if (length == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))) return 0;
  if (length == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))) return 0;
  return length;
}

static int check_characters(const char *bytes, size_t size, const char *file, pm_error *error)
{
  int line = 1;
  if (size == 0) return pm__fail_at(error, PM_STATUS_BAD_FILE, file, 0, "the file is empty");
  if (size > size_max) return pm__fail_at(error, PM_STATUS_BAD_FILE, file, 0, "the file is too large");
  const unsigned char *p = (const unsigned char *)bytes, *end = p + size;
  while (p < end) {
    size_t length = character_length(p, (size_t)(end - p));
    if (*p == 0) return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, file, line,
                                    "a zero byte; save the file as UTF-8 text");
    if (length == 0)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, file, line,
                         "byte 0x%02x is not UTF-8; save the file as UTF-8 text", *p);
    line += *p == '\n';
    p += length;
  }
  return PM_OK;
}

/* ---- Tags: their names and the '=' of their attributes are counted, and nothing is understood. */

typedef struct scan {
  const char *at, *end, *file;
  int line, depth, elements;
  pm_error *error;
} scan;

static void step(scan *s, const char *to)
{
  for (; s->at < to; s->at++) s->line += *s->at == '\n';
}

static bool begins(const scan *s, const char *with)
{
  size_t length = strlen(with);
  return (size_t)(s->end - s->at) >= length && memcmp(s->at, with, length) == 0;
}

/* Behind the next `mark`, or at the end. */
static void step_behind(scan *s, const char *mark)
{
  while (s->at < s->end && !begins(s, mark)) step(s, s->at + 1);
  step(s, s->end - s->at > (ptrdiff_t)strlen(mark) ? s->at + strlen(mark) : s->end);
}

static bool ends_name(char c)
{
  return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int refuse(const scan *s, int line, const char *what, const char *name, size_t length)
{
  return pm__fail_at(s->error, PM_STATUS_BAD_SYNTAX, s->file, line, "%s \"%.*s\"", what,
                     (int)(length < 80 ? length : 80),
                     name);
}

/* Behind the tag, or at its end; counts its attributes. */
static int count_attributes(scan *s)
{
  int count = 0;
  for (char quote = '\0'; s->at < s->end; step(s, s->at + 1)) {
    if (quote != '\0') quote = *s->at == quote ? '\0' : quote;
    else if (*s->at == '"' || *s->at == '\'') quote = *s->at;
    else if (*s->at == '>') break;
    else count += *s->at == '=';
  }
  return count;
}

static int check_start(scan *s)
{
  const char *name = ++s->at;
  const int line = s->line;
  while (s->at < s->end && !ends_name(*s->at)) s->at++;
  size_t length = (size_t)(s->at - name);
  if (s->depth == PM__XML_DEPTH_MAX) return refuse(s, line, "elements are nested more than 32 deep at", name, length);
  if (++s->elements > ELEMENTS_MAX)
    return pm__fail_at(s->error, PM_STATUS_BAD_SYNTAX, s->file, line, "more than 200000 elements");
  if (length > NAME_MAX_BYTES) return refuse(s, line, "too long a name", name, length);
  if (count_attributes(s) > ATTRIBUTES_MAX) return refuse(s, line, "more than 64 attributes in", name, length);
  s->depth += s->at < s->end && s->at[-1] != '/';
  return PM_OK;
}

/* At a '<'. A DOCTYPE, which is refused where libxml2 comes to it, ends the scan. */
static int check_markup(scan *s)
{
  if (begins(s, "<!--")) return step_behind(s, "-->"), PM_OK;
  if (begins(s, "<![CDATA[")) return step_behind(s, "]]>"), PM_OK;
  if (begins(s, "<?")) return step_behind(s, "?>"), PM_OK;
  if (begins(s, "<!")) return step(s, s->end), PM_OK;
  if (!begins(s, "</")) return check_start(s);
  s->depth--;
  return step_behind(s, ">"), PM_OK;
}

static int check_tags(const char *bytes, size_t size, const char *file, pm_error *error)
{
  scan s = {.at = bytes, .end = bytes + size, .file = file, .line = 1, .error = error};
  int status = PM_OK;
  while (status == PM_OK && s.at < s.end) {
    const char *tag = (const char *)memchr(s.at, '<', (size_t)(s.end - s.at));
    step(&s, tag != NULL ? tag : s.end);
    if (tag != NULL) status = check_markup(&s);
  }
  return status;
}

int pm__xml_check_bytes(const char *bytes, size_t size, const char *file, pm_error *error)
{
  int status = check_characters(bytes, size, file, error);
  return status == PM_OK ? check_tags(bytes, size, file, error) : status;
}
