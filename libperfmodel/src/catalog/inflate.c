/* What a gzip file holds. The only file that knows zlib. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "catalog/entry.h"

char *pm__inflate(const char *bytes, size_t size, size_t *length, const char *path, pm_error *error)
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
  while (result == Z_OK && !text.failed && text.length < PM__TEXT_MOST) {
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
  if (text.failed || result == Z_MEM_ERROR) pm__no_memory(error);
  else pm__fail(error, PM_STATUS_BAD_FILE, "\"%.200s\" is damaged, or too large", path);
  return NULL;
}
