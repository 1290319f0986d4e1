/*
** A type of link of any rate. What collectives get of it is what they get of the nearest of its family: InfiniBand,
** plain Ethernet (TCP), RDMA over Ethernet, the networks of clouds and clusters; within a host, PCI Express.
*/
#include <stdio.h>
#include <string.h>
#include "catalog/entry.h"
#include "perfmodel/units.h"

/* Types of one family have ids that begin so; those with more words behind the rate are special cases. */
static bool is_of_family(const pm_link *link, const char *family)
{
  size_t length = strlen(family);
  bool network = link->kind == PM_LINK_INFINIBAND || link->kind == PM_LINK_ETHERNET || link->kind == PM_LINK_PCIE;
  if (!network || strncmp(link->id, family, length) != 0 || !isinf(link->flow_bandwidth)) return false;
  const char *rest = strchr(link->id + length, '-');
  return rest != NULL && strchr(rest + 1, '-') == NULL;
}

static const pm_link *nearest(const pm_catalog *catalog, const char *family, double rate)
{
  const pm_link *best = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < catalog->lists[PM__LINKS].count; i++) {
    const pm__entry *entry;
    if (pm__catalog_at(catalog, PM__LINKS, i, &entry, NULL) != PM_OK) return NULL;
    const pm_link *link = (const pm_link *)entry->record;
    double off = fabs(log(link->bandwidth / rate));
    if (!is_of_family(link, family) || off >= least) continue;
    least = off;
    best = link;
  }
  return best;
}

/* Each constant of the other, and that it is one. */
static void add_calibration(const pm_catalog *catalog, const pm_link *like, const char *id, pm__string *xml)
{
  const pm__entry *entry;
  char value[PM_TEXT_MAX];
  if (pm__catalog_seek(catalog, PM__CALIBRATIONS, like->id, &entry, NULL) != PM_OK || entry == NULL) return;
  pm__string_format(xml, "  <calibration id=\"%s\" name=\"%s, as %s\">\n", id, id, like->id);
  for (size_t i = 0; i < entry->type->field_count; i++) {
    const pm_field *field = &entry->type->fields[i];
    if (field->kind != PM_FIELD_REAL) continue;
    double number = pm_record_get_number(field, entry->record);
    if (isnan(number)) continue;
    pm__string_format(xml, "    <%s note=\"as %s\">%s</%s>\n", field->name, like->id,
                      pm_quantity_format(value, sizeof value, number, field->unit), field->name);
  }
  pm__string_add(xml, "  </calibration>\n\n");
}

static void add_link(const pm_link *like, double rate, const char *id, pm__string *xml)
{
  char value[PM_TEXT_MAX];
  pm__string_format(xml, "  <link id=\"%s\" name=\"%s\">\n    <kind>%s</kind>\n", id, id,
                    like->kind == PM_LINK_INFINIBAND ? "infiniband" : like->kind == PM_LINK_PCIE ? "pcie" : "ethernet");
  snprintf(value, sizeof value, "%.9g Gbit/s", rate * 8 / 1e9);
  pm__string_format(xml, "    <bandwidth>%s</bandwidth>\n    <flow_bandwidth>unlimited</flow_bandwidth>\n  </link>\n\n",
                    value);
}

char *pm_catalog_make_link(const pm_catalog *catalog, const char *family, double rate, char id[PM_TEXT_MAX],
                           pm_error *error)
{
  static const double same = 0.03; /* nominal rates are said before or after line coding */
  pm__string xml = {NULL, 0, 0, false};
  if (catalog == NULL || family == NULL || id == NULL || !(rate > 0 && isfinite(rate))) {
    pm__fail(error, PM_STATUS_BAD_ARGUMENT, "a type of link needs a catalogue, a family and a rate above 0");
    return NULL;
  }
  const pm_link *like = nearest(catalog, family, rate);
  if (like == NULL) {
    pm__fail(error, PM_STATUS_NOT_FOUND, "unknown link family \"%.40s\"; known are infiniband, ethernet or roce",
             family);
    return NULL;
  }
  pm__string_add(&xml, "");
  if (fabs(like->bandwidth / rate - 1) < same) snprintf(id, PM_TEXT_MAX, "%s", like->id);
  else {
    snprintf(id, PM_TEXT_MAX, "%.40s-%.6gg", family, rate * 8 / 1e9);
    add_link(like, rate, id, &xml);
    add_calibration(catalog, like, id, &xml);
  }
  if (!xml.failed) return xml.text;
  pm__no_memory(error);
  return NULL;
}
