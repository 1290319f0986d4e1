/* The wiring of some GPUs, found once and kept with the system. */
#include "collective/collective_group.h"
#include <stdlib.h>
#include <string.h>

static void free_wiring(pm__wiring *wiring)
{
  pm__cycles_free(&wiring->cycles);
  free(wiring->kept.gpu);
  free(wiring);
}

static void release(pm__kept *entry)
{
  free_wiring((pm__wiring *)entry);
}

static pm__wiring *find_wiring(const pm_system *system, const int *gpus, int count, pm_error *error)
{
  pm__wiring *wiring = (pm__wiring *)calloc(1, sizeof *wiring);
  if (wiring != NULL) wiring->kept.gpu = (int *)calloc((size_t)count, sizeof *wiring->kept.gpu);
  if (wiring == NULL || wiring->kept.gpu == NULL) {
    free(wiring);
    pm__no_memory(error);
    return NULL;
  }
  wiring->system = system;
  wiring->kept.release = release;
  pm__fit_complete(&wiring->fit, system);
  wiring->kept.count = count;
  for (int i = 0; i < count; i++) wiring->kept.gpu[i] = gpus != NULL ? gpus[i] : i;
  if (pm__wiring_rings(wiring, error) == PM_OK && pm__wiring_ports(wiring, error) == PM_OK) return wiring;
  free_wiring(wiring);
  return NULL;
}

const pm__wiring *pm__wiring_of(const pm_system *system, const int *gpus, int count, pm_error *error)
{
  const pm__kept *kept = pm__keeper_find(system->keeper, gpus, count);
  if (kept != NULL) return (const pm__wiring *)kept;
  pm__wiring *wiring = find_wiring(system, gpus, count, error);
  if (wiring == NULL) return NULL;
  return (const pm__wiring *)pm__keeper_add(system->keeper, &wiring->kept);
}

/* What the system keeps it releases itself. */
void pm__wiring_release(const pm__wiring *wiring)
{
  if (wiring != NULL && wiring->kept.position == 0) free_wiring((pm__wiring *)wiring);
}
