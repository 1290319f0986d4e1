/* The shipped measurements as bytes, written at build time by cmake/Embed.cmake. */
#ifndef PM_LAB_SHIPPED_EMBEDDED_H
#define PM_LAB_SHIPPED_EMBEDDED_H

#include <stddef.h>

typedef struct pm__lab_embedded_file {
  const char *name; /* relative to data/ */
  const unsigned char *bytes;
  size_t size;
} pm__lab_embedded_file;

extern const pm__lab_embedded_file pm__lab_embedded_files[];
extern const size_t pm__lab_embedded_count;

#endif
