/*
** The descriptor of a layer kind: its attributes, shapes, counts and traits. Code tests a trait instead of the kind
** itself, so a new kind is one file in kinds/ and one line in kinds/kinds.h.
**
** Enumerations of traits start at 1: a missing trait is 0 and fails the test of all kinds.
*/
#ifndef PM_NETWORK_KIND_H
#define PM_NETWORK_KIND_H

#include "network/layer.h"
#include "network/sharding.h"

/* ---- Attributes ---- */

typedef enum pm__attribute_kind {
  PM__COUNT,   /* a whole number */
  PM__TUPLE,   /* one whole number for all axes of space, or one for each: "3" or "1,7"; PM__TUPLE_SLOTS slots */
  PM__LIST,    /* 1 to 6 whole numbers: PM__LIST_SLOTS slots */
  PM__SWITCH,  /* no or yes; with `most` 2 also auto: the software decides */
  PM__NUMBER,  /* any number */
  PM__FACTORS, /* a tuple of any numbers */
  PM__CHOICE   /* one of `words`, as its index */
} pm__attribute_kind;

/* Values of a switch. */
enum { PM__NO, PM__YES, PM__AUTO };

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
#define PM__REQUIRED(name_, slot_, kind_, least_, most_, doc_) \
  {.name = name_, .slot = slot_, .kind = kind_, .least = least_, .most = most_, .otherwise = (double)NAN, .doc = doc_}
#define PM__OPTIONAL(name_, slot_, kind_, least_, most_, value_, doc_) \
  {.name = name_, .slot = slot_, .kind = kind_, .least = least_, .most = most_, .otherwise = value_, .doc = doc_}
#define PM__LIKE(name_, slot_, kind_, least_, most_, other_, doc_) \
  {.name = name_, .slot = slot_, .kind = kind_, .least = least_, .most = most_, .doc = doc_, .like = other_}
#define PM__SWITCHED(name_, slot_, value_, doc_) \
  {.name = name_, .slot = slot_, .kind = PM__SWITCH, .most = 1, .otherwise = value_, .doc = doc_}
#define PM__AUTOMATIC(name_, slot_, doc_) \
  {.name = name_, .slot = slot_, .kind = PM__SWITCH, .most = PM__AUTO, .otherwise = PM__AUTO, .doc = doc_}
#define PM__CHOSEN(name_, slot_, words_, doc_) \
  {.name = name_, .slot = slot_, .kind = PM__CHOICE, .doc = doc_, .words = words_}
#define PM__RULES_END {.name = NULL}

/* ---- Traits ---- */

/* The role of a layer, for behaviour shared by all kinds of a role. */
typedef enum pm__role {
  PM__ROLE_DENSE = 1,         /* product with a matrix of parameters, over the last dimension */
  PM__ROLE_CONVOLUTION,
  PM__ROLE_PRODUCT,           /* of computed matrices */
  PM__ROLE_CHANNEL_NORM,      /* statistics of a channel over the batch */
  PM__ROLE_ROW_NORM,          /* statistics of rows of one sample */
  PM__ROLE_NEIGHBOUR_NORM,    /* of neighbouring channels */
  PM__ROLE_ACTIVATION,        /* a function of each element; gated: of two */
  PM__ROLE_CHANNELWISE,       /* a learned number for each channel or position */
  PM__ROLE_POINTWISE,         /* arithmetic of tensors, element by element */
  PM__ROLE_DROPOUT,
  PM__ROLE_SOFTMAX,
  PM__ROLE_LOSS,              /* softmax with cross-entropy */
  PM__ROLE_POOLING,
  PM__ROLE_MOVEMENT,          /* the same elements in another shape, place or number */
  PM__ROLE_GATHER,            /* rows of a table, by index */
  PM__ROLE_RECURRENT,
  PM__ROLE_ATTENTION,
  PM__ROLE_DECODER_ATTENTION, /* of decoder states to encoder states: a decoder may step through it */
  PM__ROLE_COMPOSITE,         /* several layers in one */
  PM__ROLE_EXPERTS,
  PM__ROLE_SCAN,              /* carries numbers from token to token: pm__layer.carried */
  PM__ROLE_INDEX,             /* chooses the keys that attention sees */
  PM__ROLE_END
} pm__role;

