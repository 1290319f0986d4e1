/* Machines and networks built in code, so that the model is tested without the catalogue. */
#ifndef FIXTURES_H
#define FIXTURES_H

#include <check.h>
#include "perfmodel.h"

/* 10 TFLOP/s FP32, 100 TFLOP/s tensor, 1 TB/s, round numbers throughout. */
pm_gpu fixture_gpu(void);

/* `gpus` GPUs joined pairwise by links[i * gpus + j] links (upper half) of 20 GB/s, uncalibrated. */
pm_system *fixture_mesh(int gpus, const int *links);

/* The NVLinks of a DGX-1 with V100s: 8 x 8 counts. */
extern const int fixture_cube_mesh[64];

/* Two sockets of two switches of two GPUs, 10 GB/s everywhere. */
pm_system *fixture_tree(void);

/* conv - batch norm - ReLU - pool - linear - loss on 3x32x32, with a residual join in it. */
pm_network *fixture_network(void);

/* Runs `suite` and returns main's exit code. */
int fixture_main(Suite *suite);

#endif
