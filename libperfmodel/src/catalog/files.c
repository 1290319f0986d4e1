/*
** Files: folders of them -> documents, and tables as text, which may be compressed. catalog/inflate.c unpacks them.
*/
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* folders and open() are POSIX, which -std=c11 hides */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "catalog/entry.h"

static const size_t size_max = (size_t)16 << 20;

int pm__documents_add(pm__documents *documents, pm__document *document, pm_error *error)
{
  pm__document **items = (pm__document **)pm__grow(documents->items, documents->count, &documents->capacity,
                                                   sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  documents->items = items;
  documents->items[documents->count++] = document;
  return PM_OK;
}

int pm__documents_take(pm__documents *documents, pm__document *document, pm_error *failure)
{
  if (document == NULL) return failure->status;
  int status = pm__documents_add(documents, document, failure);
  if (status != PM_OK) pm__document_free(document);
  return status;
}

void pm__documents_free(pm__documents *documents)
{
  for (size_t i = 0; i < documents->count; i++) pm__document_free(documents->items[i]);
  free(documents->items);
  memset(documents, 0, sizeof *documents);
}

/* In our own words: strerror depends on the locale, and is not for threads. */
const char *pm__file_reason(int number)
{
  switch (number) {
  case ENOENT: return "there is no such file or folder";
  case EACCES: return "it may not be read";
  case EISDIR: return "it is a folder";
  case ENOTDIR: return "a part of the path is not a folder";
  case ENAMETOOLONG: return "the name is too long";
  case ETIMEDOUT: return "nobody writes to this pipe";
  case ELOOP: return "too many symbolic links";
  default: return "it cannot be read";
  }
}

static int cannot_open(const char *path, int number, pm_error *error)
{
  if (number == ENOMEM) return pm__no_memory(error);
  return pm__fail_at(error, PM_STATUS_BAD_FILE, path, 0, "%s", pm__file_reason(number));
}

enum { PATIENCE = 2000 /* milliseconds: who starts both ends at once */, FOR_EVER = -1 };

/* Waits until there is more to read from a file that does not wait itself. Returns 0 when the time is over, less if a
** signal came first. */
static int wait_for_more(int descriptor, int milliseconds)
{
  struct pollfd more = {.fd = descriptor, .events = POLLIN};
  return poll(&more, 1, milliseconds);
}

/* Adds what is left to read, up to `most` bytes; returns 0, or an errno: EFBIG if there are more, ETIMEDOUT if nobody
** writes: a pipe that nobody has opened yet looks as if it were at its end. */
static int read_all(int descriptor, size_t most, pm__string *bytes)
{
  char buffer[65536];
  struct stat about;
  if (fstat(descriptor, &about) != 0) return errno;
  for (bool opened = !S_ISFIFO(about.st_mode);;) {
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      wait_for_more(descriptor, FOR_EVER);
      continue;
    }
    if (count == 0 && !opened) {
      int found = wait_for_more(descriptor, PATIENCE);
      if (found == 0) return ETIMEDOUT;
      opened = found > 0;
      continue;
    }
    if (count <= 0) return count < 0 ? errno : 0;
    opened = true;
    pm__string_add_bytes(bytes, buffer, (size_t)count);
    if (bytes->failed) return ENOMEM;
    if (bytes->length > most) return EFBIG;
  }
}

static int parse_file(pm__documents *documents, int descriptor, const char *path, pm_error *error)
{
  pm__string bytes = {NULL, 0, 0, false};
  pm_error failure = PM_ERROR_NONE;
  int number = read_all(descriptor, size_max, &bytes), status = PM_OK;
  if (number == EFBIG) status = pm__fail_at(&failure, PM_STATUS_BAD_FILE, path, 0, "the file is larger than 16 MiB");
  else if (number != 0) status = cannot_open(path, number, &failure);
  if (status == PM_OK)
    status = pm__documents_take(documents, pm__document_read(bytes.text, bytes.length, path, &failure), &failure);
  free(bytes.text);
  if (status == PM_OK) return PM_OK;
  pm__error_take(error, &failure);
  return status;
}

/* Opens without waiting for the other end of a pipe. */
static int open_path(const char *path, struct stat *about, pm_error *error)
{
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor >= 0 && fstat(descriptor, about) == 0) return descriptor;
  cannot_open(path, errno, error);
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static int read_file(pm__documents *documents, const char *path, int descriptor, const struct stat *about,
                     pm_error *error)
{
  if (S_ISDIR(about->st_mode)) return pm__fail_at(error, PM_STATUS_BAD_FILE, path, 0,
                                                  "this is a folder, not a file");
  if (!S_ISREG(about->st_mode)) return pm__fail_at(error, PM_STATUS_BAD_FILE, path, 0, "not a regular file");
  return parse_file(documents, descriptor, path, error);
}

/* ---- Folders. */

typedef struct path_list {
  char **items;
  size_t count, capacity;
} path_list;

static void free_paths(path_list *paths)
{
  for (size_t i = 0; i < paths->count; i++) free(paths->items[i]);
  free(paths->items);
}

