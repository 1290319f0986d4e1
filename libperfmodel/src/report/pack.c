/*
** A table as one text, and back: what another process or a later one gets whole, with all that its writers need to show
** it as before. A text is its length, ':' and its bytes, one that is not there "-"; a number is the bits of its double
** in 16 hexadecimal digits, so that it comes back as it was.
*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/table_data.h"

static const char mark[] = "perfmodel table 1";

enum { DIGITS = 16 };

/* ---- Writing ---- */

static void pack_text(pm__string *out, const char *text)
{
  if (text == NULL) pm__string_add(out, "-");
  else pm__string_format(out, "%zu:", strlen(text));
  if (text != NULL) pm__string_add(out, text);
}

static void pack_number(pm__string *out, double number)
{
  char digits[DIGITS];
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  for (int i = DIGITS; i-- > 0; bits >>= 4) digits[i] = "0123456789abcdef"[bits & 15];
  pm__string_add_bytes(out, digits, DIGITS);
}

static void pack_choices(pm__string *out, const pm_choice *choices)
{
  size_t count = 0;
  while (choices != NULL && choices[count].name != NULL) count++;
  pack_number(out, (double)count);
  for (size_t i = 0; i < count; i++) {
    pack_text(out, choices[i].name);
    pack_text(out, choices[i].doc);
  }
}

static void pack_column(pm__string *out, const pm__column *c, size_t cells)
{
  pack_number(out, c->column.kind);
  pack_text(out, c->column.name);
  pack_text(out, c->column.unit);
  pack_text(out, c->column.doc);
  pack_text(out, c->otherwise);
  pack_number(out, c->show);
  pack_number(out, c->given);
  pack_number(out, c->shown != NULL);
  pack_choices(out, c->choices);
  for (size_t i = 0; i < cells; i++) {
    if (c->texts != NULL) pack_text(out, c->texts[i]);
    else pack_number(out, c->numbers[i]);
    if (c->shown != NULL) pack_text(out, c->shown[i]);
  }
}

char *pm_table_pack(const pm_table *table, pm_error *error)
{
  pm__string out = {NULL, 0, 0, false};
  if (table == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no table to pack");
    return NULL;
  }
  pack_text(&out, mark);
  pack_number(&out, (double)table->rows);
  pack_number(&out, (double)table->count);
  pack_number(&out, table->has_total);
  pack_number(&out, table->has_footer);
  pack_number(&out, table->show_all);
  pack_text(&out, table->notes);
  for (size_t i = 0; i < table->count; i++) pack_column(&out, &table->columns[i], pm__table_count_shown(table));
  if (!out.failed) return out.text;
  free(out.text);
  pm__no_memory(error);
  return NULL;
}

/* ---- Reading: nothing behind the end is looked at, and nothing is kept that the text is too short for ---- */

typedef struct reader {
  const char *at, *end;
  pm_table *table; /* whose arena keeps what is read */
  int status;      /* of the first thing that went wrong; nothing is read from there */
} reader;

static int fail(reader *r, int status)
{
  if (r->status == PM_OK) r->status = status;
  return r->status;
}

static size_t left(const reader *r)
{
  return (size_t)(r->end - r->at);
}

