/* Where the result goes: standard output, or a file that is there whole or not at all. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command.h"
#include "file_rule.h"

static bool to_stdout(const cli_request *request)
{
  const char *file = request->value[OPTION_OUTPUT];
  return file == NULL || strcmp(file, "-") == 0;
}

int output_width(const cli_request *request)
{
  double columns;
  const char *said = getenv("COLUMNS");
  if (!to_stdout(request) || !isatty(STDOUT_FILENO)) return 0;
  if (said != NULL && pm_number_parse(said, &columns) == PM_OK && columns >= 1 && columns <= 10000) return (int)columns;
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? (int)size.ws_col : 0;
}

static int cannot_write(const char *name, int problem)
{
  if (problem == ENOMEM) return fail_memory();
  return fail(CODE_INTERNAL, "cannot write \"%.400s\": %s", name, file_problem(problem));
}

static int write_stdout(const char *text, size_t size)
{
  /* who reads has seen enough: no failure */
  if (file_write_all(STDOUT_FILENO, text, size) || errno == EPIPE) return CODE_DONE;
  return fail(CODE_INTERNAL, "cannot write to standard output: %s", strerror(errno));
}

int write_file(const char *name, const char *text, size_t size)
{
  int problem = file_write(name, text, size);
  return problem == 0 ? CODE_DONE : cannot_write(name, problem);
}

/* Arguments of some commands are files; of others only those with '.' or '/', which no name of the catalogue has. */
static bool may_be_file(const cli_request *request, const char *argument)
{
  const char *all = request->command->arguments;
  return strncmp(all, "FILE", 4) == 0 || strncmp(all, "PATH", 4) == 0 || strpbrk(argument, "./") != NULL;
}

/* The file that is read and would be written, NULL if there is none. */
static const char *input_of_output(const cli_request *request, const char *output)
{
  const char *const options[] = {request->value[OPTION_DATA], request->value[OPTION_RUN],
                                 request->value[OPTION_PRICE]};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    if (options[i] != NULL && file_is_same(options[i], output)) return options[i];
  for (size_t i = 0; i < request->catalogs.count; i++) {
    const char *catalog = request->catalogs.items[i];
    if (file_is_of(catalog, output)) return catalog;
  }
  for (size_t i = 0; i < request->arguments.count; i++) {
    const char *argument = request->arguments.items[i];
    if (may_be_file(request, argument) && file_is_same(argument, output)) return argument;
  }
  return NULL;
}

static int check_output_of(const cli_request *request, const char *option, const char *output)
{
  const char *input = output != NULL && !file_is_standard_output(output) ? input_of_output(request, output) : NULL;
  if (input == NULL) return CODE_DONE;
  return fail(CODE_USAGE, "%s \"%.400s\" is a file that is read, \"%.400s\": give the result another name", option,
              output, input);
}

int check_output(const cli_request *request)
{
  int code = check_output_of(request, "-o", request->value[OPTION_OUTPUT]);
  return code == CODE_DONE ? check_output_of(request, "--trace", request->value[OPTION_TRACE]) : code;
}

/* Text for people, on a terminal that shows colours with these. */
static int write_coloured(const cli_request *request, const char *text)
{
  bool colour = request->format == PM_FORMAT_TABLE && to_stdout(request) && has_colour(STDOUT_FILENO);
  char *shown = colour ? colour_text(text) : NULL;
  int code = write_output(request, shown != NULL ? shown : text, strlen(shown != NULL ? shown : text));
  free(shown);
  return code;
}

int write_output(const cli_request *request, const char *text, size_t size)
{
  if (to_stdout(request)) return write_stdout(text, size);
  if (request->workbook) return fail(CODE_USAGE, "-o \"%.80s\": this result is not a table; give a file that ends in "
                                     ".txt "
                                                 "or .csv", request->value[OPTION_OUTPUT]);
  return write_file(request->value[OPTION_OUTPUT], text, size);
}

