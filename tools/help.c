/* --help, from the tables. */
#include <stdlib.h>
#include <string.h>
#include "options.h"

enum { WIDTH = 80, DOC_COLUMN = 28 };

static void print_option(FILE *stream, const cli_option *o)
{
  char left[160];
  bool value = o->value != NULL;
  if (o->letter != '\0')
    snprintf(left, sizeof left, "  -%c, --%s%s%s", o->letter, o->name, value ? " " : "", value ? o->value : "");
  else snprintf(left, sizeof left, "  --%s%s%s", o->name, value ? " " : "", value ? o->value : "");
  size_t length = strlen(left);
  fputs(left, stream);
  if (length + 2 > DOC_COLUMN) fprintf(stream, "\n%*s", DOC_COLUMN, "");
  else fprintf(stream, "%*s", (int)(DOC_COLUMN - length), "");
  print_wrapped(stream, o->doc, DOC_COLUMN, DOC_COLUMN, WIDTH);
}

static void print_options(FILE *stream, const cli_option *options)
{
  cli_options *all = options_new(options, NULL);
  for (size_t i = 0; all != NULL && i < all->count; i++) print_option(stream, &all->items[i].option);
  free(all);
}

static void print_exit_codes(FILE *stream)
{
  static const struct {
    int code;
    const char *doc;
  } codes[] = {
#define EXIT_CODE_ROW(name, number, doc) {number, doc},
    EXIT_CODE_LIST(EXIT_CODE_ROW)
#undef EXIT_CODE_ROW
  };
  fputs("\nExit status:\n", stream);
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    fprintf(stream, "  %d  ", codes[i].code);
    print_wrapped(stream, codes[i].doc, 5, 5, WIDTH);
  }
}

void print_help(FILE *stream)
{
  const cli_command *c;
  fputs("usage: perfmodel COMMAND ARGUMENTS [options]\n\n", stream);
  print_wrapped(stream, "Predicts how fast a neural network trains on a GPU machine, in closed form, and says what "
                        "limits it.", 0, 0, WIDTH);
  fputs("\nCommands:\n", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
    fprintf(stream, "  %-12s", c->name);
    print_wrapped(stream, c->summary, 14, 14, WIDTH);
  }
  fputs("\nOptions of every command:\n", stream);
  print_options(stream, common_options);
  fputs("\nInstead of a command:\n"
        "  --help, --version         what they say\n"
        "  --manual, --completion    print the manual page, the completion for bash\n\n"
        "perfmodel COMMAND --help says more about a command.\n", stream);
  print_exit_codes(stream);
  fputs("\nStart with:\n"
        "  perfmodel list systems\n"
        "  perfmodel predict resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16\n", stream);
}

void print_command_help(FILE *stream, const cli_command *command)
{
  fprintf(stream, "usage: perfmodel %s %s%s[options]\n\n", command->name, command->arguments,
          command->arguments[0] != '\0' ? " " : "");
  print_wrapped(stream, command->description, 0, 0, WIDTH);
  if (command->options->name != NULL) {
    fputs("\nOptions:\n", stream);
    print_options(stream, command->options);
  }
  fputs("\nOptions of every command:\n", stream);
  print_options(stream, common_options);
  print_exit_codes(stream);
  fprintf(stream, "\nFor example:\n  %s\n", command->example);
}
