/* Messages: one line each, to stderr. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"

static const char *about; /* the file that an error is about, where it is not named otherwise */

void fail_about(const char *file)
{
  about = file;
}

/* A message may quote what a user or a file said; a terminal must not take it for a command. */
PRINTF_LIKE(2, 0) static void print_line(const char *colour, const char *format, va_list arguments)
{
  char line[2048];
  bool shown = has_colour(STDERR_FILENO);
  vsnprintf(line, sizeof line, format, arguments);
  fprintf(stderr, "%sperfmodel:%s %s%s%s\n", shown ? colour : "", shown ? "\033[0m" : "", about != NULL ? about : "",
          about != NULL ? ": " : "", pm_text_clean(line));
}

int fail(int code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print_line("\033[1;31m", format, arguments);
  va_end(arguments);
  return code;
}

void note(const cli_request *request, const char *format, ...)
{
  va_list arguments;
  if (request->value[OPTION_QUIET] != NULL) return;
  va_start(arguments, format);
  print_line("\033[33m", format, arguments);
  va_end(arguments);
}

void note_lines(const cli_request *request, const char *lines)
{
  while (*lines != '\0') {
    size_t length = strcspn(lines, "\n");
    note(request, "%.*s", (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

int fail_memory(void)
{
  return fail(CODE_INTERNAL, "out of memory");
}

int error_code(const pm_error *error)
{
  switch (error->status) {
  case PM_OK: return CODE_DONE;
  case PM_STATUS_TOO_MANY_GPUS:
  case PM_STATUS_NO_PRECISION:
  case PM_STATUS_NO_ROUTE:
  case PM_STATUS_UNREACHABLE:
  case PM_STATUS_DOES_NOT_FIT:
  case PM_STATUS_NOT_MODELLED: return CODE_CONSTRAINT;
  case PM_STATUS_BAD_FILE:
  case PM_STATUS_BAD_SYNTAX: return CODE_INPUT;
  case PM_STATUS_NO_MEMORY:
  case PM_STATUS_INTERNAL: return CODE_INTERNAL;
  default: return error->file_length > 0 ? CODE_INPUT : CODE_USAGE;
  }
}

int fail_error(const pm_error *error)
{
  return fail(error->status == PM_OK ? CODE_INTERNAL : error_code(error), "%s",
              error->status == PM_OK ? "failed for an unknown reason" : error->text);
}

const char *closest_name(const char *name, const char *const *names)
{
  size_t count = 0;
  while (names[count] != NULL) count++;
  return pm_name_find_meant(name, names, count);
}
