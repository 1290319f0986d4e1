/*
** Networks with adapters, or with a loss in other parts than the software's, made on first use and kept with the plan:
** each of them is lowered, cut and counted as the plan's own networks are, for all software that the plan has by then.
*/
#include <stdlib.h>
#include <string.h>
#include "network/network.h"
#include "plan/plan.h"
#include "record/count.h"

enum { KEY = 14 };

typedef struct adapted {
  pm__kept kept;
  pm_plan counts; /* how many cuts and memory profiles the entry has */
  pm_network *network;
  pm__plan_network entry;
  int key[KEY];
} adapted;

static void release(pm__kept *kept)
{
  adapted *a = (adapted *)kept;
  pm__plan_network_free(&a->counts, &a->entry);
  pm_network_free(a->network);
  free(a);
}

static int add_units(const pm_plan *plan, int network, adapted *a, pm_error *error)
{
  pm__plan_network *entry = &a->entry;
  for (int mode = 0; mode < PM__INFERENCE_MODE; mode++) {
    if (plan->networks[network].units[mode] == NULL || entry->units[mode] != NULL) continue;
    entry->units[mode] = pm__units_new(a->network, mode, error);
    if (entry->units[mode] == NULL) return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

static int add_memory(const pm_plan *plan, const pm_run *run, adapted *a, pm_error *error)
{
  pm_memory_profile profile;
  a->entry.memory = (pm_memory_plan **)calloc(plan->memory_count + 1, sizeof *a->entry.memory);
  if (a->entry.memory == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < plan->memory_count; i++, a->counts.memory_count++) {
    profile = plan->memories[i];
    if (run->loss_chunks > 0) profile.loss_chunks = run->loss_chunks;
    a->entry.memory[i] = pm_memory_plan_new(a->network, &profile, pm_optimizer_get(PM_OPTIMIZER_NONE), error);
    if (a->entry.memory[i] == NULL) return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

static int add_cuts(const pm_plan *plan, adapted *a, pm_error *error)
{
  a->entry.segments = (pm__segments **)calloc(plan->cut_count + 1, sizeof *a->entry.segments);
  if (a->entry.segments == NULL) return pm__no_memory(error);
  for (size_t i = 0; i < plan->cut_count; i++, a->counts.cut_count++) {
    const pm__plan_cut *cut = &plan->cuts[i];
    a->entry.segments[i] = pm__segments_new(a->network, a->entry.units[cut->mode], cut->bucket, error);
    if (a->entry.segments[i] == NULL) return PM_STATUS_NO_MEMORY;
  }
  return PM_OK;
}

/* Of its own, as the run has it. */
static pm_network *new_network(const pm_network *network, const pm_run *run, bool packs, pm_error *error)
{
  const pm__network_adapters adapters = {run->lora_rank, run->lora_targets, run->lora_dropout, run->lora_dora != 0,
                                         run->lora_first_layer, run->lora_layers};
  pm_network *packed = packs ? pm__network_new_packed(network, run->document_tokens, error)
                             : pm__network_new_copy(network, error);
  if (run->lora_rank == 0 || packed == NULL) return packed;
  pm_network *with = pm__network_new_with_adapters(packed, &adapters, error);
  pm_network_free(packed);
  return with;
}

static adapted *make(const pm_plan *plan, const pm_run *run, const int *key, pm_error *error)
{
  adapted *a = (adapted *)calloc(1, sizeof *a);
  if (a == NULL) {
    pm__no_memory(error);
    return NULL;
  }
  memcpy(a->key, key, sizeof a->key);
  a->kept = (pm__kept){.release = release, .gpu = a->key, .count = KEY};
  const pm__plan_network *of = &plan->networks[run->network_index];
  a->network = new_network(of->network, run, run->document_tokens < of->tokens, error);
  a->entry.kept = &a->kept;
  a->entry.number = (int)plan->network_count;
  int status = a->network != NULL ? pm__plan_network_prepare(&a->entry, a->network, error) : PM_STATUS_BAD_VALUE;
  if (status == PM_OK) status = add_units(plan, run->network_index, a, error);
  if (status == PM_OK) status = add_memory(plan, run, a, error);
  if (status == PM_OK) status = add_cuts(plan, a, error);
  if (status == PM_OK) return a;
  release(&a->kept);
  return NULL;
}

static int check(const pm_run *run, pm_error *error)
{
  if (run->lora_rank < 0) return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "lora_rank %d is below 0", run->lora_rank);
  if (!(run->lora_dropout >= 0 && run->lora_dropout < 1))
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "lora_dropout %g is not from 0 to below 1", run->lora_dropout);
  if (run->lora_dora < 0 || run->lora_dora > 1)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no lora_dora %d", run->lora_dora);
  int status = pm__count_check("lora_first_layer", run->lora_first_layer, 0, error);
  if (status == PM_OK) status = pm__count_check("loss_chunks", run->loss_chunks, 0, error);
  if (status == PM_OK) status = pm__count_check("lora_layers", run->lora_layers, 0, error);
  if (status != PM_OK) return status;
  if (run->lora_targets >= 0 && run->lora_targets < PM_LORA_TARGETS_COUNT) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "there is no lora_targets %d", run->lora_targets);
}

const pm__plan_network *pm__plan_network_adapted(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  int key[KEY] = {run->network_index, run->lora_rank, run->lora_targets, (int)plan->memory_count,
                  (int)plan->cut_count, (int)plan->framework_count, run->lora_dora, run->lora_first_layer,
                  run->lora_layers, run->loss_chunks};
  if (check(run, error) != PM_OK) return NULL;
  double tokens = run->document_tokens < plan->networks[run->network_index].tokens ? run->document_tokens : 0;
  memcpy(key + KEY - 4, &tokens, sizeof tokens);
  memcpy(key + KEY - 2, &run->lora_dropout, sizeof run->lora_dropout);
  const pm__kept *found = pm__keeper_find(plan->adapted, key, KEY);
  if (found != NULL) return &((const adapted *)found)->entry;
  adapted *made = make(plan, run, key, error);
  if (made == NULL) return NULL;
  return &((const adapted *)pm__keeper_add(plan->adapted, &made->kept, true))->entry;
}
