/*
** Recognizes tori by their links, whatever their GPUs are called and numbered.
**
** In a product of cycles, neighbors of a node in different dimensions have just one more neighbor in common, the fourth
** corner of their square. The two of one dimension have none (sides of 5 and more) or are neighbors themselves (3). A
** side of 4 looks like two dimensions of side 2, and is the product of those, so such neighbors may be paired at will;
** one that remains is a side of 2. That sorts the neighbors of the first node into dimensions. A walk over squares
** carries this from node to node: who is one step further in each dimension. The steps give the coordinates, and in the
** end every step is compared with them, so that what passes is a torus.
*/
#include "topology/torus.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TINY 1e-9

enum { PARTS_MAX = 8, COPIES_MAX = 64 };

typedef struct search {
  const double *capacity;
  int nodes, degree, dimensions;
  int *neighbor; /* `degree` of each node */
  int *step;     /* of each node and dimension d, the next node (2d) and the one before (2d + 1); -1: unknown */
} search;

static double arc(const search *s, int a, int b)
{
  return s->capacity[(size_t)a * (size_t)s->nodes + (size_t)b];
}

static int *steps_of(const search *s, int node)
{
  return s->step + 2 * (size_t)s->dimensions * (size_t)node;
}

static const int *neighbors_of(const search *s, int node)
{
  return s->neighbor + (size_t)s->degree * (size_t)node;
}

/* How many neighbors every node has; 0 if not all have the same number, or too many. */
static int common_degree(const double *capacity, int nodes)
{
  int common = -1;
  for (int a = 0; a < nodes; a++) {
    int degree = 0;
    for (int b = 0; b < nodes; b++) degree += capacity[(size_t)a * (size_t)nodes + (size_t)b] > 0;
    if (common >= 0 && degree != common) return 0;
    common = degree;
  }
  return common <= 2 * PM__DIMENSIONS_MAX ? common : 0;
}

static void read_neighbors(search *s)
{
  for (int a = 0, count = 0; a < s->nodes; a++)
    for (int b = 0; b < s->nodes; b++)
      if (arc(s, a, b) > 0) s->neighbor[count++] = b;
}

/* ---- The dimensions of the first node ---- */

/* Whether two neighbors of the first node can only be of one dimension. */
static bool same_dimension(const search *s, int a, int b)
{
  int common = 0;
  if (arc(s, a, b) > 0) return true;
  for (int k = 0; k < s->degree; k++) common += arc(s, b, neighbors_of(s, a)[k]) > 0;
  return common == 1;
}

static bool near(double a, double b)
{
  return fabs(a - b) <= TINY * b;
}

/* The other neighbor of the dimension: the one that must be, or itself for a side of 2, or any of a side of 4. */
static int partner(const search *s, int first, const bool *used, double least)
{
  int a = neighbors_of(s, 0)[first];
  for (int k = first + 1; k < s->degree; k++)
    if (!used[k] && same_dimension(s, a, neighbors_of(s, 0)[k])) return k;
  if (near(arc(s, 0, a), 2 * least)) return first;
  for (int k = first + 1; k < s->degree; k++) {
    int b = neighbors_of(s, 0)[k];
    bool taken = used[k] || !near(arc(s, 0, b), arc(s, 0, a));
    for (int other = 0; !taken && other < s->degree; other++)
      taken = other != k && same_dimension(s, b, neighbors_of(s, 0)[other]);
    if (!taken) return k;
  }
  return first;
}

static bool find_dimensions(search *s, int *pair)
{
  bool used[2 * PM__DIMENSIONS_MAX] = {false};
  double least = INFINITY;
  for (int k = 0; k < s->degree; k++) least = fmin(least, arc(s, 0, neighbors_of(s, 0)[k]));
  for (int k = 0; k < s->degree; k++) {
    if (used[k]) continue;
    if (s->dimensions == PM__DIMENSIONS_MAX) return false;
    int other = partner(s, k, used, least);
    used[k] = used[other] = true;
    pair[2 * s->dimensions] = neighbors_of(s, 0)[k];
    pair[2 * s->dimensions++ + 1] = neighbors_of(s, 0)[other];
  }
  return true;
}

/* ---- The walk ---- */

/* The fourth corner of the square of a node and two of its neighbors; -1: none. */
static int corner(const search *s, int node, int a, int b)
{
  for (int k = 0; k < s->degree; k++) {
    int other = neighbors_of(s, a)[k];
    if (other != node && arc(s, b, other) > 0) return other;
  }
  return -1;
}

static int last_neighbor(const search *s, int node, int way)
{
  const int *steps = steps_of(s, node);
  for (int i = 0; i < s->degree; i++) {
    bool known = false;
    for (int k = 0; !known && k < 2 * s->dimensions; k++) known = k != way && steps[k] == neighbors_of(s, node)[i];
    if (!known) return neighbors_of(s, node)[i];
  }
  return -1;
}

/* The steps of the node that is one step from `node`. */
static bool carry(const search *s, int node, int way)
{
  const int *from = steps_of(s, node);
  int next = from[way], *to = steps_of(s, next);
  for (int k = 0; k < 2 * s->dimensions; k++)
    if (k / 2 != way / 2 && (to[k] = corner(s, node, next, from[k])) < 0) return false;
  to[way ^ 1] = node;
  to[way] = from[way ^ 1] == next ? node : last_neighbor(s, next, way);
  return to[way] >= 0;
}

