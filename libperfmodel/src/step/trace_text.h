/* Writing timelines: the format of Chrome's trace viewer, which Perfetto opens. */
#ifndef PM_STEP_TRACE_TEXT_H
#define PM_STEP_TRACE_TEXT_H

#include "base/base.h"

typedef struct pm__trace_text {
  pm__string text;
  int events;
} pm__trace_text;

/* One event: what it is, its category, and of which chunk and micro-batch (-1: of none). Times in s. */
typedef struct pm__trace_event {
  const char *name, *what, *category; /* `what` is added to the name; NULL: nothing, no category */
  int lane, chunk, micro_batch;
  double start, duration;
} pm__trace_event;

void pm__trace_begin(pm__trace_text *trace);
void pm__trace_lane(pm__trace_text *trace, int lane, const char *name);

/* Nothing if it takes no time. */
void pm__trace_add(pm__trace_text *trace, const pm__trace_event *event);

/* All of it, for the caller to free; NULL without memory. */
char *pm__trace_end(pm__trace_text *trace, pm_error *error);

#endif
