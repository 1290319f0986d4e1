/* Tables: columns, values, texts. */

%apply (const char *const *NAMES, size_t COUNT) { (const char *const *names, size_t name_count) };

%{
static char *column_property(const pm_column *column, int property, pm_error *error)
{
  switch (property) {
    case 0: return text_copy(column->name, error);
    case 1: return text_copy(column->unit, error);
    case 2: return text_copy(column->doc, error);
    default: return text_copy(kind_name(column->kind), error);
  }
}

static const pm_column *table_column(const pm_table *table, double column, pm_error *error)
{
  int index = whole(column, "column", error);
  const pm_column *found = index < 0 ? NULL : pm_table_get_column(table, (size_t)index);
  if (found == NULL) fail(error, PM_STATUS_NOT_FOUND, "the table has no column %d", index);
  return found;
}
%}

%inline %{
static double table_rows(const pm_table *table)
{
  return (double)pm_table_count_rows(table);
}

static int table_has_total(const pm_table *table)
{
  return pm_table_has_total(table);
}

/* What there is to say besides, a text for each line. */
static names table_notes(const pm_table *table, pm_error *error)
{
  const char *text = pm_table_get_notes(table);
  size_t count = 0;
  for (const char *p = text; *p != '\0'; p++) count += *p == '\n' || p[1] == '\0';
  names array = names_new(count, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) {
    size_t length = strcspn(text, "\n");
    array.data[i] = (char *)room(length + 1, 1, error);
    if (array.data[i] != NULL) memcpy(array.data[i], text, length);
    text += length + (text[length] == '\n');
  }
  return names_if_ok(array, error);
}

/* Keeps the columns of these names, in this order. */
static void table_keep(pm_table *table, const char *const *names, size_t name_count, pm_error *error)
{
  pm_table_keep(table, names, name_count, error);
}

/* The rows that meet all conditions, of them the front of columns, sorted by a column, of these the first `top`; "" and
** 0: as they are. */
static pm_table *table_select(const pm_table *table, const char *const *names, size_t name_count, const char *sort,
                              const char *front, double top, pm_error *error)
{
  pm_table_rows rows = {.conditions = names, .count = name_count, .front = front[0] != '\0' ? front : NULL,
                        .sort = sort[0] != '\0' ? sort : NULL, .top = (size_t)whole(top, "top", error)};
  char *packed = error->status == PM_OK ? pm_table_pack(table, error) : NULL;
  pm_table *copy = packed != NULL ? pm_table_unpack(packed, error) : NULL;
  pm_string_free(packed);
  if (copy == NULL || pm_table_keep_rows(copy, &rows, error) == PM_OK) return copy;
  pm_table_free(copy);
  return NULL;
}

/* Keeps the rows that meet all conditions, and returns which they were. */
static numbers table_meet(pm_table *table, const char *const *names, size_t name_count, pm_error *error)
{
  numbers places = {NULL, 0};
  size_t rows = pm_table_count_rows(table), column = pm_table_count_columns(table);
  char(*digits)[24] = (char(*)[24])room(rows, sizeof *digits, error);
  const char **texts = (const char **)room(rows, sizeof *texts, error);
  for (size_t i = 0; digits != NULL && texts != NULL && i < rows; i++) {
    snprintf(digits[i], sizeof digits[i], "%zu", i);
    texts[i] = digits[i];
  }
  if (error->status == PM_OK && pm_table_add_text(table, " row", "", texts, error) == PM_OK &&
      pm_table_keep_rows(table, &(pm_table_rows){.conditions = names, .count = name_count}, error) == PM_OK)
    places = numbers_new(pm_table_count_rows(table), error);
  for (size_t i = 0; i < places.count && places.data != NULL; i++)
    places.data[i] = strtod(pm_table_get_text(table, column, i, digits[0]), NULL);
  if (error->status == PM_OK) pm_table_drop(table, " row");
  free(texts);
  free(digits);
  return places;
}

/* Four texts per column: name, unit, doc, kind ("text", "int", "real", "choice"). */
static names table_columns(const pm_table *table, pm_error *error)
{
  names array = names_new(4 * pm_table_count_columns(table), error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = column_property(pm_table_get_column(table, i / 4), (int)(i % 4), error);
  return names_if_ok(array, error);
}

/* One column as numbers. */
static numbers table_numbers(const pm_table *table, double column, pm_error *error)
{
  numbers array = {NULL, 0};
  const pm_column *found = table_column(table, column, error);
  const double *values = found == NULL ? NULL : pm_table_get_numbers(table, (size_t)column);
  if (values == NULL) {
    fail(error, PM_STATUS_BAD_ARGUMENT, "column \"%s\" holds text", found == NULL ? "" : found->name);
    return array;
  }
  array = numbers_new(pm_table_count_rows(table), error);
  if (array.data != NULL) memcpy(array.data, values, array.count * sizeof *values);
  return array;
}

/* One column as texts, one per row. */
static names table_texts(const pm_table *table, double column, pm_error *error)
{
  char buffer[PM_TEXT_MAX];
  const pm_column *found = table_column(table, column, error);
  names array = names_new(found == NULL ? 0 : pm_table_count_rows(table), error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++)
    array.data[i] = text_copy(pm_table_get_text(table, (size_t)column, i, buffer), error);
  return names_if_ok(array, error);
}

%}

%{
enum { WORDS_MOST = 64 };

/* The different texts of a column, in the order of their first rows, and the place of each row's among them; how many
** there are, 0 for more than WORDS_MOST. */
static size_t scan_words(const pm_table *table, size_t column, const char **words, double *places)
{
  size_t count = 0, at = 0;
  for (size_t row = 0; row < pm_table_count_rows(table); row++) {
    const char *text = pm_table_get_text(table, column, row, NULL);
    if (count == 0 || strcmp(words[at], text) != 0)
      for (at = 0; at < count && strcmp(words[at], text) != 0;) at++;
    if (at == WORDS_MOST) return 0;
    if (at == count) words[count++] = text;
    if (places != NULL) places[row] = (double)at;
  }
  return count;
}

static int is_text(const pm_column *column, pm_error *error)
{
  if (column == NULL) return 0;
  if (column->kind == PM_FIELD_TEXT || column->kind == PM_FIELD_CHOICE) return 1;
  fail(error, PM_STATUS_BAD_ARGUMENT, "column \"%s\" holds numbers", column->name);
  return 0;
}
%}

%inline %{
/* The different texts of one column, which may be few for many rows; none for more than WORDS_MOST. */
static names table_words(const pm_table *table, double column, pm_error *error)
{
  const char *words[WORDS_MOST];
  const int good = is_text(table_column(table, column, error), error);
  names array = names_new(good ? scan_words(table, (size_t)column, words, NULL) : 0, error);
  for (size_t i = 0; i < array.count && error->status == PM_OK; i++) array.data[i] = text_copy(words[i], error);
  return names_if_ok(array, error);
}

/* The place of each row's text among those. */
static numbers table_word_places(const pm_table *table, double column, pm_error *error)
{
  const char *words[WORDS_MOST];
  const int good = is_text(table_column(table, column, error), error);
  numbers array = {NULL, 0};
  if (good) array = numbers_new(pm_table_count_rows(table), error);
  if (array.data != NULL) scan_words(table, (size_t)column, words, array.data);
  return array;
}

/* The first rows and the last one as "text", "html" or "markdown", `absent` further ones said to be left out between
** them; `width` is of text. */
static char *table_format_rows(const pm_table *table, const char *rendering, double width, double most, double absent,
                               pm_error *error)
{
  int columns = whole(width, "width", error), rows = whole(most, "most", error),
      others = whole(absent, "absent", error), number = rendering_number(rendering, error);
  if (error->status != PM_OK) return NULL;
  return pm_table_format_rows(table, (pm_rendering)number, columns, rows < 0 ? 0 : (size_t)rows,
                              others < 0 ? 0 : (size_t)others, error);
}

/* The whole table as "table", "csv" or "json"; `width` limits the text form (0: no limit). */
static char *table_format(const pm_table *table, const char *format, double width, pm_error *error)
{
  int number = pm_format_find(format);
  int columns = whole(width, "width", error);
  if (number < 0) fail(error, PM_STATUS_NOT_FOUND, "unknown format \"%s\"; known are table, csv, json", format);
  if (error->status != PM_OK) return NULL;
  return pm_table_format(table, (pm_format)number, columns, error);
}
%}

char *pm_table_pack(const pm_table *table, pm_error *error);

#if defined(SWIGPYTHON)
PyObject *table_arrow(const pm_table *const *HANDLES, size_t COUNT, pm_error *error);
pm_table *pm_table_unpack(const char *text, pm_error *error);
#endif
