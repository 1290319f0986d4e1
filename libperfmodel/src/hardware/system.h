/* Internals of a system: vertices and links by number, for the code that searches routes and rings. */
#ifndef PM_HARDWARE_SYSTEM_H
#define PM_HARDWARE_SYSTEM_H

#include "base/base.h"
#include "hardware/kept.h"
#include "perfmodel/hardware.h"

/* Limits of a node in the catalogue, so a typing error is reported instead of built: a torus of eight dimensions with
** the most GPUs. Systems built by a program are not limited. */
enum { PM__NODE_GPUS_MAX = 1024, PM__NODE_LINKS_MAX = 8192 };

typedef struct pm__vertex {
  char name[PM_TEXT_MAX];
  pm_vertex_kind kind;
} pm__vertex;

/* `count` parallel links of a type; without calibration they run at line rate with no latency. */
typedef struct pm__edge {
  int a, b, count;
  pm_link link;
  pm_link_calibration calibration;
  bool calibrated;
} pm__edge;

struct pm_system {
  pm_machine machine;
  pm_gpu gpu;
  pm_kernel_calibration kernels; /* simt_basis none: there are no constants */
  pm__vertex *vertices;
  size_t vertex_count, vertex_capacity;
  pm__edge *edges;
  size_t edge_count, edge_capacity;
  int *gpus; /* vertex number of each GPU */
  size_t gpu_count, gpu_capacity;
  pm__edge network; /* node to node; count 0 without one */
  double usable_memory; /* of each GPU [B] */
  bool staged;      /* NICs do not reach GPU memory */
  bool has_protocols, has_tuning, has_fit;
  pm_protocol protocol[3]; /* LL, LL128, Simple */
  pm_tuning tuning;
  pm_collective_fit fit;
  pm__keeper *keeper; /* what was found out about its GPUs */
};

/* Payload of large transfers over all parallel links, per direction [B/s]. */
double pm__edge_payload(const pm__edge *edge);

/* Whether links of that type join the two vertices already, from whichever end. */
bool pm__system_joined(const pm_system *system, const char *a, const char *b, const char *link);

/* Of a single copy. */
double pm__edge_copy_payload(const pm__edge *edge);

/* PM_OK, or the first value that is missing or implausible: rates and memory must be there, finite and positive, and
** the stated FP32 peak must agree with SMs x lanes x 2 x clock within 3 %. */
int pm__gpu_check(const pm_gpu *gpu, pm_error *error);

/* Peak rate [FLOP/s] of everything else (element-wise, normalisation, pooling). FP32 arithmetic unless FP64. */
double pm__gpu_get_vector_peak(const pm_gpu *gpu, int precision);

/* The 16 bits that language models are mostly trained and run in: BF16, else FP16, where tensor cores have a rate for
** it; FP32 if they have none. */
int pm__gpu_get_half_precision(const pm_gpu *gpu);

/* PM_OK, or an error of the whole system: missing GPUs, an unconnected GPU. */
int pm__system_check(const pm_system *system, pm_error *error);

/* Parallel direct links between GPUs i and j (0 if none, or out of range). */
int pm__system_count_gpu_links(const pm_system *system, int i, int j);

/* What pm__system_set_usable_memory set, else the nominal size of the memory [B]. */
double pm__system_get_usable_memory(const pm_system *system);

/* Sets whether NICs read GPU memory directly (GPUDirect, the default), or data is staged in host memory. */
int pm__system_set_staged(pm_system *system, int staged, pm_error *error);

/* Gives the system the constants of a collective library: three protocols (LL, LL128, Simple), what the library assumes
** of the GPU, and what was fitted; any of the last two may be NULL. Without them collectives run at line rate with the
** latencies of the links' calibration. */
int pm__system_set_library(pm_system *system, const pm_protocol *protocols, const pm_tuning *tuning,
                                 const pm_collective_fit *fit, pm_error *error);

/* Says how much memory programs can have of each GPU [B]: what its driver reports.
** Errors: PM_STATUS_BAD_VALUE unless it is positive and finite. */
int pm__system_set_usable_memory(pm_system *system, double bytes, pm_error *error);

/* The link graph in the language of Graphviz; released with pm_string_free. */
char *pm__system_format_dot(const pm_system *system, pm_error *error);

/* The same as a drawing, an SVG document; released with pm_string_free. */
char *pm__system_format_svg(const pm_system *system, pm_error *error);

#endif
