/* perfmodel: the command. Finds the sub-command, reads its options, runs it. */
#include <signal.h>
#include <string.h>
#include "command.h"

static void print_version(FILE *stream)
{
  fprintf(stream, "perfmodel %s\n", pm_version_get());
}

/* Prints one of the pages that need no sub-command. */
static int print_page(void (*print)(FILE *stream))
{
  cli_request request;
  cli_page page;
  memset(&request, 0, sizeof request);
  if (!page_open(&page)) return fail_memory();
  print(page.stream);
  return page_write(&page, &request);
}

static int print_help_of(const cli_command *command, bool all)
{
  cli_request request;
  cli_page page;
  memset(&request, 0, sizeof request);
  if (!page_open(&page)) return fail_memory();
  print_command_help(page.stream, command, all);
  return page_write(&page, &request);
}

static int unknown_command(const char *word)
{
  const char *names[COMMANDS_MOST + 1] = {NULL};
  for (size_t i = 0; command_at(i) != NULL; i++) names[i] = command_at(i)->name;
  const char *meant = closest_name(word, names);
  if (word[0] == '-')
    return fail(CODE_USAGE, "unknown option \"%.80s\"; a command comes first: perfmodel --help", word);
  if (meant != NULL) return fail(CODE_USAGE, "unknown command \"%.80s\"; did you mean \"%s\"?", word, meant);
  return fail(CODE_USAGE, "unknown command \"%.80s\"; see perfmodel --help", word);
}

static int start_command(const cli_command *command, int argc, char **argv)
{
  cli_request request;
  bool help = argc > 0 && (strncmp(argv[0], "--help", 6) == 0 || strcmp(argv[0], "-h") == 0);
  if (command->run == NULL && !help) return python_run(command, argc, argv);
  int code = request_read(&request, command, argc, argv);
  bool all = request.value[OPTION_HELP_ALL] != NULL;
  if (code == CODE_DONE && !wants_help(&request)) code = check_output(&request);
  if (code == CODE_DONE) code = wants_help(&request) ? print_help_of(command, all) : command->run(&request);
  request_free(&request);
  return code;
}

/* perfmodel help, perfmodel help predict */
static int help(int argc, char **argv)
{
  if (argc == 0) return print_page(print_help);
  const cli_command *command = command_find(argv[0]);
  return command != NULL ? print_help_of(command, false) : unknown_command(argv[0]);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*print)(FILE *stream);
  } pages[] = {{"--help", print_help}, {"-h", print_help}, {"--help-all", print_help_all}, {"--version", print_version},
               {"version", print_version}, {"-V", print_version}, {"--manual", print_manual},
                 {"--completion", print_completion}};
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen as EPIPE, and is no failure */
  signal(SIGXFSZ, SIG_IGN); /* a file that is larger than the system allows is seen as EFBIG */
  if (argc < 2) return fail(CODE_USAGE, "a command is missing; see perfmodel --help");
  for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
    if (strcmp(argv[1], pages[i].name) == 0) return print_page(pages[i].print);
  if (strcmp(argv[1], "help") == 0) return help(argc - 2, argv + 2);
  const cli_command *command = command_find(argv[1]);
  return command != NULL ? start_command(command, argc - 2, argv + 2) : unknown_command(argv[1]);
}
