/* Which tensors of a network share storage, and which storages the backward pass needs. */
#ifndef PM_MEMORY_TENSORS_H
#define PM_MEMORY_TENSORS_H

#include "network/network.h"
#include "perfmodel/memory.h"

/* Bytes of an element where a layer runs in the storage precision, where it runs in FP32 all the same, and where it is
** the input of a linear layer, which runs in FP8 or FP4. */
typedef struct pm__sizes {
  double low, high, linear;
} pm__sizes;

/* In which of them a storage is kept; under autocast one may be kept in two, and so may one that a linear layer and
** another layer keep. */
enum { PM__KEPT_LOW = 1, PM__KEPT_HIGH = 2, PM__KEPT_LINEAR = 4, PM__KEPT_LOSS = 8 };

/* One element per layer of the network, inputs among them. A storage has the number of the layer that wrote it. */
typedef struct pm__tensors {
  const pm_network *network;
  const pm_memory_profile *profile;
  int *storage;
  unsigned char *kept; /* by storage */
  int *first_saver;    /* by storage: the layer nearest to the input that needs it, the last to let go; or INT_MAX */
  int *last_use;       /* by storage: the last layer of the forward pass that reads it */
} pm__tensors;

/* Builds it; PM_STATUS_NO_MEMORY leaves nothing behind. */
int pm__tensors_find(pm__tensors *tensors, const pm_network *network, const pm_memory_profile *profile,
                     pm_error *error);
void pm__tensors_free(pm__tensors *tensors);

/* The sizes at a precision in training. */
pm__sizes pm__sizes_of(const pm_memory_profile *profile, int precision);

/* Bytes per sample of a storage, as it is kept; 0 if nobody needs it. */
double pm__storage_kept(const pm__tensors *tensors, int storage, pm__sizes sizes);

/* Whether a layer is the loss, and the profile says in how many parts it is computed; bytes of a logit of one. */
bool pm__has_chunked_loss(const pm__tensors *tensors, const pm__layer *layer);
double pm__loss_bytes(const pm__tensors *tensors, pm__sizes sizes);

/* Bytes per sample that a layer keeps for itself: masks, indices, statistics, scores. */
double pm__layer_further(const pm__tensors *tensors, int layer, pm__sizes sizes, bool without_scores);

/* The inputs of a layer. */
const int *pm__layer_inputs(const pm_network *network, int layer);

/* A quantity or factor of a record that may not be given. */
double pm__given(double value, double otherwise);

#endif
