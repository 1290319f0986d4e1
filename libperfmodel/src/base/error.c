/* Statuses and their texts, and errors as callers get them: one line, the first one wins. */
#undef PM_ANALYSIS /* defined here */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"

enum { FILE_MOST = 200 }; /* bytes of a file's name in a message */

static const char *const texts[] = {
#define PM__TEXT(name, text, doc) doc,
  PM_STATUS_LIST(PM__TEXT)
#undef PM__TEXT
};

const char *pm_status_get_text(int status)
{
  return status >= 0 && status < PM_STATUS_COUNT ? texts[status] : "unknown";
}

/* Messages are one line whatever a user's file holds. */
static void keep_one_line(char *text)
{
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < 0x20) *text = ' ';
}

int pm__fail(pm_error *error, int status, const char *format, ...)
{
  if (error == NULL || error->status != PM_OK) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  keep_one_line(error->text);
  error->status = status;
  return status;
}

int pm__fail_at(pm_error *error, int status, const char *file, int line, const char *format, ...)
{
  if (error == NULL || error->status != PM_OK) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  keep_one_line(error->text);
  error->status = status;
  pm__error_place(error, file, line);
  return status;
}

void pm__error_place(pm_error *error, const char *file, int line)
{
  if (error == NULL || error->status == PM_OK || error->file_length != 0 || file == NULL) return;
  char text[sizeof error->text];
  memcpy(text, error->text, sizeof text);
  error->line = line;
  size_t length = strlen(file);
  error->file_length = length < FILE_MOST ? (int)length : FILE_MOST;
  /* A place that leaves no room for the message is cut, never the message's head. */
  if (line > 0)
    snprintf(error->text, sizeof error->text, "%.*s:%d: %.290s", error->file_length, file, line, text);
  else
    snprintf(error->text, sizeof error->text, "%.*s: %.290s", error->file_length, file, text);
}

int pm__no_memory(pm_error *error)
{
  return pm__fail(error, PM_STATUS_NO_MEMORY, "out of memory");
}
