/* The shipped measurements as bytes, written at build time by cmake/Embed.cmake. */
#ifndef PM_BASE_EMBEDDED_H
#define PM_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct pm__embedded_file {
  const char *name; /* relative to data/ */
  const unsigned char *bytes;
  size_t size;
} pm__embedded_file;

extern const pm__embedded_file pm__embedded_files[];
extern const size_t pm__embedded_count;

#endif
