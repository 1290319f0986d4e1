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

static int write_as(const cli_request *request, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  const char *as = request->value[OPTION_AS] != NULL ? request->value[OPTION_AS] : "matrix";
  if (strcmp(as, "matrix") != 0 && strcmp(as, "dot") != 0 && strcmp(as, "svg") != 0)
    return fail(CODE_USAGE, "--as \"%.80s\" is unknown; it is one of matrix, dot, svg", as);
  return write_text(request, pm_system_format(system, as, &error), &error);
}

static int run(const cli_request *request)
{
  return on_system(request, write_as);
}

static const cli_option options[] = {
  {OPTION_AS, '\0', "as", "matrix|dot|svg", "how (default matrix, the layout of nvidia-smi topo -m)"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command topology_command = {
  "topology", "SYSTEM", "shows how a system is wired",
  "Writes the link matrix as nvidia-smi topo -m does (NV# is a number of NVLinks; PIX one PCIe switch, PXB several, "
  "PHB "
  "and NODE one CPU, SYS several), or the graph for Graphviz, or a drawing.",
  "perfmodel topology dgx1-v100 --as svg -o dgx1.svg", options, 1, 1, run};
