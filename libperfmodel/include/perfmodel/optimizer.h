/*
** Optimizers: the cost of the update and the memory of its state.
**
** Each is one descriptor, a record with every field stated: predictions price the update from its accesses and kernels,
** memory counts its state.
**
**     printf("%g B\n", pm_optimizer_get(PM_OPTIMIZER_ADAM)->state);
*/
#ifndef PERFMODEL_OPTIMIZER_H
#define PERFMODEL_OPTIMIZER_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One line for each: add an optimizer here and its descriptor in src/software/optimizers; everything else is generated.
** New ones go last, so that numbers do not change. A first alias with a capital letter is the class in settings of
** torchtitan and DeepSpeed; optimizers without one are not written there. Unfused: an optimizer of many kernels. */
#define PM_OPTIMIZER_LIST(X)                                                                                         \
  X(MOMENTUM, "momentum", "SGD with momentum", .aliases = "sgd-momentum nesterov")                                   \
  X(SGD, "sgd", "plain SGD", .aliases = "SGD")                                                                       \
  X(ADAM, "adam", "Adam", .aliases = "Adam FusedAdam OneBitAdam adamax nadam")                                       \
  X(ADAMW, "adamw", "Adam with decoupled weight decay", .aliases = "AdamW")                                          \
  X(LAMB, "lamb", "Adam with the norms of every tensor", .aliases = "Lamb FusedLAMB")                                \
  X(RMSPROP, "rmsprop", "RMSProp", .aliases = "RMSprop")                                                             \
  X(ADAGRAD, "adagrad", "Adagrad", .aliases = "Adagrad")                                                             \
  X(LION, "lion", "Lion", .aliases = "Lion")                                                                         \
  X(RMSPROP_UNFUSED, "rmsprop-unfused", "RMSProp operation by operation")                                            \
  X(ADAM_UNFUSED, "adam-unfused", "Adam with 9 in-place kernels per tensor, and clipping by the global norm")          \
  X(ADAMW_UNFUSED, "adamw-unfused", "AdamW with clipping, operation by operation",                                   \
    .aliases = "bert-adam-tf1")                                                                                      \
  X(LAMB_UNFUSED, "lamb-unfused", "LAMB with clipping, operation by operation")                                      \
  X(NONE, "none", "forward and backward only")                                                                       \
  X(RMSPROP_MOMENTUM, "rmsprop-momentum", "RMSProp with momentum")                                                   \
  X(ADADELTA, "adadelta", "Adadelta", .aliases = "Adadelta")                                                         \
  X(LARS, "lars", "SGD with momentum and the norms of every tensor", .aliases = "LARS")                              \
  X(ADAFACTOR, "adafactor", "Adafactor without momentum", .aliases = "Adafactor")                                    \
  X(ADAM_8BIT, "adam8bit", "Adam with 8-bit state; FP32 state for embeddings", .aliases = "Adam8bit AdamW8bit")        \
  X(ROWWISE_ADAGRAD, "rowwise-adagrad", "Adagrad; for embeddings one number per row",                                  \
    .aliases = "RowWiseAdagrad EXACT_ROWWISE_ADAGRAD")                                                               \
  /* the next optimizer goes above this line */

/* The optimizers; the record pm_optimizer has the memory and time of one. */
typedef enum pm_optimizer_choice {
#define PM_OPTIMIZER_ENUM(name, ...) PM_OPTIMIZER_##name,
  PM_OPTIMIZER_LIST(PM_OPTIMIZER_ENUM)
#undef PM_OPTIMIZER_ENUM
  PM_OPTIMIZER_COUNT
} pm_optimizer_choice;

/* Memory and accesses of an optimizer. State is FP32 (FP64 in FP64 runs), without the master copy of mixed
** precision. */
#define PM_OPTIMIZER_FIELDS(X)                                                                                       \
  X(REAL, state, "B", "state per parameter")                                                                         \
  X(REAL, embedding_state, "B", "state per parameter of an embedding")                                               \
  X(REAL, scratch, "B", "temporaries per parameter during the update")                                               \
  X(REAL, accesses, "1", "FP32 numbers read and written per parameter")                                              \
  X(REAL, kernels, "1", "kernels per parameter tensor")                                                                \
  X(YES_NO, replicated, "", "whether every rank keeps the whole state, even with ZeRO")                                \
  X(YES_NO, suggested, "", "whether it is suggested for runs that do not fit")                                         \
  X(TEXT, source, "", "source of the algorithm, or of its states")

typedef struct pm_optimizer { PM_OPTIMIZER_FIELDS(PM_DECLARE) } pm_optimizer;

/* The descriptor of a pm_optimizer_choice, a constant of the library; NULL for any other number. */
PM_API const pm_optimizer *pm_optimizer_get(int32_t optimizer);

#ifdef __cplusplus
}
#endif
#endif
