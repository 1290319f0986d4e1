/*
** What is known of a run that a log times: what the user says of it, by names of columns, and what the log prints. It
** becomes rows in the layout of the sets of training (validation/packed_row.h): the fields of a run, network, system.
** What is said twice must agree; what is needed and said by neither is an error that names the option.
*/
#ifndef PM_LAB_TRACES_RUN_KNOWN_H
#define PM_LAB_TRACES_RUN_KNOWN_H

#include "traces/traces.h"

enum { PM__LAB_RUN_MOST = 96, PM__LAB_RUN_VALUE = 400 };

typedef struct pm__lab_run_item {
  char name[40], value[PM__LAB_RUN_VALUE];
  bool weak; /* assumed: gives way to what is said */
} pm__lab_run_item;

typedef struct pm__lab_run_known {
  pm__lab_trace *trace;
  pm__lab_run_item items[PM__LAB_RUN_MOST]; /* fields of a run, network, system, framework, global_batch, world, seq */
  size_t count;
  pm_run run; /* filled by pm__lab_run_settle: GPUs and nodes among it, but no batch */
} pm__lab_run_known;

/* What was measured of a run. */
typedef struct pm__lab_run_row {
  const char *quantity, *rank, *words, *check; /* check: why no constant is fitted to it, or "" */
  double value, global_batch;                  /* SI units; samples of all GPUs in a step, NAN: as is known */
  int line;
} pm__lab_run_row;

/* Begins with what the user says. */
int pm__lab_run_begin(pm__lab_run_known *known, pm__lab_trace *trace);

/* What the log says; `weak`: what it only supposes. */
int pm__lab_run_say(pm__lab_run_known *known, const char *name, const char *value, bool weak);

/* The settings of a text of another program (pm_settings_read). */
int pm__lab_run_settings(pm__lab_run_known *known, const char *format, const char *text);

/* The value of a name, or NULL; as a number, NAN if it is none. */
const char *pm__lab_run_get(const pm__lab_run_known *known, const char *name);
double pm__lab_run_number(const pm__lab_run_known *known, const char *name);

/* Finds the network, the system, and on how many GPUs it ran. */
int pm__lab_run_settle(pm__lab_run_known *known, const pm_catalog *catalog);

/* Samples of a step over all GPUs: `printed`, or what is known. NAN without an error if neither says it. */
int pm__lab_run_global_batch(const pm__lab_run_known *known, double printed, int line, double *samples);

/* Tokens of a sample. */
int pm__lab_run_tokens(const pm__lab_run_known *known, double *tokens);

/* Adds what is not given, so that a run is completed, to a note. */
void pm__lab_run_unsaid(const pm__lab_run_known *known, char *note, size_t size);

void pm__lab_run_titles(pm__string *csv);
int pm__lab_run_add(const pm__lab_run_known *known, const pm__lab_run_row *row, pm__string *csv);

#endif
