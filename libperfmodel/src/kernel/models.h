/* The families of kernels: each gives time, algorithm and bound of one kernel on a calibrated device. */
#ifndef PM_KERNEL_MODELS_H
#define PM_KERNEL_MODELS_H

#include <math.h>
#include <stdint.h>
#include "kernel/device.h"
#include "network/layer.h"

/* What the families give: the time at the power that the times of the board are of. */
typedef struct pm__kernel_cost {
  double time;
  int algorithm, bound;
} pm__kernel_cost;

/* The same at the power limit of the device, and J beyond what the device draws that multiplies nothing. */
typedef struct pm__kernel_powered {
  double time;
  int algorithm, bound;
  double extra;
} pm__kernel_powered;

/* Rounding of non-negative numbers up and down, without a call. */
static inline double pm__floor(double x)
{
  return (double)(int64_t)x;
}

static inline double pm__ceil(double x)
{
  double below = pm__floor(x);
  return below + (below < x);
}

static inline double pm__least(double a, double b)
{
  return a < b ? a : b;
}

static inline double pm__most(double a, double b)
{
  return a > b ? a : b;
}

/* Two limits that partly overlap: between the norms of their times with exponents 2 and 4, close to exponent 2.4. */
static inline double pm__join(double first, double second)
{
  double a = first * first, b = second * second;
  return sqrt(0.6 * (a + b) + 0.4 * sqrt(a * a + b * b));
}

/* `count` independent products m x n x k; the L2 still has a share of operands and results from their last use.
** `unsplit`: by a kernel that does not split the contraction; `spared`: the share of the second operand's bytes that
** are not stored, as its numbers are shorter. */
typedef struct pm__product {
  double count, m, n, k, kept;
  bool unsplit;
  double spared;
  bool recurrent; /* of a recurrent layer */
  bool odd; /* a side that is stored side by side is no multiple of 16 bytes */
  bool samples_m, samples_n, samples_k; /* sides along the batch: no operand stores them side by side */
} pm__product;

/* Compute time of the best tile and split of `count` products m x n x k. `result` is s per part of the contraction that
** the memory takes to write and read the partial results; INFINITY: the kernel does not split it. */
typedef struct pm__product_time {
  double time;
  bool split;
} pm__product_time;

pm__product_time pm__tiles_time(const pm__engine *engine, double count, double m, double n, double k, double result);

/* The same of many single products. */
enum { PM__AT_ONCE = 32 };

typedef struct pm__product_list {
  int count;
  double m[PM__AT_ONCE], n[PM__AT_ONCE], k[PM__AT_ONCE], result[PM__AT_ONCE];
} pm__product_list;

void pm__product_list_times(const pm__engine *engine, pm__product_list *products, double *time);

pm__kernel_cost pm__gemm_cost(const pm__device *device, const pm__product *product);

/* One whose operands are both stored along the contraction (BLAS: TN), as forward products with weights. */
pm__kernel_cost pm__gemm_tn_cost(const pm__device *device, const pm__product *product);

/* The same where the device has tensor cores for it; `cores`: its own, or slower ones. */
pm__kernel_cost pm__tensor_cost(const pm__device *device, const pm__engine *cores, const pm__product *product);

/* One pass of a convolution over a batch; `pass` as the framework sees it. */
pm__kernel_cost pm__conv_cost(const pm__device *device, const pm__conv *conv, pm__pass pass, double batch);

/* The same in two steps: what neither device nor batch changes, and its cost where that is less than `most`; else that
** time, and no algorithm. */
typedef struct pm__window_shape pm__window_shape;
void pm__window_shape_make(pm__window_shape *shape, const pm__conv *conv, pm__pass pass);
pm__kernel_cost pm__window_shape_cost(const pm__device *device, const pm__window_shape *shape, double batch,
                                      double most);

/* Costs of up to PM__AT_ONCE convolutions of the same pass; a shape without groups is none. */
void pm__window_shapes_cost(const pm__device *device, const pm__window_shape *shapes, int count, double batch,
                            pm__kernel_cost *costs);

