/* Finds what the links give to some GPUs of a node, once for each list of GPUs, and keeps it with the system. */
#include "topology/wiring.h"
#include <stdlib.h>
#include <string.h>
#include "hardware/collective_fit.h"

static void free_wiring(pm__wiring *wiring)
{
  pm__ring_cycles_free(&wiring->cycles);
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
  pm__system_fit_complete(&wiring->fit, system);
  wiring->kept.count = count;
  for (int i = 0; i < count; i++) wiring->kept.gpu[i] = gpus != NULL ? gpus[i] : i;
  if (pm__wiring_rings(wiring, error) == PM_OK && pm__wiring_ports(wiring, error) == PM_OK) return wiring;
  free_wiring(wiring);
  return NULL;
}

/* ---- Regular lists ---- */

/* Finds the wiring of a regular list and remembers it, or why there is none. */
static int find_regular(const pm_system *system, pm__keeper_slot *slot, int first, int stride, int count,
                        const pm__wiring **wiring)
{
  pm_error error = PM_ERROR_NONE;
  int *gpus = (int *)calloc((size_t)count, sizeof *gpus);
  if (gpus == NULL) return PM_STATUS_NO_MEMORY;
  for (int i = 0; i < count; i++) gpus[i] = first + i * stride;
  const pm__kept *kept = pm__keeper_find(system->keeper, gpus, count);
  pm__wiring *found = kept == NULL ? find_wiring(system, gpus, count, &error) : NULL;
  free(gpus);
  if (found != NULL) kept = pm__keeper_add(system->keeper, &found->kept, true);
  *wiring = (const pm__wiring *)kept;
  if (kept != NULL) pm__keeper_slot_fill(slot, kept);
  else if (error.status != PM_STATUS_NO_MEMORY) pm__keeper_slot_fail(slot, error.status);
  return kept != NULL ? PM_OK : error.status;
}

int pm__wiring_regular(const pm_system *system, int first, int stride, int count, const pm__wiring **wiring)
{
  int status, have = (int)system->gpu_count;
  *wiring = NULL;
  if (first < 0 || stride < 1 || count < 1) return PM_STATUS_BAD_ARGUMENT;
  if (first + (count - 1) * (int64_t)stride >= have) return PM_STATUS_TOO_MANY_GPUS;
  pm__keeper_slot *slot = pm__keeper_slot_of(system->keeper, have, first, count > 1 ? stride : 1, count);
  if (slot == NULL) return PM_STATUS_NO_MEMORY;
  *wiring = (const pm__wiring *)pm__keeper_slot_entry(slot, &status);
  return *wiring != NULL || status != PM_OK ? status : find_regular(system, slot, first, stride, count, wiring);
}

int pm__wiring_first(const pm_system *system, int gpus, const pm__wiring **wiring)
{
  return pm__wiring_regular(system, 0, 1, gpus, wiring);
}

/* ---- Any list ---- */

const pm__wiring *pm__wiring_of(const pm_system *system, const int *gpus, int count, pm_error *error)
{
  const pm__wiring *first;
  if (gpus == NULL && pm__wiring_first(system, count, &first) == PM_OK) return first;
  const pm__kept *kept = pm__keeper_find(system->keeper, gpus, count);
  if (kept != NULL) return (const pm__wiring *)kept;
  pm__wiring *wiring = find_wiring(system, gpus, count, error);
  if (wiring == NULL) return NULL;
  return (const pm__wiring *)pm__keeper_add(system->keeper, &wiring->kept, false);
}

/* What the system keeps it releases itself. */
void pm__wiring_release(const pm__wiring *wiring)
{
  if (wiring != NULL && wiring->kept.position == 0) free_wiring((pm__wiring *)wiring);
}
