/* A search under way: the free parameters in the coordinates that the search moves in. */
#ifndef PM_LAB_CALIBRATION_FIT_H
#define PM_LAB_CALIBRATION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include "perfmodel-lab.h"
#include "base/base.h"

typedef struct pm__lab_fit {
  pm_fit_parameter *parameters;
  size_t count, rows;
  pm_fit_residuals *function;
  void *context;
  pm_fit_options options;
  pm_fit_result *result;
  pm_error *error;
  double *u;         /* coordinates: the logarithm where the bounds are above 0 */
  double *residual;  /* at u */
  double *trial;     /* residuals elsewhere */
  double *jacobian;  /* one row of residuals per parameter */
  double *normal;    /* count x count */
  double *gradient, *step, *work, *values, *best;
  double cost;
  double share; /* of numeric derivatives */
  int iterations;
  size_t *index; /* of the free parameters, when they are judged */
} pm__lab_fit;

double pm__lab_fit_coordinate(const pm_fit_parameter *p, double value);
double pm__lab_fit_value(const pm_fit_parameter *p, double u);
bool pm__lab_fit_is_log(const pm_fit_parameter *p);

/* Whether its bounds leave no choice. */
bool pm__lab_fit_is_fixed(const pm_fit_parameter *p);

/* The residuals at these coordinates, and what residuals cost. */
int pm__lab_fit_evaluate(pm__lab_fit *f, const double *u, double *residual);
double pm__lab_fit_cost(const pm__lab_fit *f, const double *residual);

/* Weight that the softened cost gives to a residual. */
double pm__lab_fit_weight(const pm__lab_fit *f, double residual);

/* jacobian, normal and gradient at u. */
int pm__lab_fit_derive(pm__lab_fit *f);

/* Uncertainties, states and correlations at u, from the normal matrix. */
int pm__lab_fit_judge(pm__lab_fit *f);

/* ---- Small dense symmetric matrices, row by row ---- */

/* Solves a x = b instead of b; `a`, n x n and positive definite, is overwritten. False if it is not. */
bool pm__lab_matrix_solve(double *a, double *b, size_t n);

/* Eigenvalues of `a` (which is overwritten) and, in the columns of `vectors`, its eigenvectors: Jacobi's rotations. */
void pm__lab_matrix_eigen(double *a, double *values, double *vectors, size_t n);

#endif
