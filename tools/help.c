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

/* What most questions need: of each command about a dozen. */
static const char common[] =
  "gpus nodes batch global-batch precision framework optimizer tp pp zero dataset isl osl concurrency rate engine task "
  "system epochs within tokens latency price axis upgrade columns layers bytes rows set data";

enum { FEW = 24 }; /* so many options need no choice */

/* The options that are common, or those that are not. */
static void print_some(FILE *stream, const cli_options *all, bool wanted)
{
  for (size_t i = 0; i < all->count; i++)
    if (is_among(all->items[i].option.name, common) == wanted) print_option(stream, &all->items[i].option);
}

static void print_names(FILE *stream, const cli_options *all)
{
  cli_page names;
  if (!page_open(&names)) return;
  for (size_t i = 0; i < all->count; i++)
    if (!is_among(all->items[i].option.name, common)) fprintf(names.stream, "--%s ", all->items[i].option.name);
  if (fclose(names.stream) == 0) fputs("  ", stream), print_wrapped(stream, names.text, 2, 2, WIDTH);
  free(names.text);
}

static void print_options(FILE *stream, const cli_options *all)
{
  for (size_t i = 0; i < all->count; i++) print_option(stream, &all->items[i].option);
}

static void print_own_options(FILE *stream, const cli_command *command, const cli_options *own, bool all)
{
  fputs("\nOptions:\n", stream);
  if (own->count <= FEW) {
    print_options(stream, own);
    return;
  }
  print_some(stream, own, true);
  if (all) fputs("\nMore options:\n", stream);
  else fprintf(stream, "\nMore options, which perfmodel %s --help-all explains:\n", command->name);
  if (all) print_some(stream, own, false);
  else print_names(stream, own);
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

static void print_common_options(FILE *stream)
{
  cli_options *all = options_new(common_options, NULL);
  fputs("\nOptions of every command:\n", stream);
  if (all != NULL) print_options(stream, all);
  free(all);
}

static void print_commands(FILE *stream, size_t count)
{
  const cli_command *c;
  for (size_t i = 0; i < count && (c = command_at(i)) != NULL; i++) {
    fprintf(stream, "  %-12s", c->name);
    print_wrapped(stream, c->summary, 14, 14, WIDTH);
  }
}

static void print_more_commands(FILE *stream)
{
  const cli_command *c;
  char names[1024] = "";
  for (size_t i = COMMANDS_COMMON; (c = command_at(i)) != NULL; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", c->name);
  fputs("\nMore commands, which perfmodel --help-all explains:\n  ", stream);
  print_wrapped(stream, names, 2, 2, WIDTH);
}

static void print_overview(FILE *stream, bool all)
{
  fputs("usage: perfmodel COMMAND ARGUMENTS [options]\n\n", stream);
  print_wrapped(stream, "Predicts how fast a neural network trains, infers or serves on GPU machines, in closed "
                        "form, and what limits it.", 0, 0, WIDTH);
  fputs("\nCommands:\n", stream);
  print_commands(stream, all ? COMMANDS_MOST : COMMANDS_COMMON);
  if (!all) print_more_commands(stream);
  print_common_options(stream);
  fputs("\nInstead of a command:\n"
        "  --help, --help-all, --version    print help, the full help, the version\n"
        "  --manual, --completion           print the manual page, the completion for bash and zsh\n\n"
        "perfmodel COMMAND --help describes a command.\n", stream);
  print_exit_codes(stream);
  fputs("\nStart with:\n"
        "  perfmodel list systems\n"
        "  perfmodel predict resnet50 dgx1-v100 --gpus 8 --batch 64 --precision fp16\n", stream);
}

void print_help(FILE *stream)
{
  print_overview(stream, false);
}

void print_help_all(FILE *stream)
{
  print_overview(stream, true);
}

void print_command_help(FILE *stream, const cli_command *command, bool all)
{
  cli_options *own = options_new(command->options, NULL);
  fprintf(stream, "usage: perfmodel %s %s%s[options]\n\n", command->name, command->arguments,
          command->arguments[0] != '\0' ? " " : "");
  print_wrapped(stream, command->description, 0, 0, WIDTH);
  if (own != NULL && own->count > 0) print_own_options(stream, command, own, all);
  free(own);
  print_common_options(stream);
  print_exit_codes(stream);
  fprintf(stream, "\nFor example:\n  %s\n", command->example);
}
