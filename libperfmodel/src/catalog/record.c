/* The records and networks of entries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalog/entry.h"
#include "network/definition.h"
#include "network/network.h"
#include "network/trainable.h"
#include "perfmodel/model.h"
#include "perfmodel/units.h"

bool pm__entry_has_defaults(const pm__entry *entry)
{
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next)
    if (strcmp(e->name, "param") == 0 && pm__element_attribute(e, "default") == NULL) return false;
  return true;
}

/* ---- Networks of a model type: their parameters are settings of a config.json. ---- */

/* What it is set to: the last of its name, else the default. */
static const char *setting_of(const pm__element *param, const pm_attribute *sets, size_t count)
{
  const char *name = pm__element_attribute(param, "name");
  for (size_t i = count; i-- > 0;)
    if (strcmp(sets[i].name, name) == 0) return sets[i].value;
  return pm__element_attribute(param, "default");
}

static int unknown_parameter(const pm__entry *entry, const char *name, pm_error *error)
{
  char known[300] = "";
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", pm__element_attribute(e, "name"));
  }
  return pm__fail(error, PM_STATUS_NOT_FOUND, "network \"%.60s\" has no parameter \"%.60s\"; it has %.280s",
                  entry->id, name, known);
}

static bool has_parameter(const pm__entry *entry, const char *name)
{
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next)
    if (strcmp(pm__element_attribute(e, "name"), name) == 0) return true;
  return strcmp(name, "flash") == 0;
}

/* Parameters with a name and a number or a list each, and nothing else. */
static int check_parameters(const pm__entry *entry, const pm_attribute *sets, size_t count, pm_error *error)
{
  double number;
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) {
    const char *name = pm__element_attribute(e, "name");
    if (strcmp(e->name, "param") != 0 || name == NULL)
      return pm__fail_at(error, PM_STATUS_BAD_SYNTAX, entry->document->file, e->line,
                         "a network of a model type has only parameters, not <%.60s>", e->name);
    const char *value = setting_of(e, sets, count);
    bool list = value != NULL && value[0] == '['; /* which whoever reads the settings checks */
    if (value == NULL || (!list && pm_number_parse(value, &number) != PM_OK))
      return pm__fail(error, PM_STATUS_BAD_VALUE, "network \"%.60s\" needs a number for its parameter \"%.60s\", not "
                      "\"%.40s\"", entry->id, name, value != NULL ? value : "");
  }
  for (size_t i = 0; i < count; i++)
    if (!has_parameter(entry, sets[i].name)) return unknown_parameter(entry, sets[i].name, error);
  return PM_OK;
}

/* As a config.json has them; seq is asked for beside it. */
static void write_settings(pm__string *json, const pm__entry *entry, const char *type, const pm_attribute *sets,
                           size_t count)
{
  pm__string_format(json, "{\"model_type\": \"%.60s\"", type);
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next) {
    const char *name = pm__element_attribute(e, "name");
    if (strcmp(name, "seq") != 0)
      pm__string_format(json, ", \"%.60s\": %s", name, setting_of(e, sets, count));
  }
  pm__string_add(json, "}");
}

static pm_network *network_of_model(const pm__entry *entry, const char *type, const pm_attribute *sets, size_t count,
                                    pm_error *error)
{
  pm_attribute asked[4] = {{"id", entry->id}, {"name", entry->name}};
  size_t many = 2;
  pm__string json = {NULL, 0, 0, false};
  if (check_parameters(entry, sets, count, error) != PM_OK) return NULL;
  write_settings(&json, entry, type, sets, count);
  for (const pm__element *e = entry->element->child; e != NULL; e = e->next)
    if (strcmp(pm__element_attribute(e, "name"), "seq") == 0)
      asked[2] = (pm_attribute){"seq", setting_of(e, sets, count)}, many = 3;
  for (size_t i = 0; i < count; i++)
    if (strcmp(sets[i].name, "flash") == 0) asked[many++] = sets[i];
  if (json.failed) pm__no_memory(error);
  pm_network *network = json.failed ? NULL : pm_model_read(json.text, entry->document->file, asked, many, error);
  free(json.text);
  return network;
}

pm_network *pm__entry_network(const pm__entry *entry, const pm_attribute *sets, size_t set_count, pm_error *error)
{
  const char *type = pm__element_attribute(entry->element, "model");
  if (type == NULL) return pm__network_build(entry->document, entry->element, sets, set_count, error);
  pm_network *network = network_of_model(entry, type, sets, set_count, error);
  const char *weights = pm__element_attribute(entry->element, "weights");
  const char *experts = pm__element_attribute(entry->element, "expert_weights");
  if (network != NULL && pm__network_set_stored(network, weights, experts, error) != PM_OK) {
    pm_network_free(network);
    return NULL;
  }
  const char *trained = pm__element_attribute(entry->element, "trainable");
  return pm__network_take_trainable(network, trained, sets, set_count, error);
}

int pm__entry_record(const pm_catalog *catalog, const pm__entry *entry, void *record, pm_error *error)
{
  if (entry->record != NULL) return pm__entry_complete(catalog, entry, record, error);
  pm_error failure = PM_ERROR_NONE;
  pm_network *network = pm__entry_network(entry, NULL, 0, &failure);
  if (network != NULL) pm_network_get_totals(network, (pm_network_totals *)record, &failure);
  pm_network_free(network);
  pm__error_take(error, &failure);
  return failure.status;
}
