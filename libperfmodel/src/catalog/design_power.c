/*
** The design power of a machine whose maker publishes none: the design powers of its GPUs and CPUs, which are
** published, and for memory, adapters, switches, fans and the losses of power supplies a share of these: the median of
** the machines of the catalogue that publish both, apart of those whose modules of 350 W and more air has to cool
** (node_rest_dense and node_rest_light of the entry "default" of kernels; unit_tests design_power finds them again).
*/
#include <math.h>
#include <stdio.h>
#include "catalog/entry.h"

static double rest_of(const pm_gpu *gpu, const pm_kernel_calibration *general)
{
  return gpu->power >= general->node_dense_board ? general->node_rest_dense : general->node_rest_light;
}

static double parts_of(const pm_machine *machine, const pm_gpu *gpu)
{
  double modules = machine->gpus * gpu->module_power; /* with their CPUs */
  return isnan(modules) ? machine->gpus * gpu->power + machine->cpu_sockets * machine->cpu_power : modules;
}

void pm__design_power_words(const pm_machine *machine, const pm_gpu *gpu, char *text, size_t size)
{
  snprintf(text, size, "rule: %d GPU%s of %g W, %d CPU%s of %g W, and %g of these for the rest of the node",
           machine->gpus, machine->gpus == 1 ? "" : "s", gpu->power, machine->cpu_sockets,
           machine->cpu_sockets == 1 ? "" : "s", machine->cpu_power,
           round(100 * (machine->power / parts_of(machine, gpu) - 1)) / 100);
}

int pm__entry_add_design_power(const pm_catalog *catalog, pm_machine *machine, pm_error *error)
{
  const pm__entry *gpu, *general;
  if (!isnan(machine->power) && machine->power_basis == PM_POWER_BASIS_NONE)
    machine->power_basis = PM_POWER_BASIS_PUBLISHED;
  if (!isnan(machine->power) || isnan(machine->cpu_power) || machine->cpu_sockets == 0) return PM_OK;
  int status = pm__catalog_seek(catalog, PM__GPUS, machine->gpu, &gpu, error);
  if (status == PM_OK)
    status = pm__catalog_seek(catalog, PM__KERNEL_CALIBRATIONS, PM_KERNEL_GENERAL_ID, &general, error);
  if (status != PM_OK || gpu == NULL || general == NULL) return status;
  const pm_gpu *board = (const pm_gpu *)gpu->record;
  double rest = rest_of(board, (const pm_kernel_calibration *)general->record);
  machine->power = parts_of(machine, board) * (1 + rest);
  if (!isnan(machine->power)) machine->power_basis = PM_POWER_BASIS_PARTS;
  return PM_OK;
}