/* Origin of the kernels that are not matrix multiplications: a vendor library (cuDNN, cuBLAS), or the framework. A
** framework's kernels that only move or add numbers are as fast as a library's, and count as such. */
typedef enum pm__layer_kernel_source {
  PM__LIBRARY_KERNEL = 1,
  PM__FRAMEWORK_KERNEL,
  PM__KERNEL_SOURCE_END
} pm__layer_kernel_source;

/* How a graph compiler fuses it in training. */
typedef enum pm__training_fusion {
  PM__TRAINING_ALONE = 1,  /* runs by itself */
  PM__TRAINING_PRODUCT,    /* its bias is part of an activation behind it */
  PM__TRAINING_NORM,       /* takes in what follows where it writes its result */
  PM__TRAINING_SUM,        /* behind such a norm, is done where that writes */
  PM__TRAINING_ACTIVATION, /* behind such a norm, or a sum behind one, costs nothing */
  PM__TRAINING_FUSION_END
} pm__training_fusion;

/* How an engine fuses it in inference. Convolutions and memory-bound kernels accept any epilogue, GEMMs only those of
** every library. */
typedef enum pm__layer_inference_fusion {
  PM__INFERENCE_ALONE = 1, /* runs by itself; where it is a product, it takes others in */
  PM__INFERENCE_SIMPLE,    /* an epilogue that every product takes in: bias, scale, ReLU */
  PM__INFERENCE_EPILOGUE,  /* a function of each element, folded into a convolution or a pass */
  PM__INFERENCE_ROWS,      /* needs a whole row at hand: folded into a pass only */
  PM__INFERENCE_JOIN,      /* a copy that is saved where its inputs are written to their place */
  PM__INFERENCE_LOSS,      /* a softmax */
  PM__INFERENCE_NOTHING,   /* not there in inference */
  PM__INFERENCE_MOVEMENT,  /* not there where it is a view of its input, else by itself */
  PM__INFERENCE_FUSION_END
} pm__layer_inference_fusion;

/* One pass, operation by operation: every operation of the formula is a kernel that reads its operands and writes its
** result. Accesses of each element of the output; `wide` of them to FP32 values, and `cast` elements converted at the
** ends, if others are narrower. */
typedef struct pm__operation_pass {
  double accesses, wide, cast, launches;
} pm__operation_pass;

/* How a framework runs the layer without a compiler and without a kernel for it. */
typedef enum pm__eager {
  PM__EAGER_COUNTED = 1, /* as the kind counts it */
  PM__EAGER_OPERATIONS,  /* as `forward` and `backward` say; gradients of its parameters are among the latter */
  PM__EAGER_PARTS,       /* some of its kernels, named by their part, in another way: lowering/eager.h */
  PM__EAGER_END
} pm__eager;

typedef struct pm__operations {
  pm__eager eager;
  pm__operation_pass forward, backward;
} pm__operations;

/* Its part in a decoder that a graph of operations runs word by word: lowering/loop.h. */
typedef enum pm__loop_part {
  PM__LOOP_NONE = 1,
  PM__LOOP_CELL,      /* one call of its library for each pass, unless it is in such a loop */
  PM__LOOP_ATTENTION, /* what the loop is there for */
  PM__LOOP_PASSED,    /* passes on what it gets, inside the loop */
  PM__LOOP_END
} pm__loop_part;

/* ---- Saved activations where memory profiles differ: pm__saved has the counts. */

/* Which of a profile's numbers says how many further tensors of its output's size are kept. */
typedef enum pm__further {
  PM__FURTHER_NONE = 1,
  PM__FURTHER_GELU,
  PM__FURTHER_LAYER_NORM,
  PM__FURTHER_BATCH_NORM,
  PM__FURTHER_END
} pm__further;

/* Its precision under autocast. */
typedef enum pm__autocast { PM__AUTOCAST_NARROW = 1, PM__AUTOCAST_FP32, PM__AUTOCAST_END } pm__autocast;

