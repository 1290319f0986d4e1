/* Everything computed once for a network, a profile and an optimizer. */
#ifndef PM_MEMORY_PLAN_H
#define PM_MEMORY_PLAN_H

#include "memory/scan.h"

/* Precisions that take the same memory share a class: 8, 4 and 2 bytes in training; and, of pieces, linear layers in
** FP8 and in FP4. */
enum { PM__WHOLE_CLASSES = 3, PM__CLASSES = 5 };
extern const int pm__class_precision[PM__CLASSES]; /* one precision of each class */

struct pm_memory_plan {
  pm_memory_profile profile;
  pm_optimizer optimizer;
  double parameters, embedding_parameters;
  double largest_block; /* parameters of the largest stretch between two single tensors */
  double input_elements;
  double forward_elements, written_elements; /* of inference: alive at once, and in all */
  bool attention;
  pm__alive alive[PM__CLASSES][PM_RECOMPUTE_COUNT];
  double operations[PM__CLASSES]; /* outputs that recomputation by operation keeps */
};

/* Bytes of all parameters and what belongs to them, on one GPU. */
typedef struct pm__parameter_bytes {
  double weights, gradients, optimizer;
  double replicated; /* of the optimizer, whatever ZeRO shards */
} pm__parameter_bytes;

/* The class of a precision, of pieces; and of a network that is asked for as a whole. */
int pm__memory_class(int precision);
int pm__memory_whole_class(int precision);

/* pm_memory_plan_new with so many of the classes. */
pm_memory_plan *pm__memory_plan_new(const pm_network *network, const pm_memory_profile *profile,
                                    const pm_optimizer *optimizer, int classes, pm_error *error);

/* What is asked of a plan: a run and its optimizer. */
typedef struct pm__memory_question {
  const pm_memory_plan *plan;
  const pm_memory_run *run;
  const pm_optimizer *optimizer;
} pm__memory_question;

pm__parameter_bytes pm__parameters_take(const pm__memory_question *q);

/* The same of one parameter in training, nothing split. */
pm__parameter_bytes pm__parameter_bytes_each(const pm__memory_question *q);

/* What one parameter of an embedding keeps more than others. */
double pm__embedding_bytes(const pm__memory_question *q);

/* Bytes per sample that a training step has alive, and what an allocator holds over them, as a factor. */
pm__alive pm__memory_alive(const pm__memory_question *q);
double pm__memory_operations(const pm__memory_question *q);
double pm__memory_allocator(const pm__memory_question *q);

/* Bytes of one weight, and of its gradient, as a framework keeps them. */
double pm__weight_bytes(const pm__memory_question *q);
double pm__gradient_bytes(const pm__memory_question *q);

/* The parts of a footprint, fixed ones and those of each sample, from which that of any batch follows. */
typedef struct pm__memory_parts {
  double context, weights, gradients, optimizer, workspace, communication;
  double activations, live_gradients, allocator, input; /* per sample */
  double host;                                          /* what the host keeps for the GPU, beyond the total */
} pm__memory_parts;

pm__memory_parts pm__memory_parts_of(const pm__memory_question *q);

/* In the order of the record's fields, so that it equals their sum bit for bit. */
static inline double pm__memory_total(const pm__memory_parts *p, double batch)
{
  return p->context + p->weights + p->gradients + p->optimizer + batch * p->activations + batch * p->live_gradients +
         batch * p->allocator + batch * p->input + p->workspace + p->communication;
}

/* The parts at a batch, their verdict and the largest batches. */
void pm__memory_set_use(const pm__memory_parts *parts, double batch, double usable, pm_memory_use *use);

/* Largest whole batch whose total is not above `limit`; 0 if none is, NAN if it is not known. */
double pm__memory_largest_batch(const pm__memory_parts *parts, double limit);

/* The network and the GPU of a memory check, for messages. */
typedef struct pm__memory_case {
  const char *network, *gpu;
  double batch, usable;
} pm__memory_case;

/* PM_OK, or PM_STATUS_DOES_NOT_FIT with the excess and a suggestion. */
int pm__memory_check_fit(const pm__memory_parts *parts, const pm__memory_case *asked, pm_error *error);

/* PM_OK, or the reason why this run has no result (batch 0, training in int8, ...). */
int pm__memory_check(const pm_memory_plan *plan, const pm_memory_run *run, pm_error *error);

/* Saved activations [B] of the first stage, which has the most micro-batches in flight; NAN if a size is not
** positive. */
double pm__transformer_get_saved(const pm_transformer *model, const pm_transformer_activations *kept);

#endif
