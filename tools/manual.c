/* The manual page, from the same tables as --help. The build installs it. */
#include <stdlib.h>
#include <string.h>
#include "options.h"

/* Plain words as roff: dashes stay dashes, a dot or a quote first on a line is no request, an empty line ends a
** paragraph. */
static void print_words(FILE *stream, const char *text)
{
  bool start = true;
  for (; *text != '\0'; text++) {
    if (start && (*text == '.' || *text == '\'')) fputs("\\&", stream);
    start = *text == '\n';
    if (*text == '-') fputs("\\-", stream);
    else if (*text == '\\') fputs("\\e", stream);
    else if (*text == '\n' && text[1] == '\n') fputs("\n.PP", stream);
    else fputc(*text, stream);
  }
  fputc('\n', stream);
}

static void print_option(FILE *stream, const cli_option *o)
{
  fputs(".TP\n", stream);
  if (o->letter != '\0') fprintf(stream, "\\fB\\-%c\\fR, ", o->letter);
  fputs("\\fB\\-\\-", stream);
  for (const char *c = o->name; *c != '\0'; c++) fprintf(stream, *c == '-' ? "\\-" : "%c", *c);
  fprintf(stream, "\\fR%s%s%s\n", o->value != NULL ? " \\fI" : "", o->value != NULL ? o->value : "",
          o->value != NULL ? "\\fR" : "");
  print_words(stream, o->doc);
}

static void print_options(FILE *stream, const cli_option *options)
{
  cli_options *all = options_new(options, NULL);
  for (size_t i = 0; all != NULL && i < all->count; i++) print_option(stream, &all->items[i].option);
  free(all);
}

static void print_command(FILE *stream, const cli_command *c)
{
  fprintf(stream, ".SS \"perfmodel %s %s\"\n", c->name, c->arguments);
  print_words(stream, c->description);
  print_options(stream, c->options);
  fputs(".PP\nFor example:\n.PP\n.EX\n", stream);
  print_words(stream, c->example);
  fputs(".EE\n", stream);
}

static void print_exit_codes(FILE *stream)
{
  fputs(".SH EXIT STATUS\n", stream);
#define EXIT_CODE_ENTRY(name, number, doc) \
  fprintf(stream, ".TP\n.B %d\n", number); \
  print_words(stream, doc);
  EXIT_CODE_LIST(EXIT_CODE_ENTRY)
#undef EXIT_CODE_ENTRY
}

void print_manual(FILE *stream)
{
  const cli_command *c;
  fprintf(stream, ".\\\" Written by perfmodel --manual.\n.TH PERFMODEL 1 \"\" \"perfmodel %s\" \"User Commands\"\n",
          pm_version_get());
  fputs(".SH NAME\nperfmodel \\- predict how fast a neural network trains on a GPU machine\n"
        ".SH SYNOPSIS\n.B perfmodel\n.I COMMAND ARGUMENTS\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n", stream);
  print_words(stream, "Predicts step time and throughput of training in closed form, and says what limits them. "
                      "Networks, GPUs and systems come from a catalogue that is built in; your own files add to it.");
  fputs(".SH COMMANDS\n", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) print_command(stream, c);
  fputs(".SH OPTIONS OF EVERY COMMAND\n", stream);
  print_options(stream, common_options);
  fputs(".SH OUTPUT\n", stream);
  print_words(stream,
              "Results go to standard output, or to the file of --output; messages go to standard error. A table is "
              "for people and fits the terminal. CSV is RFC 4180: headers are \"name [unit]\", numbers are in SI "
              "units with all their digits, an unknown value is an empty cell, an unlimited one is inf, and a text "
              "that a spreadsheet would take for a formula gets a leading apostrophe. JSON is an array with one object "
              "for each row; its keys are the names without the units, its values in the same SI units, unknown is "
              "null and unlimited \"inf\".");
  print_exit_codes(stream);
  fputs(".SH SEE ALSO\n", stream);
  print_words(stream, "The format of catalogue files is described in docs/xml.md of the source.");
}
