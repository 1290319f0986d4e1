/*
** Loaded before the C library (LD_PRELOAD): the N-th call of one kind fails, as PM_FAULT says: "write 2 ENOSPC", or is
** "short": one byte. Calls are counted from 1. When it has failed, a file named by PM_FAULT_DONE is made.
*/
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *name;
  int number;
} reasons[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"EPIPE", EPIPE}, {"EACCES", EACCES},
               {"EMFILE", EMFILE}, {"short", 0}};

static int number_of(const char *reason)
{
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
    if (strcmp(reasons[i].name, reason) == 0) return reasons[i].number;
  return EIO;
}

static void say_that_it_failed(void)
{
  const char *path = getenv("PM_FAULT_DONE");
  int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  int (*real_close)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
  if (path != NULL) real_close(real_open(path, O_WRONLY | O_CREAT, 0600));
}

/* Whether this call is the one; *reason becomes its errno, 0 for "short". */
static bool is_the_one(const char *call, int *reason)
{
  static int counted;
  char wanted[32], word[32];
  int which;
  const char *text = getenv("PM_FAULT");
  if (text == NULL || sscanf(text, "%31s %d %31s", wanted, &which, word) != 3 || strcmp(wanted, call) != 0)
    return false;
  if (++counted != which) return false;
  *reason = number_of(word);
  say_that_it_failed();
  return true;
}

/* A call that can only fail: returns `failed` with an errno, or what the C library's gives. */
#define FAIL_OR(call, type, failed, parameters, arguments)                  \
  type call parameters                                                      \
  {                                                                         \
    int reason;                                                             \
    type(*real) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #call);   \
    if (!is_the_one(#call, &reason)) return real arguments;                 \
    errno = reason;                                                         \
    return failed;                                                          \
  }

FAIL_OR(stat, int, -1, (const char *path, struct stat *about), (path, about))
FAIL_OR(fstat, int, -1, (int descriptor, struct stat *about), (descriptor, about))
FAIL_OR(access, int, -1, (const char *path, int mode), (path, mode))
FAIL_OR(realpath, char *, NULL, (const char *path, char *resolved), (path, resolved))
FAIL_OR(mkstemp, int, -1, (char *path), (path))
FAIL_OR(fchmod, int, -1, (int descriptor, mode_t mode), (descriptor, mode))
FAIL_OR(fsync, int, -1, (int descriptor), (descriptor))
FAIL_OR(rename, int, -1, (const char *from, const char *to), (from, to))
FAIL_OR(opendir, DIR *, NULL, (const char *path), (path))
FAIL_OR(readdir, struct dirent *, NULL, (DIR *folder), (folder))

/* The descriptor is closed all the same, as Linux does. */
int close(int descriptor)
{
  int reason, (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close"), result = real(descriptor);
  if (!is_the_one("close", &reason)) return result;
  errno = reason;
  return -1;
}

int open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(rest, int) : 0;
  va_end(rest);
  int reason, (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  if (!is_the_one("open", &reason)) return real(path, flags, mode);
  errno = reason;
  return -1;
}

#define PART_OF(call, bytes)                                                                                         \
  ssize_t call(int descriptor, bytes, size_t size)                                                                   \
  {                                                                                                                  \
    int reason;                                                                                                      \
    ssize_t (*real)(int, bytes, size_t) = (ssize_t(*)(int, bytes, size_t))dlsym(RTLD_NEXT, #call);                   \
    if (!is_the_one(#call, &reason)) return real(descriptor, text, size);                                            \
    if (reason == 0) return real(descriptor, text, size > 0 ? 1 : 0);                                                \
    errno = reason;                                                                                                  \
    return -1;                                                                                                       \
  }

PART_OF(read, void *text)
PART_OF(write, const void *text)
