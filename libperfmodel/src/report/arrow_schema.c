/* Names, types and meanings of a table's columns as an Arrow schema. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/arrow.h"

pm__arrow_type pm__arrow_type_of(const pm__column *column)
{
  if (pm__column_is_yes_no(column)) return PM__ARROW_BOOL;
  if (pm__column_is_text(column)) return PM__ARROW_TEXT;
  return column->column.kind == PM_FIELD_INT ? PM__ARROW_INT : PM__ARROW_REAL;
}

/* Name and metadata share one block, which is private_data. */
static void release_schema(struct ArrowSchema *schema)
{
  for (int64_t i = 0; i < schema->n_children; i++) {
    struct ArrowSchema *child = schema->children[i];
    if (child != NULL && child->release != NULL) child->release(child);
    free(child);
  }
  free(schema->children);
  free(schema->private_data);
  schema->release = NULL;
}

/* Bytes of metadata: a number of pairs, then each text behind its length. */
static size_t metadata_size(const char *metadata)
{
  int32_t pairs, length;
  size_t size = sizeof pairs;
  if (metadata == NULL) return 0;
  memcpy(&pairs, metadata, sizeof pairs);
  for (int32_t i = 0; i < 2 * pairs; i++) {
    memcpy(&length, metadata + size, sizeof length);
    size += sizeof length + (size_t)length;
  }
  return size;
}

static void add_number(pm__string *out, size_t number)
{
  int32_t value = (int32_t)number;
  pm__string_add_bytes(out, (const char *)&value, sizeof value);
}

static void add_pair(pm__string *out, const char *key, const char *value)
{
  add_number(out, strlen(key));
  pm__string_add(out, key);
  add_number(out, strlen(value));
  pm__string_add(out, value);
}

/* A schema without children. `format` is a constant; name and metadata are copied. */
static bool start_schema(struct ArrowSchema *out, const char *format, const char *name, const char *metadata)
{
  size_t name_size = strlen(name) + 1, size = metadata_size(metadata);
  char *block = (char *)malloc(name_size + size);
  memset(out, 0, sizeof *out);
  if (block == NULL) return false;
  memcpy(block, name, name_size);
  if (size > 0) memcpy(block + name_size, metadata, size);
  out->format = format;
  out->name = block;
  out->metadata = size > 0 ? block + name_size : NULL;
  out->flags = ARROW_FLAG_NULLABLE;
  out->release = release_schema;
  out->private_data = block;
  return true;
}

/* Room for children, all NULL. */
static bool add_children(struct ArrowSchema *schema, size_t count)
{
  schema->children = (struct ArrowSchema **)calloc(count + 1, sizeof *schema->children);
  schema->n_children = schema->children != NULL ? (int64_t)count : 0;
  return schema->children != NULL;
}

static bool start_child(struct ArrowSchema *parent, size_t index, const char *format, const char *name,
                        const char *metadata)
{
  struct ArrowSchema *child = (struct ArrowSchema *)calloc(1, sizeof *child);
  parent->children[index] = child;
  return child != NULL && start_schema(child, format, name, metadata);
}

static bool add_column(struct ArrowSchema *parent, size_t index, const pm__column *column)
{
  static const char *const formats[] = {"g", "l", "b", "u"}; /* in the order of pm__arrow_type */
  pm__string title = {NULL, 0, 0, false}, metadata = {NULL, 0, 0, false};
  pm__column_title(&title, column);
  add_number(&metadata, 3);
  add_pair(&metadata, "name", column->column.name);
  add_pair(&metadata, "unit", column->column.unit);
  add_pair(&metadata, "doc", column->column.doc);
  bool good = !title.failed && !metadata.failed &&
              start_child(parent, index, formats[pm__arrow_type_of(column)], title.text, metadata.text);
  pm_string_free(title.text);
  pm_string_free(metadata.text);
  return good;
}

static bool finish_schema(bool good, struct ArrowSchema *schema)
{
  if (!good && schema->release != NULL) schema->release(schema);
  return good;
}

bool pm__arrow_schema(const pm_table *table, struct ArrowSchema *out)
{
  bool good = start_schema(out, "+s", "", NULL);
  out->flags = 0;
  good = good && add_children(out, table->count);
  for (size_t i = 0; i < table->count && good; i++) good = add_column(out, i, &table->columns[i]);
  return finish_schema(good, out);
}

bool pm__arrow_copy_schema(const struct ArrowSchema *schema, struct ArrowSchema *out)
{
  bool good = start_schema(out, schema->format, schema->name, NULL);
  out->flags = 0;
  good = good && add_children(out, (size_t)schema->n_children);
  for (int64_t i = 0; i < schema->n_children && good; i++) {
    const struct ArrowSchema *child = schema->children[i];
    good = start_child(out, (size_t)i, child->format, child->name, child->metadata);
  }
  return finish_schema(good, out);
}
