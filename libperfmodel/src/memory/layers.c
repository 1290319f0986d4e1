/* Memory layer by layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory/scan.h"
#include "record/count.h"

static void fill_row(pm_layer_memory *row, const pm__layer *layer, double size)
{
  memset(row, 0, sizeof *row);
  pm__text_set(row->name, sizeof row->name, layer->name);
  pm__text_set(row->kind, sizeof row->kind, layer->kind->name);
  pm__shape_text(&layer->output, row->output, sizeof row->output);
  row->weights = layer->parameters * size;
}

/* Tensors count with the first layer that needs them; inputs of the network have no row of their own. */
static void fill(const pm__tensors *tensors, pm__sizes sizes, double batch, const int *row_of, const double *alive,
                 pm_layer_memory *rows)
{
  const pm_network *network = tensors->network;
  for (size_t i = 0; i < network->count; i++) {
    if (network->layers[i].kind == NULL) continue;
    pm_layer_memory *row = &rows[row_of[i]];
    row->index = row_of[i];
    row->written = tensors->storage[i] == (int)i ? batch * network->layers[i].elements_out * sizes.low : 0;
    row->further = batch * pm__layer_further(tensors, (int)i, sizes, false);
    row->saved += row->further;
    row->alive = batch * alive[i];
  }
  for (size_t i = 0; i < network->count; i++) {
    double kept = pm__storage_kept(tensors, (int)i, sizes);
    if (kept > 0) rows[row_of[tensors->first_saver[i]]].saved += batch * kept;
  }
}

static int find_rows(const pm__tensors *tensors, double batch, int precision, pm_layer_memory *rows, pm_error *error)
{
  const pm_network *network = tensors->network;
  pm__alive whole;
  pm__sizes sizes = pm__sizes_of(tensors->profile, precision);
  int *row_of = (int *)calloc(network->count + 1, sizeof *row_of), next = 0;
  double *alive = (double *)calloc(network->count + 1, sizeof *alive);
  int status = row_of != NULL && alive != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) status = pm__scan_backward(tensors, sizes, false, &whole, alive, error);
  for (size_t i = 0; i < network->count && status == PM_OK; i++) {
    if (network->layers[i].kind == NULL) continue;
    double weight = sizes.low < 4 ? pm__given(tensors->profile->mixed_weight, 4) : sizes.low;
    fill_row(&rows[next], &network->layers[i], weight);
    row_of[i] = next++;
  }
  if (status == PM_OK) fill(tensors, sizes, batch, row_of, alive, rows);
  free(row_of);
  free(alive);
  return status;
}

int pm_memory_get_layers(const pm_network *network, const pm_memory_profile *profile, double batch, int precision,
                     pm_layer_memory *rows, pm_error *error)
{
  pm__tensors tensors;
  if (network == NULL || profile == NULL || rows == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT,
                    "memory by layer needs a network, a memory profile and rows to fill");
  if (pm__batch_check(batch, error) != PM_OK) return PM_STATUS_BAD_ARGUMENT;
  if (!(pm_precision_get_bytes(precision) >= 2))
    return pm__fail(error, PM_STATUS_NOT_MODELLED, "training at precision %d is not modelled", precision);
  int status = pm__tensors_find(&tensors, network, profile, error);
  if (status != PM_OK) return status;
  status = find_rows(&tensors, batch, precision, rows, error);
  pm__tensors_free(&tensors);
  return status;
}
