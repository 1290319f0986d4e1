/*
** Constants of the kernel formulas that hold for every architecture.
**
** Matrix products: joint fits on FP32 rows of five GPUs (V100, A100-40, T4, P100, P4; NeuSight), rounded. FP32 products
** join compute and memory with exponent 2, tensor-core products with 2.25 (the fits had 2.3), convolutions with 2. Convolutions:
** one set for all GPUs, fitted on DeepBench and NeuSight rows of M40, P100, V100, T4. RNN: fitted on all rows of eight DeepBench sets, so
** errors on those are in-sample. What says "rule" has no kernel row behind it.
*/
#ifndef PM_KERNEL_CONSTANTS_H
#define PM_KERNEL_CONSTANTS_H

#define PM__WAVE 0.85            /* part of a wave that an unfinished one costs */
#define PM__PROLOGUE 6.0         /* steps of the contraction to fill and drain a tile */
#define PM__PROLOGUE_MOST 96.0   /* of tensor cores, in the same steps */
#define PM__SPLIT_LEAST 128.0    /* steps of the contraction worth a part of its own */
#define PM__SPLIT_TIME 5e-6      /* s to add the parts up */
#define PM__ALIGNMENT 1.06       /* factor of FP32 products that are not aligned to 16 bytes */
#define PM__SHARED_BYTES 128.0   /* of shared memory per clock and SM */
#define PM__L2_BYTES 16.0        /* of L2 per clock and SM, for 512 FP16 multiply-adds per clock (Volta) */

#define PM__CONV_SIMT 0.86       /* efficiency of implicit over plain products */
#define PM__CONV_TENSOR 0.52
#define PM__CONV_LATENCY_SIMT 900.0
#define PM__CONV_LATENCY_TENSOR 310.0
#define PM__CONV_SPLIT_SIMT 540.0
#define PM__CONV_SPLIT_TENSOR 670.0
#define PM__CONV_STRIDED_SIMT 1.7  /* factor of the gradient of data with a stride */
#define PM__CONV_STRIDED_TENSOR 1.5
#define PM__CONV_COLUMN_SIMT 1.6   /* factor of adding up columns */
#define PM__CONV_COLUMN_TENSOR 1.7
#define PM__CONV_WEIGHT_SIMT 1.24  /* factor of the gradient of weights */
#define PM__CONV_WEIGHT_TENSOR 1.26
#define PM__CONV_ODD 1.6           /* factor of channels that are no multiple of 4, FP32 */
#define PM__WINOGRAD_TRAFFIC 1.5
#define PM__WINOGRAD_FUSED 0.68    /* efficiency */
#define PM__WINOGRAD_FUSED_WEIGHT 2.8
#define PM__TRANSFORM_TIME 7e-6    /* s per kernel of transforms */
#define PM__FFT_TRAFFIC 1.3
#define PM__DIRECT 0.5             /* efficiency; rule: one load per multiply-add */

#define PM__FLASH_FORWARD 0.70     /* efficiency; rule: FlashAttention-2 on A100 reaches 50 to 73 % forward */
#define PM__FLASH_BACKWARD 0.60    /* rule: up to 63 % backward, the same paper */

#define PM__RNN_L2 2.285           /* L2 over memory bandwidth */
#define PM__RNN_PRODUCT 0.714
#define PM__RNN_POINTWISE 5.356
#define PM__RNN_INPUT 0.309
#define PM__RNN_BACKWARD 0.937
#define PM__RNN_STEP_TIME 44.09e-6 /* s, start of the kernels of a step */
#define PM__RNN_TIME 30e-6         /* s, once */

#endif
