/* Shapes of convolutions, and the tiles of their transforms. */
#include "kernel/conv_shape.h"

static double volume(const double *sizes)
{
  return sizes[0] * sizes[1] * sizes[2];
}

static double multiple(double x, double of)
{
  return of * pm__ceil(x / of);
}

/* A transposed convolution is the gradient of data of the convolution that describes it, and the other way round. */
static pm__pass seen_from(const pm__conv *conv, pm__pass pass)
{
  if (!conv->transposed || pass == PM__WGRAD) return pass;
  return pass == PM__FORWARD ? PM__DGRAD : PM__FORWARD;
}

static void set_sizes(pm__window_shape *s, const pm__conv *conv)
{
  s->groups = conv->groups;
  s->rs = volume(conv->kernel);
  s->positions = volume(conv->out_size);
  s->size = volume(conv->size);
  s->strided = volume(conv->stride) > 1;
  s->volume = conv->kernel[0] > 1;
  s->dilated = volume(conv->dilation) > 1;
  s->depthwise = pm__conv_is_depthwise(conv);
}

static pm__window_channels channels_of(const pm__window_shape *s, double c, double k)
{
  bool back = s->pass == PM__DGRAD;
  double from = back ? k : c;
  return (pm__window_channels){c, k, from, back ? c : k, c * s->rs, from * s->rs,
                               s->groups * c * s->rs * k * s->positions};
}

/* Input elements that no window sees are not read. */
static void set_channels(pm__window_shape *s, double c, double k)
{
  s->channels = channels_of(s, c, k);
  s->wide = channels_of(s, multiple(c, 8), multiple(k, 8));
  s->odd = s->wide.c != c || s->wide.k != k;
  s->tensors = c * pm__least(s->size, s->positions * s->rs) + s->positions * k;
}

/* ---- Transforms: stride 1, no dilation, windows of one plane and at least 9 elements ---- */

/* Tiles of 4 x 4 outputs; fused, blocks of 4 x 8 tiles of 2 x 2. */
static void set_winograd(pm__window_shape *s, const double *window, const double *target)
{
  double side = 3 + window[1];
  s->winograd.applies = window[1] == window[2] && (window[1] == 3 || window[1] == 5);
  s->winograd.numbers = side * side;
  s->winograd.tiles = target[0] * pm__ceil(target[1] / 4) * pm__ceil(target[2] / 4);
  if (s->winograd.applies && window[1] == 3 && s->pass != PM__WGRAD)
    s->fused_blocks = target[0] * pm__ceil(target[1] / 8) * pm__ceil(target[2] / 16);
}

/* Side of a tile: as large as the input if that is small, else 32, and 256 of a row. */
static double fourier_side(double target, double window, double most)
{
  double side = target + window > 2 ? 2 * pm__ceil((target + window - 1) / 2) : 1;
  return side < most ? side : most;
}

/* One row of numbers has transforms of one axis. */
static void set_fourier(pm__window_shape *s, const double *window, const double *target)
{
  bool row = target[1] == 1 && window[1] == 1;
  double widest = row ? 128 : 16;
  s->fourier.applies = (s->rs >= 25 || s->pass == PM__WGRAD || row) && window[1] <= widest && window[2] <= widest;
  s->fourier.numbers = 1;
  s->fourier.tiles = target[0];
  for (int i = 1; i < PM__SPACE && s->fourier.applies; i++) {
    double side = fourier_side(target[i], window[i], row ? 256 : 32);
    s->fourier.numbers *= side;
    s->fourier.tiles *= pm__ceil(target[i] / (side - window[i] + 1));
  }
}

/* A block of fused Winograd multiplies 16,384 numbers per channel. */
static void set_least(pm__window_shape *s)
{
  const pm__window_channels *c = &s->channels;
  double pairs = c->c * c->k, fused = 16384 * s->fused_blocks * pm__ceil(c->to / 32) * c->from;
  if (s->fused_blocks > 0) s->least = pm__least(s->least, fused);
  if (s->winograd.applies) s->least = pm__least(s->least, pairs * s->winograd.numbers * s->winograd.tiles);
  if (s->fourier.applies) s->least = pm__least(s->least, pairs * 2 * s->fourier.numbers * s->fourier.tiles);
}

void pm__window_shape_make(pm__window_shape *s, const pm__conv *conv, pm__pass pass)
{
  *s = (pm__window_shape){.pass = seen_from(conv, pass)};
  set_sizes(s, conv);
  set_channels(s, conv->channels / conv->groups, conv->out_channels / conv->groups);
  s->least = s->channels.multiply_adds;
  s->plain = s->groups == 1 && (s->pass != PM__DGRAD || !s->strided);
  if (s->strided || s->rs < 9 || s->volume || s->dilated) return;
  const double *target = s->pass == PM__DGRAD ? conv->size : conv->out_size;
  set_winograd(s, conv->kernel, target);
  set_fourier(s, conv->kernel, target);
  set_least(s);
}
