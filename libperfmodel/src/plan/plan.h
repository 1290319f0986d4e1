/*
** Everything computed once, before runs are predicted: networks lowered to units, GPUs prepared for the formulas,
** memory of networks, and the software: frameworks for training, and profiles for inference.
*/
#ifndef PM_PLAN_PLAN_H
#define PM_PLAN_PLAN_H

#include "hardware/kept.h"
#include "hardware/system.h"
#include "memory/plan.h"
#include "perfmodel/inference.h"
#include "perfmodel/predict.h"
#include "perfmodel/serving.h"
#include "plan/units.h"

/* Kinds of network with less certain rates: network_kinds.c. */
enum {
  PM__KIND_GROUPS = 1,
  PM__KIND_SOUND = 2,
  PM__KIND_VOLUMES = 4,
  PM__KIND_RECURRENT = 8,
  PM__KIND_PROPOSALS = 16,
  PM__KIND_TABLES = 32,
  PM__KIND_ATTENTION = 64 /* adds nothing: words of a language are in tables as well */
};

/* Tables of embedding bags: parameters and lookups of a sample, of all and of the table that has most. */
typedef struct pm__plan_tables {
  double parameters, lookups, most_parameters, most_lookups;
} pm__plan_tables;

typedef struct pm__plan_network {
  const pm_network *network;
  const pm__kept *kept; /* of a network with adapters, where it is kept; else NULL */
  int number;           /* in the plan; of a network with adapters, how many the plan has */
  pm__units *units[PM__MODES]; /* NULL: no software of the plan runs it so */
  pm__segments **segments;     /* by the cuts of the plan */
  size_t segment_capacity;
  pm_memory_plan **memory;     /* by the memory profiles of the plan */
  size_t memory_capacity;
  double parameters, training_flop, forward_flop;
  double tensors;        /* of parameters */
  double matrices;       /* those of them whose gradients are products */
  double variables;      /* the same and moving averages */
  double tables;         /* parameters that are looked up, not multiplied */
  pm__plan_tables bags;  /* those that GPUs may divide */
  double weights, weight_tensors; /* parameters of the layers that multiply, and in how many tensors */
  double tokens;         /* per sample; NAN: it reads none */
  double input_elements; /* of all inputs, per sample */
  double products;       /* layers that multiply: no gradient bucket is smaller than one of them */
  unsigned kinds; /* PM__KIND_... */
  bool experts;  /* tokens choose among experts */
  bool freezes;  /* some layers are frozen */
} pm__plan_network;

typedef struct pm__plan_system {
  const pm_system *system;
  double host; /* time of host code over that on the reference core */
  int device;  /* the same number for systems with the same GPU and constants: the first of them */
  pm_kernel_calibration read; /* the constants of kernels by which `devices` were made */
  pm__device devices[PM_KERNEL_MODEL_COUNT][PM_PRECISION_COUNT]; /* set where `device` is this system's own number */
} pm__plan_system;

/* How the backward pass is cut: in which mode, into buckets of how many parameters. */
typedef struct pm__plan_cut {
  int mode;
  double bucket;
} pm__plan_cut;

enum { PM__GRADIENT_SIZES = 4 }; /* 1, 2, 4, 8 bytes */

/* What software decides of the kernels of a GPU: what its libraries can do and how fast they are, the memory that these
** may take, and whether convolutions change the layout of their ends: on FP32 cores, on tensor cores in 2 bytes or
** less, and in more. Tensor cores change what is not kept with the channels side by side. */
typedef struct pm__plan_software {
  pm_cudnn_generation cudnn;
  double simt_factor, tensor_factor;
  double workspace;
  bool layout_simt, layout_tensor, layout_tf32;
  bool pads_products; /* to sides that tensor cores take as they are */
} pm__plan_software;

/* What the libraries of some software can do, and the GPUs of the plan's systems with them. */
typedef struct pm__plan_library {
  pm__plan_software software, read; /* as it is; by which `devices` were made */
  pm__device (*devices)[PM_PRECISION_COUNT]; /* by the `device` of a system; calibrated */
} pm__plan_library;

