/* How long boards of a served model work: what the model of serving says of passes, over a measured time per token. */
#ifndef PM_LAB_VALIDATION_ENERGY_SERVING_H
#define PM_LAB_VALIDATION_ENERGY_SERVING_H

#include "validation/energy_rows.h"

/* Networks on systems with engines that rows were of. */
typedef struct pm__lab_energy_plan {
  char network[PM_TEXT_MAX * 2], engine[PM_TEXT_MAX];
  int system;
  pm_plan *plan;
} pm__lab_energy_plan;

struct pm__lab_energy_plans {
  pm__lab_energy_plan *items;
  size_t count, capacity;
};

/* Sets the share of the time in which kernels run. The row has network, framework (the engine), tpot and fields of a
** run of serving. */
int pm__lab_energy_set_busy(pm__lab_energy_rows *rows, pm__lab_energy_row *row, pm_error *error);

void pm__lab_energy_plans_free(pm__lab_energy_plans *plans);

#endif
