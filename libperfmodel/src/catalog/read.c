/* Entries from the elements of a document. What a field is called, and its unit, is all from the field tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"

static int fail(const pm__document *document, const pm__element *e, pm_error *error, const char *what,
                const char *value)
{
  return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, e->line, "<%s> %s \"%.80s\"", e->name, what, value);
}

/* ---- Attributes. */

static int check_attributes(const pm__document *document, const pm__element *e, const char *known, pm_error *error)
{
  for (const pm__document_attribute *a = e->attributes; a != NULL; a = a->next)
    if (!pm__list_has(known, a->name)) return fail(document, e, error, "has no attribute", a->name);
  return PM_OK;
}

static const char *attribute(const pm__element *e, const char *name, const char *otherwise)
{
  const char *value = pm__element_attribute(e, name);
  return value != NULL ? value : otherwise;
}

/* An id is also typed in shells and put in file names. */
static bool is_id(const char *id)
{
  for (const char *p = id; *p != '\0'; p++) {
    bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
    if (!letter && (p == id || strchr("-_.", *p) == NULL)) return false;
  }
  return id[0] != '\0' && strlen(id) < PM_TEXT_MAX;
}

static int check_id(const pm__document *document, const pm__element *e, pm_error *error)
{
  const char *id = pm__element_attribute(e, "id");
  if (id == NULL) return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, e->line, "<%s> needs an id", e->name);
  if (is_id(id)) return PM_OK;
  return pm__fail_at(error, PM_STATUS_BAD_VALUE, document->file, e->line,
                     "id \"%.80s\" is not made of letters, digits, '-', '_' and '.'", id);
}

/* "V100, Tesla V100" -> its parts. */
static int read_aliases(pm__document *document, pm__entry *entry, const char *text, pm_error *error)
{
  size_t most = 1;
  for (const char *p = text; *p != '\0'; p++) most += *p == ',';
  entry->aliases = (const char **)pm__arena_alloc(&document->arena, most * sizeof *entry->aliases);
  if (entry->aliases == NULL) return pm__no_memory(error);
  for (; *text != '\0'; text += *text == ',') {
    text += strspn(text, " ");
    size_t length = strcspn(text, ",");
    const char *next = text + length;
    while (length > 0 && text[length - 1] == ' ') length--;
    const char *alias = pm__arena_copy(&document->arena, text, length);
    if (alias == NULL) return pm__no_memory(error);
    if (!pm__is_name(alias)) return fail(document, entry->element, error, "has an empty name in its alias", entry->id);
    entry->aliases[entry->alias_count++] = alias;
    text = next;
  }
  return PM_OK;
}

/* ---- Fields. */

/* The field whose name is nearest, for "did you mean". */
static const char *nearest_field(const pm_record_type *type, const char *name)
{
  pm__name_nearest nearest = {.written = name, .least = 3};
  for (size_t i = 0; i < type->field_count; i++) pm__name_nearest_take(&nearest, type->fields[i].name);
  return nearest.name;
}

static int unknown_element(const pm__entry *entry, const pm__element *e, pm_error *error)
{
  const char *near = nearest_field(entry->type, e->name);
  if (near != NULL && strcmp(near, e->name) == 0)
    return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_SYNTAX,
                          "%s is an attribute of <%s>, not an element in it",
                          near, entry->element->name);
  return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_SYNTAX, "<%s> has no element <%.60s>%s%s%s",
                        entry->element->name,
                        e->name, near != NULL ? "; did you mean <" : "", near != NULL ? near : "",
                        near != NULL ? ">?" : "");
}

static int check_field_element(const pm__entry *entry, const pm__element *e, const pm__provenance *from,
                               pm_error *error)
{
  if (e->child != NULL)
    return pm__entry_fail(entry, e->child->line, error, PM_STATUS_BAD_SYNTAX, "<%s> does not belong in <%s>",
                          e->child->name,
                          e->name);
  if (from->line > 0)
    return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_SYNTAX, "%s is given twice (first in line %d)", e->name,
                          from->line);
  if (e->text[0] == '\0')
    return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_VALUE, "%s is empty; leave it out if it is unknown",
                          e->name);
  return check_attributes(entry->document, e, " source note origin fitted_to rows date ", error);
}

