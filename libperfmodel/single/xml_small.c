/*
** XML text -> pm__document without libxml2, for perfmodel.c, which has to compile alone: elements, attributes, text,
** CDATA, comments and the five entities, which is all that files of the catalogue may hold. catalog/xml_bytes.c has
** refused depth and counts before. A DOCTYPE is refused. scripts/single.sh compares it with libxml2.
*/
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "catalog/xml_bytes.h"

enum { DEPTH_MAX = PM__XML_DEPTH_MAX, VALUE_MAX = PM__VALUE_MAX, PREFIX_MAX = 32 };

static const char schema_namespace[] = "http://www.w3.org/2001/XMLSchema-instance";

/* An element whose end has not been read yet. */
typedef struct open_element {
  pm__element *element, *last_child;
  pm__document_attribute *last_attribute;
  pm__string text;
} open_element;

typedef struct reader {
  const char *bytes, *at, *end;
  int line;
  pm__document *document;
  pm_error failure;
  open_element open[DEPTH_MAX];
  int depth;
  char schema_prefix[PREFIX_MAX]; /* whose attributes are for editors */
  pm__string value;
} reader;

/* ---- Failures: the first stays. */

static bool fail(reader *r, int line, const char *what, const char *value)
{
  pm__fail_at(&r->failure, PM_STATUS_BAD_SYNTAX, r->document->file, line, "%.200s%s%.80s%s", what,
              value != NULL ? " \"" : "", value != NULL ? value : "", value != NULL ? "\"" : "");
  return false;
}

static bool out_of_memory(reader *r)
{
  pm__no_memory(&r->failure);
  return false;
}

/* ---- Characters. */

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-.:", c) != NULL ||
         (unsigned char)c >= 0x80;
}

static bool begins(const reader *r, const char *with)
{
  size_t length = strlen(with);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, with, length) == 0;
}

static void step(reader *r, const char *to)
{
  for (; r->at < to; r->at++) r->line += *r->at == '\n';
}

static void skip_spaces(reader *r)
{
  while (r->at < r->end && is_space(*r->at)) step(r, r->at + 1);
}

static bool expect(reader *r, char c, const char *what)
{
  if (r->at == r->end || *r->at != c) return fail(r, r->line, what, NULL);
  r->at++;
  return true;
}

/* Behind the next mark. */
static bool skip_behind(reader *r, const char *mark, const char *what)
{
  const int line = r->line;
  while (r->at < r->end && !begins(r, mark)) step(r, r->at + 1);
  if (r->at == r->end) return fail(r, line, what, NULL);
  step(r, r->at + strlen(mark));
  return true;
}

/* A name as a copy of the document; NULL with a failure. */
static const char *read_name(reader *r)
{
  const char *begin = r->at;
  while (r->at < r->end && is_name(*r->at)) r->at++;
  if (r->at == begin || strchr("-.0123456789:", *begin) != NULL)
    return fail(r, r->line, "a name is missing", NULL), NULL;
  const char *name = pm__arena_copy(&r->document->arena, begin, (size_t)(r->at - begin));
  if (name == NULL) out_of_memory(r);
  return name;
}

static void add_code(pm__string *to, unsigned code)
{
  char bytes[4];
  size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
  bytes[0] = (char)(length == 1 ? code : (0xf00u >> length & 0xf0) | code);
  pm__string_add_bytes(to, bytes, length);
}

static bool is_character(unsigned long code)
{
  return code == 9 || code == 10 || code == 13 || (code >= 32 && code < 0xd800) || (code > 0xdfff && code < 0xfffe) ||
         (code > 0xffff && code < 0x110000);
}

/* "&#65;" or "&#x41;" */
static bool add_number(reader *r, pm__string *to)
{
  const int base = r->at[2] == 'x' ? 16 : 10;
  const char *digits = r->at + (base == 16 ? 3 : 2);
  char *behind = NULL;
  unsigned long code = strchr("+- \t\n\r", *digits) == NULL ? strtoul(digits, &behind, base) : 0;
  if (!is_character(code) || *behind != ';') return fail(r, r->line, "no character has this number", NULL);
  add_code(to, (unsigned)code);
  r->at = behind + 1;
  return true;
}

