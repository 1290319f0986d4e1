/*
** What a command asks of the library by name: a study, its runs completed, and what was assumed of them. No command
** holds a default of its own.
*/
#ifndef PERFMODEL_ASKED_H
#define PERFMODEL_ASKED_H

#include "options.h"

/* What a study is made of; the frameworks are those of --framework. */
typedef struct cli_asked {
  const pm_catalog *catalog;
  pm_network *const *networks;
  size_t network_count;
  pm_system *const *systems;
  size_t system_count;
  int32_t task;
} cli_asked;

/* Prints what is wrong and returns NULL, with the exit code in *code. `frameworks` is how many were named; NULL: at
** most one may be. */
pm_study *open_study(const cli_request *request, const cli_asked *asked, size_t *frameworks, int *code);

/* Which fields of records of that type were given as options. */
pm_given read_given(const cli_request *request, const char *type);

/* --global-batch as the batch of the run, instead of --batch; `settings` is that of a file, or NAN. */
int read_global_batch(const cli_request *request, double settings, pm_run *run, pm_given *given);

/* Completes runs in place. One that cannot be completed is an error, unless runs are rows, each with its status. Prints
** notes on the frameworks. */
int complete_runs(const cli_request *request, pm_study *study, const pm_given *given, void *runs, size_t count,
                  bool rows);

/* Refuses an option that none of these runs of the study can use; only runs of training have fields without effect. */
int check_effects(const cli_request *request, const pm_study *study, const void *runs, size_t count);

/* The plan of the study; NULL with the exit code in *code. */
const pm_plan *open_plan(pm_study *study, int *code);

/* What was assumed of a completed run, in one line. */
enum { ASSUMED = 512 };
const char *assumed_of(const pm_study *study, const pm_given *given, const void *run, char text[ASSUMED]);

#endif
