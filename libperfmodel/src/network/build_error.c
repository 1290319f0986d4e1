/* Errors with the place of the element that they are about. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "network/build.h"

bool pm__build_fail(pm__builder *builder, const pm__element *element, int status, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pm__fail_at(builder->error, status, builder->document->file, element->line, "%s", text);
  return false;
}

bool pm__build_failed(pm__builder *builder, const pm__element *element)
{
  pm__error_place(builder->error, builder->document->file, element->line);
  return false;
}

bool pm__build_known(pm__builder *builder, const pm__element *element, const char *const *names)
{
  for (const pm__document_attribute *a = element->attributes; a != NULL; a = a->next) {
    const char *const *name = names;
    while (*name != NULL && strcmp(*name, a->name) != 0) name++;
    if (*name == NULL)
      return pm__build_fail(builder, element, PM_STATUS_BAD_SYNTAX, "<%s> has no attribute \"%.60s\"", element->name,
                            a->name);
  }
  return true;
}