/* What software rests on, on one system: a pm_calibration_status of its host times, of its convolutions, and of
** gradients of groups without a kernel of their own; and whether its libraries run on such a GPU at all. */
typedef struct pm__plan_rows {
  int32_t host, convolutions, groups;
  bool runs;
} pm__plan_rows;

/* A framework with everything that was not given set to what costs nothing; of one that differs between the systems of
** the plan, the one of the first. */
typedef struct pm__plan_framework pm__plan_framework;
struct pm__plan_framework {
  pm_framework_profile profile;
  int library;                    /* which of the plan's */
  int memory;                     /* which memory profile of the plan */
  int mode[2];                    /* of tensors in 4 bytes or more; in 2 bytes or less */
  int cut[2][PM__GRADIENT_SIZES]; /* which of the plan's cuts, by mode and by the size of gradients */
  pm__plan_rows *rows;            /* by system */
  pm__plan_framework *by_system;  /* NULL: the same on all */
};

/* A way to run inference, likewise. */
typedef struct pm__plan_profile pm__plan_profile;
struct pm__plan_profile {
  pm_inference_profile profile;
  int library, memory; /* memory -1: unknown */
  int mode[2];
  pm__plan_rows *rows;
  pm__plan_profile *by_system;
};

/* A serving engine, likewise. */
typedef struct pm__plan_engine pm__plan_engine;
struct pm__plan_engine {
  pm_engine_profile profile;
  pm__plan_rows *rows;
  pm__plan_engine *by_system;
};

struct pm_plan {
  pm__plan_network *networks;
  size_t network_count;
  pm__plan_system *systems;
  size_t system_count;
  pm__plan_framework *frameworks;
  size_t framework_count, framework_capacity;
  pm__plan_profile *profiles;
  size_t profile_count, profile_capacity;
  pm__plan_engine *engines;
  size_t engine_count, engine_capacity;
  pm__plan_library *libraries;
  size_t library_count, library_capacity;
  pm_memory_profile *memories; /* the first: what every framework needs at least */
  size_t memory_count, memory_capacity;
  pm__plan_cut *cuts;
  size_t cut_count, cut_capacity;
  pm__keeper *pieces, *sharded; /* of networks that are split: plan/sharded.h */
  pm__keeper *serving;          /* of language models that are served: serving/model.h */
  pm__keeper *adapted;          /* networks with adapters: plan/adapted.c */
  pm__keeper *limited;          /* GPUs under a power limit: plan/limited.c */
};

/* Tells networks of a plan apart, those with adapters too. */
static inline int pm__plan_network_number(const pm__plan_network *network)
{
  return network->number + (network->kept != NULL ? network->kept->position : 0);
}

/* Counts and, without software, the units of a network that the caller owns. `plan` has what free needs to know. */
int pm__plan_network_prepare(pm__plan_network *entry, const pm_network *network, pm_error *error);
void pm__plan_network_free(const pm_plan *plan, pm__plan_network *entry);

/* A network with the run's adapters, its loss in as many parts and its documents as long as the run says; made on
** first use. NULL with an error. */
const pm__plan_network *pm__plan_network_adapted(const pm_plan *plan, const pm_run *run, pm_error *error);

/* Of one layer; of a network from those of its layers and its parameters, most of which may be looked up. */
unsigned pm__plan_kinds_of_layer(const pm_network *network, const pm__layer *layer);
unsigned pm__plan_kinds_of(unsigned layers, double tables, double parameters);

/* What a network of these kinds adds to the spread of any rate: that of the one that adds most. */
double pm__plan_kinds_spread(unsigned kinds, const pm_prediction_interval *interval);

/* PM_OK unless layers of a network are frozen, which is of training. */
int pm__plan_check_trained(const pm__plan_network *network, pm_error *error);

/* The network that a run trains: one of the plan, or that with adapters. Without adapters all else of them has no
** effect. NULL with an error. */
static inline const pm__plan_network *pm__plan_network_of(const pm_plan *plan, const pm_run *run, pm_error *error)
{
  bool packed = run->document_tokens < plan->networks[run->network_index].tokens;
  bool own = run->lora_rank == 0 && run->loss_chunks == 0 && !packed;
  return own ? &plan->networks[run->network_index] : pm__plan_network_adapted(plan, run, error);
}

