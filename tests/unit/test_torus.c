/*
** Rings of tori: every law of a decomposition is checked on the links themselves, whose GPUs are numbered at random, so
** that nothing but the wiring tells that they are a torus.
*/
#include <stdlib.h>
#include <string.h>
#include "hardware/system.h"
#include "topology/packing.h"
#include "topology/torus.h"
#include "topology/wiring.h"
#include "fixtures.h"

enum { SIDES_MAX = 10 };

typedef struct sides {
  int count, side[SIDES_MAX], links[SIDES_MAX]; /* parallel links in each dimension; 0: one */
} sides;

static int nodes_of(const sides *s)
{
  int nodes = 1;
  for (int d = 0; d < s->count; d++) nodes *= s->side[d];
  return nodes;
}

static int links_of(const sides *s, int d)
{
  return s->links[d] > 0 ? s->links[d] : 1;
}

/* Links at any node, both ways. */
static int degree_of(const sides *s)
{
  int degree = 0;
  for (int d = 0; d < s->count; d++) degree += 2 * links_of(s, d);
  return degree;
}

static int *new_names(int nodes, unsigned seed)
{
  int *name = (int *)malloc((size_t)nodes * sizeof *name);
  for (int i = 0; i < nodes; i++) name[i] = i;
  for (int i = nodes - 1; i > 0; i--) {
    seed = seed * 1664525u + 1013904223u;
    int other = (int)((seed >> 8) % (unsigned)(i + 1)), kept = name[i];
    name[i] = name[other];
    name[other] = kept;
  }
  return name;
}

static int next_along(const sides *s, int d, int i)
{
  int stride = 1;
  for (int k = 0; k < d; k++) stride *= s->side[k];
  int at = i / stride % s->side[d];
  return i + ((at + 1) % s->side[d] - at) * stride;
}

static double *new_torus(const sides *s)
{
  int nodes = nodes_of(s), *name = new_names(nodes, 5);
  double *capacity = (double *)calloc((size_t)nodes * (size_t)nodes, sizeof *capacity);
  for (int d = 0; d < s->count; d++)
    for (int i = 0; i < nodes; i++) {
      int a = name[i], b = name[next_along(s, d, i)];
      capacity[a * nodes + b] += links_of(s, d);
      capacity[b * nodes + a] += links_of(s, d);
    }
  free(name);
  return capacity;
}

/* Every cycle goes through all nodes and leaves no arc less than nothing. Returns what is left of all arcs. */
static double unload(const pm__packing *packing, double *capacity, int nodes)
{
  double left = 0;
  for (int c = 0; c < packing->pool.count; c++) {
    const int *next = packing->pool.next + (size_t)c * (size_t)nodes;
    int node = 0;
    for (int i = 0; i < nodes; i++, node = next[node]) {
      if (i > 0 && node == 0) ck_abort_msg("a ring leaves GPUs out");
      capacity[node * nodes + next[node]] -= packing->weight[c];
    }
    ck_assert_int_eq(node, 0);
  }
  for (int arc = 0; arc < nodes * nodes; arc++) {
    if (capacity[arc] < -1e-9) ck_abort_msg("two rings share a link");
    left += capacity[arc];
  }
  return left;
}

/* As many directed rings as a node has links, which use every link both ways. */
static void check_rings(const sides *s)
{
  int nodes = nodes_of(s), degree = degree_of(s);
  pm__packing packing;
  double *capacity = new_torus(s);
  ck_assert(pm__packing_find(&packing, capacity, nodes));
  if (packing.rings < degree - 1e-9 || packing.most > packing.rings)
    ck_abort_msg("%d x %d x ...: %g rings of %d", s->side[0], s->count > 1 ? s->side[1] : 1, packing.rings, degree);
  ck_assert_double_eq_tol(unload(&packing, capacity, nodes), 0, 1e-6);
  pm__packing_free(&packing);
  free(capacity);
}

