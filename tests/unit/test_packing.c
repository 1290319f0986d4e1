/*
** The packing of rings against another solver: the linear programme over all cycles, listed one by one, by the simplex
** method in whole numbers (Edmonds; Bareiss, Math. Comp. 22, 1968), which rounds nothing and by Bland's rule ends.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "topology/packing.h"
#include "fixtures.h"

static unsigned next_random(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

/* ---- The other solver ---- */

enum { MOST = 7, CYCLES = 720, ROWS = MOST * (MOST - 1) + 1, COLUMNS = CYCLES + ROWS + 1 };

typedef struct exact {
  int n, cycles, rows, columns;
  long long capacity[MOST * MOST], denominator;
  unsigned char cycle[CYCLES][MOST]; /* nodes in order */
  int row_of[MOST * MOST], basis[ROWS];
  long long cell[ROWS][COLUMNS]; /* over `denominator`; right-hand side last, objective in the last row */
} exact;

static void list_cycles(exact *e, int depth, bool *used, unsigned char *order)
{
  if (depth == e->n) {
    for (int i = 0; i < e->n; i++)
      if (e->capacity[order[i] * e->n + order[(i + 1) % e->n]] == 0) return;
    memcpy(e->cycle[e->cycles++], order, (size_t)e->n);
    return;
  }
  for (int next = 1; next < e->n; next++) {
    if (used[next]) continue;
    used[next] = true;
    order[depth] = (unsigned char)next;
    list_cycles(e, depth + 1, used, order);
    used[next] = false;
  }
}

static void fill(exact *e)
{
  e->rows = 0;
  for (int arc = 0; arc < e->n * e->n; arc++) e->row_of[arc] = e->capacity[arc] > 0 ? e->rows++ : -1;
  e->columns = e->cycles + e->rows + 1;
  e->denominator = 1;
  memset(e->cell, 0, sizeof e->cell);
  for (int c = 0; c < e->cycles; c++) {
    e->cell[e->rows][c] = 1;
    for (int i = 0; i < e->n; i++) e->cell[e->row_of[e->cycle[c][i] * e->n + e->cycle[c][(i + 1) % e->n]]][c] = 1;
  }
  for (int arc = 0; arc < e->n * e->n; arc++) {
    int row = e->row_of[arc];
    if (row < 0) continue;
    e->cell[row][e->cycles + row] = 1;
    e->cell[row][e->columns - 1] = e->capacity[arc];
    e->basis[row] = e->cycles + row;
  }
}

static long long times(long long a, long long b)
{
  long long product = 0;
  if (__builtin_mul_overflow(a, b, &product)) ck_abort_msg("the whole numbers outgrow 64 bits");
  return product;
}

static void pivot(exact *e, int row, int column)
{
  long long by = e->cell[row][column];
  for (int i = 0; i <= e->rows; i++) {
    long long factor = e->cell[i][column];
    if (i == row) continue;
    for (int j = 0; j < e->columns; j++) {
      long long value = times(e->cell[i][j], by) - times(factor, e->cell[row][j]);
      if (value % e->denominator != 0) ck_abort_msg("a division leaves a rest");
      e->cell[i][j] = value / e->denominator;
    }
  }
  e->denominator = by;
  e->basis[row] = column;
}

static int leaving(const exact *e, int column)
{
  int best = -1, right = e->columns - 1;
  for (int i = 0; i < e->rows; i++) {
    if (e->cell[i][column] <= 0) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    long long ahead = times(e->cell[i][right], e->cell[best][column]) - times(e->cell[best][right], e->cell[i][column]);
    if (ahead < 0 || (ahead == 0 && e->basis[i] < e->basis[best])) best = i;
  }
  return best;
}

