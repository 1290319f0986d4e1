/*
** Networks: layers, shapes, exact counts.
**
** A network is a list of layers in the order they run. A layer has a kind ("conv2d", "linear", ...), attributes by
** name, and inputs: the layers whose outputs it takes. Shapes are per sample, without the batch: a 3-channel image is
** 3x224x224. Adding a layer infers its output shape and its counts at once, so a network is right as soon as it exists.
**
**     pm_network *net = pm_network_new("tiny", "Tiny", &error);
**     pm_attribute conv[] = {{"out_channels", "64"}, {"kernel", "7"}, {"stride", "2"}, {"padding", "3"}};
**     int x = pm_network_add_input(net, "image", (const int64_t[]){3, 224, 224}, 3, &error);
**     x = pm_network_add(net, "conv2d", "conv1", &x, 1, conv, 4, &error);
**
** Counts (all doubles, exact to 2^53):
**   parameters   trainable numbers; the moving averages of a batch norm are not. A layer with `shared` has none of its
**                own: it uses those of another
**   mac          multiply-accumulates of the forward pass, bias additions not counted; 1 MAC = 2 FLOP. Products with
**                padding count
**   flop         2 x mac + element-wise arithmetic, below
**                Attention counts all tokens x keys scores as mac, causal or not; flop of a `flash` one leaves out what
**                a causal mask hides, so it can be below 2 x mac
**   mac_bnl      mac + bias additions + 4 per batch-norm element + 1 per ReLU element: the "operations" of
**                Ren et al., Table II, kept so that their table can be reproduced
**   gamma        mac_bnl / parameters for a batch: how often a parameter is used. B for linear, B Ho Wo for conv2d
**
** Element-wise FLOP count 1 for each sum, product, quotient, comparison, exponential, logarithm, root, error function
** or hyperbolic tangent of the formula; per element of the output, forward:
**   bias, scale, add, multiply, ... 1 (for each operand beyond two, 1 more); copies, views, nearest neighbour 0
**   relu 1, squared_relu 2, relu6 2, leaky_relu 2, prelu 2, elu 3, sigmoid 3, softplus 3, silu 4, hardsigmoid 4,
**   gelu 5, mish 5, hardswish 5, tanh 1; swiglu 5; softmax 5 (maximum, difference, exponential, sum, quotient)
**   dropout 1
**   batch norm 4 (of the result); layer, group and instance norm 5 and 1 each for scale and shift; RMS norm 3 and 1
**   pooling 1 per element of the windows, mean 1 per element of the input and of the output
**   interpolation by n neighbours 2 n - 1; local response normalisation over n channels 2 n + 3
*/
#ifndef PERFMODEL_NETWORK_H
#define PERFMODEL_NETWORK_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An opaque handle: layers with their shapes and counts. Only _add changes it, so several threads may read it. */
typedef struct pm_network pm_network;

enum { PM_RANK_MAX = 6 }; /* dimensions of a shape, the batch not among them */

/* An attribute of a layer, or a parameter of a network, as text. Copied by whoever takes it. */
typedef struct pm_attribute {
  const char *name;
  const char *value;
} pm_attribute;

/* How numbers are stored; what follows is bytes of one, scales included. */
#define PM_STORED_LIST(X)                                                                                          \
  X(AS_RUN, "as-run", 0, "as the precision of the run; of keys and values and, with `precision` below two bytes,"  \
                         " two bytes")                                                                             \
  X(BYTES_2, "16-bit", 2, "FP16 or BF16")                                                                          \
  X(FP8, "fp8", 1, "FP8, or INT8, with a scale for a tensor, a channel or a token")                                \
  X(FP8_BLOCK, "fp8-block", 1.000244140625, "FP8 with a scale of four bytes for each block of 128 x 128")          \
  X(INT4, "int4", 0.51953125, "4 bits, a scale and a zero of 2.5 bytes for each group of 128")                     \
  X(NVFP4, "nvfp4", 0.5625, "4 bits and a scale of 8 for every 16 numbers")                                        \
  X(MXFP4, "mxfp4", 0.53125, "4 bits and a scale of 8 for every 32 numbers")

typedef enum pm_stored {
#define PM_STORED_ENUM(name, ...) PM_STORED_##name,
  PM_STORED_LIST(PM_STORED_ENUM)
#undef PM_STORED_ENUM
  PM_STORED_COUNT
} pm_stored;

/* Totals of a network, per sample. */
#define PM_NETWORK_FIELDS(X)                                                                  \
  X(TEXT, id, "", "short stable name")                                                        \
  X(TEXT, name, "", "full name")                                                              \
  X(TEXT, input, "", "shape of one input sample")                                             \
  X(TEXT, output, "", "shape of one output sample")                                           \
  X(INT, layers, "1", "layers, inputs not counted")                                           \
  X(INT, parameter_layers, "1", "layers that have parameters and are conv2d or linear")       \
  X(INT, parameter_tensors, "1", "separate parameter tensors (weights, biases, scales)")      \
  X(REAL, parameters, "1", "trainable parameters")                                            \
  X(REAL, mac, "MAC", "multiply-accumulates of one forward pass per sample")                  \
  X(REAL, flop, "FLOP", "arithmetic of one forward pass per sample, element-wise included")   \
  X(REAL, training_flop, "FLOP", "arithmetic of forward and backward per sample")             \
  X(REAL, mac_bnl, "MAC", "mac + bias + 4 per batch-norm element + 1 per ReLU element")        \
  X(REAL, tokens, "1", "tokens of one sample, of source and target; unknown if it reads none")

