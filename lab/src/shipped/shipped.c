/* The tables of measurements that the laboratory ships. */
#include <string.h>
#include "perfmodel-lab.h"
#include "base/base.h"
#include "shipped/embedded.h"

/* By its name with or without the ending of a compressed file. */
static const pm__lab_embedded_file *find_file(const char *name)
{
  size_t length = strlen(name);
  for (size_t i = 0; i < pm__lab_embedded_count; i++) {
    const char *file = pm__lab_embedded_files[i].name;
    if (strncmp(file, name, length) == 0 && (file[length] == '\0' || strcmp(file + length, ".gz") == 0))
      return &pm__lab_embedded_files[i];
  }
  return NULL;
}

char *pm_shipped_read(const char *name, pm_error *error)
{
  const pm__lab_embedded_file *file = name != NULL ? find_file(name) : NULL;
  if (file != NULL) return pm_file_unpack(file->bytes, file->size, file->name, error);
  pm__fail(error, PM_STATUS_NOT_FOUND, "no table \"%.80s\" is shipped", name != NULL ? name : "");
  return NULL;
}
