/*
** Quantities that rows measure, by name. A quantity is a field of the answer of a run, or the memory of one GPU of a
** stage: torch counts what its tensors take, nvidia-smi what the process takes, and the two are not compared.
*/
#ifndef PM_LAB_VALIDATION_QUANTITY_H
#define PM_LAB_VALIDATION_QUANTITY_H

#include "perfmodel-lab.h"
#include "base/base.h"

/* Memory of one GPU at the peak of a step. */
typedef struct pm__lab_memory {
  double total;      /* what the driver reports */
  double context;    /* of CUDA, which the allocator does not see */
  double allocator;  /* what the allocator holds beyond what tensors take */
  double kept;       /* weights, gradients, state of the optimizer and workspaces: allocated between steps */
} pm__lab_memory;

typedef struct pm__lab_quantity {
  const char *name, *unit; /* of a packed row, in SI units */
  const char *shown;       /* the unit that people see: the value times `times`, over `over` */
  double times, over;
  double (*of_memory)(const pm__lab_memory *memory); /* NULL: the field of the answer that has its name */
  const char *doc;
} pm__lab_quantity;

/* The quantity of that name; NULL with an error that lists them. */
const pm__lab_quantity *pm__lab_quantity_find(const char *name, pm_error *error);

/* Of which stage: its number from 0, or one of these. */
enum { PM__RANK_FULLEST = -1, PM__RANK_LAST = -2 };

/* "first", "last", "fullest" or a number; "" is the fullest. */
int pm__lab_rank_read(const char *text, int *rank, pm_error *error);

/* The opposite. */
void pm__lab_rank_format(int rank, char *text, size_t size);

/* Memory of a run of training by stage, as pm_prediction_get_stages has it. */
int pm__lab_memory_of(const pm_plan *plan, const pm_run *run, int rank, pm__lab_memory *memory, pm_error *error);

/* Memory of a run of inference, of which all GPUs have the same. */
int pm__lab_memory_of_call(const pm_plan *plan, const pm_inference_run *run, pm__lab_memory *memory, pm_error *error);

/* A value in SI units as people see it. */
static inline double pm__lab_shown(const pm__lab_quantity *quantity, double value)
{
  return value * quantity->times / quantity->over;
}

#endif