pm_table *table_with_total(const char *type, const void *rows, size_t count, pm_error *error)
{
  pm_table *table = pm_table_new_of_records(pm_record_type_find(type), rows, count, error);
  if (table == NULL) return NULL;
  pm_table_drop(table, "index");
  pm_table_set_total(table, PM_TABLE_TOTAL_ROW);
  return table;
}

/* Whether --top is right; without it 0, which keeps all. An exit code. */
static int read_top(const cli_request *request, size_t *top)
{
  enum { MOST = 1000000000 };
  double most;
  *top = 0;
  if (request->value[OPTION_FIRST] == NULL) return CODE_DONE;
  if (request->value[OPTION_SORT] == NULL)
    return fail(CODE_USAGE, "--top needs --sort, the column to sort by");
  if (!read_count("top", request->value[OPTION_FIRST], MOST, &most)) return CODE_USAGE;
  *top = (size_t)most;
  return CODE_DONE;
}

/* Rows as one of the options says it. */
static int keep_rows(pm_table *table, const char *option, const pm_table_rows *rows)
{
  pm_error error = PM_ERROR_NONE;
  int status = pm_table_keep_rows(table, rows, &error);
  return status == PM_OK ? CODE_DONE : fail(CODE_USAGE, "--%s: %s", option, error.text);
}

/* Rows by conditions, the front of them, their order, the first of these. */
static int select_rows(const cli_request *request, pm_table *table)
{
  texts conditions = {NULL, 0};
  size_t top;
  const char *where = request->value[OPTION_WHERE], *front = request->value[OPTION_FRONT_OF];
  int code = read_top(request, &top);
  if (table == NULL || code != CODE_DONE) return code;
  if (where != NULL && !read_option_names("where", where, &conditions)) return CODE_USAGE;
  code = keep_rows(table, "where", &(pm_table_rows){.conditions = conditions.items, .count = conditions.count});
  free(conditions.items);
  if (code == CODE_DONE) code = keep_rows(table, "front", &(pm_table_rows){.front = front});
  if (code != CODE_DONE) return code;
  return keep_rows(table, "sort", &(pm_table_rows){.sort = request->value[OPTION_SORT], .top = top});
}

static void show_energy(pm_table *table)
{
  static const char *const names[] = {"gpu_power", "power", "site_power", "energy_per_sample", "energy_per_token",
                                      "site_energy_per_sample", "carbon_per_sample", "energy_cost_per_sample"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) pm_table_set_show(table, names[i], PM_SHOW_MAIN);
  pm_table_set_show(table, "idle_energy_share", PM_SHOW_MAIN | PM_SHOW_PERCENT);
}

int keep_columns(const cli_request *request, pm_table *table)
{
  texts names;
  pm_error error = PM_ERROR_NONE;
  const char *asked = request->value[OPTION_COLUMNS];
  if (table != NULL && request->value[OPTION_ENERGY] != NULL) show_energy(table);
  if (asked == NULL || table == NULL) return CODE_DONE;
  if (strcmp(asked, "all") == 0) return pm_table_set_show(table, NULL, PM_SHOW_MAIN), CODE_DONE;
  if (!read_option_names("columns", asked, &names)) return CODE_USAGE;
  int status = pm_table_keep(table, names.items, names.count, &error);
  free(names.items);
  return status == PM_OK ? CODE_DONE : fail(CODE_USAGE, "--columns: %s", error.text);
}

bool is_report(const cli_request *request)
{
  return request->format == PM_FORMAT_TABLE && request->value[OPTION_COLUMNS] == NULL &&
         request->value[OPTION_SORT] == NULL && request->value[OPTION_WHERE] == NULL;
}

