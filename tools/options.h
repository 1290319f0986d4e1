/*
** Options that are fields of a record: what users say of a run is declared once, in its field table.
**
** In a command's list {OPTION_FIELDS, '\0', "run", NULL, "nodes"} stands for an option of each field of the run but
** nodes; with "many" instead of NULL each may be a list. {OPTION_OF_FIELD, '\0', "gpus", NULL, "GPUs ..."} says of one
** of them what it is to this command. Parsing, --help, the manual page and the completion walk the list that is made of
** both.
*/
#ifndef PERFMODEL_OPTIONS_H
#define PERFMODEL_OPTIONS_H

#include "command.h"

/* Fields of a run that change no step, but what training on all tokens or samples takes. */
#define TRAINING_FIELDS \
  "tokens samples gpu_mtbf node_mtbf checkpoint_rate checkpoint restart interval pue gpu_hour_price carbon " \
  "energy_price power_budget"

enum { OPTIONS_MOST = 160, OPTION_NAME = 48 };

/* An option; the texts of one that is a field are its own. */
typedef struct cli_known {
  cli_option option;
  const pm_field *field; /* NULL: an option of the command */
  char name[OPTION_NAME], value[64], doc[400];
} cli_known;

typedef struct cli_options {
  cli_known items[OPTIONS_MOST];
  size_t count;
  bool fields; /* some are fields of a record */
} cli_options;

/* The options of two lists, `more` may be NULL; to be freed with free. NULL without memory. */
cli_options *options_new(const cli_option *options, const cli_option *more);

/* Whether a name is one of words that blanks part. */
bool is_among(const char *name, const char *words);

/* What the command calls a field, without the dashes; whether it needs no value. */
void field_option(const pm_field *field, char *name, size_t size);
bool is_switch(const pm_field *field);

/* The text that was given for a field of the run, or NULL. */
const char *field_given(const cli_request *request, const char *name);

/* One value into its field. Like all below it prints what is wrong, naming the option, and returns false. */
bool read_field(const char *name, const pm_field *field, void *record, const char *text);

/* All fields that were given, each one value. `record` names the type, which has them too. */
bool read_run(const cli_request *request, const char *record, void *run);

/* Axes; the values are freed with free_axes. */
typedef struct cli_axes {
  pm_axis items[OPTIONS_MOST];
  size_t count;
} cli_axes;

/* All fields that were given and that the type has: one value goes into the run, a list is an axis. */
bool read_axes(const cli_request *request, const pm_record_type *type, void *run, cli_axes *axes);
bool read_axis(const char *name, const pm_field *field, const char *text, void *run, cli_axes *axes);
bool add_index_axis(cli_axes *axes, const char *field, size_t count);
void free_axes(cli_axes *axes);

#endif
