/* What entries must hold to, beyond being readable: sensible values, known references, a whole that works. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"
#include "hardware/kernel_calibration.h"
#include "hardware/system.h"

/* ---- References. */

/* Fields that name another entry. */
static const struct reference {
  int kind;
  const char *field;
  int target;
} references[] = {
  {PM__GPUS, "nvlink", PM__LINKS},           {PM__GPUS, "pcie", PM__LINKS},
  {PM__SYSTEMS, "gpu", PM__GPUS},            {PM__CALIBRATIONS, "id", PM__LINKS},
  {PM__FRAMEWORKS, "cudnn", PM__CUDNN_GENERATIONS}, {PM__FRAMEWORKS, "loader", PM__LOADERS},
  {PM__FRAMEWORKS, "like", PM__FRAMEWORKS}, {PM__CUDNN_GENERATIONS, "like", PM__CUDNN_GENERATIONS},
  {PM__FRAMEWORKS, "memory", PM__MEMORY_PROFILES}, {PM__INFERENCE_PROFILES, "memory", PM__MEMORY_PROFILES},
  {PM__MEMORY_PROFILES, "like", PM__MEMORY_PROFILES}, {PM__INFERENCE_PROFILES, "like", PM__INFERENCE_PROFILES},
  {PM__ENGINES, "like", PM__ENGINES},        {PM__KERNEL_CALIBRATIONS, "like", PM__KERNEL_CALIBRATIONS},
  {PM__USABLE_MEMORIES, "id", PM__GPUS},     {PM__STORAGE_ACCESSES, "id", PM__STORAGES},
};

/* Replaces the name by the id that it resolves to. A calibration is found by its link's id, so it must have that;
** shipped entries have ids everywhere, since nothing is resolved when they are opened. */
static int resolve(const pm_catalog *catalog, pm__entry *entry, const pm_field *field, int target, pm_error *error)
{
  char text[PM_TEXT_MAX];
  int line = entry->from[field - entry->type->fields].line;
  pm_record_format(field, entry->record, text);
  if (text[0] == '\0') return PM_OK;
  const char *id = pm__catalog_resolve(catalog, target, text, error);
  if (id == NULL) {
    pm__error_place(error, entry->document->file, line);
    return PM_STATUS_NOT_FOUND;
  }
  const bool other = strcmp(field->name, "id") == 0 ? !pm__same_name(id, text) : entry->load == 0 &&
    strcmp(id, text) != 0;
  if (other)
    return pm__entry_fail(entry, line, error, PM_STATUS_BAD_VALUE, "\"%s\" is another name; write the id, \"%s\"", text,
                          id);
  return pm_record_set(field, entry->record, id, error);
}

static int resolve_all(const pm_catalog *catalog, pm__entry *entry, pm_error *error)
{
  int status = PM_OK;
  for (size_t i = 0; i < sizeof references / sizeof references[0] && status == PM_OK; i++)
    if (references[i].kind == entry->kind)
      status = resolve(catalog, entry, pm_record_find_field(entry->type, references[i].field), references[i].target,
                       error);
  return status;
}

/* ---- Sources: the first word is the id of a source entry. */

static int check_source(const pm_catalog *catalog, const pm__entry *entry, const char *source, const char *what,
                        int line, pm_error *error)
{
  char id[PM_TEXT_MAX];
  size_t length = strcspn(source, " ");
  if (length == 0 && entry->load == 0 && entry->kind != PM__SOURCES)
    return pm__entry_fail(entry, line, error, PM_STATUS_BAD_VALUE, "%s of \"%s\" has no source", what, entry->id);
  if (length == 0) return PM_OK;
  snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), source);
  if (pm__catalog_has(catalog, PM__SOURCES, id)) return PM_OK;
  pm_error reason = PM_ERROR_NONE;
  pm__names_unknown(catalog, PM__SOURCES, id, &reason);
  return pm__entry_fail(entry, line, error, PM_STATUS_NOT_FOUND, "%s", reason.text);
}

