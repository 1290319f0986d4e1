/*
** A run and its parts in time: the work of one GPU, and the cost of parallelism.
*/
#ifndef PM_SCHEDULE_SCHEDULE_H
#define PM_SCHEDULE_SCHEDULE_H

#include "perfmodel/collective.h"
#include "plan/plan.h"
#include "schedule/exchange.h"
#include "schedule/memo.h"

/* Everything that belongs to one run. */
typedef struct pm__schedule {
  pm__memo *memo; /* NULL: nothing is remembered */
  pm__exchange_cache *cache; /* likewise */
  const pm_plan *plan;
  const pm_run *run;
  const pm__plan_network *network;
  const pm__plan_system *system;
  const pm__plan_framework *framework; /* NULL: none */
  const pm__device *device;
  const pm__device *linear; /* of linear layers, where they are narrower: FP8 training; else NULL */
  int limited; /* tells power limits of the devices apart; 0: none */
  const pm_optimizer *optimizer;
  const pm__units *units;
  const pm__segments *segments; /* NULL: the backward pass is not cut */
  int mode;
  int32_t parallelism, overlap; /* the framework's where the run does not say */
  pm__collective_group group;   /* all GPUs of the run */
  double ranks;
  double batch, accumulation; /* samples of a micro-batch, and micro-batches of a step, of a data-parallel rank */
  double samples;             /* of a step, over all GPUs */
  double factor;           /* of convolutions, over the kernel model */
  double framework_kernel; /* of the framework's own kernels, likewise */
  double launch;   /* s for each launch of a kernel, on the GPU */
  double layout;   /* s for each element and sample that changes layout */
  double gradient; /* bytes of one */
} pm__schedule;

/* Of one GPU alone; s. */
typedef struct pm__schedule_times {
  double update, gpu; /* kernels of the update; all kernels */
  double host;        /* launching, beside the GPU */
  double alone;       /* the step */
  double waited;      /* of it, calls whose results the host waits for */
} pm__schedule_times;

/* The cost of parallelism beyond the work of one GPU. */
typedef struct pm__schedule_overhead {
  double communication, exposed;
  double straggler_wait; /* for the slowest GPU, and the coordinator */
  double bubble;         /* of a pipeline's stages for each other */
  double staleness;
  double exchanged; /* parameters whose gradients each GPU contributes */
  double offload;   /* what waiting for the host's copies and its update adds */
} pm__schedule_overhead;

/* The factor that belongs to each part, put together: s. */
static inline double pm__schedule_part(const pm__schedule *s, const pm__part *part)
{
  return s->factor * part->conv + s->framework_kernel * part->framework + (part->product + part->other);
}

/* One pass of some units over one batch, launches and layouts included; s. */
double pm__schedule_pass_time(const pm__schedule *step, const pm__units *units, const pm__costs *costs, pm__pass pass,
                              double batch);

/* Host calls of a part of a step, as the framework launches its experts. */
double pm__schedule_calls(const pm__schedule *step, const pm__fixed *fixed);

/* Host calls of the forward and backward passes. */
double pm__schedule_pass_calls(const pm__schedule *step);

/* How long a second of the GPU and a call of the host take in a step: their shares of the time of both together. */
typedef struct pm__schedule_pace {
  double gpu, call;
} pm__schedule_pace;

/* Of a kernel of a CUDA graph: a graph of kernels one after the other takes 2.5 us and about 1 ns for each (NVIDIA,
** "Constant Time Launch for Straight-Line CUDA Graphs"); s. */
#define PM__GRAPH_KERNEL 1e-9

/* Time of one host call on the reference core; 0 without a framework. */
static inline double pm__schedule_call_time(const pm__schedule *s)
{
  double time = s->framework != NULL ? s->framework->profile.framework.kernel_time : 0;
  return s->run->cuda_graphs == PM_CUDA_GRAPHS_STEP && time > PM__GRAPH_KERNEL ? PM__GRAPH_KERNEL : time;
}

/* The same on this host. */
static inline double pm__schedule_host_time(const pm__schedule *s)
{
  return s->framework != NULL ? pm__schedule_call_time(s) * s->system->host : 0;
}

/* The host copy of the samples of one batch to one GPU; s. */
double pm__schedule_host_copy(const pm__schedule *step, double batch);

/* The backward pass segment by segment, and the sum of one bucket of each; s. */
typedef struct pm__bucket_times {
  double backward[PM__SEGMENTS], exchange[PM__SEGMENTS];
} pm__bucket_times;

/* Time of one collective of the GPUs of a run, each host thread driving `thread_gpus` of them. */
double pm__schedule_exchange(const pm__schedule *step, int collective, int thread_gpus, double bytes);

/* The same of any group of GPUs, a host thread for each. */
double pm__schedule_exchange_on(const pm__schedule *step, const pm__collective_group *group, int collective,
                                double bytes);

void pm__bucket_times_of(const pm__schedule *step, const pm__costs *costs, const pm__collective_group *group,
                         int collective,
                         pm__bucket_times *times);

/* One segment of a pass, in kernels alone; s. */
double pm__schedule_segment_time(const pm__schedule *step, const pm__segments *cut, const pm__costs *costs,
                                 int segment);

/* All of a backward pass in segments, in kernels alone; s. */
double pm__schedule_backward_time(const pm__schedule *step, const pm__costs *costs);

/* What sums of gradients, bucket by bucket behind the segments of a backward pass, take and add; s. */
typedef struct pm__schedule_overlap {
  double communication, exposed;
} pm__schedule_overlap;

pm__schedule_overlap pm__schedule_overlap_of(const pm__schedule *step, const pm__costs *costs,
                                             const pm__collective_group *group,
                                           int collective, const pm__schedule_pace *pace);

/* Data parallelism in one process or with a server, of whole networks; may change the times, where a host launches
** more. */
void pm__parallelism_evaluate(const pm__schedule *step, pm__schedule_times *times, pm__schedule_overhead *overhead);

/* Waiting of so many ranks for the slowest of them, where one takes `alone`, of which it waits for calls
** for `waited`, and for the coordinator; s. */
double pm__straggler_wait(const pm__schedule *step, double alone, double waited, double ranks);

/* Expected maximum of n numbers of standard normal distribution. */
double pm__expected_maximum(double n);

#endif
