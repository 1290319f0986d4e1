/*
** Sensitivities: how the time of a step, of an inference call, or of a token of a served model depends on each hardware
** parameter, and which upgrade pays off.
**
** Each parameter is raised separately, and the whole step is predicted again on a copy of the system, without
** interpolation:
**
**     change     = time(raised) / time - 1
**     elasticity = ln(1 + change) / ln(1 + raise)
**
** Elasticities of rates (of arithmetic, memory, links, host, input) are never positive and add up to about -1: if
** everything is faster by a factor, so is the machine. The difference from -1 is due to latencies and parts that do not
** depend on hardware.
**
**     pm_sensitivity_setup setup = {.network = network, .system = system, .task = PM_TASK_TRAINING, .run = &run,
**                                   .run_size = sizeof run};
**     pm_sensitivity rows[PM_RESOURCE_COUNT];
**     int count = pm_sensitivity_evaluate(&setup, 0.1, rows, &error);
*/
#ifndef PERFMODEL_SENSITIVITY_H
#define PERFMODEL_SENSITIVITY_H

#include "framework.h"
#include "hardware.h"
#include "inference.h"
#include "network.h"
#include "input.h"
#include "predict.h"
#include "serving.h"
#include "size.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, whether it is a rate, doc */
#define PM_RESOURCE_LIST(X)                                                                                            \
  X(CLOCK, "clock", 1, "clock of the GPU, and all its arithmetic rates with it")                                       \
  X(MEMORY_BANDWIDTH, "memory-bandwidth", 1, "bandwidth of the GPU's memory")                                          \
  X(L2_CACHE, "l2-cache", 0, "size of the GPU's L2 cache")                                                             \
  X(POWER, "power", 0, "power limit of the GPU, which limits its clock")                                               \
  X(NVLINK, "nvlink", 1, "bandwidth of NVLink or xGMI")                                                                \
  X(PCIE, "pcie", 1, "bandwidth of PCIe")                                                                              \
  X(SOCKETS, "cpu-links", 1, "bandwidth between the CPUs")                                                             \
  X(NETWORK, "network", 1, "bandwidth between the nodes")                                                              \
  X(LATENCY, "latency", 0, "every latency of links, network and collectives")                                          \
  X(HOST, "host", 1, "speed at which the host launches kernels and steps, and decodes samples")                        \
  X(STORAGE, "storage", 1, "every rate of the storage and of the path from it")                                        \
  X(HOST_POWER, "host-power", 0, "power of nodes without their boards")                                                \
  X(MEMORY, "memory", 0, "size of the GPU's memory, and of a served model's KV cache with it")

typedef enum pm_resource {
#define PM_RESOURCE_ENUM(name, text, rate, doc) PM_RESOURCE_##name,
  PM_RESOURCE_LIST(PM_RESOURCE_ENUM)
#undef PM_RESOURCE_ENUM
  PM_RESOURCE_COUNT
} pm_resource;

/* One run of a task; its indices are ignored. Nothing is copied. */
typedef struct pm_sensitivity_setup {
  const pm_network *network;
  const pm_system *system;
  int32_t task;
  const void *run;                        /* GPUs, nodes, batch, precision, ... */
  size_t run_size;                        /* its bytes in the program */
  const pm_framework_profile *framework;  /* for training; NULL: none */
  const pm_inference_profile *profile;    /* for inference */
  const pm_engine_profile *engine;        /* for serving */
  const pm_memory_profile *memory;        /* of the profile; NULL: memory is not computed */
  const pm_input_setup *input;            /* NULL: the run's input rate */
  const pm_input_run *input_run;          /* NULL: the default */
  size_t input_run_size;                  /* its bytes in the program */
} pm_sensitivity_setup;

