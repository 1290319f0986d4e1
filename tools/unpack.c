/* gzip by zlib, into one growing text. */
#include "unpack.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct text {
  char *bytes;
  size_t size, capacity;
} text;

/* Room for another piece and the final zero. */
static char *room(text *t, size_t piece)
{
  if (t->size + piece + 1 > t->capacity) {
    size_t capacity = 2 * t->capacity + piece + 1;
    char *larger = (char *)realloc(t->bytes, capacity);
    if (larger == NULL) return NULL;
    t->bytes = larger;
    t->capacity = capacity;
  }
  return t->bytes + t->size;
}

enum { PIECE = 1 << 16 };

char *read_packed_file(const char *path)
{
  text t = {NULL, 0, 0};
  gzFile file = gzopen(path, "rb");
  int got = file != NULL ? 1 : -1;
  while (got > 0) {
    char *place = room(&t, PIECE);
    got = place != NULL ? gzread(file, place, PIECE) : -1;
    if (got > 0) t.size += (size_t)got;
  }
  if (file != NULL && gzclose(file) != Z_OK) got = -1;
  if (got < 0) {
    free(t.bytes);
    return NULL;
  }
  t.bytes[t.size] = '\0';
  return t.bytes;
}

char *unpack(const unsigned char *bytes, size_t size)
{
  text t = {NULL, 0, 0};
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  int status = size <= UINT_MAX ? inflateInit2(&stream, 15 + 16) : Z_DATA_ERROR;
  if (status != Z_OK) return NULL;
  stream.next_in = (z_const Bytef *)bytes;
  stream.avail_in = (uInt)size;
  while (status == Z_OK) {
    char *place = room(&t, PIECE);
    if (place == NULL) break;
    stream.next_out = (Bytef *)place;
    stream.avail_out = PIECE;
    status = inflate(&stream, Z_NO_FLUSH);
    t.size += PIECE - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) {
    free(t.bytes);
    return NULL;
  }
  t.bytes[t.size] = '\0';
  return t.bytes;
}
