/*
** Counts for people: a network as a table, by layer, by kind of layer, or as a tree.
**
**     pm_counts_question question = pm_counts_question_make();
**     question.view = PM_COUNTS_VIEW_TREE;
**     question.depth = 2;
**     pm_table *table = pm_network_tabulate(network, &question, &error);
**
** The last row is the total and marked as such. Rows of layers and of kinds add up to it; in a tree, rows of one level
** add up to the row above them, and those of the first level to the total. The tree follows the dots in layer names:
** "layer1.0.conv1" is below "layer1.0" and "layer1". A layer whose name is the prefix of others counts with them. CSV
** and JSON have full names; text output shows the last part, indented. Shares are plain numbers, shown as percentages
** in text.
**
** All counts are for the whole batch; network.h has the counts of a layer and their conventions.
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
  X(TEXT, name, "", "name of the layer, or common prefix of its layers' names", .show = PM_SHOW_MAIN)                  \
  X(TEXT, kind, "", "kind of the layer", .show = PM_SHOW_MAIN)                                                    \
  X(INT, layers, "1", "number of layers", .show = PM_SHOW_MAIN)                                                        \
  X(TEXT, input, "", "shape of its (first) input, per sample")                                                    \
  X(TEXT, output, "", "shape of its output, per sample", .show = PM_SHOW_MAIN)                                    \
  X(REAL, parameters, "1", "trainable parameters", .show = PM_SHOW_MAIN)                                          \
  X(REAL, parameters_share, "1", "share of the network's parameters", .show = PM_SHOW_PERCENT)                         \
  X(REAL, mac, "MAC", "multiply-accumulates of the forward pass", .show = PM_SHOW_MAIN)                           \
  X(REAL, mac_share, "1", "share of the network's mac", .show = PM_SHOW_MAIN | PM_SHOW_PERCENT)                        \
  X(REAL, flop, "FLOP", "arithmetic of the forward pass, element-wise included")                                  \
  X(REAL, training_flop, "FLOP", "arithmetic of the forward and the backward pass")                               \
  X(REAL, gamma, "1", "mac_bnl / parameters: how often a parameter is used; unknown without parameters")          \
  X(REAL, mac_bnl, "MAC", "mac + bias + 4 per batch-norm element + 1 per ReLU element")                           \
  X(REAL, bytes_in, "B", "inputs read")                                                                           \
  X(REAL, bytes_out, "B", "output written")                                                                       \
  X(REAL, bytes_parameters, "B", "parameters")                                                                    \
  X(REAL, saved, "B", "activations saved for the backward pass, counted with the first layer that needs them",         \
    .show = PM_SHOW_MAIN)

typedef struct pm_counts { PM_COUNTS_FIELDS(PM_DECLARE) } pm_counts;

/* The rows of a table of counts. */
#define PM_COUNTS_VIEW_LIST(X)                                                                                    \
  X(LAYERS, "layer", "every layer, in order")                                                                          \
  X(KINDS, "kind", "kinds of layers, most FLOP first")                                                            \
  X(TREE, "tree", "modules of the network, by the dots in layer names")

typedef enum pm_counts_view {
#define PM_COUNTS_VIEW_ENUM(name, text, doc) PM_COUNTS_VIEW_##name,
  PM_COUNTS_VIEW_LIST(PM_COUNTS_VIEW_ENUM)
#undef PM_COUNTS_VIEW_ENUM
  PM_COUNTS_VIEW_COUNT
} pm_counts_view;

/* "layer", "kind" or "tree" -> pm_counts_view, or -1. */
PM_API int pm_counts_view_find(const char *name);

/* A question about a network's counts; begin with the defaults. */
typedef struct pm_counts_question {
  pm_counts_view view;
  int depth; /* of a tree: number of levels, at least 1 */
  double batch;
  int precision;                    /* precision of the bytes */
  const pm_memory_profile *profile; /* memory profile for saved activations; NULL: no column `saved` */
} pm_counts_question;

/* Layer by layer, a depth of 2, one sample, FP32, no profile. */
PM_INLINE pm_counts_question pm_counts_question_make(void)
{
  const pm_counts_question question = {PM_COUNTS_VIEW_LAYERS, 2, 1, PM_PRECISION_FP32, NULL};
  return question;
}

/* Columns: the fields of pm_counts that the view has. `saved` is unknown at a precision without training. Owned by the
** caller. Cost: linear in the layers. Errors: PM_STATUS_BAD_ARGUMENT (batch not finite or below 1, no such precision,
** view or depth). */
PM_API pm_table *pm_network_tabulate(const pm_network *network, const pm_counts_question *question, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
