/* Statuses and their texts, and errors as callers get them: one line, the first one wins. */
#undef PM_ANALYSIS /* defined here */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"

enum { FILE_MOST = 200, MESSAGE_MOST = 290 }; /* bytes of a file's name, and of what is said of it */

static const char *const texts[] = {
#define PM__TEXT(name, text, doc) doc,
  PM_STATUS_LIST(PM__TEXT)
#undef PM__TEXT
};

const char *pm_status_get_text(int status)
{
  return status >= 0 && status < PM_STATUS_COUNT ? texts[status] : "unknown";
}

/* Messages are one line, and no terminal takes a part of them for a command, whatever a user's file holds. A character
** that was cut at the end of the room is left out. */
static void keep_one_line(char *text, size_t size)
{
  size_t length = strlen(text), last = length;
  if (length == size - 1) {
    do last--;
    while (last > 0 && length - last < 4 && ((unsigned char)text[last] & 0xc0) == 0x80);
    if (pm__utf8_length(text + last) == 0) text[last] = '\0';
  }
  pm_text_clean(text);
}

int pm__fail(pm_error *error, int status, const char *format, ...)
{
  if (error == NULL || error->status != PM_OK) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  keep_one_line(error->text, sizeof error->text);
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
  keep_one_line(error->text, sizeof error->text);
  error->status = status;
  pm__error_place(error, file, line);
  return status;
}

void pm__error_place(pm_error *error, const char *file, int line)
{
  if (error == NULL || error->status == PM_OK || error->file_length != 0 || file == NULL) return;
  char name[FILE_MOST + 1], text[MESSAGE_MOST + 1];
  snprintf(name, sizeof name, "%s", file);
  keep_one_line(name, sizeof name);
  snprintf(text, sizeof text, "%.*s", MESSAGE_MOST, error->text);
  keep_one_line(text, sizeof text);
  error->line = line;
  error->file_length = (int)strlen(name);
  /* A place that leaves no room for the message is cut, never the message's head. */
  if (line > 0) snprintf(error->text, sizeof error->text, "%s:%d: %s", name, line, text);
  else snprintf(error->text, sizeof error->text, "%s: %s", name, text);
}

void pm__error_take(pm_error *error, const pm_error *failure)
{
  if (error != NULL && error->status == PM_OK) *error = *failure;
}

int pm__no_memory(pm_error *error)
{
  return pm__fail(error, PM_STATUS_NO_MEMORY, "out of memory");
}
