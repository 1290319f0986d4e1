/* Completion for bash and zsh, from the same tables as --help. The build installs it for bash; zsh reads it by
** eval "$(perfmodel --completion)". */
#include <stdlib.h>
#include <string.h>
#include "options.h"

static void print_names(FILE *stream, const cli_options *all)
{
  for (size_t i = 0; i < all->count; i++) fprintf(stream, " --%s", all->items[i].option.name);
}

/* "none|backward" as words. */
static void print_alternatives(FILE *stream, const char *value)
{
  for (; *value != '\0' && *value != ','; value++) fputc(*value == '|' ? ' ' : *value, stream);
}

static void print_choices(FILE *stream, const pm_field *field)
{
  for (size_t i = 0; field->choices[i].name != NULL; i++)
    fprintf(stream, "%s%s", i > 0 ? " " : "", field->choices[i].name);
}

/* Whether a value's name is its words: "none|backward", not "LIST|FILE". */
static bool is_list(const char *value)
{
  return strchr(value, '|') != NULL && (value[0] < 'A' || value[0] > 'Z');
}

/* The kind of the catalogue that the option's words name: "see perfmodel list datasets". NULL without one. */
static const char *kind_of(const cli_option *option)
{
  static const char hint[] = "perfmodel list ";
  const char *at = strstr(option->doc, hint);
  return at != NULL ? at + strlen(hint) : NULL;
}

static bool is_file(const cli_option *option)
{
  return strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0;
}

/* The field whose choices the option takes. NULL: it takes none. */
static const pm_field *choice_of(const cli_known *known)
{
  const pm_field *field = known->field;
  if (known->option.id == OPTION_ALGORITHM) field = pm_record_find_field(pm_record_type_find("call"), "algorithm");
  return field != NULL && field->kind == PM_FIELD_CHOICE ? field : NULL;
}

/* Entries of the catalogue, and "none" where it stands for no entry. */
static void print_entries(FILE *stream, const cli_option *option, const char *kind)
{
  bool none = strstr(option->doc, "none: ") != NULL;
  fprintf(stream, "\"%s$(_perfmodel_ids %.*s)\"", none ? "none " : "", (int)strspn(kind, "abcdefghijklmnopqrstuvwxyz_"),
          kind);
}

/* What can stand behind an option. */
static void print_values(FILE *stream, const cli_known *known)
{
  const cli_option *option = &known->option;
  if (option->value == NULL) return;
  const pm_field *choice = choice_of(known);
  bool words = is_list(option->value);
  const char *kind = kind_of(option);
  if (choice == NULL && !words && kind == NULL && !is_file(option)) return;
  fprintf(stream, "        --%s", option->name);
  if (option->letter != '\0') fprintf(stream, "|-%c", option->letter);
  if (is_file(option)) {
    fputs(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", stream);
    return;
  }
  fputs(") words=", stream);
  if (choice == NULL && !words) print_entries(stream, option, kind);
  else {
    fputc('"', stream);
    if (choice != NULL) print_choices(stream, choice);
    else print_alternatives(stream, option->value);
    fputc('"', stream);
  }
  fputs(strstr(option->value, ",...") != NULL ? "; many=1 ;;\n" : " ;;\n", stream);
}

static void print_case(FILE *stream, const cli_command *command)
{
  cli_options *all = options_new(command->options, common_options);
  if (all == NULL) return;
  fprintf(stream, "    %s) options=\"", command->name);
  print_names(stream, all);
  fputs("\"\n      case $before in\n", stream);
  for (size_t i = 0; i < all->count; i++) print_values(stream, &all->items[i]);
  fputs("      esac ;;\n", stream);
  free(all);
}

void print_completion(FILE *stream)
{
  const cli_command *c;
  fputs("# Completion for bash, and for zsh as bash has it. Written by perfmodel --completion.\n"
        "if [ -n \"${ZSH_VERSION-}\" ]; then\n"
        "  whence compdef >/dev/null || { autoload -U +X compinit && compinit -u; }\n"
        "  autoload -U +X bashcompinit && bashcompinit\n"
        "fi\n"
        "_perfmodel_ids() {\n"
        "  perfmodel list $1 --quiet --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | tr -d '\\r\"'\n"
        "}\n\n"
        "_perfmodel() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options "
        "words many first\n"
        "  COMPREPLY=()\n"
        "  case $command in\n", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) print_case(stream, c);
  fputs("  esac\n"
        "  if [ -n \"$words\" ]; then :\n"
        "  elif [ \"$COMP_CWORD\" -eq 1 ]; then words=\"", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) fprintf(stream, "%s ", c->name);
  fputs("--help --version\"\n"
        "  elif [[ $word == -* ]]; then words=$options\n"
        "  else case $command-$COMP_CWORD in\n"
        "    list-2) words=$(_perfmodel_ids) ;;\n"
        "    show-2|export-2) words=\"$(_perfmodel_ids) $(_perfmodel_ids systems) $(_perfmodel_ids networks)\" ;;\n"
        "    show-3|export-3) words=$(_perfmodel_ids \"$before\") ;;\n", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
    if (is_list(c->arguments)) {
      fprintf(stream, "    %s-2) words=\"", c->name);
      print_alternatives(stream, c->arguments);
      fputs("\" ;;\n", stream);
    }
    if (strncmp(c->arguments, "NETWORK", 7) == 0)
      fprintf(stream, "    %s-2) words=$(_perfmodel_ids networks) ;;\n", c->name);
    if (strstr(c->arguments, " GPU|SYSTEM") != NULL)
      fprintf(stream, "    %s-3) words=\"$(_perfmodel_ids gpus) $(_perfmodel_ids systems)\" ;;\n", c->name);
    else if (strstr(c->arguments, " SYSTEM") != NULL)
      fprintf(stream, "    %s-3) words=$(_perfmodel_ids systems) ;;\n", c->name);
    if (strncmp(c->arguments, "SYSTEM", 6) == 0)
      fprintf(stream, "    %s-2) words=$(_perfmodel_ids systems) ;;\n", c->name);
    if (strncmp(c->arguments, "FILE", 4) == 0)
      fprintf(stream, "    %s-*) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", c->name);
  }
  fputs("  esac; fi\n"
        "  if [ -n \"$many\" ] && [[ $word == *,* ]]; then first=${word%,*},; fi\n"
        "  COMPREPLY=($(compgen -P \"$first\" -W \"$words\" -- \"${word#\"$first\"}\"))\n"
        "}\n"
        "complete -F _perfmodel perfmodel\n", stream);
}