START_TEST(tori_use_every_link)
{
  static const sides cases[] = {
    {2, {12, 12}, {0}}, {2, {8, 8}, {0}},       {3, {4, 4, 4}, {0}},       {2, {4, 8}, {0}},
    {2, {3, 7}, {0}},   {2, {5, 4}, {0}},       {2, {3, 100}, {0}},        {1, {50}, {0}},
    {2, {32, 32}, {0}}, {3, {3, 4, 5}, {0}},    {2, {2, 20}, {0}},         {4, {4, 4, 4, 4}, {0}},
    {2, {6, 9}, {2, 2}}, {4, {3, 3, 3, 3}, {0}}, {5, {3, 4, 3, 4, 3}, {0}}, {2, {6, 7}, {1, 2}}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) check_rings(&cases[c]);
}
END_TEST

/* All sides from 3, mixed in every way. */
static int check_all(sides *s, int nodes, int most)
{
  int checked = 0;
  if (nodes > PM__EXACT_MAX) check_rings(s), checked++;
  if (s->count == SIDES_MAX) return checked;
  s->count++;
  for (int side = s->count > 1 ? s->side[s->count - 2] : 3; nodes * side <= most; side++) {
    s->side[s->count - 1] = side;
    checked += check_all(s, nodes * side, most);
  }
  s->count--;
  return checked;
}

START_TEST(tori_of_all_sides_use_every_link)
{
  sides s = {0, {0}, {0}};
  ck_assert_int_gt(check_all(&s, 1, 250), 500);
}
END_TEST

/* Hypercubes of an even number of dimensions are tori of sides of 4; one dimension more adds no rings that are
** known. */
START_TEST(hypercubes_have_rings)
{
  for (int dimensions = 5; dimensions <= 8; dimensions++) {
    int nodes = 1 << dimensions;
    pm__packing packing;
    double *capacity = (double *)calloc((size_t)nodes * (size_t)nodes, sizeof *capacity);
    for (int i = 0; i < nodes; i++)
      for (int d = 0; d < dimensions; d++) capacity[i * nodes + (i ^ 1 << d)] = 1;
    ck_assert(pm__packing_find(&packing, capacity, nodes));
    ck_assert_double_eq_tol(packing.rings, dimensions - dimensions % 2, 1e-9);
    ck_assert_double_eq_tol(packing.most, dimensions, 1e-9);
    ck_assert_double_eq_tol(unload(&packing, capacity, nodes), dimensions % 2 * nodes, 1e-6);
    pm__packing_free(&packing);
    free(capacity);
  }
}
END_TEST

/* Where not every ring is known there are those of the thinnest dimension, and the bound says so. */
START_TEST(other_tori_have_bounds)
{
  static const sides cases[] = {
    {3, {6, 6, 2}, {0}}, {3, {5, 5, 2}, {0}}, {2, {6, 6}, {3, 1}}, {3, {3, 3, 4}, {1, 2, 3}}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    int nodes = nodes_of(&cases[c]);
    pm__packing packing;
    double *capacity = new_torus(&cases[c]);
    ck_assert(pm__packing_find(&packing, capacity, nodes));
    ck_assert_double_ge(packing.rings, 4);
    ck_assert_double_eq_tol(packing.most, degree_of(&cases[c]), 1e-9);
    ck_assert_double_eq_tol(unload(&packing, capacity, nodes), nodes * (packing.most - packing.rings), 1e-6);
    pm__packing_free(&packing);
    free(capacity);
  }
}
END_TEST

static bool recognized(const double *capacity, int nodes)
{
  pm__torus torus;
  ck_assert(pm__torus_find(&torus, capacity, nodes));
  bool found = torus.node != NULL;
  pm__torus_free(&torus);
  return found;
}

