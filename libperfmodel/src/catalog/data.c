/* Shipped tables: most are compressed in the library, and opened here. The only file that knows zlib. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/embedded.h"
#include "catalog/entry.h"

enum { TEXT_MOST = 64 << 20 };

static const pm__embedded_file *find_file(const char *name)
{
  size_t length = strlen(name);
  for (size_t i = 0; i < pm__embedded_count; i++) {
    const char *file = pm__embedded_files[i].name;
    if (strncmp(file, name, length) == 0 && (file[length] == '\0' || strcmp(file + length, ".gz") == 0))
      return &pm__embedded_files[i];
  }
  return NULL;
}

/* The size of the text stands in the last four bytes of a gzip file. */
static size_t text_size(const pm__embedded_file *file)
{
  const unsigned char *tail = file->bytes + file->size - 4;
  return (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
}

static bool inflate_all(const pm__embedded_file *file, char *text, size_t size)
{
  const int gzip = 16 + MAX_WBITS;
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, gzip) != Z_OK) return false;
  stream.next_in = (Bytef *)(uintptr_t)file->bytes;
  stream.avail_in = (uInt)file->size;
  stream.next_out = (Bytef *)text;
  stream.avail_out = (uInt)size;
  int result = inflate(&stream, Z_FINISH);
  bool good = result == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  return good;
}

char *pm_shipped_text(const char *name, pm_error *error)
{
  const pm__embedded_file *file = name != NULL ? find_file(name) : NULL;
  if (file == NULL) {
    pm__fail(error, PM_NOT_FOUND, "no table \"%.80s\" is shipped", name != NULL ? name : "");
    return NULL;
  }
  bool plain = strcmp(file->name, name) == 0;
  size_t size = plain ? file->size : file->size > 18 ? text_size(file) : 0;
  char *text = size > 0 && size < TEXT_MOST ? (char *)malloc(size + 1) : NULL;
  if (text == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  text[size] = '\0';
  if (plain) memcpy(text, file->bytes, size);
  if (plain || inflate_all(file, text, size)) return text;
  free(text);
  pm__fail(error, PM_INTERNAL, "the shipped table \"%.80s\" is damaged", name);
  return NULL;
}

/* ---- Files ---- */

/* The bytes of a file, a zero behind them; NULL with an error. */
static char *read_bytes(const char *path, size_t *size, pm_error *error)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    pm__fail(error, PM_BAD_FILE, "cannot read \"%.200s\": %s", path, pm__file_reason(errno));
    return NULL;
  }
  pm__string text = {NULL, 0, 0, false};
  char piece[1 << 14];
  size_t got;
  pm__string_add(&text, "");
  while (!text.failed && text.length < TEXT_MOST && (got = fread(piece, 1, sizeof piece, file)) > 0)
    pm__string_add_bytes(&text, piece, got);
  bool good = !ferror(file) && text.length < TEXT_MOST;
  int reason = errno;
  fclose(file);
  *size = text.length;
  if (good && !text.failed) return text.text;
  if (text.failed) pm__no_memory(error);
  else if (text.length >= TEXT_MOST) pm__fail(error, PM_BAD_FILE, "\"%.200s\" is too large", path);
  else pm__fail(error, PM_BAD_FILE, "cannot read \"%.200s\": %s", path, pm__file_reason(reason));
  free(text.text);
  return NULL;
}

/* What a gzip file holds, of one or more members; NULL with an error. */
static char *inflate_bytes(const char *bytes, size_t size, size_t *length, const char *path, pm_error *error)
{
  z_stream stream;
  pm__string text = {NULL, 0, 0, false};
  unsigned char piece[1 << 14];
  int result = Z_OK;
  memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
    pm__no_memory(error);
    return NULL;
  }
  stream.next_in = (Bytef *)(uintptr_t)bytes;
  stream.avail_in = (uInt)size;
  while (result == Z_OK && !text.failed && text.length < TEXT_MOST) {
    stream.next_out = piece;
    stream.avail_out = sizeof piece;
    result = inflate(&stream, Z_NO_FLUSH);
    pm__string_add_bytes(&text, (const char *)piece, sizeof piece - stream.avail_out);
    if (result == Z_STREAM_END && stream.avail_in > 0) result = inflateReset(&stream);
  }
  inflateEnd(&stream);
  *length = text.length;
  if (result == Z_STREAM_END && !text.failed) return text.text;
  free(text.text);
  if (text.failed) pm__no_memory(error);
  else pm__fail(error, PM_BAD_FILE, "\"%.200s\" is damaged, or too large", path);
  return NULL;
}

char *pm_file_text(const char *path, pm_error *error)
{
  size_t size;
  if (path == NULL) {
    pm__fail(error, PM_BAD_ARGUMENT, "a file needs a path");
    return NULL;
  }
  char *text = read_bytes(path, &size, error);
  if (text != NULL && size > 2 && (unsigned char)text[0] == 0x1f && (unsigned char)text[1] == 0x8b) {
    char *plain = inflate_bytes(text, size, &size, path, error);
    free(text);
    text = plain;
  }
  if (text == NULL || memchr(text, '\0', size) == NULL) return text;
  pm__fail(error, PM_BAD_FILE, "\"%.200s\" is no text", path);
  free(text);
  return NULL;
}
