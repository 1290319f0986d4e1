/* Link graphs of common machines, named by one word. */
#ifndef PM_CATALOG_STANDARD_GRAPH_H
#define PM_CATALOG_STANDARD_GRAPH_H

#include "catalog/entry.h"

typedef enum pm__catalog_topology {
  PM__TOPOLOGY_PCIE,     /* every GPU under a host bridge of its own */
  PM__TOPOLOGY_NVSWITCH, /* and all NVLinks of all GPUs at switches */
  PM__TOPOLOGY_PAIRS,    /* and neighbours joined by NVLink bridges */
  PM__TOPOLOGY_SOCKETS,  /* under a CPU, and processes reach each other only over the kernel's sockets */
  PM__TOPOLOGIES
} pm__catalog_topology;

/* PM__TOPOLOGIES if it is none of the words. */
pm__catalog_topology pm__topology_find(const char *word);

const char *pm__topology_word(pm__catalog_topology topology);

bool pm__topology_possible(const pm_catalog *catalog, const pm_gpu *gpu, pm__catalog_topology topology);

/* "pcie, nvswitch": those of a GPU; of NULL, all. */
void pm__topology_choices(const pm_catalog *catalog, const pm_gpu *gpu, char *text, size_t size);

/* The default topology of servers with such GPUs: NVLink switches if their NVLinks end there, PCIe for cards, whose
** bridges are an accessory. PM__TOPOLOGIES if modules were connected in several ways. */
pm__catalog_topology pm__topology_usual(const pm_gpu *gpu);

/* Whether GPUs of that kind, so joined, reach each other only through host memory. */
bool pm__topology_staged(const pm_gpu *gpu, pm__catalog_topology topology);

/* The link between two CPUs in common servers for GPUs with such a host link, as in the servers of the catalogue. */
void pm__topology_between_sockets(const char *host_link, const char **link, int *count);

/* The <graph> as XML; PM_STATUS_BAD_VALUE if the GPU has no such links. */
int pm__topology_graph(const pm_catalog *catalog, const pm_machine *machine, const pm_gpu *gpu,
                       pm__catalog_topology topology,
                       pm__string *xml, pm_error *error);

#endif
