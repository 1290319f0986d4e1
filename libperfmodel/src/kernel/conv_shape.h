/* One pass of a convolution, per sample: what neither device nor batch changes, computed once. */
#ifndef PM_KERNEL_CONV_SHAPE_H
#define PM_KERNEL_CONV_SHAPE_H

#include "kernel/models.h"

/* A transform: products of so many numbers per tile, of so many tiles. */
typedef struct pm__window_transform {
  bool applies;
  double numbers, tiles;
} pm__window_transform;

/* Channels of one group, C -> K, with windows of RS elements, read from and written to: the gradient of data goes from
** the outputs to the inputs. */
typedef struct pm__window_channels {
  double c, k, from, to;
  double crs, depth;    /* C RS; elements of a window that are multiplied for one result */
  double multiply_adds; /* of all groups */
} pm__window_channels;

struct pm__window_shape {
  pm__pass pass;              /* as the convolution that describes it sees it: of a transposed one the other */
  bool strided, volume;       /* volume: windows of more than one plane */
  bool depthwise;             /* one channel per group in or out: nothing to multiply as matrices */
  bool plain;                 /* on tensor cores one implicit product, if those take its channels */
  bool odd;                   /* channels that tensor cores do not take as they are */
  bool dilated;
  double groups, rs;
  pm__window_channels channels, wide; /* wide: rounded up to what tensor cores take */
  double positions, size;     /* of the output, of the input */
  double tensors;             /* elements of the output and of the inputs that some window sees */
  double fused_blocks;        /* of fused Winograd, for 32 channels each; 0: it does not apply */
  pm__window_transform winograd, fourier;
  double least;               /* multiply-adds that are executed at least, by any algorithm */
};

/* Whether a kernel of at least these times is no faster than `best`, by more than rounding. */
static inline bool pm__cannot_win(double compute, double memory, double best)
{
  return compute * compute + memory * memory >= best * best * (1 + 1e-9);
}

/* Whether it surely takes more than `most` on FP32 cores, which is quick to find out. Kernels of transforms do not
** overlap with those of products, so the tensors' memory counts only where there are none. */
static inline bool pm__window_exceeds(const pm__device *d, const pm__window_shape *s, double batch, double most)
{
  double input = s->pass == PM__WGRAD ? d->k.conv_simt_input : 1;
  bool transforms = s->winograd.applies || s->fourier.applies;
  double memory = transforms ? 0 : input * batch * s->tensors * d->bytes * d->per_byte;
  return s->groups == 1 && pm__cannot_win(batch * s->least * d->conv_multiply_add, memory, most);
}

#endif
