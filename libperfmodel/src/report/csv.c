/*
** CSV as RFC 4180 has it: a header row, CRLF, comma, quotes doubled inside quotes.
**
** Made for a spreadsheet that opens the file by double click, and for readers such as pandas:
**   - an unknown number is an empty cell, which both leave out of sums and means;
**   - an unlimited one is `inf`: readers take it for the number, a spreadsheet shows it as a word and leaves it out of
**     sums. An empty cell would say "unknown", a huge number would spoil every mean;
**   - a word that a spreadsheet would run as a formula gets a leading apostrophe, and so does one that begins with an
**     apostrophe: whoever takes one away from each word that has one has what was written.
*/
#include <string.h>
#include "report/table_data.h"

/* Blanks at the ends are quoted too: some readers strip them. */
static bool needs_quotes(const char *text)
{
  size_t length = strlen(text);
  if (length == 0) return false;
  return strpbrk(text, ",\"\r\n") != NULL || text[0] == ' ' || text[length - 1] == ' ';
}

static bool looks_like_formula(const char *text)
{
  /* the same in full width */
  static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
    if (strncmp(text, wide[i], 3) == 0) return true;
  return text[0] != '\0' && strchr("=+-@'\t\r\n", text[0]) != NULL;
}

static void write_doubling_quotes(pm__string *out, const char *text)
{
  for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
    pm__string_add_bytes(out, text, (size_t)(quote - text));
    pm__string_add(out, "\"\"");
  }
  pm__string_add(out, text);
}

static void write_word(pm__string *out, const char *text)
{
  const char *quote = needs_quotes(text) ? "\"" : "";
  pm__string_add(out, quote);
  if (looks_like_formula(text)) pm__string_add(out, "'");
  write_doubling_quotes(out, text);
  pm__string_add(out, quote);
}

/* Names and units are identifiers of ours or of a caller's own record type: a comma is not likely, but
** quoting the whole costs nothing. */
static void write_title(pm__string *out, const pm__column *column)
{
  pm__string title = {NULL, 0, 0, false};
  pm__column_title(&title, column);
  if (title.failed) out->failed = true;
  else write_word(out, title.text);
  pm_string_free(title.text);
}

static void write_cell(pm__string *out, const pm_table *table, size_t column, size_t row)
{
  char buffer[PM_TEXT_MAX];
  const char *text = pm_table_get_text(table, column, row, buffer);
  /* Alone in its row, an empty cell would make an empty line, which readers skip. */
  if (text[0] == '\0' && table->count == 1) pm__string_add(out, "\"\"");
  else if (pm__column_is_text(&table->columns[column])) write_word(out, text);
  else pm__string_add(out, text);
}

void pm__write_csv(pm__string *out, const pm_table *table)
{
  if (table->count == 0) return;
  for (size_t column = 0; column < table->count; column++) {
    if (column > 0) pm__string_add(out, ",");
    write_title(out, &table->columns[column]);
  }
  pm__string_add(out, "\r\n");
  for (size_t row = 0; row < table->rows; row++) {
    for (size_t column = 0; column < table->count; column++) {
      if (column > 0) pm__string_add(out, ",");
      write_cell(out, table, column, row);
    }
    pm__string_add(out, "\r\n");
  }
}
