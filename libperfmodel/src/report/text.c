/*
** Tables for people: what is the same in all rows said once, then the main columns, aligned, no wider than asked.
**
** Numbers stand to the right, words to the left. If the width is not enough, a text that takes half of it goes last if
** all fit then, and the first column that does not fit is folded over several lines if it is a text and there is room
** for a few words. Columns that are left go on below, each part behind those that name the rows. A single row that is
** wider than that, or than a page, is a list of its columns with their values.
*/
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/table_data.h"

enum { GAP = 2, FOLD_LEAST = 16, PAGE = 100 };

/* What is printed: of the columns that people see the first `shown`, each `width[i]` characters wide; rows up to
** `before` and from `after`. */
typedef struct layout {
  const pm_table *table;
  size_t *column, *width;
  size_t count, shown;
  size_t before, after;
} layout;

/* ---- Widths ---- */

size_t pm__text_width(const char *text)
{
  size_t count = 0;
  for (; *text != '\0'; count++) {
    size_t length = pm__utf8_length(text);
    text += length == 0 ? 1 : length;
  }
  return count;
}

/* Puts what a person sees of a cell into `cell`. */
static void read_cell(pm__string *cell, const pm_table *table, size_t index, size_t row)
{
  cell->length = 0;
  pm__string_add(cell, "");
  pm__write_cell(cell, table, index, row);
}

static const pm__column *column_of(const layout *plan, size_t i)
{
  return &plan->table->columns[plan->column[i]];
}

/* The row after this one: those between `before` and `after` are left out. */
static size_t next_row(const layout *plan, size_t row)
{
  return row + 1 == plan->before ? plan->after : row + 1;
}

static bool measure(layout *plan, pm__string *cell)
{
  for (size_t i = 0; i < plan->count; i++) {
    plan->width[i] = pm__text_width(column_of(plan, i)->column.name);
    for (size_t row = 0; row < plan->table->rows; row = next_row(plan, row)) {
      read_cell(cell, plan->table, plan->column[i], row);
      if (cell->failed) return false;
      size_t width = pm__text_width(cell->text);
      if (width > plan->width[i]) plan->width[i] = width;
    }
  }
  return true;
}

/* A text that leaves no room for the columns behind it stands last, where it is folded. */
static void move_widest_text(layout *plan, size_t limit)
{
  size_t widest = 0, total = 0;
  for (size_t i = 0; i < plan->count; i++) {
    total += plan->width[i] + GAP;
    if (pm__column_is_text(column_of(plan, i)) && plan->width[i] >= plan->width[widest]) widest = i;
  }
  bool folds = total - plan->width[widest] + FOLD_LEAST <= limit + GAP;
  if (total <= limit + GAP || plan->width[widest] < limit / 2 || !folds) return;
  size_t column = plan->column[widest], width = plan->width[widest];
  for (size_t i = widest; i + 1 < plan->count; i++) {
    plan->column[i] = plan->column[i + 1];
    plan->width[i] = plan->width[i + 1];
  }
  plan->column[plan->count - 1] = column;
  plan->width[plan->count - 1] = width;
}

/* Decides how many columns are shown, and narrows the last of them if it is to be folded. */
static void fit(layout *plan, size_t limit)
{
  size_t used = 0;
  for (plan->shown = 0; plan->shown < plan->count; plan->shown++) {
    size_t gap = plan->shown > 0 ? GAP : 0;
    if (used + gap + plan->width[plan->shown] > limit) break;
    used += gap + plan->width[plan->shown];
  }
  if (plan->shown == plan->count) return;
  size_t gap = plan->shown > 0 ? GAP : 0;
  size_t room = limit > used + gap ? limit - used - gap : 0;
  bool text = pm__column_is_text(column_of(plan, plan->shown)), foldable = text && room >= FOLD_LEAST;
  if (!foldable && plan->shown > 0) return;
  if (text && room > 0) plan->width[plan->shown] = room;
  plan->shown++; /* the first column is shown in any case */
}

/* ---- Lines ---- */

static void add_blanks(pm__string *out, size_t count)
{
  while (count-- > 0) pm__string_add(out, " ");
}

