/* The table of schedules. */
#include "schedule/pipeline.h"
#include <stddef.h>

const pm__pipeline_schedule *pm__pipeline_schedule_of(int schedule)
{
  static const pm__pipeline_schedule *const all[] = {
#define DESCRIPTOR(name, text, doc) [PM_PIPELINE_SCHEDULE_##name] = &pm__pipeline_schedule_##name,
    PM_PIPELINE_SCHEDULE_LIST(DESCRIPTOR)
#undef DESCRIPTOR
  };
  return schedule >= 0 && schedule < PM_PIPELINE_SCHEDULE_COUNT ? all[schedule] : NULL;
}