static int read_field(pm__entry *entry, const pm__element *e, pm_error *error)
{
  if (pm__kind_retired(entry->kind, e->name) != NULL) return PM_OK;
  const pm_field *field = pm_record_find_field(entry->type, e->name);
  if (field == NULL || strcmp(e->name, "id") == 0 || strcmp(e->name, "name") == 0)
    return unknown_element(entry, e, error);
  pm__provenance *from = &entry->from[field - entry->type->fields];
  int status = check_field_element(entry, e, from, error);
  if (status == PM_OK) status = pm_record_set(field, entry->record, e->text, error);
  if (status == PM_OK) status = pm__value_check(field, entry->record, e->text, error);
  if (status != PM_OK) {
    pm__error_place(error, entry->document->file, e->line);
    return status;
  }
  from->text = e->text;
  from->source = attribute(e, "source", entry->source);
  from->note = attribute(e, "note", "");
  from->line = e->line;
  return pm__provenance_read(entry, e, from, error);
}

/* A field that an entry has as an attribute: id and name. */
static int set_attribute_field(pm__entry *entry, const char *name, const char *value, pm_error *error)
{
  const pm_field *field = pm_record_find_field(entry->type, name);
  if (field == NULL) return PM_OK;
  pm__provenance *from = &entry->from[field - entry->type->fields];
  from->source = entry->source;
  from->note = from->origin = from->fitted_to = from->date = "";
  from->line = entry->element->line;
  int status = pm_record_set(field, entry->record, value, error);
  pm__error_place(error, entry->document->file, entry->element->line);
  return status;
}

/* What an entry has from another it need not state. */
static int check_required(const pm__entry *entry, pm_error *error)
{
  const pm__kind *kind = pm__kind_at((size_t)entry->kind);
  const bool like = pm__entry_child(entry, "like") != NULL;
  for (size_t i = 0; i < entry->type->field_count; i++)
    if (entry->from[i].line == 0 && pm__list_has(kind->required, entry->type->fields[i].name) &&
        !(like && !pm__list_has(kind->own, entry->type->fields[i].name)))
      return pm__entry_fail(entry, entry->element->line, error, PM_STATUS_BAD_VALUE, "%s \"%s\" has no %s",
                            kind->singular,
                            entry->id, entry->type->fields[i].name);
  return PM_OK;
}

/* Elements that a system has besides its fields; they are read when it is built. */
static bool is_part(const pm__entry *entry, const pm__element *e)
{
  return entry->kind == PM__SYSTEMS && (strcmp(e->name, "graph") == 0 || strcmp(e->name, "network") == 0);
}

static int check_part(const pm__entry *entry, const pm__element *e, pm_error *error)
{
  const pm__element *first = pm__entry_child(entry, e->name);
  if (first == e) return PM_OK;
  return pm__entry_fail(entry, e->line, error, PM_STATUS_BAD_SYNTAX, "<%s> is given twice (first in line %d)", e->name,
                        first->line);
}

static int read_record(pm__document *document, pm__entry *entry, pm_error *error)
{
  const size_t fields = entry->type->field_count;
  entry->record = pm__arena_alloc(&document->arena, entry->type->size);
  entry->from = (pm__provenance *)pm__arena_alloc(&document->arena, fields * sizeof *entry->from);
  if (entry->record == NULL || entry->from == NULL) return pm__no_memory(error);
  pm_record_clear(entry->type, entry->record);
  set_attribute_field(entry, "id", entry->id, error); /* which fits: is_id */
  int status = set_attribute_field(entry, "name", entry->name, error);
  for (const pm__element *e = entry->element->child; e != NULL && status == PM_OK; e = e->next)
    status = is_part(entry, e) ? check_part(entry, e, error) : read_field(entry, e, error);
  return status == PM_OK ? check_required(entry, error) : status;
}

/* ---- Entries. */

static int check_entry_element(const pm__document *document, const pm__element *e, const pm_record_type *type,
                               pm_error *error)
{
  bool network = strcmp(e->name, "network") == 0;
  const char *known = network ? " id name alias source note model weights expert_weights trainable "
                              : " id name alias source note ";
  int status = check_attributes(document, e, known, error);
  if (status == PM_OK) status = check_id(document, e, error);
  if (status != PM_OK) return status;
  if (e->text[0] != '\0') return fail(document, e, error, "holds unexpected text", e->text);
  const char *name = pm__element_attribute(e, "name");
  if (name == NULL && pm_record_find_field(type, "name") != NULL)
    return fail(document, e, error, "needs a name; its id is", attribute(e, "id", ""));
  if (name != NULL && !pm__is_name(name)) return fail(document, e, error, "has an empty name; its id is",
                                                      attribute(e, "id", ""));
  return PM_OK;
}

