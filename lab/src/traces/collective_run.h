/*
** One run of nccl-tests or rccl-tests: a collective on some GPUs. Text, JSON and CSV all become rows through it, so
** that each form is held to the same rules: which system it is, how many nodes these ranks are, and whether the
** bandwidths that the program printed are those of this collective on so many ranks.
*/
#ifndef PM_LAB_TRACES_COLLECTIVE_RUN_H
#define PM_LAB_TRACES_COLLECTIVE_RUN_H

#include "base/index.h"
#include "traces/traces.h"

/* Whether a size, or a time, is one that a message can have. */
static inline bool pm__lab_collective_is_size(double bytes)
{
  return bytes >= 0 && bytes <= PM__LAB_TRACE_MOST && bytes == floor(bytes);
}

static inline bool pm__lab_collective_is_time(double us)
{
  return us > 0 && us <= PM__LAB_TRACE_MOST;
}

/* All zero is a run of which nothing is known yet. */
typedef struct pm__lab_collective_run {
  char collective[40], gpu[120], version[24], machine[PM_TEXT_MAX];
  size_t ranks, nodes;
  double thread_gpus;    /* GPUs of one thread, for the note */
  char **hosts;          /* by name, each once */
  size_t host_count, host_capacity;
  pm__text_index host_index;
  bool finished;
} pm__lab_collective_run;

/* A size that was timed; bandwidths of 0 are unknown. */
typedef struct pm__lab_collective_time {
  double bytes, us, algorithm_bandwidth, bus_bandwidth;
  int line; /* 0: none */
} pm__lab_collective_time;

extern const char pm__lab_collective_titles[];

/* The collective of a test ("all_reduce", "AllReduce", "alltoall_perf"), or NULL. */
const char *pm__lab_collective_of(const char *test);

/* The name of a test within a line, "./build/all_reduce_perf -b 8"; NULL if it names none. */
const char *pm__lab_collective_named(const char *line);

int pm__lab_collective_add_host(pm__lab_trace *trace, pm__lab_collective_run *run, const char *name);

/* 22807 -> "2.28.7", 2708 -> "2.7.8". */
void pm__lab_collective_set_version(pm__lab_collective_run *run, double code);

/* Forgets everything: the next run. */
void pm__lab_collective_begin(pm__lab_collective_run *run);

/* Settles the run with what the user said of it, and adds a row; the first one asks whether that is enough. */
int pm__lab_collective_add(pm__lab_trace *trace, const pm_catalog *catalog, pm__lab_collective_run *run,
                           const pm__lab_collective_time *time);

/* That any size was timed. */
int pm__lab_collective_check(const pm__lab_trace *trace);

#endif