/* The column that helps most; after many steps the first that helps. */
static int entering(const exact *e, int steps)
{
  int best = e->columns - 1;
  for (int j = 0; j < e->columns - 1; j++) {
    if (e->cell[e->rows][j] <= 0 || (best < j && e->cell[e->rows][j] <= e->cell[e->rows][best])) continue;
    best = j;
    if (steps > 300) break;
  }
  return best;
}

static double solve(exact *e)
{
  for (int steps = 0;; steps++) {
    int column = entering(e, steps);
    if (column == e->columns - 1) return -(double)e->cell[e->rows][column] / (double)e->denominator;
    pivot(e, leaving(e, column), column);
  }
}

static double best_of(exact *e)
{
  bool used[MOST] = {true};
  unsigned char order[MOST] = {0};
  e->cycles = 0;
  list_cycles(e, 1, used, order);
  fill(e);
  return solve(e);
}

/* ---- Laws of a packing ---- */

/* Every cycle goes through all nodes, no arc carries more than it can, and the weights add up. */
static void check_feasible(const pm__packing *p, const double *capacity, int n)
{
  double *load = (double *)calloc((size_t)n * (size_t)n, sizeof *load), sum = 0;
  for (int c = 0; c < p->pool.count; c++) {
    const int *next = p->pool.next + c * n;
    int node = 0;
    if (p->weight[c] < 0) ck_abort_msg("a weight is negative");
    for (int i = 0; i < n; i++, node = next[node]) {
      if (i > 0 && node == 0) ck_abort_msg("a cycle leaves nodes out");
      load[node * n + next[node]] += p->weight[c];
    }
    ck_assert_int_eq(node, 0);
    sum += p->weight[c];
  }
  ck_assert_double_eq_tol(sum, p->rings, 1e-9);
  for (int a = 0; a < n * n; a++)
    if (load[a] > capacity[a] + 1e-9) ck_abort_msg("an arc carries %g of %g", load[a], capacity[a]);
  free(load);
}

static double packed(const double *capacity, int n)
{
  pm__packing packing;
  ck_assert(pm__packing_find(&packing, capacity, n));
  check_feasible(&packing, capacity, n);
  if (n <= PM__EXACT_MAX) ck_assert(packing.most == packing.rings);
  ck_assert_double_ge(packing.most, packing.rings);
  double rings = packing.rings;
  pm__packing_free(&packing);
  return rings;
}

/* Arcs with capacities of their own each way, few to many. */
static void check_random(exact *e, unsigned *state, int *joined)
{
  double capacity[MOST * MOST];
  unsigned kinds = 2 + next_random(state) % 5;
  for (int a = 0; a < e->n * e->n; a++) {
    unsigned drawn = next_random(state) % kinds;
    e->capacity[a] = a / e->n == a % e->n || drawn == 0 ? 0 : drawn;
    capacity[a] = (double)e->capacity[a];
  }
  double best = best_of(e), rings = packed(capacity, e->n);
  ck_assert_msg(fabs(rings - best) < 1e-9, "%d nodes: %.12g, not %.12g", e->n, rings, best);
  *joined += best > 0;
}

START_TEST(packing_is_that_of_another_solver)
{
  static exact e;
  unsigned state = 11;
  int joined = 0;
  for (int trial = 0; trial < 600; trial++) {
    e.n = 2 + trial % 5;
    check_random(&e, &state, &joined);
  }
  ck_assert_int_gt(joined, 300);
}
END_TEST

START_TEST(packing_of_seven_nodes_too)
{
  static exact e;
  unsigned state = 4;
  int joined = 0;
  e.n = 7;
  for (int trial = 0; trial < 25; trial++) check_random(&e, &state, &joined);
  ck_assert_int_gt(joined, 10);
}
END_TEST

