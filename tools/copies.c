/* perfmodel copies: GPU to GPU copies, as a peer-to-peer test prints them. */
#include <stdlib.h>
#include <string.h>
#include "command.h"

static pm_table *pair_table(const pm_system *system, pm_error *error)
{
  int gpus = pm_system_get_machine(system)->gpus;
  size_t count = (size_t)gpus * (size_t)(gpus - 1), row = 0;
  pm_pair *pairs = (pm_pair *)calloc(count + 1, sizeof *pairs);
  pm_table *table = pairs != NULL ? pm_table_new(count, error) : NULL;
  int status = table != NULL ? PM_OK : PM_STATUS_NO_MEMORY;
  for (int i = 0; i < gpus && status == PM_OK; i++) {
    if (i > 0) status = pm_system_get_pairs(system, i, 0, i, &pairs[row], error);
    row += (size_t)i;
    if (status == PM_OK && i + 1 < gpus)
      status = pm_system_get_pairs(system, i, i + 1, gpus - i - 1, &pairs[row], error);
    row += (size_t)(gpus - i - 1);
  }
  if (status == PM_OK) status = pm_table_add_records(table, pm_record_type_find("pair"), pairs, error);
  free(pairs);
  if (status == PM_OK) return table;
  pm_table_free(table);
  return NULL;
}

static int write_matrices(const cli_request *request, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  char *text = pm_system_format(system, "copies", &error);
  if (text == NULL) return fail_error(&error);
  int code = write_output(request, text, strlen(text));
  pm_string_free(text);
  return code;
}

static int write_copies(const cli_request *request, const pm_system *system)
{
  pm_error error = PM_ERROR_NONE;
  return is_report(request) ? write_matrices(request, system)
                            : write_table(request, pair_table(system, &error), &error);
}

static int run(const cli_request *request)
{
  return on_system(request, write_copies);
}

static const cli_option options[] = {
  COLUMNS_OPTION,
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command copies_command = {
  "copies", "SYSTEM", "predicts copies between the GPUs of a node",
  "Prints the bandwidth and latency of copies between every pair of GPUs, with peer access and through host memory, "
  "in the layout of CUDA's p2pBandwidthLatencyTest; csv and json have one row per pair. The diagonal is the memory "
  "bandwidth of the data sheet.",
  "perfmodel copies c4140-v100-sxm2", options, 1, 1, run};
