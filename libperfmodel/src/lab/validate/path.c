#include <math.h>
#include <string.h>
#include "perfmodel/units.h"
#include "lab/validate/path.h"

static int find(const pm_catalog *catalog, const char *kind, const char *name, void *record, pm_error *error)
{
  return pm_catalog_record(catalog, kind, name, record, error);
}

/* The CPU of a machine without the count before it: "2 x Intel Xeon ...". */
static const char *cpu_name(const char *cpu)
{
  const char *times = strstr(cpu, " x ");
  return times != NULL ? times + 3 : cpu;
}

static int find_decoder(const pm_catalog *catalog, const char *name, pm_input_setup *setup, pm_error *error)
{
  if (name != NULL) return find(catalog, "decoder", name, &setup->decoder, error);
  if (find(catalog, "decoder", cpu_name(setup->machine.cpu), &setup->decoder, NULL) == PM_OK) return PM_OK;
  return find(catalog, "decoder", "skylake", &setup->decoder, error);
}

/* Nothing that limits. */
static void no_storage(pm_input_setup *setup)
{
  pm_record_init(pm_record_type_find("storage"), &setup->storage);
  pm_record_init(pm_record_type_find("storage_access"), &setup->access);
  setup->storage.bandwidth = INFINITY;
}

/* A number without a unit is in that of the field. */
static int set_field(const pm_field *field, void *record, const char *text, pm_error *error)
{
  double value;
  if (field->kind != PM_FIELD_REAL || pm_number_parse(text, &value) != PM_OK)
    return pm_record_set(field, record, text, error);
  memcpy((char *)record + field->offset, &value, sizeof value);
  return PM_OK;
}

/* "loader.library=1.06": a field of a part in place of the catalogue's. */
static int set_parts(const pm__settings *settings, pm_input_setup *setup, pm_error *error)
{
  const struct {
    const char *name;
    void *record;
  } parts[] = {{"dataset", &setup->dataset}, {"storage", &setup->storage}, {"loader", &setup->loader},
               {"decoder", &setup->decoder}};
  int status = PM_OK;
  for (size_t i = 0; i < settings->count && status == PM_OK; i++)
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == PM_OK; k++) {
      size_t length = strlen(parts[k].name);
      const char *name = settings->name[i];
      if (strncmp(name, parts[k].name, length) != 0 || name[length] != '.') continue;
      const pm_field *field = pm_record_field(pm_record_type_find(parts[k].name), name + length + 1);
      status = field != NULL ? set_field(field, parts[k].record, settings->value[i], error)
                             : pm__fail(error, PM_NOT_FOUND, "there is no setting \"%.60s\"", name);
    }
  return status;
}

static int find_setup(const pm_catalog *catalog, const pm__settings *s, pm_input_setup *setup, pm_error *error)
{
  const char *storage = pm__settings_get(s, "storage", NULL), *loader = pm__settings_get(s, "loader", "tensorflow");
  no_storage(setup);
  int status = find(catalog, "dataset", pm__settings_get(s, "dataset", "ilsvrc2012"), &setup->dataset, error);
  if (status == PM_OK) status = find(catalog, "system", pm__settings_get(s, "system", ""), &setup->machine, error);
  if (status == PM_OK && storage != NULL) status = find(catalog, "storage", storage, &setup->storage, error);
  if (status == PM_OK && storage != NULL && strcmp(pm__settings_get(s, "access", ""), "none") != 0)
    find(catalog, "storage_access", setup->storage.id, &setup->access, NULL);
  if (status == PM_OK) status = find(catalog, "loader", loader, &setup->loader, error);
  if (status == PM_OK) status = find_decoder(catalog, pm__settings_get(s, "cpu", NULL), setup, error);
  return status == PM_OK ? set_parts(s, setup, error) : status;
}

static int set_run(const pm__settings *settings, pm_input_run *run, pm_error *error)
{
  const pm_record_type *type = pm_record_type_find("input_run");
  for (size_t i = 0; i < type->field_count; i++) {
    const char *text = pm__settings_get(settings, type->fields[i].name, NULL);
    int status = text != NULL ? set_field(&type->fields[i], run, text, error) : PM_OK;
    if (status != PM_OK) return status;
  }
  return PM_OK;
}

int pm__path_rates(const pm_catalog *catalog, const pm__settings *settings, pm_input_rates *rates, pm_error *error)
{
  pm_input_setup setup;
  pm_input_run run = pm_input_run_default();
  int status = find_setup(catalog, settings, &setup, error);
  if (status == PM_OK) status = set_run(settings, &run, error);
  if (status == PM_OK) status = pm_input_check(&setup, &run, error);
  return status == PM_OK ? pm_input(&setup, &run, rates, 1) : status;
}

int pm__path_workers(const pm_catalog *catalog, const pm__settings *settings, const char *loader, int gpus,
                     double workers, double *rate, pm_error *error)
{
  pm_input_setup setup;
  pm_input_rates rates;
  pm_input_run run = pm_input_run_default();
  int status = find_setup(catalog, settings, &setup, error);
  if (status == PM_OK) status = find(catalog, "loader", loader, &setup.loader, error);
  no_storage(&setup);
  run.gpus = gpus;
  run.workers = (int32_t)(workers * gpus);
  if (status == PM_OK) status = pm_input_check(&setup, &run, error);
  if (status == PM_OK) status = pm_input(&setup, &run, &rates, 1);
  *rate = status == PM_OK ? rates.input : (double)NAN;
  return status;
}
