/* Settings of other programs' runs: read into ours, and ours written as theirs. */
#ifndef PERFMODEL_TOOLS_SETTINGS_H
#define PERFMODEL_TOOLS_SETTINGS_H

#include "command.h"

/* Takes what a setting is of ours: a field of a run, global_batch, network.NAME, or "" for none. */
typedef int setting_taker(void *to, const char *option, const char *set_to);

/* Every setting of --run, if it is given; what is read, assumed and not understood are notes. */
int each_setting(const cli_request *request, setting_taker *taker, void *to);

/* Reads --run, if it is given, into a run of that record and what is given of it; what is read, assumed and not
** understood are notes. The global batch is set if the file has one, and so is `framework`, of PM_TEXT_MAX bytes, if it
** is not NULL and the file is an engine's. */
int read_settings(const cli_request *request, const char *record, void *run, pm_given *given,
                  double *global_batch, char *framework);

/* One setting of a table: field and value, each of PM_TEXT_MAX bytes. */
void read_setting(const pm_table *table, size_t row, char *option, char *value);

/* Prints a run as another program is told it; NAN: it has no global batch. */
int write_settings(const cli_request *request, const char *format, const char *record, const void *run,
                   double global_batch);

#endif
