/* Arrow streams, read back by the rules of the C data interface. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/arrow.h"
#include "fixtures.h"

typedef struct sample {
  char name[PM_TEXT_MAX];
  int32_t count;
  double speed;
  int32_t colour, ready;
} sample;

static const pm_choice colours[] = {{.name = "red", .doc = ""}, {.name = "green", .doc = ""}, {.name = NULL}};
static const pm_choice no_yes[] = {{.name = "no", .doc = ""}, {.name = "yes", .doc = ""}, {.name = NULL}};
static const pm_field fields[] = {
  {"name", "", "who", offsetof(sample, name), .kind = PM_FIELD_TEXT},
  {"count", "1", "how many", offsetof(sample, count), .kind = PM_FIELD_INT},
  {"speed", "B/s", "how fast", offsetof(sample, speed), .kind = PM_FIELD_REAL},
  {"colour", "", "which", offsetof(sample, colour), .kind = PM_FIELD_CHOICE, .choices = colours},
  {"ready", "", "whether", offsetof(sample, ready), .kind = PM_FIELD_CHOICE, .choices = no_yes},
};
static const pm_record_type sample_type = {"sample", "", sizeof(sample), fields, sizeof fields / sizeof fields[0]};

enum { ROWS = 9 };

static pm_table *sample_table(size_t rows)
{
  sample samples[ROWS];
  memset(samples, 0, sizeof samples);
  for (int i = 0; i < ROWS; i++) {
    strcpy(samples[i].name, i == 1 ? "gr\xc3\xbc\xc3\x9f" : i == 2 ? "bad\xff" : i == 3 ? "" : "plain");
    samples[i].count = i - 4;
    samples[i].speed = i == 5 ? (double)NAN : i == 6 ? (double)INFINITY : 1.5 * i;
    samples[i].colour = i % 2;
    samples[i].ready = i == 8;
  }
  pm_table *table = pm_table_new(rows, NULL);
  ck_assert_int_eq(pm_table_add_records(table, &sample_type, samples, NULL), PM_OK);
  return table;
}

/* A stream of that many equal tables, which are gone before it is read. */
static struct ArrowArrayStream stream_of(size_t tables, size_t rows)
{
  pm_table *parts[4];
  struct ArrowArrayStream stream;
  pm_error error = PM_ERROR_NONE;
  for (size_t i = 0; i < tables; i++) parts[i] = sample_table(rows);
  ck_assert_int_eq(pm_table_export_arrow((const pm_table *const *)parts, tables, &stream, &error), PM_OK);
  for (size_t i = 0; i < tables; i++) pm_table_free(parts[i]);
  return stream;
}

static void ck_bytes(const char **at, const char *wanted)
{
  int32_t length;
  memcpy(&length, *at, sizeof length);
  ck_assert_int_eq(length, (int32_t)strlen(wanted));
  ck_assert_int_eq(memcmp(*at + sizeof length, wanted, (size_t)length), 0);
  *at += sizeof length + (size_t)length;
}

START_TEST(the_schema_says_types_and_meanings)
{
  static const char *const formats[] = {"u", "l", "g", "u", "b"};
  static const char *const titles[] = {"name", "count", "speed [B/s]", "colour", "ready"};
  struct ArrowArrayStream stream = stream_of(1, ROWS);
  struct ArrowSchema schema;
  for (int again = 0; again < 2; again++) {
    ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
    ck_assert_str_eq(schema.format, "+s");
    ck_assert_int_eq(schema.n_children, 5);
    for (int i = 0; i < 5; i++) {
      ck_assert_str_eq(schema.children[i]->format, formats[i]);
      ck_assert_str_eq(schema.children[i]->name, titles[i]);
      ck_assert(schema.children[i]->flags & ARROW_FLAG_NULLABLE);
    }
    const char *metadata = schema.children[2]->metadata + sizeof(int32_t);
    static const char *const words[] = {"name", "speed", "unit", "B/s", "doc", "how fast"};
    for (int i = 0; i < 6; i++) ck_bytes(&metadata, words[i]);
    schema.release(&schema);
    ck_assert(schema.release == NULL);
  }
  stream.release(&stream);
}
END_TEST

static bool bit(const void *bits, int index)
{
  return (((const unsigned char *)bits)[index / 8] >> index % 8 & 1) != 0;
}

