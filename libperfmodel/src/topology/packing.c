/*
** Packs rings into the links of a group.
**
** A collective library runs several rings at once, each over other links or over a part of them. So the bandwidth of a
** group is that of the best set of rings: weights x of directed Hamiltonian cycles, whose sum is to be as large as it
** can be while the cycles through each link weigh no more than the link carries. Fractions are allowed, as buffers can
** be split at will. Up to 16 GPUs the best packing is computed; of larger graphs tori are recognized (torus.c), others
** searched within bounds (greedy.c, rotation.c). The degree of a node bounds any packing from above and is printed
** where more may be possible.
**
** The best packing is a linear programme with far too many columns to write down, so it is solved by generating them
** (Gilmore and Gomory, Oper. Res. 9, 1961):
**
**     solve it over the cycles known; the dual gives every arc a price; look for the cycle of least price (pricing.c);
**     if that is 1 or more, no cycle helps, and the packing is the best; else add it and repeat.
**
** Equal capacities make many cycles equally good, on which the simplex method can cycle. So its steps are chosen for
** capacities that are larger by up to a millionth, each by another fraction; the result is for the true ones.
**
** At any time the value over the least price bounds every packing from above (Farley, Oper. Res. 38, 1990), which
** proves that the result is the best.
*/
#include "topology/packing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TINY 1e-9
#define PERTURBATION 1e-6

enum { PIVOTS_MAX = 20000, ROUNDS_MAX = 500 };

/* Rows are arcs, then the objective. Columns: right-hand side for the true and for the perturbed capacities, the arcs'
** slacks, cycles. */
typedef struct tableau {
  int rows, columns, stride, nodes, pivots;
  int *row_of_arc; /* -1: no capacity */
  int *basis;      /* column that each row stands for */
  double *cell;    /* (rows + 1) x stride */
} tableau;

enum { RIGHT, PERTURBED, FIRST_SLACK };

static double *row_of(const tableau *t, int row)
{
  return t->cell + (size_t)row * (size_t)t->stride;
}

/* ---- Simplex ---- */

static void pivot(tableau *t, int row, int column)
{
  double *pivot_row = row_of(t, row), divisor = pivot_row[column];
  for (int j = 0; j < t->columns; j++) pivot_row[j] /= divisor;
  for (int i = 0; i <= t->rows; i++) {
    double *other = row_of(t, i), factor = other[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j < t->columns; j++) other[j] -= factor * pivot_row[j];
  }
  t->basis[row] = column;
}

static int entering(const tableau *t)
{
  const double *objective = row_of(t, t->rows);
  int best = -1;
  for (int j = FIRST_SLACK; j < t->columns; j++)
    if (objective[j] > TINY && (best < 0 || objective[j] > objective[best])) best = j;
  return best;
}

static int leaving(const tableau *t, int column)
{
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < t->rows; i++) {
    double weight = row_of(t, i)[column];
    if (weight <= TINY) continue;
    double ratio = row_of(t, i)[PERTURBED] / weight;
    if (ratio >= least) continue;
    best = i;
    least = ratio;
  }
  return best;
}

static void solve(tableau *t)
{
  for (int column = entering(t); column >= 0 && t->pivots < PIVOTS_MAX; column = entering(t)) {
    int row = leaving(t, column);
    if (row < 0) return; /* unbounded: cannot be, every cycle uses an arc */
    pivot(t, row, column);
    t->pivots++;
  }
}

/* ---- Columns ---- */

static bool make_room(tableau *t, int columns)
{
  if (columns <= t->stride) return true;
  int stride = 2 * columns;
  double *cell = (double *)calloc((size_t)(t->rows + 1) * (size_t)stride, sizeof *cell);
  if (cell == NULL) return false;
  for (int i = 0; i <= t->rows && t->cell != NULL; i++)
    memcpy(cell + (size_t)i * (size_t)stride, row_of(t, i), (size_t)t->columns * sizeof *cell);
  free(t->cell);
  t->cell = cell;
  t->stride = stride;
  return true;
}

/* What the pivots so far make of a new column: the sum of the slacks' columns of its arcs. */
static bool add_column(tableau *t, const int *next)
{
  if (!make_room(t, t->columns + 1)) return false;
  for (int i = 0; i <= t->rows; i++) {
    double *row = row_of(t, i), sum = i == t->rows ? 1 : 0;
    for (int node = 0; node < t->nodes; node++)
      sum += row[FIRST_SLACK + t->row_of_arc[node * t->nodes + next[node]]];
    row[t->columns] = sum;
  }
  t->columns++;
  return true;
}

