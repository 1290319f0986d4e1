/*
** The passes of a pipeline in time, one by one, for timelines.
**
** Schedules that compute all gradients in one backward pass have a fixed order: as many forward passes as a stage keeps
** micro-batches, then one backward and one forward pass in turn, then the backward passes that are left. GPipe, 1F1B
** and interleaved 1F1B differ in how many they keep. Those that compute gradients of parameters apart fill their gaps
** with them: a stage does what can start first, and of what can start at the same time gradients of activations before
** a forward pass, if it may keep one more micro-batch, before gradients of parameters.
*/
#ifndef PM_SCHEDULE_PIPELINE_ORDER_H
#define PM_SCHEDULE_PIPELINE_ORDER_H

#include <stddef.h>
#include "schedule/pipeline.h"

typedef enum pm__pipeline_pass { PM__PIPELINE_FORWARD, PM__PIPELINE_BACKWARD, PM__PIPELINE_WEIGHTS } pm__pipeline_pass;

/* What one chunk of a stage takes for a micro-batch; s. `weights` counts only where the schedule has it apart. */
typedef struct pm__pipeline_chunk {
  double forward, backward, weights;
} pm__pipeline_chunk;

typedef struct pm__pipeline_event {
  int stage, chunk, micro_batch;
  pm__pipeline_pass pass;
  double start, duration;
} pm__pipeline_event;

/* How many passes there are: stages x chunks x micro-batches, forward and backward, and gradients of parameters apart.
** */
double pm__pipeline_event_count(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule);

/* All of them into `events`, in the order that they start on each stage; chunk i of a stage is chunk[stage * chunks +
** i]. False without memory. Cost: passes x stages. */
bool pm__pipeline_order(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule,
                        const pm__pipeline_chunk *chunk, pm__pipeline_event *events);

/* The chunk of the network that a stage has as its number `i`: i p + stage, or back again in the shape of a V. */
int pm__pipeline_place(const pm__pipeline_load *load, const pm__pipeline_schedule *schedule, int stage, int i);

#endif
