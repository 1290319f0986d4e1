/* What the host of a published run brings to its GPUs: how fast its CPU decodes and feeds them. */
#include "validation/host.h"
#include <math.h>
#include <string.h>

/* The CPU of a machine without the count before it: "2 x Intel Xeon ...". */
static const char *cpu_name(const char *cpu)
{
  const char *times = strstr(cpu, " x ");
  return times != NULL ? times + 3 : cpu;
}

int pm__lab_host_decoder(const pm_catalog *catalog, const char *name, pm_input_setup *setup, pm_error *error)
{
  if (name != NULL) return pm_catalog_get_record(catalog, "decoder", name, &setup->decoder, error);
  name = cpu_name(setup->machine.cpu);
  if (pm_catalog_get_record(catalog, "decoder", name, &setup->decoder, NULL) == PM_OK) return PM_OK;
  return pm_catalog_get_record(catalog, "decoder", "skylake", &setup->decoder, error);
}

void pm__lab_host_no_storage(pm_input_setup *setup)
{
  pm_record_clear(pm_record_type_find("storage"), &setup->storage);
  pm_record_clear(pm_record_type_find("storage_access"), &setup->access);
  setup->storage.bandwidth = INFINITY;
}

static int find_setup(const pm_catalog *catalog, const char *loader, pm_input_setup *setup, pm_error *error)
{
  pm_record_clear(pm_record_type_find("prediction_interval"), &setup->interval);
  pm__lab_host_no_storage(setup);
  int status = pm_catalog_get_record(catalog, "dataset", "ilsvrc2012", &setup->dataset, error);
  if (status == PM_OK) status = pm_catalog_get_record(catalog, "loader", loader, &setup->loader, error);
  return status == PM_OK ? pm__lab_host_decoder(catalog, NULL, setup, error) : status;
}

int pm__lab_host_rate(const pm_catalog *catalog, const char *loader, const pm_machine *machine, int gpus, double *rate,
                      pm_error *error)
{
  pm_input_setup setup = {.machine = *machine};
  pm_input_run run = pm_input_run_make();
  pm_input_rates rates;
  *rate = INFINITY;
  int status = find_setup(catalog, loader, &setup, error);
  if (status != PM_OK || machine->cpu_cores <= 0) return status;
  run.gpus = gpus;
  run.workers = (int32_t)fmax(1, (double)machine->cpu_sockets * machine->cpu_cores * gpus / machine->gpus);
  status = pm_input_check(&setup, &run, error);
  if (status == PM_OK && pm_input_evaluate(&setup, &run, &rates, 1) == PM_OK) *rate = rates.input;
  return status;
}
