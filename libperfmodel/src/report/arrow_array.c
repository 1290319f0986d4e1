/* The cells of a table as an Arrow array: one child per column. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/arrow.h"

enum { VALIDITY, VALUES, TEXTS, BUFFERS }; /* of a column; of a text VALUES are where each text begins and ends */

/* What an array's private_data is. */
typedef struct holder {
  const void *buffers[BUFFERS];
} holder;

static void release_array(struct ArrowArray *array)
{
  holder *h = (holder *)array->private_data;
  for (int64_t i = 0; i < array->n_children; i++) {
    struct ArrowArray *child = array->children[i];
    if (child != NULL && child->release != NULL) child->release(child);
    free(child);
  }
  for (int i = 0; i < BUFFERS; i++) free((void *)h->buffers[i]);
  free(array->children);
  free(h);
  array->release = NULL;
}

static bool start_array(struct ArrowArray *out, size_t rows, int buffers)
{
  holder *h = (holder *)calloc(1, sizeof *h);
  memset(out, 0, sizeof *out);
  if (h == NULL) return false;
  out->length = (int64_t)rows;
  out->n_buffers = buffers;
  out->buffers = h->buffers;
  out->private_data = h;
  out->release = release_array;
  return true;
}

/* A buffer of its own, zeroed, of at least one byte. */
static void *new_buffer(struct ArrowArray *array, int which, size_t count, size_t size)
{
  void *buffer = calloc(count > 0 ? count : 1, size);
  array->buffers[which] = buffer;
  return buffer;
}

static void set_bit(void *bits, size_t index)
{
  ((unsigned char *)bits)[index / 8] |= (unsigned char)(1u << index % 8);
}

/* A bit for every known number; none are needed where all are known. */
static bool mark_unknown(struct ArrowArray *out, const double *numbers, size_t rows)
{
  void *bits = new_buffer(out, VALIDITY, rows / 8 + 1, 1);
  for (size_t i = 0; bits != NULL && i < rows; i++) {
    if (isnan(numbers[i])) out->null_count++;
    else set_bit(bits, i);
  }
  if (out->null_count > 0 || bits == NULL) return bits != NULL;
  free(bits);
  out->buffers[VALIDITY] = NULL;
  return true;
}

static bool fill_reals(struct ArrowArray *out, const double *numbers, size_t rows)
{
  double *values = (double *)new_buffer(out, VALUES, rows, sizeof *values);
  if (values != NULL && rows > 0) memcpy(values, numbers, rows * sizeof *values);
  return values != NULL && mark_unknown(out, numbers, rows);
}

static bool fill_integers(struct ArrowArray *out, const double *numbers, size_t rows)
{
  int64_t *values = (int64_t *)new_buffer(out, VALUES, rows, sizeof *values);
  for (size_t i = 0; values != NULL && i < rows; i++) values[i] = isnan(numbers[i]) ? 0 : (int64_t)numbers[i];
  return values != NULL && mark_unknown(out, numbers, rows);
}

static bool fill_truths(struct ArrowArray *out, const double *numbers, size_t rows)
{
  void *bits = new_buffer(out, VALUES, rows / 8 + 1, 1);
  for (size_t i = 0; bits != NULL && i < rows; i++)
    if (numbers[i] != 0) set_bit(bits, i);
  return bits != NULL;
}

/* Bytes that are not UTF-8 are replaced, as in JSON. */
static bool fill_texts(struct ArrowArray *out, const pm__column *column, size_t rows)
{
  pm__string all = {NULL, 0, 0, false};
  int32_t *ends = (int32_t *)new_buffer(out, VALUES, rows + 1, sizeof *ends);
  pm__string_add(&all, "");
  for (size_t i = 0; ends != NULL && i < rows && !all.failed && all.length <= INT32_MAX; i++) {
    pm__utf8_add(&all, pm__column_word(column, i));
    ends[i + 1] = (int32_t)all.length;
  }
  out->buffers[TEXTS] = all.text;
  return ends != NULL && !all.failed && all.length <= INT32_MAX;
}

static bool fill_column(struct ArrowArray *out, const pm__column *column, size_t rows)
{
  pm__arrow_type type = pm__arrow_type_of(column);
  if (!start_array(out, rows, type == PM__ARROW_TEXT ? BUFFERS : TEXTS)) return false;
  switch (type) {
  case PM__ARROW_BOOL: return fill_truths(out, column->numbers, rows);
  case PM__ARROW_TEXT: return fill_texts(out, column, rows);
  case PM__ARROW_INT: return fill_integers(out, column->numbers, rows);
  case PM__ARROW_REAL: break;
  }
  return fill_reals(out, column->numbers, rows);
}

bool pm__arrow_array(const pm_table *table, struct ArrowArray *out)
{
  bool good = start_array(out, table->rows, 1);
  if (good) out->children = (struct ArrowArray **)calloc(table->count + 1, sizeof *out->children);
  good = good && out->children != NULL;
  if (good) out->n_children = (int64_t)table->count;
  for (size_t i = 0; i < table->count && good; i++) {
    out->children[i] = (struct ArrowArray *)calloc(1, sizeof **out->children);
    good = out->children[i] != NULL && fill_column(out->children[i], &table->columns[i], table->rows);
  }
  if (!good && out->release != NULL) out->release(out);
  return good;
}
