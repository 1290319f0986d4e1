/* Networks written as text, for tests of layers: attributes are "heads=12 causal=yes", shapes "80x768 20x64". */
#ifndef ONE_LAYER_H
#define ONE_LAYER_H

#include "fixtures.h"
#include "network/network.h"

/* Adds a layer on the outputs of `inputs`; -1 with an error. */
int try_kind(pm_network *network, const char *kind, const int *inputs, int count, const char *attributes,
             pm_error *error);

/* The same on one input; fails the test if it cannot. Returns the layer's number. */
int put_kind(pm_network *network, const char *kind, int input, const char *attributes);

/* A layer of that kind on inputs of these shapes. `computed`: they come from layers, so that gradients flow to them.
** NULL with an error if it is refused. The layer is the last of the network. */
pm_network *try_layer_of(const char *kind, const char *shapes, const char *attributes, bool computed, pm_error *error);
pm_network *layer_of(const char *kind, const char *shapes, const char *attributes);

const pm__layer *last_layer(const pm_network *network);
const pm__layer_kernel *kernels_of(const pm_network *network, const pm__layer *layer);

/* Sums over the last layer's kernels of one pass: FLOP of the matrix multiplications, numbers moved for `batch`
** samples. */
double product_flop(const pm_network *network, pm__pass pass);
double elements_moved(const pm_network *network, pm__pass pass, double batch);

/* Fails the test unless the kind refuses, and with these words. */
void ck_refused(const char *kind, const char *shapes, const char *attributes, const char *words);

pm_network_totals totals_of(const pm_network *network);

#endif
