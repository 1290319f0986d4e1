/* The input path of a machine, from the options that name its parts. */
#include <stdio.h>
#include <string.h>
#include "input_path.h"

static int find_record(const pm_catalog *catalog, const char *kind, const char *name, void *record)
{
  pm_error error = PM_ERROR_NONE;
  return pm_catalog_get_record(catalog, kind, name, record, &error) == PM_OK ? CODE_DONE : fail_error(&error);
}

/* The storage that is named, or the machine's own. */
static int find_storage(const cli_request *request, const pm_catalog *catalog, pm_input_setup *setup)
{
  const char *name = request->value[OPTION_STORAGE];
  pm_record_clear(pm_record_type_find("storage"), &setup->storage);
  pm_record_clear(pm_record_type_find("storage_access"), &setup->access);
  if (name == NULL) {
    if (!(setup->machine.storage_bandwidth > 0))
      return fail(CODE_USAGE, "the storage of %s is unknown; give --storage nvme for a local NVMe drive, or another of "
                  "perfmodel list storages", setup->machine.id);
    snprintf(setup->storage.id, PM_TEXT_MAX, "local");
    snprintf(setup->storage.name, PM_TEXT_MAX, "local storage of %.60s", setup->machine.id);
    setup->storage.bandwidth = setup->machine.storage_bandwidth;
    return CODE_DONE;
  }
  int code = find_record(catalog, "storage", name, &setup->storage);
  if (code == CODE_DONE &&
      pm_catalog_get_record(catalog, "storage_access", setup->storage.id, &setup->access, NULL) != PM_OK)
    note(request, "the read latency of %s is not measured; taken as 0", setup->storage.id);
  return code;
}

/* The CPU of a machine without the count before it: "2 x Intel Xeon ...". */
static const char *cpu_name(const char *cpu)
{
  const char *times = strstr(cpu, " x ");
  return times != NULL ? times + 3 : cpu;
}

static int find_decoder(const cli_request *request, const pm_catalog *catalog, pm_input_setup *setup)
{
  const char *name = request->value[OPTION_CPU];
  if (name != NULL) return find_record(catalog, "decoder", name, &setup->decoder);
  name = cpu_name(setup->machine.cpu);
  if (pm_catalog_get_record(catalog, "decoder", name, &setup->decoder, NULL) == PM_OK) return CODE_DONE;
  note(request, "how fast \"%s\"'s decoding speed is not measured; skylake is assumed", name);
  return find_record(catalog, "decoder", "skylake", &setup->decoder);
}

/* Line rate of the bus that the machine's GPUs are on. */
static void find_bus(const pm_catalog *catalog, const pm_machine *machine, pm_input_run *run)
{
  pm_gpu gpu;
  pm_link bus;
  if (pm_catalog_get_record(catalog, "gpu", machine->gpu, &gpu, NULL) == PM_OK &&
      pm_catalog_get_record(catalog, "link", gpu.pcie, &bus, NULL) == PM_OK)
    run->copy_bandwidth = bus.bandwidth;
}

static void find_interval(const pm_catalog *catalog, pm_prediction_interval *interval)
{
  if (pm_catalog_get_record(catalog, "prediction_interval", "input", interval, NULL) != PM_OK)
    pm_record_clear(pm_record_type_find("prediction_interval"), interval);
}

int find_input_path(const cli_request *request, const pm_catalog *catalog, const char *dataset, pm_input_setup *setup,
                    pm_input_run *run)
{
  const char *loader = request->value[OPTION_LOADER];
  int code = find_record(catalog, "dataset", dataset, &setup->dataset);
  if (code == CODE_DONE) find_bus(catalog, &setup->machine, run);
  if (code == CODE_DONE) find_interval(catalog, &setup->interval);
  if (code == CODE_DONE) code = find_storage(request, catalog, setup);
  if (code == CODE_DONE) code = find_record(catalog, "loader", loader != NULL ? loader : "tensorflow", &setup->loader);
  if (code == CODE_DONE) code = find_decoder(request, catalog, setup);
  return code;
}
