/* Reads compressed text. */
#ifndef PERFMODEL_UNPACK_H
#define PERFMODEL_UNPACK_H

#include <stddef.h>

/* A file, compressed by gzip or not, as text; NULL if it cannot be read. Freed by the caller. */
char *read_packed_file(const char *path);

/* The same for bytes that gzip made. */
char *unpack(const unsigned char *bytes, size_t size);

#endif
