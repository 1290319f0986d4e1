/*
** Constructs Hamiltonian cycles of a torus: one for each dimension, or for each copy of it, which together use every
** edge once. That there are such is a theorem of Kotzig for two dimensions (CRM report 233, Montreal, 1973), of
** Foregger for three (Discrete Mathematics 24, 1978) and of Aubert and Schneider for more (Discrete Mathematics 38,
** 1982).
**
** Two dimensions. Every torus grows from one of 2 x 2, 3 x 3, 3 x 4 or 4 x 3 by pairs of rows and of columns. Let the
** first cycle cross the gap below row 0 at the columns of a set S. Two rows are put into that gap: in the first, the
** crossing columns all move one to the right, S + 1, and in the second back. A row in which S moves to S + 1 gives the
** first cycle all its edges but those from j to j + 1, j in S, so it joins each column of S above to one of S + 1
** below; the second row is its mirror image and joins each of those to where it came from. The same holds for the other
** cycle, so both stay single cycles. As many rows as are needed are put in at once: S moves right in half of them, then
** left.
**
** One more dimension. Let cycles H1, H2, ... use every edge of a torus A. The product of H1 and a cycle of M layers is
** a torus of two dimensions with its two cycles; where the new dimension has several copies, so are those of H2, ...
** with another copy. Of each cycle that remains there is one in every layer. Those of adjacent layers are joined by a
** square: its edge u-v in both layers is exchanged for u-u' and v-v', which a finished cycle gives up for the other
** two. If that cycle runs from u to u' and from v to v', or both ways back, it stays a single cycle. Of such squares
** there are as many to choose from as A has nodes, and `unit_tests torus` makes sure that one is free where every side
** is 3 or more.
**
** A side of 2 may have none. Then each cycle of one layer is joined to the same one of the other by two links between
** the layers, and the other links between them stay unused.
*/
#include "topology/torus.h"
#include <stdlib.h>
#include <string.h>

/* ---- Two dimensions ---- */

/* Edges of a torus of rows and columns: whether the one to the right of a node, and the one below it, is of the first
** cycle. */
typedef struct grid {
  int rows, columns;
  bool *right, *below;
} grid;

static bool new_grid(grid *g, int rows, int columns)
{
  g->rows = rows;
  g->columns = columns;
  g->right = (bool *)malloc(2 * (size_t)rows * (size_t)columns);
  g->below = g->right != NULL ? g->right + (size_t)rows * (size_t)columns : NULL;
  return g->right != NULL;
}

/* The smallest grid whose rows and columns are even or odd as these are. The first cycle crosses the gap below row 0 as
** seldom as it can, and that to the right of column 0 in row 0. */
static bool smallest(grid *g, int rows, int columns)
{
  static const char *const right[2][2] = {{"1001", "100101011010"}, {"100101010011", "100101001"}};
  static const char *const below[2][2] = {{"0110", "001010100111"}, {"001111000110", "001010111"}};
  bool tall = rows % 2 == 0 && columns % 2 == 1, wide = rows % 2 == 1 && columns % 2 == 0;
  if (!new_grid(g, tall ? 4 : 2 + rows % 2, wide ? 4 : 2 + columns % 2)) return false;
  for (int i = 0; i < g->rows * g->columns; i++) {
    g->right[i] = right[rows % 2][columns % 2][i] == '1';
    g->below[i] = below[rows % 2][columns % 2][i] == '1';
  }
  return true;
}

static bool transpose(grid *g)
{
  grid to;
  if (!new_grid(&to, g->columns, g->rows)) return false;
  for (int i = 0; i < g->rows; i++)
    for (int j = 0; j < g->columns; j++) {
      to.right[j * g->rows + i] = g->below[i * g->columns + j];
      to.below[j * g->rows + i] = g->right[i * g->columns + j];
    }
  free(g->right);
  *g = to;
  return true;
}

/* How far to the right the crossings are below inserted row `row` of `more`: all the way in half of the rows and back
** in the others, or one step and back. */
static int shift_below(int row, int more, bool far)
{
  if (!far) return row % 2;
  return row < more - row ? row : more - row;
}

/* Puts an even number of rows below row 0. */
static bool insert_rows(grid *g, int more, bool far)
{
  grid to;
  size_t columns = (size_t)g->columns, old = (size_t)g->rows * columns;
  if (!new_grid(&to, g->rows + more, g->columns)) return false;
  memcpy(to.right, g->right, columns);
  memcpy(to.right + (size_t)(more + 1) * columns, g->right + columns, old - columns);
  memcpy(to.below + (size_t)more * columns, g->below, old);
  for (int row = 0; row < more; row++)
    for (int j = 0; j < g->columns; j++) {
      int shift = shift_below(row, more, far), next = shift_below(row + 1, more, far);
      to.below[row * g->columns + (j + shift) % g->columns] = g->below[j];
      to.right[(row + 1) * g->columns + (j + (shift < next ? shift : next)) % g->columns] = !g->below[j];
    }
  free(g->right);
  *g = to;
  return true;
}