static void end_line(pm__string *out)
{
  while (out->length > 0 && out->text[out->length - 1] == ' ') out->length--;
  pm__string_add(out, "\n");
}

static void add_padded(pm__string *out, const char *text, size_t width, bool right, bool last)
{
  size_t length = pm__text_width(text), blanks = width > length ? width - length : 0;
  if (right) add_blanks(out, blanks);
  pm__string_add(out, text);
  if (!right && !last) add_blanks(out, blanks);
  if (!last) add_blanks(out, GAP);
}

/* Bytes of `text` that go on a line of `width` characters: up to the last blank that fits, else as many as fit. */
static size_t fold_at(const char *text, size_t width)
{
  size_t bytes = 0, blank = 0;
  for (size_t count = 0; count < width && text[bytes] != '\0'; count++) {
    size_t length = pm__utf8_length(text + bytes);
    if (text[bytes] == ' ') blank = bytes;
    bytes += length == 0 ? 1 : length;
  }
  return text[bytes] == '\0' || text[bytes] == ' ' || blank == 0 ? bytes : blank;
}

void pm__write_folded(pm__string *out, const char *text, size_t width, size_t indent)
{
  for (;;) {
    size_t bytes = fold_at(text, width > 0 ? width : 1);
    pm__string_add_bytes(out, text, bytes);
    text += bytes;
    while (*text == ' ') text++;
    if (*text == '\0') return;
    end_line(out);
    add_blanks(out, indent);
  }
}

static size_t indent_of_last(const layout *plan)
{
  size_t indent = 0;
  for (size_t i = 0; i + 1 < plan->shown; i++) indent += plan->width[i] + GAP;
  return indent;
}

static void write_titles(pm__string *out, const layout *plan)
{
  for (size_t i = 0; i < plan->shown; i++) {
    const pm__column *column = column_of(plan, i);
    add_padded(out, column->column.name, plan->width[i], !pm__column_is_text(column), i + 1 == plan->shown);
  }
  end_line(out);
}

static void write_rule(pm__string *out, const layout *plan)
{
  for (size_t i = 0; i < plan->shown; i++) {
    for (size_t k = 0; k < plan->width[i]; k++) pm__string_add(out, "-");
    if (i + 1 < plan->shown) add_blanks(out, GAP);
  }
  end_line(out);
}

static void write_row(pm__string *out, pm__string *cell, const layout *plan, size_t row)
{
  for (size_t i = 0; i < plan->shown; i++) {
    bool last = i + 1 == plan->shown, right = !pm__column_is_text(column_of(plan, i));
    read_cell(cell, plan->table, plan->column[i], row);
    if (cell->failed) out->failed = true;
    if (out->failed) return;
    if (last && !right) pm__write_folded(out, cell->text, plan->width[i], indent_of_last(plan));
    else add_padded(out, cell->text, plan->width[i], right, last);
  }
  end_line(out);
}

static void write_rows(pm__string *out, pm__string *cell, const layout *plan, size_t absent)
{
  char line[64];
  const pm_table *table = plan->table;
  for (size_t row = 0; row < table->rows; row = next_row(plan, row)) {
    if (row == plan->after && plan->after - plan->before + absent > 0) {
      snprintf(line, sizeof line, "... %zu more rows\n", plan->after - plan->before + absent);
      pm__string_add(out, line);
    }
    if (table->has_total && row + 1 == table->rows) write_rule(out, plan);
    write_row(out, cell, plan, row);
  }
}

static void add_lines(pm__string *out, const pm__string *text, size_t limit)
{
  if (text->failed) out->failed = true;
  else pm__write_folded(out, text->text, limit, 0);
  pm__string_add(out, "\n");
}

static void write_same(pm__string *out, const pm_table *table, size_t limit)
{
  pm__string same = {NULL, 0, 0, false};
  pm__write_heading(&same, table);
  if (same.length > 0 || same.failed) {
    add_lines(out, &same, limit);
    pm__string_add(out, "\n");
  }
  pm_string_free(same.text);
}