static bool walk(const search *s, const int *pair, int *queue)
{
  int head = 0, tail = 1, ways = 2 * s->dimensions;
  for (int i = 0; i < ways * s->nodes; i++) s->step[i] = -1;
  memcpy(s->step, pair, (size_t)ways * sizeof *pair);
  queue[0] = 0;
  while (head < tail) {
    int node = queue[head++];
    for (int way = 0; way < ways; way++) {
      int next = steps_of(s, node)[way];
      if (steps_of(s, next)[0] >= 0) continue;
      if (!carry(s, node, way)) return false;
      queue[tail++] = next;
    }
  }
  return tail == s->nodes;
}

/* ---- Coordinates ---- */

typedef struct dimension {
  int number, side; /* of the search */
  double weight;
} dimension;

static int side_of(const search *s, int d)
{
  int side = 1;
  for (int node = steps_of(s, 0)[2 * d]; node != 0 && side <= s->nodes; side++) node = steps_of(s, node)[2 * d];
  return side;
}

/* The least capacity of the dimension's edges. */
static double weight_of(const search *s, int d, int side)
{
  double least = INFINITY;
  for (int node = 0; node < s->nodes; node++) {
    int next = steps_of(s, node)[2 * d];
    least = fmin(least, fmin(arc(s, node, next), arc(s, next, node)));
  }
  return side == 2 ? least / 2 : least;
}

static int order_dimensions(const void *a, const void *b)
{
  const dimension *left = (const dimension *)a, *right = (const dimension *)b;
  if ((left->side == 2) != (right->side == 2)) return left->side == 2 ? 1 : -1;
  if (!near(left->weight, right->weight)) return left->weight > right->weight ? -1 : 1;
  return left->side != right->side ? right->side - left->side : left->number - right->number;
}

/* False if the sides do not make up the nodes. */
static bool measure(const search *s, dimension *list)
{
  double product = 1;
  for (int d = 0; d < s->dimensions; d++) {
    list[d].number = d;
    list[d].side = side_of(s, d);
    list[d].weight = weight_of(s, d, list[d].side);
    product *= list[d].side;
  }
  qsort(list, (size_t)s->dimensions, sizeof *list, order_dimensions);
  return product == s->nodes;
}

/* The largest fraction of the least weight of which all are multiples; the least weight if that makes too many. */
static double unit_of(const dimension *list, int dimensions)
{
  double least = list[0].weight;
  for (int d = 1; d < dimensions; d++) least = fmin(least, list[d].weight);
  for (int parts = 1; parts <= PARTS_MAX; parts++) {
    bool whole = true;
    for (int d = 0; whole && d < dimensions; d++) {
      double copies = list[d].weight / least * parts;
      whole = copies <= COPIES_MAX && fabs(copies - round(copies)) < TINY * copies;
    }
    if (whole) return least / parts;
  }
  return least;
}

static void set_dimensions(pm__torus *torus, const dimension *list, int dimensions)
{
  torus->dimensions = dimensions;
  torus->unit = unit_of(list, dimensions);
  for (int d = 0; d < dimensions; d++) {
    torus->side[d] = list[d].side;
    torus->copies[d] = (int)fmin(floor(list[d].weight / torus->unit * (1 + TINY)), COPIES_MAX);
    torus->cycles += torus->copies[d];
  }
}

static void set_positions(const search *s, pm__torus *torus, const dimension *list)
{
  torus->node[0] = 0;
  for (int i = 1; i < s->nodes; i++) {
    int d = s->dimensions - 1, stride = 1;
    while (d > 0 && i / stride % torus->side[d] == 0) stride *= torus->side[d--];
    torus->node[i] = steps_of(s, torus->node[i - stride])[2 * list[d].number];
  }
}

/* Whether every node has one position, and every step leads to the next position. */
static bool check_positions(const search *s, const pm__torus *torus, const dimension *list, int *position)
{
  for (int i = 0; i < s->nodes; i++) position[i] = -1;
  for (int i = 0; i < s->nodes; i++) position[torus->node[i]] = i;
  for (int d = s->dimensions - 1, stride = 1; d >= 0; stride *= torus->side[d--])
    for (int node = 0; node < s->nodes; node++) {
      int i = position[node], at = i / stride % torus->side[d];
      if (i < 0) return false;
      if (torus->node[i + ((at + 1) % torus->side[d] - at) * stride] != steps_of(s, node)[2 * list[d].number])
        return false;
    }
  return true;
}

/* Works in `room`, a number for each node. */
static bool recognize(search *s, pm__torus *torus, int *room)
{
  int pair[2 * PM__DIMENSIONS_MAX];
  dimension list[PM__DIMENSIONS_MAX];
  read_neighbors(s);
  if (!find_dimensions(s, pair) || !walk(s, pair, room) || !measure(s, list)) return false;
  set_dimensions(torus, list, s->dimensions);
  if (!(torus->unit > 0)) return false;
  set_positions(s, torus, list);
  return check_positions(s, torus, list, room);
}

bool pm__torus_find(pm__torus *torus, const double *capacity, int nodes)
{
  search s = {capacity, nodes, common_degree(capacity, nodes), 0, NULL, NULL};
  memset(torus, 0, sizeof *torus);
  torus->nodes = nodes;
  if (s.degree == 0) return true;
  size_t each = (size_t)s.degree * (size_t)nodes;
  s.neighbor = (int *)malloc((3 * each + (size_t)nodes) * sizeof *s.neighbor);
  torus->node = (int *)malloc((size_t)nodes * sizeof *torus->node);
  bool memory = s.neighbor != NULL && torus->node != NULL;
  s.step = s.neighbor != NULL ? s.neighbor + each : NULL;
  if (!memory || !recognize(&s, torus, s.step + 2 * each)) pm__torus_free(torus);
  free(s.neighbor);
  return memory;
}

void pm__torus_free(pm__torus *torus)
{
  free(torus->node);
  torus->node = NULL;
}
