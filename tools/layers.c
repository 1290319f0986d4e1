/* perfmodel layers: a network layer by layer, counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"

/* The row below all others. The whole batch uses the parameters, so gamma of the network is the quotient of sums. */
static void sum(const pm_layer *rows, int count, pm_layer *total)
{
  pm_record_init(pm_record_type_find("layer"), total);
  strcpy(total->name, "total");
  total->parameters = total->mac = total->flop = total->mac_bnl = 0;
  total->bytes_in = total->bytes_out = total->bytes_parameters = 0;
  for (int i = 0; i < count; i++) {
    total->parameters += rows[i].parameters;
    total->mac += rows[i].mac;
    total->flop += rows[i].flop;
    total->mac_bnl += rows[i].mac_bnl;
    total->bytes_in += rows[i].bytes_in;
    total->bytes_out += rows[i].bytes_out;
    total->bytes_parameters += rows[i].bytes_parameters;
  }
  total->gamma = total->parameters > 0 ? total->mac_bnl / total->parameters : (double)NAN;
}

static pm_table *layer_table(const pm_network *network, double batch, int precision, pm_error *error)
{
  int count = pm_network_layer_count(network);
  pm_layer *rows = (pm_layer *)calloc((size_t)count + 1, sizeof *rows);
  pm_table *table = pm_table_new((size_t)count + 1, error);
  int status = rows == NULL || table == NULL ? PM_NO_MEMORY : PM_OK;
  if (status == PM_OK) status = pm_network_get_layers(network, batch, precision, rows, error);
  if (status == PM_OK) {
    sum(rows, count, &rows[count]);
    status = pm_table_add_records(table, pm_record_type_find("layer"), rows, error);
  }
  free(rows);
  if (status == PM_OK) {
    pm_table_drop(table, "index"); /* rows are in order, and the total has none */
    pm_table_mark_total(table);
    return table;
  }
  pm_table_free(table);
  return NULL;
}

static int run(const cli_request *request)
{
  int code;
  double batch;
  pm_error error = PM_ERROR_NONE;
  int32_t precision = PM_FP32;
  if (!read_count_option(request, OPTION_BATCH, COUNT_MOST, 1, &batch)) return CODE_USAGE;
  if (!read_precision(request->value[OPTION_PRECISION], &precision)) return CODE_USAGE;
  pm_catalog *catalog = open_catalog(request, &code);
  if (catalog == NULL) return code;
  pm_network *network = open_network(request, catalog, request->arguments.items[0], &code);
  if (network != NULL) code = write_table(request, layer_table(network, batch, precision, &error), &error);
  pm_network_free(network);
  pm_catalog_free(catalog);
  return code;
}

static const cli_option options[] = {
  {OPTION_BATCH, '\0', "batch", "N", "samples that the counts are for (default 1)"},
  {OPTION_PRECISION, '\0', "precision", "NAME", "what the bytes are counted in (default fp32); see perfmodel list "
                                                "precisions"},
  {OPTION_SET, '\0', "set", "NAME=VALUE", "give a parameter of the network another value, such as classes=10; may be "
                                          "repeated"},
  {OPTION_COUNT, '\0', NULL, NULL, NULL},
};

const cli_command layers_command = {
  "layers", "NETWORK", "counts a network layer by layer: parameters, MAC, FLOP, bytes",
  "Prints shape, parameters, multiply-accumulates (MAC), arithmetic (FLOP), bytes and gamma of every layer for one "
  "forward pass of the whole batch, and their total in the last row.\n\n"
  "1 MAC is 2 FLOP; FLOP also counts bias and element-wise arithmetic. mac_bnl is MAC + bias + 4 per batch-norm "
  "element + 1 per ReLU element; gamma is mac_bnl / parameters: how often a parameter is used. Shapes are per sample.",
  "perfmodel layers resnet50 --batch 32", options, 1, 1, run};