/* The number of the memory profile in the plan, added with the memory of all networks if it is new; -1 with an
** error. */
int pm__plan_memory(pm_plan *plan, const pm_memory_profile *profile, pm_error *error);

/* A GPU at every precision with these constants of kernels (NULL: by the plain roofline) and this software (NULL: the
** best of everything); likewise that of a system. */
void pm__plan_devices(const pm_gpu *gpu, const pm_kernel_calibration *calibration, const pm__plan_software *software,
                      pm__device *devices);
void pm__plan_system_devices(const pm_system *system, const pm__plan_software *software, pm__device *devices);

/* A library may run on `cores` what the device's tensor cores would take longer for. */
void pm__plan_set_cores(pm__device *device, const pm__device *cores);

/* Bytes of a gradient as it travels: what the framework says of mixed precision is not said of FP64. */
static inline double pm__plan_gradient(const pm_framework *framework, int precision)
{
  bool half = precision == PM_PRECISION_FP16 || precision == PM_PRECISION_FP16_STORAGE;
  double stored = pm_precision_get_bytes(precision);
  double own = half && framework->gradient_fp16 > 0 ? framework->gradient_fp16 : framework->gradient;
  return own > 0 && stored < 8 ? own : stored;
}

/* Whether a product of the run may take longer because its sides are no multiples of 16 bytes. Where not, software that
** pads them is as fast. */
bool pm__plan_loses_to_sides(const pm_plan *plan, const pm_run *run);

/* ---- What training and inference ask of a run ---- */

int pm__plan_check_place(const char *what, int32_t index, size_t count, pm_error *error);

/* GPUs on all nodes of a run; 0 if they are no count. */
static inline int32_t pm__plan_total_gpus(int32_t gpus, int32_t nodes)
{
  int64_t total = (int64_t)gpus * nodes;
  return total < 0 || total > INT32_MAX ? 0 : (int32_t)total;
}

/* PM_OK, or the reason why these GPUs of a system are not available. */
int pm__plan_check_group(const pm__plan_system *system, int32_t gpus, int32_t nodes, pm_error *error);

/* PM_STATUS_NO_ROUTE if several nodes work together without a network. */
int pm__plan_check_network(const pm__plan_system *system, int32_t nodes, pm_error *error);

/* PM_OK, or an error if the batch is not a whole number of at least 1. */
int pm__plan_check_batch(double batch, pm_error *error);

/* PM_OK, or an error if the memory of a GPU is not above 0 and finite; NAN: the GPU's. */
int pm__plan_check_memory(double usable, pm_error *error);

/* A framework, or a way to run inference, as a system has it; NULL for what is not in the plan. */
static inline const pm__plan_framework *pm__plan_framework_at(const pm_plan *plan, int32_t framework, int32_t system)
{
  if (framework < 0 || (size_t)framework >= plan->framework_count) return NULL;
  const pm__plan_framework *found = &plan->frameworks[framework];
  return found->by_system == NULL || (size_t)system >= plan->system_count ? found : &found->by_system[system];
}

static inline const pm__plan_profile *pm__plan_profile_at(const pm_plan *plan, int32_t profile, int32_t system)
{
  if (profile < 0 || (size_t)profile >= plan->profile_count) return NULL;
  const pm__plan_profile *found = &plan->profiles[profile];
  return found->by_system == NULL || (size_t)system >= plan->system_count ? found : &found->by_system[system];
}

static inline const pm__plan_engine *pm__plan_engine_at(const pm_plan *plan, int32_t engine, int32_t system)
{
  if (engine < 0 || (size_t)engine >= plan->engine_count) return NULL;
  const pm__plan_engine *found = &plan->engines[engine];
  return found->by_system == NULL || (size_t)system >= plan->system_count ? found : &found->by_system[system];
}

/* Ids for tables; "" for what is not in the plan. */
const char *pm__plan_network_id(const pm_plan *plan, int32_t index);
const char *pm__plan_system_id(const pm_plan *plan, int32_t index);

#endif