typedef struct pm_network_totals { PM_NETWORK_FIELDS(PM_DECLARE) } pm_network_totals;

/* One layer, counted for a batch at a precision. */
#define PM_LAYER_FIELDS(X)                                                                    \
  X(INT, index, "1", "position in the network, from 0")                                       \
  X(TEXT, name, "", "name of the layer")                                                      \
  X(TEXT, kind, "", "kind of the layer")                                                      \
  X(TEXT, input, "", "shape of its (first) input, per sample")                                \
  X(TEXT, output, "", "shape of its output, per sample")                                      \
  X(REAL, parameters, "1", "trainable parameters")                                            \
  X(REAL, mac, "MAC", "multiply-accumulates of the forward pass, whole batch")                \
  X(REAL, flop, "FLOP", "arithmetic of the forward pass, whole batch")                        \
  X(REAL, training_flop, "FLOP", "arithmetic of the forward and the backward pass, whole batch") \
  X(REAL, mac_bnl, "MAC", "mac + bias + 4 per batch-norm element + 1 per ReLU element")       \
  X(REAL, bytes_in, "B", "inputs read, whole batch")                                          \
  X(REAL, bytes_out, "B", "output written, whole batch")                                      \
  X(REAL, bytes_parameters, "B", "parameters")                                                \
  X(REAL, gamma, "1", "mac_bnl / parameters; unknown without parameters")

typedef struct pm_layer { PM_LAYER_FIELDS(PM_DECLARE) } pm_layer;

/* An empty network. Owned by the caller. */
PM_API pm_network *pm_network_new(const char *id, const char *name, pm_error *error);

/* Releases the network; plans made of it must be gone; NULL is none. */
PM_API void pm_network_free(pm_network *network);

/* Adds an input of that shape (1 to 6 dimensions, each at least 1). Returns its number, or -1. */
PM_API int pm_network_add_input(pm_network *network, const char *name, const int64_t *shape, int rank, pm_error *error);

/* Adds a layer that takes the outputs of layers `inputs`. An empty or NULL name becomes "<kind><number>". Attributes
** that the kind does not know, lacks or cannot accept are errors; so are shapes that do not fit. Returns its number,
** or -1, and then the network is as it was. Cost: amortised constant. */
PM_API int pm_network_add(pm_network *network, const char *kind, const char *name, const int *inputs, int input_count,
                          const pm_attribute *attributes, size_t attribute_count, pm_error *error);

/* Number of layers, inputs not counted. */
PM_API int pm_network_count_layers(const pm_network *network);

/* The output shape of a layer or input, by its number: writes the sizes to `shape`, which has PM_RANK_MAX places, and
** returns how many they are; 0 if there is no such layer. */
PM_API int pm_network_get_shape(const pm_network *network, int layer, int64_t *shape);

/* The network as a file of the catalogue, a flat list of layers: reading it gives the same counts. A name that could
** not be read back is changed (white space and braces to '_', a second layer of that name gets a number). A string that
** the caller releases with pm_string_free, or NULL. */
PM_API char *pm_network_format_xml(const pm_network *network, pm_error *error);

/* What was assumed, left out ("note: ...") or comes only near ("near: KIND TIMES") where the network was read from a
** file of another program: a line each, "" if there is nothing to say. The network's own. */
PM_API const char *pm_network_get_notes(const pm_network *network);

/* Totals per sample. Cost: linear in the layers. */
PM_API int pm_network_get_totals(const pm_network *network, pm_network_totals *totals, pm_error *error);

/* What a kind of layer is. */
#define PM_LAYER_KIND_FIELDS(X)                                                               \
  X(TEXT, kind, "", "name of the kind")                                                       \
  X(INT, least_inputs, "1", "inputs that it needs")                                           \
  X(REAL, most_inputs, "1", "inputs that it can have")                                        \
  X(TEXT, doc, "", "description")

typedef struct pm_layer_kind { PM_LAYER_KIND_FIELDS(PM_DECLARE) } pm_layer_kind;

/* An attribute of a kind. */
#define PM_LAYER_ATTRIBUTE_FIELDS(X)                                                          \
  X(TEXT, kind, "", "kind of layer that has it")                                              \
  X(TEXT, name, "", "name of the attribute")                                                  \
  X(TEXT, value, "", "allowed values")                                                        \
  X(TEXT, otherwise, "", "default; empty: it must be given")                                  \
  X(TEXT, doc, "", "description")

typedef struct pm_layer_attribute { PM_LAYER_ATTRIBUTE_FIELDS(PM_DECLARE) } pm_layer_attribute;

/* Names of the layer kinds, index from 0, NULL past the last. */
PM_API const char *pm_layer_kind_get_name(size_t index);

/* The attributes that a kind takes, as text: "out_channels kernel stride=1 bias=yes"; one without a value must be
** given. Returns buffer, "" past the last kind. */
PM_API char *pm_layer_kind_format_attributes(size_t index, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
