/* Launches: kernels as software runs them, and lists of them. */
#ifndef PM_LOWERING_LAUNCH_H
#define PM_LOWERING_LAUNCH_H

#include "network/network.h"

/* A kernel with its repeats. Numbers besides the kernel are of all repeats; those of elements are per sample. */
typedef struct pm__launch {
  pm__layer_kernel kernel;
  double launches;   /* how often a kernel is launched */
  double host_calls; /* how often the host asks for it, where a library launches many */
  double plain_calls; /* of them, those of a forward pass that are not of cuDNN */
  double expert_calls; /* more of them, where products of experts are launched one by one */
  double group_calls; /* more of them, where a library launches the groups of a convolution one by one */
  double layout;     /* elements that go through it if its tensors are in another layout than the kernel's, both ways */
  double compared;   /* pairs of boxes of a sample that some software compares on the host */
  double extra;      /* further elements read: other operands of what was folded into it */
} pm__launch;

typedef struct pm__launch_list {
  pm__launch *launch;
  size_t count, capacity;
} pm__launch_list;

/* Adds a launch; its number, or -1 without memory. */
int pm__launch_list_add(pm__launch_list *list, const pm__launch *launch);

void pm__launch_list_free(pm__launch_list *list);

/* Whether two kernels of one sort with the same work take the same time. */
bool pm__same_shape(const pm__layer_kernel *a, const pm__layer_kernel *b);

#endif
