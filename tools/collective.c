/* perfmodel collective: the time of a collective by size. */
#include <stdlib.h>
#include <string.h>
#include "group.h"

/* Sizes without --bytes: 1 KiB to 4 GiB by factors of four. */
static bool standard_sizes(double **sizes, size_t *count)
{
  enum { SIZES = 12 };
  *sizes = (double *)calloc(SIZES, sizeof **sizes);
  if (*sizes == NULL) return fail_memory(), false;
  double bytes = 1024;
  for (*count = 0; *count < SIZES; bytes *= 4) (*sizes)[(*count)++] = bytes;
  return true;
}

static bool read_sizes(const cli_request *request, double **sizes, size_t *count)
{
  texts items;
  const char *text = request->value[OPTION_BYTES];
  if (text == NULL) return standard_sizes(sizes, count);
  if (!read_names("--bytes", text, &items)) return false;
  *count = items.count;
  *sizes = (double *)calloc(items.count, sizeof **sizes);
  bool good = *sizes != NULL || (fail_memory(), false);
  for (size_t i = 0; good && i < items.count; i++) good = read_bytes(items.items[i], &(*sizes)[i]);
  free(items.items);
  if (!good) free(*sizes);
  return good;
}

static bool unknown_collective(const cli_request *request, const char *name, const char *known)
{
  if (pm_collective_find(request->arguments.items[0]) >= 0)
    return fail(CODE_USAGE, "\"%.80s\" is a collective; the system comes first, then the collective",
                request->arguments.items[0]), false;
  return fail(CODE_USAGE, "unknown collective \"%.80s\"; it must be one of %s", name, known), false;
}

static bool read_call(const cli_request *request, pm_call *call)
{
  const char *name = request->arguments.items[1];
  *call = pm_call_make();
  call->collective = pm_collective_find(name);
  if (call->collective < 0) {
    const pm_choice *choices = pm_record_find_field(pm_record_type_find("call"), "collective")->choices;
    char known[300] = "";
    for (size_t i = 0; choices[i].name != NULL; i++) {
      size_t used = strlen(known);
      snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", choices[i].name);
    }
    return unknown_collective(request, name, known);
  }
  return read_choice_option(request, OPTION_ALGORITHM, "call", "algorithm", &call->algorithm) &&
         read_choice_option(request, OPTION_PROTOCOL, "call", "protocol", &call->protocol);
}

static int write_loads(const cli_request *request, const pm_group *group, const pm_call *call, size_t count)
{
  pm_error error = PM_ERROR_NONE;
  if (count != 1) return fail(CODE_USAGE, "--loads needs --bytes with one size");
  pm_table *table = pm_group_tabulate_loads(group, call, &error);
  if (table == NULL) return fail_error(&error);
  return write_table(request, table, &error);
}

/* A way that does not do the collective at any size is a question without an answer. */
static int check_results(const cli_request *request, const pm_collective_time *results, size_t count)
{
  size_t good = 0;
  for (size_t i = 0; i < count; i++) good += results[i].status == PM_OK;
  if (good > 0) return CODE_DONE;
  return fail(CODE_CONSTRAINT, "%s does not support %s on this group", request->value[OPTION_ALGORITHM] != NULL
              ? request->value[OPTION_ALGORITHM] : "no algorithm", request->arguments.items[1]);
}

static int evaluate(const cli_request *request, const pm_group *group, const pm_call *call, const double *sizes,
                    size_t count)
{
  pm_error error = PM_ERROR_NONE;
  pm_call *calls = (pm_call *)calloc(count, sizeof *calls);
  pm_collective_time *results = (pm_collective_time *)calloc(count, sizeof *results);
  int code = calls != NULL && results != NULL ? CODE_DONE : fail_memory();
  for (size_t i = 0; code == CODE_DONE && i < count; i++) {
    calls[i] = *call;
    calls[i].bytes = sizes[i];
  }
  if (code == CODE_DONE) pm_group_evaluate(group, calls, results, count);
  if (code == CODE_DONE) code = check_results(request, results, count);
  if (code == CODE_DONE && request->value[OPTION_LOADS] != NULL) code = write_loads(request, group, calls, count);
  else if (code == CODE_DONE)
    code = write_table(request, pm_collective_tabulate(group, calls, results, count, &error), &error);
  free(results);
  free(calls);
  return code;
}

static int run(const cli_request *request)
{
  int code;
  pm_call call;
  double *sizes;
  size_t count;
  if (!read_call(request, &call) || !read_sizes(request, &sizes, &count)) return CODE_USAGE;
  pm_catalog *catalog = open_catalog(request, &code);
  pm_system *system = catalog != NULL ? open_system(catalog, request->arguments.items[0], &code) : NULL;
  pm_group *group = system != NULL ? open_group(request, system, &code) : NULL;
  if (group != NULL) code = evaluate(request, group, &call, sizes, count);
  pm_group_free(group);
  pm_system_free(system);
  pm_catalog_free(catalog);
  free(sizes);
  return code;
}

/* Names of a list, for a help text. */
#define COMMA_NAME(name, text, doc) ", " text

static const cli_option options[] = {
  {OPTION_GPUS, '\0', "gpus", "N|LIST", "the first N GPUs of each node, or these: 0,1,2,3 (default all)"},
  {OPTION_NODES, '\0', "nodes", "N", "nodes used (default 1)"},
  {OPTION_BYTES, '\0', "bytes", "LIST", "bytes of the whole buffer, such as 4096,64MiB,1GB (default 1 KiB to 4 GiB)"},
  {OPTION_ALGORITHM, '\0', "algorithm", "NAME", "auto" PM_NAMED_ALGORITHM_LIST(COMMA_NAME) " (default auto)"},
  {OPTION_PROTOCOL, '\0', "protocol", "auto|ll|ll128|simple", "(default auto)"},
  {OPTION_THREAD_GPUS, '\0', "thread-gpus", "N", "GPUs that one host thread drives (default 1)"},
  {OPTION_SERVERS, '\0', "servers", "N", "parameter servers (default 1)"},
  {OPTION_NCCL, '\0', "nccl", "current|nccl-2.0|nccl-1", "NCCL generation"},
  {OPTION_IN_NETWORK, '\0', "in-network", NULL, "the switches of the network reduce (SHARP)"},
  {OPTION_LOADS, '\0', "loads", NULL, "print the traffic on every link instead, for one size"},
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command collective_command = {
  "collective", "SYSTEM COLLECTIVE", "predicts the time of a collective for each size",
  "Collectives are all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all, send_receive, gather and "
  "scatter. Prints the time for each size, the fastest algorithm and protocol that a collective library would "
  "choose, and what limits it.\n\n"
  "Bus bandwidth is that of nccl-tests: for an all-reduce over n GPUs, bytes / time x 2 (n-1)/n.",
  "perfmodel collective dgx1-v100 all_reduce --gpus 8 --nodes 2 --bytes 64MiB,1GB", options, 2, 2, run};
