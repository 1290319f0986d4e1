/* Shapes of one sample. */
#include <math.h>
#include <stdio.h>
#include "network/kind.h"

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

int64_t pm__size(double number)
{
  const double most = 18014398509481984.0; /* 2^54 */
  return (int64_t)(number < most ? number : most);
}

int pm__shape_same(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  (void)count;
  (void)error;
  layer->output = inputs[0];
  return PM_OK;
}

/* The size to which two are broadcast; 0 if they differ. */
static int64_t broadcast(int64_t a, int64_t b)
{
  return a == b || b == 1 ? a : a == 1 ? b : 0;
}

int pm__shape_broadcast(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error)
{
  char a[PM_TEXT_MAX], b[PM_TEXT_MAX];
  pm__shape *output = &layer->output;
  *output = inputs[0];
  for (int i = 1; i < count; i++) {
    bool agree = inputs[i].rank == output->rank;
    for (int j = 0; agree && j < output->rank; j++) {
      output->size[j] = broadcast(output->size[j], inputs[i].size[j]);
      agree = output->size[j] > 0;
    }
    if (!agree)
      return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" joins %s and %s", layer->kind->name, layer->name,
                      pm__shape_text(&inputs[0], a, sizeof a), pm__shape_text(&inputs[i], b, sizeof b));
  }
  return PM_OK;
}

int pm__need_space(const pm__layer *layer, const pm__shape *input, int axes, pm_error *error)
{
  static const char *const wanted[] = {"channels and 1 to 3 dimensions of space", "channels x length",
                                       "channels x height x width", "channels x depth x height x width"};
  char text[PM_TEXT_MAX];
  int has = input->rank - 1;
  if (axes == 0 ? has >= 1 && has <= PM__SPACE : has == axes) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" takes %s, not %s", layer->kind->name, layer->name,
                  wanted[axes],
                  pm__shape_text(input, text, sizeof text));
}

int pm__need_image(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  char text[PM_TEXT_MAX];
  if (input->rank == 3) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" takes channels x height x width, not %s", layer->kind->name,
                  layer->name, pm__shape_text(input, text, sizeof text));
}

int pm__need_sequence(const pm__layer *layer, const pm__shape *input, pm_error *error)
{
  char text[PM_TEXT_MAX];
  if (input->rank == 2) return PM_OK;
  return pm__fail(error, PM_STATUS_BAD_SHAPE, "%s \"%s\" takes tokens x features, not %s", layer->kind->name,
                  layer->name,
                  pm__shape_text(input, text, sizeof text));
}

int64_t pm__window_output(int64_t size, double kernel, double stride, double padding, double padding_end,
                          double dilation, bool ceil_mode)
{
  double room = (double)size + padding + padding_end - dilation * (kernel - 1) - 1;
  double steps = ceil_mode ? ceil(room / stride) : floor(room / stride); /* a last window may hang over: -0.5 -> 0 */
  if (steps < 0) return 0;
  /* A last window that would start in the padding behind the input does not count. */
  if (ceil_mode && steps * stride >= (double)size + padding) steps--;
  return (int64_t)steps + 1;
}