/* Makes what stands between the `ends` safe to show; returns the length that is left. */
static size_t clean_parts(char *text, const char *ends)
{
  char *to = text;
  for (char *part = text, end = *text; end != '\0';) {
    char *stop = part + strcspn(part, ends);
    end = *stop;
    *stop = '\0';
    size_t length = strlen(pm_text_clean(part));
    memmove(to, part, length);
    to += length;
    if (end != '\0') *to++ = end;
    part = stop + 1;
  }
  *to = '\0';
  return (size_t)(to - text);
}

/* The table as it is written: with the delimiter of CSV that was asked for. */
static char *table_text(const cli_request *request, const pm_table *table, const csv_form *form, pm_error *reason)
{
  char *text = pm_table_format(table, request->format, output_width(request), reason), *local;
  if (text == NULL || request->format != PM_FORMAT_CSV || form->delimiter == ',') return text;
  local = csv_localize(table, text, form);
  pm_string_free(text);
  return local;
}

static int write_rows(const cli_request *request, const pm_table *table)
{
  csv_form form;
  pm_error reason = PM_ERROR_NONE;
  if (!read_csv_form(request, &form)) return CODE_USAGE;
  char *text = request->workbook ? pm_table_pack(table, &reason) : table_text(request, table, &form, &reason);
  if (text == NULL) return reason.status != PM_OK ? fail_error(&reason) : fail_memory();
  if (request->format == PM_FORMAT_CSV && !request->workbook) clean_parts(text, "\t\r\n"); /* terminals show it */
  int code = request->workbook ? write_workbook(request, text) : write_coloured(request, text);
  pm_string_free(text);
  return code;
}

int choose_rows(const cli_request *request, pm_table *table)
{
  int code = select_rows(request, table);
  return code == CODE_DONE ? keep_columns(request, table) : code;
}

int write_table(const cli_request *request, pm_table *table, const pm_error *error)
{
  if (table == NULL) return error->status != PM_OK ? fail_error(error) : fail(CODE_INTERNAL, "out of memory");
  int code = choose_rows(request, table);
  if (code == CODE_DONE) code = write_rows(request, table);
  pm_table_free(table);
  return code;
}

int write_document(const cli_request *request, pm_report *report, const pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  if (report == NULL) return fail_error(error);
  char *text = pm_report_format(report, PM_RENDERING_TEXT, output_width(request), &reason);
  int code = text != NULL ? write_coloured(request, text) : fail_error(&reason);
  pm_string_free(text);
  pm_report_free(report);
  return code;
}

bool page_open(cli_page *page)
{
  page->text = NULL;
  page->size = 0;
  page->stream = open_memstream(&page->text, &page->size);
  return page->stream != NULL;
}

/* Line by line, since names on the page are those of users' files. */
static void clean_page(cli_page *page)
{
  if (page->text != NULL) page->size = clean_parts(page->text, "\n");
}

int page_write(cli_page *page, const cli_request *request)
{
  bool good = ferror(page->stream) == 0;
  good = fclose(page->stream) == 0 && good;
  if (good) clean_page(page);
  int code = good ? write_output(request, page->text, page->size) : fail_memory();
  free(page->text);
  return code;
}

/* ---- Text in lines ---- */

/* Length of the next word, and how far the one after it is. */
static size_t word_length(const char *text)
{
  return strcspn(text, " \n");
}

void print_wrapped(FILE *stream, const char *text, size_t column, size_t indent, size_t width)
{
  bool fresh = true;
  while (*text != '\0') {
    size_t length = word_length(text);
    bool full = !fresh && width > 0 && column + 1 + length > width;
    if (full || *text == '\n') {
      fprintf(stream, "\n%*s", *text == '\n' && text[1] == '\n' ? 0 : (int)indent, "");
      column = indent;
      fresh = true;
      if (*text == '\n') text++;
      continue;
    }
    if (!fresh) fputc(' ', stream);
    fwrite(text, 1, length, stream);
    column += length + (fresh ? 0 : 1);
    fresh = false;
    text += length + (text[length] == ' ');
  }
  fputc('\n', stream);
}