static bool new_tableau(tableau *t, const double *capacity, int nodes)
{
  int arcs = nodes * nodes;
  memset(t, 0, sizeof *t);
  t->nodes = nodes;
  t->row_of_arc = (int *)malloc((size_t)arcs * sizeof *t->row_of_arc);
  t->basis = (int *)calloc((size_t)arcs, sizeof *t->basis);
  if (t->row_of_arc == NULL || t->basis == NULL) return false;
  for (int arc = 0; arc < arcs; arc++) t->row_of_arc[arc] = capacity[arc] > 0 ? t->rows++ : -1;
  t->columns = 0;
  if (!make_room(t, FIRST_SLACK + t->rows)) return false;
  t->columns = FIRST_SLACK + t->rows;
  for (int arc = 0; arc < arcs; arc++) {
    int row = t->row_of_arc[arc];
    if (row < 0) continue;
    row_of(t, row)[RIGHT] = capacity[arc];
    row_of(t, row)[PERTURBED] = capacity[arc] * (1 + PERTURBATION * fmod(row * 0.6180339887498949, 1));
    row_of(t, row)[FIRST_SLACK + row] = 1;
    t->basis[row] = FIRST_SLACK + row;
  }
  return true;
}

static void free_tableau(tableau *t)
{
  free(t->row_of_arc);
  free(t->basis);
  free(t->cell);
}

void pm__packing_free(pm__packing *packing)
{
  free(packing->pool.next);
  free(packing->weight);
  memset(packing, 0, sizeof *packing);
}

/* ---- Packing ---- */

/* The least that leaves or enters any node. */
static double degree_bound(const double *capacity, int nodes)
{
  double least = INFINITY;
  for (int i = 0; i < nodes; i++) {
    double out = 0, in = 0;
    for (int j = 0; j < nodes; j++) {
      out += capacity[i * nodes + j];
      in += capacity[j * nodes + i];
    }
    least = fmin(least, fmin(out, in));
  }
  return least;
}

/* Capacities are mostly small whole numbers of links, so the value is a fraction with a small denominator: drop the
** rounding errors of the pivots. */
static double round_errors(double value)
{
  double near = round(value * 2520) / 2520;
  return fabs(value - near) < TINY ? near : value;
}

static void read_prices(const tableau *t, double *price)
{
  const double *objective = row_of(t, t->rows);
  for (int arc = 0; arc < t->nodes * t->nodes; arc++) {
    int row = t->row_of_arc[arc];
    price[arc] = row < 0 ? (double)INFINITY : fmax(-objective[FIRST_SLACK + row], 0);
  }
}

static bool add_new(tableau *t, const pm__packing_pool *pool, int first)
{
  for (int c = first; c < pool->count; c++)
    if (!add_column(t, pool->next + (size_t)c * (size_t)pool->nodes)) return false;
  return true;
}

/* The weights, as long as none is negative: an optimum of the perturbed capacities that is none of the true ones. Then
** those of the perturbed ones, made so much smaller that they fit. */
static double value_of(const tableau *t)
{
  for (int row = 0; row < t->rows; row++)
    if (row_of(t, row)[RIGHT] < -TINY) return -row_of(t, t->rows)[PERTURBED] / (1 + PERTURBATION);
  return 0 - row_of(t, t->rows)[RIGHT];
}

/* Prices that make the cheapest cycle cost `least`: scaled, they make every cycle cost 1 or more, and what all capacity
** costs then bounds the packing. */
static double bound_of(const double *capacity, const double *price, int arcs, double least)
{
  double sum = 0;
  for (int arc = 0; arc < arcs; arc++)
    if (capacity[arc] > 0) sum += capacity[arc] * price[arc];
  return least > 0 ? sum / least : (double)INFINITY;
}

