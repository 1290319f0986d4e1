/*
** What one kernel costs to predict, by family, on one core: ns per kernel of one call of pm_kernel_predict for many
** kernels of different shapes. Each row is the best of REPEATS.
*/
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfmodel.h>

enum { KERNELS = 1024, REPEATS = 200 };

typedef struct family {
  const char *name;
  int operation, precision;
  double count, window; /* gemm: products; elementwise: tensors; conv: side of the window */
} family;

static const family families[] = {
  {"gemm, FP32 cores", PM_OPERATOR_GEMM, PM_PRECISION_FP32, 1, 0},
  {"gemm, FP32 cores, batched", PM_OPERATOR_GEMM, PM_PRECISION_FP32, 64, 0},
  {"gemm, tensor cores", PM_OPERATOR_GEMM, PM_PRECISION_FP16, 1, 0},
  {"gemm, tensor cores, batched", PM_OPERATOR_GEMM, PM_PRECISION_FP16, 64, 0},
  {"conv 1x1, FP32 cores, forward", PM_OPERATOR_CONV_FORWARD, PM_PRECISION_FP32, 1, 1},
  {"conv 1x1, FP32 cores, dgrad", PM_OPERATOR_CONV_DGRAD, PM_PRECISION_FP32, 1, 1},
  {"conv 1x1, FP32 cores, wgrad", PM_OPERATOR_CONV_WGRAD, PM_PRECISION_FP32, 1, 1},
  {"conv 3x3, FP32 cores, forward", PM_OPERATOR_CONV_FORWARD, PM_PRECISION_FP32, 1, 3},
  {"conv 3x3, FP32 cores, dgrad", PM_OPERATOR_CONV_DGRAD, PM_PRECISION_FP32, 1, 3},
  {"conv 3x3, FP32 cores, wgrad", PM_OPERATOR_CONV_WGRAD, PM_PRECISION_FP32, 1, 3},
  {"conv 3x3, tensor cores, forward", PM_OPERATOR_CONV_FORWARD, PM_PRECISION_FP16, 1, 3},
  {"conv 3x3, tensor cores, dgrad", PM_OPERATOR_CONV_DGRAD, PM_PRECISION_FP16, 1, 3},
  {"conv 3x3, tensor cores, wgrad", PM_OPERATOR_CONV_WGRAD, PM_PRECISION_FP16, 1, 3},
  {"elementwise", PM_OPERATOR_ELEMENTWISE, PM_PRECISION_FP32, 3, 0},
  {"layer norm", PM_OPERATOR_LAYER_NORM, PM_PRECISION_FP32, 1, 0},
  {"softmax", PM_OPERATOR_SOFTMAX, PM_PRECISION_FP32, 1, 0},
};

/* Shapes are drawn from a generator of our own, so that every run times the same ones. */
static double drawn(uint32_t *state, int least, int most)
{
  *state = *state * 1664525u + 1013904223u;
  return least + (int)((*state >> 8) % (uint32_t)(most - least + 1));
}

static double drawn_size(uint32_t *state)
{
  return 8 * drawn(state, 1, 512);
}

static pm_kernel draw(const family *f, uint32_t *state)
{
  pm_kernel kernel;
  pm_record_clear(pm_record_type_find("kernel"), &kernel);
  kernel.operation = f->operation;
  kernel.precision = f->precision;
  kernel.count = f->count;
  kernel.m = drawn_size(state);
  kernel.n = drawn_size(state);
  kernel.k = drawn_size(state);
  if (f->window == 0) return kernel;
  kernel.n = drawn(state, 1, 256);
  kernel.channels = 32 * drawn(state, 1, 32);
  kernel.out_channels = 32 * drawn(state, 1, 32);
  kernel.groups = 1;
  kernel.height = kernel.width = 7 * drawn(state, 1, 8);
  kernel.kernel_height = kernel.kernel_width = f->window;
  kernel.padding_height = kernel.padding_width = (f->window - 1) / 2;
  kernel.stride_height = kernel.stride_width = 1;
  return kernel;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct bench {
  pm_gpu gpu;
  pm_kernel_calibration calibration;
  pm_kernel kernels[KERNELS];
  pm_kernel_time times[KERNELS];
  pm_error error;
} bench;

/* Returns 0 if a prediction went wrong. */
static int measure(const family *f, bench *b)
{
  uint32_t state = 1;
  double best = 1e9;
  for (int i = 0; i < KERNELS; i++) b->kernels[i] = draw(f, &state);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    int status = pm_kernel_predict(&b->gpu, &b->calibration, b->kernels, b->times, KERNELS, &b->error);
    double seconds = now() - start;
    if (status != PM_OK) return 0;
    if (seconds < best) best = seconds;
  }
  printf("%-40s  %8.1f\n", f->name, 1e9 * best / KERNELS);
  return 1;
}

static int measure_all(bench *b)
{
  printf("%-40s  %8s\n", b->gpu.name, "ns");
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    if (!measure(&families[i], b)) return 0;
  return 1;
}

int main(void)
{
  static bench b; /* large */
  pm_catalog *catalog = pm_catalog_new(&b.error);
  int good = catalog != NULL && pm_catalog_get_record(catalog, "gpu", "v100-sxm2-16gb", &b.gpu, &b.error) == PM_OK &&
             pm_catalog_get_kernels(catalog, &b.gpu, &b.calibration, &b.error) == PM_OK && measure_all(&b);
  if (!good) fprintf(stderr, "bench_kernels: %s\n", b.error.text);
  pm_catalog_free(catalog);
  return good ? 0 : 1;
}
