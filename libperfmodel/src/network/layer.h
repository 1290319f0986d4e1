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
  PM__POOL,
  PM__NORM,     /* rows of a layer, group, instance or RMS norm */
  PM__GATHER,   /* rows of a table, by index */
  PM__ATTENTION /* scores, softmax and context in one kernel */
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

/* Fused attention, per sample: `pairs` of the tokens x keys scores of one head are computed. */
typedef struct pm__flash {
  double heads, tokens, keys, pairs, d, dv; /* d, dv: features of a head's queries and keys, of its values */
} pm__flash;

typedef struct pm__kernel {
  pm__pass pass;
  pm__family family;
  bool matrix;    /* its arithmetic is matrix products: runs at the matrix peak */
  bool inner;     /* backward-data that the layer's own parameters wait for: done even if its input wants no gradient */
  bool dropout;   /* forward, yet nothing in inference */
  bool own;       /* of the framework, not of cuDNN or cuBLAS; set where software runs it: kernel/executions.h */
  double repeats; /* one after the other, as the steps of a recurrent layer */
  pm__work work;  /* of one */
  union {
    pm__gemm gemm;
    pm__conv conv;
    pm__flash flash;
    double row; /* softmax, norms: elements that are reduced together; gather: elements of one row */
  } shape;
} pm__kernel;

enum { PM__KERNELS_MAX = 32 };

/* The kernels of one layer, as its kind lists them; `inputs` are the shapes that it may look at to do so. */
typedef struct pm__kernel_list {
  const pm__shape *inputs;
  int input_count;
  int count;
  pm__kernel kernel[PM__KERNELS_MAX];
} pm__kernel_list;

/* Adds a kernel that is done once and is no matrix product; the caller may change what is returned. */
pm__kernel *pm__add_kernel(pm__kernel_list *list, pm__pass pass, pm__family family, pm__work work);

/* Adds matrix products: 2 count m n k FLOP, elements and fixed elements moved. */
pm__kernel *pm__add_gemm(pm__kernel_list *list, pm__pass pass, pm__gemm gemm, double elements, double fixed);

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
  PM__COUNT,   /* a whole number */
  PM__TUPLE,   /* one whole number for all axes of space, or one for each: "3" or "1,7"; PM__TUPLE_SLOTS slots */
  PM__LIST,    /* 1 to 6 whole numbers: PM__LIST_SLOTS slots */
  PM__SWITCH,  /* yes or no */
  PM__NUMBER,  /* any number */
  PM__FACTORS, /* a tuple of any numbers */
  PM__CHOICE   /* one of `words`, as its index */
} pm__attribute_kind;

/* A tuple's or a list's values, then how many were given (0: none). One value of a tuple fills all its places. */
enum { PM__TUPLE_SLOTS = PM__SPACE + 1, PM__LIST_SLOTS = PM__RANK_MAX + 1 };
enum { PM__TUPLE_COUNT = PM__SPACE, PM__LIST_COUNT = PM__RANK_MAX };

typedef struct pm__attribute_rule {
  const char *name;
  int slot;
  pm__attribute_kind kind;
  double least, most;
  double otherwise;         /* the value if it is not given; NAN: it must be */
  const char *doc;          /* one line, below PM_TEXT_MAX bytes */
  const char *like;         /* if not given, it is as this attribute before it; or a word that says what it is then */
  const char *const *words; /* of a choice; ends with NULL */
} pm__attribute_rule;

/* The lines of a table of rules. */
#define PM__REQUIRED(name, slot, kind, least, most, doc) {name, slot, kind, least, most, (double)NAN, doc, NULL, NULL}
#define PM__OPTIONAL(name, slot, kind, least, most, value, doc) {name, slot, kind, least, most, value, doc, NULL, NULL}
#define PM__LIKE(name, slot, kind, least, most, other, doc) {name, slot, kind, least, most, 0, doc, other, NULL}
#define PM__SWITCHED(name, slot, value, doc) {name, slot, PM__SWITCH, 0, 1, value, doc, NULL, NULL}
#define PM__CHOSEN(name, slot, words, doc) {name, slot, PM__CHOICE, 0, 0, 0, doc, NULL, words}
#define PM__RULES_END {NULL, 0, PM__COUNT, 0, 0, 0, NULL, NULL, NULL}

