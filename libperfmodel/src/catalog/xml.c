/*
** XML text -> pm__document. The only file that knows libxml2, of which it uses the push parser with callbacks: one
** context and one error handler per document, nothing process-wide, no network, no DTD and so no entities.
*/
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>
#include "base/document.h"
#include "catalog/xml_bytes.h"

enum { DEPTH_MAX = PM__XML_DEPTH_MAX, VALUE_MAX = PM__VALUE_MAX };

static const char schema_namespace[] = "http://www.w3.org/2001/XMLSchema-instance";

#if LIBXML_VERSION >= 21200
typedef const xmlError xml_problem;
#else
typedef xmlError xml_problem;
#endif

/* An element whose end has not been read yet. */
typedef struct open_element {
  pm__element *element, *last_child;
  pm__string text;
} open_element;

typedef struct reader {
  xmlParserCtxtPtr parser;
  const char *bytes; /* all of the text */
  size_t size;
  pm__document *document;
  pm_error failure; /* of its own, since a caller may pass none */
  pm__element outside; /* whose child is the root */
  open_element open[DEPTH_MAX + 1]; /* the first is what is outside */
  int depth;
} reader;

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- Stopping: the first failure stays. */

static void stop(reader *r)
{
  if (r->parser != NULL) xmlStopParser(r->parser);
}

static void out_of_memory(reader *r)
{
  pm__no_memory(&r->failure);
  stop(r);
}

static void refuse(reader *r, int line, const char *what, const char *value)
{
  pm__fail_at(&r->failure, PM_STATUS_BAD_SYNTAX, r->document->file, line, "%.200s%s%.80s%s", what,
              value != NULL ? " \"" : "",
              value != NULL ? value : "", value != NULL ? "\"" : "");
  stop(r);
}

/* ---- Lines: libxml2 stands at the end of a start tag; the tag began at the last '<', which no attribute may hold. */

static int tag_line(const reader *r)
{
  const xmlParserInput *input = r->parser->input;
  int line = input->line;
  for (const xmlChar *p = input->cur; p > input->base && *p != '<'; p--) line -= p[-1] == '\n';
  return line;
}

/* Where libxml2 stands in the text: behind what it has read of a tag. */
static size_t place_of(const reader *r)
{
  const xmlParserInput *input = r->parser->input;
  return (size_t)input->consumed + (size_t)(input->cur - input->base);
}

/* The '<' of the tag that it stands in, which may be at the end of a text that was cut. */
static size_t tag_begin(const reader *r)
{
  size_t place = place_of(r);
  while (place > 0 && (place >= r->size || r->bytes[place] != '<')) place--;
  return place;
}

/* ---- Building the tree. */

static char *copy(reader *r, const xmlChar *text, size_t length)
{
  char *result = pm__arena_copy(&r->document->arena, (const char *)text, length);
  if (result == NULL) out_of_memory(r);
  return result;
}

/* "prefix:name", which then is an unknown name to whoever reads the tree. */
static char *qualified_name(reader *r, const xmlChar *prefix, const xmlChar *name)
{
  size_t before = prefix != NULL ? strlen((const char *)prefix) + 1 : 0, length = strlen((const char *)name);
  char *result = (char *)pm__arena_alloc(&r->document->arena, before + length + 1);
  if (result == NULL) {
    out_of_memory(r);
    return NULL;
  }
  if (before > 0) memcpy(result, prefix, before - 1);
  if (before > 0) result[before - 1] = ':';
  memcpy(result + before, name, length);
  return result;
}

/* Without substitution of entities libxml2 hands "&amp;" in an attribute over as "&#38;". */
static void restore_ampersands(char *value)
{
  char *to = value;
  for (const char *from = value; *from != '\0'; from++) {
    *to++ = *from;
    if (strncmp(from, "&#38;", 5) == 0) from += 4;
  }
  *to = '\0';
}

/* One attribute as libxml2 hands it over: local name, prefix, namespace, first byte of the value, its end. */
static pm__document_attribute *new_attribute(reader *r, const xmlChar **parts, int line)
{
  size_t length = (size_t)(parts[4] - parts[3]);
  if (length > VALUE_MAX) {
    refuse(r, line, "too long a value of attribute", (const char *)parts[0]);
    return NULL;
  }
  pm__document_attribute *attribute = (pm__document_attribute *)pm__arena_alloc(&r->document->arena, sizeof *attribute);
  if (attribute == NULL) {
    out_of_memory(r);
    return NULL;
  }
  attribute->name = qualified_name(r, parts[1], parts[0]);
  /* A failure stops the parser, and with it goes the memory that the value stands in. */
  char *value = attribute->name != NULL ? copy(r, parts[3], length) : NULL;
  if (value == NULL) return NULL;
  restore_ampersands(value);
  attribute->value = value;
  return attribute;
}

static void add_attributes(reader *r, pm__element *element, int count, const xmlChar **parts)
{
  pm__document_attribute *last = NULL;
  for (int i = 0; i < count && r->failure.status == PM_OK; i++, parts += 5) {
    /* The one foreign attribute that is of use: it tells an editor where the schema is. */
    if (parts[2] != NULL && strcmp((const char *)parts[2], schema_namespace) == 0) continue;
    pm__document_attribute *attribute = new_attribute(r, parts, element->line);
    if (attribute == NULL) return;
    if (last == NULL) element->attributes = attribute;
    else last->next = attribute;
    last = attribute;
  }
}

static void open_new(reader *r, pm__element *element)
{
  open_element *around = &r->open[r->depth++], *place = around + 1;
  if (around->last_child == NULL) around->element->child = element;
  else around->last_child->next = element;
  around->last_child = element;
  place->element = element;
  place->last_child = NULL;
  place->text.length = 0;
}

