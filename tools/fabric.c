/* perfmodel fabric: a network of many nodes, laid out. */
#include <stdlib.h>
#include <string.h>
#include "group.h"

/* "1.5" or "64/66". */
static bool read_ratio(const cli_request *request, option_id id, double *value)
{
  const char *text = request->value[id], *slash = text != NULL ? strchr(text, '/') : NULL;
  double top, bottom = 1;
  char head[40];
  if (text == NULL) return true;
  snprintf(head, sizeof head, "%.*s", slash != NULL ? (int)(slash - text) : 39, text);
  if (pm_number_parse(head, &top) != PM_OK || (slash != NULL && pm_number_parse(slash + 1, &bottom) != PM_OK) ||
      bottom == 0) {
    fail(CODE_USAGE, "--%s \"%.80s\" is no number", option_name(request, id), text);
    return false;
  }
  *value = top / bottom;
  return true;
}

static int plan(const cli_request *request, const pm_system *system)
{
  pm_fabric fabric;
  double nodes, ports;
  pm_error error = PM_ERROR_NONE;
  pm_fabric_choice choice = pm_fabric_choice_make();
  if (!read_count_option(request, OPTION_NODES, COUNT_MOST, choice.nodes, &nodes) ||
      !read_count_option(request, OPTION_SWITCH_PORTS, 4096, choice.switch_ports, &ports) ||
      !read_ratio(request, OPTION_OVERSUBSCRIPTION, &choice.oversubscription) ||
      !read_ratio(request, OPTION_CODING, &choice.coding))
    return CODE_USAGE;
  choice.nodes = (int32_t)nodes;
  choice.switch_ports = (int32_t)ports;
  if (pm_fabric_evaluate(system, &choice, &fabric, &error) != PM_OK) return fail_error(&error);
  int code = write_table(request, pm_table_new_of_records(pm_record_type_find("fabric"), &fabric, 1, &error), &error);
  if (code == CODE_DONE)
    note(request, "bisection counts one direction; bisection_both_ways counts both, as data sheets often do");
  return code;
}

static int run(const cli_request *request)
{
  return on_system(request, plan);
}

static const cli_option options[] = {
  {OPTION_NODES, '\0', "nodes", "N", "nodes to connect (default 2)"},
  {OPTION_SWITCH_PORTS, '\0', "switch-ports", "N", "ports used per switch (default 32)"},
  {OPTION_OVERSUBSCRIPTION, '\0', "oversubscription", "RATIO",
   "ports down over ports up of the first level (default 1)"},
  {OPTION_CODING, '\0', "coding", "RATIO", "line coding to subtract from the links' rate once more, such as 64/66"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command fabric_command = {
  "fabric", "SYSTEM", "lays out a fat tree: switches, cables, bisection",
  "Connects nodes of one system by a fat tree of up to three levels of one kind of switch, and prints the switches "
  "and cables that it takes, the bisection bandwidth, and the latency across.\n\n"
  "Bisection bandwidth is per direction. The papers on the DGX-1 state 6,012 GB/s for 124 systems: that counts both "
  "directions, and subtracts the 64/66 line coding from a rate that already excludes it; --coding 64/66 reproduces "
  "it.",
  "perfmodel fabric dgx1-v100 --nodes 124 --coding 64/66", options, 1, 1, run};
