/*
** Descriptors of optimizers. Each family is a file of optimizers/, each optimizer one line of PM_OPTIMIZER_LIST
** (perfmodel/optimizer.h), from which come the table of all, the declarations below, the choices of a run with their
** names and docs, the command's help and completion. What a descriptor has to state is PM_OPTIMIZER_FIELDS there; one
** that does not state a trait does not compile.
**
** Accesses of a fused optimizer: weights, gradients and state are read, weights and state written: 3, and 2 for each
** FP32 number of state. State is 4 bytes for each moment or sum.
*/
#ifndef PM_SOFTWARE_OPTIMIZER_H
#define PM_SOFTWARE_OPTIMIZER_H

#include "base/traits.h"
#include "perfmodel/optimizer.h"

#define PM__OPTIMIZER_DEFINE(name) \
  PM__TRAITS_DEFINE(pm_optimizer, pm__optimizer_##name, name, PM_OPTIMIZER_FIELDS)

#define PM__OPTIMIZER_DECLARE(name, ...) extern const pm_optimizer pm__optimizer_##name;
PM_OPTIMIZER_LIST(PM__OPTIMIZER_DECLARE)
#undef PM__OPTIMIZER_DECLARE

#endif
