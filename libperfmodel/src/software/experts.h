#ifndef PM__SOFTWARE_EXPERTS_H
#define PM__SOFTWARE_EXPERTS_H
/* Software overhead of expert kernels, by the storage format of weights. */
#include "perfmodel/engine.h"

typedef enum pm__software_experts_kind {
  PM__EXPERTS_GENERAL, /* two bytes, or one with a scale for each tensor */
  PM__EXPERTS_BLOCK,   /* FP8, a scale for each block */
  PM__EXPERTS_MX,      /* MXFP4, for rows of two bytes */
  PM__EXPERTS_W4,      /* groups of four bits, for rows of two bytes */
  PM__EXPERTS_FP4,
} pm__software_experts_kind;

typedef struct pm__software_experts {
  double time, routing, rate;
} pm__software_experts;

/* What a host does not state of a kind is as in general. */
pm__software_experts pm__software_experts_of(const pm_kernel_harness *host, pm__software_experts_kind kind);

#endif
