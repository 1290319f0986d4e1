/*
** Internals of a layer: its shapes, its counts and its kernels. Kinds of layers are in network/kind.h.
**
** Everything is per sample; `fixed` parts do not grow with the batch. One kernel does flop x batch arithmetic and moves
** elements x batch + fixed_elements numbers.
*/
#ifndef PM_NETWORK_LAYER_H
#define PM_NETWORK_LAYER_H

#include <stdint.h>
#include "base/base.h"
#include "perfmodel/network.h"

enum { PM__RANK_MAX = PM_RANK_MAX, PM__ATTRIBUTES_MAX = 48 };

/* `shared` has the same slot in every kind that has it: the parameters are those of another layer, counted there. */
enum { PM__SHARED = PM__ATTRIBUTES_MAX - 1 };
#define PM__SHARED_RULE \
  PM__SWITCHED("shared", PM__SHARED, 0, "yes: its parameters are another layer's, and counted there")

typedef struct pm__shape {
  int rank;
  int64_t size[PM__RANK_MAX]; /* an image is channels, height, width */
} pm__shape;

double pm__shape_elements(const pm__shape *shape);
char *pm__shape_text(const pm__shape *shape, char *buffer, size_t size); /* "64x112x112" */

/* The pass of a kernel in a training step. */
typedef enum pm__pass {
  PM__FORWARD,
  PM__DGRAD,   /* gradient of its input */
  PM__WGRAD, /* gradients of its parameters */
  PM__PASSES
} pm__pass;

/* The sort of a kernel, which selects the formula of the kernel model. */
typedef enum pm__family {
  PM__ELEMENTWISE,
  PM__GEMM,
  PM__CONV,
  PM__BATCH_NORM,
  PM__SOFTMAX,
  PM__POOL,
  PM__NORM,     /* rows of a layer, group, instance or RMS norm */
  PM__GATHER,   /* rows of a table, by index */
  PM__ATTENTION, /* scores, softmax and context in one kernel */
  PM__OPERATOR   /* as its user says */
} pm__family;

typedef struct pm__work {
  double flop, elements, fixed_elements;
} pm__work;

/* What a run scales kernels by. */
typedef enum pm__variable { PM__BATCH, PM__VARIABLES } pm__variable;

/* How often each variable multiplies each size of a product: a small exponent. */
typedef struct pm__scaling {
  unsigned char count[PM__VARIABLES], m[PM__VARIABLES], n[PM__VARIABLES], k[PM__VARIABLES];
} pm__scaling;

/* One size grows with the batch. */
#define PM__SCALES_COUNT ((pm__scaling){.count = {[PM__BATCH] = 1}})
#define PM__SCALES_M ((pm__scaling){.m = {[PM__BATCH] = 1}})
#define PM__SCALES_N ((pm__scaling){.n = {[PM__BATCH] = 1}})
#define PM__SCALES_K ((pm__scaling){.k = {[PM__BATCH] = 1}})

/* A size with all variables multiplied in. */
static inline double pm__scaled_size(double size, const unsigned char *exponents, const double *variables)
{
  for (int v = 0; v < PM__VARIABLES; v++)
    for (int i = 0; i < exponents[v]; i++) size *= variables[v];
  return size;
}

/* C = A B, `count` of them, m x n x k at variables of 1: per sample. */
typedef struct pm__gemm {
  double count, m, n, k;
  pm__scaling by;
} pm__gemm;

enum { PM__SPACE = 3 };

/* The convolution that a kernel is or belongs to, per sample. Sizes are depth, height, width; those that it lacks are
** 1, and in front. A transposed one is described by the convolution whose gradient of data is its forward pass:
** `channels` and `size` are then those of the layer's output. */
typedef struct pm__conv {
  double channels, out_channels, groups;
  double size[PM__SPACE], out_size[PM__SPACE];
  double kernel[PM__SPACE], stride[PM__SPACE], padding[PM__SPACE], padding_end[PM__SPACE], dilation[PM__SPACE];
  bool transposed;
} pm__conv;

/* Whether groups have one channel in or out: nothing to multiply as matrices. */
static inline bool pm__conv_is_depthwise(const pm__conv *c)
{
  return c->groups > 1 && (c->channels == c->groups || c->out_channels == c->groups);
}

/* Fused attention, per sample: `pairs` of the tokens x keys scores of one head are computed. */
typedef struct pm__flash {
  double heads, tokens, keys, pairs, d, dv; /* d, dv: features of a head's queries and keys, of its values */
  double kv_heads; /* that keys and values have */
  double ungrouped, kv_bytes, kept, rate; /* of single kernels (perfmodel/kernel.h); 0: as usual */
  double window; /* keys that a query sees at most; 0: all that the mask leaves */
  double start;  /* of a block over that of FlashAttention; 0: as it */
  double chosen; /* keys that a query attends to, wherever they are: `window`, but nothing is forgotten; 0: no choice */
} pm__flash;

/* Pairs of query and key that a causal mask leaves, of one head. */
static inline double pm__causal_pairs(double tokens, double keys)
{
  return tokens <= keys ? tokens * keys - tokens * (tokens - 1) / 2 : keys * (keys + 1) / 2;
}

/* The same if a query sees no more than the last `window` keys up to its own; 0: all of them. */
static inline double pm__window_pairs(double tokens, double keys, double window)
{
  double full = pm__causal_pairs(tokens, keys), hidden = keys - window; /* keys that the last query does not see */
  if (window == 0 || hidden <= 0) return full;
  return full - (hidden > tokens ? tokens * hidden - tokens * (tokens - 1) / 2 : hidden * (hidden + 1) / 2);
}