static void ck_text(const struct ArrowArray *array, int row, const char *wanted)
{
  const int32_t *ends = (const int32_t *)array->buffers[1];
  ck_assert_int_eq(ends[row + 1] - ends[row], (int32_t)strlen(wanted));
  ck_assert_int_eq(memcmp((const char *)array->buffers[2] + ends[row], wanted, strlen(wanted)), 0);
}

START_TEST(cells_come_through)
{
  struct ArrowArrayStream stream = stream_of(1, ROWS);
  struct ArrowArray array;
  ck_assert_int_eq(stream.get_next(&stream, &array), 0);
  ck_assert_int_eq(array.length, ROWS);
  const struct ArrowArray *name = array.children[0], *speed = array.children[2], *ready = array.children[4];
  ck_text(name, 0, "plain");
  ck_text(name, 1, "gr\xc3\xbc\xc3\x9f");
  ck_text(name, 2, "bad\xef\xbf\xbd");
  ck_text(name, 3, "");
  ck_text(array.children[3], 1, "green");
  for (int i = 0; i < ROWS; i++) {
    ck_assert_int_eq(((const int64_t *)array.children[1]->buffers[1])[i], i - 4);
    ck_assert(bit(speed->buffers[0], i) == (i != 5) && bit(ready->buffers[1], i) == (i == 8));
    if (i < 5) ck_assert(((const double *)speed->buffers[1])[i] == 1.5 * i);
  }
  ck_assert(speed->null_count == 1 && isinf(((const double *)speed->buffers[1])[6]));
  ck_assert(array.children[1]->null_count == 0 && array.children[1]->buffers[0] == NULL);
  array.release(&array);
  stream.release(&stream);
}
END_TEST

/* A consumer may move a child out, and release it after all others. */
START_TEST(children_may_be_moved_out)
{
  struct ArrowArrayStream stream = stream_of(1, ROWS);
  struct ArrowArray array, child;
  ck_assert_int_eq(stream.get_next(&stream, &array), 0);
  child = *array.children[2];
  array.children[2]->release = NULL;
  array.release(&array);
  stream.release(&stream);
  ck_assert(((const double *)child.buffers[1])[2] == 3);
  child.release(&child);
  ck_assert(child.release == NULL);
}
END_TEST

START_TEST(tables_follow_each_other)
{
  struct ArrowArrayStream stream = stream_of(3, ROWS);
  struct ArrowArray array;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(stream.get_next(&stream, &array), 0);
    ck_assert_int_eq(array.length, ROWS);
    array.release(&array);
  }
  stream.release(&stream); /* the third was never taken */
  stream = stream_of(1, 0);
  ck_assert_int_eq(stream.get_next(&stream, &array), 0);
  ck_assert(array.length == 0 && array.release != NULL);
  array.release(&array);
  ck_assert_int_eq(stream.get_next(&stream, &array), 0);
  ck_assert(array.release == NULL); /* the end */
  stream.release(&stream);
}
END_TEST

START_TEST(what_makes_no_stream_is_refused)
{
  pm_table *table = sample_table(ROWS), *other = sample_table(ROWS);
  const pm_table *both[] = {table, other}, *hole[] = {table, NULL};
  struct ArrowArrayStream stream;
  pm_error error = PM_ERROR_NONE;
  pm_table_drop(other, "speed");
  ck_assert_int_eq(pm_table_export_arrow(both, 2, &stream, &error), PM_STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(error.text, "table 2 does not have the columns of the first");
  ck_assert_int_eq(pm_table_export_arrow(both, 0, &stream, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_export_arrow(hole, 2, &stream, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_export_arrow(NULL, 1, &stream, NULL), PM_STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(pm_table_export_arrow(both, 1, NULL, NULL), PM_STATUS_BAD_ARGUMENT);
  pm_table_free(table);
  pm_table_free(other);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("arrow");
  TCase *tests = tcase_create("arrow");
  tcase_add_test(tests, the_schema_says_types_and_meanings);
  tcase_add_test(tests, cells_come_through);
  tcase_add_test(tests, children_may_be_moved_out);
  tcase_add_test(tests, tables_follow_each_other);
  tcase_add_test(tests, what_makes_no_stream_is_refused);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
