/* The kinds of layers. A new kind is one new file and one line here. */
#include <string.h>
#include "network/layer.h"

static const pm__layer_kind *const kinds[] = {
  &pm__conv2d,  &pm__linear,   &pm__batch_norm,      &pm__lrn, &pm__relu,    &pm__dropout,      &pm__max_pool,
  &pm__avg_pool, &pm__global_avg_pool, &pm__add, &pm__concat, &pm__flatten, &pm__softmax_loss,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const pm__layer_kind *pm__layer_kind_find(const char *name)
{
  for (size_t i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const char *pm_layer_kind_at(size_t index)
{
  return index < KINDS ? kinds[index]->name : NULL;
}
