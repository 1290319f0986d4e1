/*
** The design power of a machine whose maker publishes none: the design powers of its GPUs and CPUs, which are
** published, and for memory, adapters, switches, fans and the losses of power supplies a share of these. Among machines
** of the catalogue that publish both, the rest is 0.53 to 0.78 of GPUs and CPUs where air has to cool eight and more
** modules of 350 W, and 0.20 to 0.31 in older nodes; the medians are taken (unit_tests design_power finds them again).
*/
#include <math.h>
#include <stdio.h>
#include "catalog/entry.h"

static const double dense_gpu = 350; /* W: from this board power on a node is built around its cooling */
static const double dense_rest = 0.63, light_rest = 0.26;

static double rest_of(const pm_gpu *gpu)
{
  return gpu->power >= dense_gpu ? dense_rest : light_rest;
}

static double of_parts(const pm_machine *machine, const pm_gpu *gpu)
{
  return (machine->gpus * gpu->power + machine->cpu_sockets * machine->cpu_power) * (1 + rest_of(gpu));
}

void pm__design_power_words(const pm_machine *machine, const pm_gpu *gpu, char *text, size_t size)
{
  snprintf(text, size, "rule: %d GPU%s of %g W, %d CPU%s of %g W, and %g of these for the rest of the node",
           machine->gpus, machine->gpus == 1 ? "" : "s", gpu->power, machine->cpu_sockets,
           machine->cpu_sockets == 1 ? "" : "s", machine->cpu_power, rest_of(gpu));
}

int pm__entry_add_design_power(const pm_catalog *catalog, pm_machine *machine, pm_error *error)
{
  const pm__entry *gpu;
  if (!isnan(machine->power) && machine->power_basis == PM_POWER_BASIS_NONE)
    machine->power_basis = PM_POWER_BASIS_PUBLISHED;
  if (!isnan(machine->power) || isnan(machine->cpu_power) || machine->cpu_sockets == 0) return PM_OK;
  int status = pm__catalog_seek(catalog, PM__GPUS, machine->gpu, &gpu, error);
  if (status != PM_OK || gpu == NULL) return status;
  machine->power = of_parts(machine, (const pm_gpu *)gpu->record);
  if (!isnan(machine->power)) machine->power_basis = PM_POWER_BASIS_PARTS;
  return PM_OK;
}
