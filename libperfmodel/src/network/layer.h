/*
** A layer from the inside, and what a kind of layer has to say.
**
** Everything is per sample; `fixed` parts do not grow with the batch. One kernel moves
** elements x batch + fixed_elements numbers and does flop x batch + fixed_flop arithmetic.
*/
#ifndef PM_NETWORK_LAYER_H
#define PM_NETWORK_LAYER_H

#include <stdint.h>
#include "base/base.h"
#include "perfmodel/network.h"

enum { PM__RANK_MAX = 4, PM__ATTRIBUTES_MAX = 12 };

typedef struct pm__shape {
  int rank;
  int64_t size[PM__RANK_MAX]; /* an image is channels, height, width */
} pm__shape;

double pm__shape_elements(const pm__shape *shape);
char *pm__shape_text(const pm__shape *shape, char *buffer, size_t size); /* "64x112x112" */

/* The kernels of one layer in one training step. */
typedef enum pm__pass {
  PM__FORWARD,
  PM__BACKWARD_DATA,   /* gradient of its input */
  PM__BACKWARD_WEIGHT, /* gradients of its parameters */
  PM__ACCUMULATE,      /* adds its input's gradient to the one another consumer left there */
  PM__PASSES
} pm__pass;

typedef struct pm__work {
  double flop, elements, fixed_elements;
} pm__work;

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
  bool matrix;          /* its arithmetic is matrix products: runs at the matrix peak */
  bool wants_gradient;  /* something before it has parameters or is a layer: backward-data is needed */
  int consumers;
  pm__work work[PM__PASSES];
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
  /* Sets parameters, counts and work; shapes and elements are known. */
  void (*count)(pm__layer *layer);
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
