/* Which fields were given. */
#include "complete/complete.h"

_Static_assert(PM__RUN_AT_END <= 128 && PM__INFERENCE_AT_END <= 64 && PM__SERVING_AT_END <= 64,
                "a run has more fields than pm_given has bits");

int pm_given_add(pm_given *given, const char *type, const char *field)
{
  const pm_record_type *record = pm_record_type_find(type);
  const pm_field *found = pm_record_find_field(record, field);
  if (given == NULL || found == NULL) return PM_STATUS_NOT_FOUND;
  int place = (int)(found - record->fields);
  *(place < 64 ? &given->fields : &given->more) |= (uint64_t)1 << place % 64;
  return PM_OK;
}
