/*
** Counts for people: a network as a table, by layer, by kind of layer, or as a tree.
**
**     pm_counts_question question = pm_counts_question_make();
**     question.view = PM_COUNTS_VIEW_TREE;
**     question.depth = 2;
**     pm_table *table = pm_network_tabulate(network, &question, &error);
**
** The last row is the total and marked as one. Rows of layers and of kinds add up to it; in a tree, rows of one level
** add up to the row above them, and those of the first level to the total. The tree is made of the dots in the names
** of layers: "layer1.0.conv1" stands below "layer1.0" and "layer1". A layer that bears the name of others' beginning
** counts with them. Names are whole in CSV and JSON; people see the last part, indented. Shares are plain numbers, of
** which people see the percent.
**
** Everything is for the whole batch; what a layer counts, and by which conventions, is written in network.h.
*/
#ifndef PERFMODEL_COUNTS_H
#define PERFMODEL_COUNTS_H

#include "memory.h"
#include "network.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts of one row: of a layer, of all layers of a kind, or of a part of the network, for the whole batch. */
#define PM_COUNTS_FIELDS(X)                                                                                       \
  X(TEXT, name, "", "name of the layer, or the beginning that the names of its layers share", .show = PM_SHOW_MAIN) \
  X(TEXT, kind, "", "kind of the layer", .show = PM_SHOW_MAIN)                                                    \
  X(INT, layers, "1", "layers that are counted here", .show = PM_SHOW_MAIN)                                       \
  X(TEXT, input, "", "shape of its (first) input, per sample")                                                    \
  X(TEXT, output, "", "shape of its output, per sample", .show = PM_SHOW_MAIN)                                    \
  X(REAL, parameters, "1", "trainable parameters", .show = PM_SHOW_MAIN)                                          \
  X(REAL, parameters_share, "1", "parameters / those of the network", .show = PM_SHOW_PERCENT)                      \
  X(REAL, mac, "MAC", "multiply-accumulates of the forward pass", .show = PM_SHOW_MAIN)                           \
  X(REAL, mac_share, "1", "mac / that of the network", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                      \
  X(REAL, flop, "FLOP", "arithmetic of the forward pass, element-wise included")                                  \
  X(REAL, training_flop, "FLOP", "arithmetic of the forward and the backward pass")                               \
  X(REAL, gamma, "1", "mac_bnl / parameters: how often a parameter is used; unknown without parameters")          \
  X(REAL, mac_bnl, "MAC", "mac + bias + 4 per batch-norm element + 1 per ReLU element")                           \
  X(REAL, bytes_in, "B", "inputs read")                                                                           \
  X(REAL, bytes_out, "B", "output written")                                                                       \
  X(REAL, bytes_parameters, "B", "parameters")                                                                    \
  X(REAL, saved, "B", "activations saved for the backward pass, each with the first layer that needs it",         \
    .show = PM_SHOW_MAIN)

typedef struct pm_counts { PM_COUNTS_FIELDS(PM_DECLARE) } pm_counts;

/* How a network is cut into rows. */
#define PM_COUNTS_VIEW_LIST(X)                                                                                    \
  X(LAYERS, "layer", "every layer, in their order")                                                               \
  X(KINDS, "kind", "kinds of layers, most FLOP first")                                                            \
  X(TREE, "tree", "parts of the network by the dots in the names of its layers")

typedef enum pm_counts_view {
#define PM_COUNTS_VIEW_ENUM(name, text, doc) PM_COUNTS_VIEW_##name,
  PM_COUNTS_VIEW_LIST(PM_COUNTS_VIEW_ENUM)
#undef PM_COUNTS_VIEW_ENUM
  PM_COUNTS_VIEW_COUNT
} pm_counts_view;

/* "layer", "kind" or "tree" -> pm_counts_view, or -1. */
PM_API int pm_counts_view_find(const char *name);

/* What is asked of a network's counts; begin with the defaults. */
typedef struct pm_counts_question {
  pm_counts_view view;
  int depth; /* of a tree: levels that are shown, at least 1 */
  double batch;
  int precision;                    /* what bytes are counted in */
  const pm_memory_profile *profile; /* how activations are saved; NULL: the column `saved` is left out */
} pm_counts_question;

/* Layer by layer, a depth of 2, one sample, FP32, no profile. */
PM_INLINE pm_counts_question pm_counts_question_make(void)
{
  const pm_counts_question question = {PM_COUNTS_VIEW_LAYERS, 2, 1, PM_PRECISION_FP32, NULL};
  return question;
}

/* Columns: the fields of pm_counts that the view has. `saved` is unknown at a precision that cannot be trained in.
** Owned by the caller. Cost: linear in the layers. Errors: PM_STATUS_BAD_ARGUMENT (batch not finite or below 1, no such
** precision, view or depth). */
PM_API pm_table *pm_network_tabulate(const pm_network *network, const pm_counts_question *question, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
