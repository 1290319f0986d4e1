/* A system from the inside: vertices and links by number, for the code that searches routes and rings. */
#ifndef PM_HARDWARE_SYSTEM_H
#define PM_HARDWARE_SYSTEM_H

#include "base/base.h"
#include "hardware/kept.h"
#include "perfmodel/hardware.h"

/* What a catalogue may describe of a node, so that a typing error is reported instead of built: a torus of eight
** dimensions of the most GPUs. Systems that a program builds are not limited. */
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

/* What large transfers get of all parallel links together, per direction [B/s]. */
double pm__edge_payload(const pm__edge *edge);

/* Whether links of that type join the two vertices already, from whichever end. */
bool pm__system_joined(const pm_system *system, const char *a, const char *b, const char *link);

/* Of a single copy. */
double pm__edge_copy_payload(const pm__edge *edge);

#endif
