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

static double threads_of(const pm_loader *loader, const pm_machine *machine, double batch)
{
  double share = (double)machine->cpu_sockets * machine->cpu_cores / machine->gpus;
  double workers = loader->workers > 0 ? loader->workers : share;
  return loader->between_steps ? fmin(workers, batch) : workers;
}

int pm__lab_host_rate(const pm_catalog *catalog, const char *loader, const pm_machine *machine, int gpus, double batch,
                      pm_run *run, pm_error *error)
{
  pm_input_setup setup = {.machine = *machine};
  pm_input_run input = pm_input_run_make();
  pm_input_rates rates;
  run->input_rate = INFINITY;
  int status = find_setup(catalog, loader, &setup, error);
  if (status != PM_OK || machine->cpu_cores <= 0) return status;
  input.gpus = gpus;
  input.decode = setup.loader.library > 0 ? PM_DECODE_PLACE_CPU : PM_DECODE_PLACE_NONE;
  input.workers = (int32_t)fmax(1, gpus * threads_of(&setup.loader, machine, batch));
  run->no_prefetch = setup.loader.between_steps;
  status = pm_input_check(&setup, &input, error);
  if (status == PM_OK && pm_input_evaluate(&setup, &input, &rates, 1) == PM_OK) run->input_rate = rates.input;
  return status;
}
