/*
** An engine with the kernels that it runs on GPUs of an architecture.
**
** Its kernels are those of the harness of its family whose architectures hold the GPU's; where nobody timed them there,
** those of the family on any. What a harness does not say, memory-bound kernels above all, is that of Vidur's profiles,
** which have every kernel of an engine.
*/
#include <math.h>
#include <string.h>
#include "base/words.h"
#include "catalog/generation.h"
#include "perfmodel/engine.h"
#include "software/experts.h"

static const char general[] = "vidur";

/* Whether the harness of an entry is of a family; the repository is its own, never that of an entry it is like. */
static bool is_of_family(const pm__entry *entry, const char *family)
{
  return family[0] != '\0' && strcmp(((const pm_kernel_harness *)entry->record)->repository, family) == 0;
}

static int find_harness(const pm_catalog *catalog, const char *family, const char *architecture,
                        pm_kernel_harness *found, bool *any, pm_error *error)
{
  pm_kernel_harness h;
  const pm__entry *entry;
  int status = PM_OK;
  for (size_t i = 0; status == PM_OK && !*any && i < catalog->lists[PM__KERNEL_HARNESSES].count; i++) {
    status = pm__catalog_at(catalog, PM__KERNEL_HARNESSES, i, &entry, error);
    if (status != PM_OK || !is_of_family(entry, family)) continue;
    status = pm__entry_complete(catalog, entry, &h, error);
    *any = status == PM_OK && (architecture == NULL || pm__words_hold(architecture, h.kernels));
    if (*any) *found = h;
  }
  return status;
}

static const char *const attention[] = {"attention", "attention_rate", "decode", "decode_rate", "decode_start",
                                        "byte_decode", "byte_decode_rate", "byte_decode_start"};

/* Those of attention, of another harness. */
static void take_attention(pm_kernel_harness *h, const pm_kernel_harness *from)
{
  const pm_record_type *type = pm_record_type_find("kernel_harness");
  for (size_t i = 0; i < sizeof attention / sizeof attention[0]; i++) {
    const pm_field *field = pm_record_find_field(type, attention[i]);
    pm_record_set_number(field, h, pm_record_get_number(field, from), NULL);
  }
  h->ungrouped = from->ungrouped;
  h->most_grouped = from->most_grouped;
  h->ungrouped_prompts = from->ungrouped_prompts;
  h->unmasked = from->unmasked;
}

/* Of FP8 in blocks and of FP4: for weights of two bytes, and of four bits for such rows, software has its own. */
static void take_experts(pm_kernel_harness *h, const pm_kernel_harness *from)
{
  pm__software_experts block = pm__software_experts_of(from, PM__EXPERTS_BLOCK);
  pm__software_experts fp4 = pm__software_experts_of(from, PM__EXPERTS_FP4);
  h->block_experts = block.time, h->block_routing = block.routing, h->block_experts_rate = block.rate;
  h->fp4_experts = fp4.time, h->fp4_routing = fp4.routing, h->fp4_experts_rate = fp4.rate;
}

/* Numbers that it does not say; what it says of how kernels work stays. */
static void fill(pm_kernel_harness *h, const pm_kernel_harness *from)
{
  const pm_record_type *type = pm_record_type_find("kernel_harness");
  for (size_t i = 0; i < type->field_count; i++) {
    const pm_field *field = &type->fields[i];
    if (field->kind == PM_FIELD_REAL && isnan(pm_record_get_number(field, h)))
      pm_record_set_number(field, h, pm_record_get_number(field, from), NULL);
  }
}

/* A part of the kernels, of another family where one is named. */
static int take_part(const pm_catalog *catalog, const char *family, const char *architecture, pm_kernel_harness *h,
                     void (*take_of)(pm_kernel_harness *, const pm_kernel_harness *), pm_error *error)
{
  pm_kernel_harness other;
  bool any = false;
  if (family[0] == '\0') return PM_OK;
  int status = find_harness(catalog, family, architecture, &other, &any, error);
  if (any) take_of(h, &other);
  return status;
}

static int take_kernels(const pm_catalog *catalog, const char *architecture, pm_engine_profile *profile,
                        pm_error *error)
{
  pm_kernel_harness base;
  bool has_base = false, any = false;
  const char *family = profile->engine.kernels;
  pm_record_clear(pm_record_type_find("kernel_harness"), &profile->kernels);
  int status = find_harness(catalog, general, NULL, &base, &has_base, error);
  if (status == PM_OK && architecture != NULL && architecture[0] != '\0')
    status = find_harness(catalog, family, architecture, &profile->kernels, &any, error);
  if (status == PM_OK && !any) status = find_harness(catalog, family, NULL, &profile->kernels, &any, error);
  if (status == PM_OK)
    status = take_part(catalog, profile->engine.attention_kernels, architecture, &profile->kernels, take_attention,
                       error);
  if (status == PM_OK)
    status = take_part(catalog, profile->kernels.experts_kernels, architecture, &profile->kernels, take_experts, error);
  if (status != PM_OK || !has_base) return status;
  if (!any) profile->kernels = base;
  fill(&profile->kernels, &base);
  return PM_OK;
}

int pm_catalog_get_engine_on(const pm_catalog *catalog, const char *name, const char *architecture,
                             pm_engine_profile *profile, pm_error *error)
{
  pm__catalog_software_ids ids;
  if (catalog == NULL || profile == NULL)
    return pm__fail(error, PM_STATUS_BAD_ARGUMENT, "an engine needs a catalogue, a name and a place");
  const pm__catalog_software_name asked = {name != NULL ? name : PM_ENGINE_DEFAULT, NULL};
  int status = pm__software_find(catalog, PM__ENGINES, &asked, &ids, error);
  if (status == PM_OK) status = pm_catalog_get_record(catalog, "engine", ids.id, &profile->engine, error);
  return status == PM_OK ? take_kernels(catalog, architecture, profile, error) : status;
}
