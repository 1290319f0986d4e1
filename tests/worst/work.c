/* Counts blocks, by what the compiler calls in each, and bytes, by standing in front of the C library. */
#include "work.h"
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t work_done;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
  work_done++;
}

size_t __real_strlen(const char *text);
char *__real_strchr(const char *text, int c);
char *__real_strstr(const char *text, const char *part);
size_t __real_strspn(const char *text, const char *bytes);
size_t __real_strcspn(const char *text, const char *bytes);
void *__real_memchr(const void *from, int c, size_t size);
void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int c, size_t size);
void *__real_realloc(void *old, size_t size);

size_t __wrap_strlen(const char *text)
{
  const size_t length = __real_strlen(text);
  work_done += length;
  return length;
}

char *__wrap_strchr(const char *text, int c)
{
  char *found = __real_strchr(text, c);
  work_done += found != NULL ? (size_t)(found - text) : __real_strlen(text);
  return found;
}

char *__wrap_strstr(const char *text, const char *part)
{
  char *found = __real_strstr(text, part);
  work_done += found != NULL ? (size_t)(found - text) : __real_strlen(text);
  return found;
}

size_t __wrap_strspn(const char *text, const char *bytes)
{
  const size_t length = __real_strspn(text, bytes);
  work_done += length;
  return length;
}

size_t __wrap_strcspn(const char *text, const char *bytes)
{
  const size_t length = __real_strcspn(text, bytes);
  work_done += length;
  return length;
}

/* It looks for the end of the text first, however little it is asked for. */
static int scan(const char *text, const char *format, va_list values)
{
  work_done += __real_strlen(text);
  return vsscanf(text, format, values);
}

#define SCANNING(name)                                   \
  int __wrap_##name(const char *text, const char *format, ...); \
  int __wrap_##name(const char *text, const char *format, ...)  \
  {                                                      \
    va_list values;                                      \
    va_start(values, format);                            \
    const int read = scan(text, format, values);         \
    va_end(values);                                      \
    return read;                                         \
  }

/* What the C libraries call it. */
SCANNING(sscanf)
SCANNING(__isoc99_sscanf)
SCANNING(__isoc23_sscanf)

void *__wrap_memchr(const void *from, int c, size_t size)
{
  const char *found = (const char *)__real_memchr(from, c, size);
  work_done += found != NULL ? (size_t)(found - (const char *)from) : size;
  return (void *)found;
}

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
  work_done += size;
  return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
  work_done += size;
  return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int c, size_t size)
{
  work_done += size;
  return __real_memset(to, c, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  work_done += old != NULL ? malloc_usable_size(old) : 0;
  return __real_realloc(old, size);
}
