/*
** A layer from the inside, and what a kind of layer has to say.
**
** Everything is per sample; `fixed` parts do not grow with the batch. One kernel does flop x batch arithmetic and moves
** elements x batch + fixed_elements numbers.
*/
#ifndef PM_NETWORK_LAYER_H
#define PM_NETWORK_LAYER_H

#include <stdint.h>
#include "base/base.h"
#include "perfmodel/network.h"

enum { PM__RANK_MAX = 6, PM__ATTRIBUTES_MAX = 24 };

typedef struct pm__shape {
  int rank;
  int64_t size[PM__RANK_MAX]; /* an image is channels, height, width */
} pm__shape;

double pm__shape_elements(const pm__shape *shape);
char *pm__shape_text(const pm__shape *shape, char *buffer, size_t size); /* "64x112x112" */

/* What a kernel is for in a training step. */
typedef enum pm__pass {
  PM__FORWARD,
  PM__BACKWARD_DATA,   /* gradient of its input */
  PM__BACKWARD_WEIGHT, /* gradients of its parameters */
  PM__PASSES
} pm__pass;

/* What a kernel is like: a kernel model picks its formula by it. */
typedef enum pm__family {
  PM__ELEMENTWISE,
  PM__GEMM,
  PM__CONV,
  PM__BATCH_NORM,
  PM__SOFTMAX,
  PM__POOL
} pm__family;

typedef struct pm__work {
  double flop, elements, fixed_elements;
} pm__work;

typedef enum pm__scaled { PM__SCALES_COUNT, PM__SCALES_M, PM__SCALES_N, PM__SCALES_K } pm__scaled;

/* C = A B, `count` of them, m x n x k per sample; the batch multiplies the size that `scaled` names. */
typedef struct pm__gemm {
  double count, m, n, k;
  pm__scaled scaled;
} pm__gemm;

/* The forward convolution that a kernel is or belongs to, per sample. */
typedef struct pm__conv {
  double channels, height, width, out_channels, out_height, out_width, groups;
  double kernel[2], stride[2], padding[2], dilation[2];
} pm__conv;

typedef struct pm__kernel {
  pm__pass pass;
  pm__family family;
  bool matrix;    /* its arithmetic is matrix products: runs at the matrix peak */
  double repeats; /* one after the other, as the steps of a recurrent layer */
  pm__work work;  /* of one */
  union {
    pm__gemm gemm;
    pm__conv conv;
    double row; /* softmax, norms: elements that are reduced together */
  } shape;
} pm__kernel;

enum { PM__KERNELS_MAX = 24 };

/* The kernels of one layer, as its kind lists them. */
typedef struct pm__kernel_list {
  int count;
  pm__kernel kernel[PM__KERNELS_MAX];
} pm__kernel_list;

/* Adds a kernel that is done once and is no matrix product; the caller may change what is returned. */
pm__kernel *pm__add_kernel(pm__kernel_list *list, pm__pass pass, pm__family family, pm__work work);

/* What a layer keeps until its backward pass, per sample, and how its output is stored. Frameworks differ in masks and
** indices, so those are counts here and become bytes in the memory model. */
typedef struct pm__saved {
  bool inputs, output;    /* these tensors themselves */
  bool in_place;          /* may write its output over its input */
  bool view;              /* its output is its input's storage */
  double elements;        /* further numbers of the storage precision */
  double mask_elements;   /* numbers of which only kept-or-dropped is needed */
  double index_elements;  /* outputs of which the place they came from is needed */
} pm__saved;

struct pm__layer_kind;

typedef struct pm__layer {
  char name[PM_TEXT_MAX];
  const struct pm__layer_kind *kind; /* NULL: an input of the network */
  double attribute[PM__ATTRIBUTES_MAX];
  pm__shape input, output; /* input: the first one's */
  double elements_in, elements_out;
  double parameters;
  int parameter_tensors;
  double mac, mac_bnl;
  pm__saved saved;
  double flop[PM__PASSES]; /* sums over its kernels */
  bool wants_gradient;     /* an input of it is a layer: backward-data is needed */
  int consumers;           /* layers that take its output */
  size_t first_kernel, kernel_count, first_input, input_count; /* in the network's arrays */
} pm__layer;

typedef enum pm__attribute_kind {
  PM__COUNT,  /* a whole number */
  PM__PAIR,   /* one or two whole numbers: height, width; takes two slots */
  PM__SWITCH, /* yes or no */
  PM__NUMBER  /* any number */
} pm__attribute_kind;

typedef struct pm__attribute_rule {
  const char *name;
  int slot;
  pm__attribute_kind kind;
  double least, most;
  double otherwise; /* NAN: it must be given */
} pm__attribute_rule;

typedef struct pm__layer_kind {
  const char *name;
  const pm__attribute_rule *rules; /* ends with a NULL name */
  int least_inputs, most_inputs;
  /* Sets layer->output from the inputs' shapes. */
  int (*shape)(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);
  /* Sets parameters and counts, and lists the kernels; shapes and elements are known. */
  void (*count)(pm__layer *layer, pm__kernel_list *kernels);
} pm__layer_kind;

/* One line per kind in kinds.c. */
extern const pm__layer_kind pm__conv2d, pm__linear, pm__batch_norm, pm__lrn, pm__relu, pm__dropout, pm__add, pm__concat,
  pm__flatten, pm__softmax_loss, pm__max_pool, pm__avg_pool, pm__global_avg_pool;

const pm__layer_kind *pm__layer_kind_find(const char *name);

/* Reads the attributes by the kind's rules. */
int pm__layer_read_attributes(pm__layer *layer, const pm_attribute *attributes, size_t count, pm_error *error);

/* The output keeps the (first) input's shape. */
int pm__shape_same(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);

/* PM_BAD_SHAPE unless the input is an image: channels, height, width. */
int pm__need_image(const pm__layer *layer, const pm__shape *input, pm_error *error);

/* Output size along one axis of a sliding window; 0 or less if it does not fit. */
int64_t pm__window_output(int64_t size, double kernel, double stride, double padding, double dilation, bool ceil_mode);

#endif