static int check_sources(const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  static const char *const parts[] = {"graph", "network"};
  int status = PM_OK, line = entry->element->line;
  if (entry->source[0] != '\0' || entry->record == NULL)
    status = check_source(catalog, entry, entry->source, "the entry", line, error);
  for (size_t i = 0; entry->record != NULL && i < entry->type->field_count && status == PM_OK; i++)
    if (entry->from[i].line > 0 && !pm__list_has(" id name ", entry->type->fields[i].name))
      status = check_source(catalog, entry, entry->from[i].source, entry->type->fields[i].name, entry->from[i].line,
                            error);
  for (size_t i = 0; entry->kind == PM__SYSTEMS && i < 2 && status == PM_OK; i++) {
    const pm__element *part = pm__entry_child(entry, parts[i]);
    const char *source = part != NULL ? pm__element_attribute(part, "source") : NULL;
    if (part != NULL)
      status = check_source(catalog, entry, source != NULL ? source : entry->source, parts[i], part->line, error);
  }
  return status;
}

/* ---- The whole, by kind. */

static int check_link(const pm_link *link, pm_error *error)
{
  if (isfinite(link->bandwidth)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "link \"%s\": its bandwidth is not finite", link->id);
}

static int check_calibration(const pm_link_calibration *calibration, pm_error *error)
{
  if (!(calibration->efficiency > 0 && calibration->efficiency <= 1))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "efficiency %g is not above 0 and at most 1", calibration->efficiency);
  if (isfinite(calibration->hop_latency) && isfinite(calibration->base_latency)) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "calibration \"%s\": a latency is unknown", calibration->id);
}

static int check_protocol(const pm__entry *entry, pm_error *error)
{
  const pm_protocol *p = (const pm_protocol *)entry->record;
  if (!pm__list_has(" ll ll128 simple ", p->id))
    return pm__fail(error, PM_STATUS_BAD_VALUE, "protocol \"%s\" is none of ll, ll128, simple", p->id);
  if (p->payload > 0 && p->payload <= 1) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_VALUE, "payload %g is not above 0 and at most 1", p->payload);
}

static int check_system(const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  pm_system *system = pm__entry_system(catalog, entry, &reason);
  pm_system_free(system);
  if (system != NULL) return PM_OK;
  pm__error_take(error, &reason);
  return reason.status;
}

static int check_network(const pm__entry *entry, pm_error *error)
{
  pm_error reason = PM_ERROR_NONE;
  if (!pm__entry_has_defaults(entry)) return PM_OK;
  pm_network *network = pm__entry_network(entry, NULL, 0, &reason);
  pm_network_free(network);
  if (network != NULL) return PM_OK;
  pm__error_take(error, &reason);
  return reason.status;
}

static int check_whole(const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  switch (entry->kind) {
  case PM__GPUS: return pm__gpu_check((const pm_gpu *)entry->record, error);
  case PM__LINKS: return check_link((const pm_link *)entry->record, error);
  case PM__KERNEL_CALIBRATIONS:
    return pm__kernel_calibration_stated((const pm_kernel_calibration *)entry->record, error);
  case PM__CALIBRATIONS: return check_calibration((const pm_link_calibration *)entry->record, error);
  case PM__PROTOCOLS_KIND: return check_protocol(entry, error);
  case PM__SYSTEMS: return check_system(catalog, entry, error);
  case PM__NETWORKS: return check_network(entry, error);
  default: return PM_OK;
  }
}

int pm__entry_check(const pm_catalog *catalog, pm__entry *entry, pm_error *error)
{
  int status = check_sources(catalog, entry, error);
  if (status == PM_OK && entry->record != NULL) status = resolve_all(catalog, entry, error);
  if (status == PM_OK) status = check_whole(catalog, entry, error);
  if (status != PM_OK) pm__error_place(error, entry->document->file, entry->element->line);
  return status;
}
