/* Shapes of one sample. */
#include <math.h>
#include <stdio.h>
#include "network/layer.h"

double pm__shape_elements(const pm__shape *shape)
{
  double elements = 1;
  for (int i = 0; i < shape->rank; i++) elements *= (double)shape->size[i];
  return elements;
}

char *pm__shape_text(const pm__shape *shape, char *buffer, size_t size)
{
  size_t used = 0;
  buffer[0] = '\0';
  for (int i = 0; i < shape->rank && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%lld", i > 0 ? "x" : "", (long long)shape->size[i]);
  return buffer;
}

int pm__shape_same(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  layer->output = inputs[0];
  return PM_OK;
}

int pm__need_image(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  char text[PM_TEXT_MAX];
  if (input->rank == 3) return PM_OK;
  return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" takes channels x height x width, not %s", layer->kind->name,
                  layer->name, pm__shape_text(input, text, sizeof text));
}

int pm__need_sequence(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  char text[PM_TEXT_MAX];
  if (input->rank == 2) return PM_OK;
  return pm__fail(error, PM_BAD_SHAPE, "%s \"%s\" takes tokens x features, not %s", layer->kind->name, layer->name,
                  pm__shape_text(input, text, sizeof text));
}

int64_t pm__window_output(int64_t size, double kernel, double stride, double padding, double dilation, bool ceil_mode)
{
  double room = (double)size + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0) return 0;
  double steps = ceil_mode ? ceil(room / stride) : floor(room / stride);
  /* A last window that would start in the padding behind the input does not count. */
  if (ceil_mode && steps * stride >= (double)size + padding) steps--;
  return (int64_t)steps + 1;
}