static double read_number(reader *r)
{
  static const char known[] = "0123456789abcdef";
  uint64_t bits = 0;
  double number = 0;
  if (r->status != PM_OK || left(r) < DIGITS) return fail(r, PM_STATUS_BAD_FILE), 0;
  for (int i = 0; i < DIGITS; i++) {
    const char *digit = strchr(known, *r->at++);
    if (digit == NULL || *digit == '\0') return fail(r, PM_STATUS_BAD_FILE), 0;
    bits = bits << 4 | (uint64_t)(digit - known);
  }
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* A whole number from 0 to `most`. */
static size_t read_whole(reader *r, size_t most)
{
  double number = read_number(r);
  if (number >= 0 && number <= (double)most && number == (double)(size_t)number) return (size_t)number;
  return fail(r, PM_STATUS_BAD_FILE), 0;
}

static const char *no_text(reader *r, int status)
{
  fail(r, status);
  return NULL;
}

/* NULL for one that is not there, or if something is wrong. */
static const char *read_optional(reader *r)
{
  const char *behind;
  if (r->status != PM_OK || left(r) == 0) return no_text(r, PM_STATUS_BAD_FILE);
  if (*r->at == '-') {
    r->at++;
    return NULL;
  }
  int length = pm__whole_at(r->at, INT32_MAX, &behind);
  if (length < 0 || *behind != ':' || r->end - behind - 1 < length) return no_text(r, PM_STATUS_BAD_FILE);
  r->at = behind + 1 + length;
  const char *copy = pm__arena_copy(&r->table->arena, behind + 1, (size_t)length);
  return copy != NULL ? copy : no_text(r, PM_STATUS_NO_MEMORY);
}

/* "" if something is wrong. */
static const char *read_text(reader *r)
{
  const char *text = read_optional(r);
  return text != NULL ? text : (fail(r, PM_STATUS_BAD_FILE), "");
}

/* Zeroed; NULL if something is wrong. */
static void *read_room(reader *r, size_t count, size_t size)
{
  bool possible = r->status == PM_OK && count <= SIZE_MAX / size;
  void *room = possible ? pm__arena_alloc(&r->table->arena, count * size) : NULL;
  if (room == NULL) fail(r, PM_STATUS_NO_MEMORY);
  return room;
}

static const pm_choice *read_choices(reader *r)
{
  size_t count = read_whole(r, left(r));
  if (count == 0) return NULL;
  pm_choice *choices = (pm_choice *)read_room(r, count + 1, sizeof *choices);
  for (size_t i = 0; choices != NULL && i < count; i++) {
    choices[i].name = read_text(r);
    choices[i].doc = read_text(r);
  }
  return choices;
}

static void read_cells(reader *r, pm__column *c, bool shown)
{
  size_t cells = pm__table_count_shown(r->table);
  if (c->column.kind == PM_FIELD_TEXT) c->texts = (const char **)read_room(r, cells, sizeof *c->texts);
  else c->numbers = (double *)read_room(r, cells, sizeof *c->numbers);
  if (shown) c->shown = (const char **)read_room(r, cells, sizeof *c->shown);
  for (size_t i = 0; i < cells && r->status == PM_OK; i++) {
    if (c->texts != NULL) c->texts[i] = read_text(r);
    else c->numbers[i] = read_number(r);
    if (shown) c->shown[i] = read_text(r);
  }
}

static void read_column(reader *r, pm__column *c)
{
  c->column.kind = (pm_field_kind)read_whole(r, PM_FIELD_CHOICE);
  c->column.name = read_text(r);
  c->column.unit = read_text(r);
  c->column.doc = read_text(r);
  c->otherwise = read_optional(r);
  c->show = (int)read_whole(r, PM_SHOW_MAIN | PM_SHOW_PERCENT | PM_SHOW_NONZERO | PM_SHOW_GIVEN | PM_SHOW_LINE |
                               PM_SHOW_SWEPT);
  c->given = read_whole(r, 1) > 0;
  bool shown = read_whole(r, 1) > 0;
  c->choices = read_choices(r);
  read_cells(r, c, shown);
}

static bool add_column(reader *r)
{
  pm_table *table = r->table;
  pm__column *columns = (pm__column *)pm__grow(table->columns, table->count, &table->capacity, sizeof *columns);
  if (columns == NULL) return fail(r, PM_STATUS_NO_MEMORY), false;
  table->columns = columns;
  memset(&columns[table->count], 0, sizeof *columns);
  read_column(r, &columns[table->count]);
  table->count++;
  return r->status == PM_OK;
}

static void read_table(reader *r)
{
  pm_table *table = r->table;
  if (strcmp(read_text(r), mark) != 0) fail(r, PM_STATUS_BAD_FILE);
  table->rows = read_whole(r, left(r));
  size_t count = read_whole(r, left(r) / DIGITS);
  table->has_total = read_whole(r, 1) > 0;
  table->has_footer = read_whole(r, 1) > 0;
  table->show_all = read_whole(r, 1) > 0;
  table->notes = read_optional(r);
  if (table->has_total && table->rows == 0) fail(r, PM_STATUS_BAD_FILE);
  while (r->status == PM_OK && table->count < count && add_column(r)) continue;
  if (left(r) > 0) fail(r, PM_STATUS_BAD_FILE);
}

pm_table *pm_table_unpack(const char *text, pm_error *error)
{
  if (text == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no text to unpack a table from");
    return NULL;
  }
  reader r = {text, text + strlen(text), pm_table_new(0, error), PM_OK};
  if (r.table == NULL) return NULL;
  read_table(&r);
  if (r.status == PM_OK) return r.table;
  pm_table_free(r.table);
  if (r.status == PM_STATUS_NO_MEMORY) pm__no_memory(error);
  else pm__fail(error, r.status, "the text is not a table that pm_table_pack wrote, or not the whole of it");
  return NULL;
}
