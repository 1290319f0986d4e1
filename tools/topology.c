/* perfmodel topology: the link graph of a system, as a matrix or a drawing. */
#include <string.h>
#include "command.h"

static int write_text(const cli_request *request, char *text, const pm_error *error)
{
  if (text == NULL) return fail_error(error);
  int code = write_output(request, text, strlen(text));
  pm_string_free(text);
  return code;
}

/* What a file of that name holds: .txt and no ending the matrix; NULL: no drawing. */
static const char *by_ending(const cli_request *request)
{
  static const struct { const char *ending, *as; } known[] = {{"svg", "svg"}, {"dot", "dot"}, {"gv", "dot"},
                                                              {"txt", "matrix"}};
  const char *file = request->value[OPTION_OUTPUT], *slash = file != NULL ? strrchr(file, '/') : NULL;
  const char *dot = file != NULL ? strrchr(slash != NULL ? slash : file, '.') : NULL;
  if (dot == NULL || dot[1] == '\0') return "matrix";
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(dot + 1, known[i].ending) == 0) return known[i].as;
  return NULL;
}

static int write_as(const cli_request *request, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  const char *as = request->value[OPTION_AS] != NULL ? request->value[OPTION_AS] : by_ending(request);
  if (as == NULL)
    return fail(CODE_USAGE, "\"%.80s\" has no known ending; use .svg, .dot or .txt, or give --as",
                request->value[OPTION_OUTPUT]);
  if (strcmp(as, "matrix") != 0 && strcmp(as, "dot") != 0 && strcmp(as, "svg") != 0)
    return fail(CODE_USAGE, "--as \"%.80s\" is unknown; it is one of matrix, dot, svg", as);
  return write_text(request, pm_system_format(system, as, &error), &error);
}

static int run(const cli_request *request)
{
  return on_system(request, write_as);
}

static const cli_option options[] = {
  {OPTION_AS, '\0', "as", "matrix|dot|svg", "how (default: by the ending of the -o file, else matrix, the layout of "
                                                "nvidia-smi topo -m)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command topology_command = {
  "topology", "SYSTEM", "shows how a system is wired",
  "Writes the link matrix as nvidia-smi topo -m does (NV# is a number of NVLinks; PIX one PCIe switch, PXB several, "
  "PHB "
  "and NODE one CPU, SYS several), or the graph for Graphviz, or a drawing.",
  "perfmodel topology dgx1-v100 -o dgx1.svg", options, 1, 1, run};