int pm__entry_read(pm__document *document, const pm__element *e, int kind, int load, pm__entry **out, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find(pm__kind_at((size_t)kind)->record);
  int status = check_entry_element(document, e, type, error);
  if (status != PM_OK) return status;
  pm__entry *entry = (pm__entry *)pm__arena_alloc(&document->arena, sizeof *entry);
  if (entry == NULL) return pm__no_memory(error);
  entry->kind = kind;
  entry->load = load;
  entry->document = document;
  entry->element = e;
  entry->type = type;
  entry->id = attribute(e, "id", "");
  entry->name = attribute(e, "name", "");
  entry->source = attribute(e, "source", "");
  entry->note = attribute(e, "note", "");
  status = read_aliases(document, entry, attribute(e, "alias", ""), error);
  if (status == PM_OK && kind != PM__NETWORKS) status = read_record(document, entry, error);
  if (status == PM_OK && kind == PM__GPUS) status = pm__entry_add_machine(document, entry, error);
  *out = entry;
  return status;
}

static int add_entry(pm__document *document, const pm__element *e, int kind, int load, pm__entries *entries,
                     pm_error *error)
{
  pm__entry *entry;
  int status = pm__entry_read(document, e, kind, load, &entry, error);
  return status == PM_OK ? pm__entries_add(entries, entry, error) : status;
}

/* ---- Blocks: only that they can be told apart; what they hold is read where they are used. */

enum { BLOCKS_MAX = 1000 }; /* each is compared with each */

static int check_block(const pm__document *document, const pm__element *block, pm_error *error)
{
  int before = 0;
  int status = check_attributes(document, block, " id name source note ", error);
  if (status == PM_OK) status = check_id(document, block, error);
  if (status != PM_OK) return status;
  if (block->text[0] != '\0') return fail(document, block, error, "holds unexpected text", block->text);
  for (const pm__element *e = document->root->child; e != block; e = e->next) {
    if (strcmp(e->name, "block") != 0) continue;
    if (++before == BLOCKS_MAX)
      return fail(document, block, error, "is one too many (1000 in a file):", attribute(block, "id", ""));
    if (strcmp(attribute(e, "id", ""), attribute(block, "id", "")) == 0)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, block->line,
                         "block \"%s\" already exists (line %d)",
                         attribute(block, "id", ""), e->line);
  }
  return PM_OK;
}

/* ---- Documents. */

static int check_root(const pm__document *document, pm_error *error)
{
  const pm__element *root = document->root;
  if (strcmp(root->name, "perfmodel") != 0)
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, root->line,
                       "the root element is <%.60s>; it must be <perfmodel version=\"1\">%s", root->name,
                       strcmp(root->name, "experiment") == 0 ? ": an experiment is run, perfmodel run FILE" : "");
  const char *version = pm__element_attribute(root, "version");
  if (version == NULL)
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, root->line,
                       "<perfmodel> has no version; write <perfmodel version=\"1\">");
  if (strcmp(version, "1") != 0)
    return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, root->line,
                       "version \"%.60s\" is not one that can be read; write version=\"1\"", version);
  if (root->text[0] != '\0') return fail(document, root, error, "holds unexpected text", root->text);
  return check_attributes(document, root, " version ", error);
}

static int unknown_entry(const pm__document *document, const pm__element *e, pm_error *error)
{
  char known[300] = "";
  const pm__kind *kind;
  for (size_t i = 0; (kind = pm__kind_at(i)) != NULL; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s, ", kind->singular);
  }
  return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, document->file, e->line,
                     "unknown element <%.40s>; it must be one of %sblock",
                     e->name, known);
}

int pm__entries_read(pm__document *document, int load, pm__entries *entries, pm_error *error)
{
  int status = check_root(document, error);
  for (const pm__element *e = document->root->child; e != NULL && status == PM_OK; e = e->next) {
    int kind = pm__kind_of_element(e->name);
    if (strcmp(e->name, "block") == 0) status = check_block(document, e, error);
    else if (kind >= 0) status = add_entry(document, e, kind, load, entries, error);
    else status = unknown_entry(document, e, error);
  }
  return status;
}
