/* CSV as programs of other countries read it: --delimiter ";" --decimal ",". */
#include <stdlib.h>
#include <string.h>
#include "command.h"

bool read_csv_form(const cli_request *request, csv_form *form)
{
  const char *delimiter = request->value[OPTION_DELIMITER], *decimal = request->value[OPTION_DECIMAL];
  *form = (csv_form){',', '.'};
  if (delimiter == NULL && decimal == NULL) return true;
  if (request->format != PM_FORMAT_CSV)
    return fail(CODE_USAGE, "--%s is only for csv; add --format csv, or a file that ends in .csv",
                delimiter != NULL ? "delimiter" : "decimal"), false;
  if (delimiter != NULL && strcmp(delimiter, "tab") == 0) delimiter = "\t";
  if (delimiter != NULL && (strlen(delimiter) != 1 || strchr(",;|\t", delimiter[0]) == NULL))
    return fail(CODE_USAGE, "--delimiter \"%.80s\" is none of \",\", \";\", \"|\" and tab", delimiter), false;
  if (decimal != NULL && (strlen(decimal) != 1 || strchr(".,", decimal[0]) == NULL))
    return fail(CODE_USAGE, "--decimal \"%.80s\" is neither \".\" nor \",\"", decimal), false;
  if (decimal != NULL) form->decimal = decimal[0];
  form->delimiter = delimiter != NULL ? delimiter[0] : form->decimal == ',' ? ';' : ',';
  if (form->delimiter == form->decimal)
    return fail(CODE_USAGE, "--delimiter and --decimal are both \"%c\"", form->decimal), false;
  return true;
}

/* Up to the end of a field: the delimiter or the end of the line, outside of quotes. */
static size_t field_length(const char *text)
{
  bool quoted = false;
  size_t length = 0;
  for (; text[length] != '\0'; length++) {
    if (text[length] == '"') quoted = !quoted;
    else if (!quoted && (text[length] == ',' || text[length] == '\r' || text[length] == '\n')) break;
  }
  return length;
}

static void put_field(FILE *stream, const char *field, size_t length, const csv_form *form, bool number)
{
  bool quote = field[0] != '"' && memchr(field, form->delimiter, length) != NULL;
  if (quote) fputc('"', stream);
  for (size_t i = 0; i < length; i++) fputc(number && field[i] == '.' ? form->decimal : field[i], stream);
  if (quote) fputc('"', stream);
}

static bool is_number_column(const pm_table *table, size_t column)
{
  const pm_column *found = column < pm_table_count_columns(table) ? pm_table_get_column(table, column) : NULL;
  return found != NULL && (found->kind == PM_FIELD_REAL || found->kind == PM_FIELD_INT);
}

char *csv_localize(const pm_table *table, const char *text, const csv_form *form)
{
  char *out = NULL;
  size_t size = 0, column = 0, row = 0;
  FILE *stream = open_memstream(&out, &size);
  if (stream == NULL) return NULL;
  while (*text != '\0') {
    size_t length = field_length(text);
    put_field(stream, text, length, form, row > 0 && is_number_column(table, column));
    text += length;
    if (*text == ',') fputc(form->delimiter, stream), text++, column++;
    else if (*text != '\0') {
      row += *text == '\n', column = 0;
      fputc(*text++, stream);
    }
  }
  if (fclose(stream) == 0) return out;
  free(out);
  return NULL;
}