/* What its further elements are: as precise as tensors; statistics, in FP32 at least; scores of attention and their
** copies, but statistics where one kernel does it all. */
typedef enum pm__keeping_elements {
  PM__KEPT_TENSORS = 1,
  PM__KEPT_STATISTICS,
  PM__KEPT_SCORES,
  PM__KEPT_ELEMENTS_END
} pm__keeping_elements;

/* Whether its input is kept. */
typedef enum pm__keeping_input {
  PM__INPUT_COUNTED = 1, /* as its counts say */
  PM__INPUT_OF_AVERAGE,  /* only its shape is needed; some frameworks keep it all the same */
  PM__KEPT_INPUT_END
} pm__keeping_input;

/* Places of outputs: none, or so many bytes each. */
typedef enum pm__keeping_index {
  PM__INDEX_NONE = 1,
  PM__INDEX_MAXIMA, /* as a profile says; without an index the output is kept to find them again */
  PM__INDEX_CHOICE, /* 64-bit numbers, unless a profile says otherwise */
  PM__KEPT_INDEX_END
} pm__keeping_index;

/* Whether a tensor of gradients of its own is made, or its output's is passed on. */
typedef enum pm__gradient { PM__GRADIENT_MADE = 1, PM__GRADIENT_PASSED, PM__GRADIENT_END } pm__gradient;

typedef struct pm__keeping {
  pm__further further;
  pm__autocast autocast;
  pm__keeping_elements elements;
  pm__keeping_input input;
  pm__keeping_index index;
  pm__gradient gradient;
} pm__keeping;

/* The keeping of most kinds: as counted, in the precision of tensors. */
#define PM__KEEPS_AS_COUNTED                                                                           \
  {                                                                                                    \
    .further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_NARROW, .elements = PM__KEPT_TENSORS,        \
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE                 \
  }

/* The same of what autocast runs in FP32. */
#define PM__KEEPS_IN_FP32                                                                              \
  {                                                                                                    \
    .further = PM__FURTHER_NONE, .autocast = PM__AUTOCAST_FP32, .elements = PM__KEPT_TENSORS,          \
    .input = PM__INPUT_COUNTED, .index = PM__INDEX_NONE, .gradient = PM__GRADIENT_MADE                 \
  }

/* ---- What its parameters are. */

typedef enum pm__parameters {
  PM__NO_PARAMETERS = 1,
  PM__MATRICES, /* of products */
  PM__VECTORS,  /* learned numbers that are added or multiplied, a row or a few */
  PM__TABLE,    /* rows that are looked up: an embedding */
  PM__PARAMETERS_END
} pm__parameters;

/* Tensors that are updated with the parameters and are none. */
typedef enum pm__state { PM__NO_STATE = 1, PM__MOVING_AVERAGES, PM__STATE_END } pm__state;

/* ---- The descriptor ---- */

typedef struct pm__layer_kind {
  const char *name;
  const char *doc; /* one line, below PM_TEXT_MAX bytes */
  const pm__attribute_rule *rules; /* ends with a NULL name */
  int least_inputs, most_inputs;
  /* Sets layer->output from the inputs' shapes. */
  int (*shape)(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);
  /* Sets parameters, counts and `saved`, and lists the kernels; shapes and elements are known. */
  void (*count)(pm__layer *layer, pm__layer_kernels *kernels);
  const void *variant; /* what tells this kind from others that share its functions */
  pm__role role;
  pm__layer_kernel_source source;
  pm__training_fusion training;
  pm__layer_inference_fusion inference;
  pm__operations operations;
  pm__loop_part loop;
  pm__keeping keeping;
  pm__parameters parameters;
  pm__state state;
  unsigned sharding; /* bits of pm__sharding: how its inputs may lie on GPUs that share it */
  /* Takes an implementation of attention (pm_attention_choice) where the layer leaves it to the software; NULL: there
  ** is no such choice. */
  void (*choose)(pm__layer *layer, int attention);
  /* Keeps to documents of so many tokens, several of which share a sequence; NULL: it makes no difference. */
  void (*pack)(pm__layer *layer, double tokens);
  const pm__sharding_rules *sharding_rules; /* NULL: as the bits say; its output lies as its inputs, which lie alike */
} pm__layer_kind;

