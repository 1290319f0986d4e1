/* A search under way: the free parameters in the coordinates that the search moves in. */
#ifndef PM_LAB_CALIBRATE_FIT_H
#define PM_LAB_CALIBRATE_FIT_H

#include "base/base.h"
#include "perfmodel/calibrate.h"

typedef struct pm__fit {
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
} pm__fit;

double pm__fit_coordinate(const pm_fit_parameter *p, double value);
double pm__fit_value(const pm_fit_parameter *p, double u);
bool pm__fit_is_log(const pm_fit_parameter *p);

/* Weight that the softened cost gives to a residual. */
double pm__fit_weight(const pm__fit *f, double residual);

/* jacobian, normal and gradient at u. */
int pm__fit_derive(pm__fit *f);

/* Uncertainties, states and correlations at u, from the normal matrix. */
int pm__fit_judge(pm__fit *f);

#endif
