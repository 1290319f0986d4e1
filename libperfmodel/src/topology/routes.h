/*
** Shortest paths between vertices, and the flows on each link. GPUs and NICs are endpoints and do not forward.
*/
#ifndef PM_TOPOLOGY_ROUTES_H
#define PM_TOPOLOGY_ROUTES_H

#include "topology/path.h"

typedef struct pm__routes {
  const pm_system *system;
  int *first;      /* of each vertex's edges in `incident`, and behind the last */
  int *incident;   /* edges by vertex, in the order of the system */
  int start;       /* of the last search; -1: none yet */
  int *distance;   /* of each vertex from the start; -1: not reached */
  int *via;        /* the edge by which it was reached */
  int *queue;
  int *load;       /* flows per edge: a to b, then b to a */
} pm__routes;

/* False if there is no memory. Close it in either case. */
bool pm__routes_open(pm__routes *r, const pm_system *system);
void pm__routes_close(pm__routes *r);
void pm__routes_clear(pm__routes *r);

/* Searches breadth first from a vertex. Cost: proportional to the vertices and edges; nothing where it is the last
** one. */
void pm__routes_from(pm__routes *r, int start);

/* Walks back from `end` to where the search started, loading each link with so many flows. */
void pm__routes_load(pm__routes *r, int end, int flows, pm__ring_path *path);

/* All direct links from vertex to vertex together; `edge`: one of them. Cost: the edges of `a`. */
double pm__routes_direct(const pm__routes *r, int a, int b, const pm__edge **edge);

/* The vertex of a kind nearest to where the search started, or -1. */
int pm__routes_nearest(const pm__routes *r, pm_vertex_kind kind);

/* Loads the way from one vertex to another, through host memory if `staged`; false if there is none. */
bool pm__routes_hop(pm__routes *r, int from, int to, bool staged, pm__ring_path *path);

/* The most that every flow can have: the least of payload / flows over the loaded links. */
void pm__routes_limit(const pm__routes *r, pm__ring_path *path);

#endif
