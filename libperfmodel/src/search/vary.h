/* Systems with other numbers, and numbers of a record that are raised together. */
#ifndef PM_SEARCH_VARY_H
#define PM_SEARCH_VARY_H

#include "perfmodel/sensitivity.h"

/* Multiplies every real field of that unit, so that a field that is added later is not forgotten. */
void pm__vary_unit(const char *type_name, void *record, const char *unit, double factor);

/* The system with one of its numbers `factor` times as large; a copy, owned by the caller. HOST and STORAGE leave it as
** it is but for the start of kernels. */
pm_system *pm__system_new_scaled(const pm_system *system, int resource, double factor, pm_error *error);

/* Before its power changes: the times of the board stay those of the power that it has now. */
void pm__vary_power(pm_gpu *gpu);

/* Design power [W] of a node whose boards now have another: feeds and cooling grow and shrink with them, and supply no
** less than the boards may draw. */
double pm__vary_node_power(const pm_machine *machine, double before, double now);

/* The value of that number [SI]; NAN with an error if the system has none. */
double pm__system_get_number(const pm_system *system, const char *path, pm_error *error);

#endif
