/* GPUs under a power limit, made when a run first asks for it and kept with the plan. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "plan/energy.h"

enum { KEY = 4 }; /* two places each: the devices that are limited, and the limit */

typedef struct limited {
  pm__kept kept;
  pm__device devices[PM_PRECISION_COUNT];
  int key[KEY];
} limited;

static void release(pm__kept *kept)
{
  free((limited *)kept);
}

/* Those that a library may take instead are limited too. */
static void limit_all(const pm__device *devices, double limit, limited *l)
{
  memcpy(l->devices, devices, sizeof l->devices);
  for (int i = 0; i < PM_PRECISION_COUNT; i++) pm__device_set_limit(&l->devices[i], limit);
  for (int i = 0; i < PM_PRECISION_COUNT; i++)
    if (devices[i].cores != NULL) pm__plan_set_cores(&l->devices[i], &l->devices[devices[i].cores - devices]);
}

static limited *make(const pm__device *devices, double limit, const int *key, pm_error *error)
{
  limited *l = (limited *)calloc(1, sizeof *l);
  if (l == NULL) return pm__no_memory(error), (limited *)NULL;
  memcpy(l->key, key, sizeof l->key);
  l->kept = (pm__kept){.release = release, .gpu = l->key, .count = KEY};
  limit_all(devices, limit, l);
  return l;
}

pm__plan_limited pm__plan_limit(const pm_plan *plan, const pm__device *devices, double limit, pm_error *error)
{
  int key[KEY] = {0};
  const uintptr_t of = (uintptr_t)devices;
  if (isnan(limit) || limit == devices->power.limit) return (pm__plan_limited){devices, 0};
  memcpy(key, &of, sizeof of);
  memcpy(key + 2, &limit, sizeof limit);
  const pm__kept *kept = pm__keeper_find(plan->limited, key, KEY);
  if (kept == NULL) {
    limited *made = make(devices, limit, key, error);
    if (made == NULL) return (pm__plan_limited){NULL, 0};
    kept = pm__keeper_add(plan->limited, &made->kept, true);
  }
  return (pm__plan_limited){((const limited *)kept)->devices, kept->position};
}