/* FLOP that it executes by an algorithm of transforms; NAN of others, which execute what is counted. */
double pm__window_shape_executed(const pm__window_shape *shape, double batch, int algorithm);

/* Accesses [B] and arithmetic [FLOP] of everything that is neither. */
pm__kernel_cost pm__stream_cost(const pm__device *device, double flop, double bytes);

/* An operator of the user, by a share of the data sheet's roofline. */
pm__kernel_cost pm__operator_cost(const pm__device *device, bool matrix, double flop, double bytes, double share);

/* The same over images, whose channels software may keep apart; rows of features lie together wherever they are. */
pm__kernel_cost pm__image_pass_cost(const pm__device *device, double flop, double bytes);

/* A pass over numbers that takes an SM `clocks` for each of them, in so many blocks (0: enough for all SMs). */
pm__kernel_cost pm__pass_cost(const pm__device *device, double flop, double bytes, double clocks, double blocks);

/* Further reads of a row, as a factor of its size: forward pass. */
double pm__norm_reads(const pm__device *device, double row);
double pm__softmax_reads(const pm__device *device, double row);

pm__kernel_cost pm__flash_cost(const pm__device *device, const pm__flash *flash, pm__pass pass, double batch,
                               double flop,
                        double bytes);

/* Paged attention of decoding: a block of threads takes one head of queries and a part of its keys. */
typedef struct pm__kernel_paged {
  double heads, keys; /* of queries, of all sequences; of each */
  double key;         /* bytes of a key and its value */
  double part;        /* keys of a block */
  double rate;        /* bytes that a block reads in a clock */
  double memory;      /* shared memory of a block; 0: as many blocks as there are threads for */
} pm__kernel_paged;

pm__kernel_cost pm__paged_cost(const pm__device *device, const pm__kernel_paged *paged, double flop, double bytes);

/* A whole recurrent layer of `gates` x hidden, as large inputs as outputs; `persistent` if its weights fit the
** registers. */
pm__kernel_cost pm__rnn_cost(const pm__device *device, double gates, double hidden, double batch, double steps,
                             bool persistent,
                      pm__pass pass);

/* sqrt(compute^2 + memory^2), but no less than the power of the board allows for `flop` multiplications and
** additions. */
static inline pm__kernel_cost pm__limited(const pm__device *d, double compute, double memory, double flop,
                                          int algorithm)
{
  double time = sqrt(compute * compute + memory * memory), power = flop * d->energy;
  int bound = compute > memory ? PM_BOUND_COMPUTE : PM_BOUND_MEMORY_BANDWIDTH;
  return (pm__kernel_cost){pm__most(power, time), algorithm, power > time ? PM_BOUND_POWER : bound};
}

/* A kernel that does so many FLOP; `matrix`: products. */
static inline pm__kernel_powered pm__powered(const pm__kernel_board *p, pm__kernel_cost cost, double flop,
                                             bool matrix)
{
  bool bound = cost.bound == PM_BOUND_POWER;
  if (!matrix) return (pm__kernel_powered){cost.time * p->slow, cost.algorithm, cost.bound, 0};
  if (!p->limited) {
    double most = (p->top - p->drawn) * cost.time, wanted = p->energy * flop;
    return (pm__kernel_powered){cost.time, cost.algorithm, cost.bound, bound || wanted > most ? most : wanted};
  }
  pm__kernel_draw draw = pm__power_of(p, flop / cost.time, bound);
  double time = cost.time * draw.slow;
  return (pm__kernel_powered){time, cost.algorithm, cost.bound, time * (draw.power - p->drawn)};
}

/* J of a kernel of `on` beyond what another device draws in that time. */
static inline double pm__extra_over(const pm__device *on, const pm__device *other, double extra, double time)
{
  return on == other ? extra : extra + time * (on->power.drawn - other->power.drawn);
}

/* One kernel of a layer, launched once: without `repeats`, with its launch. */
pm__kernel_powered pm__kernel_cost_of(const pm__device *device, const pm__layer_kernel *kernel, double batch);

#endif