static bool grow(grid *g, int rows, int columns)
{
  if (!smallest(g, rows, columns)) return false;
  return transpose(g) && insert_rows(g, columns - g->rows, false) && transpose(g) &&
         insert_rows(g, rows - g->rows, true);
}

/* Follows the first cycle (`first`) or the other from node 0. */
static void follow_grid(const grid *g, bool first, int *order)
{
  int nodes = g->rows * g->columns, node = 0, from = -1;
  for (int i = 0; i < nodes; i++) {
    int row = node / g->columns, column = node % g->columns;
    int left = row * g->columns + (column + g->columns - 1) % g->columns, up = (node + nodes - g->columns) % nodes;
    const bool *edge[] = {&g->right[node], &g->right[left], &g->below[node], &g->below[up]};
    const int to[] = {row * g->columns + (column + 1) % g->columns, left, (node + g->columns) % nodes, up};
    int way = 0;
    while (way < 3 && (*edge[way] != first || to[way] == from)) way++;
    order[i] = node;
    from = node;
    node = to[way];
  }
}

/* ---- Cycles by the two neighbors of each node ---- */

static void follow(const int *neighbor, int count, int *order)
{
  int node = 0, from = neighbor[1];
  for (int i = 0; i < count; i++) {
    int to = neighbor[2 * node + (neighbor[2 * node] == from)];
    order[i] = node;
    from = node;
    node = to;
  }
}

static bool adjacent(const int *neighbor, int a, int b)
{
  return neighbor[2 * a] == b || neighbor[2 * a + 1] == b;
}

/* Edges a-b and c-d become a-c and b-d. */
static void exchange(int *neighbor, int a, int b, int c, int d)
{
  neighbor[2 * a + (neighbor[2 * a + 1] == b)] = c;
  neighbor[2 * b + (neighbor[2 * b + 1] == a)] = d;
  neighbor[2 * c + (neighbor[2 * c + 1] == d)] = a;
  neighbor[2 * d + (neighbor[2 * d + 1] == c)] = b;
}

/* ---- One more dimension ---- */

/* The product of a torus, whose cycles are known, with a cycle of layers. A node is its number in the torus times the
** layers, plus its layer. */
typedef struct product {
  int nodes, layers, all;
  int *neighbor;         /* of each cycle, 2 for each node */
  int *order, *position; /* of one cycle */
} product;

static int *cycle_of(const product *p, int cycle)
{
  return p->neighbor + 2 * (size_t)cycle * (size_t)p->all;
}

/* Which way a cycle uses the edge from a node to that of the next layer: 1, -1 back, 0 not. */
static int direction(const product *p, int node)
{
  int step = (p->position[node + 1] - p->position[node] + p->all) % p->all;
  return step == 1 ? 1 : step == p->all - 1 ? -1 : 0;
}

/* Joins the copies of `joined` in a layer and the next by a square whose other edges are of cycle `whole`. */
static bool join_by(const product *p, const int *base, int *joined, int *whole, int layer)
{
  follow(whole, p->all, p->order);
  for (int i = 0; i < p->all; i++) p->position[p->order[i]] = i;
  for (int i = 0; i < p->nodes; i++) {
    int u = base[i] * p->layers + layer, v = base[(i + 1) % p->nodes] * p->layers + layer;
    int way = direction(p, u);
    if (way == 0 || way != direction(p, v) || !adjacent(joined, u, v)) continue;
    exchange(joined, u, v, u + 1, v + 1);
    exchange(whole, u, u + 1, v, v + 1);
    return true;
  }
  return false;
}

/* A base cycle in every layer. */
static void copy_to_layers(const product *p, const int *base, int *neighbor)
{
  for (int i = 0; i < p->nodes; i++)
    for (int layer = 0; layer < p->layers; layer++) {
      int node = base[i] * p->layers + layer, next = base[(i + 1) % p->nodes] * p->layers + layer;
      neighbor[2 * node] = next;
      neighbor[2 * next + 1] = node;
    }
}

