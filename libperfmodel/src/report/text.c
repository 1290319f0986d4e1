/*
** Tables for people: aligned columns, quantities with prefixes, no wider than asked.
**
** Numbers stand to the right, words to the left. If the width is not enough, the first column that does not fit is
** folded over several lines if it is a text and there is room for a few words; whatever is still left over is named
** below the table. Cells are cleaned on the way: no control character of a user's file reaches a terminal.
*/
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "perfmodel/units.h"
#include "report/table_data.h"

enum { GAP = 2, FOLD_LEAST = 20 };

/* What is printed: the first `shown` columns, each `width[i]` characters wide. */
typedef struct layout {
  size_t *width;
  size_t shown;
} layout;

/* ---- Cells ---- */

static size_t count_characters(const char *text)
{
  size_t count = 0;
  for (; *text != '\0'; count++) {
    size_t length = pm__utf8_length(text);
    text += length == 0 ? 1 : length;
  }
  return count;
}

/* Appends one character, or what stands for it: a blank for white space, '?' for controls and invalid bytes. */
static const char *clean_character(pm__string *out, const char *text)
{
  unsigned char c = (unsigned char)*text;
  size_t length = pm__utf8_length(text);
  bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] < 0xa0);
  if (c == '\t' || c == '\n' || c == '\r') pm__string_add(out, " ");
  else if (control || length == 0) pm__string_add(out, "?");
  else pm__string_add_bytes(out, text, length);
  return text + (length == 0 ? 1 : length);
}

/* Puts what a person sees of a cell into `cell`. */
static void read_cell(pm__string *cell, const pm_table *table, size_t index, size_t row)
{
  const pm__column *column = &table->columns[index];
  char buffer[PM_NUMBER_MAX + 64];
  cell->length = 0;
  pm__string_add(cell, "");
  if (column->shown != NULL || pm__column_is_text(column)) {
    const char *text = column->shown != NULL ? column->shown[row] : pm__column_word(column, row);
    while (*text != '\0') text = clean_character(cell, text);
    return;
  }
  bool known = !isnan(column->numbers[row]);
  pm__string_add(cell, known ? pm_quantity_format(buffer, sizeof buffer, column->numbers[row], column->column.unit)
                             : "-");
}

char *pm_table_format_cell(const pm_table *table, size_t column, size_t row)
{
  pm__string cell = {NULL, 0, 0, false};
  if (column >= pm_table_count_columns(table) || row >= table->rows) return NULL;
  read_cell(&cell, table, column, row);
  if (!cell.failed) return cell.text;
  pm_string_free(cell.text);
  return NULL;
}

/* ---- Widths ---- */

static bool measure(layout *plan, pm__string *cell, const pm_table *table)
{
  plan->width = (size_t *)calloc(table->count, sizeof *plan->width);
  for (size_t column = 0; plan->width != NULL && column < table->count; column++) {
    plan->width[column] = count_characters(table->columns[column].column.name);
    for (size_t row = 0; row < table->rows; row++) {
      read_cell(cell, table, column, row);
      if (cell->failed) return false;
      size_t width = count_characters(cell->text);
      if (width > plan->width[column]) plan->width[column] = width;
    }
  }
  return plan->width != NULL;
}

/* Decides how many columns are shown, and narrows the last of them if it is to be folded. */
static void fit(layout *plan, const pm_table *table, size_t limit)
{
  size_t used = 0;
  for (plan->shown = 0; plan->shown < table->count; plan->shown++) {
    size_t gap = plan->shown > 0 ? GAP : 0;
    if (used + gap + plan->width[plan->shown] > limit) break;
    used += gap + plan->width[plan->shown];
  }
  if (plan->shown == table->count) return;
  size_t gap = plan->shown > 0 ? GAP : 0;
  size_t room = limit > used + gap ? limit - used - gap : 0;
  bool foldable = pm__column_is_text(&table->columns[plan->shown]) && room >= FOLD_LEAST;
  if (!foldable && plan->shown > 0) return;
  if (pm__column_is_text(&table->columns[plan->shown]) && room > 0) plan->width[plan->shown] = room;
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
  size_t length = count_characters(text), blanks = width > length ? width - length : 0;
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

/* Writes words over as many lines as they need, each line but the first indented. */
static void add_folded(pm__string *out, const char *text, size_t width, size_t indent)
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

static void write_titles(pm__string *out, const pm_table *table, const layout *plan)
{
  for (size_t i = 0; i < plan->shown; i++) {
    const pm__column *column = &table->columns[i];
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

static void write_row(pm__string *out, pm__string *cell, const pm_table *table, const layout *plan, size_t row)
{
  for (size_t i = 0; i < plan->shown; i++) {
    bool last = i + 1 == plan->shown, right = !pm__column_is_text(&table->columns[i]);
    read_cell(cell, table, i, row);
    if (cell->failed) out->failed = true;
    if (out->failed) return;
    if (last && !right) add_folded(out, cell->text, plan->width[i], indent_of_last(plan));
    else add_padded(out, cell->text, plan->width[i], right, last);
  }
  end_line(out);
}

static void write_left_out(pm__string *out, const pm_table *table, const layout *plan, size_t limit)
{
  pm__string names = {NULL, 0, 0, false};
  if (plan->shown == table->count) return;
  pm__string_add(&names, "not shown, for lack of width:");
  for (size_t i = plan->shown; i < table->count; i++) {
    pm__string_add(&names, i > plan->shown ? ", " : " ");
    pm__string_add(&names, table->columns[i].column.name);
  }
  if (names.failed) out->failed = true;
  else add_folded(out, names.text, limit, 0);
  pm__string_add(out, "\n");
  pm_string_free(names.text);
}

void pm__write_text(pm__string *out, const pm_table *table, int width)
{
  layout plan = {NULL, 0};
  pm__string cell = {NULL, 0, 0, false};
  size_t limit = width > 0 ? (size_t)width : SIZE_MAX;
  if (table->count == 0) return;
  if (measure(&plan, &cell, table)) {
    fit(&plan, table, limit);
    write_titles(out, table, &plan);
    write_rule(out, &plan);
    for (size_t row = 0; row < table->rows; row++) {
      if (table->has_total && row + 1 == table->rows) write_rule(out, &plan);
      write_row(out, &cell, table, &plan, row);
    }
    write_left_out(out, table, &plan, limit);
  } else out->failed = true;
  free(plan.width);
  pm_string_free(cell.text);
}
