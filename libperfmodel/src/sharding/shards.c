/* The shards of all pieces of a network. */
#include <stdlib.h>
#include "sharding/shard.h"

static int check_divided(const pm__pieces *pieces, const pm__shards *shards, const pm__sharding_degrees *degrees,
                         pm_error *error)
{
  const pm__layer *stops = NULL;
  int divided = 0, experts = 0;
  for (int i = 0; i < shards->count; i++) {
    divided += shards->shard[i]->divided;
    experts += shards->shard[i]->experts;
    if (stops == NULL) stops = shards->shard[i]->undivided;
  }
  const char *id = pieces->kind[0]->id;
  if (degrees->tensor > 1 && divided == 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "no layer of %s can be split over %d GPUs: %s \"%s\" needs all of its "
                    "input", id, degrees->tensor, stops != NULL ? stops->kind->name : "layer",
                      stops != NULL ? stops->name : "");
  if (degrees->expert > 1 && experts == 0)
    return pm__fail(error, PM_STATUS_BAD_VALUE, "%s has no experts for %d GPUs", id, degrees->expert);
  return PM_OK;
}

pm__shards *pm__shards_new(const pm__pieces *pieces, const pm__sharding_degrees *degrees, pm_error *error)
{
  pm__shards *shards = (pm__shards *)calloc(1, sizeof *shards);
  if (shards != NULL) shards->shard = (pm__shard **)calloc((size_t)pieces->kinds + 1, sizeof *shards->shard);
  int status = shards != NULL && shards->shard != NULL ? PM_OK : pm__no_memory(error);
  for (int i = 0; i < pieces->kinds && status == PM_OK; i++) {
    shards->shard[i] = pm__shard_new(pieces->kind[i], degrees, error);
    if (shards->shard[i] != NULL) shards->count++;
    else status = PM_STATUS_BAD_VALUE;
  }
  if (status == PM_OK) status = check_divided(pieces, shards, degrees, error);
  if (status == PM_OK) return shards;
  pm__shards_free(shards);
  return NULL;
}

void pm__shards_free(pm__shards *shards)
{
  if (shards == NULL) return;
  for (int i = 0; i < shards->count; i++) pm__shard_free(shards->shard[i]);
  free(shards->shard);
  free(shards);
}
