/* Shipped tables: compressed in the library, opened here. The only file that knows zlib. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/embedded.h"
#include "catalog_entry.h"

enum { TEXT_MOST = 64 << 20 };

static const pm__embedded_file *find_file(const char *name)
{
  size_t length = strlen(name);
  for (size_t i = 0; i < pm__embedded_count; i++) {
    const char *file = pm__embedded_files[i].name;
    if (strncmp(file, name, length) == 0 && strcmp(file + length, ".gz") == 0) return &pm__embedded_files[i];
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
  size_t size = file->size > 18 ? text_size(file) : 0;
  char *text = size > 0 && size < TEXT_MOST ? (char *)malloc(size + 1) : NULL;
  if (text == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  text[size] = '\0';
  if (inflate_all(file, text, size)) return text;
  free(text);
  pm__fail(error, PM_INTERNAL, "the shipped table \"%.80s\" is damaged", name);
  return NULL;
}