enum { PM__ANY_NUMBER = 1 << 20 }; /* of inputs */

/* How many tensors of its state a layer has. */
static inline int pm__layer_state_tensors(const pm__layer *layer)
{
  return layer->kind->state == PM__MOVING_AVERAGES ? 2 : 0; /* of mean and variance */
}

/* Whether mixed precision runs it in FP32. */
static inline bool pm__layer_is_widened(const pm__layer *layer)
{
  return layer->kind->keeping.autocast == PM__AUTOCAST_FP32 && !layer->runs_in_half;
}

static inline bool pm__layer_fuses_as(const pm__layer *layer, pm__training_fusion how)
{
  return layer->kind != NULL && layer->kind->training == how;
}

/* What FP8 training runs in FP8; adapters stay in 16 bits. */
static inline bool pm__layer_is_linear(const pm__layer *layer)
{
  bool linear = layer->kind != NULL && (layer->kind->role == PM__ROLE_DENSE || layer->kind->role == PM__ROLE_EXPERTS);
  return linear && layer->tuning != PM__ADAPTER;
}

/* Trained matrices of a linear layer, of adapters or of experts, whose gradients are products. */
static inline double pm__layer_trained_matrices(const pm__layer *layer)
{
  if (layer->kind == NULL || layer->parameter_tensors == 0) return 0;
  if (layer->kind->role == PM__ROLE_EXPERTS) return layer->parameter_tensors;
  return layer->kind->role == PM__ROLE_DENSE ? 1 : 0;
}

const pm__layer_kind *pm__layer_kind_find(const char *name);
const pm__layer_kind *pm__layer_kind_at(size_t index); /* NULL past the last */

/* The value of a switch by its name: "no", "yes", "auto". */
bool pm__switch_find(const char *name, double *value);

/* The name of a value of a switch. */
const char *pm__switch_name(double value);

/* Reads the attributes by the kind's rules. */
int pm__layer_read_attributes(pm__layer *layer, const pm_attribute *attributes, size_t count, pm_error *error);

/* PM_STATUS_BAD_VALUE if a tuple has neither one number nor one for each of the `axes` of space. */
int pm__check_tuples(const pm__layer *layer, int axes, pm_error *error);

/* The axis that the attribute in that slot names; negative ones count from the end. -1 with an error without one. */
int pm__axis(const pm__layer *layer, int slot, const pm__shape *shape, pm_error *error);

/* PM_STATUS_BAD_SHAPE unless there are channels and `axes` axes of space, 0: 1 to 3 of them. */
int pm__need_space(const pm__layer *layer, const pm__shape *input, int axes, pm_error *error);

/* The shape to which inputs with equal sizes, or sizes of 1, are broadcast. */
int pm__shape_broadcast(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);

/* A size from a number that was computed; one beyond what counts hold stays beyond it. */
int64_t pm__size(double number);

/* The output keeps the (first) input's shape. */
int pm__shape_same(pm__layer *layer, const pm__shape *inputs, int count, pm_error *error);

/* PM_STATUS_BAD_SHAPE unless the input is an image: channels, height, width. */
int pm__need_image(const pm__layer *layer, const pm__shape *input, pm_error *error);

/* PM_STATUS_BAD_SHAPE unless the input is a sequence: tokens, features. */
int pm__need_sequence(const pm__layer *layer, const pm__shape *input, pm_error *error);

/* Output size along one axis of a sliding window; 0 or less if it does not fit. */
int64_t pm__window_output(int64_t size, double kernel, double stride, double padding, double padding_end,
                          double dilation, bool ceil_mode);

/* One attribute; index from 0 over all kinds, in their order. PM_STATUS_NOT_FOUND past the last. */
int pm__layer_attribute_get(size_t index, pm_layer_attribute *row, pm_error *error);

/* One kind, and one attribute of all kinds in their order; index from 0. PM_STATUS_NOT_FOUND past the last. */
int pm__layer_kind_get(size_t index, pm_layer_kind *row, pm_error *error);

#endif
