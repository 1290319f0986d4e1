/* Which systems a question is about, and what is said if none of them will do. */
#include "systems.h"
#include <math.h>
#include <stdlib.h>

static bool is_candidate(const pm_system *system, bool training)
{
  const pm_gpu *gpu = pm_system_get_gpu(system);
  bool half = !isnan(gpu->peak_bf16_tensor) || !isnan(gpu->peak_fp16_tensor);
  return half && (!training || pm_system_get_network_bandwidth(system) > 0);
}

static int open_named(const pm_catalog *catalog, const texts *names, pm_system **systems)
{
  int code = CODE_DONE;
  for (size_t i = 0; i < names->count && code == CODE_DONE; i++)
    systems[i] = open_system(catalog, names->items[i], &code);
  return code;
}

static int open_candidates(const cli_request *request, const pm_catalog *catalog, bool training, size_t *count,
                           pm_system **systems)
{
  int code = CODE_DONE;
  const size_t all = (size_t)pm_catalog_count(catalog, "systems");
  for (size_t i = 0; i < all && code == CODE_DONE; i++) {
    pm_system *system = open_system(catalog, pm_catalog_get_id(catalog, "systems", i), &code);
    if (system != NULL && is_candidate(system, training)) systems[(*count)++] = system;
    else pm_system_free(system);
  }
  note(request, "of %zu systems, all with %s16-bit tensor cores; --system selects others", *count,
       training ? "a network between nodes and " : "");
  return code;
}

int open_systems(const cli_request *request, const pm_catalog *catalog, bool training, texts *names,
                 pm_system ***systems)
{
  const size_t most = names->count + (size_t)pm_catalog_count(catalog, "systems");
  *systems = (pm_system **)calloc(most + 1, sizeof **systems);
  if (*systems == NULL) return fail_memory();
  return names->count > 0 ? open_named(catalog, names, *systems)
                          : open_candidates(request, catalog, training, &names->count, *systems);
}

int fail_goal(const pm_plan *plan, int32_t task, const void *run, size_t run_size, int status, const char *missed)
{
  pm_error error = PM_ERROR_NONE;
  if (status == PM_OK || status == PM_STATUS_UNREACHABLE) return fail(CODE_CONSTRAINT, "%s", missed);
  if (pm_task_check(plan, task, run, run_size, &error) == PM_OK) error.text[0] = '\0';
  return fail(CODE_CONSTRAINT, "no run has a prediction; the first reason: %s",
              error.text[0] != '\0' ? error.text : pm_status_get_text(status));
}
