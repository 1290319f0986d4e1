/* Lists of launches. */
#include "lowering/launch.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int pm__launch_list_add(pm__launch_list *list, const pm__launch *launch)
{
  void *larger = list->launch;
  if (list->count == list->capacity)
    larger = pm__grow(list->launch, list->count, &list->capacity, sizeof *list->launch);
  if (larger == NULL) return -1;
  list->launch = (pm__launch *)larger;
  list->launch[list->count] = *launch;
  return (int)list->count++;
}

void pm__launch_list_free(pm__launch_list *list)
{
  free(list->launch);
  memset(list, 0, sizeof *list);
}

/* A pass over memory, of which nothing but its work matters. */
static bool is_stream(const pm__layer_kernel *kernel)
{
  bool other = kernel->family == PM__NORM || kernel->family == PM__SOFTMAX || kernel->family == PM__OPERATOR;
  return !kernel->matrix && !other;
}

/* Up to the last number, so that no padding is compared. */
bool pm__same_shape(const pm__layer_kernel *a, const pm__layer_kernel *b)
{
  if (is_stream(a)) return true;
  if (a->family != b->family || a->framework_kernel != b->framework_kernel) return false;
  switch (a->family) {
  case PM__GEMM:
    return a->part == b->part && memcmp(&a->shape.gemm.by, &b->shape.gemm.by, sizeof a->shape.gemm.by) == 0 &&
           memcmp(&a->shape.gemm, &b->shape.gemm, offsetof(pm__gemm, by)) == 0;
  case PM__CONV:
    return a->shape.conv.transposed == b->shape.conv.transposed &&
           memcmp(&a->shape.conv, &b->shape.conv, offsetof(pm__conv, transposed)) == 0;
  case PM__ATTENTION: return memcmp(&a->shape.flash, &b->shape.flash, sizeof a->shape.flash) == 0;
  case PM__OPERATOR: return a->matrix == b->matrix && a->shape.share == b->shape.share;
  default: return a->shape.row == b->shape.row;
  }
}
