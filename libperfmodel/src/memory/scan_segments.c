/*
** Recomputation: the network is cut where a single tensor goes on; only these tensors are kept, and the backward pass
** computes each segment between two of them again. Needed: all tensors at the cuts, and what the largest segment keeps
** (Chen et al., arXiv:1604.06174). Few cuts make large segments, many cuts many tensors; the best of a row of limits on
** the segments is taken, with each of which segments are made as long as they may be.
*/
#include <stdlib.h>
#include "memory/scan.h"

/* What lies between two neighbouring places to cut. */
typedef struct piece {
  double kept;   /* by its layers, if nothing is computed again */
  double behind; /* bytes of the tensor that goes on */
} piece;

static double boundary(const pm__tensors *tensors, int storage, pm__sizes sizes)
{
  return tensors->network->layers[storage].elements_out *
         (tensors->kept[storage] & PM__KEPT_HIGH ? sizes.high : sizes.low);
}

/* A layer's own storage, as far as anyone needs it, and what it keeps besides. */
static double kept_by(const pm__tensors *tensors, int layer, pm__sizes sizes)
{
  double own = pm__storage_kept(tensors, layer, sizes);
  return tensors->network->layers[layer].kind == NULL ? own : own + pm__layer_further(tensors, layer, sizes, false);
}

/* Fills `pieces`, which has room for one per layer. Returns their number. `ends` counts storages by their last use. */
static size_t find_pieces(const pm__tensors *tensors, pm__sizes sizes, int *ends, piece *pieces)
{
  size_t count = 0;
  int alive = 0;
  const pm_network *network = tensors->network;
  for (size_t i = 0; i < network->count; i++)
    if (tensors->storage[i] == (int)i) ends[tensors->last_use[i]]++;
  double kept = 0;
  int last = 0;
  for (size_t i = 0; i < network->count; i++) {
    if (tensors->storage[i] == (int)i) alive++;
    if (tensors->last_use[tensors->storage[i]] > (int)i) last = tensors->storage[i];
    alive -= ends[i];
    kept += kept_by(tensors, (int)i, sizes);
    bool end = i + 1 == network->count;
    bool single = alive == 1 && tensors->last_use[last] > (int)i;
    if (!end && !single) continue;
    pieces[count++] = (piece){kept, end ? 0 : boundary(tensors, last, sizes)};
    kept = 0;
  }
  return count;
}

/* Memory needed if no segment may keep more than `limit`, unless it is a single piece. */
static double needed(const piece *pieces, size_t count, double limit, double *cuts)
{
  double largest = 0, segment = 0;
  *cuts = 0;
  for (size_t i = 0; i < count; i++) {
    if (segment > 0 && segment + pieces[i].kept > limit) {
      *cuts += pieces[i - 1].behind;
      segment = 0;
    }
    segment += pieces[i].kept;
    if (segment > largest) largest = segment;
  }
  return *cuts + largest;
}

static void best_split(const piece *pieces, size_t count, pm__alive *out)
{
  enum { LIMITS = 64 };
  double all = 0, largest = 0, cuts;
  for (size_t i = 0; i < count; i++) {
    all += pieces[i].kept;
    if (pieces[i].kept > largest) largest = pieces[i].kept;
  }
  out->saved = out->peak = all;
  for (int i = 0; i < LIMITS; i++) {
    double limit = largest + (all - largest) * i / LIMITS * i / LIMITS;
    double peak = needed(pieces, count, limit, &cuts);
    if (peak < out->peak) *out = (pm__alive){cuts, peak};
  }
}

int pm__scan_segments(const pm__tensors *tensors, pm__sizes sizes, pm__alive *out, pm_error *error)
{
  size_t count = tensors->network->count + 1;
  pm__alive whole;
  int *ends = (int *)calloc(count, sizeof *ends);
  piece *pieces = (piece *)calloc(count, sizeof *pieces);
  int status = ends != NULL && pieces != NULL ? PM_OK : pm__no_memory(error);
  if (status == PM_OK) status = pm__scan_backward(tensors, sizes, false, &whole, NULL, error);
  if (status == PM_OK) {
    best_split(pieces, find_pieces(tensors, sizes, ends, pieces), out);
    out->peak += whole.peak - whole.saved; /* gradients in flight at most */
    if (out->peak > whole.peak) *out = whole;
  }
  free(ends);
  free(pieces);
  return status;
}

double pm__scan_operations(const pm__tensors *tensors, pm__sizes sizes)
{
  const pm_network *network = tensors->network;
  double kept = 0;
  int products = 0;
  for (size_t i = 0; i < network->count; i++)
    if (pm__keeps_operation(&network->layers[i], &products)) kept += network->layers[i].elements_out * sizes.low;
  return kept;
}
