/* The list of commands, which main calls and which help, manual page and completion print. */
#include <string.h>
#include "command.h"

static const cli_command *const commands[] = {
  &predict_command,     &infer_command,    &serve_command,      &memory_command,   &sweep_command,    &compare_command,
  &size_command,        &search_command,   &sensitivity_command, &plot_command,    &list_command,     &show_command,
  &explain_command,
  &report_command,      &input_command,    &collective_command, &rings_command,    &copies_command,   &fabric_command,
  &layers_command,      &topology_command, &kernel_command,     &calibrate_command, &validate_command, &check_command,
  &doctor_command,      &import_command,   &export_command,     &new_command,
  &run_command};

_Static_assert(sizeof commands / sizeof commands[0] <= COMMANDS_MOST, "names of commands need room");

const cli_command *command_at(size_t index)
{
  return index < sizeof commands / sizeof commands[0] ? commands[index] : NULL;
}

const cli_command *command_find(const char *name)
{
  const cli_command *c;
  for (size_t i = 0; (c = command_at(i)) != NULL; i++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}
