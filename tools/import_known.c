/* Options, and settings of --run, as columns of a table of measurements. */
#include <stdio.h>
#include <string.h>
#include "import_known.h"
#include "options.h"
#include "settings.h"

static const struct {
  option_id id;
  const char *name, *column;
} options[] = {{OPTION_SYSTEM, "system", "system"},
               {OPTION_COLLECTIVE, "collective", "collective"},
               {OPTION_NETWORK, "network", "network"},
               {OPTION_FRAMEWORK, "framework", "framework"},
               {OPTION_STORAGE, "storage", "storage"},
               {OPTION_GLOBAL_BATCH, "global-batch", "global_batch"}};

enum { OPTIONS = sizeof options / sizeof options[0] };

static void add(cli_known_columns *known, const char *column, const char *value)
{
  if (known->count < KNOWN_MOST) known->items[known->count++] = (pm_attribute){column, value};
}

/* "llama3-8b" and --set seq=4096 are the network "llama3-8b seq=4096". */
static int add_network(const cli_request *request, cli_known_columns *known, const char *network)
{
  size_t used = (size_t)snprintf(known->network, KNOWN_TEXT, "%s", network);
  for (size_t i = 0; i < request->sets.count && used < KNOWN_TEXT; i++)
    used += (size_t)snprintf(known->network + used, KNOWN_TEXT - used, " %s", request->sets.items[i]);
  if (used >= KNOWN_TEXT) return fail(CODE_USAGE, "--network and --set have more than %d bytes", KNOWN_TEXT - 1);
  add(known, "network", known->network);
  return CODE_DONE;
}

static void add_options(const cli_request *request, cli_known_columns *known)
{
  for (size_t i = 0; i < OPTIONS; i++)
    if (request->value[options[i].id] != NULL && options[i].id != OPTION_NETWORK)
      add(known, options[i].column, request->value[options[i].id]);
  if (request->value[OPTION_SYSTEM] == NULL && request->value[OPTION_GPU] != NULL)
    add(known, "system", request->value[OPTION_GPU]);
  for (size_t i = 0; i < request->given_count; i++)
    add(known, request->given[i].field->name, request->given[i].text);
}

/* Of two settings of one name the last counts, as elsewhere. */
static int take_setting(void *to, const char *option, const char *set_to)
{
  cli_known_columns *known = (cli_known_columns *)to;
  const char *column = strcmp(option, "network.seq") == 0 ? "seq" : option;
  size_t i = 0;
  if (column[0] == '\0' || strchr(column, '.') != NULL) return CODE_DONE;
  while (i < known->count && strcmp(known->items[i].name, column) != 0) i++;
  if (i < known->given || i == KNOWN_MOST) return CODE_DONE;
  snprintf(known->text[i][0], PM_TEXT_MAX, "%s", column);
  snprintf(known->text[i][1], PM_TEXT_MAX, "%s", set_to);
  known->items[i] = (pm_attribute){known->text[i][0], known->text[i][1]};
  known->count += i == known->count;
  return CODE_DONE;
}

int read_known(const cli_request *request, cli_known_columns *known)
{
  const char *network = request->value[OPTION_NETWORK];
  memset(known, 0, sizeof *known);
  add_options(request, known);
  if (network == NULL && request->sets.count > 0) return fail(CODE_USAGE,
                                                              "--set belongs to a network: also give --network");
  int code = network != NULL ? add_network(request, known, network) : CODE_DONE;
  known->given = known->count;
  return code == CODE_DONE ? each_setting(request, take_setting, known) : code;
}

int refuse_known(const cli_request *request, const char *what)
{
  char name[OPTION_NAME] = "";
  for (size_t i = 0; i < OPTIONS; i++)
    if (request->value[options[i].id] != NULL) snprintf(name, sizeof name, "%s", options[i].name);
  if (request->value[OPTION_RUN] != NULL) snprintf(name, sizeof name, "run");
  if (request->given_count > 0) field_option(request->given[0].field, name, sizeof name);
  if (name[0] == '\0') return CODE_DONE;
  return fail(CODE_USAGE, "--%s is only for measurements; %s is %s", name, request->arguments.items[0], what);
}
