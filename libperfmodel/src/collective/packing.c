/*
** Fractional packing of directed cycles into arcs with capacities: a linear programme, solved by the simplex method.
**
** Rows are arcs, columns are cycles; all slack is a feasible start. The column that helps most enters; after many pivots
** Bland's rule (the first column that helps, the first row among equals) takes over, which cannot cycle. For eight fully
** joined GPUs there are 56 rows and 5040 columns.
*/
#include <math.h>
#include <stdlib.h>
#include "collective/ring.h"

typedef struct tableau {
  int rows, columns; /* constraints; cycles and slacks */
  int *basis;        /* column that each row stands for */
  double *cell;      /* (rows + 1) x (columns + 1): right-hand side last in a row, objective last of the rows */
} tableau;

#define TINY 1e-9

enum { PIVOTS_BEFORE_BLAND = 2000 };

static double *row_of(const tableau *t, int row)
{
  return t->cell + (size_t)row * (size_t)(t->columns + 1);
}

static void pivot(tableau *t, int row, int column)
{
  double *pivot_row = row_of(t, row), divisor = pivot_row[column];
  for (int j = 0; j <= t->columns; j++) pivot_row[j] /= divisor;
  for (int i = 0; i <= t->rows; i++) {
    double *other = row_of(t, i), factor = other[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j <= t->columns; j++) other[j] -= factor * pivot_row[j];
  }
  t->basis[row] = column;
}

static int entering(const tableau *t, bool bland)
{
  const double *objective = row_of(t, t->rows);
  int best = -1;
  for (int j = 0; j < t->columns; j++) {
    if (objective[j] <= TINY) continue;
    if (bland) return j;
    if (best < 0 || objective[j] > objective[best]) best = j;
  }
  return best;
}

static int leaving(const tableau *t, int column)
{
  int best = -1;
  double least = 0;
  for (int i = 0; i < t->rows; i++) {
    double weight = row_of(t, i)[column];
    if (weight <= TINY) continue;
    double ratio = row_of(t, i)[t->columns] / weight;
    if (best < 0 || ratio < least - TINY || (ratio < least + TINY && t->basis[i] < t->basis[best])) {
      best = i;
      least = ratio;
    }
  }
  return best;
}

/* The objective's right-hand side ends as minus the value. */
static double solve(tableau *t)
{
  int pivots = 0;
  for (int column = entering(t, false); column >= 0; column = entering(t, ++pivots > PIVOTS_BEFORE_BLAND)) {
    int row = leaving(t, column);
    if (row < 0) break; /* unbounded: cannot be, every cycle uses an arc */
    pivot(t, row, column);
  }
  return -row_of(t, t->rows)[t->columns];
}

static void fill(tableau *t, const unsigned char *cycles, int cycle_count, const double *capacity, const int *row_of_arc,
                 int nodes)
{
  double *objective = row_of(t, t->rows);
  for (int c = 0; c < cycle_count; c++) {
    objective[c] = 1;
    for (int i = 0; i < nodes; i++) row_of(t, row_of_arc[i * nodes + cycles[c * nodes + i]])[c] = 1;
  }
  for (int arc = 0; arc < nodes * nodes; arc++) {
    int row = row_of_arc[arc];
    if (row < 0) continue;
    row_of(t, row)[cycle_count + row] = 1;
    row_of(t, row)[t->columns] = capacity[arc];
    t->basis[row] = cycle_count + row;
  }
}

/* Capacities are small whole numbers of links, so the value is a fraction with a small denominator: drop the rounding
** errors of the pivots. */
static double clean(double value)
{
  double near = round(value * 2520) / 2520;
  return fabs(value - near) < TINY ? near : value;
}

static void read_weights(const tableau *t, double *weights, int cycle_count)
{
  for (int c = 0; c < cycle_count; c++) weights[c] = 0;
  for (int row = 0; row < t->rows; row++)
    if (t->basis[row] < cycle_count) weights[t->basis[row]] = clean(row_of(t, row)[t->columns]);
}

double pm__pack_cycles(const unsigned char *cycles, int cycle_count, const double *capacity, int nodes, double *weights)
{
  int arcs = nodes * nodes;
  tableau t = {0, 0, NULL, NULL};
  int *row_of_arc = (int *)malloc((size_t)arcs * sizeof *row_of_arc);
  if (row_of_arc == NULL) return -1;
  for (int arc = 0; arc < arcs; arc++) row_of_arc[arc] = capacity[arc] > 0 ? t.rows++ : -1;
  t.columns = cycle_count + t.rows;
  t.basis = (int *)calloc((size_t)t.rows, sizeof *t.basis);
  t.cell = (double *)calloc((size_t)(t.rows + 1) * (size_t)(t.columns + 1), sizeof *t.cell);
  double value = -1;
  if (t.basis != NULL && t.cell != NULL) {
    fill(&t, cycles, cycle_count, capacity, row_of_arc, nodes);
    value = clean(solve(&t));
    if (weights != NULL) read_weights(&t, weights, cycle_count);
  }
  free(row_of_arc);
  free(t.basis);
  free(t.cell);
  return value;
}