/* The part of the layer that a kernel computes, if software may run that part differently. */
typedef enum pm__layer_kernel_part {
  PM__PART_NONE,         /* nothing that lowering asks for */
  PM__PART_MASK,         /* of the scores of attention: what comes later counts for nothing */
  PM__PART_SOFTMAX,      /* of the scores of attention */
  PM__PART_DROPOUT,      /* of the normalised scores */
  PM__PART_SUMS,         /* of each query with each key, and their function */
  PM__PART_WAITED,       /* small operations on single samples between which the GPU waits for the host: how many */
  PM__PART_RECURRENT,    /* products of a recurrent layer, by the library that runs such layers */
  PM__PART_CELL,         /* gates and state of a recurrent layer, at one step */
  PM__PART_ACCUMULATION, /* gradients of a tensor that several layers take are added up: not the kind's */
} pm__layer_kernel_part;

typedef struct pm__layer_kernel {
  pm__pass pass;
  pm__family family;
  bool matrix;    /* its arithmetic is matrix multiplications: runs at the matrix peak */
  bool inner;     /* dgrad that the layer's own parameters wait for: done even if its input wants no gradient */
  bool dropout;   /* forward, yet nothing in inference */
  bool framework_kernel; /* of the framework, not of cuDNN or cuBLAS; set where software runs it: lowering/ */
  pm__layer_kernel_part part;
  double part_size;      /* of a part: scores, sums, operations or hidden units, per sample; else 0 */
  double repeats; /* one after the other, as the steps of a recurrent layer */
  pm__work work;  /* of one */
  union {
    pm__gemm gemm;
    pm__conv conv;
    pm__flash flash;
    double row; /* softmax, norms: elements that are reduced together; gather: elements of one row */
    double share; /* operator: of the peak and the bandwidth that it reaches */
  } shape;
} pm__layer_kernel;

enum { PM__KERNELS_MAX = 32 };

/* The kernels of one layer, as its kind lists them; `inputs` are the shapes that it may look at to do so. */
typedef struct pm__layer_kernels {
  const pm__shape *inputs;
  int input_count;
  int count;
  pm__layer_kernel kernel[PM__KERNELS_MAX];
} pm__layer_kernels;

/* Adds a kernel that is done once and is no matrix multiplication; the caller may change what is returned. */
pm__layer_kernel *pm__add_kernel(pm__layer_kernels *list, pm__pass pass, pm__family family, pm__work work);

/* Adds matrix multiplications: 2 count m n k FLOP, elements and fixed elements moved. */
pm__layer_kernel *pm__add_gemm(pm__layer_kernels *list, pm__pass pass, pm__gemm gemm, double elements, double fixed);

/* The data that a layer keeps until its backward pass, per sample, and how its output is stored. Frameworks differ in
** masks and indices, so these are counts here and become bytes in the memory model. */
typedef struct pm__saved {
  bool inputs, output;    /* these tensors themselves */
  bool in_place;          /* may write its output over its input */
  bool view;              /* its output is its input's storage */
  double elements;        /* further numbers of the storage precision */
  double linear_elements; /* the same, inputs of products: as FP8 and FP4 read them */
  double mask_elements;   /* numbers of which only kept-or-dropped is needed */
  double index_elements;  /* outputs of which the place they came from is needed */
} pm__saved;

struct pm__layer_kind;

/* Whether a layer's parameters are trained: all of a network are, unless adapters are trained in their place. */
typedef enum pm__layer_tuning { PM__TRAINED, PM__FROZEN, PM__ADAPTER } pm__layer_tuning;


typedef struct pm__layer {
  char name[PM_TEXT_MAX];
  const struct pm__layer_kind *kind; /* NULL: an input of the network */
  double attribute[PM__ATTRIBUTES_MAX];
  pm__shape input, output; /* input: the first one's */
  double elements_in, elements_out;
  double parameters;
  double tied; /* parameters that it shares with another layer, and are counted there */
  double frozen, frozen_tied; /* the same two of a frozen layer, which has none of those above: nothing is updated */
  int parameter_tensors;
  double mac, mac_bnl;
  pm__saved saved;
  double flop[PM__PASSES]; /* sums over its kernels */
  pm__layer_tuning tuning;
  bool wants_gradient;     /* an input of it is a layer: dgrad is needed; of an input: another piece computes it */
  bool stops;              /* it and all before it are frozen: it has no backward pass; of an input: what computes it */
  bool bias;               /* a product that adds a learned number to each element: software may do that in a pass */
  double expert_outputs;   /* of experts with biases: numbers that their second products return; else 0 */
  bool feeds_back;         /* a recurrent layer that waits for what later layers gave at the step before */
  bool smooths_labels;     /* a loss that looks at all classes, not at the right one alone */
  bool causal;             /* attention of which no query sees a later key */
  bool runs_in_half;       /* a loss that mixed precision does not run in FP32 */
  double compared;         /* pairs of boxes of a sample that some software compares on the host */
  double waited_in_inference; /* operations on single samples that the GPU waits for, instead of those of training */
  double compared_in_inference; /* pairs of boxes of a sample, likewise */
  double carried;          /* numbers of a sequence that decoding carries from token to token */
  double passing;          /* numbers of its forward pass that are alive meanwhile, whatever the batch */
  double launches;         /* kernels of its forward pass in software that fuses none; 0: those counted */
  int consumers;           /* layers that take its output */
  int taken;               /* of an input that another piece computes: layers of pieces before that take it as well */
  size_t first_kernel, kernel_count, first_input, input_count; /* in the network's arrays */
} pm__layer;

#endif