static bool is_wanted(const char *name)
{
  size_t length = strlen(name);
  return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".xml") == 0;
}

static int add_path(path_list *paths, const char *folder, const char *name, pm_error *error)
{
  pm__string path = {NULL, 0, 0, false};
  char **items = (char **)pm__grow(paths->items, paths->count, &paths->capacity, sizeof *items);
  if (items == NULL) return pm__no_memory(error);
  paths->items = items;
  pm__string_add(&path, folder);
  if (folder[strlen(folder) - 1] != '/') pm__string_add(&path, "/"); /* no folder opens without a name */
  pm__string_add(&path, name);
  if (path.failed) {
    free(path.text);
    return pm__no_memory(error);
  }
  paths->items[paths->count++] = path.text;
  return PM_OK;
}

static int list_folder(path_list *paths, const char *folder, pm_error *error)
{
  DIR *stream = opendir(folder);
  int status = PM_OK;
  if (stream == NULL) return cannot_open(folder, errno, error);
  errno = 0; /* readdir says so of a folder that cannot be read to its end, and in no other way */
  for (const struct dirent *item; status == PM_OK && (item = readdir(stream)) != NULL; errno = 0)
    if (is_wanted(item->d_name)) status = add_path(paths, folder, item->d_name, error);
  if (status == PM_OK && errno != 0) status = cannot_open(folder, errno, error);
  closedir(stream);
  return status;
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_one(pm__documents *documents, const char *path, pm_error *error)
{
  struct stat about;
  int descriptor = open_path(path, &about, error);
  if (descriptor < 0) return PM_STATUS_BAD_FILE;
  int status = read_file(documents, path, descriptor, &about, error);
  close(descriptor);
  return status;
}

static int read_folder(pm__documents *documents, const char *folder, pm_error *error)
{
  path_list paths = {NULL, 0, 0};
  int status = list_folder(&paths, folder, error);
  if (status == PM_OK && paths.count == 0)
    status = pm__fail_at(error, PM_STATUS_BAD_FILE, folder, 0, "the folder holds no *.xml file");
  if (status == PM_OK) qsort(paths.items, paths.count, sizeof *paths.items, compare_paths);
  for (size_t i = 0; i < paths.count && status == PM_OK; i++) status = read_one(documents, paths.items[i], error);
  free_paths(&paths);
  return status;
}

int pm__documents_read(pm__documents *documents, const char *path, pm_error *error)
{
  struct stat about;
  int descriptor = open_path(path, &about, error);
  if (descriptor < 0) return PM_STATUS_BAD_FILE;
  bool folder = S_ISDIR(about.st_mode);
  int status = folder ? PM_OK : read_file(documents, path, descriptor, &about, error);
  close(descriptor);
  return folder ? read_folder(documents, path, error) : status;
}

/* ---- Tables. */

/* The bytes of a file, a zero behind them; NULL with an error. */
static char *read_bytes(const char *path, size_t *size, pm_error *error)
{
  pm__string text = {NULL, 0, 0, false};
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), number = descriptor < 0 ? errno : 0;
  pm__string_add(&text, "");
  if (number == 0) number = text.failed ? ENOMEM : read_all(descriptor, PM__TEXT_MOST, &text);
  if (descriptor >= 0) close(descriptor);
  *size = text.length;
  if (number == 0) return text.text;
  free(text.text);
  if (number == ENOMEM) pm__no_memory(error);
  else if (number == EFBIG) pm__fail(error, PM_STATUS_BAD_FILE, "\"%.200s\" is too large", path);
  else pm__fail(error, PM_STATUS_BAD_FILE, "cannot read \"%.200s\": %s", path, pm__file_reason(number));
  return NULL;
}

/* The text of the bytes, or what is wrong with them. */
static char *decode(const char *bytes, size_t size, const char *path, pm_error *error)
{
  pm__string plain = {NULL, 0, 0, false};
  if (size > 2 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b) {
    plain.text = pm__inflate(bytes, size, &plain.length, path, error);
    if (plain.text == NULL) return NULL;
  }
  else pm__string_add_bytes(&plain, bytes, size);
  if (plain.failed) pm__no_memory(error);
  else if (memchr(plain.text, '\0', plain.length) == NULL) return plain.text;
  else pm__fail(error, PM_STATUS_BAD_FILE, "\"%.200s\" is not a text file", path);
  free(plain.text);
  return NULL;
}

char *pm_file_unpack(const void *bytes, size_t size, const char *name, pm_error *error)
{
  if (bytes != NULL && name != NULL) return decode((const char *)bytes, size, name, error);
  pm__fail(error, PM_STATUS_BAD_ARGUMENT, "the bytes to decode or their name are missing");
  return NULL;
}

char *pm_file_read(const char *path, pm_error *error)
{
  size_t size;
  if (path == NULL) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a file needs a path");
    return NULL;
  }
  char *bytes = read_bytes(path, &size, error);
  char *text = bytes != NULL ? decode(bytes, size, path, error) : NULL;
  free(bytes);
  return text;
}