/* ---- What libxml2 calls, until it is stopped, for elements and within the root. */

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                     const xmlChar **namespace_list, int attributes, int defaulted, const xmlChar **attribute_list)
{
  reader *r = (reader *)context;
  (void)namespaces, (void)namespace_list, (void)defaulted;
  int line = tag_line(r);
  if (r->depth == DEPTH_MAX) {
    refuse(r, line, "elements are nested too deep at", (const char *)name);
    return;
  }
  if (uri != NULL && prefix == NULL) {
    refuse(r, line, "elements have no namespace here; leave out xmlns", (const char *)uri);
    return;
  }
  pm__element *element = (pm__element *)pm__arena_alloc(&r->document->arena, sizeof *element);
  if (element == NULL) {
    out_of_memory(r);
    return;
  }
  element->line = line;
  element->begin = tag_begin(r);
  element->text = "";
  element->name = qualified_name(r, prefix, name);
  add_attributes(r, element, attributes, attribute_list);
  if (r->failure.status == PM_OK) open_new(r, element);
}

static void on_text(void *context, const xmlChar *text, int length)
{
  reader *r = (reader *)context;
  open_element *place = &r->open[r->depth];
  while (place->text.length == 0 && length > 0 && is_space((char)*text)) text++, length--;
  if (length <= 0) return;
  if (place->text.length + (size_t)length > VALUE_MAX) {
    refuse(r, place->element->line, "too long a text in", place->element->name);
    return;
  }
  pm__string_add_bytes(&place->text, (const char *)text, (size_t)length);
  if (place->text.failed) out_of_memory(r);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  reader *r = (reader *)context;
  (void)name, (void)prefix, (void)uri;
  open_element *place = &r->open[r->depth--];
  size_t length = place->text.length;
  place->element->end = place_of(r);
  while (length > 0 && is_space(place->text.text[length - 1])) length--;
  if (length == 0) return;
  char *text = copy(r, (const xmlChar *)place->text.text, length);
  if (text != NULL) place->element->text = text;
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id)
{
  reader *r = (reader *)context;
  (void)name, (void)public_id, (void)system_id;
  refuse(r, r->parser->input->line, "a DOCTYPE is not allowed; leave it out", NULL);
}

static void on_problem(void *context, xml_problem *problem)
{
  reader *r = (reader *)context;
  if (problem->level < XML_ERR_ERROR || r->failure.status != PM_OK) return;
  if (problem->code == XML_ERR_NO_MEMORY || problem->message == NULL) { /* memory for the message is missing too */
    out_of_memory(r);
    return;
  }
  const char *text = problem->message;
  pm__fail_at(&r->failure, PM_STATUS_BAD_SYNTAX, r->document->file, problem->line, "%.*s", (int)strcspn(text, "\n"),
              text);
  stop(r);
}

/* ---- One document. */

static pm__document *new_document(const char *file)
{
  pm__document *document = (pm__document *)calloc(1, sizeof *document);
  if (document == NULL) return NULL;
  document->file = pm__arena_copy(&document->arena, file, strlen(file));
  if (document->file != NULL) return document;
  pm__document_free(document);
  return NULL;
}

/* What goes wrong before there is a context libxml2 prints, unless the thread says otherwise: it does while we
** parse. */
typedef struct handler {
  xmlStructuredErrorFunc function;
  void *context;
} handler;

static void say_nothing(void *context, xml_problem *problem)
{
  (void)context, (void)problem;
}

static handler silence(void)
{
  handler before = {xmlStructuredError, xmlStructuredErrorContext};
  xmlSetStructuredErrorFunc(NULL, say_nothing);
  return before;
}

static xmlParserCtxtPtr new_parser(reader *r)
{
  xmlSAXHandler calls;
  memset(&calls, 0, sizeof calls);
  calls.initialized = XML_SAX2_MAGIC;
  calls.startElementNs = on_start;
  calls.endElementNs = on_end;
  calls.characters = on_text;
  calls.cdataBlock = on_text;
  calls.internalSubset = on_doctype;
  calls.serror = on_problem;
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&calls, r, NULL, 0, NULL);
  const int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC;
  if (parser == NULL) return NULL;
#if LIBXML_VERSION >= 21300
  xmlCtxtSetOptions(parser, options);
#else
  xmlCtxtUseOptions(parser, options);
#endif
  return parser;
}

static void parse(reader *r, const char *bytes, size_t size)
{
  r->bytes = bytes;
  r->size = size;
  r->parser = new_parser(r);
  if (r->parser == NULL) {
    out_of_memory(r);
    return;
  }
  r->open[0].element = &r->outside;
  int code = xmlParseChunk(r->parser, bytes, (int)size, 1);
  if (r->failure.status == PM_OK && code != 0) out_of_memory(r); /* for the text; libxml2 2.9 calls nothing then */
  r->document->root = r->outside.child;
  xmlFreeParserCtxt(r->parser);
  r->parser = NULL;
}

pm__document *pm__document_read(const char *bytes, size_t size, const char *file, pm_error *error)
{
  if (pm__xml_check_bytes(bytes, size, file, error) != PM_OK) return NULL;
  reader *r = (reader *)calloc(1, sizeof *r);
  if (r != NULL) r->document = new_document(file);
  if (r == NULL || r->document == NULL) {
    free(r);
    pm__no_memory(error);
    return NULL;
  }
  handler before = silence();
  parse(r, bytes, size);
  xmlSetStructuredErrorFunc(before.context, before.function);
  pm__document *document = r->document;
  if (r->failure.status != PM_OK) {
    pm__error_take(error, &r->failure);
    pm__document_free(document);
    document = NULL;
  }
  for (int i = 0; i <= DEPTH_MAX; i++) free(r->open[i].text.text);
  free(r);
  return document;
}