/* Makes cycle `cycle` of a base cycle in every layer, by the cycles before it, which are finished and stay so. */
static bool join_layers(const product *p, const int *base, int cycle)
{
  int *joined = cycle_of(p, cycle);
  copy_to_layers(p, base, joined);
  for (int layer = 0; layer + 1 < p->layers; layer++) {
    int whole = 0;
    while (whole < cycle && !join_by(p, base, joined, cycle_of(p, whole), layer)) whole++;
    if (whole == cycle) return false;
  }
  return true;
}

/* Makes a cycle of a base cycle in each of two layers, by links between the layers that no other cycle has used. */
static bool join_pair(const product *p, const int *base, int *joined, int *used)
{
  copy_to_layers(p, base, joined);
  for (int i = 0; i + 1 < p->nodes; i++) {
    int u = base[i], v = base[i + 1];
    if (used[u] || used[v]) continue;
    exchange(joined, 2 * u, 2 * v, 2 * u + 1, 2 * v + 1);
    used[u] = used[v] = 1;
    return true;
  }
  return false;
}

/* The two cycles of the torus that a base cycle makes with the layers. */
static void make_two(const product *p, const grid *g, const int *base, int *neighbor)
{
  for (int cycle = 0; cycle < 2; cycle++, neighbor += 2 * (size_t)p->all) {
    follow_grid(g, cycle == 0, p->order);
    for (int i = 0; i < p->all; i++) {
      int node = p->order[i];
      p->order[i] = base[node / p->layers] * p->layers + node % p->layers;
    }
    for (int i = 0; i < p->all; i++) {
      neighbor[2 * p->order[i]] = p->order[(i + 1) % p->all];
      neighbor[2 * p->order[i] + 1] = p->order[(i + p->all - 1) % p->all];
    }
  }
}

/* The cycles of the product from those of the base, of which there are at least as many as `copies`. Returns how many
** were found. */
static int make_cycles(const product *p, const grid *g, const int *base, int cycles, int copies)
{
  int found = 2 * copies;
  size_t nodes = (size_t)p->nodes;
  for (int c = 0; c < copies; c++) make_two(p, g, base + (size_t)c * nodes, cycle_of(p, 2 * c));
  for (int c = copies; c < cycles; c++) found += join_layers(p, base + (size_t)c * nodes, found);
  return found;
}

/* As many cycles as the base has, where links between two layers are left over. */
static int make_pairs(const product *p, const int *base, int cycles)
{
  int found = 0;
  memset(p->position, 0, (size_t)p->nodes * sizeof *p->position);
  for (int c = 0; c < cycles; c++)
    found += join_pair(p, base + (size_t)c * (size_t)p->nodes, cycle_of(p, found), p->position);
  return found;
}

static bool has_grid(int rows, int columns)
{
  return (rows > 2 && columns > 2) || (rows + columns) % 2 == 0;
}

static bool make_product(const product *p, const int *base, int cycles, int copies, int *found)
{
  grid g = {0, 0, NULL, NULL};
  *found = 0;
  if (has_grid(p->nodes, p->layers)) {
    bool memory = grow(&g, p->nodes, p->layers);
    if (memory) *found = make_cycles(p, &g, base, cycles, copies);
    free(g.right);
    if (!memory) return false;
  }
  if (*found < cycles && p->layers == 2) *found = make_pairs(p, base, cycles);
  return true;
}

/* From *cycles cycles of `nodes` nodes to those of nodes x layers, in the same place. */
static bool multiply(int *order, int *cycles, int nodes, int layers, int copies)
{
  product p = {nodes, layers, nodes * layers, NULL, NULL, NULL};
  int found = 0, with = copies < *cycles ? copies : *cycles;
  size_t all = (size_t)p.all, total = (size_t)(*cycles + with);
  p.neighbor = (int *)malloc((2 * total + 2) * all * sizeof *p.neighbor);
  if (p.neighbor == NULL) return false;
  p.order = p.neighbor + 2 * total * all;
  p.position = p.order + all;
  bool memory = make_product(&p, order, *cycles, with, &found);
  for (int c = 0; memory && c < found; c++) follow(cycle_of(&p, c), p.all, order + (size_t)c * all);
  free(p.neighbor);
  *cycles = found;
  return memory;
}

bool pm__torus_cycles(const pm__torus *torus, int *order, int *cycles)
{
  int nodes = torus->side[0];
  *cycles = torus->copies[0];
  for (int i = 0; i < *cycles * nodes; i++) order[i] = i % nodes;
  for (int d = 1; d < torus->dimensions; d++) {
    if (!multiply(order, cycles, nodes, torus->side[d], torus->copies[d])) return false;
    nodes *= torus->side[d];
  }
  return true;
}
