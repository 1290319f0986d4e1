/* Completion for bash, from the same tables as --help: perfmodel --completion > perfmodel.bash */
#include <string.h>
#include "command.h"

static void print_option_names(FILE *stream, const cli_option *options)
{
  for (const cli_option *o = options; o->name != NULL; o++) fprintf(stream, " --%s", o->name);
}

static void print_cases(FILE *stream)
{
  const cli_command *c;
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
    fprintf(stream, "    %s) options=\"", c->name);
    print_option_names(stream, c->options);
    print_option_names(stream, common_options);
    fputs("\" ;;\n", stream);
  }
}

void print_completion(FILE *stream)
{
  const cli_command *c;
  fputs("# Completion for bash. Written by perfmodel --completion.\n"
        "_perfmodel_ids() {\n"
        "  perfmodel list $1 --quiet --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | tr -d '\\r\"'\n"
        "}\n\n"
        "_perfmodel() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options "
        "words\n"
        "  COMPREPLY=()\n"
        "  case $command in\n", stream);
  print_cases(stream);
  fputs("  esac\n"
        "  case $before in\n"
        "    --format) words=\"table csv json\" ;;\n"
        "    --overlap) words=\"none backward\" ;;\n"
        "    --precision) words=$(_perfmodel_ids precisions) ;;\n"
        "    --dataset) words=$(_perfmodel_ids datasets) ;;\n"
        "    --framework) words=$(_perfmodel_ids memory_profiles) ;;\n"
        "    --optimizer) words=$(_perfmodel_ids optimizers) ;;\n"
        "    --recompute) words=\"none selective full\" ;;\n"
        "    --catalog|--output|-o) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "  esac\n"
        "  if [ -n \"$words\" ]; then :\n"
        "  elif [ \"$COMP_CWORD\" -eq 1 ]; then words=\"", stream);
  for (size_t i = 0; (c = command_at(i)) != NULL; i++) fprintf(stream, "%s ", c->name);
  fputs("--help --version\"\n"
        "  elif [[ $word == -* ]]; then words=$options\n"
        "  else case $command-$COMP_CWORD in\n"
        "    list-2) words=$(_perfmodel_ids) ;;\n"
        "    show-2) words=\"$(_perfmodel_ids) $(_perfmodel_ids systems) $(_perfmodel_ids networks)\" ;;\n"
        "    show-3) words=$(_perfmodel_ids \"$before\") ;;\n"
        "    layers-2|memory-2|predict-2|sweep-2) words=$(_perfmodel_ids networks) ;;\n"
        "    predict-3|sweep-3) words=$(_perfmodel_ids systems) ;;\n"
        "    memory-3) words=\"$(_perfmodel_ids) $(_perfmodel_ids systems)\" ;;\n"
        "    check-*) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "  esac; fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "}\n"
        "complete -F _perfmodel perfmodel\n", stream);
}