/* The columns at the front that name the rows: those that were asked, or the first. */
static size_t count_keys(const layout *plan)
{
  size_t keys = 0;
  while (keys < plan->count && column_of(plan, keys)->given) keys++;
  return keys > 0 ? keys : 1;
}

/* Of what was not shown the next part, behind as many of the first columns as there is room for. Returns how many. */
static size_t go_on(layout *plan, size_t keys, size_t limit)
{
  size_t next = plan->width[plan->shown], used = 0;
  bool text = pm__column_is_text(column_of(plan, plan->shown));
  if (text && next > FOLD_LEAST) next = FOLD_LEAST;
  for (size_t i = 0; i < keys; i++) used += plan->width[i] + GAP;
  while (keys > 0 && used + next > limit) used -= plan->width[--keys] + GAP;
  size_t left = plan->count - plan->shown;
  memmove(plan->column + keys, plan->column + plan->shown, left * sizeof *plan->column);
  memmove(plan->width + keys, plan->width + plan->shown, left * sizeof *plan->width);
  plan->count = keys + left;
  return keys;
}

/* ---- The whole ---- */

/* Whether it is a row that is better read downwards. */
static bool is_long_row(const layout *plan, size_t limit)
{
  size_t width = 0;
  for (size_t i = 0; i < plan->count; i++) width += plan->width[i] + (i > 0 ? GAP : 0);
  return plan->table->rows == 1 && plan->count > 2 && width > (limit < PAGE ? limit : PAGE);
}

static void write_list(pm__string *out, pm__string *cell, const layout *plan, size_t limit)
{
  size_t names = 0;
  for (size_t i = 0; i < plan->count; i++) {
    size_t width = pm__text_width(column_of(plan, i)->column.name);
    if (width > names) names = width;
  }
  for (size_t i = 0; i < plan->count && !out->failed; i++) {
    add_padded(out, column_of(plan, i)->column.name, names, false, false);
    read_cell(cell, plan->table, plan->column[i], 0);
    if (cell->failed) out->failed = true;
    else pm__write_folded(out, cell->text, limit > names + GAP ? limit - names - GAP : 1, names + GAP);
    end_line(out);
  }
}

static void write_table(pm__string *out, pm__string *cell, layout *plan, size_t limit, size_t absent)
{
  move_widest_text(plan, limit);
  size_t keys = count_keys(plan);
  write_same(out, plan->table, limit);
  for (bool whole = false; !whole && !out->failed;) {
    fit(plan, limit);
    write_titles(out, plan);
    write_rule(out, plan);
    write_rows(out, cell, plan, absent);
    whole = plan->shown == plan->count;
    if (!whole) keys = go_on(plan, keys < plan->shown ? keys : plan->shown, limit);
    if (!whole) pm__string_add(out, "\n");
  }
}

static void write_plan(pm__string *out, layout *plan, size_t limit, size_t absent)
{
  pm__string cell = {NULL, 0, 0, false};
  plan->count = pm__table_find_shown(plan->table, plan->column);
  pm__write_lines(out, plan->table, "\n");
  if (!measure(plan, &cell)) out->failed = true;
  else if (absent == 0 && is_long_row(plan, limit)) write_list(out, &cell, plan, limit);
  else write_table(out, &cell, plan, limit, absent);
  pm_string_free(cell.text);
}

void pm__write_text(pm__string *out, const pm_table *rows, int width, size_t most, size_t absent)
{
  pm_table with_footer = *rows;
  const pm_table *table = &with_footer;
  with_footer.rows = pm__table_count_shown(rows);
  with_footer.has_total = rows->has_total || rows->has_footer;
  if (table->count == 0) return;
  size_t *room = (size_t *)calloc(2 * table->count, sizeof *room);
  bool cut = table->rows > most || absent > 0;
  size_t before = table->rows > most ? most - 1 : table->rows > 0 ? table->rows - 1 : 0;
  layout plan = {.table = table, .column = room, .width = room != NULL ? room + table->count : NULL,
                 .before = cut ? before : 0, .after = cut ? table->rows - 1 : 0};
  if (room != NULL) write_plan(out, &plan, width > 0 ? (size_t)width : SIZE_MAX, absent);
  else out->failed = true;
  free(room);
}
