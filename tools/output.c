/* Where the result goes: standard output, or a file that is there whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command.h"

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

static bool write_all(int descriptor, const char *text, size_t size)
{
  while (size > 0) {
    ssize_t written = write(descriptor, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text += written;
    size -= (size_t)written;
  }
  return true;
}

static int cannot_write(const char *name)
{
  return fail(CODE_INTERNAL, "cannot write \"%.400s\": %s", name, strerror(errno));
}

static int write_stdout(const char *text, size_t size)
{
  /* who reads has seen enough: no failure */
  if (write_all(STDOUT_FILENO, text, size) || errno == EPIPE) return CODE_DONE;
  return fail(CODE_INTERNAL, "cannot write to standard output: %s", strerror(errno));
}

/* Closes, and says what failed first. */
static bool close_after(int descriptor, bool good)
{
  int reason = errno;
  if (close(descriptor) != 0 && good) return false;
  errno = reason;
  return good;
}

/* A device or a pipe cannot be replaced, only written to. */
static int write_in_place(const char *path, const char *text, size_t size)
{
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  bool good = descriptor >= 0 && close_after(descriptor, write_all(descriptor, text, size));
  return good ? CODE_DONE : cannot_write(path);
}

/* The rights that a new file gets. */
static mode_t rights_of_new(void)
{
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* Writes beside the target and puts the result in its place only when all of it is there. */
static bool replace_file(const char *path, char *beside, mode_t rights, const char *text, size_t size)
{
  int descriptor = mkstemp(beside);
  if (descriptor < 0) return false;
  bool good = write_all(descriptor, text, size) && fchmod(descriptor, rights) == 0 && fsync(descriptor) == 0;
  if (close_after(descriptor, good) && rename(beside, path) == 0) return true;
  int reason = errno;
  unlink(beside);
  errno = reason;
  return false;
}

static int replace(const char *name, const char *path, mode_t rights, const char *text, size_t size)
{
  size_t room = strlen(path) + sizeof ".XXXXXX";
  char *beside = (char *)malloc(room);
  if (beside == NULL) return fail_memory();
  snprintf(beside, room, "%s.XXXXXX", path);
  int code = replace_file(path, beside, rights, text, size) ? CODE_DONE : cannot_write(name);
  free(beside);
  return code;
}

/* A link stays a link: what it points to is replaced. */
static int replace_what_is_there(const char *name, mode_t rights, const char *text, size_t size)
{
  char *path = access(name, W_OK) == 0 ? realpath(name, NULL) : NULL;
  int code = path != NULL ? replace(name, path, rights, text, size) : cannot_write(name);
  free(path);
  return code;
}

int write_file(const char *name, const char *text, size_t size)
{
  struct stat status;
  if (stat(name, &status) != 0)
    return errno == ENOENT ? replace(name, name, rights_of_new(), text, size) : cannot_write(name);
  if (S_ISDIR(status.st_mode)) return fail(CODE_INTERNAL, "cannot write \"%.400s\": it is a folder", name);
  if (!S_ISREG(status.st_mode)) return write_in_place(name, text, size);
  return replace_what_is_there(name, status.st_mode & 07777, text, size);
}

int write_output(const cli_request *request, const char *text, size_t size)
{
  if (to_stdout(request)) return write_stdout(text, size);
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

int keep_columns(const cli_request *request, pm_table *table)
{
  texts names;
  pm_error error = PM_ERROR_NONE;
  const char *asked = request->value[OPTION_COLUMNS];
  if (asked == NULL || table == NULL) return CODE_DONE;
  if (strcmp(asked, "all") == 0) return pm_table_set_show(table, NULL, PM_SHOW_MAIN), CODE_DONE;
  if (!read_option_names("columns", asked, &names)) return CODE_USAGE;
  int status = pm_table_keep(table, names.items, names.count, &error);
  free(names.items);
  return status == PM_OK ? CODE_DONE : fail(CODE_USAGE, "--columns: %s", error.text);
}

bool is_report(const cli_request *request)
{
  return request->format == PM_FORMAT_TABLE && request->value[OPTION_COLUMNS] == NULL;
}

int write_table(const cli_request *request, pm_table *table, const pm_error *error)
{
  if (table == NULL) return error->status != PM_OK ? fail_error(error) : fail(CODE_INTERNAL, "out of memory");
  pm_error reason = PM_ERROR_NONE;
  int code = keep_columns(request, table);
  char *text = code == CODE_DONE ? pm_table_format(table, request->format, output_width(request), &reason) : NULL;
  if (text != NULL) code = write_output(request, text, strlen(text));
  else if (code == CODE_DONE) code = fail_error(&reason);
  pm_string_free(text);
  pm_table_free(table);
  return code;
}

int write_document(const cli_request *request, pm_report *report, const pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  if (report == NULL) return fail_error(error);
  char *text = pm_report_format(report, PM_RENDERING_TEXT, output_width(request), &reason);
  int code = text != NULL ? write_output(request, text, strlen(text)) : fail_error(&reason);
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

int page_write(cli_page *page, const cli_request *request)
{
  bool good = ferror(page->stream) == 0;
  good = fclose(page->stream) == 0 && good;
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
