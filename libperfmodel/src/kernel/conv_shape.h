/* One pass of a convolution, per sample: what neither device nor batch changes, computed once. */
#ifndef PM_KERNEL_CONV_SHAPE_H
#define PM_KERNEL_CONV_SHAPE_H

#include "kernel/models.h"

/* A transform: products of so many numbers per tile, of so many tiles. */
typedef struct pm__conv_transform {
  bool applies;
  double numbers, tiles;
} pm__conv_transform;

/* Channels of one group, C -> K, with windows of RS elements. The gradient of data goes from the outputs to the inputs. */
typedef struct pm__conv_channels {
  double c, k, from, to;
  double crs, depth;    /* C RS; elements of a window that are multiplied for one result */
  double multiply_adds; /* of all groups */
} pm__conv_channels;

struct pm__conv_shape {
  pm__pass pass;              /* as seen from the convolution that describes it: of a transposed one the other way round */
  bool strided, volume;       /* volume: windows of more than one plane */
  bool depthwise;             /* one channel per group in or out: nothing to multiply as matrices */
  bool odd;                   /* channels that tensor cores do not take as they are */
  double groups, rs;
  pm__conv_channels channels, wide; /* wide: rounded up to what tensor cores take */
  double positions, size;     /* of the output, of the input */
  double tensors;             /* elements of the output and of the inputs that some window sees */
  double fused_blocks;        /* of fused Winograd, for 32 channels each; 0: it does not apply */
  pm__conv_transform winograd, fourier;
  double least;               /* multiply-adds that are executed at least, by any algorithm */
};

#endif