typedef struct pm__layer_kind {
  const char *name;
  const pm__attribute_rule *rules; /* ends with a NULL name */
  int least_inputs, most_inputs;
  /* Sets layer->output from the inputs' shapes. */
  int (*shape)(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);
  /* Sets parameters, counts and `saved`, and lists the kernels; shapes and elements are known. */
  void (*count)(pm__layer *layer, pm__kernel_list *kernels);
  const char *doc;    /* one line, below PM_TEXT_MAX bytes */
  const void *traits; /* what tells this kind from others that share its functions */
} pm__layer_kind;

enum { PM__ANY_NUMBER = 1 << 20 }; /* of inputs */

/* One line per kind in kinds.c. */
extern const pm__layer_kind pm__conv2d, pm__linear, pm__batch_norm, pm__lrn, pm__relu, pm__dropout, pm__add, pm__concat,
  pm__flatten, pm__softmax_loss, pm__max_pool, pm__avg_pool, pm__global_avg_pool;
extern const pm__layer_kind pm__conv1d, pm__conv3d, pm__depthwise_conv2d, pm__conv_transpose1d, pm__conv_transpose2d,
  pm__conv_transpose3d, pm__adaptive_avg_pool, pm__layer_norm, pm__group_norm, pm__instance_norm, pm__rms_norm;
extern const pm__layer_kind pm__relu6, pm__leaky_relu, pm__elu, pm__gelu, pm__silu, pm__mish, pm__sigmoid, pm__tanh,
  pm__hardswish, pm__hardsigmoid, pm__softplus, pm__prelu, pm__swiglu, pm__softmax, pm__cross_entropy;
extern const pm__layer_kind pm__subtract, pm__multiply, pm__divide, pm__pointwise, pm__bias, pm__scale, pm__mean,
  pm__reshape, pm__permute, pm__slice, pm__pad, pm__interpolate, pm__squeeze_excitation;
extern const pm__layer_kind pm__embedding, pm__embedding_bag, pm__positional_embedding, pm__learned_token;
extern const pm__layer_kind pm__lstm, pm__gru, pm__rnn, pm__attention, pm__additive_attention, pm__dot_attention,
  pm__matmul, pm__mixture_of_experts, pm__dot_interaction;

/* Whether a loss looks at all classes, not at the right one alone. */
bool pm__smooths_labels(const pm__layer *layer);

const pm__layer_kind *pm__layer_kind_find(const char *name);
const pm__layer_kind *pm__layer_kind_at(size_t index); /* NULL past the last */

/* Reads the attributes by the kind's rules. */
int pm__layer_read_attributes(pm__layer *layer, const pm_attribute *attributes, size_t count, pm_error *error);

/* PM_BAD_VALUE if a tuple has neither one number nor one for each of the `axes` of space. */
int pm__check_tuples(const pm__layer *layer, int axes, pm_error *error);

/* The axis that the attribute in that slot names; negative ones count from the end. -1 with an error without one. */
int pm__axis(const pm__layer *layer, int slot, const pm__shape *shape, pm_error *error);

/* PM_BAD_SHAPE unless there are channels and `axes` axes of space, 0: 1 to 3 of them. */
int pm__need_space(const pm__layer *layer, const pm__shape *input, int axes, pm_error *error);

/* The shape to which inputs with equal sizes, or sizes of 1, are broadcast. */
int pm__shape_broadcast(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);

/* A size from a number that was computed; one beyond what counts hold stays beyond it. */
int64_t pm__size(double number);

/* The output keeps the (first) input's shape. */
int pm__shape_same(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);

/* PM_BAD_SHAPE unless the input is an image: channels, height, width. */
int pm__need_image(const pm__layer *layer, const pm__shape *input, pm_error *error);

/* PM_BAD_SHAPE unless the input is a sequence: tokens, features. */
int pm__need_sequence(const pm__layer *layer, const pm__shape *input, pm_error *error);

/* Output size along one axis of a sliding window; 0 or less if it does not fit. */
int64_t pm__window_output(int64_t size, double kernel, double stride, double padding, double padding_end,
                          double dilation, bool ceil_mode);

#endif