/* Capacities that are no whole numbers, as links of different kinds give: scaled, the same. */
START_TEST(packing_scales)
{
  static exact e;
  unsigned state = 8;
  for (int trial = 0; trial < 60; trial++) {
    double capacity[36], other[36];
    e.n = 6;
    for (int a = 0; a < 36; a++) {
      e.capacity[a] = a / 6 == a % 6 ? 0 : next_random(&state) % 1000;
      capacity[a] = (double)e.capacity[a] * 0.0173;
      other[a] = (double)e.capacity[a];
    }
    ck_assert_double_eq_tol(packed(capacity, 6) / 0.0173, packed(other, 6), 1e-6);
    ck_assert_double_eq_tol(packed(other, 6), best_of(&e), 1e-6);
  }
}
END_TEST

/* ---- Larger graphs whose packings are known ---- */

static void join(double *capacity, int n, int i, int j, double amount)
{
  capacity[i * n + j] = capacity[j * n + i] = amount;
}

/* All arcs of a complete graph: by symmetry every arc can be filled. */
START_TEST(complete_graphs)
{
  for (int n = 3; n <= PM__EXACT_MAX; n++) {
    double capacity[PM__EXACT_MAX * PM__EXACT_MAX] = {0};
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) join(capacity, n, i, j, 1);
    ck_assert_double_eq_tol(packed(capacity, n), n - 1, 1e-9);
  }
}
END_TEST

/* Steps round a circle that have no divisor in common with it are rings themselves. */
START_TEST(circulant_graphs)
{
  const struct {
    int n, steps[3], rings;
  } cases[] = {{9, {1, 2, 4}, 6}, {10, {1, 3, 0}, 4}, {13, {1, 5, 6}, 6}, {16, {1, 3, 7}, 6}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    double capacity[PM__EXACT_MAX * PM__EXACT_MAX] = {0};
    int n = cases[c].n;
    for (int s = 0; s < 3 && cases[c].steps[s] > 0; s++)
      for (int i = 0; i < n; i++) join(capacity, n, i, (i + cases[c].steps[s]) % n, 1);
    ck_assert_double_eq_tol(packed(capacity, n), cases[c].rings, 1e-9);
  }
}
END_TEST

/* Two complete halves joined by k links: a ring crosses at least once each way. Joined at one GPU: none. */
START_TEST(halves_joined_by_a_cut)
{
  for (int half = 5; half <= 8; half++)
    for (int links = 1; links <= 3; links++) {
      double capacity[PM__EXACT_MAX * PM__EXACT_MAX] = {0};
      int n = 2 * half;
      for (int i = 0; i < half; i++)
        for (int j = 0; j < i; j++) {
          join(capacity, n, i, j, 1);
          join(capacity, n, half + i, half + j, 1);
        }
      for (int k = 0; k < links; k++) join(capacity, n, k, half + k, 1);
      ck_assert_double_eq_tol(packed(capacity, n), links > 1 ? links : 0, 1e-9);
    }
}
END_TEST

/* Beyond, what is found is a packing, and what is said to be the most is no less. */
START_TEST(larger_graphs_have_bounds)
{
  static double capacity[64 * 64];
  for (int n = 20; n <= 64; n += 22) {
    pm__packing packing;
    memset(capacity, 0, sizeof capacity);
    for (int i = 0; i < n; i++)
      for (int step = 1; step <= 3; step += 2) join(capacity, n, i, (i + step) % n, 2);
    ck_assert(pm__packing_find(&packing, capacity, n));
    check_feasible(&packing, capacity, n);
    ck_assert(packing.rings > 0 && packing.most <= 8);
    pm__packing_free(&packing);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("packing");
  TCase *tests = tcase_create("packing");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, packing_is_that_of_another_solver);
  tcase_add_test(tests, packing_of_seven_nodes_too);
  tcase_add_test(tests, packing_scales);
  tcase_add_test(tests, complete_graphs);
  tcase_add_test(tests, circulant_graphs);
  tcase_add_test(tests, halves_joined_by_a_cut);
  tcase_add_test(tests, larger_graphs_have_bounds);
  suite_add_tcase(suite, tests);
  return fixture_main(suite);
}
