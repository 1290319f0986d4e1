/* A machine while it is read, between the readers of other programs' descriptions and what writes ours. */
#ifndef PM_IMPORT_SKETCH_H
#define PM_IMPORT_SKETCH_H

#include "catalog/entry.h"
#include "hardware/system.h"

enum { PM__WIRES_MAX = 1024, PM__NAME_MAX = 40 };

typedef struct pm__wire_end {
  char name[PM__NAME_MAX];
  char key[PM__NAME_MAX]; /* what the source calls it */
  pm_vertex_kind kind;
} pm__wire_end;

typedef struct pm__wire {
  int a, b, count;
  char link[PM__NAME_MAX];
} pm__wire;

/* A machine while it is read. `report` has a line for everything that was assumed or left out. */
typedef struct pm__sketch {
  pm__wire_end ends[PM__WIRES_MAX];
  pm__wire wires[PM__WIRES_MAX];
  int end_count, wire_count, counts[PM_VERTEX_NIC + 1];
  char gpu[PM_TEXT_MAX]; /* id of the GPU in the catalogue */
  char nvlink[PM_TEXT_MAX], host_link[PM_TEXT_MAX]; /* its link types */
  double network; /* fastest port of a NIC [B/s]; 0 if there is none */
  int ports;
  bool no_peers;
  pm__string report;
  const pm_catalog *catalog;
  const char *file;
} pm__sketch;

/* Adds a vertex and returns its number, or -1 with an error. GPUs must come first, in their order. */
int pm__sketch_end(pm__sketch *w, pm_vertex_kind kind, const char *key, pm_error *error);

/* The vertex that the source calls so, or -1. */
int pm__sketch_find(const pm__sketch *w, const char *key);

/* Adds `count` links, to what is there between the two already. */
int pm__sketch_link(pm__sketch *w, int a, int b, const char *link, int count, pm_error *error);

/* The PCIe link type of that speed per lane [transfers/s] and width; what the catalogue has not is reported. */
const char *pm__sketch_pcie(pm__sketch *w, double speed, int width);

/* Takes the GPU of that name for the machine's, unless the user named one. False if the catalogue has none. */
bool pm__sketch_gpu(pm__sketch *w, const char *name);

/* The type of its NVLinks to a switch, of which some catalogues have one of its own. */
void pm__sketch_switch_link(const pm__sketch *w, char *link, size_t size);

/* Where the source shows no NVLinks: GPUs whose links all end at switches get one vertex for these, others none. */
int pm__sketch_assume_nvlinks(pm__sketch *w, pm_error *error);

#endif
