/*
** A GPU at one precision, prepared for the formulas: everything independent of the kernel is computed once.
**
** The constants come from pm_kernel_calibration.
*/
#ifndef PM_KERNEL_DEVICE_H
#define PM_KERNEL_DEVICE_H

#include <stdbool.h>
#include "kernel/energy.h"
#include "perfmodel/framework.h"
#include "perfmodel/kernel.h"

enum { PM__TILES = 8 };

/* Classes of operators, of which a GPU may have rows or not. */
typedef enum pm__operator_class {
  PM__PRODUCTS,
  PM__CONVOLUTIONS,
  PM__RECURRENT,
  PM__FUSED_ATTENTION,
  PM__PASSES_OVER_MEMORY,
  PM__OPERATOR_CLASSES
} pm__operator_class;

/* The arithmetic units with the tiles of one kind of kernel. Candidates beyond them
** never end. */
typedef struct pm__engine {
  bool tensor;
  int tiles;                  /* candidates */
  double inverse_m[PM__TILES], inverse_n[PM__TILES]; /* 1 / tile */
  double step[PM__TILES];     /* s that one SM takes for one step of the contraction of one tile */
  double latency[PM__TILES];  /* waves below which latency is not hidden */
  double most[PM__TILES];     /* parts of tiles per SM up to which the contraction is split */
  double fill[PM__TILES];     /* waves that such parts fill: one, or what hides the latency */
  double root[PM__TILES];     /* sqrt(fill x step) */
  double inverse_resident[PM__TILES]; /* 1 / tiles on the whole GPU at a time */
  double inverse_height[PM__TILES], inverse_width[PM__TILES]; /* 1 / tiles of the block of them that reads least */
  double edge[PM__TILES];     /* s of the L2 per step of the contraction of one tile on every SM */
  double inverse_sms, prologue;
  double wave, split_least, split_time, per_part; /* of the constants; per_part: 1 / split_least */
  double multiply_add; /* s on the whole GPU at best */
} pm__engine;

typedef struct pm__device {
  bool usable;     /* there is a rate for this precision */
  bool calibrated; /* else: the plain roofline */
  bool transforms; /* whether convolutions may multiply transforms: not on tensor cores, and a byte is too small */
  bool has_winograd, has_weight_winograd; /* whether convolutions do, and their gradients of weights */
  bool has_grouped; /* whether groups have kernels of their own */
  double unaligned; /* time of the arithmetic of products with such sides on tensor cores, over that of others */
  double recurrent; /* the same of products of recurrent layers */
  bool convolutions_only; /* whether all other matrix multiplications run on `cores` */
  bool wants_aligned; /* whether products whose sides are no multiples of 16 bytes run on `cores` */
  double workspace; /* bytes that transforms may take */
  int32_t status[PM__OPERATOR_CLASSES]; /* pm_calibration_status of each class */
  double bytes;    /* of a stored element */
  double matrix_peak, vector_peak, bandwidth; /* of the datasheet */
  double peak_fp32; /* of the FP32 cores */
  double peak;     /* of matrices, or what they reach: boards that boost hold a clock above that of the datasheet */
  bool adds_apart; /* parts of a product are added up by a kernel of its own */
  double memory_start; /* s until the first bytes of a product on tensor cores are there */
  double start;    /* s of a product until its first tiles have operands and its last are stored */
  double per_byte; /* s per byte at the bandwidth that kernels reach */
  double pass_byte; /* the same of a pass over images, which the SMs may limit */
  double layout_share; /* changes of layout that convolutions need, over those of two bytes */
  double layout;   /* s per element that changes layout before or after a convolution; 0: none does */
  double library;  /* time of convolutions by the library over that of the kernel model */
  const struct pm__device *cores; /* the same numbers on the FP32 cores, which a library takes where these are faster;
                                     NULL: on these already, or not known */
  double cores_library;       /* `library` there over that here */
  double cores_spared;        /* s per element whose layout changes here that they spare */
  double energy;   /* s per FLOP that the power of the board allows */
  /* B/s that tiles read through the L2, FLOP/s that the power of the board can hold; or NAN */
  double l2_rate, power_rate;
  double align;    /* elements of 16 bytes */
  double alignment; /* factor of products that are not aligned */
  double l2, l1, registers; /* bytes: of the GPU, of all SMs, of all SMs */
  double sms, threads, launch;
  double winograd; /* s that one SM takes per channel of a block of fused Winograd */
  double direct;   /* s per FLOP of a direct convolution of groups */
  double depthwise; /* of single channels, mean of the three passes */
  double depthwise_forward, depthwise_gradient; /* the same of the pass forward, of each gradient */
  double group_gradient; /* s per FLOP of gradients of groups in NHWC without kernels of their width; 0: none such */
  bool single_channels;    /* groups run forward as channels alone do */
  double group_data_width; /* widest group by eights that has one for the gradient of data all the same */
  double volume;   /* time of gradients of volumes over that of images */
  double inverse_conv_rate; /* time of products of convolutions over that of plain ones */
  double conv_multiply_add; /* s on the whole GPU at best, by any algorithm of convolutions on FP32 cores */
  double odd;      /* s per FLOP of one with channels that tensor cores do not take; 0: they take them */
  double dilated;  /* the same of dilated windows */
  double flash_score, flash_load; /* s of an SM for a score beside its products, for a byte; 0: not known */
  double clock;    /* of the SMs */
  double row;      /* s per element of the contraction of a product of one row; 0: no kernel of its own */
  double flash;    /* s per FLOP of fused attention at best */
  pm__engine gemm, batched, conv, weight; /* conv: of convolutions; weight: of their gradients of weights */
  pm__kernel_board power; /* of the board, at the limit that kernels are priced at */
  pm_kernel_calibration k; /* the constants that formulas need as they are */
} pm__device;

/* Calibration NULL: the plain roofline. So is a GPU whose datasheet lacks what the formulas need. */
void pm__device_init(pm__device *device, const pm_gpu *gpu, const pm_kernel_calibration *calibration, int precision);

/* Convolutions of this generation of libraries (NULL: of the latest, which can do everything), instead of that whose
** kernels the constants were fitted to. */
void pm__device_set_library(pm__device *device, const pm_cudnn_generation *cudnn, bool pads_products);

/* What the board draws by constants of its architecture (NULL: not known), at its own power limit. */
void pm__device_set_power(pm__device *device, const pm_gpu *gpu, const pm_kernel_calibration *calibration,
                          int precision);

/* Another power limit [W], for kernels that are priced from now on. */
void pm__device_set_limit(pm__device *device, double limit);

/* Its convolutions take `factor` times what the kernel model says. */
void pm__device_set_factor(pm__device *device, double factor);

/* Tensors whose channels lie side by side (NHWC), or apart (NCHW), which a pass reads number by number; whether
** convolutions change that. */
void pm__device_set_layout(pm__device *device, bool channels_last, bool changes);

#endif