static bool add_entity(reader *r, pm__string *to)
{
  static const struct { const char *name, *text; } known[] = {
    {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
  if (begins(r, "&#")) return add_number(r, to);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (begins(r, known[i].name)) {
      r->at += strlen(known[i].name);
      pm__string_add(to, known[i].text);
      return true;
    }
  return fail(r, r->line, "an entity that XML does not know; write &amp; for an ampersand", NULL);
}

/* One character of a value or of text, as it stands there; a line's end is one '\n'. */
static bool add_character(reader *r, pm__string *to, bool as_space)
{
  const char c = *r->at;
  if ((unsigned char)c < 32 && !is_space(c)) return fail(r, r->line, "a control character", NULL);
  if (!(c == '\r' && r->at + 1 < r->end && r->at[1] == '\n'))
    pm__string_add_bytes(to, is_space(c) && as_space ? " " : c == '\r' ? "\n" : &c, 1);
  step(r, r->at + 1);
  return true;
}

/* ---- Attributes. */

static bool read_value(reader *r, const char *name)
{
  const int line = r->line;
  const char quote = r->at < r->end ? *r->at : '\0';
  r->value.length = 0;
  pm__string_add(&r->value, "");
  if (quote != '"' && quote != '\'') return fail(r, line, "a value needs quotes: attribute", name);
  for (r->at++; r->at < r->end && *r->at != quote;) {
    if (*r->at == '<') return fail(r, r->line, "write &lt; in attribute", name);
    if (*r->at == '&' ? !add_entity(r, &r->value) : !add_character(r, &r->value, true)) return false;
  }
  if (r->value.failed) return out_of_memory(r);
  if (r->at == r->end) return fail(r, line, "no end of attribute", name);
  r->at++;
  return r->value.length <= VALUE_MAX || fail(r, line, "too long a value of attribute", name);
}

/* A namespace: none for elements, that of schemas for attributes that editors read. */
static bool take_namespace(reader *r, const char *name, int line)
{
  if (name[5] == '\0') return fail(r, line, "elements have no namespace here; leave out xmlns", r->value.text);
  if (strcmp(r->value.text, schema_namespace) == 0 && strlen(name + 6) < PREFIX_MAX - 1)
    strcat(strcpy(r->schema_prefix, name + 6), ":");
  return true;
}

static bool add_attribute(reader *r, open_element *open, const char *name, int line)
{
  if (pm__element_attribute(open->element, name) != NULL) return fail(r, line, "an attribute is there twice:", name);
  pm__document_attribute *attribute = (pm__document_attribute *)pm__arena_alloc(&r->document->arena, sizeof *attribute);
  const char *value = pm__arena_copy(&r->document->arena, r->value.text, r->value.length);
  if (attribute == NULL || value == NULL) return out_of_memory(r);
  attribute->name = name;
  attribute->value = value;
  if (open->last_attribute == NULL) open->element->attributes = attribute;
  else open->last_attribute->next = attribute;
  open->last_attribute = attribute;
  return true;
}

static bool read_attribute(reader *r, open_element *open)
{
  const int line = r->line;
  const char *name = read_name(r);
  if (name == NULL) return false;
  skip_spaces(r);
  if (!expect(r, '=', "an attribute has no value")) return false;
  skip_spaces(r);
  if (!read_value(r, name)) return false;
  if (strncmp(name, "xmlns", 5) == 0 && (name[5] == '\0' || name[5] == ':')) return take_namespace(r, name, line);
  if (*r->schema_prefix != '\0' && strncmp(name, r->schema_prefix, strlen(r->schema_prefix)) == 0) return true;
  return add_attribute(r, open, name, line);
}

/* ---- Elements. */

static open_element *open_new(reader *r)
{
  open_element *open = &r->open[r->depth], *above = r->depth > 0 ? open - 1 : NULL;
  open->element = (pm__element *)pm__arena_alloc(&r->document->arena, sizeof *open->element);
  if (open->element == NULL) return out_of_memory(r), NULL;
  open->last_child = NULL;
  open->last_attribute = NULL;
  open->text.length = 0;
  if (above == NULL) r->document->root = open->element;
  else if (above->last_child == NULL) above->element->child = open->element;
  else above->last_child->next = open->element;
  if (above != NULL) above->last_child = open->element;
  r->depth++;
  return open;
}

static bool close_last(reader *r)
{
  open_element *open = &r->open[--r->depth];
  size_t length = open->text.length;
  open->element->end = (size_t)(r->at - r->bytes);
  while (length > 0 && is_space(open->text.text[length - 1])) length--;
  open->element->text = length > 0 ? pm__arena_copy(&r->document->arena, open->text.text, length) : "";
  return open->element->text != NULL || out_of_memory(r);
}

static bool read_start(reader *r)
{
  const int line = r->line;
  const size_t begin = (size_t)(r->at++ - r->bytes);
  const char *name = read_name(r);
  if (name == NULL) return false;
  if (r->depth == 0 && r->document->root != NULL) return fail(r, line, "a second element outside the first:", name);
  if (r->depth == DEPTH_MAX) return fail(r, line, "elements are nested too deep at", name);
  open_element *open = open_new(r);
  if (open == NULL) return false;
  open->element->line = line;
  open->element->begin = begin;
  open->element->name = name;
  for (;;) {
    const bool space = r->at < r->end && is_space(*r->at);
    skip_spaces(r);
    if (begins(r, "/>")) return r->at += 2, close_last(r);
    if (begins(r, ">")) return r->at++, true;
    if (!space) return fail(r, line, "no end of tag", name);
    if (!read_attribute(r, open)) return false;
  }
}

static bool read_end(reader *r)
{
  const int line = r->line;
  r->at += 2;
  const char *name = read_name(r);
  if (name == NULL) return false;
  if (r->depth == 0 || strcmp(name, r->open[r->depth - 1].element->name) != 0)
    return fail(r, line, "the end of an element that is not open:", name);
  skip_spaces(r);
  return expect(r, '>', "no end of tag") && close_last(r);
}

/* ---- Text. */

static bool add_text(reader *r, bool plain)
{
  if (r->depth == 0 && !is_space(*r->at)) return fail(r, r->line, "text outside elements", NULL);
  if (r->depth == 0) return step(r, r->at + 1), true;
  open_element *open = &r->open[r->depth - 1];
  if (*r->at == '&' && !plain ? !add_entity(r, &open->text) : !add_character(r, &open->text, false)) return false;
  if (open->text.failed) return out_of_memory(r);
  if (open->text.length == 1 && is_space(open->text.text[0])) open->text.length = 0;
  return open->text.length <= VALUE_MAX || fail(r, open->element->line, "too long a text in", open->element->name);
}

static bool read_data(reader *r)
{
  const int line = r->line;
  for (r->at += strlen("<![CDATA["); r->at < r->end && !begins(r, "]]>");)
    if (!add_text(r, true)) return false;
  if (r->at == r->end) return fail(r, line, "no end of CDATA", NULL);
  r->at += strlen("]]>");
  return true;
}

static bool read_next(reader *r)
{
  if (begins(r, "<!--")) return skip_behind(r, "-->", "no end of a comment");
  if (begins(r, "<![CDATA[")) return read_data(r);
  if (begins(r, "<?")) return skip_behind(r, "?>", "no end of an instruction");
  if (begins(r, "<!")) return fail(r, r->line, "a DOCTYPE is not allowed; leave it out", NULL);
  if (begins(r, "</")) return read_end(r);
  return *r->at == '<' ? read_start(r) : add_text(r, false);
}

/* ---- One document. */

static void parse(reader *r)
{
  if (begins(r, "\xef\xbb\xbf")) r->at += 3;
  while (r->failure.status == PM_OK && r->at < r->end) read_next(r);
  if (r->failure.status != PM_OK) return;
  if (r->depth > 0) fail(r, r->line, "the file ends within element", r->open[r->depth - 1].element->name);
  else if (r->document->root == NULL) fail(r, r->line, "the file is not well-formed XML", NULL);
}

static pm__document *new_document(const char *file)
{
  pm__document *document = (pm__document *)calloc(1, sizeof *document);
  if (document == NULL) return NULL;
  document->file = pm__arena_copy(&document->arena, file, strlen(file));
  if (document->file != NULL) return document;
  pm__document_free(document);
  return NULL;
}

pm__document *pm__document_read(const char *bytes, size_t size, const char *file, pm_error *error)
{
  if (pm__xml_check_bytes(bytes, size, file, error) != PM_OK) return NULL;
  reader *r = (reader *)calloc(1, sizeof *r);
  pm__document *document = r != NULL ? new_document(file) : NULL;
  if (document == NULL) {
    free(r);
    pm__no_memory(error);
    return NULL;
  }
  r->document = document;
  r->bytes = r->at = bytes;
  r->end = bytes + size;
  r->line = 1;
  parse(r);
  if (r->failure.status != PM_OK) {
    if (error != NULL && error->status == PM_OK) *error = r->failure;
    pm__document_free(document);
    document = NULL;
  }
  for (int i = 0; i < DEPTH_MAX; i++) free(r->open[i].text.text);
  free(r->value.text);
  free(r);
  return document;
}