/* Solves and prices until no cycle helps, the bound of the degrees is reached or the rounds are used up. */
static bool improve(tableau *t, const double *capacity, double *room, pm__packing *packing)
{
  double price[PM__EXACT_MAX * PM__EXACT_MAX];
  bool memory = add_new(t, &packing->pool, 0);
  for (int round = 0; memory && round < ROUNDS_MAX; round++) {
    int known = packing->pool.count;
    solve(t);
    packing->rings = fmax(value_of(t), 0);
    if (packing->rings >= packing->most - TINY) break;
    read_prices(t, price);
    double least = pm__packing_price(&packing->pool, price, t->nodes, 1 - TINY, room, &memory);
    double bound = bound_of(capacity, price, t->nodes * t->nodes, fmin(least, 1));
    packing->most = fmax(fmin(packing->most, bound), packing->rings);
    if (packing->pool.count == known) break;
    memory = memory && add_new(t, &packing->pool, known);
  }
  if (packing->most - packing->rings < 100 * TINY) packing->most = packing->rings;
  return memory;
}

static bool read_weights(const tableau *t, pm__packing *packing)
{
  bool perturbed = packing->rings < -row_of(t, t->rows)[RIGHT] - TINY;
  packing->weight = (double *)calloc((size_t)packing->pool.count + 1, sizeof *packing->weight);
  if (packing->weight == NULL) return false;
  for (int row = 0; row < t->rows; row++) {
    int cycle = t->basis[row] - FIRST_SLACK - t->rows;
    double weight = perturbed ? row_of(t, row)[PERTURBED] / (1 + PERTURBATION) : round_errors(row_of(t, row)[RIGHT]);
    if (cycle >= 0) packing->weight[cycle] = fmax(weight, 0);
  }
  return true;
}

static bool pack_exactly(pm__packing *packing, const double *capacity, int nodes)
{
  tableau t;
  double *room = (double *)malloc(pm__packing_price_room(nodes) * sizeof *room);
  bool good = new_tableau(&t, capacity, nodes) && room != NULL && improve(&t, capacity, room, packing) &&
              read_weights(&t, packing);
  bool exact = packing->most == packing->rings;
  packing->rings = round_errors(packing->rings);
  if (exact) packing->most = packing->rings;
  free_tableau(&t);
  free(room);
  return good;
}

/* ---- Large graphs ---- */

/* The weights are those with which a search took the cycles. */
static bool weigh(pm__packing *packing, const double *capacity, int nodes)
{
  size_t arcs = (size_t)nodes * (size_t)nodes;
  double *left = (double *)malloc(arcs * sizeof *left);
  packing->weight = (double *)calloc((size_t)packing->pool.count + 1, sizeof *packing->weight);
  bool good = left != NULL && packing->weight != NULL;
  if (good) memcpy(left, capacity, arcs * sizeof *left);
  for (int c = 0; good && c < packing->pool.count; c++) {
    const int *next = packing->pool.next + (size_t)c * (size_t)nodes;
    double least = INFINITY;
    for (int i = 0; i < nodes; i++) least = fmin(least, left[i * nodes + next[i]]);
    for (int i = 0; i < nodes; i++) left[i * nodes + next[i]] -= least;
    packing->weight[c] = least;
  }
  free(left);
  return good;
}

typedef double bounded_search(pm__packing_pool *pool, const double *capacity, int nodes, bool *memory);

/* What a search finds, if there may be more than is known and it is. */
static bool pack_by(bounded_search *search, pm__packing *packing, const double *capacity, int nodes)
{
  bool memory;
  pm__packing other = {.most = packing->most, .pool = {.nodes = nodes}};
  if (packing->most - packing->rings <= TINY * packing->most) return true;
  other.rings = search(&other.pool, capacity, nodes, &memory);
  bool better = memory && other.rings > packing->rings;
  pm__packing_free(better ? packing : &other);
  if (!better) return memory;
  *packing = other;
  return weigh(packing, capacity, nodes);
}

static bool pack_large(pm__packing *packing, const double *capacity, int nodes)
{
  bool memory = pm__packing_torus(packing, capacity, nodes) &&
                pack_by(pm__packing_greedy, packing, capacity, nodes) &&
                pack_by(pm__packing_rotated, packing, capacity, nodes);
  if (packing->most - packing->rings <= TINY * packing->most) packing->most = packing->rings;
  return memory;
}

bool pm__packing_find(pm__packing *packing, const double *capacity, int nodes)
{
  bool memory;
  memset(packing, 0, sizeof *packing);
  packing->pool.nodes = nodes;
  packing->most = degree_bound(capacity, nodes);
  if (nodes > PM__EXACT_MAX) return pack_large(packing, capacity, nodes);
  packing->rings = pm__packing_greedy(&packing->pool, capacity, nodes, &memory);
  return memory && pack_exactly(packing, capacity, nodes);
}
