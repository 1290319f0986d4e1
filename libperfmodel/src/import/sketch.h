/* A machine while it is read, between the readers of other programs' descriptions and what writes ours. */
#ifndef PM_IMPORT_SKETCH_H
#define PM_IMPORT_SKETCH_H

#include "catalog/entry.h"
#include "hardware/system.h"

enum { PM__WIRES_MAX = 1024, PM__NAME_MAX = 40, PM__PORT_CLASSES_MAX = 16, PM__ANY_HOST = -1 };

typedef struct pm__wire_end {
  char name[PM__NAME_MAX];
  char key[PM__NAME_MAX]; /* what the source calls it; of two hosts, both may have one of that name */
  int host;
  pm_vertex_kind kind;
} pm__wire_end;

typedef struct pm__wire {
  int a, b, count;
  char link[PM__NAME_MAX];
} pm__wire;

/* Ports of NICs that are alike. */
typedef struct pm__sketch_ports {
  double rate;       /* B/s */
  char family[16];   /* of pm_catalog_make_link */
  int count;
} pm__sketch_ports;

/* A CPU as its maker numbers it; unknown: "" and -1. */
typedef struct pm__sketch_cpu {
  char vendor[24]; /* "GenuineIntel" */
  int family, model;
} pm__sketch_cpu;

/* A machine while it is read. `report` has a line for everything that was assumed or left out. */
typedef struct pm__sketch {
  pm__wire_end ends[PM__WIRES_MAX];
  pm__wire wires[PM__WIRES_MAX];
  int end_count, wire_count, counts[PM_VERTEX_NIC + 1];
  int host, hosts;       /* the one that is being read; their number */
  char gpu[PM_TEXT_MAX]; /* id of the GPU in the catalogue */
  bool gpu_given;        /* by the user */
  char nvlink[PM_TEXT_MAX], host_link[PM_TEXT_MAX]; /* its link types */
  int nvlinks;
  pm__sketch_ports ports[PM__PORT_CLASSES_MAX];
  int port_classes;
  const char *nic; /* the rate of every NIC, as the user said it; NULL: as the source does */
  bool no_peers;
  char pcie[PM_TEXT_MAX]; /* the type that was asked for last */
  pm__string report, made; /* made: types of links that the catalogue lacks */
  const pm_catalog *catalog;
  const char *file;
} pm__sketch;

/* Adds a vertex and returns its number, or -1 with an error. GPUs must come first, in their order. */
int pm__sketch_end(pm__sketch *w, pm_vertex_kind kind, const char *key, pm_error *error);

/* The vertex of this host (or of any) that the source calls so, or -1. */
int pm__sketch_find(const pm__sketch *w, const char *key);

/* Adds `count` links, to what is there between the two already. */
int pm__sketch_link(pm__sketch *w, int a, int b, const char *link, int count, pm_error *error);

/* Takes a line of the report back to one of each kind: nothing is said twice. */
void pm__sketch_say(pm__sketch *w, const char *format, ...) PM__PRINTF(2, 3);

/* The PCIe link type of that speed per lane [transfers/s] and width, which is made if the catalogue lacks it. It stays
** until the next call; NULL with an error. */
const char *pm__sketch_pcie(pm__sketch *w, double speed, int width, pm_error *error);

/* ---- GPUs ---- */

/* Takes the GPU of that name for the machine's, unless the user named one. False if the catalogue has none. */
bool pm__sketch_gpu(pm__sketch *w, const char *name);

/* The GPU of a PCI vendor and device ("0x10de", "0x2335"), or NULL. */
const char *pm__sketch_gpu_of_device(const pm__sketch *w, const char *vendor, const char *device);

/* The GPU of a compute capability ("90"), or of AMD's name of an architecture and a number of compute units ("gfx942",
** "304"); *choices becomes what else it may be, "" if it is this one alone. NULL if several are alike, or none. */
const char *pm__sketch_gpu_of_generation(const char *sm, const char *gcn, const char **choices);

/* Whether such GPUs reach their CPU by NVLink-C2C. */
bool pm__sketch_has_c2c(const pm__sketch *w);

/* The PCIe type of such hosts, for devices whose link the source does not show. */
const char *pm__sketch_host_pcie(const pm__sketch *w);

/* The type of its NVLinks to a switch, of which some catalogues have one of its own. */
void pm__sketch_switch_link(const pm__sketch *w, char *link, size_t size);

/* The type of AMD's links between GPUs of its generation. */
const char *pm__sketch_xgmi(const pm__sketch *w);

/* Where the source shows no NVLinks: GPUs whose links all end at switches get one vertex for these, others none. */
int pm__sketch_assume_nvlinks(pm__sketch *w, pm_error *error);

/* Reports GPUs that show fewer NVLinks to switches than they are sold with, or none. */
void pm__sketch_notice_nvlinks(pm__sketch *w);

/* ---- CPUs ---- */

/* Joins every CPU of this host to its first, by the links that such CPUs have, or those of servers for such GPUs. */
int pm__sketch_join_cpus(pm__sketch *w, const pm__sketch_cpu *model, pm_error *error);

/* ---- Network ---- */

/* Adds ports of a NIC: `family` as in pm_catalog_make_link. */
int pm__sketch_port(pm__sketch *w, double rate, const char *family, int count, pm_error *error);

/* Writes the link type that the catalogue lacks, and the network: the ports of the largest rate. */
int pm__sketch_write_network(pm__sketch *w, pm__string *links, pm__string *network, pm_error *error);

#endif
