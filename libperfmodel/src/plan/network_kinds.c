/*
** What a network is made of, where measured rates of such networks are further from their predictions than those of
** other ones: convolutions of groups, of sound, of volumes or back to an image's size (segmentation), recurrent layers,
** proposals that the host chooses, tables.
*/
#include <math.h>
#include "plan/plan.h"

static unsigned kinds_of_convolution(const pm__conv *c)
{
  unsigned kinds = c->groups > 1 && !pm__conv_is_depthwise(c) ? PM__KIND_GROUPS : 0;
  if (c->kernel[0] > 1 || (c->transposed && c->size[1] > 1)) kinds |= PM__KIND_VOLUMES;
  if (c->kernel[2] > 1 && c->channels > 1 && c->size[0] == 1 && c->size[1] == 1) kinds |= PM__KIND_SOUND;
  return kinds;
}

unsigned pm__plan_kinds_of_layer(const pm_network *network, const pm__layer *layer)
{
  const int role = layer->kind->role;
  const bool attends = role == PM__ROLE_ATTENTION || role == PM__ROLE_SOFTMAX;
  unsigned kinds = role == PM__ROLE_RECURRENT ? PM__KIND_RECURRENT : attends ? PM__KIND_ATTENTION : 0;
  for (size_t i = 0; i < layer->kernel_count; i++) {
    const pm__layer_kernel *kernel = &network->kernels[layer->first_kernel + i];
    if (kernel->family == PM__CONV) kinds |= kinds_of_convolution(&kernel->shape.conv);
    if (kernel->part == PM__PART_WAITED) kinds |= PM__KIND_PROPOSALS;
  }
  return kinds;
}

/* A detector enlarges pieces of its image, not the image. */
unsigned pm__plan_kinds_of(unsigned layers, double tables, double parameters)
{
  if (layers & PM__KIND_PROPOSALS) layers &= ~(unsigned)PM__KIND_VOLUMES;
  bool language = (layers & (PM__KIND_ATTENTION | PM__KIND_RECURRENT)) != 0;
  return !language && 2 * tables > parameters ? layers | PM__KIND_TABLES : layers;
}

/* fmax leaves out what is not known. */
double pm__plan_kinds_spread(unsigned kinds, const pm_prediction_interval *i)
{
  double most = 0;
  if (kinds & PM__KIND_GROUPS) most = fmax(most, i->groups);
  if (kinds & PM__KIND_SOUND) most = fmax(most, i->sound);
  if (kinds & PM__KIND_VOLUMES) most = fmax(most, i->volumes);
  if (kinds & PM__KIND_RECURRENT) most = fmax(most, i->recurrent);
  if (kinds & PM__KIND_PROPOSALS) most = fmax(most, i->proposals);
  if (kinds & PM__KIND_TABLES) most = fmax(most, i->tables);
  return most;
}
