/*
** A network as one execution mode runs it: a list of units.
**
** A unit is one lowered layer: its kernels and how often each runs, by pass, its launches and host calls, elements that
** change layout, its parameters, and its output. Equal layers share a unit, and equality is decided by their work, not
** by their names. If an engine fuses layers, a unit is one of its kernels.
**
** Time, exchange and timeline are sums over units: the whole network, a bucket of gradients, a layer.
*/
#ifndef PM_PLAN_UNITS_H
#define PM_PLAN_UNITS_H

#include "plan/kernels.h"

/* What does not depend on the batch: launches of kernels (of matrix multiplications apart), host calls, those of
** them of a forward pass that are not of cuDNN, and more of them where products of experts, or groups of convolutions,
** are launched one by one;
** per sample: elements that change layout, elements that kernels read besides their own, calls that the GPU waits
** for, pairs of boxes that the host may compare. */
typedef struct pm__fixed {
  double launches, matrix_launches, host_calls, plain_calls, expert_calls, group_calls, layout, extra, waited, compared;
} pm__fixed;

typedef struct pm__unit_kernel {
  int kernel; /* which of the distinct ones */
  double repeats;
} pm__unit_kernel;

typedef struct pm__unit {
  int first, count;            /* kernels of all passes: entries of pm__units.kernel */
  pm__fixed pass[PM__PASSES];
  double parameters;
  double out;                  /* elements that it passes on, per sample */
} pm__unit;

typedef struct pm__units {
  pm__plan_kernels kernels;
  pm__unit *unit;
  int count;
  pm__unit_kernel *entry;
  int entry_count;
  int *order;                  /* unit of each layer, in the network's order; -1: none */
  int length;
  pm__fixed pass[PM__PASSES];  /* of the whole network */
  struct pm__segments *waits;  /* the forward pass between calls that the GPU waits for; NULL without any */
} pm__units;

/* How a network is lowered: as a framework trains, as it infers, or as an engine fuses. */
enum {
  PM__TRAINING_MODE = 0,
  PM__INFERENCE_MODE = PM__EXECUTIONS,
  PM__FUSED_MODE = 2 * PM__EXECUTIONS,
  PM__MODES = PM__FUSED_MODE + PM_FUSION_COUNT - 1
};

/* Owned by the caller; NULL with an error if there is no memory. */
pm__units *pm__units_new(const pm_network *network, int mode, pm_error *error);
void pm__units_free(pm__units *units);

/* Launches without extra reads, whose times a device prices. */
static inline double pm__other_launches(const pm__fixed *fixed)
{
  return fixed->launches - fixed->matrix_launches;
}

/* ---- Passes in segments: segments.c ---- */

/* Of the backward pass, `pieces` equal buckets become ready evenly over a segment; 0: nothing is sent when it ends. */
typedef struct pm__segments {
  int count;
  bool forward; /* of the forward pass; else of the backward pass */
  double parameters[PM__SEGMENTS]; /* in all its pieces */
  double pieces[PM__SEGMENTS];
  pm__fixed fixed[PM__SEGMENTS];
  int *first;      /* of each distinct kernel: its entries, first[i] .. first[i + 1] */
  int *place;      /* segment of each entry */
  double *repeats; /* how often it is there */
} pm__segments;

/* Cuts the units where a bucket is full: when it has that many parameters (INFINITY: one for all). Beyond some buckets
** the first are taken together, as pieces of one segment. */
pm__segments *pm__segments_new(const pm_network *network, const pm__units *units, double bucket, pm_error *error);

/* Cuts the forward pass behind each layer that waits for a call, as far as there are segments for them; the last is
** what follows. */
pm__segments *pm__segments_new_waits(const pm_network *network, const pm__units *units, pm_error *error);
void pm__segments_free(pm__segments *segments);

#endif
