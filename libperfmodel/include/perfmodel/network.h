/*
** Networks: layers, shapes, exact counts.
**
** A network is a list of layers in the order they run. A layer has a kind ("conv2d", "linear", ...), attributes by
** name, and inputs: the layers whose outputs it reads. Shapes are per sample, without the batch: a 3-channel image is
** 3x224x224. Adding a layer infers its output shape and its counts at once, so every network is valid.
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

enum { PM_RANK_MAX = 6 }; /* dimensions of a shape, without the batch */

/* An attribute of a layer, or a parameter of a network, as text. Functions copy it. */
typedef struct pm_attribute {
  const char *name;
  const char *value;
} pm_attribute;

/* Storage formats: name, bytes per number including scales. */
#define PM_STORED_LIST(X)                                                                                          \
  X(AS_RUN, "as-run", 0, "as the precision of the run; for keys and values, and with a precision below two bytes: "    \
    "two bytes")                                                                                                       \
  X(BYTES_2, "16-bit", 2, "FP16 or BF16")                                                                          \
  X(FP8, "fp8", 1, "FP8, or INT8, with a scale per tensor, channel or token")                                          \
  X(FP8_BLOCK, "fp8-block", 1.000244140625, "FP8 with a four-byte scale per block of 128 x 128")                       \
  X(INT4, "int4", 0.51953125, "4 bits, with a scale and a zero of 2.5 bytes per group of 128")                         \
  X(NVFP4, "nvfp4", 0.5625, "4 bits, with an 8-bit scale per 16 numbers")                                              \
  X(MXFP4, "mxfp4", 0.53125, "4 bits, with an 8-bit scale per 32 numbers")

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
  X(INT, layers, "1", "layers, without inputs")                                                                        \
  X(INT, parameter_layers, "1", "conv2d and linear layers")                                                            \
  X(INT, parameter_tensors, "1", "separate parameter tensors (weights, biases, scales)")      \
  X(REAL, parameters, "1", "trainable parameters")                                            \
  X(REAL, mac, "MAC", "multiply-accumulates of one forward pass per sample")                  \
  X(REAL, flop, "FLOP", "arithmetic of one forward pass per sample, element-wise included")   \
  X(REAL, training_flop, "FLOP", "arithmetic of forward and backward per sample")             \
  X(REAL, mac_bnl, "MAC", "mac + bias + 4 per batch-norm element + 1 per ReLU element")        \
  X(REAL, tokens, "1", "tokens of one sample, source and target; unknown for networks without tokens")

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

/* Releases the network; plans made from it must be released first; NULL is allowed. */
PM_API void pm_network_free(pm_network *network);

/* Adds an input of that shape (1 to 6 dimensions, each at least 1). Returns its number, or -1. */
PM_API int pm_network_add_input(pm_network *network, const char *name, const int64_t *shape, int rank, pm_error *error);

/* Adds a layer that reads the outputs of layers `inputs`. An empty or NULL name becomes "<kind><number>". Unknown,
** missing and invalid attributes are errors, and so are shapes that do not match. Returns its number, or -1; the
** network is then unchanged. Cost: amortised constant. */
PM_API int pm_network_add(pm_network *network, const char *kind, const char *name, const int *inputs, int input_count,
                          const pm_attribute *attributes, size_t attribute_count, pm_error *error);

/* Number of layers, without inputs. */
PM_API int pm_network_count_layers(const pm_network *network);

/* The output shape of a layer or input, by its number: writes the sizes to `shape`, an array of PM_RANK_MAX, and
** returns their number; 0 if there is no such layer. */
PM_API int pm_network_get_shape(const pm_network *network, int layer, int64_t *shape);

/* The network as a file of the catalogue, a flat list of layers: reading it gives the same counts. Names that could not
** be read back are changed (white space and braces to '_', duplicate names get a number). The caller releases the
** string with pm_string_free; NULL with an error. */
PM_API char *pm_network_format_xml(const pm_network *network, pm_error *error);

/* For a network read from a file of another program, what was assumed, left out ("note: ...") or approximated ("near:
** KIND TIMES"), one line each; otherwise "". Owned by the network. */
PM_API const char *pm_network_get_notes(const pm_network *network);

/* Totals per sample. Cost: linear in the layers. */
PM_API int pm_network_get_totals(const pm_network *network, pm_network_totals *totals, pm_error *error);

/* A kind of layer. */
#define PM_LAYER_KIND_FIELDS(X)                                                               \
  X(TEXT, kind, "", "name of the kind")                                                       \
  X(INT, least_inputs, "1", "smallest number of inputs")                                                               \
  X(REAL, most_inputs, "1", "largest number of inputs")                                                                \
  X(TEXT, doc, "", "description")

typedef struct pm_layer_kind { PM_LAYER_KIND_FIELDS(PM_DECLARE) } pm_layer_kind;

/* An attribute of a kind. */
#define PM_LAYER_ATTRIBUTE_FIELDS(X)                                                          \
  X(TEXT, kind, "", "kind of layer")                                                                                   \
  X(TEXT, name, "", "name of the attribute")                                                  \
  X(TEXT, value, "", "allowed values")                                                        \
  X(TEXT, otherwise, "", "default; empty: required")                                                                   \
  X(TEXT, doc, "", "description")

typedef struct pm_layer_attribute { PM_LAYER_ATTRIBUTE_FIELDS(PM_DECLARE) } pm_layer_attribute;

/* Names of the layer kinds, index from 0, NULL past the last. */
PM_API const char *pm_layer_kind_get_name(size_t index);

/* The attributes of a kind, as text: "out_channels kernel stride=1 bias=yes"; those without a value are required.
** Returns buffer, "" past the last kind. */
PM_API char *pm_layer_kind_format_attributes(size_t index, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
