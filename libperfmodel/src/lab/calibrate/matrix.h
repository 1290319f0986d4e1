/* Small dense symmetric matrices, row by row. */
#ifndef PM_LAB_CALIBRATE_MATRIX_H
#define PM_LAB_CALIBRATE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* Solves a x = b in place of b; `a`, n x n and positive definite, is overwritten. False if it is not. */
bool pm__matrix_solve(double *a, double *b, size_t n);

/* Eigenvalues of `a` (which is overwritten) and, in the columns of `vectors`, its eigenvectors: Jacobi's rotations. */
void pm__matrix_eigen(double *a, double *values, double *vectors, size_t n);

#endif