/* The effect of one resource on the time of a step, call or token. */
#define PM_SENSITIVITY_FIELDS(X)                                                                      \
  X(RESOURCE, resource, "", "the parameter that is raised")                                           \
  X(YES_NO, rate, "", "whether it is a rate: more is never slower")                                   \
  X(REAL, by, "1", "relative increase of the parameter", .show = PM_SHOW_PERCENT)                                      \
  X(REAL, step_time, "s", "time of a step, a call or an output token (TPOT) after the change")                         \
  X(REAL, change, "1", "relative change of that time; negative is faster", .show = PM_SHOW_PERCENT)                    \
  X(REAL, elasticity, "1", "change of the logarithm of the time over that of the parameter")                           \
  X(REAL, throughput, "1/s", "samples, or largest rate of requests, per second after the change")                      \
  X(BOTTLENECK, bottleneck, "", "bottleneck after the change")                                        \
  X(REAL, ttft, "s", "time to first token of a served model after the change")                                         \
  X(REAL, ttft_change, "1", "relative change of ttft", .show = PM_SHOW_PERCENT)                                        \
  X(REAL, throughput_change, "1", "relative change of the throughput", .show = PM_SHOW_PERCENT)                        \
  X(REAL, energy, "J", "energy of the site per sample or served request after the change")                             \
  X(REAL, energy_change, "1", "relative change of that energy", .show = PM_SHOW_PERCENT)                               \
  /* the next field of a sensitivity goes above this line */

typedef struct pm_sensitivity { PM_SENSITIVITY_FIELDS(PM_DECLARE) } pm_sensitivity;

/* Raises each parameter by `raise` (0.1: by 10 %), one after the other, and writes rows[PM_RESOURCE_COUNT]; resources
** that the system does not have are left out. Returns the number of rows, or -1 with the error of the run itself. Cost:
** a plan for each. */
PM_API int pm_sensitivity_evaluate(const pm_sensitivity_setup *setup, double raise, pm_sensitivity *rows,
                                   pm_error *error);

/* Another GPU, another type of link, or both; NULL: unchanged. */
typedef struct pm_system_change {
  const pm_gpu *gpu;                      /* on the same links */
  const pm_kernel_calibration *kernels;   /* of that GPU; NULL: at the plain roofline */
  const pm_link *link;                    /* instead of `replaced` */
  const char *replaced;                   /* type of all links that are replaced; NULL: the network */
  const pm_link_calibration *calibration; /* of `link`; NULL: none */
} pm_system_change;

/* A copy of the system with that change, owned by the caller. NULL with PM_STATUS_BAD_ARGUMENT, PM_STATUS_NO_ROUTE. */
PM_API pm_system *pm_system_new_with(const pm_system *system, const pm_system_change *change, pm_error *error);

/* ---- Which upgrade pays ----------------------------------------------------------------------------------------- */

/* A replacement; NULL: unchanged. */
typedef struct pm_upgrade_choice {
  const char *name;
  const pm_system *system;      /* the whole system */
  const pm_input_setup *input;  /* the input path */
  int32_t gpus;                 /* GPUs used in each node; 0: as many as before, or all of the node */
  double price;                 /* of the change, for all nodes; NAN: unknown */
  const pm_framework_profile *framework; /* for training */
  const pm_inference_profile *profile;   /* for inference */
  const pm_engine_profile *engine;       /* for serving */
  const pm_memory_profile *memory;       /* how that profile handles memory */
  const pm_network *network;             /* the network in the form that this software runs */
  const void *run;                       /* the run on it, GPUs included; run_size bytes of the setup */
} pm_upgrade_choice;

/* The effect of one replacement on the time of a step or call. */
#define PM_UPGRADE_FIELDS(X)                                                                          \
  X(STATUS, status, "", "ok, or why there is no prediction")                                          \
  X(TEXT, name, "", "the change")                                                                     \
  X(REAL, step_time, "s", "time of a step, a call or an output token (TPOT) after the change")                         \
  X(REAL, throughput, "1/s", "samples, or largest rate of requests, per second after the change")                      \
  X(REAL, gain, "1", "relative growth of the throughput", .show = PM_SHOW_PERCENT)                                     \
  X(REAL, price, "1", "price of the change, as given")                                                \
  X(REAL, gain_per_price, "1/s", "additional samples per second per unit of price")                                    \
  X(BOTTLENECK, bottleneck, "", "bottleneck after the change")

typedef struct pm_upgrade { PM_UPGRADE_FIELDS(PM_DECLARE) } pm_upgrade;

/* The run on each of the choices, most gain first; rows[count]. PM_OK, or the error of the run itself. */
PM_API int pm_upgrade_evaluate(const pm_sensitivity_setup *setup, const pm_upgrade_choice *choices, size_t count,
                               pm_upgrade *rows, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
