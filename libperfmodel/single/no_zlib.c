/* Instead of catalog/inflate.c, for perfmodel.c, which has to compile alone: packed files are refused. */
#include "catalog/entry.h"

char *pm__inflate(const char *bytes, size_t size, size_t *length, const char *path, pm_error *error)
{
  (void)bytes, (void)size, (void)length;
  pm__fail(error, PM_STATUS_BAD_FILE, "\"%.200s\" is packed, and this build has no zlib; unpack it: gunzip -k FILE",
           path);
  return NULL;
}
