/* Writing timelines: the format of Chrome's trace viewer, which Perfetto opens. */
#ifndef PM_STEP_TRACE_TEXT_H
#define PM_STEP_TRACE_TEXT_H

#include "base/base.h"

/* What boards draw in some time beyond what they draw while they wait [J]. */
typedef struct pm__trace_draw {
  double start, duration, energy;
  bool kernels; /* of forward and backward passes */
} pm__trace_draw;

typedef struct pm__trace_text {
  pm__string text;
  int events;
  pm__trace_draw *draw;
  size_t draws, capacity;
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

/* One thing that a board draws for; nothing if it takes no time. */
void pm__trace_add_draw(pm__trace_text *trace, pm__trace_draw draw);

/* Of what the counter is the mean. */
typedef struct pm__trace_boards {
  double waiting, mean; /* W of a board: while it waits; over the step, as predicted */
  double step, end;     /* s: of the step; at which the timeline ends */
  int lanes;            /* of boards that were drawn */
} pm__trace_boards;

/* The counter "power of a board", the mean of the lanes. Passes draw what is left of the predicted energy, each by its
** share, so that what the counter adds up to over the step is the predicted energy, and what a timeline takes longer is
** waiting. */
void pm__trace_add_power(pm__trace_text *trace, const pm__trace_boards *boards);

/* All of it, for the caller to free; NULL without memory. */
char *pm__trace_end(pm__trace_text *trace, pm_error *error);

#endif
