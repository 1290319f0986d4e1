/* Tables as an Arrow stream: everything is copied when the stream is made, and handed out batch by batch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report/arrow.h"

typedef struct batches {
  struct ArrowSchema schema;
  struct ArrowArray *arrays;
  size_t count, next;
} batches;

static void free_batches(batches *b)
{
  if (b == NULL) return;
  if (b->schema.release != NULL) b->schema.release(&b->schema);
  for (size_t i = 0; b->arrays != NULL && i < b->count; i++)
    if (b->arrays[i].release != NULL) b->arrays[i].release(&b->arrays[i]);
  free(b->arrays);
  free(b);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
  const batches *b = (const batches *)stream->private_data;
  return pm__arrow_copy_schema(&b->schema, out) ? 0 : ENOMEM;
}

/* Moves the next array out; a released one is the end. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
  batches *b = (batches *)stream->private_data;
  memset(out, 0, sizeof *out);
  if (b->next == b->count) return 0;
  *out = b->arrays[b->next];
  b->arrays[b->next++].release = NULL;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
  (void)stream;
  return "out of memory"; /* all that can go wrong once the stream is made */
}

static void release_stream(struct ArrowArrayStream *stream)
{
  free_batches((batches *)stream->private_data);
  stream->private_data = NULL;
  stream->release = NULL;
}

static bool same_columns(const pm_table *a, const pm_table *b)
{
  bool same = a->count == b->count;
  for (size_t i = 0; i < a->count && same; i++)
    same = strcmp(a->columns[i].column.name, b->columns[i].column.name) == 0 &&
           strcmp(a->columns[i].column.unit, b->columns[i].column.unit) == 0 &&
           pm__arrow_type_of(&a->columns[i]) == pm__arrow_type_of(&b->columns[i]);
  return same;
}

static int check(const pm_table *const *tables, size_t count, const struct ArrowArrayStream *stream, pm_error *error)
{
  bool whole = tables != NULL && count > 0 && stream != NULL;
  for (size_t i = 0; whole && i < count; i++) whole = tables[i] != NULL;
  if (!whole) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an Arrow stream needs tables and a place");
  for (size_t i = 1; i < count; i++)
    if (!same_columns(tables[0], tables[i]))
      return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "table %zu does not have the columns of the first", i + 1);
  return PM_OK;
}

int pm_table_export_arrow(const pm_table *const *tables, size_t count, struct ArrowArrayStream *stream, pm_error *error)
{
  int status = check(tables, count, stream, error);
  if (status != PM_OK) return status;
  batches *b = (batches *)calloc(1, sizeof *b);
  bool good = b != NULL;
  if (good) b->arrays = (struct ArrowArray *)calloc(count, sizeof *b->arrays);
  good = good && b->arrays != NULL && pm__arrow_schema(tables[0], &b->schema);
  for (size_t i = 0; i < count && good; i++) {
    good = pm__arrow_array(tables[i], &b->arrays[i]);
    b->count += good;
  }
  if (!good) {
    free_batches(b);
    return pm__no_memory(error);
  }
  *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, b};
  return PM_OK;
}