/* Two links of a torus that are exchanged, or one that lacks, make it another graph. */
START_TEST(other_graphs_are_no_tori)
{
  const sides s = {2, {6, 7}, {0}};
  double *capacity = new_torus(&s);
  int a = 0, b = 1, c = 0, d = 0;
  ck_assert(recognized(capacity, 42));
  while (capacity[b] == 0) b++;
  for (c = 1; c < 42 && d == 0; c++)
    for (int other = 1; c != b && capacity[c] == 0 && other < 42; other++)
      if (capacity[c * 42 + other] > 0 && capacity[b * 42 + other] == 0 && other != b) d = other;
  c--;
  capacity[a * 42 + b] = capacity[b * 42 + a] = capacity[c * 42 + d] = capacity[d * 42 + c] = 0;
  ck_assert(!recognized(capacity, 42));
  capacity[a * 42 + c] = capacity[c * 42 + a] = capacity[b * 42 + d] = capacity[d * 42 + b] = 1;
  ck_assert(!recognized(capacity, 42));
  free(capacity);
}
END_TEST

/* Whole rows, and a row that is begun, of a torus whose first row is `row`. */
static double rings_of_rows(int row, int nodes)
{
  pm__packing packing;
  double *capacity = (double *)calloc((size_t)nodes * (size_t)nodes, sizeof *capacity);
  for (int i = 0; i < nodes; i++) {
    int right = i % row == row - 1 ? i - row + 1 : i + 1, below = (i + row) % (row * row);
    if (right < nodes) capacity[i * nodes + right] = capacity[right * nodes + i] = 1;
    if (below < nodes) capacity[i * nodes + below] = capacity[below * nodes + i] = 1;
  }
  ck_assert(pm__packing_find(&packing, capacity, nodes));
  double rings = packing.rings;
  ck_assert_double_ge(packing.most, rings);
  unload(&packing, capacity, nodes);
  pm__packing_free(&packing);
  free(capacity);
  return rings;
}

/* An even torus is bipartite, so a ring goes through an even number of its GPUs. */
START_TEST(parts_of_tori_have_a_ring)
{
  static const int parts[] = {24, 72, 96, 100, 132, 142};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) ck_assert_double_ge(rings_of_rows(12, parts[i]), 2);
  ck_assert_double_ge(rings_of_rows(32, 1000), 2);
  ck_assert(rings_of_rows(12, 143) == 0);
  ck_assert(rings_of_rows(12, 17) == 0);
}
END_TEST

/* ---- Through systems ---- */

static double rings_of_system(const sides *s)
{
  int nodes = nodes_of(s), *links = (int *)calloc((size_t)nodes * (size_t)nodes, sizeof *links);
  double *capacity = new_torus(s);
  for (int arc = 0; arc < nodes * nodes; arc++) links[arc] = (int)capacity[arc];
  pm_system *system = fixture_mesh(nodes, links);
  const pm__wiring *wiring;
  ck_assert_int_eq(pm__wiring_first(system, nodes, &wiring), PM_OK);
  double rings = wiring->packed.directed_rings;
  ck_assert(wiring->packed.most_rings == rings);
  ck_assert_int_eq(wiring->cycles.count, (int)rings);
  pm_system_free(system);
  free(capacity);
  free(links);
  return rings;
}

START_TEST(systems_have_the_rings_of_their_tori)
{
  const sides square = {2, {12, 12}, {0}}, small = {2, {8, 8}, {0}}, cube = {3, {4, 4, 4}, {0}};
  ck_assert_double_eq_tol(rings_of_system(&square), 4, 1e-9);
  ck_assert_double_eq_tol(rings_of_system(&small), 4, 1e-9);
  ck_assert_double_eq_tol(rings_of_system(&cube), 6, 1e-9);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("torus");
  TCase *tests = tcase_create("torus");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, tori_use_every_link);
  tcase_add_test(tests, tori_of_all_sides_use_every_link);
  tcase_add_test(tests, hypercubes_have_rings);
  tcase_add_test(tests, other_tori_have_bounds);
  tcase_add_test(tests, other_graphs_are_no_tori);
  tcase_add_test(tests, parts_of_tori_have_a_ring);
  tcase_add_test(tests, systems_have_the_rings_of_their_tori);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
