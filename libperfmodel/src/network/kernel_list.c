/* The list in which a kind puts the kernels of a layer. */
#include <string.h>
#include "network/layer.h"

pm__layer_kernel *pm__add_kernel(pm__layer_kernels *list, pm__pass pass, pm__family family, pm__work work)
{
  pm__layer_kernel *kernel = &list->kernel[list->count < PM__KERNELS_MAX ? list->count++ : PM__KERNELS_MAX - 1];
  memset(kernel, 0, sizeof *kernel);
  kernel->pass = pass;
  kernel->family = family;
  kernel->repeats = 1;
  kernel->work = work;
  return kernel;
}

pm__layer_kernel *pm__add_gemm(pm__layer_kernels *list, pm__pass pass, pm__gemm gemm, double elements, double fixed)
{
  pm__work work = {2 * gemm.count * gemm.m * gemm.n * gemm.k, elements, fixed};
  pm__layer_kernel *kernel = pm__add_kernel(list, pass, PM__GEMM, work);
  kernel->matrix = true;
  kernel->shape.gemm = gemm;
  return kernel;
}
