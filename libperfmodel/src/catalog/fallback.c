/*
** What an entry does not state it has from other entries of its kind, field by field:
**
**     what all of them have in common, from the general entry: of kernel calibrations the one called "default", of
**     harnesses for a GPU that of the same repository for all others;
**     the rest from the entry that it is `like`, which may be like another.
**
** Fields that say what the entry itself is, or what it rests on, are its own (`own` of pm__kind).
*/
#include <string.h>
#include "catalog/entry.h"

/* ---- Where the rest of an entry is. */

static const char *like_of(const pm__entry *entry)
{
  const pm_field *field = pm_record_find_field(entry->type, "like");
  return field != NULL ? (const char *)entry->record + field->offset : "";
}

/* Of a chain that does not end, the user's entry that was asked for or comes first: shipped ones are well by
** themselves. */
static int fail_likes(const pm_catalog *catalog, const pm__entry *asked, pm_error *error)
{
  const pm__entry *entry = asked, *blamed = asked;
  bool returns = false;
  for (int depth = 0; depth <= LIKES_MAX && !returns; depth++) {
    if (blamed->load == 0 && entry->load > 0) blamed = entry;
    if (pm__catalog_find(catalog, entry->kind, like_of(entry), &entry, error) != PM_OK) return error->status;
    returns = entry == blamed;
  }
  if (returns)
    return pm__entry_fail(blamed, blamed->element->line, error, PM_STATUS_BAD_VALUE, "%s \"%s\" is like itself",
                          blamed->element->name, blamed->id);
  return pm__entry_fail(blamed, blamed->element->line, error, PM_STATUS_BAD_VALUE,
                        "%s \"%s\" is like another over more than %d steps", blamed->element->name, blamed->id,
                        LIKES_MAX);
}

/* The entry that `entry` is like, `depth` steps behind the one that was asked for. */
static int find_like(const pm_catalog *catalog, const pm__entry *asked, const pm__entry *entry, int depth,
                     const pm__entry **found, pm_error *error)
{
  pm_error own = PM_ERROR_NONE;
  const char *like = like_of(entry);
  *found = NULL;
  if (like[0] == '\0') return PM_OK;
  if (depth < LIKES_MAX) return pm__catalog_find(catalog, entry->kind, like, found, error);
  return fail_likes(catalog, asked, error != NULL ? error : &own);
}

int pm__entry_check_likes(const pm_catalog *catalog, const pm__entry *entry, pm_error *error)
{
  const pm__entry *at = entry;
  int status = PM_OK;
  for (int depth = 0; status == PM_OK && at != NULL; depth++) status = find_like(catalog, entry, at, depth, &at, error);
  return status;
}

/* A text of an entry whose record belongs to a room above. */
static const char *text_of(const pm__entry *entry, const char *name)
{
  return (const char *)entry->record + pm_record_find_field(entry->type, name)->offset;
}

static bool is_general_harness(const pm__entry *entry, const pm__entry *of)
{
  return text_of(entry, "gpu")[0] == '\0' && strcmp(text_of(entry, "repository"), text_of(of, "repository")) == 0;
}

static int find_harness(const pm_catalog *catalog, const pm__entry *of, const pm__entry **found, pm_error *error)
{
  const pm__entry *entry;
  int status = PM_OK;
  for (size_t i = 0; status == PM_OK && *found == NULL && i < catalog->lists[of->kind].count; i++) {
    status = pm__catalog_at(catalog, of->kind, i, &entry, error);
    if (status == PM_OK && is_general_harness(entry, of)) *found = entry;
  }
  return status;
}

static int find_general(const pm_catalog *catalog, const pm__entry *entry, const pm__entry **found, pm_error *error)
{
  *found = NULL;
  if (entry->kind == PM__KERNEL_HARNESSES) return find_harness(catalog, entry, found, error);
  if (entry->kind != PM__KERNEL_CALIBRATIONS) return PM_OK;
  return pm__catalog_seek(catalog, entry->kind, PM_KERNEL_GENERAL_ID, found, error);
}

int pm__entry_find_stating(const pm_catalog *catalog, const pm__entry *entry, const char *field,
                           const pm__entry **found, pm_error *error)
{
  const size_t index = (size_t)(pm_record_find_field(entry->type, field) - entry->type->fields);
  const pm__entry *general, *asked = entry;
  int status = find_general(catalog, entry, &general, error);
  for (int depth = 0; status == PM_OK && entry != NULL && entry->from[index].line == 0; depth++)
    if (general != NULL && general->from[index].line > 0) entry = general;
    else status = find_like(catalog, asked, entry, depth, &entry, error);
  *found = status == PM_OK ? entry : NULL;
  return status;
}

/* ---- The whole. */

static size_t size_of(const pm_field *field)
{
  return field->kind == PM_FIELD_TEXT ? PM_TEXT_MAX : field->kind == PM_FIELD_REAL ? sizeof(double) : sizeof(int32_t);
}

static void copy_field(const pm__entry *from, const pm_field *field, void *record)
{
  memcpy((char *)record + field->offset, (const char *)from->record + field->offset, size_of(field));
}

static void put_stated(const pm__entry *entry, void *record)
{
  for (size_t i = 0; i < entry->type->field_count; i++)
    if (entry->from[i].line > 0) copy_field(entry, &entry->type->fields[i], record);
}

static void put_own(const pm__entry *entry, const char *own, void *record)
{
  for (size_t i = 0; i < entry->type->field_count; i++)
    if (pm__list_has(own, entry->type->fields[i].name)) copy_field(entry, &entry->type->fields[i], record);
}

/* Energies of another architecture, times the factor of this one. */
static void scale_energies(pm_kernel_calibration *c, double factor)
{
  if (!(factor > 0)) return;
  c->simt_flop_energy *= factor;
  c->tensor_flop_energy *= factor;
  c->steady_flop_energy *= factor;
}

static int complete(const pm_catalog *catalog, const pm__entry *asked, const pm__entry *entry, int depth, void *record,
                    pm_error *error)
{
  const pm__entry *like, *general;
  int status = find_like(catalog, asked, entry, depth, &like, error);
  if (status == PM_OK && like != NULL) status = complete(catalog, asked, like, depth + 1, record, error);
  if (status == PM_OK && like == NULL) memcpy(record, entry->record, entry->type->size);
  if (status == PM_OK) status = find_general(catalog, entry, &general, error);
  if (status != PM_OK) return status;
  if (general != NULL) put_stated(general, record);
  if (entry->kind == PM__KERNEL_CALIBRATIONS)
    scale_energies((pm_kernel_calibration *)record, ((const pm_kernel_calibration *)entry->record)->energy_factor);
  put_stated(entry, record);
  put_own(entry, pm__kind_at((size_t)entry->kind)->own, record);
  return PM_OK;
}

int pm__entry_complete(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error)
{
  if (pm__kind_at((size_t)entry->kind)->own != NULL) return complete(catalog, entry, entry, 0, record, error);
  memcpy(record, entry->record, entry->type->size);
  return entry->kind == PM__SYSTEMS ? pm__entry_add_design_power(catalog, (pm_machine *)record, error) : PM_OK;
}
