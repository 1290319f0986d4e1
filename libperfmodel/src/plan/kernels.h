/*
** The distinct kernels of a network as arrays, and their price on a device.
**
** They are grouped by pass and sort: streams (memory-bound kernels), rows (norms, softmax) and matrix
** multiplications. By the
** roofline each group is one loop over numbers, and so are streams by the calibrated model; for it, rows and products
** also keep their shapes. Groups are padded to a multiple of four with kernels that do nothing, so that the loop has no
** branch and adds in four lanes: fast, and the same order of additions every time.
*/
#ifndef PM_PLAN_KERNELS_H
#define PM_PLAN_KERNELS_H

#include "kernel/kernel.h"
#include "lowering/execution.h"

enum { PM__LANES = 4 };
enum { PM__STREAMS, PM__ROWS, PM__MATRIX, PM__FRAMEWORK_STREAMS, PM__OPERATORS, PM__SORTS,
       PM__GROUPS = PM__SORTS * PM__PASSES };

/* Group g is first[g] .. first[g + 1]. */
typedef struct pm__plan_kernels {
  int first[PM__GROUPS + 1];
  double *flop, *elements, *fixed, *repeats, *launches; /* one allocation, at flop */
  double *layout;                /* elements that change layout for a convolution; in the same allocation */
  unsigned char *place;          /* of its time in a pm__part */
  pm__layer_kernel *shape;       /* at the same places */
  struct pm__window_shape *conv; /* likewise, of convolutions; NULL: there are none */
} pm__plan_kernels;

/* Those of `count` launches, equal ones once. PM_OK or PM_STATUS_NO_MEMORY. */
int pm__plan_kernels_make(pm__plan_kernels *kernels, const pm__launch *launches, size_t count, pm_error *error);
void pm__plan_kernels_free(pm__plan_kernels *kernels);

/* The place of a kernel that is among them. */
int pm__plan_kernels_find(const pm__plan_kernels *kernels, const pm__layer_kernel *kernel);

/* Seconds in kernels, launches not included, apart where frameworks and libraries differ by a factor: convolutions,
** other matrix multiplications, the framework's own kernels, all others. */
enum { PM__PLACE_CONV, PM__PLACE_PRODUCT, PM__PLACE_FRAMEWORK, PM__PLACE_OTHER, PM__PLACES };

typedef struct pm__part {
  union {
    struct {
      double conv, product, framework, other;
    };
    double time[PM__PLACES];
  };
  double spared; /* elements that change no layout after all, as their convolutions run on FP32 cores */
} pm__part;

/* A kernel as the library runs it: as its precision says, or on FP32 cores where that is faster with what convolutions
** spend on changes of layout. Times of convolutions are over the library's factor of the device. */
typedef struct pm__plan_way {
  double time; /* s, without its launch */
  double spared;
  int bound, algorithm;
  double extra; /* J beyond what the device draws that multiplies nothing */
} pm__plan_way;

pm__plan_way pm__plan_way_of(const pm__device *device, const pm__layer_kernel *kernel, double batch);

/* Pieces of the backward pass, in the order they run, each ending where gradients are ready to be sent. */
enum { PM__SEGMENTS = 40 };

/* The backward pass cut at the buckets of gradients: segments.c. */
struct pm__segments;

/* `bound`: the part of all passes that the arithmetic rate, or the power for it, limits; `bound_launches`: of its
** matrix multiplications. */
typedef struct pm__costs {
  pm__part pass[PM__PASSES], all, bound; /* all: of the passes */
  double bound_launches;
  double saved[PM__PASSES]; /* FLOP that are counted and not executed */
  pm__part extra; /* J of all passes, beyond what kernels draw that multiply no matrices */
  pm__part segment[PM__SEGMENTS];
} pm__costs;

/* `segments` may be NULL: then those are not filled. Allocates nothing. */
void pm__plan_kernels_price(const pm__plan_kernels *kernels, const struct pm__segments *segments,
                            const pm__device *device,
                       double batch, pm__costs *costs);

#endif
